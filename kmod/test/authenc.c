// SPDX-License-Identifier: GPL-2.0
/* authenc: known answers, the two keys of a session, tags as long as the digest. */
#include "tests.h"
#include <linux/rtnetlink.h>
#include <sys/syscall.h>
#include <linux/keyctl.h>

static int fd;
static struct arena arena;

static void begin(void)
{
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 0);
}

/* Creates session 1 with these sizes; flags and serial as in the record. */
static int session_of_two(const struct algorithm *algorithm, uint16_t flags, int32_t serial,
			  uint16_t mac_key, uint16_t size, uint8_t tag)
{
	struct {
		struct outboard_session_new record;
		uint8_t key[OUTBOARD_MAX_KEY];
	} all = { { OUTBOARD_SESSION_NEW, flags, 1, algorithm->id, 0, serial ? 0 : size, tag, 0,
		    serial, mac_key, 0 },
		  { 0 } };

	memcpy(all.key, a_key(), sizeof(all.key));
	return ring(fd, &all, sizeof(all.record) + all.record.key_size);
}

static void end_session(void)
{
	check(!object(fd, OUTBOARD_SESSION_FREE, 1, 0), "%m");
}

/* Whether session 1 seals a packet as software does with the first mac_key bytes of a_key(). */
static void seals_and_opens(const struct algorithm *algorithm, unsigned int mac_key,
			    unsigned int key, unsigned int tag)
{
	struct outboard_slot slot = a_slot(algorithm, 1, &arena, 0, 8192, 1456);
	uint8_t plain[1456], sealed[1456 + OUTBOARD_MAX_TAG], aad[24];

	randomize(plain, sizeof(plain));
	randomize(aad, sizeof(aad));
	software_authenc(algorithm, a_key(), mac_key, a_key() + mac_key, key, slot.iv, aad,
			 sizeof(aad), plain, sizeof(plain), sealed, tag);
	memcpy(arena.data, plain, sizeof(plain));
	memcpy(arena.data + 16384, aad, sizeof(aad));
	slot.aad = arena.offset + 16384;
	slot.aad_length = sizeof(aad);
	check(!ask(&arena, &slot), "a MAC key of %u bytes: status %d", mac_key,
	      arena.slot[0].status);
	check(differ(arena.data + 8192, sealed, sizeof(plain) + tag) < 0,
	      "a MAC key of %u bytes: byte %ld is wrong", mac_key,
	      differ(arena.data + 8192, sealed, sizeof(plain) + tag));
	slot.op = OUTBOARD_DECRYPT;
	slot.in = slot.out;
	slot.out = arena.offset + 32768;
	check(!ask(&arena, &slot) && differ(arena.data + 32768, plain, sizeof(plain)) < 0,
	      "a MAC key of %u bytes: status %d of decryption", mac_key, arena.slot[0].status);
	/* Every bit of the last byte of the tag counts. */
	for (int bit = 0; bit < 8; bit++) {
		arena.data[8192 + sizeof(plain) + tag - 1] ^= 1 << bit;
		check(ask(&arena, &slot) == -EBADMSG, "bit %d of the tag: status %d", bit,
		      arena.slot[0].status);
		arena.data[8192 + sizeof(plain) + tag - 1] ^= 1 << bit;
	}
}

/*
 * RFC 3602, case 1, as a TLS record with encrypt-then-MAC (RFC 7366): AAD is the sequence number,
 * type, version, length and IV. The tags are HMAC with a key of bytes 0x0b, computed by Python's
 * hmac module.
 */
