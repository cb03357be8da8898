/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A simulated accelerator for tests. The path of a request:
 *
 *   skcipher.c, aead.c, hash.c   entry points of the crypto API; limits of the modelled chip
 *                                (model.c) and faults (faults.c) are looked up
 *   engine.c                     a device queues, backlogs or refuses the request; the model
 *                                determines when the result is due
 *   compute.c                    a thread computes the result with the kernel's software; a fault
 *                                corrupts it, or delivers it to another request (misdeliver.c)
 *   interrupt.c                  a timer raises the device's interrupt line when the result is due;
 *                                the handler's tasklet or thread completes the request
 *
 * device.c binds and unbinds devices, algorithms.c registers drivers, debugfs.c shows counters.
 */
#ifndef OUTBOARD_SIM_H
#define OUTBOARD_SIM_H

#include <crypto/internal/aead.h>
#include <crypto/internal/hash.h>
#include <crypto/internal/skcipher.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include "compat.h"

#define SIM_NAME "outboard_sim"
#define SIM_MAX_DEVICES 8
#define SIM_MAX_THREADS 4
#define SIM_MAX_ENGINES 16

/* Bits of sim_model.algorithms, and the order of the table in algorithms.c. */
enum sim_id {
	SIM_ECB_AES, SIM_CBC_AES, SIM_CTR_AES, SIM_XTS_AES, SIM_CBC_DES3, SIM_GCM_AES, SIM_CCM_AES,
	SIM_AUTHENC_SHA1, SIM_AUTHENC_SHA256,
	SIM_SHA1, SIM_SHA224, SIM_SHA256, SIM_SHA384, SIM_SHA512,
	SIM_HMAC_SHA1, SIM_HMAC_SHA224, SIM_HMAC_SHA256, SIM_HMAC_SHA384, SIM_HMAC_SHA512,
	SIM_ALGORITHMS,
};

enum sim_kind { SIM_SKCIPHER, SIM_AEAD, SIM_AHASH };

/* A driver, registered or not. */
struct sim_algorithm {
	enum sim_kind kind;
	bool registered;
	u32 flags;
	bool parentheses;		/* in the current driver name */
	atomic64_t requests, bytes;
	union {
		struct skcipher_alg skcipher;
		struct aead_alg aead;
		struct ahash_alg ahash;
	};
};

/* Parameters of a chip. Each is read once per request because it may change at any time. */
struct sim_model {
	unsigned int latency_ns;	/* from the end of the work to the result; overlaps */
	unsigned int overhead_ns;	/* time per request that an engine is busy */
	unsigned long bandwidth;	/* bytes per second of an engine, 0: unlimited */
	unsigned int engines;
	unsigned int queue;		/* requests that a device accepts at the same time */
	unsigned int coalesce;		/* results per interrupt */
	unsigned int coalesce_ns;	/* longest delay of an interrupt after the first result */
	bool threaded;			/* complete in the interrupt's thread, not in a tasklet */
	bool hard;			/* complete in the interrupt handler */
	unsigned int sessions;		/* number of keys that the chip holds, 0: unlimited */
	unsigned int soft_below;	/* shorter cipher requests use software (NEED_FALLBACK) */
	unsigned int soft_from;		/* requests of at least this size use software, 0: none */
	unsigned int soft_gap_from, soft_gap_to;	/* so do these sizes, both included */
	bool no_aes192;
	bool parentheses;		/* driver names like those of EIP93: cbc(aes-sim) */
	bool allocates;			/* drivers set CRYPTO_ALG_ALLOCATES_MEMORY */
	unsigned long algorithms;	/* bits of enum sim_id */
};

struct scatterlist;
struct seq_file;

/* The effect of faults and of the chip's limits on a request. */
struct sim_fate {
	int error;
	int both;			/* complete with this errno and return it */
	unsigned int slow;		/* factor on the modelled time */
	bool forgotten;
	unsigned int delay;		/* milliseconds in the driver's function */
	unsigned int part;		/* with garbage: length of the wrong part, 0: all */
	bool wrong, garbage, unwritten, never, full, refuse, software, again, earlier, swap;
	bool fault;			/* caused by a rule of faults.c */
};

/* A cache line of a result that the fault "unwritten" leaves as it was. */
#define SIM_LINE 64
struct sim_line {
	unsigned int offset, size;
	u8 bytes[SIM_LINE];
};

/* The first member of each request context. */
struct sim_request {
	struct list_head node;
	struct crypto_async_request *base;
	struct sim_algorithm *algorithm;
	int (*compute)(struct sim_request *request);
	void (*spoil)(struct sim_request *request);	/* corrupts the result; NULL: no result */
	struct scatterlist *dst;	/* of a cipher: its result is there */
	unsigned int dst_from, dst_size;
	struct sim_fate fate;
	unsigned int bytes;
	int error;
	ktime_t submitted, due;
	bool timed;			/* the timer, not the computation, determined its end */
};

