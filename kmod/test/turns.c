// SPDX-License-Identifier: GPL-2.0
/* Requests that wait for a driver: limits, turns of users, and owners that go away. */
#include "tests.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { MANY = 512, OF_A_DESCRIPTOR = 64, OF_A_DRIVER = 96, LARGE = 65536 };

static int fd;
static struct arena arena;
static const struct algorithm *cbc;

static void begin(void)
{
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, MANY);
	cbc = algorithm(OUTBOARD_CBC_AES);
	make_session(fd, 1, cbc);
}

/* All use the same data. */
static void submit_many(uint32_t size)
{
	for (unsigned int s = 0; s < MANY; s++) {
		struct outboard_slot slot = a_slot(cbc, 1, &arena, 0, 0, size);

		put(&arena, s, &slot);
	}
	check(!submit(&arena, 0, MANY, 0), "%m");
}

/* Starts a process of that user with MANY requests. */
static pid_t another_user(uid_t user, uint32_t size)
{
	int pipes[2];
	char byte;
	pid_t child;

	check(!pipe(pipes), "%m");
	check(!chmod("/dev/outboard", 0666), "%m");
	child = fork();
	if (!child) {
		check(!setgid(user) && !setuid(user), "%m");
		begin();
		submit_many(size);
		check(write(pipes[1], "", 1) == 1, "%m");
		for (;;)
			pause();
	}
	close(pipes[1]);
	check(read(pipes[0], &byte, 1) == 1, "the other process ended");
	close(pipes[0]);
	check(!chmod("/dev/outboard", 0600), "%m");
	return child;
}

static void kill_it(pid_t child)
{
	check(!kill(child, SIGKILL) && waitpid(child, NULL, 0) == child, "%m");
}

static long outstanding(void)
{
	return number_in(SIM_DEBUG "/outboard-sim.0/outstanding");
}

/* With another user's requests of the previous test, a driver has fewer. */
static void wait_until_not_shared(void)
{
	usleep(1100000);
}

static void a_driver_never_has_more_than_the_limits(void)
{
	struct arena second;
	int other;

	wait_until_not_shared();
	hold(true);
	begin();
	submit_many(64);
	check(outstanding() == OF_A_DESCRIPTOR, "the driver has %ld requests", outstanding());
	other = open_device(0);
	second = arena;
	arena = map_arena(other, 1 * MIB, MANY);
	make_session(other, 1, cbc);
	submit_many(64);
	check(outstanding() == OF_A_DRIVER, "the driver has %ld requests of two descriptors",
	      outstanding());
	check(counter("requests") == 2 * MANY, "%ld requests", counter("requests"));
	hold(false);
	for (unsigned int s = 0; s < MANY; s++)
		check(!wait_for(&arena, s) && !wait_for(&second, s), "slot %u: status %d, %d", s,
		      arena.slot[s].status, second.slot[s].status);
}

static void a_driver_never_has_more_bytes_than_the_limit(void)
{
	check(!tell(OUTBOARD_PARAMETERS "/max_driver_bytes", "%u", 4 * LARGE + 1), "%m");
	wait_until_not_shared();
	hold(true);
	begin();
	submit_many(LARGE);
	check(outstanding() == 4, "the driver has %ld requests", outstanding());
	check(!tell(OUTBOARD_PARAMETERS "/max_driver_bytes", "%u", 4 * MIB), "%m");
	hold(false);
	for (unsigned int s = 0; s < MANY; s++)
		check(!wait_for(&arena, s), "slot %u: status %d", s, arena.slot[s].status);
}

/* A request counts as its bytes, at least 4 KiB, and 1 KiB more. */
static void a_driver_of_several_users_has_less(void)
{
	struct outboard_slot slot;
	pid_t child;

	check(!tell(OUTBOARD_PARAMETERS "/max_shared_bytes", "%u", 5 * (4096 + 1024)), "%m");
	begin();
	slot = a_slot(cbc, 1, &arena, 0, 0, 64);
	check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	hold(true);
	child = another_user(1001, 64);
	submit_many(64);
	check(outstanding() == 5, "the driver has %ld requests", outstanding());
	kill_it(child);
	hold(false);
	for (unsigned int s = 0; s < MANY; s++)
		check(!wait_for(&arena, s), "slot %u: status %d", s, arena.slot[s].status);
}

