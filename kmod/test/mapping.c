// SPDX-License-Identifier: GPL-2.0
/* Arenas: mmap(2), its errors, and operations on the mapping. */
#include "tests.h"
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

static int fd;

static bool refused(size_t size, int protection, int flags, off_t pages, int error)
{
	errno = 0;
	return mmap(NULL, size, protection, flags, fd, pages * getpagesize()) == MAP_FAILED &&
	       errno == error;
}

static void it_keeps_its_shape(void)
{
	long page = getpagesize();
	struct arena arena;

	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 0);
	check(munmap(arena.base, page) < 0 && errno == EINVAL, "a part unmapped");
	check(munmap(arena.base + page, arena.size - page) < 0 && errno == EINVAL,
	      "a part unmapped");
	check(mprotect(arena.base, page, PROT_READ) < 0, "a part protected");
	check(mprotect(arena.base, arena.size, PROT_READ | PROT_EXEC) < 0 && errno == EACCES,
	      "executable");
	check(mremap(arena.base, arena.size, arena.size + page, MREMAP_MAYMOVE) == MAP_FAILED,
	      "grown");
	check(mremap(arena.base, arena.size, page, 0) == MAP_FAILED, "shrunk");
	check(mremap(arena.base, 0, arena.size, MREMAP_MAYMOVE) == MAP_FAILED, "doubled");
	check(mremap(arena.base, arena.size, arena.size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP) ==
		      MAP_FAILED,
	      "left behind");
	check(arena.data[0] == 0 && arena.data[arena.room - 1] == 0, "not zeroed");
	check(counter("arenas") == 1, "%ld arenas", counter("arenas"));
}

static void a_mapping_that_cannot_be_an_arena_is_refused(void)
{
	const int rw = PROT_READ | PROT_WRITE;
	long page = getpagesize();

	fd = open_device(0);
	check(refused(MIB, PROT_READ, MAP_SHARED, 0, EINVAL), "read only: %m");
	check(refused(MIB, PROT_WRITE, MAP_SHARED, 0, EINVAL), "write only: %m");
	check(refused(MIB, PROT_NONE, MAP_SHARED, 0, EINVAL), "nothing: %m");
	check(refused(MIB, rw, MAP_PRIVATE, 0, EINVAL), "private: %m");
	check(refused(MIB, rw | PROT_EXEC, MAP_SHARED, 0, EPERM), "executable: %m");
	check(refused(page, rw, MAP_SHARED, 0, EINVAL), "too small: %m");
	check(refused(page, rw, MAP_SHARED, 1, EINVAL), "too small for one slot: %m");
	check(refused(MIB, rw, MAP_SHARED, 4097, EINVAL), "4097 slots: %m");
	check(refused(128u << 10, rw, MAP_SHARED, 4096, EINVAL), "slots and no data: %m");
	check(refused(1u << 30, rw, MAP_SHARED, 0, EMFILE), "1 GiB: %m");
	/* The addresses of a process on 32-bit MIPS end at 2 GiB. */
	check(refused((1ul << 30) + MIB, rw, MAP_SHARED, 0, EINVAL), "1025 MiB: %m");
	check(refused(MIB, rw, MAP_SHARED, 1ll << 40, EINVAL) || errno == EOVERFLOW,
	      "an offset beyond all: %m");
	check(!counter("arenas"), "%ld arenas", counter("arenas"));
}

/* An arena that was moved as a whole by mremap is the same arena. */
static void it_may_move(void)
{
	const struct algorithm *cbc = algorithm(OUTBOARD_CBC_AES);
	struct arena arena;
	struct outboard_slot slot;
	uint8_t text[4096], *elsewhere;

	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 0);
	make_session(fd, 1, cbc);
	elsewhere = mmap(NULL, MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(elsewhere != MAP_FAILED, "%m");
	elsewhere = mremap(arena.base, arena.size, arena.size, MREMAP_MAYMOVE | MREMAP_FIXED,
			   elsewhere);
	check(elsewhere != MAP_FAILED, "%m");
	arena.slot = (void *)(elsewhere + ((uint8_t *)arena.slot - arena.base));
	arena.header = (void *)elsewhere;
	arena.data = elsewhere + arena.offset;
	arena.base = elsewhere;
	randomize(text, sizeof(text));
	memcpy(arena.data, text, sizeof(text));
	slot = a_slot(cbc, 1, &arena, 0, 0, sizeof(text));
	check(!ask(&arena, &slot) && is_right(cbc, &arena, 0, text), "status %d",
	      arena.slot[0].status);
	check(counter("arenas") == 1, "%ld arenas", counter("arenas"));
	unmap_arena(&arena);
	check(!counter("arenas"), "%ld arenas", counter("arenas"));
}

