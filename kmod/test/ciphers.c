// SPDX-License-Identifier: GPL-2.0
/* cbc, ctr, ecb, xts: the same bytes as software, for all sizes and offsets. */
#include "tests.h"

#define ARENA (4 * MIB)

static int fd;
static struct arena arena;

static void begin(void)
{
	fd = open_device(0);
	arena = map_arena(fd, ARENA, 0);
}

/* Sizes around blocks, cache lines and pages, and random ones. */
static uint32_t a_size(unsigned int n)
{
	static const uint32_t sizes[] = { 1,	7,    8,    9,	  15,	16,    17,    24,
					  31,	32,   33,   63,	  64,	65,    127,   128,
					  129,	240,  255,  256,  257,	1000,  4080,  4095,
					  4096, 4097, 4112, 8191, 8192, 16384, 65535, 65536 };

	return n < COUNT(sizes) ? sizes[n] : 1 + below(20000);
}
#define SIZES 42

/* Offset of the data: start, odd number of cache lines, just before a page's end, across 1 MiB. */
static uint32_t a_place(unsigned int n)
{
	const uint32_t places[] = { 0, arena.align, 4096 - arena.align, 4096 + 3 * arena.align,
				    MIB - 2 * arena.align };

	return places[n % COUNT(places)];
}

/* Encrypts and decrypts one plaintext; bytes around the output must not change. */
static void there_and_back(const struct algorithm *algorithm, const uint8_t *key,
			   unsigned int key_size, uint32_t size, uint32_t in, uint32_t out)
{
	static uint8_t plain[65536], cipher[65536];
	uint8_t around[128];
	struct outboard_slot slot = { .session = 1,
				      .op = OUTBOARD_ENCRYPT,
				      .in = arena.offset + in,
				      .out = arena.offset + out,
				      .length = size };

	randomize(plain, size);
	randomize(slot.iv, algorithm->iv);
	randomize(around, sizeof(around));
	software_encrypt(algorithm, key, key_size, slot.iv, plain, cipher, size);
	memcpy(arena.data + out + size, around, sizeof(around));
	memcpy(arena.data + in, plain, size);
	check(!ask(&arena, &slot), "%u bytes, key %u: status %d", size, key_size,
	      arena.slot[0].status);
	check(differ(arena.data + out, cipher, size) < 0,
	      "%u bytes, key %u, %u to %u: byte %ld is wrong", size, key_size, in, out,
	      differ(arena.data + out, cipher, size));
	check(in == out || differ(arena.data + in, plain, size) < 0,
	      "%u bytes: the input has changed", size);
	check(differ(arena.data + out + size, around, in < out || in == out ? sizeof(around) : 64) <
		      0,
	      "%u bytes: written beyond the end", size);
	slot.op = OUTBOARD_DECRYPT;
	slot.in = slot.out;
	slot.out = arena.offset + in;
	check(!ask(&arena, &slot), "%u bytes, key %u: status %d of decryption", size, key_size,
	      arena.slot[0].status);
	check(differ(arena.data + in, plain, size) < 0,
	      "%u bytes, key %u: byte %ld of decryption is wrong", size, key_size,
	      differ(arena.data + in, plain, size));
}

static void any_size_and_place_gives_the_bytes_of_the_software(const struct algorithm *algorithm)
{
	unsigned int tried = 0;
	uint8_t key[64];

	begin();
	for (size_t k = 0; k < COUNT(algorithm->keys) && algorithm->keys[k]; k++) {
		unsigned int key_size = algorithm->keys[k];

		randomize(key, key_size);
		check(!new_session(fd, 1, algorithm->id, 0, key, key_size), "a key of %u bytes: %m",
		      key_size);
		for (unsigned int n = 0; n < SIZES; n++) {
			uint32_t size = a_size(n), place = a_place(n);

			if (n >= 32)
				size -= size % algorithm->block;
			if (size % algorithm->block || size < algorithm->least)
				continue;
			there_and_back(algorithm, key, key_size, size, place, place);
			there_and_back(algorithm, key, key_size, size, place,
				       2 * MIB + a_place(n + k));
			there_and_back(algorithm, key, key_size, size, 2 * MIB + a_place(n + k),
				       place);
			tried++;
		}
		check(!free_session(fd, 1), "%m");
	}
	check(tried > 20, "only %u sizes were tried", tried);
}

