//! The process of a pass: measures the requested cells until its input ends.

use std::cell::OnceCell;
use std::io::{BufRead, Write};
use std::process::ExitCode;

use crate::documents::bench::ContestantKind;
use anyhow::{Context as _, Result};
use outboard_accel::primitive::Primitive;
use outboard_measure::clock::Clock;
use outboard_measure::evp::{Context, Library};
use outboard_measure::stop;

use super::cell::Subject;
use super::lookahead::{self, LookaheadCipher};
use super::process::clock;
use super::protocol::{CellRequest, PassMessage, receive, send};
use super::software::Software;

/// Runs until standard input ends. `cycles` is the clock as an argument.
pub fn serve(cycles: &str) -> ExitCode {
    stop::listen_on();
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    match served(clock(cycles), &mut input, &mut output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If the parent has closed the pipe, the error is not needed.
            let _ = send(&mut output, &PassMessage::Failed(format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}

fn served(clock: Clock, input: &mut impl BufRead, output: &mut impl Write) -> Result<()> {
    let library = Library::open()?;
    let context = Context::software(&library)?;
    let (lab, ahead_context) = (OnceCell::new(), OnceCell::new());
    let find_ahead = |name: &str| {
        let lab = lab.get_or_init(|| lookahead::lab().map_err(|error| format!("{error:#}")));
        let lab = lab.as_ref().map_err(String::clone)?;
        let context = ahead_context.get_or_init(|| lab.hardware().map_err(|error| format!("{error:#}")));
        LookaheadCipher::find(lab, context.as_ref().map_err(String::clone)?, name)
    };
    let mut subjects: Vec<(String, Subject<'_>)> = Vec::new();
    send(output, &PassMessage::Ready)?;
    while let Some(asked) = receive::<CellRequest>(input)? {
        let known = subjects.iter().position(|(name, _)| *name == asked.cipher);
        let number = match known {
            Some(number) => number,
            None => {
                let name = &asked.cipher;
                let primitive = Primitive::by_openssl_name(name);
                let parts = primitive.zip(Software::find(&context, name));
                let (primitive, software) = parts.with_context(|| format!("OpenSSL has no {name} here"))?;
                subjects.push((name.clone(), Subject::new(primitive, software)));
                subjects.len() - 1
            }
        };
        if asked.entries.iter().any(|entrant| entrant.contestant.kind == ContestantKind::Lookahead) {
            subjects[number].1.look_ahead(|| find_ahead(&asked.cipher));
        }
        let answer = subjects[number].1.measure(&asked, clock).unwrap_or_else(PassMessage::Failed);
        send(output, &answer)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use crate::documents::bench::{CipherDirection, Contestant};
    use outboard_measure::turns::Plan;

    use super::super::protocol::{CellContestant, Measured};

    /// Returns the answers to these bytes, and the final result.
    fn answers(input: &[u8]) -> (Vec<PassMessage>, Result<(), String>) {
        let mut output = Vec::new();
        let served = served(Clock::known(None), &mut &*input, &mut output).map_err(|error| error.to_string());
        let (mut output, mut answers) = (&output[..], Vec::new());
        while let Some(answer) = receive(&mut output).unwrap() {
            answers.push(answer);
        }
        (answers, served)
    }

    fn entrant(
        name: &str,
        kind: ContestantKind,
        reach: Option<(&str, &str)>,
        batches: Option<u32>,
    ) -> CellContestant {
        let (driver, interface) =
            reach.map(|(driver, interface)| (driver.to_owned(), interface.to_owned())).unzip();
        let contestant = Contestant { name: name.to_owned(), kind, driver, interface };
        CellContestant { contestant, depth: 1, batches, lines: Vec::new() }
    }

    fn asked(cipher: &str, entries: Vec<CellContestant>) -> CellRequest {
        let plan = Plan { sample: Duration::from_micros(100), rounds: 2 };
        CellRequest {
            cipher: cipher.to_owned(),
            direction: Some(CipherDirection::Encrypt),
            bytes: 64,
            threads: 1,
            plan,
            entries,
        }
    }

    #[test]
    fn cells_are_measured_one_after_another() {
        let openssl = |batches| entrant("OpenSSL", ContestantKind::Openssl, None, batches);
        let gone = entrant("gone over AF_ALG", ContestantKind::Accelerator, Some(("gone", "AF_ALG")), None);
        let nowhere =
            entrant("gone over /dev/null", ContestantKind::Accelerator, Some(("gone", "/dev/null")), None);
        let mut input = Vec::new();
        let place = Some(("gone", "/dev/outboard"));
        let ahead = entrant("look-ahead by gone", ContestantKind::Lookahead, place, None);
        send(&mut input, &asked("AES-128-CTR", vec![openssl(None), gone, nowhere, ahead])).unwrap();
        send(&mut input, &asked("SHA2-256", vec![openssl(Some(3))])).unwrap();
        let (answers, ended) = answers(&input);
        let [PassMessage::Ready, PassMessage::Measured(first), PassMessage::Measured(second)] = &answers[..]
        else {
            panic!("{answers:?}")
        };
        assert_eq!(ended, Ok(()));
        assert!([first, second].iter().all(|cell| cell.arithmetic > Duration::ZERO));
        let [first, second] = [first, second].map(|cell| &cell.measured);
        let samples = |one: &Measured| one.series.as_ref().map(|series| (series.wall.len(), series.requests));
        assert!(first[0].batches > 0 && first[0].fault.is_none() && !first[0].latencies.is_empty());
        assert_eq!(samples(&first[0]), Some((2, 2 * u64::from(first[0].batches))));
        // A contestant that cannot be reached is excluded, with the reason.
        for (one, says) in first[1..].iter().zip(["AF_ALG", "/dev/null is not an interface", "provider"]) {
            assert_eq!(samples(one), None);
            assert!(one.fault.as_ref().is_some_and(|why| why.contains(says)), "{one:?}");
        }
        assert_eq!((second[0].batches, samples(&second[0])), (3, Some((2, 6))));
    }

    #[test]
    fn an_unknown_request_ends_the_process_with_the_reason() {
        let mut whole = Vec::new();
        send(&mut whole, &asked("rot13", vec![])).unwrap();
        for (input, says) in [
            (&b"measure\n"[..], "no message"),
            (&whole[..whole.len() - 1], "ended in the middle"),
            (&whole[..], "OpenSSL has no rot13"),
        ] {
            let (answers, ended) = answers(input);
            assert_eq!(answers, [PassMessage::Ready]);
            assert!(ended.as_ref().is_err_and(|why| why.contains(says)), "{ended:?}");
        }
        assert_eq!(answers(b""), (vec![PassMessage::Ready], Ok(())));
    }
}
