// SPDX-License-Identifier: GPL-2.0
/* Engines that stop: the time that callers wait, the requests that are refused, and the end of that. */
#include "tests.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { USERS = 8, LARGE = 65536, SHORT = 64 };

/* Seconds: two looks of 10 ms at the engine, and a margin for the scheduler. */
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

static void waiting_requests_end_when_the_engine_stops(void)
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
static pid_t another_submitter(void)
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
	child = another_submitter();
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

/* Each request needs 33 ms: longer than the engine has ever needed, and than the patience. */
static void no_request_of_eight_users_is_given_up_that_comes(void)
{
	pid_t child[USERS];
	long late;

	begin();
	late = driver_counter(cbc, "timeouts");
	check(!chmod("/dev/outboard", 0666), "%m");
	slow_engine(SIM_PARAMETERS "/bandwidth", "2000000");
	for (int i = 0; i < USERS; i++)
		child[i] = a_user(1001 + i);
	for (int i = 0; i < USERS; i++)
		join(child[i]);
	check(driver_counter(cbc, "timeouts") == late && !has_stopped(), "requests were given up");
}

/* An engine that has not completed any request has 2^8 times the patience. */
static void an_engine_whose_first_answer_came_after_it_was_given_up_works_again(void)
{
	unsigned int lost = 0;

	cbc = algorithm(OUTBOARD_CBC_AES);
	open_with_session();
	check(!tell(OUTBOARD_PARAMETERS "/patience", "3"), "%m");
	fault("all never");
	is_given_up(lost++);
	check(has_stopped(), "the module does not know it");
	is_given_up(lost++);
	answer_held();
	for (unsigned int s = 0; s < lost; s++)
		check(!wait_for(&arena, s), "status %d", arena.slot[s].status);
	/* The module looks at it several times. */
	slow_engine(SIM_PARAMETERS "/latency_ns", "100000000");
	for (unsigned int s = 0; s < 3; s++)
		check(!status_of(s), "status %d", arena.slot[s].status);
}

/* The module is ready to let a request through: as for a driver that is allowed. */
static void end_the_pause(void)
{
	const char *other = driver_of(algorithm(OUTBOARD_ECB_AES));

	check(!tell("/sys/class/misc/outboard/disallow", "%s", other), "%m");
	check(!tell("/sys/class/misc/outboard/allow", "%s", other), "%m");
}

/* Returns after how many seconds the waiter of a lost request returned. */
static double seconds_of_a_lost_request(unsigned int slot)
{
	double start;

	fault("all never count=1");
	start = now();
	is_given_up(slot);
	return now() - start;
}

/*
 * A request that is lost costs @most seconds, whatever came before. All times are the machine's,
 * which other things delay, so one of three rounds is enough.
 */
static void a_lost_request_costs(double least, double most, void (*before)(void))
{
	enum { ROUNDS = 3 };
	double lost = 0;

	for (int round = 0; round < ROUNDS; round++) {
		begin_anew();
		for (unsigned int s = 0; s < 16; s++)
			check(!status_of(s), "status %d", arena.slot[s].status);
		if (before)
			before();
		lost = seconds_of_a_lost_request(0);
		printf("%.1f ms\n", lost * 1000);
		check(lost > least, "%.1f ms", lost * 1000);
		answer_held();
		check(!wait_for(&arena, 0), "status %d", arena.slot[0].status);
		if (lost < most)
			return;
		unmap_arena(&arena);
		close(fd);
	}
	check(false, "%.1f ms", lost * 1000);
}

static void a_lost_request_costs_the_patience(void)
{
	a_lost_request_costs(0.03, 0.03 + LOOKS, NULL);
}

static void a_lost_request_of_an_engine_of_10_ms_costs_105_ms_at_most(void)
{
	slow_engine(SIM_PARAMETERS "/latency_ns", "10000000");
	a_lost_request_costs(0.03, 0.105, NULL);
}

/* As long as a machine that was stopped, or a burst of requests of dm-crypt. */
static void a_request_comes_a_second_late(void)
{
	seconds_of_a_lost_request(1);
	sleep(1);
	answer_held();
	check(!wait_for(&arena, 1), "status %d", arena.slot[1].status);
}

static void a_late_completion_does_not_make_the_next_lost_request_dearer(void)
{
	a_lost_request_costs(0.03, 0.03 + LOOKS, a_request_comes_a_second_late);
}

