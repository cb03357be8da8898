// SPDX-License-Identifier: GPL-2.0
/* Ciphers without authentication: cbc, ctr, ecb, xts. */
#include "outboard.h"

static int ob_skcipher_alloc(struct ob_session *session, const char *driver, u32 flags)
{
	session->skcipher = crypto_alloc_skcipher(driver, flags, flags);
	if (IS_ERR(session->skcipher))
		return PTR_ERR(session->skcipher);
	session->tfm = crypto_skcipher_tfm(session->skcipher);
	session->request_size = sizeof(struct skcipher_request) +
				crypto_skcipher_reqsize(session->skcipher);
	return 0;
}

static int ob_skcipher_set_key(struct ob_session *session, const u8 *key, unsigned int size)
{
	return crypto_skcipher_setkey(session->skcipher, key, size);
}

int ob_skcipher_prepare(struct ob_request *request, const struct outboard_slot *copy)
{
	struct skcipher_request *cipher = (void *)request->base;
	struct ob_range in = { copy->in, copy->length }, out = { copy->out, copy->length };
	struct scatterlist *source, *target;
	int error;

	if (copy->op != OUTBOARD_ENCRYPT && copy->op != OUTBOARD_DECRYPT)
		return -EOPNOTSUPP;
	if (copy->aad || copy->aad_length || !ob_in_out_valid(request->arena, in, out))
		return -EINVAL;
	if (!copy->length)
		return OB_NOTHING;
	error = ob_map(request, (struct ob_range){}, in, out, &source, &target);
	if (error)
		return error;
	memcpy(request->iv, copy->iv, sizeof(request->iv));
	skcipher_request_set_tfm(cipher, request->session->skcipher);
	skcipher_request_set_callback(cipher, OB_REQUEST_FLAGS, ob_complete, request);
	skcipher_request_set_crypt(cipher, source, target, copy->length, request->iv);
	return 0;
}

int ob_skcipher_run(struct ob_request *request)
{
	struct skcipher_request *cipher = (void *)request->base;

	return request->op == OUTBOARD_ENCRYPT ? crypto_skcipher_encrypt(cipher) :
						 crypto_skcipher_decrypt(cipher);
}

const struct ob_type ob_skcipher = {
	.alloc = ob_skcipher_alloc,
	.set_key = ob_skcipher_set_key,
	.prepare = ob_skcipher_prepare,
	.run = ob_skcipher_run,
};
