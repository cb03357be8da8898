/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files of the module. References between the objects:
 *
 *   ob_file (a descriptor) -> ob_session, by numbers that user space chooses;
 *                             ob_arena, by numbers that the module chooses
 *   request in flight      -> its arena (which refers to the file), the driver handle of its
 *                             session
 *   ob_session             -> its ob_driver (an entry of the allow list), its ob_share of an engine
 *
 * Completions run in softirqs, threaded interrupts or kthreads. They take only the lock of an
 * ob_place, that of the ob_engine and those of wait queues (an eventfd's, a batch's), and defer
 * work that may sleep to ob_workqueue.
 */
#ifndef OUTBOARD_H
#define OUTBOARD_H

#include <crypto/aead.h>
#include <crypto/hash.h>
#include <crypto/skcipher.h>
#include <linux/cacheinfo.h>
#include <linux/completion.h>
#include <linux/eventfd.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/outboard.h>
#include <linux/refcount.h>
#include <linux/scatterlist.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include "compat.h"

/* Alignment that keeps memory written by a device in separate cache lines. */
#define OB_ALIGN (ARCH_DMA_MINALIGN > 64 || L1_CACHE_BYTES > 64 ? 128 : 64)

/*
 * Limits of a request. They bound the time that an engine is busy with it, and fit the length
 * field of SafeXcel, which has 17 bits.
 */
#define OB_MAX_LENGTH 65536
#define OB_MAX_AAD 4096

/* Longest entry of a scatter list: the default limit of a device (dma_get_max_seg_size()). */
#define OB_MAX_SEGMENT 65536

extern struct workqueue_struct *ob_workqueue;
struct ob_arena;
struct ob_request;
struct ob_session;

/* skcipher, aead, ahash */
struct ob_type {
	/* flags: CRYPTO_ALG_* that the driver must have */
	int (*alloc)(struct ob_session *session, const char *driver, u32 flags);
	int (*set_key)(struct ob_session *session, const u8 *key, unsigned int size);
	/*
	 * Validates the copy of the slot and fills in the request. Returns 0, OB_NOTHING if the
	 * driver is not needed, or a negative errno.
	 */
	int (*prepare)(struct ob_request *request, const struct outboard_slot *copy);
	/* Returns what the crypto API returns. */
	int (*run)(struct ob_request *request);
};

#define OB_NOTHING 1

extern const struct ob_type ob_skcipher, ob_aead, ob_ahash;
int ob_skcipher_prepare(struct ob_request *request, const struct outboard_slot *copy);
int ob_skcipher_run(struct ob_request *request);

struct ob_algorithm {
	u16 id;
	u16 block;		/* length must be a multiple of this power of two */
	u16 least;		/* smallest length in bytes */
	u16 iv;			/* IV size in bytes */
	const char *name;
	const struct ob_type *type;
};

const struct ob_algorithm *ob_algorithm(u16 id);
const struct ob_algorithm *ob_algorithm_named(const char *name, const struct ob_type *type);

/* ---- driver.c: the allow list ---- */

/* What a driver can do, as root knows it; 0: nothing is known. */
struct ob_limits {
	u32 length;			/* of a request in bytes */
	u32 requests;			/* that its engine has at the same time */
	bool one_direction;		/* a session encrypts or decrypts, and not both */
};

struct ob_driver {
	struct kobject kobj;
	struct ob_limits limits;
	struct list_head link;
	const struct ob_algorithm *algorithm;	/* NULL: not found yet */
	/* Names the engine. Without a reference: unplug.c clears it before it is freed. */
	void *owner;				/* of the algorithm: its module, or OB_BUILT_IN */
	u64 retry;				/* jiffies of the next lookup; 0: not missing */
	int arrivals;				/* ob_arrivals before the last lookup */
	/* The only descriptor that may use it until it is allowed; only compared. NULL: all may. */
	const struct ob_file *trial;
	u16 number;
	unsigned int running;	/* requests that it has; protected by the lock of its engine */
	atomic64_t requests, bytes, errors, timeouts;
	char name[CRYPTO_MAX_ALG_NAME];
};

/* Of algorithms and of devices' drivers that are built into the kernel. */
#define OB_BUILT_IN ((struct module *)xa_mk_value(0))

/* Bytes of a line of "allow" besides the name, at most: number, algorithm, limits. */
#define OB_LINE_REST 80

