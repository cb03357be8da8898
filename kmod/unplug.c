// SPDX-License-Identifier: GPL-2.0
/*
 * Releases the driver handles of all sessions before a driver is unbound from its device:
 * crypto_unregister_alg() only warns about an algorithm in use, and the driver's memory is freed
 * all the same. The bus notifier runs before the driver's remove, so requests in flight still
 * complete. The same before a suspend, while user space still runs: some drivers, such as
 * virtio_crypto, unregister their algorithms before the machine sleeps, and engines lose keys.
 *
 * The kernel does not connect an algorithm with devices. Here a device is one of the algorithm's if
 * the module of its driver is that of the algorithm (most), uses it (QAT: qat_c62x uses intel_qat,
 * which has the algorithms), or is used by it (CCP: ccp_crypto uses ccp). For algorithms that are
 * built into the kernel, each device with a built-in driver counts. So some sessions end although
 * their device stays; programs create new ones.
 */
#include <crypto/algapi.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/kernfs.h>
#include <linux/kmemleak.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/suspend.h>
#include "outboard.h"

#define MOST_BUSES 8

static DEFINE_MUTEX(buses_lock);
static struct {
	typeof(((struct device *)NULL)->bus) bus;
	struct notifier_block notifier;
} buses[MOST_BUSES];
static unsigned int bus_count;

/*
 * By the address of a device that is being unbound, the module of its driver. In
 * BUS_NOTIFY_UNBOUND_DRIVER device->driver is NULL.
 */
static DEFINE_XARRAY(unbindings);

static bool suspended;	/* or about to be; protected by ob_drivers_lock */

/* Whether user uses symbols of module: sysfs has a link for it. */
static bool ob_uses(const struct module *user, const struct module *module)
{
	struct kernfs_node *found;

	if (!module->holders_dir)
		return false;
	found = kernfs_find_and_get(module->holders_dir->sd, user->name);
	kernfs_put(found);
	return found;
}

/* owner: of an algorithm; module: of a device's driver. */
static bool ob_related(const struct module *owner, const struct module *module)
{
	if (owner == module)
		return true;
	return owner && owner != OB_BUILT_IN && module != OB_BUILT_IN &&
	       (ob_uses(owner, module) || ob_uses(module, owner));
}

/* No new sessions while the machine is suspended, or a device that it may need is unbound. */
bool ob_driver_unplugged(const struct ob_driver *driver)
{
	const struct module *owner;
	unsigned long device;

	lockdep_assert_held(&ob_drivers_lock);
	if (suspended)
		return true;
	xa_for_each(&unbindings, device, owner)
		if (ob_related(driver->owner, owner))
			return true;
	return false;
}

/*
 * The driver has requests of the session that it may never complete. Its handle is never freed,
 * because that may use the device, and is not used again: the session is dead. The handle's
 * reference keeps the driver's module loaded. Returns whether the handle is being freed.
 */
static bool ob_abandon(struct ob_session *session)
{
	if (ob_session_advance(session, OB_ENDED) >= OB_ENDED)
		return !ob_session_is(session, OB_ABANDONED);
	ob_session_advance(session, OB_ABANDONED);
	if (session->share)
		ob_queue_abandon(session);
	kmemleak_not_leak(session->skcipher);
	return false;
}

/*
 * Whether a session that was killed will end. For a suspend those do not count that have only lost
 * requests: one would prevent each suspend until the machine is restarted.
 */
static bool ob_will_end(struct ob_session *session, bool suspend)
{
	if (ob_session_is(session, OB_ABANDONED))
		return false;
	return !suspend || refcount_read(&session->users) != READ_ONCE(session->lost);
}

/*
 * Kills or abandons the sessions of drivers that need a device of the module @module, or with NULL
 * of all. Returns whether any will still free its handle.
 */
static bool ob_any_left(const struct module *module, bool abandon)
{
	struct ob_session *session;
	bool any = false;

	guard(mutex)(&ob_drivers_lock);
	list_for_each_entry(session, &ob_attached, link) {
		if (module && !ob_related(session->driver->owner, module))
			continue;
		ob_session_cancel(session);
		any |= abandon ? ob_abandon(session) : ob_will_end(session, !module);
	}
	return any;
}

/* Kills sessions and waits until their handles are freed. Returns false after the timeout. */
static bool ob_end_sessions(const struct module *module)
{
	unsigned long end = jiffies + ob_timeout_jiffies();

	while (ob_any_left(module, false)) {
		if (time_after(jiffies, end))
			return false;
		msleep(20);
	}
	return true;
}

static void ob_before_unbinding(struct device *device)
{
	struct module *module = device->driver->owner ?: OB_BUILT_IN;

	/* An unbinding cannot be refused. Sessions that are created later see it: ob_attach(). */
	xa_store(&unbindings, (unsigned long)device, module, GFP_KERNEL | __GFP_NOFAIL);
	if (ob_end_sessions(module))
		return;
	dev_warn(device,
		 "outboard: unbound with requests in flight; the driver's module stays loaded\n");
	while (ob_any_left(module, true))
		msleep(20);
}

static void ob_set_suspended(bool yes)
{
	guard(mutex)(&ob_drivers_lock);
	suspended = yes;
}

