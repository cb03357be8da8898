// SPDX-License-Identifier: GPL-2.0
/* One descriptor in several processes; owners of sessions; processes without access. */
#include "tests.h"
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { THREADS = 16, SLOTS = 4, ROUNDS = 40 };

static int fd;
static struct arena arena;
static const struct algorithm *cbc;

static void begin(void)
{
	fd = open_device(0);
	arena = map_arena(fd, 8 * MIB, THREADS * SLOTS);
	cbc = algorithm(OUTBOARD_CBC_AES);
	make_session(fd, 1, cbc);
}

/* Each process has sessions of its own. */
static uint32_t session_of(unsigned int process, const struct algorithm *algorithm)
{
	return 100 + 100 * process + algorithm->id;
}

/* Each thread has its own slots and its own part of the data; they share the sessions. */
static void *one_thread(void *number)
{
	unsigned int me = (uintptr_t)number, first = me % THREADS * SLOTS;
	uint32_t place = me % THREADS * (arena.room / THREADS & ~4095u),
		 part = arena.room / THREADS / SLOTS & ~4095u;
	static __thread uint8_t text[16384];

	seed(me + 1);
	for (int round = 0; round < ROUNDS; round++) {
		const struct algorithm *of[SLOTS];
		bool wait = below(2);

		randomize(text, 4096);
		for (unsigned int s = 0; s < SLOTS; s++) {
			struct outboard_slot slot;
			uint32_t size = 16 + (below(4096 - 16) & ~15u);

			do
				of[s] = &algorithms[below(ALGORITHMS)];
			while (!driver_of(of[s]));
			slot = a_slot(of[s], session_of(me / THREADS, of[s]), &arena, place + s * part,
				      place + s * part + (s & 1 ? 8192 : 0), size);
			memcpy(arena.base + slot.in, text, size);
			put(&arena, first + s, &slot);
		}
		check(!submit(&arena, first, SLOTS, wait ? OUTBOARD_WAIT : 0), "%m");
		for (unsigned int s = 0; s < SLOTS; s++) {
			check(!wait_for(&arena, first + s), "%s: status %d", of[s]->name,
			      arena.slot[first + s].status);
			check(is_right(of[s], &arena, first + s, text),
			      "thread %u, round %d: %s is wrong", me, round, of[s]->name);
		}
	}
	return NULL;
}

static void sixteen_threads_run(unsigned int process)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < ALGORITHMS; i++)
		if (driver_of(&algorithms[i]))
			make_session(fd, session_of(process, &algorithms[i]), &algorithms[i]);
	for (uintptr_t t = 0; t < THREADS; t++)
		check(!pthread_create(&threads[t], NULL, one_thread,
				      (void *)(process * THREADS + t)),
		      "%m");
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
}

static void two_processes_and_sixteen_threads_each(void)
{
	pid_t child;

	begin();
	child = fork();
	if (!child) {
		arena = map_arena(fd, 8 * MIB, THREADS * SLOTS);
		sixteen_threads_run(1);
		_exit(0);
	}
	sixteen_threads_run(0);
	join(child);
}

static void encrypts(struct arena *with, uint32_t session)
{
	static uint8_t text[5000];
	struct outboard_slot slot = a_slot(cbc, session, with, 0, 8192, 4992);

	randomize(text, sizeof(text));
	memcpy(with->data, text, sizeof(text));
	check(!ask(with, &slot) && is_right(cbc, with, 0, text), "status %d", with->slot[0].status);
}

