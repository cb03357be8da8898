// SPDX-License-Identifier: GPL-2.0
/*
 * One hostile process: requests that are almost valid, invalid records, and a second thread that
 * rewrites slots and header at the same time. It maps, moves, unmaps, closes and forks with
 * requests in flight. Every result of the module is accepted here; fuzz.c detects damage.
 */
#include "fuzz.h"
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { ARENAS = 4, DESCRIPTORS = 2, NUMBERS = 24 };

static struct arena arenas[ARENAS];	/* base NULL: none */
static int descriptors[DESCRIPTORS];
static struct tally *tally;

/* An arena may be unmapped or read-only when a thread writes to it. */
static __thread sigjmp_buf escape;

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(escape, 1);
}

static uint32_t strange(void)
{
	static const uint32_t values[] = {
		0,    1,     2,	    15,		16,	    17,		63,	    64,	       4095,
		4096, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffff80, 0xfffffff0, 0xffffffff
	};

	switch (below(4)) {
	case 0:
		return values[below(COUNT(values))];
	case 1:
		return chance();
	case 2:
		return below(MIB) & ~63u;
	default:
		return below(5000);
	}
}

/* The 14 words of a slot that user space writes. */
static void mutate(volatile struct outboard_slot *slot)
{
	volatile uint32_t *words = (volatile void *)slot;
	unsigned int n = below(14);

	if (below(2))
		words[n] ^= 1u << below(32);
	else
		words[n] = strange();
}

static void *rewrite_slots(void *unused)
{
	(void)unused;
	seed(chance() ^ getpid());
	sigsetjmp(escape, 1);
	for (;;) {
		const struct arena *arena = &arenas[below(ARENAS)];
		uint8_t *base = *(uint8_t *volatile *)&arena->base;
		volatile struct outboard_slot *slots =
			(void *)(base + sizeof(struct outboard_slot));
		unsigned int s = below(8), other = below(8);

		if (!base) {
			sched_yield();
			continue;
		}
		for (int i = 0; i < 200; i++)
			switch (below(6)) {
			case 0:
				mutate(&slots[s]);
				break;
			case 1:	/* a length that was valid in another slot */
				slots[s].length = slots[other].length;
				break;
			case 2:
				slots[s].out = slots[other].in;
				break;
			case 3:
				slots[s].op ^= 1 + below(7);
				break;
			case 4:
				slots[s].status = below(3);
				break;
			default:
				((volatile uint32_t *)base)[below(16)] = strange();
			}
	}
	return NULL;
}

static void a_request(const struct arena *arena, volatile struct outboard_slot *slot)
{
	const struct algorithm *of = &algorithms[below(ALGORITHMS)];
	uint32_t room = arena->room / 2 & ~127u, size = below(16) ? below(8192) : below(room),
		 in = below(room) & ~127u;
	struct outboard_slot good = a_slot(of, 1 + below(NUMBERS), arena, in,
					   below(2) ? in : room + (below(room) & ~127u), size);

	if (below(2))
		good.length -= good.length % 16;
	if (of->kind != HASH)
		good.op += below(2);
	if (of->kind == AEAD && below(2)) {
		good.aad = arena->offset + (below(arena->room) & ~127u);
		good.aad_length = below(300);
	}
	memcpy((void *)slot, &good, 64);
	while (!below(3))
		mutate(slot);
}

static int record(int fd, void *bytes, size_t size)
{
	uint8_t *at = bytes;
	ssize_t done;

	while (!below(12))
		at[below(size)] ^= 1 << below(8);
	if (!below(40))
		size = below(size + 20);
	done = write(fd, bytes, size);
	__atomic_fetch_add(&tally->records, 1, __ATOMIC_RELAXED);
	if (done < 0)
		__atomic_fetch_add(&tally->refused_records, 1, __ATOMIC_RELAXED);
	return done < 0 ? -errno : 0;
}

