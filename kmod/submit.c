// SPDX-License-Identifier: GPL-2.0
/*
 * SUBMIT: claim the slots, copy and validate each, submit them to their drivers or let them wait
 * (queue.c), and wait if WAIT is set. AWAIT and NOTIFY.
 *
 * ob_request_done() ends a request. It runs from the driver's completion, or from ob_submit_slot()
 * if the driver completes synchronously. place->live decides which one: it is set before the driver
 * gets the request and cleared, atomically, by the first of them. So a driver that completes a
 * request twice, or completes it and also returns an error, does not end it twice.
 *
 * place->batch is the batch that the end of the request is counted in. The submitter that claimed
 * the slot sets it. Later changes, and its removal, are protected by place->lock. So either the end
 * of the request or a waiter that abandons it accounts for it, but never both. If place->batch is
 * NULL, the status has been written and the request counted.
 */
#include <linux/indirect_call_wrapper.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "outboard.h"
#define CREATE_TRACE_POINTS
#include "trace.h"

/* Batch shared by all requests without a waiter. */
static struct ob_batch ob_no_waiter;

/* Number of slots submitted between two calls of cond_resched(). */
#define OB_TURN 32

/* Drivers' own time limits are half a second and more. What they refuse, they refuse at once. */
#define OB_LATE_ERROR_NS (400 * NSEC_PER_MSEC)

/*
 * Must be called without locks of this module: eventfd_signal() calls the wake functions of the
 * eventfd's waiters (epoll, io_uring, irqfd).
 */
static void ob_notify_eventfd(struct eventfd_ctx *event)
{
	if (!event)
		return;
	eventfd_signal(event);
	eventfd_ctx_put(event);
}

/* Releases the claim before it writes status: a program that has seen the status may resubmit. */
static __always_inline void ob_slot_end(struct ob_arena *arena, u32 index, int status)
{
	struct ob_place *place = &arena->places[index];
	struct eventfd_ctx *event = NULL;
	struct ob_batch *batch;
	unsigned long flags;

	spin_lock_irqsave(&place->lock, flags);
	batch = place->batch;
	place->batch = NULL;
	swap(place->event, event);
	clear_bit_unlock(index, arena->busy);
	/* Release: user space that has read status sees the result, and the slot unclaimed. */
	smp_store_release(&place->slot->status, status);
	spin_unlock_irqrestore(&place->lock, flags);
	ob_notify_eventfd(event);
	/* The batch is on the waiter's stack and may be gone after the last request. */
	if (batch != &ob_no_waiter && atomic_dec_and_test(&batch->pending))
		complete(&batch->done);
	ob_arena_put_atomic(arena);
}

/* A request is written off: its waiter, if any, does not wait for it any more. */
void ob_request_late(struct ob_request *request)
{
	struct ob_place *place = &request->arena->places[request->index];
	struct ob_batch *batch;
	unsigned long flags;

	spin_lock_irqsave(&place->lock, flags);
	place->late = true;
	batch = place->batch;
	if (!batch || batch == &ob_no_waiter) {
		batch = NULL;
	} else {
		place->batch = &ob_no_waiter;
		WRITE_ONCE(batch->late, true);
		atomic64_inc(&request->session->driver->timeouts);
	}
	spin_unlock_irqrestore(&place->lock, flags);
	if (batch && atomic_dec_and_test(&batch->pending))
		complete(&batch->done);
}

/* Replaces place->batch by @to if it is @from. Returns the batch found. */
static struct ob_batch *ob_replace_batch(struct ob_place *place, struct ob_batch *from,
					 struct ob_batch *to)
{
	struct ob_batch *was;

	spin_lock_irq(&place->lock);
	was = READ_ONCE(place->batch);
	if (was == from)
		place->batch = to;
	spin_unlock_irq(&place->lock);
	return was;
}

