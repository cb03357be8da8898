// SPDX-License-Identifier: GPL-2.0
/*
 * SUBMIT: claim the slots, copy and check each, hand all to their drivers, then wait if asked to.
 *
 * Who ends a request: ob_request_done(), from the driver's completion or, where the driver answers at once, from here.
 * place->batch says who waits for it. It changes under place->lock, so exactly one, whoever ends the request or a waiter
 * that gives up, accounts for it; and who finds no batch there finds the status written and counted.
 */
#include <linux/log2.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "outboard.h"
#define CREATE_TRACE_POINTS
#include "trace.h"

/* Of what is in flight and nobody waits for. */
static struct ob_batch nobody = { .counts = true };

/* So many slots are submitted before somebody else may run. */
#define OB_TURN 32

static void ob_copy(struct ob_ask *ask, const struct outboard_slot *slot)
{
	const u64 *from = (const u64 *)slot;
	u64 *to = (u64 *)ask;

	BUILD_BUG_ON(sizeof(*ask) != offsetof(struct outboard_slot, cookie));
	BUILD_BUG_ON(offsetof(struct ob_ask, iv) != offsetof(struct outboard_slot, iv));
	for (size_t i = 0; i < sizeof(*ask) / sizeof(*to); i++)
		to[i] = READ_ONCE(from[i]);
}

/* Under no lock of ours: it wakes whoever polls the eventfd, by functions of theirs. */
static void ob_tell(struct eventfd_ctx *event)
{
	if (!event)
		return;
	eventfd_signal(event);
	eventfd_ctx_put(event);
}

/* The claim goes before status, so that whoever has seen the status may submit the slot again. */
static void ob_slot_end(struct ob_arena *arena, u32 index, int status)
{
	struct ob_place *place = &arena->places[index];
	struct ob_file *file = arena->file;
	struct eventfd_ctx *event = NULL;
	struct ob_batch *batch;
	unsigned long flags;

	spin_lock_irqsave(&place->lock, flags);
	batch = place->batch;
	place->batch = NULL;
	swap(place->event, event);
	clear_bit_unlock(index, arena->busy);
	smp_store_release(&ob_slot(arena, index)->status, status);
	if (batch->counts)
		atomic64_inc(&file->finished);
	spin_unlock_irqrestore(&place->lock, flags);
	if (batch->counts && wq_has_sleeper(&file->wait))
		wake_up_interruptible_poll(&file->wait, EPOLLIN | EPOLLRDNORM);
	ob_tell(event);
	/* With the last one the batch goes: it is its waiter's. */
	if (batch != &nobody && atomic_dec_and_test(&batch->pending))
		complete(&batch->done);
}

/* Puts one waiter in another's place, if the other is there; answers who was. */
static struct ob_batch *ob_hand_over(struct ob_place *place, struct ob_batch *from, struct ob_batch *to)
{
	struct ob_batch *was;

	spin_lock_irq(&place->lock);
	was = place->batch;
	if (was == from)
		place->batch = to;
	spin_unlock_irq(&place->lock);
	return was;
}

static void ob_request_done(struct ob_request *request, int error)
{
	struct ob_session *session = request->session;
	struct ob_arena *arena = request->arena;
	u32 index = request->index;

	if (unlikely(error > 0))
		error = -EIO;
	if (unlikely(error && error != -EBADMSG))
		atomic64_inc(&session->driver->errors);
	if (unlikely(error == -ENODEV))
		ob_session_kill_atomic(session);
	if (!error && request->digest_size)
		memcpy(ob_slot(arena, index)->digest, request->digest, request->digest_size);
	if (request->hash)
		ob_hash_unclaim(request->hash, !error && request->op == OUTBOARD_HASH_UPDATE);
	trace_outboard_complete(arena->id, index, error);
	ob_slot_end(arena, index, error);
	atomic_dec(&ob_requests);
	ob_session_unuse_atomic(session);
	ob_arena_put_atomic(arena);
}

/* The driver's answer. -EINPROGRESS says only that the request has left the backlog. */
void ob_complete(ob_done_arg arg, int error)
{
	struct ob_request *request = ob_done_data(arg);

	if (error == -EINPROGRESS)
		return;
	if (!error && request->more) {
		request->flags &= ~CRYPTO_TFM_REQ_MAY_SLEEP;
		error = request->session->algorithm->type->run(request);
		if (error == -EINPROGRESS || error == -EBUSY)
			return;
	}
	ob_request_done(request, error);
}

void ob_request_free(struct ob_request *request)
{
	if (!request)
		return;
	if (request->sg != request->inline_sg)
		kfree(request->sg);
	kfree_sensitive(request);
}

/* Sizes are powers of two because kmalloc then aligns to the size: what devices write needs its own cache lines. */
static struct ob_request *ob_request_get(struct ob_place *place, unsigned int needed)
{
	struct ob_request *request = place->request;
	size_t size;

