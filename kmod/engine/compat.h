/* SPDX-License-Identifier: GPL-2.0 */
/* All differences between the kernel versions that the engine supports. */
#ifndef OUTBOARD_ENGINE_COMPAT_H
#define OUTBOARD_ENGINE_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/version.h>
#include <linux/virtio_config.h>

/* 6.11: names and callbacks are in one structure (6c85d6b653ca). */
static inline int engine_find_queues(struct virtio_device *vdev, struct virtqueue *queues[2],
				     vq_callback_t *data, vq_callback_t *control)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	vq_callback_t *callbacks[] = { data, control };
	const char *const names[] = { "dataq.0", "controlq" };

	return virtio_find_vqs(vdev, 2, queues, callbacks, names, NULL);
#else
	struct virtqueue_info info[] = { { "dataq.0", data }, { "controlq", control } };

	return virtio_find_vqs(vdev, 2, queues, info, NULL);
#endif
}

/* 6.13: hrtimer_setup() takes the function (908a1d775422). 6.15: hrtimer_init() is removed. */
static inline void engine_timer_setup(struct hrtimer *timer,
				      enum hrtimer_restart (*function)(struct hrtimer *))
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	timer->function = function;
#else
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#endif
}

#endif
