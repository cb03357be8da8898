// SPDX-License-Identifier: GPL-2.0
/*
 * Fault injection. A rule is a line written to the debugfs file "faults":
 *
 *   DRIVER|all error ERRNO|code NUMBER|both ERRNO|again|wrong|garbage|part BYTES|unwritten|
 *              earlier|swap|never|full|refuse|delay MS|slow TIMES|software|forgotten
 *              [after=N] [every=N] [size=BYTES] [count=N]
 *
 * error     completes with -ERRNO
 * code      completes with the positive NUMBER, as drivers do that pass on a code of the device
 * both      completes with -ERRNO at once, and returns it too, as eip93_skcipher_send_req() does
 * again     completes twice
 * wrong     flips one random bit of the result
 * garbage   makes every byte of the result wrong
 * part      makes BYTES aligned bytes of a longer result wrong, as a page that DMA missed, and
 *           every byte of one that is not longer
 * unwritten leaves 64 aligned bytes of a cipher's result as they were, as a lost cache line does
 * earlier   delivers the result of the last cipher request with this fault; if that was shorter,
 *           at the beginning
 * swap      exchanges a cipher's result with that of a request of the same driver in flight, if
 *           there is one; of a longer result the beginning
 * never     does not complete until the debugfs file "held" is written
 * forgotten as never, and not at the removal of the device either
 * full      no space in the queue
 * refuse    returns -ENOSPC and -EAGAIN by turns, and does not accept the request, with
 *           MAY_BACKLOG too
 * delay     the driver's function sleeps before it accepts the request, if it may sleep
 * slow      takes TIMES as long as modelled
 * software  correct result, immediately, without an interrupt
 *
 * after=N skips the first N matching requests; every=N selects every Nth of the others; size=BYTES
 * matches requests of this size only; count=N limits the rule to N faults.
 * "clear" removes all rules.
 */
#include <linux/ctype.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/seq_file.h>
#include "sim.h"

#define SIM_MAX_RULES 32

enum sim_fault {
	SIM_ERROR,
	SIM_CODE,
	SIM_WRONG,
	SIM_GARBAGE,
	SIM_PART,
	SIM_UNWRITTEN,
	SIM_EARLIER,
	SIM_SWAP,
	SIM_NEVER,
	SIM_FULL,
	SIM_SLOW,
	SIM_SOFTWARE,
	SIM_BOTH,
	SIM_AGAIN,
	SIM_REFUSE,
	SIM_DELAY,
	SIM_FORGOTTEN
};

static const struct {
	const char *name;
	bool value;
} kinds[] = {
	[SIM_ERROR] = { "error", true },
	[SIM_CODE] = { "code", true },
	[SIM_WRONG] = { "wrong" },
	[SIM_GARBAGE] = { "garbage" },
	[SIM_PART] = { "part", true },
	[SIM_UNWRITTEN] = { "unwritten" },
	[SIM_EARLIER] = { "earlier" },
	[SIM_SWAP] = { "swap" },
	[SIM_NEVER] = { "never" },
	[SIM_FULL] = { "full" },
	[SIM_SLOW] = { "slow", true },
	[SIM_SOFTWARE] = { "software" },
	[SIM_BOTH] = { "both", true },
	[SIM_AGAIN] = { "again" },
	[SIM_REFUSE] = { "refuse" },
	[SIM_DELAY] = { "delay", true },
	[SIM_FORGOTTEN] = { "forgotten" },
};

struct sim_rule {
	struct sim_algorithm *algorithm;	/* NULL: all */
	enum sim_fault fault;
	unsigned int value, after, every, count;
	unsigned int size;
	bool any_size;
	u64 seen, hits;
};

static DEFINE_SPINLOCK(rules_lock);
static struct sim_rule rules[SIM_MAX_RULES];
static unsigned int nr_rules;

/* The part of a result of SIZE bytes to spoil, where all of it or a part becomes wrong. */
static unsigned int sim_part(const struct sim_fate *fate, unsigned int *size)
{
	unsigned int from;

	if (!fate->part || fate->part >= *size)
		return 0;
	from = get_random_u32() % DIV_ROUND_UP(*size, fate->part) * fate->part;
	*size = min(fate->part, *size - from);
	return from;
}

