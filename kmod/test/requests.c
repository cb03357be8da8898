// SPDX-License-Identifier: GPL-2.0
/* Simple requests for any algorithm, and the check of their results. */
#include "requests.h"
#include "software.h"

const uint8_t *a_key(void)
{
	static uint8_t key[OUTBOARD_MAX_KEY];

	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = i * 37 + 11;
	return key;
}

void make_session(int fd, uint32_t id, const struct algorithm *algorithm)
{
	uint8_t tag = algorithm->kind == AEAD ? 16 : 0;
	int error = new_session(fd, id, algorithm->id, tag, a_key(), algorithm->keys[0]);

	check(!error, "no session of %s: %s", algorithm->name, strerror(-error));
}

struct outboard_slot a_slot(const struct algorithm *algorithm, uint32_t session,
			    const struct arena *arena, uint32_t in, uint32_t out, uint32_t size)
{
	struct outboard_slot slot = { .session = session,
				      .op = OUTBOARD_ENCRYPT,
				      .in = arena->offset + in,
				      .out = arena->offset + out,
				      .length = size };

	if (algorithm->kind == HASH) {
		slot.op = OUTBOARD_DIGEST;
		slot.out = 0;
	}
	for (unsigned int i = 0; i < algorithm->iv; i++)
		slot.iv[i] = size * 5 + i;
	if (algorithm->id == OUTBOARD_CCM_AES)
		slot.iv[0] = 3;
	return slot;
}

uint32_t room_for(const struct algorithm *algorithm, uint32_t size)
{
	return size + (algorithm->kind == AEAD ? 16 : 0);
}

bool is_right(const struct algorithm *algorithm, const struct arena *arena, unsigned int slot,
	      const uint8_t *text)
{
	const volatile struct outboard_slot *s = &arena->slot[slot];
	uint32_t size = s->length, room = room_for(algorithm, size) + OUTBOARD_DIGEST_SIZE;
	uint8_t *expected = malloc(room);
	bool right;

	if (algorithm->kind == HASH)
		software_digest(algorithm, a_key(), algorithm->keys[0], text, size, expected);
	else if (algorithm->kind == AEAD)
		software_seal(algorithm, a_key(), algorithm->keys[0], (const uint8_t *)s->iv, NULL,
			      0, text, size, expected, 16);
	else
		software_encrypt(algorithm, a_key(), algorithm->keys[0], (const uint8_t *)s->iv,
				 text, expected, size);
	if (algorithm->kind == HASH)
		right = !memcmp((const void *)s->digest, expected, algorithm->digest);
	else
		right = !memcmp(arena->base + s->out, expected, room_for(algorithm, size));
	free(expected);
	return right;
}

void hold(bool yes)
{
	check(!tell(SIM_DEBUG "/faults", yes ? "sim-cbc-aes never" : "clear"), "%m");
	if (!yes)
		check(!tell(SIM_DEBUG "/held", "0"), "%m");
}

void fill_for_long(const struct arena *arena, unsigned int slots)
{
	check(!tell(SIM_DEBUG "/faults", "sim-cbc-aes software"), "%m");
	for (unsigned int s = 0; s < slots; s++) {
		struct outboard_slot slot = a_slot(algorithm(OUTBOARD_CBC_AES), 1, arena, 0, 0, 65536);

		put(arena, s, &slot);
	}
}

static void *submit_all(void *argument)
{
	struct submitter *submitter = argument;

	submitter->error = submit(submitter->arena, 0, submitter->slots, 0);
	return NULL;
}

void submitter_begin(struct submitter *submitter, const struct arena *arena, unsigned int slots)
{
	*submitter = (struct submitter){ .arena = arena, .slots = slots };
	fill_for_long(arena, slots);
	check(!pthread_create(&submitter->thread, NULL, submit_all, submitter), "thread");
	while (arena->slot[0].status == UNTOUCHED)
		usleep(10);
}

void submitter_end(struct submitter *submitter)
{
	pthread_join(submitter->thread, NULL);
	check(!submitter->error, "%s", strerror(-submitter->error));
}
