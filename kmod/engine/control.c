// SPDX-License-Identifier: GPL-2.0
/* The control queue: sessions, which are keys in the device. The backend has room for 256. */
#include <linux/slab.h>
#include "engine.h"

/* Called with engine->control held. */
static int engine_control(struct engine *engine, struct engine_control *control,
			  struct scatterlist *lists[], unsigned int out)
{
	int error = -ENODEV;

	init_completion(&control->done);
	spin_lock_bh(&engine->lock);
	if (!engine->gone)
		error = virtqueue_add_sgs(engine->controlq, lists, out, 1, control, GFP_ATOMIC);
	if (!error)
		virtqueue_kick(engine->controlq);
	spin_unlock_bh(&engine->lock);
	if (!error) {
		wait_for_completion(&control->done);
		if (control->lost)
			error = -ENODEV;
	}
	return error;
}

/* Returns -ENOSPC if the device is full: the caller has checked the length of the key. */
int engine_create_session(struct engine *engine, u32 cipher, bool encrypt, const u8 *key,
			  unsigned int size, u64 *session)
{
	struct engine_control *control = kzalloc(sizeof(*control), GFP_KERNEL);
	struct scatterlist request, secret, answer, *lists[] = { &request, &secret, &answer };
	struct virtio_crypto_sym_create_session_req *create;
	int error = -ENODEV;
	u64 number;

	if (!control)
		return -ENOMEM;
	control->request.header.opcode = cpu_to_le32(VIRTIO_CRYPTO_CIPHER_CREATE_SESSION);
	control->request.header.algo = cpu_to_le32(cipher);
	create = &control->request.u.sym_create_session;
	create->op_type = cpu_to_le32(VIRTIO_CRYPTO_SYM_OP_CIPHER);
	create->u.cipher.para.algo = cpu_to_le32(cipher);
	create->u.cipher.para.keylen = cpu_to_le32(size);
	create->u.cipher.para.op = cpu_to_le32(encrypt ? VIRTIO_CRYPTO_OP_ENCRYPT :
							 VIRTIO_CRYPTO_OP_DECRYPT);
	memcpy(control->key, key, size);
	control->created.status = cpu_to_le32(VIRTIO_CRYPTO_ERR);
	sg_init_one(&request, &control->request, sizeof(control->request));
	sg_init_one(&secret, control->key, size);
	sg_init_one(&answer, &control->created, sizeof(control->created));

	mutex_lock(&engine->control);
	if (!engine->dead)
		error = engine_control(engine, control, lists, 2);
	number = le64_to_cpu(control->created.session_id);
	if (!error && le32_to_cpu(control->created.status) != VIRTIO_CRYPTO_OK)
		error = -ENOSPC;
	else if (!error && number >= ENGINE_SESSIONS)
		error = -EIO;
	if (!error) {
		__set_bit(number, engine->sessions);
		*session = number;
	}
	mutex_unlock(&engine->control);
	kfree_sensitive(control);
	return error;
}

/*
 * Does nothing if the session went with its device: the backend ends QEMU when it receives the
 * number of no session. Without memory the session stays until the device is unbound.
 */
void engine_destroy_session(struct engine *engine, u64 session)
{
	struct engine_control *control = kzalloc(sizeof(*control), GFP_KERNEL);
	struct scatterlist request, answer, *lists[] = { &request, &answer };

	if (!control)
		return;
	control->request.header.opcode = cpu_to_le32(VIRTIO_CRYPTO_CIPHER_DESTROY_SESSION);
	control->request.u.destroy_session.session_id = cpu_to_le64(session);
	sg_init_one(&request, &control->request, sizeof(control->request));
	sg_init_one(&answer, &control->destroyed, sizeof(control->destroyed));
	mutex_lock(&engine->control);
	if (__test_and_clear_bit(session, engine->sessions))
		engine_control(engine, control, lists, 1);
	mutex_unlock(&engine->control);
	kfree(control);
}

/* The reset of the device does not remove its sessions. */
void engine_destroy_all(struct engine *engine)
{
	unsigned int session;

	mutex_lock(&engine->control);
	spin_lock_bh(&engine->lock);
	engine->dead = true;
	spin_unlock_bh(&engine->lock);
	mutex_unlock(&engine->control);
	for_each_set_bit(session, engine->sessions, ENGINE_SESSIONS)
		engine_destroy_session(engine, session);
}
