//! What the running kernel was built with: options, and the modules that its devices ask for.

use std::collections::HashSet;
use std::io::Write;
use std::process::{Command, Stdio};

use outboard_catalog::families::values;
use outboard_drivers::root::Root;

/// Patterns of modules.alias that are read: distributions have up to 50,000. A saved file may have any
/// number, and each device is compared with all.
const MOST_ALIASES: usize = 100_000;

pub struct KernelBuild {
    /// Options that are set, without `CONFIG_`.
    options: Option<HashSet<String>>,
    /// Patterns of devices, with the modules.
    aliases: Vec<(String, String)>,
    modules: Option<HashSet<String>>,
}

impl KernelBuild {
    /// Reads /proc/config.gz or /boot/config-RELEASE, and the lists of the release's modules.
    pub fn read(root: &Root, release: Option<&str>) -> Self {
        let Some(release) = release.filter(|release| !release.contains('/')) else {
            return Self { options: None, aliases: Vec::new(), modules: None };
        };
        let of_modules = |file: &str| of_release(root, release, file);
        let of_files = || {
            let packed = root.read("proc/config.gz").ok();
            let config = packed.and_then(|packed| unpack(&packed));
            let config = config.or_else(|| text(root, &format!("boot/config-{release}")));
            config.or_else(|| of_modules("config")).and_then(|config| drivers_of(&config))
        };
        // A saved tree that is not a bundle has the files.
        let config = root.answer("kernel-options", of_files);
        let config = config.or_else(|| if root.is_live() { None } else { of_files() });
        let option = |line: &str| Some(line.strip_prefix("CONFIG_")?.split_once('=')?.0.to_owned());
        let aliases = of_modules("modules.alias").unwrap_or_default();
        let alias = |line: &str| {
            let (pattern, module) = line.strip_prefix("alias ")?.rsplit_once(' ')?;
            Some((pattern.to_owned(), module.replace('-', "_")))
        };
        Self {
            options: config.map(|config| config.lines().filter_map(option).collect()),
            aliases: aliases.lines().filter_map(alias).take(MOST_ALIASES).collect(),
            modules: modules_of(root, release),
        }
    }

    pub fn module_for(&self, modalias: &str) -> Option<String> {
        let fits = |(pattern, _): &&(String, String)| alias_fits(pattern.as_bytes(), modalias.as_bytes());
        self.aliases.iter().find(fits).map(|(_, module)| module.clone())
    }

    /// Whether a module exists for this kernel or is built in; `None` if that is not known.
    pub fn has_module(&self, module: &str) -> Option<bool> {
        self.modules.as_ref().map(|modules| modules.contains(&module.replace('-', "_")))
    }

    /// The options of a driver that this kernel lacks, with `CONFIG_`; empty if the configuration is
    /// not known.
    pub fn missing_options(&self, options: &str) -> Vec<String> {
        let Some(set) = self.options.as_ref() else { return Vec::new() };
        values(options)
            .filter(|option| !set.contains(*option))
            .map(|option| format!("CONFIG_{option}"))
            .collect()
    }
}

/// Whether a module exists for a release or is built in; `None` if that is not known.
pub(crate) fn has_module(root: &Root, release: &str, module: &str) -> Option<bool> {
    modules_of(root, release).map(|modules| modules.contains(module))
}

fn modules_of(root: &Root, release: &str) -> Option<HashSet<String>> {
    let lists = ["modules.dep", "modules.builtin"].map(|file| of_release(root, release, file));
    lists[0].is_some().then(|| lists.iter().flatten().flat_map(|list| list.lines()).map(module_in).collect())
}

fn of_release(root: &Root, release: &str, file: &str) -> Option<String> {
    ["lib", "usr/lib"].iter().find_map(|lib| text(root, &format!("{lib}/modules/{release}/{file}")))
}

fn text(root: &Root, path: &str) -> Option<String> {
    root.read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The module of a line of modules.dep or modules.builtin: `kernel/a/x-y.ko.xz: kernel/b.ko`.
fn module_in(line: &str) -> String {
    let path = line.split(':').next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    file.split(".ko").next().unwrap_or_default().replace('-', "_")
}

/// The options that are drivers or switches: no value that was chosen where the kernel was built, such
/// as CONFIG_CMDLINE. `None` for a text that is not a configuration.
fn drivers_of(config: &str) -> Option<String> {
    let is_shown =
        |line: &&str| line.starts_with("CONFIG_") && (line.ends_with("=y") || line.ends_with("=m"));
    let lines = ["# CONFIG_ options that are y or m"].into_iter().chain(config.lines().filter(is_shown));
    config.contains("CONFIG_").then(|| lines.flat_map(|line| [line, "\n"]).collect())
}

/// The largest configuration in bytes; real ones have about 300 KiB.
const LARGEST: usize = 4 << 20;

/// Unpacks by gzip(1), which is on every system with /proc/config.gz, even those of busybox.
fn unpack(packed: &[u8]) -> Option<String> {
    if packed.len() > LARGEST {
        return None;
    }
    let mut gzip = Command::new("gzip")
        .args(["-dc"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = gzip.stdin.take()?;
    let packed = packed.to_vec();
    // A thread: gzip may fill its output before it has read all input.
    let writer = std::thread::spawn(move || stdin.write_all(&packed));
    let mut bytes = Vec::new();
    let read =
        std::io::Read::read_to_end(&mut std::io::Read::take(gzip.stdout.take()?, LARGEST as u64), &mut bytes);
    // The output was cut off, or gzip is at its end.
    let _ = gzip.kill();
    let _ = gzip.wait();
    // Not an error: gzip has enough when it stops reading.
    let _ = writer.join();
    read.ok().map(|_| String::from_utf8_lossy(&bytes).into_owned())
}

/// A pattern of modules.alias: `*`, `?` and `[…]`, as fnmatch(3). Of `[…]` the patterns of devices
/// have single characters and ranges.
fn alias_fits(pattern: &[u8], text: &[u8]) -> bool {
    // Iterative: a pattern has many stars, and recursion would take exponential time.
    let (mut at, mut read) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        if at == pattern.len() && read == text.len() {
            return true;
        }
        let step = match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at, read));
                at += 1;
                continue;
            }
            Some(b'?') => (read < text.len()).then_some(1),
            Some(b'[') => text.get(read).and_then(|c| class(&pattern[at..], *c)),
            Some(c) => (text.get(read) == Some(c)).then_some(1),
            None => None,
        };
        match (step, retry) {
            (Some(length), _) => (at, read) = (at + length, read + 1),
            (None, Some((star, from))) if from < text.len() => {
                (at, read) = (star + 1, from + 1);
                retry = Some((star, from + 1));
            }
            (None, _) => return false,
        }
    }
}

