use crate::counter::Counter;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeedCounts {
    pub seeds: u64,
    /// Bytes delivered, without those of the start-up test.
    pub bytes: u64,
    pub health_failures: u64,
    /// Requests that got no bytes for another reason.
    pub failures: u64,
    /// Instantiations that failed. OpenSSL before 4.0 then uses seeds of the operating system.
    pub unavailable: u64,
}

/// Summed over all provider instances. Any thread may count: by relaxed atomic additions.
#[repr(C)]
#[derive(Default)]
pub struct SeedRow {
    seeds: Counter,
    bytes: Counter,
    health_failures: Counter,
    failures: Counter,
    unavailable: Counter,
}

const _: () = assert!(size_of::<SeedRow>() == 40);

impl SeedRow {
    pub fn add_seed(&self, bytes: u64) {
        self.seeds.add(1);
        self.bytes.add(bytes);
    }

    pub fn add_health_failure(&self) {
        self.health_failures.add(1);
    }

    pub fn add_failure(&self) {
        self.failures.add(1);
    }

    pub fn add_unavailable(&self) {
        self.unavailable.add(1);
    }

    #[must_use]
    pub fn counts(&self) -> SeedCounts {
        SeedCounts {
            seeds: self.seeds.get(),
            bytes: self.bytes.get(),
            health_failures: self.health_failures.get(),
            failures: self.failures.get(),
            unavailable: self.unavailable.get(),
        }
    }
}
