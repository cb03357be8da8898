/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OUTBOARD_TEST_FUZZ_H
#define OUTBOARD_TEST_FUZZ_H

#include "requests.h"

/* Counters shared by the processes of the fuzzer. 32-bit MIPS has no 64-bit atomics. */
struct tally {
	unsigned long records, refused_records, requests, good, bad, in_flight;
};

/* Runs a hostile process; never returns. */
void be_hostile(uint64_t seed, struct tally *tally) __attribute__((noreturn));

#endif
