// SPDX-License-Identifier: GPL-2.0
/* Valid and invalid records; limits; keys. */
#include "tests.h"
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <linux/keyctl.h>

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
	struct outboard_session_new new = { .op = OUTBOARD_SESSION_NEW,
					    .session = 5,
					    .algorithm = OUTBOARD_CBC_AES };
	struct outboard_object o = { OUTBOARD_HASH_NEW, 0, 5, 1000, 0 };
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
	refused(-EINVAL, s.op = OUTBOARD_REPORT + 1);
	good.op = OUTBOARD_SUBMIT;
	check(ring(fd, &good, 15) == -EINVAL && ring(fd, &good, 17) == -EINVAL, "a wrong length");
	/* The second half of the record is not mapped. */
	edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(edge != MAP_FAILED && !munmap(edge + page, page), "%m");
	memcpy(edge + page - 8, &good, 8);
	check(ring(fd, edge + page - 8, 16) == -EFAULT, "half a record");
	memcpy(edge + page - sizeof(new), &new, sizeof(new));
	((struct outboard_session_new *)(edge + page - sizeof(new)))->key_size = 16;
	check(ring(fd, edge + page - sizeof(new), sizeof(new) + 16) == -EFAULT,
	      "a record without its key");

	check(new_session(fd, 0, OUTBOARD_CBC_AES, 0, a_key(), 16) == -EINVAL, "session 0");
	check(new_session(fd, 1000, OUTBOARD_CBC_AES, 0, a_key(), 16) == -EEXIST, "taken");
	check(new_session(fd, 5, OUTBOARD_CBC_AES, 8, a_key(), 16) == -EINVAL, "a tag");
	check(new_session(fd, 5, 0, 0, a_key(), 16) == -EINVAL, "algorithm 0");
	check(new_session(fd, 5, 999, 0, a_key(), 16) == -EINVAL, "algorithm 999");
	check(new_session(fd, 5, OUTBOARD_CBC_AES, 0, a_key(), 257) == -EINVAL, "257 bytes of key");
#define no_session(error, ...) \
	do { \
		struct outboard_session_new kept = new; \
		__VA_ARGS__; \
		check(ring(fd, &new, sizeof(new)) == (error), #__VA_ARGS__); \
		new = kept; \
	} while (0)
	no_session(-EINVAL, new.flags = 4);
	no_session(-EINVAL, new.reserved = 1);
	no_session(-EINVAL, new.reserved2 = 1);
	no_session(-EINVAL, new.key_serial = 1);
	no_session(-EINVAL, new.key_size = 16);
	no_session(-ENOENT, new.driver = 0xffff);
	check(object(fd, OUTBOARD_SESSION_FREE, 5, 0) == -ENOENT, "free");
	check(object(fd, OUTBOARD_SESSION_FREE, 1000, 1) == -EINVAL, "free, from");
	check(object(fd, OUTBOARD_SESSION_FREE, 0, 0) == -EINVAL, "free 0");
	check(object(fd, OUTBOARD_HASH_NEW, 5, 1000) == -EINVAL, "a hash of a cipher");
	check(object(fd, OUTBOARD_HASH_NEW, 5, 99) == -ENOENT, "a hash of nothing");
	check(object(fd, OUTBOARD_HASH_CLONE, 5, 4) == -ENOENT, "clone");
	check(object(fd, OUTBOARD_HASH_FREE, 5, 0) == -ENOENT, "free");
	o.flags = 1;
	check(ring(fd, &o, sizeof(o)) == -EINVAL, "flags");
	o.flags = 0;
	o.reserved = 1;
	check(ring(fd, &o, sizeof(o)) == -EINVAL, "reserved");
	check(counter("sessions") == 1 && !counter("hashes"), "what was refused is alive");
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
		unsigned int rest = size - algorithm->mac_key;
		bool known = rest == good[0] || (good[1] && (rest == good[1] || rest == good[2]));
		int error = new_session(fd, 1, algorithm->id, algorithm->kind == AEAD ? 16 : 0,
					a_key(), size);

		check(error == (known ? 0 : -EINVAL), "a key of %u bytes: %s", size,
		      strerror(-error));
		if (!error)
			check(!object(fd, OUTBOARD_SESSION_FREE, 1, 0), "%m");
	}
}

