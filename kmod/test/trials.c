// SPDX-License-Identifier: GPL-2.0
/* Drivers on trial: who may begin a trial, who may use the driver, and how a trial ends. */
#include "tests.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define ALLOW "/sys/class/misc/outboard/allow"
#define DISALLOW "/sys/class/misc/outboard/disallow"

static const struct algorithm *cbc;

static int try_name(int fd, const char *name)
{
	struct outboard_try record = { .op = OUTBOARD_TRY };

	snprintf(record.name, sizeof(record.name), "%s", name);
	return ring(fd, &record, sizeof(record));
}

static bool is_listed(void)
{
	char text[8192];
	int file = open(ALLOW, O_RDONLY);
	ssize_t size = read(file, text, sizeof(text) - 1);

	check(size >= 0, "%m");
	close(file);
	text[size] = 0;
	return strstr(text, driver_of(cbc));
}

/* Returns the error of a session of this driver; 0: it was created and freed. */
static int session(int fd, uint16_t driver)
{
	uint8_t record[sizeof(struct outboard_session) + 16] = { 0 };
	struct outboard_session new = { .op = OUTBOARD_SESSION_NEW,
					    .session = 7,
					    .algorithm = OUTBOARD_CBC_AES,
					    .driver = driver,
					    .key_size = 16 };
	int error;

	memcpy(record, &new, sizeof(new));
	memcpy(record + sizeof(new), a_key(), 16);
	error = ring(fd, record, sizeof(record));
	if (!error)
		check(!free_session(fd, 7), "%m");
	return error;
}

static uint16_t number(void)
{
	return driver_counter(cbc, "number");
}

/* The driver is not allowed any more; the tests that follow need it allowed again. */
static int begin(void)
{
	cbc = algorithm(OUTBOARD_CBC_AES);
	check(!tell(DISALLOW, "%s", driver_of(cbc)), "%m");
	return open_device(0);
}

static void end(void)
{
	check(!is_listed(), "it is in the allow list");
	check(!tell(ALLOW, "%s", driver_of(cbc)), "it cannot be allowed: %m");
}

static void works(int fd)
{
	struct arena arena = map_arena(fd, MIB, 0);
	struct outboard_slot slot;
	uint8_t text[4096];

	make_session(fd, 9, cbc);
	slot = a_slot(cbc, 9, &arena, 0, 0, sizeof(text));
	randomize(text, sizeof(text));
	memcpy(arena.data, text, sizeof(text));
	check(!ask(&arena, &slot) && is_right(cbc, &arena, 0, text), "status %d",
	      arena.slot[0].status);
	check(!free_session(fd, 9), "%m");
	unmap_arena(&arena);
}

static void a_driver_on_trial_is_its_descriptor_s_alone(void)
{
	int fd = begin(), other = open_device(0);

	check(!try_name(fd, driver_of(cbc)), "%m");
	check(!is_listed(), "a driver on trial is in the allow list");
	works(fd);
	check(!session(fd, number()), "by its number: %m");
	check(session(other, 0) == -ENOENT, "another descriptor may use it");
	check(session(other, number()) == -ENOENT, "another descriptor may use it by its number");
	check(try_name(other, driver_of(cbc)) == -EEXIST, "two trials of one driver");
	check(try_name(fd, driver_of(cbc)) == -EEXIST, "two trials of one driver");
	close(other);
	close(fd);
	end();
}

static void a_trial_ends_with_the_last_close(void)
{
	int fd = begin(), ready[2], status;
	char byte;
	pid_t child;

	check(!try_name(fd, driver_of(cbc)), "%m");
	check(!pipe(ready), "%m");
	child = fork();
	if (!child) {
		/* The parent has closed its descriptor. */
		check(read(ready[0], &byte, 1) == 1, "%m");
		works(fd);
		raise(SIGKILL);
	}
	close(fd);
	fd = open_device(0);
	check(session(fd, number()) == -ENOENT, "it is not the child's alone");
	check(write(ready[1], "", 1) == 1, "%m");
	check(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		      WTERMSIG(status) == SIGKILL,
	      "the child ended with status %#x", status);
	check(try_name(fd, driver_of(cbc)) == 0, "the name is in use after the close: %m");
	close(fd);
	end();
}

static void a_driver_that_passed_stays_allowed(void)
{
	int fd = begin(), other = open_device(0);
	uint16_t before;

	check(!try_name(fd, driver_of(cbc)), "%m");
	before = number();
	make_session(fd, 5, cbc);
	check(!tell(ALLOW, "%s", driver_of(cbc)), "%m");
	check(is_listed() && number() == before, "number %u instead of %u", number(), before);
	check(!session(other, 0) && !session(other, before), "%m");
	check(tell(ALLOW, "%s", driver_of(cbc)) == -EEXIST, "allowed twice");
	close(fd);
	check(is_listed(), "the close of its descriptor has ended it");
	works(other);
	close(other);
}

static void a_trial_ends_when_root_disallows_the_driver(void)
{
	struct outboard_slot slot;
	struct arena arena;
	int fd = begin();

	check(!try_name(fd, driver_of(cbc)), "%m");
	arena = map_arena(fd, MIB, 0);
	make_session(fd, 5, cbc);
	check(!tell(DISALLOW, "%s", driver_of(cbc)), "%m");
	slot = a_slot(cbc, 5, &arena, 0, 0, 4096);
	check(ask(&arena, &slot) == -ENODEV, "status %d", arena.slot[0].status);
	check(session(fd, 0) == -ENOENT, "%m");
	close(fd);
	end();
}