static void a_hundred_requests_are_lost(void)
{
	for (unsigned int s = 1; s <= 100; s++) {
		/* The simulation has 32 rules, also those that are used up. */
		fault("clear");
		seconds_of_a_lost_request(s);
		end_the_pause();
		check(!status_of(101), "status %d", arena.slot[101].status);
	}
	end_the_pause();
}

static void the_last_of_a_hundred_lost_requests_costs_as_much_as_the_first(void)
{
	a_lost_request_costs(0.03, 0.03 + LOOKS, a_hundred_requests_are_lost);
}

/* A ring that is full for good: nothing is in flight, and no completion follows. */
static void a_driver_that_refuses_everything_stops_within_the_patience(void)
{
	enum { ROUNDS = 3 };
	double start, waited = 1;
	long before, times;

	begin();
	for (int round = 0; round < ROUNDS && waited > 0.03 + LOOKS; round++) {
		fault("all refuse");
		before = number_in(SIM_DEBUG "/outboard-sim.0/refused");
		start = now();
		check(status_of(0) == -EHOSTDOWN, "status %d", arena.slot[0].status);
		waited = now() - start;
		printf("%.1f ms\n", waited * 1000);
		check(waited > 0.03, "%.1f ms", waited * 1000);
		check(has_stopped(), "the module does not know it");
		/* Once in a tick of 1 to 10 ms. */
		times = number_in(SIM_DEBUG "/outboard-sim.0/refused") - before;
		check(times > 1 && times < 100, "%ld times", times);
		check(status_of(1) == -EHOSTDOWN, "status %d", arena.slot[1].status);
		fault("clear");
		end_the_pause();
		works_again();
	}
	check(waited <= 0.03 + LOOKS, "%.1f ms", waited * 1000);
}

/* One request in 20 is lost: without pauses that grow, each user would wait for each of them. */
static void an_engine_that_loses_requests_again_and_again_rests_longer_each_time(void)
{
	double start, rest[3];

	begin();
	for (unsigned int loss = 0; loss < 3; loss++) {
		for (unsigned int s = 10; s < 30; s++)
			check(!status_of(s), "status %d", arena.slot[s].status);
		seconds_of_a_lost_request(loss);
		start = now();
		works_again();
		rest[loss] = now() - start;
	}
	check(rest[0] < 0.5 && rest[1] > 0.9 && rest[2] > 1.9, "%.1f, %.1f, %.1f s", rest[0],
	      rest[1], rest[2]);
	answer_held();
}

/* Its first request of 64 KiB needs 33 ms: more than the module has seen, and than the patience. */
static void a_long_request_after_many_short_ones_is_not_given_up(void)
{
	begin();
	slow_engine(SIM_PARAMETERS "/bandwidth", "2000000");
	fill(510, LARGE);
	check(!submit(&arena, 510, 1, OUTBOARD_WAIT), "%m");
	check(!arena.slot[510].status, "status %d", arena.slot[510].status);
}

/*
 * A request needs 164 ms. The first one is late, within the limit for learning, and later ones have
 * more time. Where the host delays the first answer, a later one is learned from.
 */
static void an_engine_that_is_slower_than_the_patience_loses_few_requests(void)
{
	enum { MOST = 16, ENOUGH = 3 };
	unsigned int in_time = 0;

	begin();
	slow_engine(SIM_PARAMETERS "/bandwidth", "400000");
	for (unsigned int s = 0; s < MOST && in_time < ENOUGH; s++) {
		fill(s, LARGE);
		submit(&arena, s, 1, OUTBOARD_WAIT);
		in_time = arena.slot[s].status ? 0 : in_time + 1;
		check(!wait_for(&arena, s), "status %d", arena.slot[s].status);
	}
	check(in_time == ENOUGH, "%u requests in a row were not given up", in_time);
}

/* The thread that submits has not got to the driver's queue yet: that is no delay of the engine. */
static void a_submitter_that_is_delayed_does_not_stop_the_engine(void)
{
	pid_t child;

	begin();
	slow_engine(SIM_PARAMETERS "/latency_ns", "10000000");
	fault("sim-cbc-aes delay 200 count=1");
	child = fork();
	if (!child) {
		open_with_session();
		check(!status_of(0), "status %d", arena.slot[0].status);
		_exit(0);
	}
	while (driver_counter(cbc, "in_flight") < 1)
		usleep(1000);
	usleep(60000);
	for (int i = 0; i < 3; i++)
		check(!status_of(0), "status %d", arena.slot[0].status);
	join(child);
	check(!has_stopped(), "it counts as stopped");
}

