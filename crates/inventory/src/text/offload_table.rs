//! How the provider processes each cipher: a table, and a line about look-ahead, of `outboard status`.

use outboard_documents::status::CipherOffload;

use super::layout::Page;

/// How the provider processes the ciphers; one row for those that differ in their keys only.
pub(super) fn offload(page: &mut Page, ciphers: &[CipherOffload]) {
    let mut rows: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for cipher in ciphers {
        let cells = vec![direct_requests(cipher), lookahead(cipher)];
        let is_alike = |(names, others): &&mut (Vec<&str>, Vec<String>)| {
            *others == cells && names.iter().all(|name| mode_of(name) == mode_of(&cipher.cipher))
        };
        match rows.iter_mut().find(is_alike) {
            Some((names, _)) => names.push(&cipher.cipher),
            None => rows.push((vec![&cipher.cipher], cells)),
        }
    }
    if rows.is_empty() {
        return;
    }
    page.blank();
    let row = |(names, cells): (Vec<&str>, Vec<String>)| std::iter::once(together(&names)).chain(cells);
    let rows: Vec<Vec<String>> = rows.into_iter().map(|found| row(found).collect()).collect();
    page.table(&["Cipher", "requests to the accelerator", "look-ahead"], &rows);
}

/// The ciphers with look-ahead, and those that could have it. Nothing if there are none with it.
pub(super) fn lookahead_row(page: &mut Page, ciphers: &[CipherOffload]) {
    let mut parts: Vec<(String, Vec<&str>)> = Vec::new();
    for cipher in ciphers.iter().filter(|cipher| cipher.lookahead.is_some() || cipher.no_lookahead.is_some())
    {
        let text = lookahead(cipher);
        match parts.iter_mut().find(|(other, _)| *other == text) {
            Some((_, names)) => names.push(&cipher.cipher),
            None => parts.push((text, vec![&cipher.cipher])),
        }
    }
    if ciphers.iter().all(|cipher| cipher.lookahead.is_none()) {
        return;
    }
    let part = |(text, names): &(String, Vec<&str>)| {
        let mut modes: Vec<&str> = names.iter().map(|name| mode_of(name)).collect();
        modes.dedup();
        let of = |mode: &str| {
            together(&names.iter().copied().filter(|name| mode_of(name) == mode).collect::<Vec<_>>())
        };
        format!("{}: {text}", modes.into_iter().map(of).collect::<Vec<_>>().join(", "))
    };
    page.row("Look-ahead", &parts.iter().map(part).collect::<Vec<_>>().join("; "));
}

/// `CTR` of `AES-128-CTR`.
fn mode_of(cipher: &str) -> &str {
    cipher.rsplit('-').next().unwrap_or(cipher)
}

/// `AES-128/256-CTR` for `AES-128-CTR` and `AES-256-CTR`.
fn together(names: &[&str]) -> String {
    let keys: Vec<&str> = names.iter().filter_map(|name| name.split('-').nth(1)).collect();
    match names {
        [one] => (*one).to_owned(),
        _ => format!("AES-{}-{}", keys.join("/"), names.first().map_or("", |name| mode_of(name))),
    }
}

fn direct_requests(cipher: &CipherOffload) -> String {
    let Some(direct) = &cipher.direct else { return "none: not reached".to_owned() };
    let from = match direct.from {
        [None, None] if !direct.is_measured => return "none: not measured: outboard tune".to_owned(),
        [None, None] => return format!("none: software wins over {}", direct.driver),
        [Some(encrypt), Some(decrypt)] if encrypt == decrypt => format!("from {encrypt} bytes"),
        both => {
            let text = |from: Option<usize>| from.map_or("none".to_owned(), |from| from.to_string());
            format!("from {} bytes (decryption: {})", text(both[0]), text(both[1]))
        }
    };
    format!("{from}, {}", direct.driver)
}

fn lookahead(cipher: &CipherOffload) -> String {
    match (&cipher.lookahead, &cipher.no_lookahead) {
        (Some(used), _) => {
            let to = used.to.map(|to| format!(" to {to}")).unwrap_or_default();
            format!("from {}{to} bytes, {}", used.from, used.driver)
        }
        (None, Some(why)) => format!("none: {why}"),
        (None, None) => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Style;
    use super::*;
    use outboard_documents::status::{DirectRequests, KeyStreamUse};

    #[test]
    fn ciphers_that_differ_in_their_keys_only_share_a_row() {
        let key_stream = |from| KeyStreamUse { driver: "e-ecb".into(), from, to: None, start: 4096 };
        let limited = KeyStreamUse { to: Some(8192), ..key_stream(512) };
        let ctr = |cipher: &str, lookahead| CipherOffload {
            cipher: cipher.to_owned(),
            direct: None,
            lookahead,
            no_lookahead: None,
        };
        let direct = |from| Some(DirectRequests { driver: "e-cbc".into(), from, is_measured: true });
        let cbc = |cipher: &str, from| CipherOffload {
            cipher: cipher.to_owned(),
            direct: direct(from),
            ..ctr("", None)
        };
        let unused = CipherOffload { no_lookahead: Some("not measured".into()), ..ctr("AES-128-GCM", None) };
        let ciphers = [
            ctr("AES-128-CTR", Some(key_stream(64))),
            ctr("AES-192-CTR", Some(key_stream(16))),
            ctr("AES-256-CTR", Some(key_stream(64))),
            cbc("AES-128-CBC", [Some(4096), None]),
            cbc("DES-EDE3-CBC", [None; 2]),
            unused,
            CipherOffload {
                cipher: "AES-128-XTS".to_owned(),
                direct: direct([None; 2]).map(|direct| DirectRequests { is_measured: false, ..direct }),
                ..ctr("", None)
            },
            ctr("AES-256-GCM", Some(limited)),
        ];
        let mut page = Page::new(Style::default());
        offload(&mut page, &ciphers);
        let text = page.finish();
        for line in [
            "AES-128/256-CTR  none: not reached",
            "from 64 bytes, e-ecb",
            "from 16 bytes, e-ecb",
            "from 4096 bytes (decryption: none), e-cbc",
            "none: software wins over e-cbc",
            "none: not measured\n",
            "AES-128-XTS      none: not measured: outboard tune",
            "from 512 to 8192 bytes, e-ecb",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let mut page = Page::new(Style::default());
        lookahead_row(&mut page, &ciphers);
        let text = page.finish();
        let expected = "AES-128/256-CTR: from 64 bytes, e-ecb; AES-192-CTR: from 16 bytes, e-ecb; AES-128-GCM: none: \
                        not measured; AES-256-GCM: from 512 to 8192 bytes, e-ecb";
        assert_eq!(text.split_whitespace().skip(1).collect::<Vec<_>>().join(" "), expected);
        let mut page = Page::new(Style::default());
        lookahead_row(&mut page, &ciphers[5..6]);
        assert!(!page.finish().contains("Look-ahead"));
    }
}
