/* SPDX-License-Identifier: GPL-2.0 */
/* The module's algorithms, and those that each accelerator supports. */
#ifndef OUTBOARD_TEST_ALGORITHMS_H
#define OUTBOARD_TEST_ALGORITHMS_H

#include "device.h"

enum kind { CIPHER = 1, AEAD = 2, HASH = 4 };

struct algorithm {
	uint16_t id;
	enum kind kind;
	const char *name;
	const char *software;	/* OpenSSL's name; %u: bits of the key */
	uint8_t block;		/* ciphers: lengths are multiples of it; hashes: block size */
	uint8_t least;
	uint8_t iv;
	uint8_t digest;
	uint16_t keys[4];	/* sizes to try */
	bool virtio, engine;	/* the accelerators of these names have it */
};

#define ALGORITHMS 17
extern const struct algorithm algorithms[ALGORITHMS];

const struct algorithm *algorithm(uint16_t id);
bool is_hmac(const struct algorithm *algorithm);

/* The accelerator under test. */
struct accelerator {
	const char *name;
	const char *bus_driver;	/* directory of the driver in sysfs, with bind and unbind */
	const char *prefix;	/* of the names of its devices there */
	bool sim;
};

extern const struct accelerator *accelerator;

bool choose_accelerator(const char *name);
/* Returns the driver of the algorithm; NULL: none. */
const char *driver_of(const struct algorithm *algorithm);
/* Whether the driver is registered, as CESA's is without a device. */
bool is_registered(const char *driver);
/* Returns the name of the accelerator's device; NULL: no device is bound. */
const char *bound_device(void);
/* Allow or disallow all drivers of the accelerator. Both fail like check(). */
void allow_all(void);
void disallow_all(void);
/* Returns a counter of the allowed driver. */
long driver_counter(const struct algorithm *algorithm, const char *name);

#define SIM_DEBUG "/sys/kernel/debug/outboard_sim"
#define SIM_PARAMETERS "/sys/module/outboard_sim/parameters"
#define OUTBOARD_PARAMETERS "/sys/module/outboard/parameters"

#endif
