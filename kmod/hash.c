// SPDX-License-Identifier: GPL-2.0
/* Hashes and HMAC: in one request, or over several requests with the state in a handle. */
#include <linux/log2.h>
#include <linux/slab.h>
#include "outboard.h"

#define OB_BUSY 0

struct ob_hash {
	refcount_t refs;	/* its number, a request in flight */
	unsigned long state;
	bool open;		/* a message has begun; protected by OB_BUSY */
	struct ob_session *session;
	size_t size;
	struct rcu_head rcu;
	/* ahash_request with the driver's request context, then space for an exported state. */
	char base[] CRYPTO_MINALIGN_ATTR;
};

/* ---- Handles ---- */

static void *ob_hash_exported(struct ob_hash *hash)
{
	return hash->base + ALIGN(hash->session->request_size, CRYPTO_MINALIGN);
}

static void ob_hash_put(struct ob_hash *hash)
{
	if (!refcount_dec_and_test(&hash->refs))
		return;
	ob_session_put(hash->session);
	memzero_explicit(hash->base, hash->size);
	kfree_rcu(hash, rcu);
	atomic_dec(&ob_hashes);
}

/*
 * Claims the hash handle. Returns its session with a reference to the driver handle, or -ENOENT,
 * -EBUSY or -ENODEV.
 */
struct ob_session *ob_hash_claim(struct ob_file *file, u32 id, struct ob_hash **found)
{
	struct ob_hash *hash;

	rcu_read_lock();
	hash = xa_load(&file->hashes, id);
	if (hash && (!ob_session_owned(hash->session) || !refcount_inc_not_zero(&hash->refs)))
		hash = NULL;
	rcu_read_unlock();
	if (!hash)
		return ERR_PTR(-ENOENT);
	if (test_and_set_bit_lock(OB_BUSY, &hash->state)) {
		ob_hash_put(hash);
		return ERR_PTR(-EBUSY);
	}
	*found = hash;
	if (ob_session_use_known(hash->session))
		return hash->session;
	ob_hash_unclaim(hash, false);
	return ERR_PTR(-ENODEV);
}

void ob_hash_unclaim(struct ob_hash *hash, bool open)
{
	hash->open = open;
	clear_bit_unlock(OB_BUSY, &hash->state);
	ob_hash_put(hash);
}

/* The caller must hold a user reference of the session. */
static struct ob_hash *ob_hash_alloc(struct ob_session *session)
{
	size_t size = ALIGN(session->request_size, CRYPTO_MINALIGN) + session->state_size;
	struct ob_hash *hash;

	if (session->algorithm->type != &ob_ahash)
		return ERR_PTR(-EINVAL);
	if (READ_ONCE(session->exports) < 0)
		return ERR_PTR(-EOPNOTSUPP);
	hash = kzalloc(roundup_pow_of_two(sizeof(*hash) + size), GFP_KERNEL_ACCOUNT);
	if (!hash)
		return ERR_PTR(-ENOMEM);
	refcount_set(&hash->refs, 1);
	refcount_inc(&session->refs);
	hash->session = session;
	hash->size = size;
	ahash_request_set_tfm((void *)hash->base, session->ahash);
	atomic_inc(&ob_hashes);
	return hash;
}

static int ob_hash_add(struct ob_file *file, u32 id, struct ob_hash *hash)
{
	int error;

	if (IS_ERR(hash))
		return PTR_ERR(hash);
	error = ob_charge(&file->hash_count, ob_max_hashes);
	if (!error) {
		error = xa_insert(&file->hashes, id, hash, GFP_KERNEL_ACCOUNT);
		if (!error)
			return 0;
		atomic_dec(&file->hash_count);
	}
	ob_hash_put(hash);
	return error == -EBUSY ? -EEXIST : error;
}

int ob_hash_new(struct ob_file *file, u32 id, u32 session_id)
{
	struct ob_session *session = ob_session_use(file, session_id);
	int error;

	if (IS_ERR(session))
		return PTR_ERR(session);
	error = ob_session_owned(session) ? ob_hash_add(file, id, ob_hash_alloc(session)) : -ENOENT;
	ob_session_unuse(session);
	return error;
}

static struct ob_hash *ob_hash_copy(struct ob_hash *from)
{
	struct ob_hash *hash = ob_hash_alloc(from->session);
	int error;

	if (IS_ERR(hash) || !from->open)
		return hash;
	error = crypto_ahash_export((void *)from->base, ob_hash_exported(hash));
	if (!error)
		error = crypto_ahash_import((void *)hash->base, ob_hash_exported(hash));
	if (!error) {
		hash->open = true;
		return hash;
	}
	ob_hash_put(hash);
	return ERR_PTR(error == -ENOSYS ? -EOPNOTSUPP : error);
}

int ob_hash_clone(struct ob_file *file, u32 id, u32 from_id)
{
	struct ob_hash *from;
	struct ob_session *session = ob_hash_claim(file, from_id, &from);
	int error;

	if (IS_ERR(session))
		return PTR_ERR(session);
	error = ob_hash_add(file, id, ob_hash_copy(from));
	ob_session_unuse(session);
	ob_hash_unclaim(from, from->open);
	return error;
}

