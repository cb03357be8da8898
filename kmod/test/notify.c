// SPDX-License-Identifier: GPL-2.0
/* NOTIFY: an eventfd is signalled when a request completes. */
#include "tests.h"
#include <linux/capability.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int fd;
static struct arena arena;
static uint32_t number;		/* of the arena; a child has no mapping to read it from */
static const struct algorithm *cbc;

static void begin(void)
{
	fd = open_device(O_NONBLOCK);
	arena = map_arena(fd, 1 * MIB, 64);
	number = arena.header->arena;
	cbc = algorithm(OUTBOARD_CBC_AES);
	make_session(fd, 1, cbc);
}

static void start(unsigned int first, unsigned int count, int flags)
{
	for (unsigned int s = first; s < first + count; s++) {
		struct outboard_slot slot = a_slot(cbc, 1, &arena, s * 8192, s * 8192, 4096);

		put(&arena, s, &slot);
	}
	check(!submit(&arena, first, count, flags), "%m");
}

static int an_event(void)
{
	int event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	check(event >= 0, "%m");
	return event;
}

/* Returns the value added to the eventfd since the last call. */
static uint64_t signalled(int event)
{
	uint64_t count = 0;

	check(read(event, &count, 8) == 8 || errno == EAGAIN, "%m");
	return count;
}

/* Waits: a thread woken by AWAIT may run on another CPU before the eventfd is signalled. */
static uint64_t signalled_in_the_end(int event, uint64_t wanted)
{
	struct pollfd there = { event, POLLIN, 0 };
	uint64_t sum = 0;

	while (sum < wanted && poll(&there, 1, TIME_LIMIT * 1000) == 1)
		sum += signalled(event);
	return sum;
}

static int notify(unsigned int slot, int event)
{
	struct outboard_submit record = {
		.op = OUTBOARD_NOTIFY, .arena = number, .first = slot, .count = event
	};

	return ring(fd, &record, sizeof(record));
}

/* Requests end before, during and after NOTIFY. */
static void each_end_is_told_once(void)
{
	int event = an_event();

	begin();
	for (int round = 0; round < 100; round++) {
		start(0, 8, 0);
		for (unsigned int s = 0; s < 4; s++)
			check(!notify(s, event), "%m");
		check(!await(&arena, 0, 8), "%m");
		check(signalled_in_the_end(event, 4) == 4, "round %d", round);
	}
	start(0, 4, OUTBOARD_WAIT);
	check(!signalled(event), "not requested");
}

static void a_slot_that_is_not_in_flight_signals_at_once(void)
{
	int event = an_event();

	begin();
	check(!notify(63, event) && signalled(event) == 1, "it was never submitted");
	start(0, 1, OUTBOARD_WAIT);
	check(!notify(0, event) && signalled(event) == 1, "it has ended");
	start(0, 1, OUTBOARD_WAIT);
	check(!signalled(event), "no NOTIFY names this request");
}

static void *submit_in_vain(void *ended)
{
	while (!*(volatile bool *)ended)
		check(submit(&arena, 0, 64, 0) == -EBUSY, "the last slot is in flight");
	return NULL;
}

/* It is claimed for a moment, and no completion follows. */
static void a_slot_of_a_refused_record_signals_at_once(void)
{
	double end = now() + 1;
	int event = an_event();
	bool ended = false;
	pthread_t thread;

	begin();
	hold(true);
	start(63, 1, 0);
	check(!pthread_create(&thread, NULL, submit_in_vain, &ended), "thread");
	while (now() < end)
		check(!notify(0, event) && signalled(event) == 1, "%m");
	ended = true;
	pthread_join(thread, NULL);
	hold(false);
}

/*
 * A program that has seen the status and frees its session has the place in the device for another.
 * Each entry of the epoll makes the end of a request longer.
 */
static void a_key_s_place_is_free_when_the_status_is_there(void)
{
	struct epoll_event entry = { .events = EPOLLIN | EPOLLET };
	int event = an_event(), epoll = epoll_create1(0);

	begin();
	check(!tell(SIM_PARAMETERS "/sessions", "2"), "%m");
	check(!tell(SIM_PARAMETERS "/latency_ns", "20000000"), "%m");
	for (int i = 0; i < 500; i++)
		check(!epoll_ctl(epoll, EPOLL_CTL_ADD, dup(event), &entry), "%m");
	for (int i = 0; i < 20; i++) {
		struct outboard_slot slot = a_slot(cbc, 2, &arena, 0, 0, 16);

		make_session(fd, 2, cbc);
		put(&arena, 0, &slot);
		check(!submit(&arena, 0, 1, 0) && !notify(0, event), "%m");
		while (arena.slot[0].status > 0)
			;
		check(!free_session(fd, 2), "%m");
	}
}

