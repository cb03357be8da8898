// SPDX-License-Identifier: GPL-2.0
/*
 * The list of allowed drivers, and the only place where drivers are allocated. A name alone is not
 * trusted: each driver that the crypto API returns for a name is checked. ob_drivers_lock protects
 * the list, its entries and the sessions of each. It is not held while a driver is allocated: the
 * allocation may wait for modprobe, which may wait for other devices, which may wait for unplug.c.
 */
#include <crypto/algapi.h>
#include <linux/slab.h>
#include "outboard.h"

#define MOST_DRIVERS 32
/* Bytes of a line of "allow" besides the name, at most: number, algorithm, limits. */
#define OB_LINE_REST 80

/* Protects the lists below, what is in them, and unplug.c's list of unbindings. */
DEFINE_MUTEX(ob_drivers_lock);
LIST_HEAD(ob_drivers);
/* Disallowed drivers with a session that still has the handle: unplug.c waits for these too. */
LIST_HEAD(ob_disallowed);
atomic_t ob_arrivals;	/* registered algorithms and bound devices; a change allows a new lookup */

static struct kobject *directory;	/* NULL before init and after exit: no entries are added */
static u16 last_number;

/*
 * A session is on its driver's list while it has, or tries to allocate, the driver handle. Returns
 * 0, or -ENOENT if no driver is left to try.
 */
static int ob_attach(struct ob_session *session, const struct ob_algorithm *algorithm, u16 number,
		     u16 after)
{
	struct ob_driver *driver;
	int error = -ENOENT;

	mutex_lock(&ob_drivers_lock);
	list_for_each_entry(driver, &ob_drivers, link) {
		if (driver->number <= after || (number && driver->number != number) ||
		    (driver->trial && session->file && driver->trial != session->file) ||
		    ob_driver_unplugged(driver) ||
		    (driver->algorithm && algorithm && driver->algorithm != algorithm) ||
		    (driver->missing && driver->arrivals == atomic_read(&ob_arrivals) &&
		     time_before(jiffies, driver->retry)))
			continue;
		error = 0;
		kobject_get(&driver->kobj);
		list_add(&session->link, &driver->sessions);
		if (session->file)
			list_add(&session->of_file, &session->file->attached);
		session->driver = driver;
		atomic_inc(&ob_sessions);
		break;
	}
	mutex_unlock(&ob_drivers_lock);
	return error;
}

void ob_detach(struct ob_session *session)
{
	struct ob_driver *driver = session->driver;

	mutex_lock(&ob_drivers_lock);
	list_del(&session->link);
	if (driver->disallowed && list_empty(&driver->sessions))
		list_del_init(&driver->link);
	list_del_init(&session->of_file);
	ob_queue_leave(session);
	mutex_unlock(&ob_drivers_lock);
	kobject_put(&driver->kobj);
	atomic_dec(&ob_sessions);
}

/*
 * Checks that the handle belongs to the driver of that exact name, and that the driver is tested
 * by the kernel, not a template instance and not internal.
 */
static int ob_check_handle(struct ob_session *session, const struct ob_type *type)
{
	const struct crypto_alg *alg = session->tfm->__crt_alg;

	if (strcmp(alg->cra_driver_name, session->driver->name))
		return -ENOENT;
	session->algorithm = ob_algorithm_named(alg->cra_name, type);
	if (alg->cra_flags & (CRYPTO_ALG_INSTANCE | CRYPTO_ALG_INTERNAL) ||
	    !(alg->cra_flags & CRYPTO_ALG_TESTED))
		return -EINVAL;
	return session->algorithm ? 0 : -EINVAL;
}

