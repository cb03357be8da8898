//! Programs whose TLS is not OpenSSL's, so that no provider reaches them: those that guides to
//! accelerators name and that OpenWrt has, by the libraries that their files name.

use std::path::{Path, PathBuf};

use outboard_drivers::root::Root;

/// The query: a line `PROGRAM LIBRARY` for each.
const QUERY: &str = "tls-libraries";

/// A program with its file, or the library in which it keeps TLS.
const PROGRAMS: [(&str, &[&str]); 5] = [
    ("uhttpd", &["lib/libustream-ssl.so"]),
    ("hostapd", &["usr/sbin/wpad", "usr/sbin/hostapd"]),
    ("ocserv", &["usr/sbin/ocserv"]),
    ("openconnect", &["libopenconnect.so.5"]),
    ("dropbear", &["usr/sbin/dropbear"]),
];

/// The file names of libraries, as a program's dynamic section has them.
const LIBRARIES: [(&str, &str); 4] = [
    ("libgnutls.so", "GnuTLS"),
    ("libmbedtls.so", "mbedTLS"),
    ("libmbedcrypto.so", "mbedTLS"),
    ("libwolfssl.so", "wolfSSL"),
];

/// Programs with their library.
pub(crate) fn read(root: &Root) -> Vec<(String, String)> {
    let text = root.answer(QUERY, || Some(found(root.path()))).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    pairs.map(|(program, library)| (program.to_owned(), library.to_owned())).collect()
}

fn found(root: &Path) -> String {
    let of = |(program, files): (&str, &[&str])| {
        let library = files.iter().find_map(|file| candidates(root, file).iter().find_map(|it| library(it)));
        // It has cryptography of its own.
        let own = || (program == "dropbear" && root.join(files[0]).exists()).then_some("libtomcrypt");
        library.or_else(own).map(|library| format!("{program} {library}\n"))
    };
    PROGRAMS.into_iter().filter_map(of).collect()
}

/// A library is in a directory of the architecture or in usr/lib.
fn candidates(root: &Path, file: &str) -> Vec<PathBuf> {
    if file.contains('/') {
        return vec![root.join(file)];
    }
    let below = root.join("usr/lib");
    let directories = std::fs::read_dir(&below).into_iter().flatten().flatten().map(|entry| entry.path());
    let multiarch = directories.filter(|path| path.to_string_lossy().contains("-linux-"));
    [below.clone()].into_iter().chain(multiarch).map(|directory| directory.join(file)).collect()
}

fn library(file: &Path) -> Option<&'static str> {
    let bytes = std::fs::read(file).ok()?;
    let names = |name: &str| bytes.windows(name.len()).any(|part| part == name.as_bytes());
    LIBRARIES.into_iter().find(|(name, _)| names(name)).map(|(_, library)| library)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn programs_are_found_with_the_library_that_they_name() {
        let tree = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("usr/sbin/ocserv", "\x7fELF libgnutls.so.30"),
            ("usr/lib/arm-linux-gnueabihf/libopenconnect.so.5", "libgnutls.so.30 libssl.so.3"),
            ("lib/libustream-ssl.so", "libmbedtls.so.21"),
            ("usr/sbin/wpad", "libssl.so.3 libcrypto.so.3"),
            ("usr/sbin/dropbear", "libz.so.1"),
        ] {
            let path = tree.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let expected = "uhttpd mbedTLS\nocserv GnuTLS\nopenconnect GnuTLS\ndropbear libtomcrypt\n";
        assert_eq!(found(tree.path()), expected);
    }
}
