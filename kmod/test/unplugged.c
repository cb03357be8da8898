// SPDX-License-Identifier: GPL-2.0
/*
 * Two devices of one driver that are unbound, in turn or at the same time, and devices that are
 * unbound although a driver has requests that do not end. Then the module must neither use nor free
 * a handle of the driver: it may point to memory of the device.
 */
#include "tests.h"
#include <sys/wait.h>

#define DRIVER "/sys/bus/platform/drivers/outboard_sim"

/* What an engine has at first; further requests wait, and end with the unbinding. */
enum { FIRST = 8 };

static int fd;
static struct arena arena;
static const struct algorithm *cbc;

static void begin(void)
{
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 64);
	cbc = algorithm(OUTBOARD_CBC_AES);
	make_session(fd, 1, cbc);
}

static void fill(void)
{
	for (unsigned int s = 0; s < 64; s++) {
		struct outboard_slot slot = a_slot(cbc, 1, &arena, s * 8192, s * 8192, 4096);

		put(&arena, s, &slot);
	}
}

static void unbind(unsigned int device)
{
	check(!tell(DRIVER "/unbind", "outboard-sim.%u", device), "%m");
}

static void bind(unsigned int device)
{
	check(!tell(DRIVER "/bind", "outboard-sim.%u", device), "%m");
}

static pid_t unbind_in_a_child(unsigned int device)
{
	pid_t child = fork();

	if (!child) {
		unbind(device);
		_exit(0);
	}
	return child;
}

static void no_handle_outlived_its_device(void)
{
	check(!number_in(SIM_DEBUG "/late_exits"), "%ld handles were freed after their device",
	      number_in(SIM_DEBUG "/late_exits"));
}

static int try_session(uint32_t id)
{
	return new_session(fd, id, OUTBOARD_CBC_AES, 0, a_key(), 16);
}

/* With docs/upstream/series a driver is unregistered while one of its devices goes. */
static int error_without_a_device(void)
{
	return is_registered(driver_of(cbc)) ? -ENODEV : -ENOENT;
}

static void in_turn(void)
{
	check(!tell(SIM_PARAMETERS "/latency_ns", "30000000"), "%m");
	begin();
	for (uint32_t id = 1; id <= 2; id++) {
		fill();
		check(!submit(&arena, 0, 64, 0), "%m");
		unbind(id - 1);
		for (unsigned int s = 0; s < 64; s++) {
			int status = wait_for(&arena, s);

			check(!status || status == -ENODEV, "slot %u: status %d", s, status);
		}
		check(!counter("sessions"), "%ld sessions", counter("sessions"));
		no_handle_outlived_its_device();
		check(!free_session(fd, 1), "%m");
		/* The other device is still there after the first. */
		check(try_session(1) == (id == 1 ? 0 : error_without_a_device()),
		      "session after %u: %m", id);
	}
	bind(0);
	bind(1);
	make_session(fd, 1, cbc);
	fill();
	check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
	for (unsigned int s = 0; s < 64; s++)
		check(!arena.slot[s].status, "slot %u: status %d", s, arena.slot[s].status);
}

static bool has_ended(pid_t child)
{
	int status;

	if (waitpid(child, &status, WNOHANG) != child)
		return false;
	check(!status, "process %d ended with status %#x", child, status);
	return true;
}

/*
 * Both wait for requests that are held. Until both have ended there are no new sessions: the state of
 * the one that ends last must not be lost by the end of the other.
 */
static void both_at_once(void)
{
	pid_t first, second;
	bool ended[2] = { false }, unregistered;

	hold(true);
	fill();
	check(!submit(&arena, 0, 64, 0), "%m");
	first = unbind_in_a_child(0);
	while (try_session(2) != -ENOENT)
		free_session(fd, 2);
	/* Each looks every 20 ms, so that either may be the one that ends first. */
	usleep(10000);
	second = unbind_in_a_child(1);
	usleep(200000);
	check(try_session(2) == -ENOENT, "a new session");
	check(!has_ended(first) && !has_ended(second), "an unbinding did not wait");
	unregistered = !is_registered(driver_of(cbc));
	hold(false);
	while (!ended[0] || !ended[1]) {
		/* An unregistered driver returns with the device that goes last. */
		check(try_session(2) != 0 || unregistered,
		      "a new session before both devices are unbound");
		ended[0] = ended[0] || has_ended(first);
		ended[1] = ended[1] || has_ended(second);
	}
	for (unsigned int s = 0; s < 64; s++) {
		int status = wait_for(&arena, s);

		check(!status || (s >= FIRST && status == -ENODEV), "slot %u: status %d", s, status);
	}
	free_session(fd, 2);
	check(try_session(2) == error_without_a_device(), "a session without a device: %m");
	no_handle_outlived_its_device();
}

static void at_the_same_time(void)
{
	begin();
	/* Which one ends first varies. */
	for (unsigned int round = 0; round < 10; round++) {
		both_at_once();
		bind(1);
		/* The state of an unbinding that did not end would refuse it. */
		make_session(fd, 2, cbc);
		bind(0);
		make_session(fd, 3, cbc);
		for (uint32_t id = 1; id <= 3; id++)
			check(!free_session(fd, id), "%m");
		make_session(fd, 1, cbc);
	}
}

