// SPDX-License-Identifier: GPL-2.0
/* Arenas, descriptors, sessions, processes, drivers and devices that go away during requests. */
#include "tests.h"
#include <signal.h>
#include <sys/wait.h>

static int fd;
static struct arena arena;
static const struct algorithm *cbc;

static void begin(size_t size)
{
	fd = open_device(0);
	arena = map_arena(fd, size, 64);
	cbc = algorithm(OUTBOARD_CBC_AES);
}

static void fill(unsigned int count, uint32_t size)
{
	for (unsigned int s = 0; s < count; s++) {
		struct outboard_slot slot = a_slot(cbc, 1, &arena, s * size, s * size, size);

		put(&arena, s, &slot);
	}
}

/* Makes requests slow enough to be observed in flight. Only the simulation supports this. */
static void slow_down(unsigned int milliseconds)
{
	if (accelerator->sim)
		check(!tell(SIM_PARAMETERS "/latency_ns", "%u", milliseconds * 1000000), "%m");
}

static void arenas_sessions_and_descriptors(void)
{
	long in_flight = 0;

	slow_down(50);
	for (int i = 0; i < 40 || (!in_flight && i < 4000); i++) {
		begin(2 * MIB);
		make_session(fd, 1, cbc);
		fill(16, 65536);
		check(!submit(&arena, 0, 16, 0), "%m");
		if (i % 4 == 1)
			check(!free_session(fd, 1), "%m");
		if (i % 4 == 2)
			unmap_arena(&arena);
		close(fd);
		if (i % 4 != 2)
			unmap_arena(&arena);
		in_flight += counter("requests");
	}
	check(in_flight, "nothing was in flight when they went");
}

/* A request that completes does not write to an arena created after its own was unmapped. */
static void memory_of_an_arena_stays_with_its_requests(void)
{
	uint8_t zero[4096] = { 0 };

	begin(MIB);
	make_session(fd, 1, cbc);
	slow_down(20);
	for (int i = 0; i < 30; i++) {
		fill(16, 32768);
		check(!submit(&arena, 0, 16, 0), "%m");
		unmap_arena(&arena);
		arena = map_arena(fd, MIB, 64);
		for (int wait = 0; wait < 2; wait++) {
			for (uint32_t at = 0; at < 16 * 32768; at += sizeof(zero))
				check(!memcmp(arena.data + at, zero, sizeof(zero)),
				      "written at %u of a new arena", at);
			check(!arena.slot[0].status && !arena.slot[15].status,
			      "a status in a new arena");
			usleep(wait ? 0 : 5000);
		}
	}
}

/*
 * Four algorithms; submits until it is killed. Each fourth process kills itself as soon as a SUBMIT
 * returns before its last request is complete: until another process runs, a fast accelerator has
 * completed all requests of a slow CPU.
 */
static void submit_for_ever(unsigned int number, int ready)
{
	const struct algorithm *of[4];

	begin(4 * MIB);
	for (unsigned int n = 0, a = number; n < COUNT(of); n++, a++) {
		while (!driver_of(&algorithms[a % ALGORITHMS]))
			a++;
		of[n] = &algorithms[a % ALGORITHMS];
		make_session(fd, 1 + n, of[n]);
	}
	for (int rounds = 0;; rounds++) {
		for (unsigned int s = 0; s < 32; s++) {
			struct outboard_slot slot = a_slot(of[s % 4], 1 + s % 4, &arena, s * 65536,
							   s * 65536, 32768);

			put(&arena, s, &slot);
		}
		submit(&arena, 0, 32, 0);
		if (!(number & 3) && arena.slot[31].status == OUTBOARD_IN_FLIGHT)
			kill(getpid(), SIGUSR1);
		if (!rounds)
			check(write(ready, "", 1) == 1, "%m");
		/* The signal arrives in WAIT, or during a SUBMIT without it. */
		if (number & 1)
			submit(&arena, 0, 32, OUTBOARD_WAIT);
	}
}

static void hundred_processes_killed_with_requests_in_flight(void)
{
	int in_flight = 0;

	slow_down(100);
	for (int i = 0; i < 100; i++) {
		int pipes[2], status, has_requests = 0;
		pid_t child;
		char byte;

		check(!pipe(pipes), "%m");
		child = fork();
		check(child >= 0, "%m");
		if (!child)
			submit_for_ever(i, pipes[1]);
		close(pipes[1]);
		/* Nothing is read of a process that killed itself. */
		if (read(pipes[0], &byte, 1) == 1) {
			usleep(below(10000));
			has_requests = counter("requests") > 0;
			kill(child, SIGKILL);
		}
		check(waitpid(child, &status, 0) == child, "%m");
		check(WIFSIGNALED(status), "a process ended with %d", WEXITSTATUS(status));
		in_flight += has_requests || WTERMSIG(status) == SIGUSR1;
		close(pipes[0]);
	}
	check(in_flight > (accelerator->sim ? 50 : 5), "requests were in flight in only %d of 100",
	      in_flight);
}

