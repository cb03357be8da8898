// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz [--seconds N] [--seed N]: hostile processes against /dev/outboard, with all accelerators of
 * the machine, of root and two users, while root switches the simulation's faults, changes limits,
 * unbinds its devices, disallows drivers, suspends and kills processes. Afterwards no object may exist in the module, and each algorithm must return
 * the same as software. vm/run checks the kernel's messages.
 */
#include "fuzz.h"
#include "software.h"
#include <getopt.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { PROCESSES = 3 };

static const char *const names[] = { "sim", "virtio" };
static const char *present[2];
static unsigned int presents;
static bool sim;

static pid_t processes[PROCESSES];
static struct tally *tally;
static uint64_t next_seed;
static unsigned int killed;

static void start(int i)
{
	uint64_t number = next_seed++;

	processes[i] = fork();
	check(processes[i] >= 0, "%m");
	/* A process group: the children of the process are killed with it. */
	setpgid(processes[i], 0);
	if (!processes[i]) {
		/* The first is root, the others are two users. */
		check(!i || (!setgid(2000 + i) && !setuid(2000 + i)), "%m");
		be_hostile(number, tally);
	}
}

static void stop(int i)
{
	kill(-processes[i], SIGKILL);
	while (waitpid(-processes[i], NULL, 0) > 0)
		;
	check(errno == ECHILD, "%m");
	killed++;
}

static void bind_or_unbind(const char *what, unsigned int device)
{
	char path[200];

	snprintf(path, sizeof(path), "/sys/bus/platform/drivers/outboard_sim/%s", what);
	tell(path, "outboard-sim.%u", device);
}

/* One device or both; the second one may go before the first is back. */
static void unplug_devices(void)
{
	unsigned int first = below(2), both = below(2);

	bind_or_unbind("unbind", first);
	usleep(below(100000));
	if (both)
		bind_or_unbind("unbind", !first);
	usleep(below(100000));
	bind_or_unbind("bind", first);
	if (both)
		bind_or_unbind("bind", !first);
}

/*
 * Not the fault "again": its second completion may be taken for that of the next request in the
 * slot, which the simulation still has (docs/uapi.md). A driver that does so damages memory.
 */
static void change_the_simulation(void)
{
	static const char *const rules[] = { "all error 5 every=7", "all error 22 every=30",
					     "all wrong every=5",   "all never every=40 count=30",
					     "all full every=3",    "all slow 3 every=2",
					     "all software every=4",
					     "all both 5 every=6",  "all refuse every=4",
					     "all garbage every=6", "all unwritten every=5" };
	static const struct {
		const char *name, *value;
	} model[] = {
		{ "latency_ns", "0" }, { "latency_ns", "200000" }, { "latency_ns", "3000000" },
		{ "queue", "1" },      { "queue", "5" },	   { "queue", "128" },
		{ "threaded", "Y" },   { "threaded", "N" },	   { "engines", "4" },
		{ "sessions", "20" },  { "sessions", "0" },    { "hard", "Y" },
		{ "hard", "N" }
	};
	unsigned int i = below(COUNT(model));
	char path[200];

	snprintf(path, sizeof(path), SIM_PARAMETERS "/%s", model[i].name);
	tell(path, "%s", model[i].value);
	tell(SIM_DEBUG "/faults", "%s", below(2) ? "clear" : rules[below(COUNT(rules))]);
	if (below(2))
		tell(SIM_DEBUG "/held", "%u", below(2) ? 0 : 125);
	if (!below(12))
		unplug_devices();
}

/* Limits that are reached at once, that are reached sometimes, and those at the end. */
static const struct {
	const char *name;
	unsigned long few, some, usual;
} limits[] = {
	{ "max_sessions", 6, 40, 4096 },
	{ "max_bytes", 3 * MIB, 64 * MIB, 64 * MIB },
	{ "max_requests", 1, 96, 96 },
};

static void set_limit(unsigned int limit, unsigned long value)
{
	char path[200];

	snprintf(path, sizeof(path), OUTBOARD_PARAMETERS "/%s", limits[limit].name);
	tell(path, "%lu", value);
}

static void change_the_limits(void)
{
	unsigned int i = below(COUNT(limits));

	set_limit(i, below(3) ? limits[i].some : limits[i].few);
}

/* Up to the freezer: the processes stop between any two instructions in user space. */
static void suspend(void)
{
	tell("/sys/module/suspend/parameters/pm_test_delay", "0");
	if (!tell("/sys/power/pm_test", "freezer"))
		tell("/sys/power/state", "freeze");
}

static void change_the_list(void)
{
	const char *driver;

	choose_accelerator(present[below(presents)]);
	driver = driver_of(&algorithms[below(ALGORITHMS)]);
	if (!driver)
		return;
	tell("/sys/class/misc/outboard/disallow", "%s", driver);
	usleep(below(30000));
	tell("/sys/class/misc/outboard/allow", "%s", driver);
}

static void disturb(void)
{
	int i = below(PROCESSES);

	usleep(below(200000));
	if (sim)
		change_the_simulation();
	if (!below(5))
		change_the_list();
	if (!below(4))
		change_the_limits();
	if (!below(40))
		suspend();
	/* A process that ended by itself has found a defect: open_device() must not fail. */
	if (waitpid(processes[i], NULL, WNOHANG) == processes[i])
		puts("a hostile process ended by itself");
	else if (below(3))
		return;
	stop(i);
	start(i);
}

