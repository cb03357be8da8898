// SPDX-License-Identifier: GPL-2.0
/* gcm, ccm: the same bytes and tags as software; forged messages are rejected. */
#include "tests.h"

#define TEXT (256 << 10)

static int fd;
static struct arena arena;

static void begin(void)
{
	fd = open_device(0);
	arena = map_arena(fd, 4 * MIB, 0);
}

static void a_nonce(const struct algorithm *algorithm, uint8_t *iv, unsigned int n)
{
	memset(iv, 0, OUTBOARD_IV_SIZE);
	if (algorithm->id != OUTBOARD_CCM_AES) {
		randomize(iv, algorithm->iv);
		return;
	}
	/* RFC 3610: the size of the length field minus one; the nonce has the other bytes. */
	iv[0] = 2 + n % 6;
	randomize(iv + 1, 14 - iv[0]);
}

static void there_and_back(const struct algorithm *algorithm, const uint8_t *key,
			   unsigned int key_size, unsigned int tag, uint32_t size,
			   uint32_t aad_size, uint32_t in, uint32_t out, unsigned int n)
{
	static uint8_t plain[TEXT], sealed[TEXT + OUTBOARD_MAX_TAG], aad[5000];
	struct outboard_slot slot = { .session = 1,
				      .op = OUTBOARD_ENCRYPT,
				      .in = arena.offset + in,
				      .out = arena.offset + out,
				      .length = size,
				      .aad_length = aad_size };

	if (aad_size)
		slot.aad = arena.offset + 3 * MIB + MIB / 2 + arena.align * (n % 70);
	randomize(plain, size);
	randomize(aad, aad_size);
	a_nonce(algorithm, slot.iv, n);
	software_seal(algorithm, key, key_size, slot.iv, aad, aad_size, plain, size, sealed, tag);
	memcpy(arena.base + slot.aad, aad, slot.aad ? aad_size : 0);
	memcpy(arena.data + in, plain, size);
	memset(arena.data + out + size, 0x5a, tag + 16);
	check(!ask(&arena, &slot), "%u bytes, %u of aad, tag %u: status %d", size, aad_size, tag,
	      arena.slot[0].status);
	check(differ(arena.data + out, sealed, size + tag) < 0,
	      "%u bytes, %u of aad, tag %u, %u to %u: byte %ld is wrong", size, aad_size, tag, in,
	      out, differ(arena.data + out, sealed, size + tag));
	for (int i = 0; i < 16; i++)
		check(arena.data[out + size + tag + i] == 0x5a, "%u bytes: written beyond the tag",
		      size);
	slot.op = OUTBOARD_DECRYPT;
	slot.in = slot.out;
	slot.out = arena.offset + in;
	check(!ask(&arena, &slot), "%u bytes, %u of aad, tag %u: status %d of decryption", size,
	      aad_size, tag, arena.slot[0].status);
	check(differ(arena.data + in, plain, size) < 0, "%u bytes: byte %ld of decryption is wrong",
	      size, differ(arena.data + in, plain, size));
	check(!slot.aad || differ(arena.base + slot.aad, aad, aad_size) < 0, "the aad has changed");
}

static void any_size_aad_and_tag_gives_the_bytes_of_the_software(const struct algorithm *algorithm)
{
	static const uint32_t sizes[] = { 0,  1,   15,	 16,   17,   31,   33,	 63,	64,
					  65, 255, 1000, 4080, 4095, 4096, 4097, 16384, 65536 },
			      aads[] = { 0, 1, 8, 13, 16, 20, 64, 100, 4096 },
			      places[] = { 0, 64, 4032, MIB - 128 };
	const uint8_t tags[] = { 16, 8, 12, 4, 14 };
	uint8_t key[64];
	unsigned int n = 0;

	begin();
	for (size_t k = 0; k < 3; k++) {
		for (size_t t = 0; t < COUNT(tags); t++) {
			randomize(key, sizeof(key));
			check(!new_session(fd, 1, algorithm->id, tags[t], key, algorithm->keys[k]),
			      "tag %u: %m", tags[t]);
			/* The longest size only once for each key. */
			for (size_t s = 0; s < COUNT(sizes) - (t ? 1 : 0); s++, n++) {
				uint32_t at = places[n % 4], aad = aads[n * 7 % COUNT(aads)];

				if (sizes[s] < algorithm->least || sizes[s] % algorithm->block)
					continue;
				at -= at % arena.align;
				there_and_back(algorithm, key, algorithm->keys[k], tags[t],
					       sizes[s], aad, at, at, n);
				there_and_back(algorithm, key, algorithm->keys[k], tags[t],
					       sizes[s], aad, at, at + 2 * MIB - 8192, n);
			}
			check(!free_session(fd, 1), "%m");
		}
	}
}

