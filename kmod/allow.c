// SPDX-License-Identifier: GPL-2.0
/*
 * Root's list of drivers, by exact name, and the one place where drivers are allocated. A name is only a wish: what the
 * crypto API gives for it is looked at each time. ob_drivers_lock guards the list and the sessions of each entry.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include "outboard.h"

#define MOST_DRIVERS 32

DEFINE_MUTEX(ob_drivers_lock);
LIST_HEAD(ob_drivers);

static struct kobject *directory;	/* NULL before init and after exit: the list takes no entries */
static u16 last_number;

/* That it is the driver that root named, and one that the kernel tested, not built from a template, nobody's internal. */
static int ob_judge(const struct crypto_tfm *tfm, const char *name)
{
	const struct crypto_alg *alg = tfm->__crt_alg;

	if (strcmp(alg->cra_driver_name, name))
		return -ENOENT;
	if (alg->cra_flags & (CRYPTO_ALG_INSTANCE | CRYPTO_ALG_INTERNAL) || !(alg->cra_flags & CRYPTO_ALG_TESTED))
		return -EINVAL;
	return 0;
}

static int ob_try(struct ob_session *session, struct ob_driver *driver, const struct ob_type *type)
{
	const struct ob_algorithm *algorithm;
	int error;

	error = type->alloc(session, driver->name);
	if (error)
		return error;
	error = ob_judge(session->tfm, driver->name);
	if (!error) {
		algorithm = ob_algorithm_named(session->tfm->__crt_alg->cra_name, type);
		if (algorithm) {
			session->algorithm = algorithm;
			driver->algorithm = algorithm;
			driver->watched &= driver->owner == session->tfm->__crt_alg->cra_module;
			driver->owner = session->tfm->__crt_alg->cra_module;
			return 0;
		}
		error = -EINVAL;
	}
	type->free(session);
	return error;
}

/* What is not there is looked for at most once a second: looking may start modprobe. */
static int ob_try_again(struct ob_session *session, struct ob_driver *driver, const struct ob_type *type)
{
	int error;

	if (driver->leaving || (driver->missing && time_before(jiffies, driver->retry)))
		return -ENOENT;
	error = ob_try(session, driver, type);
	driver->missing = error == -ENOENT;
	driver->retry = jiffies + HZ;
	return error;
}

int ob_session_alloc(struct ob_session *session, const struct ob_algorithm *algorithm, u16 number)
{
	const struct module *owner = NULL;
	struct ob_driver *driver;
	int error = -ENOENT, tried;

	if (mutex_lock_killable(&ob_drivers_lock))
		return -EINTR;
	list_for_each_entry(driver, &ob_drivers, link) {
		if ((number && driver->number != number) || (driver->algorithm && driver->algorithm != algorithm))
			continue;
		tried = ob_try_again(session, driver, algorithm->type);
		if (!tried && session->algorithm != algorithm) {
			algorithm->type->free(session);
			continue;
		}
		if (!tried) {
			owner = driver->watched ? NULL : driver->owner;
			driver->watched = true;
			kobject_get(&driver->kobj);
			session->driver = driver;
			list_add(&session->link, &driver->sessions);
			atomic_inc(&ob_sessions);
			error = 0;
			break;
		}
		if (tried != -ENOENT)
			error = tried == -EINVAL ? -ENOENT : tried;
	}
	mutex_unlock(&ob_drivers_lock);
	ob_unplug_watch(owner);
	return error;
}

void ob_count_timeout(u16 number)
{
	struct ob_driver *driver;

	mutex_lock(&ob_drivers_lock);
	list_for_each_entry(driver, &ob_drivers, link)
		if (driver->number == number)
			atomic64_inc(&driver->timeouts);
	mutex_unlock(&ob_drivers_lock);
}

static struct ob_driver *ob_driver_named(const char *name)
{
	struct ob_driver *driver;

	list_for_each_entry(driver, &ob_drivers, link)
		if (!strcmp(driver->name, name))
			return driver;
	return NULL;
}

/* Tells early what is wrong with a driver that is there. One that is not may come later. */
static int ob_first_look(struct ob_driver *driver)
{
	static const struct ob_type *const types[] = { &ob_skcipher, &ob_aead, &ob_ahash };
	struct ob_session *session = kzalloc(sizeof(*session), GFP_KERNEL);
	int error = -ENOENT;

	if (!session)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(types) && error == -ENOENT; i++) {
		error = ob_try(session, driver, types[i]);
		if (!error)
			types[i]->free(session);
	}
	kfree(session);
	return error == -ENOENT ? 0 : error;
}