/// The length of a class `[…]` at the start of a pattern, if it contains the character.
fn class(pattern: &[u8], wanted: u8) -> Option<usize> {
    let end = pattern.iter().position(|c| *c == b']')?;
    let members = &pattern[1..end];
    let in_range = |w: &[u8]| w[1] == b'-' && (w[0]..=w[2]).contains(&wanted);
    (members.contains(&wanted) || members.windows(3).any(in_range)).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_of_aliases_are_matched_as_fnmatch_does() {
        for (pattern, text, fits) in [
            ("of:N*T*Cmarvell,armada-38x-crypto", "of:NcryptoT(null)Cmarvell,armada-38x-crypto", true),
            ("of:N*T*Cmarvell,armada-38x-cryptoC*", "of:NcryptoT(null)Cmarvell,armada-38x-crypto", false),
            ("pci:v000013A3d00000020sv*sd*bc*sc*i*", "pci:v000013A3d00000020sv00001sd2bc10sc10i00", true),
            ("virtio:d00000014v*", "virtio:d00000014v00001AF4", true),
            ("a[bc-e]f", "adf", true),
            ("a[bc-e]f", "agf", false),
            ("?", "", false),
            ("*", "", true),
            ("a*b*c", "axbxbx", false),
        ] {
            assert_eq!(alias_fits(pattern.as_bytes(), text.as_bytes()), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn options_modules_and_aliases_are_read() {
        let tree = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("boot/config-6.12.1", "CONFIG_CRYPTO_DEV_QCE=m\n# CONFIG_CRYPTO_DEV_SA2UL is not set\n"),
            ("lib/modules/6.12.1/modules.dep", "kernel/drivers/crypto/qce/qcrypto.ko.xz: kernel/a.ko\n"),
            ("lib/modules/6.12.1/modules.alias", "# x\nalias of:N*T*Cti,am64-sa2ul sa2ul\n"),
        ] {
            let path = tree.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let build = KernelBuild::read(&Root::saved(tree.path()).unwrap(), Some("6.12.1"));
        assert_eq!(build.missing_options("CRYPTO_DEV_QCE"), [""; 0]);
        assert_eq!(
            build.missing_options("CRYPTO_DEV_SA2UL|CRYPTO_DEV_QC"),
            ["CONFIG_CRYPTO_DEV_SA2UL", "CONFIG_CRYPTO_DEV_QC"]
        );
        assert_eq!((build.has_module("qcrypto"), build.has_module("sa2ul")), (Some(true), Some(false)));
        assert_eq!(build.module_for("of:NcryptoTcryptoCti,am64-sa2ul").as_deref(), Some("sa2ul"));
        let unknown = KernelBuild::read(&Root::saved(tree.path()).unwrap(), Some("../6.12.1"));
        assert_eq!((unknown.has_module("qcrypto"), unknown.missing_options("X").len()), (None, 0));
    }

    #[test]
    fn a_list_of_aliases_without_end_is_not_read_to_its_end() {
        let tree = tempfile::tempdir().unwrap();
        let directory = tree.path().join("lib/modules/6.1");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("modules.alias"), "alias of:N*T*Cx y\n".repeat(MOST_ALIASES + 1)).unwrap();
        let build = KernelBuild::read(&Root::saved(tree.path()).unwrap(), Some("6.1"));
        assert_eq!(build.aliases.len(), MOST_ALIASES);
    }

    #[test]
    fn a_packed_configuration_is_read() {
        // `printf 'CONFIG_A=y\n' | gzip -9n`
        let packed = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0x73, 0xf6, 0xf7, 0x73, 0xf3, 0x74, 0x8f, 0x77, 0xb4, 0xad,
            0xe4, 2, 0, 0x8e, 0xb1, 0x80, 0xda, 0x0b, 0, 0, 0,
        ];
        assert_eq!(unpack(&packed).as_deref(), Some("CONFIG_A=y\n"));
    }

    proptest! {
        #[test]
        fn any_pattern_ends(pattern in "[a*?\\[\\]-]{0,30}", text in "[ab]{0,60}") {
            alias_fits(pattern.as_bytes(), text.as_bytes());
        }
    }
}
