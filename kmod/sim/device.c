// SPDX-License-Identifier: GPL-2.0
/*
 * Binding and unbinding of devices: echo outboard-sim.0 >
 * /sys/bus/platform/drivers/outboard_sim/unbind. The drivers of algorithms stay registered as long
 * as the module is loaded, like those of CESA, CAAM and CCP, which are registered once for all
 * engines: a tfm keeps its driver, and the kernel warns when an algorithm in use is unregistered.
 * While no device is bound, every request and every key fails with -ENODEV.
 */
#include <linux/debugfs.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/rculist.h>
#include "sim.h"

LIST_HEAD(sim_devices);
DEFINE_MUTEX(sim_devices_lock);	/* protects changes of the list */

unsigned int sim_removals;	/* of devices, since the module was loaded */
atomic_t sim_late_exits;	/* tfms with a key that were freed after a device had gone */

static struct platform_device *platform_devices[SIM_MAX_DEVICES];

/* A driver whose device does not answer must end the requests that unregistering waits for. */
static void sim_give_up(struct work_struct *work)
{
	struct sim_device *device;

	mutex_lock(&sim_devices_lock);
	list_for_each_entry(device, &sim_devices, node)
		sim_release_held(device, -ENODEV);
	mutex_unlock(&sim_devices_lock);
}

static DECLARE_DELAYED_WORK(give_up, sim_give_up);
static DEFINE_MUTEX(handles_lock);	/* one device at a time comes or goes */

/* Where handles can end, those of all devices do, before one goes. */
static void sim_end_handles(void)
{
	if (!SIM_REVOCABLE)
		return;
	schedule_delayed_work(&give_up, 3 * HZ);
	sim_go_dead();
	cancel_delayed_work_sync(&give_up);
}

static void sim_register_again(void)
{
	if (SIM_REVOCABLE && sim_removals && !list_empty(&sim_devices) &&
	    module_is_live(THIS_MODULE))
		sim_go_live();
}

static int sim_probe(struct platform_device *pdev)
{
	struct sim_device *device = devm_kzalloc(&pdev->dev, sizeof(*device), GFP_KERNEL);
	int error;

	if (!device)
		return -ENOMEM;
	device->dev = &pdev->dev;
	raw_spin_lock_init(&device->lock);
	init_waitqueue_head(&device->work);
	INIT_LIST_HEAD(&device->queued);
	INIT_LIST_HEAD(&device->backlog);
	INIT_LIST_HEAD(&device->pending);
	INIT_LIST_HEAD(&device->done);
	INIT_LIST_HEAD(&device->held);
	platform_set_drvdata(pdev, device);

	error = sim_setup_interrupt(device);
	if (error)
		return error;
	error = sim_start_threads(device);
	if (error) {
		sim_stop_interrupt(device);
		return error;
	}
	sim_debugfs_add(device);
	mutex_lock(&handles_lock);
	mutex_lock(&sim_devices_lock);
	list_add_tail_rcu(&device->node, &sim_devices);
	mutex_unlock(&sim_devices_lock);
	sim_register_again();
	mutex_unlock(&handles_lock);
	return 0;
}

static void sim_unplug(struct platform_device *pdev)
{
	struct sim_device *device = platform_get_drvdata(pdev);

	mutex_lock(&handles_lock);
	sim_end_handles();
	mutex_lock(&sim_devices_lock);
	list_del_rcu(&device->node);
	WRITE_ONCE(sim_removals, sim_removals + 1);
	mutex_unlock(&sim_devices_lock);
	synchronize_rcu();
	sim_stop_threads(device);
	sim_stop_interrupt(device);
	sim_drop_all(device);
	debugfs_remove_recursive(device->dir);
	sim_register_again();
	mutex_unlock(&handles_lock);
}

SIM_REMOVE(sim_unplug)

/* Like a driver that loses its keys and its queue: nothing may be left when the device sleeps. */
static int sim_sleep(struct device *dev)
{
	struct sim_device *device = dev_get_drvdata(dev);

	if (!READ_ONCE(device->count.outstanding) && !sim_sessions_used())
		return 0;
	dev_err(dev, "%u requests and %d keys at a suspend\n",
		READ_ONCE(device->count.outstanding), sim_sessions_used());
	return -EBUSY;
}

static DEFINE_SIMPLE_DEV_PM_OPS(sim_pm_ops, sim_sleep, NULL);

static const struct platform_device_id sim_ids[] = {
	{ .name = "outboard-sim" },
	{ }
};

static struct platform_driver sim_driver = {
	.probe = sim_probe,
	.remove = SIM_REMOVE_OP(sim_unplug),
	.id_table = sim_ids,
	.driver = {
		.name = SIM_NAME,
		.pm = pm_sleep_ptr(&sim_pm_ops),
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
	},
};

int sim_add_devices(unsigned int count)
{
	unsigned int i;
	int error = platform_driver_register(&sim_driver);

	for (i = 0; !error && i < count; i++) {
		struct platform_device *pdev = platform_device_register_simple("outboard-sim", i,
									       NULL, 0);

		error = PTR_ERR_OR_ZERO(pdev);
		if (!error)
			platform_devices[i] = pdev;
	}
	if (error)
		sim_remove_devices();
	return error;
}

void sim_remove_devices(void)
{
	unsigned int i;

	for (i = 0; i < SIM_MAX_DEVICES; i++) {
		platform_device_unregister(platform_devices[i]);
		platform_devices[i] = NULL;
	}
	platform_driver_unregister(&sim_driver);
}