/* Whether the driver's own time limit is over, which drivers report as EFAULT and EINVAL too. */
static bool ob_is_late_error(const struct ob_request *request, int error)
{
	return request->state != OB_WAITING && error != -EBADMSG && error != -ENODEV &&
	       ktime_get_ns() - request->started > OB_LATE_ERROR_NS;
}

void ob_request_done(struct ob_request *request, int error)
{
	struct ob_session *session = request->session;
	struct ob_arena *arena = request->arena;
	u32 index = request->index;

	if (unlikely(error > 0))
		error = -EIO;
	if (unlikely(error && error != -EBADMSG && request->state != OB_WAITING))
		atomic64_inc(&session->driver->errors);
	if (unlikely(error == -ENODEV))
		ob_session_kill_atomic(session);
	if (!error && request->digest_size)
		memcpy(arena->places[index].slot->digest, request->digest, request->digest_size);
	trace_outboard_complete(arena->id, index, error);
	if (unlikely(error && ob_is_late_error(request, error)))
		error = -ETIMEDOUT;
	ob_queue_done(request, error);
	/*
	 * Before the status is written: a program that has seen the status and frees the session
	 * must get its context in the device back.
	 */
	ob_session_unuse_atomic(session);
	atomic_dec(&ob_requests);
	ob_slot_end(arena, index, error);
}

/*
 * Not a WARN: a program could provoke the driver's defect, and with it a panic where panic_on_warn
 * is set.
 */
static void ob_count_double(const struct ob_place *place)
{
	atomic_inc(&ob_doubles);
	pr_err_ratelimited("outboard: driver %u of the allow list completed a request twice\n",
			   READ_ONCE(place->driver));
}

/*
 * Handles the result that the driver returned, unless the driver has also completed the request:
 * then another request may own the slot, and the memory of this one.
 */
static void ob_request_returned(struct ob_place *place, unsigned int generation,
				struct ob_request *request, int error)
{
	if (unlikely(cmpxchg(&place->live, generation, 0) != generation)) {
		ob_count_double(place);
		return;
	}
	/* Not a hash: its driver may have begun the message. */
	if ((error != -ENOSPC && error != -EAGAIN) || request->digest_size ||
	    !ob_queue_refused(request))
		ob_request_done(request, error);
}

/*
 * Submits a request to its driver. It may complete, and its references be dropped, at any time.
 * With MAY_BACKLOG -EBUSY means that the driver has accepted it.
 */
void ob_request_start(struct ob_request *request)
{
	struct ob_place *place = &request->arena->places[request->index];
	struct ob_engine *engine = ob_engine_of(request->session);
	unsigned int generation = place->generation + 1 ?: 1;	/* 0: the driver has no request */
	int error;

	place->generation = generation;
	WRITE_ONCE(place->live, generation);
	ob_engine_submitting(engine, true);
	error = INDIRECT_CALL_1(request->session->algorithm->type->run, ob_skcipher_run, request);
	ob_engine_submitting(engine, false);
	if (unlikely(error == -EBUSY))
		ob_queue_backlogged(engine);
	else if (unlikely(error != -EINPROGRESS))
		ob_request_returned(place, generation, request, error);
}

/*
 * Completion callback. -EINPROGRESS is not a completion: the request moved from the backlog of the
 * driver to its queue.
 */
void ob_complete(ob_done_arg arg, int error)
{
	struct ob_request *request = ob_done_data(arg);
	struct ob_place *place = &request->arena->places[request->index];

	if (error == -EINPROGRESS)
		return;
	if (likely(xchg(&place->live, 0)))
		ob_request_done(request, error);
	else
		ob_count_double(place);
}

void ob_request_free(struct ob_request *request)
{
	if (!request)
		return;
	kfree(request->sg);
	kfree_sensitive(request);
}

/*
 * Sizes are powers of two because kmalloc() aligns these to their size: memory that a device writes
 * needs its own cache lines.
 */
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
	ob_request_free(place->request);
	place->request = request;
	return request;
}

