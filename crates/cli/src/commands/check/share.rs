//! The results of one process of the check.

/// The results of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Requests with right results.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The fault that ended the check.
    pub fault: Option<(Outcome, String)>,
}

/// The type of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A wrong result.
    Wrong,
    /// No result.
    None,
}

impl Share {
    /// Combines the results of two processes; a wrong result takes precedence over a missing one.
    pub fn and(self, other: Share) -> Share {
        let fault = match (self.fault, other.fault) {
            (Some((Outcome::None, _)), Some(wrong @ (Outcome::Wrong, _))) => Some(wrong),
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
        let both = share(Some(Outcome::None)).and(share(Some(Outcome::Wrong)));
        assert_eq!((both.requests, both.bytes, both.fault), (4, 6, share(Some(Outcome::Wrong)).fault));
        assert_eq!(share(None).and(share(Some(Outcome::None))).fault, share(Some(Outcome::None)).fault);
        assert_eq!(share(Some(Outcome::Wrong)).and(share(None)).fault, share(Some(Outcome::Wrong)).fault);
    }
}
