// SPDX-License-Identifier: GPL-2.0
/*
 * The requests that wait for an engine. Users share the engine and not an algorithm of it, so the
 * drivers of one kernel module have one queue. A request that an engine has cannot be withdrawn, so
 * an engine has few at a time, and further requests wait here.
 *
 * The limit is the amount of work with which a request waits about OB_TARGET_NS for the others in
 * the engine. That is measured, so requests of the kernel's own users count too. The number of
 * requests is what the driver accepts.
 *
 * Users take turns by credit. In a round each user gets OB_QUANTUM; a user with credit may submit,
 * and each request costs its bytes. A round ends when no user with waiting requests has credit. So
 * a user that submits little has credit, and is next; debts are paid by later rounds. A user that
 * renews its sessions misses rounds. The sessions of one user take turns.
 *
 * An engine with requests that completes none for the patience has stopped until it completes one.
 * What it has is written off, what waits ends, and what is submitted is refused, but for one
 * request at once and one after each pause. The pauses grow, and begin anew after OB_CALM.
 *
 *   ob_engine -> ob_share (a user) -> ob_session -> waiting requests
 *
 * engine->lock protects all of this, and is taken in completions.
 */
#include "queue.h"

#define OB_TARGET_NS NSEC_PER_MSEC

/*
 * Completions for which the driver gets one request more after its queue was full, which may have
 * been by requests of users in the kernel.
 */
#define OB_DEEPER 64U

/* Jiffies between two looks at an engine: 10 ms, or 8. */
#define OB_TICK max(HZ / 100UL, 1UL)
#define OB_LOOKS 3
/* The patience is for this much work, and longer in proportion up to the longest request. */
#define OB_PATIENCE_COST 20480U
/* The longest pause between two requests to an engine that stopped. */
#define OB_LONGEST_PAUSE (60 * HZ)

/* The only place where the state changes. ob_engine_stopped() reads it without the lock. */
static void ob_set_state(struct ob_engine *engine, enum ob_engine_state state)
{
	/* What waits for the next tick since a refusal is submitted now. */
	if (engine->state == OB_FULL && state == OB_WORKS)
		mod_delayed_work(ob_workqueue, &engine->dispatch, 0);
	WRITE_ONCE(engine->state, state);
}

/* Brings the credit up to the current round. Unused credit is not saved. */
static void ob_share_refresh(struct ob_share *share)
{
	u64 rounds = share->engine->round - share->round;

	share->round += rounds;
	share->credit = min_t(s64, OB_QUANTUM, share->credit + min(rounds, 2ULL) * OB_QUANTUM);
}

/* Adds the user to the list that it belongs to, at the end, or removes it from both. */
static void ob_share_sort(struct ob_share *share)
{
	struct ob_engine *engine = share->engine;

	lockdep_assert_held(&engine->lock);
	ob_share_refresh(share);
	if (list_empty(&share->sessions))
		list_del_init(&share->turn);
	else
		list_move_tail(&share->turn, share->credit > 0 ? &engine->ready : &engine->spent);
}

static void ob_new_round(struct ob_engine *engine)
{
	struct ob_share *share;

	engine->round++;
	list_for_each_entry(share, &engine->spent, turn)
		ob_share_refresh(share);
	list_splice_tail_init(&engine->spent, &engine->ready);
}

static bool ob_is_waiting(const struct ob_engine *engine)
{
	return !list_empty(&engine->ready) || !list_empty(&engine->spent);
}

/* Whether a completion is due: it has requests, or is so full that it refuses them. */
static bool ob_is_busy(const struct ob_engine *engine)
{
	return engine->running || (engine->state == OB_FULL && ob_is_waiting(engine));
}

static bool ob_has_room(const struct ob_engine *engine, const struct ob_request *request)
{
	if (engine->running + engine->lost >= READ_ONCE(engine->most))
		return false;
	return !engine->running ||
	       (engine->running < min(engine->depth, READ_ONCE(ob_max_requests)) &&
		engine->cost + request->cost <= engine->limit);
}

