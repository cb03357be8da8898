// SPDX-License-Identifier: GPL-2.0
/*
 * SUBMIT: claim the slots, copy each and make its request (request.c), submit it to its driver or
 * let it wait (queue.c), and wait if WAIT is set. AWAIT and NOTIFY.
 */
#include <linux/sched/signal.h>
#include "outboard.h"

/* Number of slots submitted between two calls of cond_resched(). */
#define OB_TURN 32

/* Replaces place->batch by @to if it is @from. Returns the batch found. */
static struct ob_batch *ob_replace_batch(struct ob_place *place, struct ob_batch *from,
					 struct ob_batch *to)
{
	struct ob_batch *was;

	guard(spinlock_irq)(&place->lock);
	was = READ_ONCE(place->batch);
	if (was == from)
		place->batch = to;
	return was;
}

/* State shared by the slots of one SUBMIT. */
struct ob_submission {
	struct ob_arena *arena;
	struct ob_batch *batch;
	struct ob_session *session;	/* of an earlier slot, with a reference; NULL: none */
	u32 id;				/* number of session */
};

static void ob_submission_put_session(struct ob_submission *all)
{
	if (all->session)
		ob_session_unuse(all->session);
	all->session = NULL;
}

/*
 * Returns the session of a slot, with a reference to the driver handle. Without a lookup if it is
 * that of the slot before: 150 of 4500 instructions.
 */
static struct ob_session *ob_submission_session(struct ob_submission *all, u32 id)
{
	if (unlikely(!all->session || all->id != id || ob_session_is(all->session, OB_DEAD))) {
		struct ob_session *session = ob_session_use(all->arena->file, id);

		if (IS_ERR(session))
			return session;
		ob_submission_put_session(all);
		all->session = session;
		all->id = id;
	}
	refcount_inc(&all->session->users);
	return all->session;
}

/*
 * Reads a slot once, since user space may change it at any time. What follows iv is not read, and
 * not initialised.
 */
static __always_inline void ob_slot_read(const struct outboard_slot *slot,
					 struct outboard_slot *copy)
{
	for (size_t i = 0; i < offsetof(struct outboard_slot, cookie) / sizeof(u64); i++)
		((u64 *)copy)[i] = READ_ONCE(((const u64 *)slot)[i]);
}

/* What the module accepts, and what root has allowed of a driver: the kernel does not know that. */
static int ob_slot_check(struct ob_session *session, const struct outboard_slot *copy)
{
	const struct ob_algorithm *algorithm = session->algorithm;
	const struct ob_limits *limits = &session->driver->limits;
	u32 first;

	if (unlikely(fatal_signal_pending(current)))
		return -EINTR;
	if (unlikely(copy->length > OB_MAX_LENGTH || copy->aad_length > OB_MAX_AAD))
		return -E2BIG;
	if (unlikely(copy->reserved || copy->length < algorithm->least ||
		     !IS_ALIGNED(copy->length, algorithm->block) ||
		     (algorithm->iv < sizeof(copy->iv) &&
		      memchr_inv(copy->iv + algorithm->iv, 0, sizeof(copy->iv) - algorithm->iv))))
		return -EINVAL;
	/* What the driver gets, with what is authenticated and the tag. */
	if (limits->length &&
	    copy->length + copy->aad_length + session->tag_size > limits->length)
		return -E2BIG;
	if (!limits->one_direction)
		return 0;
	first = cmpxchg(&session->op, 0, copy->op);
	return !first || first == copy->op ? 0 : -EOPNOTSUPP;
}

/* Returns the request of a slot, NULL if there is nothing to compute, or an ERR_PTR(). */
static struct ob_request *ob_submission_request(struct ob_submission *all, struct ob_place *place,
						const struct outboard_slot *copy)
{
	struct ob_session *session = ob_submission_session(all, copy->session);
	struct ob_request *request;
	int error;

	if (IS_ERR(session))
		return ERR_CAST(session);
	error = ob_slot_check(session, copy);
	request = error ? ERR_PTR(error) :
			  ob_request_prepare(all->arena, place, session, copy);
	if (IS_ERR_OR_NULL(request))
		ob_session_unuse(session);
	return request;
}

