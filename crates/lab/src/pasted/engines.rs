//! The output of `openssl engine -t -c`, and of the devcrypto engine's DUMP_INFO command.

use outboard_catalog::families::{self, Nature, Signature};

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

/// Maximum number of lines between an engine and `[ available ]`: a list of algorithms is wrapped
/// by terminals.
const MOST_LINES: usize = 12;

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    engines(lines, pasted);
    sessions(lines, pasted);
    invalid(lines, pasted);
}

fn engines(lines: &[Line], pasted: &mut Pasted) {
    let mut found = 0;
    for (index, &line) in lines.iter().enumerate() {
        let Some((id, name)) = engine_of(line.text) else { continue };
        let after = &lines[index + 1..lines.len().min(index + 1 + MOST_LINES)];
        let end = after.iter().position(|line| engine_of(line.text).is_some()).unwrap_or(after.len());
        let text: Vec<&str> = after[..end].iter().map(|line| line.text).collect();
        let text = text.join(" ");
        let state = ["[ available ]", "[ unavailable ]"].into_iter().find(|state| text.contains(state));
        let Some(state) = state else { continue };
        found += 1;
        let algorithms = text
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'))
            .map(|(list, _)| list)
            .filter(|list| !list.contains("available"))
            .unwrap_or_default();
        describe_engine(line, id, name, state == "[ available ]", algorithms, pasted);
    }
    if found > 0 {
        pasted.recognise("openssl engine -t -c", found, "engine");
    }
}

/// `(devcrypto) /dev/crypto engine`.
fn engine_of(text: &str) -> Option<(&str, &str)> {
    let (id, name) = text.strip_prefix('(')?.split_once(") ")?;
    let is_id = !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    is_id.then_some((id, name))
}

fn describe_engine(
    line: Line,
    id: &str,
    name: &str,
    is_available: bool,
    algorithms: &str,
    pasted: &mut Pasted,
) {
    if !is_available && id != "dynamic" {
        pasted.remark(line, format!("the engine {id} is built, and is not available on that system"));
        return;
    }
    let list: Vec<&str> = algorithms.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    match id {
        "cryptodev" if name.contains("BSD") => {
            pasted.text.other_system.get_or_insert("a BSD".into());
            // The engine always lists RSA, DSA and DH.
            let mut others = list.iter().filter(|name| !["RSA", "DSA", "DH"].contains(name));
            let geode = match (others.next(), others.next()) {
                (Some(&"AES-128-CBC"), None) => "; AES-128-CBC as the only cipher is what an AMD Geode LX (glxsb) has",
                _ => "",
            };
            pasted.remark(line, format!("BSD's /dev/crypto offers {algorithms} to OpenSSL{geode}"));
        }
        "cryptodev" | "devcrypto" => pasted.remark(
            line,
            format!(
                "the engine {id} finds /dev/crypto, with {} algorithms; it lists software of the kernel too, so the list \
                 does not show an accelerator: /proc/crypto does",
                list.len()
            ),
        ),
        "afalg" => pasted.remark(
            line,
            "the engine afalg is available; it reports that on Linux 7.2 and later too, where it computes in software",
        ),
        "rdrand" => pasted.remark(line, "the CPU has RDRAND, which OpenSSL 3 and later use without this engine"),
        "padlock" => pasted.remark(line, "VIA PadLock is a unit of the CPU; OpenSSL 4 no longer has this engine, outboard's provider replaces it"),
        "dynamic" => {}
        _ => pasted.remark(line, format!("the engine {id} ({name}) is available")),
    }
}

struct SessionDriver<'a> {
    line: Line<'a>,
    name: &'a str,
    is_called_hardware: bool,
    algorithms: Vec<&'a str>,
}

/// `Cipher AES-128-CBC, NID=419, /dev/crypto info: id=11, driver=mv-cbc-aes (hw accelerated)`.
fn sessions(lines: &[Line], pasted: &mut Pasted) {
    let mut drivers: Vec<SessionDriver> = Vec::new();
    let mut found = 0;
    for &line in lines {
        let Some((subject, info)) = line.text.split_once("/dev/crypto info: ") else { continue };
        found += 1;
        let algorithm = subject.split(',').next().unwrap_or(subject);
        let algorithm = algorithm.trim_start_matches("Cipher ").trim_start_matches("Digest ");
        let Some((_, driver)) = info.split_once("driver=") else { continue };
        let name = driver.split([' ', ',', '.']).next().unwrap_or(driver);
        let is_called_hardware = driver.contains("(hw accelerated)");
        match drivers.iter_mut().find(|known| known.name == name) {
            Some(known) => known.algorithms.push(algorithm),
            None => {
                drivers.push(SessionDriver { line, name, is_called_hardware, algorithms: vec![algorithm] })
            }
        }
    }
    for driver in &drivers {
        judge(driver, pasted);
    }
    if found > 0 {
        pasted.recognise("openssl engine -pre DUMP_INFO devcrypto", found, "algorithm");
    }
}

fn judge(driver: &SessionDriver, pasted: &mut Pasted) {
    let &SessionDriver { line, name, is_called_hardware, ref algorithms } = driver;
    let algorithms = algorithms.join(", ");
    let family = families::by_name(name).map(Signature::family);
    match (family.filter(|family| family.nature == Nature::Accelerator), is_called_hardware) {
        (Some(family), true) => {
            pasted.shows(line, format!("/dev/crypto leads to {}: {name} for {algorithms}", family.chip));
        }
        (Some(family), false) => pasted.shows(
            line,
            format!(
                "{name} for {algorithms} is a driver of {}, though the engine calls it software",
                family.chip
            ),
        ),
        (None, true) => pasted.remark(
            line,
            format!("the engine calls {name} for {algorithms} hardware; the catalogue of this version does not contain it"),
        ),
        (None, false) => {}
    }
}

/// What OpenSSL prints when an engine is missing, or when it has no engines.
fn invalid(lines: &[Line], pasted: &mut Pasted) {
    for &line in lines {
        let lower = line.text.to_ascii_lowercase();
        let is_missing = lower.starts_with("invalid engine \"") || lower.contains("no such engine");
        if is_missing || lower.contains("invalid command 'engine'") {
            pasted.text.recognised.push("an error of openssl".into());
            pasted.remark(
                line,
                "OpenSSL has no such engine, and everything ran in software: OpenSSL 4 has no engines at all; the engine \
                 devcrypto is a package of its own on OpenWrt with OpenSSL 3 (libopenssl-devcrypto), and other \
                 distributions do not build it",
            );
        }
    }
}
