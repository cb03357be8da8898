//! Settings of servers that guides change for the sake of an engine, and looks at /dev/hwrng.

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

/// Keys with the service whose ciphers they set.
const KEYS: [(&str, &str); 5] = [
    ("ssl_ciphers", "nginx"),
    ("ssl_protocols", "nginx"),
    ("SSLCipherSuite", "apache"),
    ("SSLProtocol", "apache"),
    ("Ciphers", "sshd"),
];

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    let keys = lines.iter().filter_map(|line| {
        let (key, value) = line.text.trim_end_matches(';').split_once(char::is_whitespace)?;
        let (_, service) = KEYS.into_iter().find(|(name, _)| *name == key)?;
        value.contains(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit()).then_some((line, service))
    });
    let keys: Vec<_> = keys.collect();
    if !keys.is_empty() {
        pasted.recognise("settings of ciphers", keys.len(), "line");
    }
    for (line, service) in keys {
        pasted.remark(
            *line,
            format!(
                "{service}'s ciphers and protocols need no change for an accelerator, since look-ahead serves AES in \
                 GCM and CTR mode: outboard ciphers --service {service} shows what is served, and the price of CBC"
            ),
        );
    }
    let is_node = |line: &&Line| line.text.starts_with("crw") && line.text.ends_with("/dev/hwrng");
    let is_dump = |line: &&Line| line.text.starts_with("0000000 ") && line.text.split(' ').count() == 9;
    if let Some(line) = lines.iter().find(|line| is_node(line) || is_dump(line)) {
        pasted.recognise("/dev/hwrng", 1, "line");
        pasted
            .remark(*line, "that bytes come says nothing about their quality: outboard rng test tests them");
    }
}
