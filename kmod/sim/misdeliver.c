// SPDX-License-Identifier: GPL-2.0
/* Results that another request gets: a later one, or one in flight. */
#include <linux/mutex.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include "sim.h"

/* The result of the last request with the fault "earlier". */
static DEFINE_MUTEX(earlier_lock);
static u8 earlier[SZ_64K];
static unsigned int earlier_size;

static void sim_read(const struct sim_request *request, unsigned int at, u8 *bytes,
		     unsigned int size)
{
	sg_pcopy_to_buffer(request->dst, sg_nents(request->dst), bytes, size,
			   request->dst_from + at);
}

static void sim_write(const struct sim_request *request, unsigned int at, const u8 *bytes,
		      unsigned int size)
{
	sg_pcopy_from_buffer(request->dst, sg_nents(request->dst), bytes, size,
			     request->dst_from + at);
}

/* Replaces the result by that of the last request with this fault, and keeps the right one. */
void sim_deliver_earlier(struct sim_request *request)
{
	unsigned int size = min_t(unsigned int, request->dst_size, SZ_64K);
	u8 right[64];

	mutex_lock(&earlier_lock);
	for (unsigned int at = 0, part; at < size; at += part) {
		part = min_t(unsigned int, size - at, sizeof(right));
		sim_read(request, at, right, part);
		if (at < earlier_size)
			sim_write(request, at, earlier + at, min(part, earlier_size - at));
		memcpy(earlier + at, right, part);
	}
	earlier_size = size;
	mutex_unlock(&earlier_lock);
}

/* Takes a request of the same driver that is computed and not yet due: it does not complete. */
static struct sim_request *sim_take_pending(struct sim_device *device,
					    const struct sim_algorithm *algorithm)
{
	struct sim_request *request, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&device->lock, flags);
	list_for_each_entry(request, &device->pending, node) {
		if (request->algorithm == algorithm && request->dst_size && !request->error) {
			found = request;
			list_del(&found->node);
			break;
		}
	}
	raw_spin_unlock_irqrestore(&device->lock, flags);
	return found;
}

/* Exchanges the result with that of a request in flight, which then completes when it is due. */
void sim_swap_results(struct sim_device *device, struct sim_request *request)
{
	struct sim_request *other = sim_take_pending(device, request->algorithm);
	unsigned int size;
	u8 one[64], two[64];

	if (!other)
		return;
	size = min(request->dst_size, other->dst_size);
	for (unsigned int at = 0, part; at < size; at += part) {
		part = min_t(unsigned int, size - at, sizeof(one));
		sim_read(request, at, one, part);
		sim_read(other, at, two, part);
		sim_write(request, at, two, part);
		sim_write(other, at, one, part);
	}
	sim_computed(device, other);
}