/* Usually with an eventfd that is closed before it is signalled. */
static void notify_somebody(const struct arena *arena, uint32_t slot)
{
	int own = below(8) ? eventfd(0, EFD_NONBLOCK) : -1,
	    event = own < 0 ? (int)below(20) - 1 : own;
	struct outboard_submit all[4] = { { .op = OUTBOARD_NOTIFY,
					    .arena = (uintptr_t)arena->header,
					    .first = slot,
					    .count = event } };

	record(arena->fd, all, sizeof(all[0]));
	if (own >= 0)
		close(own);
}

static void submit_some(const struct arena *arena)
{
	struct outboard_submit all[4] = { { .op = OUTBOARD_SUBMIT,
					    .flags = below(4) ? 0 : OUTBOARD_WAIT } };
	uint32_t slots = (arena->offset - 128) / 128, first = below(slots),
		 count = 1 + below(slots - first);
	uint64_t good = 0, bad = 0, in_flight = 0;

	if (count > 64)
		count = 64;
	if (!below(6))
		all[0].op = OUTBOARD_AWAIT;
	/* The header may be overwritten: map() stored the number in place of the header pointer. */
	all[0].arena = (uintptr_t)arena->header;
	all[0].first = first;
	all[0].count = count;
	for (uint32_t s = first; s < first + count; s++)
		a_request(arena, &arena->slot[s]);
	if (!below(4))
		notify_somebody(arena, first);
	record(arena->fd, all, sizeof(all[0]));
	for (uint32_t s = first; s < first + count; s++) {
		int status = arena->slot[s].status;

		good += !status;
		bad += status < 0;
		in_flight += status == OUTBOARD_IN_FLIGHT;
	}
	__atomic_fetch_add(&tally->requests, count, __ATOMIC_RELAXED);
	__atomic_fetch_add(&tally->good, good, __ATOMIC_RELAXED);
	__atomic_fetch_add(&tally->bad, bad, __ATOMIC_RELAXED);
	__atomic_fetch_add(&tally->in_flight, in_flight, __ATOMIC_RELAXED);
}

static void make_a_session(int fd)
{
	const struct algorithm *of = &algorithms[below(ALGORITHMS)];
	struct {
		struct outboard_session record;
		uint8_t key[OUTBOARD_MAX_KEY + 32];
	} all = { { OUTBOARD_SESSION_NEW, 0, 1 + below(NUMBERS), of->id, below(20) ? 0 : below(40),
		    0, 0, 0 },
		  { 0 } };

	all.record.key_size = of->keys[below(3)];
	if (of->kind == AEAD)
		all.record.tag_size = below(4) ? 16 : below(40);
	randomize(all.key, 64);
	record(fd, &all, sizeof(all.record) + all.record.key_size % (OUTBOARD_MAX_KEY + 1));
}

static void free_a_session(int fd)
{
	struct outboard_session all[2] = { { .op = OUTBOARD_SESSION_FREE,
					     .session = 1 + below(NUMBERS) } };

	record(fd, all, sizeof(all[0]));
}

static void write_nonsense(int fd)
{
	uint8_t bytes[400];

	randomize(bytes, sizeof(bytes));
	bytes[0] = below(12);
	bytes[1] = 0;
	record(fd, bytes, 1 + below(sizeof(bytes) - 20));
}

static void unmap(struct arena *arena)
{
	uint8_t *base = arena->base;

	*(uint8_t *volatile *)&arena->base = NULL;
	if (base)
		munmap(base, arena->size);
}

static void map(struct arena *arena, int fd)
{
	static const int protections[] = { PROT_READ, PROT_READ | PROT_WRITE | PROT_EXEC,
					   PROT_NONE };
	bool right = below(8);
	size_t page = getpagesize();
	size_t size = below(30) ? (1 + below(below(4) ? 64 : 400)) * page : strange() * page + 1;
	/* Only whole pages: other memory of this program may follow them. */
	struct arena new = { .fd = fd, .size = (size + page - 1) & ~(page - 1) };
	uint8_t *base = mmap(NULL, size, right ? PROT_READ | PROT_WRITE : protections[below(3)],
			     right || below(2) ? MAP_SHARED : MAP_PRIVATE, fd,
			     below(3) * (1 + below(right ? 100 : 9000)) * (off_t)page);

	if (base == MAP_FAILED)
		return;
	if (!right || ((struct outboard_arena *)base)->slots < 8 ||
	    ((struct outboard_arena *)base)->data_size < 4096) {
		munmap(base, new.size);
		return;
	}
	new.header = (void *)(uintptr_t)((struct outboard_arena *)base)->arena;
	new.offset = ((struct outboard_arena *)base)->data_offset;
	new.room = ((struct outboard_arena *)base)->data_size;
	new.slot = (void *)(base + sizeof(struct outboard_slot));
	unmap(arena);
	*arena = new;
	*(uint8_t *volatile *)&arena->base = base;
}

