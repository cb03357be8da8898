// SPDX-License-Identifier: Apache-2.0
/*
 * uring-cmd answers: every contestant must encrypt NIST SP 800-38A, F.2.1 correctly.
 * uring-cmd measure INTERRUPTS ROUNDS REQUESTS: compares the contestants in interleaved rounds of
 * samples of REQUESTS requests, and prints medians. INTERRUPTS is a part of the lines of the
 * accelerator in /proc/interrupts.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "uring-cmd.h"

enum { MAX_ROUNDS = 64, MAX_CONTESTANTS = 8 };

static const unsigned int depths[] = { 1, 8, 32 };
static const uint32_t sizes[] = { 16, 1024, 4096, 16384, 65536 };

enum { DEPTHS = sizeof(depths) / sizeof(depths[0]), SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* What has been counted since the boot. */
struct counts {
	double ns, switches, interrupts, calls;
};

/* Of one request. */
struct sample {
	double ns, calls, switches, interrupts;
};

static struct sample samples[MAX_CONTESTANTS][DEPTHS][SIZES][MAX_ROUNDS];

static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "r");

	check(file, path);
	return file;
}

/* Since the boot, in hundredths of a second: the time of the only CPU, and its idle part. */
struct cpu_time {
	uint64_t all, idle;
};

static struct cpu_time cpu_time(void)
{
	FILE *stat = open_file("/proc/stat");
	uint64_t part[8];

	check(fscanf(stat, "cpu %ju %ju %ju %ju %ju %ju %ju %ju", &part[0], &part[1], &part[2],
		     &part[3], &part[4], &part[5], &part[6], &part[7]) == 8,
	      "reading /proc/stat");
	fclose(stat);
	struct cpu_time time = { 0, part[3] + part[4] };

	for (int i = 0; i < 8; i++)
		time.all += part[i];
	return time;
}

static double context_switches(void)
{
	FILE *stat = open_file("/proc/stat");
	uint64_t count = 0;
	char line[4096];
	bool found = false;

	while (!found && fgets(line, sizeof(line), stat))
		found = sscanf(line, "ctxt %ju", &count) == 1;
	fclose(stat);
	check(found, "finding ctxt in /proc/stat");
	return count;
}

