// SPDX-License-Identifier: GPL-2.0
/*
 * tests virtio|engine|sim [WORD [SECONDS]]: runs the tests (those with WORD in their names) of
 * /dev/outboard with that accelerator; the test of a busy host lasts SECONDS (5). Needs root, the
 * module, the accelerator's driver, and no other user of the module. Prints one line per test.
 * "tests sim unplugged" requires two devices of the simulation and leaves handles of its drivers
 * behind: its module cannot be unloaded afterwards.
 */
#include "tests.h"
#include <libgen.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define SECONDS 300	/* limit for one test, on a busy host */

static const struct theme *const themes[] = {
	&ciphers_theme,	  &aeads_theme,	  &hashes_theme,  &batches_theme, &await_theme,
	&notify_theme,	  &records_theme, &mapping_theme, &sharing_theme, &sandbox_theme,
	&lifetimes_theme, &turns_theme,	  &shares_theme,  &trials_theme,  &faults_theme,
	&stopped_theme,	  &limits_theme,  &users_theme,	  &pairs_theme,	  &suspend_theme,
	&credentials_theme,
	&unplugged_theme,
};

const char *programs;
int duration = 5;
static int passed, failed, ignored;

/* ---- Functions for tests ---- */

long differ(const void *a, const void *b, size_t size)
{
	const uint8_t *x = a, *y = b;

	for (size_t i = 0; i < size; i++)
		if (x[i] != y[i])
			return i;
	return -1;
}

void join(pid_t child)
{
	int status = -1;

	check(waitpid(child, &status, 0) == child, "%m");
	check(!status, "process %d ended with status %#x", child, status);
}

void kill_it(pid_t child)
{
	check(!kill(child, SIGKILL) && waitpid(child, NULL, 0) == child, "%m");
}

void slow_engine(const char *parameter, const char *value)
{
	check(!tell(SIM_PARAMETERS "/compute", "N"), "%m");
	check(!tell(parameter, "%s", value), "%m");
}

/* ---- The runner ---- */

#define LACKS 77
static const char ignored_test[] = "ignored";

void lacks(const char *missing)
{
	printf("%s\n", missing);
	exit(LACKS);
}

/* Returns NULL, ignored_test with the missing part in output, or a description of the failure. */
static const char *in_a_process(const struct test *test, const struct algorithm *algorithm,
				int output)
{
	struct pollfd ended = { .events = POLLIN };
	pid_t child;
	int status, found;

	fflush(stdout);
	child = fork();
	check(child >= 0, "%m");
	if (!child) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(output, 1);
		dup2(output, 2);
		seed(1);
		if (test->each)
			test->each(algorithm);
		else
			test->run();
		exit(0);
	}
	setpgid(child, child);
	ended.fd = syscall(SYS_pidfd_open, child, 0);
	check(ended.fd >= 0, "pidfd_open: %m");
	found = poll(&ended, 1, (SECONDS + duration) * 1000);
	close(ended.fd);
	kill(-child, SIGKILL);
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == LACKS)
		return ignored_test;
	if (!found)
		return "not done in time";
	if (WIFSIGNALED(status))
		return strsignal(WTERMSIG(status));
	return WEXITSTATUS(status) ? "" : NULL;
}

/* The limits of the module as it was loaded. */
static long max_sessions, max_bytes;

/* Restores what a test has changed or, after a failure, left behind. */
static void tidy(void)
{
	double end;
	int error;

	check(!tell(OUTBOARD_PARAMETERS "/max_sessions", "%ld", max_sessions), "%m");
	check(!tell(OUTBOARD_PARAMETERS "/max_bytes", "%ld", max_bytes), "%m");
	check(!tell(OUTBOARD_PARAMETERS "/max_requests", "96"), "%m");

	/* Most tests hold requests, and the engine must not count as stopped. */
	check(!tell(OUTBOARD_PARAMETERS "/patience", "%d", 10 * TIME_LIMIT * 1000), "%m");
	check(!tell(OUTBOARD_PARAMETERS "/timeout", "%d", TIME_LIMIT), "timeout: %m");
	check(!chmod("/dev/outboard", 0600), "%m");
	if (!accelerator->sim)
		return;
	check(!tell(SIM_DEBUG "/faults", "clear"), "the simulation's faults: %m");
	/* Repeated: requests that leave the backlog now are held again. */
	for (end = now() + TIME_LIMIT; counter("requests") && now() < end; usleep(1000))
		check(!tell(SIM_DEBUG "/held", "0"), "%m");
	/* Repeated: a killed process may not have closed its sessions yet. */
	end = now() + TIME_LIMIT;
	while ((error = tell(SIM_PARAMETERS "/preset", "ideal"))) {
		check(error == -EBUSY && now() < end, "the simulation's preset: %m");
		usleep(1000);
	}
	check(!tell(SIM_PARAMETERS "/compute", "Y"), "the simulation's results: %m");
	if (!bound_device())
		tell("/sys/bus/platform/drivers/outboard_sim/bind", "outboard-sim.0");
	if (!access("/sys/bus/platform/devices/outboard-sim.1", F_OK))
		tell("/sys/bus/platform/drivers/outboard_sim/bind", "outboard-sim.1");
}