/* Kills a process that waits for 64 requests. Returns the seconds until it is gone. */
static double end_of_a_killed_waiter(void)
{
	long before = counter("requests");
	double start;
	pid_t child;
	int status;

	child = fork();
	if (!child) {
		close(fd);
		begin(8 * MIB);
		make_session(fd, 1, cbc);
		fill(64, 65536);
		submit(&arena, 0, 64, OUTBOARD_WAIT);
		_exit(0);
	}
	while (counter("requests") < before + (accelerator->sim ? 64 : 1) &&
	       !waitpid(child, &status, WNOHANG))
		usleep(100);
	start = now();
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return now() - start;
}

static void a_waiter_that_is_killed_leaves_at_once(void)
{
	double took;

	if (!accelerator->sim) {
		/* virtio's requests cannot be held: only the end of the process is tested. */
		begin(8 * MIB);
		make_session(fd, 1, cbc);
	} else {
		check(!tell(SIM_DEBUG "/faults", "sim-cbc-aes never"), "%m");
	}
	/*
	 * Without the signal the module would wait for TIME_LIMIT seconds. A host that stops this
	 * machine for a while delays some attempts by more than a second, not each of them.
	 */
	for (int attempt = 0; attempt < 5; attempt++) {
		took = end_of_a_killed_waiter();
		check(took < TIME_LIMIT / 2, "it took %.1f s", took);
		if (took < 1)
			break;
	}
	check(took < 1, "it took %.1f s, and longer than a second five times", took);
	check(!accelerator->sim || counter("requests"), "no request in flight");
}

/* 4096 slots take seconds. */
static void begin_large(void)
{
	cbc = algorithm(OUTBOARD_CBC_AES);
	fd = open_device(0);
	arena = map_arena(fd, 2 * MIB, 4096);
	make_session(fd, 1, cbc);
}

static void a_submitter_that_is_killed_submits_no_more(void)
{
	const struct algorithm *of = algorithm(OUTBOARD_CBC_AES);
	long before = driver_counter(of, "requests"), submitted;
	pid_t child = fork();

	if (!child) {
		begin_large();
		fill_for_long(&arena, 4096);
		submit(&arena, 0, 4096, OUTBOARD_WAIT);
		_exit(0);
	}
	while (driver_counter(of, "requests") == before && !waitpid(child, NULL, WNOHANG))
		usleep(100);
	kill_it(child);
	submitted = driver_counter(of, "requests") - before;
	check(submitted < 4096, "all %ld requests were submitted", submitted);
}

static void a_session_that_is_freed_gets_no_more_of_a_record(void)
{
	struct submitter submitter;

	begin_large();
	submitter_begin(&submitter, &arena, 4096);
	check(!free_session(fd, 1), "%m");
	submitter_end(&submitter);
	check(arena.slot[4095].status == -ENOENT, "status %d", arena.slot[4095].status);
}

static void a_driver_that_root_disallows(void)
{
	const char *driver;

	begin(4 * MIB);
	make_session(fd, 1, cbc);
	driver = driver_of(cbc);
	slow_down(50);
	for (int round = 0; round < 5; round++) {
		fill(32, 65536);
		check(!submit(&arena, 0, 32, 0), "%m");
		check(!tell("/sys/class/misc/outboard/disallow", "%s", driver), "%s", driver);
		check(tell("/sys/class/misc/outboard/disallow", "%s", driver) == -ENOENT, "twice");
		/* The driver completes what it has, and what waits is over. */
		for (unsigned int s = 0; s < 32; s++) {
			int status = wait_for(&arena, s);

			check(!status || (s && status == -ENODEV), "slot %u: status %d", s, status);
		}
		fill(1, 16);
		check(ask(&arena, &(struct outboard_slot){ .session = 1,
							   .op = OUTBOARD_ENCRYPT,
							   .in = arena.offset,
							   .out = arena.offset,
							   .length = 16 }) == -ENODEV,
		      "status %d", arena.slot[0].status);
		check(new_session(fd, 2, OUTBOARD_CBC_AES, 0, a_key(), 16) == -ENOENT,
		      "a new session");
		check(!tell("/sys/class/misc/outboard/allow", "%s", driver), "%s", driver);
		check(tell("/sys/class/misc/outboard/allow", "%s", driver) == -EEXIST, "twice");
		check(new_session(fd, 1, OUTBOARD_CBC_AES, 0, a_key(), 16) == -EEXIST,
		      "the number is taken until it is freed");
		check(!free_session(fd, 1), "%m");
		make_session(fd, 1, cbc);
	}
}

