// SPDX-License-Identifier: GPL-2.0
/* The kernel around the module's files, and what the tests do with it. */
#include <stdio.h>
#include "model.h"

#define REQUESTS 64

struct task_struct *current;
struct user_namespace init_user_ns;
struct module ob_this_module;
unsigned long jiffies, ob_rlimit = 1UL << 40;
u64 ob_now;
struct workqueue_struct *ob_workqueue;
/* As in main.c and sysfs.c. */
unsigned int ob_max_sessions = 16, ob_max_requests = 96, ob_timeout = 1, ob_patience = 30;
unsigned long ob_max_bytes = 1 << 24;
bool ob_dma32;
atomic_t ob_files, ob_arenas, ob_requests, ob_doubles;
/* As in driver.c. */
DEFINE_MUTEX(ob_drivers_lock);
LIST_HEAD(ob_drivers);
LIST_HEAD(ob_attached);

int world_answer = -EINPROGRESS;
bool world_no_memory, world_changes_slots;
struct world_user world_users[USERS];
struct eventfd_ctx world_events[2];

static LIST_HEAD(works);
static struct module engine_module;
static struct crypto_alg driver_alg = { .cra_module = &engine_module };
static struct ob_driver drivers[DRIVERS];
static struct { void (*done)(void *, int); struct ob_request *request; } pending[REQUESTS], last;
static unsigned int pending_count, handles;

/* ---- the kernel ---- */

void ob_fails(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	world_failed();
	abort();
}

void ob_was_read(const volatile void *at, size_t size)
{
	for (unsigned int i = 0; world_changes_slots && i < USERS; i++) {
		const struct ob_arena *arena = world_users[i].vma.vm_private_data;

		if (!world_users[i].is_mapped)
			continue;
		for (u32 n = 0; n < arena->slots; n++) {
			const u8 *slot = (void *)arena->places[n].slot;

			if ((const u8 *)at >= slot && (const u8 *)at < slot + sizeof(*arena->places->slot))
				memset((void *)at, 0xff, size);
		}
	}
}

void *ob_alloc(size_t size)
{
	return world_no_memory ? NULL : calloc(1, size);
}

void ob_free_page(struct page *page)
{
	free(page);
}

void ob_queue_work(struct work_struct *work)
{
	if (list_empty(&work->pending))
		list_add_tail(&work->pending, &works);
}

void ob_queue_delayed(struct delayed_work *work, unsigned long delay, bool again)
{
	if (!list_empty(&work->work.pending) && !again)
		return;
	work->due = jiffies + delay;
	list_del_init(&work->work.pending);
	list_add_tail(&work->work.pending, &works);
}

static bool is_due(struct work_struct *work)
{
	return (work->run != ob_queue_dispatch && work->run != ob_queue_watch) ||
	       !time_before(jiffies, to_delayed_work(work)->due);
}

void world_run_work(void)
{
	struct work_struct *work, *next;
	unsigned int turns = 0;
	bool ran;

	do {
		ran = false;
		list_for_each_entry_safe(work, next, &works, pending) {
			if (!is_due(work))
				continue;
			list_del_init(&work->pending);
			work->run(work);
			ran = true;
			break;
		}
		ob_assert(++turns < 1000);
	} while (ran);
}

void world_wait(unsigned long ticks)
{
	for (; ticks; ticks--) {
		jiffies += 3;
		ob_now += jiffies_to_nsecs(3);
		world_run_work();
	}
}

long ob_wait(struct completion *done, unsigned long limit)
{
	unsigned long end = jiffies + limit;

	world_run_work();
	while (!done->done && time_before(jiffies, end))
		world_wait(1);
	return done->done;
}

static int place_of(const struct xarray *x, u32 index)
{
	for (int i = 0; i < 16; i++)
		if (x->used[i] && x->index[i] == index)
			return i;
	return -1;
}

void *xa_load(struct xarray *x, unsigned long index)
{
	int i = index <= UINT32_MAX ? place_of(x, index) : -1;

	return i < 0 ? NULL : x->at[i];
}

void xa_store(struct xarray *x, unsigned long index, void *entry, gfp_t gfp)
{
	int i = place_of(x, index);

	ob_assert(i >= 0);	/* it was reserved */
	x->at[i] = entry;
}