/*
 * Largest number of scatter list entries on one side of a request: each page of AAD, and of data
 * and tag, separate in memory, and neither aligned. virtio_crypto makes n (n + 1) descriptors of n
 * entries, and its device stops permanently at 1025.
 */
#define OB_MAX_SG                                   \
	(DIV_ROUND_UP(OB_MAX_AAD, PAGE_SIZE) + 1 +   \
	 DIV_ROUND_UP(OB_MAX_LENGTH + OUTBOARD_MAX_TAG, PAGE_SIZE) + 1)

/* Builds the scatter list of one side: AAD and data. Returns the entry after it. */
static struct scatterlist *ob_build_sg(struct ob_request *request, struct scatterlist *sg,
				       struct ob_range aad, struct ob_range data)
{
	struct scatterlist *next = ob_range_to_sg(request->arena,
						  ob_range_to_sg(request->arena, sg, aad), data);

	BUILD_BUG_ON(OB_MAX_SG > 31);
	if (next == sg) {
		sg_init_one(sg, request->iv, 0);
		return sg + 1;
	}
	sg_mark_end(next - 1);
	return next;
}

/* General case of ob_map(). */
int ob_map_sg(struct ob_request *request, struct ob_range aad, struct ob_range in,
	      struct ob_range out, struct scatterlist **source, struct scatterlist **target)
{
	bool in_place = in.offset == out.offset;
	struct scatterlist *sg;

	if (!request->sg)
		request->sg = kmalloc_array(2 * OB_MAX_SG, sizeof(*sg), GFP_KERNEL_ACCOUNT);
	if (!request->sg)
		return -ENOMEM;
	*source = request->sg;
	sg = ob_build_sg(request, *source, aad, in);
	*target = in_place ? *source : sg;
	if (!in_place)
		ob_build_sg(request, sg, aad, out);
	return 0;
}

/* State shared by the slots of one SUBMIT. */
struct ob_submission {
	struct ob_file *file;
	struct ob_arena *arena;
	struct ob_batch *batch;
	struct ob_session *session;	/* of an earlier slot, with a reference; NULL: none */
	u32 id;				/* number of session */
	const struct ob_driver *last;	/* of the last request; compared only, no reference */
};

static void ob_submission_put_session(struct ob_submission *all)
{
	if (all->session)
		ob_session_unuse(all->session);
	all->session = NULL;
}

/*
 * Returns the session of a slot, with a reference to the driver handle. Avoids the lookup for most
 * slots: they name the session of the slot before.
 */
static struct ob_session *ob_submission_session(struct ob_submission *all, u32 id)
{
	if (unlikely(!all->session || all->id != id || ob_session_is(all->session, OB_DEAD))) {
		struct ob_session *session = ob_session_use(all->file, id);

		if (IS_ERR(session))
			return session;
		ob_submission_put_session(all);
		all->session = session;
		all->id = id;
	}
	refcount_inc(&all->session->users);
	return all->session;
}

/* What root has allowed of the driver. The kernel does not know what it cannot do. */
static int ob_limits_check(struct ob_session *session, const struct ob_slot_copy *copy)
{
	const struct ob_limits *limits = &session->driver->limits;
	u32 first;

	/* What the driver gets, with what is authenticated and the tag. */
	if (limits->length &&
	    copy->length + copy->aad_length + session->tag_size > limits->length)
		return -E2BIG;
	if (!limits->one_direction)
		return 0;
	first = cmpxchg(&session->op, 0, copy->op);
	return !first || first == copy->op ? 0 : -EOPNOTSUPP;
}

