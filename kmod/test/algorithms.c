// SPDX-License-Identifier: GPL-2.0
/* The table of algorithms, and the accelerators. */
#include "algorithms.h"
#include <dirent.h>

#define AES { 16, 24, 32 }
#define XTS { 32, 64 }
#define DES3 { 24 }
/* Key sizes: shorter than a block, one block, longer (hashed before use), the maximum. */
#define HMAC_OF(block) { 1, block, block + 1, OUTBOARD_MAX_KEY }

const struct algorithm algorithms[ALGORITHMS] = {
	{ OUTBOARD_CBC_AES, CIPHER, "cbc-aes", "AES-%u-CBC", 16, 0, 16, 0, AES, true, true },
	{ OUTBOARD_CTR_AES, CIPHER, "ctr-aes", "AES-%u-CTR", 1, 0, 16, 0, AES, false, true },
	{ OUTBOARD_ECB_AES, CIPHER, "ecb-aes", "AES-%u-ECB", 16, 0, 0, 0, AES, false, true },
	{ OUTBOARD_XTS_AES, CIPHER, "xts-aes", "AES-%u-XTS", 1, 16, 16, 0, XTS, false, true },
	{ OUTBOARD_CBC_DES3, CIPHER, "cbc-des3-ede", "DES-EDE3-CBC", 8, 0, 8, 0, DES3, false, false },
	{ OUTBOARD_GCM_AES, AEAD, "gcm-aes", "AES-%u-GCM", 1, 0, 12, 0, AES, false, false },
	{ OUTBOARD_CCM_AES, AEAD, "ccm-aes", "AES-%u-CCM", 1, 0, 16, 0, AES, false, false },
	{ OUTBOARD_SHA1, HASH, "sha1", "SHA1", 64, 0, 0, 20, { 0 }, false, false },
	{ OUTBOARD_SHA224, HASH, "sha224", "SHA224", 64, 0, 0, 28, { 0 }, false, false },
	{ OUTBOARD_SHA256, HASH, "sha256", "SHA256", 64, 0, 0, 32, { 0 }, false, false },
	{ OUTBOARD_SHA384, HASH, "sha384", "SHA384", 128, 0, 0, 48, { 0 }, false, false },
	{ OUTBOARD_SHA512, HASH, "sha512", "SHA512", 128, 0, 0, 64, { 0 }, false, false },
	{ OUTBOARD_HMAC_SHA1, HASH, "hmac-sha1", "SHA1", 64, 0, 0, 20, HMAC_OF(64), false, false },
	{ OUTBOARD_HMAC_SHA224, HASH, "hmac-sha224", "SHA224", 64, 0, 0, 28, HMAC_OF(64), false,
	  false },
	{ OUTBOARD_HMAC_SHA256, HASH, "hmac-sha256", "SHA256", 64, 0, 0, 32, HMAC_OF(64), false,
	  false },
	{ OUTBOARD_HMAC_SHA384, HASH, "hmac-sha384", "SHA384", 128, 0, 0, 48, HMAC_OF(128), false,
	  false },
	{ OUTBOARD_HMAC_SHA512, HASH, "hmac-sha512", "SHA512", 128, 0, 0, 64, HMAC_OF(128), false,
	  false },
};

const struct algorithm *algorithm(uint16_t id)
{
	for (size_t i = 0; i < ALGORITHMS; i++)
		if (algorithms[i].id == id)
			return &algorithms[i];
	check(false, "no algorithm %u", id);
}

bool is_hmac(const struct algorithm *algorithm)
{
	return algorithm->kind == HASH && algorithm->keys[0];
}

static const struct accelerator accelerators[] = {
	{ "virtio", "/sys/bus/virtio/drivers/virtio_crypto", "virtio", false },
	{ "engine", "/sys/bus/virtio/drivers/outboard_engine", "virtio", false },
	{ "sim", "/sys/bus/platform/drivers/outboard_sim", "outboard-sim.", true },
};

const struct accelerator *accelerator;

bool choose_accelerator(const char *name)
{
	for (size_t i = 0; i < COUNT(accelerators); i++)
		if (!strcmp(accelerators[i].name, name))
			accelerator = &accelerators[i];
	return accelerator;
}

const char *driver_of(const struct algorithm *algorithm)
{
	static __thread char name[64];

	if (!strcmp(accelerator->name, "virtio"))
		return algorithm->virtio ? "virtio_crypto_aes_cbc" : NULL;
	if (!accelerator->sim && !algorithm->engine)
		return NULL;
	snprintf(name, sizeof(name), "%s-%s", accelerator->name, algorithm->name);
	return name;
}

bool is_registered(const char *driver)
{
	FILE *file = fopen("/proc/crypto", "r");
	char line[256], name[128];
	bool found = false;

	check(file, "%m");
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "driver : %127s", name) == 1 && !strcmp(name, driver);
	fclose(file);
	return found;
}

const char *bound_device(void)
{
	static char name[300];
	struct dirent *entry;
	bool found = false;
	DIR *directory = opendir(accelerator->bus_driver);

	while (directory && !found && (entry = readdir(directory))) {
		size_t prefix = strlen(accelerator->prefix);

		/* Skips the driver's link to its module. */
		found = !strncmp(entry->d_name, accelerator->prefix, prefix) &&
			strchr("0123456789", entry->d_name[prefix]);
		if (found)
			snprintf(name, sizeof(name), "%s", entry->d_name);
	}
	if (directory)
		closedir(directory);
	return found ? name : NULL;
}

void allow_all(void)
{
	for (size_t i = 0; i < ALGORITHMS; i++) {
		const char *driver = driver_of(&algorithms[i]);
		int error;

		if (!driver)
			continue;
		error = tell("/sys/class/misc/outboard/allow", "%s", driver);
		check(!error, "%s cannot be allowed: %s", driver, strerror(-error));
	}
}

void disallow_all(void)
{
	for (size_t i = 0; i < ALGORITHMS; i++) {
		const char *driver = driver_of(&algorithms[i]);
		int error = driver ? tell("/sys/class/misc/outboard/disallow", "%s", driver) : 0;

		check(!error, "%s cannot be disallowed: %s", driver, strerror(-error));
	}
}

long driver_counter(const struct algorithm *algorithm, const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "/sys/class/misc/outboard/drivers/%s/%s", driver_of(algorithm),
		 name);
	return number_in(path);
}
