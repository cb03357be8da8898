//! Workers that make the requests: OpenSSL in this process, a driver, or OpenSSL in a child
//! process.

use std::sync::Barrier;

use outboard_measure::clock::Clock;
use outboard_measure::evp::{Hashing, Work};

use super::in_flight::InFlight;

pub trait Worker: Send {
    /// Runs a number of batches. Returns the seconds if the worker times itself, because
    /// communication with it takes time; otherwise the caller's clock is used.
    fn run(&mut self, batches: u32) -> Result<Option<f64>, String>;

    /// Runs a number of batches. Returns the seconds from submission to result of each request.
    fn timed(&mut self, batches: u32, clock: Clock) -> Result<Vec<f64>, String>;

    fn settle(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn fewest_batches(&self) -> u32 {
        1
    }
}

impl Worker for Work<'_> {
    fn run(&mut self, batches: u32) -> Result<Option<f64>, String> {
        Work::run(self, batches).map(|()| None).map_err(|error| error.to_string())
    }

    fn timed(&mut self, batches: u32, clock: Clock) -> Result<Vec<f64>, String> {
        one_by_one(self, batches, clock)
    }
}

impl Worker for Hashing<'_> {
    fn run(&mut self, batches: u32) -> Result<Option<f64>, String> {
        Hashing::run(self, batches).map(|()| None).map_err(|error| error.to_string())
    }

    fn timed(&mut self, batches: u32, clock: Clock) -> Result<Vec<f64>, String> {
        one_by_one(self, batches, clock)
    }
}

pub fn one_by_one(worker: &mut dyn Worker, batches: u32, clock: Clock) -> Result<Vec<f64>, String> {
    let one = |_| {
        let start = clock.now();
        worker.run(1)?;
        Ok(clock.since(start))
    };
    (0..batches).map(one).collect()
}

impl Worker for InFlight {
    fn run(&mut self, batches: u32) -> Result<Option<f64>, String> {
        let done = (0..batches).try_for_each(|_| InFlight::run(self, &mut || {}));
        done.map(|()| None).map_err(|error| error.to_string())
    }

    fn timed(&mut self, batches: u32, clock: Clock) -> Result<Vec<f64>, String> {
        let mut latencies = Vec::new();
        for _ in 0..batches {
            let start = clock.now();
            let done = InFlight::run(self, &mut || latencies.push(clock.since(start)));
            done.map_err(|error| error.to_string())?;
        }
        Ok(latencies)
    }
}

pub struct WorkerThreads<'a>(pub Vec<Box<dyn Worker + 'a>>);

impl WorkerThreads<'_> {
    /// Runs a number of batches on each worker. Returns the seconds from the first start to the
    /// last end, or the longest that a worker reports; `None`: the caller's clock is exact.
    pub fn run(&mut self, batches: u32, clock: Clock) -> Result<Option<f64>, String> {
        if let [alone] = &mut self.0[..] {
            return alone.run(batches);
        }
        let barrier = Barrier::new(self.0.len());
        let all = self.all(&|worker| {
            barrier.wait();
            let start = clock.now();
            let own = worker.run(batches)?;
            Ok((start, clock.now(), own))
        })?;
        let own = all.iter().filter_map(|(.., own)| *own).reduce(f64::max);
        let first = all.iter().map(|(start, ..)| *start).min();
        let last = all.iter().map(|(_, end, _)| *end).max();
        Ok(own.or_else(|| Some(clock.between(first?, last?))))
    }

    pub fn timed(&mut self, batches: u32, clock: Clock) -> Result<Vec<f64>, String> {
        Ok(self.all(&|worker| worker.timed(batches, clock))?.concat())
    }

    pub fn settle(&mut self) -> Result<(), String> {
        self.all(&|worker| worker.settle()).map(drop)
    }

    pub fn fewest_batches(&self) -> u32 {
        self.0.iter().map(|worker| worker.fewest_batches()).max().unwrap_or(1)
    }

    fn all<T: Send>(
        &mut self,
        job: &(dyn Fn(&mut dyn Worker) -> Result<T, String> + Sync),
    ) -> Result<Vec<T>, String> {
        let Some((first, others)) = self.0.split_first_mut() else { return Ok(Vec::new()) };
        std::thread::scope(|scope| {
            let running: Vec<_> =
                others.iter_mut().map(|worker| scope.spawn(move || job(&mut **worker))).collect();
            let mut results = vec![job(&mut **first)?];
            for thread in running {
                results.push(thread.join().map_err(|_| "a thread of outboard bench panicked".to_owned())??);
            }
            Ok(results)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    struct Counts<'a>(&'a AtomicU32, Option<&'static str>);

    impl Worker for Counts<'_> {
        fn run(&mut self, batches: u32) -> Result<Option<f64>, String> {
            let before = self.0.fetch_add(batches, Ordering::Relaxed);
            self.1.map_or(Ok(Some(f64::from(before))), |error| Err(error.to_owned()))
        }
        fn timed(&mut self, batches: u32, _: Clock) -> Result<Vec<f64>, String> {
            self.run(batches).map(|_| vec![1.0; batches as usize])
        }
        fn fewest_batches(&self) -> u32 {
            if self.1.is_some() { 7 } else { 3 }
        }
    }

    #[test]
    fn each_of_a_team_does_as_much_and_one_that_fails_is_heard() {
        let done = AtomicU32::new(0);
        let team = |fails| {
            WorkerThreads(
                (0..3).map(|n| Box::new(Counts(&done, if n == 2 { fails } else { None })) as _).collect(),
            )
        };
        let clock = Clock::known(None);
        assert_eq!(team(None).run(5, clock).unwrap(), Some(10.0), "the last one's");
        assert_eq!(done.load(Ordering::Relaxed), 15);
        assert_eq!(team(None).timed(4, clock).unwrap().len(), 12);
        assert_eq!(team(Some("broken")).run(1, clock).unwrap_err(), "broken");
        assert_eq!([None, Some("broken")].map(|fails| team(fails).fewest_batches()), [3, 7]);
    }
}
