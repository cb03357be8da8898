// SPDX-License-Identifier: GPL-2.0
/* The queue of a device: accepts, backlogs or refuses requests, and computes when each is due. */
#include <linux/delay.h>
#include <linux/math64.h>
#include <linux/rculist.h>
#include "sim.h"

/* The modelled time starts when the device accepts the request, not when it enters the backlog. */
static void sim_take(struct sim_device *device, struct sim_request *request)
{
	unsigned int engines = clamp(READ_ONCE(sim_model.engines), 1U, SIM_MAX_ENGINES), engine,
		     first = 0;
	unsigned int times = max(request->fate.slow, 1U);
	ktime_t start;

	lockdep_assert_held(&device->lock);
	for (engine = 1; engine < engines; engine++) {
		if (ktime_before(device->engine_free[engine], device->engine_free[first]))
			first = engine;
	}
	request->submitted = ktime_get();
	start = max(request->submitted, device->engine_free[first]);
	device->engine_free[first] = ktime_add_ns(start, times * sim_work_ns(request->bytes));
	request->due = ktime_add_ns(device->engine_free[first],
				    (u64)times * READ_ONCE(sim_model.latency_ns));

	if (request->fate.never) {
		list_add_tail(&request->node, &device->held);
		device->count.held++;
	} else {
		list_add_tail(&request->node, &device->queued);
	}
}

static bool sim_has_room(struct sim_device *device)
{
	return device->count.outstanding < max(READ_ONCE(sim_model.queue), 1U);
}

/* Returns what crypto_enqueue_request() does: -EINPROGRESS, -EBUSY (backlog) or -ENOSPC (full). */
static int sim_accept(struct sim_device *device, struct sim_request *request)
{
	const bool refuse = request->fate.refuse;
	unsigned long flags;
	int answer;

	raw_spin_lock_irqsave(&device->lock, flags);
	device->count.faults += request->fate.fault;
	if (sim_has_room(device) && list_empty(&device->backlog) && !request->fate.full &&
	    !refuse) {
		device->count.outstanding++;
		sim_take(device, request);
		answer = -EINPROGRESS;
	} else if (request->base->flags & CRYPTO_TFM_REQ_MAY_BACKLOG && !refuse) {
		list_add_tail(&request->node, &device->backlog);
		device->count.backlogged++;
		answer = -EBUSY;
	} else {
		device->count.refused++;
		answer = -ENOSPC;
	}
	if (answer != -ENOSPC) {
		device->count.requests++;
		device->count.bytes += request->bytes;
	}
	raw_spin_unlock_irqrestore(&device->lock, flags);
	/* The request may already be freed. */
	if (answer != -ENOSPC)
		wake_up(&device->work);
	return answer;
}

/* Counts a request that the driver's software fallback computed, without engine and interrupt. */
static void sim_count_software(struct sim_device *device, struct sim_request *request)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&device->lock, flags);
	device->count.faults += request->fate.fault;
	device->count.software++;
	raw_spin_unlock_irqrestore(&device->lock, flags);
}

/* Returns the device with the least work, as drivers of chips with several engines do. */
static struct sim_device *sim_idlest(void)
{
	struct sim_device *device, *idlest = NULL;

	list_for_each_entry_rcu(device, &sim_devices, node) {
		if (!idlest ||
		    READ_ONCE(device->count.outstanding) < READ_ONCE(idlest->count.outstanding))
			idlest = device;
	}
	return idlest;
}

/* Submits a request. Returns what the driver's encrypt(), decrypt(), digest() etc. return. */
int sim_submit(const struct sim_tfm *ctx, struct sim_request *request)
{
	struct sim_algorithm *algorithm = request->algorithm;
	unsigned int bytes = request->bytes;
	struct sim_device *device;
	int answer = 0;

	sim_fate_of(request);
	if (unlikely(request->fate.delay) && request->base->flags & CRYPTO_TFM_REQ_MAY_SLEEP)
		msleep(request->fate.delay);
	if (unlikely(request->fate.both)) {
		answer = request->fate.both;
		local_bh_disable();
		crypto_request_complete(request->base, answer);
		local_bh_enable();
		return answer;
	}
	if (sim_beyond(ctx, request->bytes))
		request->fate.software = true;

	rcu_read_lock();
	device = sim_idlest();
	if (!device)
		answer = -ENODEV;
	else if (request->fate.software)
		sim_count_software(device, request);
	else
		answer = sim_accept(device, request);
	if (answer == -ENOSPC && request->fate.refuse && device->count.refused % 2)
		answer = -EAGAIN;
	rcu_read_unlock();

	if (answer == -EINPROGRESS || answer == -EBUSY) {
		/* The request and its tfm may already be freed. */
		atomic64_inc(&algorithm->requests);
		atomic64_add(bytes, &algorithm->bytes);
		return answer;
	}
	return answer ?: request->compute(request);
}

