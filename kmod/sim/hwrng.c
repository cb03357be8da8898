// SPDX-License-Identifier: GPL-2.0
/*
 * A hardware random number generator for tests, as a module of its own. Its output and its faults
 * are module parameters, which may change at any time:
 *
 *   insmod outboard_sim_hwrng.ko quality=900 ones=196
 */
#include <linux/delay.h>
#include <linux/hw_random.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/random.h>

#define SIM_MAX_DELAY_MS 60000
#define SIM_EVEN 128

static unsigned short quality;
module_param(quality, ushort, 0444);
MODULE_PARM_DESC(quality, "entropy that the driver states, in bits per 1024 bits (0: unknown)");

static unsigned int ones = SIM_EVEN;
module_param(ones, uint, 0644);
MODULE_PARM_DESC(ones, "probability of a one, in 256ths (128: no bias)");

static unsigned int fixed;
module_param(fixed, uint, 0644);
MODULE_PARM_DESC(fixed, "bits that are fixed in each 32-bit word, as a mask (0xffffffff: stuck)");

static unsigned int most;
module_param(most, uint, 0644);
MODULE_PARM_DESC(most, "bytes per read at most (0: no limit)");

static unsigned int delay_ms;
module_param(delay_ms, uint, 0644);
MODULE_PARM_DESC(delay_ms, "duration of each read, whether or not the caller may wait");

static bool empty;
module_param(empty, bool, 0644);
MODULE_PARM_DESC(empty, "reads return no data");

static unsigned int error;
module_param(error, uint, 0644);
MODULE_PARM_DESC(error, "errno of each read (0: none)");

static atomic64_t position;

/* The value of the fixed bits. */
#define SIM_FIXED_VALUE 0x21800021

static u8 biased_byte(unsigned int threshold)
{
	u8 random[8], byte = 0;
	int i;

	get_random_bytes(random, sizeof(random));
	for (i = 0; i < 8; i++)
		byte = byte << 1 | (random[i] < threshold);
	return byte;
}

/* The fixed bits stay at the same place of each word, whatever the sizes of the reads. */
static void fix_bits(u8 *bytes, size_t count, u32 mask)
{
	u64 at = atomic64_fetch_add(count, &position);
	size_t i;

	for (i = 0; i < count; i++) {
		unsigned int shift = 8 * ((at + i) % 4);

		bytes[i] &= ~(mask >> shift);
		bytes[i] |= (SIM_FIXED_VALUE & mask) >> shift;
	}
}

static int sim_hwrng_read(struct hwrng *rng, void *data, size_t max, bool wait)
{
	unsigned int delay = min_t(unsigned int, READ_ONCE(delay_ms), SIM_MAX_DELAY_MS);
	unsigned int threshold = READ_ONCE(ones), limit = READ_ONCE(most), errno = READ_ONCE(error);
	u8 *bytes = data;
	size_t i;

	if (delay)
		msleep(delay);
	if (errno)
		return errno <= MAX_ERRNO ? -(int)errno : -EIO;
	if (READ_ONCE(empty))
		return 0;
	if (limit)
		max = min_t(size_t, max, limit);
	if (threshold == SIM_EVEN)
		get_random_bytes(bytes, max);
	else
		for (i = 0; i < max; i++)
			bytes[i] = biased_byte(threshold);
	fix_bits(bytes, max, READ_ONCE(fixed));
	return max;
}

static struct hwrng sim_hwrng = {
	.name = "outboard-sim-rng",
	.read = sim_hwrng_read,
};

static int __init sim_hwrng_init(void)
{
	if (quality > 1024)
		return -EINVAL;
	sim_hwrng.quality = quality;
	return hwrng_register(&sim_hwrng);
}

static void __exit sim_hwrng_exit(void)
{
	hwrng_unregister(&sim_hwrng);
}

module_init(sim_hwrng_init);
module_exit(sim_hwrng_exit);
MODULE_DESCRIPTION("A hardware random number generator for tests");
MODULE_AUTHOR("The outboard authors");
MODULE_LICENSE("GPL");
