// SPDX-License-Identifier: GPL-2.0
/*
 * Loads libcrypto with dlopen, so that the program runs with the version of each machine, 3.0 to
 * 4.x, independent of the build machine. The functions are declared here because the headers of one
 * version would bind the program to the library of that version.
 */
#include "software.h"
#include <dlfcn.h>

enum { SET_IV_SIZE = 0x9, GET_TAG = 0x10, SET_TAG = 0x11 };

static struct {
	void *(*EVP_CIPHER_fetch)(void *context, const char *name, const char *properties);
	void (*EVP_CIPHER_free)(void *cipher);
	void *(*EVP_CIPHER_CTX_new)(void);
	void (*EVP_CIPHER_CTX_free)(void *context);
	int (*EVP_CIPHER_CTX_ctrl)(void *context, int type, int argument, void *pointer);
	int (*EVP_CIPHER_CTX_set_padding)(void *context, int padding);
	int (*EVP_EncryptInit_ex2)(void *context, const void *cipher, const uint8_t *key,
				   const uint8_t *iv, const void *params);
	int (*EVP_EncryptUpdate)(void *context, uint8_t *out, int *out_size, const uint8_t *in,
				 int size);
	int (*EVP_EncryptFinal_ex)(void *context, uint8_t *out, int *out_size);
	int (*EVP_Q_digest)(void *context, const char *name, const char *properties, const void *in,
			    size_t size, uint8_t *out, size_t *out_size);
	uint8_t *(*EVP_Q_mac)(void *context, const char *name, const char *properties,
			      const char *subalgorithm, const void *params, const void *key,
			      size_t key_size, const uint8_t *in, size_t size, uint8_t *out,
			      size_t out_room, size_t *out_size);
} crypto;

#define LOAD(name) \
	do { \
		*(void **)&crypto.name = dlsym(library, #name); \
		check(crypto.name, "libcrypto has no " #name); \
	} while (0)

void software_load(void)
{
	void *library;

	/* No configuration: it might activate the provider that uses this module. */
	setenv("OPENSSL_CONF", "/dev/null", 1);
	library = dlopen("libcrypto.so.4", RTLD_NOW);
	if (!library)
		library = dlopen("libcrypto.so.3", RTLD_NOW);
	check(library, "neither libcrypto.so.4 nor libcrypto.so.3: %s", dlerror());
	LOAD(EVP_CIPHER_fetch);
	LOAD(EVP_CIPHER_free);
	LOAD(EVP_CIPHER_CTX_new);
	LOAD(EVP_CIPHER_CTX_free);
	LOAD(EVP_CIPHER_CTX_ctrl);
	LOAD(EVP_CIPHER_CTX_set_padding);
	LOAD(EVP_EncryptInit_ex2);
	LOAD(EVP_EncryptUpdate);
	LOAD(EVP_EncryptFinal_ex);
	LOAD(EVP_Q_digest);
	LOAD(EVP_Q_mac);
}

#define call(function, ...) check(crypto.function(__VA_ARGS__) > 0, "libcrypto, %s", algorithm->name)

static void *begin(const struct algorithm *algorithm, unsigned int key_size)
{
	unsigned int bits = algorithm->id == OUTBOARD_XTS_AES ? key_size * 4 : key_size * 8;
	void *context = crypto.EVP_CIPHER_CTX_new(), *cipher;
	char name[32];

	snprintf(name, sizeof(name), algorithm->software, bits);
	cipher = crypto.EVP_CIPHER_fetch(NULL, name, NULL);
	check(cipher && context, "libcrypto has no %s", name);
	call(EVP_EncryptInit_ex2, context, cipher, NULL, NULL, NULL);
	crypto.EVP_CIPHER_free(cipher);
	return context;
}

void software_encrypt(const struct algorithm *algorithm, const uint8_t *key, unsigned int key_size,
		      const uint8_t *iv, const uint8_t *in, uint8_t *out, unsigned int size)
{
	void *context = begin(algorithm, key_size);
	int done = 0, last = 0;

	call(EVP_CIPHER_CTX_set_padding, context, 0);
	call(EVP_EncryptInit_ex2, context, NULL, key, algorithm->iv ? iv : NULL, NULL);
	if (size)
		call(EVP_EncryptUpdate, context, out, &done, in, size);
	call(EVP_EncryptFinal_ex, context, out + done, &last);
	check((unsigned int)(done + last) == size, "libcrypto, %s: %d of %u bytes", algorithm->name,
	      done + last, size);
	crypto.EVP_CIPHER_CTX_free(context);
}

void software_seal(const struct algorithm *algorithm, const uint8_t *key, unsigned int key_size,
		   const uint8_t *iv, const uint8_t *aad, unsigned int aad_size, const uint8_t *in,
		   unsigned int size, uint8_t *out, unsigned int tag_size)
{
	bool ccm = algorithm->id == OUTBOARD_CCM_AES;
	void *context = begin(algorithm, key_size);
	int done = 0, unused;

	call(EVP_CIPHER_CTX_ctrl, context, SET_IV_SIZE, ccm ? 14 - iv[0] : 12, NULL);
	if (ccm)
		call(EVP_CIPHER_CTX_ctrl, context, SET_TAG, tag_size, NULL);
	call(EVP_EncryptInit_ex2, context, NULL, key, ccm ? iv + 1 : iv, NULL);
	if (ccm)
		call(EVP_EncryptUpdate, context, NULL, &unused, NULL, size);
	if (aad_size)
		call(EVP_EncryptUpdate, context, NULL, &unused, aad, aad_size);
	if (size || ccm)
		call(EVP_EncryptUpdate, context, out, &done, in, size);
	call(EVP_EncryptFinal_ex, context, out + done, &unused);
	check((unsigned int)done == size, "libcrypto, %s: %d of %u bytes", algorithm->name, done,
	      size);
	call(EVP_CIPHER_CTX_ctrl, context, GET_TAG, tag_size, out + size);
	crypto.EVP_CIPHER_CTX_free(context);
}

void software_digest(const struct algorithm *algorithm, const uint8_t *key, unsigned int key_size,
		     const uint8_t *in, unsigned int size, uint8_t *out)
{
	size_t done = 0;

	if (is_hmac(algorithm))
		check(crypto.EVP_Q_mac(NULL, "HMAC", NULL, algorithm->software, NULL, key, key_size,
				       in, size, out, OUTBOARD_DIGEST_SIZE, &done),
		      "libcrypto, %s", algorithm->name);
	else
		call(EVP_Q_digest, NULL, algorithm->software, NULL, in, size, out, &done);
	check(done == algorithm->digest, "libcrypto, %s: %zu bytes", algorithm->name, done);
}
