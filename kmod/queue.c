// SPDX-License-Identifier: GPL-2.0
/*
 * The requests that wait for a driver. A driver has a bounded number of requests, and of bytes, at
 * the same time; further requests wait here, not in the driver's queue, because a request that a
 * driver has cannot be withdrawn. The bound is lower while several users share the driver, because
 * a request waits until the driver has processed those that it already has.
 *
 * Users get equal shares of the bytes, by start-time fair queueing (Goyal, Vin and Cheng, 1996):
 * the next request is that of the user whose start is the lowest, and each request moves the start
 * of its user by its cost. A user without waiting requests begins again at the virtual time, which
 * is the start of the request that was submitted last. So a user that submits little is next.
 * The descriptors of one user take turns.
 *
 *   ob_driver -> ob_share (a user) -> ob_flow (a descriptor) -> waiting requests
 *
 * A session has a reference to its flow. Shares and flows come and go under ob_drivers_lock;
 * driver->lock protects everything else, and is taken in completions.
 *
 * Requests are submitted without CRYPTO_TFM_REQ_MAY_BACKLOG, so -EBUSY and -ENOSPC mean that the
 * driver did not accept the request. It is submitted again when a request of the driver completes,
 * or after a millisecond if the driver has none.
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include "outboard.h"

/*
 * The cost of a request is its number of bytes, at least OB_LEAST_BYTES, plus OB_REQUEST_COST. A
 * shorter request takes an engine and the CPUs about as long as one of OB_LEAST_BYTES.
 */
#define OB_LEAST_BYTES 4096
#define OB_REQUEST_COST 1024

/* A user. */
struct ob_share {
	struct list_head link;		/* in driver->shares */
	struct rb_node turn;		/* in driver->turns while ready is not empty */
	u64 start;			/* virtual time at which its next request begins */
	struct list_head flows, ready;
	kuid_t uid;
};

/* A descriptor. */
struct ob_flow {
	struct list_head link;		/* in share->flows */
	struct list_head turn;		/* in share->ready while it has a request that may run */
	struct list_head waiting;
	struct ob_share *share;
	const struct ob_file *file;	/* compared only, no reference */
	unsigned int sessions;
	unsigned int running;		/* requests that the driver has */
};

static bool ob_flow_may_run(const struct ob_flow *flow)
{
	return flow->running < max(READ_ONCE(ob_max_requests), 1U);
}

static u32 ob_cost(const struct ob_request *request)
{
	return max_t(u32, request->length, OB_LEAST_BYTES) + OB_REQUEST_COST;
}

/* Whether another user used the driver within the last second. */
static bool ob_is_contended(struct ob_driver *driver)
{
	if (likely(!driver->contended))
		return false;
	if (time_after(jiffies, driver->contended_until))
		driver->contended = false;
	return driver->contended;
}

/* Records which user used the driver last. Two users within a second contend. */
static void ob_see_user(struct ob_driver *driver, kuid_t uid)
{
	unsigned long before = driver->last_submission;

	lockdep_assert_held(&driver->lock);
	driver->last_submission = jiffies;
	if (likely(uid_eq(driver->last_uid, uid)))
		return;
	if (uid_valid(driver->last_uid) && time_before(jiffies, before + HZ)) {
		driver->contended = true;
		driver->contended_until = jiffies + HZ;
	}
	driver->last_uid = uid;
}

static bool ob_has_room(struct ob_driver *driver, const struct ob_request *request)
{
	if (!driver->running)
		return true;
	if (ob_is_contended(driver) &&
	    driver->cost_running + ob_cost(request) > READ_ONCE(ob_max_shared_bytes))
		return false;
	return driver->running < READ_ONCE(ob_max_driver_requests) &&
	       driver->bytes_running + request->length <= READ_ONCE(ob_max_driver_bytes);
}

static bool ob_starts_before(struct rb_node *a, const struct rb_node *b)
{
	/*
	 * With equal starts, the user that was added last goes first: one that begins to submit
	 * does not wait for the others.
	 */
	return rb_entry(a, struct ob_share, turn)->start <=
	       rb_entry(b, struct ob_share, turn)->start;
}

static void ob_share_remove(struct ob_driver *driver, struct ob_share *share)
{
	if (RB_EMPTY_NODE(&share->turn))
		return;
	rb_erase_cached(&share->turn, &driver->turns);
	RB_CLEAR_NODE(&share->turn);
}

/*
 * Queues the flow in share->ready, and its user in driver->turns, if they have a request that may
 * run. Otherwise removes them.
 */
