# nooelint: oelint.var.mandatoryvar.HOMEPAGE,oelint.var.suggestedvar.BUGTRACKER - it has none
SUMMARY = "Hardware crypto accelerators for OpenSSL applications"
DESCRIPTION = "Finds, checks, measures and allows accelerators; has the OpenSSL provider for them."
SECTION = "utils"
LICENSE = "Apache-2.0"
LIC_FILES_CHKSUM = "file://LICENSES/Apache-2.0.txt;md5=3b83ef96387f14655fc854ddc3c6bd57"

CVE_PRODUCT = "outboard"

DEPENDS = "openssl"
require recipes-outboard/outboard-release.inc

inherit cargo useradd

CARGO_VENDORING_DIRECTORY = "${S}/VENDOR"
# scripts/install reads target/release.
# nooelint: oelint.vars.mispell.unknown - cargo_common.bbclass has it
CARGO_PROFILE = "release"
CARGO_BUILD_FLAGS += "-p outboard-cli -p outboard-lab -p outboard-provider"

# The table of files is that of `make install`. The provider is where OpenSSL looks, and the package
# of the module has it loaded at boot.
do_install() {
    CARGO_TARGET_DIR=${B}/target/${RUST_HOST_SYS} ${S}/scripts/install install DESTDIR=${D} \
        PREFIX=${prefix} BINDIR=${bindir} LIBDIR=${libdir} INCLUDEDIR=${includedir} \
        MANDIR=${mandir} \
        SYSTEMDIR=${nonarch_libdir} MODULESDIR=none COMPLETIONS=none SRCDIR=none \
        INIT=${@bb.utils.contains('DISTRO_FEATURES', 'systemd', 'systemd', 'none', d)}
    install -d ${D}${libdir}/ossl-modules
    mv ${D}${libdir}/outboard/outboard.so ${D}${libdir}/ossl-modules
    rm -rf ${D}${libdir}/outboard ${D}${nonarch_libdir}/modules-load.d
}

# The group whose members may use /dev/outboard.
USERADD_PACKAGES = "${PN}"
GROUPADD_PARAM:${PN} = "--system outboard"

# bench, watch, metrics, report, rng test and rng assess.
PACKAGES =+ "${PN}-lab"
SUMMARY:${PN}-lab = "Benchmarks and reports of hardware crypto accelerators"
FILES:${PN}-lab = "${bindir}/outboard-lab"
RDEPENDS:${PN}-lab += "${PN}"

FILES:${PN} += "\
    ${libdir}/ossl-modules \
    ${nonarch_libdir}/modprobe.d \
    ${nonarch_libdir}/systemd \
    ${nonarch_libdir}/sysusers.d \
    ${nonarch_libdir}/udev \
"

RDEPENDS:${PN} += "openssl"
RRECOMMENDS:${PN} += "kernel-module-outboard"
