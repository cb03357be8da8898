// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a request: made from a slot, submitted to its driver, completed.
 *
 * ob_request_done() ends a request. It runs from the driver's completion, or from
 * ob_request_start() if the driver completes synchronously. place->live decides which one: it is
 * set before the driver gets the request and cleared, atomically, by the first of them. So a driver
 * that completes a request twice, or completes it and also returns an error, does not end it twice.
 *
 * place->batch is the batch that the end of the request is counted in. The submitter that claimed
 * the slot sets it. Later changes, and its removal, are protected by place->lock. So either the end
 * of the request or what abandons it accounts for it, but never both. If place->batch is NULL, the
 * status has been written and the request counted.
 */
#include <linux/indirect_call_wrapper.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include "queue.h"

struct ob_batch ob_no_waiter, ob_claimed;

/* Drivers' own time limits are half a second and more. What they refuse, they refuse at once. */
#define OB_LATE_ERROR_NS (400 * NSEC_PER_MSEC)

/*
 * Must be called without spinlocks of this module: eventfd_signal() calls the wake functions of the
 * eventfd's waiters (epoll, io_uring, irqfd).
 */
void ob_notify_eventfd(struct eventfd_ctx *event)
{
	if (!event)
		return;
	eventfd_signal(event);
	eventfd_ctx_put(event);
}

void ob_slot_end(struct ob_arena *arena, struct ob_place *place, int status)
{
	struct eventfd_ctx *event = NULL;
	struct ob_batch *batch;

	scoped_guard(spinlock_irqsave, &place->lock) {
		batch = place->batch;
		swap(place->event, event);
		/*
		 * Two releases. cmpxchg() in ob_claim() reads the first: the next request of the
		 * slot finds the memory of this one unused. The program reads the second, with
		 * acquire semantics: it sees the result, and may submit the slot again.
		 */
		smp_store_release(&place->batch, NULL);
		smp_store_release(&place->slot->status, status); /* see above */
	}
	ob_notify_eventfd(event);
	/* The batch is on the waiter's stack and may be gone after the last request. */
	if (batch != &ob_no_waiter && atomic_dec_and_test(&batch->pending))
		complete(&batch->done);
	ob_arena_put_atomic(arena);
}

/* A request is written off: its waiter, if any, does not wait for it any more. */
void ob_request_late(struct ob_request *request)
{
	struct ob_place *place = request->place;
	struct ob_batch *batch = &ob_no_waiter;

	scoped_guard(spinlock_irqsave, &place->lock) {
		place->late = true;
		swap(place->batch, batch);
	}
	if (batch == &ob_no_waiter)
		return;
	WRITE_ONCE(batch->late, true);
	atomic64_inc(&request->session->driver->timeouts);
	if (atomic_dec_and_test(&batch->pending))
		complete(&batch->done);
}

/* Returns the status of a request that failed. */
static int ob_request_failed(const struct ob_request *request, int error)
{
	struct ob_session *session = request->session;

	if (error == -EBADMSG || request->state == OB_WAITING)
		return error;
	atomic64_inc(&session->driver->errors);
	/* hifn_795x ends the requests of an engine with ENODEV when it resets it. */
	if (error == -ENODEV && ob_engine_stopped(session->driver))
		return -EHOSTDOWN;
	if (error == -ENODEV)
		ob_session_kill_atomic(session);
	/* The driver's own time limit is over, which drivers report as EFAULT and EINVAL too. */
	else if (ktime_get_ns() - request->started > OB_LATE_ERROR_NS)
		return -ETIMEDOUT;
	return error < 0 ? error : -EIO;
}

void ob_request_done(struct ob_request *request, int error)
{
	struct ob_session *session = request->session;
	struct ob_arena *arena = request->arena;
	struct ob_place *place = request->place;

	if (unlikely(error))
		error = ob_request_failed(request, error);
	else if (session->algorithm->type == &ob_ahash)
		memcpy(place->slot->digest, request->digest,
		       crypto_ahash_digestsize(session->ahash));
	ob_queue_done(request, error);
	/*
	 * Before the status is written: a program that has seen the status and frees the session
	 * must get its context in the device back.
	 */
	ob_session_unuse_atomic(session);
	atomic_dec(&ob_requests);
	ob_slot_end(arena, place, error);
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
	if ((error == -ENOSPC || error == -EAGAIN) &&
	    request->session->algorithm->type != &ob_ahash) {
		if (ob_queue_refused(request))
			return;
		error = -EHOSTDOWN;
	}
	ob_request_done(request, error);
}

