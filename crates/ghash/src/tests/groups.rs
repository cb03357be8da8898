//! Groups by a method that multiplies bit by bit.

use std::cell::Cell;

use zeroize::Zeroize;

use super::{multiply, random};
use crate::BLOCK;
use crate::group::{GROUP, Group, Method};

thread_local! {
    static WIPED: Cell<usize> = const { Cell::new(0) };
}

/// An element that counts how often one is wiped.
#[derive(Clone, Default)]
struct Element(u128);

impl Zeroize for Element {
    fn zeroize(&mut self) {
        self.0 = 0;
        WIPED.set(WIPED.get() + 1);
    }
}

/// Refuses a power of 16.
struct BitByBit<const IS_THERE: bool>;

fn is_refused(power: u128) -> bool {
    power & 15 == 0
}

impl<const IS_THERE: bool> Method for BitByBit<IS_THERE> {
    type Power = Element;
    type Sums = Element;

    fn is_there() -> bool {
        IS_THERE
    }

    fn prepare(power: &[u8; BLOCK], prepared: &mut Element) -> bool {
        prepared.0 = u128::from_be_bytes(*power);
        !is_refused(prepared.0)
    }

    fn add(powers: &[Element], hash: &[u8; BLOCK], blocks: &[u8], sums: &mut Element) {
        assert!((1..=powers.len()).contains(&(blocks.len() / BLOCK)));
        let mut hash = u128::from_be_bytes(*hash);
        for (block, power) in blocks.chunks_exact(BLOCK).zip(powers) {
            let block = u128::from_be_bytes(block.try_into().expect("a block"));
            sums.0 ^= multiply(block ^ std::mem::take(&mut hash), power.0);
        }
    }

    fn reduced(sums: &Element) -> [u8; BLOCK] {
        sums.0.to_be_bytes()
    }
}

#[test]
fn a_key_is_used_if_the_method_is_there_and_refuses_none_of_its_powers() {
    let mut random = random();
    let mut refused_by_power = [0; 4];
    for _ in 0..300 {
        let key: [u8; BLOCK] = std::array::from_fn(|_| random());
        let first = u128::from_be_bytes(key);
        let powers = std::iter::successors(Some(first), |power| Some(multiply(*power, first)));
        let refused = powers.take(GROUP).filter(|power| is_refused(*power)).count();
        refused_by_power[refused.min(3)] += 1;
        assert!(Group::<BitByBit<false>>::new(&key).is_none());
        assert_eq!(Group::<BitByBit<true>>::new(&key).is_some(), refused == 0, "{key:x?}");
    }
    assert!(refused_by_power.iter().all(|&keys| keys > 10), "{refused_by_power:?}");
}

#[test]
fn powers_are_wiped_and_so_are_the_sums_of_a_message() {
    let (group, _) = Group::<BitByBit<true>>::with_powers(&[3; BLOCK]).expect("memory");
    let wiped = |run: &mut dyn FnMut()| {
        let before = WIPED.get();
        run();
        WIPED.get() - before
    };
    assert_eq!(wiped(&mut || assert_ne!(group.of_message(&[1; 20], &[2; 600]), [0; BLOCK])), 1);
    let mut group = Some(group);
    assert_eq!(wiped(&mut || drop(group.take())), GROUP);
}
