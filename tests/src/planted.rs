//! Secrets at random places of configurations and command lines, for the tests of all that shows
//! them.

use outboard_documents::shell;

/// Letters of passwords, besides small letters and digits.
pub const IN_CONFIGURATIONS: &str = "!%?^~@";
/// The same; `/` is in no name of a section or file.
pub const IN_COMMANDS: &str = "!%+/?^~";

pub struct Planter {
    state: u64,
    marks: &'static str,
    pub secrets: Vec<String>,
}

pub struct PlantedConfiguration {
    pub text: Vec<u8>,
    /// The path of the other file, and its content.
    pub included: (String, Vec<u8>),
}

#[must_use]
pub fn fresh_seed() -> u64 {
    let nanoseconds = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
    println!("the fresh seed is {}", nanoseconds as u64);
    nanoseconds as u64
}

impl Planter {
    /// `marks`: the other letters of passwords.
    #[must_use]
    pub fn new(seed: u64, marks: &'static str) -> Self {
        Self { state: seed, marks, secrets: Vec::new() }
    }

    fn below(&mut self, bound: usize) -> usize {
        // splitmix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    pub fn secret(&mut self) -> String {
        let password = format!("abcdefgh0123456789{}", self.marks);
        let (len, letters) = self.one_of(&[
            (32, "0123456789abcdef"),
            (9, "0123456789"),
            (24, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            (12, &password),
        ]);
        let digits = self.below(1000);
        // A password of letters alone has the form of a name.
        let secret = (0..len).map(|_| char::from(self.one_of(letters.as_bytes()))).collect::<String>()
            + &format!("{digits:03}97");
        self.secrets.push(secret.clone());
        secret
    }

    /// One of some words, or in one of four cases a secret.
    pub fn or_secret(&mut self, words: &[&str]) -> String {
        if self.below(4) == 0 { self.secret() } else { self.one_of(words).to_owned() }
    }

    /// A command line with secrets in the places where commands have them, and in others. It has
    /// the words `openssl` and `aes-128-cbc`, and may have `-bytes 16384`.
    pub fn command_line(&mut self) -> Vec<String> {
        const TEMPLATES: [&str; 16] = [
            "openssl enc -aes-128-cbc -K S -iv S -in S -out /dev/null",
            "openssl enc -aes-128-cbc -K=S --iv S --pass=pass:S",
            "openssl enc -aes-128-cbc -pass S:S -kdfopt salt:S",
            "openssl speed -bytes 16384 -evp aes-128-cbc S",
            "env S=S A=S openssl enc -aes-128-cbc -K S",
            "A=S nice -n 19 openssl enc -aes-128-cbc --K S",
            "openssl enc -aes-128-cbc --unknown S --unknown=S -uS S=S",
            "openssl enc -aes-128-cbc -engine pkcs11:token=S;pin-value=S",
            "openssl enc -aes-128-cbc 'S S' https://S:S@S/S?S=S",
            "openssl enc -aes-128-cbc -k\tS -k \"S\" -k 'S'",
            "openssl enc -aes-128-cbc -pass pass:S | curl -u S:S -H 'X: S' S",
            "openssl enc -aes-128-cbc # S S",
            "openssl enc -aes-128-cbc $(cat S) `S` ${S} $S",
            "openssl enc -aes-128-cbc >S 2>S <S && S; (S) || S",
            "openssl enc -aes-128-cbc -kS\\ S \\S",
            "openssl enc -aes-128-cbc <<S\nS S\nS",
        ];
        let mut line = String::new();
        for (number, part) in self.one_of(&TEMPLATES).split('S').enumerate() {
            if number > 0 {
                line.push_str(&self.secret());
            }
            line.push_str(part);
        }
        match self.below(3) {
            0 => line.split_whitespace().map(str::to_owned).collect(),
            1 => vec![self.one_of(&["sh", "/bin/bash"]).to_owned(), "-c".to_owned(), line],
            _ => {
                let inner = format!("sh -euc {}", shell::word(&line));
                vec!["sudo".to_owned(), "sh".to_owned(), "-c".to_owned(), inner]
            }
        }
    }

    /// A configuration with engines, providers and a source of random numbers, and with secrets in
    /// keys, values, comments, names of sections and files, and the values of keys that are shown.
    /// The file that it includes is below `directory`.
    pub fn configuration(&mut self, directory: &str) -> PlantedConfiguration {
        let main = self.or_secret(&["openssl_init", "main"]);
        let lists = [self.or_secret(&["engine_sect", "e"]), self.or_secret(&["provider_sect", "p"])];
        let random = self.or_secret(&["random_sect"]);
        let included = format!("{directory}/{}/more.cnf", self.or_secret(&["ssl", "x.d"]));
        let mut text = Vec::new();
        let mut more = Vec::new();
        self.lines(&mut text);
        text.extend(format!("openssl_conf = {main}\n").bytes());
        self.lines(&mut text);
        text.extend(
            format!("[{main}]\nengines = {}\nproviders = {}\nrandom = {random}\n", lists[0], lists[1])
                .bytes(),
        );
        for list in lists {
            let names = ["devcrypto", "afalg", "default", "outboard", "pkcs11", "legacy"];
            let listed: Vec<_> = (0..3)
                .map(|_| (self.or_secret(&names), self.or_secret(&["sect_one", "sect_two", "d"])))
                .collect();
            text.extend(format!("[{list}]\n").bytes());
            for (name, section) in &listed {
                text.extend(format!("{name} = {section}\n").bytes());
            }
            for (_, section) in listed {
                let to = if self.below(2) == 0 { &mut text } else { &mut more };
                let (activate, digests) =
                    (self.or_secret(&["1", "yes", "0"]), self.or_secret(&["ALL", "SHA1,SHA256"]));
                let identity = self.or_secret(&["default", "fips"]);
                to.extend(format!("[{section}]\nactivate = {activate}\nDIGESTS = {digests}\n").bytes());
                to.extend(format!("identity = {identity}\npin = {}\n", self.secret()).bytes());
                self.lines(&mut text);
            }
        }
        let seed = self.or_secret(&["JITTER", "OUTBOARD-HWRNG"]);
        text.extend(format!("[{random}]\nseed = {seed}\nrandom = CTR-DRBG\n.include {included}\n").bytes());
        self.lines(&mut text);
        PlantedConfiguration { text, included: (included, more) }
    }

    fn lines(&mut self, text: &mut Vec<u8>) {
        for _ in 0..self.below(3) {
            text.extend(self.line());
        }
    }

    fn line(&mut self) -> Vec<u8> {
        let secret = self.secret();
        let line = match self.below(14) {
            0 => format!("# {secret}"),
            1 => format!("[{secret}]"),
            2 => format!("{secret} = 1"),
            3 => format!("commonName_default = {secret} # {secret}"),
            4 => format!("output_password = \"{secret}\\\n {secret}\""),
            5 => format!("subjectAltName = IP:192.168.7.9,otherName:{secret}"),
            6 => format!("{secret}::{secret} = {secret}"),
            7 => format!("x = ${{{secret}}}"),
            8 => format!(".pragma x:{secret}"),
            9 => format!(".include /etc/{secret}/none.cnf"),
            10 => format!("pkcs11-module-token-pin = pkcs11:object=x?pin-value={secret}"),
            11 => secret,
            12 => format!("dir = /{secret}\nx = $dir/{secret}"),
            _ => String::new(),
        };
        let mut line = line.into_bytes();
        if self.below(5) == 0 {
            line.extend(b" # Z\xfcrich");
        }
        line.extend(self.one_of(&[&b"\n"[..], b"\r\n", b"\n\n"]));
        line
    }
}
