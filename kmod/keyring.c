// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a session's key from the kernel's keyrings by serial number, with the caller's rights. The
 * payload of a logon key cannot be read by user space, and its description begins with the name of
 * the service that it is for. Other services' keys must not become usable as cipher keys here.
 */
#include <keys/user-type.h>
#include <linux/key.h>
#include <linux/string.h>
#include "outboard.h"

#if IS_ENABLED(CONFIG_KEYS)

int ob_key_from_keyring(s32 serial, u8 *key, unsigned int *size)
{
	const struct user_key_payload *payload;
	struct key *found;
	key_ref_t ref;
	int error = -EINVAL;

	ref = lookup_user_key(serial, 0, KEY_NEED_SEARCH);
	if (IS_ERR(ref))
		return PTR_ERR(ref);
	found = key_ref_to_ptr(ref);
	down_read(&found->sem);
	if (found->type == &key_type_user ||
	    (found->type == &key_type_logon && strstarts(found->description, "outboard:"))) {
		payload = user_key_payload_locked(found);
		error = payload ? -EINVAL : -EKEYREVOKED;
		if (payload && payload->datalen <= OUTBOARD_MAX_KEY) {
			*size = payload->datalen;
			memcpy(key, payload->data, *size);
			error = 0;
		}
	}
	up_read(&found->sem);
	key_ref_put(ref);
	return error;
}

#else

int ob_key_from_keyring(s32 serial, u8 *key, unsigned int *size)
{
	return -EOPNOTSUPP;
}

#endif
