// SPDX-License-Identifier: GPL-2.0
/*
 * Load generator for a driver, inside the kernel because every kernel allows access to drivers
 * there. Each result is checked:
 *
 *   cd /sys/module/outboard_sim_load/parameters
 *   echo "sim-cbc-aes size=4096 depth=4 requests=1000 backlog=1" >run; cat result
 *
 * The write returns when all requests have completed. Ciphers encrypt, hashes digest. keys=N: a
 * cipher holds N more keys meanwhile.
 */
#include <crypto/hash.h>
#include <crypto/skcipher.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/wait.h>
#include "compat.h"

#define MAX_DEPTH 1024
#define MAX_SIZE SZ_1M
#define MAX_REQUESTS 1000000
#define MAX_IV 16
#define MAX_KEYS 64
#define NR_ERRNOS 256

struct job {
	char driver[CRYPTO_MAX_ALG_NAME];
	unsigned int size, depth, requests;
	unsigned int keys;
	bool backlog;

	struct crypto_skcipher *cipher, *keyed[MAX_KEYS];
	struct crypto_ahash *hash;
	u8 *input, *expected;
	unsigned int answer_size;

	wait_queue_head_t wait;
	spinlock_t lock;	/* protects answered */
	struct list_head answered;
	u64 *latency;

	unsigned int ok, wrong, failed, refused, backlogged, promoted, at_once, errors[NR_ERRNOS];
};

struct slot {
	struct job *job;
	struct list_head node;
	struct scatterlist in, out;
	u8 *output;
	u8 iv[MAX_IV];
	struct skcipher_request *cipher;
	struct ahash_request *hash;
	ktime_t submitted, done;
	int error;
};

static char result[1024] = "nothing has run\n";
static DEFINE_MUTEX(run_lock);

static void load_done(sim_done_arg arg, int error)
{
	struct slot *slot = sim_done_data(arg);
	struct job *job = slot->job;
	unsigned long flags;

	spin_lock_irqsave(&job->lock, flags);
	if (error == -EINPROGRESS) {
		job->promoted++;
	} else {
		slot->done = ktime_get();
		slot->error = error;
		list_add_tail(&slot->node, &job->answered);
		wake_up(&job->wait);
	}
	spin_unlock_irqrestore(&job->lock, flags);
}

static void load_free_slot(struct slot *slot)
{
	if (!slot)
		return;
	skcipher_request_free(slot->cipher);
	ahash_request_free(slot->hash);
	kfree(slot->output);
	kfree(slot);
}

static struct slot *load_new_slot(struct job *job)
{
	u32 flags = job->backlog ? CRYPTO_TFM_REQ_MAY_BACKLOG : 0;
	struct slot *slot = kzalloc(sizeof(*slot), GFP_KERNEL);

	if (!slot)
		return NULL;
	slot->job = job;
	slot->output = kzalloc(max(job->answer_size, 64U), GFP_KERNEL);
	if (!slot->output)
		goto no_memory;
	sg_init_one(&slot->in, job->input, job->size);
	if (job->cipher) {
		slot->cipher = skcipher_request_alloc(job->cipher, GFP_KERNEL);
		if (!slot->cipher)
			goto no_memory;
		sg_init_one(&slot->out, slot->output, job->answer_size);
		skcipher_request_set_callback(slot->cipher, flags, load_done, slot);
		skcipher_request_set_crypt(slot->cipher, &slot->in, &slot->out, job->size,
					   slot->iv);
	} else {
		slot->hash = ahash_request_alloc(job->hash, GFP_KERNEL);
		if (!slot->hash)
			goto no_memory;
		ahash_request_set_callback(slot->hash, flags, load_done, slot);
		ahash_request_set_crypt(slot->hash, &slot->in, slot->output, job->size);
	}
	return slot;

no_memory:
	load_free_slot(slot);
	return NULL;
}

static void load_submit(struct slot *slot)
{
	struct job *job = slot->job;
	unsigned long flags;
	int error;

	memset(slot->iv, 0, sizeof(slot->iv));
	slot->submitted = ktime_get();
	error = slot->cipher ? crypto_skcipher_encrypt(slot->cipher) :
			       crypto_ahash_digest(slot->hash);
	if (error == -EINPROGRESS)
		return;
	spin_lock_irqsave(&job->lock, flags);
	if (error == -EBUSY) {
		job->backlogged++;
	} else {
		job->at_once += !error;
		job->refused += error == -ENOSPC;
		slot->done = ktime_get();
		slot->error = error;
		list_add_tail(&slot->node, &job->answered);
	}
	spin_unlock_irqrestore(&job->lock, flags);
}

static struct slot *load_next_answer(struct job *job)
{
	struct slot *slot;
	unsigned long flags;

