// SPDX-License-Identifier: GPL-2.0
/* Table of the algorithms that user space can select by number; it cannot pass a name. */
#include "outboard.h"

static const struct ob_algorithm algorithms[] = {
	{ OUTBOARD_CBC_AES, 16, 0, 16, "cbc(aes)", &ob_skcipher },
	{ OUTBOARD_CTR_AES, 1, 0, 16, "ctr(aes)", &ob_skcipher },
	{ OUTBOARD_ECB_AES, 16, 0, 0, "ecb(aes)", &ob_skcipher },
	{ OUTBOARD_XTS_AES, 1, 16, 16, "xts(aes)", &ob_skcipher },
	{ OUTBOARD_CBC_DES3, 8, 0, 8, "cbc(des3_ede)", &ob_skcipher },
	{ OUTBOARD_GCM_AES, 1, 0, 12, "gcm(aes)", &ob_aead },
	{ OUTBOARD_CCM_AES, 1, 0, 16, "ccm(aes)", &ob_aead },
	{ OUTBOARD_SHA1, 1, 0, 0, "sha1", &ob_ahash },
	{ OUTBOARD_SHA224, 1, 0, 0, "sha224", &ob_ahash },
	{ OUTBOARD_SHA256, 1, 0, 0, "sha256", &ob_ahash },
	{ OUTBOARD_SHA384, 1, 0, 0, "sha384", &ob_ahash },
	{ OUTBOARD_SHA512, 1, 0, 0, "sha512", &ob_ahash },
	{ OUTBOARD_HMAC_SHA1, 1, 0, 0, "hmac(sha1)", &ob_ahash },
	{ OUTBOARD_HMAC_SHA224, 1, 0, 0, "hmac(sha224)", &ob_ahash },
	{ OUTBOARD_HMAC_SHA256, 1, 0, 0, "hmac(sha256)", &ob_ahash },
	{ OUTBOARD_HMAC_SHA384, 1, 0, 0, "hmac(sha384)", &ob_ahash },
	{ OUTBOARD_HMAC_SHA512, 1, 0, 0, "hmac(sha512)", &ob_ahash },
};

const struct ob_algorithm *ob_algorithm(u16 id)
{
	for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++)
		if (algorithms[i].id == id)
			return &algorithms[i];
	return NULL;
}

const struct ob_algorithm *ob_algorithm_named(const char *name, const struct ob_type *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++)
		if (algorithms[i].type == type && !strcmp(algorithms[i].name, name))
			return &algorithms[i];
	return NULL;
}
