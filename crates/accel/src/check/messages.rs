//! Messages with a tag, through a session of the driver that is checked: genuine ones and forgeries.

use super::{Checked, Fault, compare, verb};
use crate::{Direction, Error, Request, Session};

#[derive(Clone)]
pub(super) struct Sealed {
    pub(super) nonce: Vec<u8>,
    pub(super) aad: Vec<u8>,
    pub(super) plain: Vec<u8>,
    pub(super) cipher: Vec<u8>,
    pub(super) tag: Vec<u8>,
}

impl Sealed {
    pub(super) fn decryption(&self) -> Request<'_> {
        Request {
            aad: &self.aad,
            tag: &self.tag,
            ..Request::new(Direction::Decrypt, &self.nonce, &self.cipher)
        }
    }
}

pub(super) struct MessageSession<'a> {
    pub(super) session: Box<dyn Session>,
    pub(super) name: String,
    pub(super) checked: &'a mut Checked,
}

impl MessageSession<'_> {
    /// And must return the text again.
    pub(super) fn encrypt_and_decrypt(&mut self, sealed: &Sealed, which: &str) -> Result<(), Fault> {
        let request =
            Request { aad: &sealed.aad, ..Request::new(Direction::Encrypt, &sealed.nonce, &sealed.plain) };
        self.crypt_and_compare(&request, &[&sealed.cipher[..], &sealed.tag].concat(), which)?;
        self.decrypt(sealed, which)
    }

    pub(super) fn decrypt(&mut self, sealed: &Sealed, which: &str) -> Result<(), Fault> {
        self.crypt_and_compare(&sealed.decryption(), &sealed.plain, which)
    }

    fn crypt_and_compare(
        &mut self,
        request: &Request<'_>,
        expected: &[u8],
        which: &str,
    ) -> Result<(), Fault> {
        let doing = self.doing(request, which);
        let result = self.session.crypt(request);
        let result = result.map_err(|error| Fault::Failed { doing: doing.clone(), error })?;
        compare(result, expected).map_err(|at| Fault::Wrong { doing, at })?;
        self.count(request.len());
        Ok(())
    }

    pub(super) fn refuses(&mut self, forged: &Sealed, what: &str) -> Result<(), Fault> {
        let request = forged.decryption();
        let doing = self.doing(&request, &format!(": {what}"));
        match self.session.crypt(&request) {
            Err(Error::Forged { .. }) => {}
            Err(error) => return Err(Fault::Failed { doing, error }),
            Ok(_) => return Err(Fault::Accepted { doing }),
        }
        self.count(request.len());
        Ok(())
    }

    pub(super) fn refuses_changed_tags(&mut self, genuine: &Sealed) -> Result<(), Fault> {
        for bit in 0..8 * genuine.tag.len() {
            let mut forged = genuine.clone();
            forged.tag[bit / 8] ^= 1 << (bit % 8);
            self.refuses(&forged, "a tag with one bit changed")?;
        }
        Ok(())
    }

    /// As many requests at once as the session accepts, every third of them a forgery.
    pub(super) fn batch(&mut self, mut message: impl FnMut() -> Sealed) -> Result<(), Fault> {
        let most = self.session.max_batch();
        let mut messages: Vec<_> = (0..most).map(|_| message()).collect();
        messages.iter_mut().step_by(3).for_each(|sealed| sealed.tag[0] ^= 1);
        let requests: Vec<_> = messages.iter().map(Sealed::decryption).collect();
        let doing = |n: usize| format!("{}, request {n} of {most} at once", self.name);
        self.session.submit(&requests).map_err(|error| Fault::Failed { doing: doing(0), error })?;
        for (n, sealed) in messages.iter().enumerate() {
            match (self.session.result(n), n % 3) {
                (Err(Error::Forged { .. }), 0) => {}
                (Ok(_), 0) => return Err(Fault::Accepted { doing: doing(n) }),
                (Err(error), _) => return Err(Fault::Failed { doing: doing(n), error }),
                (Ok(result), _) => {
                    compare(result, &sealed.plain).map_err(|at| Fault::Wrong { doing: doing(n), at })?;
                }
            }
            self.checked.requests += 1;
            self.checked.bytes += sealed.plain.len();
        }
        self.session.release();
        Ok(())
    }

    fn doing(&self, request: &Request<'_>, which: &str) -> String {
        let (len, aad_len) = (request.len(), request.aad.len());
        let verb = verb(request.direction);
        format!("{verb} {len} bytes with {aad_len} of additional data by {}{which}", self.name)
    }

    fn count(&mut self, bytes: usize) {
        self.session.release();
        self.checked.requests += 1;
        self.checked.bytes += bytes;
    }
}

pub(super) fn flip(bytes: &mut [u8], last: bool, bit: u8) {
    let byte = if last { bytes.last_mut() } else { bytes.first_mut() };
    if let Some(byte) = byte {
        *byte ^= bit;
    }
}
