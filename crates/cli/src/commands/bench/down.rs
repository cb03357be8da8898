//! A way down to a driver: what opens sessions, and one that says what fits.

use outboard_accel::{
    Accelerator, Algorithm, Direction, Error, HashSession, Session, reach_all, reach_all_hash,
};

use super::messages::Messages;
use super::worker::Worker;
use crate::in_flight::{self, InFlight, Job};
use crate::primitive::Primitive;

/// To a driver of a cipher, or of a digest or an HMAC.
pub enum Down {
    /// Of a cipher.
    Cipher {
        /// Which.
        algorithm: Algorithm,
        /// What opens sessions.
        accelerator: Box<dyn Accelerator>,
        /// One of them.
        probe: Box<dyn Session>,
    },
    /// Of a digest or an HMAC.
    Hash {
        /// What opens sessions.
        accelerator: Box<dyn Accelerator<dyn HashSession>>,
        /// One of them.
        probe: Box<dyn HashSession>,
        /// Whether a message can be longer than a request.
        keeps_state: bool,
    },
}

/// Workers, one for each thread.
type Workers = Vec<Box<dyn Worker>>;

/// What all workers are asked for, and what must come of it.
pub struct Asked<'a> {
    /// The text.
    pub input: &'a [u8],
    /// What the text to be decrypted came with, where there are tags.
    pub tag: &'a [u8],
    /// The result.
    pub output: &'a [u8],
    /// Which way; none for a digest or an HMAC.
    pub direction: Option<Direction>,
    /// Under which key; empty for a digest.
    pub key: &'a [u8],
}

impl Down {
    /// All to a driver: over /dev/outboard, /dev/crypto, AF_ALG.
    pub fn all(driver: &str, primitive: Primitive, key: &[u8]) -> [Result<Down, Error>; 3] {
        match primitive {
            Primitive::Cipher(algorithm) => reach_all(driver, algorithm).map(|reached| {
                let accelerator = reached?;
                let probe = accelerator.open(key)?;
                Ok(Down::Cipher { algorithm, accelerator, probe })
            }),
            Primitive::Hash(algorithm) => reach_all_hash(driver, algorithm).map(|reached| {
                let accelerator = reached?;
                let mut probe = accelerator.open(key)?;
                let keeps_state = keeps_state(&mut *probe)?;
                Ok(Down::Hash { accelerator, probe, keeps_state })
            }),
        }
    }

    /// `/dev/outboard`
    pub fn interface(&self) -> &'static str {
        match self {
            Down::Cipher { accelerator, .. } => accelerator.interface(),
            Down::Hash { accelerator, .. } => accelerator.interface(),
        }
    }

    /// Whether so many requests of so many bytes can be in flight.
    pub fn fits(&self, direction: Option<Direction>, bytes: usize, depth: usize) -> bool {
        match self {
            Down::Cipher { algorithm, probe, .. } => {
                direction.is_some_and(|way| in_flight::fits(&**probe, *algorithm, way, bytes, depth))
            }
            Down::Hash { probe, keeps_state, .. } => {
                let is_whole = bytes <= probe.max_request();
                if depth == 1 { is_whole || *keeps_state } else { is_whole && depth <= probe.max_batch() }
            }
        }
    }

    /// A worker for each thread, whose first results were right.
    pub fn team(&self, asked: &Asked<'_>, depth: usize, threads: usize) -> Result<Workers, String> {
        let said = |error: Error| error.to_string();
        match self {
            Down::Cipher { algorithm, accelerator, .. } => {
                let first = accelerator.open(asked.key).map_err(said)?;
                let direction = asked.direction.unwrap_or(Direction::Encrypt);
                let (input, tag) = (asked.input.to_vec(), asked.tag.to_vec());
                let job = Job { algorithm: *algorithm, direction, input, tag };
                let worker = |_| {
                    let session = first.share().map_err(said)?;
                    let mut requests = InFlight::new(session, job.clone(), depth).map_err(said)?;
                    requests.run(&mut || {}).map_err(said)?;
                    let mut places = 0..asked.output.len();
                    match places.find(|&at| requests.output().get(at) != asked.output.get(at)) {
                        None => Ok(Box::new(requests) as Box<dyn Worker>),
                        Some(at) => {
                            Err(format!("the result is wrong from byte {at} on: outboard check says more"))
                        }
                    }
                };
                (0..threads).map(worker).collect()
            }
            Down::Hash { accelerator, .. } => {
                let first = accelerator.open(asked.key).map_err(said)?;
                let worker = |_| {
                    let session = first.share().map_err(said)?;
                    let mut messages = Messages::new(session, asked.input.to_vec(), depth);
                    messages.run().map_err(said)?;
                    match messages.are(asked.output) {
                        true => Ok(Box::new(messages) as Box<dyn Worker>),
                        false => Err("a result is wrong: outboard check says more".to_owned()),
                    }
                };
                (0..threads).map(worker).collect()
            }
        }
    }
}

/// Some drivers cannot give the state of a message out.
fn keeps_state(session: &mut dyn HashSession) -> Result<bool, Error> {
    match session.begin().and_then(|mut state| state.update(&[0; 128])) {
        Err(Error::NoState { .. }) => Ok(false),
        done => done.map(|()| true),
    }
}
