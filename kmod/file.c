// SPDX-License-Identifier: GPL-2.0
/* File operations of /dev/outboard. */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "outboard.h"

static int ob_open(struct inode *inode, struct file *filp)
{
	struct ob_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return -ENOMEM;
	file->user = ob_user_get();
	if (!file->user) {
		kfree(file);
		return -ENOMEM;
	}
	refcount_set(&file->refs, 1);
	xa_init_flags(&file->sessions, XA_FLAGS_ACCOUNT);
	xa_init_flags(&file->arenas, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	file->first_arena = get_random_u32() / 2;
	INIT_LIST_HEAD(&file->attached);
	atomic_inc(&ob_files);
	/* Requests in flight outlive the descriptor and need the module's code. */
	__module_get(THIS_MODULE);
	filp->private_data = file;
	return nonseekable_open(inode, filp);
}

void ob_file_put(struct ob_file *file)
{
	if (!refcount_dec_and_test(&file->refs))
		return;
	xa_destroy(&file->sessions);
	xa_destroy(&file->arenas);
	ob_user_put(file->user);
	kfree(file);
	atomic_dec(&ob_files);
	module_put(THIS_MODULE);
}

/* Mappings keep the file open, so only requests in flight still refer to an arena here. */
static int ob_release(struct inode *inode, struct file *filp)
{
	struct ob_file *file = filp->private_data;

	ob_sessions_drop(file);
	ob_withdraw(file, NULL, -ECANCELED);
	ob_disallow(NULL, file);
	ob_file_put(file);
	return 0;
}

static int ob_write_session(struct ob_file *file, const struct outboard_session_new *record,
			    const char __user *buffer, size_t size)
{
	u8 key[OUTBOARD_MAX_KEY];
	int error = -EFAULT;

	if (record->key_size > sizeof(key) || size != sizeof(*record) + record->key_size)
		return -EINVAL;
	if (!copy_from_user(key, buffer + sizeof(*record), record->key_size))
		error = ob_session_new(file, record, key, record->key_size);
	memzero_explicit(key, sizeof(key));
	return error;
}

/*
 * Both: a setuid program can be made to write to a descriptor of its caller, and a server that has
 * dropped its rights may have opened this one as root.
 */
static int ob_write_try(struct file *filp, const char __user *buffer, size_t size)
{
	struct outboard_try record;
	struct ob_limits limits;
	size_t length;

	BUILD_BUG_ON(OUTBOARD_NAME_SIZE != CRYPTO_MAX_ALG_NAME);
	if (size != sizeof(record))
		return -EINVAL;
	if (copy_from_user(&record, buffer, sizeof(record)))
		return -EFAULT;
	length = strnlen(record.name, sizeof(record.name));
	if (record.op != OUTBOARD_TRY || record.flags & ~OUTBOARD_ONE_DIRECTION ||
	    record.reserved || length == sizeof(record.name) || !ob_name_ok(record.name, length) ||
	    memchr_inv(record.name + length, 0, sizeof(record.name) - length))
		return -EINVAL;
	if (!file_ns_capable(filp, &init_user_ns, CAP_SYS_ADMIN) || !capable(CAP_SYS_ADMIN))
		return -EPERM;
	limits.length = record.max_length;
	limits.requests = record.max_requests;
	limits.one_direction = record.flags & OUTBOARD_ONE_DIRECTION;
	return ob_allow(record.name, &limits, filp->private_data);
}

static int ob_write_record(struct file *filp, const char __user *buffer, size_t size)
{
	struct ob_file *file = filp->private_data;
	union {
		u16 op;
		struct outboard_submit submit;
		struct outboard_session_new session_new;
		struct outboard_session_free session_free;
	} record;

	BUILD_BUG_ON(sizeof(record) != sizeof(record.submit) ||
		     sizeof(record) != sizeof(record.session_new) ||
		     sizeof(record) != sizeof(record.session_free));
	if (size < sizeof(record))
		return -EINVAL;
	if (copy_from_user(&record, buffer, sizeof(record)))
		return -EFAULT;
	if (record.op == OUTBOARD_SESSION_NEW)
		return ob_write_session(file, &record.session_new, buffer, size);
	if (record.op == OUTBOARD_TRY)
		return ob_write_try(filp, buffer, size);
	if (size != sizeof(record))
		return -EINVAL;
	switch (record.op) {
	case OUTBOARD_NOTIFY:
	case OUTBOARD_SUBMIT:
	case OUTBOARD_AWAIT:
		return ob_submit(file, &record.submit);
	case OUTBOARD_SESSION_FREE:
		return ob_session_free(file, &record.session_free);
	}
	return -EINVAL;
}

static ssize_t ob_write(struct file *filp, const char __user *buffer, size_t size, loff_t *offset)
{
	int error = ob_write_record(filp, buffer, size);

	return error ? error : size;
}

const struct file_operations ob_fops = {
	.owner = THIS_MODULE,
	.open = ob_open,
	.release = ob_release,
	.mmap = ob_mmap,
	.write = ob_write,
};
