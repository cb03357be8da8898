//! Checks the results of a driver for AES-CBC with HMAC: a published example, then requests with many
//! lengths of text and additional data, with the tags of ESP and of TLS, compared with independent
//! reference code, and forgeries, which the driver must reject.

use super::messages::{MessageSession, Sealed, flip};
use super::modes::Reference as Cbc;
use super::vectors::hex;
use super::{Checked, Fault, Random, sha};
use crate::authenc::{AuthencAccelerator, AuthencKeys};
use crate::{Algorithm, Authenc, Direction, HashAlgorithm};

/// Lengths of texts: few blocks, around pages, packets of 1500 bytes, a TLS record, the longest.
const LENGTHS: [usize; 14] = [16, 32, 48, 64, 240, 256, 1008, 1456, 4080, 4096, 4112, 16_384, 16_400, 65_536];

/// Lengths of additional data: none, those of ESP without and with the IV, those of TLS, and what
/// needs more than one block of the hash.
const AAD_LENGTHS: [usize; 10] = [0, 8, 13, 16, 24, 28, 29, 64, 100, 512];

/// Lengths of forged texts.
const FORGED: [usize; 3] = [16, 64, 1456];

/// RFC 3602, case 1.
const EXAMPLE_KEY: &str = "06a9214036b8a15b512e03d534120006";
const EXAMPLE_IV: &str = "3dafba429d9eb430b422da802c9fac41";
const EXAMPLE_PLAIN: &str = "53696e676c6520626c6f636b206d7367";
const EXAMPLE_CIPHER: &str = "e353779c1079aeb82708942dbe77181a";

/// The reference implementation of an algorithm, with its keys.
pub(super) struct Reference {
    algorithm: Authenc,
    cbc: Cbc,
    mac_key: Vec<u8>,
    tag_len: usize,
}

impl Reference {
    pub(super) fn new(algorithm: Authenc, keys: AuthencKeys<'_>, tag_len: usize) -> Reference {
        let cbc = Cbc::new(Algorithm::CbcAes, keys.cipher);
        Reference { algorithm, cbc, mac_key: keys.mac.to_vec(), tag_len }
    }

    /// The result for `text`.
    pub(super) fn crypt(&self, direction: Direction, iv: &[u8], text: &[u8]) -> Vec<u8> {
        self.cbc.crypt(direction, iv, text)
    }

    /// The tag of a ciphertext.
    pub(super) fn tag(&self, aad: &[u8], cipher: &[u8]) -> Vec<u8> {
        let hmac = HashAlgorithm { hash: self.algorithm.hash(), hmac: true };
        let mut tag = sha::digest(hmac, &self.mac_key, &[aad, cipher].concat());
        tag.truncate(self.tag_len);
        tag
    }

    fn sealed(&self, nonce: Vec<u8>, aad: Vec<u8>, plain: Vec<u8>) -> Sealed {
        let cipher = self.crypt(Direction::Encrypt, &nonce, &plain);
        let tag = self.tag(&aad, &cipher);
        Sealed { nonce, aad, plain, cipher, tag }
    }

    /// A random message. Its additional data ends with the IV if it is long enough, as in ESP and
    /// TLS.
    fn random_message(&self, random: &mut Random, len: usize, aad_len: usize) -> Sealed {
        let [nonce, mut aad, plain] = [16, aad_len, len].map(|len| random.bytes(len));
        if let Some(start) = aad.len().checked_sub(nonce.len()) {
            aad[start..].copy_from_slice(&nonce);
        }
        self.sealed(nonce, aad, plain)
    }
}

/// Checks a driver with every key length of AES, keys of HMAC as long as its digest, and the tags of
/// ESP and TLS. The same seed gives the same requests.
pub fn check_authenc_seeded(
    accelerator: &dyn AuthencAccelerator,
    algorithm: Authenc,
    seed: u64,
) -> Result<Checked, Fault> {
    let (mut checked, mut random) = (Checked::default(), Random::seeded(seed));
    let full = algorithm.hash().digest_len();
    let mac = random.bytes(full);
    let keys = AuthencKeys { mac: &mac, cipher: &hex(EXAMPLE_KEY) };
    Run::new(accelerator, algorithm, keys, full, &mut checked)?.example()?;
    for cipher_len in Authenc::CIPHER_KEY_LENS {
        for tag_len in [full, algorithm.esp_tag()] {
            let (mac, cipher) = (random.bytes(full), random.bytes(cipher_len));
            let keys = AuthencKeys { mac: &mac, cipher: &cipher };
            let mut run = Run::new(accelerator, algorithm, keys, tag_len, &mut checked)?;
            run.forgeries(&mut random)?;
            run.batch(&mut random)?;
            if tag_len == full {
                run.lengths(&mut random)?;
            }
        }
    }
    Ok(checked)
}

