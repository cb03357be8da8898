// SPDX-License-Identifier: GPL-2.0
/* sha1, sha2 and their hmac. */
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
							   .op = OUTBOARD_DIGEST,
							   .in = arena.offset,
							   .length = 65537 }) == -E2BIG,
		      "status %d", arena.slot[0].status);
		check(!free_session(fd, 1), "%m");
	}
}

static void a_slot_of_a_hash_has_an_input_and_nothing_else(const struct algorithm *algorithm)
{
	struct outboard_slot slot, good;

	begin();
	if (algorithm->id < OUTBOARD_HMAC_SHA1)
		check(new_session(fd, 1, algorithm->id, 0, a_key(), 16) == -EINVAL,
		      "a hash that is not an HMAC has no key");
	make_session(fd, 1, algorithm);
	good = a_slot(algorithm, 1, &arena, 0, 0, 1000);
	slot_status(0, slot.length = 0);
	slot_status(-EOPNOTSUPP, slot.op = OUTBOARD_ENCRYPT);
	/* A message in chunks: the next numbers of operations. */
	slot_status(-EOPNOTSUPP, slot.op = OUTBOARD_DIGEST + 1);
	slot_status(-EOPNOTSUPP, slot.op = OUTBOARD_DIGEST + 2);
	slot_status(-EINVAL, slot.out = slot.in);
	slot_status(-EINVAL, slot.aad = slot.in);
	slot_status(-EINVAL, slot.aad_length = 16);
	slot_status(-EINVAL, slot.iv[0] = 1);
	slot_status(-EINVAL, slot.in++);
}

static const struct test tests[] = {
	EACH(any_size_and_key_gives_the_digest_of_the_software, HASH),
	EACH(a_slot_of_a_hash_has_an_input_and_nothing_else, HASH),
};
THEME(hashes, true);
