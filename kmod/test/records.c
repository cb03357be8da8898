// SPDX-License-Identifier: GPL-2.0
/* Valid and invalid records; limits; keys. */
#include "tests.h"
#include <sys/stat.h>
#include <sys/wait.h>

static int fd;
static struct arena arena;
static const struct algorithm *cbc;

static void begin(void)
{
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 0);
	cbc = algorithm(OUTBOARD_CBC_AES);
	make_session(fd, 1000, cbc);
}

static void wrong_records_are_refused(void)
{
	struct outboard_submit good = { OUTBOARD_SUBMIT, 0, 0, 0, 1 }, s;
	struct {
		struct outboard_session session;
		uint8_t key[16];
	} keyed = { .session = { .op = OUTBOARD_SESSION_NEW,
				 .session = 5,
				 .algorithm = OUTBOARD_CBC_AES } };
	struct outboard_session o = { .op = OUTBOARD_SESSION_FREE, .session = 1000 };
	char zero[600] = { 0 };
	const void *volatile nowhere = (void *)8;
	size_t page = getpagesize();
	uint8_t *edge;

	begin();
	good.arena = arena.header->arena;
	/* Zero bytes too: in a sandbox without fstat this error identifies the device. */
	for (size_t size = 0; size < sizeof(zero); size++)
		check(write(fd, zero, size) < 0 && errno == EINVAL, "%zu zero bytes: %m", size);
	check(write(fd, NULL, 0) < 0 && errno == EINVAL, "nothing at all: %m");
	check(write(fd, nowhere, 16) < 0 && errno == EFAULT, "%m");
#define refused(error, ...) do { s = good; __VA_ARGS__; check(ring(fd, &s, sizeof(s)) == (error), #__VA_ARGS__); } while (0)
	refused(-EINVAL, s.op = 0);
	refused(-EINVAL, s.op = 0x7fff);
	refused(-EINVAL, s.flags = 0x8000);
	refused(-ENOENT, s.arena = good.arena ^ 0x40000000);
	refused(-ENOENT, s.arena = 0);
	refused(-EINVAL, s.count = 0);
	refused(-EINVAL, s.count = 65);
	refused(-EINVAL, s.first = 64);
	refused(-EINVAL, s.first = 63; s.count = 2);
	refused(-EINVAL, s.first = 0xffffffff; s.count = 2);
	refused(-EINVAL, s.first = 1; s.count = 0xffffffff);
	good.op = OUTBOARD_AWAIT;
	refused(-EINVAL, s.flags = OUTBOARD_WAIT);
	refused(-ENOENT, s.arena = 0);
	refused(-EINVAL, s.count = 0);
	refused(-EINVAL, s.first = 63; s.count = 2);
	for (uint16_t op = OUTBOARD_TRY + 1; op < 20; op++)
		refused(-EINVAL, s.op = op);
	good.op = OUTBOARD_SUBMIT;
	check(ring(fd, &good, 15) == -EINVAL && ring(fd, &good, 17) == -EINVAL, "a wrong length");
	/* The second half of the record is not mapped. */
	edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(edge != MAP_FAILED && !munmap(edge + page, page), "%m");
	memcpy(edge + page - 8, &good, 8);
	check(ring(fd, edge + page - 8, 16) == -EFAULT, "half a record");
	keyed.session.key_size = sizeof(keyed.key);
	memcpy(edge + page - sizeof(keyed.session), &keyed, sizeof(keyed.session));
	check(ring(fd, edge + page - sizeof(keyed.session), sizeof(keyed)) == -EFAULT,
	      "a record without its key");

	check(new_session(fd, 0, OUTBOARD_CBC_AES, 0, a_key(), 16) == -EINVAL, "session 0");
	check(new_session(fd, 1000, OUTBOARD_CBC_AES, 0, a_key(), 16) == -EEXIST, "taken");
	check(new_session(fd, 5, OUTBOARD_CBC_AES, 8, a_key(), 16) == -EINVAL, "a tag");
	check(new_session(fd, 5, 0, 0, a_key(), 16) == -EINVAL, "algorithm 0");
	check(new_session(fd, 5, 999, 0, a_key(), 16) == -EINVAL, "algorithm 999");
	check(new_session(fd, 5, OUTBOARD_CBC_AES, 0, a_key(), 257) == -EINVAL, "257 bytes of key");
	/* Without the change that each makes the session is created. */
#define no_session(error, ...) \
	do { \
		typeof(keyed) kept = keyed; \
		__VA_ARGS__; \
		check(ring(fd, &keyed, sizeof(keyed)) == (error), #__VA_ARGS__); \
		keyed = kept; \
	} while (0)
	/* No flag shares a session with other processes, or names a key of the keyrings. */
	for (int bit = 0; bit < 16; bit++)
		no_session(-EINVAL, keyed.session.flags = 1 << bit);
	no_session(-EINVAL, keyed.session.reserved = 1);
	no_session(-EINVAL, keyed.session.key_size = 24);
	no_session(-EINVAL, keyed.session.tag_size = 16);
	no_session(-ENOENT, keyed.session.driver = 0xffff);
	no_session(0, (void)kept);
	check(!free_session(fd, 5), "%m");
	check(free_session(fd, 5) == -ENOENT, "free");
	check(free_session(fd, 0) == -EINVAL, "free 0");
#define not_freed(...) do { typeof(o) kept = o; __VA_ARGS__; check(ring(fd, &o, sizeof(o)) == -EINVAL, #__VA_ARGS__); o = kept; } while (0)
	not_freed(o.flags = 1);
	not_freed(o.algorithm = OUTBOARD_CBC_AES);
	not_freed(o.driver = 1);
	not_freed(o.tag_size = 1);
	not_freed(o.reserved = 1);
	check(counter("sessions") == 1, "what was refused is alive");
}

static void keys_of_other_sizes_are_refused(const struct algorithm *algorithm)
{
	static const uint16_t aes[] = { 16, 24, 32, 0 }, xts[] = { 32, 48, 64, 0 },
			      des[] = { 24, 0 };
	const uint16_t *good = algorithm->id == OUTBOARD_XTS_AES  ? xts :
			       algorithm->id == OUTBOARD_CBC_DES3 ? des :
								    aes;

	fd = open_device(0);
	for (unsigned int size = 0; size <= OUTBOARD_MAX_KEY; size++) {
		bool known = size == good[0] || (good[1] && (size == good[1] || size == good[2]));
		int error = new_session(fd, 1, algorithm->id, algorithm->kind == AEAD ? 16 : 0,
					a_key(), size);

		check(error == (known ? 0 : -EINVAL), "a key of %u bytes: %s", size,
		      strerror(-error));
		if (!error)
			check(!free_session(fd, 1), "%m");
	}
}

static void sessions_have_a_limit_for_each_user_and_for_all(void)
{
	const char *limit = OUTBOARD_PARAMETERS "/max_sessions";
	long before = number_in(limit);
	int error = 0, other;
	pid_t child;

	begin();
	check(before >= 1024, "%ld sessions", before);
	check(!tell(limit, "40"), "%m");
	/* All descriptors of the user together. */
	other = open_device(0);
	for (uint32_t id = 1; id <= 20 && !error; id++)
		error = new_session(id & 1 ? fd : other, id, OUTBOARD_CBC_AES, 0, a_key(), 16);
	check(error == -EMFILE && counter("sessions") == 20, "%ld sessions, then %s",
	      counter("sessions"), strerror(-error));
	check(!free_session(fd, 1) && !new_session(fd, 50, OUTBOARD_CBC_AES, 0, a_key(), 16),
	      "%m");
	/* Another user has the other half, and then there is none. */
	check(!tell(limit, "30"), "%m");
	check(!chmod("/dev/outboard", 0666), "%m");
	child = fork();
	if (!child) {
		check(!setgid(1001) && !setuid(1001), "%m");
		fd = open_device(0);
		for (uint32_t id = 1; id <= 10; id++)
			check(!new_session(fd, id, OUTBOARD_CBC_AES, 0, a_key(), 16), "%m");
		check(new_session(fd, 11, OUTBOARD_CBC_AES, 0, a_key(), 16) == -ENFILE, "%m");
		_exit(0);
	}
	join(child);
	check(!tell(limit, "%ld", before), "%m");
	check(!chmod("/dev/outboard", 0600), "%m");
}

const char *software_aes(void)
{
	static char driver[128];
	char line[256], name[128] = "";
	FILE *file = fopen("/proc/crypto", "r");

	check(file, "%m");
	while (!*driver && fgets(line, sizeof(line), file))
		if (sscanf(line, "name : %127s", name) != 1 && !strcmp(name, "aes"))
			sscanf(line, "driver : %127s", driver);
	fclose(file);
	check(*driver, "no software driver of aes");
	return driver;
}

/* EIP93's and NITROX's drivers have names with parentheses, like instances of templates. */
static void names_with_parentheses_can_be_allowed(void)
{
	static const char *const drivers[] = { "cbc(aes-sim)", "ctr(aes-sim)", "sha256-sim",
					       "hmac(sha256-sim)" };
	static const uint16_t ids[] = { OUTBOARD_CBC_AES, OUTBOARD_CTR_AES, OUTBOARD_SHA256,
					OUTBOARD_HMAC_SHA256 };
	static const char *const bad[] = { "a,b", "a(b),c", ",(a)", "a(b, c)", "a)b,c(", "a/b" };
	uint8_t text[4096];

	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 0);
	randomize(text, sizeof(text));
	/* Nothing is known of a driver that is missing, but that it is not one of another algorithm. */
	check(!tell("/sys/class/misc/outboard/disallow", "%s", driver_of(algorithm(ids[1]))), "%m");
	check(!tell("/sys/class/misc/outboard/allow", "%s", drivers[0]), "%m");
	check(!tell(SIM_PARAMETERS "/preset", "eip93"), "%m");
	check(new_session(fd, 9, ids[1], 0, a_key(), 16) == -ENOENT, "%m");
	check(!tell("/sys/class/misc/outboard/disallow", "%s", drivers[0]), "%m");
	check(!tell("/sys/class/misc/outboard/allow", "%s", driver_of(algorithm(ids[1]))), "%m");
	for (size_t i = 0; i < COUNT(bad); i++)
		check(tell("/sys/class/misc/outboard/allow", "%s", bad[i]) == -EINVAL, "%s: %m",
		      bad[i]);
	for (size_t i = 0; i < COUNT(drivers); i++) {
		const struct algorithm *of = algorithm(ids[i]);
		struct outboard_slot slot = a_slot(of, 1 + i, &arena, 0, 8192, sizeof(text));

		check(!tell("/sys/class/misc/outboard/allow", "%s", drivers[i]), "%s: %m",
		      drivers[i]);
		make_session(fd, 1 + i, of);
		memcpy(arena.data, text, sizeof(text));
		check(!ask(&arena, &slot) && is_right(of, &arena, 0, text), "%s: status %d",
		      drivers[i], arena.slot[0].status);
		check(!tell("/sys/class/misc/outboard/disallow", "%s", drivers[i]), "%s: %m",
		      drivers[i]);
	}
}

