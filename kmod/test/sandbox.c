// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions, requests and results behind the system calls that OpenSSH's pre-authentication filter leaves: the descriptor is
 * inherited, all else happens inside. Any call that is not on the list kills.
 */
#include "device.h"
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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
		REFUSE(openat), REFUSE(fstat), REFUSE(newfstatat),
		ALLOW(read), ALLOW(write), ALLOW(poll), ALLOW(mmap), ALLOW(munmap), ALLOW(mprotect), ALLOW(madvise),
		ALLOW(mremap), ALLOW(brk), ALLOW(futex), ALLOW(close), ALLOW(getpid), ALLOW(clock_gettime), ALLOW(getrandom),
		ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	check(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "%m");
}

int main(void)
{
	int fd = open_device(O_NONBLOCK);
	struct pollfd event = { fd, POLLIN, 0 };
	struct arena arena;
	uint8_t key[16] = { 1 };
	uint64_t count;

	check(!setgid(65534) && !setuid(65534), "%m");
	close_the_sandbox();
	arena = map_arena(fd, 1 << 20, 0);
	check(!new_session(fd, 1, OUTBOARD_CBC_AES, 0, key, 16), "session: %m");
	check(write(fd, NULL, 0) < 0 && errno == EINVAL, "no bytes: %m");
	for (int wait = 0; wait < 3; wait++) {
		arena.slot[0] = (struct outboard_slot){ .session = 1, .op = OUTBOARD_ENCRYPT, .in = arena.offset, .out = arena.offset, .length = 4096 };
		check(!submit(fd, &arena, 0, 1, wait == 1 ? OUTBOARD_WAIT : 0), "%m");
		if (wait == 2)
			check(!await(fd, &arena, 0, 1), "%m");
		if (wait != 1)
			check(poll(&event, 1, 5000) == 1 && read(fd, &count, 8) == 8 && count == 1, "%m");
		check(!arena.slot[0].status, "status %d", arena.slot[0].status);
	}
	check(read(fd, &count, 8) < 0 && errno == EAGAIN, "nothing more");
	check(!object(fd, OUTBOARD_SESSION_FREE, 1, 0) && !munmap(arena.base, arena.size), "%m");
	write(1, "works in the sandbox\n", 21);
	_exit(0);
}
