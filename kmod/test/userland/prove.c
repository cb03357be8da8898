// SPDX-License-Identifier: GPL-2.0
/*
 * For CBMC: arithmetic of queue.c and outboard.h for all inputs. Each function is one property; what is
 * not initialised has any value. Overflow, division, shifts and pointers are checked everywhere.
 */
#include "../../queue.c"

#define assume(condition) __CPROVER_assume(condition)
#define holds(condition) __CPROVER_assert(condition, #condition)

unsigned long jiffies;
u64 ob_now;
unsigned int ob_timeout, ob_patience;

void ob_was_read(const volatile void *at, size_t size) {}

/* Of any work and any parameters. */
void the_patience_of_an_engine_is_positive_and_below_two_weeks(void)
{
	struct ob_engine engine;
	unsigned long cost;
	u64 patience;

	assume(engine.slowness <= OB_UNKNOWN && ob_patience > 0);
	patience = ob_patience_for(&engine, cost);
	holds(patience >= NSEC_PER_MSEC && patience < 14ULL * 86400 * 1000 * NSEC_PER_MSEC);
}

void an_answer_changes_the_patience_by_one_step_at_most(void)
{
	struct ob_engine engine;
	struct ob_request request;
	unsigned int before;
	u64 now;

	assume(engine.slowness <= OB_UNKNOWN && ob_patience > 0);
	assume(engine.progress <= now && request.started <= now && now < 1ULL << 62);
	before = engine.slowness;
	ob_learn(&engine, &request, now);
	holds(engine.slowness <= OB_UNKNOWN);
	holds(engine.slowness <= before + 1 && before <= engine.slowness + 1);
}

/* After any number of rounds. */
void credit_stays_between_one_quantum_of_debt_and_one_quantum(void)
{
	struct ob_engine engine;
	struct ob_share share;
	struct ob_request request;
	u32 cost;

	share.engine = &engine;
	assume(share.credit > -(s64)OB_QUANTUM && share.credit <= OB_QUANTUM);
	assume(engine.round >= share.round);
	ob_share_refresh(&share);
	holds(share.credit > -(s64)OB_QUANTUM && share.credit <= OB_QUANTUM);
	holds(share.round == engine.round);
	/* A user with credit may submit a request of any valid cost. */
	assume(cost >= OB_LEAST_COST && cost <= OB_MAX_LENGTH + OB_MAX_AAD);
	holds(share.credit <= 0 || share.credit - cost > -(s64)OB_QUANTUM);
}

void the_limit_of_an_engine_never_falls_below_the_least_one(void)
{
	struct ob_engine engine;
	struct ob_request request;
	u64 took;

	assume(engine.limit >= OB_LEAST_LIMIT && engine.limit < 1UL << 40);
	assume(request.cost >= OB_LEAST_COST && request.cost <= OB_QUANTUM);
	assume(request.found >= request.cost && request.found < 1UL << 40);
	assume(engine.latency == U64_MAX || engine.latency < 1ULL << 62);
	assume(took < 1ULL << 62);
	ob_adjust(&engine, &request, took);
	holds(engine.limit >= OB_LEAST_LIMIT && engine.limit < 1UL << 41);
}

void a_request_finds_room_in_an_idle_engine_whatever_its_depth(void)
{
	struct ob_engine engine;
	struct ob_request request;

	assume(!engine.running && !engine.lost && engine.most > 0);
	holds(ob_has_room(&engine, &request));
}

void a_valid_range_lies_in_the_data_of_its_arena(void)
{
	struct ob_arena arena;
	struct ob_range range;

	assume(arena.size <= SZ_1G && arena.data_offset < arena.size);
	if (ob_range_valid(&arena, range)) {
		holds(range.offset >= arena.data_offset && range.offset % OB_ALIGN == 0);
		holds((u64)range.offset + range.length <= arena.size);
	}
}

void valid_input_and_output_are_one_range_or_have_no_byte_in_common(void)
{
	struct ob_arena arena;
	struct ob_range in, out;
	u32 byte;

	assume(arena.size <= SZ_1G && arena.data_offset < arena.size);
	assume(in.length == out.length && ob_in_out_valid(&arena, in, out));
	holds((u64)out.offset + out.length <= arena.size);
	holds(in.offset == out.offset ||
	      !(byte >= in.offset && byte - in.offset < in.length &&
		byte >= out.offset && byte - out.offset < out.length));
}

/* An arena of four pages that are contiguous in any way. */
void an_entry_of_a_scatter_list_is_contiguous_and_not_empty(void)
{
	struct ob_arena arena;
	struct ob_page pages[4];
	u32 offset, bytes;

	arena.pages = pages;
	arena.page_count = 4;
	for (unsigned int i = 0; i < 4; i++)
		assume(pages[i].run >= 1 && pages[i].run <= 4 - i);
	assume(offset < 4 * PAGE_SIZE);
	bytes = ob_contiguous_bytes(&arena, offset);
	holds(bytes >= 1 && bytes <= OB_MAX_SEGMENT);
	holds(offset + bytes <=
	      ((offset >> PAGE_SHIFT) + pages[offset >> PAGE_SHIFT].run) * PAGE_SIZE);
}
