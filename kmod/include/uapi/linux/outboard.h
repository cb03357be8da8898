/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/outboard: hardware crypto accelerators for user space.
 *
 * The interface consists of open(2), mmap(2) and write(2); there is no ioctl. docs/uapi.md
 * specifies it, with all errors. All integers are in the machine's byte order, no structure
 * contains a pointer, and every layout is the same for 32-bit and 64-bit programs. Sizes, lengths
 * and offsets are in bytes. Reserved fields must be 0.
 */
#ifndef _UAPI_LINUX_OUTBOARD_H
#define _UAPI_LINUX_OUTBOARD_H

#include <linux/types.h>

/*
 * ---- The arena ----
 *
 * mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, slots * page size) creates an arena:
 * struct outboard_arena, then the slots, then the data area. size is at most 1 GiB and must leave
 * at least one page for data.
 */

#define OUTBOARD_MAGIC		0x4452424fU	/* "OBRD" in little-endian byte order */
#define OUTBOARD_VERSION	1
#define OUTBOARD_DEFAULT_SLOTS	64		/* number of slots for mmap offset 0 */
#define OUTBOARD_MAX_SLOTS	4096

/**
 * struct outboard_arena - header of an arena, 64 bytes at offset 0 of the mapping
 * @magic: OUTBOARD_MAGIC
 * @version: OUTBOARD_VERSION
 * @arena: number of the arena, for SUBMIT, AWAIT and NOTIFY; valid on this descriptor only
 * @slots: number of slots
 * @slots_offset: offset of the first slot from the start of the mapping
 * @data_offset: offset of the data area from the start of the mapping
 * @data_size: size of the data area
 * @align: alignment of @in, @out and @aad in a slot, a power of two
 * @max_length: longest @length of a slot that SUBMIT accepts
 * @max_aad: longest @aad_length of a slot that SUBMIT accepts
 * @reserved: 0
 *
 * The module writes the header once, at mmap, and never reads it.
 */
struct outboard_arena {
	__u32 magic;
	__u32 version;
	__u32 arena;
	__u32 slots;
	__u32 slots_offset;
	__u32 data_offset;
	__u32 data_size;
	__u32 align;
	__u32 max_length;
	__u32 max_aad;
	__u32 reserved[6];
};

/* Operations: outboard_slot.op. */
#define OUTBOARD_ENCRYPT	1
#define OUTBOARD_DECRYPT	2
#define OUTBOARD_DIGEST		3	/* hash and HMAC algorithms */

/* outboard_slot.status while the request is in flight; otherwise 0 or a negative errno. */
#define OUTBOARD_IN_FLIGHT	1

#define OUTBOARD_IV_SIZE	16
#define OUTBOARD_DIGEST_SIZE	64
#define OUTBOARD_MAX_TAG	16

/**
 * struct outboard_slot - one request, 128 bytes
 * @session: session number
 * @op: OUTBOARD_ENCRYPT, OUTBOARD_DECRYPT or OUTBOARD_DIGEST
 * @in: offset of the input from the start of the mapping, a multiple of outboard_arena.align
 * @out: offset of the output, a multiple of align; equal to @in, or the two do not overlap
 * @length: length of the plaintext, ciphertext or hash input, without AAD and tag
 * @aad: offset of the AAD, a multiple of align; overlaps neither input nor output
 * @aad_length: length of the AAD
 * @reserved: 0
 * @iv: CBC and CTR: IV; XTS: tweak; GCM: 12-byte nonce; CCM: L - 1, then the nonce (RFC 3610).
 *	Bytes that the algorithm does not use are 0. The module does not update it.
 * @cookie: for user space; the module does not read it
 * @status: 0 on success, a negative errno, or OUTBOARD_IN_FLIGHT
 * @reserved2: 0
 * @digest: result of OUTBOARD_DIGEST: 20 to 64 bytes, depending on the algorithm
 *
 * Fields that an operation does not use are 0. User space fills in the first 56 bytes. SUBMIT
 * copies the first 48 bytes once. When the request completes, the module writes @digest, then
 * @status with release semantics.
 *
 * An AEAD tag follows the ciphertext, which @length does not count. With EBADMSG in @status (wrong
 * tag) the output must not be used.
 */
