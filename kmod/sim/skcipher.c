// SPDX-License-Identifier: GPL-2.0
/* Ciphers without authentication of the simulated accelerator. */
#include <crypto/aes.h>
#include <crypto/xts.h>
#include <linux/scatterlist.h>
#include "sim.h"

struct sim_cipher_request {
	struct sim_request request;
	bool encrypt;
	struct skcipher_request soft;	/* its context follows */
};

static struct sim_algorithm *sim_of(struct crypto_skcipher *tfm)
{
	return container_of(crypto_skcipher_alg(tfm), struct sim_algorithm, skcipher);
}

/* The mask excludes the simulation's drivers and those of other accelerators. */
static int sim_skcipher_init(struct crypto_skcipher *tfm)
{
	struct sim_tfm *ctx = crypto_skcipher_ctx(tfm);

	ctx->algorithm = sim_of(tfm);
	ctx->skcipher = crypto_alloc_skcipher(sim_crypto_alg(ctx->algorithm)->cra_name, 0,
					      CRYPTO_ALG_ASYNC | CRYPTO_ALG_KERN_DRIVER_ONLY);
	if (IS_ERR(ctx->skcipher))
		return PTR_ERR(ctx->skcipher);
	crypto_skcipher_set_reqsize(tfm, sizeof(struct sim_cipher_request) +
						 crypto_skcipher_reqsize(ctx->skcipher));
	return 0;
}

static void sim_skcipher_exit(struct crypto_skcipher *tfm)
{
	struct sim_tfm *ctx = crypto_skcipher_ctx(tfm);

	sim_session_put(ctx);
	crypto_free_skcipher(ctx->skcipher);
}

static int sim_skcipher_setkey(struct crypto_skcipher *tfm, const u8 *key, unsigned int size)
{
	struct sim_tfm *ctx = crypto_skcipher_ctx(tfm);
	bool keyed = ctx->keyed;
	int error = sim_session_get(ctx);

	if (error)
		return error;
	crypto_skcipher_clear_flags(ctx->skcipher, CRYPTO_TFM_REQ_MASK);
	crypto_skcipher_set_flags(ctx->skcipher,
				  crypto_skcipher_get_flags(tfm) & CRYPTO_TFM_REQ_MASK);
	error = crypto_skcipher_setkey(ctx->skcipher, key, size);
	if (error && !keyed)
		sim_session_put(ctx);
	ctx->aes192 = ctx->algorithm != &sim_algorithms[SIM_CBC_DES3] &&
		      (size == AES_KEYSIZE_192 || size == 2 * AES_KEYSIZE_192);
	return error;
}

static int sim_skcipher_compute(struct sim_request *request)
{
	struct sim_cipher_request *rctx = container_of(request, struct sim_cipher_request, request);
	struct skcipher_request *req = skcipher_request_cast(request->base);
	struct sim_tfm *ctx = crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));
	struct sim_line line;
	int error;

	sim_keep_line(&line, request, req->dst, 0, req->cryptlen);
	skcipher_request_set_tfm(&rctx->soft, ctx->skcipher);
	skcipher_request_set_callback(&rctx->soft, req->base.flags & CRYPTO_TFM_REQ_MAY_SLEEP, NULL,
				      NULL);
	skcipher_request_set_crypt(&rctx->soft, req->src, req->dst, req->cryptlen, req->iv);
	error = rctx->encrypt ? crypto_skcipher_encrypt(&rctx->soft) :
				crypto_skcipher_decrypt(&rctx->soft);
	sim_restore_line(&line, req->dst);
	return error;
}

static int sim_skcipher_crypt(struct skcipher_request *req, bool encrypt)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	struct sim_cipher_request *rctx = skcipher_request_ctx(req);
	struct sim_tfm *ctx = crypto_skcipher_ctx(tfm);

	if (ctx->algorithm == &sim_algorithms[SIM_XTS_AES]) {
		if (req->cryptlen < XTS_BLOCK_SIZE)
			return -EINVAL;
	} else if (req->cryptlen % crypto_skcipher_blocksize(tfm)) {
		return -EINVAL;
	}
	/* Drivers differ; there are engines that never end such a request. */
	if (!req->cryptlen)
		return -EINVAL;
	rctx->encrypt = encrypt;
	rctx->request = (struct sim_request) {
		.base = &req->base,
		.algorithm = ctx->algorithm,
		.bytes = req->cryptlen,
		.compute = sim_skcipher_compute,
		.spoil = sim_spoil_cipher,
		.dst = req->dst,
		.dst_size = req->cryptlen,
	};
	return sim_submit(ctx, &rctx->request);
}

static int sim_skcipher_encrypt(struct skcipher_request *req)
{
	return sim_skcipher_crypt(req, true);
}

static int sim_skcipher_decrypt(struct skcipher_request *req)
{
	return sim_skcipher_crypt(req, false);
}

void sim_skcipher_fill(struct sim_algorithm *algorithm)
{
	struct skcipher_alg *alg = &algorithm->skcipher;

	alg->init = sim_skcipher_init;
	alg->exit = sim_skcipher_exit;
	alg->setkey = sim_skcipher_setkey;
	alg->encrypt = sim_skcipher_encrypt;
	alg->decrypt = sim_skcipher_decrypt;
}