static void a_child_has_its_own_arena(void)
{
	static const uint16_t operations[] = { OUTBOARD_SUBMIT, OUTBOARD_AWAIT, OUTBOARD_NOTIFY };
	struct outboard_submit theirs = { OUTBOARD_SUBMIT, OUTBOARD_WAIT, 0, 0, 1 };
	uint32_t number;
	pid_t child;

	begin();
	number = arena.header->arena;
	child = fork();
	if (!child) {
		/* The parent's arena is not mapped in this process. */
		check(write(fd, arena.base, 16) < 0 && errno == EFAULT,
		      "the parent's arena is here");
		theirs.arena = number;
		theirs.flags = 0;
		for (size_t i = 0; i < COUNT(operations); i++) {
			theirs.op = operations[i];
			check(ring(fd, &theirs, sizeof(theirs)) == -ENOENT,
			      "operation %u on the parent's arena", theirs.op);
		}
		arena = map_arena(fd, 1 * MIB, 1);
		check(arena.header->slots == 1 && arena.header->arena != number, "arena %u",
		      arena.header->arena);
		make_session(fd, 2, cbc);
		encrypts(&arena, 2);
		_exit(0);
	}
	join(child);
	check(counter("arenas") == 1, "%ld arenas", counter("arenas"));
	theirs.arena = number + 1;
	check(ring(fd, &theirs, sizeof(theirs)) == -ENOENT, "the child's arena is still there");
}

/*
 * A child, such as a worker in a sandbox, must not use the parent's key, nor replace it by its own
 * key under the same number.
 */
static void a_child_cannot_use_or_replace_the_parent_s_session(void)
{
	struct outboard_slot slot;
	pid_t child;

	begin();
	child = fork();
	if (!child) {
		arena = map_arena(fd, 1 * MIB, 1);
		slot = a_slot(cbc, 1, &arena, 0, 0, 64);
		check(ask(&arena, &slot) == -ENOENT, "the parent's key: status %d",
		      arena.slot[0].status);
		check(free_session(fd, 1) == -ENOENT,
		      "the child freed the parent's session");
		check(new_session(fd, 1, OUTBOARD_CBC_AES, 0, a_key() + 16, 16) == -EEXIST,
		      "the number is free");
		/* Its own is not affected by the parent's. */
		make_session(fd, 2, cbc);
		encrypts(&arena, 2);
		_exit(0);
	}
	join(child);
	encrypts(&arena, 1);
	slot = a_slot(cbc, 2, &arena, 0, 0, 64);
	check(ask(&arena, &slot) == -ENOENT, "the child's key: status %d", arena.slot[0].status);
	check(free_session(fd, 2) == -ENOENT,
	      "the parent freed the child's session");
}

/* Counts and lengths of the requests of other users are for root. */
static void an_unprivileged_user_cannot_read_counts(void)
{
	static const char *const objects[] = { "requests", "sessions",	  "arenas",
					       "files",	   "arena_bytes", "doubles" };
	static const char *const names[] = { "requests", "bytes", "errors", "timeouts",
					     "in_flight" };
	char path[256];
	pid_t child;

	begin();
	encrypts(&arena, 1);
	child = fork();
	if (!child) {
		check(!setgid(65534) && !setuid(65534), "%m");
		for (size_t i = 0; i < COUNT(names); i++) {
			snprintf(path, sizeof(path), "/sys/class/misc/outboard/drivers/%s/%s",
				 driver_of(cbc), names[i]);
			check(open(path, O_RDONLY) < 0 && errno == EACCES, "%s: %m", path);
		}
		/* Two reads of these tell when another user works, and how much. */
		for (size_t i = 0; i < COUNT(objects); i++) {
			snprintf(path, sizeof(path), "/sys/class/misc/outboard/%s", objects[i]);
			check(open(path, O_RDONLY) < 0 && errno == EACCES, "%s: %m", path);
		}
		_exit(0);
	}
	join(child);
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof(path), "/sys/class/misc/outboard/drivers/%s/%s",
			 driver_of(cbc), names[i]);
		check(open(path, O_RDONLY) >= 0, "%s: %m", path);
	}
}

