// SPDX-License-Identifier: GPL-2.0
/* AEAD ciphers: gcm, ccm. */
#include "outboard.h"

static int ob_aead_alloc(struct ob_session *session, const char *driver, u32 flags)
{
	session->aead = crypto_alloc_aead(driver, flags, flags);
	if (IS_ERR(session->aead))
		return PTR_ERR(session->aead);
	session->tfm = crypto_aead_tfm(session->aead);
	session->request_size = sizeof(struct aead_request) + crypto_aead_reqsize(session->aead);
	return 0;
}

static int ob_aead_set_key(struct ob_session *session, const u8 *key, unsigned int size)
{
	int error = crypto_aead_setauthsize(session->aead, session->tag_size);

	return error ? error : crypto_aead_setkey(session->aead, key, size);
}

static bool ob_aead_ok(const struct ob_request *request, const struct outboard_slot *copy,
		       struct ob_range aad, struct ob_range in, struct ob_range out)
{
	if (copy->aad && !copy->aad_length)
		return false;
	/*
	 * RFC 3610: iv[0] is the size of the length field minus one. The length is checked against
	 * it here because the kernel's ccm accepts 65536 for a field of two bytes.
	 */
	if (request->session->algorithm->id == OUTBOARD_CCM_AES &&
	    (copy->iv[0] < 1 || copy->iv[0] > 7 ||
	     (copy->iv[0] < 3 && copy->length >> 8 * (copy->iv[0] + 1))))
		return false;
	return ob_in_out_valid(request->arena, in, out) &&
	       (!aad.length || (ob_range_valid(request->arena, aad) &&
				ob_ranges_disjoint(aad, in) && ob_ranges_disjoint(aad, out)));
}

static int ob_aead_prepare(struct ob_request *request, const struct outboard_slot *copy)
{
	struct aead_request *aead = (void *)request->base;
	unsigned int tag = request->session->tag_size;
	struct ob_range aad = { copy->aad, copy->aad_length }, in = { copy->in, copy->length },
			out = { copy->out, copy->length };
	struct scatterlist *source, *target;
	unsigned int length = copy->length;
	int error;

	if (copy->op != OUTBOARD_ENCRYPT && copy->op != OUTBOARD_DECRYPT)
		return -EOPNOTSUPP;
	if (copy->op == OUTBOARD_DECRYPT || copy->in == copy->out)
		in.length += tag;
	if (copy->op == OUTBOARD_ENCRYPT)
		out.length += tag;
	else
		length += tag;
	if (!ob_aead_ok(request, copy, aad, in, out))
		return -EINVAL;
	error = ob_map(request, aad, in, out, &source, &target);
	if (error)
		return error;
	memcpy(request->iv, copy->iv, sizeof(request->iv));
	aead_request_set_tfm(aead, request->session->aead);
	aead_request_set_callback(aead, OB_REQUEST_FLAGS, ob_complete, request);
	aead_request_set_crypt(aead, source, target, length, request->iv);
	aead_request_set_ad(aead, copy->aad_length);
	return 0;
}

static int ob_aead_run(struct ob_request *request)
{
	struct aead_request *aead = (void *)request->base;

	return request->op == OUTBOARD_ENCRYPT ? crypto_aead_encrypt(aead) :
						 crypto_aead_decrypt(aead);
}

const struct ob_type ob_aead = {
	.alloc = ob_aead_alloc,
	.set_key = ob_aead_set_key,
	.prepare = ob_aead_prepare,
	.run = ob_aead_run,
};
