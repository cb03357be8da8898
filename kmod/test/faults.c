// SPDX-License-Identifier: GPL-2.0
/* Faulty drivers: each fault of the simulation, observed through the module. */
#include "tests.h"
#include <sys/syscall.h>
#include <sys/wait.h>

static int fd;
static struct arena arena;
static const struct algorithm *cbc;
static uint8_t text[4096];

static void begin(void)
{
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 64);
	cbc = algorithm(OUTBOARD_CBC_AES);
	make_session(fd, 1, cbc);
	randomize(text, sizeof(text));
}

static void fill(unsigned int first, unsigned int count)
{
	for (unsigned int s = first; s < first + count; s++) {
		struct outboard_slot slot = a_slot(cbc, 1, &arena, s * 8192, s * 8192,
						   sizeof(text));

		memcpy(arena.base + slot.in, text, sizeof(text));
		put(&arena, s, &slot);
	}
}

static void fault(const char *rule)
{
	check(!tell(SIM_DEBUG "/faults", "%s", rule), "%s: %m", rule);
}

/* Completes the requests that a fault holds: correctly (0), or with this errno. */
static void answer_held(unsigned int error)
{
	check(!tell(SIM_DEBUG "/held", "%u", error), "%m");
}

static long interrupts(void)
{
	return number_in(SIM_DEBUG "/outboard-sim.0/interrupts");
}

static void all_right(unsigned int first, unsigned int count)
{
	for (unsigned int s = first; s < first + count; s++)
		check(!wait_for(&arena, s) && is_right(cbc, &arena, s, text), "slot %u: status %d",
		      s, arena.slot[s].status);
}

static void an_error_is_the_status_of_its_request(void)
{
	long errors;

	begin();
	errors = driver_counter(cbc, "errors");
	fault("sim-cbc-aes error 5 every=3");
	fill(0, 60);
	check(!submit(&arena, 0, 60, OUTBOARD_WAIT), "%m");
	for (unsigned int s = 0; s < 60; s++)
		check(arena.slot[s].status == (s % 3 == 2 ? -EIO : 0), "slot %u: status %d", s,
		      arena.slot[s].status);
	check(driver_counter(cbc, "errors") - errors == 20, "%ld errors counted",
	      driver_counter(cbc, "errors") - errors);
	fault("clear");
	fault("all error 28");
	fill(0, 1);
	check(!submit(&arena, 0, 1, OUTBOARD_WAIT) && arena.slot[0].status == -ENOSPC,
	      "status %d", arena.slot[0].status);
	fault("clear");
	/* A code of the device, which would be OUTBOARD_IN_FLIGHT. */
	fault("all code 1");
	fill(0, 1);
	check(!submit(&arena, 0, 1, OUTBOARD_WAIT) && arena.slot[0].status == -EIO, "status %d",
	      arena.slot[0].status);
	fault("clear");
	fill(0, 60);
	check(!submit(&arena, 0, 60, OUTBOARD_WAIT), "%m");
	all_right(0, 60);
}

/* The device has lost the keys of its sessions: the driver gets no further request of this one. */
static void a_session_whose_device_has_gone_ends(void)
{
	begin();
	fault("sim-cbc-aes error 19 count=1");
	fill(0, 2);
	for (unsigned int s = 0; s < 2; s++)
		check(!submit(&arena, s, 1, OUTBOARD_WAIT) && arena.slot[s].status == -ENODEV,
		      "slot %u: status %d", s, arena.slot[s].status);
	fault("clear");
	check(!free_session(fd, 1), "%m");
	make_session(fd, 1, cbc);
	fill(0, 2);
	check(!submit(&arena, 0, 2, OUTBOARD_WAIT), "%m");
	all_right(0, 2);
}

/*
 * The module returns what the driver computed; verification is the provider's task. This also shows
 * that the comparisons of these tests can fail.
 */
static void a_wrong_result_is_passed_on(const struct algorithm *algorithm)
{
	struct outboard_slot slot;
	char rule[100];

	begin();
	make_session(fd, 2, algorithm);
	slot = a_slot(algorithm, 2, &arena, 0, 8192, 4096);
	memcpy(arena.data, text, sizeof(text));
	snprintf(rule, sizeof(rule), "%s wrong", driver_of(algorithm));
	fault(rule);
	check(!ask(&arena, &slot) && !is_right(algorithm, &arena, 0, text), "status %d",
	      arena.slot[0].status);
	fault("clear");
	check(!ask(&arena, &slot) && is_right(algorithm, &arena, 0, text), "status %d",
	      arena.slot[0].status);
}

