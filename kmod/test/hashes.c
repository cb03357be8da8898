// SPDX-License-Identifier: GPL-2.0
/* sha1, sha2 and their hmac: in one request, in several requests, and cloned. */
#include "tests.h"

#define TEXT (1 << 20)

static int fd;
static struct arena arena;
static uint8_t text[TEXT];

static void begin(void)
{
	fd = open_device(0);
	arena = map_arena(fd, 4 * MIB, 0);
	randomize(text, sizeof(text));
}

static void any_size_and_key_gives_the_digest_of_the_software(const struct algorithm *algorithm)
{
	uint32_t block = algorithm->block;
	const uint32_t sizes[] = { 0,	      1,     3,		block - 17,    block - 9,
				   block - 1, block, block + 1, 2 * block - 1, 2 * block,
				   1000,      4095,  4096,	4097,	       65535,
				   65536 };
	uint8_t digest[OUTBOARD_DIGEST_SIZE];

	begin();
	for (size_t k = 0; k == 0 || (k < 4 && algorithm->keys[k]); k++) {
		check(!new_session(fd, 1, algorithm->id, 0, a_key(), algorithm->keys[k]),
		      "a key of %u bytes: %m", algorithm->keys[k]);
		for (size_t s = 0; s < COUNT(sizes); s++) {
			struct outboard_slot slot = a_slot(algorithm, 1, &arena,
							   s % 2 ? 4096 - arena.align : 0, 0,
							   sizes[s]);

			memcpy(arena.base + slot.in, text, sizes[s]);
			software_digest(algorithm, a_key(), algorithm->keys[k], text, sizes[s],
					digest);
			check(!ask(&arena, &slot), "%u bytes: status %d", sizes[s],
			      arena.slot[0].status);
			check(!memcmp((void *)arena.slot[0].digest, digest, algorithm->digest),
			      "%u bytes: a wrong digest", sizes[s]);
			check(differ(arena.base + slot.in, text, sizes[s]) < 0,
			      "%u bytes: the input has changed", sizes[s]);
			for (int i = algorithm->digest; i < OUTBOARD_DIGEST_SIZE; i++)
				check(!arena.slot[0].digest[i],
				      "%u bytes: written beyond the digest", sizes[s]);
		}
		check(ask(&arena, &(struct outboard_slot){ .session = 1,
							   .op = OUTBOARD_HASH_DIGEST,
							   .in = arena.offset,
							   .length = 65537 }) == -E2BIG,
		      "status %d", arena.slot[0].status);
		check(!object(fd, OUTBOARD_SESSION_FREE, 1, 0), "%m");
	}
}

static int feed(int op, int flags, uint32_t handle, uint32_t from, uint32_t size)
{
	struct outboard_slot slot = {
		.op = op, .flags = flags, .hash = handle, .in = arena.offset, .length = size
	};

	memcpy(arena.data, text + from, size);
	return ask(&arena, &slot);
}

static void has_digest(const struct algorithm *algorithm, uint32_t size)
{
	uint8_t digest[OUTBOARD_DIGEST_SIZE];

	software_digest(algorithm, a_key(), algorithm->keys[0], text, size, digest);
	check(!arena.slot[0].status, "status %d", arena.slot[0].status);
	check(!memcmp((void *)arena.slot[0].digest, digest, algorithm->digest),
	      "%u bytes: a wrong digest", size);
}

/* Random chunks; after some of them a clone, and a clone of the clone, continue independently. */
static void chunks_and_clones_give_the_digest_of_the_software(const struct algorithm *algorithm)
{
	begin();
	make_session(fd, 1, algorithm);
	check(!object(fd, OUTBOARD_HASH_NEW, 1, 1), "%m");
	for (int message = 0; message < 16; message++) {
		uint32_t size = message < 3 ? (uint32_t)message :
					      below(message % 5 ? 5000 : 200000),
			 done = 0;
		int flags = OUTBOARD_HASH_FIRST;

		while (done < size) {
			uint32_t chunk = 1 + below(size - done > 65536 ? 65536 : size - done);

			if (below(4) == 0)
				chunk = chunk < algorithm->block ? chunk : algorithm->block;
			check(!feed(OUTBOARD_HASH_UPDATE, flags, 1, done, chunk), "status %d",
			      arena.slot[0].status);
			flags = 0;
			done += chunk;
			if (below(3))
				continue;
			check(!object(fd, OUTBOARD_HASH_CLONE, 2, 1), "%m");
			check(!object(fd, OUTBOARD_HASH_CLONE, 3, 2), "%m");
			feed(OUTBOARD_HASH_FINAL, 0, 2, done, 77);
			has_digest(algorithm, done + 77);
			feed(OUTBOARD_HASH_UPDATE, 0, 3, done, 1000);
			feed(OUTBOARD_HASH_FINAL, 0, 3, done + 1000, 0);
			has_digest(algorithm, done + 1000);
			check(!object(fd, OUTBOARD_HASH_FREE, 3, 0) &&
				      !object(fd, OUTBOARD_HASH_FREE, 2, 0),
			      "%m");
		}
		feed(OUTBOARD_HASH_FINAL, flags, 1, done, 0);
		has_digest(algorithm, size);
	}
}

