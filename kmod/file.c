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

/*
 * Mappings keep the file open, so only requests in flight still refer to an arena here, and none
 * waits.
 */
static int ob_release(struct inode *inode, struct file *filp)
{
	struct ob_file *file = filp->private_data;

	ob_sessions_drop(file);
	ob_disallow(NULL, file);
	ob_file_put(file);
	return 0;
}

union ob_record {
	u16 op;
	struct outboard_submit submit;
	struct {
		struct outboard_session session;
		u8 key[OUTBOARD_MAX_KEY];
	};
	struct outboard_try try;
};

/*
 * Both capabilities: a setuid program can be made to write to a descriptor of its caller, and a
 * server that has dropped its rights may have opened this one as root.
 */
static int ob_try(struct file *filp, const struct outboard_try *record)
{
	struct ob_limits limits = {
		.length = record->max_length,
		.requests = record->max_requests,
		.one_direction = record->flags & OUTBOARD_ONE_DIRECTION,
	};
	size_t length = strnlen(record->name, sizeof(record->name));

	BUILD_BUG_ON(OUTBOARD_NAME_SIZE != CRYPTO_MAX_ALG_NAME);
	if (record->flags & ~OUTBOARD_ONE_DIRECTION || record->reserved ||
	    length == sizeof(record->name) ||
	    memchr_inv(record->name + length, 0, sizeof(record->name) - length))
		return -EINVAL;
	if (!file_ns_capable(filp, &init_user_ns, CAP_SYS_ADMIN) || !capable(CAP_SYS_ADMIN))
		return -EPERM;
	return ob_allow(record->name, &limits, filp->private_data);
}

static int ob_write_record(struct file *filp, const union ob_record *record, size_t size)
{
	struct ob_file *file = filp->private_data;

	switch (record->op) {
	case OUTBOARD_SUBMIT:
	case OUTBOARD_AWAIT:
	case OUTBOARD_NOTIFY:
		return size == sizeof(record->submit) ? ob_submit(file, &record->submit) : -EINVAL;
	case OUTBOARD_SESSION_NEW:
	case OUTBOARD_SESSION_FREE:
		if (size != sizeof(record->session) + record->session.key_size)
			return -EINVAL;
		return record->op == OUTBOARD_SESSION_NEW ?
			       ob_session_new(file, &record->session, record->key) :
			       ob_session_free(file, &record->session);
	case OUTBOARD_TRY:
		return size == sizeof(record->try) ? ob_try(filp, &record->try) : -EINVAL;
	}
	return -EINVAL;
}

/* The record is read once, since user space may change it at any time, and not cleared before. */
static ssize_t ob_write(struct file *filp, const char __user *buffer, size_t size, loff_t *offset)
{
	union ob_record record __uninitialized;
	int error = -EFAULT;

	BUILD_BUG_ON(sizeof(record.submit) != sizeof(record.session));
	if (size < sizeof(record.submit) || size > sizeof(record))
		return -EINVAL;
	if (!copy_from_user(&record, buffer, size))
		error = ob_write_record(filp, &record, size);
	/* Longer ones may have a key. */
	if (size > sizeof(record.submit))
		memzero_explicit(&record, sizeof(record));
	return error ?: size;
}

const struct file_operations ob_fops = {
	.owner = THIS_MODULE,
	.open = ob_open,
	.release = ob_release,
	.mmap = ob_mmap,
	.write = ob_write,
};
