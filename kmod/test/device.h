/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the test programs: short functions for /dev/outboard, and check(). */
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
	uint32_t offset;	/* of data, from base */
	uint32_t room;		/* size of data in bytes */
	uint32_t align;
};

int open_device(int flags);
struct arena map_arena(int fd, size_t size, unsigned int slots);
void unmap_arena(struct arena *arena);

/* Functions that write records return 0 or a negative errno. */
int ring(int fd, const void *record, size_t size);
int submit(const struct arena *arena, unsigned int first, unsigned int count, int flags);
int await(const struct arena *arena, unsigned int first, unsigned int count);
int new_session(int fd, uint32_t id, uint16_t algorithm, uint8_t tag, const void *key,
		uint16_t size);
int free_session(int fd, uint32_t id);

/* Fills a slot; status becomes UNTOUCHED, a value that the module never writes. */
#define UNTOUCHED 77
void put(const struct arena *arena, unsigned int slot, const struct outboard_slot *wanted);
/* Submits slot 0 alone with WAIT and returns its status. */
int ask(const struct arena *arena, const struct outboard_slot *wanted);

/*
 * Asks for the test's slot "good" with the changes in the rest of the arguments, made to its "slot",
 * in its "arena": the status must be WANT.
 */
#define slot_status(want, ...)                                                  \
	do {                                                                    \
		slot = good;                                                    \
		__VA_ARGS__;                                                    \
		check(ask(&arena, &slot) == (want), #__VA_ARGS__ ": status %d", \
		      arena.slot[0].status);                                    \
	} while (0)

/* Polls the status of a slot until the request has completed, and returns it. */
int wait_for(const struct arena *arena, unsigned int slot);

/*
 * The module's timeout in seconds, unless a test sets another one: 4096 requests are slow on a
 * debug kernel.
 */
#define TIME_LIMIT 60

/* Files of sysfs and debugfs. tell() writes one and returns 0 or a negative errno. */
int tell(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
long number_in(const char *path);
long counter(const char *name);
/* The least nice value of workers that work, or last worked, for the module; 1: there is none. */
long nice_of_worker(void);
/* Waits until no object exists in the module. Returns NULL, or what is left. */
const char *leftovers(void);

double now(void);
void seed(uint64_t value);
uint64_t chance(void);
static inline uint32_t below(uint32_t limit) { return chance() % limit; }
void randomize(void *bytes, size_t size);

#endif
