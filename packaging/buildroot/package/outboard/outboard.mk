################################################################################
#
# outboard
#
################################################################################

OUTBOARD_VERSION = 0.1.0
# With the crates that the programs need. scripts/source puts the address here,
# and the checksum into outboard.hash.
OUTBOARD_SOURCE = outboard-$(OUTBOARD_VERSION)-with-crates.tar.xz
OUTBOARD_SITE = @RELEASE_SITE@
OUTBOARD_LICENSE = Apache-2.0 (command, provider), GPL-2.0 (kernel module)
OUTBOARD_LICENSE_FILES = LICENSE LICENSES/Apache-2.0.txt LICENSES/GPL-2.0-only.txt
OUTBOARD_DEPENDENCIES = openssl

OUTBOARD_CARGO_BUILD_OPTS = \
	-p outboard-cli -p outboard-provider \
	$(if $(BR2_PACKAGE_OUTBOARD_LAB),-p outboard-lab) \
	$(if $(BR2_ENABLE_DEBUG),--release)
# The profile of Cargo.toml, which was measured: with Buildroot's the provider is a
# third larger.
OUTBOARD_CARGO_ENV = \
	CARGO_PROFILE_RELEASE_OPT_LEVEL=s \
	CARGO_PROFILE_RELEASE_LTO=fat \
	CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1
OUTBOARD_MODULE_SUBDIRS = kmod

# CRYPTO_USER: the command reads the flags of drivers over NETLINK_CRYPTO.
define OUTBOARD_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO_MANAGER)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO_USER)
endef

# The table of files is that of `make install`, whose list for `make uninstall`
# has no use in an image.
define OUTBOARD_INSTALL
	CARGO_TARGET_DIR=$(@D)/target/$(RUSTC_TARGET_NAME) \
		$(@D)/scripts/install install DESTDIR=$(TARGET_DIR) PREFIX=/usr \
		MODULESDIR=/usr/lib/ossl-modules COMPLETIONS=none SRCDIR=none INIT=$(1) \
		LAB=$(if $(BR2_PACKAGE_OUTBOARD_LAB),yes,none)
	rm $(TARGET_DIR)/usr/lib/outboard/installed
endef

define OUTBOARD_INSTALL_TARGET_CMDS
	$(call OUTBOARD_INSTALL,none)
endef

define OUTBOARD_INSTALL_INIT_SYSV
	$(INSTALL) -D -m 0755 $(OUTBOARD_PKGDIR)/S12outboard \
		$(TARGET_DIR)/etc/init.d/S12outboard
endef

define OUTBOARD_INSTALL_INIT_SYSTEMD
	$(call OUTBOARD_INSTALL,systemd)
endef

# The group whose members may use /dev/outboard.
define OUTBOARD_USERS
	- - outboard -1 * - - - -
endef

$(eval $(kernel-module))
$(eval $(cargo-package))