/* flags: CRYPTO_ALG_* that the driver must have. */
static int ob_try_alloc(struct ob_session *session, const struct ob_type *type, u32 flags)
{
	struct ob_driver *driver = session->driver;
	bool watch = false;
	int before = atomic_read(&ob_arrivals);
	int error = type->alloc(session, driver->name, flags);

	/* Since 6.7 the lookup returns the error of a template that could not be instantiated. */
	if (error == -EINVAL && strchr(driver->name, '('))
		error = -ENOENT;
	if (!error) {
		error = ob_check_handle(session, type);
		if (error)
			ob_session_free_handle(session);
	}
	mutex_lock(&ob_drivers_lock);
	/* Repeat a failed lookup, which may start modprobe, after one second or a new arrival. */
	driver->missing = error == -ENOENT;
	driver->arrivals = before;
	driver->retry = jiffies + HZ;
	if (!error && session->file) {
		error = ob_queue_join(session);
		if (error)
			ob_session_free_handle(session);
	}
	if (!error && (!driver->algorithm ||
		       driver->owner != session->tfm->__crt_alg->cra_module)) {
		driver->algorithm = session->algorithm;
		driver->owner = session->tfm->__crt_alg->cra_module;
		driver->built_in = !driver->owner;
		watch = true;
	}
	mutex_unlock(&ob_drivers_lock);
	/* The handle keeps the module. */
	if (watch)
		ob_unplug_watch(session->tfm->__crt_alg->cra_module);
	return error;
}

/*
 * Flags for the lookup of a name at a user's request. The crypto API takes a name such as
 * "cbc(aes-x)" of a driver that is missing for a request to instantiate a template. Templates
 * refuse a type with CRYPTO_ALG_ASYNC in the mask (crypto_check_attr_type()), except cryptd and
 * pcrypt, whose instances ob_check_handle() has refused when the name was allowed.
 */
static u32 ob_lookup_flags(const char *name)
{
	return strchr(name, '(') ? CRYPTO_ALG_ASYNC : 0;
}

/* Allocates the driver with this number, or for 0 the first that works for the algorithm. */
int ob_session_alloc(struct ob_session *session, const struct ob_algorithm *algorithm, u16 number)
{
	int error = -ENOENT, tried;
	u16 after = 0;

	while (!ob_attach(session, algorithm, number, after)) {
		after = session->driver->number;
		tried = ob_try_alloc(session, algorithm->type,
				     ob_lookup_flags(session->driver->name));
		if (!tried && session->algorithm == algorithm)
			return 0;
		if (!tried)
			ob_session_free_handle(session);
		else if (tried != -ENOENT && tried != -EINVAL)
			error = tried;
		ob_detach(session);
		if (ob_session_is(session, OB_DEAD))
			return -ENODEV;
	}
	return error;
}

/*
 * Reports an unsuitable driver when it is allowed. A missing one is accepted: it may come later.
 * Without flags, so that the name of a template instance is found, and refused.
 */
static int ob_driver_check(u16 number)
{
	static const struct ob_type *const types[] = { &ob_skcipher, &ob_aead, &ob_ahash };
	struct ob_session *session = kzalloc(sizeof(*session), GFP_KERNEL);
	int error = -ENOENT;

	if (!session)
		return -ENOMEM;
	ob_session_init(session);
	if (!ob_attach(session, NULL, number, 0)) {
		for (size_t i = 0; i < ARRAY_SIZE(types) && error == -ENOENT; i++) {
			error = ob_try_alloc(session, types[i], 0);
			if (!error)
				ob_session_free_handle(session);
		}
		ob_detach(session);
	}
	kfree(session);
	return error == -ENOENT ? 0 : error;
}

struct ob_driver *ob_driver_find(const char *name, u16 number)
{
	struct ob_driver *driver;

	list_for_each_entry(driver, &ob_drivers, link)
		if (name ? !strcmp(driver->name, name) : driver->number == number)
			return driver;
	return NULL;
}

/* Returns the number of the new driver, or 0 if the driver was on trial and is allowed now. */
static int ob_add(const char *name, const struct ob_limits *limits, const struct ob_file *trial)
{
	struct ob_driver *driver;
	size_t count = 0, text = strlen(name) + OB_LINE_REST;
	int error;

	if (!directory)
		return -ENODEV;
	driver = ob_driver_find(name, 0);
	if (driver && driver->trial && !trial) {
		driver->limits = *limits;
		driver->trial = NULL;
		return 0;
	}
	if (driver)
		return -EEXIST;
	list_for_each_entry(driver, &ob_drivers, link) {
		count++;
		text += strlen(driver->name) + OB_LINE_REST;
	}
	/* sysfs shows the list in one page. */
	if (count >= MOST_DRIVERS || text >= PAGE_SIZE || last_number == U16_MAX)
		return -ENOSPC;
	driver = kzalloc(sizeof(*driver), GFP_KERNEL);
	if (!driver)
		return -ENOMEM;
	strscpy(driver->name, name, sizeof(driver->name));
	INIT_LIST_HEAD(&driver->sessions);
	error = kobject_init_and_add(&driver->kobj, &ob_driver_ktype, directory, "%s", name);
	if (error) {
		kobject_put(&driver->kobj);
		return error;
	}
	driver->number = ++last_number;
	driver->trial = trial;
	driver->limits = *limits;
	list_add_tail(&driver->link, &ob_drivers);
	return driver->number;
}

