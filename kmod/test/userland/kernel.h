/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stand-ins for what the module uses of the kernel, so that its files run unchanged in a process of one
 * thread. Each header of the kernel that they include is this file (scripts/verify). Locks check that
 * they are not taken twice; work is run, time passes and drivers complete when the test decides.
 */
#ifndef OUTBOARD_USERLAND_KERNEL_H
#define OUTBOARD_USERLAND_KERNEL_H

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* A property that does not hold. */
void ob_fails(const char *what, const char *file, int line) __attribute__((noreturn));
#define ob_assert(condition) \
	do { if (!(condition)) ob_fails(#condition, __FILE__, __LINE__); } while (0)

typedef uint8_t u8, __u8;
typedef uint16_t u16, __u16;
typedef uint32_t u32, __u32;
typedef uint64_t u64, __u64;
typedef int32_t s32, __s32;
typedef int64_t s64, __s64;
typedef __u64 __aligned_u64 __attribute__((aligned(8)));
typedef unsigned int gfp_t;
typedef unsigned int vm_fault_t;

#define __user
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __aligned(n) __attribute__((aligned(n)))
#define CRYPTO_MINALIGN_ATTR __attribute__((aligned(16)))
#define likely(x) (x)
#define unlikely(x) (x)
#define U16_MAX UINT16_MAX
#define U64_MAX UINT64_MAX
#define S32_MAX INT32_MAX
#define L1_CACHE_BYTES 64
#define ARCH_DMA_MINALIGN 8
#define PAGE_SHIFT 12
#define PAGE_SIZE 4096UL
#define PAGE_ALIGN(n) (((n) + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1))
#define offset_in_page(n) ((unsigned long)(n) & (PAGE_SIZE - 1))
#define IS_ALIGNED(n, to) (!((n) & ((typeof(n))(to) - 1)))
#define DIV_ROUND_UP(n, by) (((n) + (by) - 1) / (by))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)
#define SZ_1G (1UL << 30)
#define HZ 250
#define NSEC_PER_MSEC 1000000L
#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
#define LINUX_VERSION_CODE KERNEL_VERSION(6, 12, 0)
#define cpu_dcache_is_aliasing() false
#define MODULE_STATE_GOING 1
#define xa_mk_value(n) ((void *)(2UL * (n) + 1))

#define min(a, b) ({ typeof(a) _a = (a); typeof(b) _b = (b); _a < _b ? _a : _b; })
#define max(a, b) ({ typeof(a) _a = (a); typeof(b) _b = (b); _a > _b ? _a : _b; })
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define clamp(n, low, high) min(max(n, low), high)
#define clamp_t(type, n, low, high) min_t(type, max_t(type, n, low), high)
#define swap(a, b) do { typeof(a) _t = (a); (a) = (b); (b) = _t; } while (0)
#define div_u64(n, by) ((u64)(n) / (u32)(by))
#define ilog2(n) (63 - __builtin_clzll(n))
static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n <= 1 ? 1 : 1UL << (64 - __builtin_clzl(n - 1));
}
#define container_of(at, type, member) ((type *)((char *)(at) - offsetof(type, member)))

/* User space changes memory that it shares as soon as it was read (model.c). */
void ob_was_read(const volatile void *at, size_t size);
#define READ_ONCE(x) \
	({ typeof(x) _v = *(volatile typeof(x) *)&(x); ob_was_read(&(x), sizeof(x)); _v; })
#define WRITE_ONCE(x, to) (*(volatile typeof(x) *)&(x) = (to))
#define smp_store_release(at, to) (*(volatile typeof(*(at)) *)(at) = (to))
#define array_index_nospec(index, size) ((index) < (size) ? (index) : 0)
#define cmpxchg(at, old, new) \
	({ typeof(*(at)) _was = *(at); if (_was == (old)) *(at) = (new); _was; })
#define xchg(at, new) ({ typeof(*(at)) _was = *(at); *(at) = (new); _was; })

/* ---- errors ---- */

static inline void *ERR_PTR(long error) { return (void *)error; }
static inline long PTR_ERR(const void *at) { return (long)at; }
static inline bool IS_ERR(const void *at) { return (unsigned long)at >= -4095UL; }
static inline bool IS_ERR_OR_NULL(const void *at) { return !at || IS_ERR(at); }
static inline int PTR_ERR_OR_ZERO(const void *at) { return IS_ERR(at) ? PTR_ERR(at) : 0; }
#define ERR_CAST(at) ((void *)(at))
#define pr_err_ratelimited(...) ((void)0)

/* ---- counts ---- */

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;
typedef struct { long counter; } atomic_long_t;
typedef struct { int counter; } refcount_t;

#define atomic_read(a) ((a)->counter)
#define atomic_set(a, n) ((a)->counter = (n))
#define atomic_inc(a) ((a)->counter++)
#define atomic_dec(a) ((a)->counter--)
#define atomic_dec_and_test(a) (ob_checked_dec(&(a)->counter) == 0)
#define atomic64_inc(a) ((a)->counter++)
#define atomic64_add(n, a) ((a)->counter += (n))
#define atomic_long_read(a) ((a)->counter)
#define atomic_long_sub(n, a) ((a)->counter -= (n))
static inline int ob_checked_dec(int *count)
{
	ob_assert(*count > 0);
	return --*count;
}
static inline bool atomic_try_cmpxchg(atomic_t *a, int *was, int to)
{
	bool same = a->counter == *was;

	if (same)
		a->counter = to;
	*was = same ? *was : a->counter;
	return same;
}
static inline bool atomic_long_try_cmpxchg(atomic_long_t *a, long *was, long to)
{
	bool same = a->counter == *was;

	if (same)
		a->counter = to;
	*was = same ? *was : a->counter;
	return same;
}
#define refcount_set(r, n) ((r)->counter = (n))
#define refcount_read(r) ((r)->counter)
/* From 0 there is no way back. */
#define refcount_add(n, r) do { ob_assert((r)->counter > 0); (r)->counter += (n); } while (0)
#define refcount_inc(r) refcount_add(1, r)
#define refcount_inc_not_zero(r) ((r)->counter ? ++(r)->counter : 0)
#define refcount_dec_and_test(r) (ob_checked_dec(&(r)->counter) == 0)

/* ---- locks ---- */

typedef struct { bool held; } spinlock_t;
struct mutex { bool held; };
#define DEFINE_SPINLOCK(name) spinlock_t name
#define DEFINE_MUTEX(name) struct mutex name
#define spin_lock_init(l) ((l)->held = false)
#define spin_lock(l) do { ob_assert(!(l)->held); (l)->held = true; } while (0)
#define spin_unlock(l) do { ob_assert((l)->held); (l)->held = false; } while (0)
#define spin_lock_irq(l) spin_lock(l)
#define spin_unlock_irq(l) spin_unlock(l)
#define spin_lock_irqsave(l, flags) do { (flags) = 0; (void)(flags); spin_lock(l); } while (0)
#define spin_unlock_irqrestore(l, flags) spin_unlock(l)
#define mutex_lock(l) spin_lock(l)
#define mutex_unlock(l) spin_unlock(l)
#define lockdep_assert_held(l) ob_assert((l)->held)
#define lockdep_is_held(l) ((l)->held)

/* linux/cleanup.h */
static inline bool *ob_guard_take(bool *held)
{
	ob_assert(!*held);
	*held = true;
	return held;
}
static inline void ob_guard_drop(bool **held)
{
	if (!*held)
		return;
	ob_assert(**held);
	**held = false;
}
static inline bool *ob_guard_mutex(struct mutex *l) { return ob_guard_take(&l->held); }
static inline bool *ob_guard_spinlock(spinlock_t *l) { return ob_guard_take(&l->held); }
static inline bool *ob_guard_rcu(void) { return NULL; }
#define ob_guard_spinlock_irq ob_guard_spinlock
#define ob_guard_spinlock_irqsave ob_guard_spinlock
#define OB_PASTE_(a, b) a##b
#define OB_PASTE(a, b) OB_PASTE_(a, b)
#define ob_guard(name, kind) bool *name __attribute__((cleanup(ob_guard_drop))) = ob_guard_##kind
#define guard(kind) ob_guard(OB_PASTE(guard, __COUNTER__), kind)
#define scoped_guard(kind, l) for (ob_guard(scope, kind)(l), *done = NULL; !done; done = scope)
struct rcu_head { int unused; };
#define kfree_rcu(at, member) free(at)
#define cond_resched() ((void)0)

#define refcount_dec_and_lock(r, l) \
	({ bool _last = refcount_dec_and_test(r); if (_last) spin_lock(l); _last; })

/* ---- lists ---- */

struct list_head { struct list_head *next, *prev; };
#define LIST_HEAD(name) struct list_head name = { &name, &name }
static inline void INIT_LIST_HEAD(struct list_head *l) { l->next = l->prev = l; }
static inline bool list_empty(const struct list_head *l) { return l->next == l; }
static inline void list_add(struct list_head *n, struct list_head *l)
{
	n->next = l->next;
	n->prev = l;
	l->next->prev = n;
	l->next = n;
}
static inline void list_add_tail(struct list_head *n, struct list_head *l) { list_add(n, l->prev); }
static inline void list_cut(struct list_head *n)
{
	n->next->prev = n->prev;
	n->prev->next = n->next;
}
/* As the kernel poisons it: a second removal is an error. */
static inline void list_del(struct list_head *n)
{
	list_cut(n);
	n->next = n->prev = NULL;
}
static inline void list_del_init(struct list_head *n)
{
	list_cut(n);
	INIT_LIST_HEAD(n);
}
static inline void list_move(struct list_head *n, struct list_head *l)
{
	list_cut(n);
	list_add(n, l);
}
static inline void list_move_tail(struct list_head *n, struct list_head *l)
{
	list_cut(n);
	list_add_tail(n, l);
}
static inline void list_splice_tail_init(struct list_head *from, struct list_head *to)
{
	while (!list_empty(from))
		list_move_tail(from->next, to);
}
static inline void list_splice_init(struct list_head *from, struct list_head *to)
{
	while (!list_empty(from))
		list_move(from->prev, to);
}
#define list_entry(at, type, member) container_of(at, type, member)
#define list_first_entry(l, type, member) list_entry((l)->next, type, member)
#define list_for_each_entry(at, l, member) \
	for (at = list_entry((l)->next, typeof(*at), member); &at->member != (l); \
	     at = list_entry(at->member.next, typeof(*at), member))
#define list_add_rcu(n, l) list_add(n, l)
#define list_del_rcu(n) list_del(n)
#define list_for_each_entry_rcu(at, l, member, held) list_for_each_entry(at, l, member)
#define list_for_each_entry_safe(at, after, l, member) \
	for (at = list_entry((l)->next, typeof(*at), member), \
	     after = list_entry(at->member.next, typeof(*at), member); \
	     &at->member != (l); \
	     at = after, after = list_entry(after->member.next, typeof(*at), member))

/* ---- memory ---- */

#define GFP_KERNEL 0
#define GFP_KERNEL_ACCOUNT 0
#define __GFP_ZERO 0
#define __GFP_NOWARN 0
#define __GFP_RETRY_MAYFAIL 0
#define __GFP_NORETRY 0
#define __GFP_DMA32 0
/* NULL where the test decides that there is none. */
void *ob_alloc(size_t size);
#define kzalloc(size, flags) ob_alloc(size)
#define kvcalloc(n, size, flags) ob_alloc((size_t)(n) * (size))
#define kmalloc_array(n, size, flags) ob_alloc((size_t)(n) * (size))
#define kfree(at) free((void *)(at))
#define kvfree(at) free(at)
#define kfree_sensitive(at) free(at)
#define memzero_explicit(at, size) memset(at, 0, size)
static inline void *memchr_inv(const void *at, int byte, size_t size)
{
	for (const u8 *p = at; size--; p++)
		if (*p != (u8)byte)
			return (void *)p;
	return NULL;
}

/* A page is its memory. */
struct page { u8 bytes[PAGE_SIZE]; };
/* Each page is on its own: a scatter list has an entry for each. */
#define alloc_pages(gfp, order) ((order) ? NULL : (struct page *)ob_alloc(PAGE_SIZE))
void ob_free_page(struct page *page);
#define split_page(page, order) ((void)(order))
#define __free_page(page) ob_free_page(page)
#define clear_highpage(page) memset(page, 0, PAGE_SIZE)
#define page_address(page) ((void *)(page))
#define page_to_pfn(page) ((unsigned long)(page))

struct scatterlist { struct page *page; unsigned int offset, length; bool end; };
static inline void sg_set_page(struct scatterlist *sg, struct page *page, unsigned int length,
			       unsigned int offset)
{
	sg->page = page;
	sg->offset = offset;
	sg->length = length;
}
#define sg_mark_end(sg) ((sg)->end = true)
#define sg_init_one(sg, at, size) \
	(*(sg) = (struct scatterlist){ .page = (void *)(at), .length = (size), .end = true })

/* ---- work, time, waiting ---- */

struct workqueue_struct { int unused; };
struct work_struct {
	void (*run)(struct work_struct *work);
	struct list_head pending;
};
struct delayed_work {
	struct work_struct work;
	unsigned long due;
};
extern unsigned long jiffies;
extern u64 ob_now;
#define ktime_get_ns() ob_now
#define jiffies_to_nsecs(n) ((u64)(n) * (1000000000 / HZ))
#define msecs_to_jiffies(n) DIV_ROUND_UP((unsigned long)(n) * HZ, 1000)
#define time_before(a, b) ((long)((a) - (b)) < 0)
#define time_after(a, b) time_before(b, a)
#define INIT_WORK(w, f) do { (w)->run = (f); INIT_LIST_HEAD(&(w)->pending); } while (0)
#define INIT_DELAYED_WORK(w, f) INIT_WORK(&(w)->work, f)
#define to_delayed_work(w) container_of(w, struct delayed_work, work)
void ob_queue_work(struct work_struct *work);
void ob_queue_delayed(struct delayed_work *work, unsigned long delay, bool again);
#define queue_work(queue, w) ob_queue_work(w)
#define queue_delayed_work(queue, w, delay) ob_queue_delayed(w, delay, false)
#define mod_delayed_work(queue, w, delay) ob_queue_delayed(w, delay, true)
#define delayed_work_pending(w) (!list_empty(&(w)->work.pending))
#define cancel_delayed_work_sync(w) list_del_init(&(w)->work.pending)

struct completion { bool done; };
#define init_completion(c) ((c)->done = false)
#define complete(c) ((c)->done = true)
/* Nothing else runs meanwhile: what is waited for has to be there. */
#define wait_for_completion(c) ob_assert((c)->done)
long ob_wait(struct completion *done, unsigned long limit);
#define wait_for_completion_killable_timeout(c, limit) ob_wait(c, limit)

/* ---- numbers to objects ---- */

struct xarray { void *at[16]; u32 index[16]; bool used[16]; };
#define XA_FLAGS_ACCOUNT 0
#define XA_FLAGS_ALLOC1 0
#define XA_LIMIT(low, high) (high)
#define xa_init_flags(x, flags) memset(x, 0, sizeof(*(x)))
void *xa_load(struct xarray *x, unsigned long index);
void xa_store(struct xarray *x, unsigned long index, void *entry, gfp_t gfp);
int xa_insert(struct xarray *x, unsigned long index, void *entry, gfp_t gfp);
void xa_erase(struct xarray *x, unsigned long index);
int xa_alloc_cyclic(struct xarray *x, u32 *id, void *entry, u32 limit, u32 *next, gfp_t gfp);
void xa_destroy(struct xarray *x);
#define __xa_erase(x, index) xa_erase(x, index)
#define xa_lock(x) ((void)0)
#define xa_unlock(x) ((void)0)
#define xa_for_each(x, i, entry) \
	for (unsigned int _n = 0; _n < 16; _n++) \
		if ((x)->used[_n] && ((entry) = (x)->at[_n]) && (((i) = (x)->index[_n]), (void)(i), true))

/* ---- processes ---- */

typedef struct { u32 val; } kuid_t;
struct user_namespace { struct user_namespace *parent; kuid_t owner; int refs; };
struct user_struct { atomic_long_t locked_vm; };
struct cred { kuid_t euid; struct user_namespace *user_ns; struct user_struct *user; int refs; };
struct mm_struct { int grabbed; };
struct task_struct { struct mm_struct *mm; struct cred *cred; bool killed; };
extern struct task_struct *current;
extern struct user_namespace init_user_ns;
#define GLOBAL_ROOT_UID ((kuid_t){ 0 })
#define uid_eq(a, b) ((a).val == (b).val)
#define current_cred() ((const struct cred *)current->cred)
#define get_cred(c) (((struct cred *)(c))->refs++, (c))
#define put_cred(c) ((void)((struct cred *)(c))->refs--)
static inline struct user_namespace *get_user_ns(struct user_namespace *ns)
{
	if (ns)
		ns->refs++;
	return ns;
}
static inline void put_user_ns(struct user_namespace *ns)
{
	if (ns)
		ns->refs--;
}
#define mmgrab(m) ((m)->grabbed++)
#define mmdrop(m) ((m)->grabbed--)
#define fatal_signal_pending(task) ((task)->killed)
extern unsigned long ob_rlimit;
#define rlimit(which) ob_rlimit
#define CAP_IPC_LOCK 0
#define CAP_SYS_ADMIN 0
#define ns_capable_noaudit(ns, capability) false
#define capable(capability) false
#define file_ns_capable(file, ns, capability) false
#define get_random_u32() 4000000000U

/* ---- files ---- */

struct inode { int unused; };
struct vm_area_struct;
struct file { void *private_data; };
struct module { int unused; };
struct file_operations {
	struct module *owner;
	int (*open)(struct inode *, struct file *);
	int (*release)(struct inode *, struct file *);
	int (*mmap)(struct file *, struct vm_area_struct *);
	ssize_t (*write)(struct file *, const char *, size_t, loff_t *);
};
extern struct module ob_this_module;
#define THIS_MODULE (&ob_this_module)
#define __module_get(m) ((m)->unused++)
#define module_put(m) ((m)->unused--)
#define nonseekable_open(inode, file) 0
#define copy_from_user(to, from, size) (memcpy(to, from, size), 0)

struct vm_fault { struct vm_area_struct *vma; unsigned long address, pgoff; };
struct vm_operations_struct {
	void (*open)(struct vm_area_struct *);
	void (*close)(struct vm_area_struct *);
	vm_fault_t (*fault)(struct vm_fault *);
	int (*may_split)(struct vm_area_struct *, unsigned long);
};
struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	void *vm_private_data;
	const struct vm_operations_struct *vm_ops;
};
#define VM_READ 1
#define VM_WRITE 2
#define VM_EXEC 4
#define VM_SHARED 8
#define VM_IO 16
#define VM_PFNMAP 32
#define VM_DONTCOPY 64
#define VM_DONTEXPAND 128
#define VM_DONTDUMP 256
#define VM_MAYEXEC 512
#define vm_flags_mod(vma, set, clear) ((vma)->vm_flags = ((vma)->vm_flags | (set)) & ~(clear))
#define vmf_insert_pfn(vma, address, pfn) ((void)(pfn), 0)

