// SPDX-License-Identifier: GPL-2.0
/*
 * Suspend with sessions. The machine goes through the steps of a suspend up to the freezer
 * (pm_test) and resumes. PM_TEST=devices goes on to the devices, which include the ports that
 * vm/run uses: the output has to go to /dev/kmsg then.
 */
#include "tests.h"
#include <sys/wait.h>

static int fd;
static struct arena arena;
static const struct algorithm *cbc;

/* Linux on IBM Z, and on Malta, has no suspend. */
static void needs_suspend(void)
{
	if (access("/sys/power/pm_test", F_OK))
		lacks("a kernel that suspends");
}

static void begin(void)
{
	needs_suspend();
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 64);
	cbc = algorithm(OUTBOARD_CBC_AES);
	make_session(fd, 1, cbc);
}

static void fill(unsigned int count)
{
	for (unsigned int s = 0; s < count; s++) {
		struct outboard_slot slot = a_slot(cbc, 1, &arena, s * 8192, s * 8192, 4096);

		put(&arena, s, &slot);
	}
}

/* Returns 0 or a negative errno of the suspend. */
static int suspend(void)
{
	const char *upto = getenv("PM_TEST") ?: "freezer";
	int error;

	/* The usual five seconds there are only for a reader of the log. */
	tell("/sys/module/suspend/parameters/pm_test_delay", "0");
	check(!tell("/sys/power/pm_test", "%s", upto), "pm_test: %m");
	error = tell("/sys/power/state", "freeze");
	check(!tell("/sys/power/pm_test", "none"), "pm_test: %m");
	return error;
}

static void the_old_session_ends_and_a_new_one_works(void)
{
	fill(1);
	check(!submit(&arena, 0, 1, OUTBOARD_WAIT), "%m");
	check(arena.slot[0].status == -ENODEV, "status %d", arena.slot[0].status);
	check(!counter("sessions"), "%ld sessions hold a driver", counter("sessions"));
	check(!free_session(fd, 1), "%m");
	make_session(fd, 1, cbc);
	fill(64);
	check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
	for (unsigned int s = 0; s < 64; s++)
		check(!arena.slot[s].status, "slot %u: status %d", s, arena.slot[s].status);
}

static void with_an_idle_session(void)
{
	begin();
	check(!suspend(), "%m");
	the_old_session_ends_and_a_new_one_works();
	close(fd);
}

/* All end before a device is suspended: well, or with ENODEV if they still waited. */
static void with_requests_in_flight(void)
{
	int in_flight = 0;

	begin();
	for (int round = 0; round < 3 || (!in_flight && round < 20); round++) {
		if (accelerator->sim)
			check(!tell(SIM_PARAMETERS "/latency_ns", "%u", 30 * 1000000), "%m");
		fill(64);
		check(!submit(&arena, 0, 64, 0), "%m");
		in_flight += counter("requests") > 0;
		check(!suspend(), "%m");
		for (unsigned int s = 0; s < 64; s++)
			check(!arena.slot[s].status || arena.slot[s].status == -ENODEV,
			      "slot %u: status %d", s, arena.slot[s].status);
		the_old_session_ends_and_a_new_one_works();
	}
	check(in_flight, "nothing was in flight");
}

static void a_request_that_does_not_end_prevents_it(void)
{
	begin();
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "1"), "%m");
	hold(true);
	fill(1);
	check(!submit(&arena, 0, 1, 0), "%m");
	check(suspend() == -EBUSY, "the machine was suspended");
	check(arena.slot[0].status == OUTBOARD_IN_FLIGHT, "status %d", arena.slot[0].status);
	hold(false);
	check(!wait_for(&arena, 0), "status %d", arena.slot[0].status);
	/* New sessions are possible again, and the next suspend too. */
	check(!free_session(fd, 1), "%m");
	make_session(fd, 1, cbc);
	check(!suspend(), "%m");
	the_old_session_ends_and_a_new_one_works();
}

/* One that is written off would prevent each suspend until the machine is restarted. */
static void a_lost_request_does_not_prevent_it(void)
{
	begin();
	fill(2);
	for (int i = 0; i < 16; i++)
		check(!submit(&arena, 0, 2, OUTBOARD_WAIT), "%m");
	check(!tell(OUTBOARD_PARAMETERS "/patience", "30"), "%m");
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "1"), "%m");
	check(!tell(SIM_DEBUG "/faults", "all never count=1"), "%m");
	fill(1);
	check(submit(&arena, 0, 1, OUTBOARD_WAIT) == -ETIMEDOUT, "%m");
	for (int round = 0; round < 2; round++) {
		check(!suspend(), "%m");
		check(free_session(fd, 1) == 0, "%m");
		make_session(fd, 1, cbc);
		check(!submit(&arena, 1, 1, OUTBOARD_WAIT) && !arena.slot[1].status, "status %d",
		      arena.slot[1].status);
	}
	hold(false);
	check(!wait_for(&arena, 0), "status %d", arena.slot[0].status);
}

/* A process that creates sessions and requests until it is frozen. */
static void while_a_process_submits(void)
{
	int pipes[2];
	char byte;
	pid_t child;

	needs_suspend();
	check(!pipe(pipes), "%m");
	child = fork();
	if (!child) {
		begin();
		check(write(pipes[1], "", 1) == 1, "%m");
		for (double end = now() + 2; now() < end;) {
			fill(16);
			check(!submit(&arena, 0, 16, OUTBOARD_WAIT), "%m");
			if (!arena.slot[0].status)
				continue;
			check(arena.slot[0].status == -ENODEV, "status %d", arena.slot[0].status);
			free_session(fd, 1);
			while (new_session(fd, 1, OUTBOARD_CBC_AES, 0, a_key(), 16))
				check(now() < end + TIME_LIMIT, "no session after the resume");
		}
		_exit(0);
	}
	close(pipes[1]);
	/* The first session is there: during a suspend none can be created. */
	check(read(pipes[0], &byte, 1) == 1, "the process ended");
	close(pipes[0]);
	for (int i = 0; i < 4; i++) {
		usleep(100000);
		check(!suspend(), "%m");
	}
	join(child);
}

/* A new session's driver would lose its device with the machine asleep. */
static void while_requests_end_no_session_is_made(void)
{
	double end;
	int error = 0;
	pid_t child;

	begin();
	hold(true);
	fill(1);
	check(!submit(&arena, 0, 1, 0), "%m");
	child = fork();
	if (!child) {
		check(!suspend(), "%m");
		_exit(0);
	}
	for (end = now() + 10; !error && now() < end; usleep(1000)) {
		error = new_session(fd, 2, OUTBOARD_CBC_AES, 0, a_key(), 16);
		if (!error)
			check(!free_session(fd, 2), "%m");
	}
	check(error == -ENOENT, "%s", strerror(-error));
	hold(false);
	join(child);
	check(!wait_for(&arena, 0), "status %d", arena.slot[0].status);
	make_session(fd, 2, cbc);
}

static const struct test tests[] = {
	TEST(with_an_idle_session),
	TEST(with_requests_in_flight),
	TEST(while_a_process_submits),
	TEST_SIM(while_requests_end_no_session_is_made),
	TEST_SIM(a_request_that_does_not_end_prevents_it),
	TEST_SIM(a_lost_request_does_not_prevent_it),
};
THEME(suspend, false);
