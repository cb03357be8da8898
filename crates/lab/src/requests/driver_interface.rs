//! An interface to a driver: it opens sessions; one of them is a probe that reports which requests
//! fit.

use outboard_accel::primitive::Primitive;
use outboard_accel::{Accelerator, Algorithm, Direction, Error, HashSession, Session};

use super::contestants::Interface;
use super::in_flight::{self, InFlight, RequestParameters};
use super::messages::Messages;
use super::worker::Worker;

pub enum DriverInterface {
    Cipher(Algorithm, Box<dyn Accelerator>),
    Hash(Box<dyn Accelerator<dyn HashSession>>),
}

pub enum Probe {
    Cipher(Algorithm, Box<dyn Session>),
    Hash(Box<dyn HashSession>),
    /// None: the provider makes the requests, with look-ahead.
    Lookahead {
        is_gcm: bool,
    },
}

type Workers = Vec<Box<dyn Worker>>;

pub struct Requests<'a> {
    pub input: &'a [u8],
    /// The tag of the ciphertext for AEAD decryption; otherwise empty.
    pub tag: &'a [u8],
    pub output: &'a [u8],
    /// The direction; `None` for a digest or an HMAC.
    pub direction: Option<Direction>,
    /// The key; empty for a digest.
    pub key: &'a [u8],
}

impl DriverInterface {
    pub fn reach(interface: Interface, driver: &str, primitive: Primitive) -> Result<DriverInterface, Error> {
        Ok(match primitive {
            Primitive::Cipher(algorithm) => {
                DriverInterface::Cipher(algorithm, interface.reach(driver, algorithm)?)
            }
            Primitive::Hash(algorithm) => DriverInterface::Hash(interface.reach_hash(driver, algorithm)?),
        })
    }

    pub fn interface(&self) -> &'static str {
        match self {
            DriverInterface::Cipher(_, accelerator) => accelerator.interface(),
            DriverInterface::Hash(accelerator) => accelerator.interface(),
        }
    }

    pub fn probe(&self, key: &[u8]) -> Result<Probe, Error> {
        match self {
            DriverInterface::Cipher(algorithm, accelerator) => {
                Ok(Probe::Cipher(*algorithm, accelerator.open(key)?))
            }
            DriverInterface::Hash(accelerator) => Ok(Probe::Hash(accelerator.open(key)?)),
        }
    }

    pub fn team(&self, asked: &Requests<'_>, depth: usize, threads: usize) -> Result<Workers, String> {
        let message = |error: Error| error.to_string();
        match self {
            DriverInterface::Cipher(algorithm, accelerator) => {
                let first = accelerator.open(asked.key).map_err(message)?;
                let direction = asked.direction.unwrap_or(Direction::Encrypt);
                let (input, tag) = (asked.input.to_vec(), asked.tag.to_vec());
                let job = RequestParameters { algorithm: *algorithm, direction, input, tag };
                let worker = |_| {
                    let session = first.share().map_err(message)?;
                    let mut requests = InFlight::new(session, job.clone(), depth).map_err(message)?;
                    requests.run(&mut || {}).map_err(message)?;
                    let mut places = 0..asked.output.len();
                    match places.find(|&at| requests.output().get(at) != asked.output.get(at)) {
                        None => Ok(Box::new(requests) as Box<dyn Worker>),
                        Some(at) => Err(format!("the result is wrong from byte {at} on: run outboard check")),
                    }
                };
                (0..threads).map(worker).collect()
            }
            DriverInterface::Hash(accelerator) => {
                let first = accelerator.open(asked.key).map_err(message)?;
                let worker = |_| {
                    let session = first.share().map_err(message)?;
                    let mut messages = Messages::new(session, asked.input.to_vec(), depth);
                    messages.run().map_err(message)?;
                    match messages.are(asked.output) {
                        true => Ok(Box::new(messages) as Box<dyn Worker>),
                        false => Err("a result is wrong: run outboard check".to_owned()),
                    }
                };
                (0..threads).map(worker).collect()
            }
        }
    }
}

impl Probe {
    pub fn fits(&self, direction: Option<Direction>, bytes: usize, depth: usize) -> bool {
        match self {
            Probe::Cipher(algorithm, session) => direction
                .is_some_and(|direction| in_flight::fits(&**session, *algorithm, direction, bytes, depth)),
            Probe::Hash(session) => bytes <= session.max_request() && depth <= session.max_batch(),
            // Decryption of GCM uses the same key stream as encryption and is not measured.
            Probe::Lookahead { is_gcm } => depth == 1 && !(*is_gcm && direction == Some(Direction::Decrypt)),
        }
    }
}
