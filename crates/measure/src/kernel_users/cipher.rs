//! Names of a disk cipher in dm-crypt and in the kernel's crypto API.

use anyhow::{Result, bail};
use outboard_drivers::Judged;

/// A cipher in dm-crypt's notation, `aes-CHAINING-IV`.
#[derive(Clone, Debug, PartialEq)]
pub struct Cipher {
    pub name: String,
    pub algorithm: String,
    /// The algorithm that dm-crypt requests from the kernel: `essiv(cbc(aes),sha256)`.
    pub asked: String,
    iv: String,
    /// The hash of ESSIV; none for other IVs.
    pub hash: Option<String>,
}

/// Adiantum, which competes with AES-XTS in software, as cryptsetup calls it (crypto/adiantum.c).
pub const ADIANTUM: &str = "xchacha12,aes-adiantum-plain64";

impl Cipher {
    pub fn parse(name: &str) -> Result<Cipher> {
        if name == ADIANTUM {
            let algorithm = "adiantum(xchacha12,aes)".to_owned();
            let asked = algorithm.clone();
            return Ok(Cipher {
                name: name.to_owned(),
                algorithm,
                asked,
                iv: "plain64".to_owned(),
                hash: None,
            });
        }
        let parts: Vec<&str> = name.splitn(3, '-').collect();
        let [cipher, chaining, iv] = parts[..] else {
            bail!("write it as dm-crypt does, such as aes-xts-plain64 or aes-cbc-essiv:sha256");
        };
        let is_word =
            |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b':');
        if cipher != "aes" || !["cbc", "xts"].contains(&chaining) || !is_word(iv) {
            bail!(
                "accelerators that dm-crypt could take do AES in CBC and XTS: aes-xts-plain64, aes-cbc-essiv:sha256; \
                 {ADIANTUM} competes with them"
            );
        }
        let algorithm = format!("{chaining}({cipher})");
        let hash = iv.strip_prefix("essiv:").map(str::to_owned);
        let asked = match &hash {
            Some(hash) => format!("essiv({algorithm},{hash})"),
            None => algorithm.clone(),
        };
        Ok(Cipher { name: name.to_owned(), algorithm, asked, iv: iv.to_owned(), hash })
    }

    /// Returns the key size in bits: the given one, or the default of LUKS2. XTS uses two keys, and
    /// Adiantum has keys of one length.
    pub fn bits(&self, given: Option<usize>) -> usize {
        let usual = if self.algorithm.starts_with("xts") { 512 } else { 256 };
        given.filter(|_| self.name != ADIANTUM).unwrap_or(usual)
    }

    /// Returns the name in /proc/crypto of the algorithm by an accelerator, which may have a part of it.
    pub fn within(&self, accelerator: &Judged) -> String {
        let name = &accelerator.driver.name;
        let is_part = self.algorithm.starts_with("xts") && accelerator.driver.algorithm == "ecb(aes)";
        if is_part { format!("xts({name})") } else { name.clone() }
    }

    /// Returns the name in /proc/crypto of the cipher by this driver.
    pub fn of(&self, driver: &str, hash: &str) -> String {
        if self.hash.is_some() { format!("essiv({driver},{hash})") } else { driver.to_owned() }
    }

    /// Returns the specification that makes dm-crypt use this driver (crypt_ctr_cipher_new in
    /// drivers/md/dm-crypt.c). Since Linux 5.4, the essiv template computes ESSIV; its input is the
    /// sector number as plain64 encodes it.
    pub fn by(&self, driver: &str) -> String {
        format!("capi:{driver}-{}", if self.hash.is_some() { "plain64" } else { &self.iv })
    }
}

pub fn key_bits(text: &str) -> Result<usize> {
    match text.parse() {
        Ok(bits @ (128 | 192 | 256 | 384 | 512)) => Ok(bits),
        _ => bail!("AES has 128, 192 or 256 bits, and XTS twice as many"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ciphers_are_read_as_dm_crypt_reads_them() {
        let xts = Cipher::parse("aes-xts-plain64").unwrap();
        assert_eq!(
            (xts.asked.as_str(), xts.by("sim-xts-aes").as_str()),
            ("xts(aes)", "capi:sim-xts-aes-plain64")
        );
        let cbc = Cipher::parse("aes-cbc-essiv:sha256").unwrap();
        assert_eq!((cbc.algorithm.as_str(), cbc.asked.as_str()), ("cbc(aes)", "essiv(cbc(aes),sha256)"));
        let exact = cbc.of("sim-cbc-aes", "sha256-lib");
        assert_eq!(cbc.by(&exact), "capi:essiv(sim-cbc-aes,sha256-lib)-plain64");
        let adiantum = Cipher::parse(ADIANTUM).unwrap();
        assert_eq!((adiantum.asked.as_str(), adiantum.bits(Some(512))), ("adiantum(xchacha12,aes)", 256));
        for wrong in
            ["aes", "aes-xts", "serpent-xts-plain64", "aes-xts-plain64 x", "aes-gcm-random", "capi:x-y-z"]
        {
            assert!(Cipher::parse(wrong).is_err(), "{wrong}");
        }
    }
}
