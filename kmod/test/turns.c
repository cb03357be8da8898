// SPDX-License-Identifier: GPL-2.0
/* Requests that wait for an engine: limits, turns, and owners that go away. */
#include "tests.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* FIRST: SHORT requests that an engine has at the same time, until some have completed. */
enum { MANY = 512, FIRST = 8, SHORT = 4096, LARGE = 65536 };

static int fd;
static struct arena arena;
static const struct algorithm *cbc;

static void begin_with(const struct algorithm *of)
{
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, MANY);
	cbc = of;
	make_session(fd, 1, cbc);
}

static void begin(void)
{
	begin_with(algorithm(OUTBOARD_CBC_AES));
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
static pid_t another_user_of(uid_t user, uint32_t size, const struct algorithm *of)
{
	int pipes[2];
	char byte;
	pid_t child;

	check(!pipe(pipes), "%m");
	check(!chmod("/dev/outboard", 0666), "%m");
	child = fork();
	if (!child) {
		struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

		check(!setrlimit(RLIMIT_MEMLOCK, &unlimited), "%m");
		check(!setgid(user) && !setuid(user), "%m");
		begin_with(of);
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

static pid_t another_user(uid_t user, uint32_t size)
{
	return another_user_of(user, size, algorithm(OUTBOARD_CBC_AES));
}

static long outstanding(void)
{
	return number_in(SIM_DEBUG "/outboard-sim.0/outstanding");
}

static void hold_all(void)
{
	check(!tell(SIM_DEBUG "/faults", "all never"), "%m");
}

static void all_end_well(const struct arena *of)
{
	for (unsigned int s = 0; s < MANY; s++)
		check(!wait_for(of, s), "slot %u: status %d", s, of->slot[s].status);
}

static void an_engine_has_few_requests_at_first(void)
{
	struct arena second;
	int other;

	check(!tell(SIM_PARAMETERS "/compute", "N"), "%m");
	hold(true);
	begin();
	submit_many(SHORT);
	check(outstanding() == FIRST, "the engine has %ld requests", outstanding());
	other = open_device(0);
	second = arena;
	arena = map_arena(other, 1 * MIB, MANY);
	make_session(other, 1, cbc);
	submit_many(64);
	check(outstanding() == FIRST, "the engine has %ld requests of two descriptors",
	      outstanding());
	check(counter("requests") == 2 * MANY, "%ld requests", counter("requests"));
	hold(false);
	all_end_well(&arena);
	all_end_well(&second);
}

static void an_engine_has_at_most_max_requests(void)
{
	check(!tell(OUTBOARD_PARAMETERS "/max_requests", "2"), "%m");
	hold(true);
	begin();
	submit_many(SHORT);
	check(outstanding() == 2, "the engine has %ld requests", outstanding());
	hold(false);
	all_end_well(&arena);
}

/* The number of requests that are left when @ends more have ended. */
static long after(long ends)
{
	long left = counter("requests") - ends;

	check(left >= 0, "there are only %ld requests", left + ends);
	return left;
}

/* The maximum number of requests in the engine until @left requests are left. */
static long most_outstanding(long left)
{
	long most = 0, has;

	while (counter("requests") > left) {
		has = outstanding();
		most = has > most ? has : most;
	}
	return most;
}

/*
 * Its requests take 20 ms, and end together. That is no work that another request would find before
 * it. They are long, so that a slow host needs little time for their number. One that it delays all
 * the same leaves the engine fewer for a while: up to 20 batches.
 */
static void an_engine_that_works_on_many_at_once_has_many(void)
{
	enum { MIDDLE = 20480, AT_FIRST = FIRST * 5120 / MIDDLE, ENOUGH = 6 * AT_FIRST };
	long most = 0;

	slow_engine(SIM_PARAMETERS "/latency_ns", "20000000");
	begin();
	for (int batch = 0; batch < 20 && most < ENOUGH; batch++) {
		submit_many(MIDDLE);
		most = most_outstanding(0);
	}
	check(most >= ENOUGH, "the engine had %ld requests at most", most);
}

/*
 * Its requests take 20 ms, one after another. A second one shows now and then whether that is still
 * so.
 */
static void an_engine_that_works_on_one_after_another_has_few(void)
{
	enum { TO_LEARN = 80, SEEN = 30 };

	slow_engine(SIM_PARAMETERS "/overhead_ns", "20000000");
	begin();
	submit_many(LARGE);
	most_outstanding(after(TO_LEARN));
	check(most_outstanding(after(SEEN)) <= 2, "the engine has more than two requests");
	/* A user cannot reset what was measured: now the engine has no session. */
	unmap_arena(&arena);
	check(!close(fd), "%m");
	while (counter("sessions"))
		usleep(1000);
	begin();
	submit_many(LARGE);
	check(most_outstanding(after(SEEN)) <= 2, "the engine has more than two requests again");
}

/* Not each algorithm: what they share is the engine. */
/* It may have been full of requests of users in the kernel. */
static void a_driver_that_refused_a_request_gets_several_again(void)
{
	begin();
	check(!tell(SIM_DEBUG "/faults", "sim-cbc-aes refuse count=1"), "%m");
	submit_many(64);
	all_end_well(&arena);
	hold_all();
	submit_many(64);
	check(outstanding() >= FIRST / 2, "the engine has %ld requests", outstanding());
	check(!tell(SIM_DEBUG "/faults", "clear"), "%m");
	check(!tell(SIM_DEBUG "/held", "0"), "%m");
	all_end_well(&arena);
}

static void all_algorithms_of_an_engine_have_one_limit(void)
{
	enum { EACH_HAS = MANY / ALGORITHMS };
	unsigned int s = 0;

	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, MANY);
	hold_all();
	for (size_t i = 0; i < ALGORITHMS; i++) {
		make_session(fd, 1 + i, &algorithms[i]);
		for (unsigned int n = 0; n < EACH_HAS; n++, s++) {
			struct outboard_slot slot = a_slot(&algorithms[i], 1 + i, &arena, 0, 0, 64);

			put(&arena, s, &slot);
		}
	}
	check(!submit(&arena, 0, s, 0), "%m");
	check(outstanding() == FIRST, "the engine has %ld requests", outstanding());
	check(!tell(OUTBOARD_PARAMETERS "/max_requests", "2"), "%m");
	check(counter("requests") == (long)s, "%ld requests", counter("requests"));
	check(!tell(SIM_DEBUG "/faults", "clear"), "%m");
	check(!tell(SIM_DEBUG "/held", "0"), "%m");
	for (unsigned int n = 0; n < s; n++)
		check(!wait_for(&arena, n), "slot %u: status %d", n, arena.slot[n].status);
	check(!tell(OUTBOARD_PARAMETERS "/max_requests", "96"), "%m");
}

static void waiting_requests_are_dropped_with_their_descriptor(void)
{
	pid_t child;

	hold(true);
	child = another_user(1001, SHORT);
	check(counter("requests") == MANY, "%ld requests", counter("requests"));
	kill_it(child);
	check(counter("requests") == FIRST, "%ld requests after its end", counter("requests"));
	hold(false);
}

/* This process keeps the descriptor that its child uses. */
static void waiting_requests_are_dropped_with_their_process(void)
{
	pid_t child;

	fd = open_device(0);
	cbc = algorithm(OUTBOARD_CBC_AES);
	hold(true);
	child = fork();
	if (!child) {
		arena = map_arena(fd, 1 * MIB, MANY);
		make_session(fd, 1, cbc);
		submit_many(SHORT);
		_exit(0);
	}
	join(child);
	check(counter("requests") == FIRST, "%ld requests after its end", counter("requests"));
	hold(false);
}

/* A session that was freed has waiting requests too. */
static void waiting_requests_of_a_freed_session_are_dropped(void)
{
	hold(true);
	begin();
	submit_many(SHORT);
	check(!free_session(fd, 1), "%m");
	check(counter("requests") == MANY, "%ld requests", counter("requests"));
	unmap_arena(&arena);
	check(counter("requests") == FIRST, "%ld requests", counter("requests"));
	close(fd);
	hold(false);
}

/* A driver that refuses gets the request again and again; nothing of that is left at the end. */
static void a_driver_that_refuses_has_no_request_of_a_closed_descriptor(void)
{
	check(!tell(SIM_DEBUG "/faults", "all refuse"), "%m");
	for (int round = 0; round < 200; round++) {
		begin();
		submit_many(64);
		if (round & 1) {
			check(!tell("/sys/class/misc/outboard/disallow", "%s", driver_of(cbc)),
			      "%m");
			check(!tell("/sys/class/misc/outboard/allow", "%s", driver_of(cbc)), "%m");
		}
		unmap_arena(&arena);
		close(fd);
	}
	check(!leftovers(), "%s", leftovers());
}

static void users_take_turns(void)
{
	struct outboard_slot slot;
	pid_t child;

	begin();
	/*
	 * 32 MiB of the other user at 1 MB/s, so that a slow machine reads the counter in time. This
	 * user waits for what the driver has already.
	 */
	slow_engine(SIM_PARAMETERS "/bandwidth", "1000000");
	child = another_user(1001, LARGE);
	slot = a_slot(cbc, 1, &arena, 0, 0, 4096);
	check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	check(counter("requests") > MANY / 2, "only %ld of the other user's requests are left",
	      counter("requests"));
	kill_it(child);
	check(counter("requests") <= FIRST, "%ld requests after its end", counter("requests"));
}

/*
 * The number of requests of other users that end during @rounds short requests of this user, each
 * submitted after the one before it. More than @least of theirs must be left.
 */
static long served_during(int rounds, long least)
{
	struct outboard_slot slot = a_slot(cbc, 1, &arena, 0, 0, 4096);
	long before, left;

	/* The first one waits for the requests that the driver had before there was a second user. */
	check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	before = counter("requests");
	for (int round = 0; round < rounds; round++)
		check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	left = counter("requests");
	check(left > least, "the other users had nothing left");
	return before - left;
}

/*
 * What is served between two requests of a user is counted, not timed: with equal shares the three
 * others have at most one request of theirs in the engine when a request of this user arrives, and
 * one while this process handles its result.
 */
static void a_user_of_little_waits_for_one_request_of_the_others(void)
{
	enum { ROUNDS = 20, OTHERS = 3 };
	pid_t child[OTHERS];
	long served;

	begin();
	/* 96 MiB of the others at 4 MB/s. */
	slow_engine(SIM_PARAMETERS "/bandwidth", "4000000");
	for (int i = 0; i < OTHERS; i++)
		child[i] = another_user(1001 + i, LARGE);
	served = served_during(ROUNDS, OTHERS);
	check(served <= 3 * ROUNDS, "%ld requests of the others for %d of this user", served,
	      ROUNDS);
	for (int i = 0; i < OTHERS; i++)
		kill_it(child[i]);
}

/* Of two descriptors of one user the second does not wait until all of the first is done. */
static void the_sessions_of_a_user_take_turns(void)
{
	struct outboard_slot slot;

	begin();
	slow_engine(SIM_PARAMETERS "/bandwidth", "4000000");
	submit_many(LARGE);
	begin();
	slot = a_slot(cbc, 1, &arena, 0, 0, SHORT);
	check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	check(counter("requests") > MANY / 2, "only %ld requests of the other session are left",
	      counter("requests"));
}

/* As above, with users of two algorithms. */
static void requests_of_another_algorithm_are_no_way_around_the_turns(void)
{
	enum { ROUNDS = 20 };
	pid_t child;
	long served;

	begin();
	slow_engine(SIM_PARAMETERS "/bandwidth", "4000000");
	child = another_user_of(1001, LARGE, algorithm(OUTBOARD_CTR_AES));
	served = served_during(ROUNDS, 1);
	/* One, and more where this process gets no CPU in time; all, if there were two queues. */
	check(served <= 4 * ROUNDS, "%ld requests of the other user for %d of this one", served,
	      ROUNDS);
	kill_it(child);
}

/* Nothing waits for a driver that is no longer allowed. */
static void waiting_requests_of_a_disallowed_driver_end(void)
{
	hold(true);
	begin();
	submit_many(64);
	check(!tell("/sys/class/misc/outboard/disallow", "%s", driver_of(cbc)), "%m");
	for (unsigned int s = FIRST; s < MANY; s++)
		check(wait_for(&arena, s) == -ENODEV, "slot %u: status %d", s,
		      arena.slot[s].status);
	check(!tell("/sys/class/misc/outboard/allow", "%s", driver_of(cbc)), "%m");
	hold(false);
	for (unsigned int s = 0; s < FIRST; s++)
		check(!wait_for(&arena, s), "slot %u: status %d", s, arena.slot[s].status);
}

/* A user must not get CPU time before all others by requests that a driver computes in software. */
static void waiting_requests_are_submitted_with_ordinary_priority(void)
{
	double end = now() + TIME_LIMIT;
	long nice;

	slow_engine(SIM_PARAMETERS "/bandwidth", "20000000");
	begin();
	submit_many(LARGE);
	do
		nice = nice_of_worker();
	while (nice >= 0 && counter("requests") && now() < end);
	check(!nice, "a nice value of %ld; 1: no worker was seen", nice);
}

static const struct test tests[] = {
	TEST(an_engine_has_few_requests_at_first),
	TEST(an_engine_has_at_most_max_requests),
	TEST(an_engine_that_works_on_many_at_once_has_many),
	TEST(an_engine_that_works_on_one_after_another_has_few),
	TEST(a_driver_that_refused_a_request_gets_several_again),
	TEST(all_algorithms_of_an_engine_have_one_limit),
	TEST(waiting_requests_are_dropped_with_their_descriptor),
	TEST(waiting_requests_are_dropped_with_their_process),
	TEST(waiting_requests_of_a_freed_session_are_dropped),
	TEST(a_driver_that_refuses_has_no_request_of_a_closed_descriptor),
	TEST(users_take_turns),
	TEST(a_user_of_little_waits_for_one_request_of_the_others),
	TEST(the_sessions_of_a_user_take_turns),
	TEST(requests_of_another_algorithm_are_no_way_around_the_turns),
	TEST(waiting_requests_are_submitted_with_ordinary_priority),
	TEST(waiting_requests_of_a_disallowed_driver_end),
};
THEME(turns, true);