extern struct mutex ob_drivers_lock;
extern struct list_head ob_drivers, ob_attached;
extern atomic_t ob_arrivals;

int ob_drivers_init(struct kobject *device);
void ob_drivers_exit(void);
int ob_allow(const char *name, const struct ob_limits *limits, const struct ob_file *trial);
int ob_disallow(const char *name, const struct ob_file *trial);
int ob_session_alloc(struct ob_session *session, const struct ob_algorithm *algorithm, u16 number);
void ob_detach(struct ob_session *session);
void ob_withdraw(const struct ob_arena *arena);
void ob_session_cancel(struct ob_session *session);
void ob_count_timeout(u16 number);

/* ---- unplug.c, or in the kernel's tree unregister.c ---- */

int ob_unplug_init(void);
void ob_unplug_exit(void);
bool ob_driver_unplugged(const struct ob_driver *driver);
void ob_driver_found(struct ob_session *session);

/* ---- file.c ---- */

struct ob_file {
	refcount_t refs;		/* of the descriptor, each arena and each session */
	struct ob_user *user;		/* the opener */
	struct xarray sessions;
	struct xarray arenas;		/* by number, less the first one */
	u32 first_arena, next_arena;
	struct list_head attached; /* sessions, also freed ones; protected by ob_drivers_lock */
};

extern const struct file_operations ob_fops;
void ob_file_put(struct ob_file *file);

/* ---- limits.c ---- */

/* OB_BYTES: memory of arenas, and of the requests of their slots. */
enum ob_resource { OB_SESSIONS, OB_BYTES, OB_RESOURCES };

struct ob_user *ob_user_get(void);
void ob_user_put(struct ob_user *user);
int ob_user_charge(struct ob_user *user, enum ob_resource what, u64 amount);
void ob_user_uncharge(struct ob_user *user, enum ob_resource what, u64 amount);
extern u64 ob_used[OB_RESOURCES];
const struct cred *ob_memory_charge(struct ob_user *user, u64 bytes);
void ob_memory_uncharge(struct ob_user *user, const struct cred *cred, u64 bytes);

/* ---- arena.c ---- */

struct ob_batch {
	atomic_t pending;
	bool late;			/* a request of it was written off */
	struct completion done;
};

struct ob_place {
	struct outboard_slot *slot;
	struct ob_request *request;	/* memory, reused by the next request */
	spinlock_t lock;		/* protects batch, event and the end of a request */
	u16 driver;
	bool late;			/* the request is written off */
	bool submitting;		/* a thread is about to submit the request, or does so */
	unsigned int generation;	/* of the last request; never 0 */
	unsigned int live;		/* generation of the request that the driver has; 0: none */
	/* NULL: not in flight, or ob_claimed. Otherwise its remover accounts for it. */
	struct ob_batch *batch;
	struct eventfd_ctx *event;	/* signalled when the request completes; NULL: none */
};

struct ob_page {
	struct page *page;
	unsigned int run;		/* contiguous pages from this one on */
};

struct ob_arena {
	refcount_t refs;		/* one for the mapping, one for each request in flight */
	refcount_t maps;		/* VMAs: more than one during mremap */
	struct ob_file *file;
	const struct cred *cred;	/* whose user is charged by RLIMIT_MEMLOCK */
	struct mm_struct *mm; /* that mapped it; the structure is kept, so that it is unique */
	u32 id, slots, data_offset, size;
	u64 charged;			/* bytes */
	unsigned long page_count;
	struct ob_page *pages;
	struct ob_place *places;
	struct work_struct release;
	struct rcu_head rcu;
};

struct ob_range {
	u32 offset, length;
};

static inline void ob_arena_put_atomic(struct ob_arena *arena)
{
	if (refcount_dec_and_test(&arena->refs))
		queue_work(ob_workqueue, &arena->release);
}

int ob_mmap(struct file *file, struct vm_area_struct *vma);
struct ob_arena *ob_arena_get(struct ob_file *file, u32 id);
void ob_arena_put(struct ob_arena *arena);
static inline bool ob_range_valid(const struct ob_arena *arena, struct ob_range range)
{
	return IS_ALIGNED(range.offset, OB_ALIGN) && range.offset >= arena->data_offset &&
	       range.offset <= arena->size && range.length <= arena->size - range.offset;
}

