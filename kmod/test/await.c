// SPDX-License-Identifier: GPL-2.0
/* AWAIT: waiting for requests submitted before, including requests that never complete. */
#include "tests.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static int fd;
static struct arena arena;
static const struct algorithm *cbc;
static uint8_t text[4096];

static void begin(void)
{
	fd = open_device(O_NONBLOCK);
	arena = map_arena(fd, 1 * MIB, 64);
	cbc = algorithm(OUTBOARD_CBC_AES);
	make_session(fd, 1, cbc);
	randomize(text, sizeof(text));
}

static void start(unsigned int first, unsigned int count)
{
	for (unsigned int s = first; s < first + count; s++) {
		struct outboard_slot slot = a_slot(cbc, 1, &arena, s * 8192, s * 8192,
						   sizeof(text));

		memcpy(arena.base + slot.in, text, sizeof(text));
		put(&arena, s, &slot);
	}
	check(!submit(&arena, first, count, 0), "%m");
}

/* Does not wait: after AWAIT the requests must have completed. */
static void all_are_right(unsigned int first, unsigned int count)
{
	for (unsigned int s = first; s < first + count; s++)
		check(!arena.slot[s].status && is_right(cbc, &arena, s, text), "slot %u: status %d",
		      s, arena.slot[s].status);
}

static void it_returns_when_all_are_done(void)
{
	begin();
	check(!await(&arena, 0, 64), "what was never submitted: %m");
	for (int round = 0; round < 60; round++) {
		unsigned int count = round % 2 ? 64 : 5;

		/* Two batches; AWAIT covers parts of both. */
		start(0, 2);
		start(2, count - 2);
		check(!await(&arena, 1, count - 1), "%m");
		all_are_right(1, count - 1);
		check(!await(&arena, 0, 64), "%m");
		all_are_right(0, count);
		check(!await(&arena, 0, 64), "done already: %m");
	}
}

static void *await_all(void *result)
{
	*(int *)result = await(&arena, 0, 64);
	return NULL;
}

static void many_at_once_lose_nothing(void)
{
	pthread_t threads[4];
	int result[4];

	begin();
	for (int round = 0; round < 60; round++) {
		start(0, 64);
		for (int t = 0; t < 4; t++)
			check(!pthread_create(&threads[t], NULL, await_all, &result[t]), "thread");
		for (int t = 0; t < 4; t++) {
			pthread_join(threads[t], NULL);
			check(!result[t] || result[t] == -EBUSY, "%s", strerror(-result[t]));
		}
		check(!await(&arena, 0, 64), "%m");
		all_are_right(0, 64);
	}
}

static void *await_the_middle(void *result)
{
	*(int *)result = await(&arena, 4, 2);
	return NULL;
}

static void the_second_is_told_and_changes_nothing(void)
{
	pthread_t thread;
	int first = 1, second;
	long timeouts;

	begin();
	timeouts = driver_counter(cbc, "timeouts");
	hold(true);
	start(0, 8);
	check(!pthread_create(&thread, NULL, await_the_middle, &first), "thread");
	usleep(300000);
	/* It has become the waiter of slots 0 to 3 when it reaches slot 4. */
	second = await(&arena, 0, 8);
	check(second == -EBUSY, "%s", strerror(-second));
	check(first == 1, "the first does not wait on");
	check(driver_counter(cbc, "timeouts") == timeouts, "what is refused is no timeout");
	hold(false);
	pthread_join(thread, NULL);
	check(!first, "%s", strerror(-first));
	all_are_right(4, 2);
	check(!await(&arena, 0, 8), "%m");
	all_are_right(0, 8);
}

static void it_gives_up_in_time_and_can_be_asked_again(void)
{
	long timeouts;
	double begun;
	int error;

	begin();
	timeouts = driver_counter(cbc, "timeouts");
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "1"), "%m");
	hold(true);
	start(0, 4);
	for (int round = 1; round <= 2; round++) {
		begun = now();
		error = await(&arena, 0, 8);
		check(error == -ETIMEDOUT, "%s", strerror(-error));
		/* A request that is known to be late is not waited for again. */
		check(now() - begun >= 0.9 || round == 2, "after %.2f s", now() - begun);
		check(driver_counter(cbc, "timeouts") - timeouts == round * 4, "%ld timeouts",
		      driver_counter(cbc, "timeouts") - timeouts);
		for (int s = 0; s < 4; s++)
			check(arena.slot[s].status == OUTBOARD_IN_FLIGHT, "slot %d: status %d", s,
			      arena.slot[s].status);
		check(submit(&arena, 3, 1, 0) == -EBUSY, "its slot can be submitted again");
	}
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "%d", TIME_LIMIT), "%m");
	hold(false);
	check(!await(&arena, 0, 8), "%m");
	all_are_right(0, 4);
}

static void it_can_be_killed(void)
{
	long timeouts = driver_counter(algorithm(OUTBOARD_CBC_AES), "timeouts");
	double begun;
	pid_t child;
	int status;

	hold(true);
	child = fork();
	if (!child) {
		begin();
		start(0, 4);
		await(&arena, 0, 4);
		_exit(1);
	}
	while (counter("requests") < 4)
		usleep(1000);
	usleep(300000);
	begun = now();
	check(!kill(child, SIGKILL) && waitpid(child, &status, 0) == child, "%m");
	/* Without the signal the module would wait for TIME_LIMIT seconds. */
	check(WIFSIGNALED(status) && now() - begun < TIME_LIMIT / 2, "status %#x after %.1f s",
	      status, now() - begun);
	check(counter("requests") == 4, "%ld requests in flight", counter("requests"));
	check(driver_counter(algorithm(OUTBOARD_CBC_AES), "timeouts") == timeouts,
	      "a signal is no timeout");
	hold(false);
	check(!leftovers(), "%s", leftovers());
}

/* With a driver that computes before it returns, the last slot waits for the others. */
static void it_does_not_wait_for_a_slot_that_is_being_submitted(void)
{
	struct submitter submitter;

	begin();
	submitter_begin(&submitter, &arena, 64);
	check(!await(&arena, 63, 1), "%m");
	submitter_end(&submitter);
}

static const struct test tests[] = {
	TEST(it_returns_when_all_are_done),
	TEST(many_at_once_lose_nothing),
	TEST_SIM(the_second_is_told_and_changes_nothing),
	TEST_SIM(it_gives_up_in_time_and_can_be_asked_again),
	TEST_SIM(it_can_be_killed),
	TEST_SIM(it_does_not_wait_for_a_slot_that_is_being_submitted),
};
THEME(await, false);
