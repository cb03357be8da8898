/* SPDX-License-Identifier: GPL-2.0 */
/* Requests of any algorithm in the simplest form, and whether they were answered rightly. */
#ifndef OUTBOARD_TEST_REQUESTS_H
#define OUTBOARD_TEST_REQUESTS_H

#include "algorithms.h"

/* OUTBOARD_MAX_KEY bytes, always the same. */
const uint8_t *a_key(void);
/* A session of the algorithm with the first of its key sizes; AEAD: a tag of 16 bytes. */
void make_session(int fd, uint32_t id, const struct algorithm *algorithm);
/* Encrypts or digests size bytes of data at 'in' in a slot, as a session of make_session() would be asked to. */
struct outboard_slot a_slot(const struct algorithm *algorithm, uint32_t session, const struct arena *arena, uint32_t in,
			    uint32_t out, uint32_t size);
/* Room that a_slot() needs at its output. */
uint32_t room_for(const struct algorithm *algorithm, uint32_t size);
/* Whether a slot of a_slot() has the software's answer. text: what its input was. */
bool is_right(const struct algorithm *algorithm, const struct arena *arena, unsigned int slot, const uint8_t *text);

/* The simulation keeps the requests of sim-cbc-aes, or gives back all that it has kept. */
void hold(bool yes);

#endif
