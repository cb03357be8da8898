// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "ring.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "uring-cmd.h"

struct ring ring_open(unsigned int entries, unsigned int setup_flags, int file)
{
	struct io_uring_params params = { .flags = setup_flags };
	struct io_uring_rsrc_update registered = { .offset = -1U };
	struct ring ring = { .fd = syscall(SYS_io_uring_setup, entries, &params) };
	size_t size;
	char *rings;

	check(ring.fd >= 0, "io_uring_setup");
	check(params.features & IORING_FEAT_SINGLE_MMAP, "IORING_FEAT_SINGLE_MMAP");
	size = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
	rings = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd,
		     IORING_OFF_SQ_RING);
	check(rings != MAP_FAILED, "mmap of the rings");
	ring.sqes = mmap(NULL, params.sq_entries * sizeof(struct io_uring_sqe),
			 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd,
			 IORING_OFF_SQES);
	check(ring.sqes != MAP_FAILED, "mmap of the SQEs");
	ring.sq_tail = (unsigned int *)(rings + params.sq_off.tail);
	ring.sq_mask = params.sq_entries - 1;
	ring.cq_head = (unsigned int *)(rings + params.cq_off.head);
	ring.cq_tail = (unsigned int *)(rings + params.cq_off.tail);
	ring.cq_mask = params.cq_entries - 1;
	ring.cqes = (struct io_uring_cqe *)(rings + params.cq_off.cqes);
	for (unsigned int i = 0; i < params.sq_entries; i++)
		((unsigned int *)(rings + params.sq_off.array))[i] = i;
	/* A registered file, and a registered ring, save the lookup of a descriptor in each call. */
	check(!syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_FILES, &file, 1),
	      "IORING_REGISTER_FILES");
	registered.data = ring.fd;
	check(syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_RING_FDS, &registered, 1) ==
		      1,
	      "IORING_REGISTER_RING_FDS");
	ring.number = registered.offset;
	return ring;
}

void ring_push(struct ring *ring, uint32_t arena, uint32_t first, uint32_t count)
{
	unsigned int tail = *ring->sq_tail;
	struct io_uring_sqe *sqe = &ring->sqes[tail & ring->sq_mask];
	struct outboard_submit record = { OUTBOARD_SUBMIT, 0, arena, first, count };

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->flags = IOSQE_FIXED_FILE;
	sqe->cmd_op = OUTBOARD_SUBMIT;
	sqe->user_data = first;
	memcpy(sqe->cmd, &record, sizeof(record));
	__atomic_store_n(ring->sq_tail, tail + 1, __ATOMIC_RELEASE);
}

void ring_enter(struct ring *ring, unsigned int submit, unsigned int completions)
{
	long done = syscall(SYS_io_uring_enter, ring->number, submit, completions,
			    (completions ? IORING_ENTER_GETEVENTS : 0) |
				    IORING_ENTER_REGISTERED_RING,
			    NULL, 0);

	system_calls++;
	check(done == (long)submit, "io_uring_enter");
}

unsigned int ring_reap(struct ring *ring, uint32_t *done)
{
	unsigned int head = *ring->cq_head, tail = __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE),
		     count = tail - head;

	for (unsigned int i = 0; i < count; i++) {
		const struct io_uring_cqe *cqe = &ring->cqes[(head + i) & ring->cq_mask];

		check(!cqe->res, "a command");
		done[i] = cqe->user_data;
	}
	__atomic_store_n(ring->cq_head, tail, __ATOMIC_RELEASE);
	return count;
}
