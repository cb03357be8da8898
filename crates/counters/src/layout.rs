use crate::counter::Counter;
use crate::decision::{DECISIONS, Place};
use crate::note::{NOTES, Note};
use crate::row::{ROWS, Row};
use crate::seed::SeedRow;
use crate::software_reason::REASONS;
use crate::sync::{AtomicU8, AtomicU32, Ordering, fence};

const MAGIC: &[u8; 8] = b"outboard";

/// Incremented with every change of the layout below.
const VERSION: u32 = 7;

/// The contents of a table, in native byte order. Only atomics: any content is a valid value.
#[repr(C, align(64))]
pub(crate) struct Layout {
    magic: [AtomicU8; 8],
    version: AtomicU32,
    rows: AtomicU32,
    pub(crate) attached: Counter,
    pub(crate) seed: SeedRow,
    pub(crate) table: [Row; ROWS],
}

/// Decisions, notes and reasons. Only a file contains them: a private table has no reader.
#[repr(C, align(64))]
pub(crate) struct Words {
    pub(crate) decisions: [Place; DECISIONS],
    pub(crate) notes: [Note; NOTES],
    /// For each row of the table the requests and bytes of each counted reason.
    pub(crate) reasons: [[[Counter; 2]; REASONS]; ROWS],
}

#[repr(C, align(64))]
pub(crate) struct Shared {
    pub(crate) layout: Layout,
    pub(crate) words: Words,
}

pub(crate) const SIZE: usize = size_of::<Shared>();

const _: () = assert!(
    cfg!(all(test, loom)) || SIZE == 64 + ROWS * 128 + DECISIONS * 2048 + NOTES * 512 + ROWS * REASONS * 16
);

impl Default for Layout {
    fn default() -> Self {
        Self {
            magic: Default::default(),
            version: AtomicU32::new(0),
            rows: AtomicU32::new(0),
            attached: Counter::default(),
            seed: SeedRow::default(),
            table: std::array::from_fn(|_| Row::default()),
        }
    }
}

impl Layout {
    /// The magic is written last.
    pub(crate) fn seal(&self) {
        self.version.store(VERSION, Ordering::Relaxed);
        self.rows.store(ROWS as u32, Ordering::Relaxed);
        fence(Ordering::Release);
        crate::claim::store_bytes(&self.magic, MAGIC);
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        if !crate::claim::holds(&self.magic, MAGIC) {
            return Err("it does not start with the word of a counters file".into());
        }
        fence(Ordering::Acquire);
        let (version, rows) = (self.version.load(Ordering::Relaxed), self.rows.load(Ordering::Relaxed));
        if version != VERSION || rows as usize != ROWS {
            return Err(format!(
                "layout {version} with {rows} rows, this outboard.so knows layout {VERSION} with {ROWS}"
            ));
        }
        Ok(())
    }
}
