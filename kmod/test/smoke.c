// SPDX-License-Identifier: GPL-2.0
/* Each function is one promise of docs/uapi.md. Algorithms that no allowed driver does are skipped, and said so. */
#include "device.h"
#include <pthread.h>
#include <stdbool.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/keyctl.h>

static int fd;
static struct arena arena;

static void hex(uint8_t *to, const char *text)
{
	for (; text[0]; text += 2)
		sscanf(text, "%2hhx", to++);
}

static bool make(uint32_t id, uint16_t algorithm, uint8_t tag, const char *key)
{
	uint8_t bytes[64];
	int error;

	hex(bytes, key);
	error = new_session(fd, id, algorithm, tag, bytes, strlen(key) / 2);
	check(!error || error == -ENOENT, "session of algorithm %d: %s", algorithm, strerror(-error));
	return !error;
}

static void ask(unsigned int slot, uint32_t session, int op, uint32_t in, uint32_t out, uint32_t length, const void *iv)
{
	struct outboard_slot wanted = { .session = session, .op = op, .in = in, .out = out, .length = length, .status = 77 };

	if (iv)
		memcpy(wanted.iv, iv, 16);
	memcpy((void *)&arena.slot[slot], &wanted, sizeof(wanted));
}

static int one(uint32_t session, int op, uint32_t in, uint32_t out, uint32_t length, const void *iv)
{
	int error;

	ask(0, session, op, in, out, length, iv);
	error = submit(fd, &arena, 0, 1, OUTBOARD_WAIT);
	check(!error, "%s", strerror(-error));
	return arena.slot[0].status;
}

/* ---- Right bytes ---- */

struct vector {
	uint16_t algorithm;
	const char *name, *key, *iv, *plain, *cipher;
};

static const struct vector ciphers[] = {
	/* SP 800-38A F.2.1, F.5.1, F.1.1; IEEE 1619 vector 2 */
	{ OUTBOARD_CBC_AES, "cbc(aes)", "2b7e151628aed2a6abf7158809cf4f3c", "000102030405060708090a0b0c0d0e0f",
	  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
	  "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2" },
	{ OUTBOARD_CTR_AES, "ctr(aes)", "2b7e151628aed2a6abf7158809cf4f3c", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
	  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
	  "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff" },
	{ OUTBOARD_ECB_AES, "ecb(aes)", "2b7e151628aed2a6abf7158809cf4f3c", "00000000000000000000000000000000",
	  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
	  "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf" },
	{ OUTBOARD_XTS_AES, "xts(aes)", "1111111111111111111111111111111122222222222222222222222222222222",
	  "33333333330000000000000000000000",
	  "4444444444444444444444444444444444444444444444444444444444444444",
	  "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0" },
};

static void ciphers_give_the_standard_s_bytes(void)
{
	for (size_t i = 0; i < sizeof(ciphers) / sizeof(*ciphers); i++) {
		const struct vector *v = &ciphers[i];
		size_t size = strlen(v->plain) / 2;
		uint8_t iv[16], plain[64], cipher[64];

		if (!make(1, v->algorithm, 0, v->key)) {
			printf("  skipped: no driver for %s\n", v->name);
			continue;
		}
		hex(iv, v->iv);
		hex(plain, v->plain);
		hex(cipher, v->cipher);
		memcpy(arena.data, plain, size);
		check(!one(1, OUTBOARD_ENCRYPT, arena.offset, arena.offset + 4096, size, iv), "%s: status %d", v->name, arena.slot[0].status);
		check(!memcmp(arena.data + 4096, cipher, size), "%s encrypts wrongly", v->name);
		check(!memcmp(arena.data, plain, size), "%s changes its input", v->name);
		check(!one(1, OUTBOARD_DECRYPT, arena.offset + 4096, arena.offset + 4096, size, iv), "%s: status %d", v->name, arena.slot[0].status);
		check(!memcmp(arena.data + 4096, plain, size), "%s decrypts wrongly", v->name);
		check(!object(fd, OUTBOARD_SESSION_FREE, 1, 0), "free");
	}
}

