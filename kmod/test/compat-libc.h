/* SPDX-License-Identifier: GPL-2.0 */
/* See build: programs compiled with a newer C library must run with an older one. */
#ifndef OUTBOARD_TEST_COMPAT_LIBC_H
#define OUTBOARD_TEST_COMPAT_LIBC_H

#define _GNU_SOURCE
#include <features.h>
#ifdef __GLIBC_USE_C2X_STRTOL
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#endif
#ifdef __GLIBC_USE_C23_STRTOL
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0
#endif

#endif
