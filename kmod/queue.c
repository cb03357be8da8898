// SPDX-License-Identifier: GPL-2.0
/*
 * The requests that wait for a driver. A driver has a bounded number of requests, and of bytes, at
 * the same time; further requests wait here, not in the driver's queue, because a request that a
 * driver has cannot be withdrawn. Users take turns, then the descriptors of a user.
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

/* A user. */
struct ob_share {
	struct list_head link;		/* in driver->shares */
	struct list_head turn;		/* in driver->turns while ready is not empty */
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

static bool ob_has_room(const struct ob_driver *driver, u32 length)
{
	return !driver->running ||
	       (driver->running < READ_ONCE(ob_max_driver_requests) &&
		driver->bytes_running + length <= READ_ONCE(ob_max_driver_bytes));
}

/* Puts the flow, and its user, into the lists of those whose turn comes, or removes them. */
static void ob_flow_update(struct ob_driver *driver, struct ob_flow *flow)
{
	struct ob_share *share = flow->share;

	lockdep_assert_held(&driver->lock);
	if (list_empty(&flow->waiting) || !ob_flow_may_run(flow))
		list_del_init(&flow->turn);
	else if (list_empty(&flow->turn))
		list_add_tail(&flow->turn, &share->ready);
	if (list_empty(&share->ready))
		list_del_init(&share->turn);
	else if (list_empty(&share->turn))
		list_add_tail(&share->turn, &driver->turns);
}

static void ob_charge_driver(struct ob_driver *driver, struct ob_flow *flow,
			     struct ob_request *request)
{
	request->charged = true;
	driver->running++;
	driver->bytes_running += request->length;
	flow->running++;
}

static void ob_uncharge_driver(struct ob_driver *driver, struct ob_flow *flow,
			       struct ob_request *request)
{
	request->charged = false;
	driver->running--;
	driver->bytes_running -= request->length;
	flow->running--;
}

/* Each queued run of the work holds a reference to the driver. The caller has one too. */
static void ob_queue_kick(struct ob_driver *driver)
{
	kobject_get(&driver->kobj);
	if (!queue_work(ob_workqueue, &driver->dispatch))
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
	now = list_empty(&driver->turns) && list_empty(&flow->waiting) && ob_flow_may_run(flow) &&
	      ob_has_room(driver, request->length);
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
	any = !list_empty(&driver->turns);
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
	list_add(&request->node, &flow->waiting);
	ob_flow_update(driver, flow);
	driver->stalled = true;
	/*
	 * Otherwise the completion of another request does it. Under the lock: once the request can
	 * be taken from the list, its reference to the driver may go.
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
	if (!driver->stalled && !list_empty(&driver->turns)) {
		share = list_first_entry(&driver->turns, struct ob_share, turn);
		flow = list_first_entry(&share->ready, struct ob_flow, turn);
		request = list_first_entry(&flow->waiting, struct ob_request, node);
		if (ob_has_room(driver, request->length)) {
			list_del(&request->node);
			ob_charge_driver(driver, flow, request);
			list_move_tail(&share->turn, &driver->turns);
			list_move_tail(&flow->turn, &share->ready);
			ob_flow_update(driver, flow);
		} else {
			request = NULL;
		}
	}
	spin_unlock_irq(&driver->lock);
	return request;
}

/* Whether the driver refused a request while it had none of this module. */
static bool ob_is_stuck(struct ob_driver *driver)
{
	bool stuck;

	spin_lock_irq(&driver->lock);
	stuck = driver->stalled && !driver->running && !list_empty(&driver->turns);
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
	INIT_LIST_HEAD(&driver->turns);
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
	INIT_LIST_HEAD(&share->turn);
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

/* Moves the waiting requests of a descriptor, or for NULL of all, to dropped. */
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
