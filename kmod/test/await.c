// SPDX-License-Identifier: GPL-2.0
/*
 * await DRIVER: waiting for a driver that does not answer, which needs the simulated accelerator (kmod/sim). DRIVER is one
 * of its drivers for cbc(aes), allowed, and the first of root's list that does it.
 */
#include "device.h"
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>

static const char *driver;
static int fd;
static struct arena arena;

static void tell(const char *path, const char *text)
{
	int file = open(path, O_WRONLY);

	check(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text), "%s: %m", path);
	close(file);
}

static void timeout_is(const char *seconds)
{
	tell("/sys/module/outboard/parameters/timeout", seconds);
}

static void answer(bool yes)
{
	char rule[96];

	snprintf(rule, sizeof(rule), yes ? "clear" : "%s never", driver);
	tell("/sys/kernel/debug/outboard_sim/faults", rule);
	if (yes)
		tell("/sys/kernel/debug/outboard_sim/held", "0");
}

static long timeouts(void)
{
	char name[96];

	snprintf(name, sizeof(name), "drivers/%s/timeouts", driver);
	return counter(name);
}

static void start(const struct arena *to, int descriptor, unsigned int first, unsigned int count)
{
	for (unsigned int i = first; i < first + count; i++)
		to->slot[i] = (struct outboard_slot){ .session = 1, .op = OUTBOARD_ENCRYPT, .in = to->offset + i * 4096,
			.out = to->offset + i * 4096, .length = 4096 };
	check(!submit(descriptor, to, first, count, 0), "%m");
}

static void all_are(int status, unsigned int first, unsigned int count)
{
	for (unsigned int i = first; i < first + count; i++)
		check(arena.slot[i].status == status, "slot %u: %d, not %d", i, arena.slot[i].status, status);
}

static void finished_is(uint64_t wanted)
{
	uint64_t count = 0;

	check(read(fd, &count, 8) == 8 && count == wanted, "%llu finished, not %llu", (unsigned long long)count, (unsigned long long)wanted);
}

static void it_gives_up_in_time_and_can_be_asked_again(void)
{
	long before = timeouts();
	double begin;
	int error;

	timeout_is("1");
	answer(false);
	start(&arena, fd, 0, 4);
	for (int round = 1; round < 3; round++) {
		begin = now();
		error = await(fd, &arena, 0, 8);
		check(error == -ETIMEDOUT, "%s", strerror(-error));
		check(now() - begin > 0.9 && now() - begin < 5, "%f s", now() - begin);
		check(timeouts() - before == round * 4, "%ld timeouts", timeouts() - before);
		all_are(OUTBOARD_IN_FLIGHT, 0, 4);
		check(submit(fd, &arena, 3, 1, 0) == -EBUSY, "in flight");
	}
	timeout_is("10");
	answer(true);
	check(!await(fd, &arena, 0, 8), "%m");
	all_are(0, 0, 4);
	finished_is(4);
}

static void *await_the_middle(void *result)
{
	*(int *)result = await(fd, &arena, 4, 2);
	return NULL;
}

static void the_second_is_told_and_changes_nothing(void)
{
	pthread_t thread;
	int first = 1, second;

	answer(false);
	start(&arena, fd, 0, 8);
	check(!pthread_create(&thread, NULL, await_the_middle, &first), "thread");
	usleep(300000);
	/* It has taken slots 0 to 3 when it meets slot 4. */
	second = await(fd, &arena, 0, 8);
	check(second == -EBUSY, "%s", strerror(-second));
	check(first == 1, "the first waits on");
	answer(true);
	pthread_join(thread, NULL);
	check(!first, "%s", strerror(-first));
	check(!await(fd, &arena, 0, 8), "%m");
	all_are(0, 0, 8);
	finished_is(8);
}

static void it_can_be_killed(void)
{
	uint8_t key[16] = { 1 };
	double begin;
	int status;
	pid_t child;

	answer(false);
	child = fork();
	if (!child) {
		int own = open_device(0);
		struct arena mine = map_arena(own, 1 << 20, 0);

		check(!new_session(own, 1, OUTBOARD_CBC_AES, 0, key, 16), "%m");
		start(&mine, own, 0, 4);
		await(own, &mine, 0, 4);
		_exit(1);
	}
	usleep(500000);
	begin = now();
	check(!kill(child, SIGKILL) && waitpid(child, &status, 0) == child, "%m");
	check(WIFSIGNALED(status) && now() - begin < 5, "status %x after %f s", status, now() - begin);
	check(counter("requests") == 4, "%ld requests outlive their process", counter("requests"));
	answer(true);
	for (int tries = 0; counter("requests") && tries < 3000; tries++)
		usleep(1000);
	check(!counter("requests") && counter("arenas") == 1, "%ld requests, %ld arenas", counter("requests"), counter("arenas"));
}

int main(int count, char **words)
{
	uint8_t key[16] = { 1 };

	check(count == 2, "usage: await DRIVER");
	driver = words[1];
	fd = open_device(0);
	arena = map_arena(fd, 1 << 20, 0);
	check(!new_session(fd, 1, OUTBOARD_CBC_AES, 0, key, 16), "no session: %m");
	it_gives_up_in_time_and_can_be_asked_again();
	the_second_is_told_and_changes_nothing();
	it_can_be_killed();
	puts("waits as promised");
	return 0;
}
