//! What of a command line is not to be shown around.

/// Stands for a secret.
const HIDDEN: &str = "HIDDEN";

/// Options of openssl's whose next word is a key or leads to a password.
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

/// The words of a command without the keys and passwords behind options of openssl's, and without what says `pass:`. What is secret in
/// other programs' command lines is not known here.
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