bool sim_has_work(struct sim_device *device)
{
	unsigned long flags;
	bool work;

	raw_spin_lock_irqsave(&device->lock, flags);
	work = !list_empty(&device->queued) ||
	       (!list_empty(&device->backlog) && sim_has_room(device));
	raw_spin_unlock_irqrestore(&device->lock, flags);
	return work;
}

struct sim_request *sim_take_queued(struct sim_device *device)
{
	struct sim_request *request;
	unsigned long flags;

	raw_spin_lock_irqsave(&device->lock, flags);
	request = list_first_entry_or_null(&device->queued, struct sim_request, node);
	if (request)
		list_del(&request->node);
	raw_spin_unlock_irqrestore(&device->lock, flags);
	return request;
}

/* The caller completes it with -EINPROGRESS, then calls sim_enqueue(): queue space is reserved. */
struct sim_request *sim_take_backlog(struct sim_device *device)
{
	struct sim_request *request = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&device->lock, flags);
	if (sim_has_room(device))
		request = list_first_entry_or_null(&device->backlog, struct sim_request, node);
	if (request) {
		list_del(&request->node);
		device->count.outstanding++;
	}
	raw_spin_unlock_irqrestore(&device->lock, flags);
	return request;
}

void sim_enqueue(struct sim_device *device, struct sim_request *request)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&device->lock, flags);
	sim_take(device, request);
	raw_spin_unlock_irqrestore(&device->lock, flags);
	wake_up(&device->work);
}

/* Queues the requests that a fault holds for computation, or for completion with an error. */
unsigned int sim_release_held(struct sim_device *device, int error)
{
	struct sim_request *request, *next;
	unsigned int released = 0;
	unsigned long flags;
	LIST_HEAD(held);

	raw_spin_lock_irqsave(&device->lock, flags);
	list_splice_init(&device->held, &held);
	list_for_each_entry_safe(request, next, &held, node) {
		list_del(&request->node);
		request->fate.never = false;
		request->fate.error = error;
		sim_take(device, request);
		released++;
	}
	device->count.held = 0;
	raw_spin_unlock_irqrestore(&device->lock, flags);
	wake_up_all(&device->work);
	return released;
}

/* Requests of devices that are gone, by a fault. */
static DEFINE_SPINLOCK(forgotten_lock);
static LIST_HEAD(forgotten);

void sim_complete_forgotten(void)
{
	struct sim_request *request, *next;
	LIST_HEAD(taken);

	spin_lock(&forgotten_lock);
	list_splice_init(&forgotten, &taken);
	spin_unlock(&forgotten_lock);
	local_bh_disable();
	list_for_each_entry_safe(request, next, &taken, node)
		crypto_request_complete(request->base, -ENODEV);
	local_bh_enable();
}

/*
 * Fails all requests after the device is gone: nothing submits, computes or interrupts any more. A
 * request in the backlog is first completed with -EINPROGRESS, which dm-crypt relies on.
 */
void sim_drop_all(struct sim_device *device)
{
	struct sim_request *request, *next;
	unsigned long flags;
	LIST_HEAD(taken);
	LIST_HEAD(backlog);

	raw_spin_lock_irqsave(&device->lock, flags);
	list_splice_tail_init(&device->done, &taken);
	list_splice_tail_init(&device->pending, &taken);
	list_splice_tail_init(&device->queued, &taken);
	list_splice_tail_init(&device->held, &taken);
	list_splice_tail_init(&device->backlog, &backlog);
	device->count.outstanding = 0;
	device->count.held = 0;
	raw_spin_unlock_irqrestore(&device->lock, flags);

	local_bh_disable();
	list_for_each_entry_safe(request, next, &backlog, node)
		crypto_request_complete(request->base, -EINPROGRESS);
	list_splice_tail(&backlog, &taken);
	list_for_each_entry_safe(request, next, &taken, node) {
		list_del(&request->node);
		if (!request->fate.forgotten) {
			crypto_request_complete(request->base, -ENODEV);
			continue;
		}
		spin_lock(&forgotten_lock);
		list_add_tail(&request->node, &forgotten);
		spin_unlock(&forgotten_lock);
	}
	local_bh_enable();
}
