// SPDX-License-Identifier: Apache-2.0
/*
 * The same requests by records that are written, and by commands of io_uring, in three kinds of
 * programs: one that submits a batch and waits for all of it, one with an event loop, and one that
 * keeps a number of requests in flight.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "ring.h"
#include "uring-cmd.h"

/*
 * One of them for programs that wait in io_uring_enter: completions are batched until the waiter
 * has the number that it waits for. The other one for programs that poll its descriptor.
 */
static struct ring waiting, polled;
static int event;

void contestants_open(const struct device *device)
{
	waiting = ring_open(2 * MAX_DEPTH, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
			    device->fd);
	polled = ring_open(2 * MAX_DEPTH, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
			   device->fd);
	event = eventfd(0, EFD_CLOEXEC);
	check(event >= 0, "eventfd");
}

static void record(const struct device *device, uint16_t op, uint16_t flags, uint32_t first,
		   uint32_t count)
{
	struct outboard_submit record = { op, flags, device->arena, first, count };

	system_calls++;
	check(write(device->fd, &record, sizeof(record)) == sizeof(record), "a record");
}

static void fill_all(const struct device *device, unsigned int depth, uint32_t bytes)
{
	for (unsigned int i = 0; i < depth; i++)
		fill(device, i, bytes);
}

static void check_all(const struct device *device, unsigned int depth)
{
	for (unsigned int i = 0; i < depth; i++)
		check_status(device, i);
}

static void poll_for_input(int fd)
{
	struct pollfd wanted = { fd, POLLIN, 0 };

	system_calls++;
	check(poll(&wanted, 1, -1) == 1, "poll");
}

static void submit_wait(const struct device *device, unsigned int depth, uint32_t bytes,
			unsigned int requests)
{
	for (unsigned int i = 0; i < requests; i += depth) {
		fill_all(device, depth, bytes);
		record(device, OUTBOARD_SUBMIT, OUTBOARD_WAIT, 0, depth);
		check_all(device, depth);
	}
}

static void submit_await(const struct device *device, unsigned int depth, uint32_t bytes,
			 unsigned int requests)
{
	for (unsigned int i = 0; i < requests; i += depth) {
		fill_all(device, depth, bytes);
		record(device, OUTBOARD_SUBMIT, 0, 0, depth);
		record(device, OUTBOARD_AWAIT, 0, 0, depth);
		check_all(device, depth);
	}
}

static void command_of_batch(const struct device *device, unsigned int depth, uint32_t bytes,
			     unsigned int requests)
{
	uint32_t done[2 * MAX_DEPTH];

	for (unsigned int i = 0; i < requests; i += depth) {
		fill_all(device, depth, bytes);
		ring_push(&waiting, device->arena, 0, depth);
		ring_enter(&waiting, 1, 1);
		check(ring_reap(&waiting, done) == 1, "waiting for the batch");
		check_all(device, depth);
	}
}

static void command_of_request(const struct device *device, unsigned int depth, uint32_t bytes,
			       unsigned int requests)
{
	uint32_t done[2 * MAX_DEPTH];

	for (unsigned int i = 0; i < requests; i += depth) {
		fill_all(device, depth, bytes);
		for (unsigned int slot = 0; slot < depth; slot++)
			ring_push(&waiting, device->arena, slot, 1);
		ring_enter(&waiting, depth, depth);
		check(ring_reap(&waiting, done) == depth, "waiting for all commands");
		check_all(device, depth);
	}
}

static void submit_notify(const struct device *device, unsigned int depth, uint32_t bytes,
			  unsigned int requests)
{
	for (unsigned int i = 0; i < requests; i += depth) {
		fill_all(device, depth, bytes);
		record(device, OUTBOARD_SUBMIT, 0, 0, depth);
		for (unsigned int slot = 0; slot < depth; slot++)
			record(device, OUTBOARD_NOTIFY, 0, slot, event);
		for (uint64_t ended = 0, more; ended < depth; ended += more) {
			poll_for_input(event);
			system_calls++;
			check(read(event, &more, sizeof(more)) == sizeof(more), "read");
		}
		check_all(device, depth);
	}
}

static void command_poll(const struct device *device, unsigned int depth, uint32_t bytes,
			 unsigned int requests)
{
	uint32_t done[2 * MAX_DEPTH];

	for (unsigned int i = 0; i < requests; i += depth) {
		fill_all(device, depth, bytes);
		for (unsigned int slot = 0; slot < depth; slot++)
			ring_push(&polled, device->arena, slot, 1);
		ring_enter(&polled, depth, 0);
		for (unsigned int ended = 0; ended < depth;) {
			poll_for_input(polled.fd);
			ended += ring_reap(&polled, done);
		}
		check_all(device, depth);
	}
}

/* Waits for the oldest request, and submits again as many as have completed in a row. */
static void submit_window(const struct device *device, unsigned int depth, uint32_t bytes,
			  unsigned int requests)
{
	unsigned int oldest = 0, submitted = depth, ended = 0;

	fill_all(device, depth, bytes);
	record(device, OUTBOARD_SUBMIT, 0, 0, depth);
	while (ended < requests) {
		unsigned int first = oldest, again = 0;

		record(device, OUTBOARD_AWAIT, 0, oldest, 1);
		/* Up to the end of the table: a record names consecutive slots. */
		while (first + again < depth && ended < requests && !in_flight(device, first + again)) {
			check_status(device, first + again);
			ended++;
			again++;
		}
		oldest = (first + again) % depth;
		if (again > requests - submitted)
			again = requests - submitted;
		if (!again)
			continue;
		for (unsigned int i = 0; i < again; i++)
			fill(device, first + i, bytes);
		record(device, OUTBOARD_SUBMIT, 0, first, again);
		submitted += again;
	}
}

static void command_window(const struct device *device, unsigned int depth, uint32_t bytes,
			   unsigned int requests)
{
	uint32_t done[2 * MAX_DEPTH];
	unsigned int again = depth, submitted = depth, ended = 0;

	fill_all(device, depth, bytes);
	for (unsigned int slot = 0; slot < depth; slot++)
		ring_push(&waiting, device->arena, slot, 1);
	while (ended < requests) {
		ring_enter(&waiting, again, 1);
		unsigned int count = ring_reap(&waiting, done);

		again = 0;
		for (unsigned int i = 0; i < count; i++) {
			check_status(device, done[i]);
			if (submitted == requests)
				continue;
			fill(device, done[i], bytes);
			ring_push(&waiting, device->arena, done[i], 1);
			submitted++;
			again++;
		}
		ended += count;
	}
}

const struct contestant contestants[] = {
	{ "batch: SUBMIT with WAIT", submit_wait, false, false },
	{ "batch: SUBMIT, AWAIT", submit_await, false, false },
	{ "batch: one command", command_of_batch, true, false },
	{ "batch: a command each", command_of_request, true, true },
	{ "events: SUBMIT, NOTIFY, poll, read", submit_notify, false, false },
	{ "events: a command each, poll", command_poll, true, false },
	{ "window: AWAIT, SUBMIT", submit_window, false, true },
	{ "window: a command each", command_window, true, true },
};
const unsigned int contestant_count = sizeof(contestants) / sizeof(contestants[0]);