/* Of the only CPU, in the lines that contain @name. */
static double interrupts_of(const char *name)
{
	FILE *list = open_file("/proc/interrupts");
	uint64_t sum = 0, count;
	char line[512];

	while (fgets(line, sizeof(line), list))
		if (strstr(line, name) && sscanf(line, " %*[^:]: %ju", &count) == 1)
			sum += count;
	fclose(list);
	return sum;
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static struct sample measure(const struct device *device, const struct contestant *contestant,
			     unsigned int depth, uint32_t bytes, unsigned int requests,
			     const char *interrupts)
{
	struct counts from, to;

	contestant->run(device, depth, bytes, depth);
	from.interrupts = interrupts_of(interrupts);
	from.switches = context_switches();
	from.calls = system_calls;
	from.ns = now_ns();
	contestant->run(device, depth, bytes, requests);
	to.ns = now_ns();
	to.calls = system_calls;
	to.switches = context_switches();
	to.interrupts = interrupts_of(interrupts);
	check(to.interrupts > from.interrupts, "counting interrupts of the accelerator");
	return (struct sample){
		.ns = (to.ns - from.ns) / requests,
		.calls = (to.calls - from.calls) / requests,
		.switches = (to.switches - from.switches) / requests,
		.interrupts = (to.interrupts - from.interrupts) / requests,
	};
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned int count)
{
	qsort(values, count, sizeof(values[0]), by_value);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* @field: offset of a double in struct sample. */
static double median_of(const struct sample *of, unsigned int rounds, size_t field)
{
	double values[MAX_ROUNDS];

	for (unsigned int i = 0; i < rounds; i++)
		values[i] = *(const double *)((const char *)&of[i] + field);
	return median(values, rounds);
}

/* Median and median absolute deviation of the ratio of times within a round. */
static void print_ratio(const struct sample *of, const struct sample *to, unsigned int rounds)
{
	double values[MAX_ROUNDS], middle;

	for (unsigned int i = 0; i < rounds; i++)
		values[i] = of[i].ns / to[i].ns;
	middle = median(values, rounds);
	for (unsigned int i = 0; i < rounds; i++)
		values[i] = values[i] > middle ? values[i] - middle : middle - values[i];
	printf(" | %.2f ±%.2f", middle, median(values, rounds));
}

static bool is_measured(unsigned int which, unsigned int depth)
{
	return depth > 1 || !contestants[which].needs_depth;
}

static void print_depth(unsigned int d, unsigned int rounds)
{
	printf("\n### %u in flight\n\n", depths[d]);
	printf("| | bytes | ns | MB/s | system calls | context switches | interrupts |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (unsigned int which = 0; which < contestant_count; which++) {
		if (!is_measured(which, depths[d]))
			continue;
		for (unsigned int s = 0; s < SIZES; s++) {
			const struct sample *of = samples[which][d][s];
#define MEDIAN(name) median_of(of, rounds, offsetof(struct sample, name))
			printf("| %s | %u | %.0f | %.2f | %.2f | %.2f | %.2f |\n",
			       contestants[which].name, sizes[s], MEDIAN(ns),
			       sizes[s] * 1e3 / MEDIAN(ns), MEDIAN(calls), MEDIAN(switches),
			       MEDIAN(interrupts));
#undef MEDIAN
		}
	}
}

/* Each contestant with a ring as a multiple of the one without that is the same kind of program. */
static void print_ratios(unsigned int rounds)
{
	static const unsigned int pairs[][2] = { { 2, 0 }, { 2, 1 }, { 3, 0 }, { 3, 1 },
						 { 5, 4 }, { 7, 6 } };

	printf("\n### Time of a request, as a multiple\n\n| | in flight");
	for (unsigned int s = 0; s < SIZES; s++)
		printf(" | %u", sizes[s]);
	printf(" |\n|---|---|---|---|---|---|---|\n");
	for (unsigned int p = 0; p < sizeof(pairs) / sizeof(pairs[0]); p++) {
		for (unsigned int d = 0; d < DEPTHS; d++) {
			unsigned int of = pairs[p][0], to = pairs[p][1];

			if (!is_measured(of, depths[d]) || !is_measured(to, depths[d]))
				continue;
			printf("| %s / %s | %u", contestants[of].name, contestants[to].name,
			       depths[d]);
			for (unsigned int s = 0; s < SIZES; s++)
				print_ratio(samples[of][d][s], samples[to][d][s], rounds);
			printf(" |\n");
		}
	}
}

static void compare(const struct device *device, const char *interrupts, unsigned int rounds,
		    unsigned int requests)
{
	struct cpu_time from = cpu_time(), to;

	for (unsigned int round = 0; round < rounds; round++) {
		for (unsigned int d = 0; d < DEPTHS; d++)
			for (unsigned int s = 0; s < SIZES; s++)
				for (unsigned int i = 0; i < contestant_count; i++) {
					/* Each second round in reverse order. */
					unsigned int which =
						round % 2 ? contestant_count - 1 - i : i;

					if (is_measured(which, depths[d]))
						samples[which][d][s][round] =
							measure(device, &contestants[which],
								depths[d], sizes[s], requests,
								interrupts);
				}
		fprintf(stderr, "uring-cmd: round %u of %u\n", round + 1, rounds);
	}
	to = cpu_time();
	printf("Medians of %u rounds; a sample has %u requests. The CPU was idle for %.1f %% of the time.\n",
	       rounds, requests, 100.0 * (to.idle - from.idle) / (to.all - from.all));
	for (unsigned int d = 0; d < DEPTHS; d++)
		print_depth(d, rounds);
	print_ratios(rounds);
}

static void compare_answers(const struct device *device)
{
	static const uint8_t text[16] = { 0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96,
					  0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a },
			     answer[16] = { 0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46,
					    0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d };

	for (unsigned int which = 0; which < contestant_count; which++) {
		for (unsigned int i = 0; i < MAX_DEPTH; i++)
			memcpy(device->base + device->data_offset + i * MAX_BYTES, text,
			       sizeof(text));
		contestants[which].run(device, MAX_DEPTH, sizeof(text), MAX_DEPTH);
		for (unsigned int i = 0; i < MAX_DEPTH; i++)
			check(!memcmp(device->base + device->data_offset + i * MAX_BYTES, answer,
				      sizeof(answer)),
			      contestants[which].name);
	}
}

int main(int argc, char **argv)
{
	struct device device = device_open();

	contestants_open(&device);
	if (argc == 2 && !strcmp(argv[1], "answers")) {
		compare_answers(&device);
		return 0;
	}
	if (argc == 5 && !strcmp(argv[1], "measure")) {
		unsigned int rounds = atoi(argv[3]), requests = atoi(argv[4]);

		if (rounds >= 1 && rounds <= MAX_ROUNDS && requests >= MAX_DEPTH &&
		    requests % MAX_DEPTH == 0 && contestant_count <= MAX_CONTESTANTS) {
			compare(&device, argv[2], rounds, requests);
			return 0;
		}
	}
	fprintf(stderr, "usage: uring-cmd answers | measure INTERRUPTS ROUNDS REQUESTS\n"
			"REQUESTS is a multiple of %d, ROUNDS at most %d\n",
		MAX_DEPTH, MAX_ROUNDS);
	return 2;
}
