// SPDX-License-Identifier: GPL-2.0
/*
 * Binding and unbinding of the device, and its interrupts. The drivers of algorithms stay
 * registered as long as the module is loaded: the kernel warns when an algorithm in use is
 * unregistered. While no device is bound, every request and every key fails with -ENODEV, and a
 * key must be set again after the device is bound again.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ids.h>
#include "compat.h"
#include "engine.h"

static struct engine *bound;
static DEFINE_MUTEX(bound_lock);

/* Returns the bound device, or NULL. */
struct engine *engine_get(void)
{
	struct engine *engine;

	mutex_lock(&bound_lock);
	engine = bound;
	if (engine)
		kref_get(&engine->users);
	mutex_unlock(&bound_lock);
	return engine;
}

static void engine_free(struct kref *users)
{
	kfree(container_of(users, struct engine, users));
}

void engine_put(struct engine *engine)
{
	kref_put(&engine->users, engine_free);
}

/* The tasklet takes the results: completions of the crypto API run in softirq context. */
static void engine_interrupt(struct virtqueue *queue)
{
	struct engine *engine = queue->vdev->priv;

	virtqueue_disable_cb(queue);
	tasklet_schedule(&engine->tasklet);
}

/* Moves requests from the backlog to the device. Those that have left it are in started. */
static void engine_refill(struct engine *engine, struct list_head *started)
{
	struct crypto_async_request *base;

	while (!list_empty(&engine->backlog)) {
		base = list_first_entry(&engine->backlog, struct crypto_async_request, list);
		if (engine_queue(engine, skcipher_request_cast(base)))
			break;
		list_move_tail(&base->list, started);
	}
	virtqueue_kick(engine->dataq);
}

static void engine_answer_all(struct list_head *requests, int error)
{
	struct crypto_async_request *base, *next;

	list_for_each_entry_safe(base, next, requests, list) {
		list_del_init(&base->list);
		engine_complete(skcipher_request_cast(base), error);
	}
}

/* Takes all results of both queues. Returns whether more have arrived since. */
static bool engine_take(struct engine *engine, struct list_head *started, struct list_head *done)
{
	struct skcipher_request *req;
	struct engine_control *control;
	unsigned int size;
	bool more = false;

	spin_lock(&engine->lock);
	if (engine->gone)
		goto unlock;
	virtqueue_disable_cb(engine->dataq);
	virtqueue_disable_cb(engine->controlq);
	while ((req = virtqueue_get_buf(engine->dataq, &size))) {
		engine->in_flight--;
		list_add_tail(&req->base.list, &engine->early);
	}
	engine_pace_take(engine, done);
	while ((control = virtqueue_get_buf(engine->controlq, &size)))
		complete(&control->done);
	if (!list_empty(&engine->backlog))
		engine_refill(engine, started);
	more = !virtqueue_enable_cb(engine->controlq);
	more |= !virtqueue_enable_cb(engine->dataq);
unlock:
	spin_unlock(&engine->lock);
	return more;
}

static void engine_harvest(struct tasklet_struct *tasklet)
{
	struct engine *engine = from_tasklet(engine, tasklet, tasklet);
	LIST_HEAD(started);
	LIST_HEAD(done);
	bool more;

	do {
		more = engine_take(engine, &started, &done);
		engine_answer_all(&started, -EINPROGRESS);
		engine_answer_all(&done, 0);
	} while (more);
}

static int engine_check(struct virtio_device *vdev)
{
	u32 status, queues;

	virtio_cread_le(vdev, struct virtio_crypto_config, status, &status);
	virtio_cread_le(vdev, struct virtio_crypto_config, max_dataqueues, &queues);
	if (!(status & VIRTIO_CRYPTO_S_HW_READY)) {
		dev_err(&vdev->dev, "the device is not ready\n");
		return -ENODEV;
	}
	if (queues != 1) {
		dev_err(&vdev->dev, "%u data queues instead of one: not QEMU's backend builtin\n",
			queues);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int engine_probe(struct virtio_device *vdev)
{
	struct virtqueue *queues[2];
	struct engine *engine;
	int error = engine_check(vdev);

	if (error)
		return error;
	engine = kzalloc(sizeof(*engine), GFP_KERNEL);
	if (!engine)
		return -ENOMEM;
	kref_init(&engine->users);
	mutex_init(&engine->control);
	spin_lock_init(&engine->lock);
	INIT_LIST_HEAD(&engine->backlog);
	engine_pace_init(engine);
	tasklet_setup(&engine->tasklet, engine_harvest);
	vdev->priv = engine;
	error = engine_find_queues(vdev, queues, engine_interrupt, engine_interrupt);
	if (error) {
		kfree(engine);
		return error;
	}
	engine->dataq = queues[0];
	engine->controlq = queues[1];
	engine->most = virtqueue_get_vring_size(engine->dataq);

	mutex_lock(&bound_lock);
	if (bound)
		error = -EBUSY;
	else
		bound = engine;
	mutex_unlock(&bound_lock);
	if (error) {
		vdev->config->del_vqs(vdev);
		kfree(engine);
		return error;
	}
	virtio_device_ready(vdev);
	return 0;
}

static void engine_remove(struct virtio_device *vdev)
{
	struct engine *engine = vdev->priv;
	struct engine_control *control;
	struct skcipher_request *req;
	LIST_HEAD(lost);

	mutex_lock(&bound_lock);
	bound = NULL;
	mutex_unlock(&bound_lock);

	engine_destroy_all(engine);
	spin_lock_bh(&engine->lock);
	engine->gone = true;
	spin_unlock_bh(&engine->lock);
	virtio_reset_device(vdev);

	/* The device writes no more, and no code uses the queues of an engine that is gone. */
	while ((req = virtqueue_detach_unused_buf(engine->dataq)))
		list_add_tail(&req->base.list, &lost);
	while ((control = virtqueue_detach_unused_buf(engine->controlq))) {
		control->lost = true;
		complete(&control->done);
	}
	list_splice_tail_init(&engine->backlog, &lost);
	vdev->config->del_vqs(vdev);
	hrtimer_cancel(&engine->timer);
	tasklet_kill(&engine->tasklet);
	local_bh_disable();
	engine_answer_all(&engine->early, 0);
	engine_answer_all(&lost, -ENODEV);
	local_bh_enable();
	engine_put(engine);
}

static const struct virtio_device_id engine_ids[] = {
	{ VIRTIO_ID_CRYPTO, VIRTIO_DEV_ANY_ID },
	{ }
};

struct virtio_driver engine_driver = {
	.driver.name = ENGINE_NAME,
	.driver.owner = THIS_MODULE,
	.driver.probe_type = PROBE_FORCE_SYNCHRONOUS,
	.id_table = engine_ids,
	.probe = engine_probe,
	.remove = engine_remove,
};