static void other_interfaces_cannot_pin_it(void)
{
	int pipes[2],
		file = open("/tmp/outboard-direct", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct arena arena;
	struct iovec vector;

	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 0);
	vector = (struct iovec){ arena.data, 4096 };
	check(!pipe(pipes) && file >= 0, "%m");
	check(vmsplice(pipes[1], &vector, 1, 0) < 0 && errno == EFAULT, "vmsplice: %m");
	/* Buffered I/O copies the data and is allowed. */
	check(write(file, arena.data, 4096) == 4096, "%m");
	unlink("/tmp/outboard-direct");
}

/* The header is output for user space; the module ignores later changes to it. */
static void the_header_is_only_written(void)
{
	const struct algorithm *cbc = algorithm(OUTBOARD_CBC_AES);
	struct arena arena;
	struct outboard_slot slot;
	struct outboard_submit record = { OUTBOARD_SUBMIT, OUTBOARD_WAIT, 0, 64, 1 };
	uint8_t text[512];

	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 0);
	make_session(fd, 1, cbc);
	record.arena = arena.header->arena;
	randomize(text, sizeof(text));
	memcpy(arena.data, text, sizeof(text));
	slot = a_slot(cbc, 1, &arena, 0, 0, sizeof(text));
	memset(arena.base, 0xff, sizeof(struct outboard_arena));
	check(ring(fd, &record, sizeof(record)) == -EINVAL, "slot 64 of 64: %m");
	record.first = 3;
	put(&arena, 3, &slot);
	check(!ring(fd, &record, sizeof(record)) && is_right(cbc, &arena, 3, text), "%m");
	slot.in = 64;
	put(&arena, 3, &slot);
	check(!ring(fd, &record, sizeof(record)) && arena.slot[3].status == -EINVAL, "status %d",
	      arena.slot[3].status);
}

static int to_arena(int descriptor, uint16_t op, uint32_t number)
{
	struct outboard_submit record = { op, 0, number, 0, 1 };

	return ring(descriptor, &record, sizeof(record));
}

static void no_number_comes_again(void)
{
	int descriptors[2] = { open_device(0), open_device(0) };
	uint32_t last[2] = { 0 };

	for (int round = 0; round < 200; round++) {
		int i = round & 1, mine = descriptors[i], other = descriptors[!i];
		struct arena first = map_arena(mine, 1u << 16, 1), second;
		uint32_t number = first.header->arena;

		check(number > last[i], "arena %u after %u", number, last[i]);
		for (uint16_t op = OUTBOARD_SUBMIT; op;
		     op = op == OUTBOARD_SUBMIT ? OUTBOARD_AWAIT : 0) {
			check(!to_arena(mine, op, number), "%m");
			check(to_arena(other, op, number) == -ENOENT,
			      "arena %u is the other descriptor's", number);
		}
		unmap_arena(&first);
		/* The next arena does not get the number of the one just unmapped. */
		second = map_arena(mine, 1u << 16, 1);
		check(to_arena(mine, OUTBOARD_SUBMIT, number) == -ENOENT, "arena %u is gone",
		      number);
		last[i] = second.header->arena;
		unmap_arena(&second);
	}
}

static uint32_t first_number(void)
{
	int descriptor = open_device(0);
	struct arena arena = map_arena(descriptor, 1u << 16, 1);
	uint32_t number = arena.header->arena;

	unmap_arena(&arena);
	close(descriptor);
	return number;
}

/* How many arenas other processes have mapped meanwhile is not seen. */
static void numbers_do_not_reveal_the_arenas_of_others(void)
{
	uint32_t before = first_number();

	for (int i = 0; i < 8; i++) {
		uint32_t number = first_number();

		check(number - before > 1000 && before - number > 1000, "arena %u after %u", number,
		      before);
		before = number;
	}
}

