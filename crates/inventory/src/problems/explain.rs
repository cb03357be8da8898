//! The kinds of problems, for `outboard explain`.

use outboard_documents::status::ProblemId::{self, *};

/// What a problem is, in a few words; and what it means, how it can be checked, and what helps.
pub fn explanation(id: ProblemId) -> (&'static str, &'static str) {
    match id {
        WrongWhenChecked => (
            "a driver failed outboard check",
            "outboard check compared the driver's results with code of outboard's own, and one differed. The finding holds \
             for this kernel and this version of the driver's module: the provider does not use the driver there.\n\n\
             The kernel's own users still get it if it has the highest priority: unload its module if disks or IPsec use \
             its algorithms. outboard check --forget removes the finding.",
        ),
        Unanswered => (
            "a driver does not complete its requests",
            "The engine has a request for longer than ten times what it has needed of late, and at least 30 ms \
             (parameter patience of the kernel module), or for 10 s (timeout) if it has never completed one. The module \
             then refuses further requests at once, from all processes, and these compute in software. One request is \
             sent to the engine after each pause: of a second at first, of a minute at last, or when a device is bound or a driver allowed. \
             If it is completed, the engine is used again. Many drivers have no time limit of their own: an engine that \
             has lost an interrupt does not come back, and the driver's module cannot be unloaded.\n\n\
             outboard check tries the driver again. If it does not answer, the provider uses it over no interface until a \
             check or outboard allow finds it exact. outboard disallow withdraws it for all processes. A restart of the \
             system starts the engine anew.",
        ),
        PolicyUnused => (
            "the thresholds of outboard tune do not apply",
            "Thresholds are measured for a kernel, a CPU and a driver. After an update of one of them they do not apply, and \
             the provider computes in software.\n\noutboard tune measures again.",
        ),
        DeviceWithoutDriver => (
            "a crypto device has no driver",
            "The device is known to be a crypto engine, and no driver is bound to it. The module is missing, was not loaded, \
             rejected the device, or waits for another device.\n\nmodprobe the module that is named. Then dmesg shows a \
             rejection, and /sys/kernel/debug/devices_deferred lists what waits. If the module does not exist, the kernel \
             was built without it.",
        ),
        SelftestFailed => (
            "the kernel's self-test of a driver has not passed",
            "The kernel tests each driver when it is registered. A driver that fails stays in /proc/crypto and is never used; \
             software does its work, without a further message.\n\ndmesg has a line that begins with alg: and names the \
             test. Report it to the driver's maintainers. A kernel without self-tests is no remedy: the driver computes \
             wrong results.",
        ),
        SelftestPending => (
            "the kernel still tests a driver",
            "The kernel tests each driver after it was registered, and does not use it before the test has passed. For a module \
             with many drivers that takes some seconds.\n\nWait, and run outboard status again. If the driver is then listed as \
             not passed, dmesg has a line that begins with alg: and names the test.",
        ),
        ChipWithoutDriver => (
            "the chip has an engine, and its driver is not registered",
            "The model of the machine shows that its chip has a crypto engine, but no driver of that engine is registered, and \
             there is no device for it.\n\nLoad the module that is named. If that changes nothing, the device tree may not \
             have the engine's node, or has it disabled, or the firmware keeps the engine for itself.",
        ),
        KnownFault => (
            "a driver has a published fault",
            "Users of this driver reported wrong results or lost data; the evidence line has the report. It may be fixed in \
             this kernel.\n\noutboard check compares results, outboard bench ipsec and bench disk show lost packets \
             and damaged sectors.",
        ),
        SlowAes => (
            "the kernel runs AES in C, although the CPU has AES instructions",
            "Disk encryption and IPsec use the driver with the highest priority that is loaded. The module with the CPU's \
             instructions is not, so AES runs in C, 20 to 50 times slower. Programs are not affected: OpenSSL uses the \
             instructions by itself.\n\nLoad the module, and have it loaded before disks are opened: initramfs, or \
             /etc/modules-load.d. dm-crypt keeps the driver that it got when the disk was opened.",
        ),
        OutranksCpu => (
            "the kernel prefers an accelerator to faster CPU instructions",
            "The kernel takes the driver with the highest priority, and drivers of accelerators claim a high one, whatever the \
             CPU can do. A disk or a tunnel then waits for a device that is slower than the CPU.\n\noutboard bench disk and \
             bench ipsec measure each driver by name. Where the accelerator loses, unload its module.",
        ),
        AcceleratorOutranked => (
            "the kernel's own users do not get the accelerator",
            "Another driver of the same algorithm has a higher priority. IPsec, kTLS, dm-crypt and /dev/crypto take the \
             highest; programs over /dev/outboard and AF_ALG name the driver and are not affected.\n\nThat is right where \
             the CPU is faster. Otherwise outboard enable disk, ipsec or ktls prefers the accelerator where it wins, and \
             outboard prefer DRIVER without a comparison.",
        ),
        NotAllowed => (
            "the outboard module is loaded, and no driver is allowed",
            "/dev/outboard leads only to drivers that root has allowed by name.\n\noutboard allow checks the driver's results \
             first and keeps the choice for the next boot.",
        ),
        TagsUnchecked => (
            "an AEAD was not checked for forged tags",
            "A driver that accepts a forged tag breaks the security of GCM and CCM. outboard allow checks that before a driver \
             is used over /dev/outboard. The other interfaces lead to any driver, so the provider uses an AEAD there only \
             if outboard check found that it rejects forged tags.",
        ),
        Unreached => (
            "no interface leads programs to the accelerator",
            "The kernel has an accelerator, and its own users (IPsec, disks) may get it, but programs such as nginx or sshd \
             need an interface. AF_ALG leads to accelerators only before Linux 7.2; /dev/crypto needs cryptodev-linux, which \
             is not part of Linux; /dev/outboard needs outboard's kernel module.\n\noutboard status --verbose has the reason \
             for each.",
        ),
        DevCryptoOfSoftware => (
            "/dev/crypto leads to software only",
            "cryptodev-linux offers every driver of the kernel, software included. Without an accelerator a program pays for \
             the system calls and gets code that is not faster than OpenSSL's own.\n\nUnload the module cryptodev, and \
             remove the engine devcrypto from openssl.cnf.",
        ),
        LockedDown => (
            "the kernel loads signed modules only, and the outboard module is not loaded",
            "Lockdown (kernel_lockdown(7)), which many distributions switch on with Secure Boot, requires that modules are \
             signed with a key that the kernel knows. insmod fails with \"Key was rejected by service\" or \"Operation not \
             permitted\". AF_ALG and the kernel's own users are not affected.\n\ndkms signs what it builds with \
             /var/lib/dkms/mok.key: mokutil --import /var/lib/dkms/mok.pub, restart, and confirm the key in the firmware's \
             dialog.",
        ),
        NoPermission => (
            "a device exists that this user may not open",
            "The device belongs to root and a group. A service runs as a user of its own, which has to be a member of that \
             group.\n\noutboard enable adds the group to a service. For a user: usermod -aG GROUP USER, then log in again.",
        ),
        AfAlgOpen => (
            "every user may use AF_ALG",
            "AF_ALG lets every process use every algorithm of the kernel by name, and had security faults of its own \
             (CVE-2026-31431). Since Linux 7.3 a sysctl restricts it; before, it can only be removed.\n\noutboard does not \
             need it where its module is loaded.",
        ),
        EngineIgnored => (
            "openssl.cnf configures engines, and this OpenSSL has none",
            "OpenSSL 4 removed engines. It ignores the section, so everything runs in software without a message. Instructions \
             for devcrypto, afalg and padlock are written for older versions.\n\nRemove the section. outboard enable \
             configures the provider.",
        ),
        EngineOfSoftware => (
            "the engine afalg is available, and computes in software",
            "Since Linux 7.2 AF_ALG leads to no accelerator. The engine still opens its socket, reports that it is available, \
             and gets software of the kernel, which is slower than OpenSSL's own.\n\nRemove the engine; outboard's provider \
             reaches the accelerator through /dev/outboard.",
        ),
        EngineConfigured => (
            "openssl.cnf configures engines, which OpenSSL 4 no longer has",
            "Engines are deprecated since OpenSSL 3.0 and gone in 4.0. After that update the section is ignored without a \
             message.\n\noutboard's provider works with 3.0 to 4.x and takes the keys CIPHERS, DIGESTS and USE_SOFTDRIVERS of \
             devcrypto.",
        ),
        NoDefaultProvider => (
            "openssl.cnf activates providers without the default one",
            "As soon as one provider is activated in openssl.cnf, OpenSSL no longer loads the default provider by itself. \
             Without it there are no digests, no keys, no TLS.\n\nActivate default in the same section. outboard enable writes \
             a complete configuration.",
        ),
        DigestsOffloaded => (
            "digests are sent to the accelerator",
            "A digest needs one request to the kernel for few bytes, and CPUs compute digests fast: published figures show a \
             loss on nearly every board. With the engine devcrypto a fork shares the kernel's session, and OpenSSH and \
             sysupgrade fail.\n\nSet DIGESTS = NONE.",
        ),
        NarrowKernel => (
            "a 32-bit kernel runs on a CPU with 64 bits",
            "Linux has its code for GCM, CTR, GHASH and SHA instructions of x86 for 64-bit kernels only; a 32-bit kernel uses \
             AES-NI for ECB and CBC. On pfSense and FreeBSD the i386 image had no AES-NI at all (symbol AES_GCM_encrypt \
             undefined). 32-bit programs use the instructions through OpenSSL, with fewer registers.\n\nInstall a 64-bit \
             kernel; programs can stay as they are.",
        ),
        PadlockUnused => (
            "the kernel does not use VIA PadLock",
            "PadLock is a unit of VIA and Zhaoxin CPUs for AES and SHA, reached by instructions of its own, not by AES-NI's. \
             The kernel uses it through the modules padlock_aes and padlock_sha, for disks and IPsec.\n\nLoad padlock_aes; Debian \
             has it for amd64 and i386. Programs use it by outboard's provider, or by the engine padlock of OpenSSL 3.",
        ),
        PadlockEngineGone => (
            "OpenSSL 4 does not use VIA PadLock",
            "PadLock is a unit of the CPU. OpenSSL used it through the engine padlock; OpenSSL 4 has no engines, and its own code \
             does not use the unit.\n\noutboard's provider executes the instructions, in OpenSSL 3 and 4: AES in ECB, CBC and CTR mode, \
             GCM with look-ahead, SHA-1 and SHA-256. outboard tune measures from which size they win, outboard enable adds the \
             provider. In the kernel, padlock_aes serves disks and IPsec.",
        ),
        HwrngFailing => (
            "a hardware random number generator fails its tests",
            "About 8 of 10,000 blocks of a good generator fail the tests of FIPS 140-2. Many more mean that it is biased, \
             stuck, or read wrongly by its driver.\n\noutboard rng test repeats the test, outboard rng assess estimates the \
             entropy.",
        ),
        HwrngUnused => (
            "a hardware random number generator is not selected",
            "/dev/hwrng reads the selected generator, and the kernel's pool is fed from it. None is selected, though one is \
             registered.\n\nTest it first: outboard rng test; then outboard rng select.",
        ),
        HwrngUncredited => (
            "the kernel credits a generator with no entropy",
            "The driver states a quality of 0, so the kernel mixes the generator's output in and does not rely on it. That is \
             safe; the pool fills more slowly at boot.\n\noutboard rng assess estimates the entropy, outboard rng quality sets \
             the credit.",
        ),
    }
}
