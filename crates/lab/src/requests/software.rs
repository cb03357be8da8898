//! OpenSSL's own code for a cipher, a digest or an HMAC.

use outboard_accel::Direction;
use outboard_catalog::DIGEST_NAMES;
use outboard_measure::evp::{Cipher, Context, Digest, Error, Example, Hashing, Hmac, sample_key};

use super::worker::Worker;

pub enum Software<'a> {
    Cipher(Cipher<'a>),
    Digest(Digest<'a>),
    Hmac(Hmac<'a>),
}

impl<'a> Software<'a> {
    pub fn find(context: &'a Context<'a>, name: &str) -> Option<Software<'a>> {
        if let Some(digest) = name.strip_prefix("HMAC-") {
            return context.hmac(digest, "").map(Software::Hmac);
        }
        match DIGEST_NAMES.contains(&name) {
            true => context.digest(name, "").map(Software::Digest),
            false => context.cipher(name, "").map(Software::Cipher),
        }
    }

    pub fn key(&self) -> Vec<u8> {
        match self {
            Software::Cipher(cipher) => sample_key(cipher.key_length()),
            Software::Digest(_) => Vec::new(),
            Software::Hmac(hmac) => sample_key(hmac.size()),
        }
    }

    pub fn example(&'a self, direction: Option<Direction>, bytes: usize) -> Result<Example, Error> {
        match self {
            Software::Cipher(cipher) => cipher.example(encrypts(direction), bytes),
            Software::Digest(digest) => hashed(digest.hashing(bytes)?),
            Software::Hmac(hmac) => hashed(hmac.hashing(&self.key(), bytes)?),
        }
    }

    /// Creates a worker for requests of `bytes` bytes.
    pub fn worker(
        &'a self,
        direction: Option<Direction>,
        bytes: usize,
    ) -> Result<Box<dyn Worker + 'a>, Error> {
        Ok(match self {
            Software::Cipher(cipher) => Box::new(cipher.work(encrypts(direction), bytes)?),
            Software::Digest(digest) => Box::new(digest.hashing(bytes)?),
            Software::Hmac(hmac) => Box::new(hmac.hashing(&self.key(), bytes)?),
        })
    }
}

fn hashed(mut hashing: Hashing<'_>) -> Result<Example, Error> {
    hashing.run(1)?;
    let (input, output) = (hashing.message().to_vec(), hashing.output().to_vec());
    Ok(Example { input, tag: Vec::new(), output })
}

fn encrypts(direction: Option<Direction>) -> bool {
    direction != Some(Direction::Decrypt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_measure::evp::Library;

    #[test]
    fn all_are_found_by_their_names_with_the_key_that_they_need() {
        let library = Library::open().expect("the tests' machine has OpenSSL");
        let context = Context::software(&library).unwrap();
        let digest = Software::find(&context, "SHA2-256").unwrap();
        assert!(digest.key().is_empty());
        let Example { input, tag, output } = digest.example(None, 64).unwrap();
        assert_eq!((input.len(), tag.len(), output.len()), (64, 0, 32));
        let mut worker = digest.worker(None, 64).unwrap();
        assert_eq!(worker.run(3), Ok(None));
        let hmac = Software::find(&context, "HMAC-SHA2-256").unwrap();
        assert_eq!(hmac.key().len(), 32);
        assert_ne!(hmac.example(None, 64).unwrap().output, output);
        assert_eq!(hmac.worker(None, 64).unwrap().run(3), Ok(None));
        let cipher = Software::find(&context, "AES-128-CTR").unwrap();
        assert_eq!(cipher.key().len(), 16);
        let [there, back] = [Direction::Encrypt, Direction::Decrypt].map(Some);
        assert_eq!(cipher.example(there, 32).unwrap().output, cipher.example(back, 32).unwrap().output);
        for unknown in ["SHA2-257", "HMAC-SHA2-257", "HMAC-AES-128-CTR"] {
            assert!(Software::find(&context, unknown).is_none(), "{unknown}");
        }
    }
}
