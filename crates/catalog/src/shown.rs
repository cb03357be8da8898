//! The forms of names that are shown to others, in messages and documents: any other word may be a
//! secret, and the class of its length stands for it.

/// Words of algorithms' names; digits may follow each.
const ALGORITHM_WORDS: &str = "aes aria camellia des desx ede seed sm rc bf blowfish cast idea chacha poly \
    cbc ctr gcm ccm ecb xts ofb cfb siv ocb wrap pad id cts sha md ripemd rmd whirlpool blake2b blake2s \
    shake keccak hmac cmac gmac kmac siphash rsa dsa dh ecdh ecdhe dhe ecdsa ed x prime secp brainpool p r \
    ffdhe pss oaep pkcs psk tls tlsv dtls dtlsv ssl kem mlkem mldsa ml all none default null etm openssh com \
    umac with v";

/// The numbers in algorithms' names: sizes of keys, blocks and digests, versions.
const ALGORITHM_NUMBERS: &str = "1 2 3 4 5 8 20 40 56 64 128 160 192 224 256 384 448 512 521 768 1024 1305 2048 \
    3072 4096 8192 25519";

/// A word of openssl.cnf in a message. It may be a secret that was written in the wrong place, so
/// that it is shown only if it names an algorithm.
#[must_use]
pub fn quoted(word: &str) -> String {
    match word.len() {
        0 => "an empty value".to_owned(),
        _ if is_algorithm(word) => format!("\"{word}\""),
        len => format!("a value of {} bytes", length_class(len)),
    }
}

/// The class of the length of a word that is not shown, in bytes: it may tell a PIN from a key.
#[must_use]
pub fn length_class(len: usize) -> &'static str {
    match len {
        0..8 => "1-7",
        8..16 => "8-15",
        16..32 => "16-31",
        32..64 => "32-63",
        64..128 => "64-127",
        _ => "128+",
    }
}

/// Whether this is a name such as `pkcs11`, `openssl.cnf`, `x86_64-linux-gnu` or `default_sect`: of
/// short words and few digits, unlike keys, PINs, passwords with other characters, and addresses.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let separators = ['-', '_', '.', '+', '@'];
    let parts: Vec<&str> = text.trim_start_matches('.').split(separators).collect();
    let has_word = parts.iter().any(|part| part.starts_with(|c: char| c.is_ascii_alphabetic()));
    let numbers = parts.iter().filter(|part| !part.is_empty() && part.chars().all(is_digit)).count();
    has_word
        && numbers < 4
        && text.len() <= 48
        && text.chars().filter(|c| is_digit(*c)).count() <= 8
        && parts.iter().map(|part| changes(part)).sum::<usize>() <= 6
        && parts.iter().all(|part| {
            let digits = part.chars().filter(|c| is_digit(*c)).count();
            part.len() <= 20
                && digits <= 4
                && changes(part) <= 4
                && part.chars().all(|c| c.is_ascii_alphanumeric())
        })
}

/// How often the kind of character changes between neighbours: lower case, upper case, digits.
fn changes(word: &str) -> usize {
    let kind = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    word.as_bytes().windows(2).filter(|pair| kind(&pair[0]) != kind(&pair[1])).count()
}

/// Whether this names a cipher, digest or protocol, or lists some: `aes-128-cbc`, `SHA2-256`,
/// `TLS_AES_128_GCM_SHA256`, `x25519:secp256r1`.
#[must_use]
pub fn is_algorithm(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let parts =
        lower.split(['-', '_', ':', '/', '+', ',', '.', '@', '(', ')']).filter(|part| !part.is_empty());
    let mut has_word = false;
    text.len() <= 120
        && parts.into_iter().all(|part| {
            let is_word = is_algorithm_word(part);
            has_word |= is_word;
            is_word || listed(ALGORITHM_NUMBERS, part)
        })
        && has_word
}

/// `aes`, `sha256`, `secp256r1`.
fn is_algorithm_word(part: &str) -> bool {
    let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &part[word.len()..];
    let has_number = (number.is_empty() && word.len() > 1) || listed(ALGORITHM_NUMBERS, number);
    let is_curve = || {
        let inner = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        matches!(&word[inner.len()..], "r" | "v" | "k") && is_algorithm_word(inner)
    };
    has_number
        && (listed(ALGORITHM_WORDS, word) || (word.ends_with(['r', 'v', 'k']) && word != part && is_curve()))
}

fn listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}