static void a_descriptor_has_limits(void)
{
	uint32_t made = 0;
	int error = 0;
	size_t page = getpagesize();
	void *last = NULL;

	begin();
	if (accelerator->sim) {
		for (uint32_t id = 1; id < 2000 && !error; id++)
			error = id == 1000 ? 0 : new_session(fd, id, OUTBOARD_SHA1, 0, a_key(), 0);
		check(error == -EMFILE && counter("sessions") == 1024, "%ld sessions, then %s",
		      counter("sessions"), strerror(-error));
		check(!object(fd, OUTBOARD_SESSION_FREE, 7, 0) &&
			      !new_session(fd, 5000, OUTBOARD_SHA1, 0, a_key(), 0),
		      "%m");
		for (made = 0; made < 5000 && !(error = object(fd, OUTBOARD_HASH_NEW, made + 1, 1));
		     made++)
			;
		check(error == -EMFILE && made == 4096 && counter("hashes") == 4096,
		      "%u handles, then %s", made, strerror(-error));
		check(!object(fd, OUTBOARD_HASH_FREE, 7, 0) &&
			      !object(fd, OUTBOARD_HASH_NEW, 9000, 1),
		      "%m");
	}
	for (made = 1; made < 300; made++) {
		void *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page);

		if (at == MAP_FAILED)
			break;
		last = at;
	}
	check(errno == EMFILE && made == 256 && counter("arenas") == 256, "%u arenas, then %m",
	      made);
	check(!munmap(last, 2 * page), "%m");
	check(mmap(NULL, 64u << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED &&
		      errno == ENOMEM,
	      "%m");
	check(mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page) != MAP_FAILED,
	      "%m");
	close(fd);
}

static void a_key_may_stay_in_the_keyring(void)
{
	struct outboard_session_new record = { .op = OUTBOARD_SESSION_NEW,
					       .flags = OUTBOARD_KEY_SERIAL,
					       .session = 6,
					       .algorithm = OUTBOARD_CBC_AES };
	struct outboard_slot slot;
	uint8_t text[32];

	begin();
	randomize(text, sizeof(text));
	for (int logon = 0; logon < 2; logon++) {
		record.key_serial = syscall(SYS_add_key, logon ? "logon" : "user", "outboard:test",
					    a_key(), 16, KEY_SPEC_PROCESS_KEYRING);
		check(record.key_serial > 0, "add_key: %m");
		check(!ring(fd, &record, sizeof(record)), "%m");
		slot = a_slot(cbc, 6, &arena, 0, 0, sizeof(text));
		memcpy(arena.data, text, sizeof(text));
		check(!ask(&arena, &slot) && is_right(cbc, &arena, 0, text), "status %d",
		      arena.slot[0].status);
		check(!object(fd, OUTBOARD_SESSION_FREE, 6, 0), "%m");
	}
	record.key_size = 16;
	check(ring(fd, &record, sizeof(record)) == -EINVAL, "two keys");
	record.key_size = 0;
	check(!syscall(SYS_keyctl, KEYCTL_REVOKE, record.key_serial), "%m");
	check(ring(fd, &record, sizeof(record)) == -EKEYREVOKED, "a revoked key: %m");
	record.key_serial = syscall(SYS_add_key, "logon", "another:test", a_key(), 16,
				    KEY_SPEC_PROCESS_KEYRING);
	check(record.key_serial > 0, "add_key: %m");
	check(ring(fd, &record, sizeof(record)) == -EINVAL, "a key of another service: %m");
	record.key_serial = 0x7ffffff0;
	check(ring(fd, &record, sizeof(record)) == -ENOKEY, "no such key: %m");
	record.key_serial = KEY_SPEC_PROCESS_KEYRING;
	check(ring(fd, &record, sizeof(record)) == -EINVAL, "a keyring is no key: %m");
	check(counter("sessions") == 1, "%ld sessions", counter("sessions"));
}