static void a_forged_message_is_refused(const struct algorithm *algorithm)
{
	static const uint32_t sizes[] = { 0, 1, 16, 100, 4096 };
	uint8_t plain[4096], sealed[4112], aad[20];
	long errors;

	begin();
	make_session(fd, 1, algorithm);
	errors = driver_counter(algorithm, "errors");
	for (size_t s = 0; s < COUNT(sizes); s++) {
		uint32_t size = sizes[s];
		struct outboard_slot slot = a_slot(algorithm, 1, &arena, 0, 8192, size);

		if (size < algorithm->least || size % algorithm->block)
			continue;
		randomize(plain, size);
		randomize(aad, sizeof(aad));
		software_seal(algorithm, a_key(), algorithm->keys[0], slot.iv, aad, sizeof(aad),
			      plain, size, sealed, 16);
		slot.op = OUTBOARD_DECRYPT;
		slot.aad = arena.offset + 65536;
		slot.aad_length = sizeof(aad);
		/* Unmodified, then with one bit flipped: text, both ends of the tag, AAD, nonce. */
		for (int forged = 0; forged < 6; forged++) {
			struct outboard_slot that = slot;
			int want = forged && (size || forged != 1) ? -EBADMSG : 0;

			memcpy(arena.data, sealed, size + 16);
			memcpy(arena.base + slot.aad, aad, sizeof(aad));
			if (forged == 1 && size)
				arena.data[size / 2] ^= 4;
			if (forged == 2 || forged == 3)
				arena.data[size + (forged == 2 ? 0 : 15)] ^= 0x80;
			if (forged == 4)
				arena.base[slot.aad + 19] ^= 1;
			if (forged == 5)
				that.iv[5] ^= 1;
			check(ask(&arena, &that) == want, "%u bytes, forgery %d: status %d", size,
			      forged, arena.slot[0].status);
			check(want || differ(arena.data + 8192, plain, size) < 0,
			      "%u bytes are wrong", size);
		}
	}
	check(driver_counter(algorithm, "errors") == errors, "a forgery is the driver's error");
}