static void calm_down(void)
{
	double end;

	tell(OUTBOARD_PARAMETERS "/timeout", "%d", TIME_LIMIT);
	for (unsigned int i = 0; i < COUNT(limits); i++)
		set_limit(i, limits[i].usual);
	check(!chmod("/dev/outboard", 0600), "%m");
	if (!sim)
		return;
	tell(SIM_DEBUG "/faults", "clear");
	/* Repeated: requests that leave the backlog now are held again. */
	for (end = now() + TIME_LIMIT; counter("requests") && now() < end; usleep(1000))
		tell(SIM_DEBUG "/held", "0");
	bind_or_unbind("bind", 0);
	bind_or_unbind("bind", 1);
	check(!tell(SIM_PARAMETERS "/preset", "ideal"), "the simulation: %m");
}

static bool answers_are_right(void)
{
	int fd = open_device(0);
	struct arena arena = map_arena(fd, 4 * MIB, 64);
	static uint8_t text[65536];
	bool right = true;

	for (unsigned int p = 0; p < presents; p++) {
		choose_accelerator(present[p]);
		allow_all();
		for (size_t i = 0; i < ALGORITHMS; i++) {
			const struct algorithm *of = &algorithms[i];

			if (!driver_of(of))
				continue;
			make_session(fd, 1, of);
			for (int n = 0; n < 10; n++) {
				struct outboard_slot slot = a_slot(of, 1, &arena, 0, 65536,
								   n ? 16 + (below(65000) & ~15u) :
								       16);

				randomize(text, slot.length);
				memcpy(arena.data, text, slot.length);
				if (!ask(&arena, &slot) && is_right(of, &arena, 0, text))
					continue;
				printf("%s with %u bytes: status %d, or wrong bytes\n",
				       driver_of(of), slot.length, arena.slot[0].status);
				right = false;
			}
			check(!free_session(fd, 1), "%m");
		}
		disallow_all();
	}
	unmap_arena(&arena);
	close(fd);
	return right;
}

static int result(const char *name, bool good)
{
	static double since;

	printf("test fuzz::%s ... %s <%.1fs>\n", name, good ? "ok" : "FAILED",
	       since ? now() - since : 0);
	since = now();
	return !good;
}

int main(int count, char **words)
{
	static const struct option options[] = { { "seconds", 1, NULL, 's' },
						 { "seed", 1, NULL, 'r' },
						 { 0 } };
	unsigned long seconds = 120;
	const char *left;
	double until, calmed;
	int option, failed = 0;

	next_seed = (uint64_t)(now() * 1e9) ^ (uint64_t)getpid() << 40;
	while ((option = getopt_long(count, words, "", options, NULL)) != -1) {
		if (option == 's') {
			seconds = strtoul(optarg, NULL, 0);
		} else if (option == 'r') {
			next_seed = strtoull(optarg, NULL, 0);
		} else {
			fputs("usage: fuzz [--seconds N] [--seed N]\n", stderr);
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	software_load();
	for (size_t i = 0; i < COUNT(names); i++)
		if (choose_accelerator(names[i]) && bound_device()) {
			present[presents++] = names[i];
			sim |= accelerator->sim;
			allow_all();
		}
	check(presents, "no accelerator is here: neither virtio-crypto nor the simulation");
	printf("fuzz: %lu s with%s%s%s, seed %llu\n", seconds, sim ? " the simulation" : "",
	       presents > 1 ? " and" : "",
	       strcmp(present[presents - 1], "virtio") ? "" : " virtio-crypto",
	       (unsigned long long)next_seed);
	seed(next_seed);

	check(!chmod("/dev/outboard", 0666), "%m");
	tell(OUTBOARD_PARAMETERS "/timeout", "1");
	for (unsigned int i = 0; i < COUNT(limits); i++)
		set_limit(i, limits[i].some);
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	check(tally != MAP_FAILED, "%m");
	check(!prctl(PR_SET_CHILD_SUBREAPER, 1), "%m");
	for (int i = 0; i < PROCESSES; i++)
		start(i);
	for (until = now() + seconds; now() < until;)
		disturb();
	for (int i = 0; i < PROCESSES; i++)
		stop(i);
	calmed = now();
	calm_down();
	printf("fuzz: calm after %.1f s\n", now() - calmed);
	printf("fuzz: %lu records, %lu of them refused; %lu requests, %lu done, %lu refused, %lu seen in flight; %u processes killed\n",
	       tally->records, tally->refused_records, tally->requests, tally->good, tally->bad,
	       tally->in_flight, killed);
	failed += result("it_reached_the_drivers",
			 tally->good && tally->bad && tally->in_flight && tally->refused_records);
	left = leftovers();
	if (left)
		printf("still alive in the module: %s\n", left);
	failed += result("nothing_is_left", !left);
	for (unsigned int p = 0; p < presents; p++) {
		choose_accelerator(present[p]);
		/* answers_are_right() allows drivers that are disallowed now. */
		for (size_t i = 0; i < ALGORITHMS; i++)
			if (driver_of(&algorithms[i]))
				tell("/sys/class/misc/outboard/disallow", "%s",
				     driver_of(&algorithms[i]));
	}
	failed += result("answers_are_still_right", answers_are_right());
	left = leftovers();
	failed += result("nothing_is_left_after_them", !left);
	printf("test result: %s. %d passed; %d failed; 0 ignored; 0 measured; 0 filtered out\n",
	       failed ? "FAILED" : "ok", 4 - failed, failed);
	return failed ? 1 : 0;
}
