// SPDX-License-Identifier: GPL-2.0
/* The drivers: keys, and which requests the device computes. */
#include <crypto/xts.h>
#include <linux/module.h>
#include "engine.h"

int engine_priority = 300;

const struct engine_algorithm *engine_algorithm_of(struct crypto_skcipher *tfm)
{
	return container_of(crypto_skcipher_alg(tfm), struct engine_algorithm, alg);
}

static int engine_init_tfm(struct crypto_skcipher *tfm)
{
	crypto_skcipher_set_reqsize(tfm, sizeof(struct engine_request));
	return 0;
}

/* The mask excludes this driver and those of other accelerators. */
static int engine_init_xts(struct crypto_skcipher *tfm)
{
	struct engine_tfm *ctx = crypto_skcipher_ctx(tfm);

	ctx->soft = crypto_alloc_skcipher("xts(aes)", 0,
					  CRYPTO_ALG_ASYNC | CRYPTO_ALG_NEED_FALLBACK);
	if (IS_ERR(ctx->soft))
		return PTR_ERR(ctx->soft);
	crypto_skcipher_set_reqsize(tfm, sizeof(struct engine_request) +
						 crypto_skcipher_reqsize(ctx->soft));
	return 0;
}

static void engine_drop_key(struct crypto_skcipher *tfm)
{
	struct engine_tfm *ctx = crypto_skcipher_ctx(tfm);

	if (!ctx->engine)
		return;
	engine_destroy_session(ctx->engine, ctx->session[true]);
	if (ctx->session[false] != ctx->session[true])
		engine_destroy_session(ctx->engine, ctx->session[false]);
	engine_put(ctx->engine);
	ctx->engine = NULL;
}

static void engine_exit_xts(struct crypto_skcipher *tfm)
{
	struct engine_tfm *ctx = crypto_skcipher_ctx(tfm);

	engine_drop_key(tfm);
	crypto_free_skcipher(ctx->soft);
}

/* CTR needs one session: decryption is encryption. */
static int engine_take_key(struct crypto_skcipher *tfm, const u8 *key, unsigned int size)
{
	struct engine_tfm *ctx = crypto_skcipher_ctx(tfm);
	u32 cipher = engine_algorithm_of(tfm)->cipher;
	struct engine *engine = engine_get();
	int error;

	engine_drop_key(tfm);
	if (!engine)
		return -ENODEV;
	error = engine_create_session(engine, cipher, true, key, size, &ctx->session[true]);
	if (error)
		goto put;
	ctx->session[false] = ctx->session[true];
	if (cipher != VIRTIO_CRYPTO_CIPHER_AES_CTR)
		error = engine_create_session(engine, cipher, false, key, size,
					      &ctx->session[false]);
	if (error)
		goto destroy;
	ctx->engine = engine;
	return 0;

destroy:
	engine_destroy_session(engine, ctx->session[true]);
put:
	engine_put(engine);
	return error;
}

static int engine_setkey(struct crypto_skcipher *tfm, const u8 *key, unsigned int size)
{
	if (size != AES_KEYSIZE_128 && size != AES_KEYSIZE_192 && size != AES_KEYSIZE_256)
		return -EINVAL;
	return engine_take_key(tfm, key, size);
}

static int engine_setkey_xts(struct crypto_skcipher *tfm, const u8 *key, unsigned int size)
{
	struct engine_tfm *ctx = crypto_skcipher_ctx(tfm);
	int error = xts_verify_key(tfm, key, size);

	if (error)
		return error;
	crypto_skcipher_clear_flags(ctx->soft, CRYPTO_TFM_REQ_MASK);
	crypto_skcipher_set_flags(ctx->soft, crypto_skcipher_get_flags(tfm) & CRYPTO_TFM_REQ_MASK);
	error = crypto_skcipher_setkey(ctx->soft, key, size);
	if (error)
		return error;
	/* The backend has no XTS with AES-192. */
	ctx->soft_only = size == 2 * AES_KEYSIZE_192;
	if (!ctx->soft_only)
		return engine_take_key(tfm, key, size);
	engine_drop_key(tfm);
	return 0;
}

static int engine_crypt(struct skcipher_request *req, bool encrypt)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	struct engine_tfm *ctx = crypto_skcipher_ctx(tfm);

	if (req->cryptlen % crypto_skcipher_blocksize(tfm))
		return -EINVAL;
	if (!req->cryptlen)
		return 0;
	/* The key was lost with the device. */
	if (!ctx->engine)
		return -ENODEV;
	if (engine_algorithm_of(tfm)->cipher == VIRTIO_CRYPTO_CIPHER_AES_CTR)
		encrypt = true;
	return engine_submit(ctx->engine, req, ctx->session[encrypt], encrypt);
}