	if (likely(request && request->capacity >= needed))
		return request;
	size = roundup_pow_of_two(sizeof(*request) + needed);
	request = kzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!request)
		return NULL;
	request->capacity = size - sizeof(*request);
	request->sg = request->inline_sg;
	request->sg_room = OB_INLINE_SG;
	ob_request_free(place->request);
	place->request = request;
	return request;
}

static struct scatterlist *ob_table(struct ob_request *request, struct scatterlist *sg, unsigned int pieces,
				    struct ob_range first, struct ob_range second)
{
	struct scatterlist *end;

	if (unlikely(!pieces)) {
		sg_init_one(sg, request->iv, 0);
		return sg + 1;
	}
	sg_init_table(sg, pieces);
	end = ob_fill(request->arena, sg, first);
	return ob_fill(request->arena, end, second);
}

/* Of memory on a side of a request. virtio_crypto makes n (n + 1) descriptors of n, and its device stops for good at 1025. */
#define MOST_PIECES 31

/* Scatter lists of aad and in, and of aad and out. In place they are one. */
int ob_map(struct ob_request *request, struct ob_range aad, struct ob_range in, struct ob_range out,
	   struct scatterlist **source, struct scatterlist **target)
{
	bool in_place = in.offset == out.offset;
	unsigned int pieces_aad = ob_pieces(request->arena, aad);
	unsigned int pieces_in = pieces_aad + ob_pieces(request->arena, in);
	unsigned int pieces_out = in_place ? 0 : pieces_aad + ob_pieces(request->arena, out);
	unsigned int room = max(pieces_in, 1U) + max(pieces_out, 1U);
	struct scatterlist *sg;

	if (unlikely(max(pieces_in, pieces_out) > MOST_PIECES))
		return -E2BIG;
	if (unlikely(room > request->sg_room)) {
		sg = kmalloc_array(room, sizeof(*sg), GFP_KERNEL_ACCOUNT);
		if (!sg)
			return -ENOMEM;
		if (request->sg != request->inline_sg)
			kfree(request->sg);
		request->sg = sg;
		request->sg_room = room;
	}
	*source = request->sg;
	sg = ob_table(request, *source, pieces_in, aad, in);
	*target = in_place ? *source : sg;
	if (!in_place)
		ob_table(request, *target, pieces_out, aad, out);
	return 0;
}

/* The session that a slot means, with its driver's handle held; for a hash handle also its claim. */
static struct ob_session *ob_session_of(struct ob_file *file, const struct ob_ask *ask, struct ob_hash **hash)
{
	struct ob_session *session;

	*hash = NULL;
	if (ask->op != OUTBOARD_HASH_UPDATE && ask->op != OUTBOARD_HASH_FINAL)
		return ask->hash ? ERR_PTR(-EINVAL) : ob_session_use(file, ask->session);
	if (ask->session)
		return ERR_PTR(-EINVAL);
	*hash = ob_hash_claim(file, ask->hash);
	if (IS_ERR(*hash))
		return ERR_CAST(*hash);
	session = ob_hash_session(*hash);
	if (ob_session_use_known(session))
		return session;
	ob_hash_unclaim(*hash, false);
	return ERR_PTR(-ENODEV);
}

static void ob_submit_slot(struct ob_file *file, struct ob_arena *arena, u32 index, struct ob_batch *batch,
			   const struct ob_driver **last)
{
	struct outboard_slot *slot = ob_slot(arena, index);
	struct ob_place *place = &arena->places[index];
	struct ob_request *request;
	struct ob_session *session;
	struct ob_driver *driver;
	struct ob_hash *hash;
	struct ob_ask ask;
	int error;

	if (batch != &nobody)
		atomic_inc(&batch->pending);
	ob_hand_over(place, NULL, batch);
	ob_copy(&ask, slot);
	if (unlikely(ask.reserved || fatal_signal_pending(current))) {
		error = ask.reserved ? -EINVAL : -EINTR;
		goto end;
	}
	session = ob_session_of(file, &ask, &hash);
	if (IS_ERR(session)) {
		error = PTR_ERR(session);
		goto end;
	}
	driver = session->driver;
	request = ob_request_get(place, session->request_size);
	if (!request) {
		error = -ENOMEM;
		goto unuse;
	}
	request->arena = arena;
	request->session = session;
	request->hash = hash;
	request->index = index;
	request->op = ask.op;
	request->more = false;
	request->begun = false;
	request->digest_size = 0;
	request->flags = CRYPTO_TFM_REQ_MAY_SLEEP | CRYPTO_TFM_REQ_MAY_BACKLOG;
	error = session->algorithm->type->prepare(request, &ask);
	if (error)
		goto unuse;

	place->driver = driver->number;
	atomic64_inc(&driver->requests);
	atomic64_add(ask.length, &driver->bytes);
	if (*last != driver)
		atomic64_inc(&driver->batches);
	*last = driver;
	refcount_inc(&arena->refs);
	atomic_inc(&ob_requests);
	WRITE_ONCE(slot->status, OUTBOARD_IN_FLIGHT);
	trace_outboard_submit(driver->number, arena->id, index, ask.op, ask.length);
	/* From here on the request may be done, and all that it holds gone, at any time. */
	error = session->algorithm->type->run(request);
	if (error != -EINPROGRESS && error != -EBUSY)
		ob_request_done(request, error);
	return;

unuse:
	if (hash)
		ob_hash_unclaim(hash, error == OB_NOTHING);
	ob_session_unuse(session);
end:
	ob_slot_end(arena, index, error == OB_NOTHING ? 0 : error);
}