/* Corrupts a cipher's result: one bit, every byte, or every byte of a part. */
void sim_spoil_cipher(struct sim_request *request)
{
	unsigned int offset = request->dst_from, size = request->dst_size;
	struct scatterlist *list = request->dst;
	bool garbage = request->fate.garbage;
	u8 bytes[64];

	if (!size)
		return;
	offset += sim_part(&request->fate, &size);
	if (!garbage) {
		offset += get_random_u32() % size;
		size = 1;
	}
	while (size) {
		unsigned int part = min_t(unsigned int, size, sizeof(bytes));

		sg_pcopy_to_buffer(list, sg_nents(list), bytes, part, offset);
		for (unsigned int i = 0; i < part; i++)
			bytes[i] ^= garbage ? 0xff : BIT(get_random_u32() % 8);
		sg_pcopy_from_buffer(list, sg_nents(list), bytes, part, offset);
		offset += part;
		size -= part;
	}
}

/* Before the computation: keeps a line of SIZE bytes of LIST, if the driver is not to write it. */
void sim_keep_line(struct sim_line *line, const struct sim_request *request,
		   struct scatterlist *list, unsigned int offset, unsigned int size)
{
	line->size = 0;
	if (!request->fate.unwritten || !size)
		return;
	line->offset = get_random_u32() % DIV_ROUND_UP(size, SIM_LINE) * SIM_LINE;
	line->size = min_t(unsigned int, SIM_LINE, size - line->offset);
	line->offset += offset;
	sg_pcopy_to_buffer(list, sg_nents(list), line->bytes, line->size, line->offset);
}

/* After it. */
void sim_restore_line(const struct sim_line *line, struct scatterlist *list)
{
	if (line->size)
		sg_pcopy_from_buffer(list, sg_nents(list), line->bytes, line->size, line->offset);
}

static bool sim_fits(const struct sim_rule *rule, const struct sim_request *request)
{
	return (!rule->algorithm || rule->algorithm == request->algorithm) &&
	       (rule->any_size || rule->size == request->bytes) &&
	       (request->spoil || (rule->fault != SIM_WRONG && rule->fault != SIM_GARBAGE &&
				   rule->fault != SIM_PART)) &&
	       (request->dst_size || (rule->fault != SIM_EARLIER && rule->fault != SIM_SWAP));
}

static void sim_apply(const struct sim_rule *rule, struct sim_fate *fate)
{
	fate->fault = true;
	switch (rule->fault) {
	case SIM_ERROR:
		fate->error = -(int)rule->value;
		break;
	case SIM_CODE:
		fate->error = rule->value;
		break;
	case SIM_BOTH:
		fate->both = -(int)rule->value;
		break;
	case SIM_AGAIN:
		fate->again = true;
		break;
	case SIM_REFUSE:
		fate->refuse = true;
		break;
	case SIM_DELAY:
		fate->delay = rule->value;
		break;
	case SIM_WRONG:
		fate->wrong = true;
		break;
	case SIM_GARBAGE:
		fate->wrong = true;
		fate->garbage = true;
		break;
	case SIM_PART:
		fate->wrong = true;
		fate->garbage = true;
		fate->part = rule->value;
		break;
	case SIM_UNWRITTEN:
		fate->unwritten = true;
		break;
	case SIM_EARLIER:
		fate->earlier = true;
		break;
	case SIM_SWAP:
		fate->swap = true;
		break;
	case SIM_FORGOTTEN:
		fate->forgotten = true;
		fallthrough;
	case SIM_NEVER:
		fate->never = true;
		break;
	case SIM_FULL:
		fate->full = true;
		break;
	case SIM_SLOW:
		fate->slow = rule->value;
		break;
	case SIM_SOFTWARE:
		fate->software = true;
		break;
	}
}

/* Whether the rule selects this request. Counts those that it fits. */
static bool sim_selects(struct sim_rule *rule, const struct sim_request *request)
{
	u32 rest;

	if (!sim_fits(rule, request) || ++rule->seen <= rule->after)
		return false;
	div_u64_rem(rule->seen - rule->after, rule->every, &rest);
	return !rest && (!rule->count || rule->hits < rule->count);
}

