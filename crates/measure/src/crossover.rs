//! Finds the sizes at which hardware wins: from which on, and where it may lose again, up to which.
//! Measures around the crossings only, since each size takes time.

use outboard_documents::SpeedVerdict;

#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The smallest size; all sizes are multiples of it.
    pub least: usize,
    pub most: usize,
    /// Whether hardware must win at the largest sizes. Otherwise the sizes at which it wins may end
    /// below them.
    pub largest_decide: bool,
}

const STEP: usize = 4;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crossover {
    /// Hardware wins at this size, and at each larger one that was measured, except that the result
    /// may be even or unclear at the largest ones. `None`: use software.
    pub from: Option<usize>,
    /// Hardware wins up to this size, and loses at a larger one. `None`: it loses at none.
    pub to: Option<usize>,
    /// Sizes at which hardware wins, although it does not win at all larger sizes.
    pub wins_below: Vec<usize>,
    /// Whether hardware won at the smallest size, so that there is no crossing.
    pub always: bool,
    /// The samples varied too much at the largest sizes, so nothing was found.
    pub unclear: bool,
}

/// Searches from the largest size down, so that the result holds for all larger sizes: hardware
/// that wins only in the middle must not process larger requests that it loses. A size with an even
/// verdict counts as lost. Where [`Sizes::largest_decide`] is not set, the largest sizes decide about
/// themselves only: direct requests can be as fast there as look-ahead, or faster, while it wins at
/// all others. A loss there is the upper end; an even or unclear verdict is none.
///
/// A crossing is found within a factor of the square root of 2, and hardware won at the result. An
/// unclear size counts as lost, but decides nothing where hardware won at no larger one.
pub fn search<E>(
    sizes: Sizes,
    ask: &mut dyn FnMut(usize) -> Result<SpeedVerdict, E>,
) -> Result<Crossover, E> {
    let mut found = Crossover::default();
    let (mut lost, mut size) = (None, sizes.most);
    let mut smaller = Some(sizes.most);
    if !sizes.largest_decide {
        found = largest_win(sizes, ask)?;
        let Some(largest) = found.from else { return Ok(found) };
        smaller = next(sizes, largest);
    }
    while let Some(current) = smaller {
        size = current;
        let mut verdict = ask(size)?;
        if verdict != SpeedVerdict::Wins && found.from.is_some() {
            // A single verdict may be wrong by chance: if the next size down wins, this size is
            // measured again.
            if let Some(below) = next(sizes, size) {
                if ask(below)? == SpeedVerdict::Wins {
                    verdict = ask(size)?;
                    size = if verdict == SpeedVerdict::Wins { below } else { size };
                }
            }
        }
        match verdict {
            SpeedVerdict::Wins => found.from = Some(size),
            SpeedVerdict::Unclear if found.from.is_none() => {
                return Ok(Crossover { unclear: true, ..found });
            }
            SpeedVerdict::Even | SpeedVerdict::Loses | SpeedVerdict::Unclear => {
                lost = Some(size);
                break;
            }
        }
        smaller = next(sizes, size);
    }
    let mut wins = |size: usize| ask(size).map(|verdict| verdict == SpeedVerdict::Wins);
    match (found.from, lost) {
        (Some(from), Some(lost)) => found.from = Some(narrow(sizes, lost, from, &mut wins)?),
        (Some(_), None) => found.always = true,
        (None, _) => {
            // It loses where it is most likely to win. Does it win at any size?
            while let Some(smaller) = next(sizes, size) {
                size = smaller;
                if wins(size)? {
                    found.wins_below.push(size);
                } else if size * STEP * STEP < sizes.most {
                    break;
                }
            }
        }
    }
    Ok(found)
}