	wait_event(job->wait, !list_empty_careful(&job->answered));
	spin_lock_irqsave(&job->lock, flags);
	slot = list_first_entry(&job->answered, struct slot, node);
	list_del(&slot->node);
	spin_unlock_irqrestore(&job->lock, flags);
	return slot;
}

static void load_judge(struct slot *slot, unsigned int number)
{
	struct job *job = slot->job;

	job->latency[number] = ktime_to_ns(ktime_sub(slot->done, slot->submitted));
	if (slot->error) {
		job->failed++;
		job->errors[min(-slot->error, NR_ERRNOS - 1)]++;
	} else if (memcmp(slot->output, job->expected, job->answer_size)) {
		job->wrong++;
	} else {
		job->ok++;
	}
	memset(slot->output, 0, job->answer_size);
}

static int load_compare(const void *a, const void *b)
{
	return *(const u64 *)a < *(const u64 *)b ? -1 : *(const u64 *)a > *(const u64 *)b;
}

static void load_tell(struct job *job, u64 total)
{
	unsigned int n = 0, i;

	sort(job->latency, job->requests, sizeof(*job->latency), load_compare, NULL);
	n = scnprintf(result, sizeof(result),
		      "requests=%u ok=%u wrong=%u failed=%u refused=%u at_once=%u backlogged=%u promoted=%u p50_ns=%llu p99_ns=%llu total_ns=%llu",
		      job->requests, job->ok, job->wrong, job->failed, job->refused, job->at_once,
		      job->backlogged, job->promoted, job->latency[job->requests / 2],
		      job->latency[div_u64(job->requests * 99ULL, 100)], total);
	for (i = 1; i < NR_ERRNOS; i++) {
		if (job->errors[i])
			n += scnprintf(result + n, sizeof(result) - n, " errno%u=%u", i,
				       job->errors[i]);
	}
	scnprintf(result + n, sizeof(result) - n, "\n");
}

static int load_run(struct job *job)
{
	unsigned int submitted = 0, answered = 0;
	struct slot **slots = kcalloc(job->depth, sizeof(*slots), GFP_KERNEL);
	unsigned int i;
	ktime_t start;
	int error = -ENOMEM;

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < job->depth; i++) {
		slots[i] = load_new_slot(job);
		if (!slots[i])
			goto out;
	}
	start = ktime_get();
	while (submitted < min(job->depth, job->requests))
		load_submit(slots[submitted++]);
	while (answered < job->requests) {
		struct slot *slot = load_next_answer(job);

		load_judge(slot, answered++);
		if (submitted < job->requests) {
			submitted++;
			load_submit(slot);
		}
		cond_resched();
	}
	load_tell(job, ktime_to_ns(ktime_sub(ktime_get(), start)));
	error = 0;
out:
	for (i = 0; i < job->depth; i++)
		load_free_slot(slots[i]);
	kfree(slots);
	return error;
}

static int load_hold_keys(struct job *job, const u8 *key, unsigned int key_size)
{
	unsigned int i;

	for (i = 0; i < job->keys; i++) {
		struct crypto_skcipher *cipher = crypto_alloc_skcipher(job->driver, 0, 0);
		int error;

		if (IS_ERR(cipher))
			return PTR_ERR(cipher);
		job->keyed[i] = cipher;
		error = crypto_skcipher_setkey(cipher, key, key_size);
		if (error)
			return error;
	}
	return 0;
}

/* Computes the expected result with the kernel's software. */
static int load_expect_cipher(struct job *job, const u8 *key, unsigned int key_size)
{
	const char *name = crypto_tfm_alg_name(crypto_skcipher_tfm(job->cipher));
	struct crypto_skcipher *soft =
		crypto_alloc_skcipher(name, 0, CRYPTO_ALG_ASYNC | CRYPTO_ALG_KERN_DRIVER_ONLY);
	struct skcipher_request *request;
	struct scatterlist in, out;
	u8 iv[MAX_IV] = { 0 };
	int error;

	if (IS_ERR(soft))
		return PTR_ERR(soft);
	request = skcipher_request_alloc(soft, GFP_KERNEL);
	error = request ? crypto_skcipher_setkey(soft, key, key_size) : -ENOMEM;
	if (!error) {
		sg_init_one(&in, job->input, job->size);
		sg_init_one(&out, job->expected, job->size);
		skcipher_request_set_callback(request, CRYPTO_TFM_REQ_MAY_SLEEP, NULL, NULL);
		skcipher_request_set_crypt(request, &in, &out, job->size, iv);
		error = crypto_skcipher_encrypt(request);
	}
	skcipher_request_free(request);
	crypto_free_skcipher(soft);
	return error;
}