/* Requests in flight during fork complete normally, and the child may exit at any time. */
static void forks_while_requests_run(void)
{
	static uint8_t text[32768];

	begin();
	randomize(text, sizeof(text));
	for (int round = 0; round < 20; round++) {
		pid_t child;

		for (unsigned int s = 0; s < 32; s++) {
			struct outboard_slot slot = a_slot(cbc, 1, &arena, s * 65536, s * 65536,
							   sizeof(text));

			memcpy(arena.base + slot.in, text, sizeof(text));
			put(&arena, s, &slot);
		}
		check(!submit(&arena, 0, 32, 0), "%m");
		child = fork();
		if (!child) {
			arena = map_arena(fd, 1 * MIB, 0);
			if (round & 1) {
				make_session(fd, 2 + round, cbc);
				encrypts(&arena, 2 + round);
			}
			_exit(0);
		}
		for (unsigned int s = 0; s < 32; s++)
			check(!wait_for(&arena, s) && is_right(cbc, &arena, s, text),
			      "slot %u: status %d", s, arena.slot[s].status);
		join(child);
	}
}

static void send_descriptor(int through, int descriptor)
{
	char byte = 1, room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec vector = { &byte, 1 };
	struct msghdr message = { .msg_iov = &vector,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room) };
	struct cmsghdr *control = CMSG_FIRSTHDR(&message);

	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = SCM_RIGHTS;
	control->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(control), &descriptor, sizeof(int));
	check(sendmsg(through, &message, 0) == 1, "%m");
}

static int receive_descriptor(int through)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec vector = { &byte, 1 };
	struct msghdr message = { .msg_iov = &vector,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room) };
	int descriptor;

	check(recvmsg(through, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message), "%m");
	memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
	return descriptor;
}

/* The receiver runs without privileges: it can use the device, but not open it. */
static void a_descriptor_can_be_sent_to_another_process(void)
{
	int sockets[2];
	pid_t child;

	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), "%m");
	cbc = algorithm(OUTBOARD_CBC_AES);
	child = fork();
	if (!child) {
		check(!setgid(65534) && !setuid(65534), "%m");
		fd = receive_descriptor(sockets[1]);
		arena = map_arena(fd, 1 * MIB, 0);
		make_session(fd, 1, cbc);
		encrypts(&arena, 1);
		check(open("/dev/outboard", O_RDWR) < 0 && errno == EACCES, "%m");
		_exit(0);
	}
	fd = open_device(0);
	send_descriptor(sockets[0], fd);
	/* The receiver's descriptor is now the last one. */
	close(fd);
	join(child);
}

static void an_unprivileged_user_is_refused(void)
{
	pid_t child = fork();

	if (!child) {
		check(!setgid(65534) && !setuid(65534), "%m");
		check(open("/dev/outboard", O_RDWR) < 0 && errno == EACCES, "%m");
		check(open("/dev/outboard", O_RDONLY) < 0 && errno == EACCES, "%m");
		check(tell("/sys/class/misc/outboard/allow", "sim-cbc-aes") == -EACCES,
		      "the list of drivers");
		check(tell("/sys/class/misc/outboard/disallow", "sim-cbc-aes") == -EACCES,
		      "the list of drivers");
		check(tell(OUTBOARD_PARAMETERS "/timeout", "1") == -EACCES, "parameters");
		_exit(0);
	}
	join(child);
}

#ifdef __x86_64__
static void a_32_bit_program_works(void)
{
	char path[600];
	pid_t child;

	snprintf(path, sizeof(path), "%s/compat32", programs);
	child = fork();
	if (!child) {
		execl(path, path, NULL);
		check(false, "%s: %m", path);
	}
	join(child);
}
#endif

static const struct test tests[] = {
	TEST(two_processes_and_sixteen_threads_each),
	TEST(a_child_has_its_own_arena),
	TEST(a_child_cannot_use_or_replace_the_parent_s_session),
	TEST(an_unprivileged_user_cannot_read_counts),
	TEST(forks_while_requests_run),
	TEST(a_descriptor_can_be_sent_to_another_process),
	TEST(an_unprivileged_user_is_refused),
#ifdef __x86_64__
	TEST(a_32_bit_program_works),
#endif
};
THEME(sharing, false);