struct eventfd_ctx { int signals, refs; };
struct eventfd_ctx *eventfd_ctx_fdget(int fd);
#define eventfd_signal(e) ((e)->signals++)
#define eventfd_ctx_put(e) ((e)->refs--)

/* ---- the crypto API ---- */

#define CRYPTO_MAX_ALG_NAME 128
#define CRYPTO_ALG_DEAD 1
#define CRYPTO_ALG_DYING 2
#define CRYPTO_TFM_REQ_MAY_SLEEP 1
#define CRYPTO_TFM_REQ_MAY_BACKLOG 2
struct kobject { int unused; };
struct crypto_alg { u32 cra_flags; struct module *cra_module; };
struct crypto_tfm { struct crypto_alg *__crt_alg; };
/* A handle of each type is one. */
struct crypto_handle { struct crypto_tfm base; unsigned int digestsize; };
#define crypto_skcipher crypto_handle
#define crypto_aead crypto_handle
#define crypto_ahash crypto_handle
struct ob_api_request {
	struct crypto_handle *tfm;
	struct scatterlist *source, *target;
	unsigned int length, aad;
	u8 *iv, *digest;
	void (*done)(void *data, int error);
	void *data;
	int encrypts;
};
#define skcipher_request ob_api_request
#define aead_request ob_api_request
#define ahash_request ob_api_request
#define crypto_alloc_skcipher(...) ((struct crypto_handle *)ERR_PTR(-ENOENT))
#define crypto_alloc_aead(...) ((struct crypto_handle *)ERR_PTR(-ENOENT))
#define crypto_alloc_ahash(...) ((struct crypto_handle *)ERR_PTR(-ENOENT))
#define crypto_skcipher_tfm(h) (&(h)->base)
#define crypto_aead_tfm(h) (&(h)->base)
#define crypto_ahash_tfm(h) (&(h)->base)
#define crypto_skcipher_reqsize(h) 32
#define crypto_aead_reqsize(h) 32
#define crypto_ahash_reqsize(h) 32
#define crypto_ahash_digestsize(h) ((h)->digestsize)
#define HASH_MAX_DIGESTSIZE 64
#define crypto_skcipher_setkey(h, key, size) ((size) == 16 ? 0 : -EINVAL)
#define crypto_aead_setkey(h, key, size) ((size) == 16 ? 0 : -EINVAL)
#define crypto_ahash_setkey(h, key, size) 0
#define crypto_aead_setauthsize(h, size) ((size) && (size) <= 16 ? 0 : -EINVAL)
void crypto_destroy_tfm(void *handle, struct crypto_tfm *tfm);
int ob_api_run(struct ob_api_request *request);
#define skcipher_request_set_tfm(r, h) ((r)->tfm = (h))
#define skcipher_request_set_callback(r, flags, f, d) ((r)->done = (f), (r)->data = (d))
#define skcipher_request_set_crypt(r, s, t, n, i) \
	((r)->source = (s), (r)->target = (t), (r)->length = (n), (r)->aad = 0, (r)->iv = (i))
#define crypto_skcipher_encrypt(r) ((r)->encrypts = 1, ob_api_run(r))
#define crypto_skcipher_decrypt(r) ((r)->encrypts = 0, ob_api_run(r))
#define aead_request_set_tfm skcipher_request_set_tfm
#define aead_request_set_callback skcipher_request_set_callback
#define aead_request_set_crypt skcipher_request_set_crypt
#define aead_request_set_ad(r, n) ((r)->aad = (n))
#define crypto_aead_encrypt crypto_skcipher_encrypt
#define crypto_aead_decrypt crypto_skcipher_decrypt
#define ahash_request_set_tfm skcipher_request_set_tfm
#define ahash_request_set_callback skcipher_request_set_callback
#define ahash_request_set_crypt(r, s, d, n) \
	((r)->source = (r)->target = (s), (r)->length = (n), (r)->aad = 0, (r)->digest = (d))
#define crypto_ahash_digest(r) ob_api_run((void *)(r))
#define INDIRECT_CALL_1(f, expected, ...) ((f)(__VA_ARGS__))

/* Of files of the kernel that are not here. */
struct attribute_group;
struct kobj_type;

#endif