/* An engine without sessions of which a driver is disallowed begins as a new one. */
static void forget_engine(void)
{
	const char *driver = driver_of(algorithm(OUTBOARD_CBC_AES));
	double end = now() + TIME_LIMIT;

	while (counter("sessions") && now() < end)
		usleep(1000);
	tell("/sys/class/misc/outboard/disallow", "%s", driver);
	check(!tell("/sys/class/misc/outboard/allow", "%s", driver), "%m");
}

static void run_one(const struct theme *theme, const struct test *test,
		    const struct algorithm *algorithm, const char *word)
{
	int output = memfd_create("output", MFD_CLOEXEC);
	char name[200], text[8192];
	const char *wrong, *left;
	double start;
	ssize_t size;

	snprintf(name, sizeof(name), "%s::%s::%s%s%s", accelerator->name, theme->name, test->name,
		 algorithm ? "::" : "", algorithm ? algorithm->name : "");
	if (word && !strstr(name, word)) {
		close(output);
		return;
	}
	printf("test %s ... ", name);
	start = now();
	wrong = in_a_process(test, algorithm, output);
	tidy();
	forget_engine();
	left = leftovers();
	if (wrong == ignored_test && !left) {
		size = pread(output, text, sizeof(text), 0);
		printf("ignored, %.*s", (int)(size > 0 ? size : 0), text);
		ignored++;
	} else if (!wrong && !left) {
		printf("ok <%.1fs>\n", now() - start);
		passed++;
	} else {
		puts("FAILED");
		failed++;
		size = pread(output, text, sizeof(text), 0);
		printf("---- %s\n%.*s", name, (int)(size > 0 ? size : 0), text);
		if (wrong && *wrong)
			puts(wrong);
		if (left)
			printf("still alive in the module: %s\n", left);
	}
	fflush(stdout);
	close(output);
}

static void run_each(const struct theme *theme, const struct test *test, const char *word)
{
	if (test->sim_only && !accelerator->sim)
		return;
	if (!test->each) {
		run_one(theme, test, NULL, word);
		return;
	}
	for (size_t i = 0; i < ALGORITHMS; i++)
		if (algorithms[i].kind & test->kinds && driver_of(&algorithms[i]))
			run_one(theme, test, &algorithms[i], word);
}

static bool is_selected(const struct theme *theme, const char *word)
{
	return (accelerator->sim || !theme->sim_only) &&
	       (!theme->by_name || (word && !strcmp(word, theme->name)));
}

int main(int count, char **words)
{
	const char *word = count > 2 ? words[2] : NULL;

	if (count == 4)
		duration = atoi(words[3]);
	if (count < 2 || count > 4 || duration < 1 || !choose_accelerator(words[1])) {
		fputs("usage: tests virtio|engine|sim [WORD [SECONDS]]\n", stderr);
		return 2;
	}
	programs = dirname(strdup(words[0]));
	check(bound_device(), "%s has no device: is its module loaded?", accelerator->bus_driver);
	software_load();
	max_sessions = number_in(OUTBOARD_PARAMETERS "/max_sessions");
	max_bytes = number_in(OUTBOARD_PARAMETERS "/max_bytes");
	allow_all();
	tidy();
	for (size_t i = 0; i < COUNT(themes); i++)
		for (size_t t = 0; t < themes[i]->count && is_selected(themes[i], word); t++)
			run_each(themes[i], &themes[i]->tests[t], word);
	disallow_all();
	printf("test result: %s. %d passed; %d failed; %d ignored; 0 measured; 0 filtered out\n",
	       failed ? "FAILED" : "ok", passed, failed, ignored);
	return failed ? 1 : 0;
}
