//! Runs the same work with one kernel driver after the other, and determines the amount of work.

use crate::documents::bench::Bench;
use anyhow::{Result, anyhow};
use outboard_console::progress;
use outboard_measure::kernel_users::chosen::Drivers;

use super::measure::{ApplicationJob, HardwareClaim, MeasuredSide, RunCost, UserSystemTime, measure};

const MOST: u64 = 8192;

pub struct DriverBackend<T> {
    pub contestant: &'static str,
    pub driver: String,
    pub place: T,
}

/// Runs `job` with each driver, interleaved. `job.bytes` is the smallest unit of work; it is
/// repeated as often as the fastest driver completes it in about `seconds`. `work` processes a
/// number of bytes and returns the seconds. CPU time is that of the whole system.
pub fn measure_each<T>(
    bench: &mut Bench,
    mut job: ApplicationJob,
    seconds: f64,
    backends: &[DriverBackend<T>],
    drivers: &Drivers,
    mut work: impl FnMut(&DriverBackend<T>, u64) -> Result<f64, String>,
) -> Result<()> {
    let mut work = |backend: &DriverBackend<T>, bytes| {
        work(backend, bytes).map_err(|error| format!("{}: {error}", backend.driver))
    };
    let mut fastest: f64 = 0.0;
    for backend in backends {
        progress(&format!("{}, {}: {}, how long it takes", job.name, job.cipher, backend.driver));
        let mut try_so_many =
            |bytes| work(backend, bytes).map_err(|error| anyhow!("{}, {}, {error}", job.name, job.cipher));
        fastest = fastest.max(times(job.bytes, seconds, &mut try_so_many)?);
    }
    job.bytes *= fastest.ceil().clamp(1.0, MOST as f64) as u64;
    let sides = backends.iter().map(|backend| {
        let is_hardware = drivers.accelerator_in(&backend.driver).is_some();
        let claim = if is_hardware { HardwareClaim::Driver } else { HardwareClaim::Software };
        MeasuredSide::new(backend.contestant, Some(backend.driver.clone()), claim)
    });
    let sides = sides.collect::<Result<Vec<MeasuredSide>>>()?;
    let bytes = job.bytes;
    measure(bench, job, sides, &mut |side| {
        let before = UserSystemTime::by_all();
        let seconds = work(&backends[side], bytes)?;
        Ok(RunCost { spent: UserSystemTime::by_all().since(before), wall: Some(seconds) })
    })
}

/// Returns how often the smallest unit of work fits into `seconds`. Very short runs are not used
/// for the estimate, because starting takes time too.
fn times(least: u64, seconds: f64, work: &mut dyn FnMut(u64) -> Result<f64>) -> Result<f64> {
    let mut times = 1;
    loop {
        let took = work(least * times)?;
        if took > seconds / 4.0 || times >= MOST {
            return Ok(times as f64 * seconds / took);
        }
        times *= 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_start_is_not_taken_for_slow_work() {
        let mut asked = Vec::new();
        let mut work = |bytes: u64| {
            asked.push(bytes);
            // 0.1 s to start, then 100 MB/s.
            Ok(0.1 + bytes as f64 / 1e8)
        };
        let found = times(1_000_000, 2.0, &mut work).unwrap();
        assert!((150.0..200.0).contains(&found), "{found}");
        assert_eq!(asked, [1_000_000, 4_000_000, 16_000_000, 64_000_000]);
    }

    #[test]
    fn slow_work_is_done_once_and_free_work_ends() {
        assert_eq!(times(10, 2.0, &mut |_| Ok(4.0)).unwrap(), 0.5);
        assert!(times(10, 2.0, &mut |_| Ok(1e-9)).unwrap() > MOST as f64);
        assert!(times(10, 2.0, &mut |_| Err(anyhow!("no"))).is_err());
    }
}
