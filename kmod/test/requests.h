/* SPDX-License-Identifier: GPL-2.0 */
/* Simple requests for any algorithm, and the check of their results. */
#ifndef OUTBOARD_TEST_REQUESTS_H
#define OUTBOARD_TEST_REQUESTS_H

#include "algorithms.h"
#include <pthread.h>

/* Returns a fixed key of OUTBOARD_MAX_KEY bytes. */
const uint8_t *a_key(void);
/* Creates a session with the first key size of the algorithm; AEAD: a tag of 16 bytes. */
void make_session(int fd, uint32_t id, const struct algorithm *algorithm);
/* Returns a slot that encrypts or digests size bytes at 'in', for a session of make_session(). */
struct outboard_slot a_slot(const struct algorithm *algorithm, uint32_t session,
			    const struct arena *arena, uint32_t in, uint32_t out, uint32_t size);
/* Returns the size of the output of a_slot() in bytes. */
uint32_t room_for(const struct algorithm *algorithm, uint32_t size);
/* Whether the result of a slot of a_slot() is that of software. text: the input. */
bool is_right(const struct algorithm *algorithm, const struct arena *arena, unsigned int slot,
	      const uint8_t *text);

/* Holds the requests of sim-cbc-aes, or completes all held requests. */
void hold(bool yes);

/*
 * Fills slots with requests of 64 KiB for a session of make_session(), which sim-cbc-aes computes before
 * it returns: to submit them takes long.
 */
void fill_for_long(const struct arena *arena, unsigned int slots);
/* Submits these from a thread, and returns when slot 0 was submitted. */
struct submitter {
	pthread_t thread;
	const struct arena *arena;
	unsigned int slots;
	int error;
};
void submitter_begin(struct submitter *submitter, const struct arena *arena, unsigned int slots);
/* Waits for the end of the thread; all slots were submitted. */
void submitter_end(struct submitter *submitter);

#endif
