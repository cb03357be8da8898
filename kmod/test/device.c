// SPDX-License-Identifier: GPL-2.0
/* Functions for /dev/outboard, its files in sysfs and its workers. */
#include "algorithms.h"
#include <dirent.h>
#include <sched.h>
#include <stdarg.h>
#include <time.h>

int open_device(int flags)
{
	int fd = open("/dev/outboard", O_RDWR | O_CLOEXEC | flags);

	check(fd >= 0, "%m");
	return fd;
}

struct arena map_arena(int fd, size_t size, unsigned int slots)
{
	struct arena arena = { .fd = fd, .size = size };

	arena.base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			  (off_t)slots * getpagesize());
	check(arena.base != MAP_FAILED, "%m");
	arena.header = (void *)arena.base;
	check(arena.header->magic == OUTBOARD_MAGIC && arena.header->version == OUTBOARD_VERSION,
	      "a strange header");
	arena.slot = (void *)(arena.base + arena.header->slots_offset);
	arena.offset = arena.header->data_offset;
	arena.data = arena.base + arena.offset;
	arena.room = arena.header->data_size;
	arena.align = arena.header->align;
	return arena;
}

void unmap_arena(struct arena *arena)
{
	check(!munmap(arena->base, arena->size), "%m");
	arena->base = NULL;
}

int ring(int fd, const void *record, size_t size)
{
	ssize_t done = write(fd, record, size);

	check(done < 0 || (size_t)done == size, "half a record");
	return done < 0 ? -errno : 0;
}

int submit(const struct arena *arena, unsigned int first, unsigned int count, int flags)
{
	struct outboard_submit record = { OUTBOARD_SUBMIT, flags, arena->header->arena, first,
					  count };

	return ring(arena->fd, &record, sizeof(record));
}

int await(const struct arena *arena, unsigned int first, unsigned int count)
{
	struct outboard_submit record = { OUTBOARD_AWAIT, 0, arena->header->arena, first, count };

	return ring(arena->fd, &record, sizeof(record));
}

int new_session(int fd, uint32_t id, uint16_t algorithm, uint8_t tag, const void *key,
		uint16_t size)
{
	struct {
		struct outboard_session record;
		uint8_t key[OUTBOARD_MAX_KEY + 1];
	} all = { { OUTBOARD_SESSION_NEW, 0, id, algorithm, 0, size, tag, 0 }, { 0 } };

	memcpy(all.key, key, size);
	return ring(fd, &all, sizeof(all.record) + size);
}

int free_session(int fd, uint32_t id)
{
	struct outboard_session record = { .op = OUTBOARD_SESSION_FREE, .session = id };

	return ring(fd, &record, sizeof(record));
}

void put(const struct arena *arena, unsigned int slot, const struct outboard_slot *wanted)
{
	memcpy((void *)&arena->slot[slot], wanted, sizeof(*wanted));
	arena->slot[slot].status = UNTOUCHED;
}

int ask(const struct arena *arena, const struct outboard_slot *wanted)
{
	int error;

	put(arena, 0, wanted);
	error = submit(arena, 0, 1, OUTBOARD_WAIT);
	check(!error, "SUBMIT: %s", strerror(-error));
	return arena->slot[0].status;
}

int wait_for(const struct arena *arena, unsigned int slot)
{
	double end = now() + TIME_LIMIT;

	while (arena->slot[slot].status == OUTBOARD_IN_FLIGHT) {
		check(now() < end, "slot %u stays in flight", slot);
		sched_yield();
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return arena->slot[slot].status;
}

int tell(const char *path, const char *format, ...)
{
	char text[256];
	va_list list;
	int fd, size, error = 0;

	va_start(list, format);
	size = vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, size) != size)
		error = -errno;
	if (fd >= 0)
		close(fd);
	return error;
}

long number_in(const char *path)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	check(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0, "%s: %m", path);
	close(fd);
	return strtol(text, NULL, 0);
}

long counter(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/misc/outboard/%s", name);
	return number_in(path);
}

long nice_of_worker(void)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	long nice = 1;

	check(directory, "%m");
	while ((entry = readdir(directory))) {
		char path[300], text[600] = "", *end;
		long found;
		int file;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		file = open(path, O_RDONLY);
		if (file < 0)
			continue;
		end = read(file, text, sizeof(text) - 1) > 0 ? strrchr(text, ')') : NULL;
		close(file);
		if (!end || !strstr(text, "kworker") || !strstr(text, "outboard"))
			continue;
		/* Field 19 of proc(5); ")" ends the second. */
		for (int field = 2; field < 19 && end; field++)
			end = strchr(end + 1, ' ');
		check(end, "%s: %s", path, text);
		found = strtol(end, NULL, 10);
		if (nice == 1 || found < nice)
			nice = found;
	}
	closedir(directory);
	return nice;
}

const char *leftovers(void)
{
	static const char *const names[] = { "requests", "sessions", "arenas",
					     "arena_bytes", "files" };
	static char text[200];
	double end = now() + TIME_LIMIT;
	int left, used;

	do {
		left = 0;
		used = 0;
		for (size_t i = 0; i < COUNT(names); i++) {
			long count = counter(names[i]);

			if (!count)
				continue;
			used += snprintf(text + used, sizeof(text) - used, "%s%ld %s",
					 left++ ? ", " : "", count, names[i]);
		}
		if (left)
			usleep(2000);
	} while (left && now() < end);
	return left ? text : NULL;
}

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* xorshift64*; each thread has its own sequence. */
static __thread uint64_t state = 88172645463325252u;

void seed(uint64_t value)
{
	state = value * 0x9e3779b97f4a7c15u | 1;
}

uint64_t chance(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1du) >> 16;
}

void randomize(void *bytes, size_t size)
{
	for (uint8_t *at = bytes; size; at++, size--)
		*at = chance();
}
