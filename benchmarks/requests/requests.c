// SPDX-License-Identifier: Apache-2.0
/*
 * requests CONFIGURATION QUERY CIPHER BYTES REQUESTS: the time that the CPU of a machine with one
 * CPU is busy per request, in ns. vm/run --icount makes that the number of instructions, those of
 * the kernel and of interrupts included. Then the time that passed per request, in ns, and the
 * larger spread of both: the median absolute deviation, relative. Needs root for /proc/timer_list.
 * A kernel that does not account for idle time (MIPS) runs a loop in its place, which counts.
 *
 * requests CONFIGURATION QUERY CIPHER BYTES REQUESTS keys=KEYS: the same per key, for KEYS
 * contexts, each made, given a key of its own, used for its requests and freed.
 *
 * requests CONFIGURATION QUERY CIPHER BYTES REQUESTS kept=KEYS: the same per key, for KEYS contexts
 * that are kept; then that of the last tenth of them, and the memory of each in bytes. REQUESTS may
 * be 0.
 *
 * requests CONFIGURATION QUERY CIPHER BYTES REQUESTS CONNECTIONS: the memory of this process in
 * kB with that many contexts, each with a key of its own and after its requests: what is resident,
 * and the length of its mappings of /dev/outboard.
 *
 * requests CONFIGURATION QUERY CIPHER BYTES REQUESTS fault=RULE: in microseconds, the requests
 * together and the slowest: the first ones of the process, the next ones, and those after this rule
 * for faults of kmod/sim.
 *
 * requests CONFIGURATION QUERY CIPHER BYTES REQUESTS records=MODE: the first figures for TLS records
 * that are sent over a socket: `openssl` encrypts them with libcrypto, `ktls` in the kernel, `plain`
 * sends them unencrypted.
 *
 * QUERY selects the provider, as "provider=outboard" (property(7)).
 *
 * A request of CTR, CBC or ChaCha20 is an update. One of GCM or ChaCha20-Poly1305 is a message with
 * a nonce that counts, 13 bytes of additional data and a tag, as in TLS.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "socket.h"

/* The numbers of openssl/evp.h. */
#define AEAD_GET_TAG 0x10

#define ROUNDS 5
#define LARGEST 65536
#define TAG 16

static void fail(const char *what)
{
	fprintf(stderr, "requests: %s\n", what);
	exit(1);
}

static void *libcrypto;

static void *function(const char *name)
{
	void *found = dlsym(libcrypto, name);

	if (!found)
		fail(dlerror());
	return found;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Shared with the process that runs while the CPU has nothing else to do. */
static volatile struct {
	uint64_t spins, spins_in_a_ms;
} *idle_loop;

#define SPINS 1000

static __attribute__((noinline)) void spin(void)
{
	for (int n = 0; n < SPINS; n++)
		idle_loop->spins++;
}

static void run_idle_loop(void)
{
	const struct sched_param none = {};
	uint64_t shortest = UINT64_MAX;
	pid_t parent = getpid(), child;

	idle_loop = mmap(NULL, sizeof(*idle_loop), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (idle_loop == MAP_FAILED)
		fail("there is no memory");
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent || sched_setscheduler(0, SCHED_IDLE, &none))
			_exit(1);
		/* The shortest has no interrupt in it. */
		for (int n = 0; n < 100; n++) {
			uint64_t start = now_ns();

			spin();
			if (now_ns() - start < shortest)
				shortest = now_ns() - start;
		}
		idle_loop->spins_in_a_ms = SPINS * 1000000ull / shortest;
		for (;;)
			spin();
	}
	while (!idle_loop->spins_in_a_ms) {
		if (child < 0 || waitpid(child, NULL, WNOHANG))
			fail("no process can run in place of the idle loop");
		usleep(1000);
	}
}

/* The time that the only CPU was idle since some moment. */
static uint64_t idle_ns(void)
{
	char line[256];
	uint64_t idle;
	FILE *list;

	if (idle_loop)
		return idle_loop->spins * 1000000 / idle_loop->spins_in_a_ms;
	list = fopen("/proc/timer_list", "r");
	if (!list)
		fail("/proc/timer_list cannot be read: run this as root");
	while (fgets(line, sizeof(line), list)) {
		/* A kernel whose tick never stops leaves it at 0. */
		if (sscanf(line, " .idle_sleeptime : %ju", &idle) == 1 && idle) {
			fclose(list);
			return idle;
		}
	}
	fclose(list);
	run_idle_loop();
	return idle_ns();
}