/* From now on the engine has the time for this request. */
static void ob_set_clock(struct ob_engine *engine, struct ob_request *request, u64 now)
{
	request->started = now;
	request->overtaken = engine->completed + 2 * engine->running + 1;
}

static void ob_note_progress(struct ob_engine *engine, u64 now)
{
	engine->progress = now;
	engine->looks = 0;
}

static void ob_charge(struct ob_share *share, struct ob_request *request)
{
	struct ob_engine *engine = share->engine;
	u64 now = ktime_get_ns();

	request->state = OB_IN_FLIGHT;
	WRITE_ONCE(request->place->submitting, true);
	if (!engine->running) {
		/* An engine that refuses what it gets makes no progress. */
		if (likely(engine->state != OB_FULL))
			ob_note_progress(engine, now);
		/* Also where it is running: it may have seen that there was nothing in flight. */
		if (!delayed_work_pending(&engine->watch))
			queue_delayed_work(ob_workqueue, &engine->watch, OB_TICK);
	}
	list_add_tail(&request->node, &engine->in_flight);
	share->credit -= request->cost;
	engine->running++;
	engine->cost += request->cost;
	request->found = engine->cost;
	ob_set_clock(engine, request, now);
	request->session->driver->running++;
}

/* Removes a request from what the engine has: it completed, was refused, or is written off. */
static void ob_uncharge(struct ob_engine *engine, struct ob_request *request)
{
	struct ob_session *session = request->session;

	if (likely(request->state == OB_IN_FLIGHT)) {
		list_del(&request->node);
		engine->running--;
		engine->cost -= request->cost;
		return;
	}
	session->lost--;
	if (session->held) {
		session->held--;
		engine->lost--;
	}
}

/* No request of the session waits any more. */
static void ob_end_turn(struct ob_session *session)
{
	list_del_init(&session->turn);
	if (list_empty(&session->share->sessions))
		list_del_init(&session->share->turn);
}

/* ---- Engines that stopped ---- */

/*
 * The nanoseconds that the engine has for its next completion: the parameter, and in proportion for
 * more than 20 KiB of work, up to the longest request. So it covers engines of 0.7 MB/s, without
 * knowing them. Slower ones: see ob_learn().
 */
static u64 ob_patience_for(const struct ob_engine *engine, unsigned long cost)
{
	u64 least = 1ULL * NSEC_PER_MSEC * min(READ_ONCE(ob_patience), 86400U * 1000);

	cost = clamp_t(unsigned long, cost, OB_PATIENCE_COST, OB_QUANTUM);
	least = div_u64(least * cost, OB_PATIENCE_COST);
	return min(least << engine->slowness,
		   max_t(u64, least, jiffies_to_nsecs(ob_timeout_jiffies())));
}

/*
 * An answer that needs more than half of the patience doubles it, and one that needs less than a
 * quarter halves what was doubled. That of a request that was written off counts if it comes within
 * twice the patience; otherwise it is a sign of life, and says nothing about what the engine needs.
 */
static void ob_learn(struct ob_engine *engine, const struct ob_request *request, u64 now)
{
	bool lost = request->state == OB_LOST, is_slow;
	u64 patience, waited;

	if (likely(!engine->looks && !engine->slowness && !lost))
		return;
	patience = ob_patience_for(engine, lost ? request->cost : engine->cost);
	waited = now - (lost ? request->started : engine->progress);
	is_slow = lost ? waited < 2 * patience : 2 * waited > patience;
	if (is_slow)
		engine->slowness += engine->slowness < OB_UNKNOWN;
	else if (engine->slowness && !lost && 4 * waited < patience)
		engine->slowness--;
}

/* The driver has the request until it completes it, if ever, but nothing waits for it any more. */
static void ob_write_off(struct ob_engine *engine, struct ob_request *request)
{
	struct ob_session *session = request->session;

	ob_uncharge(engine, request);
	request->state = OB_LOST;
	session->lost++;
	if (session->driver->limits.requests && !ob_session_is(session, OB_ABANDONED)) {
		session->held++;
		engine->lost++;
	}
	ob_request_late(request);
}

