// SPDX-License-Identifier: GPL-2.0
/* AEAD ciphers of the simulated accelerator. */
#include <crypto/aes.h>
#include <crypto/authenc.h>
#include <linux/rtnetlink.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include "sim.h"

struct sim_aead_request {
	struct sim_request request;
	bool encrypt;
	struct aead_request soft;	/* its context follows */
};

static struct sim_algorithm *sim_of(struct crypto_aead *tfm)
{
	return container_of(crypto_aead_alg(tfm), struct sim_algorithm, aead);
}

static int sim_aead_init(struct crypto_aead *tfm)
{
	struct sim_tfm *ctx = crypto_aead_ctx(tfm);

	ctx->algorithm = sim_of(tfm);
	ctx->aead = crypto_alloc_aead(sim_crypto_alg(ctx->algorithm)->cra_name, 0,
				      CRYPTO_ALG_ASYNC | CRYPTO_ALG_KERN_DRIVER_ONLY);
	if (IS_ERR(ctx->aead))
		return PTR_ERR(ctx->aead);
	crypto_aead_set_reqsize(tfm,
				sizeof(struct sim_aead_request) + crypto_aead_reqsize(ctx->aead));
	return 0;
}

static void sim_aead_exit(struct crypto_aead *tfm)
{
	struct sim_tfm *ctx = crypto_aead_ctx(tfm);

	sim_session_put(ctx);
	crypto_free_aead(ctx->aead);
}

static int sim_aead_setkey(struct crypto_aead *tfm, const u8 *key, unsigned int size)
{
	struct sim_tfm *ctx = crypto_aead_ctx(tfm);
	struct crypto_authenc_key_param param;
	bool keyed = ctx->keyed;
	int error = sim_session_get(ctx);

	if (error)
		return error;
	crypto_aead_clear_flags(ctx->aead, CRYPTO_TFM_REQ_MASK);
	crypto_aead_set_flags(ctx->aead, crypto_aead_get_flags(tfm) & CRYPTO_TFM_REQ_MASK);
	error = crypto_aead_setkey(ctx->aead, key, size);
	if (error && !keyed)
		sim_session_put(ctx);
	/* The software has checked the format of authenc's key. */
	if (!error && ctx->algorithm >= &sim_algorithms[SIM_AUTHENC_SHA1]) {
		memcpy(&param, key + RTA_LENGTH(0), sizeof(param));
		size = be32_to_cpu(param.enckeylen);
	}
	ctx->aes192 = size == AES_KEYSIZE_192;
	return error;
}

static int sim_aead_setauthsize(struct crypto_aead *tfm, unsigned int size)
{
	struct sim_tfm *ctx = crypto_aead_ctx(tfm);

	return crypto_aead_setauthsize(ctx->aead, size);
}

static int sim_aead_compute(struct sim_request *request)
{
	struct sim_aead_request *rctx = container_of(request, struct sim_aead_request, request);
	struct aead_request *req = container_of(request->base, struct aead_request, base);
	struct sim_tfm *ctx = crypto_aead_ctx(crypto_aead_reqtfm(req));
	unsigned int tag = crypto_aead_authsize(crypto_aead_reqtfm(req));
	struct sim_line line;
	int error;

	sim_keep_line(&line, request, req->dst, req->assoclen,
		      rctx->encrypt ? req->cryptlen : req->cryptlen - tag);
	aead_request_set_tfm(&rctx->soft, ctx->aead);
	aead_request_set_callback(&rctx->soft, req->base.flags & CRYPTO_TFM_REQ_MAY_SLEEP, NULL,
				  NULL);
	aead_request_set_ad(&rctx->soft, req->assoclen);
	aead_request_set_crypt(&rctx->soft, req->src, req->dst, req->cryptlen, req->iv);
	error = rctx->encrypt ? crypto_aead_encrypt(&rctx->soft) : crypto_aead_decrypt(&rctx->soft);
	sim_restore_line(&line, req->dst);
	return error;
}

/* The limit of a device that sets none: dma_get_max_seg_size(). What follows may be undefined. */
static bool sim_has_long_entry(struct scatterlist *list, unsigned int length)
{
	for (; list && length; list = sg_next(list)) {
		unsigned int part = min(list->length, length);

		if (part > SZ_64K)
			return true;
		length -= part;
	}
	return false;
}

static int sim_aead_crypt(struct aead_request *req, bool encrypt)
{
	struct crypto_aead *tfm = crypto_aead_reqtfm(req);
	struct sim_aead_request *rctx = aead_request_ctx(req);
	struct sim_tfm *ctx = crypto_aead_ctx(tfm);
	unsigned int tag = crypto_aead_authsize(tfm);
	unsigned int text = req->cryptlen - (encrypt ? 0 : tag);

	if (text % crypto_aead_blocksize(tfm) ||
	    sim_has_long_entry(req->src, req->assoclen + req->cryptlen) ||
	    sim_has_long_entry(req->dst, req->assoclen + text + (encrypt ? tag : 0)))
		return -EINVAL;
	/* Not every driver checks the size of CCM's length field. */
	if (ctx->algorithm == &sim_algorithms[SIM_CCM_AES] && (req->iv[0] < 1 || req->iv[0] > 7))
		return 0;
	rctx->encrypt = encrypt;
	rctx->request = (struct sim_request) {
		.base = &req->base,
		.algorithm = ctx->algorithm,
		.bytes = req->assoclen + text,
		.compute = sim_aead_compute,
		.spoil = sim_spoil_cipher,
		.dst = req->dst,
		.dst_from = req->assoclen,
		.dst_size = encrypt ? text + tag : text,
	};
	return sim_submit(ctx, &rctx->request);
}

static int sim_aead_encrypt(struct aead_request *req)
{
	return sim_aead_crypt(req, true);
}

static int sim_aead_decrypt(struct aead_request *req)
{
	return sim_aead_crypt(req, false);
}

void sim_aead_fill(struct sim_algorithm *algorithm)
{
	struct aead_alg *alg = &algorithm->aead;

	alg->init = sim_aead_init;
	alg->exit = sim_aead_exit;
	alg->setkey = sim_aead_setkey;
	alg->setauthsize = sim_aead_setauthsize;
	alg->encrypt = sim_aead_encrypt;
	alg->decrypt = sim_aead_decrypt;
}
