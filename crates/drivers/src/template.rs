//! Driver names that contain the names of other drivers: `authenc(hmac(sha1-lib),mv-cbc-aes)`.

/// The outermost template of a name and the names in its parentheses; `None` for a plain name.
/// Names such as `authenc(hmac(sha1),cbc(aes))-sa2ul`, with a suffix after the parenthesis, are
/// plain: one driver implements the whole.
pub fn split(name: &str) -> Option<(&str, Vec<&str>)> {
    let open = name.find('(')?;
    let inside = name[open + 1..].strip_suffix(')')?;
    let mut parts = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    for (at, c) in inside.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(inside[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(inside[start..].trim());
    (depth == 0 && open > 0 && parts.iter().all(|p| !p.is_empty())).then(|| (&name[..open], parts))
}

/// The innermost names: `__cbc-aes-aesni` for `cryptd(__cbc-aes-aesni)`.
pub fn leaves(name: &str) -> Vec<&str> {
    match split(name) {
        None => vec![name],
        Some((_, parts)) => parts.into_iter().flat_map(leaves).collect(),
    }
}

/// The name and all nested names, from the outside in: a driver's own name may have the form of a
/// template, such as `cbc(aes-eip93)`.
pub fn nested(name: &str) -> Vec<&str> {
    let inside = split(name).map(|(_, parts)| parts).unwrap_or_default();
    std::iter::once(name).chain(inside.into_iter().flat_map(nested)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn templates_are_taken_apart() {
        let authenc = "authenc(hmac(sha1-lib),mv-cbc-aes)";
        assert_eq!(split(authenc), Some(("authenc", vec!["hmac(sha1-lib)", "mv-cbc-aes"])));
        assert_eq!(leaves(authenc), ["sha1-lib", "mv-cbc-aes"]);
        assert_eq!(leaves("cbc(ecb(aes-fixed-time))"), ["aes-fixed-time"]);
        assert_eq!(leaves("mv-cbc-aes"), ["mv-cbc-aes"]);
        let essiv = "essiv(cbc(aes-eip93),sha256-lib)";
        assert_eq!(nested(essiv), [essiv, "cbc(aes-eip93)", "aes-eip93", "sha256-lib"]);
    }

    #[test]
    fn odd_parentheses_make_a_plain_name() {
        for name in ["authenc(hmac(sha1),cbc(aes))-sa2ul", "(aes)", "cbc(aes", "cbc(a))(b)", "cbc()", "a(b,)"]
        {
            assert_eq!(split(name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_name_is_survived(name in "[a-c(),]{0,60}") {
            prop_assert!(!leaves(&name).is_empty());
        }
    }
}
