// SPDX-License-Identifier: GPL-2.0
/* Module initialisation, exit and parameters. */
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include "outboard.h"

#define OB_PARAM(_type, _name, _value, _text) \
	_type ob_##_name = _value; \
	module_param_named(_name, ob_##_name, _type, 0644); \
	MODULE_PARM_DESC(_name, _text)

OB_PARAM(uint, max_sessions, 0,
	 "sessions of all users, of which one user may have half; 0: one for each 64 KiB of memory");
OB_PARAM(ulong, max_bytes, 0,
	 "bytes of all arenas, of which one user may have half; 0: an eighth of the memory");
OB_PARAM(uint, max_requests, 96, "requests that an engine has at the same time; others wait");
OB_PARAM(bool, dma32, false, "arenas below 4 GiB, for devices that reach no more without a copy");
OB_PARAM(uint, timeout, 10, "seconds to wait for a driver's answer");
OB_PARAM(uint, patience, 30,
	 "milliseconds without a completion after which an engine with requests counts as stopped");

struct workqueue_struct *ob_workqueue;

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "outboard",
	.fops = &ob_fops,
	.groups = ob_groups,
	.mode = 0600,
};

static int __init outboard_init(void)
{
	int error;

	if (cpu_dcache_is_aliasing()) {
		pr_err("outboard: the data cache of this CPU has aliases: user space and drivers would see different bytes; use /dev/crypto\n");
		return -EOPNOTSUPP;
	}
	if (!ob_max_bytes)
		ob_max_bytes = (totalram_pages() / 8) << PAGE_SHIFT;
	if (!ob_max_sessions)
		ob_max_sessions = totalram_pages() >> (16 - PAGE_SHIFT);
	ob_workqueue = alloc_workqueue("outboard", WQ_UNBOUND, 0);
	if (!ob_workqueue)
		return -ENOMEM;
	error = misc_register(&device);
	if (error)
		goto no_device;
	error = ob_unplug_init();
	if (!error)
		error = ob_drivers_init(&device.this_device->kobj);
	if (!error)
		return 0;
	ob_unplug_exit();
	misc_deregister(&device);
no_device:
	destroy_workqueue(ob_workqueue);
	return error;
}

/*
 * Each ob_file holds a module reference until its last request in flight has completed, so no
 * object exists here. The last instructions of a completion, which is an RCU reader, and of a work
 * item may still run.
 */
static void __exit outboard_exit(void)
{
	ob_drivers_exit();
	misc_deregister(&device);
	ob_unplug_exit();
	synchronize_rcu();
	destroy_workqueue(ob_workqueue);
	rcu_barrier();
}

module_init(outboard_init);
module_exit(outboard_exit);
MODULE_DESCRIPTION("Hardware crypto accelerators for user space");
MODULE_AUTHOR("The outboard authors");
MODULE_LICENSE("GPL");