static void their_memory_is_limited_by_rlimit_memlock(void)
{
	struct rlimit limit = { MIB, MIB };
	struct arena arena;
	pid_t child;

	check(!chmod("/dev/outboard", 0666), "%m");
	child = fork();
	if (!child) {
		check(!setrlimit(RLIMIT_MEMLOCK, &limit), "%m");
		check(!setgid(1001) && !setuid(1001), "%m");
		fd = open_device(0);
		check(refused(MIB + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 0, EAGAIN),
		      "more than the limit: %m");
		arena = map_arena(fd, 512 << 10, 16);
		/* All descriptors of the user together. */
		fd = open_device(0);
		check(refused(512 << 10, PROT_READ | PROT_WRITE, MAP_SHARED, 16, EAGAIN),
		      "more than the rest: %m");
		unmap_arena(&arena);
		/* A slot counts as a page: it holds a request and what the driver needs for it. */
		check(refused(512 << 10, PROT_READ | PROT_WRITE, MAP_SHARED, 256, EAGAIN),
		      "256 slots: %m");
		arena = map_arena(fd, 768 << 10, 64);
		_exit(0);
	}
	join(child);
	check(!chmod("/dev/outboard", 0600), "%m");
}

static void there_is_a_limit_for_each_user_and_for_all(void)
{
	const char *limit = OUTBOARD_PARAMETERS "/max_bytes";
	const int rw = PROT_READ | PROT_WRITE;
	long before = number_in(limit);
	struct arena arena;
	pid_t child, third;
	int pipes[2];
	char byte;

	check(before >= 16 * (long)MIB, "%ld bytes", before);
	check(!chmod("/dev/outboard", 0666) && !pipe(pipes), "%m");
	/* With one slot, which counts 4 KiB. */
	check(!tell(limit, "%u", 4 * MIB), "%m");
	fd = open_device(0);
	arena = map_arena(fd, MIB, 1);
	check(refused(MIB, rw, MAP_SHARED, 1, EMFILE), "more than a half: %m");
	unmap_arena(&arena);
	arena = map_arena(fd, 2 * MIB - 4096, 1);
	child = fork();
	if (!child) {
		struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

		check(!setrlimit(RLIMIT_MEMLOCK, &unlimited), "%m");
		check(!setgid(1001) && !setuid(1001), "%m");
		fd = open_device(0);
			arena = map_arena(fd, 2 * MIB - 4096, 1);
		check(write(pipes[1], "", 1) == 1, "%m");
		pause();
	}
	check(read(pipes[0], &byte, 1) == 1, "%m");
	/* A third user finds nothing left. */
	third = fork();
	if (!third) {
		struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

		check(!setrlimit(RLIMIT_MEMLOCK, &unlimited), "%m");
		check(!setgid(1002) && !setuid(1002), "%m");
		fd = open_device(0);
		check(refused(64 << 10, rw, MAP_SHARED, 1, ENFILE), "%m");
		_exit(0);
	}
	join(third);
	check(!kill(child, SIGKILL) && waitpid(child, NULL, 0) == child, "%m");
	check(!tell(limit, "%ld", before), "%m");
	check(!chmod("/dev/outboard", 0600), "%m");
}

/*
 * What is refused was never counted, so that it makes no mapping of others fail. The limit leaves
 * room for all mappings that are not refused. Those of the others are refused for RLIMIT_MEMLOCK,
 * which is compared last, and leave less room than this process needs.
 */
