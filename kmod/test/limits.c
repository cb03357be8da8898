// SPDX-License-Identifier: GPL-2.0
/* Limits that root gives with the name of a driver, and requests that such a driver has lost. */
#include "tests.h"
#include <sys/wait.h>

#define ALLOW "/sys/class/misc/outboard/allow"
#define DISALLOW "/sys/class/misc/outboard/disallow"

static int fd;
static struct arena arena;
static const struct algorithm *cbc, *ctr;

static void allow_again(const struct algorithm *algorithm, const char *limits)
{
	double end = now() + TIME_LIMIT;

	while (counter("sessions") && now() < end)
		usleep(1000);
	check(!tell(DISALLOW, "%s", driver_of(algorithm)), "%m");
	check(!tell(ALLOW, "%s %s", driver_of(algorithm), limits), "%m");
}

static void begin(void)
{
	cbc = algorithm(OUTBOARD_CBC_AES);
	ctr = algorithm(OUTBOARD_CTR_AES);
	fd = open_device(0);
	arena = map_arena(fd, 1 * MIB, 64);
	check(!tell(OUTBOARD_PARAMETERS "/patience", "30"), "%m");
}

static void fill(unsigned int slot, uint32_t session, const struct algorithm *of)
{
	struct outboard_slot wanted = a_slot(of, session, &arena, 0, 0, 64);

	put(&arena, slot, &wanted);
}

static int status_of(unsigned int slot, uint32_t session, const struct algorithm *of)
{
	double start = now();

	fill(slot, session, of);
	submit(&arena, slot, 1, OUTBOARD_WAIT);
	check(now() - start < 5, "after %.1f s", now() - start);
	return arena.slot[slot].status;
}

/* The engine has answered. */
static void warm_up(uint32_t session, const struct algorithm *of)
{
	for (unsigned int i = 0; i < 16; i++)
		check(!status_of(63, session, of), "status %d", arena.slot[63].status);
}

static long outstanding(void)
{
	return number_in(SIM_DEBUG "/outboard-sim.0/outstanding");
}

static void hold_all(void)
{
	check(!tell(SIM_DEBUG "/faults", "all never"), "%m");
}

static void answer_held(void)
{
	check(!tell(SIM_DEBUG "/faults", "clear"), "%m");
	check(!tell(SIM_DEBUG "/held", "0"), "%m");
}

static void eight_are_outstanding(const struct algorithm *of, uint32_t session)
{
	for (unsigned int s = 0; s < 8; s++)
		fill(s, session, of);
	hold_all();
	check(!submit(&arena, 0, 8, 0), "%m");
	check(outstanding() == 8, "the engine has %ld requests", outstanding());
	answer_held();
	for (unsigned int s = 0; s < 8; s++)
		check(!wait_for(&arena, s), "status %d", arena.slot[s].status);
}

/* It holds for all drivers of the engine. The other one has a session all the time. */
static void a_limit_ends_when_its_driver_is_disallowed(void)
{
	begin();
	check(!tell(OUTBOARD_PARAMETERS "/patience", "600000"), "%m");
	make_session(fd, 1, ctr);
	eight_are_outstanding(ctr, 1);
	check(!tell(DISALLOW, "%s", driver_of(cbc)), "%m");
	check(!tell(ALLOW, "%s requests=1", driver_of(cbc)), "%m");
	make_session(fd, 2, cbc);
	check(!status_of(9, 2, cbc), "status %d", arena.slot[9].status);
	for (unsigned int s = 0; s < 8; s++)
		fill(s, 1, ctr);
	hold_all();
	check(!submit(&arena, 0, 8, 0), "%m");
	check(outstanding() == 1, "the engine has %ld requests", outstanding());
	answer_held();
	for (unsigned int s = 0; s < 8; s++)
		check(!wait_for(&arena, s), "status %d", arena.slot[s].status);
	check(!tell(DISALLOW, "%s", driver_of(cbc)), "%m");
	eight_are_outstanding(ctr, 1);
	check(!free_session(fd, 1) && !free_session(fd, 2), "%m");
	check(!tell(ALLOW, "%s", driver_of(cbc)), "%m");
}

/* A lost request of a driver without a limit takes no place from others. */
static void a_lost_request_of_another_driver_does_not_count(void)
{
	begin();
	make_session(fd, 1, ctr);
	warm_up(1, ctr);
	check(!tell(SIM_DEBUG "/faults", "all never count=1"), "%m");
	check(status_of(0, 1, ctr) == OUTBOARD_IN_FLIGHT, "status %d", arena.slot[0].status);
	check(!tell(DISALLOW, "%s", driver_of(cbc)), "%m");
	check(!tell(ALLOW, "%s requests=1", driver_of(cbc)), "%m");
	make_session(fd, 2, cbc);
	check(!status_of(1, 2, cbc), "status %d", arena.slot[1].status);
	check(!status_of(2, 1, ctr), "status %d", arena.slot[2].status);
	answer_held();
	check(!wait_for(&arena, 0), "status %d", arena.slot[0].status);
	check(!free_session(fd, 1) && !free_session(fd, 2), "%m");
	allow_again(cbc, "");
}

