//! The results of one process of the check.

use outboard_documents::check::CheckVerdict;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub requests: u64,
    pub bytes: u64,
    pub fault: Option<(CheckVerdict, String)>,
}

impl Share {
    /// Combines the results of two processes; the worse fault takes precedence, which is the first
    /// of [`CheckVerdict`].
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
        let share = |outcome: Option<CheckVerdict>| Share {
            requests: 2,
            bytes: 3,
            fault: outcome.map(|outcome| (outcome, format!("{outcome:?}"))),
        };
        assert_eq!(
            share(Some(CheckVerdict::Refuses)).and(share(Some(CheckVerdict::Unanswered))).fault,
            share(Some(CheckVerdict::Unanswered)).fault
        );
        let both = share(Some(CheckVerdict::Refuses)).and(share(Some(CheckVerdict::Wrong)));
        assert_eq!((both.requests, both.bytes, both.fault), (4, 6, share(Some(CheckVerdict::Wrong)).fault));
        assert_eq!(
            share(None).and(share(Some(CheckVerdict::Refuses))).fault,
            share(Some(CheckVerdict::Refuses)).fault
        );
        assert_eq!(
            share(Some(CheckVerdict::Wrong)).and(share(None)).fault,
            share(Some(CheckVerdict::Wrong)).fault
        );
    }
}
