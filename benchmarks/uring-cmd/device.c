// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "uring-cmd.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARENA_SIZE (MAX_DEPTH * MAX_BYTES + (1 << 20))

unsigned long system_calls;

void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "uring-cmd: %s failed: %s\n", what, strerror(errno));
	exit(1);
}

struct device device_open(void)
{
	/* NIST SP 800-38A, F.2.1 */
	static const struct {
		struct outboard_session record;
		uint8_t key[16];
	} session = { { .op = OUTBOARD_SESSION_NEW,
			.session = 1,
			.algorithm = OUTBOARD_CBC_AES,
			.key_size = 16 },
		      { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88,
			0x09, 0xcf, 0x4f, 0x3c } };
	struct device device = { .fd = open("/dev/outboard", O_RDWR | O_CLOEXEC) };
	const struct outboard_arena *header;

	check(device.fd >= 0, "open /dev/outboard");
	check(write(device.fd, &session, sizeof(session)) == sizeof(session), "SESSION_NEW");
	device.base = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, device.fd, 0);
	check(device.base != MAP_FAILED, "mmap of the arena");
	header = (const void *)device.base;
	device.slots = (void *)(device.base + header->slots_offset);
	device.arena = header->arena;
	device.data_offset = header->data_offset;
	/* Page faults belong to no sample. */
	memset(device.base + device.data_offset, 0, MAX_DEPTH * MAX_BYTES);
	return device;
}

void fill(const struct device *device, unsigned int index, uint32_t bytes)
{
	struct outboard_slot *slot = &device->slots[index];
	uint32_t offset = device->data_offset + index * MAX_BYTES;

	slot->session = 1;
	slot->op = OUTBOARD_ENCRYPT;
	slot->flags = 0;
	slot->reserved = 0;
	slot->hash = 0;
	slot->in = offset;
	slot->out = offset;
	slot->length = bytes;
	slot->aad = 0;
	slot->aad_length = 0;
	for (unsigned int i = 0; i < sizeof(slot->iv); i++)
		slot->iv[i] = i;
}

void check_status(const struct device *device, unsigned int index)
{
	int status = __atomic_load_n(&device->slots[index].status, __ATOMIC_ACQUIRE);

	errno = status < 0 ? -status : EINPROGRESS;
	check(!status, "a request");
}