static void a_request_that_is_never_answered_times_out_for_its_waiter(void)
{
	double start;
	long late;

	begin();
	late = driver_counter(cbc, "timeouts");
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "1"), "%m");
	fault("sim-cbc-aes never count=2");
	fill(0, 16);
	start = now();
	check(submit(&arena, 0, 16, OUTBOARD_WAIT) == -ETIMEDOUT, "%m");
	check(now() - start >= 0.9, "after %.2f s", now() - start);
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "%d", TIME_LIMIT), "%m");
	/* On a machine that stopped for a second, some of the other requests were late too. */
	late = driver_counter(cbc, "timeouts") - late;
	check(late >= 2, "%ld timeouts", late);
	check(arena.slot[0].status == OUTBOARD_IN_FLIGHT &&
		      arena.slot[1].status == OUTBOARD_IN_FLIGHT,
	      "statuses %d, %d", arena.slot[0].status, arena.slot[1].status);
	all_right(2, 14);
	check(counter("requests") == 2, "%ld requests", counter("requests"));
	check(submit(&arena, 0, 1, OUTBOARD_WAIT) == -EBUSY, "its slot can be submitted again");
	/* The other slots still work. */
	fill(2, 30);
	check(!submit(&arena, 2, 30, OUTBOARD_WAIT), "%m");
	all_right(2, 30);
	answer_held(0);
	all_right(0, 2);
}

