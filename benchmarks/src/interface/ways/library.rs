//! /dev/outboard as the provider uses it: crates/accel, with a copy of each result.

use anyhow::Result;
use outboard_accel::device::Device;
use outboard_accel::{Accelerator, Algorithm, Direction, Request, Session};

use super::Down;
use crate::known_answer::{IV, KEY, text};

/// A session and the application's data.
pub struct Library {
    session: Box<dyn Session>,
    texts: Vec<Vec<u8>>,
}

impl Library {
    pub fn open(driver: &str) -> Result<Library> {
        let session = Device::reach(driver, Algorithm::CbcAes)?.open(&KEY)?;
        Ok(Library { session, texts: Vec::new() })
    }
}

fn request(text: &[u8]) -> Request<'_> {
    Request::new(Direction::Encrypt, &IV, text)
}

impl Down for Library {
    fn prepare(&mut self, bytes: usize, depth: usize) -> Result<()> {
        self.texts = vec![text(bytes); depth];
        Ok(())
    }

    fn batch(&mut self) -> Result<()> {
        if let [text] = &mut self.texts[..] {
            let result = self.session.crypt(&request(text))?;
            // The result is the input of the next request.
            text.copy_from_slice(result);
        } else {
            let requests: Vec<Request<'_>> = self.texts.iter().map(|text| request(text)).collect();
            self.session.submit_and_wait(&requests)?;
            for (index, text) in self.texts.iter_mut().enumerate() {
                text.copy_from_slice(self.session.result(index)?);
            }
        }
        self.session.release();
        Ok(())
    }

    fn result(&self, index: usize) -> &[u8] {
        &self.texts[index]
    }
}
