/* SPDX-License-Identifier: GPL-2.0 */
/* Expected results, computed by the machine's libcrypto. */
#ifndef OUTBOARD_TEST_SOFTWARE_H
#define OUTBOARD_TEST_SOFTWARE_H

#include "algorithms.h"

void software_load(void);
void software_encrypt(const struct algorithm *algorithm, const uint8_t *key, unsigned int key_size,
		      const uint8_t *iv, const uint8_t *in, uint8_t *out, unsigned int size);
/* out: size + tag_size bytes. iv: in the format of a slot. */
void software_seal(const struct algorithm *algorithm, const uint8_t *key, unsigned int key_size,
		   const uint8_t *iv, const uint8_t *aad, unsigned int aad_size, const uint8_t *in,
		   unsigned int size, uint8_t *out, unsigned int tag_size);
void software_digest(const struct algorithm *algorithm, const uint8_t *key, unsigned int key_size,
		     const uint8_t *in, unsigned int size, uint8_t *out);

#endif
