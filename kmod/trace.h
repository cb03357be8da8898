/* SPDX-License-Identifier: GPL-2.0 */
/* Trace points: submitted requests with their drivers, and their results. No keys, no data. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM outboard

#if !defined(OUTBOARD_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define OUTBOARD_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(outboard_submit, TP_PROTO(u16 driver, u32 arena, u32 slot, u32 op, u32 length),
	    TP_ARGS(driver, arena, slot, op, length),
	    TP_STRUCT__entry(__field(u16, driver) __field(u32, op) __field(u32, arena)
			     __field(u32, slot) __field(u32, length)),
	    TP_fast_assign(__entry->driver = driver; __entry->op = op; __entry->arena = arena;
			   __entry->slot = slot; __entry->length = length;),
	    TP_printk("driver=%u arena=%u slot=%u op=%u length=%u", __entry->driver, __entry->arena,
		      __entry->slot, __entry->op, __entry->length));

TRACE_EVENT(outboard_complete, TP_PROTO(u32 arena, u32 slot, int status),
	    TP_ARGS(arena, slot, status),
	    TP_STRUCT__entry(__field(u32, arena) __field(u32, slot) __field(int, status)),
	    TP_fast_assign(__entry->arena = arena; __entry->slot = slot;
			   __entry->status = status;),
	    TP_printk("arena=%u slot=%u status=%d", __entry->arena, __entry->slot,
		      __entry->status));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
