// SPDX-License-Identifier: GPL-2.0
/*
 * Suspend and hibernation. Some drivers, such as virtio_crypto, unregister their algorithms before
 * the machine sleeps, and engines lose their keys. So the sessions of all drivers end as before an
 * unbinding (unplug.c): while user space still runs, before any device is suspended. Programs get
 * ENODEV, compute in software, and create new sessions after the resume.
 */
#include <linux/suspend.h>
#include "outboard.h"

static int ob_pm_event(struct notifier_block *notifier, unsigned long event, void *data)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		ob_set_suspended(true);
		if (ob_end_sessions(NULL))
			return NOTIFY_OK;
		/* The chain calls this notifier again only if it has succeeded. */
		ob_set_suspended(false);
		pr_warn("outboard: no suspend: a driver has requests that do not end\n");
		return notifier_from_errno(-EBUSY);
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		ob_set_suspended(false);
		return NOTIFY_OK;
	}
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = ob_pm_event };

int ob_suspend_init(void)
{
	return register_pm_notifier(&notifier);
}

void ob_suspend_exit(void)
{
	unregister_pm_notifier(&notifier);
}
