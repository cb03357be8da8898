//! Hashes of the engine, which may be those of another driver than the ciphers.

use std::fs;
use std::path::Path;

use super::Modelled;
use crate::bytes::{bytes, hex, hex_digits};
use crate::command::{run, succeeded};
use crate::model::Word;

const KEY: &[u8; 4] = b"Jefe";

impl Modelled {
    /// Each hash passes the self-tests of the kernel and the check of `allow`. A digest of openssl(1) by the
    /// provider is that of the default provider; that of a message of 60,000 bytes is counted as the
    /// driver's and starts the engine, that of one below the threshold is counted as software's. The
    /// hashes are pairs of a driver and the name that its digests are counted by.
    #[track_caller]
    pub fn hashes_are_exact(&self, hashes: &[(&str, &str)]) {
        let drivers: Vec<&str> = hashes.iter().map(|(driver, _)| *driver).collect();
        self.assert_self_tested(&drivers);
        self.allow(&drivers);
        let world = self.world(&drivers.join(","), &[("DIGESTS", "ALL")]);
        let file = world.folder().join("message");
        let path = file.to_str().expect("a plain name");
        let (key, soft) = (format!("hexkey:{}", hex_digits(KEY)), world.soft_hmac());
        for (_, name) in hashes {
            for (len, by_driver) in [(60_000, true), (1000, false)] {
                let message = bytes(9, len);
                fs::write(&file, &message).expect("a file");
                let before = (world.counts_of(name), self.engines.sum(Word::Requests));
                let option = format!("-{name}");
                let (arguments, right) = match name.strip_prefix("HMAC-") {
                    Some(digest) => (
                        vec!["mac", "-digest", digest, "-macopt", &key, "-in", path, "HMAC"],
                        soft.of(digest, KEY, &message),
                    ),
                    None => (vec!["dgst", "-r", &option, path], world.soft_digest(name).of(&message)),
                };
                let output = run(Path::new("openssl"), &world.config(), &arguments);
                let text = succeeded(&output, &arguments);
                let digits = text.split_whitespace().find(|word| word.len() == 2 * right.len());
                assert_eq!(digits.map(hex), Some(right), "{name} of {len}: {text}");
                let done = world.counts_of(name) - before.0;
                let expected = if by_driver { len as u64 } else { 0 };
                assert_eq!((done.hw_bytes, done.hw_bytes + done.sw_bytes), (expected, len as u64), "{name}");
                assert_eq!(self.engines.sum(Word::Requests) > before.1, by_driver, "{name} of {len}");
            }
        }
        self.assert_nothing_unsupported();
        self.report("hashes", format!("{} allowed, digests right", hashes.len()));
    }
}