static void bend(const struct arena *arena)
{
	size_t page = getpagesize();
	uint8_t *part = arena->base + below(arena->size) / page * page;

	switch (below(6)) {
	case 0:
		munmap(part, page);
		break;
	case 1:
		mprotect(part, page, PROT_READ);
		break;
	case 2:
		mprotect(arena->base, arena->size,
			 PROT_READ | PROT_WRITE | (below(2) ? PROT_EXEC : 0));
		break;
	case 3:
		madvise(part, page, below(30));
		break;
	case 4:
		/* Growing is refused. If it were not, the new mapping would not be used. */
		mremap(arena->base, arena->size, arena->size + page, MREMAP_MAYMOVE);
		break;
	default:
		msync(arena->base, arena->size, MS_SYNC);
	}
}

static void collect(int fd)
{
	struct pollfd event = { fd, POLLIN, 0 };
	char bytes[16];

	poll(&event, 1, below(3));
	(void)!read(fd, below(10) ? bytes : NULL, below(17));
}

static void reopen(int which)
{
	for (int i = 0; i < ARENAS; i++)
		if (arenas[i].fd == descriptors[which] && below(2))
			unmap(&arenas[i]);
	close(descriptors[which]);
	descriptors[which] = open("/dev/outboard", O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

static void change_the_memory_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	limit.rlim_cur = below(2) ? limit.rlim_max : below(64) * 4096ul;
	setrlimit(RLIMIT_MEMLOCK, &limit);
}

/* The child inherits the descriptor, but neither sessions nor arenas. */
static void fork_one(int fd)
{
	pid_t child = fork();

	if (!child) {
		/* The descriptor may be that of another user, who opened it. */
		if (below(2) && !setgid(65534))
			(void)!setuid(65534);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		memset(arenas, 0, sizeof(arenas));
		map(&arenas[0], fd);
		for (int i = below(20); i && arenas[0].base; i--) {
			make_a_session(fd);
			free_a_session(fd);
			submit_some(&arenas[0]);
		}
		_exit(0);
	}
	if (child > 0 && below(2)) {
		usleep(below(2000));
		kill(child, SIGKILL);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void act(void)
{
	int which = below(DESCRIPTORS), fd = descriptors[which];
	struct arena *arena = &arenas[below(ARENAS)];
	uint32_t what = below(1000);

	if (!arena->base || what < 30)
		map(arena, fd);
	else if (what < 600)
		submit_some(arena);
	else if (what < 720)
		make_a_session(fd);
	else if (what < 860)
		free_a_session(fd);
	else if (what < 900)
		write_nonsense(fd);
	else if (what < 940)
		collect(fd);
	else if (what < 965)
		bend(arena);
	else if (what < 985)
		unmap(arena);
	else if (what < 993)
		reopen(which);
	else if (what < 995)
		change_the_memory_limit();
	else
		fork_one(fd);
}

void be_hostile(uint64_t number, struct tally *shared)
{
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	pthread_t thread;

	seed(number);
	tally = shared;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	for (int i = 0; i < DESCRIPTORS; i++)
		descriptors[i] = open_device(O_NONBLOCK);
	for (int i = 0; i < NUMBERS; i++)
		make_a_session(descriptors[i % DESCRIPTORS]);
	check(!pthread_create(&thread, NULL, rewrite_slots, NULL), "%m");
	sigsetjmp(escape, 1);
	for (;;)
		act();
}
