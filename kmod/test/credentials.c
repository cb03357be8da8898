// SPDX-License-Identifier: GPL-2.0
/*
 * What a record does does not depend on the credentials of the process that writes it, except for
 * TRY: sessions and arenas belong to an address space, and what counts for a user counts for the
 * opener. So a setuid program that is made to write to a descriptor does no more than its caller.
 */
#include "tests.h"
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define HELPER "/tmp/outboard-setuid-dd"

enum { USER = 1001, TEXT = 512 };

static int fd, event;
static struct arena arena;
static const struct algorithm *cbc;

static void begin(void)
{
	cbc = algorithm(OUTBOARD_CBC_AES);
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 64);
	make_session(fd, 1, cbc);
	event = eventfd(0, EFD_NONBLOCK);
	check(event >= 0, "%m");
}

static bool is_signalled(void)
{
	uint64_t count;

	return read(event, &count, sizeof(count)) == sizeof(count);
}

/* A setuid program of root, which writes what it reads to its standard output. */
static void make_helper(void)
{
	pid_t child = fork();

	if (!child) {
		execlp("cp", "cp", "/bin/dd", HELPER, NULL);
		_exit(1);
	}
	join(child);
	check(!chown(HELPER, 0, 0) && !chmod(HELPER, 04755), "%m");
}

/* Whether the helper, with the rights of root, could write the record to this descriptor. */
static bool helper_writes(int descriptor, const void *record, size_t size)
{
	char block[32];
	int pipes[2], status;
	pid_t child;

	check(!pipe(pipes), "%m");
	check(write(pipes[1], record, size) == (ssize_t)size, "%m");
	close(pipes[1]);
	snprintf(block, sizeof(block), "bs=%zu", size);
	child = fork();
	if (!child) {
		dup2(pipes[0], 0);
		dup2(descriptor, 1);
		execl(HELPER, HELPER, block, "count=1", "iflag=fullblock", "status=none", NULL);
		_exit(2);
	}
	close(pipes[0]);
	check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) < 2,
	      "status %#x", status);
	return !status;
}

