//! Measures every cipher that the provider offers, in both directions.

use std::path::Path;

use anyhow::{Result, anyhow};
use outboard_accel::device::Device;
use outboard_accel::{Accelerator, Algorithm, Direction, LONGEST_PIECE, PIECE, Request, Session};
use outboard_catalog::kernel_name;
use outboard_console::progress;
use outboard_documents::tune::{self, DirectionResult, Pieces, TriedChunk, Tune};
use outboard_documents::{Goal, SpeedVerdict};
use outboard_drivers::root::Root;
use outboard_drivers::survey;
use outboard_measure::crossover::Sizes;
use outboard_measure::evp::{Cipher, SAMPLE_IV, sample_key};
use outboard_measure::figure::figure;
use outboard_measure::noise::SpeedReference;
use outboard_measure::openssl_pair::{InUse, OpensslPair, has_key_stream};
use outboard_measure::turns::{Error, Stopwatch};
use outboard_policy::module_version;

use super::ahead;
use super::contest::{DirectContest, duel, is_too_slow, look};
use super::{new_keys, sentence};

/// The sizes in bytes that are measured. Smaller requests never win, because the system calls alone
/// take longer. The provider divides larger ones.
const SIZES: Sizes = Sizes { least: 64, most: 64 << 10, largest_decide: true };

const CUT: usize = LONGEST_PIECE;

/// Measures all ciphers; calls `each` after each of them.
pub fn all(module: &Path, ciphers: &[&str], answer: &mut Tune, each: &mut dyn FnMut(&Tune)) -> Result<()> {
    let watch = Stopwatch::new().map_err(|error| anyhow!("/proc/interrupts: {error}"))?;
    let mut yardstick = SpeedReference::default();
    for group in groups(ciphers) {
        let lab = OpensslPair::new(module, &group)?;
        answer.openssl = lab.version();
        let (software, hardware) = (lab.software()?, lab.hardware()?);
        for name in group {
            let offered = hardware.cipher(name, "provider=outboard").zip(software.cipher(name, ""));
            yardstick.measure();
            let direct = match (offered, lab.in_use()) {
                (Some((hard, soft)), Some(in_use)) => {
                    let watch =
                        watch.of(&in_use.driver).map_err(|error| anyhow!("/proc/interrupts: {error}"))?;
                    let goal = answer.goal;
                    let one =
                        CipherMeasurement { watch: &watch, goal, lab: &lab, name, soft: &soft, hard: &hard };
                    let direct = measured(answer, name, one.measure(in_use).map(Some))?;
                    let points =
                        direct.iter().flat_map(|cipher| cipher.ways()).flat_map(|(_, way)| &way.points);
                    let figures = points.map(|point| point.hardware.interrupts_per_request);
                    if let Some(doubt) = watch.interrupts().doubt(figures) {
                        answer.warn(doubt);
                    }
                    direct
                }
                _ => None,
            };
            let direct_from = direct.as_ref().and_then(|cipher| cipher.encrypt.from);
            let is_missing = direct.is_none();
            if let Some(cipher) = direct {
                add_driver(answer, &cipher.driver);
                answer.ciphers.push(cipher);
            }
            let mut lookahead = None;
            if has_key_stream(name) && !answer.interrupted {
                let found = ahead::measure(module, &watch, answer.goal, name, direct_from);
                lookahead = measured(answer, name, found)?;
            }
            yardstick.measure();
            match lookahead {
                Some(lookahead) => {
                    add_driver(answer, &lookahead.driver);
                    answer.lookahead.push(lookahead);
                }
                None if is_missing => {
                    for note in lab.notes() {
                        if !answer.reasons.contains(&note) {
                            answer.reasons.push(note);
                        }
                    }
                }
                None => {}
            }
            each(answer);
            if answer.interrupted {
                break;
            }
        }
        if answer.interrupted {
            break;
        }
    }
    answer.warnings.extend(yardstick.warning());
    if answer.interrupted { Err(anyhow!("interrupted")) } else { Ok(()) }
}

/// Returns a measurement; `None` if it was interrupted, which is recorded.
fn measured<T>(answer: &mut Tune, name: &str, result: Result<Option<T>, Error<String>>) -> Result<Option<T>> {
    match result {
        Err(Error::Stopped) => {
            answer.interrupted = true;
            Ok(None)
        }
        other => other.map_err(|error| anyhow!("{name}: {error}")),
    }
}

