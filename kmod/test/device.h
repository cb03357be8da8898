/* SPDX-License-Identifier: GPL-2.0 */
/* What the test programs share: /dev/outboard in a few short functions, and how a check fails. */
#ifndef OUTBOARD_TEST_DEVICE_H
#define OUTBOARD_TEST_DEVICE_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <linux/outboard.h>

#define check(condition, ...) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
			fprintf(stderr, __VA_ARGS__); \
			fputc('\n', stderr); \
			exit(1); \
		} \
	} while (0)

struct arena {
	uint8_t *base;
	size_t size;
	volatile struct outboard_arena *header;
	volatile struct outboard_slot *slot;
	uint8_t *data;
	uint32_t offset;	/* of data */
};

static inline int open_device(int flags)
{
	int fd = open("/dev/outboard", O_RDWR | O_CLOEXEC | flags);

	check(fd >= 0, "%s", strerror(errno));
	return fd;
}

static inline struct arena map_arena(int fd, size_t size, unsigned int slots)
{
	struct arena arena = { .size = size };

	arena.base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)slots * getpagesize());
	check(arena.base != MAP_FAILED, "%s", strerror(errno));
	arena.header = (void *)arena.base;
	check(arena.header->magic == OUTBOARD_MAGIC && arena.header->version == OUTBOARD_VERSION, "a strange header");
	arena.slot = (void *)(arena.base + arena.header->slots_offset);
	arena.offset = arena.header->data_offset;
	arena.data = arena.base + arena.offset;
	return arena;
}

/* 0 or a negative errno, for records. */
static inline int ring(int fd, const void *record, size_t size)
{
	ssize_t done = write(fd, record, size);

	check(done < 0 || (size_t)done == size, "half a record");
	return done < 0 ? -errno : 0;
}

static inline int submit(int fd, const struct arena *arena, unsigned int first, unsigned int count, int flags)
{
	struct outboard_submit record = { OUTBOARD_SUBMIT, flags, arena->header->arena, first, count };

	return ring(fd, &record, sizeof(record));
}

static inline int await(int fd, const struct arena *arena, unsigned int first, unsigned int count)
{
	struct outboard_submit record = { OUTBOARD_AWAIT, 0, arena->header->arena, first, count };

	return ring(fd, &record, sizeof(record));
}

static inline int new_session(int fd, uint32_t id, uint16_t algorithm, uint8_t tag, const void *key, uint16_t size)
{
	struct {
		struct outboard_session_new record;
		uint8_t key[OUTBOARD_MAX_KEY];
	} all = { { OUTBOARD_SESSION_NEW, 0, id, algorithm, 0, size, tag, 0, 0, 0 }, { 0 } };

	memcpy(all.key, key, size);
	return ring(fd, &all, sizeof(all.record) + size);
}

static inline int object(int fd, uint16_t op, uint32_t id, uint32_t from)
{
	struct outboard_object record = { op, 0, id, from, 0 };

	return ring(fd, &record, sizeof(record));
}

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static inline long counter(const char *name)
{
	char path[128], text[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/misc/outboard/%s", name);
	file = fopen(path, "r");
	check(file, "%s: %s", path, strerror(errno));
	check(fgets(text, sizeof(text), file), "%s is empty", path);
	fclose(file);
	return atol(text);
}

#endif
