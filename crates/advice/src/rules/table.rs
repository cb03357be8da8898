//! The rules, in the order in which `outboard status` shows what they find. An id is part of
//! `outboard-status/1` and stays. Values of [`Because`](super::Because) replace `{0}`, `{1}`, ...; commands
//! of outboard stand in back quotes.

use super::{Rule, access, cpu, drivers, openssl, random};

pub static RULES: &[Rule] = &[
    Rule {
        id: "driver-does-not-answer",
        is_note: false,
        when: drivers::unanswered,
        phrase: "{0} did not complete a request of a check in time, and the provider does not use it",
        next: "`outboard check {0}` tries it again; `outboard disallow {0}` withdraws it; a restart of the system starts its engine \
             anew",
        title: "a driver does not complete its requests",
        explanation: "The engine has requests and has completed none for 30 ms (parameter patience of the kernel module; for \
             64 KiB 100 ms, and longer for an engine that was always slow or has never completed one). The module \
             then refuses further requests at once, from all processes, and these compute in software. One request is \
             sent to the engine after each pause: of a second at first, of a minute at last, or when a device is bound or a driver allowed. \
             If it is completed, the engine is used again. Many drivers have no time limit of their own: an engine that \
             has lost an interrupt does not come back, and the driver's module cannot be unloaded.\n\n\
             outboard check tries the driver again. If it does not answer, the provider uses it over no interface until a \
             check or outboard allow finds it exact. outboard disallow withdraws it for all processes. A restart of the \
             system starts the engine anew.",
    },
    Rule {
        id: "driver-does-not-answer",
        is_note: false,
        when: drivers::stopped,
        phrase: "the engine of {0} has stopped: it completes no request, and programs compute in software until one that is sent after a \
             pause, of up to a minute, is completed",
        next: "`outboard check {0}` tries it again; `outboard disallow {0}` withdraws it; a restart of the system starts its engine \
             anew",
        title: "",
        explanation: "",
    },
    Rule {
        id: "wrong-results-when-checked",
        is_note: false,
        when: drivers::wrong,
        phrase: "{0} gave a wrong result when it was checked, and the provider does not use it",
        next: "report it to its maintainers, and do not let dm-crypt or IPsec use it either; `outboard check --forget {0}` lets it be \
             tried again",
        title: "a driver failed outboard check",
        explanation: "outboard check compared the driver's results with code of outboard's own, and one differed. The finding holds \
             for this kernel and this version of the driver's module: the provider does not use the driver there.\n\n\
             The kernel's own users still get it if it has the highest priority: unload its module if disks or IPsec use \
             its algorithms. outboard check --forget removes the finding.",
    },
    Rule {
        id: "policy-not-in-force",
        is_note: false,
        when: drivers::policy_unused,
        phrase: "the measured thresholds are not in force, and software does all",
        next: "`outboard setup` measures again",
        title: "the thresholds of outboard tune do not apply",
        explanation: "Thresholds are measured for a kernel, a CPU and a driver. After an update of one of them they do not apply, and \
             the provider computes in software.\n\noutboard tune measures again.",
    },
    Rule {
        id: "device-without-driver",
        is_note: false,
        when: drivers::unbound,
        phrase: "no driver is bound to the device {0} ({1})",
        next: "{2}",
        title: "a crypto device has no driver",
        explanation: "The device is known to be a crypto engine, and no driver is bound to it. The module is missing, was not loaded, \
             rejected the device, or waits for another device.\n\nmodprobe the module that is named. Then dmesg shows a \
             rejection, and /sys/kernel/debug/devices_deferred lists what waits. If the module does not exist, the kernel \
             was built without it.",
    },
    Rule {
        id: "selftest-pending",
        is_note: true,
        when: drivers::selftest_pending,
        phrase: "the kernel still tests {0}, and does not use it before",
        next: "`outboard status` shows the result in some seconds",
        title: "the kernel still tests a driver",
        explanation: "The kernel tests each driver after it was registered, and does not use it before the test has passed. For a module \
             with many drivers that takes some seconds.\n\nWait, and run outboard status again. If the driver is then listed as \
             not passed, dmesg has a line that begins with alg: and names the test.",
    },
    Rule {
        id: "selftest-failed",
        is_note: false,
        when: drivers::selftest_failed,
        phrase: "the self-test of {0} has not passed, so the kernel does not use it",
        next: "`dmesg | grep alg:` shows which test failed; report it to the driver's maintainers",
        title: "the kernel's self-test of a driver has not passed",
        explanation: "The kernel tests each driver when it is registered. A driver that fails stays in /proc/crypto and is never used; \
             software does its work, without a further message.\n\ndmesg has a line that begins with alg: and names the \
             test. Report it to the driver's maintainers. A kernel without self-tests is no remedy: the driver computes \
             wrong results.",
    },
    Rule {
        id: "chip-without-driver",
        is_note: false,
        when: drivers::chip_without_driver,
        phrase: "this chip ({0}) has an engine, {1}, but no driver for it is registered",
        next: "{2}, and see whether the device tree enables its node",
        title: "the chip has an engine, and its driver is not registered",
        explanation: "The model of the machine shows that its chip has a crypto engine, but no driver of that engine is registered, and \
             there is no device for it.\n\nLoad the module that is named. If that changes nothing, the device tree may not \
             have the engine's node, or has it disabled, or the firmware keeps the engine for itself.",
    },
    Rule {
        id: "known-fault",
        is_note: false,
        when: drivers::safexcel,
        phrase: "the driver of {0} loses or damages IPsec and OpenVPN packets on some chips (MT7986, MT7988)",
        next: "if a tunnel passes no or only small packets, remove the module crypto_safexcel, or use ChaCha20-Poly1305; `outboard \
             bench ipsec` counts lost packets",
        title: "a driver has a published fault",
        explanation: "Users of this driver reported wrong results or lost data; the evidence line has the report. It may be fixed in \
             this kernel.\n\noutboard check compares results, outboard bench ipsec and bench disk show lost packets \
             and damaged sectors.",
    },
    Rule {
        id: "known-fault",
        is_note: false,
        when: drivers::rockchip2,
        phrase: "the driver of {0} computes wrong digests of data in several pieces of memory (rk2 driver before its third version)",
        next: "`outboard check` finds out whether this version does; until then do not use its digests",
        title: "",
        explanation: "",
    },
    Rule {
        id: "32-bit-kernel",
        is_note: false,
        when: cpu::narrow_kernel_x86,
        phrase: "the kernel has 32 bits and the CPU 64: GCM, CTR and SHA in the kernel do not use the CPU's instructions (Linux has that \
             code for 64 bits only), so IPsec is slower than it could be",
        next: "install a 64-bit kernel (Debian: linux-image-amd64; FreeBSD and pfSense: amd64)",
        title: "a 32-bit kernel runs on a CPU with 64 bits",
        explanation: "Linux has its code for GCM, CTR, GHASH and SHA instructions of x86 for 64-bit kernels only; a 32-bit kernel uses \
             AES-NI for ECB and CBC. On pfSense and FreeBSD the i386 image had no AES-NI at all (symbol AES_GCM_encrypt \
             undefined). 32-bit programs use the instructions through OpenSSL, with fewer registers.\n\nInstall a 64-bit \
             kernel; programs can stay as they are.",
    },
    Rule {
        id: "32-bit-kernel",
        is_note: false,
        when: cpu::narrow_kernel_other,
        phrase: "the kernel has 32 bits and the CPU 64: it has fewer drivers for the CPU's AES and SHA instructions",
        next: "install a 64-bit system, if the board's firmware can start one",
        title: "",
        explanation: "",
    },
    Rule {
        id: "padlock-unused",
        is_note: false,
        when: cpu::padlock_unused,
        phrase: "the CPU has a PadLock unit for AES, and the kernel does not use it for disks and IPsec",
        next: "modprobe padlock_aes (OpenWrt: the package kmod-crypto-hw-padlock)",
        title: "the kernel does not use VIA PadLock",
        explanation: "PadLock is a unit of VIA and Zhaoxin CPUs for AES and SHA, reached by instructions of its own, not by AES-NI's. \
             The kernel uses it through the modules padlock_aes and padlock_sha, for disks and IPsec.\n\nLoad padlock_aes; Debian \
             has it for amd64 and i386. Programs use it by outboard's provider, or by the engine padlock of OpenSSL 3.",
    },
    Rule {
        id: "slow-aes",
        is_note: false,
        when: cpu::slow_aes,
        phrase: "disk encryption and IPsec in this kernel would run AES in plain code, many times slower than the CPU's AES \
             instructions",
        next: "modprobe {0}",
        title: "the kernel runs AES in C, although the CPU has AES instructions",
        explanation: "Disk encryption and IPsec use the driver with the highest priority that is loaded. The module with the CPU's \
             instructions is not, so AES runs in C, 20 to 50 times slower. Programs are not affected: OpenSSL uses the \
             instructions by itself.\n\nLoad the module, and have it loaded before disks are opened: initramfs, or \
             /etc/modules-load.d. dm-crypt keeps the driver that it got when the disk was opened.",
    },
    Rule {
        id: "accelerator-outranks-cpu",
        is_note: false,
        when: cpu::outranks_cpu,
        phrase: "for {0} the kernel prefers the accelerator to the CPU's own crypto instructions, which are usually far faster for the \
             kernel's users (IPsec, disks)",
        next: "measure with `outboard bench disk` and `outboard bench ipsec`; where it loses, outboard prefer another driver",
        title: "the kernel prefers an accelerator to faster CPU instructions",
        explanation: "The kernel takes the driver with the highest priority, and drivers of accelerators claim a high one, whatever the \
             CPU can do. A disk or a tunnel then waits for a device that is slower than the CPU.\n\noutboard bench disk and \
             bench ipsec measure each driver by name. Where the accelerator loses, unload its module.",
    },
    Rule {
        id: "accelerator-outranked",
        is_note: true,
        when: cpu::accelerator_outranked,
        phrase: "for {0} the kernel's own users (IPsec, disks) do not get the accelerator",
        next: "`outboard bench disk` and `outboard bench ipsec` measure each driver; programs choose by name and are not affected",
        title: "the kernel's own users do not get the accelerator",
        explanation: "Another driver of the same algorithm has a higher priority. IPsec, kTLS, dm-crypt and /dev/crypto take the \
             highest; programs over /dev/outboard and AF_ALG name the driver and are not affected.\n\nThat is right where \
             the CPU is faster. Otherwise outboard enable disk, ipsec or ktls prefers the accelerator where it wins, and \
             outboard prefer DRIVER without a comparison.",
    },
    Rule {
        id: "dev-crypto-without-accelerator",
        is_note: false,
        when: access::dev_crypto_of_software,
        phrase: "/dev/crypto leads to no accelerator: programs that use it get the kernel's software, which is slower than OpenSSL's \
             own",
        next: "unload cryptodev, or take it out of the programs' configuration",
        title: "/dev/crypto leads to software only",
        explanation: "cryptodev-linux offers every driver of the kernel, software included. Without an accelerator a program pays for \
             the system calls and gets code that is not faster than OpenSSL's own.\n\nUnload the module cryptodev, and \
             remove the engine devcrypto from openssl.cnf.",
    },
    Rule {
        id: "driver-not-allowed",
        is_note: false,
        when: access::not_allowed,
        phrase: "programs cannot reach the accelerator yet: root has not allowed its driver",
        next: "`outboard setup` (as root) checks it and allows it",
        title: "the outboard module is loaded, and no driver is allowed",
        explanation: "/dev/outboard leads only to drivers that root has allowed by name.\n\noutboard allow checks the driver's results \
             first and keeps the choice for the next boot.",
    },
    Rule {
        id: "tags-unchecked",
        is_note: false,
        when: access::tags_unchecked,
        phrase: "programs cannot reach the accelerator yet: its AEAD is not known to refuse forged tags, which is required outside of \
             /dev/outboard",
        next: "`outboard check {0}`",
        title: "an AEAD was not checked for forged tags",
        explanation: "A driver that accepts a forged tag breaks the security of GCM and CCM. outboard allow checks that before a driver \
             is used over /dev/outboard. The other interfaces lead to any driver, so the provider uses an AEAD there only \
             if outboard check found that it rejects forged tags.",
    },
    Rule {
        id: "accelerator-unreached",
        is_note: true,
        when: access::perhaps_unreached,
        phrase: "whether programs reach the accelerator is not known, since the kernel's release is not",
        next: "give the output of uname -a too, or a bundle",
        title: "no interface leads programs to the accelerator",
        explanation: "The kernel has an accelerator, and its own users (IPsec, disks) may get it, but programs such as nginx or sshd \
             need an interface. AF_ALG leads to accelerators only before Linux 7.2; /dev/crypto needs cryptodev-linux, which \
             is not part of Linux; /dev/outboard needs outboard's kernel module.\n\noutboard status --verbose has the reason \
             for each.",
    },
    Rule {
        id: "accelerator-unreached",
        is_note: false,
        when: access::unreached,
        phrase: "programs cannot reach the accelerator on Linux {0}",
        next: "{1}",
        title: "",
        explanation: "",
    },
    Rule {
        id: "locked-down",
        is_note: true,
        when: access::locked_down,
        phrase: "the kernel loads signed modules only: the outboard module needs a signature",
        next: "enrol the key with which dkms signs it: mokutil --import /var/lib/dkms/mok.pub, and restart",
        title: "the kernel loads signed modules only, and the outboard module is not loaded",
        explanation: "Lockdown (kernel_lockdown(7)), which many distributions switch on with Secure Boot, requires that modules are \
             signed with a key that the kernel knows. insmod fails with \"Key was rejected by service\" or \"Operation not \
             permitted\". AF_ALG and the kernel's own users are not affected.\n\ndkms signs what it builds with \
             /var/lib/dkms/mok.key: mokutil --import /var/lib/dkms/mok.pub, restart, and confirm the key in the firmware's \
             dialog.",
    },
    Rule {
        id: "no-permission",
        is_note: false,
        when: access::no_permission,
        phrase: "{0} exists, but {1}",
        next: "{2}",
        title: "a device exists that this user may not open",
        explanation: "The device belongs to root and a group. A service runs as a user of its own, which has to be a member of that \
             group.\n\noutboard enable adds the group to a service. For a user: usermod -aG GROUP USER, then log in again.",
    },
    Rule {
        id: "af-alg-open",
        is_note: false,
        when: access::af_alg_opened,
        phrase: "AF_ALG is open to all users, for every algorithm of the kernel",
        next: "sysctl crypto.af_alg_restrict=1; /dev/outboard does not need AF_ALG",
        title: "every user may use AF_ALG",
        explanation: "AF_ALG lets every process use every algorithm of the kernel by name, and had security faults of its own \
             (CVE-2026-31431). Since Linux 7.3 a sysctl restricts it; before, it can only be removed.\n\noutboard does not \
             need it where its module is loaded.",
    },
    Rule {
        id: "af-alg-open",
        is_note: true,
        when: access::af_alg_of_all,
        phrase: "AF_ALG is open to all users: this kernel cannot restrict it",
        next: "where /dev/outboard is used instead: `install af_alg /bin/false` in a file of /etc/modprobe.d",
        title: "",
        explanation: "",
    },
    Rule {
        id: "engine-ignored",
        is_note: false,
        when: openssl::engine_ignored,
        phrase: "openssl.cnf configures engines, which OpenSSL {0} ignores without a message",
        next: "take the section out; outboard's provider replaces devcrypto and afalg",
        title: "openssl.cnf configures engines, and this OpenSSL has none",
        explanation: "OpenSSL 4 removed engines. It ignores the section, so everything runs in software without a message. Instructions \
             for devcrypto, afalg and padlock are written for older versions.\n\nRemove the section. outboard enable \
             configures the provider.",
    },
    Rule {
        id: "engine-in-software",
        is_note: false,
        when: openssl::engine_of_software,
        phrase: "the engine afalg is configured and reports that it is available, but on this kernel it computes in software",
        next: "take the engine out; outboard's provider reaches the accelerator through /dev/outboard",
        title: "the engine afalg is available, and computes in software",
        explanation: "Since Linux 7.2 AF_ALG leads to no accelerator. The engine still opens its socket, reports that it is available, \
             and gets software of the kernel, which is slower than OpenSSL's own.\n\nRemove the engine; outboard's provider \
             reaches the accelerator through /dev/outboard.",
    },
    Rule {
        id: "engine-configured",
        is_note: false,
        when: openssl::engine_configured,
        phrase: "openssl.cnf configures engines, which OpenSSL 4 no longer has",
        next: "outboard's provider replaces devcrypto and afalg: `outboard setup`",
        title: "openssl.cnf configures engines, which OpenSSL 4 no longer has",
        explanation: "Engines are deprecated since OpenSSL 3.0 and gone in 4.0. After that update the section is ignored without a \
             message.\n\noutboard's provider works with 3.0 to 4.x and takes the keys CIPHERS, DIGESTS and USE_SOFTDRIVERS of \
             devcrypto.",
    },
    Rule {
        id: "no-default-provider",
        is_note: false,
        when: openssl::no_default_provider,
        phrase: "openssl.cnf activates providers, but not the default one: every program that reads it loses TLS, certificates and most \
             algorithms",
        next: "add `default = default_sect` to that section, and a section `[default_sect]` with `activate = 1`",
        title: "openssl.cnf activates providers without the default one",
        explanation: "As soon as one provider is activated in openssl.cnf, OpenSSL no longer loads the default provider by itself. \
             Without it there are no digests, no keys, no TLS.\n\nActivate default in the same section. outboard enable writes \
             a complete configuration.",
    },
    Rule {
        id: "digests-offloaded",
        is_note: false,
        when: openssl::digests_offloaded,
        phrase: "digests are sent to the accelerator, where short ones lose, and where with the engine devcrypto OpenSSH fails (section \
             {0})",
        next: "set DIGESTS = NONE, unless `outboard bench SHA2-256` shows a gain",
        title: "digests are sent to the accelerator",
        explanation: "A digest needs one request to the kernel for few bytes, and CPUs compute digests fast: published figures show a \
             loss on nearly every board. With the engine devcrypto a fork shares the kernel's session, and OpenSSH and \
             sysupgrade fail.\n\nSet DIGESTS = NONE.",
    },
    Rule {
        id: "padlock-engine-gone",
        is_note: false,
        when: openssl::padlock_engine_gone,
        phrase: "programs could use the CPU's PadLock units, but OpenSSL 4 no longer has its engine padlock, and outboard's provider, \
             which executes the instructions, is not enabled",
        next: "`outboard setup`",
        title: "OpenSSL 4 does not use VIA PadLock",
        explanation: "PadLock is a unit of the CPU. OpenSSL used it through the engine padlock; OpenSSL 4 has no engines, and its own code \
             does not use the unit.\n\noutboard's provider executes the instructions, in OpenSSL 3 and 4: AES in ECB, CBC and CTR mode, \
             GCM with look-ahead, SHA-1 and SHA-256. outboard tune measures from which size they win, outboard enable adds the \
             provider. In the kernel, padlock_aes serves disks and IPsec.",
    },
    Rule {
        id: "hwrng-failing",
        is_note: false,
        when: random::failing,
        phrase: "the random number generator fails the tests of FIPS 140-2: {0}",
        next: "do not use it: select another one or none (outboard rng select), and report it to its maintainers",
        title: "a hardware random number generator fails its tests",
        explanation: "About 8 of 10,000 blocks of a good generator fail the tests of FIPS 140-2. Many more mean that it is biased, \
             stuck, or read wrongly by its driver.\n\noutboard rng test repeats the test, outboard rng assess estimates the \
             entropy.",
    },
    Rule {
        id: "hwrng-unused",
        is_note: false,
        when: random::unused,
        phrase: "the hardware random number generator {0} is here, and none is selected",
        next: "`outboard rng test`, then `outboard rng select {0}`",
        title: "a hardware random number generator is not selected",
        explanation: "/dev/hwrng reads the selected generator, and the kernel's pool is fed from it. None is selected, though one is \
             registered.\n\nTest it first: outboard rng test; then outboard rng select.",
    },
    Rule {
        id: "hwrng-uncredited",
        is_note: true,
        when: random::uncredited,
        phrase: "the kernel reads {0}, and credits it with no entropy",
        next: "`outboard rng assess` estimates what it delivers; outboard rng quality sets what the kernel credits",
        title: "the kernel credits a generator with no entropy",
        explanation: "The driver states a quality of 0, so the kernel mixes the generator's output in and does not rely on it. That is \
             safe; the pool fills more slowly at boot.\n\noutboard rng assess estimates the entropy, outboard rng quality sets \
             the credit.",
    },
];