static void a_known_record_has_the_known_tag(void)
{
	static const uint8_t key[16] = { 0x06, 0xa9, 0x21, 0x40, 0x36, 0xb8, 0xa1, 0x5b,
					 0x51, 0x2e, 0x03, 0xd5, 0x34, 0x12, 0x00, 0x06 },
			     iv[16] = { 0x3d, 0xaf, 0xba, 0x42, 0x9d, 0x9e, 0xb4, 0x30,
					0xb4, 0x22, 0xda, 0x80, 0x2c, 0x9f, 0xac, 0x41 },
			     cipher[16] = { 0xe3, 0x53, 0x77, 0x9c, 0x10, 0x79, 0xae, 0xb8,
					    0x27, 0x08, 0x94, 0x2d, 0xbe, 0x77, 0x18, 0x1a },
			     head[13] = { 0, 0, 0, 0, 0, 0, 0, 1, 0x16, 3, 3, 0, 0x10 },
			     tags[2][32] = {
				     { 0x42, 0x29, 0x87, 0x4d, 0x14, 0xa3, 0xa5, 0x26, 0x35, 0xfa,
				       0xba, 0x18, 0x02, 0x47, 0x4b, 0x49, 0x52, 0x9c, 0x28, 0xa0 },
				     { 0x08, 0x57, 0x92, 0xf5, 0x4c, 0xc0, 0xe2, 0x6b,
				       0xbc, 0x31, 0x16, 0x0c, 0x7a, 0xd7, 0xd6, 0xb8,
				       0xaf, 0x74, 0xf9, 0x68, 0x7c, 0x3d, 0x2c, 0xaf,
				       0xde, 0x4e, 0xde, 0xb1, 0xb7, 0x70, 0xe2, 0x7a },
			     };
	static const uint16_t ids[2] = { OUTBOARD_AUTHENC_HMAC_SHA1_CBC_AES,
					 OUTBOARD_AUTHENC_HMAC_SHA256_CBC_AES };

	begin();
	for (int n = 0; n < 2; n++) {
		unsigned int tag = longest_tag(algorithm(ids[n]));
		struct outboard_slot slot = a_slot(algorithm(ids[n]), 1 + n, &arena, 0, 0, 16);
		uint8_t both[48];

		memset(both, 0x0b, tag);
		memcpy(both + tag, key, sizeof(key));
		check(!new_session(fd, 1 + n, ids[n], tag, both, tag + sizeof(key)), "%m");
		memcpy(slot.iv, iv, sizeof(iv));
		memcpy(arena.data, "Single block msg", 16);
		memcpy(arena.data + 4096, head, sizeof(head));
		memcpy(arena.data + 4096 + sizeof(head), iv, sizeof(iv));
		slot.aad = arena.offset + 4096;
		slot.aad_length = sizeof(head) + sizeof(iv);
		check(!ask(&arena, &slot), "status %d", arena.slot[0].status);
		check(differ(arena.data, cipher, 16) < 0, "byte %ld of the ciphertext is wrong",
		      differ(arena.data, cipher, 16));
		check(differ(arena.data + 16, tags[n], tag) < 0, "byte %ld of the tag is wrong",
		      differ(arena.data + 16, tags[n], tag));
		slot.op = OUTBOARD_DECRYPT;
		check(!ask(&arena, &slot) && !memcmp(arena.data, "Single block msg", 16),
		      "status %d of decryption", arena.slot[0].status);
	}
}

static void a_mac_key_may_have_any_length(void)
{
	static const uint16_t ids[2] = { OUTBOARD_AUTHENC_HMAC_SHA1_CBC_AES,
					 OUTBOARD_AUTHENC_HMAC_SHA256_CBC_AES };
	static const uint16_t sizes[] = { 1, 16, 20, 32, 63, 64, 65, 128, 224 };

	begin();
	for (int n = 0; n < 2; n++) {
		const struct algorithm *of = algorithm(ids[n]);

		for (size_t i = 0; i < COUNT(sizes); i++) {
			for (unsigned int key = 16; key <= 32; key += 8) {
				check(!session_of_two(of, 0, 0, sizes[i], sizes[i] + key,
						      longest_tag(of)),
				      "%u and %u bytes: %m", sizes[i], key);
				seals_and_opens(of, sizes[i], key, longest_tag(of));
				end_session();
			}
		}
	}
}

static void lengths_of_keys_that_do_not_fit_are_refused(void)
{
	const struct algorithm *of = algorithm(OUTBOARD_AUTHENC_HMAC_SHA1_CBC_AES);

	begin();
	for (unsigned int mac = 0; mac < 300; mac++) {
		for (unsigned int size = 0; size <= OUTBOARD_MAX_KEY; size++) {
			unsigned int key = size - mac;
			bool right = mac && (key == 16 || key == 24 || key == 32);
			int error;

			/* The accepted ones are the subject of another test. */
			if (right || (size % 8 > 1 && mac % 16 > 1))
				continue;
			error = session_of_two(of, 0, 0, mac, size, 16);
			check(error == -EINVAL, "%u of %u bytes: %s", mac, size, strerror(-error));
		}
	}
	check(session_of_two(of, 0, 0, 0xffff, 36, 16) == -EINVAL, "65535 bytes");
	check(session_of_two(of, 0, 0, 20, 36, 0) == -EINVAL, "no tag");
	check(session_of_two(of, 0, 0, 20, 36, 21) == -EINVAL, "a tag longer than the digest");
	check(session_of_two(of, 0, 0, 20, 36, 255) == -EINVAL, "a tag of 255 bytes");
	check(session_of_two(algorithm(OUTBOARD_GCM_AES), 0, 0, 16, 32, 16) == -EINVAL,
	      "a MAC key for gcm");
	check(session_of_two(algorithm(OUTBOARD_HMAC_SHA1), 0, 0, 20, 36, 0) == -EINVAL,
	      "a MAC key for hmac");
	check(!counter("sessions"), "%ld sessions", counter("sessions"));
}