/* The driver has gone with the handle of the session. */
void ob_queue_abandon(struct ob_session *session)
{
	struct ob_engine *engine = session->share->engine;

	guard(spinlock_irq)(&engine->lock);
	engine->lost -= session->held;
	session->held = 0;
}

/* Writes off what the engine has, and moves what waits to @dropped. */
static void ob_stop(struct ob_engine *engine, struct list_head *dropped)
{
	struct ob_session *session, *next_session;
	struct ob_request *request, *next_request;
	struct ob_share *share, *next;

	/* Set before ob_write_off() wakes waiters, which may read the state at once. */
	ob_set_state(engine, OB_STOPPED);
	list_for_each_entry_safe(request, next_request, &engine->in_flight, node)
		ob_write_off(engine, request);
	engine->pause = time_before(jiffies, engine->probe + OB_CALM) ?
			clamp(2 * engine->pause, 1UL * HZ, 1UL * OB_LONGEST_PAUSE) : 0;
	engine->probe = jiffies + engine->pause;
	list_splice_init(&engine->spent, &engine->ready);
	list_for_each_entry_safe(share, next, &engine->ready, turn)
		list_for_each_entry_safe(session, next_session, &share->sessions, turn) {
			list_splice_tail_init(&session->waiting, dropped);
			ob_end_turn(session);
		}
}

/*
 * Writes off requests that are lost while others complete: the engine has them for the patience,
 * and has completed twice as many as it had when it got them. Engines work in about the order in
 * which they get requests, whatever each takes.
 */
static void ob_find_lost(struct ob_engine *engine, u64 now)
{
	u64 patience = ob_patience_for(engine, engine->cost);
	struct ob_request *request, *next;

	list_for_each_entry_safe(request, next, &engine->in_flight, node)
		if (now - request->started >= patience &&
		    (s32)(engine->completed - request->overtaken) >= 0)
			ob_write_off(engine, request);
}

/*
 * A thread that submits a request, and may not run, is no delay of the engine, unless the driver
 * refuses what it gets. Returns whether there is one.
 */
static bool ob_skip_submitting(struct ob_engine *engine, u64 now)
{
	struct ob_request *request;
	bool any = false;

	list_for_each_entry(request, &engine->in_flight, node) {
		if (!READ_ONCE(request->place->submitting))
			continue;
		ob_set_clock(engine, request, now);
		if (engine->state != OB_FULL)
			ob_note_progress(engine, now);
		any = true;
	}
	return any;
}

/* Ends requests that no driver has. Must be called without spinlocks. */
static void ob_queue_drop(struct list_head *dropped, int error)
{
	struct ob_request *request, *next;

	list_for_each_entry_safe(request, next, dropped, node)
		ob_request_done(request, error);
}

/*
 * Looks at the engine every OB_TICK while it has requests. That it completes none for the patience
 * must be seen OB_LOOKS times: a machine that was stopped itself, as virtual ones are, is looked at
 * once for all of that time, and has its interrupts before the next look. Where all CPUs are busy,
 * the looks are late as the driver's threads are.
 */
void ob_queue_watch(struct work_struct *work)
{
	struct ob_engine *engine = container_of(to_delayed_work(work), struct ob_engine, watch);
	LIST_HEAD(dropped);
	u64 now;

	spin_lock_irq(&engine->lock);
	now = ktime_get_ns();
	engine->looks++;
	if (!ob_skip_submitting(engine, now) && ob_is_busy(engine) && engine->looks >= OB_LOOKS &&
	    now - engine->progress >= ob_patience_for(engine, engine->cost))
		ob_stop(engine, &dropped);
	else
		ob_find_lost(engine, now);
	/* Not if it has just stopped. */
	if (ob_is_busy(engine))
		queue_delayed_work(ob_workqueue, &engine->watch, OB_TICK);
	if (ob_is_waiting(engine))
		queue_delayed_work(ob_workqueue, &engine->dispatch, 0);
	spin_unlock_irq(&engine->lock);
	ob_queue_drop(&dropped, -EHOSTDOWN);
}

