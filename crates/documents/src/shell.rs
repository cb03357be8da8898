//! Quotes words of commands that a reader may copy: the shell must read a name from a file as one
//! word.

pub fn word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.,/:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words() {
        for (name, quoted) in [
            ("mv-cbc-aes", "mv-cbc-aes"),
            ("", "''"),
            ("cbc(aes)", "'cbc(aes)'"),
            ("x; rm -rf ~", "'x; rm -rf ~'"),
            ("it's", r"'it'\''s'"),
            ("$(id)\n`id`", "'$(id)\n`id`'"),
        ] {
            assert_eq!(word(name), quoted);
        }
    }
}