static void ob_flow_update(struct ob_driver *driver, struct ob_flow *flow)
{
	struct ob_share *share = flow->share;

	lockdep_assert_held(&driver->lock);
	if (list_empty(&flow->waiting) || !ob_flow_may_run(flow))
		list_del_init(&flow->turn);
	else if (list_empty(&flow->turn))
		list_add_tail(&flow->turn, &share->ready);
	if (list_empty(&share->ready)) {
		ob_share_remove(driver, share);
	} else if (RB_EMPTY_NODE(&share->turn)) {
		share->start = max(share->start, driver->virtual_time);
		rb_add_cached(&share->turn, &driver->turns, ob_starts_before);
	}
}

/* ob_flow_update() must follow unless no request of the user waits. */
static void ob_charge_driver(struct ob_driver *driver, struct ob_flow *flow,
			     struct ob_request *request)
{
	struct ob_share *share = flow->share;

	ob_share_remove(driver, share);
	driver->virtual_time = max(share->start, driver->virtual_time);
	share->start = driver->virtual_time + ob_cost(request);
	ob_see_user(driver, share->uid);
	request->charged = true;
	driver->running++;
	driver->cost_running += ob_cost(request);
	driver->bytes_running += request->length;
	flow->running++;
}

static void ob_uncharge_driver(struct ob_driver *driver, struct ob_flow *flow,
			       struct ob_request *request)
{
	request->charged = false;
	driver->running--;
	driver->cost_running -= ob_cost(request);
	driver->bytes_running -= request->length;
	flow->running--;
}

/* Each queued run of the work holds a reference to the driver. The caller has one too. */
static void ob_queue_kick(struct ob_driver *driver)
{
	kobject_get(&driver->kobj);
	if (!queue_work(ob_dispatch_workqueue, &driver->dispatch))
		kobject_put(&driver->kobj);
}

/*
 * Returns whether the caller submits the request to the driver now. Otherwise it waits, and
 * ob_request_start() is called later.
 */
bool ob_queue_add(struct ob_request *request)
{
	struct ob_driver *driver = request->session->driver;
	struct ob_flow *flow = request->session->flow;
	unsigned long flags;
	bool now;

	spin_lock_irqsave(&driver->lock, flags);
	ob_see_user(driver, flow->share->uid);
	now = RB_EMPTY_ROOT(&driver->turns.rb_root) && list_empty(&flow->waiting) &&
	      ob_flow_may_run(flow) && ob_has_room(driver, request);
	if (likely(now)) {
		ob_charge_driver(driver, flow, request);
	} else {
		request->charged = false;
		list_add_tail(&request->node, &flow->waiting);
		ob_flow_update(driver, flow);
	}
	spin_unlock_irqrestore(&driver->lock, flags);
	return now;
}

/*
 * A request that the driver had, or that was dropped, has ended. The caller has a reference to the
 * session.
 */
void ob_queue_done(struct ob_request *request)
{
	struct ob_driver *driver = request->session->driver;
	struct ob_flow *flow = request->session->flow;
	unsigned long flags;
	bool any;

	if (!request->charged)
		return;
	spin_lock_irqsave(&driver->lock, flags);
	ob_uncharge_driver(driver, flow, request);
	ob_flow_update(driver, flow);
	driver->stalled = false;
	any = !RB_EMPTY_ROOT(&driver->turns.rb_root);
	spin_unlock_irqrestore(&driver->lock, flags);
	if (unlikely(any))
		ob_queue_kick(driver);
}

/* The driver did not accept the request, which becomes the first of its flow again. */
void ob_queue_refused(struct ob_request *request)
{
	struct ob_driver *driver = request->session->driver;
	struct ob_flow *flow = request->session->flow;
	unsigned long flags;

	spin_lock_irqsave(&driver->lock, flags);
	ob_uncharge_driver(driver, flow, request);
	ob_share_remove(driver, flow->share);
	flow->share->start -= ob_cost(request);
	list_add(&request->node, &flow->waiting);
	ob_flow_update(driver, flow);
	driver->stalled = true;
	/*
	 * Otherwise the completion of another request queues the work. Under the lock: once another
	 * CPU can remove the request from the list, its reference to the driver may be dropped.
	 */
	if (!driver->running)
		ob_queue_kick(driver);
	spin_unlock_irqrestore(&driver->lock, flags);
}

static struct ob_request *ob_queue_next(struct ob_driver *driver)
{
	struct ob_request *request = NULL;
	struct ob_share *share;
	struct ob_flow *flow;