/*
 * Adjusts what the engine may have, by a request that found this much work there. If it took no
 * longer than one that found none, the engine works on several at the same time, or is fast: it may
 * have as much, and a quarter or one request more. What the request took longer is the work that a
 * further request would find before it.
 */
static void ob_adjust(struct ob_engine *engine, const struct ob_request *request, u64 took)
{
	bool alone = request->found == request->cost;

	if (alone || took < engine->latency)
		engine->latency = took;
	if (took <= engine->latency + OB_TARGET_NS) {
		if (!alone || took < OB_TARGET_NS)
			engine->limit = max(engine->limit, request->found +
					    max_t(u32, request->cost, request->found / 4));
	} else if (2 * request->found > engine->limit) {
		engine->limit = clamp(request->found / 4 * 3, OB_LEAST_LIMIT, engine->limit);
	}
}

/*
 * The engine has completed a request. That of one that was written off is evidence that it works,
 * an error is not.
 */
static void ob_answered(struct ob_engine *engine, const struct ob_request *request, int error)
{
	u64 now = ktime_get_ns();
	bool good = !error || error == -EBADMSG;

	if (likely(good))
		ob_learn(engine, request, now);
	if (engine->state == OB_FULL || (engine->state == OB_STOPPED && good))
		ob_set_state(engine, OB_WORKS);
	ob_note_progress(engine, now);
	if (!(++engine->completed % OB_DEEPER) && engine->depth < UINT_MAX)
		engine->depth++;
	if (likely(request->state == OB_IN_FLIGHT))
		ob_adjust(engine, request, now - request->started);
}

static void ob_enqueue(struct ob_request *request)
{
	struct ob_session *session = request->session;
	struct ob_share *share = session->share;
	struct ob_engine *engine = share->engine;

	list_add_tail(&request->node, &session->waiting);
	if (list_empty(&session->turn)) {
		list_add_tail(&session->turn, &share->sessions);
		if (list_empty(&share->turn)) {
			ob_share_sort(share);
			/* A user with few requests is next, as long as it has credit. */
			if (share->credit > 0)
				list_move(&share->turn, &engine->ready);
		}
	}
	/* Its completion starts the work; there may be none. */
	if (!engine->running)
		queue_delayed_work(ob_workqueue, &engine->dispatch, 0);
}

/*
 * Returns 1 if the caller submits the request to the driver now, 0 if it waits and
 * ob_request_start() is called later, or -EHOSTDOWN.
 */
int ob_queue_add(struct ob_request *request)
{
	struct ob_share *share = request->session->share;
	struct ob_engine *engine = share->engine;

	request->state = OB_WAITING;
	request->cost = max_t(u32, request->cost, OB_LEAST_COST);
	guard(spinlock_irqsave)(&engine->lock);
	if (unlikely(engine->state == OB_STOPPED)) {
		if (engine->running || time_before(jiffies, engine->probe) ||
		    !ob_has_room(engine, request))
			return -EHOSTDOWN;
	} else if (ob_is_waiting(engine) || !ob_has_room(engine, request)) {
		ob_enqueue(request);
		return 0;
	}
	if (unlikely(engine->state == OB_FULL && !engine->running))
		ob_set_state(engine, OB_WORKS);
	ob_share_refresh(share);
	if (share->credit <= 0) {
		ob_new_round(engine);
		ob_share_refresh(share);
	}
	ob_charge(share, request);
	return 1;
}

/*
 * A request that the driver had, or that was dropped, has ended. The caller has a reference to the
 * session.
 */
void ob_queue_done(struct ob_request *request, int error)
{
	struct ob_engine *engine = request->session->share->engine;

	if (request->state == OB_WAITING)
		return;
	guard(spinlock_irqsave)(&engine->lock);
	ob_answered(engine, request, error);
	ob_uncharge(engine, request);
	request->session->driver->running--;
	if (unlikely(ob_is_waiting(engine)))
		queue_delayed_work(ob_workqueue, &engine->dispatch, 0);
}

