# SPDX-License-Identifier: GPL-2.0
CFLAGS += -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -pthread $(KHDR_INCLUDES)
LDLIBS += -ldl
TEST_PROGS := kselftest
TEST_FILES := guest
TEST_GEN_FILES := tests fuzz

include ../lib.mk

COMMON := device.c algorithms.c software.c requests.c
$(OUTPUT)/tests: $(filter-out fuzz.c fuzz-process.c fairness.c compat32.c,$(wildcard *.c))
	$(LINK.c) $^ $(LDLIBS) -o $@
$(OUTPUT)/fuzz: fuzz.c fuzz-process.c $(COMMON)
	$(LINK.c) $^ $(LDLIBS) -o $@
