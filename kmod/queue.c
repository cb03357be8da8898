// SPDX-License-Identifier: GPL-2.0
/*
 * The requests that wait for an engine. Users share the engine and not an algorithm of it, so the
 * drivers of one kernel module have one queue. A request that an engine has cannot be withdrawn, so
 * an engine has few at a time, and further requests wait here.
 *
 * The limit is the amount of work with which a request waits about OB_TARGET_NS for the others in
 * the engine, or OB_SHARED_NS while several users submit. That is measured, so requests of the
 * kernel's own users count too. The number of requests grows while the driver accepts them.
 *
 * Users take turns by credit. In a round each user gets OB_QUANTUM; a user with credit may submit,
 * and each request costs its bytes. A round ends when no user with waiting requests has credit. So
 * a user that submits little has credit, and is next; debts are paid by later rounds, also when the
 * user has freed its sessions meanwhile. The sessions of one user take turns.
 *
 * An engine that has a request for much longer than it has needed of late, and completes none, has
 * stopped: what it has is written off, what waits ends, and what is submitted is refused, but for
 * one request at once and one after each pause. The pauses grow. Any completion ends that.
 *
 *   ob_engine -> ob_share (a user) -> ob_session -> waiting requests
 *
 * engine->lock protects all of this, and is taken in completions.
 */
#include "queue.h"

/* A shorter request takes an engine and the CPUs about as long as one of OB_LEAST_BYTES. */
#define OB_LEAST_BYTES 4096

#define OB_TARGET_NS (2 * NSEC_PER_MSEC)
#define OB_SHARED_NS (OB_TARGET_NS / 8)

/* Always permitted: two records of TLS. So the time that it takes is the engine's own. */
#define OB_LEAST_LIMIT 36864UL
/* Number of completions for which the depth stays after a full queue, the limit after a late one. */
#define OB_FULL_PAUSE 64
#define OB_LATE_PAUSE 8U
/* Number of requests that are long and alone, after which the engine gets two of them once. */
#define OB_PROBE 64

/* The longest pause between two requests to an engine that stopped. */
#define OB_LONGEST_PAUSE (60 * HZ)

/* Requests that one run of the work submits. */
#define OB_TURN 32

/* Brings the credit up to the current round. Unused credit is not saved. */
void ob_share_refresh(struct ob_share *share)
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

static bool ob_has_room(struct ob_engine *engine, const struct ob_request *request)
{
	engine->is_deep = engine->running >= min(engine->depth, READ_ONCE(ob_max_requests));
	engine->is_full = engine->cost + request->cost > engine->limit;
	return engine->running + engine->lost < engine->most &&
	       (!engine->running || !(engine->is_deep || engine->is_full));
}

/* Two users within a second share the engine. */
static void ob_see_user(struct ob_engine *engine, const struct ob_share *share, u64 now)
{
	if (unlikely(engine->last != share)) {
		if (engine->last && now - engine->last_ns < NSEC_PER_SEC)
			engine->shared_until = now + NSEC_PER_SEC;
		engine->last = share;
	}
	engine->last_ns = now;
}

static void ob_charge(struct ob_share *share, struct ob_request *request)
{
	struct ob_engine *engine = share->engine;

	request->charged = true;
	request->epoch = engine->epoch;
	request->alone = !engine->running;
	if (request->alone) {
		engine->progress = jiffies;
		engine->suspect = false;
	}
	request->started = ktime_get_ns();
	ob_see_user(engine, share, request->started);
	share->credit -= request->cost;
	engine->running++;
	engine->cost += request->cost;
	request->session->driver->running++;
}

static void ob_uncharge(struct ob_engine *engine, struct ob_request *request)
{
	request->charged = false;
	request->session->driver->running--;
	if (unlikely(request->epoch != engine->epoch)) {
		engine->lost--;
		return;
	}
	engine->running--;
	engine->cost -= request->cost;
}

/* ---- Engines that stopped ---- */

/*
 * Jiffies after which the engine is late with what it has. The second look is a part of ten times
 * what it has needed. More work than it had then takes longer in proportion.
 */
unsigned long ob_patience_of(const struct ob_engine *engine)
{
	unsigned long most = ob_timeout_jiffies(),
		      least = min(most, msecs_to_jiffies(READ_ONCE(ob_patience)) + 1),
		      needed = min(most, nsecs_to_jiffies(10 * engine->slowest));

	if (!engine->slowest)
		return most;
	needed -= min(needed, OB_SECOND_LOOK);
	return min_t(u64, most, (u64)max(least, needed) *
				max(1UL, DIV_ROUND_UP(engine->cost, engine->most_cost)));
}

/*
 * Writes off what the engine has if it is late, and moves what waits to @dropped. Returns whether
 * the engine has stopped. Late means that it is found so twice: a machine that was stopped itself,
 * as virtual ones are, has the interrupts of that time between.
 */