/* The kernel's own format of the key, with lengths that lie, is only bytes of a MAC key here. */
static void the_format_of_the_kernel_is_not_parsed(void)
{
	const struct algorithm *of = algorithm(OUTBOARD_AUTHENC_HMAC_SHA1_CBC_AES);
	struct {
		struct rtattr header;
		uint8_t enckeylen[4];
		uint8_t keys[36];
	} blob = { { 8, 1 }, { 0xff, 0xff, 0xff, 0xff }, { 0 } };
	uint8_t text[64], sealed[64 + 16];
	struct outboard_slot slot;

	begin();
	memcpy(blob.keys, a_key(), sizeof(blob.keys));
	check(new_session_with(fd, 0, 1, OUTBOARD_CBC_AES, 0, &blob, sizeof(blob)) == -EINVAL,
	      "a key of cbc");
	for (unsigned int length = 0; length < 5; length++) {
		struct {
			struct outboard_session_new record;
			uint8_t key[sizeof(blob)];
		} all = { { .op = OUTBOARD_SESSION_NEW,
			    .session = 1,
			    .algorithm = of->id,
			    .key_size = sizeof(blob),
			    .tag_size = 16,
			    .mac_key_size = sizeof(blob) - 16 },
			  { 0 } };

		blob.header.rta_len = length * 0x3fff;
		memcpy(all.key, &blob, sizeof(blob));
		check(!ring(fd, &all, sizeof(all)), "%m");
		slot = a_slot(of, 1, &arena, 0, 4096, sizeof(text));
		randomize(text, sizeof(text));
		memcpy(arena.data, text, sizeof(text));
		software_authenc(of, all.key, sizeof(blob) - 16, all.key + sizeof(blob) - 16, 16,
				 slot.iv, NULL, 0, text, sizeof(text), sealed, 16);
		check(!ask(&arena, &slot) && differ(arena.data + 4096, sealed, sizeof(sealed)) < 0,
		      "rta_len %u: status %d, or wrong bytes", blob.header.rta_len,
		      arena.slot[0].status);
		end_session();
	}
}

static void both_keys_may_stay_in_the_keyring(void)
{
	const struct algorithm *of = algorithm(OUTBOARD_AUTHENC_HMAC_SHA256_CBC_AES);
	int32_t serial;

	begin();
	serial = syscall(SYS_add_key, "logon", "outboard:two", a_key(), 48,
			 KEY_SPEC_PROCESS_KEYRING);
	check(serial > 0, "add_key: %m");
	check(!session_of_two(of, OUTBOARD_KEY_SERIAL, serial, 32, 48, 32), "%m");
	seals_and_opens(of, 32, 16, 32);
	end_session();
	/* The other lengths of an AES key that this payload can be split into. */
	check(!session_of_two(of, OUTBOARD_KEY_SERIAL, serial, 16, 48, 32), "%m");
	seals_and_opens(of, 16, 32, 32);
	end_session();
	check(session_of_two(of, OUTBOARD_KEY_SERIAL, serial, 48, 48, 32) == -EINVAL, "no AES key");
	check(session_of_two(of, OUTBOARD_KEY_SERIAL, serial, 49, 48, 32) == -EINVAL, "too long");
	check(session_of_two(of, OUTBOARD_KEY_SERIAL, serial, 0, 48, 32) == -EINVAL, "no MAC key");
	check(session_of_two(of, OUTBOARD_KEY_SERIAL, serial, 31, 48, 32) == -EINVAL, "17 bytes");
}

static const struct test tests[] = {
	TEST(a_known_record_has_the_known_tag),
	TEST(a_mac_key_may_have_any_length),
	TEST(lengths_of_keys_that_do_not_fit_are_refused),
	TEST(the_format_of_the_kernel_is_not_parsed),
	TEST(both_keys_may_stay_in_the_keyring),
};
THEME(authenc, true);
