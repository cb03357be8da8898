/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of io_uring by its system calls, with commands for one descriptor. */
#ifndef RING_H
#define RING_H

#include <linux/io_uring.h>
#include <linux/outboard.h>
#include <stdint.h>

struct ring {
	unsigned int *sq_tail, *cq_head, *cq_tail;
	unsigned int sq_mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	int fd;			/* for poll */
	int number;		/* of the registered ring, for io_uring_enter */
};

struct ring ring_open(unsigned int entries, unsigned int setup_flags, int file);
/* Adds a command for the file, a SUBMIT of these slots. */
void ring_push(struct ring *ring, uint32_t arena, uint32_t first, uint32_t count);
/* Returns after at least that number of completions, if it is not 0. */
void ring_enter(struct ring *ring, unsigned int submit, unsigned int completions);
/* Removes the completions; all must have succeeded. Stores the first slot of each in @done. */
unsigned int ring_reap(struct ring *ring, uint32_t *done);

#endif
