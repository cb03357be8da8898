//! Whether what hardware did is faster than software, by the measurements of `outboard tune`.

use std::path::Path;

use outboard_catalog::CIPHER_NAMES;
use outboard_counters::{Counts, Decision};
use outboard_policy::{POLICY_FILE, Tuned};

use super::conclusion::drivers_of;

/// As [`remark_by`], with the policy of this machine.
pub fn remark(counted: &[(String, Counts)], decisions: &[(String, Decision)]) -> String {
    let tuned = Tuned::read(Path::new(POLICY_FILE)).ok().flatten();
    let tuned = tuned.filter(|tuned| tuned.is_of(Path::new("/")).is_ok());
    remark_by(tuned.as_ref(), counted, decisions)
}

/// Sentences about the ciphers that hardware served and for which it was not measured to win; empty if
/// there are none.
fn remark_by(
    tuned: Option<&Tuned>,
    counted: &[(String, Counts)],
    decisions: &[(String, Decision)],
) -> String {
    let (mut unmeasured, mut slower) = (Vec::new(), Vec::new());
    for (name, counts) in counted {
        let drivers = drivers_of(name, decisions);
        let bytes = counts.hw_bytes.checked_div(counts.hw_requests).and_then(|bytes| bytes.try_into().ok());
        let Some(bytes) = bytes.filter(|_| !drivers.is_empty() && CIPHER_NAMES.contains(&name.as_str()))
        else {
            continue;
        };
        let is_used = |driver: &str| drivers.iter().any(|used| used == driver);
        let direct = tuned.and_then(|tuned| tuned.of(name)).filter(|row| is_used(row.driver));
        let direct = direct.map(|row| row.from.iter().flatten().any(|from| *from <= bytes));
        let ahead = tuned.and_then(|tuned| tuned.lookahead(name)).filter(|row| is_used(row.driver));
        let ahead = ahead
            .map(|row| row.from.is_some_and(|from| from <= bytes) && row.to.is_none_or(|to| bytes <= to));
        match direct.into_iter().chain(ahead).max() {
            None => unmeasured.push(name.as_str()),
            Some(true) => {}
            Some(false) => {
                let figures = tuned.and_then(|tuned| figures(tuned, name, bytes)).unwrap_or_default();
                slower.push(format!("{name} with requests of {bytes} bytes{figures}"));
            }
        }
    }
    let mut text = String::new();
    if !slower.is_empty() {
        text += &format!(" By the measurement of outboard tune software wins for {}.", slower.join(", "));
    }
    if !unmeasured.is_empty() {
        text += &format!(
            " Whether software would win for {} is not measured: outboard tune.",
            unmeasured.join(", ")
        );
    }
    text
}

/// Both figures of a cipher at the size that is nearest to this one.
fn figures(tuned: &Tuned, name: &str, bytes: usize) -> Option<String> {
    let all = tuned.figures();
    let figure = |is_hardware: bool| {
        let its = all.iter().filter(|one| one.name == name && one.driver.is_some() == is_hardware);
        its.min_by_key(|one| one.bytes.abs_diff(bytes))
    };
    let (hardware, software) = (figure(true)?, figure(false)?);
    let [rate, other] = [hardware, software].map(|figure| figure.megabytes_per_second);
    (hardware.bytes == software.bytes)
        .then(|| format!(" ({rate:.1} MB/s against {other:.1} in software, at {} bytes)", software.bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_counters::{KeyStreamSource, Table};

    #[test]
    fn work_that_software_would_win_and_work_that_was_not_measured_are_named() {
        let tuned = "outboard-policy 2\nAES-128-CBC 8192 never eng\nAES-256-CBC 64 64 other\n\
                     lookahead AES-128-CTR 512-4096 ecb\nfigure 16384 AES-128-CBC eng 9.01/0.02 -\n\
                     figure 16384 AES-128-CBC - 24.04/0.02 -\n";
        let tuned = Tuned::parse(tuned.to_owned()).expect("a policy file");
        let folder = tempfile::tempdir().expect("a directory");
        let remark = |tuned: Option<&Tuned>, name: &str, bytes: u64| {
            let table = Table::create(&folder.path().join("counters")).expect("a table");
            table.row(name).expect("a row").add_hw(10, 10 * bytes);
            let key_stream = Some(KeyStreamSource { driver: "ecb".to_owned(), from: 64, to: None });
            let (driver, interface) = ("eng".to_owned(), "/dev/outboard".to_owned());
            let offered = Decision::Offered { driver, interface, from: [Some(1); 2], key_stream };
            let remark = remark_by(tuned, &table.snapshot(), &[(name.to_owned(), offered)]);
            std::fs::remove_file(folder.path().join("counters")).expect("the table");
            remark
        };
        let tuned = Some(&tuned);
        assert_eq!(remark(tuned, "AES-128-CBC", 8192), "");
        assert_eq!(remark(tuned, "AES-128-CTR", 4096), "");
        assert_eq!(remark(None, "SHA2-256", 4096), "", "outboard tune does not measure digests");
        let slower = remark(tuned, "AES-128-CBC", 4096);
        for part in ["AES-128-CBC with requests of 4096 bytes", "9.0 MB/s against 24.0 in software"] {
            assert!(slower.contains(part), "{slower}");
        }
        assert!(remark(tuned, "AES-128-CTR", 4097).contains("software wins for AES-128-CTR"));
        for (tuned, name) in [(None, "AES-128-CBC"), (tuned, "AES-256-CBC"), (tuned, "AES-128-GCM")] {
            let text = remark(tuned, name, 65536);
            assert!(text.contains(&format!("{name} is not measured: outboard tune")), "{text}");
        }
    }
}