/* No lookup for a user instantiates a template; an instance that exists is not accepted. */
static void instances_of_templates_are_refused(void)
{
	begin();
	check(!free_session(fd, 1000), "%m");
	check(!tell("/sys/class/misc/outboard/disallow", "%s", driver_of(cbc)), "%m");
	/* The name of a driver that is missing, and of an instance that could be made. */
	check(!tell("/sys/class/misc/outboard/allow", "cbc(aes-sim)"), "%m");
	check(new_session(fd, 1, OUTBOARD_CBC_AES, 0, a_key(), 16) == -ENOENT, "%m");
	check(!tell("/sys/class/misc/outboard/disallow", "cbc(aes-sim)"), "%m");
	/* The name of an algorithm is not that of its best driver. */
	check(!tell("/sys/class/misc/outboard/allow", "cbc(aes)"), "%m");
	check(new_session(fd, 1, OUTBOARD_CBC_AES, 0, a_key(), 16) == -ENOENT, "%m");
	check(!tell("/sys/class/misc/outboard/disallow", "cbc(aes)"), "%m");
	check(tell("/sys/class/misc/outboard/allow", "cbc(%s)", software_aes()) == -EINVAL,
	      "an instance of cbc: %m");
	check(tell("/sys/class/misc/outboard/disallow", "cbc(%s)", software_aes()) == -ENOENT,
	      "it is in the list");
	check(!tell("/sys/class/misc/outboard/allow", "%s", driver_of(cbc)), "%m");
}

