//! The output of lsmod and uname.

use outboard_catalog::families::{self, Nature, values};

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    lsmod(lines, pasted);
    uname(lines, pasted);
}

fn lsmod(lines: &[Line], pasted: &mut Pasted) {
    let mut found = 0;
    for &line in lines {
        let Some(module) = module_of(line.text) else { continue };
        let family = families::all().find(|family| values(family.modules).any(|one| one == module));
        match (module, family) {
            ("cryptodev", _) => {
                pasted.file("dev/crypto", String::new());
                pasted.remark(line, "cryptodev-linux is loaded: programs can open /dev/crypto");
            }
            ("outboard", _) => pasted.file("sys/class/misc/outboard/allow", String::new()),
            (_, Some(family)) if family.nature == Nature::Accelerator => pasted.shows(
                line,
                format!(
                    "the module {module} is loaded, the driver of {}: whether it has a device, and what the kernel \
                     prefers, /proc/crypto shows",
                    family.chip
                ),
            ),
            (_, Some(family)) if family.nature == Nature::Instructions => {
                pasted.remark(line, format!("the module {module} is loaded: code for {}", family.chip));
            }
            _ if is_interface(module) => {}
            _ => continue,
        }
        pasted.file(&format!("sys/module/{module}/refcnt"), String::new());
        found += 1;
    }
    if found > 0 {
        pasted.recognise("lsmod", found, "relevant module");
    }
}

fn is_interface(module: &str) -> bool {
    ["af_alg", "algif_skcipher", "algif_aead", "algif_hash", "algif_rng", "tcrypt", "crypto_user"]
        .contains(&module)
}

/// `name size used-by-count [users]`.
fn module_of(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let numbers = [words.next()?, words.next()?];
    (is_name && !is_number(name) && numbers.into_iter().all(is_number) && words.count() <= 2).then_some(name)
}

/// `Linux HOST RELEASE …`, as uname -a prints it.
fn uname(lines: &[Line], pasted: &mut Pasted) {
    for line in lines {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let Some(at) = words.iter().position(|word| *word == "Linux").filter(|at| *at <= 1) else { continue };
        let Some(release) = words.get(at + 2) else { continue };
        let numbers = release.split(['.', '-']).take(2).filter(|part| part.parse::<u32>().is_ok()).count();
        if words.len() >= at + 5 && numbers == 2 && !pasted.files.iter().any(|(path, _)| path == RELEASE) {
            pasted.text.recognised.push("uname -a".into());
            pasted.file(RELEASE, format!("{release}\n"));
        }
    }
}

const RELEASE: &str = "proc/sys/kernel/osrelease";