static void ob_submit_slot(struct ob_submission *all, struct ob_place *place)
{
	struct ob_request *request;
	struct outboard_slot copy;
	struct ob_driver *driver;
	int error;

	ob_slot_read(place->slot, &copy);
	/* No lock: no other code writes it while it is ob_claimed. */
	WRITE_ONCE(place->batch, all->batch);
	request = ob_submission_request(all, place, &copy);
	if (IS_ERR_OR_NULL(request)) {
		ob_slot_end(all->arena, place, PTR_ERR_OR_ZERO(request));
		return;
	}
	driver = request->session->driver;
	atomic64_inc(&driver->requests);
	atomic64_add(copy.length, &driver->bytes);
	atomic_inc(&ob_requests);
	WRITE_ONCE(place->slot->status, OUTBOARD_IN_FLIGHT);
	/* From here on the request may complete, and its references be dropped, at any time. */
	error = ob_queue_add(request);
	if (likely(error > 0))
		ob_request_start(request);
	else if (error)
		ob_request_done(request, error);
}

static void ob_batch_init(struct ob_batch *batch, int pending)
{
	atomic_set(&batch->pending, pending);
	batch->late = false;
	init_completion(&batch->done);
}

/*
 * Stops waiting. Requests still in flight end later as if submitted without WAIT. Returns whether
 * there are any.
 */
static bool ob_stop_waiting(struct ob_arena *arena, u32 first, u32 count, struct ob_batch *batch,
			    bool timed_out)
{
	bool ended = false, any = false;

	for (u32 i = first; i < first + count; i++) {
		if (ob_replace_batch(&arena->places[i], batch, &ob_no_waiter) != batch)
			continue;
		ended = atomic_dec_and_test(&batch->pending);
		if (timed_out)
			ob_count_timeout(arena->places[i].driver);
		any = true;
	}
	/* The others are in ob_slot_end() now. */
	if (!ended)
		wait_for_completion(&batch->done);
	return any;
}

/* limit: in jiffies */
static int ob_wait_slots(struct ob_arena *arena, u32 first, u32 count, struct ob_batch *batch,
			 unsigned long limit)
{
	long left = 1;

	if (!atomic_dec_and_test(&batch->pending))
		left = wait_for_completion_killable_timeout(&batch->done, limit);
	if (left <= 0 && ob_stop_waiting(arena, first, count, batch, !left))
		return left ? -EINTR : -ETIMEDOUT;
	return READ_ONCE(batch->late) ? -ETIMEDOUT : 0;
}

static int ob_claim(struct ob_arena *arena, u32 first, u32 count)
{
	for (u32 i = first; i < first + count; i++) {
		if (likely(!cmpxchg(&arena->places[i].batch, NULL, &ob_claimed)))
			continue;
		while (i-- > first)
			WRITE_ONCE(arena->places[i].batch, NULL);
		return -EBUSY;
	}
	return 0;
}

static int ob_submit_slots(struct ob_arena *arena, u32 first, u32 count, bool wait)
{
	struct ob_batch batch;
	struct ob_submission all = { .arena = arena, .batch = wait ? &batch : &ob_no_waiter };
	int error = ob_claim(arena, first, count);

	if (error)
		return error;
	refcount_add(count, &arena->refs);
	ob_batch_init(&batch, count + 1);
	for (u32 i = 0; i < count; i++) {
		/* Not for each slot: a driver with its own thread would run after every request. */
		if (i % OB_TURN == 0)
			cond_resched();
		ob_submit_slot(&all, &arena->places[first + i]);
	}
	ob_submission_put_session(&all);
	return wait ? ob_wait_slots(arena, first, count, &batch, ob_timeout_jiffies()) : 0;
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
		if (!was || was == &ob_claimed)
			continue;
		if (!atomic_dec_and_test(&batch.pending))
			ob_stop_waiting(arena, first, i, &batch, false);
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
	struct ob_batch *batch;

	if (IS_ERR(event))
		return PTR_ERR(event);
	scoped_guard(spinlock_irq, &place->lock) {
		batch = READ_ONCE(place->batch);
		if (batch && batch != &ob_claimed)
			swap(place->event, event);
	}
	ob_notify_eventfd(event);
	return 0;
}

int ob_submit(struct ob_file *file, const struct outboard_submit *record)
{
	struct ob_arena *arena;
	int error;
	u32 first;

	if (record->flags & ~(record->op == OUTBOARD_SUBMIT ? OUTBOARD_WAIT : 0))
		return -EINVAL;
	arena = ob_arena_get(file, record->arena);
	if (!arena)
		return -ENOENT;
	first = array_index_nospec(record->first, arena->slots);
	if (record->first >= arena->slots ||
	    (record->op != OUTBOARD_NOTIFY &&
	     (!record->count || record->count > arena->slots - first)))
		error = -EINVAL;
	else if (record->op == OUTBOARD_NOTIFY)
		error = ob_notify(&arena->places[first], record->count);
	else if (record->op == OUTBOARD_SUBMIT)
		error = ob_submit_slots(arena, first, record->count, record->flags);
	else
		error = ob_await_slots(arena, first, record->count);
	ob_arena_put(arena);
	return error;
}