fn groups<'a>(ciphers: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut groups: Vec<(Option<&str>, Vec<&str>)> = Vec::new();
    for &cipher in ciphers {
        let kernel = kernel_name(cipher);
        match groups.iter_mut().find(|(known, _)| *known == kernel) {
            Some((_, group)) => group.push(cipher),
            None => groups.push((kernel, vec![cipher])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

fn add_driver(answer: &mut Tune, driver: &str) {
    if answer.drivers.iter().any(|known| known.driver == driver) {
        return;
    }
    let found = survey(&Root::live()).ok();
    let found = found.as_ref().and_then(|all| all.drivers.iter().find(|one| one.driver.name == driver));
    let module = found.map_or("kernel", |found| found.driver.module.as_str());
    let version = module_version(Path::new("/"), module);
    answer.drivers.push(tune::TunedDriver { driver: driver.into(), module: module.into(), version });
}

type DeviceSession = (Algorithm, Box<dyn Session>);

fn failed(error: &dyn std::fmt::Display) -> Error<String> {
    Error::Failed(error.to_string())
}

struct CipherMeasurement<'a> {
    watch: &'a Stopwatch,
    goal: Goal,
    lab: &'a OpensslPair,
    name: &'a str,
    soft: &'a Cipher<'a>,
    hard: &'a Cipher<'a>,
}

impl CipherMeasurement<'_> {
    fn measure(&self, in_use: InUse) -> Result<tune::TunedCipher, Error<String>> {
        let encrypt = self.direction(true)?;
        let decrypt = self.direction(false)?;
        let is_out = encrypt.points.iter().any(|point| point.refused.is_some())
            || is_too_slow(self.goal, &encrypt.points);
        let pieces = if is_out { None } else { self.pieces(&in_use)? };
        let key_bytes = new_keys::key_bytes(self.watch, self.goal, (self.soft, self.hard), &encrypt)?;
        let mut cipher = tune::TunedCipher {
            name: self.name.to_owned(),
            driver: in_use.driver,
            interface: in_use.interface,
            encrypt,
            decrypt,
            pieces,
            key_bytes,
            sentence: String::new(),
        };
        cipher.sentence = sentence::cipher(&cipher);
        Ok(cipher)
    }

    fn direction(&self, encrypt: bool) -> Result<DirectionResult, Error<String>> {
        let mut contest = DirectContest {
            watch: self.watch,
            goal: self.goal,
            software: self.soft.work(encrypt, 4096).map_err(|error| failed(&error))?,
            hardware: self.hard.work(encrypt, 4096).map_err(|error| failed(&error))?,
            counts: &|| self.lab.counts(self.name),
        };
        contest.warm_up()?;
        let verb = if encrypt { "encryption," } else { "decryption," };
        look(self.name, SIZES, verb, &mut |bytes| contest.at(bytes))
    }

    /// Opens a session over the interface that processes chunks at the same time, if the provider
    /// uses it.
    fn device_session(&self, in_use: &InUse) -> Result<Option<DeviceSession>, Error<String>> {
        let algorithm = kernel_name(self.name).and_then(Algorithm::by_kernel_name);
        let device = algorithm.and_then(|algorithm| Device::reach(&in_use.driver, algorithm).ok());
        let Some((algorithm, device)) = algorithm.zip(device).filter(|_| in_use.interface == "/dev/outboard")
        else {
            return Ok(None);
        };
        let session = device.open(&sample_key(self.hard.key_length())).map_err(|error| failed(&error))?;
        Ok(Some((algorithm, session)))
    }

    /// Determines the best size of chunks, if requests can be divided: the built-in size unless a
    /// larger one wins.
    fn pieces(&self, in_use: &InUse) -> Result<Option<Pieces>, Error<String>> {
        let Some((algorithm, mut one)) = self.device_session(in_use)? else { return Ok(None) };
        if !algorithm.can_be_cut(Direction::Decrypt) {
            return Ok(None);
        }
        let mut other = one.share().map_err(|error| failed(&error))?;
        let text = vec![0x5a; CUT];
        let request = Request::new(Direction::Decrypt, &SAMPLE_IV[..algorithm.iv_len()], &text);
        let run = |session: &mut dyn Session, piece: usize, requests: u32| {
            let request = Request { piece, ..request };
            let mut one = || session.crypt(&request).map(drop);
            (0..requests).try_for_each(|_| one()).map_err(|error| error.to_string())
        };
        let mut pieces = Pieces { bytes: PIECE, request: CUT, tried: Vec::new() };
        for bytes in [2 * PIECE, LONGEST_PIECE] {
            progress(&format!("{}, in pieces of {bytes} bytes", self.name));
            let best = pieces.bytes;
            let (was, new, verdict) = duel(
                self.watch,
                self.goal,
                &mut |requests| run(&mut *one, best, requests),
                &mut |requests| run(&mut *other, bytes, requests),
            )?;
            let [best_figure, figure] = [&was, &new].map(|series| figure(series, CUT));
            pieces.tried.push(TriedChunk { best, best_figure, bytes, figure, verdict });
            if verdict == SpeedVerdict::Wins {
                pieces.bytes = bytes;
            }
        }
        Ok(Some(pieces))
    }
}