/* The simulation fails the requests that it holds when its device is removed, after the timeout. */
static void with_requests_that_do_not_end(void)
{
	long keys = number_in(SIM_DEBUG "/sessions");

	begin();
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "1"), "%m");
	check(!tell(SIM_DEBUG "/faults", "sim-cbc-aes never every=2"), "%m");
	fill();
	check(!submit(&arena, 0, FIRST, 0), "%m");
	for (unsigned int s = 0; s < FIRST; s += 2)
		check(!wait_for(&arena, s), "slot %u: status %d", s, arena.slot[s].status);
	unbind(0);
	unbind(1);
	for (unsigned int s = 1; s < FIRST; s += 2)
		check(wait_for(&arena, s) == -ENODEV, "slot %u: status %d", s,
		      arena.slot[s].status);
	check(!free_session(fd, 1), "%m");
	for (double end = now() + TIME_LIMIT; counter("sessions") && now() < end;)
		usleep(1000);
	check(!counter("sessions"), "%ld sessions", counter("sessions"));
	no_handle_outlived_its_device();
	/* A handle whose driver is unregistered ends all the same. */
	check(number_in(SIM_DEBUG "/sessions") == keys + is_registered(driver_of(cbc)),
	      "%ld handles were kept", number_in(SIM_DEBUG "/sessions") - keys);
	bind(0);
	bind(1);
	check(!tell(SIM_DEBUG "/faults", "clear"), "%m");
	make_session(fd, 1, cbc);
	fill();
	check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
	for (unsigned int s = 0; s < 64; s++)
		check(!arena.slot[s].status, "slot %u: status %d", s, arena.slot[s].status);
}

static void while_a_waiter_sleeps(void)
{
	pid_t child;

	check(!tell(SIM_PARAMETERS "/queue", "4"), "%m");
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "1"), "%m");
	hold(true);
	child = fork();
	if (!child) {
		begin();
		fill();
		/* Ended by the unbinding, or by the timeout before it. */
		for (;;) {
			int error = submit(&arena, 0, 64, OUTBOARD_WAIT);

			check(!error || error == -ETIMEDOUT || error == -EBUSY, "%s",
			      strerror(-error));
			if (!error)
				break;
			usleep(1000);
		}
		for (unsigned int s = 0; s < 64; s++)
			check(arena.slot[s].status == -ENODEV, "slot %u: status %d", s,
			      arena.slot[s].status);
		_exit(0);
	}
	while (counter("requests") < 64)
		usleep(1000);
	unbind(0);
	unbind(1);
	join(child);
	no_handle_outlived_its_device();
}

/* What the driver of a device that is gone has lost takes no place at its next device. */
static void a_lost_request_of_a_driver_with_one_place(void)
{
	bool unregistered;

	cbc = algorithm(OUTBOARD_CBC_AES);
	unbind(0);
	unbind(1);
	unregistered = !is_registered(driver_of(cbc));
	bind(0);
	bind(1);
	/* Unregistering waits for all that the driver has. */
	if (unregistered)
		lacks("drivers that stay registered without a device");
	check(!tell("/sys/class/misc/outboard/disallow", "sim-cbc-aes"), "%m");
	check(!tell("/sys/class/misc/outboard/allow", "sim-cbc-aes requests=1"), "%m");
	begin();
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "1"), "%m");
	check(!tell(OUTBOARD_PARAMETERS "/patience", "30"), "%m");
	fill();
	for (unsigned int i = 0; i < 16; i++)
		check(!submit(&arena, 0, 1, OUTBOARD_WAIT), "%m");
	/* The driver does not complete it at its removal either. */
	check(!tell(SIM_DEBUG "/faults", "sim-cbc-aes forgotten count=1"), "%m");
	check(submit(&arena, 0, 1, OUTBOARD_WAIT) == -ETIMEDOUT, "%m");
	unbind(0);
	unbind(1);
	bind(0);
	bind(1);
	check(!free_session(fd, 1), "%m");
	make_session(fd, 1, cbc);
	check(!submit(&arena, 1, 1, OUTBOARD_WAIT) && !arena.slot[1].status, "status %d",
	      arena.slot[1].status);
	check(!free_session(fd, 1), "%m");
	check(!tell(SIM_DEBUG "/held", "0"), "%m");
	check(wait_for(&arena, 0) == -ENODEV, "status %d", arena.slot[0].status);
	check(!tell("/sys/class/misc/outboard/disallow", "sim-cbc-aes"), "%m");
	check(!tell("/sys/class/misc/outboard/allow", "sim-cbc-aes"), "%m");
}

static const struct test tests[] = {
	TEST(in_turn),
	TEST(at_the_same_time),
	TEST(with_requests_that_do_not_end),
	TEST(while_a_waiter_sleeps),
	TEST(a_lost_request_of_a_driver_with_one_place),
	TEST(pairs_with_an_unbinding),
};
THEME_BY_NAME(unplugged);