/* The driver has accepted a request into its backlog: its queue is full. */
void ob_queue_backlogged(struct ob_engine *engine)
{
	guard(spinlock_irqsave)(&engine->lock);
	/* Without this one. None may be left; a depth of 0 lets one request pass. */
	if (engine->running)
		engine->depth = min(engine->depth, engine->running - 1);
}

/*
 * The driver did not accept the request, which becomes the first of its session again. Returns
 * false if it must not wait: its session was cancelled, or its arena unmapped.
 */
bool ob_queue_refused(struct ob_request *request)
{
	struct ob_session *session = request->session;
	struct ob_share *share = session->share;
	struct ob_engine *engine = share->engine;
	bool waits;

	guard(spinlock_irqsave)(&engine->lock);
	ob_uncharge(engine, request);
	request->state = OB_WAITING;
	session->driver->running--;
	share->credit += request->cost;
	engine->depth = min(engine->depth, engine->running);
	waits = engine->state != OB_STOPPED && !ob_session_is(session, OB_CANCELLED) &&
		refcount_read(&request->arena->maps);
	if (waits) {
		ob_set_state(engine, OB_FULL);
		list_add(&request->node, &session->waiting);
		list_move(&session->turn, &share->sessions);
		ob_share_sort(share);
	}
	/* Otherwise a completion starts the work. Other requests may wait too. */
	if (!engine->running)
		mod_delayed_work(ob_workqueue, &engine->dispatch, 1);
	return waits;
}

static struct ob_request *ob_queue_next(struct ob_engine *engine, struct list_head *dropped)
{
	struct ob_request *request;
	struct ob_session *session;
	struct ob_share *share;

	guard(spinlock_irq)(&engine->lock);
	if (list_empty(&engine->ready))
		ob_new_round(engine);
	/* After a refusal without other requests in the engine, no completion follows. */
	if (list_empty(&engine->ready) || (engine->state == OB_FULL && engine->running))
		return NULL;
	share = list_first_entry(&engine->ready, struct ob_share, turn);
	session = list_first_entry(&share->sessions, struct ob_session, turn);
	request = list_first_entry(&session->waiting, struct ob_request, node);
	if (!ob_has_room(engine, request)) {
		/* Its drivers may have no other request than those that are lost. */
		if (!engine->running)
			ob_stop(engine, dropped);
		return NULL;
	}
	list_del(&request->node);
	if (list_empty(&session->waiting))
		list_del_init(&session->turn);
	else
		list_move_tail(&session->turn, &share->sessions);
	ob_charge(share, request);
	ob_share_sort(share);
	return request;
}

void ob_queue_dispatch(struct work_struct *work)
{
	struct ob_engine *engine = container_of(to_delayed_work(work), struct ob_engine, dispatch);
	struct ob_request *request;
	LIST_HEAD(dropped);

	while ((request = ob_queue_next(engine, &dropped))) {
		struct ob_arena *arena = request->arena;

		refcount_inc(&arena->refs);
		ob_request_start(request);
		ob_arena_put_atomic(arena);
		/* What was refused is tried again at the next tick, or after a completion. */
		if (READ_ONCE(engine->state) == OB_FULL)
			break;
		cond_resched();
	}
	ob_queue_drop(&dropped, -EHOSTDOWN);
}

/*
 * Ends the waiting requests of a session, of an arena that is unmapped or, with NULL, all: then no
 * further request waits.
 */
void ob_queue_cancel(struct ob_session *session, const struct ob_arena *arena)
{
	struct ob_share *share = session->share;
	struct ob_request *request, *next;
	LIST_HEAD(dropped);

	lockdep_assert_held(&ob_drivers_lock);
	if (!share)
		return;
	scoped_guard(spinlock_irq, &share->engine->lock) {
		if (!arena)
			ob_session_advance(session, OB_CANCELLED);
		list_for_each_entry_safe(request, next, &session->waiting, node)
			if (!arena || request->arena == arena)
				list_move_tail(&request->node, &dropped);
		if (list_empty(&session->waiting))
			ob_end_turn(session);
	}
	ob_queue_drop(&dropped, arena ? -ECANCELED : -ENODEV);
}
