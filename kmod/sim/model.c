// SPDX-License-Identifier: GPL-2.0
/*
 * The current model: module parameters, which can be changed at any time in
 * /sys/module/outboard_sim/parameters, and presets named after chips. A preset sets all parameters
 * and must therefore come first. Bandwidths are fitted to figures that owners of such boards
 * published; latencies and overheads are estimates. A preset models a chip's limits, not its speed.
 */
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include "sim.h"

#define AES_OF_MOST (BIT(SIM_ECB_AES) | BIT(SIM_CBC_AES))
#define SHA_OF_MOST (BIT(SIM_SHA1) | BIT(SIM_SHA256))
#define HMAC_OF_MOST (BIT(SIM_HMAC_SHA1) | BIT(SIM_HMAC_SHA256))
#define AUTHENC (BIT(SIM_AUTHENC_SHA1) | BIT(SIM_AUTHENC_SHA256))
#define ALL (BIT(SIM_ALGORITHMS) - 1)

static const struct sim_preset {
	const char *name;
	struct sim_model model;
} presets[] = {
	{ "ideal", {
		.engines = 1,
		.queue = 128,
		.allocates = true,
		.algorithms = ALL,
	} },
	{ "cesa", {
		.latency_ns = 6000,
		.overhead_ns = 1500,
		.bandwidth = 105400000,
		.engines = 2,
		.queue = 128,
		.threaded = true,
		.allocates = true,
		.algorithms = AES_OF_MOST | BIT(SIM_CBC_DES3) | SHA_OF_MOST | HMAC_OF_MOST,
	} },
	{ "sa2ul", {
		.latency_ns = 8500,
		.overhead_ns = 3000,
		.bandwidth = 264000000,
		.engines = 1,
		.queue = 64,
		.soft_from = 65536,
		.soft_gap_from = 240,
		.soft_gap_to = 256,
		.algorithms = AES_OF_MOST | BIT(SIM_CBC_DES3) | SHA_OF_MOST | BIT(SIM_SHA512) |
				AUTHENC,
	} },
	{ "caam", {
		.latency_ns = 15000,
		.overhead_ns = 2000,
		.bandwidth = 130000000,
		.engines = 2,
		.queue = 497,
		.allocates = true,
		.algorithms = ALL & ~BIT(SIM_CCM_AES),
	} },
	{ "eip93", {
		.latency_ns = 20000,
		.overhead_ns = 5000,
		.bandwidth = 45700000,
		.engines = 1,
		.queue = 512,
		.allocates = true,
		.parentheses = true,
		.algorithms = AES_OF_MOST | BIT(SIM_CTR_AES) | BIT(SIM_CBC_DES3) | SHA_OF_MOST |
				BIT(SIM_SHA224) | HMAC_OF_MOST | BIT(SIM_HMAC_SHA224) | AUTHENC,
	} },
	{ "qce", {
		.latency_ns = 18000,
		.overhead_ns = 4000,
		.bandwidth = 100000000,
		.engines = 1,
		.queue = 1,
		.soft_below = 513,
		.no_aes192 = true,
		.allocates = true,
		.algorithms = AES_OF_MOST | BIT(SIM_CTR_AES) | BIT(SIM_XTS_AES) |
				BIT(SIM_CBC_DES3) | BIT(SIM_CCM_AES) | SHA_OF_MOST |
				HMAC_OF_MOST | BIT(SIM_AUTHENC_SHA256),
	} },
};

struct sim_model sim_model = { .engines = 1, .queue = 128, .allocates = true, .algorithms = ALL };
static const char *preset_name = "ideal";
static DEFINE_MUTEX(preset_lock);
static bool live;

static int sim_set_preset(const char *value, const struct kernel_param *kp)
{
	size_t i;
	int error = 0;

	for (i = 0; i < ARRAY_SIZE(presets); i++) {
		if (sysfs_streq(value, presets[i].name))
			break;
	}
	if (i == ARRAY_SIZE(presets))
		return -EINVAL;
	mutex_lock(&preset_lock);
	if (live)
		error = sim_register(&presets[i].model);
	if (!error) {
		sim_model = presets[i].model;
		preset_name = presets[i].name;
	}
	mutex_unlock(&preset_lock);
	return error;
}

