//! The results of one process of the check.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub requests: u64,
    pub bytes: u64,
    pub fault: Option<(Outcome, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Wrong,
    /// No result within the time limit.
    Late,
    None,
}

impl Share {
    /// Combines the results of two processes; the worse fault takes precedence, which is the first
    /// of [`Outcome`].
    pub fn and(self, other: Share) -> Share {
        let fault = match (self.fault, other.fault) {
            (Some(mine), Some(theirs)) => Some(if theirs.0 < mine.0 { theirs } else { mine }),
            (mine, theirs) => mine.or(theirs),
        };
        Share { requests: self.requests + other.requests, bytes: self.bytes + other.bytes, fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_result_is_worse_than_none() {
        let share = |outcome: Option<Outcome>| Share {
            requests: 2,
            bytes: 3,
            fault: outcome.map(|outcome| (outcome, format!("{outcome:?}"))),
        };
        assert_eq!(
            share(Some(Outcome::None)).and(share(Some(Outcome::Late))).fault,
            share(Some(Outcome::Late)).fault
        );
        let both = share(Some(Outcome::None)).and(share(Some(Outcome::Wrong)));
        assert_eq!((both.requests, both.bytes, both.fault), (4, 6, share(Some(Outcome::Wrong)).fault));
        assert_eq!(share(None).and(share(Some(Outcome::None))).fault, share(Some(Outcome::None)).fault);
        assert_eq!(share(Some(Outcome::Wrong)).and(share(None)).fault, share(Some(Outcome::Wrong)).fault);
    }
}
