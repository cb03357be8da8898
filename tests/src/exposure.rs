//! The wrong results of a driver that reach an application: messages through EVP, processed by the
//! driver and by OpenSSL's own code, with one key per algorithm.

use crate::bytes::{array, bytes};
use crate::evp::{Cipher, Context, DigestContext, Direction, Hmac, HmacContext};
use crate::world::World;

/// The length of the shortest message in bytes; all lengths are multiples of it.
pub const SHORTEST: usize = 16;
/// The length of the longest message in bytes.
pub const LONGEST: usize = 4096;

/// One algorithm of one provider.
pub enum Contestant {
    /// CBC, CTR, ECB, XTS, triple DES.
    Cipher(Context),
    /// GCM and CCM with their key.
    Aead(Context, Vec<u8>),
    /// A digest.
    Digest(crate::evp::Digest),
    /// HMAC with its key.
    Hmac(HmacContext, Vec<u8>),
}

impl Contestant {
    /// The provider's algorithm and OpenSSL's own; `None` if the provider does not offer it. The
    /// provider offers HMAC if it has a driver for the HMAC of any digest.
    #[track_caller]
    pub fn both(world: &World, name: &str) -> Option<[Contestant; 2]> {
        if let Some(digest) = name.strip_prefix("HMAC-") {
            // OpenSSL's HMAC fetches its digest by name: without a query it could be the
            // provider's.
            let hard = Contestant::hmac(&world.hard_hmac()?, digest, None);
            return Some([hard, Contestant::hmac(&world.soft_hmac(), digest, Some("provider=default"))]);
        }
        if name.starts_with("SHA") {
            return Some([world.hard_digest(name)?, world.soft_digest(name)].map(Contestant::Digest));
        }
        let hard = world.hard_if_offered(name)?;
        Some([hard, world.soft(name)].map(|cipher| Contestant::cipher(&cipher, name)))
    }

    fn hmac(mac: &Hmac, digest: &str, properties: Option<&str>) -> Contestant {
        let (mut context, key) = (HmacContext::new(mac), bytes(1, 20));
        context.begin_with_properties(Some(digest), properties, Some(&key)).expect("a key");
        Contestant::Hmac(context, key)
    }

    fn cipher(cipher: &Cipher, name: &str) -> Contestant {
        let key = bytes(1, cipher.key_length());
        if !name.ends_with("GCM") && !name.ends_with("CCM") {
            let mut context = Context::keyed(cipher, &key, &array(2), Direction::Encrypt);
            context.set_padding(false).expect("padding off");
            return Contestant::Cipher(context);
        }
        let mut context = Context::new();
        context.init(Some(cipher), None, None, Some(Direction::Encrypt)).expect("a cipher");
        context.set_nonce_length(12).expect("12 bytes");
        if cipher.is_ccm() {
            context.set_tag_length(16).expect("16 bytes");
        }
        context.init_with_nonce(&key, &array::<12>(2)).expect("a key");
        Contestant::Aead(context, key)
    }

    /// The result for a message: ciphertext, with the tag of an AEAD appended, digest or MAC.
    #[track_caller]
    pub fn result(&mut self, number: u64, message: &[u8]) -> Vec<u8> {
        match self {
            Contestant::Cipher(context) => {
                context.init(None, None, Some(&array(number)), None).expect("an IV");
                let mut output = vec![0; message.len() + 16];
                let written = context.update(message, &mut output).expect("update");
                output.truncate(written);
                output
            }
            Contestant::Aead(context, key) => {
                context.init_with_nonce(key, &array::<12>(number)).expect("a nonce");
                let mut output = vec![0; message.len() + 16];
                context.update(message, &mut output).expect("update");
                context.finish(&mut [0; 16]).expect("final");
                output.truncate(message.len());
                output.extend_from_slice(&context.tag(16).0);
                output
            }
            Contestant::Digest(digest) => {
                let mut context = DigestContext::begun(digest);
                context.update(message).expect("update");
                context.finish().1
            }
            Contestant::Hmac(context, key) => {
                context.begin(None, Some(key)).expect("init");
                context.update(message).expect("update");
                context.finish().1
            }
        }
    }
}

/// The pseudo-random length of a message in bytes, from [`SHORTEST`] to [`LONGEST`].
pub fn length(number: u64) -> usize {
    let random = u64::from_le_bytes(array(number ^ 0x6c65_6e67)) as usize;
    SHORTEST * (1 + random % (LONGEST / SHORTEST))
}

/// Processes `count` messages and returns the number of wrong results. `None` if the provider does
/// not offer the algorithm.
#[track_caller]
pub fn wrong_results(world: &World, name: &str, seed: u64, count: u64) -> Option<u64> {
    let [mut hard, mut soft] = Contestant::both(world, name)?;
    let longest = bytes(seed, LONGEST);
    let is_wrong = |&number: &u64| {
        let message = &longest[..length(seed.wrapping_mul(count) + number)];
        hard.result(number, message) != soft.result(number, message)
    };
    Some((0..count).filter(is_wrong).count() as u64)
}
