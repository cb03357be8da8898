//! Equal requests to a driver, with a number of them in flight; the results are copied out, as a
//! program would.

use outboard_accel::{Algorithm, Direction, Error, Request, Session, advance};
use outboard_measure::evp::SAMPLE_IV;

#[derive(Clone)]
pub struct RequestParameters {
    pub algorithm: Algorithm,
    pub direction: Direction,
    pub input: Vec<u8>,
    /// The tag of the ciphertext for AEAD decryption; otherwise empty.
    pub tag: Vec<u8>,
}

pub struct InFlight {
    job: RequestParameters,
    parts: Vec<Part>,
    output: Vec<u8>,
}

/// A session and the number of its requests: the arena of a session holds a limited number.
struct Part {
    session: Box<dyn Session>,
    requests: usize,
}

/// Returns whether `depth` requests of `bytes` bytes can be in flight in this session and others
/// like it.
pub fn fits(
    session: &dyn Session,
    algorithm: Algorithm,
    direction: Direction,
    bytes: usize,
    depth: usize,
) -> bool {
    let is_whole = bytes <= session.max_request(direction);
    // Consecutive chunks, as the provider divides long requests. AEADs and XTS cannot be divided,
    // because the tag and the tweak apply to the whole data.
    let can_follow = !algorithm.has_tags() && algorithm != Algorithm::XtsAes;
    if depth == 1 { is_whole || can_follow } else { is_whole && session.max_batch() > 1 }
}

impl InFlight {
    /// Opens as many sessions as `depth` requests need.
    pub fn new(session: Box<dyn Session>, job: RequestParameters, depth: usize) -> Result<InFlight, Error> {
        let mut most = session.max_batch();
        let (mut left, mut next) = (depth, Some(session));
        let mut in_flight = InFlight { job, parts: Vec::new(), output: Vec::new() };
        while left > 0 {
            let mut session = match next.take() {
                Some(session) => session,
                None => in_flight.parts[0].session.share()?,
            };
            let requests = left.min(most);
            if !in_flight.is_long(&*session) {
                match session.submit(&vec![in_flight.request(); requests]) {
                    Ok(()) => {}
                    // More requests than an arena holds.
                    Err(Error::Batch { .. }) if requests > 1 => {
                        (most, next) = (requests / 2, Some(session));
                        continue;
                    }
                    Err(error) => return Err(error),
                }
                (0..requests).try_for_each(|index| session.result(index).map(drop))?;
                session.release();
            }
            in_flight.parts.push(Part { session, requests });
            left -= requests;
        }
        Ok(in_flight)
    }

    /// Runs all requests, from the submission to the last result; calls `done` after each result
    /// was copied.
    pub fn run(&mut self, done: &mut dyn FnMut()) -> Result<(), Error> {
        let InFlight { job, parts, output } = self;
        let request = job.request();
        match &mut parts[..] {
            [Part { session, requests: 1 }] if request.len() > session.max_request(job.direction) => {
                job.pieces(&mut **session, output)?;
                done();
            }
            parts => {
                // Submit all requests before waiting for the last ones.
                if let Some((last, before)) = parts.split_last_mut() {
                    for Part { session, requests } in before {
                        session.submit(&vec![request; *requests])?;
                    }
                    last.session.submit_and_wait(&vec![request; last.requests])?;
                }
                for Part { session, requests } in parts {
                    for index in 0..*requests {
                        copy(output, session.result(index)?);
                        done();
                    }
                    session.release();
                }
            }
        }
        Ok(())
    }

    pub fn output(&self) -> &[u8] {
        &self.output
    }

    fn request(&self) -> Request<'_> {
        self.job.request()
    }

    fn is_long(&self, session: &dyn Session) -> bool {
        self.job.input.len() > session.max_request(self.job.direction)
    }
}

impl RequestParameters {
    fn request(&self) -> Request<'_> {
        let iv = &SAMPLE_IV[..self.algorithm.iv_len()];
        Request { tag: &self.tag, ..Request::new(self.direction, iv, &self.input) }
    }

    /// Processes a request that is too long as consecutive chunks.
    fn pieces(&self, session: &mut dyn Session, output: &mut Vec<u8>) -> Result<(), Error> {
        let iv_len = self.algorithm.iv_len();
        let mut iv = SAMPLE_IV[..iv_len].to_vec();
        output.clear();
        for piece in self.input.chunks(session.max_request(self.direction)) {
            output.extend_from_slice(session.crypt(&Request::new(self.direction, &iv, piece))?);
            session.release();
            iv = match (self.algorithm, self.direction) {
                (Algorithm::CtrAes, _) => {
                    let counter = <[u8; 16]>::try_from(&iv[..]).unwrap_or(SAMPLE_IV);
                    advance(counter, piece.len() / 16).to_vec()
                }
                // The chaining value is the next IV (SP 800-38A, 6.2); without an IV it is empty.
                (_, Direction::Encrypt) => output[output.len() - iv_len..].to_vec(),
                (_, Direction::Decrypt) => piece[piece.len() - iv_len..].to_vec(),
            };
        }
        Ok(())
    }
}

