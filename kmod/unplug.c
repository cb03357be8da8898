// SPDX-License-Identifier: GPL-2.0
/*
 * Before a driver loses its device, its sessions let go of it: crypto_unregister_alg() refuses to work with (and warns of)
 * algorithms in use, and the driver's memory goes regardless. The bus tells before the driver's remove runs, so requests
 * in flight still come back then.
 */
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include "outboard.h"

#define MOST_BUSES 8

typedef typeof(((struct device *)NULL)->bus) ob_bus;

static DEFINE_MUTEX(buses_lock);
static ob_bus buses[MOST_BUSES];
static struct notifier_block notifiers[MOST_BUSES];
static unsigned int bus_count;

static void ob_leave(const struct device *device, const struct module *owner)
{
	struct ob_driver *driver;
	struct ob_session *session;

	list_for_each_entry(driver, &ob_drivers, link) {
		if (driver->owner != owner)
			continue;
		driver->leaving = device;
		list_for_each_entry(session, &driver->sessions, link)
			ob_session_kill_atomic(session);
	}
}

static struct ob_driver *ob_leaving_with_sessions(const struct device *device)
{
	struct ob_driver *driver;

	list_for_each_entry(driver, &ob_drivers, link) {
		if (driver->leaving != device || list_empty(&driver->sessions))
			continue;
		kobject_get(&driver->kobj);
		return driver;
	}
	return NULL;
}

static void ob_unbind(const struct device *device, const struct module *owner)
{
	unsigned long end = jiffies + ob_timeout * HZ;
	struct ob_driver *driver;
	bool gone = true;

	mutex_lock(&ob_drivers_lock);
	ob_leave(device, owner);
	while (gone && (driver = ob_leaving_with_sessions(device))) {
		mutex_unlock(&ob_drivers_lock);
		gone = wait_event_timeout(driver->idle, list_empty(&driver->sessions), max_t(long, end - jiffies, 1));
		if (!gone)
			pr_warn("outboard: %s leaves with requests that it has not answered\n", driver->name);
		kobject_put(&driver->kobj);
		mutex_lock(&ob_drivers_lock);
	}
	mutex_unlock(&ob_drivers_lock);
}

static void ob_unbound(const struct device *device)
{
	struct ob_driver *driver;

	mutex_lock(&ob_drivers_lock);
	list_for_each_entry(driver, &ob_drivers, link)
		if (driver->leaving == device)
			driver->leaving = NULL;
	mutex_unlock(&ob_drivers_lock);
}

static int ob_bus_event(struct notifier_block *notifier, unsigned long event, void *data)
{
	struct device *device = data;

	if (event == BUS_NOTIFY_UNBIND_DRIVER && device->driver && device->driver->owner)
		ob_unbind(device, device->driver->owner);
	else if (event == BUS_NOTIFY_UNBOUND_DRIVER)
		ob_unbound(device);
	return NOTIFY_OK;
}

static int ob_watch_bus(ob_bus bus)
{
	int error = -ENOSPC;

	for (unsigned int i = 0; i < bus_count; i++)
		if (buses[i] == bus)
			return 0;
	if (bus_count == MOST_BUSES)
		return error;
	notifiers[bus_count].notifier_call = ob_bus_event;
	error = bus_register_notifier(bus, &notifiers[bus_count]);
	if (!error)
		buses[bus_count++] = bus;
	return error;
}

static int ob_look_at(struct device *device, void *owner)
{
	/* A driver that is just leaving must not be looked at; one that holds a session stays. */
	if (!device_trylock(device))
		return 0;
	if (device->bus && device->driver && device->driver->owner == owner)
		ob_watch_bus(device->bus);
	device_unlock(device);
	return 0;
}

static int ob_look_below(struct device *device, void *owner)
{
	return device_for_each_child(device, owner, ob_look_at);
}

/* Not every bus type is exported (virtio's is not): those that carry crypto hang below devices of these two. */
void ob_unplug_watch(const struct module *owner)
{
	if (!owner)
		return;
	mutex_lock(&buses_lock);
	bus_for_each_dev(&platform_bus_type, NULL, (void *)owner, ob_look_below);
#ifdef CONFIG_PCI
	bus_for_each_dev(&pci_bus_type, NULL, (void *)owner, ob_look_below);
#endif
	mutex_unlock(&buses_lock);
}

void ob_unplug_exit(void)
{
	while (bus_count) {
		bus_count--;
		bus_unregister_notifier(buses[bus_count], &notifiers[bus_count]);
	}
}

int ob_unplug_init(void)
{
	int error = ob_watch_bus(&platform_bus_type);

#ifdef CONFIG_PCI
	if (!error)
		error = ob_watch_bus(&pci_bus_type);
#endif
	if (error)
		ob_unplug_exit();
	return error;
}
