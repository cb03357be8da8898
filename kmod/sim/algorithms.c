// SPDX-License-Identifier: GPL-2.0
/* The table and registration of drivers, and the limit of keys that all drivers share. */
#include <crypto/aes.h>
#include <crypto/des.h>
#include <crypto/sha1.h>
#include <crypto/sha2.h>
#include <linux/module.h>
#include "sim.h"

#define NAMES(name, driver, block)						\
	{ .cra_name = name, .cra_driver_name = "sim-" driver, .cra_blocksize = block }
#define SKCIPHER(name, driver, block, least, most, iv)      \
	{                                                   \
		.kind = SIM_SKCIPHER, .skcipher = {         \
			.base = NAMES(name, driver, block), \
			.min_keysize = least,               \
			.max_keysize = most,                \
			.ivsize = iv,                       \
			.chunksize = iv ? iv : block        \
		}                                           \
	}
#define AEAD(name, driver, block, iv, tag)						\
	{ .kind = SIM_AEAD, .aead = { .base = NAMES(name, driver, block), .ivsize = iv,	\
	  .maxauthsize = tag, .chunksize = AES_BLOCK_SIZE } }
#define AHASH(name, driver, block, digest)                                                   \
	{                                                                                    \
		.kind = SIM_AHASH, .ahash = {                                                \
			.halg = { .base = NAMES(name, driver, block), .digestsize = digest } \
		}                                                                            \
	}

struct sim_algorithm sim_algorithms[SIM_ALGORITHMS] = {
	[SIM_ECB_AES] = SKCIPHER("ecb(aes)", "ecb-aes", AES_BLOCK_SIZE, AES_MIN_KEY_SIZE,
				 AES_MAX_KEY_SIZE, 0),
	[SIM_CBC_AES] = SKCIPHER("cbc(aes)", "cbc-aes", AES_BLOCK_SIZE, AES_MIN_KEY_SIZE,
				 AES_MAX_KEY_SIZE, AES_BLOCK_SIZE),
	[SIM_CTR_AES] = SKCIPHER("ctr(aes)", "ctr-aes", 1, AES_MIN_KEY_SIZE, AES_MAX_KEY_SIZE,
				 AES_BLOCK_SIZE),
	[SIM_XTS_AES] = SKCIPHER("xts(aes)", "xts-aes", AES_BLOCK_SIZE, 2 * AES_MIN_KEY_SIZE,
				 2 * AES_MAX_KEY_SIZE, AES_BLOCK_SIZE),
	[SIM_CBC_DES3] = SKCIPHER("cbc(des3_ede)", "cbc-des3-ede", DES3_EDE_BLOCK_SIZE,
				  DES3_EDE_KEY_SIZE, DES3_EDE_KEY_SIZE, DES3_EDE_BLOCK_SIZE),
	[SIM_GCM_AES] = AEAD("gcm(aes)", "gcm-aes", 1, 12, AES_BLOCK_SIZE),
	[SIM_CCM_AES] = AEAD("ccm(aes)", "ccm-aes", 1, AES_BLOCK_SIZE, AES_BLOCK_SIZE),
	[SIM_AUTHENC_SHA1] = AEAD("authenc(hmac(sha1),cbc(aes))", "authenc-hmac-sha1-cbc-aes",
				  AES_BLOCK_SIZE, AES_BLOCK_SIZE, SHA1_DIGEST_SIZE),
	[SIM_AUTHENC_SHA256] = AEAD("authenc(hmac(sha256),cbc(aes))", "authenc-hmac-sha256-cbc-aes",
				    AES_BLOCK_SIZE, AES_BLOCK_SIZE, SHA256_DIGEST_SIZE),
	[SIM_SHA1] = AHASH("sha1", "sha1", SHA1_BLOCK_SIZE, SHA1_DIGEST_SIZE),
	[SIM_SHA224] = AHASH("sha224", "sha224", SHA224_BLOCK_SIZE, SHA224_DIGEST_SIZE),
	[SIM_SHA256] = AHASH("sha256", "sha256", SHA256_BLOCK_SIZE, SHA256_DIGEST_SIZE),
	[SIM_SHA384] = AHASH("sha384", "sha384", SHA384_BLOCK_SIZE, SHA384_DIGEST_SIZE),
	[SIM_SHA512] = AHASH("sha512", "sha512", SHA512_BLOCK_SIZE, SHA512_DIGEST_SIZE),
	[SIM_HMAC_SHA1] = AHASH("hmac(sha1)", "hmac-sha1", SHA1_BLOCK_SIZE, SHA1_DIGEST_SIZE),
	[SIM_HMAC_SHA224] = AHASH("hmac(sha224)", "hmac-sha224", SHA224_BLOCK_SIZE,
				  SHA224_DIGEST_SIZE),
	[SIM_HMAC_SHA256] = AHASH("hmac(sha256)", "hmac-sha256", SHA256_BLOCK_SIZE,
				  SHA256_DIGEST_SIZE),
	[SIM_HMAC_SHA384] = AHASH("hmac(sha384)", "hmac-sha384", SHA384_BLOCK_SIZE,
				  SHA384_DIGEST_SIZE),
	[SIM_HMAC_SHA512] = AHASH("hmac(sha512)", "hmac-sha512", SHA512_BLOCK_SIZE,
				  SHA512_DIGEST_SIZE),
};

