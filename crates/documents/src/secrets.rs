//! Removes secrets from command lines.

/// Replacement for a secret.
const HIDDEN: &str = "HIDDEN";

/// Options of openssl whose argument is a key or the source of a password.
const SECRET: [&str; 14] = [
    "-K",
    "-k",
    "-key",
    "-pass",
    "-passin",
    "-passout",
    "-iv",
    "-skeyopt",
    "-macopt",
    "-kdfopt",
    "-pkeyopt",
    "-hmac",
    "-psk",
    "-proxy_pass",
];

/// Returns the words of a command without the keys and passwords after options of openssl, and
/// without words that start with `pass:`. Secrets of other programs are not recognized.
pub fn without_secrets(mut words: Vec<String>) -> Vec<String> {
    let mut hide = false;
    for word in &mut words {
        let is_option = SECRET.contains(&word.as_str());
        if hide || word.starts_with("pass:") {
            *word = HIDDEN.to_owned();
        }
        hide = is_option;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_passwords_are_not_shown_around() {
        let words = "openssl enc -K 00ff -iv 1122 -pass file:x pass:y -in -K";
        let words = without_secrets(words.split(' ').map(str::to_owned).collect());
        assert_eq!(words.join(" "), "openssl enc -K HIDDEN -iv HIDDEN -pass HIDDEN HIDDEN -in -K");
        let words = "openssl mac -digest SHA256 -macopt hexkey:00ff -in f HMAC";
        let words = without_secrets(words.split(' ').map(str::to_owned).collect());
        assert_eq!(words.join(" "), "openssl mac -digest SHA256 -macopt HIDDEN -in f HMAC");
    }
}
