/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/outboard: hardware crypto accelerators for user space.
 *
 * The interface consists of open(2), mmap(2), write(2), read(2) and poll(2); there is no ioctl.
 * docs/uapi.md specifies it. All integers are in the machine's byte order, no structure contains a
 * pointer, and every layout is the same for 32-bit and 64-bit programs. Sizes, lengths and offsets
 * are in bytes. Reserved fields must be 0.
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
 *
 * Errors: EINVAL (private or read-only mapping, size or number of slots out of range), EPERM
 * (executable mapping), EMFILE (limit max_arenas), ENOMEM (no memory, RLIMIT_MEMLOCK, or a limit of
 * the module: max_arena_bytes, max_bytes).
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

/* Operations: outboard_slot.op. The HASH operations are for hash and HMAC algorithms. */
#define OUTBOARD_ENCRYPT	1
#define OUTBOARD_DECRYPT	2
#define OUTBOARD_HASH_UPDATE	3	/* hash handle: add data to the message */
#define OUTBOARD_HASH_FINAL	4	/* hash handle: add data, end the message, write digest */
#define OUTBOARD_HASH_DIGEST	5	/* session: write the digest of the data */

/* Flags of a slot: outboard_slot.flags. */
#define OUTBOARD_HASH_FIRST	0x1	/* HASH_UPDATE, HASH_FINAL: start a new message */

/* outboard_slot.status while the request is in flight; otherwise 0 or a negative errno. */
#define OUTBOARD_IN_FLIGHT	1

#define OUTBOARD_IV_SIZE	16
#define OUTBOARD_DIGEST_SIZE	64
#define OUTBOARD_MAX_TAG	32

/**
 * struct outboard_slot - one request, 128 bytes
 * @session: session number; 0 for HASH_UPDATE and HASH_FINAL
 * @op: OUTBOARD_ENCRYPT to OUTBOARD_HASH_DIGEST
 * @flags: OUTBOARD_HASH_FIRST or 0
 * @reserved: 0
 * @hash: hash handle for HASH_UPDATE and HASH_FINAL; otherwise 0
 * @in: offset of the input from the start of the mapping, a multiple of outboard_arena.align
 * @out: offset of the output, a multiple of align; equal to @in, or the two do not overlap
 * @length: length of the plaintext, ciphertext or hash input, without AAD and tag
 * @aad: offset of the AAD, a multiple of align; overlaps neither input nor output
 * @aad_length: length of the AAD
 * @iv: CBC (AUTHENC too) and CTR: IV; XTS: tweak; GCM: 12-byte nonce; CCM: L - 1, then the nonce
 *	(RFC 3610).
 *	Bytes that the algorithm does not use are 0. The module does not update it.
 * @cookie: for user space; the module does not read it
 * @status: 0 on success, a negative errno, or OUTBOARD_IN_FLIGHT
 * @reserved2: 0
 * @digest: result of HASH_FINAL and HASH_DIGEST: 20 to 64 bytes, depending on the algorithm
 *
 * Fields that an operation does not use are 0. User space fills in the first 56 bytes. SUBMIT
 * copies the first 48 bytes once. When the request completes, the module writes @digest, then
 * @status with release semantics.
 *
 * An AEAD tag follows the ciphertext: encryption writes @length + tag_size bytes, decryption reads
 * @length + tag_size bytes.
 *
 * Errors in @status: EINVAL (invalid slot, or length not supported by the driver), ENOENT (no such
 * session or hash handle), ENODEV (the driver is gone), EBUSY (the hash handle has a request in
 * flight), EOPNOTSUPP (the algorithm does not have this operation, or the driver cannot export
 * hash state), E2BIG (@length or @aad_length is greater than max_length or max_aad of the arena),
 * ENOMEM, EBADMSG (wrong tag; the output must not be used), EINTR (the submitter was killed), or
 * an error of the driver.
 */
struct outboard_slot {
	__u32 session;
	__u8  op;
	__u8  flags;
	__u16 reserved;
	__u32 hash;
	__u32 in;
	__u32 out;
	__u32 length;
	__u32 aad;
	__u32 aad_length;
	__u8  iv[OUTBOARD_IV_SIZE];
	__aligned_u64 cookie;
	__s32 status;
	__u32 reserved2;
	__u8  digest[OUTBOARD_DIGEST_SIZE];
};

