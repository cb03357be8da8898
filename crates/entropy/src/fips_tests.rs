use super::*;

/// A block with these run lengths, starting with zeros.
fn of_runs(lengths: impl IntoIterator<Item = usize>) -> [u8; BLOCK] {
    let (mut block, mut position, mut value) = ([0; BLOCK], 0, 0);
    for length in lengths {
        for _ in 0..length {
            block[position / 8] |= value << (7 - position % 8);
            position += 1;
        }
        value ^= 1;
    }
    assert_eq!(position, 8 * BLOCK, "the runs fill a block");
    block
}

fn tested(block: &[u8; BLOCK]) -> FipsFailures {
    Fips::new([0x12, 0x34, 0x56, 0x78]).test(block)
}

#[test]
fn monobit_fails_at_9725_and_10275_ones() {
    for (ones, fails) in [(9725, true), (9726, false), (10_274, false), (10_275, true)] {
        assert_eq!(tested(&of_runs([8 * BLOCK - ones, ones])).monobit, fails, "{ones}");
    }
}

/// A block whose sixteen 4-bit values have counts with this sum of squares.
fn of_squares(target: u32) -> [u8; BLOCK] {
    let mut counts: [u32; 16] = std::array::from_fn(|i| 312 + i as u32 % 2);
    loop {
        let squares: u32 = counts.iter().map(|count| count * count).sum();
        let room = (target - squares) / 2;
        if room == 0 {
            break;
        }
        // One more of `more` and one less of `less` increases the sum by twice the difference plus
        // one.
        let pairs = (0..16).flat_map(|more| (0..16).map(move |less| (more, less)));
        let gain = |&(more, less): &(usize, usize)| (counts[more] + 1).checked_sub(counts[less]);
        let fits =
            pairs.filter(|pair| pair.0 != pair.1 && gain(pair).is_some_and(|by| by >= 1 && by <= room));
        let (more, less) = fits.max_by_key(gain).expect("a gain of one is always possible");
        counts[more] += 1;
        counts[less] -= 1;
    }
    let mut nibbles =
        (0..16_u8).flat_map(|value| std::iter::repeat_n(value, counts[usize::from(value)] as usize));
    std::array::from_fn(|_| nibbles.next().unwrap() << 4 | nibbles.next().unwrap())
}

#[test]
fn poker_fails_outside_2_16_to_46_17() {
    // The sum of squares is even, as 5,000 is.
    for (squares, fails) in [(1_563_174, true), (1_563_176, false), (1_576_928, false), (1_576_930, true)] {
        assert_eq!(tested(&of_squares(squares)).poker, fails, "{squares}");
    }
}

/// Numbers of runs of 1 to 6 equal bits that are far from every limit.
const USUAL: [usize; 6] = [2500, 1250, 625, 313, 156, 156];

/// A block with `count` runs of `length` bits of `value`.
fn of_run_count(value: usize, length: usize, count: usize) -> [u8; BLOCK] {
    let mut counts = [USUAL; 2];
    let difference = count as isize - USUAL[length - 1] as isize;
    counts[value][length - 1] = count;
    // The total number of runs stays the same: other lengths compensate, within their limits.
    let others: &[usize] = if length == 1 { &[1, 2] } else { &[0] };
    for (number, &other) in others.iter().enumerate() {
        let share = (difference + number as isize) / others.len() as isize;
        let share = if others.len() == 1 { difference } else { share };
        counts[value][other] = (counts[value][other] as isize - share) as usize;
    }
    let total: usize = counts[value].iter().sum();
    counts[value][1] = counts[value][1] + 5000 - total;
    let mut lengths: [Vec<usize>; 2] = counts.map(|counts| {
        (1..).zip(counts).flat_map(|(length, count)| std::iter::repeat_n(length, count)).collect()
    });
    // The remaining bits extend the longest runs.
    let mut left = 8 * BLOCK - lengths.iter().flatten().sum::<usize>();
    while left > 0 {
        for run in lengths.iter_mut().flatten().filter(|run| **run >= 6) {
            *run += usize::from(left > 0);
            left = left.saturating_sub(1);
        }
    }
    of_runs(lengths[0].iter().zip(&lengths[1]).flat_map(|(&zeros, &ones)| [zeros, ones]))
}

#[test]
fn runs_fail_outside_each_of_their_limits() {
    for value in [0, 1] {
        for (length, (least, most)) in (1..).zip(RUNS) {
            for (count, fails) in [(least - 1, true), (least, false), (most, false), (most + 1, true)] {
                let block = of_run_count(value, length, count as usize);
                assert_eq!(runs(&block).0[value][length - 1], count, "the block is as it should be");
                assert_eq!(tested(&block).runs, fails, "{count} runs of {length} bits of {value}");
            }
        }
    }
}

#[test]
fn a_run_of_26_fails_at_either_end_and_across_words() {
    for before in [0, 1, 7, 50, 63, 64, 100, 8 * BLOCK - 26] {
        for (long, fails) in [(25, false), (26, true)] {
            let alternating = |bits| std::iter::repeat_n(1, bits);
            let block =
                of_runs(alternating(before).chain([long]).chain(alternating(8 * BLOCK - before - long)));
            assert_eq!(tested(&block).long_run, fails, "{long} after {before}");
        }
    }
}

#[test]
fn equal_words_fail_within_a_block_and_from_one_to_the_next() {
    let mut block: [u8; BLOCK] = std::array::from_fn(|i| (i * 7 + i / 256 * 3) as u8);
    let mut fips = Fips::new([1, 2, 3, 4]);
    assert!(!fips.test(&block).continuous_run);
    assert!(!fips.test(&block).continuous_run);
    let last: [u8; 4] = block[BLOCK - 4..].try_into().unwrap();
    block[..4].copy_from_slice(&last);
    assert!(fips.test(&block).continuous_run, "the last word of the block before");
    assert!(!Fips::new([1, 2, 3, 4]).test(&block).continuous_run);
    assert!(Fips::new(last).test(&block).continuous_run, "the word before the first block");
    block.copy_within(100..104, 104);
    assert!(tested(&block).continuous_run);
}
