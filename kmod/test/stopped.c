// SPDX-License-Identifier: GPL-2.0
/* Engines that stop: the time that callers wait, the requests that are refused, and the end of that. */
#include "tests.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { USERS = 8, LARGE = 65536, SHORT = 64 };

/* Seconds: two looks of a kernel with 100 ticks a second. */
#define LOOKS 0.03

static int fd;
static struct arena arena;
static const struct algorithm *cbc;

static void fill(unsigned int slot, uint32_t size)
{
	struct outboard_slot wanted = a_slot(cbc, 1, &arena, 0, 0, size);

	put(&arena, slot, &wanted);
}

static void open_with_session(void)
{
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 512);
	make_session(fd, 1, cbc);
}

/* The module knows nothing of the engine. */
static void begin_anew(void)
{
	double end = now() + TIME_LIMIT;

	cbc = algorithm(OUTBOARD_CBC_AES);
	while (counter("sessions") && now() < end)
		usleep(1000);
	check(!tell("/sys/class/misc/outboard/disallow", "sim-cbc-aes"), "%m");
	check(!tell("/sys/class/misc/outboard/allow", "sim-cbc-aes"), "%m");
	open_with_session();
	check(!tell(OUTBOARD_PARAMETERS "/patience", "30"), "%m");
}

/* The engine has answered, so that it is known to need little. */
static void begin(void)
{
	begin_anew();
	for (unsigned int s = 0; s < 512; s++)
		fill(s, SHORT);
	check(!submit(&arena, 0, 512, OUTBOARD_WAIT), "%m");
}

static void fault(const char *rule)
{
	check(!tell(SIM_DEBUG "/faults", "%s", rule), "%s: %m", rule);
}

static void answer_held(void)
{
	fault("clear");
	check(!tell(SIM_DEBUG "/held", "0"), "%m");
}

static bool has_stopped(void)
{
	return driver_counter(cbc, "stopped");
}

static long sent(void)
{
	return number_in(SIM_DEBUG "/outboard-sim.0/requests");
}

/* Submits the slot, and returns its status: OUTBOARD_IN_FLIGHT if it was given up. */
static int status_of(unsigned int slot)
{
	double start = now();
	int error;

	fill(slot, SHORT);
	error = submit(&arena, slot, 1, OUTBOARD_WAIT);
	check(error == (arena.slot[slot].status == OUTBOARD_IN_FLIGHT ? -ETIMEDOUT : 0), "%s",
	      strerror(-error));
	/* Long before the time limit, which is 60 s. */
	check(now() - start < TIME_LIMIT / 2, "after %.1f s", now() - start);
	return arena.slot[slot].status;
}

static void is_given_up(unsigned int slot)
{
	int status = status_of(slot);

	check(status == OUTBOARD_IN_FLIGHT, "status %d", status);
}

static void is_refused(unsigned int slot)
{
	long before = sent();
	int status = status_of(slot);

	check(status == -EHOSTDOWN, "status %d", status);
	check(sent() == before, "the driver got it");
}

static void works_again(void)
{
	double end = now() + TIME_LIMIT;
	int status;

	while ((status = status_of(511)) == -EHOSTDOWN && now() < end)
		usleep(10000);
	check(!status && !has_stopped(), "status %d", status);
}

/* The first loses it, the second is let through, the third is refused; so is another process. */
static void an_engine_that_stopped_refuses_after_two_requests(void)
{
	pid_t child;

	begin();
	fault("all never");
	is_given_up(0);
	check(has_stopped(), "the module does not know it");
	is_given_up(1);
	is_refused(2);
	child = fork();
	if (!child) {
		open_with_session();
		is_refused(0);
		_exit(0);
	}
	join(child);
	answer_held();
	check(!wait_for(&arena, 0) && !wait_for(&arena, 1), "statuses %d, %d",
	      arena.slot[0].status, arena.slot[1].status);
	check(!has_stopped(), "an answer is no evidence");
	check(!status_of(2), "status %d", arena.slot[2].status);
}

static void what_waits_ends_when_the_engine_stops(void)
{
	enum { MANY = 256 };
	unsigned int refused = 0, held = 0;
	int error;

	begin();
	fault("all never");
	for (unsigned int s = 0; s < MANY; s++)
		fill(s, SHORT);
	error = submit(&arena, 0, MANY, OUTBOARD_WAIT);
	check(error == -ETIMEDOUT, "%s", strerror(-error));
	for (unsigned int s = 0; s < MANY; s++) {
		refused += arena.slot[s].status == -EHOSTDOWN;
		held += arena.slot[s].status == OUTBOARD_IN_FLIGHT;
	}
	check(held && refused && held + refused == MANY, "%u in flight, %u refused", held, refused);
	answer_held();
	works_again();
}

/* The requests that it never answers take no place from others for ever. */
static void a_request_after_a_pause_takes_the_engine_back(void)
{
	begin();
	fault("all never count=2");
	is_given_up(0);
	is_given_up(1);
	works_again();
	for (unsigned int s = 2; s < 512; s++)
		fill(s, SHORT);
	check(!submit(&arena, 2, 510, OUTBOARD_WAIT), "%m");
	check(arena.slot[0].status == OUTBOARD_IN_FLIGHT, "status %d", arena.slot[0].status);
	answer_held();
	check(!wait_for(&arena, 0) && !wait_for(&arena, 1), "statuses %d, %d",
	      arena.slot[0].status, arena.slot[1].status);
}

/* Always has a request, of another algorithm. */
static pid_t somebody_else(void)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	cbc = algorithm(OUTBOARD_CTR_AES);
	open_with_session();
	for (;;) {
		fill(0, SHORT);
		check(!submit(&arena, 0, 1, OUTBOARD_WAIT), "%m");
	}
}

