//! Providers next to outboard in one OpenSSL: configurations of them in any order, and what must
//! hold in each.

use std::fs;
use std::path::{Path, PathBuf};

use outboard_counters::Table;

use crate::evp::{self, Cipher, Digest, LibraryContext};
use crate::machine::reachable_accelerator;
use crate::module::module;
use crate::stream::Stream;
use crate::world::{OUTBOARD, outboard_section};

/// OpenSSL's own providers. Debian has `legacy` in a separate module.
pub const OPENSSLS: [&str; 4] = ["default", "legacy", "base", "null"];

/// Providers of other packages, which are files of these names in OpenSSL's directory of modules:
/// Debian's tpm2-openssl and pkcs11-provider. The latter opens no PKCS#11 module before it is used;
/// with SoftHSM's it ends every process by SIGSEGV.
pub const PACKAGED: [&str; 2] = ["tpm2", "pkcs11"];

/// A second section for outboard's module.
pub const AGAIN: &str = "outboard-again";

/// Sections whose provider cannot be activated: a missing file, a file that is not a module, a
/// module that rejects a value.
pub const BROKEN: [&str; 3] = ["missing", "garbage", "refusing"];

const CIPHER: &str = "AES-128-CBC";

/// SHA-256 of "abc" (FIPS 180-4, examples).
const DIGEST_OF_ABC: &str = "ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad";

/// The common parts of the configurations.
#[derive(Debug)]
pub struct Providers {
    folder: PathBuf,
    module: PathBuf,
    /// Whether hardware must process the requests; otherwise software does.
    pub hardware: bool,
}

impl Providers {
    /// Their configuration and counters are files of this directory.
    pub fn in_folder(folder: &Path) -> Result<Providers, String> {
        let hardware = reachable_accelerator().is_ok();
        Ok(Providers { folder: folder.to_owned(), module: module()?, hardware })
    }

    /// Creates the file of counters, which all configurations share.
    pub fn make_counters(&self) -> Table {
        Table::create(&self.counters()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn counters(&self) -> PathBuf {
        self.folder.join("counters")
    }

    /// The number of requests that hardware has processed so far, in all processes.
    pub fn hardware_requests(&self) -> Result<u64, String> {
        let table = Table::open(&self.counters()).map_err(|error| error.to_string())?;
        Ok(table.snapshot().into_iter().map(|(_, counts)| counts.hw_requests).sum())
    }

    /// Writes an openssl.cnf that lists providers in this order. It activates them, or leaves the
    /// activation to OSSL_PROVIDER_load(3).
    pub fn config(&self, order: &[&str], activate: bool) -> PathBuf {
        let list: String = order.iter().map(|name| format!("{name} = {name}_section\n")).collect();
        let sections: String = order
            .iter()
            .map(|name| format!("\n[{name}_section]\n{}", self.section(name, activate)))
            .collect();
        let text = format!(
            "openssl_conf = openssl_section\n\n[openssl_section]\nproviders = providers_section\n\
             alg_section = algorithms_section\n\n[algorithms_section]\ndefault_properties = ?provider=outboard\n\n\
             [providers_section]\n{list}{sections}"
        );
        let path = self.folder.join("openssl.cnf");
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }

    fn section(&self, name: &str, activate: bool) -> String {
        let counters = self.counters();
        let counters = counters.to_str().expect("a plain name");
        let settings = [("USE_SOFTDRIVERS", "0"), ("THRESHOLDS", "ALL:1"), ("COUNTERS", counters)];
        match name {
            OUTBOARD | AGAIN => outboard_section(&self.module, &settings, activate),
            "refusing" => outboard_section(&self.module, &[("THRESHOLDS", "many")], activate),
            "missing" => outboard_section("/nonexistent/provider.so".as_ref(), &[], activate),
            "garbage" => outboard_section("/proc/version".as_ref(), &[], activate),
            _ if activate => "activate = 1\n".to_owned(),
            _ => String::new(),
        }
    }

    /// Checks a library context in which these providers are active: each except the broken ones is
    /// present, hardware processes an application's cipher, its digest is correct, and no error of
    /// outboard remains in the queue.
    pub fn all_work(&self, context: &LibraryContext, order: &[&str]) -> Result<(), String> {
        for name in order {
            if context.has_provider(name) == BROKEN.contains(name) {
                let is = if BROKEN.contains(name) { "" } else { "not " };
                return Err(format!("{name} is {is}active:\n{}", evp::text()));
            }
        }
        let has = |name| order.contains(&name);
        if has("default") && (has(OUTBOARD) || has(AGAIN)) {
            self.work(context)?;
        } else if Cipher::fetch(context, CIPHER, "provider=outboard").is_some() {
            return Err("a cipher is offered without the default provider".to_owned());
        }
        let errors = evp::drain();
        let ours = errors.iter().find(|entry| entry.file == OUTBOARD && !has("refusing"));
        ours.map_or(Ok(()), |entry| Err(format!("an error of ours is left: {}", entry.line)))
    }

    fn work(&self, context: &LibraryContext) -> Result<(), String> {
        let fetch =
            |query| Cipher::fetch(context, CIPHER, query).ok_or_else(|| format!("no {CIPHER} of {query:?}"));
        let (chosen, soft) = (fetch("")?, fetch("provider=default")?);
        if [OUTBOARD, AGAIN].contains(&chosen.provider().as_str()) != self.hardware {
            return Err(format!("{CIPHER} is {}'s", chosen.provider()));
        }
        let before = self.hardware_requests()?;
        if !Stream::new(&soft, 1, 1, 1024).runs_right(&chosen) {
            return Err("the cipher's bytes are wrong".to_owned());
        }
        if (self.hardware_requests()? > before) != self.hardware {
            return Err(format!("hardware did {} requests", self.hardware_requests()? - before));
        }
        let digest = Digest::fetch(context, "SHA2-256", "").ok_or("no SHA2-256")?;
        if digest.of(b"abc") != crate::bytes::hex(DIGEST_OF_ABC) {
            return Err("the digest is wrong".to_owned());
        }
        Ok(())
    }
}

/// The packaged providers that this machine has.
pub fn packaged() -> Vec<&'static str> {
    let modules = evp::modules_dir().unwrap_or_default();
    PACKAGED.into_iter().filter(|name| modules.join(format!("{name}.so")).is_file()).collect()
}

/// All permutations of these names.
pub fn permutations<'n>(names: &[&'n str]) -> Vec<Vec<&'n str>> {
    if names.is_empty() {
        return vec![Vec::new()];
    }
    let starting_with = |first: usize| {
        let mut rest = names.to_vec();
        let name = rest.remove(first);
        permutations(&rest).into_iter().map(move |order| [vec![name], order].concat())
    };
    (0..names.len()).flat_map(starting_with).collect()
}

/// Orders in which each name comes before and after each other name, and occupies each position:
/// all rotations, in both directions.
pub fn rotations<'n>(names: &[&'n str]) -> Vec<Vec<&'n str>> {
    let rotated = |by: usize| {
        let mut order = names.to_vec();
        order.rotate_left(by);
        order
    };
    let forward = (0..names.len()).map(rotated);
    forward.flat_map(|order| [order.clone(), order.into_iter().rev().collect()]).collect()
}

/// The orders that result when a name is inserted at each position of an order.
pub fn with_in_each_place<'n>(names: &[&'n str], name: &'n str) -> Vec<Vec<&'n str>> {
    let with = |place: usize| {
        let mut order = names.to_vec();
        order.insert(place, name);
        order
    };
    (0..=names.len()).map(with).collect()
}
