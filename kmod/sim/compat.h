/* SPDX-License-Identifier: GPL-2.0 */
/* All differences between the kernel versions that the simulated accelerator supports. */
#ifndef OUTBOARD_SIM_COMPAT_H
#define OUTBOARD_SIM_COMPAT_H

#include <crypto/algapi.h>
#include <linux/hrtimer.h>
#include <linux/platform_device.h>
#include <linux/version.h>

/* 6.3: completions receive the request's callback data, not the request (255e48eb1768). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
typedef struct crypto_async_request *sim_done_arg;
static inline void *sim_done_data(sim_done_arg arg)
{
	return arg->data;
}
#else
typedef void *sim_done_arg;
static inline void *sim_done_data(sim_done_arg arg)
{
	return arg;
}
#endif

/* 6.11: the remove callback of a platform driver returns nothing (0edb555a65d1). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define SIM_REMOVE(function)						\
	static int function##_int(struct platform_device *pdev)		\
	{								\
		function(pdev);						\
		return 0;						\
	}
#define SIM_REMOVE_OP(function) function##_int
#else
#define SIM_REMOVE(function)
#define SIM_REMOVE_OP(function) function
#endif

/*
 * 6.13: hrtimer_setup() takes the function (908a1d775422). 6.15: hrtimer_init() is removed
 * (9779489a31d7).
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* With docs/upstream/series: handles end when their algorithm is unregistered. */
#ifdef CRYPTO_ALG_REVOCABLE
#define SIM_REVOCABLE CRYPTO_ALG_REVOCABLE
#else
#define SIM_REVOCABLE 0
#endif

#endif
