// SPDX-License-Identifier: GPL-2.0
/*
 * From a computed result to its completion: a timer waits until the result is due, then raises the
 * device's interrupt line from a hard interrupt. The handler schedules a tasklet or wakes its
 * thread, which calls the completion with bottom halves disabled, or calls the completion itself.
 *
 * The irq_chip is implemented here because Debian's kernels 6.1 and 6.12 lack irq_sim. The
 * interrupts are edge-triggered, like message-signalled interrupts: an edge during the handler's
 * run on another CPU is not lost.
 */
#include <linux/irq.h>
#include <linux/numa.h>
#include "sim.h"

/* Largest lead of the timer over the due time. The completion busy-waits for the rest. */
#define SIM_MAX_LEAD_NS 100000

static void sim_irq_ack(struct irq_data *data)
{
}

static struct irq_chip sim_irq_chip = {
	.name = SIM_NAME,
	.irq_ack = sim_irq_ack,
};

static void sim_raise(struct sim_device *device, unsigned int times)
{
	while (times--)
		generic_handle_irq_safe(device->irq);
}

/* Returns the number of interrupts to raise now for results added to device->done. */
static unsigned int sim_announce(struct sim_device *device, unsigned int answers)
{
	unsigned int coalesce = max(READ_ONCE(sim_model.coalesce), 1U), times;

	lockdep_assert_held(&device->lock);
	device->uncounted += answers;
	times = device->uncounted / coalesce;
	device->uncounted %= coalesce;
	device->count.interrupts += times;
	if (device->uncounted && !hrtimer_active(&device->coalesce_timer))
		hrtimer_start(&device->coalesce_timer,
			      ns_to_ktime(READ_ONCE(sim_model.coalesce_ns)), HRTIMER_MODE_REL_HARD);
	return times;
}

static ktime_t sim_alarm(struct sim_device *device, struct sim_request *request)
{
	return ktime_sub_ns(request->due, device->lead_ns);
}

/* Starts the timer for the first request in device->pending. */
static void sim_arm(struct sim_device *device)
{
	struct sim_request *first = list_first_entry_or_null(&device->pending, struct sim_request,
							     node);

	lockdep_assert_held(&device->lock);
	if (first)
		hrtimer_start(&device->timer, sim_alarm(device, first), HRTIMER_MODE_ABS_HARD);
}

static enum hrtimer_restart sim_timer(struct hrtimer *timer)
{
	struct sim_device *device = container_of(timer, struct sim_device, timer);
	struct sim_request *request, *next;
	unsigned int answers = 0, times;
	ktime_t now = ktime_get();
	unsigned long flags;