struct outboard_slot {
	__u32 session;
	__u32 op;
	__u32 in;
	__u32 out;
	__u32 length;
	__u32 aad;
	__u32 aad_length;
	__u32 reserved;
	__u8  iv[OUTBOARD_IV_SIZE];
	__aligned_u64 cookie;
	__s32 status;
	__u32 reserved2;
	__u8  digest[OUTBOARD_DIGEST_SIZE];
};

/* ---- Records: each write(2) consumes exactly one, and returns its length ---- */

#define OUTBOARD_SUBMIT		1
#define OUTBOARD_AWAIT		2
#define OUTBOARD_NOTIFY		3
#define OUTBOARD_SESSION_NEW	4
#define OUTBOARD_SESSION_FREE	5
#define OUTBOARD_TRY		6

/**
 * struct outboard_submit - SUBMIT, AWAIT and NOTIFY, 16 bytes
 * @op: OUTBOARD_SUBMIT, OUTBOARD_AWAIT or OUTBOARD_NOTIFY
 * @flags: SUBMIT: OUTBOARD_WAIT or 0; otherwise 0
 * @arena: number of the arena
 * @first: index of the first slot, from 0
 * @count: SUBMIT, AWAIT: number of slots, at least 1; NOTIFY: file descriptor of an eventfd
 *
 * SUBMIT submits the requests in the slots @first to @first + @count - 1, or none if one of them is
 * in flight (EBUSY). An error of one request is in its status only.
 *
 * AWAIT waits until those slots are no longer in flight. A slot has one waiter (EBUSY).
 *
 * NOTIFY adds 1 to the eventfd exactly once: when the request in slot @first completes or another
 * NOTIFY for this slot replaces it; immediately if no request is in flight.
 *
 * SUBMIT and AWAIT wait as long as the module parameters timeout and patience permit. After
 * ETIMEDOUT or EINTR, requests that have not completed remain in flight.
 */
struct outboard_submit {
	__u16 op;
	__u16 flags;
	__u32 arena;
	__u32 first;
	__u32 count;
};

#define OUTBOARD_WAIT		0x1	/* SUBMIT: return when all requests have completed */

/**
 * struct outboard_session - SESSION_NEW, SESSION_FREE, 16 bytes, followed by @key_size bytes of key
 * @op: OUTBOARD_SESSION_NEW or OUTBOARD_SESSION_FREE, which needs @session only
 * @flags: 0
 * @session: number of the new session, chosen by the caller, not 0
 * @algorithm: OUTBOARD_CBC_AES to OUTBOARD_HMAC_SHA512
 * @driver: number of a driver in sysfs; 0: the first allowed driver that works for the algorithm
 * @key_size: length of the key, 0 to OUTBOARD_MAX_KEY
 * @tag_size: GCM, CCM: length of the tag, 1 to 16; otherwise 0
 * @reserved: 0
 *
 * Only the address space that creates the session can use or free it.
 */
struct outboard_session {
	__u16 op;
	__u16 flags;
	__u32 session;
	__u16 algorithm;
	__u16 driver;
	__u16 key_size;
	__u8  tag_size;
	__u8  reserved;
};

#define OUTBOARD_MAX_KEY	256	/* bytes; XTS: both keys together */

#define OUTBOARD_NAME_SIZE	128
#define OUTBOARD_ONE_DIRECTION	1

/**
 * struct outboard_try - TRY, 144 bytes
 * @op: OUTBOARD_TRY
 * @flags: 0 or OUTBOARD_ONE_DIRECTION: a session encrypts or decrypts, and not both
 * @max_length: of a request; 0: that of all drivers
 * @max_requests: that the engine of the driver has at the same time; 0: as for all drivers
 * @reserved: 0
 * @name: exact name of a driver that is not in the allow list; ends with 0, and so does the rest
 *
 * TRY, which needs CAP_SYS_ADMIN, puts the driver on trial: only sessions of this descriptor can
 * use it, and it is not in the allow list. Its number is in sysfs (drivers/NAME/number). The trial
 * ends when root allows or disallows the name in sysfs, or with the last close of the descriptor,
 * which ends its sessions too.
 */
struct outboard_try {
	__u16 op;
	__u16 flags;
	__u32 max_length;
	__u32 max_requests;
	__u32 reserved;
	char  name[OUTBOARD_NAME_SIZE];
};

/* Algorithms: outboard_session.algorithm. */
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

#endif