/* Its only place is taken until the driver completes it: requests end at once, and do not wait. */
static void a_lost_request_keeps_its_place_and_others_are_refused(void)
{
	begin();
	allow_again(cbc, "requests=1");
	make_session(fd, 1, cbc);
	make_session(fd, 2, ctr);
	warm_up(1, cbc);
	check(!tell(SIM_DEBUG "/faults", "all never count=1"), "%m");
	check(status_of(0, 1, cbc) == OUTBOARD_IN_FLIGHT, "status %d", arena.slot[0].status);
	for (unsigned int s = 1; s < 5; s++) {
		int status = s & 1 ? status_of(s, 1, cbc) : status_of(s, 2, ctr);

		check(status == -EHOSTDOWN, "status %d", status);
	}
	check(driver_counter(cbc, "stopped") == 1, "it does not count as stopped");
	answer_held();
	check(!wait_for(&arena, 0), "status %d", arena.slot[0].status);
	check(!status_of(1, 1, cbc) && !status_of(2, 2, ctr), "statuses %d, %d",
	      arena.slot[1].status, arena.slot[2].status);
	check(!free_session(fd, 1) && !free_session(fd, 2), "%m");
	allow_again(cbc, "");
}

/* The engine works for others, but has no place for this driver: its requests do not wait. */
static void a_driver_whose_place_is_lost_refuses_while_another_works(void)
{
	begin();
	allow_again(cbc, "requests=1");
	make_session(fd, 1, cbc);
	warm_up(1, cbc);
	check(!tell(SIM_DEBUG "/faults", "all never count=1"), "%m");
	check(status_of(0, 1, cbc) == OUTBOARD_IN_FLIGHT, "status %d", arena.slot[0].status);
	check(!tell(DISALLOW, "%s", driver_of(cbc)), "%m");
	make_session(fd, 2, ctr);
	check(!status_of(1, 2, ctr), "status %d", arena.slot[1].status);
	check(!tell(ALLOW, "%s requests=1", driver_of(cbc)), "%m");
	make_session(fd, 3, cbc);
	check(status_of(2, 3, cbc) == -EHOSTDOWN, "status %d", arena.slot[2].status);
	answer_held();
	check(!wait_for(&arena, 0), "status %d", arena.slot[0].status);
	check(!status_of(2, 3, cbc), "status %d", arena.slot[2].status);
	for (uint32_t session = 1; session < 4; session++)
		check(!free_session(fd, session), "%m");
	allow_again(cbc, "");
}

/* A driver that cannot have more than this gets it in one buffer, as its device does. */
static void the_length_counts_aad_and_tag(void)
{
	const struct algorithm *gcm = algorithm(OUTBOARD_GCM_AES);
	struct outboard_slot good, slot;

	begin();
	allow_again(gcm, "length=4096");
	make_session(fd, 1, gcm);
	good = a_slot(gcm, 1, &arena, 0, 0, 4096 - 16);
	slot_status(0, );
	slot_status(-E2BIG, slot.length++);
	slot_status(-E2BIG, slot.aad = good.in + 8192; slot.aad_length = 1);
	slot_status(0, slot.aad = good.in + 8192; slot.aad_length = 80; slot.length -= 80);
	check(!free_session(fd, 1), "%m");
	allow_again(gcm, "");
}

/* sysfs shows the list in one page; the kernel would warn about more. */
static void the_allow_list_fits_a_page(void)
{
	enum { MOST = 32 };
	char name[128], text[65536];
	unsigned int allowed = 0, lines = 0;
	int error = 0, file;
	ssize_t size;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	for (; allowed < MOST && !error; allowed += !error) {
		snprintf(name, 4, "%03u", allowed);
		name[3] = 'x';
		error = tell(ALLOW, "%s length=4294967295 requests=4294967295 one-direction", name);
	}
	check(error == -ENOSPC, "%s", strerror(-error));
	file = open(ALLOW, O_RDONLY);
	size = read(file, text, sizeof(text) - 1);
	check(size > 0, "%m");
	close(file);
	for (ssize_t i = 0; i < size; i++)
		lines += text[i] == '\n' && i > 14 && !strncmp(text + i - 13, "one-direction", 13);
	check(lines == allowed, "%u lines of %u", lines, allowed);
	for (unsigned int i = 0; i < allowed; i++) {
		snprintf(name, 4, "%03u", i);
		name[3] = 'x';
		check(!tell(DISALLOW, "%s", name), "%m");
	}
}

static const struct test tests[] = {
	TEST_SIM(a_limit_ends_when_its_driver_is_disallowed),
	TEST_SIM(a_lost_request_of_another_driver_does_not_count),
	TEST_SIM(a_lost_request_keeps_its_place_and_others_are_refused),
	TEST_SIM(a_driver_whose_place_is_lost_refuses_while_another_works),
	TEST_SIM(the_length_counts_aad_and_tag),
	TEST(the_allow_list_fits_a_page),
};
THEME(limits, false);
