//! Checks the results of an AEAD driver, which must also reject forgeries.

use super::aes::Aes;
use super::ccm::ccm;
use super::gcm::gcm;
use super::messages::{MessageSession, Sealed, flip};
use super::vectors::hex;
use super::{Checked, Fault, Random};
use crate::{Accelerator, Algorithm, Direction, MAX_AAD};

/// None, partial blocks, around a page, a TLS record and longer.
const LENGTHS: [usize; 16] =
    [0, 1, 15, 16, 17, 31, 32, 33, 100, 1000, 4080, 4095, 4096, 4097, 16_384, 16_401];

/// None, those of TLS 1.3, TLS 1.2 and ESP, and the first block of CCM, which includes two bytes of
/// length.
const AAD_LENGTHS: [usize; 10] = [0, 1, 5, 8, 13, 14, 16, 20, 64, MAX_AAD];

const FORGED: [usize; 4] = [0, 1, 16, 300];

/// Bytes are hexadecimal.
struct Example {
    algorithm: Algorithm,
    key: &'static str,
    nonce: &'static str,
    aad: &'static str,
    plain: &'static str,
    cipher: &'static str,
    tag: &'static str,
    source: &'static str,
}

const GCM_PLAIN: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                         1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
const GCM_AAD: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
const GCM_NONCE: &str = "cafebabefacedbaddecaf888";

/// McGrew and Viega, "The Galois/Counter Mode of Operation"; SP 800-38C, appendix C.
const EXAMPLES: [Example; 6] = [
    Example {
        algorithm: Algorithm::GcmAes,
        key: "feffe9928665731c6d6a8f9467308308",
        nonce: GCM_NONCE,
        aad: GCM_AAD,
        plain: GCM_PLAIN,
        cipher: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                 21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
        tag: "5bc94fbc3221a5db94fae95ae7121a47",
        source: "McGrew and Viega, test case 4",
    },
    Example {
        algorithm: Algorithm::GcmAes,
        key: "feffe9928665731c6d6a8f9467308308feffe9928665731c",
        nonce: GCM_NONCE,
        aad: GCM_AAD,
        plain: GCM_PLAIN,
        cipher: "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c\
                 7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
        tag: "2519498e80f1478f37ba55bd6d27618c",
        source: "McGrew and Viega, test case 10",
    },
    Example {
        algorithm: Algorithm::GcmAes,
        key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        nonce: GCM_NONCE,
        aad: GCM_AAD,
        plain: GCM_PLAIN,
        cipher: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                 8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
        tag: "76fc6ece0f4e1768cddf8853bb2d551b",
        source: "McGrew and Viega, test case 16",
    },
    Example {
        algorithm: Algorithm::CcmAes,
        key: "404142434445464748494a4b4c4d4e4f",
        nonce: "10111213141516",
        aad: "0001020304050607",
        plain: "20212223",
        cipher: "7162015b",
        tag: "4dac255d",
        source: "SP 800-38C, example 1",
    },
    Example {
        algorithm: Algorithm::CcmAes,
        key: "404142434445464748494a4b4c4d4e4f",
        nonce: "1011121314151617",
        aad: "000102030405060708090a0b0c0d0e0f",
        plain: "202122232425262728292a2b2c2d2e2f",
        cipher: "d2a1f0e051ea5f62081a7792073d593d",
        tag: "1fc64fbfaccd",
        source: "SP 800-38C, example 2",
    },
    Example {
        algorithm: Algorithm::CcmAes,
        key: "404142434445464748494a4b4c4d4e4f",
        nonce: "101112131415161718191a1b",
        aad: "000102030405060708090a0b0c0d0e0f10111213",
        plain: "202122232425262728292a2b2c2d2e2f3031323334353637",
        cipher: "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5",
        tag: "484392fbc1b09951",
        source: "SP 800-38C, example 3",
    },
];

pub(super) struct Reference {
    algorithm: Algorithm,
    aes: Aes,
    tag_len: usize,
}

impl Reference {
    pub(super) fn new(algorithm: Algorithm, key: &[u8], tag_len: usize) -> Reference {
        Reference { algorithm, aes: Aes::new(key), tag_len }
    }

    pub(super) fn crypt(
        &self,
        direction: Direction,
        nonce: &[u8],
        aad: &[u8],
        data: &[u8],
    ) -> (Vec<u8>, Vec<u8>) {
        let encrypt = direction == Direction::Encrypt;
        match self.algorithm {
            Algorithm::CcmAes => ccm(&self.aes, encrypt, self.tag_len, nonce, aad, data),
            _ => gcm(&self.aes, encrypt, nonce, aad, data),
        }
    }
}

pub(super) fn check(
    accelerator: &dyn Accelerator,
    algorithm: Algorithm,
    checked: &mut Checked,
    random: &mut Random,
) -> Result<(), Fault> {
    for example in EXAMPLES.iter().filter(|example| example.algorithm == algorithm) {
        let (key, tag_len) = (hex(example.key), hex(example.tag).len());
        Run::new(accelerator, algorithm, &key, tag_len, checked)?.example(example)?;
    }
    for key_len in [16, 24, 32] {
        let tag_lens: &[usize] =
            if algorithm == Algorithm::CcmAes { &[16, 4, 6, 8, 10, 12, 14] } else { &[16] };
        for &tag_len in tag_lens {
            let key = random.bytes(key_len);
            let mut run = Run::new(accelerator, algorithm, &key, tag_len, checked)?;
            run.forgeries(random)?;
            if tag_len == 16 {
                run.lengths(random)?;
                run.batch(random)?;
            }
        }
    }
    Ok(())
}