static int sim_get_preset(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", preset_name);
}

static const struct kernel_param_ops preset_ops = { .set = sim_set_preset, .get = sim_get_preset };

module_param_cb(preset, &preset_ops, NULL, 0644);
MODULE_PARM_DESC(preset,
		 "ideal, cesa, sa2ul, caam, eip93 or qce: sets all that follow, so give it first");

#define MODEL_PARAM(name, type, what)					\
	module_param_named(name, sim_model.name, type, 0644);		\
	MODULE_PARM_DESC(name, what)

MODEL_PARAM(latency_ns, uint, "from the end of the work to the answer, in which requests overlap");
MODEL_PARAM(overhead_ns, uint, "an engine is busy this long with a request of any size");
MODEL_PARAM(bandwidth, ulong, "bytes a second of an engine, 0: no limit");
MODEL_PARAM(engines, uint, "engines of a device (1 to 16)");
MODEL_PARAM(queue, uint, "requests that a device takes before it has answered one");
MODEL_PARAM(coalesce, uint, "answers per interrupt");
MODEL_PARAM(coalesce_ns, uint, "an interrupt comes so long after the first answer at the latest");
MODEL_PARAM(threaded, bool, "complete in the interrupt's thread, not in a tasklet");
MODEL_PARAM(hard, bool, "complete in the interrupt handler, not in a tasklet");
MODEL_PARAM(sessions, uint, "keys that the chip holds, 0: any number");
/* The drivers are registered with their flags: what changes later would have no effect. */
module_param_named(allocates, sim_model.allocates, bool, 0444);
MODULE_PARM_DESC(allocates, "its drivers have the flag ALLOCATES_MEMORY");
MODEL_PARAM(soft_below, uint,
	    "shorter requests of ciphers are done in software without an interrupt");
MODEL_PARAM(soft_from, uint, "so are requests from this size on, 0: none");

/* Returns the time in nanoseconds that an engine works on a request of this size. */
u64 sim_work_ns(unsigned int bytes)
{
	unsigned long bandwidth = READ_ONCE(sim_model.bandwidth);
	u64 work = bandwidth ? div64_u64((u64)bytes * NSEC_PER_SEC, bandwidth) : 0;

	return work + READ_ONCE(sim_model.overhead_ns);
}

/* Whether the chip does not support the request, so that its driver uses software. */
bool sim_beyond(const struct sim_tfm *ctx, unsigned int bytes)
{
	unsigned int from = READ_ONCE(sim_model.soft_from), gap = READ_ONCE(sim_model.soft_gap_to);

	if (ctx->algorithm->kind != SIM_AHASH && bytes < READ_ONCE(sim_model.soft_below))
		return true;
	return (from && bytes >= from) ||
	       (gap && bytes >= READ_ONCE(sim_model.soft_gap_from) && bytes <= gap) ||
	       (ctx->aes192 && READ_ONCE(sim_model.no_aes192));
}

/*
 * Most drivers of SoC engines set KERN_DRIVER_ONLY (no CPU instruction accesses the hardware) and
 * ALLOCATES_MEMORY (33 files under drivers/crypto in Linux 6.1). sa2ul does not set the latter, so
 * dm-crypt may use it.
 */
u32 sim_flags(const struct sim_model *model)
{
	bool falls_back = model->soft_below || model->soft_from || model->soft_gap_to ||
			  model->no_aes192;

	return CRYPTO_ALG_ASYNC | CRYPTO_ALG_KERN_DRIVER_ONLY | SIM_REVOCABLE |
	       (model->allocates ? CRYPTO_ALG_ALLOCATES_MEMORY : 0) |
	       (falls_back ? CRYPTO_ALG_NEED_FALLBACK : 0);
}

int sim_go_live(void)
{
	int error;

	mutex_lock(&preset_lock);
	error = sim_register(&sim_model);
	live = !error;
	mutex_unlock(&preset_lock);
	if (error)
		sim_go_dead();
	return error;
}

void sim_go_dead(void)
{
	static const struct sim_model none;

	mutex_lock(&preset_lock);
	live = false;
	WARN_ON(sim_register(&none));
	mutex_unlock(&preset_lock);
}
