// SPDX-License-Identifier: GPL-2.0
/*
 * Hashes and HMAC: a whole message in one request. A message in several requests would need a state
 * in the driver, which the drivers that refuse requests lose or advance with the refusal.
 */
#include "outboard.h"

static int ob_ahash_alloc(struct ob_session *session, const char *driver, u32 flags)
{
	session->ahash = crypto_alloc_ahash(driver, flags, flags);
	if (IS_ERR(session->ahash))
		return PTR_ERR(session->ahash);
	session->tfm = crypto_ahash_tfm(session->ahash);
	session->request_size = sizeof(struct ahash_request) + crypto_ahash_reqsize(session->ahash);
	return 0;
}

/* The crypto API registers no hash with a larger digest, which ob_request_done() copies. */
static_assert(OUTBOARD_DIGEST_SIZE >= HASH_MAX_DIGESTSIZE);

static int ob_ahash_set_key(struct ob_session *session, const u8 *key, unsigned int size)
{
	if (session->algorithm->id >= OUTBOARD_HMAC_SHA1)
		return crypto_ahash_setkey(session->ahash, key, size);
	return size ? -EINVAL : 0;
}

static int ob_ahash_prepare(struct ob_request *request, const struct outboard_slot *copy)
{
	struct ahash_request *ahash = (void *)request->base;
	struct ob_range in = { copy->in, copy->length };
	struct scatterlist *source, *target;
	int error;

	if (copy->op != OUTBOARD_DIGEST)
		return -EOPNOTSUPP;
	if (copy->out || copy->aad || copy->aad_length || !ob_range_valid(request->arena, in))
		return -EINVAL;
	error = ob_map(request, (struct ob_range){}, in, in, &source, &target);
	if (error)
		return error;
	ahash_request_set_tfm(ahash, request->session->ahash);
	ahash_request_set_callback(ahash, OB_REQUEST_FLAGS, ob_complete, request);
	ahash_request_set_crypt(ahash, source, request->digest, copy->length);
	return 0;
}

static int ob_ahash_run(struct ob_request *request)
{
	return crypto_ahash_digest((void *)request->base);
}

const struct ob_type ob_ahash = {
	.alloc = ob_ahash_alloc,
	.set_key = ob_ahash_set_key,
	.prepare = ob_ahash_prepare,
	.run = ob_ahash_run,
};
