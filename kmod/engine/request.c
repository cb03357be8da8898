// SPDX-License-Identifier: GPL-2.0
/* The data queue: requests on their way to the device and back. */
#include <linux/slab.h>
#include "engine.h"

/* Appends the first size bytes of a list to the entries at to; returns the entry after them. */
static struct scatterlist *engine_append(struct scatterlist *to, struct scatterlist *from,
					 unsigned int size)
{
	unsigned int part;

	for (; size; from = sg_next(from), size -= part) {
		part = min(from->length, size);
		if (part)
			sg_set_page(to++, sg_page(from), part, from->offset);
	}
	return to;
}

/*
 * Makes the two lists of a request. The backend accepts whole blocks only, so CTR's last block is
 * completed with zeros, and their result is not used.
 */
static int engine_map(struct skcipher_request *req, unsigned int most)
{
	struct engine_request *rctx = skcipher_request_ctx(req);
	unsigned int fill = round_up(req->cryptlen, AES_BLOCK_SIZE) - req->cryptlen;
	unsigned int iv = crypto_skcipher_ivsize(crypto_skcipher_reqtfm(req));
	int sources = sg_nents_for_len(req->src, req->cryptlen);
	int results = sg_nents_for_len(req->dst, req->cryptlen);
	struct scatterlist *at;
	size_t count;

	if (sources < 0 || results < 0)
		return -EINVAL;
	/* Header, IV, answer, and the two parts of a completed block. */
	count = sources + results + 5;
	if (count > most)
		return -EINVAL;
	rctx->lists = rctx->few;
	if (count > ENGINE_FEW_ENTRIES)
		rctx->lists = kmalloc_array(count, sizeof(*rctx->lists), GFP_ATOMIC);
	if (!rctx->lists)
		return -ENOMEM;
	sg_init_table(rctx->lists, count);

	rctx->out = rctx->lists;
	at = rctx->out;
	sg_set_buf(at++, &rctx->header, sizeof(rctx->header));
	if (iv)
		sg_set_buf(at++, rctx->iv, iv);
	at = engine_append(at, req->src, req->cryptlen);
	if (fill)
		sg_set_buf(at++, rctx->zeros, fill);
	sg_mark_end(at - 1);

	rctx->in = at;
	at = engine_append(at, req->dst, req->cryptlen);
	if (fill)
		sg_set_buf(at++, rctx->rest, fill);
	sg_set_buf(at++, &rctx->answer, sizeof(rctx->answer));
	sg_mark_end(at - 1);
	return 0;
}

static void engine_unmap(struct engine_request *rctx)
{
	if (rctx->lists != rctx->few)
		kfree(rctx->lists);
}

/*
 * Puts a request into the queue. Returns -ENOSPC while the queue is full of others. Called with
 * engine->lock held.
 */
int engine_queue(struct engine *engine, struct skcipher_request *req)
{
	struct engine_request *rctx = skcipher_request_ctx(req);
	struct scatterlist *lists[] = { rctx->out, rctx->in };
	int error = virtqueue_add_sgs(engine->dataq, lists, 1, 1, req, GFP_ATOMIC);

	if (!error) {
		engine->in_flight++;
		engine_pace_start(engine, req);
	}
	/* A request too large for an empty queue would wait forever. */
	if (error == -ENOSPC && !engine->in_flight)
		error = -ENOMEM;
	return error;
}

static int engine_start(struct engine *engine, struct skcipher_request *req)
{
	int error = -ENODEV;

	spin_lock_bh(&engine->lock);
	if (engine->dead)
		goto unlock;
	error = list_empty(&engine->backlog) ? engine_queue(engine, req) : -ENOSPC;
	if (!error) {
		virtqueue_kick(engine->dataq);
		engine_pace_wait(req);
		error = -EINPROGRESS;
	} else if (error == -ENOSPC && req->base.flags & CRYPTO_TFM_REQ_MAY_BACKLOG) {
		list_add_tail(&req->base.list, &engine->backlog);
		error = -EBUSY;
	}
unlock:
	spin_unlock_bh(&engine->lock);
	return error;
}

