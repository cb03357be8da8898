// SPDX-License-Identifier: GPL-2.0
/*
 * A driver for the virtio-crypto device of QEMU, for test machines. Its backend "builtin" announces
 * AES-CBC only, and the kernel's own driver offers no more. The backend also computes ECB, CTR and
 * XTS when it is requested to. There is no module alias: nothing loads this module by itself.
 */
#include <linux/module.h>
#include "engine.h"

module_param_named(priority, engine_priority, int, 0444);
MODULE_PARM_DESC(priority, "priority of the drivers");

static int __init engine_init(void)
{
	struct engine *engine;
	int error = register_virtio_driver(&engine_driver);

	if (error)
		return error;
	engine = engine_get();
	if (!engine) {
		pr_err(ENGINE_NAME ": no virtio-crypto device is free: is virtio_crypto loaded?\n");
		error = -ENODEV;
		goto unregister;
	}
	engine_put(engine);
	error = engine_register();
	if (error)
		goto unregister;
	return 0;

unregister:
	unregister_virtio_driver(&engine_driver);
	return error;
}

/* Each handle holds a module reference, so no handle and no request is left here. */
static void __exit engine_exit(void)
{
	engine_unregister();
	unregister_virtio_driver(&engine_driver);
}

module_init(engine_init);
module_exit(engine_exit);
MODULE_DESCRIPTION("AES in ECB, CBC, CTR and XTS modes by QEMU's virtio-crypto device, for tests");
MODULE_AUTHOR("The outboard authors");
MODULE_LICENSE("GPL");
