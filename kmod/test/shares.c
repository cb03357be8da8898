// SPDX-License-Identifier: GPL-2.0
/* The share of an engine that a user has while other users always have requests. */
#include "tests.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define LOAD_PARAMETERS "/sys/module/outboard_sim_load/parameters"

enum { MANY = 512, LARGE = 65536 };

static int fd;
static struct arena arena;
static const struct algorithm *cbc;

static void begin(const struct algorithm *of)
{
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, MANY);
	make_session(fd, 1, of);
}

/* Shared by the processes of a test. */
struct tally {
	volatile bool end;
	volatile unsigned int done;
};

static struct tally *new_tally(void)
{
	struct tally *tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	check(tally != MAP_FAILED, "%m");
	return tally;
}

/* A process of that user, which has a new session for each two requests: one more than its share. */
static pid_t another_user_that_renews(uid_t user, struct tally *tally)
{
	struct outboard_slot slot;
	pid_t child = fork();

	if (child)
		return child;
	check(!setgid(user) && !setuid(user), "%m");
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, MANY);
	/* Between two requests the user has no session. */
	for (uint32_t id = 1; !tally->end; id++) {
		make_session(fd, id, cbc);
		slot = a_slot(cbc, id, &arena, 0, 0, LARGE);
		put(&arena, 0, &slot);
		put(&arena, 1, &slot);
		check(!submit(&arena, 0, 2, OUTBOARD_WAIT) && !arena.slot[0].status, "%m");
		check(!free_session(fd, id), "%m");
		__atomic_fetch_add(&tally->done, 2, __ATOMIC_RELAXED);
	}
	_exit(0);
}

/*
 * What is served is counted, not timed: with equal shares each of the four users has one of four
 * requests. A debt that ended with the session let the others go first each time.
 */
static void a_user_that_renews_its_sessions_has_no_larger_share(void)
{
	enum { ROUNDS = 30, OTHERS = 3 };
	struct tally *tally = new_tally();
	struct outboard_slot slot;
	unsigned int before, done;
	pid_t child[OTHERS];

	cbc = algorithm(OUTBOARD_CBC_AES);
	begin(cbc);
	slow_engine(SIM_PARAMETERS "/bandwidth", "20000000");
	check(!chmod("/dev/outboard", 0666), "%m");
	for (int i = 0; i < OTHERS; i++)
		child[i] = another_user_that_renews(1001 + i, tally);
	while (tally->done < 10)
		usleep(1000);
	/* Always one request more than the engine has. */
	slot = a_slot(cbc, 1, &arena, 0, 0, LARGE);
	for (unsigned int s = 0; s < MANY; s++)
		put(&arena, s, &slot);
	before = tally->done;
	check(!submit(&arena, 0, ROUNDS, OUTBOARD_WAIT), "%m");
	done = tally->done - before;
	tally->end = true;
	check(done <= OTHERS * ROUNDS * 3 / 2, "%u requests of the others for %u of this user", done,
	      ROUNDS);
	for (int i = 0; i < OTHERS; i++)
		join(child[i]);
	check(!chmod("/dev/outboard", 0600), "%m");
}

/* Always has requests of 64 KiB. */
static void __attribute__((noreturn)) flood(uid_t user, const struct algorithm *of)
{
	check(!setgid(user) && !setuid(user), "%m");
	begin(of);
	for (unsigned int s = 0; s < MANY; s++) {
		struct outboard_slot slot = a_slot(of, 1, &arena, 0, 0, LARGE);

		put(&arena, s, &slot);
	}
	for (unsigned int first = 0;; first ^= 64) {
		check(!submit(&arena, first, 64, 0), "%m");
		await(&arena, first ^ 64, 64);
	}
}

/* Is killed with its requests, again and again. */
static void __attribute__((noreturn)) flood_and_die(uid_t user)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		pid_t child = fork();

		if (!child) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			flood(user, cbc);
		}
		usleep(20000);
		kill_it(child);
	}
}

