//! ESP algorithms and their names in the kernel.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use zeroize::Zeroizing;

use super::keys::hex;

/// Hashes: name, truncation of the HMAC in bits, key size in bytes (RFC 2404 and RFC 4868).
const HASHES: [(&str, u32, usize); 4] =
    [("sha1", 96, 20), ("sha256", 128, 32), ("sha384", 192, 48), ("sha512", 256, 64)];

/// `cbc(aes)+hmac(sha256)`, `rfc4106(gcm(aes))` or `rfc7539esp(chacha20,poly1305)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Esp {
    /// The name in ip-xfrm(8), of CBC with its HMAC.
    pub name: String,
    /// The hash for CBC; none for an AEAD.
    hash: Option<(&'static str, u32, usize)>,
}

/// RFC 7634: ChaCha20-Poly1305, which competes with AES in software.
pub const CHACHA20: &str = "rfc7539esp(chacha20,poly1305)";

/// The same in `esp_proposals` of strongSwan.
pub const CHACHA20_SETTING: &str = "chacha20poly1305";

/// RFC 4106.
pub const GCM: &str = "rfc4106(gcm(aes))";

impl Esp {
    pub fn parse(name: &str) -> Result<Esp> {
        if [GCM, CHACHA20].contains(&name) {
            return Ok(Esp { name: name.to_owned(), hash: None });
        }
        let known = HASHES.into_iter().find(|(hash, ..)| name == format!("cbc(aes)+hmac({hash})"));
        match known {
            Some(hash) => Ok(Esp { name: name.to_owned(), hash: Some(hash) }),
            None => bail!("write cbc(aes)+hmac(sha1), sha256, sha384 or sha512, {GCM} or {CHACHA20}"),
        }
    }

    /// By strongSwan's word for it in `esp_proposals`.
    pub fn by_setting(setting: &str) -> Option<Esp> {
        let name = match setting {
            "aes128gcm16" => GCM,
            "aes128-sha256" => "cbc(aes)+hmac(sha256)",
            CHACHA20_SETTING => CHACHA20,
            _ => return None,
        };
        Esp::parse(name).ok()
    }

    /// By the kernel's name of an algorithm that ESP requests, or takes as a part.
    pub fn by_algorithm(name: &str) -> Option<Esp> {
        let authenticated = |name: &str| Esp::parse(&format!("cbc(aes)+{name}")).ok();
        match name {
            "gcm(aes)" | GCM => Esp::parse(GCM).ok(),
            "cbc(aes)" => authenticated("hmac(sha256)"),
            _ => authenticated(name.strip_prefix("authenc(")?.strip_suffix(",cbc(aes))")?),
        }
    }