static int engine_encrypt(struct skcipher_request *req)
{
	return engine_crypt(req, true);
}

static int engine_decrypt(struct skcipher_request *req)
{
	return engine_crypt(req, false);
}

/* The backend has no ciphertext stealing: software computes requests with a partial block. */
static int engine_crypt_xts(struct skcipher_request *req, bool encrypt)
{
	struct engine_tfm *ctx = crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));
	struct engine_request *rctx = skcipher_request_ctx(req);

	if (req->cryptlen < XTS_BLOCK_SIZE)
		return -EINVAL;
	if (!ctx->soft_only && !(req->cryptlen % XTS_BLOCK_SIZE))
		return engine_crypt(req, encrypt);
	skcipher_request_set_tfm(&rctx->soft, ctx->soft);
	skcipher_request_set_callback(&rctx->soft, req->base.flags & CRYPTO_TFM_REQ_MAY_SLEEP, NULL,
				      NULL);
	skcipher_request_set_crypt(&rctx->soft, req->src, req->dst, req->cryptlen, req->iv);
	return encrypt ? crypto_skcipher_encrypt(&rctx->soft) :
			 crypto_skcipher_decrypt(&rctx->soft);
}

static int engine_encrypt_xts(struct skcipher_request *req)
{
	return engine_crypt_xts(req, true);
}

static int engine_decrypt_xts(struct skcipher_request *req)
{
	return engine_crypt_xts(req, false);
}

#define ENGINE_FLAGS (CRYPTO_ALG_ASYNC | CRYPTO_ALG_KERN_DRIVER_ONLY | CRYPTO_ALG_ALLOCATES_MEMORY)
#define ENGINE_BASE(mode, block, flags)                                             \
	{                                                                           \
		.cra_name = mode "(aes)", .cra_driver_name = "engine-" mode "-aes", \
		.cra_blocksize = block, .cra_flags = ENGINE_FLAGS | (flags),        \
		.cra_ctxsize = sizeof(struct engine_tfm), .cra_module = THIS_MODULE \
	}
#define ENGINE_AES(mode, block, iv)						\
	{ .base = ENGINE_BASE(mode, block, 0), .min_keysize = AES_MIN_KEY_SIZE,		\
	  .max_keysize = AES_MAX_KEY_SIZE, .ivsize = iv, .chunksize = AES_BLOCK_SIZE,	\
	  .init = engine_init_tfm, .exit = engine_drop_key, .setkey = engine_setkey,	\
	  .encrypt = engine_encrypt, .decrypt = engine_decrypt }

static struct engine_algorithm algorithms[] = {
	{ ENGINE_AES("ecb", AES_BLOCK_SIZE, 0), VIRTIO_CRYPTO_CIPHER_AES_ECB },
	{ ENGINE_AES("cbc", AES_BLOCK_SIZE, AES_BLOCK_SIZE), VIRTIO_CRYPTO_CIPHER_AES_CBC },
	{ ENGINE_AES("ctr", 1, AES_BLOCK_SIZE), VIRTIO_CRYPTO_CIPHER_AES_CTR },
	{
		.alg = {
			.base = ENGINE_BASE("xts", XTS_BLOCK_SIZE, CRYPTO_ALG_NEED_FALLBACK),
			.min_keysize = 2 * AES_MIN_KEY_SIZE,
			.max_keysize = 2 * AES_MAX_KEY_SIZE,
			.ivsize = XTS_BLOCK_SIZE,
			.init = engine_init_xts,
			.exit = engine_exit_xts,
			.setkey = engine_setkey_xts,
			.encrypt = engine_encrypt_xts,
			.decrypt = engine_decrypt_xts,
		},
		.cipher = VIRTIO_CRYPTO_CIPHER_AES_XTS,
	},
};

static void engine_unregister_first(size_t count)
{
	while (count--)
		crypto_unregister_skcipher(&algorithms[count].alg);
}

int engine_register(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++) {
		int error;

		algorithms[i].alg.base.cra_priority = engine_priority;
		error = crypto_register_skcipher(&algorithms[i].alg);
		if (error) {
			pr_err(ENGINE_NAME ": %s cannot be registered: error %d\n",
			       algorithms[i].alg.base.cra_driver_name, error);
			engine_unregister_first(i);
			return error;
		}
	}
	return 0;
}

void engine_unregister(void)
{
	engine_unregister_first(ARRAY_SIZE(algorithms));
}
