// SPDX-License-Identifier: GPL-2.0
/* Records, slots and what a driver does, as an input has them: for the fuzzer `module` (fuzz/). */
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

void world_failed(void)
{
}

/* libFuzzer reads this section after each input; GCC calls the function in each block. */
static u8 counters[1 << 14] __attribute__((section("__libfuzzer_extra_counters")));

void __sanitizer_cov_trace_pc(void);
void __attribute__((no_sanitize_coverage)) __sanitizer_cov_trace_pc(void)
{
	unsigned long from = (unsigned long)__builtin_return_address(0);

	counters[(from ^ from >> 14) % sizeof(counters)]++;
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

void ob_fuzz_records(const u8 *data, size_t size)
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
