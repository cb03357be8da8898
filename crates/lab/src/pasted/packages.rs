//! Lists of OpenWrt's packages: `opkg list-installed` and `apk list --installed`.

use outboard_catalog::families::{self, Family, Nature};

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

/// Packages without a driver, and what they mean. A name that ends in `*` is a beginning.
const PACKAGES: &[(&str, &str)] = &[
    (
        "kmod-cryptodev",
        "cryptodev-linux is installed: programs can open /dev/crypto, software of the kernel included",
    ),
    (
        "libopenssl-devcrypto",
        "the engine devcrypto is installed: OpenSSL 3 uses it where openssl.cnf names it, OpenSSL 4 does not; outboard's \
         provider replaces it and takes its keys",
    ),
    (
        "libopenssl-afalg*",
        "an engine for AF_ALG is installed: it reaches accelerators before Linux 7.2, and with OpenSSL 3 only; outboard's \
         provider replaces it",
    ),
    ("kmod-crypto-user", "AF_ALG is installed, which leads programs to accelerators before Linux 7.2"),
    (
        "kmod-outboard",
        "outboard's kernel module is installed: outboard status on that router shows what it reaches",
    ),
    (
        "kmod-ovpn-dco*",
        "OpenVPN's data channel runs in the kernel, which takes the driver with the highest priority",
    ),
    (
        "kmod-wireguard",
        "WireGuard uses ChaCha20-Poly1305 of the kernel, in software: no accelerator serves it",
    ),
];

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    let packages: Vec<(Line, &str, &str)> = lines
        .iter()
        .filter_map(|&line| {
            opkg(line.text).or_else(|| apk(line.text)).map(|(name, version)| (line, name, version))
        })
        .collect();
    // A single line may be a sentence with a dash.
    let is_ours =
        |name: &str| name.starts_with("kmod-") || name.starts_with("libopenssl") || name == "kernel";
    if !packages.iter().any(|(_, name, _)| is_ours(name)) {
        return;
    }
    pasted.recognise("a list of OpenWrt's packages", packages.len(), "package");
    let mut has_driver = false;
    for &(line, name, version) in &packages {
        if let Some(family) = family_of(name) {
            has_driver = true;
            pasted.shows(line, format!("{name} is installed, the driver of {}", family.chip));
        }
        if let Some((_, meaning)) = PACKAGES.iter().find(|(pattern, _)| families::fits(pattern, name)) {
            pasted.remark(line, *meaning);
        }
        if name == "kernel" {
            let release = version.split(['~', '-']).next().unwrap_or(version);
            pasted.file("proc/sys/kernel/osrelease", format!("{release}\n"));
        }
        if ["libopenssl3", "libopenssl1.1", "libopenssl"].contains(&name) {
            let release = version.split('-').next().unwrap_or(version);
            pasted.file("outboard/openssl-version", format!("OpenSSL {release}\n"));
        }
    }
    if !has_driver {
        let (first, ..) = packages[0];
        pasted.remark(
            first,
            "no package of this list is a driver of a crypto engine, unless the kernel has it built in: outboard catalogue \
             CHIP names the package for a chip",
        );
    }
}

pub(super) fn family_of(package: &str) -> Option<&'static Family> {
    families::all().find(|family| family.nature == Nature::Accelerator && family.openwrt == package)
}

/// `kmod-cryptodev - 6.6.73.1.13-r1`, in opkg's format.
fn opkg(text: &str) -> Option<(&str, &str)> {
    let (name, version) = text.split_once(" - ")?;
    let version = version.split(" - ").next()?.trim();
    (is_name(name) && is_version(version)).then_some((name, version))
}

/// `kmod-cryptodev-6.6.73-r1 arm_cortex-a9_vfpv3-d16 {kernel} (GPL-2.0) [installed]`.
fn apk(text: &str) -> Option<(&str, &str)> {
    let package = text.contains("[installed]").then(|| text.split(' ').next()).flatten()?;
    let (start, release) = package.rsplit_once("-r")?;
    let (name, version) = start.rsplit_once('-')?;
    let is_release = !release.is_empty() && release.bytes().all(|byte| byte.is_ascii_digit());
    (is_release && is_name(name) && is_version(version)).then_some((name, version))
}

fn is_name(name: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._+-".contains(&b);
    name.len() > 1 && name.bytes().all(is_part)
}

fn is_version(version: &str) -> bool {
    version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::super::recognise;

    #[test]
    fn both_formats_name_the_driver_the_kernel_and_openssl() {
        for text in [
            "kernel - 6.6.73~d9f2bd8cd01-r1\nkmod-crypto-hw-eip93 - 6.6.73-r1\nlibopenssl3 - 3.0.15-r1\n",
            "kernel-6.6.73~d9f2bd8cd01-r1 mipsel_24kc {kernel} (GPL-2.0) [installed]\nkmod-crypto-hw-eip93-6.6.73-r1 \
             mipsel_24kc {kernel} (GPL-2.0) [installed]\nlibopenssl3-3.0.15-r1 mipsel_24kc {openssl} (Apache-2.0) \
             [installed]\n",
        ] {
            let pasted = recognise(text);
            assert_eq!(pasted.text.recognised, ["a list of OpenWrt's packages, 3 packages"]);
            assert!(
                pasted.text.remarks[0].text.contains("EIP93") && pasted.text.remarks[0].accelerator,
                "{pasted:?}"
            );
            let file = |path: &str| pasted.files.iter().find(|(name, _)| name == path).unwrap().1.as_str();
            assert_eq!(file("proc/sys/kernel/osrelease"), "6.6.73\n");
            assert_eq!(file("outboard/openssl-version"), "OpenSSL 3.0.15\n");
        }
    }

    #[test]
    fn a_list_without_a_driver_says_so() {
        let pasted = recognise("kmod-cryptodev - 6.6.73.1.13-r1\nlibopenssl-devcrypto - 3.0.15-r1\n");
        let texts: Vec<&str> = pasted.text.remarks.iter().map(|remark| remark.text.as_str()).collect();
        assert_eq!(texts.len(), 3, "{texts:?}");
        assert!(texts[2].contains("no package of this list is a driver"), "{texts:?}");
    }

    #[test]
    fn a_dash_in_a_sentence_is_not_a_package() {
        assert!(recognise("my router - 2 ports\nfast - 100 of them\n").text.recognised.is_empty());
    }
}
