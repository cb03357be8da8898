/* SPDX-License-Identifier: GPL-2.0 */
/* All differences between the kernel versions that the module supports. */
#ifndef OUTBOARD_COMPAT_H
#define OUTBOARD_COMPAT_H

#include <linux/version.h>

/*
 * 6.3: completions receive the request's callback data, not the request (255e48eb1768); vm_flags is
 * changed by accessors only (bc292ab00f6c).
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
typedef struct crypto_async_request *ob_done_arg;
static inline void *ob_done_data(ob_done_arg arg) { return arg->data; }
#define vm_flags_mod(vma, set, clear) ((vma)->vm_flags = ((vma)->vm_flags | (set)) & ~(clear))
#else
typedef void *ob_done_arg;
static inline void *ob_done_data(ob_done_arg arg) { return arg; }
#endif

/* 6.9: cpu_dcache_is_aliasing() on all architectures (8690bbcf3b70). */
#ifndef cpu_dcache_is_aliasing
#if defined(CONFIG_MIPS)
#include <asm/cpu-features.h>
#define cpu_dcache_is_aliasing() cpu_has_dc_aliases
#elif defined(CONFIG_ARM)
#include <asm/cachetype.h>
#define cpu_dcache_is_aliasing() (cache_is_vivt() || cache_is_vipt_aliasing())
#elif defined(CONFIG_CSKY) || defined(CONFIG_M68K) || defined(CONFIG_NIOS2) || \
	defined(CONFIG_PARISC) || defined(CONFIG_SPARC) || defined(CONFIG_SUPERH) || \
	defined(CONFIG_XTENSA)
#define cpu_dcache_is_aliasing() true
#else
#define cpu_dcache_is_aliasing() false
#endif
#endif

/* 6.8: eventfd_signal() has no count and adds 1 (3652117f8548). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define eventfd_signal(event) eventfd_signal(event, 1)
#endif

#ifndef __uninitialized /* before 6.9 */
#define __uninitialized __attribute__((__uninitialized__))
#endif

/* Older kernels do not define it where DMA is coherent; newer ones have this in linux/cache.h. */
#ifndef ARCH_DMA_MINALIGN
#define ARCH_DMA_MINALIGN __alignof__(unsigned long long)
#endif

#endif
