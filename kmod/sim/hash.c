// SPDX-License-Identifier: GPL-2.0
/* Hashes and HMAC. The request contains the software's state, so any device can continue it. */
#include <linux/random.h>
#include "sim.h"

struct sim_hash_request {
	struct sim_request request;
	struct shash_desc desc;		/* its context follows */
};

static struct sim_algorithm *sim_of(struct crypto_ahash *tfm)
{
	return container_of(crypto_hash_alg_common(tfm), struct sim_algorithm, ahash.halg);
}

static int sim_hash_init_tfm(struct crypto_ahash *tfm)
{
	struct sim_tfm *ctx = crypto_ahash_ctx(tfm);

	ctx->algorithm = sim_of(tfm);
	ctx->shash = crypto_alloc_shash(sim_crypto_alg(ctx->algorithm)->cra_name, 0, 0);
	if (IS_ERR(ctx->shash))
		return PTR_ERR(ctx->shash);
	/* Other software than at registration may be in use now, with a different state size. */
	if (crypto_shash_statesize(ctx->shash) != ctx->algorithm->ahash.halg.statesize) {
		crypto_free_shash(ctx->shash);
		return -EINVAL;
	}
	crypto_ahash_set_reqsize(tfm, sizeof(struct sim_hash_request) +
					      crypto_shash_descsize(ctx->shash));
	return 0;
}

static void sim_hash_exit_tfm(struct crypto_ahash *tfm)
{
	struct sim_tfm *ctx = crypto_ahash_ctx(tfm);

	sim_session_put(ctx);
	crypto_free_shash(ctx->shash);
}

static int sim_hash_setkey(struct crypto_ahash *tfm, const u8 *key, unsigned int size)
{
	struct sim_tfm *ctx = crypto_ahash_ctx(tfm);
	bool keyed = ctx->keyed;
	int error = sim_session_get(ctx);

	if (error)
		return error;
	error = crypto_shash_setkey(ctx->shash, key, size);
	if (error && !keyed)
		sim_session_put(ctx);
	return error;
}

static struct shash_desc *sim_desc(struct ahash_request *req)
{
	struct sim_tfm *ctx = crypto_ahash_ctx(crypto_ahash_reqtfm(req));
	struct sim_hash_request *rctx = ahash_request_ctx(req);

	rctx->desc.tfm = ctx->shash;
	return &rctx->desc;
}

static int sim_hash_submit(struct ahash_request *req, unsigned int bytes,
			   int (*compute)(struct sim_request *request),
			   void (*spoil)(struct sim_request *request))
{
	struct sim_tfm *ctx = crypto_ahash_ctx(crypto_ahash_reqtfm(req));
	struct sim_hash_request *rctx = ahash_request_ctx(req);

	rctx->request = (struct sim_request) {
		.base = &req->base,
		.algorithm = ctx->algorithm,
		.bytes = bytes,
		.compute = compute,
		.spoil = spoil,
	};
	return sim_submit(ctx, &rctx->request);
}

static void sim_hash_spoil(struct sim_request *request)
{
	struct ahash_request *req = ahash_request_cast(request->base);
	unsigned int size = crypto_ahash_digestsize(crypto_ahash_reqtfm(req));

	if (!request->fate.garbage)
		req->result[get_random_u32() % size] ^= BIT(get_random_u32() % 8);
	for (unsigned int i = 0; request->fate.garbage && i < size; i++)
		req->result[i] ^= 0xff;
}

static int sim_hash_compute_update(struct sim_request *request)
{
	struct ahash_request *req = ahash_request_cast(request->base);

	return shash_ahash_update(req, sim_desc(req));
}

static int sim_hash_compute_final(struct sim_request *request)
{
	struct ahash_request *req = ahash_request_cast(request->base);

	return crypto_shash_final(sim_desc(req), req->result);
}

static int sim_hash_compute_finup(struct sim_request *request)
{
	struct ahash_request *req = ahash_request_cast(request->base);

	return shash_ahash_finup(req, sim_desc(req));
}

static int sim_hash_compute_digest(struct sim_request *request)
{
	struct ahash_request *req = ahash_request_cast(request->base);

	return shash_ahash_digest(req, sim_desc(req));
}

/* Software only: the engine has no work yet. */
static int sim_hash_init(struct ahash_request *req)
{
	return crypto_shash_init(sim_desc(req));
}

static int sim_hash_update(struct ahash_request *req)
{
	if (!req->nbytes)
		return 0;
	return sim_hash_submit(req, req->nbytes, sim_hash_compute_update, NULL);
}

static int sim_hash_final(struct ahash_request *req)
{
	return sim_hash_submit(req, 0, sim_hash_compute_final, sim_hash_spoil);
}

static int sim_hash_finup(struct ahash_request *req)
{
	return sim_hash_submit(req, req->nbytes, sim_hash_compute_finup, sim_hash_spoil);
}

static int sim_hash_digest(struct ahash_request *req)
{
	return sim_hash_submit(req, req->nbytes, sim_hash_compute_digest, sim_hash_spoil);
}

static int sim_hash_export(struct ahash_request *req, void *out)
{
	return crypto_shash_export(sim_desc(req), out);
}

static int sim_hash_import(struct ahash_request *req, const void *in)
{
	return crypto_shash_import(sim_desc(req), in);
}

/* Takes the size of the exported state from the kernel's software: it differs between kernels. */
int sim_ahash_fill(struct sim_algorithm *algorithm)
{
	struct ahash_alg *alg = &algorithm->ahash;
	struct crypto_shash *shash = crypto_alloc_shash(alg->halg.base.cra_name, 0, 0);

	if (IS_ERR(shash))
		return PTR_ERR(shash);
	alg->halg.statesize = crypto_shash_statesize(shash);
	crypto_free_shash(shash);
	alg->init_tfm = sim_hash_init_tfm;
	alg->exit_tfm = sim_hash_exit_tfm;
	alg->init = sim_hash_init;
	alg->update = sim_hash_update;
	alg->final = sim_hash_final;
	alg->finup = sim_hash_finup;
	alg->digest = sim_hash_digest;
	alg->export = sim_hash_export;
	alg->import = sim_hash_import;
	if (algorithm >= &sim_algorithms[SIM_HMAC_SHA1])
		alg->setkey = sim_hash_setkey;
	return 0;
}
