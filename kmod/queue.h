/* SPDX-License-Identifier: GPL-2.0 */
/* What queue.c and shares.c have in common: engines and the users that share them. */
#ifndef OUTBOARD_QUEUE_H
#define OUTBOARD_QUEUE_H

#include "outboard.h"

/* A request costs its bytes. A shorter one takes the engine and the CPUs about as long as this. */
#define OB_LEAST_COST 5120U

/* Not less than the cost of a request: after each round every user has credit. */
#define OB_QUANTUM (OB_MAX_LENGTH + OB_MAX_AAD)

/* Always permitted: eight short requests, or two records of TLS. */
#define OB_LEAST_LIMIT (8UL * OB_LEAST_COST)

/* An engine that stopped, and not again for this long, counts as one that never did. */
#define OB_CALM (60 * HZ)

/* An engine that has not completed any request has 2^8 times the patience: 7.7 s. */
#define OB_UNKNOWN 8

/* A user of an engine. */
struct ob_share {
	struct list_head link;		/* in engine->shares */
	struct list_head turn;		/* in engine->ready or spent while requests wait */
	struct list_head sessions;	/* with waiting requests */
	struct ob_engine *engine;
	struct ob_user *user;		/* held by the sessions' files */
	unsigned int holders;		/* sessions */
	s64 credit;			/* more than -OB_QUANTUM; 0 at first */
	u64 round;			/* that credit is of */
};

/* FULL: refused a request; gets no more until one completes. STOPPED: see ob_stop(). */
enum ob_engine_state { OB_WORKS, OB_FULL, OB_STOPPED };

struct ob_engine {
	struct list_head link;
	const void *owner;		/* of the algorithms; compared only, and may be gone */
	struct list_head shares;
	spinlock_t lock;		/* protects all that follows */
	struct list_head ready, spent;	/* users with waiting requests: with credit, or not */
	u64 round;
	unsigned int running;		/* requests that the engine has */
	unsigned int depth;		/* that its drivers accept */
	unsigned int most;		/* that its drivers permit */
	unsigned long cost, limit;	/* of the requests that it has, and at most */
	u64 latency;			/* nanoseconds of a request that waits for no other */
	enum ob_engine_state state;
	/* Requests that it has, by age, and changes of them: what has completed, what is lost. */
	struct list_head in_flight;
	u32 completed;
	unsigned int lost;		/* of drivers with a limit: they count towards most */
	/* Engines that stopped: see ob_queue_watch(). */
	u64 progress;			/* nanoseconds, of the last completion */
	unsigned int looks;		/* at the engine since then */
	unsigned int slowness;		/* doublings of the patience */
	unsigned long pause, probe;	/* jiffies; when the next request may be let through */
	struct delayed_work watch;
	struct delayed_work dispatch;
	struct rcu_head rcu;		/* of ob_engine_stopped() */
};

/* ---- queue.c ---- */

void ob_queue_dispatch(struct work_struct *work);
void ob_queue_backlogged(struct ob_engine *engine);
void ob_queue_watch(struct work_struct *work);

#endif
