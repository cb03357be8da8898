// SPDX-License-Identifier: GPL-2.0
/*
 * Threads compute the results in place of the chip, as early as possible, so that only the rest of
 * the modelled time is waited for. They have a higher priority than ordinary threads: otherwise a
 * process that polls for a result on the only CPU would delay the computation.
 */
#include <linux/kthread.h>
#include <linux/sched.h>
#include "sim.h"

static int sim_compute_answer(struct sim_request *request)
{
	int error;

	if (request->fate.error)
		return request->fate.error;
	if (!READ_ONCE(sim_compute))
		return 0;
	error = request->compute(request);
	if (!error && request->fate.wrong)
		request->spoil(request);
	if (!error && request->fate.earlier)
		sim_deliver_earlier(request);
	return error;
}

static int sim_thread(void *data)
{
	struct sim_device *device = data;
	struct sim_request *request;

	while (!kthread_should_stop()) {
		wait_event_idle_exclusive(device->work,
					  sim_has_work(device) || kthread_should_stop());
		request = sim_take_backlog(device);
		if (request) {
			local_bh_disable();
			crypto_request_complete(request->base, -EINPROGRESS);
			local_bh_enable();
			sim_enqueue(device, request);
		}
		request = sim_take_queued(device);
		if (request) {
			request->error = sim_compute_answer(request);
			if (!request->error && request->fate.swap)
				sim_swap_results(device, request);
			sim_computed(device, request);
		}
	}
	return 0;
}

int sim_start_threads(struct sim_device *device)
{
	unsigned int wanted = min(num_online_cpus(), SIM_MAX_THREADS);

	while (device->nr_threads < wanted) {
		struct task_struct *thread = kthread_run(sim_thread, device, "%s/%u",
							 dev_name(device->dev), device->nr_threads);

		if (IS_ERR(thread)) {
			sim_stop_threads(device);
			return PTR_ERR(thread);
		}
		sched_set_fifo_low(thread);
		device->threads[device->nr_threads++] = thread;
	}
	return 0;
}

void sim_stop_threads(struct sim_device *device)
{
	while (device->nr_threads)
		kthread_stop(device->threads[--device->nr_threads]);
}