bool ob_look(struct ob_engine *engine, struct list_head *dropped)
{
	struct ob_session *session, *next_session;
	struct ob_share *share, *next;

	lockdep_assert_held(&engine->lock);
	if (likely(!engine->running ||
		   time_before(jiffies, engine->progress + ob_patience_of(engine))))
		return engine->stopped;
	if (!engine->suspect) {
		engine->suspect = true;
		engine->suspected = jiffies;
	}
	if (time_before(jiffies, engine->suspected + OB_SECOND_LOOK))
		return engine->stopped;
	engine->epoch++;
	engine->lost += engine->running;
	engine->running = 0;
	engine->cost = 0;
	engine->stalled = false;
	engine->suspect = false;
	engine->stopped = true;
	engine->probe = jiffies + engine->pause;
	engine->pause = clamp(2 * engine->pause, 1UL * HZ, 1UL * OB_LONGEST_PAUSE);
	list_splice_init(&engine->spent, &engine->ready);
	list_for_each_entry_safe(share, next, &engine->ready, turn) {
		list_for_each_entry_safe(session, next_session, &share->sessions, turn) {
			list_splice_tail_init(&session->waiting, dropped);
			list_del_init(&session->turn);
		}
		list_del_init(&share->turn);
	}
	return true;
}

/*
 * The engine has completed a request. A late one too is evidence that it works, and may be the
 * first one although the engine was written off and has nothing else.
 */
static void ob_answered(struct ob_engine *engine, const struct ob_request *request, u64 took)
{
	unsigned long cost = max_t(unsigned long, engine->cost, request->cost);

	engine->slowest = max(engine->slowest, took);
	engine->most_cost = max(engine->most_cost, cost);
	engine->new_slowest = max(engine->new_slowest, took);
	engine->new_most_cost = max(engine->new_most_cost, cost);
	if (!engine->until_forget--) {
		engine->slowest = engine->new_slowest;
		engine->most_cost = engine->new_most_cost;
		engine->new_slowest = 0;
		engine->new_most_cost = 0;
		engine->until_forget = OB_REMEMBERED;
	}
	engine->stopped = false;
	engine->pause = 0;
}

/*
 * Adjusts what the engine may have. A request that found others in the engine, and took no longer
 * than one that found none, did not wait for them: the engine works on all at the same time, and
 * may have more. What it took longer is the work that a further request finds before it.
 */
static void ob_adjust(struct ob_engine *engine, const struct ob_request *request, u64 now)
{
	u64 took = now - request->started,
	    target = now < engine->shared_until ? OB_SHARED_NS : OB_TARGET_NS;

	if (request->alone || took < engine->latency)
		engine->latency = took;
	if (engine->depth_pause)
		engine->depth_pause--;
	else if (engine->is_deep)
		engine->depth = min(engine->depth + 1, READ_ONCE(ob_max_requests));
	if (engine->limit_pause) {
		engine->limit_pause--;
	} else if (took > engine->latency + target) {
		/* Its latency has changed, or other users of the kernel have requests. */
		if (engine->limit == OB_LEAST_LIMIT)
			engine->latency = took;
		engine->limit = max(engine->limit - engine->limit / 4, OB_LEAST_LIMIT);
		engine->limit_pause = max(engine->running, OB_LATE_PAUSE);
	} else if (engine->is_full &&
		   (!request->alone ||
		    (!engine->running && (took < target || !engine->until_probe--)))) {
		engine->limit += request->cost;
		engine->until_probe = OB_PROBE;
	}
}

static bool ob_is_waiting(const struct ob_engine *engine)
{
	return !list_empty(&engine->ready) || !list_empty(&engine->spent);
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
	LIST_HEAD(dropped);
	unsigned long flags;
	int result = 1;

	request->charged = false;
	request->cost = max_t(u32, request->cost, OB_LEAST_BYTES) + OB_REQUEST_COST;
	spin_lock_irqsave(&engine->lock, flags);
	if (unlikely(ob_look(engine, &dropped))) {
		if (engine->running || time_before(jiffies, engine->probe) ||
		    engine->lost >= engine->most)
			result = -EHOSTDOWN;
	} else if (ob_is_waiting(engine) || !ob_has_room(engine, request)) {
		result = 0;
		ob_enqueue(request);
	}
	if (likely(result > 0)) {
		ob_share_refresh(share);
		if (share->credit <= 0) {
			ob_new_round(engine);
			ob_share_refresh(share);
		}
		ob_charge(share, request);
	}
	spin_unlock_irqrestore(&engine->lock, flags);
	if (unlikely(!list_empty(&dropped)))
		ob_queue_drop(&dropped, -EHOSTDOWN);
	return result;
}

/*
 * A request that the driver had, or that was dropped, has ended. The caller has a reference to the
 * session.
 */