struct crypto_alg *sim_crypto_alg(struct sim_algorithm *algorithm)
{
	switch (algorithm->kind) {
	case SIM_SKCIPHER:
		return &algorithm->skcipher.base;
	case SIM_AEAD:
		return &algorithm->aead.base;
	default:
		return &algorithm->ahash.halg.base;
	}
}

/*
 * sim-cbc-aes, or cbc(aes-sim); sim-authenc-hmac-sha1-cbc-aes, or
 * authenc(hmac(sha1-sim),cbc(aes-sim))
 */
static void sim_name(struct sim_algorithm *algorithm, bool parentheses)
{
	struct crypto_alg *alg = sim_crypto_alg(algorithm);
	const char *from = alg->cra_name, *before = from;
	char *at = alg->cra_driver_name, *end = at + CRYPTO_MAX_ALG_NAME;

	algorithm->parentheses = parentheses;
	if (!parentheses)
		at += scnprintf(at, end - at, "sim-");
	for (; *from; from++) {
		if (parentheses)
			at += scnprintf(at, end - at, "%s%c",
					*from == ')' && *before != ')' ? "-sim" : "", *from);
		else if (*from != ')')
			at += scnprintf(at, end - at, "%c", strchr("(_,", *from) ? '-' : *from);
		before = from;
	}
	if (parentheses && *before != ')')
		scnprintf(at, end - at, "-sim");
}

static int sim_add(struct sim_algorithm *algorithm, const struct sim_model *model)
{
	struct crypto_alg *alg = sim_crypto_alg(algorithm);
	u32 flags = sim_flags(model);
	int error;

	/* Set all flags: an earlier registration has changed them. */
	alg->cra_flags = flags;
	algorithm->flags = flags;
	if (algorithm->parentheses != model->parentheses)
		sim_name(algorithm, model->parentheses);
	alg->cra_priority = sim_priority;
	alg->cra_ctxsize = sizeof(struct sim_tfm);
	alg->cra_module = THIS_MODULE;
	switch (algorithm->kind) {
	case SIM_SKCIPHER:
		sim_skcipher_fill(algorithm);
		error = crypto_register_skcipher(&algorithm->skcipher);
		break;
	case SIM_AEAD:
		sim_aead_fill(algorithm);
		error = crypto_register_aead(&algorithm->aead);
		break;
	default:
		error = sim_ahash_fill(algorithm) ?: crypto_register_ahash(&algorithm->ahash);
	}
	if (error)
		pr_err(SIM_NAME ": %s cannot be registered: error %d\n", alg->cra_driver_name,
		       error);
	else
		algorithm->registered = true;
	return error;
}

static void sim_remove(struct sim_algorithm *algorithm)
{
	switch (algorithm->kind) {
	case SIM_SKCIPHER:
		crypto_unregister_skcipher(&algorithm->skcipher);
		break;
	case SIM_AEAD:
		crypto_unregister_aead(&algorithm->aead);
		break;
	default:
		crypto_unregister_ahash(&algorithm->ahash);
	}
	algorithm->registered = false;
}

static bool sim_is_stale(int id, const struct sim_model *model)
{
	return sim_algorithms[id].registered &&
	       (!(model->algorithms & BIT(id)) || sim_algorithms[id].flags != sim_flags(model) ||
		sim_algorithms[id].parentheses != model->parentheses);
}

/*
 * Registers the drivers of the model and unregisters all others. Returns -EBUSY if a driver that
 * would be unregistered, or change its flags or name, is in use, because the kernel warns about
 * that.
 */
int sim_register(const struct sim_model *model)
{
	int id, error;

	for (id = 0; id < SIM_ALGORITHMS; id++) {
		if (!SIM_REVOCABLE && sim_is_stale(id, model) &&
		    refcount_read(&sim_crypto_alg(&sim_algorithms[id])->cra_refcnt) > 1)
			return -EBUSY;
	}
	for (id = 0; id < SIM_ALGORITHMS; id++) {
		if (sim_is_stale(id, model))
			sim_remove(&sim_algorithms[id]);
	}
	for (id = 0; id < SIM_ALGORITHMS; id++) {
		if (sim_algorithms[id].registered || !(model->algorithms & BIT(id)))
			continue;
		error = sim_add(&sim_algorithms[id], model);
		if (error)
			return error;
	}
	return 0;
}

static atomic_t sessions_used;

int sim_sessions_used(void)
{
	return atomic_read(&sessions_used);
}

/* Counts a key. A key that replaces another one of the same tfm is not counted again. */
int sim_session_get(struct sim_tfm *ctx)
{
	unsigned int most = READ_ONCE(sim_model.sessions);

	if (list_empty(&sim_devices))
		return -ENODEV;
	if (ctx->keyed)
		return 0;
	if (atomic_inc_return(&sessions_used) > most && most) {
		atomic_dec(&sessions_used);
		return -ENOSPC;
	}
	ctx->keyed = true;
	ctx->removals = READ_ONCE(sim_removals);
	return 0;
}

void sim_session_put(struct sim_tfm *ctx)
{
	/* A chip's driver would use the memory of a device that is gone. */
	if (ctx->keyed && ctx->removals != READ_ONCE(sim_removals))
		atomic_inc(&sim_late_exits);
	if (ctx->keyed)
		atomic_dec(&sessions_used);
	ctx->keyed = false;
}