/// Finds the largest size at which hardware wins, in `from`, and the upper end if it loses above. If it
/// wins at none of the largest sizes, `unclear` is whether one of them is.
fn largest_win<E>(
    sizes: Sizes,
    ask: &mut dyn FnMut(usize) -> Result<SpeedVerdict, E>,
) -> Result<Crossover, E> {
    let (mut unclear, mut lost) = (false, None);
    let mut size = sizes.most;
    loop {
        match ask(size)? {
            SpeedVerdict::Wins => break,
            SpeedVerdict::Even => {}
            SpeedVerdict::Unclear => unclear = true,
            SpeedVerdict::Loses => lost = Some(size),
        }
        match next(sizes, size) {
            Some(smaller) if size * STEP * STEP >= sizes.most => size = smaller,
            _ => return Ok(Crossover { unclear, ..Crossover::default() }),
        }
    }
    let mut found = Crossover { from: Some(size), ..Crossover::default() };
    if let Some(lost) = lost {
        // A single verdict may be wrong by chance.
        if ask(lost)? == SpeedVerdict::Loses {
            let mut wins = |size: usize| ask(size).map(|verdict| verdict == SpeedVerdict::Wins);
            found.to = Some(narrow(sizes, lost, size, &mut wins)?);
        }
    }
    Ok(found)
}

/// The next smaller size; `None` after the smallest.
fn next(sizes: Sizes, size: usize) -> Option<usize> {
    (size > sizes.least).then(|| (size / STEP / sizes.least * sizes.least).max(sizes.least))
}