static void gcm_gives_the_standard_s_bytes(void)
{
	/* The GCM specification's test case 4. */
	static const char *plain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
	static const char *cipher = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
				    "5bc94fbc3221a5db94fae95ae7121a47";
	uint8_t iv[16] = { 0 }, want[76];

	if (!make(1, OUTBOARD_GCM_AES, 16, "feffe9928665731c6d6a8f9467308308")) {
		puts("  skipped: no driver for gcm(aes)");
		return;
	}
	hex(iv, "cafebabefacedbaddecaf888");
	hex(want, cipher);
	for (int in_place = 0; in_place < 2; in_place++) {
		uint32_t out = arena.offset + (in_place ? 0 : 4096);

		hex(arena.data + 8192, "feedfacedeadbeeffeedfacedeadbeefabaddad2");
		hex(arena.data, plain);
		ask(0, 1, OUTBOARD_ENCRYPT, arena.offset, out, 60, iv);
		arena.slot[0].aad = arena.offset + 8192;
		arena.slot[0].aad_length = 20;
		check(!submit(fd, &arena, 0, 1, OUTBOARD_WAIT) && !arena.slot[0].status, "status %d", arena.slot[0].status);
		check(!memcmp(arena.base + out, want, 76), "gcm encrypts wrongly");
		arena.slot[0].op = OUTBOARD_DECRYPT;
		arena.slot[0].in = out;
		check(!submit(fd, &arena, 0, 1, OUTBOARD_WAIT) && !arena.slot[0].status, "status %d", arena.slot[0].status);
		hex(want, plain);
		check(!memcmp(arena.base + out, want, 60), "gcm decrypts wrongly");
		hex(want, cipher);
		memcpy(arena.base + out, want, 76);
		arena.base[out + 75] ^= 1;
		check(!submit(fd, &arena, 0, 1, OUTBOARD_WAIT) && arena.slot[0].status == -EBADMSG, "a wrong tag: status %d", arena.slot[0].status);
	}
	check(!object(fd, OUTBOARD_SESSION_FREE, 1, 0), "free");
}

static int hash(unsigned int slot, int op, int flags, uint32_t handle, uint32_t session, const char *text)
{
	ask(slot, session, op, arena.offset + slot * 4096, 0, strlen(text), NULL);
	arena.slot[slot].hash = handle;
	arena.slot[slot].flags = flags;
	memcpy(arena.data + slot * 4096, text, strlen(text));
	check(!submit(fd, &arena, slot, 1, OUTBOARD_WAIT), "submit: %m");
	return arena.slot[slot].status;
}

