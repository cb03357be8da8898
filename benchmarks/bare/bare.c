// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/outboard-bare: the minimum that keeps an accelerator busy from user space, for comparison
 * with /dev/outboard. It has one driver, one key and one IV. mmap returns 64 slots of 64 KiB; a
 * write of {count, length} encrypts the first length bytes of the first count slots in place, and
 * returns when all requests are complete.
 *
 * NEVER INSTALL IT. It checks nothing: a wrong count or length reads and writes arbitrary memory,
 * two threads that write at the same time corrupt each other's requests, and a driver that does
 * not complete a request blocks the writer forever. It is for benchmarks/interface only, whose test
 * machine is discarded.
 */
#include <crypto/skcipher.h>
#include <linux/capability.h>
#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "compat.h"

#define SLOTS		64
#define SLOT_SIZE	(64 << 10)
#define SLOT_ORDER	get_order(SLOT_SIZE)

static char *driver = "virtio_crypto_aes_cbc";
module_param(driver, charp, 0444);
MODULE_PARM_DESC(driver, "the driver of cbc(aes), as /proc/crypto names it");

/* NIST SP 800-38A, F.2.1 */
static const u8 key[] = {
	0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c,
};

static const u8 iv[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

struct bare_slot {
	struct page *pages;
	struct skcipher_request *request;
	struct scatterlist sg;
	u8 iv[sizeof(iv)];
};

/* The state of an open file. */
struct bare {
	struct crypto_skcipher *cipher;
	struct completion done;
	atomic_t pending;
	int error;		/* of a failed request */
	struct bare_slot slots[SLOTS];
};

static void bare_end(struct bare *bare, int error)
{
	if (error)
		WRITE_ONCE(bare->error, error);
	if (atomic_dec_and_test(&bare->pending))
		complete(&bare->done);
}

/* -EINPROGRESS only means that the request has left the backlog. */
static void bare_done(bare_done_arg arg, int error)
{
	if (error != -EINPROGRESS)
		bare_end(bare_done_data(arg), error);
}

static ssize_t bare_write(struct file *file, const char __user *buffer, size_t size, loff_t *offset)
{
	struct bare *bare = file->private_data;
	struct {
		u32 count, length;
	} batch;

	if (copy_from_user(&batch, buffer, sizeof(batch)))
		return -EFAULT;
	bare->error = 0;
	reinit_completion(&bare->done);
	atomic_set(&bare->pending, batch.count);
	for (u32 i = 0; i < batch.count; i++) {
		struct bare_slot *slot = &bare->slots[i];
		int error;

		slot->sg.length = batch.length;
		memcpy(slot->iv, iv, sizeof(iv));
		skcipher_request_set_crypt(slot->request, &slot->sg, &slot->sg, batch.length, slot->iv);
		error = crypto_skcipher_encrypt(slot->request);
		if (error != -EINPROGRESS && error != -EBUSY)
			bare_end(bare, error);
	}
	wait_for_completion(&bare->done);
	return READ_ONCE(bare->error) ? -EIO : sizeof(batch);
}

/* Map all pages at once, so that no page fault occurs later. */
static int bare_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct bare *bare = file->private_data;
	int error = 0;

	for (unsigned int i = 0; i < SLOTS && !error; i++)
		error = remap_pfn_range(vma, vma->vm_start + i * SLOT_SIZE, page_to_pfn(bare->slots[i].pages), SLOT_SIZE,
					vma->vm_page_prot);
	return error;
}

static void bare_free(struct bare *bare)
{
	for (unsigned int i = 0; i < SLOTS; i++) {
		skcipher_request_free(bare->slots[i].request);
		if (bare->slots[i].pages)
			__free_pages(bare->slots[i].pages, SLOT_ORDER);
	}
	crypto_free_skcipher(bare->cipher);
	kfree(bare);
}

static int bare_slot_init(struct bare *bare, struct bare_slot *slot)
{
	slot->pages = alloc_pages(GFP_KERNEL | __GFP_ZERO, SLOT_ORDER);
	slot->request = skcipher_request_alloc(bare->cipher, GFP_KERNEL);
	if (!slot->pages || !slot->request)
		return -ENOMEM;
	sg_init_table(&slot->sg, 1);
	sg_set_page(&slot->sg, slot->pages, SLOT_SIZE, 0);
	skcipher_request_set_callback(slot->request, CRYPTO_TFM_REQ_MAY_SLEEP | CRYPTO_TFM_REQ_MAY_BACKLOG, bare_done, bare);
	return 0;
}

static int bare_open(struct inode *inode, struct file *file)
{
	struct bare *bare;
	int error;

	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	bare = kzalloc(sizeof(*bare), GFP_KERNEL);
	if (!bare)
		return -ENOMEM;
	init_completion(&bare->done);
	bare->cipher = crypto_alloc_skcipher(driver, 0, 0);
	error = PTR_ERR_OR_ZERO(bare->cipher);
	if (!error)
		error = crypto_skcipher_setkey(bare->cipher, key, sizeof(key));
	for (unsigned int i = 0; i < SLOTS && !error; i++)
		error = bare_slot_init(bare, &bare->slots[i]);
	if (error) {
		bare_free(bare);
		return error;
	}
	file->private_data = bare;
	return nonseekable_open(inode, file);
}

static int bare_release(struct inode *inode, struct file *file)
{
	bare_free(file->private_data);
	return 0;
}

static const struct file_operations bare_fops = {
	.owner = THIS_MODULE,
	.open = bare_open,
	.release = bare_release,
	.mmap = bare_mmap,
	.write = bare_write,
};

static struct miscdevice bare_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "outboard-bare",
	.fops = &bare_fops,
	.mode = 0600,
};
module_misc_device(bare_device);

MODULE_DESCRIPTION("Baseline for /dev/outboard: checks nothing, never to be installed");
MODULE_LICENSE("GPL");