static int load_expect_hash(struct job *job, const u8 *key, unsigned int key_size)
{
	struct crypto_shash *soft =
		crypto_alloc_shash(crypto_tfm_alg_name(crypto_ahash_tfm(job->hash)), 0, 0);
	int error = 0;

	if (IS_ERR(soft))
		return PTR_ERR(soft);
	if (key_size)
		error = crypto_shash_setkey(soft, key, key_size);
	error = error ?: crypto_shash_tfm_digest(soft, job->input, job->size, job->expected);
	crypto_free_shash(soft);
	return error;
}

static int load_prepare(struct job *job)
{
	static const u8 key[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!?";
	unsigned int key_size = 0, i;
	int error;

	for (i = 0; i < job->size; i++)
		job->input[i] = i * 7 + i / 251;
	if (job->cipher) {
		key_size = max(crypto_skcipher_min_keysize(job->cipher), 16U);
		job->answer_size = job->size;
		return crypto_skcipher_setkey(job->cipher, key, key_size) ?:
			       load_hold_keys(job, key, key_size)	  ?:
			       load_expect_cipher(job, key, key_size);
	}
	job->answer_size = crypto_ahash_digestsize(job->hash);
	if (crypto_ahash_get_flags(job->hash) & CRYPTO_TFM_NEED_KEY)
		key_size = 32;
	error = key_size ? crypto_ahash_setkey(job->hash, key, key_size) : 0;
	return error ?: load_expect_hash(job, key, key_size);
}

static int load_job(struct job *job)
{
	int error = -ENOMEM;
	unsigned int i;

	init_waitqueue_head(&job->wait);
	spin_lock_init(&job->lock);
	INIT_LIST_HEAD(&job->answered);
	job->cipher = crypto_alloc_skcipher(job->driver, 0, 0);
	if (IS_ERR(job->cipher)) {
		job->cipher = NULL;
		job->hash = crypto_alloc_ahash(job->driver, 0, 0);
		if (IS_ERR(job->hash))
			return PTR_ERR(job->hash);
	}
	job->input = kmalloc(job->size, GFP_KERNEL);
	job->expected = kmalloc(max(job->size, 64U), GFP_KERNEL);
	job->latency = kvcalloc(job->requests, sizeof(*job->latency), GFP_KERNEL);
	if (job->input && job->expected && job->latency)
		error = load_prepare(job) ?: load_run(job);
	kvfree(job->latency);
	kfree(job->expected);
	kfree(job->input);
	for (i = 0; i < job->keys; i++)
		crypto_free_skcipher(job->keyed[i]);
	if (job->cipher)
		crypto_free_skcipher(job->cipher);
	else
		crypto_free_ahash(job->hash);
	return error;
}

static int load_parse(char *text, struct job *job)
{
	char *word = strsep(&text, " \n");
	unsigned int value;

	if (!word || strscpy(job->driver, word, sizeof(job->driver)) <= 0)
		return -EINVAL;
	while ((word = strsep(&text, " \n"))) {
		char *name = strsep(&word, "=");

		if (!*name)
			continue;
		if (!word || kstrtouint(word, 0, &value))
			return -EINVAL;
		if (!strcmp(name, "size") && value && value <= MAX_SIZE)
			job->size = value;
		else if (!strcmp(name, "depth") && value && value <= MAX_DEPTH)
			job->depth = value;
		else if (!strcmp(name, "requests") && value && value <= MAX_REQUESTS)
			job->requests = value;
		else if (!strcmp(name, "keys") && value <= MAX_KEYS)
			job->keys = value;
		else if (!strcmp(name, "backlog"))
			job->backlog = value;
		else
			return -EINVAL;
	}
	return 0;
}

static int run_set(const char *value, const struct kernel_param *kp)
{
	struct job *job = kzalloc(sizeof(*job), GFP_KERNEL);
	char *text = kstrdup(value, GFP_KERNEL);
	int error = -ENOMEM;

	if (job && text) {
		job->size = 4096;
		job->depth = 1;
		job->requests = 100;
		error = load_parse(text, job);
		if (!error) {
			mutex_lock(&run_lock);
			error = load_job(job);
			if (error)
				scnprintf(result, sizeof(result), "error=%d\n", error);
			mutex_unlock(&run_lock);
		}
	}
	kfree(text);
	kfree(job);
	return error;
}

static const struct kernel_param_ops run_ops = { .set = run_set };
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "DRIVER [size=BYTES] [depth=N] [requests=N] [backlog=1] [keys=N]");
module_param_string(result, result, sizeof(result), 0444);
MODULE_PARM_DESC(result, "of the last run");

static int __init load_init(void)
{
	return 0;
}

static void __exit load_exit(void)
{
}

module_init(load_init);
module_exit(load_exit);
MODULE_DESCRIPTION("Load for crypto drivers");
MODULE_AUTHOR("The outboard authors");
MODULE_LICENSE("GPL");
