//! The figures of contestants, interleaved.

use std::time::Duration;

use anyhow::{Result, anyhow};
use outboard_documents::Figure;

use crate::evidence::{Evidence, NO_INTERRUPT};
use crate::figure::figure;
use crate::stop;
use crate::turns::{Error, Plan, Series, Stopwatch};

/// CPU time is counted in ticks, of up to 10 ms.
const PLAN: Plan = Plan { sample: Duration::from_millis(200), rounds: 5 };

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contestant {
    /// The setting: `aes-xts-plain64`, `aes128gcm16`.
    pub setting: String,
    /// The exact name in /proc/crypto.
    pub driver: String,
    /// The accelerator's driver in it; none for software.
    pub accelerator: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct KernelFigure {
    pub contestant: Contestant,
    pub figure: Figure,
    pub series: Series,
    pub fault: Option<String>,
}

pub(super) struct Side<'a> {
    pub contestant: Contestant,
    pub run: Box<dyn FnMut(u32) -> Result<(), String> + 'a>,
}

/// Measures all sides interleaved. A request of each has `bytes` bytes.
pub(super) fn measure(sides: &mut [Side<'_>], bytes: usize) -> Result<Vec<KernelFigure>> {
    let first = Stopwatch::new().map_err(unreadable)?;
    let mut watches = Vec::new();
    let mut counts = Vec::new();
    for side in &mut *sides {
        let watch = match &side.contestant.accelerator {
            Some(driver) => first.of(driver).map_err(unreadable)?,
            None => Stopwatch::new().map_err(unreadable)?,
        };
        let counted = watch.requests(&mut side.run, PLAN);
        counts.push(counted.map_err(|error| failed(&side.contestant, &error))?);
        watches.push(watch);
    }
    let mut all: Vec<Series> = Vec::new();
    for _ in 0..PLAN.rounds {
        for (at, side) in sides.iter_mut().enumerate() {
            let samples = watches[at].turns(&mut [&mut side.run], &counts[at..=at], 1);
            for series in samples.map_err(|error| failed(&side.contestant, &error))? {
                match all.get_mut(at) {
                    Some(earlier) => earlier.extend(series),
                    None => all.push(series),
                }
            }
        }
    }
    let of = |((side, watch), series): ((&mut Side<'_>, &Stopwatch), &Series)| {
        let is_refuted = || watch.interrupts().evidence(series.interrupts, series.lost) == Evidence::Refuted;
        let fault = (side.contestant.accelerator.is_some() && is_refuted()).then(|| NO_INTERRUPT.to_owned());
        KernelFigure {
            contestant: side.contestant.clone(),
            figure: figure(series, bytes),
            series: series.clone(),
            fault,
        }
    };
    Ok(sides.iter_mut().zip(&watches).zip(&all).map(of).collect())
}

fn unreadable(error: std::io::Error) -> anyhow::Error {
    anyhow!("/proc/interrupts: {error}")
}

fn failed(contestant: &Contestant, error: &Error<String>) -> anyhow::Error {
    match stop::asked() {
        true => anyhow!("interrupted"),
        false => anyhow!("{} by {}: {error}", contestant.setting, contestant.driver),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn side<'a>(
        driver: &str,
        accelerator: Option<&str>,
        run: impl FnMut(u32) -> Result<(), String> + 'a,
    ) -> Side<'a> {
        let accelerator = accelerator.map(str::to_owned);
        let (setting, driver) = ("aes-xts-plain64".to_owned(), driver.to_owned());
        Side { contestant: Contestant { setting, driver, accelerator }, run: Box::new(run) }
    }

    #[test]
    fn sides_take_turns_and_an_accelerator_without_interrupts_has_a_fault() {
        let order = RefCell::new(String::new());
        let run = |name: char| {
            let order = &order;
            move |requests: u32| {
                order.borrow_mut().push(name);
                std::thread::sleep(Duration::from_millis(60) * requests);
                Ok(())
            }
        };
        let mut sides =
            [side("soft", None, run('s')), side("no-such-driver", Some("no-such-driver"), run('h'))];
        let figures = measure(&mut sides, 600_000).unwrap();
        assert!(order.borrow().ends_with("shshshshsh"), "{}", order.borrow());
        let [soft, hard] = &figures[..] else { panic!("{figures:?}") };
        assert!((1.0..=10.0).contains(&soft.figure.megabytes_per_second), "{soft:?}");
        assert_eq!((soft.figure.samples, soft.fault.is_none()), (5, true));
        assert_eq!(hard.fault.as_deref(), Some(NO_INTERRUPT));
    }

    #[test]
    fn a_failure_names_the_contestant() {
        let error = measure(&mut [side("soft", None, |_| Err("no".to_owned()))], 1).unwrap_err();
        assert_eq!(error.to_string(), "aes-xts-plain64 by soft: no");
    }
}