    /// Returns the cipher that accelerators implement: `cbc(aes)` or `gcm(aes)`. For ChaCha20 it is
    /// the AEAD.
    pub fn cipher(&self) -> &'static str {
        match self.hash {
            Some(_) => "cbc(aes)",
            None if self.is_chacha20() => "rfc7539(chacha20,poly1305)",
            None => "gcm(aes)",
        }
    }

    fn is_chacha20(&self) -> bool {
        self.name == CHACHA20
    }

    /// `hmac(sha256)`
    pub fn mac(&self) -> Option<String> {
        self.hash.map(|(hash, ..)| format!("hmac({hash})"))
    }

    /// Returns the name of the combined algorithm, which some accelerators implement.
    pub fn aead(&self) -> String {
        match self.mac() {
            Some(mac) => format!("authenc({mac},cbc(aes))"),
            None => self.name.clone(),
        }
    }

    /// Returns the name of a template instance that combines these drivers; `mac` is that of the
    /// hash.
    pub fn made_of(&self, mac: &str, cipher: &str) -> String {
        match self.hash {
            Some(_) => format!("authenc({mac},{cipher})"),
            // rfc7539esp is a template of a cipher and a hash, not of an AEAD.
            None if self.is_chacha20() => cipher.to_owned(),
            None => format!("rfc4106({cipher})"),
        }
    }

    /// Returns the algorithm that xfrm requests from the kernel, including the IV generator
    /// (net/xfrm/xfrm_algo.c).
    pub fn asked(&self, aead: &str) -> String {
        format!("{}({aead})", if self.hash.is_some() { "echainiv" } else { "seqiv" })
    }

    /// Size of the key material in bytes: the hash's key, then the cipher's key with its salt.
    /// ChaCha20 has keys of one length.
    pub fn key_bytes(&self, bits: usize) -> usize {
        let bits = if self.is_chacha20() { 256 } else { bits };
        self.hash.map_or(bits / 8 + 4, |(_, _, mac)| mac + bits / 8)
    }

    pub fn words(&self, key: &[u8]) -> Zeroizing<String> {
        // Reserve the full length: a reallocation would leave a copy of the key in memory.
        let mut words = Zeroizing::new(String::with_capacity(2 * key.len() + 80));
        // Writing to a string cannot fail.
        let _ = match self.hash {
            Some((hash, cut, mac)) => {
                let (first, second) = key.split_at(mac.min(key.len()));
                let (first, second) = (hex(first), hex(second));
                write!(words, "auth-trunc hmac({hash}) 0x{} {cut} enc cbc(aes) 0x{}", *first, *second)
            }
            None => write!(words, "aead {} 0x{} 128", self.name, *hex(key)),
        };
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_asked_as_xfrm_asks_it() {
        let cbc = Esp::parse("cbc(aes)+hmac(sha256)").unwrap();
        assert_eq!(cbc.asked(&cbc.aead()), "echainiv(authenc(hmac(sha256),cbc(aes)))");
        let made = cbc.made_of("hmac-sha256-lib", "virtio_crypto_aes_cbc");
        assert_eq!(cbc.asked(&made), "echainiv(authenc(hmac-sha256-lib,virtio_crypto_aes_cbc))");
        assert_eq!(cbc.key_bytes(128), 48);
        assert!(cbc.words(&[0xab; 48]).starts_with("auth-trunc hmac(sha256) 0xabab"));
        assert!(cbc.words(&[1; 48]).ends_with(" 128 enc cbc(aes) 0x01010101010101010101010101010101"));
        let gcm = Esp::parse(GCM).unwrap();
        assert_eq!(gcm.asked(&gcm.aead()), "seqiv(rfc4106(gcm(aes)))");
        assert_eq!(gcm.asked(&gcm.made_of("", "sim-gcm-aes")), "seqiv(rfc4106(sim-gcm-aes))");
        assert_eq!(*gcm.words(&[2; 20]), format!("aead rfc4106(gcm(aes)) 0x{} 128", "02".repeat(20)));
        let chacha20 = Esp::parse(CHACHA20).unwrap();
        assert_eq!(chacha20.asked(&chacha20.aead()), "seqiv(rfc7539esp(chacha20,poly1305))");
        assert_eq!(chacha20.key_bytes(128), 36);
        let words = chacha20.words(&[2; 36]);
        assert_eq!(*words, format!("aead {CHACHA20} 0x{} 128", "02".repeat(36)));
        let longest = Esp::parse("cbc(aes)+hmac(sha512)").unwrap().words(&[3; 64 + 32]);
        assert!(longest.len() <= 2 * (64 + 32) + 80, "it had to grow");
        let needs = outboard_drivers::reach::KernelUser::Ipsec.needs();
        for need in needs {
            let esp = Esp::by_setting(need.setting).unwrap();
            assert_eq!(esp.asked(&esp.aead()), need.algorithm);
        }
        assert_eq!(Esp::by_setting(CHACHA20_SETTING), Some(chacha20));
        for (name, esp) in [("gcm(aes)", &gcm), (GCM, &gcm), ("cbc(aes)", &cbc), (&cbc.aead(), &cbc)] {
            assert_eq!(Esp::by_algorithm(name).as_ref(), Some(esp), "{name}");
        }
        assert_eq!(Esp::by_algorithm("authenc(hmac(md5),cbc(aes))"), None);
        for wrong in ["cbc(aes)", "cbc(aes)+hmac(md5)", "gcm(aes)", ""] {
            assert!(Esp::parse(wrong).is_err(), "{wrong}");
        }
    }
}