/* Any user may read this file of a driver that root disallows meanwhile. */
static void a_driver_whose_files_are_read(void)
{
	const char *driver = driver_of(algorithm(OUTBOARD_CBC_AES));
	char path[200];
	pid_t reader;

	snprintf(path, sizeof(path), "/sys/class/misc/outboard/drivers/%s/stopped", driver);
	reader = fork();
	if (!reader) {
		char text[8];

		for (;;) {
			int file = open(path, O_RDONLY);

			if (file >= 0 && read(file, text, sizeof(text)) < 0 && errno != ENODEV)
				_exit(1);
			close(file);
		}
	}
	check(reader > 0, "%m");
	for (int round = 0; round < 300; round++) {
		check(!tell("/sys/class/misc/outboard/disallow", "%s", driver), "%s: %m", driver);
		check(!tell("/sys/class/misc/outboard/allow", "%s", driver), "%s: %m", driver);
	}
	check(!waitpid(reader, NULL, WNOHANG), "the file cannot be read");
	kill(reader, SIGKILL);
	check(waitpid(reader, NULL, 0) == reader, "%m");
}

static void bind(const char *device)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/bind", accelerator->bus_driver);
	check(!tell(path, "%s", device), "%s %s: %m", path, device);
}

/* No request hangs, the open session fails with ENODEV, a new one works after the next binding. */
static void a_device_that_is_unbound(void)
{
	int in_flight = 0;

	slow_down(30);
	/* A fast accelerator may complete all requests before the unbinding. */
	for (int round = 0; round < 3 || (!in_flight && round < 100); round++) {
		char device[300], path[200];
		int unbind, error;

		check(bound_device(), "no device");
		strcpy(device, bound_device());
		begin(8 * MIB);
		/* Without delay, although the lookup in the previous round failed just before. */
		error = new_session(fd, 1, OUTBOARD_CBC_AES, 0, a_key(), 16);
		check(!error, "no session: %s", strerror(-error));
		snprintf(path, sizeof(path), "%s/unbind", accelerator->bus_driver);
		unbind = open(path, O_WRONLY | O_CLOEXEC);
		check(unbind >= 0, "%s: %m", path);
		fill(64, 65536);
		check(!submit(&arena, 0, 64, 0), "%m");
		in_flight += arena.slot[63].status == OUTBOARD_IN_FLIGHT;
		check(write(unbind, device, strlen(device)) > 0, "unbind %s: %m", device);
		close(unbind);
		for (unsigned int s = 0; s < 64; s++) {
			int status = wait_for(&arena, s);

			check(!status || status == -ENODEV, "slot %u: status %d", s, status);
		}
		fill(64, 4096);
		check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
		for (unsigned int s = 0; s < 64; s++)
			check(arena.slot[s].status == -ENODEV, "slot %u without a device: %d", s,
			      arena.slot[s].status);
		/* Drivers that stay registered, like CESA's, refuse keys. */
		error = new_session(fd, 2, OUTBOARD_CBC_AES, 0, a_key(), 16);
		check(error == (is_registered(driver_of(algorithm(OUTBOARD_CBC_AES))) ? -ENODEV : -ENOENT),
		      "a new session: %s", strerror(-error));
		check(!counter("sessions"), "%ld sessions hold a driver", counter("sessions"));
		bind(device);
		unmap_arena(&arena);
		close(fd);
	}
	check(in_flight, "nothing was in flight when the device went");
}

static const struct test tests[] = {
	TEST(arenas_sessions_and_descriptors),
	TEST(memory_of_an_arena_stays_with_its_requests),
	TEST(hundred_processes_killed_with_requests_in_flight),
	TEST(a_waiter_that_is_killed_leaves_at_once),
	TEST_SIM(a_submitter_that_is_killed_submits_no_more),
	TEST_SIM(a_session_that_is_freed_gets_no_more_of_a_record),
	TEST(a_driver_that_root_disallows),
	TEST(a_driver_whose_files_are_read),
	TEST(a_device_that_is_unbound),
};
THEME(lifetimes, false);