static void only_the_opener_s_rights_reach_keyrings(void)
{
	struct outboard_session_new record = { .op = OUTBOARD_SESSION_NEW,
					       .flags = OUTBOARD_KEY_SERIAL,
					       .session = 6,
					       .algorithm = OUTBOARD_CBC_AES };
	pid_t child;

	begin();
	record.key_serial = syscall(SYS_add_key, "user", "outboard:other", a_key(), 16,
				    KEY_SPEC_PROCESS_KEYRING);
	check(record.key_serial > 0, "add_key: %m");
	child = fork();
	if (!child) {
		check(!setgid(65534) && !setuid(65534), "%m");
		check(ring(fd, &record, sizeof(record)) == -EACCES, "%m");
		_exit(0);
	}
	join(child);
}

/* Reads the reports in sysfs about the accelerator's cbc(aes) driver. */
static void reports(char *text, size_t size)
{
	char path[256];
	ssize_t length;
	int file;

	snprintf(path, sizeof(path), "/sys/class/misc/outboard/drivers/%s/wrong", driver_of(cbc));
	file = open(path, O_RDONLY);
	check(file >= 0, "%s: %m", path);
	length = read(file, text, size - 1);
	check(length >= 0, "%s: %m", path);
	text[length] = 0;
	close(file);
}

static void report_as(uid_t user, uint32_t driver)
{
	pid_t child = fork();

	if (!child) {
		check(!setgid(user) && !setuid(user), "%m");
		check(!object(fd, OUTBOARD_REPORT, driver, 0), "%m");
		_exit(0);
	}
	join(child);
}

static void reports_of_wrong_results_are_kept_by_user(void)
{
	char path[256], text[512], expected[512] = "0 2\n";
	uint32_t driver;

	begin();
	snprintf(path, sizeof(path), "/sys/class/misc/outboard/drivers/%s/number", driver_of(cbc));
	driver = number_in(path);
	check(object(fd, OUTBOARD_REPORT, 0, 0) == -EINVAL &&
		      object(fd, OUTBOARD_REPORT, driver, 1) == -EINVAL,
	      "%m");
	check(object(fd, OUTBOARD_REPORT, 0xffff, 0) == -ENOENT &&
		      object(fd, OUTBOARD_REPORT, 0x10000 + driver, 0) == -ENOENT,
	      "no such driver: %m");
	reports(text, sizeof(text));
	check(!*text, "refused reports are counted: %s", text);
	check(!object(fd, OUTBOARD_REPORT, driver, 0) && !object(fd, OUTBOARD_REPORT, driver, 0),
	      "%m");
	/* Eight users have an entry; all others share one. */
	for (uid_t user = 1001; user < 1011; user++)
		report_as(user, driver);
	report_as(1001, driver);
	for (uid_t user = 1001; user < 1008; user++)
		snprintf(expected + strlen(expected), 32, "%u %u\n", user, user == 1001 ? 2 : 1);
	strcat(expected, "- 3\n");
	reports(text, sizeof(text));
	check(!strcmp(text, expected), "%s instead of %s", text, expected);
	/* Allowing the driver again creates a new entry without reports. */
	check(!tell("/sys/class/misc/outboard/disallow", "%s", driver_of(cbc)), "%m");
	check(object(fd, OUTBOARD_REPORT, driver, 0) == -ENOENT, "a driver that is not allowed");
	check(!tell("/sys/class/misc/outboard/allow", "%s", driver_of(cbc)), "%m");
	reports(text, sizeof(text));
	check(!*text, "%s", text);
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
					       "hmac(sha256-sim)",
					       "authenc(hmac(sha1-sim),cbc(aes-sim))" };
	static const uint16_t ids[] = { OUTBOARD_CBC_AES, OUTBOARD_CTR_AES, OUTBOARD_SHA256,
					OUTBOARD_HMAC_SHA256, OUTBOARD_AUTHENC_HMAC_SHA1_CBC_AES };
	static const char *const bad[] = { "a,b", "a(b),c", ",(a)", "a(b, c)", "a)b,c(", "a/b" };
	uint8_t text[4096];

	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 0);
	randomize(text, sizeof(text));
	check(!tell(SIM_PARAMETERS "/preset", "eip93"), "%m");
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
	check(!object(fd, OUTBOARD_SESSION_FREE, 1000, 0), "%m");
	check(!tell("/sys/class/misc/outboard/disallow", "%s", driver_of(cbc)), "%m");
	/* The name of a driver that is missing, and of an instance that could be made. */
	check(!tell("/sys/class/misc/outboard/allow", "cbc(aes-sim)"), "%m");
	check(new_session(fd, 1, OUTBOARD_CBC_AES, 0, a_key(), 16) == -ENOENT, "%m");
	check(!tell("/sys/class/misc/outboard/disallow", "cbc(aes-sim)"), "%m");
	check(tell("/sys/class/misc/outboard/allow", "cbc(%s)", software_aes()) == -EINVAL,
	      "an instance of cbc: %m");
	check(tell("/sys/class/misc/outboard/disallow", "cbc(%s)", software_aes()) == -ENOENT,
	      "it is in the list");
	check(!tell("/sys/class/misc/outboard/allow", "%s", driver_of(cbc)), "%m");
}