/* As by a driver with a time limit of its own: an error does not show that the engine works. */
static void an_engine_that_ends_lost_requests_with_errors_stays_stopped(void)
{
	begin();
	fault("all never");
	is_given_up(0);
	is_given_up(1);
	check(!tell(SIM_DEBUG "/held", "5"), "%m");
	check(wait_for(&arena, 0) && wait_for(&arena, 1), "they ended well");
	check(has_stopped(), "it counts as working");
	is_refused(2);
	answer_held();
	/* Of a device that is there: its driver has reset it. */
	fault("all error 19");
	end_the_pause();
	check(status_of(3) == -EHOSTDOWN && has_stopped(), "status %d", arena.slot[3].status);
	fault("clear");
	end_the_pause();
	works_again();
}

/* For the patience, and not for the time limit. */
static void awaiting_a_lost_request_ends_soon(void)
{
	double start;
	int error;

	begin();
	fault("all never count=1");
	is_given_up(0);
	start = now();
	error = await(&arena, 0, 1);
	check(error == -ETIMEDOUT, "%s", strerror(-error));
	check(now() - start < TIME_LIMIT / 2, "after %.1f s", now() - start);
	answer_held();
	check(!await(&arena, 0, 1) && !arena.slot[0].status, "status %d", arena.slot[0].status);
	/* The next request of the slot is waited for, also behind others. */
	slow_engine(SIM_PARAMETERS "/bandwidth", "2000000");
	for (unsigned int s = 0; s < 4; s++)
		fill(s, LARGE);
	check(!submit(&arena, 1, 3, 0) && !submit(&arena, 0, 1, 0), "%m");
	check(!await(&arena, 0, 1) && !arena.slot[0].status, "status %d", arena.slot[0].status);
}

static pid_t a_busy_process(void)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		;
}

/* Engines of 0.1, 1 and 10 ms, one after the other, while two processes use all CPUs. */
static void an_engine_that_answers_on_a_busy_host_is_not_given_up(void)
{
	enum { BUSY = 2, ALONE = 16, TOGETHER = 64 };
	static const char *const takes[] = { "100000", "1000000", "10000000" };
	double end = now() + duration;
	pid_t busy[BUSY], other;
	long late;

	begin();
	late = driver_counter(cbc, "timeouts");
	for (int i = 0; i < BUSY; i++)
		busy[i] = a_busy_process();
	other = another_submitter();
	for (unsigned int round = 0; now() < end; round++) {
		slow_engine(SIM_PARAMETERS "/latency_ns", takes[round % COUNT(takes)]);
		for (unsigned int s = 0; s < ALONE; s++)
			check(!status_of(s), "status %d", arena.slot[s].status);
		for (unsigned int s = 0; s < TOGETHER; s++)
			fill(s, s % 8 ? SHORT : LARGE);
		check(!submit(&arena, 0, TOGETHER, OUTBOARD_WAIT), "%m");
		for (unsigned int s = 0; s < TOGETHER; s++)
			check(!arena.slot[s].status, "status %d", arena.slot[s].status);
	}
	check(driver_counter(cbc, "timeouts") == late && !has_stopped(), "requests were given up");
	kill_it(other);
	for (int i = 0; i < BUSY; i++)
		kill_it(busy[i]);
}

static const struct test tests[] = {
	TEST(an_engine_whose_first_answer_came_after_it_was_given_up_works_again),
	TEST(no_request_of_eight_users_is_given_up_that_comes),
	TEST(an_engine_that_answers_on_a_busy_host_is_not_given_up),
	TEST(a_lost_request_costs_the_patience),
	TEST(a_lost_request_of_an_engine_of_10_ms_costs_105_ms_at_most),
	TEST(a_late_completion_does_not_make_the_next_lost_request_dearer),
	TEST(the_last_of_a_hundred_lost_requests_costs_as_much_as_the_first),
	TEST(a_driver_that_refuses_everything_stops_within_the_patience),
	TEST(an_engine_that_loses_requests_again_and_again_rests_longer_each_time),
	TEST(a_long_request_after_many_short_ones_is_not_given_up),
	TEST(an_engine_that_is_slower_than_the_patience_loses_few_requests),
	TEST(a_submitter_that_is_delayed_does_not_stop_the_engine),
	TEST(an_engine_that_ends_lost_requests_with_errors_stays_stopped),
	TEST(awaiting_a_lost_request_ends_soon),
	TEST(an_engine_that_stopped_refuses_after_two_requests),
	TEST(waiting_requests_end_when_the_engine_stops),
	TEST(a_request_after_a_pause_takes_the_engine_back),
	TEST(a_request_that_is_lost_while_others_complete_is_given_up_alone),
};
THEME(stopped, true);
