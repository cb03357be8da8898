# nooelint: oelint.var.mandatoryvar.HOMEPAGE,oelint.var.suggestedvar.BUGTRACKER - it has none
SUMMARY = "Hardware crypto accelerators for OpenSSL applications: kernel module"
DESCRIPTION = "The device by which programs reach the drivers that root allowed. Linux 6.1 or newer."
SECTION = "kernel/modules"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://../LICENSES/GPL-2.0-only.txt;md5=b234ee4d69f5fce4486a80fdaf4a4263"

CVE_PRODUCT = "outboard"

require recipes-outboard/outboard-release.inc

S = "${UNPACKDIR}/outboard-${PV}/kmod"

inherit module

EXTRA_OEMAKE += "KDIR=${STAGING_KERNEL_DIR}"
MODULES_INSTALL_TARGET = "install"

KERNEL_MODULE_AUTOLOAD += "outboard"
