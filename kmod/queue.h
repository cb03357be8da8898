/* SPDX-License-Identifier: GPL-2.0 */
/* What queue.c and shares.c have in common: engines and the users that share them. */
#ifndef OUTBOARD_QUEUE_H
#define OUTBOARD_QUEUE_H

#include "outboard.h"

/* What each request costs besides its bytes. */
#define OB_REQUEST_COST 1024

/* Not less than the cost of a request: after each round every user has credit. */
#define OB_QUANTUM (OB_MAX_LENGTH + OB_MAX_AAD + OB_REQUEST_COST)

#define OB_FIRST_DEPTH 8

/* What an engine needed counts until it has answered so often, or twice as often. */
#define OB_REMEMBERED 1024

/* A user of an engine. */
struct ob_share {
	struct list_head link;		/* in engine->shares */
	struct list_head turn;		/* in engine->ready or spent while requests wait */
	struct list_head sessions;	/* with waiting requests */
	struct ob_engine *engine;
	struct ob_user *user;
	unsigned int holders;		/* sessions; 0: kept until its debt is paid */
	s64 credit;			/* more than -OB_QUANTUM */
	u64 round;			/* that credit is of */
};

struct ob_engine {
	struct list_head link;
	/* Of the algorithms; compared only, and may be gone. NULL: built into the kernel. */
	const struct module *owner;
	struct list_head shares;
	unsigned int sessions;
	spinlock_t lock;		/* protects all that follows */
	struct list_head ready, spent;	/* users with waiting requests: with credit, or not */
	u64 round;
	unsigned int running, depth;	/* requests that the engine has, and may have */
	unsigned int most;		/* requests that its drivers permit */
	unsigned long cost, limit;	/* of these requests, and at most */
	bool stalled;			/* refused a request; no more until one completes */
	bool is_deep, is_full;		/* depth, limit makes the next request wait */
	unsigned int depth_pause, limit_pause;	/* completions until it may change again */
	unsigned int until_probe;	/* requests of OB_PROBE to come */
	u64 latency;			/* nanoseconds of a request that waits for no other */
	const struct ob_share *last;	/* that submitted last; compared only, and may be gone */
	u64 last_ns, shared_until;
	unsigned long progress;		/* jiffies of a completion, or since it has a request */
	u64 slowest;			/* nanoseconds, of late; 0: it has never answered */
	unsigned long most_cost;	/* that it had when it answered, of late */
	u64 new_slowest;		/* what these two become after until_forget answers */
	unsigned long new_most_cost;
	unsigned int until_forget;
	unsigned int epoch, lost;	/* requests of earlier epochs, which were written off */
	bool stopped, suspect;		/* suspect: was found late once */
	unsigned long suspected;	/* jiffies of that */
	unsigned long pause, probe;	/* jiffies; when the next request may be let through */
	struct delayed_work dispatch;
};

/* ---- queue.c ---- */

void ob_share_refresh(struct ob_share *share);
unsigned long ob_patience_of(const struct ob_engine *engine);
bool ob_look(struct ob_engine *engine, struct list_head *dropped);
void ob_queue_dispatch(struct work_struct *work);

#endif