int xa_insert(struct xarray *x, unsigned long index, void *entry, gfp_t gfp)
{
	if (place_of(x, index) >= 0)
		return -EBUSY;
	for (int i = 0; i < 16; i++)
		if (!x->used[i]) {
			x->used[i] = true;
			x->index[i] = index;
			x->at[i] = entry;
			return 0;
		}
	return -ENOMEM;
}

void xa_erase(struct xarray *x, unsigned long index)
{
	int i = place_of(x, index);

	if (i >= 0)
		x->used[i] = false;
}

int xa_alloc_cyclic(struct xarray *x, u32 *id, void *entry, u32 limit, u32 *next, gfp_t gfp)
{
	*id = ++*next;
	return xa_insert(x, *id, entry, gfp);
}

void xa_destroy(struct xarray *x)
{
	for (int i = 0; i < 16; i++)
		x->used[i] = false;
}

struct eventfd_ctx *eventfd_ctx_fdget(int fd)
{
	if (fd < 0 || fd > 1)
		return ERR_PTR(-EBADF);
	world_events[fd].refs++;
	return &world_events[fd];
}

/* ---- driver.c, without the search for a driver ---- */

int ob_allow(const char *name, const struct ob_limits *limits, const struct ob_file *trial)
{
	return -EPERM;
}

int ob_disallow(const char *name, const struct ob_file *trial)
{
	return 0;
}

int ob_session_alloc(struct ob_session *session, const struct ob_algorithm *algorithm, u16 number)
{
	struct crypto_handle *handle;
	int error;

	if (!number || number > DRIVERS)
		return -ENOENT;
	handle = ob_alloc(sizeof(*handle));
	if (!handle)
		return -ENOMEM;
	handles++;
	handle->base.__crt_alg = &driver_alg;
	handle->digestsize = algorithm->type == &ob_ahash ? 32 : 0;
	session->algorithm = algorithm;
	session->skcipher = handle;
	session->tfm = &handle->base;
	session->request_size = sizeof(struct ob_api_request) + 32;
	session->driver = &drivers[number - 1];
	scoped_guard(mutex, &ob_drivers_lock) {
		session->driver->owner = &engine_module;
		list_add_tail(&session->link, &ob_attached);
		list_add_tail(&session->of_file, &session->file->attached);
	}
	error = ob_queue_join(session);
	if (error) {
		ob_session_free_handle(session);
		ob_detach(session);
	}
	return error;
}

void ob_detach(struct ob_session *session)
{
	mutex_lock(&ob_drivers_lock);
	list_del(&session->link);
	list_del_init(&session->of_file);
	ob_queue_leave(session);
	mutex_unlock(&ob_drivers_lock);
}

void ob_withdraw(const struct ob_arena *arena)
{
	struct ob_session *session;

	guard(mutex)(&ob_drivers_lock);
	list_for_each_entry(session, &arena->file->attached, of_file)
		ob_queue_cancel(session, arena);
}

void ob_count_timeout(u16 number)
{
	ob_assert(number && number <= DRIVERS);
}

void crypto_destroy_tfm(void *handle, struct crypto_tfm *tfm)
{
	handles--;
	free(handle);
}

/* ---- the driver ---- */

static const struct ob_arena *arena_of(const struct page *page)
{
	for (unsigned int i = 0; i < USERS; i++) {
		const struct ob_arena *arena = world_users[i].vma.vm_private_data;

		for (unsigned long n = 0; arena && n < arena->page_count; n++)
			if (arena->pages[n].page == page)
				return n * PAGE_SIZE >= arena->data_offset ? arena : NULL;
	}
	return NULL;
}

/* Returns the bytes of a list, all of which are data of the request's arena. They are written. */
static u64 use_list(const struct ob_request *request, struct scatterlist *sg, bool writes)
{
	u64 bytes = 0;

	for (unsigned int n = 0; ; n++, sg++) {
		ob_assert(n < 64);
		if (sg->length) {
			ob_assert(arena_of(sg->page) == request->arena);
			ob_assert((u64)sg->offset + sg->length <= PAGE_SIZE);
			if (writes)
				memset(sg->page->bytes + sg->offset, 0x5a, sg->length);
		}
		bytes += sg->length;
		if (sg->end)
			return bytes;
	}
}

