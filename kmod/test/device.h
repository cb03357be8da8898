/* SPDX-License-Identifier: GPL-2.0 */
/* What the test programs share: /dev/outboard in a few short functions, and how a check fails. */
#ifndef OUTBOARD_TEST_DEVICE_H
#define OUTBOARD_TEST_DEVICE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define MIB (1u << 20)

struct arena {
	int fd;
	uint8_t *base;
	size_t size;
	volatile struct outboard_arena *header;
	volatile struct outboard_slot *slot;
	uint8_t *data;
	uint32_t offset;	/* of data */
	uint32_t room;		/* bytes of it */
	uint32_t align;
};

int open_device(int flags);
struct arena map_arena(int fd, size_t size, unsigned int slots);
void unmap_arena(struct arena *arena);

/* 0 or a negative errno, for records. */
int ring(int fd, const void *record, size_t size);
int submit(const struct arena *arena, unsigned int first, unsigned int count, int flags);
int await(const struct arena *arena, unsigned int first, unsigned int count);
int new_session(int fd, uint32_t id, uint16_t algorithm, uint8_t tag, const void *key, uint16_t size);
int object(int fd, uint16_t op, uint32_t id, uint32_t from);

/* Fills a slot; status is something that the module never says. */
#define UNTOUCHED 77
void put(const struct arena *arena, unsigned int slot, const struct outboard_slot *wanted);
/* Slot 0 alone, waited for: its status. */
int ask(const struct arena *arena, const struct outboard_slot *wanted);
/* Until the status of a slot says that it is done: the status. */
int wait_for(const struct arena *arena, unsigned int slot);

/* How long the module waits for a driver, in seconds, unless a test says otherwise: 4096 requests are slow on a debug kernel. */
#define PATIENCE 60

/* Files of sysfs and debugfs. tell() answers 0 or a negative errno. */
int tell(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
long number_in(const char *path);
long counter(const char *name);
/* Waits until nothing is alive in the module; what is left, or NULL. */
const char *leftovers(void);

double now(void);
void seed(uint64_t value);
uint64_t chance(void);
static inline uint32_t below(uint32_t limit) { return chance() % limit; }
void randomize(void *bytes, size_t size);

#endif
