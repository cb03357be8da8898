// SPDX-License-Identifier: GPL-2.0
/*
 * Releases the driver handles of all sessions before a driver is unbound from its device:
 * crypto_unregister_alg() only warns about an algorithm in use, and the driver's memory is freed
 * all the same. The bus notifier runs before the driver's remove, so requests in flight still
 * complete. Drivers built into the kernel are not covered: they have no module to compare.
 */
#include <linux/delay.h>
#include <linux/device.h>
#include "outboard.h"

#define MOST_BUSES 8

typedef typeof(((struct device *)NULL)->bus) ob_bus;

/*
 * Not every bus type is exported (virtio's is not). Devices of those with crypto devices are
 * children of devices on these buses.
 */
static const ob_bus carriers[] = { OB_CARRIERS };

static DEFINE_MUTEX(buses_lock);
static ob_bus buses[MOST_BUSES];
static struct notifier_block notifiers[MOST_BUSES];
static unsigned int bus_count;

/* Kills the sessions of drivers that leave with this device. Returns whether any is left. */
static bool ob_any_left(const struct device *device)
{
	struct ob_session *session;
	struct ob_driver *driver;
	LIST_HEAD(dropped);
	bool any = false;

	mutex_lock(&ob_drivers_lock);
	list_for_each_entry(driver, &ob_drivers, link) {
		if (driver->leaving != device)
			continue;
		ob_queue_take(driver, NULL, &dropped);
		list_for_each_entry(session, &driver->sessions, link) {
			ob_session_kill_atomic(session);
			any = true;
		}
	}
	mutex_unlock(&ob_drivers_lock);
	ob_queue_drop(&dropped, -ENODEV);
	return any;
}

static void ob_mark(const struct module *owner, const struct device *leaving, const struct device *now)
{
	struct ob_driver *driver;

	mutex_lock(&ob_drivers_lock);
	list_for_each_entry(driver, &ob_drivers, link)
		if (leaving ? driver->leaving == leaving : driver->owner == owner)
			driver->leaving = now;
	mutex_unlock(&ob_drivers_lock);
}

static int ob_bus_event(struct notifier_block *notifier, unsigned long event, void *data)
{
	unsigned long end = jiffies + max(ob_timeout, 1U) * HZ;
	struct device *device = data;

	if (event == BUS_NOTIFY_UNBOUND_DRIVER)
		ob_mark(NULL, device, NULL);
	if (event == BUS_NOTIFY_BOUND_DRIVER)
		atomic_inc(&ob_arrivals);
	if (event != BUS_NOTIFY_UNBIND_DRIVER || !device->driver || !device->driver->owner)
		return NOTIFY_DONE;
	ob_mark(device->driver->owner, NULL, device);
	while (ob_any_left(device)) {
		if (time_after(jiffies, end)) {
			dev_warn(device, "outboard: leaves with requests that it has not answered\n");
			break;
		}
		msleep(5);
	}
	return NOTIFY_OK;
}

static void ob_watch_bus(ob_bus bus)
{
	for (unsigned int i = 0; i < bus_count; i++)
		if (buses[i] == bus)
			return;
	if (bus_count == MOST_BUSES)
		return;
	notifiers[bus_count].notifier_call = ob_bus_event;
	if (!bus_register_notifier(bus, &notifiers[bus_count]))
		buses[bus_count++] = bus;
}

static int ob_look_at(struct device *device, void *owner)
{
	/* A device that is being bound or unbound cannot be the one that provides the algorithm. */
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

/* Watches the buses with devices of a driver module. owner: NULL for a built-in driver. */
void ob_unplug_watch(struct module *owner)
{
	if (!owner)
		return;
	mutex_lock(&buses_lock);
	for (size_t i = 0; i < ARRAY_SIZE(carriers); i++) {
		ob_watch_bus(carriers[i]);
		bus_for_each_dev(carriers[i], NULL, owner, ob_look_below);
	}
	mutex_unlock(&buses_lock);
}

void ob_unplug_exit(void)
{
	for (; bus_count; bus_count--)
		bus_unregister_notifier(buses[bus_count - 1], &notifiers[bus_count - 1]);
}