static inline bool ob_ranges_disjoint(struct ob_range a, struct ob_range b)
{
	return a.offset + (u64)a.length <= b.offset || b.offset + (u64)b.length <= a.offset;
}

/* Whether in and out are valid ranges that are equal or do not overlap. */
static inline bool ob_in_out_valid(const struct ob_arena *arena, struct ob_range in,
				   struct ob_range out)
{
	return ob_range_valid(arena, in) &&
	       (in.offset == out.offset ||
		(ob_range_valid(arena, out) && ob_ranges_disjoint(in, out)));
}

/* The page of an offset that was checked, also while the CPU speculates that it is valid. */
static inline const struct ob_page *ob_page_at(const struct ob_arena *arena, u32 offset)
{
	return &arena->pages[array_index_nospec(offset >> PAGE_SHIFT, arena->page_count)];
}

/* Returns the number of bytes from an offset on that one entry of a scatter list can hold. */
static inline u32 ob_contiguous_bytes(const struct ob_arena *arena, u32 offset)
{
	return min_t(u64, OB_MAX_SEGMENT,
		     ((u64)ob_page_at(arena, offset)->run << PAGE_SHIFT) - offset_in_page(offset));
}

static inline void ob_entry(const struct ob_arena *arena, struct scatterlist *sg, u32 offset,
			    u32 length)
{
	*sg = (struct scatterlist){};
	sg_set_page(sg, ob_page_at(arena, offset)->page, length, offset_in_page(offset));
}

/* ---- session.c ---- */

/* What a session has become; it never goes back. See ob_session_advance(). */
enum ob_session_state {
	OB_ALIVE,
	OB_DEAD,	/* no new requests: it was freed, or its driver goes */
	OB_CANCELLED,	/* and no request may wait */
	OB_ENDED,	/* the handle is being freed */
	OB_ABANDONED,	/* the handle is never freed */
};

struct ob_session {
	refcount_t refs;		/* its number, the driver handle */
	refcount_t users;		/* of the handle: being alive, each request in flight */
	atomic_t state;			/* enum ob_session_state */
	const struct ob_algorithm *algorithm;
	struct ob_driver *driver;
	struct ob_file *file;		/* its user is charged; NULL: first lookup of a driver */
	struct mm_struct *mm;		/* the owner; the structure is kept, so that it is unique */
	struct ob_share *share;		/* NULL: has no driver handle yet */
	struct list_head link, of_file;	/* in ob_attached, in file->attached */
	struct list_head waiting, turn;	/* requests; in share->sessions while there are any */
	union {
		struct crypto_skcipher *skcipher;
		struct crypto_aead *aead;
		struct crypto_ahash *ahash;
	};
	struct crypto_tfm *tfm;
	unsigned int request_size;
	/* Requests that are written off, and those of them that count towards engine->most. */
	unsigned int lost, held;
	u8 tag_size;
	u32 op;				/* of the first request, if it has to be the only one */
	struct work_struct release;	/* of the driver handle */
	struct rcu_head rcu;
};

/* Returns the state before. */
static inline enum ob_session_state ob_session_advance(struct ob_session *session,
						       enum ob_session_state to)
{
	int was = atomic_read(&session->state);

	while (was < (int)to && !atomic_try_cmpxchg(&session->state, &was, to))
		;
	return was;
}

static inline bool ob_session_is(const struct ob_session *session, enum ob_session_state state)
{
	return atomic_read(&session->state) >= (int)state;
}

static inline void ob_session_unuse_atomic(struct ob_session *session)
{
	if (refcount_dec_and_test(&session->users))
		queue_work(ob_workqueue, &session->release);
}

/*
 * Frees the driver handle of any type: crypto_free_skcipher(), crypto_free_aead() and
 * crypto_free_ahash() are this call, and the union holds the pointer.
 */
static inline void ob_session_free_handle(struct ob_session *session)
{
	crypto_destroy_tfm(session->skcipher, session->tfm);
}

void ob_session_init(struct ob_session *session);
int ob_session_new(struct ob_file *file, const struct outboard_session *record, const u8 *key);
int ob_session_free(struct ob_file *file, const struct outboard_session *record);
struct ob_session *ob_session_use(struct ob_file *file, u32 id);
void ob_session_unuse(struct ob_session *session);
void ob_session_kill_atomic(struct ob_session *session);
void ob_sessions_drop(struct ob_file *file);