static void a_later_eventfd_displaces_an_earlier_one(void)
{
	int first = an_event(), second = an_event();

	begin();
	hold(true);
	start(0, 1, 0);
	check(!notify(0, first) && !notify(0, second), "%m");
	check(signalled(first) == 1 && !signalled(second), "a displaced eventfd is signalled");
	check(!notify(0, second) && signalled(second) == 1, "the eventfd that displaced it is signalled too");
	hold(false);
	check(!await(&arena, 0, 1), "%m");
	check(signalled_in_the_end(second, 1) == 1 && !signalled(first), "only the eventfd of the slot is signalled");
}

static void counters_of_every_kind_are_signalled(void)
{
	uint64_t full = UINT64_MAX - 1, count;
	int event = an_event(), semaphore = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
	struct pollfd state = { event, POLLIN, 0 };

	begin();
	/* A full counter neither blocks the module nor wraps around. */
	check(write(event, &full, 8) == 8, "%m");
	check(!notify(0, event) && !notify(0, event), "%m");
	start(0, 1, 0);
	check(!notify(0, event) && !await(&arena, 0, 1), "%m");
	check(poll(&state, 1, 0) == 1 && state.revents & POLLERR, "events %x", state.revents);
	check(read(event, &count, 8) == 8 && count == UINT64_MAX, "%m");
	check(semaphore >= 0 && !notify(0, semaphore) && !notify(0, semaphore), "%m");
	check(signalled(semaphore) == 1 && signalled(semaphore) == 1 && !signalled(semaphore), "one by one");
}

static void it_may_be_closed_before_the_end(void)
{
	begin();
	for (int round = 0; round < 100; round++) {
		int event = an_event();

		start(round % 64, 1, 0);
		check(!notify(round % 64, event), "%m");
		close(event);
		check(!await(&arena, round % 64, 1), "%m");
	}
	start(0, 64, 0);
	for (unsigned int s = 0; s < 64; s++)
		check(!notify(s, an_event()), "%m");
	unmap_arena(&arena);
	close(fd);
	check(!leftovers(), "%s", leftovers());
}

static void a_wrong_record_is_refused(void)
{
	struct outboard_submit record = { .op = OUTBOARD_NOTIFY };
	int event = an_event(), closed = an_event(), pipes[2];

	begin();
	check(!pipe(pipes) && !close(closed), "%m");
	check(notify(64, event) == -EINVAL && notify(0xffffffff, event) == -EINVAL, "no such slot");
	check(notify(0, closed) == -EBADF, "a closed descriptor");
	check(notify(0, pipes[0]) == -EINVAL && notify(0, fd) == -EINVAL, "no eventfd");
	record.count = event;
	check(ring(fd, &record, sizeof(record)) == -ENOENT, "no arena");
	record.arena = number;
	record.flags = 1;
	check(ring(fd, &record, sizeof(record)) == -EINVAL, "a flag");
	check(notify(0, -1) == -EBADF && !signalled(event), "what was refused has an effect");
}

static void a_sleeping_reader_is_woken_at_the_end(void)
{
	struct pollfd sleeper = { an_event(), POLLIN, 0 };

	begin();
	hold(true);
	start(0, 2, 0);
	check(!notify(1, sleeper.fd), "%m");
	check(!poll(&sleeper, 1, 100), "signalled before the end");
	hold(false);
	check(poll(&sleeper, 1, TIME_LIMIT * 1000) == 1 && signalled(sleeper.fd) == 1, "%m");
	check(!arena.slot[1].status, "status %d", arena.slot[1].status);
}

static const struct test tests[] = {
	TEST(each_end_is_told_once),
	TEST(a_slot_that_is_not_in_flight_signals_at_once),
	TEST_SIM(a_slot_of_a_refused_record_signals_at_once),
	TEST_SIM(a_key_s_place_is_free_when_the_status_is_there),
	TEST_SIM(a_later_eventfd_displaces_an_earlier_one),
	TEST(counters_of_every_kind_are_signalled),
	TEST(it_may_be_closed_before_the_end),
	TEST(a_wrong_record_is_refused),
	TEST_SIM(a_sleeping_reader_is_woken_at_the_end),
};
THEME(notify, false);
