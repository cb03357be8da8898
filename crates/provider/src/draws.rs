//! Random numbers that choose which blocks of a result are compared: the system's, so that nothing
//! that a driver does can depend on them. One read serves many results. Each number is handed out
//! once; the child of a fork has a copy of those that its parent had left.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use crate::clock::now_ms;

/// Count of numbers of one read: 256 bytes, which a signal does not interrupt (getrandom(2)).
const COUNT: usize = 64;

/// The numbers that are left; 0 where one was handed out. Lock-free, so that a fork leaves no lock
/// held.
static LEFT: [AtomicU32; COUNT] = [const { AtomicU32::new(0) }; COUNT];
static NEXT: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn next() -> u32 {
    let place = NEXT.fetch_add(1, Ordering::Relaxed) % COUNT;
    match LEFT[place].swap(0, Ordering::Relaxed) {
        0 => refill(),
        number => number,
    }
}

#[cold]
fn refill() -> u32 {
    let mut numbers = [0_u32; COUNT];
    let len = size_of_val(&numbers);
    // SAFETY: writable for its length.
    let read = unsafe { libc::getrandom(numbers.as_mut_ptr().cast(), len, libc::GRND_NONBLOCK) };
    if usize::try_from(read) != Ok(len) {
        // Early in the system's start, or in a sandbox that refuses the call.
        return scattered(std::process::id() ^ now_ms() ^ NEXT.load(Ordering::Relaxed) as u32);
    }
    for (place, number) in LEFT.iter().zip(&numbers[1..]) {
        place.store(*number, Ordering::Relaxed);
    }
    numbers[0]
}

/// Mixes the bits of a number: the finalizer of MurmurHash3 (Appleby).
pub(crate) fn scattered(mut bits: u32) -> u32 {
    bits = (bits ^ bits >> 16).wrapping_mul(0x85eb_ca6b);
    bits = (bits ^ bits >> 13).wrapping_mul(0xc2b2_ae35);
    bits ^ bits >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::thread::scope;

    #[test]
    fn threads_get_different_numbers_and_each_bit_varies() {
        let numbers: Vec<u32> = scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(|| (0..1000).map(|_| next()).collect::<Vec<u32>>()));
            threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
        });
        let different: HashSet<&u32> = numbers.iter().collect();
        // Two of 4000 random numbers are equal with probability 0.002.
        assert!(different.len() + 2 >= numbers.len(), "{}", different.len());
        for bit in 0..32 {
            let set = numbers.iter().filter(|number| **number >> bit & 1 == 1).count();
            assert!((1600..2400).contains(&set), "bit {bit}: {set}");
        }
    }
}
