// SPDX-License-Identifier: Apache-2.0
/*
 * Preloaded on 64-bit Arm: OpenSSL and outboard find a CPU without instructions for AES, PMULL and SHA,
 * as a Cortex-A53 of the Raspberry Pi 3 and a Cortex-A72 of the Raspberry Pi 4 are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/auxv.h>
#include <asm/hwcap.h>

unsigned long getauxval(unsigned long type)
{
	unsigned long (*next)(unsigned long) = (unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval");
	unsigned long value = next(type);

	if (type == AT_HWCAP)
		value &= ~(HWCAP_AES | HWCAP_PMULL | HWCAP_SHA1 | HWCAP_SHA2);
	return value;
}
