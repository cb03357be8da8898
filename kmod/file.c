// SPDX-License-Identifier: GPL-2.0
/* File operations of /dev/outboard: records by write, completions by poll and read. */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "outboard.h"

static int ob_open(struct inode *inode, struct file *filp)
{
	struct ob_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return -ENOMEM;
	refcount_set(&file->refs, 1);
	xa_init_flags(&file->sessions, XA_FLAGS_ACCOUNT);
	xa_init_flags(&file->hashes, XA_FLAGS_ACCOUNT);
	init_waitqueue_head(&file->wait);
	file->uid = current_euid();
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
	xa_destroy(&file->hashes);
	kfree(file);
	atomic_dec(&ob_files);
	module_put(THIS_MODULE);
}

/* Mappings keep the file open, so only requests in flight still refer to an arena here. */
static int ob_release(struct inode *inode, struct file *filp)
{
	struct ob_file *file = filp->private_data;

	ob_drop_waiting(file);
	ob_hashes_drop(file);
	ob_sessions_drop(file);
	ob_trials_end(file);
	ob_file_put(file);
	return 0;
}

int ob_charge(atomic_t *count, unsigned int limit)
{
	if (atomic_inc_return(count) <= limit)
		return 0;
	atomic_dec(count);
	return -EMFILE;
}

/*
 * A setuid program can be made to write to a descriptor that its caller opened. Such a write must
 * not use the program's keyrings or other descriptors, nor report under its user ID. may_become: a
 * server that opened the device with CAP_SETUID may write after a change of user.
 */
static bool ob_same_credentials(const struct cred *opener, const struct cred *writer,
				bool may_become)
{
	return opener->user_ns == writer->user_ns &&
	       cap_issubset(writer->cap_permitted, opener->cap_permitted) &&
	       ((may_become && cap_raised(opener->cap_permitted, CAP_SETUID)) ||
		(uid_eq(opener->fsuid, writer->fsuid) && gid_eq(opener->fsgid, writer->fsgid)));
}

static int ob_write_session(struct file *filp, const char __user *buffer, size_t size)
{
	struct ob_file *file = filp->private_data;
	struct outboard_session_new record;
	u8 key[OUTBOARD_MAX_KEY];
	unsigned int key_size;
	int error = 0;

	if (size < sizeof(record) || size > sizeof(record) + sizeof(key))
		return -EINVAL;
	if (copy_from_user(&record, buffer, sizeof(record)))
		return -EFAULT;
	if (record.op != OUTBOARD_SESSION_NEW || size != sizeof(record) + record.key_size)
		return -EINVAL;
	if ((record.flags & OUTBOARD_KEY_SERIAL) &&
	    !ob_same_credentials(filp->f_cred, current_cred(), false))
		return -EACCES;
	key_size = record.key_size;
	if (copy_from_user(key, buffer + sizeof(record), key_size))
		error = -EFAULT;
	else if ((record.flags & OUTBOARD_KEY_SERIAL) && !key_size)
		error = ob_key_from_keyring(record.key_serial, key, &key_size);
	if (!error)
		error = ob_session_new(file, &record, key, key_size);
	memzero_explicit(key, sizeof(key));
	return error;
}

/*
 * Both: a setuid program can be made to write to a descriptor of its caller, and a server that has
 * dropped its rights may have opened this one as root.
 */
static int ob_write_try(struct file *filp, const char __user *buffer)
{
	struct outboard_try record;
	size_t length;

	BUILD_BUG_ON(OUTBOARD_NAME_SIZE != CRYPTO_MAX_ALG_NAME);
	if (copy_from_user(&record, buffer, sizeof(record)))
		return -EFAULT;
	length = strnlen(record.name, sizeof(record.name));
	if (record.op != OUTBOARD_TRY || record.flags || record.reserved ||
	    length == sizeof(record.name) || !ob_name_ok(record.name, length) ||
	    memchr_inv(record.name + length, 0, sizeof(record.name) - length))
		return -EINVAL;
	if (!file_ns_capable(filp, &init_user_ns, CAP_SYS_ADMIN) || !capable(CAP_SYS_ADMIN))
		return -EPERM;
	return ob_try(record.name, filp->private_data);
}

static bool ob_is_try(const char __user *buffer, size_t size)
{
	u16 op;

	return size == sizeof(struct outboard_try) &&
	       !get_user(op, (const u16 __user *)buffer) && op == OUTBOARD_TRY;
}

static int ob_do_object(struct ob_file *file, const struct outboard_object *record)
{
	if (record->flags || record->reserved || !record->id)
		return -EINVAL;
	switch (record->op) {
	case OUTBOARD_HASH_NEW:
		return ob_hash_new(file, record->id, record->from);
	case OUTBOARD_HASH_CLONE:
		return ob_hash_clone(file, record->id, record->from);
	case OUTBOARD_HASH_FREE:
		return record->from ? -EINVAL : ob_hash_free(file, record->id);
	case OUTBOARD_SESSION_FREE:
		return record->from ? -EINVAL : ob_session_free(file, record->id);
	case OUTBOARD_REPORT:
		return record->from ? -EINVAL : ob_report_wrong(record->id, current_euid());
	}
	return -EINVAL;
}

static ssize_t ob_write(struct file *filp, const char __user *buffer, size_t size, loff_t *offset)
{
	struct ob_file *file = filp->private_data;
	union {
		struct outboard_submit submit;
		struct outboard_object object;
	} record;
	int error;

	BUILD_BUG_ON(sizeof(record.submit) != sizeof(record.object));
	if (ob_is_try(buffer, size))
		error = ob_write_try(filp, buffer);
	else if (size != sizeof(record))
		error = ob_write_session(filp, buffer, size);
	else if (copy_from_user(&record, buffer, sizeof(record)))
		error = -EFAULT;
	else if ((record.submit.op == OUTBOARD_NOTIFY || record.submit.op == OUTBOARD_REPORT) &&
		 !ob_same_credentials(filp->f_cred, current_cred(), true))
		error = -EACCES;
	else if (record.submit.op == OUTBOARD_SUBMIT || record.submit.op == OUTBOARD_AWAIT ||
		 record.submit.op == OUTBOARD_NOTIFY)
		error = ob_submit(file, &record.submit);
	else
		error = ob_do_object(file, &record.object);
	return error ? error : size;
}

static ssize_t ob_read(struct file *filp, char __user *buffer, size_t size, loff_t *offset)
{
	struct ob_file *file = filp->private_data;
	u64 count;

	if (size < sizeof(count))
		return -EINVAL;
	while (!(count = atomic64_xchg(&file->finished, 0))) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(file->wait, atomic64_read(&file->finished)))
			return -ERESTARTSYS;
	}
	if (!copy_to_user(buffer, &count, sizeof(count)))
		return sizeof(count);
	atomic64_add(count, &file->finished);
	return -EFAULT;
}

static __poll_t ob_poll(struct file *filp, poll_table *table)
{
	struct ob_file *file = filp->private_data;

	poll_wait(filp, &file->wait, table);
	return EPOLLOUT | EPOLLWRNORM |
	       (atomic64_read(&file->finished) ? EPOLLIN | EPOLLRDNORM : 0);
}

const struct file_operations ob_fops = {
	.owner = THIS_MODULE,
	.open = ob_open,
	.release = ob_release,
	.mmap = ob_mmap,
	.write = ob_write,
	.read = ob_read,
	.poll = ob_poll,
};
