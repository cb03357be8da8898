// SPDX-License-Identifier: GPL-2.0
/* Many requests in one record. */
#include "tests.h"
#include <pthread.h>

static int fd;
static struct arena arena;
static const struct algorithm *cbc;

static void begin(void)
{
	fd = open_device(0);
	arena = map_arena(fd, 8 * MIB, 0);
	cbc = algorithm(OUTBOARD_CBC_AES);
	make_session(fd, 1000, cbc);
}

/* Fills count slots with requests of size bytes, each in its own part of the data area. */
static void fill(unsigned int first, unsigned int count, uint32_t size)
{
	for (unsigned int i = first; i < first + count; i++) {
		struct outboard_slot slot = a_slot(cbc, 1000, &arena,
						   i * (arena.room / 64 & ~4095u),
						   i * (arena.room / 64 & ~4095u), size);

		put(&arena, i, &slot);
	}
}

static void a_wrong_slot_does_not_stop_the_others(void)
{
	static const int want[] = { 0,	     -ENOENT, -EINVAL, -EINVAL,	    -EINVAL, -E2BIG,
				    -EINVAL, -EINVAL, -EINVAL, -EOPNOTSUPP, -EINVAL };
	uint8_t text[512];

	begin();
	for (int wait = 0; wait < 2; wait++) {
		randomize(text, sizeof(text));
		fill(0, 64, sizeof(text));
		for (int i = 0; i < 64; i++)
			memcpy(arena.base + arena.slot[i].in, text, sizeof(text));
		/* Also between valid ones: the same slots again from 20 on. */
		for (int at = 0; at <= 20; at += 20) {
			arena.slot[at + 1].session = 1234;
			arena.slot[at + 2].in = 0;
			arena.slot[at + 3].out = 128;
			arena.slot[at + 4].length = 17;
			arena.slot[at + 5].length = 0xfffffff0;
			arena.slot[at + 6].in = 0xffffff80;
			arena.slot[at + 7].out += 128;
			arena.slot[at + 8].in += 1;
			arena.slot[at + 8].out += 1;
			arena.slot[at + 9].op = 9;
			arena.slot[at + 10].reserved = 1;
		}
		check(!submit(&arena, 0, 64, wait ? OUTBOARD_WAIT : 0), "%m");
		for (unsigned int i = 0; i < 64; i++) {
			unsigned int row = i >= 20 ? i - 20 : i;
			int wanted = row < COUNT(want) ? want[row] : 0;

			check(wait_for(&arena, i) == wanted, "slot %u: %d, not %d", i,
			      arena.slot[i].status, wanted);
			check(wanted || is_right(cbc, &arena, i, text), "slot %u: wrong bytes", i);
		}
	}
}

static void all_algorithms_fit_in_one_batch(void)
{
	static uint8_t text[8192];
	const struct algorithm *of[64];
	unsigned int offered = 0;

	begin();
	randomize(text, sizeof(text));
	for (size_t i = 0; i < ALGORITHMS; i++) {
		if (!driver_of(&algorithms[i]))
			continue;
		make_session(fd, 1 + i, &algorithms[i]);
		offered++;
	}
	check(offered == (accelerator->sim		      ? ALGORITHMS :
			  strcmp(accelerator->name, "engine") ? 1 :
								4),
	      "%u algorithms", offered);
	for (int round = 0; round < 10; round++) {
		for (unsigned int s = 0, i = round; s < 64; s++, i++) {
			struct outboard_slot slot;
			uint32_t size = (s * 128 + 16) & ~15u;

			while (!driver_of(&algorithms[i % ALGORITHMS]))
				i++;
			of[s] = &algorithms[i % ALGORITHMS];
			slot = a_slot(of[s], 1 + i % ALGORITHMS, &arena, s * 65536,
				      s * 65536 + (s & 1 ? 32768 : 0), size);
			memcpy(arena.base + slot.in, text, size);
			put(&arena, s, &slot);
		}
		check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
		for (unsigned int s = 0; s < 64; s++) {
			check(!arena.slot[s].status, "slot %u, %s: status %d", s, of[s]->name,
			      arena.slot[s].status);
			check(is_right(of[s], &arena, s, text), "slot %u: %s is wrong", s,
			      of[s]->name);
		}
	}
}

