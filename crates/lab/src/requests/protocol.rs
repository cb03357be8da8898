//! Requests to the process of a pass and its answers, one line of JSON each.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use crate::documents::bench::{CipherDirection, Contestant};
use outboard_measure::turns::{Plan, Series};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellRequest {
    pub cipher: String,
    /// The direction; null for a digest or an HMAC.
    pub direction: Option<CipherDirection>,
    pub bytes: usize,
    pub threads: usize,
    pub plan: Plan,
    pub entries: Vec<CellContestant>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellContestant {
    pub contestant: Contestant,
    /// Requests in flight per thread.
    pub depth: usize,
    /// Number of batches per sample, if it is known.
    pub batches: Option<u32>,
    /// Labels of the lines in /proc/interrupts that count for the contestant.
    pub lines: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PassMessage {
    Ready,
    Measured(CellResults),
    Stopped(CellResults),
    Failed(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellResults {
    /// Time of a fixed computation just before, to detect noise.
    pub arithmetic: Duration,
    pub measured: Vec<Measured>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Number of batches per sample; 0 before it is known.
    pub batches: u32,
    pub series: Option<Series>,
    /// Latencies of requests, in seconds.
    pub latencies: Vec<f64>,
    pub fault: Option<String>,
}

#[derive(Debug)]
pub enum InvalidMessage {
    Truncated,
    Malformed(serde_json::Error),
    Io(io::Error),
}

impl std::error::Error for InvalidMessage {}

impl std::fmt::Display for InvalidMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InvalidMessage::Truncated => write!(f, "a line ended in the middle"),
            InvalidMessage::Malformed(error) => write!(f, "a line is no message: {error}"),
            InvalidMessage::Io(error) => write!(f, "{error}"),
        }
    }
}

pub fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.flush()
}

/// Receives the next message; `None` if the peer has closed the stream between two messages.
pub fn receive<T: DeserializeOwned>(from: &mut impl BufRead) -> Result<Option<T>, InvalidMessage> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line).map_err(InvalidMessage::Io)?;
    match line.last() {
        None => Ok(None),
        Some(b'\n') => serde_json::from_slice(&line).map(Some).map_err(InvalidMessage::Malformed),
        Some(_) => Err(InvalidMessage::Truncated),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::documents::bench::ContestantKind;

    fn asked() -> CellRequest {
        let contestant = |name: &str, kind, driver: Option<&str>| Contestant {
            name: name.to_owned(),
            kind,
            driver: driver.map(str::to_owned),
            interface: driver.map(|_| "AF_ALG".to_owned()),
        };
        let openssl = contestant("OpenSSL", ContestantKind::Openssl, None);
        let driver = contestant("cbc(x) over AF_ALG", ContestantKind::Accelerator, Some("cbc(x)"));
        CellRequest {
            cipher: "AES-128-CBC".to_owned(),
            direction: Some(CipherDirection::Decrypt),
            bytes: 4096,
            threads: 2,
            plan: Plan { sample: Duration::from_micros(4321), rounds: 3 },
            entries: vec![
                CellContestant { contestant: openssl, depth: 1, batches: None, lines: vec![] },
                CellContestant {
                    contestant: driver,
                    depth: 16,
                    batches: Some(7),
                    lines: vec!["25".to_owned()],
                },
            ],
        }
    }

    fn answers() -> [PassMessage; 4] {
        let series = Series { wall: vec![0.1, 1.0 / 3.0, 2e-9], cpu: Some(0.7), ..Series::default() };
        let whole = Measured { batches: 9, series: Some(series), latencies: vec![1e-6, 0.25], fault: None };
        let failed = Measured { fault: Some("wrong\nfrom \"byte\" 3 on".to_owned()), ..Measured::default() };
        let brought = |measured| CellResults { arithmetic: Duration::from_nanos(1_234_567_891), measured };
        [
            PassMessage::Ready,
            PassMessage::Measured(brought(vec![whole.clone(), failed])),
            PassMessage::Stopped(brought(vec![whole, Measured::default()])),
            PassMessage::Failed("no OpenSSL\nhere".to_owned()),
        ]
    }

    #[test]
    fn sent_lines_are_received_one_by_one() {
        let mut pipe = Vec::new();
        send(&mut pipe, &asked()).unwrap();
        for answer in answers() {
            send(&mut pipe, &answer).unwrap();
        }
        assert_eq!(pipe.iter().filter(|&&byte| byte == b'\n').count(), 5);
        let mut pipe = &pipe[..];
        assert_eq!(receive(&mut pipe).unwrap(), Some(asked()));
        for answer in answers() {
            assert_eq!(receive(&mut pipe).unwrap(), Some(answer));
        }
        assert_eq!(receive::<PassMessage>(&mut pipe).unwrap(), None);
    }

    #[test]
    fn a_line_that_ends_in_the_middle_is_no_message_wherever_it_does() {
        let mut line = Vec::new();
        send(&mut line, &asked()).unwrap();
        for length in 1..line.len() {
            assert!(
                matches!(receive::<CellRequest>(&mut &line[..length]), Err(InvalidMessage::Truncated)),
                "{length}"
            );
        }
    }

    #[test]
    fn other_text_is_not_a_message() {
        for line in
            ["\n", "{}\n", "null\n", "ready\n", "{\"measured\":7}\n", "\"ready\" \"ready\"\n", "\u{0}\n"]
        {
            assert!(
                matches!(receive::<PassMessage>(&mut line.as_bytes()), Err(InvalidMessage::Malformed(_))),
                "{line:?}"
            );
            assert!(
                matches!(receive::<CellRequest>(&mut line.as_bytes()), Err(InvalidMessage::Malformed(_))),
                "{line:?}"
            );
        }
        let odd = concat!(
            "\"Ready\"\n{\"measured\":{\"arithmetic\":{\"secs\":0,\"nanos\":1},\"measured\":",
            "[{\"batches\":-1,\"series\":null,\"latencies\":[],\"fault\":null}]}}\n"
        );
        let mut odd = odd.as_bytes();
        for _ in 0..2 {
            assert!(matches!(receive::<PassMessage>(&mut odd), Err(InvalidMessage::Malformed(_))));
        }
    }
}