static void many_handles_of_one_session_do_not_mix(const struct algorithm *algorithm)
{
	enum { HANDLES = 32, CHUNK = 3000 };

	begin();
	make_session(fd, 1, algorithm);
	for (uint32_t h = 1; h <= HANDLES; h++)
		check(!object(fd, OUTBOARD_HASH_NEW, h, 1), "%m");
	for (int round = 0; round < 3; round++) {
		for (unsigned int h = 0; h < HANDLES; h++) {
			struct outboard_slot slot = { .op = round < 2 ? OUTBOARD_HASH_UPDATE :
									OUTBOARD_HASH_FINAL,
						      .hash = h + 1,
						      .flags = round ? 0 : OUTBOARD_HASH_FIRST,
						      .in = arena.offset + h * 4096,
						      .length = CHUNK + h };

			memcpy(arena.base + slot.in, text + round * (CHUNK + h), CHUNK + h);
			put(&arena, h, &slot);
		}
		check(!submit(&arena, 0, HANDLES, OUTBOARD_WAIT), "%m");
		for (unsigned int h = 0; h < HANDLES; h++)
			check(!arena.slot[h].status, "handle %u: status %d", h + 1,
			      arena.slot[h].status);
	}
	for (unsigned int h = 0; h < HANDLES; h++) {
		uint8_t digest[OUTBOARD_DIGEST_SIZE];

		software_digest(algorithm, a_key(), algorithm->keys[0], text, 3 * (CHUNK + h),
				digest);
		check(!memcmp((void *)arena.slot[h].digest, digest, algorithm->digest),
		      "handle %u: a wrong digest", h + 1);
	}
}

