//! Measures from how many bytes of one key on a session of the driver pays.

use outboard_console::progress;
use outboard_documents::SpeedVerdict;
use outboard_documents::tune::{DirectionResult, Point};
use outboard_measure::evp::Cipher;
use outboard_measure::figure::figure;
use outboard_measure::turns::{Error, Stopwatch};

use super::contest::duel;
use outboard_documents::Goal;

/// The sizes in bytes of the only request of a key.
const SIZES: [usize; 3] = [4096, 16384, 65536];

/// The largest result: a key of which hardware wins so little is no use.
const MOST: f64 = (1 << 30) as f64;

/// Microseconds for a request of `bytes` bytes at this throughput.
fn micros(bytes: usize, megabytes_per_second: f64) -> f64 {
    bytes as f64 / megabytes_per_second
}

/// The smallest size at which hardware wins with a new key for each request. If there is none, the
/// number of bytes after which it has won as much with further requests as the first one has lost.
/// `None` if hardware does not win with a key that stays.
pub fn key_bytes(
    watch: &Stopwatch,
    goal: Goal,
    (software, hardware): (&Cipher<'_>, &Cipher<'_>),
    kept: &DirectionResult,
) -> Result<Option<usize>, Error<String>> {
    let wins = |point: &&Point| point.verdict == SpeedVerdict::Wins;
    let Some(best) = kept.points.iter().filter(wins).max_by_key(|point| point.bytes) else { return Ok(None) };
    let one = |cipher: &Cipher<'_>, bytes: usize| {
        cipher.work(true, bytes).and_then(|mut work| work.run(1)).map_err(|error| error.to_string())
    };
    let mut lost = 0.0;
    for bytes in SIZES.into_iter().filter(|bytes| kept.from.is_some_and(|from| *bytes >= from)) {
        progress(&format!("new keys, {bytes} bytes"));
        let (soft, hard, verdict) =
            duel(watch, goal, &mut |keys| (0..keys).try_for_each(|_| one(software, bytes)), &mut |keys| {
                (0..keys).try_for_each(|_| one(hardware, bytes))
            })?;
        if verdict == SpeedVerdict::Wins {
            return Ok(Some(bytes));
        }
        let [soft, hard] = [soft, hard].map(|series| figure(&series, bytes).megabytes_per_second);
        lost = micros(bytes, hard) - micros(bytes, soft) + bytes as f64 * won_per_byte(best);
    }
    let won = won_per_byte(best);
    Ok((won > 0.0).then(|| (lost / won).clamp(0.0, MOST) as usize))
}

/// Microseconds that hardware wins with each byte.
fn won_per_byte(point: &Point) -> f64 {
    micros(1, point.software.megabytes_per_second) - micros(1, point.hardware.megabytes_per_second)
}