fn copy(output: &mut Vec<u8>, result: &[u8]) {
    output.clear();
    output.extend_from_slice(result);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds one to each byte, and records its requests; holds 32 bytes of requests at a time.
    #[derive(Default)]
    struct Adder {
        results: Vec<Vec<u8>>,
        ivs: Vec<Vec<u8>>,
    }

    impl outboard_accel::InFlight for Adder {}

    impl Session for Adder {
        fn max_request(&self, _: Direction) -> usize {
            32
        }
        fn max_batch(&self) -> usize {
            8
        }
        fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
            let bytes: usize = requests.iter().map(Request::len).sum();
            if requests.len() > 8 || bytes > 64 {
                return Err(Error::Batch { count: requests.len(), max: 8 });
            }
            self.ivs.extend(requests.iter().map(|request| request.iv.to_vec()));
            let add = |request: &Request<'_>| request.input.iter().map(|byte| byte.wrapping_add(1)).collect();
            self.results = requests.iter().map(add).collect();
            Ok(())
        }
        fn result(&mut self, index: usize) -> Result<&[u8], Error> {
            Ok(&self.results[index])
        }
        fn release(&mut self) {
            self.results.clear();
        }
        fn share(&self) -> Result<Box<dyn Session>, Error> {
            Ok(Box::new(Adder::default()))
        }
    }

    fn job(bytes: usize) -> RequestParameters {
        RequestParameters {
            algorithm: Algorithm::CbcAes,
            direction: Direction::Encrypt,
            input: vec![6; bytes],
            tag: Vec::new(),
        }
    }

    #[test]
    fn as_many_as_wanted_are_in_flight_in_as_many_sessions_as_it_takes() {
        for (bytes, depth, parts) in
            [(16, 1, &[1][..]), (16, 4, &[4]), (16, 11, &[4, 4, 3]), (32, 3, &[1; 3])]
        {
            let mut in_flight = InFlight::new(Box::new(Adder::default()), job(bytes), depth).unwrap();
            let found: Vec<usize> = in_flight.parts.iter().map(|part| part.requests).collect();
            assert_eq!(found, parts, "{bytes} {depth}");
            let mut done = 0;
            in_flight.run(&mut || done += 1).unwrap();
            assert_eq!((done, in_flight.output()), (depth, &vec![7; bytes][..]));
        }
    }

    #[test]
    fn a_request_that_is_too_long_is_processed_in_chunks() {
        let mut adder = Adder::default();
        let mut output = Vec::new();
        let text: Vec<u8> = (0..80).collect();
        let chained = RequestParameters { input: text.clone(), ..job(0) };
        chained.pieces(&mut adder, &mut output).unwrap();
        assert_eq!(output, (1..81).collect::<Vec<u8>>());
        assert_eq!(adder.ivs, [SAMPLE_IV.to_vec(), (17..33).collect(), (49..65).collect()]);
        let back = RequestParameters { direction: Direction::Decrypt, ..chained.clone() };
        let mut adder = Adder::default();
        back.pieces(&mut adder, &mut output).unwrap();
        assert_eq!(adder.ivs[1..], [text[16..32].to_vec(), text[48..64].to_vec()]);
        let counted = RequestParameters { algorithm: Algorithm::CtrAes, ..chained };
        let mut adder = Adder::default();
        counted.pieces(&mut adder, &mut output).unwrap();
        assert_eq!(adder.ivs[2], advance(SAMPLE_IV, 4));
    }

    #[test]
    fn only_what_a_session_can_do_is_asked_of_it() {
        let adder = Adder::default();
        for (algorithm, bytes, depth, expected) in [
            (Algorithm::CbcAes, 32, 64, true),
            (Algorithm::CbcAes, 48, 1, true),
            (Algorithm::CbcAes, 48, 2, false),
            (Algorithm::XtsAes, 48, 1, false),
            (Algorithm::GcmAes, 48, 1, false),
            (Algorithm::GcmAes, 32, 2, true),
        ] {
            let found = fits(&adder, algorithm, Direction::Encrypt, bytes, depth);
            assert_eq!(found, expected, "{algorithm:?} {bytes} {depth}");
        }
    }
}