static void ob_hash_drop(struct ob_file *file, struct ob_hash *hash)
{
	atomic_dec(&file->hash_count);
	ob_hash_put(hash);
}

int ob_hash_free(struct ob_file *file, u32 id)
{
	struct ob_hash *hash;

	xa_lock(&file->hashes);
	hash = xa_load(&file->hashes, id);
	if (hash && !ob_session_owned(hash->session))
		hash = NULL;
	if (hash)
		__xa_erase(&file->hashes, id);
	xa_unlock(&file->hashes);
	if (!hash)
		return -ENOENT;
	ob_hash_drop(file, hash);
	return 0;
}

void ob_hashes_drop(struct ob_file *file)
{
	struct ob_hash *hash;
	unsigned long id;

	xa_for_each(&file->hashes, id, hash) {
		xa_erase(&file->hashes, id);
		ob_hash_drop(file, hash);
	}
}

/* ---- Requests ---- */

static int ob_ahash_alloc(struct ob_session *session, const char *driver, u32 flags)
{
	struct crypto_ahash *ahash = crypto_alloc_ahash(driver, flags, flags);

	if (IS_ERR(ahash))
		return PTR_ERR(ahash);
	session->ahash = ahash;
	session->tfm = crypto_ahash_tfm(ahash);
	session->request_size = sizeof(struct ahash_request) + crypto_ahash_reqsize(ahash);
	session->state_size = crypto_ahash_statesize(ahash);
	return 0;
}

static int ob_ahash_set_key(struct ob_session *session, const u8 *key, unsigned int size)
{
	if (crypto_ahash_digestsize(session->ahash) > OUTBOARD_DIGEST_SIZE)
		return -EINVAL;
	if (session->algorithm->id >= OUTBOARD_HMAC_SHA1)
		return crypto_ahash_setkey(session->ahash, key, size);
	return size ? -EINVAL : 0;
}

static struct ahash_request *ob_ahash_request(struct ob_request *request)
{
	return request->hash ? (void *)request->hash->base : (void *)request->base;
}

static int ob_ahash_prepare(struct ob_request *request, const struct ob_slot_copy *copy)
{
	struct ahash_request *ahash = ob_ahash_request(request);
	struct ob_range in = { copy->in, copy->length };
	bool first = copy->flags & OUTBOARD_HASH_FIRST;
	struct scatterlist *source, *target;
	int error;

	if (copy->op < OUTBOARD_HASH_UPDATE || copy->op > OUTBOARD_HASH_DIGEST)
		return -EOPNOTSUPP;
	if (copy->flags & ~OUTBOARD_HASH_FIRST || (first && !request->hash) || copy->out ||
	    copy->aad || copy->aad_length || memchr_inv(copy->iv, 0, sizeof(copy->iv)) ||
	    !ob_range_valid(request->arena, in))
		return -EINVAL;
	if (request->hash && !first && !request->hash->open)
		return -EINVAL;
	if (copy->op == OUTBOARD_HASH_UPDATE && !first && !copy->length)
		return OB_NOTHING;
	error = ob_map(request, (struct ob_range){}, in, in, &source, &target);
	if (error)
		return error;
	if (copy->op != OUTBOARD_HASH_UPDATE)
		request->digest_size = crypto_ahash_digestsize(request->session->ahash);
	/* A message that begins and ends in this request needs no state. */
	if (copy->op == OUTBOARD_HASH_FINAL && first)
		request->op = OUTBOARD_HASH_DIGEST;
	request->more = copy->op == OUTBOARD_HASH_UPDATE && first;
	ahash_request_set_tfm(ahash, request->session->ahash);
	ahash_request_set_crypt(ahash, source, request->digest, copy->length);
	return 0;
}

/* Tests, when the first message of a session begins, whether the driver can export its state. */
static int ob_ahash_can_export(struct ob_request *request)
{
	struct ob_session *session = request->session;
	int error;

	if (likely(READ_ONCE(session->exports) > 0))
		return 0;
	error = crypto_ahash_export(ob_ahash_request(request), ob_hash_exported(request->hash));
	WRITE_ONCE(session->exports, error ? -1 : 1);
	return error ? -EOPNOTSUPP : 0;
}

static int ob_ahash_run(struct ob_request *request)
{
	struct ahash_request *ahash = ob_ahash_request(request);
	int error;

	if (request->more && request->begun) {
		request->more = false;
		error = ob_ahash_can_export(request);
		if (error || !ahash->nbytes)
			return error;
	}
	ahash_request_set_callback(ahash, request->flags, ob_complete, request);
	if (request->more) {
		request->begun = true;
		error = crypto_ahash_init(ahash);
		return error ? error : ob_ahash_run(request);
	}
	if (request->op == OUTBOARD_HASH_UPDATE)
		return crypto_ahash_update(ahash);
	if (request->op == OUTBOARD_HASH_FINAL)
		return ahash->nbytes ? crypto_ahash_finup(ahash) : crypto_ahash_final(ahash);
	return crypto_ahash_digest(ahash);
}

const struct ob_type ob_ahash = {
	.alloc = ob_ahash_alloc,
	.set_key = ob_ahash_set_key,
	.prepare = ob_ahash_prepare,
	.run = ob_ahash_run,
};