/* ---- request.c ---- */

/* LOST: in flight, and written off. */
enum ob_request_state { OB_WAITING, OB_IN_FLIGHT, OB_LOST };

struct ob_request {
	union {
		u8 iv[OUTBOARD_IV_SIZE];
		u8 digest[OUTBOARD_DIGEST_SIZE];
	} __aligned(OB_ALIGN);
	struct ob_arena *arena __aligned(OB_ALIGN);
	struct ob_session *session;
	struct scatterlist *sg;		/* for more than one entry; NULL: not needed yet */
	struct ob_place *place;
	u32 capacity;			/* bytes at base */
	u32 cost;			/* of the engine's time */
	u64 started;			/* when the driver got it, in nanoseconds */
	u32 overtaken;			/* what it has completed when this one is overtaken */
	struct list_head node;		/* in session->waiting or engine->in_flight */
	enum ob_request_state state;	/* protected by the lock of the engine */
	unsigned long found;		/* cost of what the engine had, with this one */
	u32 op;
	struct scatterlist one;
	/* skcipher_request, aead_request or ahash_request, then the driver's request context. */
	char base[] CRYPTO_MINALIGN_ATTR;
};

/* Batch shared by all requests without a waiter; stands for a slot before it has a request. */
extern struct ob_batch ob_no_waiter, ob_claimed;

/* Of each request, for the crypto API. */
#define OB_REQUEST_FLAGS (CRYPTO_TFM_REQ_MAY_SLEEP | CRYPTO_TFM_REQ_MAY_BACKLOG)

void ob_notify_eventfd(struct eventfd_ctx *event);
void ob_slot_end(struct ob_arena *arena, struct ob_place *place, int status);
struct ob_request *ob_request_prepare(struct ob_arena *arena, struct ob_place *place,
				      struct ob_session *session, const struct outboard_slot *copy);
void ob_complete(ob_done_arg arg, int error);
void ob_request_start(struct ob_request *request);
void ob_request_done(struct ob_request *request, int error);
void ob_request_late(struct ob_request *request);
int ob_map_sg(struct ob_request *request, struct ob_range aad, struct ob_range in,
	      struct ob_range out, struct scatterlist **source, struct scatterlist **target);

/*
 * Builds the scatter lists of aad and in, and of aad and out. An in-place request has one list,
 * usually with one entry.
 */
static inline int ob_map(struct ob_request *request, struct ob_range aad, struct ob_range in,
			 struct ob_range out, struct scatterlist **source,
			 struct scatterlist **target)
{
	if (unlikely(in.offset != out.offset || aad.length || !in.length ||
		     in.length > ob_contiguous_bytes(request->arena, in.offset)))
		return ob_map_sg(request, aad, in, out, source, target);
	*source = *target = &request->one;
	ob_entry(request->arena, &request->one, in.offset, in.length);
	sg_mark_end(&request->one);
	return 0;
}

void ob_request_free(struct ob_request *request);

/* ---- submit.c ---- */

int ob_submit(struct ob_file *file, const struct outboard_submit *record);

/* ---- queue.c ---- */

int ob_queue_add(struct ob_request *request);
void ob_queue_done(struct ob_request *request, int error);
bool ob_queue_refused(struct ob_request *request);
void ob_queue_cancel(struct ob_session *session, const struct ob_arena *arena);
void ob_queue_abandon(struct ob_session *session);

/* ---- shares.c ---- */

int ob_queue_join(struct ob_session *session);
void ob_queue_leave(struct ob_session *session);
void ob_queue_clean(void);
bool ob_engine_stopped(const struct ob_driver *driver);
void ob_engines_probe(void);

/* ---- main.c, sysfs.c ---- */

extern unsigned int ob_max_sessions, ob_max_requests, ob_timeout, ob_patience;
extern unsigned long ob_max_bytes;
/* At most a day, which fits 32 bits. */
static inline unsigned long ob_timeout_jiffies(void)
{
	return clamp(READ_ONCE(ob_timeout), 1U, 86400U) * HZ;
}

extern bool ob_dma32;
extern const struct attribute_group *ob_groups[];
extern const struct kobj_type ob_driver_ktype;
extern atomic_t ob_files, ob_arenas, ob_requests, ob_doubles;

#endif
