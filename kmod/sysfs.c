// SPDX-License-Identifier: GPL-2.0
/* sysfs: the allow list, the numbers of existing objects, the counters of each allowed driver. */
#include <linux/device.h>
#include <linux/slab.h>
#include "outboard.h"

atomic_t ob_files, ob_arenas, ob_requests, ob_doubles;

/* ---- The allow list ---- */

/* The name, then limits: "length=N", "requests=N", "one-direction". */
static ssize_t allow_store(struct device *device, struct device_attribute *attribute,
			   const char *text, size_t size)
{
	char line[CRYPTO_MAX_ALG_NAME + OB_LINE_REST], *rest = line, *name, *word;
	int error = strscpy(line, text, sizeof(line)) < 0 ? -EINVAL : 0;
	struct ob_limits limits = {};

	name = strsep(&rest, "\n ");
	while (!error && (word = strsep(&rest, "\n "))) {
		if (strstarts(word, "length="))
			error = kstrtou32(word + strlen("length="), 10, &limits.length);
		else if (strstarts(word, "requests="))
			error = kstrtou32(word + strlen("requests="), 10, &limits.requests);
		else if (!strcmp(word, "one-direction"))
			limits.one_direction = true;
		else if (*word)
			error = -EINVAL;
	}
	return error ?: ob_allow(name, &limits, NULL) ?: size;
}

static ssize_t allow_show(struct device *device, struct device_attribute *attribute, char *page)
{
	struct ob_driver *driver;
	ssize_t size = 0;

	guard(mutex)(&ob_drivers_lock);
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
	return size;
}
static DEVICE_ATTR_RW(allow);

static ssize_t disallow_store(struct device *device, struct device_attribute *attribute,
			      const char *text, size_t size)
{
	return ob_disallow(text, NULL) ?: size;
}
static DEVICE_ATTR_WO(disallow);

/* ---- Counters: for root only, since differences between two reads tell of other users ---- */

#define OB_COUNTER(_name, _value)                                                              \
	static ssize_t _name##_show(struct device *device, struct device_attribute *attribute, \
				    char *page)                                                \
	{                                                                                      \
		return sysfs_emit(page, "%lld\n", (long long)(_value));                        \
	}                                                                                      \
	static DEVICE_ATTR_ADMIN_RO(_name)

OB_COUNTER(files, atomic_read(&ob_files));
OB_COUNTER(arenas, atomic_read(&ob_arenas));
OB_COUNTER(arena_bytes, READ_ONCE(ob_used[OB_BYTES]));
OB_COUNTER(sessions, READ_ONCE(ob_used[OB_SESSIONS]));
OB_COUNTER(requests, atomic_read(&ob_requests));
OB_COUNTER(doubles, atomic_read(&ob_doubles));

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
OB_DRIVER_ATTR(errors, 0400, "%lld\n", (long long)atomic64_read(&driver->errors));
OB_DRIVER_ATTR(timeouts, 0400, "%lld\n", (long long)atomic64_read(&driver->timeouts));
OB_DRIVER_ATTR(in_flight, 0400, "%u\n", READ_ONCE(driver->running));
OB_DRIVER_ATTR(stopped, 0444, "%d\n", ob_engine_stopped(driver));

static struct attribute *ob_driver_attrs[] = {
	&driver_number.attr,
	&driver_algorithm.attr,
	&driver_requests.attr,
	&driver_bytes.attr,
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