static void hashes_run_in_one_and_in_many_and_can_be_cloned(void)
{
	uint8_t abc[32], abcd[32];

	hex(abc, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	hex(abcd, "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589");
	if (!make(1, OUTBOARD_SHA256, 0, "")) {
		puts("  skipped: no driver for sha256");
		return;
	}
	check(!hash(0, OUTBOARD_HASH_DIGEST, 0, 0, 1, "abc"), "status %d", arena.slot[0].status);
	check(!memcmp((void *)arena.slot[0].digest, abc, 32), "a wrong digest");
	check(!object(fd, OUTBOARD_HASH_NEW, 1, 1), "new: %m");
	check(object(fd, OUTBOARD_HASH_NEW, 1, 1) == -EEXIST, "the number is taken");
	check(hash(0, OUTBOARD_HASH_UPDATE, 0, 1, 0, "a") == -EINVAL, "no message is open");
	check(!hash(0, OUTBOARD_HASH_UPDATE, OUTBOARD_HASH_FIRST, 1, 0, "a"), "status %d", arena.slot[0].status);
	check(!hash(0, OUTBOARD_HASH_UPDATE, 0, 1, 0, "bc"), "status %d", arena.slot[0].status);
	check(!hash(0, OUTBOARD_HASH_UPDATE, 0, 1, 0, ""), "status %d", arena.slot[0].status);
	check(!object(fd, OUTBOARD_HASH_CLONE, 2, 1), "clone: %m");
	check(!hash(1, OUTBOARD_HASH_FINAL, 0, 2, 0, "d"), "status %d", arena.slot[1].status);
	check(!hash(0, OUTBOARD_HASH_FINAL, 0, 1, 0, ""), "status %d", arena.slot[0].status);
	check(!memcmp((void *)arena.slot[0].digest, abc, 32) && !memcmp((void *)arena.slot[1].digest, abcd, 32), "a wrong digest");
	check(!hash(0, OUTBOARD_HASH_FINAL, OUTBOARD_HASH_FIRST, 1, 0, "abc"), "status %d", arena.slot[0].status);
	check(!memcmp((void *)arena.slot[0].digest, abc, 32), "a wrong digest of a second message");
	check(!object(fd, OUTBOARD_HASH_FREE, 1, 0) && object(fd, OUTBOARD_HASH_FREE, 1, 0) == -ENOENT, "free");
	check(!object(fd, OUTBOARD_SESSION_FREE, 1, 0), "free: %m");
}

/* Whole messages, also across the pieces that an arena is made of, equal the same in small chunks. */
static void long_messages_equal_chained_short_ones(void)
{
	static const uint32_t sizes[] = { 16, 32, 4080, 4096, 4112, 65536, 100000, 1 << 20, 3 << 20 };
	uint8_t iv[16] = { 9 };
	uint8_t *plain = malloc(4 << 20), *whole = malloc(4 << 20);

	for (size_t i = 0; i < 4 << 20; i++)
		plain[i] = i * 2654435761u >> 24;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		uint32_t size = sizes[s], chunk = (size / 5 + 128) & ~127;

		memcpy(arena.data + 64 * 3, plain, size);
		check(!one(1000, OUTBOARD_ENCRYPT, arena.offset + 192, arena.offset + (4 << 20), size, iv), "%u: status %d", size, arena.slot[0].status);
		memcpy(whole, arena.data + (4 << 20), size);
		memcpy(arena.data, plain, size);
		for (uint32_t done = 0; done < size; done += chunk) {
			uint32_t n = size - done < chunk ? size - done : chunk;

			check(!one(1000, OUTBOARD_ENCRYPT, arena.offset + done, arena.offset + done, n,
				   done ? arena.data + done - 16 : iv), "status %d", arena.slot[0].status);
		}
		check(!memcmp(arena.data, whole, size), "%u bytes differ", size);
		check(!one(1000, OUTBOARD_DECRYPT, arena.offset, arena.offset, size, iv), "status %d", arena.slot[0].status);
		check(!memcmp(arena.data, plain, size), "%u bytes differ after decryption", size);
	}
	free(plain);
	free(whole);
}

/* ---- Batches, waiting ---- */

static void a_wrong_slot_does_not_stop_the_others(void)
{
	uint8_t iv[16] = { 1 };
	uint32_t o = arena.offset;

	memset(arena.data, 5, 65536);
	for (int i = 0; i < 64; i++)
		ask(i, 1000, OUTBOARD_ENCRYPT, o + i * 1024, o + i * 1024, 512, iv);
	arena.slot[1].session = 1234;
	arena.slot[2].in = 0;			/* the header */
	arena.slot[3].in = 128;			/* the slots */
	arena.slot[4].length = 17;
	arena.slot[5].length = 0xfffffff0;
	arena.slot[6].in = 0xffffff80;
	arena.slot[7].out += 128;		/* overlaps */
	arena.slot[8].in += 1;
	arena.slot[9].op = 9;
	arena.slot[10].flags = 1;
	arena.slot[11].reserved = 1;
	arena.slot[12].hash = 1;
	arena.slot[13].aad_length = 16;
	arena.slot[14].op = OUTBOARD_HASH_DIGEST;
	arena.slot[15].length = 0;
	check(!submit(fd, &arena, 0, 64, OUTBOARD_WAIT), "%m");
	for (int i = 0; i < 64; i++) {
		int want = i == 1 ? -ENOENT : i == 9 || i == 14 ? -EOPNOTSUPP : i >= 2 && i <= 13 ? -EINVAL : 0;

		check(arena.slot[i].status == want, "slot %d: %d, not %d", i, arena.slot[i].status, want);
		check(i < 1 || (i > 0 && i < 16) || !memcmp(arena.data, arena.data + i * 1024, 512), "slot %d differs", i);
	}
}

static void poll_and_read_count_what_nobody_waited_for(void)
{
	struct pollfd event = { fd, POLLIN, 0 };
	uint64_t count = 0, part;
	uint8_t iv[16] = { 1 };

	check(poll(&event, 1, 0) == 0, "nothing was submitted");
	check(read(fd, &part, 7) < 0 && errno == EINVAL, "a short read");
	for (int i = 0; i < 64; i++)
		ask(i, i == 7 ? 4321 : 1000, OUTBOARD_ENCRYPT, arena.offset + i * 1024, arena.offset + i * 1024, 1024, iv);
	check(!submit(fd, &arena, 0, 64, 0), "%m");
	while (count < 64) {
		check(poll(&event, 1, 5000) == 1 && event.revents & POLLIN, "no completion");
		check(read(fd, &part, 8) == 8 && part, "read: %m");
		count += part;
	}
	check(count == 64, "%llu completions", (unsigned long long)count);
	for (int i = 0; i < 64; i++)
		check(arena.slot[i].status == (i == 7 ? -ENOENT : 0), "slot %d: %d", i, arena.slot[i].status);
}

