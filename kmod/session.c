// SPDX-License-Identifier: GPL-2.0
/*
 * A session is an immutable pair of driver and key. It has two reference counts: refs keeps the
 * structure, users keeps the driver handle. Killing a session drops the user reference for being
 * alive, so the handle is freed after the last request in flight.
 *
 * A session belongs to the address space that created it: another process that has the descriptor
 * can neither use nor free it.
 */
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "outboard.h"

static void ob_session_put(struct ob_session *session)
{
	if (!refcount_dec_and_test(&session->refs))
		return;
	mmdrop(session->mm);
	kfree_rcu(session, rcu);
}

static void ob_session_release(struct work_struct *work)
{
	struct ob_session *session = container_of(work, struct ob_session, release);

	if (ob_session_advance(session, OB_ENDED) < OB_ENDED)
		ob_session_free_handle(session);
	ob_detach(session);
	ob_user_uncharge(session->file->user, OB_SESSIONS, 1);
	ob_file_put(session->file);
	ob_session_put(session);
}

/* refs: the number and the driver handle; users: being alive and the function that creates it. */
void ob_session_init(struct ob_session *session)
{
	refcount_set(&session->refs, 2);
	refcount_set(&session->users, 2);
	INIT_WORK(&session->release, ob_session_release);
	INIT_LIST_HEAD(&session->of_file);
	INIT_LIST_HEAD(&session->waiting);
	INIT_LIST_HEAD(&session->turn);
}

void ob_session_unuse(struct ob_session *session)
{
	if (refcount_dec_and_test(&session->users))
		ob_session_release(&session->release);
}

void ob_session_kill_atomic(struct ob_session *session)
{
	if (ob_session_advance(session, OB_DEAD) == OB_ALIVE)
		ob_session_unuse_atomic(session);
}

struct ob_session *ob_session_use(struct ob_file *file, u32 id)
{
	struct ob_session *session;

	guard(rcu)();
	session = xa_load(&file->sessions, id);
	if (!session || session->mm != current->mm)
		return ERR_PTR(-ENOENT);
	if (ob_session_is(session, OB_DEAD) || !refcount_inc_not_zero(&session->users))
		return ERR_PTR(-ENODEV);
	if (likely(!(READ_ONCE(session->tfm->__crt_alg->cra_flags) &
		     (CRYPTO_ALG_DEAD | CRYPTO_ALG_DYING))))
		return session;
	/* Users of a dying algorithm must be gone before its driver is. */
	ob_session_kill_atomic(session);
	ob_session_unuse_atomic(session);
	return ERR_PTR(-ENODEV);
}

/* The crypto API checks the size of a tag. */
static bool ob_session_record_ok(const struct outboard_session *record,
				 const struct ob_algorithm *algorithm)
{
	return algorithm && !record->flags && record->session && !record->reserved &&
	       (algorithm->type == &ob_aead || !record->tag_size);
}

static void ob_session_drop(struct ob_session *session)
{
	if (ob_session_advance(session, OB_DEAD) == OB_ALIVE)
		ob_session_unuse(session);
	ob_session_put(session);
}

int ob_session_new(struct ob_file *file, const struct outboard_session *record, const u8 *key)
{
	const struct ob_algorithm *algorithm = ob_algorithm(record->algorithm);
	struct ob_session *session;
	int error;

	if (!ob_session_record_ok(record, algorithm))
		return -EINVAL;
	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return -ENOMEM;
	error = ob_user_charge(file->user, OB_SESSIONS, 1);
	if (error)
		goto free;
	ob_session_init(session);
	session->tag_size = record->tag_size;
	session->file = file;
	error = ob_session_alloc(session, algorithm, record->driver);
	if (error)
		goto uncharge;
	refcount_inc(&file->refs);
	session->mm = current->mm;
	mmgrab(session->mm);
	error = algorithm->type->set_key(session, key, record->key_size);
	if (!error) {
		error = xa_insert(&file->sessions, record->session, session, GFP_KERNEL_ACCOUNT);
		error = error == -EBUSY ? -EEXIST : error;
	}
	if (error)
		ob_session_drop(session);
	ob_session_unuse(session);
	return error;

uncharge:
	ob_user_uncharge(file->user, OB_SESSIONS, 1);
free:
	kfree(session);
	return error;
}

int ob_session_free(struct ob_file *file, const struct outboard_session *record)
{
	struct ob_session *session;
	u32 id = record->session;

	if (record->flags || !id || record->algorithm || record->driver || record->key_size ||
	    record->tag_size || record->reserved)
		return -EINVAL;

	xa_lock(&file->sessions);
	session = xa_load(&file->sessions, id);
	if (session && session->mm == current->mm)
		__xa_erase(&file->sessions, id);
	else
		session = NULL;
	xa_unlock(&file->sessions);
	if (!session)
		return -ENOENT;
	ob_session_drop(session);
	return 0;
}

void ob_sessions_drop(struct ob_file *file)
{
	struct ob_session *session;
	unsigned long id;

	xa_for_each(&file->sessions, id, session)
		ob_session_drop(session);
}