struct Run<'a> {
    algorithm: Algorithm,
    reference: Reference,
    driver: MessageSession<'a>,
}

impl<'a> Run<'a> {
    fn new(
        accelerator: &dyn Accelerator,
        algorithm: Algorithm,
        key: &[u8],
        tag_len: usize,
        checked: &'a mut Checked,
    ) -> Result<Run<'a>, Fault> {
        let bits = key.len() * 8;
        let name = format!("{} ({bits}-bit key, {tag_len}-byte tags)", algorithm.kernel_name());
        let opened = accelerator.open_with_tag(key, tag_len);
        let session =
            opened.map_err(|error| Fault::Failed { doing: format!("opening a session of {name}"), error })?;
        let driver = MessageSession { session, name, checked };
        Ok(Run { algorithm, reference: Reference::new(algorithm, key, tag_len), driver })
    }

    fn example(&mut self, example: &Example) -> Result<(), Fault> {
        let [nonce, aad, plain, cipher, tag] =
            [example.nonce, example.aad, example.plain, example.cipher, example.tag].map(hex);
        self.driver.encrypt_and_decrypt(
            &Sealed { nonce, aad, plain, cipher, tag },
            &format!(" of {}", example.source),
        )
    }

    fn lengths(&mut self, random: &mut Random) -> Result<(), Fault> {
        let most = self.driver.session.max_request(Direction::Encrypt);
        for (n, len) in LENGTHS.into_iter().chain([most, random.below(most)]).enumerate() {
            let aad_len = AAD_LENGTHS[(n + random.below(3) * 7) % AAD_LENGTHS.len()];
            let sealed = self.sealed(random, len.min(most), aad_len);
            self.driver.encrypt_and_decrypt(&sealed, "")?;
        }
        for aad_len in AAD_LENGTHS.into_iter().chain([random.below(MAX_AAD)]) {
            let sealed = self.sealed(random, 33, aad_len);
            self.driver.encrypt_and_decrypt(&sealed, "")?;
        }
        Ok(())
    }

    /// Changes each bit of the tag, and bits of the data, the additional data and the nonce, and
    /// moves the border between both data. Genuine messages must still be accepted.
    fn forgeries(&mut self, random: &mut Random) -> Result<(), Fault> {
        let short = self.sealed(random, 64, 20);
        self.driver.refuses_changed_tags(&short)?;
        for len in FORGED {
            let genuine = self.sealed(random, len, 13);
            for (what, change) in FORGERIES {
                let mut forged = genuine.clone();
                change(&mut forged);
                if forged.cipher != genuine.cipher || forged.aad != genuine.aad || forged.tag != genuine.tag {
                    self.driver.refuses(&forged, what)?;
                }
            }
            let mut forged = genuine.clone();
            forged.nonce[5] ^= 1;
            self.driver.refuses(&forged, "a message under another nonce")?;
            self.driver.decrypt(&genuine, "")?;
        }
        Ok(())
    }

    fn sealed(&self, random: &mut Random, len: usize, aad_len: usize) -> Sealed {
        sealed(self.algorithm, &self.reference, random, len, aad_len)
    }

    fn batch(&mut self, random: &mut Random) -> Result<(), Fault> {
        let (algorithm, reference) = (self.algorithm, &self.reference);
        self.driver.batch(|| {
            let (len, aad_len) = (random.below(4096), random.below(100));
            sealed(algorithm, reference, random, len, aad_len)
        })
    }
}

/// A CCM nonce has any length that leaves room for the data length.
fn sealed(
    algorithm: Algorithm,
    reference: &Reference,
    random: &mut Random,
    len: usize,
    aad_len: usize,
) -> Sealed {
    let nonce_len = match algorithm {
        Algorithm::CcmAes => 7 + random.below(if len > 0xffff { 6 } else { 7 }),
        other => other.iv_len(),
    };
    let [nonce, aad, plain] = [nonce_len, aad_len, len].map(|len| random.bytes(len));
    let (cipher, tag) = reference.crypt(Direction::Encrypt, &nonce, &aad, &plain);
    Sealed { nonce, aad, plain, cipher, tag }
}

type Forgery = (&'static str, fn(&mut Sealed));

/// Some change nothing if the data is empty.
const FORGERIES: [Forgery; 9] = [
    ("data with its first bit changed", |sealed| flip(&mut sealed.cipher, false, 0x80)),
    ("data with its last bit changed", |sealed| flip(&mut sealed.cipher, true, 1)),
    ("additional data with its first bit changed", |sealed| flip(&mut sealed.aad, false, 0x80)),
    ("additional data with its last bit changed", |sealed| flip(&mut sealed.aad, true, 1)),
    ("additional data without its last byte", |sealed| {
        sealed.aad.truncate(sealed.aad.len().saturating_sub(1))
    }),
    ("no additional data", |sealed| sealed.aad.clear()),
    ("data without its last byte", |sealed| sealed.cipher.truncate(sealed.cipher.len().saturating_sub(1))),
    ("data whose first byte was moved to the additional data", |sealed| {
        if !sealed.cipher.is_empty() {
            sealed.aad.push(sealed.cipher.remove(0));
        }
    }),
    ("a tag of zeros", |sealed| sealed.tag.fill(0)),
];

#[cfg(test)]
#[path = "aead_tests.rs"]
mod tests;