void sim_fate_of(struct sim_request *request)
{
	struct sim_rule *rule;

	if (!READ_ONCE(nr_rules))
		return;
	spin_lock_bh(&rules_lock);
	for (rule = rules; rule < rules + nr_rules; rule++) {
		if (!sim_selects(rule, request))
			continue;
		rule->hits++;
		sim_apply(rule, &request->fate);
	}
	spin_unlock_bh(&rules_lock);
}

static int sim_parse_driver(const char *word, struct sim_rule *rule)
{
	unsigned int id;

	if (!strcmp(word, "all"))
		return 0;
	for (id = 0; id < SIM_ALGORITHMS; id++) {
		if (!strcmp(word, sim_crypto_alg(&sim_algorithms[id])->cra_driver_name)) {
			rule->algorithm = &sim_algorithms[id];
			return 0;
		}
	}
	return -ENOENT;
}

static char *sim_next_word(char **line)
{
	if (*line)
		*line = skip_spaces(*line);
	return *line && **line ? strsep(line, " \t") : NULL;
}

static int sim_parse_kind(char **line, struct sim_rule *rule)
{
	const char *word = sim_next_word(line);
	int kind;

	for (kind = 0; word && kind < (int)ARRAY_SIZE(kinds); kind++) {
		if (strcmp(word, kinds[kind].name))
			continue;
		rule->fault = kind;
		if (!kinds[kind].value)
			return 0;
		word = sim_next_word(line);
		if (!word || kstrtouint(word, 0, &rule->value) || !rule->value)
			return -EINVAL;
		return (kind == SIM_ERROR || kind == SIM_BOTH) && rule->value > MAX_ERRNO ?
			       -ERANGE :
			       0;
	}
	return -EINVAL;
}

static int sim_parse_option(char *word, struct sim_rule *rule)
{
	char *name = strsep(&word, "=");

	if (!word)
		return -EINVAL;
	if (!strcmp(name, "every"))
		return kstrtouint(word, 0, &rule->every) ?: (rule->every ? 0 : -EINVAL);
	if (!strcmp(name, "count"))
		return kstrtouint(word, 0, &rule->count);
	if (!strcmp(name, "after"))
		return kstrtouint(word, 0, &rule->after);
	if (strcmp(name, "size"))
		return -EINVAL;
	rule->any_size = false;
	return kstrtouint(word, 0, &rule->size);
}

/* Parses one line. Returns 0 or a negative errno. */
int sim_parse_fault(char *line)
{
	struct sim_rule rule = { .every = 1, .any_size = true };
	char *word = sim_next_word(&line);
	int error = 0;

	if (!word)
		return 0;
	if (!strcmp(word, "clear")) {
		spin_lock_bh(&rules_lock);
		nr_rules = 0;
		spin_unlock_bh(&rules_lock);
		return 0;
	}
	error = sim_parse_driver(word, &rule) ?: sim_parse_kind(&line, &rule);
	while (!error && (word = sim_next_word(&line)))
		error = sim_parse_option(word, &rule);
	if (error)
		return error;
	spin_lock_bh(&rules_lock);
	if (nr_rules < SIM_MAX_RULES)
		rules[nr_rules++] = rule;
	else
		error = -ENOSPC;
	spin_unlock_bh(&rules_lock);
	return error;
}

void sim_show_faults(struct seq_file *file)
{
	struct sim_rule *rule;

	spin_lock_bh(&rules_lock);
	for (rule = rules; rule < rules + nr_rules; rule++) {
		seq_printf(file, "%s %s",
			   rule->algorithm ? sim_crypto_alg(rule->algorithm)->cra_driver_name :
					     "all",
			   kinds[rule->fault].name);
		if (kinds[rule->fault].value)
			seq_printf(file, " %u", rule->value);
		if (rule->after)
			seq_printf(file, " after=%u", rule->after);
		seq_printf(file, " every=%u", rule->every);
		if (!rule->any_size)
			seq_printf(file, " size=%u", rule->size);
		if (rule->count)
			seq_printf(file, " count=%u", rule->count);
		seq_printf(file, " # seen %llu, hit %llu\n", rule->seen, rule->hits);
	}
	spin_unlock_bh(&rules_lock);
}