struct sim_counters {
	u64 requests, bytes, interrupts, completions, faults, software, refused, backlogged;
	u64 late;			/* computed after the due time: machine slower than model */
	u64 model_ns, real_ns;		/* of the others: modelled and measured time */
	u32 outstanding, held;
};

struct sim_device {
	struct list_head node;		/* in sim_devices, protected by RCU */
	struct device *dev;
	unsigned int irq;
	struct tasklet_struct tasklet;
	struct irq_work raise_now;
	struct hrtimer timer, coalesce_timer;
	wait_queue_head_t work;
	struct task_struct *threads[SIM_MAX_THREADS];
	unsigned int nr_threads;
	struct dentry *dir;

	raw_spinlock_t lock;		/* protects all below; taken in hard interrupts */
	struct list_head queued;	/* accepted, not yet computed */
	struct list_head backlog;	/* not yet accepted */
	struct list_head pending;	/* computed, not yet due; sorted by due */
	struct list_head done;		/* due, waiting for the interrupt */
	struct list_head held;		/* held by a fault */
	ktime_t engine_free[SIM_MAX_ENGINES];	/* when each engine is idle again */
	unsigned int to_raise;		/* interrupts for raise_now */
	unsigned int uncounted;		/* results waiting for others of the same interrupt */
	s64 lead_ns;			/* average delay of the completion after the timer */
	struct sim_counters count;
};

/* Context of a tfm: its key slot in the chip, and the software that computes its results. */
struct sim_tfm {
	struct sim_algorithm *algorithm;
	bool keyed, aes192;
	unsigned int removals;		/* sim_removals when the key was set */
	union {
		struct crypto_skcipher *skcipher;
		struct crypto_aead *aead;
		struct crypto_shash *shash;
	};
};

/* main.c */
extern unsigned int sim_priority;
extern bool sim_compute;

/* algorithms.c */
extern struct sim_algorithm sim_algorithms[SIM_ALGORITHMS];
struct crypto_alg *sim_crypto_alg(struct sim_algorithm *algorithm);
int sim_register(const struct sim_model *model);
int sim_session_get(struct sim_tfm *ctx);
void sim_session_put(struct sim_tfm *ctx);
int sim_sessions_used(void);

/* skcipher.c, aead.c, hash.c: the functions of each kind of algorithm */
void sim_skcipher_fill(struct sim_algorithm *algorithm);
void sim_aead_fill(struct sim_algorithm *algorithm);
int sim_ahash_fill(struct sim_algorithm *algorithm);

/* engine.c */
int sim_submit(const struct sim_tfm *ctx, struct sim_request *request);
struct sim_request *sim_take_queued(struct sim_device *device);
struct sim_request *sim_take_backlog(struct sim_device *device);
bool sim_has_work(struct sim_device *device);
void sim_enqueue(struct sim_device *device, struct sim_request *request);
void sim_drop_all(struct sim_device *device);
void sim_complete_forgotten(void);
unsigned int sim_release_held(struct sim_device *device, int error);

/* compute.c */
int sim_start_threads(struct sim_device *device);
void sim_stop_threads(struct sim_device *device);

/* interrupt.c */
int sim_setup_interrupt(struct sim_device *device);
void sim_stop_interrupt(struct sim_device *device);
void sim_computed(struct sim_device *device, struct sim_request *request);

/* device.c */
extern struct list_head sim_devices;
extern struct mutex sim_devices_lock;
extern unsigned int sim_removals;
extern atomic_t sim_late_exits;
int sim_add_devices(unsigned int count);
void sim_remove_devices(void);

/* model.c */
extern struct sim_model sim_model;
u64 sim_work_ns(unsigned int bytes);
bool sim_beyond(const struct sim_tfm *ctx, unsigned int bytes);
u32 sim_flags(const struct sim_model *model);
int sim_go_live(void);
void sim_go_dead(void);

/* faults.c */
void sim_fate_of(struct sim_request *request);
int sim_parse_fault(char *line);
void sim_spoil_cipher(struct sim_request *request);
void sim_keep_line(struct sim_line *line, const struct sim_request *request,
		   struct scatterlist *list, unsigned int offset, unsigned int size);
void sim_restore_line(const struct sim_line *line, struct scatterlist *list);
void sim_show_faults(struct seq_file *file);

/* misdeliver.c */
void sim_deliver_earlier(struct sim_request *request);
void sim_swap_results(struct sim_device *device, struct sim_request *request);

/* debugfs.c */
void sim_debugfs_init(void);
void sim_debugfs_exit(void);
void sim_debugfs_add(struct sim_device *device);

#endif