/*
 * ---- Records ----
 *
 * Each write(2) consumes exactly one record and returns its length. All records fail with EINVAL
 * (wrong length, unknown operation or flag, reserved field not 0) and EFAULT. The other errors are
 * listed with each record.
 */

#define OUTBOARD_SUBMIT		1
#define OUTBOARD_SESSION_NEW	2
#define OUTBOARD_SESSION_FREE	3
#define OUTBOARD_HASH_NEW	4
#define OUTBOARD_HASH_CLONE	5
#define OUTBOARD_HASH_FREE	6
#define OUTBOARD_AWAIT		7
#define OUTBOARD_NOTIFY		8
#define OUTBOARD_REPORT		9
#define OUTBOARD_TRY		10

/**
 * struct outboard_submit - SUBMIT, AWAIT and NOTIFY, 16 bytes
 * @op: OUTBOARD_SUBMIT, OUTBOARD_AWAIT or OUTBOARD_NOTIFY
 * @flags: SUBMIT: OUTBOARD_WAIT or 0; otherwise 0
 * @arena: number of the arena
 * @first: index of the first slot, from 0
 * @count: SUBMIT, AWAIT: number of slots, at least 1; NOTIFY: file descriptor of an eventfd
 *
 * SUBMIT submits the requests in the slots @first to @first + @count - 1. Errors: ENOENT (no such
 * arena), EBUSY (a slot is in flight; no slot was submitted); with OUTBOARD_WAIT also ETIMEDOUT and
 * EINTR. An error of one request is in its status only.
 *
 * AWAIT waits until those slots are no longer in flight. Errors: ENOENT (no such arena), EBUSY (a
 * slot already has a waiter), ETIMEDOUT, EINTR.
 *
 * NOTIFY adds 1 to the eventfd exactly once: when the request in slot @first completes or another
 * NOTIFY for this slot replaces it; immediately if no request is in flight. Errors: EACCES (the
 * caller has more rights than the opener), ENOENT (no such arena), EBADF (no such descriptor),
 * EINVAL (no such slot, or not an eventfd), ENOSYS (kernel without eventfds).
 *
 * SUBMIT and AWAIT wait at most for the number of seconds in the module parameter timeout. After
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
 * struct outboard_session_new - SESSION_NEW, 24 bytes, followed by @key_size bytes of key
 * @op: OUTBOARD_SESSION_NEW
 * @flags: OUTBOARD_KEY_SERIAL, OUTBOARD_SHARED
 * @session: number of the new session, chosen by the caller, not 0
 * @algorithm: OUTBOARD_CBC_AES to OUTBOARD_HMAC_SHA512
 * @driver: number of a driver in sysfs; 0: the first allowed driver that works for the algorithm
 * @key_size: length of the key, 0 to OUTBOARD_MAX_KEY; 0 with OUTBOARD_KEY_SERIAL
 * @tag_size: GCM, CCM: length of the tag, 1 to 16; AUTHENC: 1 to the length of the digest, 20 or
 *	32; otherwise 0
 * @reserved: 0
 * @key_serial: with OUTBOARD_KEY_SERIAL: serial number of a user key, or of a logon key whose
 *	description begins with "outboard:"; otherwise 0
 * @mac_key_size: AUTHENC: length of the HMAC's key, at least 1. It is the first part of the key;
 *	the rest, 16, 24 or 32 bytes, is the key of AES. Otherwise 0
 * @reserved2: 0
 *
 * Only the address space that creates the session can use or free it and its hash handles. With
 * OUTBOARD_SHARED every process that has the descriptor can use it in slots (not free it, nor use
 * its hash handles), and its number remains that of its creator when it is freed.
 *
 * Errors: EEXIST (the number is in use), ENOENT (no allowed driver implements the algorithm),
 * EMFILE (limit max_sessions), ENOMEM, or an error of the driver for this key. With
 * OUTBOARD_KEY_SERIAL also EACCES, EKEYREVOKED, EKEYEXPIRED, ENOKEY, and EOPNOTSUPP (kernel without
 * keyrings).
 */
