// SPDX-License-Identifier: GPL-2.0
/*
 * Engines, each that of the drivers of one kernel module, and the users that share them. Both come
 * and go under ob_drivers_lock.
 */
#include <linux/rculist.h>
#include <linux/slab.h>
#include "queue.h"

static LIST_HEAD(engines);

static struct ob_engine *ob_engine_find(const void *owner)
{
	struct ob_engine *engine;

	list_for_each_entry_rcu(engine, &engines, link, lockdep_is_held(&ob_drivers_lock))
		if (engine->owner == owner)
			return engine;
	return NULL;
}

bool ob_engine_stopped(const struct ob_driver *driver)
{
	const struct ob_engine *engine;

	guard(rcu)();
	engine = ob_engine_find(driver->owner);
	return engine && READ_ONCE(engine->state) == OB_STOPPED;
}

/* A device was bound or a driver allowed: stopped engines get a request without a further pause. */
void ob_engines_probe(void)
{
	struct ob_engine *engine;

	guard(mutex)(&ob_drivers_lock);
	list_for_each_entry(engine, &engines, link) {
		guard(spinlock_irq)(&engine->lock);
		if (engine->state == OB_STOPPED)
			engine->probe = jiffies;
	}
}

static struct ob_engine *ob_engine_get(const void *owner)
{
	struct ob_engine *engine = ob_engine_find(owner);

	if (engine)
		return engine;
	engine = kzalloc(sizeof(*engine), GFP_KERNEL);
	if (!engine)
		return NULL;
	engine->owner = owner;
	engine->depth = UINT_MAX;
	engine->limit = OB_LEAST_LIMIT;
	engine->probe = jiffies - OB_CALM;
	engine->latency = U64_MAX;
	engine->slowness = OB_UNKNOWN;
	spin_lock_init(&engine->lock);
	INIT_LIST_HEAD(&engine->shares);
	INIT_LIST_HEAD(&engine->ready);
	INIT_LIST_HEAD(&engine->spent);
	INIT_LIST_HEAD(&engine->in_flight);
	INIT_DELAYED_WORK(&engine->dispatch, ob_queue_dispatch);
	INIT_DELAYED_WORK(&engine->watch, ob_queue_watch);
	list_add_rcu(&engine->link, &engines);
	return engine;
}

/* What the drivers of the engine permit that are allowed now. */
static void ob_engine_set_most(struct ob_engine *engine)
{
	const struct ob_driver *driver;
	unsigned int most = UINT_MAX;

	lockdep_assert_held(&ob_drivers_lock);
	list_for_each_entry(driver, &ob_drivers, link)
		if (driver->limits.requests && driver->owner == engine->owner)
			most = min(most, driver->limits.requests);
	WRITE_ONCE(engine->most, most);
}

/*
 * After a driver was disallowed. Frees engines without sessions: not with the last session, since a
 * user who creates a new one must not get rid of what was measured.
 */
void ob_queue_clean(void)
{
	struct ob_engine *engine, *next;

	list_for_each_entry_safe(engine, next, &engines, link) {
		ob_engine_set_most(engine);
		if (!list_empty(&engine->shares))
			continue;
		cancel_delayed_work_sync(&engine->dispatch);
		cancel_delayed_work_sync(&engine->watch);
		list_del_rcu(&engine->link);
		kfree_rcu(engine, rcu);
	}
}

static struct ob_share *ob_share_get(struct ob_engine *engine, struct ob_user *user)
{
	struct ob_share *share;

	list_for_each_entry(share, &engine->shares, link)
		if (share->user == user)
			return share;
	share = kzalloc(sizeof(*share), GFP_KERNEL_ACCOUNT);
	if (!share)
		return NULL;
	share->engine = engine;
	share->user = user;
	share->round = READ_ONCE(engine->round);
	INIT_LIST_HEAD(&share->turn);
	INIT_LIST_HEAD(&share->sessions);
	list_add(&share->link, &engine->shares);
	return share;
}

/* The session, which has a driver handle, uses an engine from now on. */
int ob_queue_join(struct ob_session *session)
{
	struct ob_engine *engine;
	struct ob_share *share;

	guard(mutex)(&ob_drivers_lock);
	engine = ob_engine_get(session->driver->owner);
	share = engine ? ob_share_get(engine, session->file->user) : NULL;
	if (!share)
		return -ENOMEM;
	share->holders++;
	session->share = share;
	ob_engine_set_most(engine);
	return 0;
}

/* No request of the session waits: each has a reference to the session. */
void ob_queue_leave(struct ob_session *session)
{
	struct ob_share *share = session->share;

	lockdep_assert_held(&ob_drivers_lock);
	if (!share)
		return;
	session->share = NULL;
	if (--share->holders)
		return;
	list_del(&share->link);
	kfree(share);
}