static int remove_module(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

static void buffers_live_until_the_answer(void)
{
	begin();
	fault("sim-cbc-aes never");
	fill(0, 8);
	check(!submit(&arena, 0, 8, 0), "%m");
	check(!free_session(fd, 1), "%m");
	unmap_arena(&arena);
	close(fd);
	usleep(50000);
	check(counter("requests") == 8 && counter("arenas") == 1 && counter("files") == 1 &&
		      counter("sessions") == 1,
	      "%ld requests, %ld arenas, %ld files, %ld sessions", counter("requests"),
	      counter("arenas"), counter("files"), counter("sessions"));
	check(remove_module("outboard") < 0, "the module can be unloaded");
	check(remove_module("outboard_sim") < 0, "the driver can be unloaded");
	answer_held(0);
	check(!leftovers(), "%s", leftovers());
}

static void a_process_may_die_and_leave_them(void)
{
	pid_t child = fork();

	if (!child) {
		begin();
		check(!tell(OUTBOARD_PARAMETERS "/timeout", "1"), "%m");
		fault("sim-cbc-aes never");
		fill(0, 8);
		check(submit(&arena, 0, 8, OUTBOARD_WAIT) == -ETIMEDOUT, "%m");
		_exit(0);
	}
	join(child);
	check(counter("requests") == 8 && counter("arenas") == 1, "%ld requests, %ld arenas",
	      counter("requests"), counter("arenas"));
	check(remove_module("outboard") < 0, "the module can be unloaded");
	answer_held(ECANCELED);
	check(!leftovers(), "%s", leftovers());
}

/* Soon after they were submitted, for which a kernel with checks may need some tries. */
static void held_requests_may_end_with_an_error(void)
{
	double took = 1;

	begin();
	for (int try = 0; try < 10 && took >= 0.2; try++) {
		double start = now();

		fault("sim-cbc-aes never count=3");
		fill(0, 8);
		check(!submit(&arena, 0, 8, 0), "%m");
		all_right(3, 5);
		answer_held(ECANCELED);
		for (unsigned int s = 0; s < 3; s++)
			wait_for(&arena, s);
		took = now() - start;
	}
	for (unsigned int s = 0; s < 3; s++)
		check(arena.slot[s].status == -ECANCELED, "slot %u: status %d, after %.1f s", s,
		      arena.slot[s].status, took);
}

/* Drivers report their own time limits with various errors. */
static void an_error_that_comes_late_is_a_time_limit(void)
{
	begin();
	fault("sim-cbc-aes never count=1");
	fill(0, 8);
	check(!submit(&arena, 0, 8, 0), "%m");
	all_right(1, 7);
	usleep(500000);
	answer_held(ECANCELED);
	check(wait_for(&arena, 0) == -ETIMEDOUT, "status %d", arena.slot[0].status);
}

/* The driver takes what its queue has no room for into its backlog, and the module submits less. */
static void a_full_queue_refuses_nothing(void)
{
	long refused = number_in(SIM_DEBUG "/outboard-sim.0/refused"),
	     backlogged = number_in(SIM_DEBUG "/outboard-sim.0/backlogged");

	begin();
	check(!tell(SIM_PARAMETERS "/queue", "1") && !tell(SIM_PARAMETERS "/latency_ns", "1000000"),
	      "%m");
	for (int round = 0; round < 5; round++) {
		fill(0, 64);
		check(!submit(&arena, 0, 64, round & 1 ? OUTBOARD_WAIT : 0), "%m");
		all_right(0, 64);
	}
	check(number_in(SIM_DEBUG "/outboard-sim.0/refused") == refused, "it refused a request");
	backlogged = number_in(SIM_DEBUG "/outboard-sim.0/backlogged") - backlogged;
	check(backlogged && backlogged < 32, "%ld of 320 in the backlog", backlogged);
	check(!tell(SIM_PARAMETERS "/preset", "ideal"), "%m");
	fault("all full every=2");
	fill(0, 64);
	check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
	all_right(0, 64);
}

/* A driver without a backlog: what it refuses waits, also where it has no other request. */
static void a_cipher_that_is_refused_is_submitted_again(const struct algorithm *algorithm)
{
	begin();
	make_session(fd, 2, algorithm);
	fault("all refuse every=2");
	for (int round = 0; round < 2; round++) {
		for (unsigned int s = 0; s < 64; s++) {
			struct outboard_slot slot = a_slot(algorithm, 2, &arena, s * 8192,
							   s * 8192 + 4096, 2048);

			memcpy(arena.base + slot.in, text, 2048);
			put(&arena, s, &slot);
		}
		check(!submit(&arena, 0, round ? 1 : 64, OUTBOARD_WAIT), "%m");
		for (unsigned int s = 0; s < (round ? 1u : 64u); s++)
			check(!arena.slot[s].status && is_right(algorithm, &arena, s, text),
			      "slot %u: status %d", s, arena.slot[s].status);
	}
}

/* Its driver may have begun the message. */
static void a_hash_that_is_refused_ends_with_the_error(const struct algorithm *algorithm)
{
	long before = driver_counter(algorithm, "requests");
	unsigned int right = 0;

	begin();
	make_session(fd, 2, algorithm);
	fault("all refuse every=2");
	for (unsigned int s = 0; s < 64; s++) {
		struct outboard_slot slot = a_slot(algorithm, 2, &arena, s * 4096, 0, 2048);

		memcpy(arena.base + slot.in, text, 2048);
		put(&arena, s, &slot);
	}
	check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
	for (unsigned int s = 0; s < 64; s++) {
		int status = arena.slot[s].status;

		check(status == -ENOSPC || status == -EAGAIN ||
			      (!status && is_right(algorithm, &arena, s, text)),
		      "slot %u: status %d", s, status);
		right += !status;
	}
	check(right == 32, "%u of 64 are right", right);
	check(driver_counter(algorithm, "requests") - before == 64, "%ld requests",
	      driver_counter(algorithm, "requests") - before);
}

static void slowness_is_waited_for(void)
{
	double start;

	begin();
	check(!tell(SIM_PARAMETERS "/latency_ns", "20000000"), "%m");
	fault("all slow 10");
	fill(0, 64);
	start = now();
	check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
	check(now() - start >= 0.2, "after %.3f s", now() - start);
	all_right(0, 64);
}

/* NEED_FALLBACK drivers compute synchronously in software; only the interrupt count shows it. */
static void software_answers_at_once(void)
{
	long before;

	begin();
	fault("sim-cbc-aes software every=2");
	before = interrupts();
	fill(0, 64);
	check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
	all_right(0, 64);
	check(interrupts() - before == 32, "%ld interrupts", interrupts() - before);
}

static pid_t unbind_in_a_child(void)
{
	pid_t child = fork();

	if (!child) {
		check(!tell("/sys/bus/platform/drivers/outboard_sim/unbind", "outboard-sim.0"),
		      "%m");
		_exit(0);
	}
	return child;
}

/* A driver that is no longer allowed has the requests all the same: its device must wait. */
static void unplugged_after_the_driver_was_disallowed(void)
{
	pid_t child;

	/*
	 * With docs/upstream/series, requests that ended twice in tests before leave the driver's count
	 * too low until it is registered again.
	 */
	join(unbind_in_a_child());
	check(!tell("/sys/bus/platform/drivers/outboard_sim/bind", "outboard-sim.0"), "%m");
	begin();
	fault("sim-cbc-aes never");
	fill(0, 8);
	check(!submit(&arena, 0, 8, 0), "%m");
	check(!tell("/sys/class/misc/outboard/disallow", "sim-cbc-aes"), "%m");
	child = unbind_in_a_child();
	usleep(500000);
	for (unsigned int s = 0; s < 8; s++)
		check(arena.slot[s].status == OUTBOARD_IN_FLIGHT, "slot %u: status %d", s,
		      arena.slot[s].status);
	fault("clear");
	check(!tell(SIM_DEBUG "/held", "0"), "%m");
	join(child);
	all_right(0, 8);
	check(!tell("/sys/class/misc/outboard/allow", "sim-cbc-aes"), "%m");
	check(!tell("/sys/bus/platform/drivers/outboard_sim/bind", "outboard-sim.0"), "%m");
}

/* An engine without free contexts refuses the key. */
static void keys_have_no_place_left(void)
{
	begin();
	check(!tell(SIM_PARAMETERS "/sessions", "4"), "%m");
	for (uint32_t id = 2; id <= 4; id++)
		make_session(fd, id, cbc);
	check(new_session(fd, 5, OUTBOARD_CBC_AES, 0, a_key(), 16) == -ENOSPC, "a fifth key: %m");
	check(counter("sessions") == 4, "%ld sessions", counter("sessions"));
	check(!free_session(fd, 2), "%m");
	make_session(fd, 5, cbc);
}

/* Both kinds of eip93_skcipher_send_req(): a completion and a returned error, for one request. */
static void a_request_that_is_completed_twice_ends_once(void)
{
	long doubles = counter("doubles");

	begin();
	fault("sim-cbc-aes both 5 every=2");
	fill(0, 64);
	check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
	for (unsigned int s = 0; s < 64; s++)
		check(arena.slot[s].status == (s & 1 ? -EIO : 0), "slot %u: status %d", s,
		      arena.slot[s].status);
	check(counter("doubles") - doubles == 32, "%ld counted", counter("doubles") - doubles);
	check(!counter("requests"), "%ld requests", counter("requests"));
	fault("clear");
	fault("sim-cbc-aes again");
	for (unsigned int s = 0; s < 64; s++) {
		fill(s, 1);
		check(!submit(&arena, s, 1, OUTBOARD_WAIT), "%m");
		all_right(s, 1);
	}
	/* The second completion of the last one may come after the waiter has returned. */
	for (double end = now() + TIME_LIMIT; counter("doubles") - doubles < 96 && now() < end;)
		usleep(1000);
	check(counter("doubles") - doubles == 96, "%ld counted", counter("doubles") - doubles);
	fault("clear");
	fill(0, 64);
	check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
	all_right(0, 64);
}

static void a_completion_may_come_in_a_hard_interrupt(const struct algorithm *algorithm)
{
	struct outboard_slot slot;

	begin();
	make_session(fd, 2, algorithm);
	check(!tell(SIM_PARAMETERS "/hard", "1"), "%m");
	slot = a_slot(algorithm, 2, &arena, 0, 8192, 4096);
	memcpy(arena.data, text, sizeof(text));
	for (int round = 0; round < 20; round++)
		check(!ask(&arena, &slot) && is_right(algorithm, &arena, 0, text), "status %d",
		      arena.slot[0].status);
}

static const struct test tests[] = {
	TEST(a_request_that_is_completed_twice_ends_once),
	EACH(a_completion_may_come_in_a_hard_interrupt, CIPHER | AEAD | HASH),
	TEST(an_error_is_the_status_of_its_request),
	TEST(a_session_whose_device_has_gone_ends),
	EACH(a_wrong_result_is_passed_on, CIPHER | AEAD | HASH),
	TEST(a_request_that_is_never_answered_times_out_for_its_waiter),
	TEST(buffers_live_until_the_answer),
	TEST(a_process_may_die_and_leave_them),
	TEST(held_requests_may_end_with_an_error),
	TEST(an_error_that_comes_late_is_a_time_limit),
	TEST(a_full_queue_refuses_nothing),
	EACH(a_cipher_that_is_refused_is_submitted_again, CIPHER | AEAD),
	EACH(a_hash_that_is_refused_ends_with_the_error, HASH),
	TEST(slowness_is_waited_for),
	TEST(software_answers_at_once),
	TEST(unplugged_after_the_driver_was_disallowed),
	TEST(keys_have_no_place_left),
};
THEME(faults, true);
