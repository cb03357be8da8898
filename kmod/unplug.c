// SPDX-License-Identifier: GPL-2.0
/*
 * Releases the driver handles of all sessions before a driver is unbound from its device:
 * crypto_unregister_alg() only warns about an algorithm in use, and the driver's memory is freed
 * all the same. The bus notifier runs before the driver's remove, so requests in flight still
 * complete. Drivers built into the kernel are not covered: they have no module to compare.
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/slab.h>
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

/*
 * The devices that are being unbound, protected by ob_drivers_lock. A driver may lose several at
 * the same time. The owner is stored because device->driver is NULL in BUS_NOTIFY_UNBOUND_DRIVER.
 */
struct ob_unbinding {
	struct list_head link;
	const struct device *device;
	const struct module *owner;
};

static LIST_HEAD(unbindings);

/* Whether a device of this driver module is being unbound: no new sessions then. */
bool ob_module_unbinding(const struct module *owner)
{
	struct ob_unbinding *unbinding;

	lockdep_assert_held(&ob_drivers_lock);
	if (owner)
		list_for_each_entry(unbinding, &unbindings, link)
			if (unbinding->owner == owner)
				return true;
	return false;
}

static void ob_unbinding_begin(const struct device *device, const struct module *owner)
{
	/* Small, and an unbinding cannot be refused. */
	struct ob_unbinding *unbinding = kmalloc(sizeof(*unbinding), GFP_KERNEL | __GFP_NOFAIL);

	unbinding->device = device;
	unbinding->owner = owner;
	mutex_lock(&ob_drivers_lock);
	list_add(&unbinding->link, &unbindings);
	mutex_unlock(&ob_drivers_lock);
}

/* device: NULL for all. */
static void ob_unbinding_end(const struct device *device)
{
	struct ob_unbinding *unbinding, *next;

	mutex_lock(&ob_drivers_lock);
	list_for_each_entry_safe(unbinding, next, &unbindings, link) {
		if (device && unbinding->device != device)
			continue;
		list_del(&unbinding->link);
		kfree(unbinding);
	}
	mutex_unlock(&ob_drivers_lock);
}

/* Kills the sessions of the owner's drivers in a list. Returns whether any is left. */
static bool ob_kill_sessions(struct list_head *drivers, const struct module *owner,
			     struct list_head *dropped)
{
	struct ob_session *session;
	struct ob_driver *driver;
	bool any = false;

	list_for_each_entry(driver, drivers, link) {
		if (driver->owner != owner)
			continue;
		ob_queue_take(driver, NULL, dropped);
		list_for_each_entry(session, &driver->sessions, link) {
			ob_session_kill_atomic(session);
			any = true;
		}
	}
	return any;
}

static bool ob_any_left(const struct module *owner)
{
	LIST_HEAD(dropped);
	bool any;

	mutex_lock(&ob_drivers_lock);
	any = ob_kill_sessions(&ob_drivers, owner, &dropped);
	any |= ob_kill_sessions(&ob_disallowed, owner, &dropped);
	mutex_unlock(&ob_drivers_lock);
	ob_queue_drop(&dropped, -ENODEV);
	return any;
}

static int ob_bus_event(struct notifier_block *notifier, unsigned long event, void *data)
{
	unsigned long end = jiffies + max(ob_timeout, 1U) * HZ;
	struct device *device = data;

	if (event == BUS_NOTIFY_UNBOUND_DRIVER)
		ob_unbinding_end(device);
	if (event == BUS_NOTIFY_BOUND_DRIVER)
		atomic_inc(&ob_arrivals);
	if (event != BUS_NOTIFY_UNBIND_DRIVER || !device->driver || !device->driver->owner)
		return NOTIFY_DONE;
	ob_unbinding_begin(device, device->driver->owner);
	while (ob_any_left(device->driver->owner)) {
		if (time_after(jiffies, end)) {
			dev_warn(device,
				 "outboard: unbound with requests in flight; they may never end\n");
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
	/* Of devices whose unbinding ended unnoticed. */
	ob_unbinding_end(NULL);
}