static long lines_of(const char *path)
{
	FILE *file = fopen(path, "r");
	long lines = 0;
	int byte;

	check(file, "%m");
	while ((byte = fgetc(file)) != EOF)
		lines += byte == '\n';
	fclose(file);
	return lines;
}

/* Each lookup starts modprobe: a user must not start it as often as it can. */
static void a_missing_driver_is_looked_for_once_a_second(void)
{
	static const char modprobe[] = "/proc/sys/kernel/modprobe", helper[] = "/tmp/outboard-modprobe",
			  calls[] = "/tmp/outboard-modprobe-calls";
	char before[256] = "";
	int file = open(modprobe, O_RDONLY);

	check(file >= 0 && read(file, before, sizeof(before) - 1) > 0, "%m");
	close(file);
	fd = open_device(0);
	check(!tell("/sys/class/misc/outboard/disallow", "%s",
		    driver_of(algorithm(OUTBOARD_CBC_AES))), "%m");
	check(!tell("/sys/class/misc/outboard/allow", "no-such-driver"), "%m");
	file = open(helper, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	check(dprintf(file, "#!/bin/sh\necho >>%s\n", calls) > 0 && !close(file), "%m");
	close(open(calls, O_WRONLY | O_CREAT | O_TRUNC, 0644));
	check(!tell(modprobe, "%s", helper), "%m");
	for (double end = now() + 0.5; now() < end;)
		check(new_session(fd, 1, OUTBOARD_CBC_AES, 0, a_key(), 16) == -ENOENT, "%m");
	check(!tell(modprobe, "%s", before), "%m");
	/* A lookup requests two modules, and a slow machine needs more than a second. */
	check(lines_of(calls) <= 8, "modprobe was started %ld times", lines_of(calls));
	check(!tell("/sys/class/misc/outboard/disallow", "no-such-driver"), "%m");
	check(!tell("/sys/class/misc/outboard/allow", "%s",
		    driver_of(algorithm(OUTBOARD_CBC_AES))), "%m");
	unlink(helper);
	unlink(calls);
}

static const struct test tests[] = {
	TEST(wrong_records_are_refused),
	TEST(a_missing_driver_is_looked_for_once_a_second),
	TEST_SIM(names_with_parentheses_can_be_allowed),
	TEST(instances_of_templates_are_refused),
	EACH(keys_of_other_sizes_are_refused, CIPHER | AEAD),
	TEST(sessions_have_a_limit_for_each_user_and_for_all),
};
THEME(records, false);
