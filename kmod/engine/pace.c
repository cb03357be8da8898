// SPDX-License-Identifier: GPL-2.0
/*
 * The pace of an engine: one request after another, each of which takes a time of its own and one
 * for its bytes. The device is usually faster; its results then wait here, and cost no CPU time but
 * that of a timer. Without parameters, requests complete when the device has done them.
 */
#include <linux/module.h>
#ifdef CONFIG_X86
#include <asm/special_insns.h>
#else
#include <asm/tlbflush.h>
#endif
#include "compat.h"
#include "engine.h"

static unsigned int request_ns, bandwidth;
module_param(request_ns, uint, 0644);
MODULE_PARM_DESC(request_ns, "nanoseconds that the engine needs for a request besides its bytes");
module_param(bandwidth, uint, 0644);
MODULE_PARM_DESC(bandwidth, "MB/s of the engine; 0: those of the device");

static enum hrtimer_restart engine_due(struct hrtimer *timer)
{
	tasklet_schedule(&container_of(timer, struct engine, timer)->tasklet);
	return HRTIMER_NORESTART;
}

void engine_pace_init(struct engine *engine)
{
	INIT_LIST_HEAD(&engine->early);
	engine_timer_setup(&engine->timer, engine_due);
}

/* A request has been put into the queue. Called with engine->lock held. */
void engine_pace_start(struct engine *engine, struct skcipher_request *req)
{
	struct engine_request *rctx = skcipher_request_ctx(req);
	unsigned int megabytes = READ_ONCE(bandwidth);
	u64 ns = READ_ONCE(request_ns);
	ktime_t now;

	if (!ns && !megabytes)
		return;
	if (megabytes)
		ns += div_u64(1000ULL * req->cryptlen, megabytes);
	now = ktime_get();
	if (ktime_before(engine->free, now))
		engine->free = now;
	engine->free = ktime_add_ns(engine->free, ns);
	rctx->due = engine->free;
}

/*
 * Flushes the TLB: an emulator needs thousands of times as long for it as for another instruction,
 * and does not hold the lock of its devices meanwhile.
 */
static void engine_dawdle(void)
{
#if defined(CONFIG_X86)
	native_write_cr3(__native_read_cr3());
#elif defined(CONFIG_ARM) || defined(CONFIG_ARM64)
	local_flush_tlb_all();
#else
	cpu_relax();
#endif
}

/*
 * Waits until the device has done a request, without going idle: the clock of a machine that counts
 * instructions (vm/run --icount) leaps to the next timer when its CPU is idle. The wait takes few
 * instructions, so that the clock advances little.
 */
void engine_pace_wait(struct skcipher_request *req)
{
	struct engine_request *rctx = skcipher_request_ctx(req);

	while (rctx->due && READ_ONCE(rctx->answer.status) == ENGINE_NO_ANSWER)
		engine_dawdle();
}

/*
 * Moves results that are due from early to done. Called with engine->lock held. The times of early
 * rise: the device completes in the order of its queue.
 */
void engine_pace_take(struct engine *engine, struct list_head *done)
{
	struct crypto_async_request *base, *next;

	list_for_each_entry_safe(base, next, &engine->early, list) {
		struct engine_request *rctx = skcipher_request_ctx(skcipher_request_cast(base));

		if (rctx->due && ktime_after(rctx->due, ktime_get())) {
			hrtimer_start(&engine->timer, rctx->due, HRTIMER_MODE_ABS);
			return;
		}
		list_move_tail(&base->list, done);
	}
}
