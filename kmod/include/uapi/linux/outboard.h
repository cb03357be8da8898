/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/outboard: hardware crypto accelerators for user space.
 *
 * open, mmap, write, read, poll; there is no ioctl. docs/uapi.md is the contract. All numbers are in the machine's own
 * byte order, no structure holds a pointer, and every layout is the same for 32-bit and 64-bit programs.
 */
#ifndef _UAPI_LINUX_OUTBOARD_H
#define _UAPI_LINUX_OUTBOARD_H

#include <linux/types.h>

/* ---- The arena: mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, slots * page size) ---- */

#define OUTBOARD_MAGIC		0x4452424fU	/* "OBRD" where the low byte comes first */
#define OUTBOARD_VERSION	1
#define OUTBOARD_DEFAULT_SLOTS	64		/* at offset 0 */
#define OUTBOARD_MAX_SLOTS	4096

/* The first bytes of an arena. Written once by the module, never read back by it. */
struct outboard_arena {
	__u32 magic;
	__u32 version;
	__u32 arena;		/* its number, for SUBMIT, AWAIT and NOTIFY */
	__u32 slots;		/* how many slots it has */
	__u32 slots_offset;	/* where they begin, from the start of the mapping */
	__u32 data_offset;	/* where data may lie, from the start of the mapping */
	__u32 data_size;	/* and how much of it */
	__u32 align;		/* in, out and aad are multiples of this: a power of two */
	__u32 reserved[8];
};

/* What a slot asks for. */
#define OUTBOARD_ENCRYPT	1
#define OUTBOARD_DECRYPT	2
#define OUTBOARD_HASH_UPDATE	3	/* of a hash handle: take length bytes in */
#define OUTBOARD_HASH_FINAL	4	/* of a hash handle: take length bytes in, give the digest */
#define OUTBOARD_HASH_DIGEST	5	/* of a session: the digest of length bytes */

/* Flags of a slot. */
#define OUTBOARD_HASH_FIRST	0x1	/* HASH_UPDATE, HASH_FINAL: a new message begins here */

/* Values of status other than 0 (done) and a negative errno. */
#define OUTBOARD_IN_FLIGHT	1

#define OUTBOARD_IV_SIZE	16
#define OUTBOARD_DIGEST_SIZE	64
#define OUTBOARD_MAX_TAG	16

/*
 * One request. User space fills the first 56 bytes, of which the module copies the first 48 once; it writes the rest when
 * the request is done, status last. Fields that an operation does not use are zero.
 */
struct outboard_slot {
	__u32 session;
	__u8  op;
	__u8  flags;
	__u16 reserved;
	__u32 hash;		/* the handle, for HASH_UPDATE and HASH_FINAL; session is 0 then */
	__u32 in;		/* offsets from the start of the mapping */
	__u32 out;		/* equal to in, or not overlapping it */
	__u32 length;		/* of the text; without aad, without tag */
	__u32 aad;
	__u32 aad_length;
	__u8  iv[OUTBOARD_IV_SIZE];
	__aligned_u64 cookie;		/* the module does not look at it */
	__s32 status;
	__u32 reserved2;
	__u8  digest[OUTBOARD_DIGEST_SIZE];
};

/* ---- Records: each write(2) takes exactly one ---- */

#define OUTBOARD_SUBMIT		1
#define OUTBOARD_SESSION_NEW	2
#define OUTBOARD_SESSION_FREE	3
#define OUTBOARD_HASH_NEW	4
#define OUTBOARD_HASH_CLONE	5
#define OUTBOARD_HASH_FREE	6
#define OUTBOARD_AWAIT		7
#define OUTBOARD_NOTIFY		8
#define OUTBOARD_REPORT		9

/*
 * OUTBOARD_SUBMIT, OUTBOARD_AWAIT: slots first ... first + count - 1 of an arena.
 * OUTBOARD_NOTIFY: 1 is added to an eventfd, once: when the request in slot first ends or another NOTIFY takes the place;
 * at once, if none is in flight.
 */
struct outboard_submit {
	__u16 op;
	__u16 flags;
	__u32 arena;
	__u32 first;
	__u32 count;		/* NOTIFY: the eventfd */
};

#define OUTBOARD_WAIT		0x1	/* SUBMIT: return when all of them are done */

/* OUTBOARD_SESSION_NEW: a driver and a key. The key's bytes follow, unless key_serial names it. */
struct outboard_session_new {
	__u16 op;
	__u16 flags;
	__u32 session;		/* a number of the caller's choice, not 0 */
	__u16 algorithm;
	__u16 driver;		/* 0: the first that root allowed for the algorithm; else a number from sysfs */
	__u16 key_size;
	__u8  tag_size;		/* GCM, CCM; else 0 */
	__u8  reserved;
	__s32 key_serial;	/* with OUTBOARD_KEY_SERIAL, else 0 */
	__u32 reserved2;
};

#define OUTBOARD_KEY_SERIAL	0x1	/* SESSION_NEW: the key is in the kernel's keyring; key_size is 0 */
#define OUTBOARD_MAX_KEY	256

/* The other records. OUTBOARD_REPORT: a result of this driver was wrong; counted in sysfs with the caller's user ID. */
struct outboard_object {
	__u16 op;
	__u16 flags;
	__u32 id;		/* SESSION_FREE: the session; HASH_*: the handle; REPORT: the driver's number; not 0 */
	__u32 from;		/* HASH_NEW: its session; HASH_CLONE: the handle to copy; else 0 */
	__u32 reserved;
};

/* Algorithms. */
#define OUTBOARD_CBC_AES	1
#define OUTBOARD_CTR_AES	2
#define OUTBOARD_ECB_AES	3
#define OUTBOARD_XTS_AES	4
#define OUTBOARD_CBC_DES3	5
#define OUTBOARD_GCM_AES	16
#define OUTBOARD_CCM_AES	17
#define OUTBOARD_SHA1		32
#define OUTBOARD_SHA224		33
#define OUTBOARD_SHA256		34
#define OUTBOARD_SHA384		35
#define OUTBOARD_SHA512		36
#define OUTBOARD_HMAC_SHA1	48
#define OUTBOARD_HMAC_SHA224	49
#define OUTBOARD_HMAC_SHA256	50
#define OUTBOARD_HMAC_SHA384	51
#define OUTBOARD_HMAC_SHA512	52

/* read(2): a __u64, how many requests submitted without OUTBOARD_WAIT have finished since the last read. */

#endif
