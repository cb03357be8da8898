// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/debug/outboard_sim: fault rules, held requests, counters. */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "sim.h"

#define SIM_MAX_WRITE 4096

static struct dentry *root;

static int faults_show(struct seq_file *file, void *unused)
{
	sim_show_faults(file);
	return 0;
}

static int faults_open(struct inode *inode, struct file *file)
{
	return single_open(file, faults_show, NULL);
}

/* One rule per line; rules before an invalid one take effect. */
static ssize_t faults_write(struct file *file, const char __user *from, size_t size, loff_t *offset)
{
	char *text, *rest, *line;
	int error = 0;

	if (size > SIM_MAX_WRITE)
		return -E2BIG;
	text = memdup_user_nul(from, size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	for (rest = text; !error && (line = strsep(&rest, "\n"));)
		error = sim_parse_fault(line);
	kfree(text);
	return error ?: (ssize_t)size;
}

static const struct file_operations faults_fops = {
	.owner = THIS_MODULE,
	.open = faults_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
	.write = faults_write,
};

/* Completes all requests that a fault holds: 0 computes them, an errno fails them with it. */
static int held_set(void *data, u64 error)
{
	struct sim_device *device;

	if (error > MAX_ERRNO)
		return -ERANGE;
	mutex_lock(&sim_devices_lock);
	list_for_each_entry(device, &sim_devices, node)
		sim_release_held(device, -(int)error);
	mutex_unlock(&sim_devices_lock);
	sim_complete_forgotten();
	return 0;
}

static int held_get(void *data, u64 *held)
{
	struct sim_device *device;
	u64 sum = 0;

	mutex_lock(&sim_devices_lock);
	list_for_each_entry(device, &sim_devices, node)
		sum += READ_ONCE(device->count.held);
	mutex_unlock(&sim_devices_lock);
	*held = sum;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(held_fops, held_get, held_set, "%llu\n");

static int sessions_get(void *data, u64 *used)
{
	*used = sim_sessions_used();
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(sessions_fops, sessions_get, NULL, "%llu\n");

static int algorithms_show(struct seq_file *file, void *unused)
{
	struct sim_algorithm *algorithm;

	seq_puts(file, "# driver registered requests bytes\n");
	for (algorithm = sim_algorithms; algorithm < sim_algorithms + SIM_ALGORITHMS; algorithm++)
		seq_printf(file, "%s %d %llu %llu\n", sim_crypto_alg(algorithm)->cra_driver_name,
			   algorithm->registered, (u64)atomic64_read(&algorithm->requests),
			   (u64)atomic64_read(&algorithm->bytes));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(algorithms);

void sim_debugfs_init(void)
{
	root = debugfs_create_dir(SIM_NAME, NULL);
	debugfs_create_file("faults", 0600, root, NULL, &faults_fops);
	debugfs_create_file_unsafe("held", 0600, root, NULL, &held_fops);
	debugfs_create_file_unsafe("sessions", 0400, root, NULL, &sessions_fops);
	debugfs_create_atomic_t("late_exits", 0400, root, &sim_late_exits);
	debugfs_create_file("algorithms", 0400, root, NULL, &algorithms_fops);
	debugfs_create_symlink("model", root, "/sys/module/" SIM_NAME "/parameters");
}

void sim_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}

void sim_debugfs_add(struct sim_device *device)
{
	struct sim_counters *count = &device->count;

	device->dir = debugfs_create_dir(dev_name(device->dev), root);
	debugfs_create_u64("requests", 0400, device->dir, &count->requests);
	debugfs_create_u64("bytes", 0400, device->dir, &count->bytes);
	debugfs_create_u64("interrupts", 0400, device->dir, &count->interrupts);
	debugfs_create_u64("completions", 0400, device->dir, &count->completions);
	debugfs_create_u64("faults", 0400, device->dir, &count->faults);
	debugfs_create_u64("software", 0400, device->dir, &count->software);
	debugfs_create_u64("refused", 0400, device->dir, &count->refused);
	debugfs_create_u64("backlogged", 0400, device->dir, &count->backlogged);
	debugfs_create_u64("late", 0400, device->dir, &count->late);
	debugfs_create_u64("model_ns", 0400, device->dir, &count->model_ns);
	debugfs_create_u64("real_ns", 0400, device->dir, &count->real_ns);
	debugfs_create_u32("outstanding", 0400, device->dir, &count->outstanding);
	debugfs_create_u32("held", 0400, device->dir, &count->held);
}