/// Requests with one pair of keys and one tag length.
struct Run<'a> {
    reference: Reference,
    driver: MessageSession<'a>,
}

impl<'a> Run<'a> {
    fn new(
        accelerator: &dyn AuthencAccelerator,
        algorithm: Authenc,
        keys: AuthencKeys<'_>,
        tag_len: usize,
        checked: &'a mut Checked,
    ) -> Result<Run<'a>, Fault> {
        let bits = keys.cipher.len() * 8;
        let name =
            format!("{} with a key of {bits} bits and tags of {tag_len} bytes", algorithm.kernel_name());
        let opened = accelerator.open(keys, tag_len);
        let session = opened.map_err(|error| Fault::Failed { doing: format!("taking {name}"), error })?;
        let driver = MessageSession { session, name, checked };
        Ok(Run { reference: Reference::new(algorithm, keys, tag_len), driver })
    }

    /// The RFC has the ciphertext. The tag is that of the reference.
    fn example(&mut self) -> Result<(), Fault> {
        let [nonce, plain, cipher] = [EXAMPLE_IV, EXAMPLE_PLAIN, EXAMPLE_CIPHER].map(hex);
        let tag = self.reference.tag(&nonce, &cipher);
        self.driver.encrypt_and_decrypt(
            &Sealed { aad: nonce.clone(), nonce, plain, cipher, tag },
            " of RFC 3602, case 1",
        )
    }

    fn lengths(&mut self, random: &mut Random) -> Result<(), Fault> {
        let most = self.driver.session.max_request(Direction::Encrypt);
        let any = 16 + random.below(most / 16) * 16;
        for (n, len) in LENGTHS.into_iter().filter(|len| *len <= most).chain([any]).enumerate() {
            let aad_len = AAD_LENGTHS[(n + random.below(3) * 7) % AAD_LENGTHS.len()];
            let sealed = self.reference.random_message(random, len, aad_len);
            self.driver.encrypt_and_decrypt(&sealed, "")?;
        }
        for aad_len in AAD_LENGTHS {
            let sealed = self.reference.random_message(random, 48, aad_len);
            self.driver.encrypt_and_decrypt(&sealed, "")?;
        }
        Ok(())
    }

    /// Changes each bit of the tag, and bits of text and additional data, and moves the border
    /// between them. Genuine messages must still be accepted in between and at the end.
    fn forgeries(&mut self, random: &mut Random) -> Result<(), Fault> {
        let short = self.reference.random_message(random, 64, 24);
        self.driver.refuses_changed_tags(&short)?;
        for len in FORGED {
            let genuine = self.reference.random_message(random, len, 29);
            for (what, change) in FORGERIES {
                let mut forged = genuine.clone();
                change(&mut forged);
                if !forged.cipher.is_empty() {
                    self.driver.refuses(&forged, what)?;
                }
            }
            self.driver.decrypt(&genuine, "")?;
        }
        Ok(())
    }

    fn batch(&mut self, random: &mut Random) -> Result<(), Fault> {
        let reference = &self.reference;
        self.driver.batch(|| {
            let (len, aad_len) = (16 + 16 * random.below(200), random.below(100));
            reference.random_message(random, len, aad_len)
        })
    }
}

type Forgery = (&'static str, fn(&mut Sealed));

/// Possible changes to a message; a text stays whole blocks, because other lengths are no requests.
/// One that leaves no text is not submitted.
const FORGERIES: [Forgery; 8] = [
    ("a text with its first bit changed", |sealed| flip(&mut sealed.cipher, false, 0x80)),
    ("a text with its last bit changed", |sealed| flip(&mut sealed.cipher, true, 1)),
    ("additional data with its first bit changed", |sealed| flip(&mut sealed.aad, false, 0x80)),
    ("additional data with its last bit changed", |sealed| flip(&mut sealed.aad, true, 1)),
    ("no additional data", |sealed| sealed.aad.clear()),
    ("a text without its last block", |sealed| sealed.cipher.truncate(sealed.cipher.len() - 16)),
    ("a tag of zeros", |sealed| sealed.tag.fill(0)),
    ("additional data without its last byte", |sealed| sealed.aad.truncate(sealed.aad.len() - 1)),
];

#[cfg(test)]
#[path = "authenc_tests.rs"]
mod tests;
