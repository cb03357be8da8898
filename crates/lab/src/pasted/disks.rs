//! The output of `cryptsetup benchmark` and `cryptsetup luksDump`.

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    benchmark(lines, pasted);
    luks(lines, pasted);
}

/// `        aes-cbc        128b       150.3 MiB/s       155.8 MiB/s`: encryption and decryption.
fn benchmark(lines: &[Line], pasted: &mut Pasted) {
    let rows: Vec<(Line, &str, &str, f64)> = lines
        .iter()
        .filter_map(|&line| row(line.text).map(|(name, key, speed)| (line, name, key, speed)))
        .collect();
    let Some(&(first, ..)) = rows.first() else { return };
    pasted.recognise("cryptsetup benchmark", rows.len(), "cipher");
    pasted.remark(
        first,
        "cryptsetup benchmark measures AF_ALG and not the disk: before Linux 7.2 the driver with the highest priority, from \
         7.2 on software only; outboard bench disk measures dm-crypt with each driver",
    );
    let fastest = rows.iter().max_by(|a, b| a.3.total_cmp(&b.3));
    if let Some(&(line, name, key, speed)) = fastest.filter(|_| rows.len() > 1) {
        pasted.remark(
            line,
            format!("the fastest of these ciphers is {name} with a key of {key} bits, {speed} MiB/s in its slower direction"),
        );
    }
}

fn row(text: &str) -> Option<(&str, &str, f64)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [name, key, encryption, "MiB/s", decryption, "MiB/s"] = words[..] else { return None };
    let bits = key.strip_suffix('b').filter(|bits| bits.parse::<u32>().is_ok())?;
    let speed = encryption.parse::<f64>().ok()?.min(decryption.parse().ok()?);
    (name.contains('-') && speed.is_finite()).then_some((name, bits, speed))
}

/// Only the cipher is shown: a header has salts and digests too.
fn luks(lines: &[Line], pasted: &mut Pasted) {
    let Some(start) = lines.iter().position(|line| line.text.starts_with("LUKS header information")) else {
        return;
    };
    pasted.text.recognised.push("cryptsetup luksDump".into());
    let value =
        |key: &str| lines[start..].iter().find_map(|&line| Some((line, line.text.strip_prefix(key)?.trim())));
    let version_1 = value("Cipher name:").zip(value("Cipher mode:"));
    let cipher = match version_1 {
        Some(((line, name), (_, mode))) => Some((line, format!("{name}-{mode}"))),
        None => value("cipher:").map(|(line, cipher)| (line, cipher.to_owned())),
    };
    let Some((line, cipher)) = cipher else { return };
    let is_plain = cipher.bytes().all(|b| b.is_ascii_alphanumeric() || b"-:_".contains(&b));
    if !is_plain {
        return;
    }
    let served = match (cipher.starts_with("aes-xts"), cipher.starts_with("aes-cbc")) {
        (true, _) => {
            "only an accelerator with xts(aes) can serve it: CESA, Geode, OMAP and Rockchip have none, and a disk keeps its \
             cipher until it is encrypted anew"
        }
        (_, true) => {
            "an accelerator of cbc(aes) can serve it, if its driver has not the flag ALLOCATES_MEMORY, which dm-crypt leaves \
             out since Linux 5.10; CESA's and CAAM's have it"
        }
        _ => "no accelerator that the catalogue contains serves it",
    };
    pasted.remark(
        line,
        format!(
            "the disk is encrypted with {cipher}: {served}; outboard status --reach names the driver that dm-crypt gets, \
             outboard bench disk --cipher {cipher} measures it"
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::super::recognise;
    use super::super::tests::remarks;

    #[test]
    fn the_cipher_of_both_headers_is_found_and_no_key_material() {
        let first = "LUKS header information for /dev/sda1\n\nVersion:       \t1\nCipher name:   \taes\nCipher mode:   \t\
                     cbc-essiv:sha256\nMK salt:       \tde ad be ef\n";
        let second = "LUKS header information\nVersion:       \t2\nData segments:\n  0: crypt\n\tcipher: aes-xts-plain64\n\
                      Digest:     de ad be ef\n";
        assert!(
            remarks(first).contains("aes-cbc-essiv:sha256: an accelerator of cbc(aes)"),
            "{}",
            remarks(first)
        );
        assert!(remarks(second).contains("aes-xts-plain64: only an accelerator with xts(aes)"));
        assert!(!remarks(first).contains("de ad") && !remarks(second).contains("de ad"));
    }

    #[test]
    fn the_fastest_cipher_of_a_benchmark_is_named() {
        let text = "#     Algorithm |       Key |      Encryption |      Decryption\n\
                            aes-cbc        128b        40.1 MiB/s        41.2 MiB/s\n\
                            aes-xts        256b        55.3 MiB/s        52.9 MiB/s\n";
        assert_eq!(recognise(text).text.recognised, ["cryptsetup benchmark, 2 ciphers"]);
        assert!(remarks(text).contains("aes-xts with a key of 256 bits, 52.9 MiB/s"), "{}", remarks(text));
    }
}