static void the_limits_of_size_are_exact(const struct algorithm *algorithm)
{
	struct outboard_slot slot;
	uint8_t *plain = malloc(2 * MIB), *sealed = malloc(2 * MIB);
	uint32_t most, place;

	fd = open_device(0);
	arena = map_arena(fd, 2 * MIB, 0);
	make_session(fd, 1, algorithm);
	/* The data area must have space for the tag too. */
	most = arena.header->max_length;
	place = arena.room - most - 16 - (arena.room - most - 16) % arena.align;
	slot = a_slot(algorithm, 1, &arena, place, place, most);
	randomize(plain, most);
	software_seal(algorithm, a_key(), algorithm->keys[0], slot.iv, NULL, 0, plain, most, sealed,
		      16);
	memcpy(arena.data + place, plain, most);
	check(!ask(&arena, &slot) && differ(arena.data + place, sealed, most + 16) < 0,
	      "%u bytes: status %d", most, arena.slot[0].status);
	slot.op = OUTBOARD_DECRYPT;
	check(!ask(&arena, &slot) && differ(arena.data + place, plain, most) < 0,
	      "%u bytes: status %d of decryption", most, arena.slot[0].status);
	slot.in = slot.out = arena.offset + place + arena.align;
	check(ask(&arena, &slot) == -EINVAL, "no space for the tag: status %d of decryption",
	      arena.slot[0].status);
	slot.op = OUTBOARD_ENCRYPT;
	check(ask(&arena, &slot) == -EINVAL, "no space for the tag: status %d",
	      arena.slot[0].status);
	slot.in = slot.out = arena.offset;
	slot.length = most + 1;
	check(ask(&arena, &slot) == -E2BIG, "one more: status %d", arena.slot[0].status);
	for (uint32_t size = -17; size; size++) {
		slot.length = size;
		check(ask(&arena, &slot) == -E2BIG, "%u: status %d", size, arena.slot[0].status);
	}
	slot.length = 16;
	slot.aad = arena.offset + 8192;
	slot.aad_length = arena.header->max_aad;
	check(!ask(&arena, &slot), "%u bytes of aad: status %d", slot.aad_length,
	      arena.slot[0].status);
	slot.aad_length++;
	check(ask(&arena, &slot) == -E2BIG, "%u bytes of aad: status %d", slot.aad_length,
	      arena.slot[0].status);
	slot.aad = slot.aad_length = 0;
	if (algorithm->id != OUTBOARD_CCM_AES)
		return;
	/* CCM only: a length field of two bytes allows 65535 bytes. */
	slot.iv[0] = 1;
	memset(slot.iv + 14, 0, 2);
	slot.length = 65535;
	check(!ask(&arena, &slot), "65535 bytes: status %d", arena.slot[0].status);
	slot.length = 65536;
	check(ask(&arena, &slot) == -EINVAL, "65536 bytes: status %d", arena.slot[0].status);
}

static void a_slot_out_of_form_is_refused(const struct algorithm *algorithm)
{
	struct outboard_slot good, slot;

	begin();
	for (int tag = 0; tag < 256; tag++) {
		bool known = algorithm->id == OUTBOARD_GCM_AES ?
				     (tag >= 12 && tag <= 16) || tag == 4 || tag == 8 :
				     tag >= 4 && tag <= 16 && !(tag & 1);
		int error = new_session(fd, 9, algorithm->id, tag, a_key(), algorithm->keys[0]);

		check(error == (known ? 0 : -EINVAL), "a tag of %d bytes: %s", tag,
		      strerror(-error));
		if (!error)
			check(!free_session(fd, 9), "%m");
	}
	make_session(fd, 1, algorithm);
	good = a_slot(algorithm, 1, &arena, 0, 8192, 992);
	good.aad = arena.offset + 16384;
	good.aad_length = 20;
	slot_status(0, slot.length = 992);
	slot_status(0, slot.aad = slot.aad_length = 0);
	slot_status(0, slot.aad = slot.in + 1024);
	slot_status(-EOPNOTSUPP, slot.op = OUTBOARD_DIGEST);
	slot_status(-EINVAL, slot.aad_length = 0);
	slot_status(-EINVAL, slot.aad++);
	slot_status(-EINVAL, slot.aad = 0);
	slot_status(-EINVAL, slot.aad = slot.in);
	slot_status(-EINVAL, slot.aad = slot.out + 960);
	slot_status(-EINVAL, slot.out = slot.in + 960);
	slot_status(-E2BIG, slot.aad_length = 4 * MIB);
	slot_status(-E2BIG, slot.aad_length = 0xffffffff);
	slot_status(-EINVAL, slot.aad = -arena.align; slot.aad_length = arena.align);
	if (algorithm->id == OUTBOARD_GCM_AES) {
		slot_status(-EINVAL, slot.iv[12] = 1);
	} else if (algorithm->id == OUTBOARD_CCM_AES) {
		slot_status(-EINVAL, slot.iv[0] = 0);
		slot_status(-EINVAL, slot.iv[0] = 8);
	} else {
		slot_status(-EINVAL, slot.length = 0);
		slot_status(-EINVAL, slot.length = 15);
		slot_status(-EINVAL, slot.length = 1000);
	}
}

static const struct test tests[] = {
	EACH(any_size_aad_and_tag_gives_the_bytes_of_the_software, AEAD),
	EACH(a_forged_message_is_refused, AEAD),
	EACH(the_limits_of_size_are_exact, AEAD),
	EACH(a_slot_out_of_form_is_refused, AEAD),
};
THEME(aeads, false);