int ob_api_run(struct ob_api_request *api)
{
	struct ob_request *request = api->data;
	int answer = world_answer;

	world_answer = -EINPROGRESS;
	ob_assert(api->length <= OB_MAX_LENGTH + OUTBOARD_MAX_TAG && api->aad <= OB_MAX_AAD);
	ob_assert(use_list(request, api->source, false) >= (u64)api->length + api->aad);
	if (answer != -EINPROGRESS && answer != -EBUSY)
		return answer;
	ob_assert(pending_count < REQUESTS);
	pending[pending_count].done = api->done;
	pending[pending_count++].request = request;
	return answer;
}

bool world_complete(unsigned int index, int error)
{
	struct ob_api_request *api;

	if (index >= pending_count)
		return false;
	last = pending[index];
	pending_count--;
	memmove(&pending[index], &pending[index + 1], (pending_count - index) * sizeof(last));
	api = (void *)last.request->base;
	/* The memory of a request that was written off is still there. */
	if (world_users[0].is_mapped && world_users[1].is_mapped)
		use_list(last.request, api->target, true);
	last.done(last.request, error);
	return true;
}

void world_complete_again(void)
{
	/* The memory is its slot's, as long as the arena exists. */
	if (last.request && world_users[0].is_mapped && world_users[1].is_mapped)
		last.done(last.request, 0);
}

/* ---- the users ---- */

static void as_user(unsigned int user)
{
	current = &world_users[user].task;
}

void world_begin(void)
{
	INIT_LIST_HEAD(&works);
	INIT_LIST_HEAD(&ob_drivers);
	INIT_LIST_HEAD(&ob_attached);
	jiffies = 100000;
	ob_now = 100000 * jiffies_to_nsecs(1);
	pending_count = 0;
	last.request = NULL;
	world_answer = -EINPROGRESS;
	world_no_memory = false;
	memset(world_events, 0, sizeof(world_events));
	for (unsigned int i = 0; i < DRIVERS; i++) {
		memset(&drivers[i], 0, sizeof(drivers[i]));
		drivers[i].number = i + 1;
		/* The second one has a limit. */
		drivers[i].limits.requests = i;
		list_add_tail(&drivers[i].link, &ob_drivers);
	}
	for (unsigned int i = 0; i < USERS; i++) {
		struct world_user *user = &world_users[i];

		memset(user, 0, sizeof(*user));
		user->cred = (struct cred){ { 1000 + i }, &init_user_ns, &user->user, 0 };
		user->task = (struct task_struct){ &user->mm, &user->cred, false };
		as_user(i);
		ob_assert(!ob_fops.open(&user->inode, &user->file));
		user->is_open = true;
		user->vma.vm_end = PAGE_SIZE + 4 * PAGE_SIZE;
		user->vma.vm_pgoff = SLOTS;
		user->vma.vm_flags = VM_SHARED | VM_READ | VM_WRITE;
		ob_assert(!ob_fops.mmap(&user->file, &user->vma));
		user->is_mapped = true;
	}
}

struct outboard_arena *world_arena(unsigned int user)
{
	const struct ob_arena *arena = world_users[user].vma.vm_private_data;

	return page_address(arena->pages[0].page);
}

struct outboard_slot *world_slot(unsigned int user, unsigned int slot)
{
	const struct ob_arena *arena = world_users[user].vma.vm_private_data;

	return arena->places[slot].slot;
}

void world_fill(unsigned int user, unsigned int slot, u32 session)
{
	u32 at = world_arena(user)->data_offset + slot * PAGE_SIZE;

	*world_slot(user, slot) = (struct outboard_slot){
		.session = session, .op = OUTBOARD_ENCRYPT, .in = at, .out = at, .length = 512,
	};
}

int world_write(unsigned int user, const void *record, size_t size)
{
	loff_t offset = 0;

	as_user(user);
	return ob_fops.write(&world_users[user].file, record, size, &offset);
}

int world_submit(unsigned int user, u16 op, u16 flags, u32 first, u32 count)
{
	struct outboard_submit record = { op, flags, 0, first, count };

	if (!world_users[user].is_mapped)
		return -ENOENT;
	record.arena = world_arena(user)->arena;
	return world_write(user, &record, sizeof(record));
}

