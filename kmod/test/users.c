// SPDX-License-Identifier: GPL-2.0
/* User namespaces: the limits of a user hold for all user IDs of a login, and of a container. */
#include "tests.h"
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* A user may have a half of this. */
enum { LIMIT = 4 * MIB };

static bool cannot_map(size_t size)
{
	int fd = open_device(0);

	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, getpagesize()) ==
		       MAP_FAILED &&
	       errno == EMFILE;
}

/* Says on a pipe that it has mapped three quarters of what its user may have, and keeps it. */
static void __attribute__((noreturn)) map_and_keep(int done)
{
	map_arena(open_device(0), 3 * LIMIT / 8, 1);
	check(write(done, "", 1) == 1, "%m");
	for (;;)
		pause();
}

/*
 * A namespace that @owner makes, in which root maps IDs from 100000 on, as newuidmap and container
 * managers do. Two of its IDs have one share, and a process outside, of @outside, has another one, or
 * with @outside == @owner the same.
 */
static void ids_of_a_namespace_have_one_share(uid_t owner, uid_t outside)
{
	const char *limit = OUTBOARD_PARAMETERS "/max_bytes";
	long before = number_in(limit);
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	int made[2], mapped[2], done[2], checked[2];
	char path[64], byte;
	int status;
	pid_t child;

	check(!setrlimit(RLIMIT_MEMLOCK, &unlimited), "%m");
	check(!chmod("/dev/outboard", 0666), "%m");
	check(!pipe(made) && !pipe(mapped) && !pipe(done) && !pipe(checked), "%m");
	child = fork();
	if (!child) {
		if (owner)
			check(!setgid(owner) && !setuid(owner), "%m");
		check(!prctl(PR_SET_DUMPABLE, 1), "%m");
		if (unshare(CLONE_NEWUSER)) {
			check(errno == EPERM || errno == ENOSPC || errno == EINVAL, "%m");
			check(write(made[1], "n", 1) == 1, "%m");
			_exit(0);
		}
		check(write(made[1], "y", 1) == 1 && read(mapped[0], &byte, 1) == 1, "%m");
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			check(!setresuid(1, 1, 1), "%m");
			map_and_keep(done[1]);
		}
		check(read(checked[0], &byte, 1) == 1, "%m");
		for (uid_t inside = 0; inside < 3; inside++) {
			pid_t other = fork();

			if (!other) {
				check(!setresuid(inside, inside, inside), "%m");
				check(cannot_map(LIMIT / 4), "ID %u has a share of its own", inside);
				_exit(0);
			}
			check(waitpid(other, &status, 0) == other && !status, "status %#x", status);
		}
		_exit(0);
	}
	check(read(made[0], &byte, 1) == 1, "%m");
	if (byte == 'n')
		lacks("user namespaces of users");
	check(!tell(limit, "%u", LIMIT), "%m");
	snprintf(path, sizeof(path), "/proc/%d/uid_map", child);
	check(!tell(path, "0 100000 1000"), "%m");
	check(write(mapped[1], "", 1) == 1 && read(done[0], &byte, 1) == 1, "%m");
	if (!fork()) {
		if (outside)
			check(!setgid(outside) && !setuid(outside), "%m");
		check(cannot_map(LIMIT / 4) == (outside && outside == owner), "user %u outside",
		      outside);
		_exit(0);
	}
	check(wait(&status) > 0 && !status, "status %#x", status);
	check(write(checked[1], "", 1) == 1, "%m");
	join(child);
	check(!tell(limit, "%ld", before), "%m");
	check(!chmod("/dev/outboard", 0600), "%m");
}

static void subordinate_user_ids_share_with_their_login(void)
{
	ids_of_a_namespace_have_one_share(1000, 1000);
}

/* Docker with userns-remap, LXC, systemd-nspawn -U, Kubernetes with hostUsers: false. */
static void user_ids_of_a_container_share_and_root_has_its_own(void)
{
	ids_of_a_namespace_have_one_share(0, 0);
}

/* The same ID outside is another user. */
static void a_container_does_not_share_with_a_login(void)
{
	ids_of_a_namespace_have_one_share(0, 100001);
}

/* A login's container in a container of root belongs to that one. */
static void a_namespace_in_a_container_is_the_container_s(void)
{
	const char *limit = OUTBOARD_PARAMETERS "/max_bytes";
	long before = number_in(limit);
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	int made[2], mapped[2], done[2];
	char path[64], byte;
	pid_t child;

	check(!setrlimit(RLIMIT_MEMLOCK, &unlimited), "%m");
	check(!chmod("/dev/outboard", 0666), "%m");
	check(!pipe(made) && !pipe(mapped) && !pipe(done), "%m");
	child = fork();
	if (!child) {
		pid_t keeps;

		check(!unshare(CLONE_NEWUSER), "%m");
		check(write(made[1], "", 1) == 1 && read(mapped[0], &byte, 1) == 1, "%m");
		keeps = fork();
		if (!keeps) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			map_and_keep(done[1]);
		}
		check(read(done[0], &byte, 1) == 1, "%m");
		check(!setresuid(5, 5, 5), "%m");
		check(!unshare(CLONE_NEWUSER) || errno == EPERM || errno == ENOSPC, "%m");
		check(cannot_map(LIMIT / 4), "it has a share of its own");
		_exit(0);
	}
	check(read(made[0], &byte, 1) == 1, "%m");
	check(!tell(limit, "%u", LIMIT), "%m");
	snprintf(path, sizeof(path), "/proc/%d/uid_map", child);
	check(!tell(path, "0 100000 1000"), "%m");
	/* Without a group, a user cannot make a namespace. */
	snprintf(path, sizeof(path), "/proc/%d/gid_map", child);
	check(!tell(path, "0 0 1000"), "%m");
	check(write(mapped[1], "", 1) == 1, "%m");
	join(child);
	check(!tell(limit, "%ld", before), "%m");
	check(!chmod("/dev/outboard", 0600), "%m");
}

static const struct test tests[] = {
	TEST(subordinate_user_ids_share_with_their_login),
	TEST(user_ids_of_a_container_share_and_root_has_its_own),
	TEST(a_container_does_not_share_with_a_login),
	TEST(a_namespace_in_a_container_is_the_container_s),
};
THEME(users, false);