static void *open_as_another_user(void *opened)
{
	/* The raw system call changes only this thread; the C library is not involved. */
	check(!syscall(SYS_setresuid, 1001, 1001, 1001), "%m");
	*(int *)opened = open_device(0);
	return NULL;
}

/* A setuid program can be made to write to a descriptor of its caller. */
static void no_user_reports_in_the_name_of_another(void)
{
	pthread_t thread;
	char path[256];
	uint32_t driver;

	begin();
	snprintf(path, sizeof(path), "/sys/class/misc/outboard/drivers/%s/number", driver_of(cbc));
	driver = number_in(path);
	check(!chmod("/dev/outboard", 0666), "%m");
	check(!pthread_create(&thread, NULL, open_as_another_user, &fd) &&
		      !pthread_join(thread, NULL),
	      "%m");
	check(!chmod("/dev/outboard", 0600), "%m");
	check(object(fd, OUTBOARD_REPORT, driver, 0) == -EACCES, "%m");
}

static void *read_reports(void *unused)
{
	char path[256], text[512];

	snprintf(path, sizeof(path), "/sys/class/misc/outboard/drivers/%s/wrong", driver_of(cbc));
	for (;;) {
		int file = open(path, O_RDONLY | O_CLOEXEC);

		/* The file goes away with its driver. */
		check(file >= 0 || errno == ENOENT || errno == ENODEV, "%m");
		if (file < 0)
			continue;
		check(read(file, text, sizeof(text)) >= 0 || errno == ENODEV, "%m");
		close(file);
	}
	return unused;
}

/* Every user may read them, also at the moment at which the file is removed. */
static void reports_may_be_read_while_their_driver_is_disallowed(void)
{
	pthread_t thread;

	begin();
	for (int i = 0; i < 4; i++)
		check(!pthread_create(&thread, NULL, read_reports, NULL), "%m");
	for (int round = 0; round < 100; round++) {
		check(!tell("/sys/class/misc/outboard/disallow", "%s", driver_of(cbc)), "%m");
		check(!tell("/sys/class/misc/outboard/allow", "%s", driver_of(cbc)), "%m");
	}
}

static const struct test tests[] = {
	TEST(wrong_records_are_refused),
	TEST_SIM(names_with_parentheses_can_be_allowed),
	TEST(instances_of_templates_are_refused),
	TEST(reports_of_wrong_results_are_kept_by_user),
	TEST(reports_may_be_read_while_their_driver_is_disallowed),
	TEST(no_user_reports_in_the_name_of_another),
	EACH(keys_of_other_sizes_are_refused, CIPHER | AEAD),
	TEST(a_descriptor_has_limits),
	TEST(a_key_may_stay_in_the_keyring),
	TEST(only_the_opener_s_rights_reach_keyrings),
};
THEME(records, false);