struct outboard_session_new {
	__u16 op;
	__u16 flags;
	__u32 session;
	__u16 algorithm;
	__u16 driver;
	__u16 key_size;
	__u8  tag_size;
	__u8  reserved;
	__s32 key_serial;
	__u16 mac_key_size;
	__u16 reserved2;
};

#define OUTBOARD_KEY_SERIAL	0x1	/* SESSION_NEW: use the key key_serial of the keyrings */
#define OUTBOARD_SHARED		0x2	/* SESSION_NEW: for all processes with the descriptor */
#define OUTBOARD_MAX_KEY	256	/* bytes; XTS, AUTHENC: both keys together */

/**
 * struct outboard_object - SESSION_FREE, HASH_NEW, HASH_CLONE, HASH_FREE and REPORT, 16 bytes
 * @op: operation
 * @flags: 0
 * @id: SESSION_FREE: session; HASH_*: hash handle; REPORT: number of the driver; never 0
 * @from: HASH_NEW: session of the new handle; HASH_CLONE: handle to copy; otherwise 0
 * @reserved: 0
 *
 * REPORT counts a wrong result of the driver in sysfs, under the caller's effective user ID.
 *
 * Errors: ENOENT (no such session, handle or driver). HASH_NEW and HASH_CLONE: EEXIST (@id is in
 * use), EMFILE (limit max_hashes), ENOMEM, ENODEV (the driver is gone), EOPNOTSUPP (the driver
 * cannot export hash state). HASH_CLONE: EBUSY (a request of @from is in flight). REPORT: EACCES
 * (the caller has more rights than the opener).
 */
struct outboard_object {
	__u16 op;
	__u16 flags;
	__u32 id;
	__u32 from;
	__u32 reserved;
};

#define OUTBOARD_NAME_SIZE	128

/**
 * struct outboard_try - TRY, 136 bytes
 * @op: OUTBOARD_TRY
 * @flags: 0
 * @reserved: 0
 * @name: exact name of a driver that is not in the allow list; ends with 0, and so does the rest
 *
 * TRY puts the driver on trial: only sessions of this descriptor can use it, and it is not in the
 * allow list. Its number is in sysfs (drivers/NAME/number). The trial ends when root allows or
 * disallows the name in sysfs, or with the last close of the descriptor, which ends its sessions
 * too.
 *
 * Errors: EPERM (the caller or the opener lacks CAP_SYS_ADMIN), EEXIST (the driver is allowed or on
 * trial), EINVAL also for a driver that cannot be allowed, ENOSPC (too many drivers), ENOMEM.
 */
struct outboard_try {
	__u16 op;
	__u16 flags;
	__u32 reserved;
	char  name[OUTBOARD_NAME_SIZE];
};

/* Algorithms: outboard_session_new.algorithm. */
#define OUTBOARD_CBC_AES	1
#define OUTBOARD_CTR_AES	2
#define OUTBOARD_ECB_AES	3
#define OUTBOARD_XTS_AES	4
#define OUTBOARD_CBC_DES3	5
#define OUTBOARD_GCM_AES	16
#define OUTBOARD_CCM_AES	17
/*
 * Encrypt-then-MAC: AES in CBC mode, then HMAC of AAD and ciphertext. The length of the text is a
 * multiple of 16, at least 16. The IV is authenticated only as part of the AAD.
 */
#define OUTBOARD_AUTHENC_HMAC_SHA1_CBC_AES	18
#define OUTBOARD_AUTHENC_HMAC_SHA256_CBC_AES	19
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

/*
 * read(2) returns a __u64: the number of requests that have completed since the last read and were
 * submitted without OUTBOARD_WAIT, or whose SUBMIT ended with ETIMEDOUT or EINTR before. If it is
 * 0, read blocks, or fails with EAGAIN with O_NONBLOCK. EINVAL: the buffer is smaller than 8 bytes.
 * poll(2) reports POLLIN if the number is not 0.
 */

#endif