static void await_returns_when_all_are_done(void)
{
	uint64_t count;
	uint8_t iv[16] = { 1 };

	memset((void *)arena.slot, 0, 64 * sizeof(*arena.slot));
	check(!await(fd, &arena, 0, 64), "what was never submitted: %m");
	for (int round = 0; round < 50; round++) {
		int n = round % 2 ? 64 : 5;

		for (int i = 0; i < n; i++)
			ask(i, i == 3 ? 4321 : 1000, OUTBOARD_ENCRYPT, arena.offset + i * 65536, arena.offset + i * 65536, 65536, iv);
		check(!submit(fd, &arena, 0, 2, 0) && !submit(fd, &arena, 2, n - 2, 0), "%m");
		check(!await(fd, &arena, 1, n - 1), "%m");
		for (int i = 1; i < n; i++)
			check(arena.slot[i].status == (i == 3 ? -ENOENT : 0), "slot %d: %d", i, arena.slot[i].status);
		check(!await(fd, &arena, 0, 64) && !arena.slot[0].status, "%m");
		check(!await(fd, &arena, 0, 64), "done already: %m");
		/* Nothing is taken from what read tells, however the two met. */
		check(read(fd, &count, 8) == 8 && count == (uint64_t)n, "%llu of %d", (unsigned long long)count, n);
	}
}

static void *await_all(void *result)
{
	*(int *)result = await(fd, &arena, 0, 64);
	return NULL;
}

static void one_waits_for_a_slot_and_others_are_told(void)
{
	int busy = 0, result[4];
	uint8_t iv[16] = { 1 };
	pthread_t threads[4];
	uint64_t count;

	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 64; i++)
			ask(i, 1000, OUTBOARD_ENCRYPT, arena.offset + i * 65536, arena.offset + i * 65536, 65536, iv);
		check(!submit(fd, &arena, 0, 64, 0), "%m");
		for (int t = 0; t < 4; t++)
			check(!pthread_create(&threads[t], NULL, await_all, &result[t]), "thread");
		for (int t = 0; t < 4; t++) {
			pthread_join(threads[t], NULL);
			check(!result[t] || result[t] == -EBUSY, "%s", strerror(-result[t]));
			busy += result[t] == -EBUSY;
		}
		check(!await(fd, &arena, 0, 64), "%m");
		for (int i = 0; i < 64; i++)
			check(!arena.slot[i].status, "slot %d: %d", i, arena.slot[i].status);
		check(read(fd, &count, 8) == 8 && count == 64, "%llu of 64", (unsigned long long)count);
	}
	printf("  told so %d of 150\n", busy);
}

static void a_slot_in_flight_cannot_be_submitted_again(void)
{
	uint8_t iv[16] = { 1 };
	int refused = 0;
	uint64_t count;

	for (int i = 0; i < 50; i++) {
		int error;

		ask(9, 1000, OUTBOARD_ENCRYPT, arena.offset, arena.offset, 1 << 20, iv);
		check(!submit(fd, &arena, 9, 1, 0), "%m");
		error = submit(fd, &arena, 8, 2, OUTBOARD_WAIT);
		check(!error || error == -EBUSY, "%s", strerror(-error));
		refused += error == -EBUSY;
		while (arena.slot[9].status == OUTBOARD_IN_FLIGHT)
			usleep(100);
	}
	printf("  refused %d of 50\n", refused);
	check(read(fd, &count, 8) == 8, "%m");
}

/* ---- What user space may not do ---- */

