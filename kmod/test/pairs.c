// SPDX-License-Identifier: GPL-2.0
/* Two faults of a driver, one shortly after the other: what submitters wait, and each status. */
#include "tests.h"
#include <sys/wait.h>

/* A submitter waits this long at most, in seconds. */
#define LONGEST 0.12

enum { SIZE = 1024, SLOTS = 64, ENOUGH = 24 };

/* What is expected of the request with the fault. LATE: completes after it was given up. */
enum effect { NONE, WRONG, FAILS, LOST, LATE, UNBIND };

static const struct fault {
	const char *rule;	/* NULL: none of the simulation */
	enum effect effect;
} faults[] = {
	{ "wrong", WRONG },  { "error 5", FAILS },   { "again", NONE },	    { "never", LOST },
	{ "never", LATE },   { "refuse", NONE },     { "full", NONE },	    { "delay 20", NONE },
	{ NULL, UNBIND },
};

static int fd;
static struct arena arena;
static const struct algorithm *cbc;
static uint8_t text[SIZE];

static void begin(void)
{
	cbc = algorithm(OUTBOARD_CBC_AES);
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, SLOTS);
	randomize(text, sizeof(text));
	check(!tell(OUTBOARD_PARAMETERS "/patience", "30"), "%m");
	/* An unbinding waits this long for lost requests. */
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "1"), "%m");
}

static void answer_held(void)
{
	check(!tell(SIM_DEBUG "/held", "0"), "%m");
}

/* The next request to an engine that stopped is let through, as if a driver were allowed. */
static void end_the_pause(void)
{
	const char *other = driver_of(algorithm(OUTBOARD_ECB_AES));

	check(!tell("/sys/class/misc/outboard/disallow", "%s", other), "%m");
	check(!tell("/sys/class/misc/outboard/allow", "%s", other), "%m");
}

static void renew_session(void)
{
	double end = now() + TIME_LIMIT;

	free_session(fd, 1);
	while (new_session(fd, 1, OUTBOARD_CBC_AES, 0, a_key(), 16))
		check(now() < end, "no session: %m");
}

/* Returns the status; the seconds that the submitter waited are added to @longest. */
static int status_of(unsigned int slot, double *longest)
{
	struct outboard_slot wanted = a_slot(cbc, 1, &arena, slot * 8192, slot * 8192, SIZE);
	double start, took;

	memcpy(arena.base + wanted.in, text, SIZE);
	put(&arena, slot, &wanted);
	start = now();
	submit(&arena, slot, 1, OUTBOARD_WAIT);
	took = now() - start;
	*longest = took > *longest ? took : *longest;
	return arena.slot[slot].status;
}

static pid_t unbind_and_bind(void)
{
	pid_t child = fork();

	if (child)
		return child;
	for (int i = 0; i < 2; i++) {
		check(!tell("/sys/bus/platform/drivers/outboard_sim/unbind", "outboard-sim.%d", i),
		      "%m");
		check(!tell("/sys/bus/platform/drivers/outboard_sim/bind", "outboard-sim.%d", i), "%m");
	}
	_exit(0);
}

static void inject(const struct fault *fault, unsigned int after)
{
	if (fault->rule)
		check(!tell(SIM_DEBUG "/faults", "sim-cbc-aes %s after=%u count=1", fault->rule,
			    after), "%m");
}

static unsigned int has(const struct fault *first, const struct fault *second, enum effect effect)
{
	return (first->effect == effect) + (second->effect == effect);
}

/* Returns the longest time that a submitter waited. */
static double pair(const struct fault *first, const struct fault *second)
{
	const bool unbind = has(first, second, UNBIND);
	unsigned int seen[UNBIND + 1] = { 0 }, in_flight = 0, good = 0;
	double longest = 0, unused = 0;
	double end = now() + TIME_LIMIT;
	pid_t child = 0;

	renew_session();
	end_the_pause();
	/* The machine may be late here too. */
	for (int i = 0; i < 8; i++)
		while (status_of(0, &unused)) {
			wait_for(&arena, 0);
			end_the_pause();
			check(now() < end, "status %d", arena.slot[0].status);
		}
	inject(first, 2);
	inject(second, 4);
	for (unsigned int slot = 0; slot < ENOUGH; slot++) {
		int status;

		if (unbind && slot == (first->effect == UNBIND ? 2u : 5u))
			child = unbind_and_bind();
		status = status_of(slot, &longest);
		if (status == OUTBOARD_IN_FLIGHT) {
			seen[LOST]++;
			in_flight = slot;
		} else if (status == -EIO) {
			seen[FAILS]++;
		} else if (!status && !is_right(cbc, &arena, slot, text)) {
			seen[WRONG]++;
		} else if (status == -ENODEV && unbind) {
			renew_session();
		} else if (!status) {
			good++;
		} else {
			check(status == -EHOSTDOWN, "%s, %s: slot %u: status %d", first->rule,
			      second->rule, slot, status);
		}
		if (status == OUTBOARD_IN_FLIGHT || status == -EHOSTDOWN)
			end_the_pause();
		if (in_flight && slot == in_flight + 2 && has(first, second, LATE))
			answer_held();
	}
	if (child)
		join(child);
	check(!tell(SIM_DEBUG "/faults", "clear"), "%m");
	answer_held();
	for (unsigned int slot = 0; slot < ENOUGH; slot++)
		wait_for(&arena, slot);
	check(good >= ENOUGH / 2, "%s, %s: only %u good", first->rule, second->rule, good);
	if (!unbind)
		for (enum effect effect = WRONG; effect <= LOST; effect++) {
			unsigned int want = has(first, second, effect) +
					    (effect == LOST ? has(first, second, LATE) : 0);

			/* The machine itself was late. */
			if (effect == LOST && seen[effect] > want) {
				printf("%u requests were lost, and not %u\n", seen[effect], want);
				return LONGEST;
			}
			check(seen[effect] == want, "%s, %s: effect %d: %u requests", first->rule,
			      second->rule, effect, seen[effect]);
		}
	return longest;
}

/* All times are the machine's, which other things delay: one of three tries is enough. */
static void each_pair(bool unbinding)
{
	for (size_t i = 0; i < COUNT(faults); i++)
		for (size_t j = 0; j < COUNT(faults); j++) {
			const struct fault *first = &faults[i], *second = &faults[j];
			double longest = LONGEST;

			if (unbinding != (has(first, second, UNBIND) == 1))
				continue;
			if (!unbinding && has(first, second, UNBIND))
				continue;
			for (int try = 0; try < 3 && longest >= LONGEST; try++)
				longest = pair(first, second);
			printf("%s, %s: %.1f ms\n", first->rule ?: "unbind", second->rule ?: "unbind",
			       longest * 1000);
			check(longest < LONGEST, "%s, %s: %.1f ms", first->rule ?: "unbind",
			      second->rule ?: "unbind", longest * 1000);
		}
}

static void a_submitter_waits_for_no_pair_of_faults(void)
{
	begin();
	each_pair(false);
}

void pairs_with_an_unbinding(void)
{
	begin();
	each_pair(true);
}

static const struct test tests[] = {
	TEST(a_submitter_waits_for_no_pair_of_faults),
};
THEME(pairs, true);
