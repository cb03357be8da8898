// SPDX-License-Identifier: GPL-2.0
/*
 * unplug DRIVER-DIRECTORY DEVICE: takes the device from its driver while requests are in flight, gives it back, ten times.
 * The session that was open fails with ENODEV, nothing hangs, and a new session works when the device is back.
 */
#include "device.h"

static void tell(const char *directory, const char *file, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	fd = open(path, O_WRONLY);
	check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s: %s", path, strerror(errno));
	close(fd);
}

static void fill(const struct arena *arena, unsigned int slots)
{
	for (unsigned int i = 0; i < slots; i++)
		arena->slot[i] = (struct outboard_slot){ .session = 1, .op = OUTBOARD_ENCRYPT,
			.in = arena->offset + (i << 14), .out = arena->offset + (i << 14), .length = 16384 };
}

int main(int count, char **words)
{
	uint8_t key[16] = { 1 };

	check(count == 3, "usage: unplug DRIVER-DIRECTORY DEVICE");
	for (int round = 0; round < 10; round++) {
		int fd = open_device(0), error, done = 0, gone = 0;
		struct arena arena = map_arena(fd, 2 << 20, 64);

		/* At once, though the round before found no driver a moment ago. */
		error = new_session(fd, 1, OUTBOARD_CBC_AES, 0, key, 16);
		check(!error, "no session: %s", strerror(-error));
		fill(&arena, 64);
		check(!submit(fd, &arena, 0, 64, 0), "%m");
		tell(words[1], "unbind", words[2]);
		for (int i = 0; i < 64; i++) {
			check(arena.slot[i].status == 0 || arena.slot[i].status == -ENODEV, "slot %d: %d", i, arena.slot[i].status);
			done += !arena.slot[i].status;
			gone += arena.slot[i].status == -ENODEV;
		}
		fill(&arena, 64);
		check(!submit(fd, &arena, 0, 64, OUTBOARD_WAIT), "%m");
		for (int i = 0; i < 64; i++)
			check(arena.slot[i].status == -ENODEV, "slot %d after the unplugging: %d", i, arena.slot[i].status);
		check(new_session(fd, 1, OUTBOARD_CBC_AES, 0, key, 16) == -EEXIST, "the number is taken until it is freed");
		check(new_session(fd, 2, OUTBOARD_CBC_AES, 0, key, 16) == -ENOENT, "no driver now");
		check(counter("sessions") == 0, "%ld sessions hold a driver", counter("sessions"));
		tell(words[1], "bind", words[2]);
		munmap(arena.base, arena.size);
		close(fd);
		printf("round %d: %d done, %d failed\n", round, done, gone);
	}
	return 0;
}