typedef int init_function(void *context, void *cipher, const unsigned char *key,
			  const unsigned char *iv, int encrypt, const void *params);
typedef int update_function(void *context, unsigned char *out, int *written,
			    const unsigned char *in, int length);
typedef int final_function(void *context, unsigned char *out, int *written);
typedef int ctrl_function(void *context, int what, int number, void *data);

static init_function *init;
static update_function *update;
static final_function *final;
static ctrl_function *ctrl;
static void *(*new_context)(void);
static void (*free_context)(void *context);

static unsigned char in[LARGEST], out[LARGEST + TAG];

static void message(void *context, int bytes)
{
	static unsigned char nonce[16], tag[TAG];
	static const unsigned char additional[13];
	int written;

	for (int i = 11; i > 3 && !++nonce[i]; i--)
		;
	if (!init(context, NULL, NULL, nonce, -1, NULL) ||
	    !update(context, NULL, &written, additional, sizeof(additional)) ||
	    !update(context, out, &written, in, bytes) || !final(context, out + bytes, &written) ||
	    !ctrl(context, AEAD_GET_TAG, TAG, tag))
		fail("a message failed");
}

/* What happens to the plaintext of a request. */
static enum { ENCRYPT, ENCRYPT_AND_SEND, SEND } mode;

static void process(void *context, int is_aead, int bytes, int requests)
{
	int written;

	for (int i = 0; i < requests; i++) {
		if (mode == SEND) {
			if (send_record(in, bytes))
				fail("a record cannot be sent");
			continue;
		}
		if (is_aead)
			message(context, bytes);
		else if (!update(context, out, &written, in, bytes))
			fail("an update failed");
		if (mode == ENCRYPT_AND_SEND && send_record(out, bytes + TAG))
			fail("a record cannot be sent");
	}
}

static void process_with_new_keys(void *cipher, int is_aead, int bytes, int requests, int keys, int are_kept)
{
	static const unsigned char iv[16];
	static unsigned char key[32];
	static uint64_t number;

	for (int i = 0; i < keys; i++) {
		void *context = new_context();

		number++;
		memcpy(key, &number, sizeof(number));
		if (!context || !init(context, cipher, key, iv, 1, NULL))
			fail("a context cannot be made");
		process(context, is_aead, bytes, requests);
		if (!are_kept)
			free_context(context);
	}
}

/* The sum of a field of /proc/self/smaps over the mappings of a file, or of all if it is NULL. */
static long mapped_kb(const char *field, const char *file)
{
	char line[512];
	long sum = 0, kb;
	int is_counted = 0;
	size_t length = strlen(field);
	FILE *maps = fopen("/proc/self/smaps", "r");

	if (!maps)
		fail("/proc/self/smaps cannot be read");
	while (fgets(line, sizeof(line), maps)) {
		/* The first line of a mapping begins with its addresses, in lower case. */
		if (strchr("0123456789abcdef", line[0]))
			is_counted = !file || strstr(line, file);
		else if (is_counted && !strncmp(line, field, length) &&
			 sscanf(line + length, ": %ld kB", &kb) == 1)
			sum += kb;
	}
	fclose(maps);
	return sum;
}

static void show_times(void *context, int is_aead, int bytes, int requests)
{
	uint64_t start = now_ns(), before = start, slowest = 0;

	for (int i = 0; i < requests; i++) {
		process(context, is_aead, bytes, 1);
		uint64_t now = now_ns();

		if (now - before > slowest)
			slowest = now - before;
		before = now;
	}
	printf("%ju %ju\n", (before - start) / 1000, slowest / 1000);
}

static void set_fault(const char *rule)
{
	FILE *faults = fopen("/sys/kernel/debug/outboard_sim/faults", "w");

	if (!faults || fputs(rule, faults) < 0 || fclose(faults))
		fail("the simulation does not take the fault");
}

static void show_kept(void *cipher, int is_aead, int bytes, int requests, int keys)
{
	long before = mapped_kb("Rss", NULL);
	int parts[] = { keys - keys / 10, keys / 10 };
	double busy[2];

	for (int part = 0; part < 2; part++) {
		uint64_t idle = idle_ns(), start = now_ns();

		process_with_new_keys(cipher, is_aead, bytes, requests, parts[part], 1);
		busy[part] = (double)(now_ns() - start - (idle_ns() - idle));
	}
	printf("%.0f %.0f %.0f\n", (busy[0] + busy[1]) / keys, busy[1] / parts[1],
	       (mapped_kb("Rss", NULL) - before) * 1024.0 / keys);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(values[0]), by_size);
	return values[ROUNDS / 2];
}

