/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the engine share. */
#ifndef OUTBOARD_ENGINE_H
#define OUTBOARD_ENGINE_H

#include <crypto/aes.h>
#include <crypto/internal/skcipher.h>
#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/virtio.h>
#include <uapi/linux/virtio_crypto.h>

#define ENGINE_NAME "outboard_engine"
#define ENGINE_MAX_KEY (2 * AES_MAX_KEY_SIZE)
#define ENGINE_FEW_ENTRIES 16
#define ENGINE_SESSIONS 256
#define ENGINE_NO_ANSWER 0xff

/* A bound device. Handles refer to it until they are freed or get a new key. */
struct engine {
	struct kref users;
	struct tasklet_struct tasklet;
	struct mutex control;		/* one control request at a time; protects sessions */
	DECLARE_BITMAP(sessions, ENGINE_SESSIONS);	/* numbers in use */
	unsigned int most;		/* entries of a request's lists that the device accepts */

	spinlock_t lock;		/* protects all below */
	bool dead;			/* being unbound: no new requests and sessions */
	bool gone;			/* the queues do not exist */
	struct virtqueue *dataq, *controlq;
	unsigned int in_flight;		/* requests in dataq */
	struct list_head backlog;	/* requests that found dataq full */

	/* With a pace: what the device has done earlier than the engine that it stands for. */
	struct list_head early;
	ktime_t free;			/* when that engine has done all requests so far */
	struct hrtimer timer;		/* of the first of early */
};

/* Context of a handle: a key in the device, as one session for each direction. */
struct engine_tfm {
	struct engine *engine;		/* NULL: no key */
	u64 session[2];			/* decryption, encryption */
	struct crypto_skcipher *soft;	/* XTS only */
	bool soft_only;			/* the device does not support the key */
};

struct engine_algorithm {
	struct skcipher_alg alg;
	u32 cipher;			/* VIRTIO_CRYPTO_CIPHER_... */
};

/* A control request. The device reads and writes it. */
struct engine_control {
	struct virtio_crypto_op_ctrl_req request;
	u8 key[ENGINE_MAX_KEY];
	struct virtio_crypto_session_input created;
	struct virtio_crypto_inhdr destroyed;
	struct completion done;
	bool lost;			/* the device was unbound before it answered */
};

/* Context of a request. The device reads and writes the first members. */
struct engine_request {
	struct virtio_crypto_op_data_req header;
	u8 iv[AES_BLOCK_SIZE];
	u8 zeros[AES_BLOCK_SIZE];	/* completes the last block of the source */
	u8 rest[AES_BLOCK_SIZE];	/* the result for these zeros */
	struct virtio_crypto_inhdr answer;

	ktime_t due;			/* when it completes; 0: when the device has done it */
	bool encrypt;
	u8 next_iv[AES_BLOCK_SIZE];	/* CBC decryption */
	struct scatterlist *lists;	/* few, or allocated */
	struct scatterlist *out, *in;	/* read and written by the device */
	struct scatterlist few[ENGINE_FEW_ENTRIES];
	struct skcipher_request soft;	/* XTS only; its context follows */
};

/* skcipher.c */
extern int engine_priority;
int engine_register(void);
void engine_unregister(void);
const struct engine_algorithm *engine_algorithm_of(struct crypto_skcipher *tfm);

/* device.c */
extern struct virtio_driver engine_driver;
struct engine *engine_get(void);
void engine_put(struct engine *engine);

/* pace.c */
void engine_pace_init(struct engine *engine);
void engine_pace_start(struct engine *engine, struct skcipher_request *req);
void engine_pace_wait(struct skcipher_request *req);
void engine_pace_take(struct engine *engine, struct list_head *done);

/* control.c */
int engine_create_session(struct engine *engine, u32 cipher, bool encrypt, const u8 *key,
			  unsigned int size, u64 *session);
void engine_destroy_session(struct engine *engine, u64 session);
void engine_destroy_all(struct engine *engine);

/* request.c */
int engine_submit(struct engine *engine, struct skcipher_request *req, u64 session, bool encrypt);
int engine_queue(struct engine *engine, struct skcipher_request *req);
void engine_complete(struct skcipher_request *req, int error);

#endif
