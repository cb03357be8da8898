// SPDX-License-Identifier: GPL-2.0
/* Module initialisation and exit, and the parameters that are not part of the model. */
#include <linux/module.h>
#include "sim.h"

static unsigned int devices = 1;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "devices outboard-sim.0 ... (1 to 8)");

unsigned int sim_priority = 300;
module_param_named(priority, sim_priority, uint, 0444);
MODULE_PARM_DESC(priority, "priority of the drivers");

bool sim_compute = true;
module_param_named(compute, sim_compute, bool, 0644);
MODULE_PARM_DESC(compute,
		 "N: answer without computing, wrong bytes in the model's exact time, where this CPU is slower than the model");

static int __init sim_init(void)
{
	int error;

	if (devices < 1 || devices > SIM_MAX_DEVICES)
		return -EINVAL;
	sim_debugfs_init();
	error = sim_add_devices(devices);
	if (error)
		goto no_devices;
	error = sim_go_live();
	if (error)
		goto no_drivers;
	return 0;

no_drivers:
	sim_remove_devices();
no_devices:
	sim_debugfs_exit();
	return error;
}

/* Each tfm holds a module reference, so no tfm and no request is left here. */
static void __exit sim_exit(void)
{
	sim_go_dead();
	sim_remove_devices();
	sim_debugfs_exit();
}

module_init(sim_init);
module_exit(sim_exit);
MODULE_DESCRIPTION("A crypto accelerator for tests");
MODULE_AUTHOR("The outboard authors");
MODULE_LICENSE("GPL");
