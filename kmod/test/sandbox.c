// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions, requests and results with only the system calls that OpenSSH's pre-authentication
 * filter allows. The descriptor is inherited; all else happens inside. Any other call kills the
 * process.
 */
#include "tests.h"
#include <stddef.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#define ALLOW(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)

static void close_the_sandbox(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE(openat),
	/* Which of these exist, and which the C library calls, differs between architectures. */
#ifdef SYS_newfstatat
		REFUSE(newfstatat),
#endif
#ifdef SYS_fstatat64
		REFUSE(fstatat64),
#endif
#ifdef SYS_fstat
		REFUSE(fstat),
#endif
#ifdef SYS_fstat64
		REFUSE(fstat64),
#endif
#ifdef SYS_statx
		REFUSE(statx),
#endif
#ifdef SYS_poll
		ALLOW(poll),
#endif
#ifdef SYS_ppoll
		ALLOW(ppoll),
#endif
#ifdef SYS_ppoll_time64
		ALLOW(ppoll_time64),
#endif
#ifdef SYS_mmap
		ALLOW(mmap),
#endif
#ifdef SYS_mmap2
		ALLOW(mmap2),
#endif
#ifdef SYS_clock_gettime64
		ALLOW(clock_gettime64),
#endif
#ifdef SYS_futex_time64
		ALLOW(futex_time64),
#endif
		ALLOW(read),
		ALLOW(write),
		ALLOW(munmap),
		ALLOW(mprotect),
		ALLOW(madvise),
		ALLOW(mremap),
		ALLOW(brk),
		ALLOW(futex),
		ALLOW(close),
		ALLOW(getpid),
		ALLOW(clock_gettime),
		ALLOW(getrandom),
		ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	check(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
		      !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
	      "%m");
}

static void a_whole_encryption_passes_the_filter(void)
{
	const struct algorithm *cbc = algorithm(OUTBOARD_CBC_AES);
	int fd = open_device(O_NONBLOCK);
	struct pollfd event = { fd, POLLOUT | POLLWRNORM | POLLWRBAND, 0 };
	struct outboard_slot slot;
	struct arena arena;
	uint8_t text[4096], expected[4096];

	randomize(text, sizeof(text));
	slot = a_slot(cbc, 1, &(struct arena){ 0 }, 0, 0, sizeof(text));
	software_encrypt(cbc, a_key(), 16, slot.iv, text, expected, sizeof(text));
	check(!setgid(65534) && !setuid(65534), "%m");
	close_the_sandbox();
	arena = map_arena(fd, MIB, 0);
	make_session(fd, 1, cbc);
	slot.in = arena.offset;
	slot.out = arena.offset;
	check(write(fd, NULL, 0) < 0 && errno == EINVAL, "no bytes: %m");
	for (int wait = 0; wait < 3; wait++) {
		memcpy(arena.data, text, sizeof(text));
		put(&arena, 0, &slot);
		check(!submit(&arena, 0, 1, wait == 1 ? OUTBOARD_WAIT : 0), "%m");
		if (wait == 2)
			check(!await(&arena, 0, 1), "%m");
		while (arena.slot[0].status == OUTBOARD_IN_FLIGHT)
			poll(NULL, 0, 1);
		check(!arena.slot[0].status && !memcmp(arena.data, expected, sizeof(text)),
		      "status %d", arena.slot[0].status);
	}
	/* Without fstat these two identify the device. */
	check(poll(&event, 1, 0) == 1 && event.revents == (POLLOUT | POLLWRNORM), "events %#x",
	      event.revents);
	check(!free_session(fd, 1), "%m");
	unmap_arena(&arena);
	_exit(0);
}

/* Verifies that the filter is effective. */
static void another_call_is_killed(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		close_the_sandbox();
		syscall(SYS_ioctl, 0, 0, 0);
		_exit(0);
	}
	check(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		      WTERMSIG(status) == SIGSYS,
	      "status %#x", status);
}

static const struct test tests[] = {
	TEST(a_whole_encryption_passes_the_filter),
	TEST(another_call_is_killed),
};
THEME(sandbox, false);