static void an_arena_may_have_4096_slots(void)
{
	struct arena large;
	uint8_t text[64];

	begin();
	large = map_arena(fd, 4 * MIB, 4096);
	check(large.header->slots == 4096, "%u slots", large.header->slots);
	randomize(text, sizeof(text));
	for (unsigned int i = 0; i < 4096; i++) {
		struct outboard_slot slot = a_slot(cbc, 1000, &large, i * 128, i * 128, 64);

		memcpy(large.base + slot.in, text, 64);
		put(&large, i, &slot);
	}
	check(!submit(&large, 0, 4096, OUTBOARD_WAIT), "%m");
	for (unsigned int i = 0; i < 4096; i++)
		check(!large.slot[i].status && is_right(cbc, &large, i, text), "slot %u: status %d",
		      i, large.slot[i].status);
	check(submit(&large, 4095, 2, OUTBOARD_WAIT) == -EINVAL &&
		      submit(&large, 4096, 1, OUTBOARD_WAIT) == -EINVAL,
	      "%m");
}

static void a_slot_in_flight_cannot_be_submitted_again(void)
{
	unsigned int refused = 0;

	begin();
	for (int i = 0; i < 100; i++) {
		int error;

		fill(8, 2, 65536);
		check(!submit(&arena, 9, 1, 0), "%m");
		error = submit(&arena, 8, 2, OUTBOARD_WAIT);
		check(!error || error == -EBUSY, "%s", strerror(-error));
		refused += error == -EBUSY;
		check(error || !arena.slot[8].status, "slot 8: status %d", arena.slot[8].status);
		check(!error || arena.slot[8].status == UNTOUCHED, "slot 8: status %d",
		      arena.slot[8].status);
		check(!wait_for(&arena, 9), "slot 9: status %d", arena.slot[9].status);
		check(!submit(&arena, 8, 1, OUTBOARD_WAIT), "the other slot of a refused record: %m");
	}
	check(refused, "it could be, 100 times");
}

/* A program that has seen the status may submit the slot again immediately. */
static void a_slot_that_is_done_can_be_submitted_at_once(void)
{
	begin();
	for (int i = 0; i < 400; i++) {
		fill(3, 1, 16);
		check(!submit(&arena, 3, 1, 0), "round %d: %m", i);
		check(!wait_for(&arena, 3), "status %d", arena.slot[3].status);
	}
}

static void *change_the_length(void *ended)
{
	while (!*(volatile bool *)ended) {
		arena.slot[0].length = 2 * 65536;
		arena.slot[0].length = 0;
	}
	return NULL;
}

/* The driver gets the length that was checked, and not what another thread writes after that. */
static void a_slot_that_changes_is_read_once(void)
{
	static const uint8_t unchanged[16];
	double end = now() + 2;
	bool ended = false;
	const uint8_t *beyond;
	pthread_t thread;

	begin();
	fill(0, 1, 0);
	beyond = arena.base + arena.slot[0].out + 65536;
	check(!pthread_create(&thread, NULL, change_the_length, &ended), "%m");
	while (now() < end) {
		check(!submit(&arena, 0, 1, OUTBOARD_WAIT), "%m");
		check(!arena.slot[0].status || arena.slot[0].status == -E2BIG, "status %d",
		      arena.slot[0].status);
		check(differ(beyond, unchanged, sizeof(unchanged)) < 0,
		      "a request was longer than the longest one");
	}
	ended = true;
	pthread_join(thread, NULL);
}

static void counters_of_the_driver_count(void)
{
	long requests, bytes, errors;

	begin();
	requests = driver_counter(cbc, "requests");
	bytes = driver_counter(cbc, "bytes");
	errors = driver_counter(cbc, "errors");
	fill(0, 64, 4096);
	arena.slot[5].length = 5;
	check(!submit(&arena, 0, 64, OUTBOARD_WAIT), "%m");
	check(driver_counter(cbc, "requests") - requests == 63, "%ld requests",
	      driver_counter(cbc, "requests") - requests);
	check(driver_counter(cbc, "bytes") - bytes == 63 * 4096, "%ld bytes",
	      driver_counter(cbc, "bytes") - bytes);
	check(driver_counter(cbc, "errors") == errors, "%ld errors",
	      driver_counter(cbc, "errors") - errors);
}

static const struct test tests[] = {
	TEST(a_wrong_slot_does_not_stop_the_others),
	TEST(all_algorithms_fit_in_one_batch),
	TEST(an_arena_may_have_4096_slots),
	TEST(a_slot_in_flight_cannot_be_submitted_again),
	TEST(a_slot_that_is_done_can_be_submitted_at_once),
	TEST(a_slot_that_changes_is_read_once),
	TEST(counters_of_the_driver_count),
};
THEME(batches, false);
