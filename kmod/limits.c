// SPDX-License-Identifier: GPL-2.0
/*
 * How much memory and how many sessions each user, and all together, may have. A login or a
 * container may have any number of user IDs in its namespaces, so that these count as one user:
 *
 *   process in                              made by         its user is
 *   the initial namespace                                   its user ID
 *   a namespace below it, or below that     a login         that login
 *   the same                                root            that namespace: a container
 *
 * The outermost namespace below the initial one decides, and not those in it.
 */
#include <linux/cred.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include "outboard.h"

/* A user may have this part of each limit, so that one user cannot leave nothing to the others. */
#define OB_PART 2

struct ob_user {
	struct list_head link;
	kuid_t uid;
	struct user_namespace *container;	/* NULL: none; otherwise uid is root's */
	refcount_t refs;
	u64 used[OB_RESOURCES];
};

static DEFINE_SPINLOCK(lock);	/* protects all that follows */
static LIST_HEAD(users);
u64 ob_used[OB_RESOURCES];

static void ob_user_identify(struct ob_user *user, const struct cred *cred)
{
	struct user_namespace *ns = cred->user_ns;

	user->uid = cred->euid;
	if (ns == &init_user_ns)
		return;
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	user->uid = ns->owner;
	if (uid_eq(ns->owner, GLOBAL_ROOT_UID))
		user->container = ns;
}

/* Returns the user of the calling process with a reference, or NULL. */
struct ob_user *ob_user_get(void)
{
	struct ob_user *made = kzalloc(sizeof(*made), GFP_KERNEL_ACCOUNT), *user;

	if (!made)
		return NULL;
	ob_user_identify(made, current_cred());
	refcount_set(&made->refs, 1);
	guard(spinlock)(&lock);
	list_for_each_entry(user, &users, link)
		if (uid_eq(user->uid, made->uid) && user->container == made->container) {
			refcount_inc(&user->refs);
			kfree(made);
			return user;
		}
	get_user_ns(made->container);
	list_add(&made->link, &users);
	return made;
}

void ob_user_put(struct ob_user *user)
{
	if (!refcount_dec_and_lock(&user->refs, &lock))
		return;
	list_del(&user->link);
	spin_unlock(&lock);
	put_user_ns(user->container);
	kfree(user);
}

/* Charges the user, with a reference. Returns -EMFILE (the user's limit), -ENFILE (of all) or 0. */
int ob_user_charge(struct ob_user *user, enum ob_resource what, u64 amount)
{
	u64 most = what == OB_SESSIONS ? READ_ONCE(ob_max_sessions) : READ_ONCE(ob_max_bytes);

	guard(spinlock)(&lock);
	if (user->used[what] + amount > most / OB_PART)
		return -EMFILE;
	if (ob_used[what] + amount > most)
		return -ENFILE;
	user->used[what] += amount;
	ob_used[what] += amount;
	refcount_inc(&user->refs);
	return 0;
}

void ob_user_uncharge(struct ob_user *user, enum ob_resource what, u64 amount)
{
	scoped_guard(spinlock, &lock) {
		user->used[what] -= amount;
		ob_used[what] -= amount;
	}
	ob_user_put(user);
}

void ob_memory_uncharge(struct ob_user *user, const struct cred *cred, u64 bytes)
{
	atomic_long_sub(bytes >> PAGE_SHIFT, &cred->user->locked_vm);
	ob_user_uncharge(user, OB_BYTES, bytes);
	put_cred(cred);
}

/*
 * Charges the user, in the module and by RLIMIT_MEMLOCK, as io_uring and perf do.
 * account_locked_vm() counts for each process, and takes mmap_lock, which munmap() holds here.
 * Returns the credentials with a reference, or an error. They hold the user, whom a module cannot
 * release on each kernel: Linux 6.1.176 does not export free_uid().
 */
const struct cred *ob_memory_charge(struct ob_user *user, u64 bytes)
{
	unsigned long most = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT, pages = bytes >> PAGE_SHIFT;
	const struct cred *cred = current_cred();
	int error = ob_user_charge(user, OB_BYTES, bytes);
	long locked = atomic_long_read(&cred->user->locked_vm);

	if (error)
		return ERR_PTR(error);
	/* Adds only what fits: what is added and taken back could make others fail. */
	do {
		/* No record of the audit system for what is only refused. */
		if (locked + pages > most && !ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK)) {
			ob_user_uncharge(user, OB_BYTES, bytes);
			return ERR_PTR(-EAGAIN);
		}
	} while (!atomic_long_try_cmpxchg(&cred->user->locked_vm, &locked, locked + pages));
	return get_cred(cred);
}