/*
 * Submits a request to its driver. It may complete, and its references be dropped, at any time.
 * With MAY_BACKLOG -EBUSY means that the driver has accepted it.
 */
void ob_request_start(struct ob_request *request)
{
	struct ob_place *place = request->place;
	struct ob_engine *engine = request->session->share->engine;
	unsigned int generation = place->generation + 1 ?: 1;	/* 0: the driver has no request */
	int error;

	place->generation = generation;
	WRITE_ONCE(place->live, generation);
	error = INDIRECT_CALL_1(request->session->algorithm->type->run, ob_skcipher_run, request);
	if (unlikely(error != -EINPROGRESS && error != -EBUSY)) {
		ob_request_returned(place, generation, request, error);
		return;
	}
	/* Of the next request, if that has been submitted already: then it lacks the excuse. */
	WRITE_ONCE(place->submitting, false);
	if (unlikely(error == -EBUSY))
		ob_queue_backlogged(engine);
}

/*
 * Completion callback. -EINPROGRESS is not a completion: the request moved from the backlog of the
 * driver to its queue.
 */
void ob_complete(ob_done_arg arg, int error)
{
	struct ob_request *request = ob_done_data(arg);

	if (error == -EINPROGRESS)
		return;
	if (likely(xchg(&request->place->live, 0)))
		ob_request_done(request, error);
	else
		ob_count_double(request->place);
}

void ob_request_free(struct ob_request *request)
{
	if (!request)
		return;
	kfree(request->sg);
	kfree_sensitive(request);
}

/*
 * Largest number of scatter list entries on one side of a request: each page of AAD, and of data
 * and tag, separate in memory, and neither aligned. virtio_crypto makes n (n + 1) descriptors of n
 * entries, and its device stops permanently at 1025.
 */
#define OB_MAX_SG                                   \
	(DIV_ROUND_UP(OB_MAX_AAD, PAGE_SIZE) + 1 +   \
	 DIV_ROUND_UP(OB_MAX_LENGTH + OUTBOARD_MAX_TAG, PAGE_SIZE) + 1)

/* Fills sg with the physically contiguous parts of a range. Returns the entry after the last. */
static struct scatterlist *ob_range_to_sg(const struct ob_arena *arena, struct scatterlist *sg,
					  struct ob_range range)
{
	for (; range.length; sg++) {
		u32 size = min(range.length, ob_contiguous_bytes(arena, range.offset));

		ob_entry(arena, sg, range.offset, size);
		range.offset += size;
		range.length -= size;
	}
	return sg;
}

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

/*
 * Sizes are powers of two because kmalloc() aligns these to their size: memory that a device writes
 * needs its own cache lines.
 */
static struct ob_request *ob_request_alloc(struct ob_place *place, unsigned int needed)
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
 * Validates the copy of a slot and makes the request from it, which has the caller's reference to
 * the driver handle of the session. Returns an ERR_PTR(), or NULL if there is nothing to compute.
 */
struct ob_request *ob_request_prepare(struct ob_arena *arena, struct ob_place *place,
				      struct ob_session *session, const struct outboard_slot *copy)
{
	struct ob_request *request = ob_request_alloc(place, session->request_size);
	int error;

	if (!request)
		return ERR_PTR(-ENOMEM);
	request->arena = arena;
	request->session = session;
	request->place = place;
	request->op = copy->op;
	request->cost = copy->length + copy->aad_length;
	error = INDIRECT_CALL_1(session->algorithm->type->prepare, ob_skcipher_prepare, request,
				copy);
	if (error)
		return error == OB_NOTHING ? NULL : ERR_PTR(error);
	place->driver = session->driver->number;
	place->late = false;
	return request;
}