	raw_spin_lock_irqsave(&device->lock, flags);
	list_for_each_entry_safe(request, next, &device->pending, node) {
		if (ktime_after(sim_alarm(device, request), now))
			break;
		list_move_tail(&request->node, &device->done);
		answers++;
	}
	sim_arm(device);
	times = sim_announce(device, answers);
	raw_spin_unlock_irqrestore(&device->lock, flags);
	sim_raise(device, times);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart sim_coalesce_timer(struct hrtimer *timer)
{
	struct sim_device *device = container_of(timer, struct sim_device, coalesce_timer);
	unsigned int times;
	unsigned long flags;

	raw_spin_lock_irqsave(&device->lock, flags);
	times = device->uncounted ? 1 : 0;
	device->uncounted = 0;
	device->count.interrupts += times;
	raw_spin_unlock_irqrestore(&device->lock, flags);
	sim_raise(device, times);
	return HRTIMER_NORESTART;
}

static void sim_raise_now(struct irq_work *work)
{
	struct sim_device *device = container_of(work, struct sim_device, raise_now);
	unsigned int times;
	unsigned long flags;

	raw_spin_lock_irqsave(&device->lock, flags);
	times = device->to_raise;
	device->to_raise = 0;
	raw_spin_unlock_irqrestore(&device->lock, flags);
	sim_raise(device, times);
}

/* Called by a compute thread: completes the request when it is due, or now if that has passed. */
void sim_computed(struct sim_device *device, struct sim_request *request)
{
	struct sim_request *before;
	unsigned long flags;

	raw_spin_lock_irqsave(&device->lock, flags);
	request->timed = ktime_before(ktime_get(), request->due);
	if (request->timed) {
		list_for_each_entry_reverse(before, &device->pending, node) {
			if (!ktime_after(before->due, request->due))
				break;
		}
		list_add(&request->node, &before->node);
		if (list_is_first(&request->node, &device->pending))
			sim_arm(device);
	} else {
		list_add_tail(&request->node, &device->done);
		device->count.late += ktime_after(request->due, request->submitted);
		device->to_raise += sim_announce(device, 1);
		irq_work_queue(&device->raise_now);
	}
	raw_spin_unlock_irqrestore(&device->lock, flags);
}

/*
 * Updates the average delay between the timer's expiry and the completion. The timer is set earlier
 * by this lead, so that the model's times are met where an interrupt is slow, as under QEMU's TCG.
 */
static void sim_learn(struct sim_device *device, struct sim_request *request, ktime_t now)
{
	s64 delay = ktime_to_ns(ktime_sub(now, sim_alarm(device, request)));

	delay = clamp(delay, 0LL, 2LL * SIM_MAX_LEAD_NS);
	device->lead_ns += (delay - device->lead_ns) / 16;
	device->lead_ns = min_t(s64, device->lead_ns, SIM_MAX_LEAD_NS);
}

static void sim_complete_due(struct sim_device *device)
{
	struct sim_request *request, *next;
	bool first = true, backlog = false;
	unsigned long flags;
	LIST_HEAD(done);

	raw_spin_lock_irqsave(&device->lock, flags);
	list_splice_init(&device->done, &done);
	raw_spin_unlock_irqrestore(&device->lock, flags);

	list_for_each_entry_safe(request, next, &done, node) {
		struct crypto_async_request *base = request->base;
		bool again = request->fate.again;
		int error = request->error;
		ktime_t now = ktime_get();

		if (request->timed && READ_ONCE(sim_model.coalesce) <= 1 && first) {
			sim_learn(device, request, now);
			first = false;
		}
		while (ktime_before(ktime_get(), request->due))
			cpu_relax();

		raw_spin_lock_irqsave(&device->lock, flags);
		device->count.outstanding--;
		device->count.completions++;
		if (request->timed) {
			device->count.model_ns +=
				ktime_to_ns(ktime_sub(request->due, request->submitted));
			device->count.real_ns +=
				ktime_to_ns(ktime_sub(ktime_get(), request->submitted));
		}
		backlog |= !list_empty(&device->backlog);
		raw_spin_unlock_irqrestore(&device->lock, flags);

		list_del(&request->node);
		crypto_request_complete(base, error);
		if (again)
			crypto_request_complete(base, error);
	}
	if (backlog)
		wake_up(&device->work);
}

static void sim_tasklet(struct tasklet_struct *tasklet)
{
	sim_complete_due(from_tasklet((struct sim_device *)NULL, tasklet, tasklet));
}

static irqreturn_t sim_handle_interrupt(int irq, void *data)
{
	struct sim_device *device = data;

	if (READ_ONCE(sim_model.threaded))
		return IRQ_WAKE_THREAD;
	if (READ_ONCE(sim_model.hard))
		sim_complete_due(device);
	else
		tasklet_schedule(&device->tasklet);
	return IRQ_HANDLED;
}

static irqreturn_t sim_handle_in_thread(int irq, void *data)
{
	local_bh_disable();
	sim_complete_due(data);
	local_bh_enable();
	return IRQ_HANDLED;
}

int sim_setup_interrupt(struct sim_device *device)
{
	/* No owner: a requested interrupt would hold this module and prevent its unloading. */
	int irq = __irq_alloc_descs(-1, 1, 1, NUMA_NO_NODE, NULL, NULL), error;

	if (irq < 0)
		return irq;
	device->irq = irq;
	hrtimer_setup(&device->timer, sim_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	hrtimer_setup(&device->coalesce_timer, sim_coalesce_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	device->raise_now = IRQ_WORK_INIT_HARD(sim_raise_now);
	tasklet_setup(&device->tasklet, sim_tasklet);

	irq_set_chip_and_handler(irq, &sim_irq_chip, handle_edge_irq);
	irq_modify_status(irq, IRQ_NOREQUEST, IRQ_NOPROBE);
	error = request_threaded_irq(irq, sim_handle_interrupt, sim_handle_in_thread, 0,
				     dev_name(device->dev), device);
	if (error)
		irq_free_desc(irq);
	return error;
}

/* The compute threads must have stopped, so that no timer is started again. */
void sim_stop_interrupt(struct sim_device *device)
{
	hrtimer_cancel(&device->timer);
	irq_work_sync(&device->raise_now);
	hrtimer_cancel(&device->coalesce_timer);
	free_irq(device->irq, device);
	tasklet_kill(&device->tasklet);
	irq_free_desc(device->irq);
}
