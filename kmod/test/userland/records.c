// SPDX-License-Identifier: GPL-2.0
/* Random records and slots, and a driver that answers in any way. */
#include <stdio.h>
#include "model.h"

struct input {
	const u8 *at;
	size_t left;
};

static u8 byte(struct input *input)
{
	if (!input->left)
		return 0;
	input->left--;
	return *input->at++;
}

static void bytes(struct input *input, void *to, size_t size)
{
	for (u8 *at = to; size; size--)
		*at++ = byte(input);
}

static u64 seed;

void world_failed(void)
{
	fprintf(stderr, "again: records 1 %llu\n", (unsigned long long)seed);
}

static void write_record(struct input *input, unsigned int user)
{
	struct { struct outboard_submit submit; u8 key[OUTBOARD_MAX_KEY]; } record = {};
	size_t size = sizeof(record.submit) + byte(input) % (sizeof(record.key) + 1);

	bytes(input, &record, size);
	/* That of the user's arena, but for one number in four. */
	if (world_users[user].is_mapped && record.submit.arena % 4)
		record.submit.arena = world_arena(user)->arena;
	world_write(user, &record, size);
}

static void write_slot(struct input *input, unsigned int user)
{
	unsigned int slot = byte(input) % SLOTS, fields = byte(input);
	u32 *words;

	if (!world_users[user].is_mapped || world_slot(user, slot)->status == OUTBOARD_IN_FLIGHT)
		return;
	world_fill(user, slot, 1 + fields % 4);
	words = (u32 *)world_slot(user, slot);
	for (unsigned int i = 0; i < 8; i++)
		if (fields >> i & 1)
			bytes(input, &words[i + 1], sizeof(*words));
}

static void run(const u8 *data, size_t size)
{
	static const int answers[] = { -EINPROGRESS, -EBUSY, -ENOSPC, -EAGAIN, -EIO, 0, -EBADMSG, -ENODEV };
	static const int errors[] = { 0, 0, -EIO, -EBADMSG, -EINPROGRESS, -ENODEV, 1, -ETIMEDOUT };
	struct input input = { data, size };

	world_begin();
	world_changes_slots = byte(&input) & 1;
	while (input.left) {
		u8 operation = byte(&input), user = operation >> 7;

		switch (operation % 10) {
		case 0: write_record(&input, user); break;
		case 1: write_slot(&input, user); break;
		case 2:
			if (world_users[user].is_open)
				world_session(user, 1 + byte(&input) % 4, 1 + byte(&input) % DRIVERS,
					      1 + byte(&input) % 18);
			break;
		case 3: world_submit(user, OUTBOARD_SUBMIT, byte(&input) & 1, 0, 1 + byte(&input) % SLOTS); break;
		case 4: world_complete(byte(&input) % 4, errors[byte(&input) % 8]); break;
		case 5: world_wait(1 + byte(&input) % 64); break;
		case 6: world_answer = answers[byte(&input) % 8]; break;
		case 7: world_complete_again(); break;
		case 8: world_no_memory = byte(&input) & 1; break;
		case 9:
			if (byte(&input) % 8 == 0)
				world_unmap(user);
			break;
		}
		world_check();
	}
	world_no_memory = false;
	world_changes_slots = false;
	world_end();
}

/* records COUNT [SEED] */
int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	u64 first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	u8 data[400];

	for (seed = first; seed < first + count; seed++) {
		u64 state = seed * 0x9e3779b97f4a7c15 | 1;
		size_t size = (state >> 20) % sizeof(data);

		for (size_t i = 0; i < size; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			data[i] = state >> 24;
		}
		run(data, size);
	}
	printf("%lu random sequences of records\n", count);
	return 0;
}