static void a_request_that_is_lost_while_others_complete_is_given_up_alone(void)
{
	long before;
	pid_t child;

	begin();
	before = sent();
	child = somebody_else();
	while (sent() < before + 10)
		usleep(1000);
	fault("sim-cbc-aes never count=1");
	is_given_up(0);
	check(!status_of(1), "status %d", arena.slot[1].status);
	kill_it(child);
	answer_held();
	check(!wait_for(&arena, 0), "status %d", arena.slot[0].status);
}

static pid_t a_user(uid_t user)
{
	enum { EACH_HAS = 8 };
	pid_t child = fork();

	if (child)
		return child;
	check(!setgid(user) && !setuid(user), "%m");
	open_with_session();
	for (unsigned int s = 0; s < EACH_HAS; s++)
		fill(s, LARGE);
	check(!submit(&arena, 0, EACH_HAS, OUTBOARD_WAIT), "%m");
	for (unsigned int s = 0; s < EACH_HAS; s++)
		check(!arena.slot[s].status, "status %d", arena.slot[s].status);
	_exit(0);
}

/* Each request needs longer than the engine has ever needed, and than 30 ms. */
static void no_request_of_eight_users_is_given_up_that_comes(void)
{
	pid_t child[USERS];
	long late;

	begin();
	late = driver_counter(cbc, "timeouts");
	check(!chmod("/dev/outboard", 0666), "%m");
	slow_engine(SIM_PARAMETERS "/bandwidth", "1000000");
	for (int i = 0; i < USERS; i++)
		child[i] = a_user(1001 + i);
	for (int i = 0; i < USERS; i++)
		join(child[i]);
	check(driver_counter(cbc, "timeouts") == late && !has_stopped(), "requests were given up");
}

/* Nothing that it has completed says how much work it can have. */
static void an_engine_whose_first_answer_came_after_it_was_given_up_works_again(void)
{
	unsigned int lost = 0;

	cbc = algorithm(OUTBOARD_CBC_AES);
	open_with_session();
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "1"), "timeout: %m");
	check(!tell(OUTBOARD_PARAMETERS "/patience", "30"), "%m");
	fault("all never");
	while (!has_stopped() && lost < 8)
		is_given_up(lost++);
	check(has_stopped(), "the module does not know it");
	answer_held();
	for (unsigned int s = 0; s < lost; s++)
		check(!wait_for(&arena, s), "status %d", arena.slot[s].status);
	/* The module looks at it several times. */
	slow_engine(SIM_PARAMETERS "/latency_ns", "100000000");
	for (unsigned int s = 0; s < 3; s++)
		check(!status_of(s), "status %d", arena.slot[s].status);
}

/*
 * A request that is lost after others with as much work costs the patience, or ten times what the
 * slowest of them needed, and not twice as much. In one of the rounds: all times are the machine's,
 * which other things delay.
 */
static void a_lost_request_costs(double patience)
{
	enum { ROUNDS = 3, BEFORE = 10 };
	double start, slowest, lost, limit;

	for (int round = 0; round < ROUNDS; round++) {
		begin_anew();
		slowest = 0;
		for (unsigned int s = 0; s < BEFORE; s++) {
			start = now();
			check(!status_of(s), "status %d", arena.slot[s].status);
			slowest = now() - start > slowest ? now() - start : slowest;
		}
		limit = 10 * slowest > patience ? 10 * slowest : patience;
		fault("all never count=1");
		start = now();
		is_given_up(0);
		lost = now() - start;
		check(lost > patience, "%.1f ms", lost * 1000);
		answer_held();
		check(!wait_for(&arena, 0), "status %d", arena.slot[0].status);
		if (lost < limit + LOOKS)
			return;
		unmap_arena(&arena);
		close(fd);
	}
	check(false, "%.1f ms in the end, the slowest so far %.1f ms", lost * 1000, slowest * 1000);
}

static void a_lost_request_of_a_fast_engine_costs_its_patience(void)
{
	a_lost_request_costs(0.03);
}

static void a_lost_request_of_a_slow_engine_costs_ten_times_what_it_needs(void)
{
	slow_engine(SIM_PARAMETERS "/latency_ns", "20000000");
	a_lost_request_costs(0.1);
}

/* What it needed is forgotten together with the work that it had then. */
static void a_long_request_after_many_short_ones_is_not_given_up(void)
{
	begin_anew();
	slow_engine(SIM_PARAMETERS "/bandwidth", "500000");
	for (int i = 0; i < 2; i++) {
		fill(510, LARGE);
		check(!submit(&arena, 510, 1, OUTBOARD_WAIT), "%m");
		check(!arena.slot[510].status, "status %d", arena.slot[510].status);
		for (int s = 0; s < 4096 && !i; s++)
			check(!status_of(511), "status %d", arena.slot[511].status);
	}
}

static const struct test tests[] = {
	TEST(an_engine_whose_first_answer_came_after_it_was_given_up_works_again),
	TEST(no_request_of_eight_users_is_given_up_that_comes),
	TEST(a_lost_request_of_a_fast_engine_costs_its_patience),
	TEST(a_lost_request_of_a_slow_engine_costs_ten_times_what_it_needs),
	TEST(a_long_request_after_many_short_ones_is_not_given_up),
	TEST(an_engine_that_stopped_refuses_after_two_requests),
	TEST(what_waits_ends_when_the_engine_stops),
	TEST(a_request_after_a_pause_takes_the_engine_back),
	TEST(a_request_that_is_lost_while_others_complete_is_given_up_alone),
};
THEME(stopped, true);