static void wrong_records_are_refused(void)
{
	struct outboard_submit s = { OUTBOARD_SUBMIT, 0, arena.header->arena, 0, 1 };
	uint8_t key[512] = { 0 };
	char big[600] = { 0 };
	const void *volatile nowhere = (void *)8;

	/* None at all too: by that a program in a sandbox without fstat tells the device from what took its place. */
	for (size_t size = 0; size < sizeof(big); size++)
		check(write(fd, big, size) < 0 && errno == EINVAL, "%zu zero bytes: %m", size);
	check(write(fd, NULL, 0) < 0 && errno == EINVAL, "nothing at all: %m");
	check(write(fd, nowhere, 16) < 0 && errno == EFAULT, "EFAULT");
	s.flags = 2; check(ring(fd, &s, 16) == -EINVAL, "flags"); s.flags = 0;
	s.arena = 0; check(ring(fd, &s, 16) == -ENOENT, "arena 0");
	s.arena = arena.header->arena + 1; check(ring(fd, &s, 16) == -ENOENT, "arena"); s.arena = arena.header->arena;
	s.count = 0; check(ring(fd, &s, 16) == -EINVAL, "count 0");
	s.count = 65; check(ring(fd, &s, 16) == -EINVAL, "count 65");
	s.first = 0xffffffff; s.count = 2; check(ring(fd, &s, 16) == -EINVAL, "wrap");
	check(ring(fd, &s, 15) == -EINVAL, "short");
	s = (struct outboard_submit){ OUTBOARD_AWAIT, OUTBOARD_WAIT, arena.header->arena, 0, 1 };
	check(ring(fd, &s, 16) == -EINVAL, "AWAIT has no flags"); s.flags = 0;
	s.arena = 0; check(ring(fd, &s, 16) == -ENOENT, "arena 0"); s.arena = arena.header->arena;
	s.count = 0; check(ring(fd, &s, 16) == -EINVAL, "count 0");
	s.first = 63; s.count = 2; check(ring(fd, &s, 16) == -EINVAL, "too many");
	s.op = 8; check(ring(fd, &s, 16) == -EINVAL, "op 8");
	check(new_session(fd, 0, OUTBOARD_CBC_AES, 0, key, 16) == -EINVAL, "session 0");
	check(new_session(fd, 1000, OUTBOARD_CBC_AES, 0, key, 16) == -EEXIST, "taken");
	check(new_session(fd, 5, OUTBOARD_CBC_AES, 0, key, 15) == -EINVAL, "key size");
	check(new_session(fd, 5, OUTBOARD_CBC_AES, 8, key, 16) == -EINVAL, "a tag");
	check(new_session(fd, 5, 999, 0, key, 16) == -EINVAL, "algorithm");
	check(object(fd, OUTBOARD_SESSION_FREE, 5, 0) == -ENOENT, "free");
	check(object(fd, OUTBOARD_HASH_NEW, 5, 1000) == -EINVAL, "a hash of a cipher");
	check(object(fd, OUTBOARD_HASH_CLONE, 5, 4) == -ENOENT, "clone");
}

static void a_key_may_stay_in_the_keyring(void)
{
	struct outboard_session_new record = { .op = OUTBOARD_SESSION_NEW, .flags = OUTBOARD_KEY_SERIAL, .session = 6,
					       .algorithm = OUTBOARD_CBC_AES };
	uint8_t key[16] = { 7 }, iv[16] = { 1 }, by_value[64];
	const char *text = "plain text of exactly 32 bytes..";

	for (int logon = 0; logon < 2; logon++) {
		record.key_serial = syscall(SYS_add_key, logon ? "logon" : "user", "outboard:test", key, 16, KEY_SPEC_PROCESS_KEYRING);
		check(record.key_serial > 0, "add_key: %m");
		check(!ring(fd, &record, sizeof(record)), "session: %m");
		memcpy(arena.data, text, 32);
		check(!one(1000, OUTBOARD_ENCRYPT, arena.offset, arena.offset, 32, iv), "status %d", arena.slot[0].status);
		memcpy(by_value, arena.data, 32);
		memcpy(arena.data, text, 32);
		check(!one(6, OUTBOARD_ENCRYPT, arena.offset, arena.offset, 32, iv), "status %d", arena.slot[0].status);
		check(!memcmp(arena.data, by_value, 32), "another key");
		check(!object(fd, OUTBOARD_SESSION_FREE, 6, 0), "free: %m");
	}
	record.key_size = 16;
	check(ring(fd, &record, sizeof(record)) == -EINVAL, "two keys");
	record.key_size = 0;
	record.key_serial = 1;
	check(ring(fd, &record, sizeof(record)) < 0, "no such key");
	record.key_serial = KEY_SPEC_PROCESS_KEYRING;
	check(ring(fd, &record, sizeof(record)) == -EINVAL, "a keyring is no key");
}