int engine_submit(struct engine *engine, struct skcipher_request *req, u64 session, bool encrypt)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	struct engine_request *rctx = skcipher_request_ctx(req);
	u32 cipher = engine_algorithm_of(tfm)->cipher;
	unsigned int size = round_up(req->cryptlen, AES_BLOCK_SIZE),
		     iv = crypto_skcipher_ivsize(tfm);
	struct virtio_crypto_cipher_para *para = &rctx->header.u.sym_req.u.cipher.para;
	int error;

	memset(rctx, 0, offsetof(struct engine_request, few));
	rctx->encrypt = encrypt;
	rctx->header.header.opcode = cpu_to_le32(encrypt ? VIRTIO_CRYPTO_CIPHER_ENCRYPT :
						 VIRTIO_CRYPTO_CIPHER_DECRYPT);
	rctx->header.header.algo = cpu_to_le32(cipher);
	rctx->header.header.session_id = cpu_to_le64(session);
	rctx->header.u.sym_req.op_type = cpu_to_le32(VIRTIO_CRYPTO_SYM_OP_CIPHER);
	para->iv_len = cpu_to_le32(iv);
	para->src_data_len = cpu_to_le32(size);
	para->dst_data_len = para->src_data_len;
	rctx->answer.status = ENGINE_NO_ANSWER;
	if (iv)
		memcpy(rctx->iv, req->iv, iv);
	/* In place, the result replaces the block that is the next IV. */
	if (cipher == VIRTIO_CRYPTO_CIPHER_AES_CBC && !encrypt)
		sg_pcopy_to_buffer(req->src, sg_nents(req->src), rctx->next_iv, AES_BLOCK_SIZE,
				   req->cryptlen - AES_BLOCK_SIZE);

	error = engine_map(req, engine->most);
	if (error)
		return error;
	error = engine_start(engine, req);
	if (error != -EINPROGRESS && error != -EBUSY)
		engine_unmap(rctx);
	return error;
}

/* The IV with which a next request continues this one. */
static void engine_update_iv(struct skcipher_request *req)
{
	struct engine_request *rctx = skcipher_request_ctx(req);
	u64 blocks = DIV_ROUND_UP(req->cryptlen, AES_BLOCK_SIZE), low;
	__be64 counter[2];

	switch (engine_algorithm_of(crypto_skcipher_reqtfm(req))->cipher) {
	case VIRTIO_CRYPTO_CIPHER_AES_CBC:
		if (rctx->encrypt)
			sg_pcopy_to_buffer(req->dst, sg_nents(req->dst), req->iv, AES_BLOCK_SIZE,
					   req->cryptlen - AES_BLOCK_SIZE);
		else
			memcpy(req->iv, rctx->next_iv, AES_BLOCK_SIZE);
		break;
	case VIRTIO_CRYPTO_CIPHER_AES_CTR:
		memcpy(counter, rctx->iv, sizeof(counter));
		low = be64_to_cpu(counter[1]) + blocks;
		counter[1] = cpu_to_be64(low);
		if (low < blocks)
			be64_add_cpu(&counter[0], 1);
		memcpy(req->iv, counter, sizeof(counter));
		break;
	}
}

/*
 * Reports the result of a request. With -EINPROGRESS: it has left the backlog. Any other error: it
 * did not reach the device.
 */
void engine_complete(struct skcipher_request *req, int error)
{
	struct engine_request *rctx = skcipher_request_ctx(req);
	struct engine_tfm *ctx = crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));

	if (error != -EINPROGRESS) {
		engine_unmap(rctx);
		if (!error && rctx->answer.status != VIRTIO_CRYPTO_OK)
			error = READ_ONCE(ctx->engine->dead) ? -ENODEV : -EIO;
		if (!error)
			engine_update_iv(req);
	}
	skcipher_request_complete(req, error);
}