int world_session(unsigned int user, u32 number, u16 driver, u16 algorithm)
{
	struct { struct outboard_session record; u8 key[16]; } new = {
		.record = { .op = OUTBOARD_SESSION_NEW, .session = number, .algorithm = algorithm,
			    .driver = driver, .key_size = 16 },
	};

	if (algorithm == OUTBOARD_GCM_AES || algorithm == OUTBOARD_CCM_AES)
		new.record.tag_size = 16;
	if (algorithm >= OUTBOARD_SHA1 && algorithm < OUTBOARD_HMAC_SHA1)
		new.record.key_size = 0;
	return world_write(user, &new, sizeof(new.record) + new.record.key_size);
}

void world_unmap(unsigned int user)
{
	struct world_user *of = &world_users[user];

	if (!of->is_mapped)
		return;
	as_user(user);
	of->is_mapped = false;
	of->vma.vm_ops->close(&of->vma);
	/* Requests in flight hold it; its release is not reported. */
	of->vma.vm_private_data = NULL;
}

void world_close(unsigned int user)
{
	struct world_user *of = &world_users[user];

	if (!of->is_open)
		return;
	as_user(user);
	of->is_open = false;
	ob_fops.release(&of->inode, &of->file);
}

static void check_engine(const struct ob_engine *engine)
{
	const struct ob_request *request;
	const struct ob_share *share;
	unsigned long cost = 0, most = OB_LEAST_LIMIT;
	unsigned int running = 0;

	list_for_each_entry(request, &engine->in_flight, node) {
		ob_assert(request->state == OB_IN_FLIGHT);
		cost += request->cost;
		running++;
	}
	ob_assert(engine->running == running && engine->cost == cost);
	ob_assert(engine->limit >= most && engine->slowness <= 8);
	list_for_each_entry(share, &engine->shares, link)
		ob_assert(share->credit > -(s64)OB_QUANTUM && share->credit <= OB_QUANTUM);
	if (engine->state == OB_STOPPED)
		ob_assert(list_empty(&engine->ready) && list_empty(&engine->spent));
	/* Something follows: a completion, or work that is pending. */
	if (!list_empty(&engine->ready) || !list_empty(&engine->spent))
		ob_assert(engine->running || delayed_work_pending(&engine->dispatch));
	if (engine->running)
		ob_assert(delayed_work_pending(&engine->watch));
}

void world_check(void)
{
	const struct ob_session *session;
	unsigned int in_flight = 0;

	list_for_each_entry(session, &ob_attached, link)
		if (session->share)
			check_engine(session->share->engine);
	for (unsigned int i = 0; i < USERS; i++) {
		const struct ob_arena *arena = world_users[i].vma.vm_private_data;

		for (u32 n = 0; arena && n < arena->slots; n++) {
			const struct ob_place *place = &arena->places[n];

			ob_assert(!place->lock.held);
			in_flight += place->batch != NULL;
			if (place->batch)
				ob_assert(place->batch == &ob_no_waiter);
			else
				ob_assert(!place->event && !place->live);
		}
	}
	ob_assert((unsigned int)atomic_read(&ob_requests) >= in_flight);
	ob_assert(!ob_drivers_lock.held);
}

void world_end(void)
{
	/* What the driver has completes; what waits gets its turn, or is refused. */
	for (unsigned int turns = 0; atomic_read(&ob_requests); turns++) {
		ob_assert(turns < 100);
		world_complete(0, 0);
		world_wait(2);
	}
	world_check();
	for (unsigned int i = 0; i < USERS; i++)
		for (u32 n = 0; world_users[i].is_mapped && n < SLOTS; n++)
			ob_assert(!((struct ob_arena *)world_users[i].vma.vm_private_data)
					   ->places[n].batch);
	for (unsigned int i = 0; i < USERS; i++) {
		world_unmap(i);
		world_close(i);
	}
	world_run_work();
	mutex_lock(&ob_drivers_lock);
	ob_queue_clean();
	mutex_unlock(&ob_drivers_lock);
	ob_assert(!atomic_read(&ob_files) && !atomic_read(&ob_arenas) && !handles);
	ob_assert(!ob_used[OB_SESSIONS] && !ob_used[OB_BYTES] && !ob_this_module.unused);
	ob_assert(!world_events[0].refs && !world_events[1].refs);
	for (unsigned int i = 0; i < USERS; i++) {
		ob_assert(!world_users[i].mm.grabbed && !world_users[i].cred.refs);
		ob_assert(!world_users[i].user.locked_vm.counter);
	}
}
