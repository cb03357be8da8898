// SPDX-License-Identifier: GPL-2.0
/* sysfs: the allow list, the numbers of existing objects, the counters of each allowed driver. */
#include <linux/device.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "outboard.h"

atomic_t ob_files, ob_arenas, ob_sessions, ob_requests, ob_doubles;

/* ---- The allow list ---- */

/* Whether it can be the exact name of a driver of one of these algorithms. */
bool ob_name_ok(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] <= ' ' || text[i] > '~' || text[i] == '/' || text[i] == ',')
			return false;
	return size;
}

/* Copies the name at the beginning of a text. Returns its size, or a negative errno. */
static ssize_t ob_name_of(const char *text, char name[CRYPTO_MAX_ALG_NAME])
{
	size_t size = strcspn(text, "\n ");

	if (size >= CRYPTO_MAX_ALG_NAME || !ob_name_ok(text, size))
		return -EINVAL;
	strscpy(name, text, size + 1);
	return size;
}

/* Limits after the name: "length=N", "requests=N", "one-direction". */
static int ob_limits_of(const char *text, struct ob_limits *limits)
{
	char words[64], *rest = words, *word;
	int error = 0;

	if (strscpy(words, text, sizeof(words)) < 0)
		return -EINVAL;
	while (!error && (word = strsep(&rest, "\n "))) {
		if (strstarts(word, "length="))
			error = kstrtou32(word + strlen("length="), 10, &limits->length);
		else if (strstarts(word, "requests="))
			error = kstrtou32(word + strlen("requests="), 10, &limits->requests);
		else if (!strcmp(word, "one-direction"))
			limits->one_direction = true;
		else if (*word)
			error = -EINVAL;
	}
	return error;
}

static ssize_t allow_store(struct device *device, struct device_attribute *attribute,
			   const char *text, size_t size)
{
	struct ob_limits limits = {};
	char name[CRYPTO_MAX_ALG_NAME];
	ssize_t length = ob_name_of(text, name);
	int error = length < 0 ? length : ob_limits_of(text + length, &limits);

	if (!error)
		error = ob_allow(name, &limits, NULL);
	return error ? error : size;
}

static ssize_t allow_show(struct device *device, struct device_attribute *attribute, char *page)
{
	struct ob_driver *driver;
	ssize_t size = 0;

	mutex_lock(&ob_drivers_lock);
	list_for_each_entry(driver, &ob_drivers, link) {
		if (driver->trial)
			continue;
		size += sysfs_emit_at(page, size, "%u %s %s", driver->number,
				      driver->algorithm ? driver->algorithm->name : "-",
				      driver->name);
		if (driver->limits.length)
			size += sysfs_emit_at(page, size, " length=%u", driver->limits.length);
		if (driver->limits.requests)
			size += sysfs_emit_at(page, size, " requests=%u", driver->limits.requests);
		size += sysfs_emit_at(page, size, "%s\n",
				      driver->limits.one_direction ? " one-direction" : "");
	}
	mutex_unlock(&ob_drivers_lock);
	return size;
}
static DEVICE_ATTR_RW(allow);

static ssize_t disallow_store(struct device *device, struct device_attribute *attribute,
			      const char *text, size_t size)
{
	char name[CRYPTO_MAX_ALG_NAME];
	ssize_t length = ob_name_of(text, name);

	if (length < 0 || (text[length] && strcmp(text + length, "\n")))
		return -EINVAL;
	return ob_disallow(name, NULL) ?: size;
}
static DEVICE_ATTR_WO(disallow);

/* ---- Counters: for root only, since differences between two reads tell of other users ---- */

#define OB_LIVE(_name)                                                                         \
	static ssize_t _name##_show(struct device *device, struct device_attribute *attribute, \
				    char *page)                                                \
	{                                                                                      \
		return sysfs_emit(page, "%d\n", atomic_read(&ob_##_name));                     \
	}                                                                                      \
	static DEVICE_ATTR_ADMIN_RO(_name)

OB_LIVE(files);
OB_LIVE(arenas);
OB_LIVE(sessions);
OB_LIVE(requests);
OB_LIVE(doubles);

static ssize_t arena_bytes_show(struct device *device, struct device_attribute *attribute,
				char *page)
{
	return sysfs_emit(page, "%lld\n", (long long)ob_used(OB_BYTES));
}
static DEVICE_ATTR_ADMIN_RO(arena_bytes);

static struct attribute *ob_attrs[] = {
	&dev_attr_allow.attr,
	&dev_attr_disallow.attr,
	&dev_attr_files.attr,
	&dev_attr_arenas.attr,
	&dev_attr_arena_bytes.attr,
	&dev_attr_sessions.attr,
	&dev_attr_requests.attr,
	&dev_attr_doubles.attr,
	NULL
};

static const struct attribute_group ob_group = { .attrs = ob_attrs };
const struct attribute_group *ob_groups[] = { &ob_group, NULL };

#define OB_DRIVER_ATTR(_name, _mode, ...)                                                         \
	static ssize_t driver_##_name##_show(struct kobject *kobj,                                \
					     struct kobj_attribute *attribute, char *page)        \
	{                                                                                         \
		struct ob_driver *driver = container_of(kobj, struct ob_driver, kobj);            \
		return sysfs_emit(page, __VA_ARGS__);                                             \
	}                                                                                         \
	static struct kobj_attribute driver_##_name = __ATTR(_name, _mode, driver_##_name##_show, \
							     NULL)

OB_DRIVER_ATTR(number, 0444, "%u\n", driver->number);
OB_DRIVER_ATTR(algorithm, 0444, "%s\n", driver->algorithm ? driver->algorithm->name : "-");
OB_DRIVER_ATTR(requests, 0400, "%lld\n", (long long)atomic64_read(&driver->requests));
OB_DRIVER_ATTR(bytes, 0400, "%lld\n", (long long)atomic64_read(&driver->bytes));
OB_DRIVER_ATTR(batches, 0400, "%lld\n", (long long)atomic64_read(&driver->batches));
OB_DRIVER_ATTR(errors, 0400, "%lld\n", (long long)atomic64_read(&driver->errors));
OB_DRIVER_ATTR(timeouts, 0400, "%lld\n", (long long)atomic64_read(&driver->timeouts));
OB_DRIVER_ATTR(in_flight, 0400, "%u\n", READ_ONCE(driver->running));

static ssize_t driver_stopped_show(struct kobject *kobj, struct kobj_attribute *attribute,
				   char *page)
{
	bool stopped;

	/* ob_driver_remove() waits for all readers while it holds the lock. */
	if (!mutex_trylock(&ob_drivers_lock))
		return restart_syscall();
	stopped = ob_engine_stopped(container_of(kobj, struct ob_driver, kobj));
	mutex_unlock(&ob_drivers_lock);
	return sysfs_emit(page, "%d\n", stopped);
}

static struct kobj_attribute driver_stopped = __ATTR(stopped, 0444, driver_stopped_show, NULL);

static struct attribute *ob_driver_attrs[] = {
	&driver_number.attr,
	&driver_algorithm.attr,
	&driver_requests.attr,
	&driver_bytes.attr,
	&driver_batches.attr,
	&driver_errors.attr,
	&driver_timeouts.attr,
	&driver_in_flight.attr,
	&driver_stopped.attr,
	NULL
};
ATTRIBUTE_GROUPS(ob_driver);

static void ob_driver_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct ob_driver, kobj));
}

const struct kobj_type ob_driver_ktype = {
	.release = ob_driver_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = ob_driver_groups,
};