	spin_lock_irq(&driver->lock);
	if (!driver->stalled && !RB_EMPTY_ROOT(&driver->turns.rb_root)) {
		share = rb_entry(rb_first_cached(&driver->turns), struct ob_share, turn);
		flow = list_first_entry(&share->ready, struct ob_flow, turn);
		request = list_first_entry(&flow->waiting, struct ob_request, node);
		if (ob_has_room(driver, request)) {
			list_del(&request->node);
			ob_charge_driver(driver, flow, request);
			list_move_tail(&flow->turn, &share->ready);
			ob_flow_update(driver, flow);
		} else {
			request = NULL;
		}
	}
	spin_unlock_irq(&driver->lock);
	return request;
}

/*
 * Whether the driver refused a request while it had none of this module, so that no completion will
 * follow. Clears the mark, so that the request is submitted again.
 */
static bool ob_is_stuck(struct ob_driver *driver)
{
	bool stuck;

	spin_lock_irq(&driver->lock);
	stuck = driver->stalled && !driver->running && !RB_EMPTY_ROOT(&driver->turns.rb_root);
	if (stuck)
		driver->stalled = false;
	spin_unlock_irq(&driver->lock);
	return stuck;
}

static void ob_queue_dispatch(struct work_struct *work)
{
	struct ob_driver *driver = container_of(work, struct ob_driver, dispatch);
	struct ob_request *request;

	for (;;) {
		while ((request = ob_queue_next(driver))) {
			ob_request_start(request);
			cond_resched();
		}
		if (!ob_is_stuck(driver))
			break;
		usleep_range(500, 1000);
	}
	kobject_put(&driver->kobj);
}

void ob_queue_init(struct ob_driver *driver)
{
	spin_lock_init(&driver->lock);
	INIT_LIST_HEAD(&driver->shares);
	driver->turns = RB_ROOT_CACHED;
	driver->last_uid = INVALID_UID;
	INIT_WORK(&driver->dispatch, ob_queue_dispatch);
}

static struct ob_share *ob_share_of(struct ob_driver *driver, kuid_t uid)
{
	struct ob_share *share;

	list_for_each_entry(share, &driver->shares, link)
		if (uid_eq(share->uid, uid))
			return share;
	share = kzalloc(sizeof(*share), GFP_KERNEL_ACCOUNT);
	if (!share)
		return NULL;
	share->uid = uid;
	RB_CLEAR_NODE(&share->turn);
	INIT_LIST_HEAD(&share->flows);
	INIT_LIST_HEAD(&share->ready);
	list_add(&share->link, &driver->shares);
	return share;
}

static void ob_share_put(struct ob_share *share)
{
	if (!list_empty(&share->flows))
		return;
	list_del(&share->link);
	kfree(share);
}

/* Returns the flow of a descriptor with a reference, or NULL: no memory. */
struct ob_flow *ob_flow_get(struct ob_driver *driver, const struct ob_file *file)
{
	struct ob_share *share;
	struct ob_flow *flow;

	lockdep_assert_held(&ob_drivers_lock);
	share = ob_share_of(driver, file->uid);
	if (!share)
		return NULL;
	list_for_each_entry(flow, &share->flows, link)
		if (flow->file == file) {
			flow->sessions++;
			return flow;
		}
	flow = kzalloc(sizeof(*flow), GFP_KERNEL_ACCOUNT);
	if (flow) {
		INIT_LIST_HEAD(&flow->turn);
		INIT_LIST_HEAD(&flow->waiting);
		flow->share = share;
		flow->file = file;
		flow->sessions = 1;
		list_add(&flow->link, &share->flows);
	} else {
		ob_share_put(share);
	}
	return flow;
}

/* No request of the session waits: each has a reference to the session. */
void ob_flow_put(struct ob_flow *flow)
{
	struct ob_share *share;

	lockdep_assert_held(&ob_drivers_lock);
	if (!flow || --flow->sessions)
		return;
	share = flow->share;
	list_del(&flow->link);
	kfree(flow);
	ob_share_put(share);
}

/* Moves the waiting requests of a descriptor, or of all if @file is NULL, to @dropped. */
void ob_queue_take(struct ob_driver *driver, const struct ob_file *file, struct list_head *dropped)
{
	struct ob_share *share;
	struct ob_flow *flow;

	lockdep_assert_held(&ob_drivers_lock);
	list_for_each_entry(share, &driver->shares, link)
		list_for_each_entry(flow, &share->flows, link) {
			if (file && flow->file != file)
				continue;
			spin_lock_irq(&driver->lock);
			list_splice_tail_init(&flow->waiting, dropped);
			ob_flow_update(driver, flow);
			spin_unlock_irq(&driver->lock);
		}
}

/* Ends requests that no driver has. Must be called without locks. */
void ob_queue_drop(struct list_head *dropped, int error)
{
	struct ob_request *request, *next;

	list_for_each_entry_safe(request, next, dropped, node)
		ob_request_done(request, error);
}
