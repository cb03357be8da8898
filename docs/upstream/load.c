// SPDX-License-Identifier: GPL-2.0
/*
 * load PROCESSES: keeps /dev/outboard busy with cbc(aes) while its device comes and goes, until
 * SIGTERM. A session may be refused and a request may end with ENODEV, or with EHOSTDOWN or ETIMEDOUT
 * where unbinding takes longer than the module's patience; all others must be right.
 */
#include "requests.h"
#include "software.h"
#include <signal.h>
#include <sys/wait.h>

enum { BATCH = 16, LENGTH = 4096 };

/* Shared by all processes: requests that were right, that failed, refused sessions; the end. */
static volatile uint64_t *count;

static void stop(int signal)
{
	(void)signal;
	count[3] = 1;
}

/* Returns whether the driver may still write to the arena. */
static bool use_session(const struct arena *arena, const struct algorithm *cbc, const uint8_t *text)
{
	bool lost = false;
	int error;

	for (unsigned int s = 0; s < BATCH; s++) {
		struct outboard_slot slot = a_slot(cbc, 1, arena, s * LENGTH, s * LENGTH, LENGTH);

		put(arena, s, &slot);
		memcpy(arena->data + s * LENGTH, text + s * LENGTH, LENGTH);
	}
	error = submit(arena, 0, BATCH, OUTBOARD_WAIT);
	check(!error || error == -ETIMEDOUT, "submit: %s", strerror(-error));
	for (unsigned int s = 0; s < BATCH; s++) {
		int status = wait_for(arena, s);

		check(!status || status == -ENODEV || status == -EHOSTDOWN || status == -ETIMEDOUT,
		      "slot %u: status %d", s, status);
		check(status || is_right(cbc, arena, s, text + s * LENGTH), "slot %u is wrong", s);
		__atomic_add_fetch(&count[!!status], 1, __ATOMIC_RELAXED);
		lost |= status == -ETIMEDOUT;
	}
	return lost;
}

static void work(void)
{
	const struct algorithm *cbc = algorithm(OUTBOARD_CBC_AES);
	static uint8_t text[BATCH * LENGTH];
	int fd = open_device(0);
	struct arena arena = map_arena(fd, 1 * MIB, BATCH);

	randomize(text, sizeof(text));
	while (!count[3]) {
		if (new_session(fd, 1, OUTBOARD_CBC_AES, 0, a_key(), 16)) {
			__atomic_add_fetch(&count[2], 1, __ATOMIC_RELAXED);
			usleep(1000);
			continue;
		}
		for (unsigned int i = 0; i < 8; i++)
			if (use_session(&arena, cbc, text)) {
				unmap_arena(&arena);
				arena = map_arena(fd, 1 * MIB, BATCH);
			}
		check(!free_session(fd, 1), "%m");
	}
}

int main(int argc, char **argv)
{
	unsigned int processes = argc == 2 ? atoi(argv[1]) : 0;
	int failed = 0;

	check(processes, "usage: load PROCESSES");
	software_load();
	count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(count != MAP_FAILED, "%m");
	for (unsigned int i = 0; i < processes; i++) {
		if (fork())
			continue;
		work();
		_exit(0);
	}
	signal(SIGTERM, stop);
	for (int status; wait(&status) > 0 || errno == EINTR;)
		failed |= status;
	printf("load: %llu requests were right, %llu failed, %llu sessions refused\n",
	       (unsigned long long)count[0], (unsigned long long)count[1],
	       (unsigned long long)count[2]);
	return failed || !count[0] || !count[1];
}
