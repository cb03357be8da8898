// SPDX-License-Identifier: GPL-2.0
/* speed [SECONDS]: aes-128-cbc through the device in MB/s of wall time, by size and depth, in place and with both copies. */
#include "device.h"

int main(int count, char **words)
{
	static const unsigned int sizes[] = { 16, 256, 1024, 4096, 16384, 65536 }, depths[] = { 1, 4, 16, 64 };
	double seconds = count > 1 ? atof(words[1]) : 1;
	static uint8_t plain[65536];
	uint8_t key[16] = { 1 };
	int fd = open_device(0);
	struct arena arena = map_arena(fd, 8 << 20, 64);

	check(!new_session(fd, 1, OUTBOARD_CBC_AES, 0, key, 16), "no driver for cbc(aes) is allowed: %m");
	for (int copied = 0; copied < 2; copied++) {
		printf("%-9s", copied ? "copied" : "in place");
		for (int d = 0; d < 4; d++)
			printf("     d=%-2u", depths[d]);
		for (int s = 0; s < 6; s++) {
			printf("\n%-9u", sizes[s]);
			for (int d = 0; d < 4; d++) {
				double start = now(), taken;
				long rounds = 0;

				do {
					for (unsigned int i = 0; i < depths[d]; i++) {
						uint32_t at = arena.offset + i * 65536;

						if (copied)
							memcpy(arena.base + at, plain, sizes[s]);
						arena.slot[i] = (struct outboard_slot){ .session = 1, .op = OUTBOARD_ENCRYPT, .in = at, .out = at, .length = sizes[s] };
					}
					check(!submit(&arena, 0, depths[d], OUTBOARD_WAIT), "%m");
					for (unsigned int i = 0; i < depths[d]; i++) {
						check(!arena.slot[i].status, "status %d", arena.slot[i].status);
						if (copied)
							memcpy(plain, arena.base + arena.slot[i].in, sizes[s]);
					}
					rounds++;
					taken = now() - start;
				} while (taken < seconds);
				printf("  %7.1f", rounds * depths[d] * sizes[s] / taken / 1e6);
				fflush(stdout);
			}
		}
		puts("");
	}
	return 0;
}