static void the_limits_of_size_are_exact(const struct algorithm *algorithm)
{
	struct outboard_slot slot = { .session = 1, .op = OUTBOARD_ENCRYPT };
	uint32_t block = algorithm->block, most, place;
	uint8_t *plain = malloc(2 * MIB), *cipher = malloc(2 * MIB);

	fd = open_device(0);
	arena = map_arena(fd, 2 * MIB, 0);
	make_session(fd, 1, algorithm);
	slot.in = arena.offset;
	slot.out = arena.offset;
	slot.length = 0;
	check(ask(&arena, &slot) == (algorithm->least ? -EINVAL : 0), "0 bytes: status %d",
	      arena.slot[0].status);
	for (uint32_t size = 1; size <= 3 * block + 33; size++) {
		int want = size % block || size < algorithm->least ? -EINVAL : 0;

		slot.length = size;
		check(ask(&arena, &slot) == want, "%u bytes: status %d", size,
		      arena.slot[0].status);
	}

	/* The longest request, at the end of the data area, then one unit more. */
	check(arena.header->max_length == 65536, "a longest request of %u bytes",
	      arena.header->max_length);
	most = arena.header->max_length - arena.header->max_length % block;
	place = arena.room - most - (arena.room - most) % arena.align;
	randomize(plain, most);
	software_encrypt(algorithm, a_key(), algorithm->keys[0], slot.iv, plain, cipher, most);
	memcpy(arena.data + place, plain, most);
	slot.length = most;
	slot.in += place;
	slot.out += place;
	check(!ask(&arena, &slot), "%u bytes: status %d", most, arena.slot[0].status);
	check(differ(arena.data + place, cipher, most) < 0, "%u bytes: byte %ld", most,
	      differ(arena.data + place, cipher, most));
	slot.op = OUTBOARD_DECRYPT;
	check(!ask(&arena, &slot) && differ(arena.data + place, plain, most) < 0,
	      "%u bytes: status %d of decryption", most, arena.slot[0].status);
	slot.in += arena.align;
	slot.out += arena.align;
	check(ask(&arena, &slot) == -EINVAL, "beyond the end: status %d", arena.slot[0].status);
	slot.in = arena.offset;
	slot.out = arena.offset;
	slot.length = arena.header->max_length + block;
	check(ask(&arena, &slot) == -E2BIG, "%u bytes: status %d", slot.length,
	      arena.slot[0].status);
	slot.length = -block;
	check(ask(&arena, &slot) == -E2BIG, "4 GiB: status %d", arena.slot[0].status);
	check(differ(arena.data + place, plain, most) < 0, "what was refused has written");
}

static void a_slot_out_of_form_is_refused(const struct algorithm *algorithm)
{
	struct outboard_slot good, slot;
	uint8_t before[4096];

	begin();
	make_session(fd, 1, algorithm);
	randomize(arena.data, sizeof(before));
	memcpy(before, arena.data, sizeof(before));
	good = a_slot(algorithm, 1, &arena, 0, 2048, 512);
#define refused(want, ...)                                                      \
	do {                                                                    \
		slot_status(want, __VA_ARGS__);                                 \
		check(differ(arena.data, before, sizeof(before)) < 0,           \
		      #__VA_ARGS__ ": has written");                            \
	} while (0)
	refused(-ENOENT, slot.session = 2);
	refused(-ENOENT, slot.session = 0);
	refused(-EOPNOTSUPP, slot.op = 0);
	refused(-EOPNOTSUPP, slot.op = 200);
	refused(-EOPNOTSUPP, slot.op = OUTBOARD_DIGEST);
	refused(-EOPNOTSUPP, slot.op |= 0x100);
	refused(-EINVAL, slot.reserved = 1);
	refused(-EINVAL, slot.reserved = 0x80000000);
	refused(-EINVAL, slot.aad = arena.offset);
	refused(-EINVAL, slot.aad_length = 16);
	refused(-E2BIG, slot.aad_length = 4097);
	refused(-EINVAL, slot.in = 0);
	refused(-EINVAL, slot.out = arena.header->slots_offset);
	refused(-EINVAL, slot.in = arena.offset - arena.align);
	refused(-EINVAL, slot.in = slot.in + 1);
	refused(-EINVAL, slot.out = slot.out + arena.align / 2);
	refused(-EINVAL, slot.out = slot.in + 512 - arena.align);
	refused(-EINVAL, slot.in = arena.size);
	refused(-EINVAL, slot.out = arena.size - arena.align);
	refused(-EINVAL, slot.in = -arena.align);
	if (algorithm->iv < 16)
		refused(-EINVAL, slot.iv[15] = 1);
	check(!ask(&arena, &good) && is_right(algorithm, &arena, 0, before),
	      "the one in form: status %d", arena.slot[0].status);
}

static const struct test tests[] = {
	EACH(any_size_and_place_gives_the_bytes_of_the_software, CIPHER),
	EACH(the_limits_of_size_are_exact, CIPHER),
	EACH(a_slot_out_of_form_is_refused, CIPHER),
};
THEME(ciphers, false);