/// Narrows the interval between a size that loses and one that wins to a factor of about the square
/// root of 2. Returns the size that wins.
fn narrow<E>(
    sizes: Sizes,
    mut lost: usize,
    mut won: usize,
    wins: &mut dyn FnMut(usize) -> Result<bool, E>,
) -> Result<usize, E> {
    while lost.max(won) as f64 / lost.min(won) as f64 > 1.42 {
        let middle = (lost as f64 * won as f64).sqrt() as usize / sizes.least * sizes.least;
        if middle <= lost.min(won) || middle >= lost.max(won) {
            break;
        }
        if wins(middle)? { won = middle } else { lost = middle }
    }
    Ok(won)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::convert::Infallible;

    const SIZES: Sizes = Sizes { least: 16, most: 65536, largest_decide: true };

    /// Cost of a request in seconds: a fixed cost, and a cost per byte.
    fn line(each: f64, byte: f64) -> impl Fn(usize) -> f64 {
        move |size| each + byte * size as f64
    }

    fn verdict(software: f64, hardware: f64) -> SpeedVerdict {
        match hardware / software {
            r if r < 0.98 => SpeedVerdict::Wins,
            r if r > 1.02 => SpeedVerdict::Loses,
            _ => SpeedVerdict::Even,
        }
    }

    fn found(software: impl Fn(usize) -> f64, hardware: impl Fn(usize) -> f64) -> (Crossover, Vec<usize>) {
        found_in(SIZES, software, hardware)
    }

    fn found_in(
        sizes: Sizes,
        software: impl Fn(usize) -> f64,
        hardware: impl Fn(usize) -> f64,
    ) -> (Crossover, Vec<usize>) {
        let asked = RefCell::new(Vec::new());
        let mut ask = |size: usize| {
            asked.borrow_mut().push(size);
            Ok::<_, Infallible>(verdict(software(size), hardware(size)))
        };
        let crossover = search(sizes, &mut ask).unwrap_or_else(|never| match never {});
        (crossover, asked.into_inner())
    }

    #[test]
    fn every_crossing_is_found_within_a_factor_of_one_and_a_half() {
        for crossing in [40.0, 100.0, 777.0, 1500.0, 4096.0, 10_000.0, 30_000.0] {
            let software = line(0.2e-6, 15e-9);
            let hardware = line(0.2e-6 + crossing * 13e-9, 2e-9);
            let (crossover, asked) = found(software, hardware);
            let from = crossover.from.expect("there is one") as f64;
            // A few percent above the crossing the verdict is even.
            assert!(from >= crossing && from <= crossing * 1.5 + 16.0, "{crossing}: {from}");
            assert!(asked.len() <= 11 && !crossover.always, "{crossing}: {asked:?}");
            assert_eq!(from as usize % 16, 0);
        }
    }

    #[test]
    fn never_and_always() {
        let (never, asked) = found(line(0.1e-6, 0.3e-9), line(30e-6, 2e-9));
        assert_eq!(never, Crossover::default());
        assert!(asked.len() <= 4, "{asked:?}");
        let (always, _) = found(line(9e-6, 15e-9), line(1e-6, 2e-9));
        assert_eq!((always.from, always.always), (Some(16), true));
    }

    #[test]
    fn a_flat_curve_that_is_even_stays_in_software() {
        let (flat, asked) = found(|_| 1e-5, |_| 1e-5);
        assert_eq!(flat.from, None);
        assert!(asked.len() <= 4, "{asked:?}");
    }

    #[test]
    fn even_at_the_largest_sizes_is_no_upper_end() {
        let (fast, sizes) = (line(0.1e-6, 2e-9), Sizes { largest_decide: false, ..SIZES });
        for even_from in [65536, 16384] {
            let software =
                |size: usize| if size >= even_from { fast(size) } else { line(0.2e-6, 15e-9)(size) };
            let (crossover, _) = found_in(sizes, software, &fast);
            assert_eq!((crossover.from, crossover.always), (Some(16), true), "{even_from}");
            assert_eq!(found(software, &fast).0.from, None, "{even_from}");
        }
        // Unclear is no loss either, but nothing is found where all of the largest sizes are unclear.
        let unclear_from = |least: usize| {
            let mut ask = |size: usize| {
                let is_unclear = size >= least;
                Ok::<_, Infallible>(if is_unclear { SpeedVerdict::Unclear } else { SpeedVerdict::Wins })
            };
            search(sizes, &mut ask).unwrap_or_else(|never| match never {})
        };
        assert_eq!(unclear_from(65536), Crossover { from: Some(16), always: true, ..Crossover::default() });
        assert_eq!(unclear_from(1024), Crossover { unclear: true, ..Crossover::default() });
        // Even, and then lost at all sizes that are measured.
        let hardware = |size: usize| if (1..65536).contains(&size) { 1e-3 } else { fast(size) };
        assert_eq!(found_in(sizes, &fast, hardware).0, Crossover::default());
        let (flat, asked) = found_in(sizes, &fast, &fast);
        assert_eq!((flat, asked.len()), (Crossover::default(), 4));
    }

    #[test]
    fn a_loss_at_the_largest_sizes_is_an_upper_end_where_these_do_not_decide() {
        let sizes = Sizes { largest_decide: false, ..SIZES };
        for end in [20000_usize, 40000] {
            // The other side has a faster way for large requests.
            let other = |size: usize| if size > end { 1e-6 } else { line(0.2e-6, 15e-9)(size) };
            let hardware = line(0.2e-6 + 777.0 * 13e-9, 2e-9);
            let (crossover, asked) = found_in(sizes, other, &hardware);
            let (from, to) = (crossover.from.unwrap(), crossover.to.unwrap());
            assert!((777..=1200).contains(&from) && to <= end && to * 3 > end * 2, "{end}: {crossover:?}");
            assert!(asked.len() <= 14 && !crossover.always, "{asked:?}");
            assert_eq!(found(other, &hardware).0.from, None, "where they decide");
        }
        // A loss by chance is none, and neither is one at all of the sizes that are measured.
        let mut unlucky = true;
        let Ok(crossover) = search(sizes, &mut |size| {
            let is_lost = size == 65536 && std::mem::take(&mut unlucky);
            Ok::<_, Infallible>(if is_lost { SpeedVerdict::Loses } else { SpeedVerdict::Wins })
        });
        assert_eq!(crossover, Crossover { from: Some(16), always: true, ..Crossover::default() });
        assert_eq!(found_in(sizes, |_| 1.0, |_| 2.0).0, Crossover::default());
    }

    #[test]
    fn of_two_crossings_only_what_lasts_counts() {
        // A driver that is slow with large requests wins only in the middle.
        let hardware = |size: usize| if size >= 32768 { 1e-3 } else { line(20e-6, 2e-9)(size) };
        let (twice, _) = found(line(0.2e-6, 15e-9), hardware);
        assert_eq!(twice.from, None);
        assert_eq!(twice.wins_below, [16384, 4096]);
        // A driver that loses in the middle is used above those sizes.
        let hole = |size: usize| if (600..5000).contains(&size) { 1e-3 } else { line(1e-6, 2e-9)(size) };
        let (above, _) = found(line(0.2e-6, 15e-9), hole);
        let from = above.from.unwrap();
        assert!((5000..=7500).contains(&from), "{from}");
    }

    #[test]
    fn one_unlucky_measurement_does_not_move_it() {
        let mut unlucky = true;
        let mut ask = |size: usize| {
            if size == 4096 && std::mem::take(&mut unlucky) {
                return Ok::<_, Infallible>(SpeedVerdict::Loses);
            }
            Ok(if size >= 300 { SpeedVerdict::Wins } else { SpeedVerdict::Loses })
        };
        let Ok(crossover) = search(SIZES, &mut ask);
        assert!((300..=450).contains(&crossover.from.unwrap()), "{crossover:?}");
    }

    #[test]
    fn where_the_samples_say_nothing_nothing_is_found() {
        let unclear = |low: usize, high: usize| {
            let mut ask = |size: usize| {
                Ok::<_, Infallible>(match size {
                    size if (low..=high).contains(&size) => SpeedVerdict::Unclear,
                    size if size >= 300 => SpeedVerdict::Wins,
                    _ => SpeedVerdict::Loses,
                })
            };
            let Ok(crossover) = search(SIZES, &mut ask);
            crossover
        };
        let nothing = Crossover { unclear: true, ..Crossover::default() };
        assert_eq!(unclear(65536, 65536), nothing);
        // Below a size at which it wins, an unclear one only reduces the accuracy.
        assert_eq!(unclear(16, 4096), Crossover { from: Some(5792), ..Crossover::default() });
        assert_eq!(unclear(257, 1023), Crossover { from: Some(1024), ..Crossover::default() });
    }

    #[test]
    fn noisy_curves_are_found_most_of_the_time_and_never_far_below() {
        let mut state = 1_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (software, hardware) = (line(0.2e-6, 15e-9), line(26e-6, 2e-9));
        let mut near = 0;
        for _ in 0..200 {
            let mut ask = |size: usize| {
                // Medians with an error of up to 5 %.
                let off = 1.0 + (random() - 0.5) / 10.0;
                Ok::<_, Infallible>(verdict(software(size), hardware(size) * off))
            };
            let Ok(crossover) = search(SIZES, &mut ask);
            let from = crossover.from.expect("hardware is many times faster at the top");
            assert!(from > 1700, "{from}");
            near += usize::from((1700..=3300).contains(&from));
        }
        assert!(near >= 190, "{near}");
    }

    #[test]
    fn ctrl_c_ends_the_search() {
        let mut left = 2;
        let mut ask = |_| {
            left -= 1;
            if left == 0 { Err("interrupted") } else { Ok(SpeedVerdict::Wins) }
        };
        assert_eq!(search(SIZES, &mut ask), Err("interrupted"));
    }

    #[test]
    fn sizes_are_multiples_of_the_least_and_stay_in_range() {
        let mut ask = |size: usize| {
            assert!(size % 48 == 0 && (48..=4800).contains(&size), "{size}");
            Ok::<_, Infallible>(if size > 500 { SpeedVerdict::Wins } else { SpeedVerdict::Loses })
        };
        let Ok(crossover) = search(Sizes { least: 48, most: 4800, largest_decide: true }, &mut ask);
        assert!((500..800).contains(&crossover.from.unwrap()));
    }
}
