//! All interleavings of processes that share a table.

use loom::sync::Arc;
use loom::thread;

use crate::claim::{Claim, load_text, store_bytes};
use crate::counter::narrow::Counter;
use crate::layout::Layout;
use crate::row::{Row, find_or_claim};
use crate::sync::AtomicU8;
use crate::sync::explored::{Stopping, explore};

#[derive(Default)]
struct Slot {
    claim: Claim,
    text: [AtomicU8; 2],
}

impl Slot {
    fn read(&self) -> Option<String> {
        self.claim.is_ready().then(|| load_text(&self.text))
    }
}

#[test]
fn a_slot_has_one_writer_and_is_read_whole() {
    explore(None, || {
        let slot = Arc::new(Slot::default());
        let threads = ["ab", "cd"].map(|text| {
            let slot = slot.clone();
            thread::spawn(move || slot.claim.fill(|| store_bytes(&slot.text, text.as_bytes())))
        });
        assert!(slot.read().is_none_or(|text| text == "ab" || text == "cd"));
        let filled = threads.map(|thread| thread.join().expect("it ends"));
        assert!(filled[0] != filled[1] && slot.read().is_some());
    });
}

#[test]
fn processes_that_start_at_once_find_a_row_of_their_algorithm() {
    explore(2, || {
        let rows = Arc::new([(); 2].map(|()| Row::default()));
        let threads = [(); 2].map(|()| {
            let rows = rows.clone();
            thread::spawn(move || find_or_claim(&rows[..], "A").expect("a row").add_ahead_miss())
        });
        threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
        let counts = rows.iter().filter(|row| row.name().as_deref() == Some("A")).map(Row::counts);
        assert_eq!(counts.map(|counts| counts.ahead_misses).sum::<u64>(), 2);
    });
}

#[test]
fn a_process_that_is_killed_costs_the_others_a_row_and_nothing_else() {
    for step in 0.. {
        let has_ended = std::sync::Arc::new(std::sync::Mutex::new(false));
        let result = has_ended.clone();
        explore(None, move || {
            let rows = Arc::new([(); 2].map(|()| Row::default()));
            let killed = {
                let rows = rows.clone();
                Stopping::before(step, move || {
                    find_or_claim(&rows[..], "A");
                })
            };
            *result.lock().expect("one thread") = killed.wait();
            let row = find_or_claim(&rows[..], "B").expect("a row");
            assert_eq!(row.name().as_deref(), Some("B"));
            assert!(rows[0].name().is_none_or(|name| name == "A" || name == "B"));
            killed.end();
        });
        if *has_ended.lock().expect("one thread") {
            return;
        }
    }
}

#[test]
fn a_counter_of_two_words_is_exact_when_all_have_counted() {
    explore(None, || {
        let counter = Arc::new(Counter::default());
        let threads = [u64::from(u32::MAX), 0x1_0000_0002].map(|number| {
            let counter = counter.clone();
            thread::spawn(move || counter.add(number))
        });
        threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
        assert_eq!(counter.get(), 0x2_0000_0001);
    });
}

#[test]
fn a_table_with_its_magic_word_is_complete() {
    explore(1, || {
        let table = Arc::new(Layout::default());
        let seals = {
            let table = table.clone();
            thread::spawn(move || table.seal())
        };
        let checked = table.check();
        assert!(checked.is_ok() || checked.is_err_and(|cause| cause.contains("start")));
        seals.join().expect("it ends");
    });
}