static void __attribute__((noreturn)) map_too_much(uid_t user)
{
	check(!setgid(user) && !setuid(user), "%m");
	fd = open_device(0);
	for (;;)
		mmap(NULL, 1u << 30, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* Root does that, with a driver of the same engine. */
static void __attribute__((noreturn)) disallow_and_allow(const char *driver)
{
	for (;;) {
		usleep(10000);
		tell("/sys/class/misc/outboard/disallow", "%s", driver);
		tell("/sys/class/misc/outboard/allow", "%s", driver);
	}
}

/*
 * Counted, not timed: of what the engine gets, this user has at least 0.8 of the share that each of
 * the five users has who always submit.
 */
static void hostile_users_leave_a_user_its_share(void)
{
	enum { WINDOWS = 4, HALVES = 6, BATCH = 64, SIZE = 16384, USERS = 5 };
	const char *engine = SIM_DEBUG "/outboard-sim.0/bytes";
	struct tally *tally = new_tally();
	struct outboard_slot slot;
	pid_t child[6];

	cbc = algorithm(OUTBOARD_CBC_AES);
	slow_engine(SIM_PARAMETERS "/bandwidth", "100000000");
	check(!chmod("/dev/outboard", 0666), "%m");
	for (int i = 0; i < 5; i++) {
		child[i] = fork();
		if (child[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		switch (i) {
		case 0: flood(1001, algorithm(OUTBOARD_CTR_AES));
		case 1: flood(1002, algorithm(OUTBOARD_GCM_AES));
		case 2: flood_and_die(1003);
		case 3: map_too_much(1004);
		case 4: disallow_and_allow(driver_of(algorithm(OUTBOARD_ECB_AES)));
		}
	}
	child[5] = another_user_that_renews(1005, tally);
	while (tally->done < 3)
		usleep(1000);
	begin(cbc);
	slot = a_slot(cbc, 1, &arena, 0, 0, SIZE);
	for (unsigned int s = 0; s < 2 * BATCH; s++)
		put(&arena, s, &slot);
	check(!submit(&arena, 0, BATCH, 0), "%m");
	for (int window = 0; window < WINDOWS; window++) {
		long before = number_in(engine), all;

		/* Two halves, each for 50 ms, so that requests of this user always wait. */
		for (unsigned int half = 1; half <= HALVES; half++) {
			check(!submit(&arena, half & 1 ? BATCH : 0, BATCH, 0), "%m");
			check(!await(&arena, half & 1 ? 0 : BATCH, BATCH), "%m");
		}
		all = number_in(engine) - before;
		check(all <= USERS * 10L * HALVES * BATCH * SIZE / 8,
		      "window %d: the engine had %ld bytes for %d of this user", window, all,
		      HALVES * BATCH * SIZE);
	}
	check(!await(&arena, 0, BATCH), "%m");
	tally->end = true;
	join(child[5]);
	for (int i = 0; i < 5; i++)
		kill_it(child[i]);
	tell("/sys/class/misc/outboard/allow", "%s", driver_of(algorithm(OUTBOARD_ECB_AES)));
	check(!chmod("/dev/outboard", 0600), "%m");
}

/* Returns a number of the last result of kmod/sim/load.c, by its name and "=". */
static long of_load(const char *name)
{
	char text[1024] = "";
	FILE *file = fopen(LOAD_PARAMETERS "/result", "r");
	char *found;

	check(file && fgets(text, sizeof(text), file), "%m");
	fclose(file);
	found = strstr(text, name);
	check(found, "%s", text);
	return strtol(found + strlen(name), NULL, 10);
}

/*
 * Counted, not timed: of what the engine gets while a user in the kernel has requests, that user
 * has at least 0.8 of the share of each of the three. The module cannot see it.
 */
static void keeps_its_share_in_the_kernel(unsigned int size, unsigned int depth)
{
	enum { REQUESTS = 1000, USERS = 3 };
	const char *engine = SIM_DEBUG "/outboard-sim.0/bytes";
	long before, all;
	pid_t child[2];

	cbc = algorithm(OUTBOARD_CBC_AES);
	/* So slow that no CPU is slower, with a kernel with checks either. */
	slow_engine(SIM_PARAMETERS "/bandwidth", "2000000");
	check(!chmod("/dev/outboard", 0666), "%m");
	for (int i = 0; i < 2; i++) {
		child[i] = fork();
		if (!child[i])
			flood(1001 + i, i ? algorithm(OUTBOARD_CTR_AES) : cbc);
	}
	while (counter("requests") < 2 * 64)
		usleep(1000);
	before = number_in(engine);
	check(!tell(LOAD_PARAMETERS "/run", "%s size=%u depth=%u requests=%u backlog=1",
		    driver_of(cbc), size, depth, REQUESTS), "%m");
	all = number_in(engine) - before;
	check(!of_load("failed="), "%ld requests failed", of_load("failed="));
	check(all > REQUESTS * (long)size, "the other users had nothing");
	check(all <= USERS * 10L * REQUESTS * (long)size / 8,
	      "the engine had %ld bytes for %ld of the kernel's user", all, (long)REQUESTS * size);
	for (int i = 0; i < 2; i++)
		kill_it(child[i]);
	check(!chmod("/dev/outboard", 0600), "%m");
}

/* Sectors, as many as dm-crypt has for one write of 128 KiB. */
static void two_floods_leave_dm_crypt_its_share(void)
{
	keeps_its_share_in_the_kernel(4096, 32);
}

/* Packets of full size. */
static void two_floods_leave_ipsec_its_share(void)
{
	keeps_its_share_in_the_kernel(1408, 64);
}

static const struct test tests[] = {
	TEST(a_user_that_renews_its_sessions_has_no_larger_share),
	TEST(hostile_users_leave_a_user_its_share),
	TEST(two_floods_leave_dm_crypt_its_share),
	TEST(two_floods_leave_ipsec_its_share),
};
THEME(shares, true);