static void the_mapping_keeps_its_shape(void)
{
	long page = getpagesize();

	check(munmap(arena.base, page) < 0 && errno == EINVAL, "a part unmapped");
	check(mprotect(arena.base, page, PROT_READ) < 0, "a part protected");
	check(mprotect(arena.base, arena.size, PROT_READ | PROT_EXEC) < 0 && errno == EACCES, "executable");
	check(mremap(arena.base, arena.size, arena.size + page, MREMAP_MAYMOVE) == MAP_FAILED, "grown");
	check(mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EINVAL, "read only");
	check(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) == MAP_FAILED && errno == EINVAL, "private");
	check(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0) == MAP_FAILED, "executable");
	check(mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EINVAL, "too small");
	check(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 5000L * page) == MAP_FAILED && errno == EINVAL, "5000 slots");
	check(mmap(NULL, 65 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED && errno == ENOMEM, "65 MiB");
	check(counter("arenas") == 1, "%ld arenas", counter("arenas"));
}

static void no_arena_s_number_comes_again(void)
{
	struct outboard_submit s = { OUTBOARD_SUBMIT, 0, 0, 0, 1 };
	uint32_t last = arena.header->arena, old;
	int other = open_device(0);
	struct arena mine;

	for (int i = 0; i < 200; i++) {
		mine = map_arena(i % 2 ? fd : other, 1 << 16, 1);
		old = mine.header->arena;
		check(old > last, "arena %u after %u", old, last);
		last = old;
		/* Of another descriptor: not there. */
		s.arena = old;
		for (s.op = OUTBOARD_SUBMIT; s.op; s.op = s.op == OUTBOARD_SUBMIT ? OUTBOARD_AWAIT : 0)
			check(ring(i % 2 ? other : fd, &s, sizeof(s)) == -ENOENT, "arena %u of another descriptor", old);
		check(!munmap(mine.base, mine.size), "%m");
		mine = map_arena(i % 2 ? fd : other, 1 << 16, 1);
		last = mine.header->arena;
		/* Of the same, but gone: not what came after it. */
		s.op = OUTBOARD_SUBMIT;
		check(ring(i % 2 ? fd : other, &s, sizeof(s)) == -ENOENT, "arena %u is gone", old);
		check(!munmap(mine.base, mine.size), "%m");
	}
	close(other);
}

static void a_child_has_the_session_and_its_own_arena(void)
{
	int pipes[2], status;
	uint8_t iv[16] = { 1 };
	pid_t child;

	check(!pipe(pipes), "%m");
	child = fork();
	if (!child) {
		check(write(pipes[1], arena.base, 16) < 0 && errno == EFAULT, "the parent's arena is here");
		arena = map_arena(fd, 1 << 20, 1);
		check(arena.header->slots == 1 && arena.header->arena > 1, "arena %u", arena.header->arena);
		check(!one(1000, OUTBOARD_ENCRYPT, arena.offset, arena.offset, 4096, iv), "status %d", arena.slot[0].status);
		_exit(0);
	}
	check(waitpid(child, &status, 0) == child && status == 0, "status %x", status);
	close(pipes[0]);
	close(pipes[1]);
}

/* ---- Lifetimes ---- */

static void arenas_and_descriptors_may_go_while_requests_run(void)
{
	struct arena mine;
	uint8_t key[16] = { 3 };

	for (int i = 0; i < 30; i++) {
		int own = open_device(0);

		mine = map_arena(own, 2 << 20, 16);
		check(!new_session(own, 1, OUTBOARD_CBC_AES, 0, key, 16), "%m");
		for (int s = 0; s < 16; s++)
			mine.slot[s] = (struct outboard_slot){ .session = 1, .op = OUTBOARD_ENCRYPT, .in = mine.offset + (s << 16),
				.out = mine.offset + (s << 16), .length = 65536 };
		check(!submit(own, &mine, 0, 16, 0), "%m");
		if (i % 3 == 1)
			check(!object(own, OUTBOARD_SESSION_FREE, 1, 0), "%m");
		if (i % 3)
			check(!munmap(mine.base, mine.size), "%m");
		close(own);
		if (i % 3 == 0)
			check(!munmap(mine.base, mine.size), "%m");
	}
}

