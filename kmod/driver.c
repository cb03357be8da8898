// SPDX-License-Identifier: GPL-2.0
/*
 * The list of allowed drivers, and the only place where drivers are allocated. A name alone is not
 * trusted: each driver that the crypto API returns for a name is checked. ob_drivers_lock protects
 * the lists and their entries. It is not held while a driver is allocated: the allocation may wait
 * for modprobe, which may wait for other devices, which may wait for unplug.c.
 */
#include <linux/slab.h>
#include "outboard.h"

/* Protects the lists below, what is in them, and unplug.c's list of unbindings. */
DEFINE_MUTEX(ob_drivers_lock);
LIST_HEAD(ob_drivers);
/* Sessions that have, or try to allocate, a driver handle, also of drivers that are disallowed. */
LIST_HEAD(ob_attached);
atomic_t ob_arrivals;	/* algorithms and bound devices; a change allows a new lookup */

static struct kobject *directory;	/* NULL before init and after exit: no entries are added */
static u16 last_number;

/* Chooses the next driver to try. Returns whether there is one. */
static bool ob_attach(struct ob_session *session, const struct ob_algorithm *algorithm, u16 number,
		      u16 after)
{
	struct ob_driver *driver;

	guard(mutex)(&ob_drivers_lock);
	list_for_each_entry(driver, &ob_drivers, link) {
		if (driver->number <= after || (number && driver->number != number) ||
		    (driver->trial && session->file && driver->trial != session->file) ||
		    ob_driver_unplugged(driver) ||
		    (driver->algorithm && algorithm && driver->algorithm != algorithm) ||
		    (driver->arrivals == atomic_read(&ob_arrivals) &&
		     time_before64(get_jiffies_64(), driver->retry)))
			continue;
		kobject_get(&driver->kobj);
		list_add(&session->link, &ob_attached);
		if (session->file)
			list_add(&session->of_file, &session->file->attached);
		session->driver = driver;
		return true;
	}
	return false;
}

void ob_detach(struct ob_session *session)
{
	guard(mutex)(&ob_drivers_lock);
	list_del(&session->link);
	list_del_init(&session->of_file);
	ob_queue_leave(session);
	kobject_put(&session->driver->kobj);
}

/* Drops the requests of an arena that no driver has yet. */
void ob_withdraw(const struct ob_arena *arena)
{
	struct ob_session *session;

	guard(mutex)(&ob_drivers_lock);
	list_for_each_entry(session, &arena->file->attached, of_file)
		ob_queue_cancel(session, arena);
}

/*
 * Allocates the handle, and checks that it belongs to the driver of that exact name, and that the
 * driver is not a template instance. Drivers that failed a self-test, or are internal to others,
 * are not found by this lookup.
 *
 * The crypto API takes a name such as "cbc(aes-x)" of a driver that is missing for a request to
 * instantiate a template. Templates refuse a type with CRYPTO_ALG_ASYNC in the mask
 * (crypto_check_attr_type()), except cryptd and pcrypt. Without a file, when the name is allowed,
 * the instance is found or made, and refused here. Since 6.7 the lookup returns the error of a
 * template that could not be instantiated.
 */
static int ob_handle_alloc(struct ob_session *session, const struct ob_type *type)
{
	const char *name = session->driver->name;
	bool parentheses = strchr(name, '(');
	int error = type->alloc(session, name, parentheses && session->file ? CRYPTO_ALG_ASYNC : 0);
	const struct crypto_alg *alg;

	if (error)
		return error == -EINVAL && parentheses ? -ENOENT : error;
	alg = session->tfm->__crt_alg;
	session->algorithm = ob_algorithm_named(alg->cra_name, type);
	if (strcmp(alg->cra_driver_name, name))
		error = -ENOENT;
	else if (!session->algorithm || alg->cra_flags & CRYPTO_ALG_INSTANCE)
		error = -EINVAL;
	if (error)
		ob_session_free_handle(session);
	return error;
}

/* Allocates the handle, which keeps the module of the driver, and notes what was found. */
static int ob_try_alloc(struct ob_session *session, const struct ob_type *type)
{
	struct ob_driver *driver = session->driver;
	int before = atomic_read(&ob_arrivals);
	int error = ob_handle_alloc(session, type);

	scoped_guard(mutex, &ob_drivers_lock) {
		/* A failed lookup may start modprobe: not again for a second, or an arrival. */
		driver->retry = error == -ENOENT ? get_jiffies_64() + HZ : 0;
		driver->arrivals = before;
	}
	if (!error)
		ob_driver_found(session);
	return error;
}