static void ob_submit_slot(struct ob_submission *all, u32 index)
{
	struct ob_arena *arena = all->arena;
	struct ob_place *place = &arena->places[index];
	const u64 *from = (const u64 *)place->slot;
	/* Read once: user space may change the slot at any time. */
	const u64 words[] = {
		READ_ONCE(from[0]), READ_ONCE(from[1]), READ_ONCE(from[2]),
		READ_ONCE(from[3]), READ_ONCE(from[4]), READ_ONCE(from[5]),
	};
	const struct ob_slot_copy *copy = (const struct ob_slot_copy *)words;
	struct ob_request *request;
	struct ob_session *session;
	struct ob_driver *driver;
	int error;

	BUILD_BUG_ON(sizeof(words) != sizeof(*copy) ||
		     sizeof(*copy) != offsetof(struct outboard_slot, cookie));
	BUILD_BUG_ON(offsetof(struct ob_slot_copy, iv) != offsetof(struct outboard_slot, iv));
	/* No lock: the slot is claimed, and no other code writes batch while it is NULL. */
	WRITE_ONCE(place->batch, all->batch);
	if (unlikely(copy->reserved || fatal_signal_pending(current))) {
		error = copy->reserved ? -EINVAL : -EINTR;
		goto end;
	}
	if (unlikely(copy->length > OB_MAX_LENGTH || copy->aad_length > OB_MAX_AAD)) {
		error = -E2BIG;
		goto end;
	}
	session = ob_submission_session(all, copy->session);
	if (IS_ERR(session)) {
		error = PTR_ERR(session);
		goto end;
	}
	driver = session->driver;
	error = ob_limits_check(session, copy);
	if (error)
		goto unuse;
	request = ob_request_get(place, session->request_size);
	if (!request) {
		error = -ENOMEM;
		goto unuse;
	}
	request->arena = arena;
	request->session = session;
	request->index = index;
	request->op = copy->op;
	request->digest_size = 0;
	request->cost = copy->length + copy->aad_length;
	request->flags = CRYPTO_TFM_REQ_MAY_SLEEP | CRYPTO_TFM_REQ_MAY_BACKLOG;
	error = INDIRECT_CALL_1(session->algorithm->type->prepare, ob_skcipher_prepare, request,
				copy);
	if (error)
		goto unuse;

	place->driver = driver->number;
	place->late = false;
	atomic64_inc(&driver->requests);
	atomic64_add(copy->length, &driver->bytes);
	if (all->last != driver)
		atomic64_inc(&driver->batches);
	all->last = driver;
	atomic_inc(&ob_requests);
	WRITE_ONCE(place->slot->status, OUTBOARD_IN_FLIGHT);
	trace_outboard_submit(driver->number, arena->id, index, copy->op, copy->length);
	/* From here on the request may complete, and its references be dropped, at any time. */
	error = ob_queue_add(request);
	if (likely(error > 0))
		ob_request_start(request);
	else if (error)
		ob_request_done(request, error);
	return;

unuse:
	ob_session_unuse(session);
end:
	ob_slot_end(arena, index, error == OB_NOTHING ? 0 : error);
}

static void ob_batch_init(struct ob_batch *batch, int pending)
{
	atomic_set(&batch->pending, pending);
	batch->late = false;
	init_completion(&batch->done);
}

/* Stops waiting. Requests still in flight end later as if submitted without WAIT. */
static int ob_stop_waiting(struct ob_arena *arena, u32 first, u32 count, struct ob_batch *batch,
			   int error)
{
	bool ended = false;
	unsigned int late = 0;

	for (u32 i = first; i < first + count; i++) {
		if (ob_replace_batch(&arena->places[i], batch, &ob_no_waiter) != batch)
			continue;
		ended = atomic_dec_and_test(&batch->pending);
		if (error != -EBUSY)
			ob_count_timeout(arena->places[i].driver);
		late++;
	}
	/* The others are in ob_slot_end() now. */
	if (!ended)
		wait_for_completion(&batch->done);
	if (!late && READ_ONCE(batch->late))
		return -ETIMEDOUT;
	return late ? error : 0;
}