/* Kills the sessions of a driver, and ends the requests that wait for it. */
void ob_driver_kill(struct ob_driver *driver)
{
	struct ob_session *session;

	list_for_each_entry(session, &driver->sessions, link) {
		ob_session_kill_atomic(session);
		ob_queue_cancel(session, NULL, -ENODEV);
	}
}

static void ob_driver_remove(struct ob_driver *driver)
{
	ob_driver_kill(driver);
	driver->disallowed = true;
	if (list_empty(&driver->sessions))
		list_del_init(&driver->link);
	else
		list_move_tail(&driver->link, &ob_disallowed);
	kobject_del(&driver->kobj);
	kobject_put(&driver->kobj);
	ob_queue_clean();
}

/* trial: only sessions of this descriptor can use the driver until root allows it. NULL: all. */
int ob_allow(const char *name, const struct ob_limits *limits, const struct ob_file *trial)
{
	int number, error;

	mutex_lock(&ob_drivers_lock);
	number = ob_add(name, limits, trial);
	mutex_unlock(&ob_drivers_lock);
	if (number <= 0)
		return number;
	ob_engines_probe();
	error = ob_driver_check(number);
	if (error)
		ob_disallow(name, NULL);
	return error;
}

/* Removes the driver of that name, or with NULL those on trial of a descriptor. */
int ob_disallow(const char *name, const struct ob_file *trial)
{
	struct ob_driver *driver, *next;
	int error = -ENOENT;

	mutex_lock(&ob_drivers_lock);
	list_for_each_entry_safe(driver, next, &ob_drivers, link) {
		if (name ? strcmp(driver->name, name) : driver->trial != trial)
			continue;
		ob_driver_remove(driver);
		error = 0;
	}
	mutex_unlock(&ob_drivers_lock);
	return error;
}

/* Drops the requests of an arena, or with NULL of the descriptor, that no driver has yet. */
void ob_withdraw(struct ob_file *file, const struct ob_arena *arena, int error)
{
	struct ob_session *session;

	mutex_lock(&ob_drivers_lock);
	list_for_each_entry(session, &file->attached, of_file)
		ob_queue_cancel(session, arena, error);
	/* The descriptor may be freed before the last of its sessions is detached. */
	if (!arena)
		while (!list_empty(&file->attached))
			list_del_init(file->attached.next);
	mutex_unlock(&ob_drivers_lock);
}

/* Must not call the crypto API, which may hold its own lock here. */
static int ob_crypto_event(struct notifier_block *notifier, unsigned long event, void *data)
{
	if (event == CRYPTO_MSG_ALG_LOADED)
		atomic_inc(&ob_arrivals);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = ob_crypto_event };

int ob_drivers_init(struct kobject *device)
{
	struct kobject *created = kobject_create_and_add("drivers", device);

	mutex_lock(&ob_drivers_lock);
	directory = created;
	mutex_unlock(&ob_drivers_lock);
	if (!created)
		return -ENOMEM;
	crypto_register_notifier(&notifier);
	return 0;
}

void ob_drivers_exit(void)
{
	struct kobject *created = directory;
	struct ob_driver *driver, *next;

	crypto_unregister_notifier(&notifier);
	mutex_lock(&ob_drivers_lock);
	directory = NULL;
	list_for_each_entry_safe(driver, next, &ob_drivers, link)
		ob_driver_remove(driver);
	ob_queue_clean();
	mutex_unlock(&ob_drivers_lock);
	kobject_put(created);
}

void ob_count_timeout(u16 number)
{
	struct ob_driver *driver;

	mutex_lock(&ob_drivers_lock);
	driver = ob_driver_find(NULL, number);
	if (driver)
		atomic64_inc(&driver->timeouts);
	mutex_unlock(&ob_drivers_lock);
}