static void a_refused_mapping_takes_nothing_from_others(void)
{
	const char *limit = OUTBOARD_PARAMETERS "/max_bytes";
	long before = number_in(limit);
	double end = now() + 30;
	pid_t child[3];

	check(!tell(limit, "%u", 64 * MIB), "%m");
	fd = open_device(0);
	check(!chmod("/dev/outboard", 0666), "%m");
	for (int i = 0; i < 3; i++) {
		child[i] = fork();
		if (child[i])
			continue;
		check(!setgid(1001 + i) && !setuid(1001 + i), "%m");
		fd = open_device(0);
		for (;;)
			mmap(NULL, 64 * MIB - (64 << 10), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	/* Fewer in a kernel with checks, on a busy host. */
	for (int round = 0; round < 1000 && now() < end; round++) {
		struct arena arena = map_arena(fd, 128 << 10, 1);

		unmap_arena(&arena);
	}
	for (int i = 0; i < 3; i++)
		check(!kill(child[i], SIGKILL) && waitpid(child[i], NULL, 0) == child[i], "%m");
	check(!tell(limit, "%ld", before), "%m");
	check(!chmod("/dev/outboard", 0600), "%m");
}

static pid_t child_that_maps(size_t size)
{
	pid_t child = fork();

	if (child)
		return child;
	check(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED, "%m");
	_exit(0);
}

/* Milliseconds of CPU time that a child had in the kernel until it ended. */
static double system_time(pid_t child, int *status)
{
	struct rusage usage;

	check(wait4(child, status, 0, &usage) == child, "%m");
	return usage.ru_stime.tv_sec * 1e3 + usage.ru_stime.tv_usec / 1e3;
}

/*
 * Where memory is short, pages take long: a process in mmap ends by SIGKILL all the same. It has this
 * CPU only while this process sleeps, and its CPU time is compared: other load does not count.
 */
static void a_mapping_can_be_killed(void)
{
	const char *limit = OUTBOARD_PARAMETERS "/max_bytes";
	size_t size = (size_t)sysconf(_SC_AVPHYS_PAGES) * getpagesize() / 2;
	const struct sched_param idle = {};
	double start, whole, killed;
	cpu_set_t first;
	pid_t child;
	int status;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	check(!sched_setaffinity(0, sizeof(first), &first), "%m");
	size = (size > 128 * MIB ? 128 * MIB : size) & ~(size_t)(MIB - 1);
	check(!tell(limit, "%llu", 3ull * size), "%m");
	fd = open_device(0);
	whole = system_time(child_that_maps(size), &status);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "status %#x", status);
	while (counter("arenas"))
		usleep(1000);
	start = now();
	child = child_that_maps(size);
	check(!sched_setscheduler(child, SCHED_IDLE, &idle), "%m");
	while (!counter("arenas")) {
		check(now() - start < TIME_LIMIT, "no mapping is being made");
		usleep(100);
	}
	check(!kill(child, SIGKILL), "%m");
	killed = system_time(child, &status);
	check(WIFSIGNALED(status) && killed < whole / 2, "status %#x, %.0f ms of %.0f ms", status,
	      killed, whole);
}

/*
 * Free bytes in the zones below 4 GiB, and above, in blocks of 256 pages and more: the module takes
 * such first, wherever they are. Above is zone Normal, where zone DMA or DMA32 ends at 4 GiB: on
 * processors with 64 bits. HighMem of 32-bit Arm is below too.
 */
static void free_blocks(int64_t *below, int64_t *above)
{
	FILE *file = fopen("/proc/buddyinfo", "r");
	char line[256], zone[32];
	int64_t bytes;
	long blocks;
	int at, n;

	check(file, "%m");
	*below = *above = 0;
	while (fgets(line, sizeof(line), file)) {
		check(sscanf(line, "Node %*d, zone %31s%n", zone, &at) == 1, "%s", line);
		bytes = 0;
		for (int order = 0; sscanf(line + at, "%ld%n", &blocks, &n) == 1; order++, at += n)
			if (order >= 8)
				bytes += ((int64_t)blocks << order) * getpagesize();
		if (!strncmp(zone, "DMA", 3))
			*below += bytes;
		else if (sizeof(long) == 8 && !strcmp(zone, "Normal"))
			*above += bytes;
	}
	fclose(file);
}

/* Only a machine with free blocks above 4 GiB shows it: there the kernel takes that first. */
static void with_dma32_their_memory_is_below_4_gib(void)
{
	const int64_t enough = 256 * (int64_t)MIB;
	int64_t below, above, below_after, above_after;
	struct arena arena;

	fd = open_device(0);
	for (int dma32 = 0; dma32 < 2; dma32++) {
		tell("/proc/sys/vm/compact_memory", "1");
		free_blocks(&below, &above);
		if (below < enough || above < enough)
			continue;
		check(!tell(OUTBOARD_PARAMETERS "/dma32", dma32 ? "Y" : "N"), "%m");
		arena = map_arena(fd, 32 * MIB, 0);
		check(!tell(OUTBOARD_PARAMETERS "/dma32", "N"), "%m");
		free_blocks(&below_after, &above_after);
		unmap_arena(&arena);
		check((dma32 ? below - below_after : above - above_after) > 16 * (int64_t)MIB,
		      "dma32 %d: %lld bytes below 4 GiB and %lld above", dma32,
		      (long long)(below - below_after), (long long)(above - above_after));
	}
}

static const struct test tests[] = {
	TEST(it_keeps_its_shape),
	TEST(a_mapping_that_cannot_be_an_arena_is_refused),
	TEST(it_may_move),
	TEST(their_memory_is_limited_by_rlimit_memlock),
	TEST(there_is_a_limit_for_each_user_and_for_all),
	TEST(a_refused_mapping_takes_nothing_from_others),
	TEST(a_mapping_can_be_killed),
	TEST(with_dma32_their_memory_is_below_4_gib),
	TEST(other_interfaces_cannot_pin_it),
	TEST(the_header_is_only_written),
	TEST(no_number_comes_again),
	TEST(numbers_do_not_reveal_the_arenas_of_others),
};
THEME(mapping, false);