/* limit: in jiffies */
static int ob_wait_slots(struct ob_arena *arena, u32 first, u32 count, struct ob_batch *batch,
			 unsigned long limit)
{
	long left = 1;

	if (!atomic_dec_and_test(&batch->pending))
		left = wait_for_completion_killable_timeout(&batch->done, limit);
	if (left <= 0)
		return ob_stop_waiting(arena, first, count, batch, left ? -EINTR : -ETIMEDOUT);
	return READ_ONCE(batch->late) ? -ETIMEDOUT : 0;
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

static int ob_submit_slots(struct ob_file *file, struct ob_arena *arena,
			   const struct outboard_submit *record)
{
	bool wait = record->flags & OUTBOARD_WAIT;
	struct ob_batch batch;
	struct ob_submission all = { .file = file,
				     .arena = arena,
				     .batch = wait ? &batch : &ob_no_waiter };
	int error = ob_claim(arena, record->first, record->count);

	if (error)
		return error;
	refcount_add(record->count, &arena->refs);
	ob_batch_init(&batch, record->count + 1);
	for (u32 i = 0; i < record->count; i++) {
		/* Not for each slot: a driver with its own thread would run after every request. */
		if (i % OB_TURN == 0) {
			ob_submission_put_session(&all);
			cond_resched();
		}
		ob_submit_slot(&all, record->first + i);
	}
	ob_submission_put_session(&all);
	return wait ? ob_wait_slots(arena, record->first, record->count, &batch,
				    ob_timeout_jiffies()) :
		      0;
}

/* Waits for requests in flight without a waiter; if one is written off, for the patience only. */
static int ob_await_slots(struct ob_arena *arena, u32 first, u32 count)
{
	unsigned long limit = ob_timeout_jiffies();
	struct ob_batch batch, *was;

	ob_batch_init(&batch, 1);
	for (u32 i = 0; i < count; i++) {
		atomic_inc(&batch.pending);
		was = ob_replace_batch(&arena->places[first + i], &ob_no_waiter, &batch);
		if (was == &ob_no_waiter) {
			if (READ_ONCE(arena->places[first + i].late))
				limit = min(limit, msecs_to_jiffies(READ_ONCE(ob_patience)));
			continue;
		}
		atomic_dec(&batch.pending);
		if (!was)
			continue;
		if (!atomic_dec_and_test(&batch.pending))
			ob_stop_waiting(arena, first, i, &batch, -EBUSY);
		return -EBUSY;
	}
	return ob_wait_slots(arena, first, count, &batch, limit);
}

/*
 * Stores the eventfd if a request is in flight. Signals at once an eventfd that will not be
 * signalled later: the new one if no request is in flight, or the one that it replaces.
 */
static int ob_notify(struct ob_place *place, int fd)
{
	struct eventfd_ctx *event = eventfd_ctx_fdget(fd);

	if (IS_ERR(event))
		return PTR_ERR(event);
	spin_lock_irq(&place->lock);
	if (READ_ONCE(place->batch))
		swap(place->event, event);
	spin_unlock_irq(&place->lock);
	ob_notify_eventfd(event);
	return 0;
}

int ob_submit(struct ob_file *file, struct outboard_submit *record)
{
	struct ob_arena *arena;
	int error;

	if (record->flags & ~(record->op == OUTBOARD_SUBMIT ? OUTBOARD_WAIT : 0))
		return -EINVAL;
	arena = ob_arena_get(file, record->arena);
	if (!arena)
		return -ENOENT;
	error = record->first < arena->slots ? 0 : -EINVAL;
	record->first = array_index_nospec(record->first, arena->slots);
	if (error)
		goto put;
	if (record->op == OUTBOARD_NOTIFY)
		error = ob_notify(&arena->places[record->first], record->count);
	else if (!record->count || record->count > arena->slots - record->first)
		error = -EINVAL;
	else if (record->op == OUTBOARD_SUBMIT)
		error = ob_submit_slots(file, arena, record);
	else
		error = ob_await_slots(arena, record->first, record->count);
put:
	ob_arena_put(arena);
	return error;
}