void ob_queue_done(struct ob_request *request, int error)
{
	struct ob_engine *engine = request->session->share->engine;
	u64 now = ktime_get_ns();
	unsigned long flags;

	if (!request->charged)
		return;
	spin_lock_irqsave(&engine->lock, flags);
	engine->progress = jiffies;
	engine->suspect = false;
	if (likely(!error || error == -EBADMSG))
		ob_answered(engine, request, now - request->started);
	if (likely(request->epoch == engine->epoch))
		ob_adjust(engine, request, now);
	ob_uncharge(engine, request);
	/* A work that waits for the next tick after a refusal is started now. */
	if (unlikely(engine->stalled))
		mod_delayed_work(ob_workqueue, &engine->dispatch, 0);
	else if (unlikely(ob_is_waiting(engine)))
		queue_delayed_work(ob_workqueue, &engine->dispatch, 0);
	engine->stalled = false;
	spin_unlock_irqrestore(&engine->lock, flags);
}

/* The driver has accepted a request into its backlog: its queue is full. */
void ob_queue_backlogged(struct ob_engine *engine)
{
	unsigned long flags;

	spin_lock_irqsave(&engine->lock, flags);
	engine->depth = clamp(engine->running, 2U, engine->depth + 1) - 1;
	engine->depth_pause = OB_FULL_PAUSE;
	spin_unlock_irqrestore(&engine->lock, flags);
}

/*
 * The driver did not accept the request, which becomes the first of its session again. Returns
 * false if it must not wait: its session was cancelled.
 */
bool ob_queue_refused(struct ob_request *request)
{
	struct ob_session *session = request->session;
	struct ob_share *share = session->share;
	struct ob_engine *engine = share->engine;
	unsigned long flags;
	bool waits;

	spin_lock_irqsave(&engine->lock, flags);
	ob_uncharge(engine, request);
	share->credit += request->cost;
	engine->depth = max(engine->running, 1U);
	engine->depth_pause = OB_FULL_PAUSE;
	waits = !test_bit(OB_CANCELLED, &session->state);
	if (waits) {
		engine->stalled = true;
		list_add(&request->node, &session->waiting);
		list_move(&session->turn, &share->sessions);
		ob_share_sort(share);
	}
	/* Otherwise a completion starts the work. Other requests may wait too. */
	if (!engine->running)
		mod_delayed_work(ob_workqueue, &engine->dispatch, 1);
	spin_unlock_irqrestore(&engine->lock, flags);
	return waits;
}

static struct ob_request *ob_queue_next(struct ob_engine *engine)
{
	struct ob_request *request = NULL;
	struct ob_session *session;
	struct ob_share *share;

	spin_lock_irq(&engine->lock);
	if (list_empty(&engine->ready))
		ob_new_round(engine);
	/* After a refusal without other requests in the engine, no completion follows. */
	if (list_empty(&engine->ready) || (engine->stalled && engine->running))
		goto unlock;
	engine->stalled = false;
	share = list_first_entry(&engine->ready, struct ob_share, turn);
	session = list_first_entry(&share->sessions, struct ob_session, turn);
	request = list_first_entry(&session->waiting, struct ob_request, node);
	if (!ob_has_room(engine, request)) {
		request = NULL;
		goto unlock;
	}
	list_del(&request->node);
	if (list_empty(&session->waiting))
		list_del_init(&session->turn);
	else
		list_move_tail(&session->turn, &share->sessions);
	ob_charge(share, request);
	ob_share_sort(share);
unlock:
	spin_unlock_irq(&engine->lock);
	return request;
}

void ob_queue_dispatch(struct work_struct *work)
{
	struct ob_engine *engine = container_of(to_delayed_work(work), struct ob_engine, dispatch);
	struct ob_request *request;

	for (int i = 0; i < OB_TURN; i++) {
		struct ob_arena *arena;

		request = ob_queue_next(engine);
		if (!request)
			return;
		arena = request->arena;
		refcount_inc(&arena->refs);
		ob_request_start(request);
		ob_arena_put_atomic(arena);
		cond_resched();
	}
	queue_delayed_work(ob_workqueue, &engine->dispatch, 0);
}

/* Moves the waiting requests of a session, all or those of an arena, to @dropped. */
void ob_queue_take(struct ob_session *session, const struct ob_arena *arena,
		   struct list_head *dropped)
{
	struct ob_share *share = session->share;
	struct ob_request *request, *next;

	lockdep_assert_held(&ob_drivers_lock);
	if (!share)
		return;
	spin_lock_irq(&share->engine->lock);
	if (!arena)
		set_bit(OB_CANCELLED, &session->state);
	list_for_each_entry_safe(request, next, &session->waiting, node)
		if (!arena || request->arena == arena)
			list_move_tail(&request->node, dropped);
	if (list_empty(&session->waiting)) {
		list_del_init(&session->turn);
		if (list_empty(&share->sessions))
			list_del_init(&share->turn);
	}
	spin_unlock_irq(&share->engine->lock);
}

/* Ends requests that no driver has. Must be called without locks. */
void ob_queue_drop(struct list_head *dropped, int error)
{
	struct ob_request *request, *next;

	list_for_each_entry_safe(request, next, dropped, node)
		ob_request_done(request, error);
}