static bool helper_has_rights(void)
{
	int file = open("/tmp/outboard-root-only", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char path[] = "if=/tmp/outboard-root-only";
	int status;
	pid_t child;

	check(file >= 0, "%m");
	close(file);
	child = fork();
	if (!child) {
		check(!setgid(USER) && !setuid(USER), "%m");
		execl(HELPER, HELPER, path, "of=/dev/null", "status=none", NULL);
		_exit(2);
	}
	check(waitpid(child, &status, 0) == child, "%m");
	unlink("/tmp/outboard-root-only");
	return !status;
}

/* Runs as USER. */
static void no_record_by_the_helper_reaches_its_caller(void)
{
	struct outboard_slot slot = a_slot(cbc, 1, &arena, 0, 0, TEXT);
	struct outboard_submit submit_record = { OUTBOARD_SUBMIT, OUTBOARD_WAIT,
						 arena.header->arena, 0, 1 };
	struct outboard_submit await_record = { OUTBOARD_AWAIT, 0, arena.header->arena, 0, 1 };
	struct outboard_submit notify_record = { OUTBOARD_NOTIFY, 0, arena.header->arena, 0, event };
	struct outboard_session free_record = { .op = OUTBOARD_SESSION_FREE, .session = 1 };
	struct outboard_try try_record = { .op = OUTBOARD_TRY, .name = "no-such-driver" };
	uint8_t new_record[sizeof(struct outboard_session) + 16] = { 0 };
	struct outboard_session new = { .op = OUTBOARD_SESSION_NEW,
					    .session = 2,
					    .algorithm = OUTBOARD_CBC_AES,
					    .key_size = 16 };

	put(&arena, 0, &slot);
	check(!helper_writes(fd, &submit_record, sizeof(submit_record)), "SUBMIT");
	check(arena.slot[0].status == UNTOUCHED, "status %d", arena.slot[0].status);
	check(!helper_writes(fd, &await_record, sizeof(await_record)), "AWAIT");
	check(!helper_writes(fd, &notify_record, sizeof(notify_record)) && !is_signalled(),
	      "NOTIFY");
	check(!helper_writes(fd, &free_record, sizeof(free_record)), "SESSION_FREE");
	check(!helper_writes(fd, &try_record, sizeof(try_record)), "TRY");
	/* A session of the program's, which counts for the opener, and which the caller cannot use. */
	memcpy(new_record, &new, sizeof(new));
	memcpy(new_record + sizeof(new), a_key(), 16);
	check(helper_writes(fd, new_record, sizeof(new_record)), "SESSION_NEW");
	slot.session = 2;
	check(ask(&arena, &slot) == -ENOENT, "status %d", arena.slot[0].status);
	check(free_session(fd, 2) == -ENOENT, "it was freed: %m");
	slot.session = 1;
	check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
}

static void a_setuid_program_does_no_more_than_its_caller(void)
{
	pid_t child;

	make_helper();
	if (!helper_has_rights())
		lacks("setuid programs in /tmp");
	check(!chmod("/dev/outboard", 0666), "%m");
	child = fork();
	if (!child) {
		check(!setgid(USER) && !setuid(USER), "%m");
		begin();
		no_record_by_the_helper_reaches_its_caller();
		_exit(0);
	}
	join(child);
	unlink(HELPER);
	check(!chmod("/dev/outboard", 0600), "%m");
}

/* The C library is not involved: only this thread changes. */
static void *as_another_user(void *unused)
{
	struct outboard_slot slot = a_slot(cbc, 1, &arena, 0, 0, TEXT);
	struct outboard_try try_record = { .op = OUTBOARD_TRY, .name = "no-such-driver" };

	check(!syscall(SYS_setresuid, USER, USER, USER), "%m");
	check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	put(&arena, 0, &slot);
	check(!submit(&arena, 0, 1, 0) && !await(&arena, 0, 1), "%m");
	check(!ring(fd,
		    &(struct outboard_submit){ OUTBOARD_NOTIFY, 0, arena.header->arena, 0, event },
		    sizeof(struct outboard_submit)) &&
		      is_signalled(),
	      "%m");
	make_session(fd, 2, cbc);
	check(!free_session(fd, 2), "%m");
	check(ring(fd, &try_record, sizeof(try_record)) == -EPERM, "TRY: %m");
	return unused;
}

/* A server that opens the device as root, and whose threads work for users. */
static void a_thread_that_changed_its_user_is_the_same_program(void)
{
	pthread_t thread;

	begin();
	check(!pthread_create(&thread, NULL, as_another_user, NULL), "%m");
	check(!pthread_join(thread, NULL), "%m");
}

/* After exec, what the program has inherited is a descriptor without sessions and arenas. */
static void a_program_after_exec_has_no_session_and_no_arena(void)
{
	struct outboard_submit record;
	struct outboard_session free_record = { .op = OUTBOARD_SESSION_FREE, .session = 1 };
	struct outboard_slot slot;

	begin();
	make_helper();
	slot = a_slot(cbc, 1, &arena, 0, 0, TEXT);
	put(&arena, 0, &slot);
	record = (struct outboard_submit){ OUTBOARD_SUBMIT, 0, arena.header->arena, 0, 1 };
	check(!helper_writes(fd, &record, sizeof(record)), "SUBMIT");
	check(!helper_writes(fd, &free_record, sizeof(free_record)), "SESSION_FREE");
	check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
	unlink(HELPER);
}

/*
 * Records of each operation and of each length up to 64 bytes, of which only the right ones do what
 * they should: in this state of the descriptor, SESSION_NEW returns @made with a key that the
 * algorithm has, SESSION_FREE of session 1 @freed, and SUBMIT, AWAIT and NOTIFY @used.
 */
static void records_of_each_length(uint32_t number, int made, int freed, int used)
{
	for (uint16_t op = 0; op <= OUTBOARD_TRY + 1; op++)
		for (uint16_t size = 0; size <= 64; size++) {
			uint32_t last = op == OUTBOARD_NOTIFY ? event : 1;
			union {
				struct outboard_submit submit;
				struct outboard_session session;
				uint8_t bytes[64];
			} record = { .submit = { op, 0, number, 0, last } };
			int want = -EINVAL, got;
			bool has_key = size < sizeof(record.session);

			if (op == OUTBOARD_SESSION_NEW || op == OUTBOARD_SESSION_FREE)
				record.session = (struct outboard_session){
					.op = op, .session = op == OUTBOARD_SESSION_NEW ? 7 : 1 };
			if (op == OUTBOARD_SESSION_NEW && size >= sizeof(record.session)) {
				record.session.algorithm = OUTBOARD_CBC_AES;
				record.session.key_size = size - sizeof(record.session);
				has_key = size == 32 || size == 40 || size == 48;
				want = has_key ? made : -EINVAL;
			}
			if (size == sizeof(record.session) && op == OUTBOARD_SESSION_FREE)
				want = freed;
			if (size == sizeof(record.submit) && op && op <= OUTBOARD_NOTIFY)
				want = used;
			got = ring(fd, &record, size);
			/* A driver that is gone may not have looked at the key. */
			check(got == want || (op == OUTBOARD_SESSION_NEW && !has_key && made == got),
			      "operation %u, %u bytes: %s", op, size, strerror(-got));
			if (op == OUTBOARD_SESSION_NEW && !got)
				check(!free_session(fd, 7), "%m");
		}
}

static void each_length_as(uint32_t number, void (*change)(void))
{
	pid_t child = fork();

	if (!child) {
		change();
		records_of_each_length(number, 0, -ENOENT, -ENOENT);
		_exit(0);
	}
	join(child);
}

static void become_user(void)
{
	check(!setgid(USER) && !setuid(USER), "%m");
}

static void enter_container(void)
{
	become_user();
	check(!unshare(CLONE_NEWUSER) || errno == EPERM || errno == ENOSPC || errno == EINVAL,
	      "%m");
}

/* In slot 1: no record of another slot or session may end or change it. */
static void begin_request_in_flight(void)
{
	struct outboard_slot slot = a_slot(cbc, 1, &arena, TEXT, TEXT, TEXT);

	check(!tell(SIM_DEBUG "/faults", "%s never count=1", driver_of(cbc)), "%m");
	put(&arena, 1, &slot);
	check(!submit(&arena, 1, 1, 0), "%m");
}

static void end_request_in_flight(void)
{
	static const uint8_t zero[TEXT];

	check(arena.slot[1].status == OUTBOARD_IN_FLIGHT, "status %d", arena.slot[1].status);
	check(!tell(SIM_DEBUG "/held", "0"), "%m");
	check(!wait_for(&arena, 1) && is_right(cbc, &arena, 1, zero), "status %d",
	      arena.slot[1].status);
}

static void records_of_each_length_do_nothing_or_what_they_should(void)
{
	char device[300], path[200];
	struct outboard_slot slot;
	uint32_t number;
	int own;

	begin();
	number = arena.header->arena;
	slot = a_slot(cbc, 1, &arena, 0, 0, TEXT);
	put(&arena, 0, &slot);
	if (accelerator->sim)
		begin_request_in_flight();
	each_length_as(number, become_user);
	each_length_as(number, enter_container);
	records_of_each_length(number, 0, 0, 0);
	if (accelerator->sim)
		end_request_in_flight();
	check(!wait_for(&arena, 0), "status %d", arena.slot[0].status);
	own = fd;
	fd = open_device(0);
	records_of_each_length(number, 0, -ENOENT, -ENOENT);
	close(fd);
	fd = own;
	make_session(fd, 1, cbc);
	put(&arena, 0, &slot);
	check(bound_device(), "no device");
	strcpy(device, bound_device());
	snprintf(path, sizeof(path), "%s/unbind", accelerator->bus_driver);
	check(!tell(path, "%s", device), "%m");
	records_of_each_length(number, is_registered(driver_of(cbc)) ? -ENODEV : -ENOENT, 0, 0);
	check(wait_for(&arena, 0) == -ENODEV, "status %d", arena.slot[0].status);
	snprintf(path, sizeof(path), "%s/bind", accelerator->bus_driver);
	check(!tell(path, "%s", device), "%m");
}

static const struct test tests[] = {
	TEST(a_setuid_program_does_no_more_than_its_caller),
	TEST(a_thread_that_changed_its_user_is_the_same_program),
	TEST(a_program_after_exec_has_no_session_and_no_arena),
	TEST(records_of_each_length_do_nothing_or_what_they_should),
};
THEME(credentials, false);