static int ob_allow(const char *name)
{
	struct ob_driver *driver, *other;
	unsigned int count = 0;
	int error;

	list_for_each_entry(other, &ob_drivers, link)
		count++;
	if (!directory)
		return -ENODEV;
	if (ob_driver_named(name))
		return -EEXIST;
	if (count >= MOST_DRIVERS || last_number == U16_MAX)
		return -ENOSPC;
	driver = kzalloc(sizeof(*driver), GFP_KERNEL);
	if (!driver)
		return -ENOMEM;
	strscpy(driver->name, name, sizeof(driver->name));
	INIT_LIST_HEAD(&driver->sessions);
	init_waitqueue_head(&driver->idle);
	driver->number = last_number + 1;
	error = kobject_init_and_add(&driver->kobj, &ob_driver_ktype, directory, "%s", name);
	if (!error)
		error = ob_first_look(driver);
	if (error) {
		kobject_put(&driver->kobj);
		return error;
	}
	last_number++;
	list_add_tail(&driver->link, &ob_drivers);
	return 0;
}

static void ob_disallow(struct ob_driver *driver)
{
	struct ob_session *session;

	list_for_each_entry(session, &driver->sessions, link)
		ob_session_kill_atomic(session);
	list_del(&driver->link);
	kobject_del(&driver->kobj);
	kobject_put(&driver->kobj);
}

/* Copies the name that was written, if it can be an exact driver's. */
static int ob_name(char *name, const char *text, size_t size)
{
	while (size && text[size - 1] == '\n')
		size--;
	if (!size || size >= CRYPTO_MAX_ALG_NAME)
		return -EINVAL;
	for (size_t i = 0; i < size; i++)
		if (text[i] <= ' ' || text[i] > '~' || strchr("()/,", text[i]))
			return -EINVAL;
	memcpy(name, text, size);
	name[size] = 0;
	return 0;
}

static ssize_t allow_store(struct device *device, struct device_attribute *attribute, const char *text, size_t size)
{
	char name[CRYPTO_MAX_ALG_NAME];
	int error = ob_name(name, text, size);

	if (error)
		return error;
	if (mutex_lock_killable(&ob_drivers_lock))
		return -EINTR;
	error = ob_allow(name);
	mutex_unlock(&ob_drivers_lock);
	return error ? error : size;
}

static ssize_t allow_show(struct device *device, struct device_attribute *attribute, char *page)
{
	struct ob_driver *driver;
	ssize_t size = 0;

	mutex_lock(&ob_drivers_lock);
	list_for_each_entry(driver, &ob_drivers, link)
		size += sysfs_emit_at(page, size, "%u %s %s\n", driver->number,
				      driver->algorithm ? driver->algorithm->name : "-", driver->name);
	mutex_unlock(&ob_drivers_lock);
	return size;
}

static ssize_t disallow_store(struct device *device, struct device_attribute *attribute, const char *text, size_t size)
{
	struct ob_driver *driver;
	char name[CRYPTO_MAX_ALG_NAME];
	int error = ob_name(name, text, size);

	if (error)
		return error;
	if (mutex_lock_killable(&ob_drivers_lock))
		return -EINTR;
	driver = ob_driver_named(name);
	if (driver)
		ob_disallow(driver);
	mutex_unlock(&ob_drivers_lock);
	return driver ? size : -ENOENT;
}

DEVICE_ATTR_RW(allow);
DEVICE_ATTR_WO(disallow);

int ob_allow_init(struct kobject *device)
{
	struct kobject *created = kobject_create_and_add("drivers", device);

	if (!created)
		return -ENOMEM;
	mutex_lock(&ob_drivers_lock);
	directory = created;
	mutex_unlock(&ob_drivers_lock);
	return 0;
}

void ob_allow_exit(void)
{
	struct ob_driver *driver, *next;
	struct kobject *created = directory;

	mutex_lock(&ob_drivers_lock);
	list_for_each_entry_safe(driver, next, &ob_drivers, link)
		ob_disallow(driver);
	directory = NULL;
	mutex_unlock(&ob_drivers_lock);
	kobject_put(created);
}