static void ob_batch_init(struct ob_batch *batch, bool counts)
{
	atomic_set(&batch->pending, 1);
	batch->counts = counts;
	init_completion(&batch->done);
}

/* What is taken back here ends later as if nobody had waited. */
static int ob_give_up(struct ob_arena *arena, u32 first, u32 count, struct ob_batch *batch, int error)
{
	bool ended = false;
	unsigned int late = 0;

	for (u32 i = first; i < first + count; i++) {
		if (ob_hand_over(&arena->places[i], batch, &nobody) != batch)
			continue;
		ended = atomic_dec_and_test(&batch->pending);
		if (error != -EBUSY)
			ob_count_timeout(arena->places[i].driver);
		late++;
	}
	/* The rest are being ended this moment. */
	if (!ended)
		wait_for_completion(&batch->done);
	return late ? error : 0;
}

static int ob_wait(struct ob_arena *arena, u32 first, u32 count, struct ob_batch *batch)
{
	long left;

	if (atomic_dec_and_test(&batch->pending))
		return 0;
	left = wait_for_completion_killable_timeout(&batch->done, max(ob_timeout, 1U) * HZ);
	if (likely(left > 0))
		return 0;
	return ob_give_up(arena, first, count, batch, left ? -EINTR : -ETIMEDOUT);
}

static int ob_claim(struct ob_arena *arena, u32 first, u32 count)
{
	for (u32 i = first; i < first + count; i++) {
		if (likely(!test_and_set_bit_lock(i, arena->busy)))
			continue;
		while (i-- > first)
			clear_bit_unlock(i, arena->busy);
		return -EBUSY;
	}
	return 0;
}

static int ob_submit_slots(struct ob_file *file, struct ob_arena *arena, const struct outboard_submit *record)
{
	const struct ob_driver *last = NULL;
	bool wait = record->flags & OUTBOARD_WAIT;
	struct ob_batch batch;
	int error = ob_claim(arena, record->first, record->count);

	if (error)
		return error;
	ob_batch_init(&batch, false);
	for (u32 i = 0; i < record->count; i++) {
		ob_submit_slot(file, arena, record->first + i, wait ? &batch : &nobody, &last);
		/* Not after each: drivers with a thread of their own would be switched to for every request. */
		if (i % OB_TURN == OB_TURN - 1)
			cond_resched();
	}
	return wait ? ob_wait(arena, record->first, record->count, &batch) : 0;
}

/* Waits for those in flight that nobody waits for; takes nothing from what poll and read tell. */
static int ob_await_slots(struct ob_arena *arena, u32 first, u32 count)
{
	struct ob_batch batch, *was;

	ob_batch_init(&batch, true);
	for (u32 i = 0; i < count; i++) {
		atomic_inc(&batch.pending);
		was = ob_hand_over(&arena->places[first + i], &nobody, &batch);
		if (was == &nobody)
			continue;
		atomic_dec(&batch.pending);
		if (!was)
			continue;
		if (!atomic_dec_and_test(&batch.pending))
			ob_give_up(arena, first, i, &batch, -EBUSY);
		return -EBUSY;
	}
	return ob_wait(arena, first, count, &batch);
}

/* What nothing will tell later is told now: the new one if there is nothing in flight, or whom it displaces. */
static int ob_notify(struct ob_place *place, int fd)
{
	struct eventfd_ctx *event = eventfd_ctx_fdget(fd);

	if (IS_ERR(event))
		return PTR_ERR(event);
	spin_lock_irq(&place->lock);
	if (place->batch)
		swap(place->event, event);
	spin_unlock_irq(&place->lock);
	ob_tell(event);
	return 0;
}

int ob_submit(struct ob_file *file, const struct outboard_submit *record)
{
	struct ob_arena *arena;
	int error;

	if (record->flags & ~(record->op == OUTBOARD_SUBMIT ? OUTBOARD_WAIT : 0))
		return -EINVAL;
	arena = ob_arena_get(file, record->arena);
	if (!arena)
		return -ENOENT;
	if (record->op == OUTBOARD_NOTIFY && record->first < arena->slots)
		error = ob_notify(&arena->places[record->first], record->count);
	else if (!record->count || record->first >= arena->slots || record->count > arena->slots - record->first)
		error = -EINVAL;
	else if (record->op == OUTBOARD_SUBMIT)
		error = ob_submit_slots(file, arena, record);
	else
		error = ob_await_slots(arena, record->first, record->count);
	ob_arena_put(arena);
	return error;
}