/* Allocates the driver with this number, or for 0 the first that works for the algorithm. */
int ob_session_alloc(struct ob_session *session, const struct ob_algorithm *algorithm, u16 number)
{
	int error = -ENOENT, tried;
	u16 after = 0;

	while (ob_attach(session, algorithm, number, after)) {
		after = session->driver->number;
		tried = ob_try_alloc(session, algorithm->type);
		if (!tried) {
			tried = session->algorithm == algorithm ? ob_queue_join(session) : -ENOENT;
			if (!tried)
				return 0;
			ob_session_free_handle(session);
		}
		if (tried != -ENOENT && tried != -EINVAL)
			error = tried;
		ob_detach(session);
	}
	return error;
}

/* Reports an unsuitable driver when it is allowed. A missing one is accepted: it may come later. */
static int ob_driver_check(u16 number)
{
	static const struct ob_type *const types[] = { &ob_skcipher, &ob_aead, &ob_ahash };
	struct ob_session *session = kzalloc(sizeof(*session), GFP_KERNEL);
	int error = -ENOENT;

	if (!session)
		return -ENOMEM;
	ob_session_init(session);
	if (ob_attach(session, NULL, number, 0)) {
		for (size_t i = 0; i < ARRAY_SIZE(types) && error == -ENOENT; i++) {
			error = ob_try_alloc(session, types[i]);
			if (!error)
				ob_session_free_handle(session);
		}
		ob_detach(session);
	}
	kfree(session);
	return error == -ENOENT ? 0 : error;
}

/* Whether it can be the exact name of a driver of one of these algorithms. */
static bool ob_name_ok(const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < size; i++)
		if (name[i] <= ' ' || name[i] > '~' || name[i] == '/' || name[i] == ',')
			return false;
	return size && size < CRYPTO_MAX_ALG_NAME;
}

/* Returns the number of the new driver, or 0 if the driver was on trial and is allowed now. */
static int ob_add(const char *name, const struct ob_limits *limits, const struct ob_file *trial)
{
	size_t text = strlen(name) + OB_LINE_REST;
	struct ob_driver *driver;
	int error;

	if (!ob_name_ok(name))
		return -EINVAL;
	if (!directory)
		return -ENODEV;
	list_for_each_entry(driver, &ob_drivers, link) {
		text += strlen(driver->name) + OB_LINE_REST;
		if (strcmp(driver->name, name))
			continue;
		if (!driver->trial || trial)
			return -EEXIST;
		driver->limits = *limits;
		driver->trial = NULL;
		return 0;
	}
	/* sysfs shows the list in one page. */
	if (text >= PAGE_SIZE || last_number == U16_MAX)
		return -ENOSPC;
	driver = kzalloc(sizeof(*driver), GFP_KERNEL);
	if (!driver)
		return -ENOMEM;
	strscpy(driver->name, name, sizeof(driver->name));
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

/* The driver of the session goes: no new requests, and none waits. */
void ob_session_cancel(struct ob_session *session)
{
	ob_session_kill_atomic(session);
	ob_queue_cancel(session, NULL);
}

static void ob_driver_remove(struct ob_driver *driver)
{
	struct ob_session *session;

	list_for_each_entry(session, &ob_attached, link)
		if (session->driver == driver)
			ob_session_cancel(session);
	list_del(&driver->link);
	kobject_del(&driver->kobj);
	kobject_put(&driver->kobj);
	ob_queue_clean();
}

/* trial: only sessions of this descriptor can use the driver until root allows it. NULL: all. */
int ob_allow(const char *name, const struct ob_limits *limits, const struct ob_file *trial)
{
	int number, error;

	scoped_guard(mutex, &ob_drivers_lock)
		number = ob_add(name, limits, trial);
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

	guard(mutex)(&ob_drivers_lock);
	list_for_each_entry_safe(driver, next, &ob_drivers, link) {
		if (name ? !sysfs_streq(driver->name, name) : driver->trial != trial)
			continue;
		ob_driver_remove(driver);
		error = 0;
	}
	return error;
}

void ob_count_timeout(u16 number)
{
	struct ob_driver *driver;

	guard(mutex)(&ob_drivers_lock);
	list_for_each_entry(driver, &ob_drivers, link)
		if (driver->number == number)
			atomic64_inc(&driver->timeouts);
}

int ob_drivers_init(struct kobject *device)
{
	scoped_guard(mutex, &ob_drivers_lock)
		directory = kobject_create_and_add("drivers", device);
	return directory ? 0 : -ENOMEM;
}

void ob_drivers_exit(void)
{
	struct kobject *created = directory;
	struct ob_driver *driver, *next;

	guard(mutex)(&ob_drivers_lock);
	directory = NULL;
	list_for_each_entry_safe(driver, next, &ob_drivers, link)
		ob_driver_remove(driver);
	ob_queue_clean();
	kobject_put(created);
}