/* The median absolute deviation, relative to the median. */
static double deviation(double *values)
{
	double middle = median(values), off[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		off[i] = values[i] > middle ? values[i] - middle : middle - values[i];
	return middle ? median(off) / middle : 0;
}

int main(int argc, char **argv)
{
	static unsigned char key[32] = "0123456789abcdef0123456789abcde";
	static const unsigned char iv[16];
	double busy[ROUNDS], passed[ROUNDS];

	if (argc != 6 && argc != 7)
		fail("usage: requests CONFIGURATION QUERY CIPHER BYTES REQUESTS [keys=KEYS|kept=KEYS|fault=RULE|records=MODE|CONNECTIONS]");
	int is_aead = strstr(argv[3], "GCM") || strstr(argv[3], "Poly1305"), bytes = atoi(argv[4]), requests = atoi(argv[5]);
	const char *rule = argc == 7 && !strncmp(argv[6], "fault=", 6) ? argv[6] + 6 : NULL;
	int keys = 0, kept = 0;

	if (argc == 7 && sscanf(argv[6], "keys=%d", &keys) == 1 && keys < 1)
		fail("KEYS is out of range");
	if (argc == 7 && sscanf(argv[6], "kept=%d", &kept) == 1 && kept < 10)
		fail("KEYS is out of range");
	if (argc == 7 && !strncmp(argv[6], "records=", 8)) {
		const char *name = argv[6] + 8;
		int is_ktls = !strcmp(name, "ktls");

		mode = strcmp(name, "openssl") ? SEND : ENCRYPT_AND_SEND;
		if (mode == SEND && !is_ktls && strcmp(name, "plain"))
			fail("MODE is `openssl`, `ktls` or `plain`");
		if (open_socket(is_ktls ? argv[3] : NULL))
			fail("a connection cannot be made");
	}

	if (bytes < 1 || bytes > LARGEST || requests < !kept)
		fail("BYTES or REQUESTS is out of range");
	libcrypto = dlopen("libcrypto.so.3", RTLD_NOW);
	if (!libcrypto)
		fail(dlerror());
	void *(*new_world)(void) = function("OSSL_LIB_CTX_new");
	int (*load)(void *, const char *) = function("OSSL_LIB_CTX_load_config");
	void *(*fetch)(void *, const char *, const char *) = function("EVP_CIPHER_fetch");

	new_context = function("EVP_CIPHER_CTX_new");
	free_context = function("EVP_CIPHER_CTX_free");
	init = function("EVP_CipherInit_ex2");
	update = function("EVP_CipherUpdate");
	final = function("EVP_CipherFinal_ex");
	ctrl = function("EVP_CIPHER_CTX_ctrl");

	void *world = new_world();

	if (!world || !load(world, argv[1]))
		fail("the configuration does not load");
	void *cipher = fetch(world, argv[3], argv[2]), *context = new_context();

	if (!cipher || !context || !init(context, cipher, key, iv, 1, NULL))
		fail("no provider offers the cipher");
	if (rule) {
		show_times(context, is_aead, bytes, requests);
		show_times(context, is_aead, bytes, requests);
		set_fault(rule);
		show_times(context, is_aead, bytes, requests);
		return 0;
	}
	if (kept) {
		show_kept(cipher, is_aead, bytes, requests, kept);
		return 0;
	}
	if (argc == 7 && !keys && mode == ENCRYPT) {
		for (int number = atoi(argv[6]); number > 0; number--) {
			memcpy(key, &number, sizeof(number));
			context = new_context();
			if (!context || !init(context, cipher, key, iv, 1, NULL))
				fail("a context cannot be made");
			process(context, is_aead, bytes, requests);
		}
		printf("%ld %ld\n", mapped_kb("Rss", NULL), mapped_kb("Size", "/dev/outboard"));
		return 0;
	}
	/* Look-ahead doubles its window until it has the final size. */
	if (!keys)
		process(context, is_aead, bytes, requests);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t idle = idle_ns(), start = now_ns();

		if (keys)
			process_with_new_keys(cipher, is_aead, bytes, requests, keys, 0);
		else
			process(context, is_aead, bytes, requests);
		uint64_t elapsed = now_ns() - start;

		busy[round] = (double)(elapsed - (idle_ns() - idle)) / (keys ? keys : requests);
		passed[round] = (double)elapsed / (keys ? keys : requests);
	}
	double spread[] = { deviation(busy), deviation(passed) };

	printf("%.0f %.0f %.3f\n", median(busy), median(passed), spread[spread[0] < spread[1]]);
	return 0;
}
