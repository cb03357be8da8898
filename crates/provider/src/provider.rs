//! What all contexts of a loaded provider share.

use outboard_counters::Table;
use outboard_policy::Policy;

use crate::core::Core;
use crate::jobs::Jobs;
use crate::log::Log;
use crate::lookahead::Lookahead;
use crate::software::Software;

pub(crate) struct Provider {
    pub(crate) core: Core,
    pub(crate) policy: Policy,
    pub(crate) log: Log,
    /// Dropped before the counters, which its streams use.
    pub(crate) lookahead: Lookahead,
    pub(crate) counters: Table,
    pub(crate) software: &'static Software,
    pub(crate) jobs: Option<Jobs>,
}