static int ob_pm_event(struct notifier_block *notifier, unsigned long event, void *data)
{
	bool prepare = event == PM_SUSPEND_PREPARE || event == PM_HIBERNATION_PREPARE ||
		       event == PM_RESTORE_PREPARE;

	ob_set_suspended(prepare);
	if (!prepare || ob_end_sessions(NULL))
		return NOTIFY_OK;
	/* The chain calls this notifier again only if it has succeeded. */
	ob_set_suspended(false);
	pr_warn("outboard: no suspend: a driver has requests that do not end\n");
	return notifier_from_errno(-EBUSY);
}

static int ob_bus_event(struct notifier_block *notifier, unsigned long event, void *data)
{
	switch (event) {
	case BUS_NOTIFY_UNBIND_DRIVER:
		ob_before_unbinding(data);
		break;
	case BUS_NOTIFY_UNBOUND_DRIVER:
		xa_erase(&unbindings, (unsigned long)data);
		break;
	case BUS_NOTIFY_BOUND_DRIVER:
		/* A lookup from now on waits until its algorithms have been tested. */
		atomic_inc(&ob_arrivals);
		ob_engines_probe();
	}
	return NOTIFY_OK;
}

static void ob_watch_bus_of(struct device *device)
{
	for (unsigned int i = 0; i < bus_count; i++)
		if (buses[i].bus == device->bus)
			return;
	if (bus_count == MOST_BUSES)
		return;
	buses[bus_count].bus = device->bus;
	buses[bus_count].notifier.notifier_call = ob_bus_event;
	if (!bus_register_notifier(device->bus, &buses[bus_count].notifier))
		bus_count++;
}

/*
 * The next device of the machine, with a reference; that of `before` is released. All devices are
 * in one kset, whatever their bus. Not every bus type is exported (virtio's is not), and where its
 * devices are differs: below PCI devices, or on IBM Z below channels, whose bus is not exported
 * either.
 */
static struct device *ob_next_device(struct device *before)
{
	struct kset *devices = platform_bus.kobj.kset;
	struct list_head *entry = &devices->list;
	struct device *next = NULL;

	spin_lock(&devices->list_lock);
	/* If it was removed meanwhile: from the first device again. */
	if (before && !list_empty(&before->kobj.entry))
		entry = &before->kobj.entry;
	for (entry = entry->next; entry != &devices->list && !next; entry = entry->next) {
		struct kobject *kobject = list_entry(entry, struct kobject, entry);

		if (kobject->ktype == platform_bus.kobj.ktype && kobject_get_unless_zero(kobject))
			next = kobj_to_dev(kobject);
	}
	spin_unlock(&devices->list_lock);
	put_device(before);
	return next;
}

/* Watches the buses with devices of a driver module. */
static void ob_unplug_watch(struct module *owner)
{
	struct device *device = NULL;

	guard(mutex)(&buses_lock);
	while ((device = ob_next_device(device))) {
		/* One that is being bound or unbound does not provide the algorithm. */
		if (!device_trylock(device))
			continue;
		/* A driver that is built into the kernel may have devices on the first two. */
		if (dev_is_platform(device) || dev_is_pci(device) ||
		    (owner != OB_BUILT_IN && device->bus && device->driver &&
		     ob_related(owner, device->driver->owner ?: OB_BUILT_IN)))
			ob_watch_bus_of(device);
		device_unlock(device);
	}
}

/* The session has a handle of its driver. */
void ob_driver_found(struct ob_session *session)
{
	struct module *owner = session->tfm->__crt_alg->cra_module ?: OB_BUILT_IN;
	struct ob_driver *driver = session->driver;
	bool is_new;

	scoped_guard(mutex, &ob_drivers_lock) {
		is_new = driver->owner != owner;
		driver->algorithm = session->algorithm;
		driver->owner = owner;
	}
	if (is_new)
		ob_unplug_watch(owner);
}

/* Must not call the crypto API, which may hold its own lock here. */
static int ob_crypto_event(struct notifier_block *notifier, unsigned long event, void *data)
{
	if (event == CRYPTO_MSG_ALG_LOADED)
		atomic_inc(&ob_arrivals);
	return NOTIFY_DONE;
}

/* Forgets a module before it is freed. */
static int ob_module_event(struct notifier_block *notifier, unsigned long event, void *data)
{
	struct ob_session *session;
	struct ob_driver *driver;

	if (event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	guard(mutex)(&ob_drivers_lock);
	list_for_each_entry(driver, &ob_drivers, link)
		if (driver->owner == data)
			driver->owner = NULL;
	/* Of disallowed drivers. No session has a handle of the module's algorithms. */
	list_for_each_entry(session, &ob_attached, link)
		if (session->driver->owner == data)
			session->driver->owner = NULL;
	return NOTIFY_OK;
}

static struct notifier_block crypto_notifier = { .notifier_call = ob_crypto_event };
static struct notifier_block module_notifier = { .notifier_call = ob_module_event };
static struct notifier_block pm_notifier = { .notifier_call = ob_pm_event };

int ob_unplug_init(void)
{
	crypto_register_notifier(&crypto_notifier);
	register_module_notifier(&module_notifier);
	return register_pm_notifier(&pm_notifier);
}

void ob_unplug_exit(void)
{
	unregister_pm_notifier(&pm_notifier);
	unregister_module_notifier(&module_notifier);
	crypto_unregister_notifier(&crypto_notifier);
	while (bus_count--)
		bus_unregister_notifier(buses[bus_count].bus, &buses[bus_count].notifier);
	/* Of devices whose unbinding ended unnoticed. */
	xa_destroy(&unbindings);
}
