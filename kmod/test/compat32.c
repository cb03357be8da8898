// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit program on a 64-bit kernel: SP 800-38A F.2.1 through /dev/outboard, with WAIT and with
 * poll. It uses no C library, so that no 32-bit library must be installed. The exit code is the
 * number of the step that failed.
 */
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/outboard.h>
#include <linux/mman.h>

_Static_assert(sizeof(void *) == 4, "compile it with -m32");
_Static_assert(sizeof(struct outboard_arena) == 64 && sizeof(struct outboard_slot) == 128,
	       "the layout of 64 bits");
_Static_assert(sizeof(struct outboard_session) == 16 && sizeof(struct outboard_submit) == 16,
	       "the layout of 64 bits");

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	/* The sixth argument is passed in ebp, which the compiler may use itself. */
	struct { long number, f; } more = { number, f };
	long result;

	__asm__ volatile(
		"pushl %%ebp; movl 4(%%eax), %%ebp; movl (%%eax), %%eax; int $0x80; popl %%ebp"
		: "=a"(result)
		: "a"(&more), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
		: "memory", "cc");
	return result;
}

static void leave(int code)
{
	for (;;)
		call(__NR_exit_group, code, 0, 0, 0, 0, 0);
}

#define must(step, condition) do { if (!(condition)) leave(step); } while (0)

static const unsigned char plain[32] = { 0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96,
					 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a,
					 0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03, 0xac, 0x9c,
					 0x9e, 0xb7, 0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51 };
static const unsigned char cipher[32] = { 0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46,
					  0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d,
					  0x50, 0x86, 0xcb, 0x9b, 0x50, 0x72, 0x19, 0xee,
					  0x95, 0xdb, 0x11, 0x3a, 0x91, 0x76, 0x78, 0xb2 };

static struct {
	struct outboard_session record;
	unsigned char key[16];
} session = {
	{ .op = OUTBOARD_SESSION_NEW, .session = 1, .algorithm = OUTBOARD_CBC_AES, .key_size = 16 },
	{ 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f,
	  0x3c },
};

void _start(void)
{
	struct outboard_submit submit = { OUTBOARD_SUBMIT, 0, 0, 0, 1 };
	volatile struct outboard_arena *arena;
	volatile struct outboard_slot *slot;
	unsigned char *data;
	long fd, at;

	fd = call(__NR_open, (long)"/dev/outboard", O_RDWR, 0, 0, 0, 0);
	must(1, fd >= 0);
	at = call(__NR_mmap2, 0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(2, (unsigned long)at < -4096UL);
	arena = (void *)at;
	must(3, arena->magic == OUTBOARD_MAGIC);
	must(4, call(__NR_write, fd, (long)&session, sizeof(session), 0, 0, 0) == sizeof(session));
	slot = (void *)(at + arena->slots_offset);
	data = (void *)(at + arena->data_offset);
	submit.arena = arena->arena;
	for (int wait = 0; wait < 2; wait++) {
		for (int i = 0; i < 32; i++)
			data[i] = plain[i];
		slot->session = 1;
		slot->op = OUTBOARD_ENCRYPT;
		slot->in = arena->data_offset;
		slot->out = arena->data_offset;
		slot->length = 32;
		for (int i = 0; i < 16; i++)
			slot->iv[i] = i;
		slot->status = 77;
		submit.flags = wait ? OUTBOARD_WAIT : 0;
		must(5, call(__NR_write, fd, (long)&submit, sizeof(submit), 0, 0, 0) ==
				sizeof(submit));
		if (!wait) {
			submit.op = OUTBOARD_AWAIT;
			must(6, call(__NR_write, fd, (long)&submit, sizeof(submit), 0, 0, 0) ==
					sizeof(submit));
			submit.op = OUTBOARD_SUBMIT;
		}
		must(8, slot->status == 0);
		for (int i = 0; i < 32; i++)
			must(9, data[i] == cipher[i]);
	}
	leave(0);
}