static void a_message_begins_with_first_and_ends_with_final(void)
{
	const struct algorithm *sha = algorithm(OUTBOARD_SHA256);

	begin();
	make_session(fd, 1, sha);
	check(!object(fd, OUTBOARD_HASH_NEW, 1, 1), "%m");
	check(object(fd, OUTBOARD_HASH_NEW, 1, 1) == -EEXIST, "the number is taken");
	check(object(fd, OUTBOARD_HASH_NEW, 2, 7) == -ENOENT, "no such session");
	check(feed(OUTBOARD_HASH_UPDATE, 0, 1, 0, 10) == -EINVAL, "no message is open: status %d",
	      arena.slot[0].status);
	check(feed(OUTBOARD_HASH_FINAL, 0, 1, 0, 10) == -EINVAL, "no message is open: status %d",
	      arena.slot[0].status);
	check(!feed(OUTBOARD_HASH_UPDATE, OUTBOARD_HASH_FIRST, 1, 0, 0), "nothing yet: status %d",
	      arena.slot[0].status);
	check(!feed(OUTBOARD_HASH_UPDATE, 0, 1, 0, 0), "nothing more: status %d",
	      arena.slot[0].status);
	check(!feed(OUTBOARD_HASH_UPDATE, 0, 1, 0, 100), "status %d", arena.slot[0].status);
	/* FIRST discards the open message. */
	check(!feed(OUTBOARD_HASH_UPDATE, OUTBOARD_HASH_FIRST, 1, 0, 50), "status %d",
	      arena.slot[0].status);
	feed(OUTBOARD_HASH_FINAL, 0, 1, 50, 50);
	has_digest(sha, 100);
	check(feed(OUTBOARD_HASH_FINAL, 0, 1, 0, 0) == -EINVAL, "it has ended: status %d",
	      arena.slot[0].status);
	feed(OUTBOARD_HASH_FINAL, OUTBOARD_HASH_FIRST, 1, 0, 3);
	has_digest(sha, 3);
	/* A clone of a handle without an open message has none. */
	check(!object(fd, OUTBOARD_HASH_CLONE, 2, 1) &&
		      object(fd, OUTBOARD_HASH_CLONE, 2, 1) == -EEXIST,
	      "%m");
	check(feed(OUTBOARD_HASH_FINAL, 0, 2, 0, 0) == -EINVAL, "status %d", arena.slot[0].status);
	/* A length that is refused before the handle is looked up leaves its message open. */
	check(!feed(OUTBOARD_HASH_UPDATE, OUTBOARD_HASH_FIRST, 2, 0, 50), "status %d",
	      arena.slot[0].status);
	check(feed(OUTBOARD_HASH_UPDATE, 0, 2, 0, 65537) == -E2BIG, "status %d",
	      arena.slot[0].status);
	feed(OUTBOARD_HASH_FINAL, 0, 2, 50, 50);
	has_digest(sha, 100);
	/* An invalid slot leaves the handle without an open message. */
	check(!feed(OUTBOARD_HASH_UPDATE, OUTBOARD_HASH_FIRST, 2, 0, 50), "status %d",
	      arena.slot[0].status);
	check(feed(OUTBOARD_HASH_UPDATE, 0x40, 2, 0, 50) == -EINVAL, "status %d",
	      arena.slot[0].status);
	check(feed(OUTBOARD_HASH_FINAL, 0, 2, 0, 0) == -EINVAL, "status %d", arena.slot[0].status);
	check(feed(OUTBOARD_HASH_FINAL, 0, 99, 0, 0) == -ENOENT, "status %d", arena.slot[0].status);
	/* Handles outlive the number of their session, but not its driver handle. */
	check(!object(fd, OUTBOARD_SESSION_FREE, 1, 0), "%m");
	check(feed(OUTBOARD_HASH_FINAL, OUTBOARD_HASH_FIRST, 1, 0, 3) == -ENODEV, "status %d",
	      arena.slot[0].status);
	check(object(fd, OUTBOARD_HASH_CLONE, 3, 1) == -ENODEV, "%m");
	check(!object(fd, OUTBOARD_HASH_FREE, 1, 0) &&
		      object(fd, OUTBOARD_HASH_FREE, 1, 0) == -ENOENT,
	      "%m");
}

static void a_handle_in_flight_is_busy(void)
{
	struct outboard_slot slot = { .op = OUTBOARD_HASH_UPDATE,
				      .flags = OUTBOARD_HASH_FIRST,
				      .hash = 1 };

	begin();
	check(!tell(SIM_DEBUG "/faults", "sim-sha256 never"), "%m");
	make_session(fd, 1, algorithm(OUTBOARD_SHA256));
	check(!object(fd, OUTBOARD_HASH_NEW, 1, 1), "%m");
	slot.in = arena.offset;
	slot.length = 100;
	put(&arena, 0, &slot);
	put(&arena, 1, &slot);
	check(!submit(&arena, 0, 2, 0), "%m");
	check(arena.slot[1].status == -EBUSY, "the second: status %d", arena.slot[1].status);
	check(object(fd, OUTBOARD_HASH_CLONE, 2, 1) == -EBUSY, "%m");
	/* The number is freed at once; the request completes normally. */
	check(!object(fd, OUTBOARD_HASH_FREE, 1, 0), "%m");
	check(arena.slot[0].status == OUTBOARD_IN_FLIGHT && counter("hashes") == 1, "status %d",
	      arena.slot[0].status);
	check(!tell(SIM_DEBUG "/held", "0"), "%m");
	check(!wait_for(&arena, 0), "status %d", arena.slot[0].status);
}

static const struct test tests[] = {
	EACH(any_size_and_key_gives_the_digest_of_the_software, HASH),
	EACH(chunks_and_clones_give_the_digest_of_the_software, HASH),
	EACH(many_handles_of_one_session_do_not_mix, HASH),
	TEST(a_message_begins_with_first_and_ends_with_final),
	TEST(a_handle_in_flight_is_busy),
};
THEME(hashes, true);
