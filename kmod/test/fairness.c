// SPDX-License-Identifier: GPL-2.0
/*
 * fairness virtio|engine|sim [--rounds N] [--milliseconds N]: measures what other users cost one
 * user. The user submits 4 KiB at depth 1 with WAIT, alone and while three processes of other users
 * keep as many requests of one size submitted as a descriptor may. Alone and loaded are interleaved
 * (5 rounds of 400 ms). Prints for each size of the attackers' requests the median time of a
 * request, the number of requests per second, and what the attackers got.
 */
#include "requests.h"
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { ATTACKERS = 3, THREADS = 2, QUEUED = 64, TEXT = 4096, MOST = 1 << 20 };

static const uint32_t sizes[] = { 16, 4096, 16384, 65536 };
static const struct algorithm *cbc;
static unsigned int rounds = 5, milliseconds = 400;

struct shared {
	volatile unsigned int ready;
	unsigned long batches[ATTACKERS];
} *shared;

struct part {
	struct arena arena;
	uint32_t size;
	unsigned int first;
	unsigned long *batches;
};

/* Several threads, so that requests of others wait in the module while one submits again. */
static void *keep_submitting(void *argument)
{
	struct part *part = argument;

	for (;;) {
		for (unsigned int s = part->first; s < part->first + QUEUED; s++) {
			struct outboard_slot slot = a_slot(cbc, 1, &part->arena, 0, 0, part->size);

			put(&part->arena, s, &slot);
		}
		check(!submit(&part->arena, part->first, QUEUED, OUTBOARD_WAIT), "%m");
		__atomic_fetch_add(part->batches, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void __attribute__((noreturn)) attack(uid_t user, uint32_t size, unsigned long *batches)
{
	struct part parts[THREADS];
	struct arena arena;
	pthread_t thread;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	check(!setgid(user) && !setuid(user), "%m");
	fd = open_device(0);
	make_session(fd, 1, cbc);
	arena = map_arena(fd, 1 * MIB, THREADS * QUEUED);
	__atomic_fetch_add(&shared->ready, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < THREADS; i++) {
		parts[i] = (struct part){ arena, size, i * QUEUED, batches };
		check(!pthread_create(&thread, NULL, keep_submitting, &parts[i]), "%m");
	}
	for (;;)
		pause();
}

/* Times of requests in microseconds. */
struct sample {
	float *of;
	unsigned int count;
	double seconds;
};

static void measure(const struct arena *arena, struct sample *sample)
{
	double start = now(), before = start, end = start + milliseconds / 1e3, after;
	struct outboard_slot slot = a_slot(cbc, 1, arena, 0, 0, TEXT);

	do {
		check(!ask(arena, &slot), "status %d", arena->slot[0].status);
		after = now();
		if (sample->count < MOST)
			sample->of[sample->count++] = (after - before) * 1e6;
		before = after;
	} while (after < end);
	sample->seconds += after - start;
}

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? -1 : x > y;
}

static double quantile(struct sample *sample, double part)
{
	qsort(sample->of, sample->count, sizeof(*sample->of), compare);
	return sample->of[(unsigned int)(part * (sample->count - 1))];
}

static void with_attackers(const struct arena *arena, uint32_t size, struct sample *sample)
{
	pid_t children[ATTACKERS];

	shared->ready = 0;
	for (int i = 0; i < ATTACKERS; i++) {
		children[i] = fork();
		check(children[i] >= 0, "%m");
		if (!children[i])
			attack(2001 + i, size, &shared->batches[i]);
	}
	while (shared->ready < ATTACKERS)
		usleep(1000);
	usleep(50000);
	measure(arena, sample);
	for (int i = 0; i < ATTACKERS; i++)
		check(!kill(children[i], SIGKILL) && waitpid(children[i], NULL, 0) == children[i],
		      "%m");
	while (counter("requests"))
		usleep(1000);
}

static void compare_with(const struct arena *arena, uint32_t size)
{
	struct sample alone = { calloc(MOST, sizeof(float)), 0, 0 },
		      loaded = { calloc(MOST, sizeof(float)), 0, 0 };
	double alone_rate, loaded_rate;
	unsigned long most = 0, batches = 0;

	memset(shared->batches, 0, sizeof(shared->batches));
	for (unsigned int round = 0; round < rounds; round++) {
		measure(arena, &alone);
		with_attackers(arena, size, &loaded);
	}
	for (int i = 0; i < ATTACKERS; i++) {
		batches += shared->batches[i];
		most = shared->batches[i] > most ? shared->batches[i] : most;
	}
	alone_rate = alone.count / alone.seconds;
	loaded_rate = loaded.count / loaded.seconds;
	printf("%6u | %8.0f | %8.0f | %5.2f | %8.0f | %8.0f | %8.0f | %5.2f | %9.1f | %.2f\n", size,
	       quantile(&alone, .5), quantile(&loaded, .5),
	       quantile(&loaded, .5) / quantile(&alone, .5), quantile(&loaded, .99), alone_rate,
	       loaded_rate, loaded_rate / alone_rate,
	       (double)batches * QUEUED * size / loaded.seconds / 1e6,
	       batches ? 3.0 * most / batches : 0);
	fflush(stdout);
	free(alone.of);
	free(loaded.of);
}

int main(int count, char **words)
{
	static const struct option options[] = { { "rounds", 1, NULL, 'r' },
						 { "milliseconds", 1, NULL, 'm' },
						 { 0 } };
	struct arena arena;
	int option, fd;

	while ((option = getopt_long(count, words, "", options, NULL)) != -1) {
		if (option == 'r')
			rounds = strtoul(optarg, NULL, 0);
		else if (option == 'm')
			milliseconds = strtoul(optarg, NULL, 0);
		else
			optind = count + 1;
	}
	if (optind != count - 1 || !choose_accelerator(words[optind])) {
		fputs("usage: fairness virtio|engine|sim [--rounds N] [--milliseconds N]\n",
		      stderr);
		return 2;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	check(shared != MAP_FAILED, "%m");
	cbc = algorithm(OUTBOARD_CBC_AES);
	check(!tell("/sys/class/misc/outboard/allow", "%s", driver_of(cbc)), "%s: %m",
	      driver_of(cbc));
	check(!chmod("/dev/outboard", 0666), "%m");
	fd = open_device(0);
	make_session(fd, 1, cbc);
	arena = map_arena(fd, 1 * MIB, 0);
	printf("        us per request of 4 KiB              | requests per second         | attackers\n"
	       " bytes |    alone |   loaded | ratio | 99 in 100 |   alone |   loaded | ratio |      MB/s | most/mean\n");
	for (size_t i = 0; i < COUNT(sizes); i++)
		compare_with(&arena, sizes[i]);
	check(!chmod("/dev/outboard", 0600), "%m");
	check(!tell("/sys/class/misc/outboard/disallow", "%s", driver_of(cbc)), "%m");
	return 0;
}
