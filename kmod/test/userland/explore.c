// SPDX-License-Identifier: GPL-2.0
/*
 * Every order of a few operations of two users and a driver, each in a world of its own. User space
 * changes each field of a slot between two reads of it.
 */
#include <stdio.h>
#include "model.h"

enum { SUBMIT, SUBMIT_BOTH, SUBMIT_OTHER, COMPLETE, FAIL, RUN, STOP, REFUSE, BACKLOG, AGAIN,
       SUBMIT_LIMITED, AWAIT, NOTIFY, SYNC, FREE, UNMAP, OPERATIONS };

static const char *const names[OPERATIONS] = {
	"submit", "submit-both", "submit-other", "complete", "fail", "run", "stop", "refuse",
	"backlog", "complete-again", "submit-limited", "await", "notify", "sync", "free", "unmap",
};

static unsigned int now[16], now_count;

void world_failed(void)
{
	fputs("again: explore - -", stderr);
	for (unsigned int i = 0; i < now_count; i++)
		fprintf(stderr, " %s", names[now[i]]);
	fputs("\n", stderr);
}

static void submit(unsigned int user, u32 first, u32 count, u32 session)
{
	if (!world_users[user].is_mapped)
		return;
	for (u32 i = first; i < first + count; i++)
		if (world_slot(user, i)->status != OUTBOARD_IN_FLIGHT)
			world_fill(user, i, session);
	world_submit(user, OUTBOARD_SUBMIT, 0, first, count);
}

static void act(unsigned int operation)
{
	struct outboard_session record = { .op = OUTBOARD_SESSION_FREE, .session = 1 };

	switch (operation) {
	case SUBMIT: submit(0, 0, 1, 1); break;
	case SUBMIT_BOTH: submit(0, 0, 2, 1); break;
	case SUBMIT_OTHER: submit(1, 0, 1, 1); break;
	case SUBMIT_LIMITED: submit(1, 1, 1, 2); break;
	case COMPLETE: world_complete(0, 0); break;
	case FAIL:
		if (!world_complete(1, -EIO))
			world_complete(0, -EIO);
		break;
	case AGAIN: world_complete_again(); break;
	case RUN: world_wait(1); break;
	case STOP: world_wait(260); break;
	case REFUSE: world_answer = -ENOSPC; break;
	case BACKLOG: world_answer = -EBUSY; break;
	case SYNC: world_answer = 0; break;
	case AWAIT: world_submit(0, OUTBOARD_AWAIT, 0, 0, 2); break;
	case NOTIFY: world_submit(0, OUTBOARD_NOTIFY, 0, 0, 1); break;
	case FREE: world_write(0, &record, sizeof(record)); break;
	case UNMAP: world_unmap(0); break;
	}
}

static void explore(const unsigned int *operations, unsigned int count)
{
	memcpy(now, operations, count * sizeof(*now));
	now_count = count;
	world_begin();
	ob_assert(world_session(0, 1, 1, OUTBOARD_CBC_AES) > 0);
	ob_assert(world_session(1, 1, 1, OUTBOARD_CTR_AES) > 0);
	ob_assert(world_session(1, 2, 2, OUTBOARD_CBC_AES) > 0);
	world_changes_slots = true;
	for (unsigned int i = 0; i < count; i++) {
		act(operations[i]);
		world_check();
	}
	world_changes_slots = false;
	world_end();
}

static unsigned long all(unsigned int of, unsigned int count)
{
	unsigned int operations[16] = { 0 }, i = 0;
	unsigned long orders = 0;

	while (i < count) {
		explore(operations, count);
		orders++;
		for (i = 0; i < count && ++operations[i] == of; i++)
			operations[i] = 0;
	}
	return orders;
}

/* explore OPERATIONS LENGTH: each sequence of this length of the first operations of the list. */
int main(int argc, char **argv)
{
	unsigned int of = argc > 1 ? atoi(argv[1]) : OPERATIONS, count = argc > 2 ? atoi(argv[2]) : 4;

	if (argc > 3) {
		unsigned int operations[16], n = 0;

		for (int i = 3; i < argc && n < 16; i++)
			for (unsigned int o = 0; o < OPERATIONS; o++)
				if (!strcmp(argv[i], names[o]))
					operations[n++] = o;
		explore(operations, n);
		return 0;
	}
	printf("%lu orders of %u of %u operations\n", all(min(of, 1U * OPERATIONS), count), count, of);
	return 0;
}