/* A server keeps the descriptor that it opened as root; a setuid program gets one of its caller. */
static void opener_and_writer_need_the_capability(void)
{
	int fd = begin(), theirs;
	pid_t child = fork();

	if (!child) {
		check(!setgid(65534) && !setuid(65534), "%m");
		check(try_name(fd, driver_of(cbc)) == -EPERM, "an unprivileged writer: %m");
		_exit(0);
	}
	join(child);
	close(fd);
	check(!chmod("/dev/outboard", 0666) && !seteuid(65534), "%m");
	theirs = open_device(0);
	check(try_name(theirs, driver_of(cbc)) == -EPERM, "an unprivileged user: %m");
	check(!seteuid(0), "%m");
	check(try_name(theirs, driver_of(cbc)) == -EPERM, "an unprivileged opener: %m");
	close(theirs);
	end();
}

static void wrong_records_of_trials_are_refused(void)
{
	struct outboard_try good = { .op = OUTBOARD_TRY }, t;
	char instance[128];
	int fd = begin();

	strcpy(good.name, driver_of(cbc));
#define refused(...) do { t = good; __VA_ARGS__; check(ring(fd, &t, sizeof(t)) == -EINVAL, #__VA_ARGS__); } while (0)
	refused(t.flags = 2);
	refused(t.reserved = 1);
	refused(t.name[0] = 0);
	refused(t.name[1] = '/');
	refused(t.name[1] = ' ');
	refused(t.name[sizeof(t.name) - 1] = 'x');
	refused(memset(t.name, 'x', sizeof(t.name)));
	check(ring(fd, &good, sizeof(good) - 1) == -EINVAL, "a wrong length");
	check(ring(fd, &good, sizeof(good) + 1) == -EINVAL, "a wrong length");
	/* As in the allow list: an instance of a template is refused, a missing driver is not. */
	snprintf(instance, sizeof(instance), "cbc(%s)", software_aes());
	check(try_name(fd, instance) == -EINVAL, "an instance of a template: %m");
	check(!try_name(fd, "no-such-driver"), "%m");
	check(session(fd, 0) == -ENOENT, "%m");
	check(try_name(fd, driver_of(cbc)) == 0, "%m");
	works(fd);
	close(fd);
	check(tell(DISALLOW, "no-such-driver") == -ENOENT, "a trial is left");
	end();
}

/* The driver has the limits of 4096 bytes, two requests and one direction. */
static void has_limits(int fd)
{
	struct arena arena = map_arena(fd, MIB, 0);
	struct outboard_slot slot;

	make_session(fd, 9, cbc);
	slot = a_slot(cbc, 9, &arena, 0, 0, 4096);
	check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	slot.length += 16;
	check(ask(&arena, &slot) == -E2BIG, "status %d", arena.slot[0].status);
	slot.length = 16;
	slot.op = OUTBOARD_DECRYPT;
	check(ask(&arena, &slot) == -EOPNOTSUPP, "status %d", arena.slot[0].status);
	make_session(fd, 10, cbc);
	slot.session = 10;
	check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	slot.op = OUTBOARD_ENCRYPT;
	check(ask(&arena, &slot) == -EOPNOTSUPP, "status %d", arena.slot[0].status);
	if (accelerator->sim) {
		slot.session = 9;
		hold(true);
		for (unsigned int s = 0; s < 16; s++)
			put(&arena, s, &slot);
		check(!submit(&arena, 0, 16, 0), "%m");
		check(number_in(SIM_DEBUG "/outboard-sim.0/outstanding") == 2, "%ld requests",
		      number_in(SIM_DEBUG "/outboard-sim.0/outstanding"));
		hold(false);
		for (unsigned int s = 0; s < 16; s++)
			check(!wait_for(&arena, s), "status %d", arena.slot[s].status);
	}
	check(!free_session(fd, 9) && !free_session(fd, 10), "%m");
	unmap_arena(&arena);
}

/* What a driver cannot do is enforced for programs that know nothing of it. */
static void limits_of_a_driver_are_enforced(void)
{
	struct outboard_try record = { .op = OUTBOARD_TRY,
				       .flags = OUTBOARD_ONE_DIRECTION,
				       .max_length = 4096,
				       .max_requests = 2 };
	const char *driver;
	int fd = begin();

	driver = driver_of(cbc);
	strcpy(record.name, driver);
	check(!ring(fd, &record, sizeof(record)), "%m");
	has_limits(fd);
	close(fd);
	check(tell(ALLOW, "%s length=", driver) == -EINVAL, "%m");
	check(tell(ALLOW, "%s length=4k", driver) == -EINVAL, "%m");
	check(tell(ALLOW, "%s width=4", driver) == -EINVAL, "%m");
	check(tell(DISALLOW, "%s length=4096", driver) == -ENOENT, "%m");
	check(!tell(ALLOW, "%s length=4096 requests=2 one-direction", driver), "%m");
	fd = open_device(0);
	has_limits(fd);
	close(fd);
	/* Without its sessions, the engine has the limits of the drivers that are allowed then. */
	check(!tell(DISALLOW, "%s", driver), "%m");
	end();
	fd = open_device(0);
	works(fd);
	close(fd);
}

static const struct test tests[] = {
	TEST(a_driver_on_trial_is_its_descriptor_s_alone),
	TEST(a_trial_ends_with_the_last_close),
	TEST(a_driver_that_passed_stays_allowed),
	TEST(a_trial_ends_when_root_disallows_the_driver),
	TEST(opener_and_writer_need_the_capability),
	TEST(wrong_records_of_trials_are_refused),
	TEST(limits_of_a_driver_are_enforced),
};

THEME(trials, false);
