/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's tests. Each is a function that runs in its own process; a failed check ends it.
 * After each test no object may exist in the module. A theme is a file, with the table of its tests
 * at its end.
 */
#ifndef OUTBOARD_TEST_TESTS_H
#define OUTBOARD_TEST_TESTS_H

#include "requests.h"
#include "software.h"

struct test {
	const char *name;
	void (*run)(void);
	/* Instead of run: called once per algorithm of these kinds that the accelerator has. */
	void (*each)(const struct algorithm *algorithm);
	int kinds;
	bool sim_only;
};

struct theme {
	const char *name;
	const struct test *tests;
	size_t count;
	bool sim_only;
	bool by_name;	/* only if its name is the word of the command line */
};

#define TEST(function) { .name = #function, .run = function }
#define TEST_SIM(function) { .name = #function, .run = function, .sim_only = true }
#define EACH(function, of) { .name = #function, .each = function, .kinds = of }
#define THEME_BY_NAME(name) const struct theme name##_theme = { #name, tests, COUNT(tests), true, true }
#define THEME(name, sim_only) const struct theme name##_theme = { #name, tests, COUNT(tests), sim_only, false }

extern const struct theme ciphers_theme, aeads_theme, hashes_theme, batches_theme, await_theme,
	notify_theme, records_theme, mapping_theme, sharing_theme, sandbox_theme, lifetimes_theme,
	turns_theme, shares_theme, trials_theme, limits_theme, users_theme, pairs_theme, credentials_theme, faults_theme, stopped_theme, suspend_theme, unplugged_theme;

/* Returns the index of the first byte that differs, or -1. */
long differ(const void *a, const void *b, size_t size);
/* Waits for a child, which must exit with 0. */
void join(pid_t child);
void kill_it(pid_t child);
/*
 * Gives a parameter of the simulation that value, and results that are not computed: its threads
 * would have the CPU of the tests.
 */
void slow_engine(const char *parameter, const char *value);
/* Ends the test, which is reported as ignored: the machine lacks this. */
void lacks(const char *missing) __attribute__((noreturn));
/* Returns the kernel's software driver of the AES block cipher: aes-generic, since 7.2 aes-lib. */
const char *software_aes(void);
/* In pairs.c; leaves handles of drivers behind. */
void pairs_with_an_unbinding(void);
/* Seconds of a test whose length is chosen. */
extern int duration;
/* Directory of the test programs. */
extern const char *programs;

#endif
