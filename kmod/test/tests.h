/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's tests. Each is a function that runs in a process of its own; a check that does not hold ends it. After each of
 * them nothing may be alive in the module. A theme is a file; its table stands at its end.
 */
#ifndef OUTBOARD_TEST_TESTS_H
#define OUTBOARD_TEST_TESTS_H

#include "requests.h"
#include "software.h"

struct test {
	const char *name;
	void (*run)(void);
	/* Or once for each of these kinds of algorithm that the accelerator has. */
	void (*each)(const struct algorithm *algorithm);
	int kinds;
	bool sim_only;
};

struct theme {
	const char *name;
	const struct test *tests;
	size_t count;
	bool sim_only;
};

#define TEST(function) { .name = #function, .run = function }
#define TEST_SIM(function) { .name = #function, .run = function, .sim_only = true }
#define EACH(function, of) { .name = #function, .each = function, .kinds = of }
#define THEME(name, sim_only) const struct theme name##_theme = { #name, tests, COUNT(tests), sim_only }

extern const struct theme ciphers_theme, aeads_theme, hashes_theme, batches_theme, await_theme, notify_theme, records_theme, mapping_theme,
	sharing_theme, sandbox_theme, lifetimes_theme, faults_theme;

/* Bytes that two buffers do not have in common: the first of them, for messages; -1: none. */
long differ(const void *a, const void *b, size_t size);
/* Waits for a child: it must end well. */
void join(pid_t child);
/* The directory of the test programs. */
extern const char *programs;

#endif
