/* SPDX-License-Identifier: GPL-2.0 */
/* All differences between the kernel versions for which the bare prototype is built. */
#ifndef OUTBOARD_BARE_COMPAT_H
#define OUTBOARD_BARE_COMPAT_H

#include <linux/crypto.h>
#include <linux/version.h>

/* 6.3: completions get the data of the request, not the request itself (255e48eb1768). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
typedef struct crypto_async_request *bare_done_arg;
static inline void *bare_done_data(bare_done_arg arg)
{
	return arg->data;
}
#else
typedef void *bare_done_arg;
static inline void *bare_done_data(bare_done_arg arg)
{
	return arg;
}
#endif

#endif