static void a_process_may_be_killed_at_any_time(void)
{
	uint8_t iv[16] = { 1 };

	for (int i = 0; i < 100; i++) {
		pid_t child = fork();

		if (!child) {
			fd = open_device(0);
			arena = map_arena(fd, 4 << 20, 0);
			check(!new_session(fd, 1, OUTBOARD_CBC_AES, 0, iv, 16), "%m");
			for (;;) {
				for (int s = 0; s < 32; s++)
					ask(s, 1, OUTBOARD_ENCRYPT, arena.offset + (s << 15), arena.offset + (s << 15), 32768, iv);
				submit(fd, &arena, 0, 32, i % 3 == 1 ? OUTBOARD_WAIT : 0);
				if (i % 3 == 2)
					await(fd, &arena, 0, 32);
			}
		}
		usleep(5000 + i * 331 % 20000);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
}

static volatile int stop;

static void *scribble(void *unused)
{
	volatile uint32_t *words = (void *)arena.slot;
	uint32_t x = 1;

	(void)unused;
	while (!stop) {
		x = x * 1664525 + 1013904223;
		words[(x >> 8) % (64 * 32)] = x & 1 ? x : words[(x >> 16) % 64];
	}
	return NULL;
}

static void slots_that_change_while_they_are_read_do_no_harm(int seconds)
{
	uint8_t iv[16] = { 1 };
	double end = now() + seconds;
	pthread_t thread;
	uint64_t count;
	long rounds = 0, good = 0;

	stop = 0;
	check(!pthread_create(&thread, NULL, scribble, NULL), "thread");
	for (; now() < end; rounds++) {
		int error;

		for (int s = 0; s < 64; s++)
			ask(s, 1000, OUTBOARD_ENCRYPT, arena.offset + (s << 12), arena.offset + (s << 12), 512, iv);
		error = submit(fd, &arena, 0, 64, rounds & 1 ? OUTBOARD_WAIT : 0);
		check(!error || error == -EBUSY, "%s", strerror(-error));
		for (int s = 0; s < 64; s++)
			good += !arena.slot[s].status;
	}
	stop = 1;
	pthread_join(thread, NULL);
	while (counter("requests"))
		usleep(1000);
	check(read(fd, &count, 8) == 8, "%m");
	printf("  %ld rounds, %ld good\n", rounds, good);
}

static void nothing_is_left(void)
{
	static const char *const names[] = { "requests", "hashes", "sessions", "arenas", "files" };

	for (size_t i = 0; i < 5; i++) {
		for (int tries = 0; counter(names[i]) && tries < 3000; tries++)
			usleep(1000);
		check(!counter(names[i]), "%ld %s left", counter(names[i]), names[i]);
	}
}

#define run(call) do { puts(#call); fflush(stdout); call; } while (0)

int main(int count, char **words)
{
	int seconds = count > 1 ? atoi(words[1]) : 5;
	uint8_t key[16] = { 7 };

	fd = open_device(0);
	arena = map_arena(fd, 16 << 20, 0);
	check(!new_session(fd, 1000, OUTBOARD_CBC_AES, 0, key, 16), "no driver for cbc(aes) is allowed: %m");
	run(ciphers_give_the_standard_s_bytes());
	run(gcm_gives_the_standard_s_bytes());
	run(hashes_run_in_one_and_in_many_and_can_be_cloned());
	run(long_messages_equal_chained_short_ones());
	run(a_wrong_slot_does_not_stop_the_others());
	run(poll_and_read_count_what_nobody_waited_for());
	run(await_returns_when_all_are_done());
	run(one_waits_for_a_slot_and_others_are_told());
	run(a_slot_in_flight_cannot_be_submitted_again());
	run(wrong_records_are_refused());
	run(a_key_may_stay_in_the_keyring());
	run(the_mapping_keeps_its_shape());
	run(no_arena_s_number_comes_again());
	run(a_child_has_the_session_and_its_own_arena());
	run(arenas_and_descriptors_may_go_while_requests_run());
	run(a_process_may_be_killed_at_any_time());
	run(slots_that_change_while_they_are_read_do_no_harm(seconds));
	munmap(arena.base, arena.size);
	close(fd);
	run(nothing_is_left());
	return 0;
}