static void what_no_driver_has_is_dropped_when_its_owner_goes(void)
{
	pid_t child;

	wait_until_not_shared();
	hold(true);
	child = another_user(1001, LARGE);
	check(counter("requests") == MANY, "%ld requests", counter("requests"));
	kill_it(child);
	check(counter("requests") == OF_A_DESCRIPTOR, "%ld requests after its end",
	      counter("requests"));
	hold(false);
}

static void users_take_turns(void)
{
	struct outboard_slot slot;
	pid_t child;

	begin();
	/*
	 * 32 MiB of the other user at 1 MB/s, so that a slow machine reads the counter in time. Not
	 * computed: its threads would have this CPU. This user waits for what the driver has already.
	 */
	check(!tell(OUTBOARD_PARAMETERS "/max_driver_bytes", "%u", 4 * LARGE), "%m");
	check(!tell(SIM_PARAMETERS "/compute", "N"), "%m");
	check(!tell(SIM_PARAMETERS "/bandwidth", "1000000"), "%m");
	child = another_user(1001, LARGE);
	slot = a_slot(cbc, 1, &arena, 0, 0, 4096);
	check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	check(counter("requests") > MANY / 2, "only %ld of the other user's requests are left",
	      counter("requests"));
	kill_it(child);
	check(counter("requests") <= OF_A_DESCRIPTOR, "%ld requests after its end",
	      counter("requests"));
}

/*
 * What is served between two requests of a user is counted, not timed: with equal shares the three
 * others have at most one request of theirs in the engine when a request of this user arrives, and
 * one while this process handles its result.
 */
static void a_user_of_little_waits_for_one_request_of_the_others(void)
{
	enum { ROUNDS = 20, OTHERS = 3 };
	long before, left = 0;
	pid_t child[OTHERS];
	struct outboard_slot slot;

	begin();
	/* 96 MiB of the others at 4 MB/s. */
	check(!tell(OUTBOARD_PARAMETERS "/max_driver_bytes", "%u", 4 * LARGE), "%m");
	check(!tell(SIM_PARAMETERS "/compute", "N"), "%m");
	check(!tell(SIM_PARAMETERS "/bandwidth", "4000000"), "%m");
	for (int i = 0; i < OTHERS; i++)
		child[i] = another_user(1001 + i, LARGE);
	slot = a_slot(cbc, 1, &arena, 0, 0, 4096);
	/* The first one waits for what the driver had before there was a second user. */
	check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	before = counter("requests");
	for (int round = 0; round < ROUNDS; round++)
		check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	left = counter("requests");
	check(left > OTHERS, "the others had nothing left");
	check(before - left <= 3 * ROUNDS, "%ld requests of the others for %d of this user",
	      before - left, ROUNDS);
	for (int i = 0; i < OTHERS; i++)
		kill_it(child[i]);
}

/* Nothing waits for a driver that is no longer allowed. */
static void what_waits_for_a_disallowed_driver_ends(void)
{
	wait_until_not_shared();
	hold(true);
	begin();
	submit_many(64);
	check(!tell("/sys/class/misc/outboard/disallow", "%s", driver_of(cbc)), "%m");
	for (unsigned int s = OF_A_DESCRIPTOR; s < MANY; s++)
		check(wait_for(&arena, s) == -ENODEV, "slot %u: status %d", s,
		      arena.slot[s].status);
	check(!tell("/sys/class/misc/outboard/allow", "%s", driver_of(cbc)), "%m");
	hold(false);
	for (unsigned int s = 0; s < OF_A_DESCRIPTOR; s++)
		check(!wait_for(&arena, s), "slot %u: status %d", s, arena.slot[s].status);
}

static const struct test tests[] = {
	TEST(a_driver_never_has_more_than_the_limits),
	TEST(a_driver_never_has_more_bytes_than_the_limit),
	TEST(a_driver_of_several_users_has_less),
	TEST(what_no_driver_has_is_dropped_when_its_owner_goes),
	TEST(users_take_turns),
	TEST(a_user_of_little_waits_for_one_request_of_the_others),
	TEST(what_waits_for_a_disallowed_driver_ends),
};
THEME(turns, true);
