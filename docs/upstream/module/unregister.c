// SPDX-License-Identifier: GPL-2.0
/*
 * Algorithms that are registered and unregistered. crypto_unregister_alg() ends the handles of an
 * algorithm and waits for their requests. What waits for the engine meanwhile ends here.
 */
#include <crypto/algapi.h>
#include "outboard.h"

/* The session has a handle of its driver. */
void ob_driver_found(struct ob_session *session)
{
	const struct crypto_alg *alg = session->tfm->__crt_alg;
	struct ob_driver *driver = session->driver;
	struct ob_limits *limits = &driver->limits;

	guard(mutex)(&ob_drivers_lock);
	driver->algorithm = session->algorithm;
	driver->owner = (void *)alg->cra_device ?: (void *)alg->cra_module ?: OB_BUILT_IN;
	limits->length = min_not_zero(limits->length, alg->cra_limits.length);
	limits->requests = min_not_zero(limits->requests, alg->cra_limits.requests);
	limits->one_direction |= alg->cra_limits.one_direction;
}

static void ob_driver_gone(const char *name)
{
	struct ob_session *session;

	guard(mutex)(&ob_drivers_lock);
	list_for_each_entry(session, &ob_attached, link) {
		if (strcmp(session->driver->name, name))
			continue;
		session->driver->owner = NULL;
		ob_session_cancel(session);
	}
}

static int ob_crypto_event(struct notifier_block *notifier, unsigned long event, void *data)
{
	const struct crypto_alg *alg = data;

	if (event == CRYPTO_MSG_ALG_UNREGISTER)
		ob_driver_gone(alg->cra_driver_name);
	if (event == CRYPTO_MSG_ALG_LOADED) {
		atomic_inc(&ob_arrivals);
		ob_engines_probe();
	}
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = ob_crypto_event };

int ob_unplug_init(void)
{
	return crypto_register_notifier(&notifier);
}

void ob_unplug_exit(void)
{
	crypto_unregister_notifier(&notifier);
}
