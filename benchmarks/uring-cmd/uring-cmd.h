/* SPDX-License-Identifier: Apache-2.0 */
#ifndef URING_CMD_H
#define URING_CMD_H

#include <linux/outboard.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_DEPTH = 32, MAX_BYTES = 65536 };

/* The device with a session for AES-128-CBC, number 1, and an arena of MAX_DEPTH requests. */
struct device {
	int fd;
	char *base;
	struct outboard_slot *slots;
	uint32_t arena, data_offset;
};

/* Number of system calls so far, without those of opening. */
extern unsigned long system_calls;

/* Exits with the text and errno if @ok is false. */
void check(bool ok, const char *what);
struct device device_open(void);
/* Fills a slot with a request to encrypt @bytes bytes in place. */
void fill(const struct device *device, unsigned int index, uint32_t bytes);
/* Exits if the request failed or is in flight. */
void check_status(const struct device *device, unsigned int index);
static inline bool in_flight(const struct device *device, unsigned int index)
{
	return __atomic_load_n(&device->slots[index].status, __ATOMIC_ACQUIRE) ==
	       OUTBOARD_IN_FLIGHT;
}

/* An interface, and how it is used. */
struct contestant {
	const char *name;
	/* Encrypts @requests times @bytes bytes, @depth at the same time; a multiple of @depth. */
	void (*run)(const struct device *device, unsigned int depth, uint32_t bytes,
		    unsigned int requests);
	bool is_ring;
	bool needs_depth;	/* with one request in flight it is another contestant */
};

extern const struct contestant contestants[];
extern const unsigned int contestant_count;
void contestants_open(const struct device *device);

#endif
