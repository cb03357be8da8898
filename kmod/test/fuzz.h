/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OUTBOARD_TEST_FUZZ_H
#define OUTBOARD_TEST_FUZZ_H

#include "requests.h"

/* Counters shared by the processes of the fuzzer. */
struct tally {
	uint64_t records, refused_records, requests, good, bad, in_flight;
};

/* Runs a hostile process; never returns. */
void be_hostile(uint64_t seed, struct tally *tally) __attribute__((noreturn));

#endif
