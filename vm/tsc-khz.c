// SPDX-License-Identifier: Apache-2.0
/*
 * Prints the frequency in kHz of the time stamp counter that QEMU's TCG emulates on this host: the
 * host's own on x86, otherwise 1 GHz (cpu_get_host_ticks() of QEMU's include/qemu/timer.h).
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>

struct moment {
	uint64_t ticks;
	double seconds;
};

/* Reads both clocks. Of many attempts the shortest counts: it was not interrupted. */
static struct moment now(void)
{
	struct moment best = { 0 };
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < 200; i++) {
		struct timespec time;
		uint64_t before = __rdtsc(), after;

		clock_gettime(CLOCK_MONOTONIC_RAW, &time);
		after = __rdtsc();
		if (after - before < shortest) {
			shortest = after - before;
			best.ticks = before + shortest / 2;
			best.seconds = time.tv_sec + time.tv_nsec * 1e-9;
		}
	}
	return best;
}

static double khz(void)
{
	const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };
	struct moment start = now(), end;

	nanosleep(&pause, NULL);
	end = now();
	return (end.ticks - start.ticks) / (end.seconds - start.seconds) / 1000;
}
#else
static double khz(void)
{
	return 1e6;
}
#endif

int main(void)
{
	printf("%.0f\n", khz());
	return 0;
}
