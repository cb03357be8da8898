//! Suffix arrays by induced sorting (Nong, Zhang and Chan, "Two Efficient Algorithms for Linear
//! Time Suffix Array Construction", 2011), and the lengths of the common prefixes of adjacent
//! suffixes.

const NONE: u32 = u32::MAX;

pub(super) trait Rank: Copy + PartialEq + PartialOrd {
    fn rank(self) -> usize;
}

impl Rank for u8 {
    fn rank(self) -> usize {
        usize::from(self)
    }
}

impl Rank for u32 {
    fn rank(self) -> usize {
        self as usize
    }
}

/// The start indices of the suffixes of `text` in sorted order. All symbols must be less than
/// `alphabet`.
pub(super) fn suffix_array<T: Rank>(text: &[T], alphabet: usize) -> Vec<u32> {
    let length = text.len();
    if length < 2 {
        return (0..length as u32).collect();
    }
    let sorter = Sorter::of(text, alphabet);
    let starts: Vec<u32> = (1..length).filter(|&i| sorter.is_leftmost(i)).map(|i| i as u32).collect();
    let mut order = sorter.induced(&starts);
    if starts.is_empty() {
        return order;
    }
    // Equal substrings between starts get equal names, in sorted order. A name is stored at half
    // the index, since starts are never adjacent.
    order.retain(|&suffix| suffix > 0 && sorter.is_leftmost(suffix as usize));
    let mut names = vec![NONE; length / 2 + 1];
    let mut last = 0;
    names[order[0] as usize / 2] = 0;
    for pair in order.windows(2) {
        last += u32::from(!sorter.are_equal(pair[0] as usize, pair[1] as usize));
        names[pair[1] as usize / 2] = last;
    }
    names.retain(|&name| name != NONE);
    drop(order);
    let distinct = last as usize + 1;
    let sorted: Vec<u32> = if distinct == starts.len() {
        let mut places = vec![0; starts.len()];
        names.iter().zip(&starts).for_each(|(&name, &start)| places[name as usize] = start);
        places
    } else {
        let mut order = suffix_array(&names, distinct);
        order.iter_mut().for_each(|index| *index = starts[*index as usize]);
        order
    };
    drop((names, starts));
    sorter.induced(&sorted)
}

struct Sorter<'a, T> {
    text: &'a [T],
    is_less: Vec<bool>,
    /// For each symbol, the index where the suffixes that begin with it start: first those that are
    /// greater than their following suffix, then the others.
    greater_from: Vec<u32>,
    less_from: Vec<u32>,
}

impl<'a, T: Rank> Sorter<'a, T> {
    fn of(text: &'a [T], alphabet: usize) -> Self {
        let length = text.len();
        let mut is_less = vec![false; length];
        for i in (0..length - 1).rev() {
            is_less[i] = if text[i] == text[i + 1] { is_less[i + 1] } else { text[i] < text[i + 1] };
        }
        let (mut greater_from, mut less_from) = (vec![0; alphabet + 1], vec![0; alphabet + 1]);
        for (symbol, &less) in text.iter().zip(&is_less) {
            let symbol = symbol.rank();
            if less { greater_from[symbol + 1] += 1 } else { less_from[symbol] += 1 }
        }
        for symbol in 0..=alphabet {
            less_from[symbol] += greater_from[symbol];
            if symbol < alphabet {
                greater_from[symbol + 1] += less_from[symbol];
            }
        }
        Sorter { text, is_less, greater_from, less_from }
    }

    /// Whether a suffix is less than the following suffix, and the preceding suffix is not.
    fn is_leftmost(&self, i: usize) -> bool {
        self.is_less[i] && !self.is_less[i - 1]
    }

    /// Derives the order of all suffixes from that of the leftmost ones.
    fn induced(&self, leftmost: &[u32]) -> Vec<u32> {
        let length = self.text.len();
        let mut order = vec![NONE; length];
        let mut next = self.less_from.clone();
        for &suffix in leftmost {
            let place = &mut next[self.text[suffix as usize].rank()];
            order[*place as usize] = suffix;
            *place += 1;
        }
        next.copy_from_slice(&self.greater_from);
        let place = &mut next[self.text[length - 1].rank()];
        order[*place as usize] = (length - 1) as u32;
        *place += 1;
        for i in 0..length {
            let suffix = order[i];
            if suffix != NONE && suffix > 0 && !self.is_less[suffix as usize - 1] {
                let place = &mut next[self.text[suffix as usize - 1].rank()];
                order[*place as usize] = suffix - 1;
                *place += 1;
            }
        }
        next.copy_from_slice(&self.greater_from);
        for i in (0..length).rev() {
            let suffix = order[i];
            if suffix != NONE && suffix > 0 && self.is_less[suffix as usize - 1] {
                let place = &mut next[self.text[suffix as usize - 1].rank() + 1];
                *place -= 1;
                order[*place as usize] = suffix - 1;
            }
        }
        order
    }

    /// Whether the substrings from two leftmost suffixes to the next such suffix are equal.
    fn are_equal(&self, one: usize, other: usize) -> bool {
        for offset in 0.. {
            let (a, b) = (one + offset, other + offset);
            if a >= self.text.len() || b >= self.text.len() {
                return false;
            }
            let ends = [a, b].map(|i| offset > 0 && self.is_leftmost(i));
            if self.text[a] != self.text[b] || ends[0] != ends[1] {
                return false;
            }
            if ends[0] {
                return true;
            }
        }
        false
    }
}

/// For each index of the order, the length of the longest common prefix with the preceding suffix;
/// zero for the first (Kärkkäinen, Manzini and Puglisi, "Permuted Longest-Common-Prefix Array",
/// 2009).
pub(super) fn common_prefixes(text: &[u8], order: Vec<u32>) -> Vec<u32> {
    let mut before = vec![NONE; text.len()];
    for pair in order.windows(2) {
        before[pair[1] as usize] = pair[0];
    }
    // From here on `before` is overwritten with the prefix lengths in the order of the text.
    let mut length = 0_usize;
    for i in 0..text.len() {
        if before[i] == NONE {
            length = 0;
        } else {
            let other = before[i] as usize;
            let same = text[i + length..].iter().zip(&text[other + length..]).take_while(|(a, b)| a == b);
            length += same.count();
        }
        before[i] = length as u32;
        length = length.saturating_sub(1);
    }
    let mut lengths = order;
    lengths.iter_mut().for_each(|entry| *entry = before[*entry as usize]);
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn suffixes_and_prefixes_are_those_of_plain_sorting(
            text in prop::collection::vec(0..4_u8, 0..300), period in 1..40_usize, copies in 0..4_usize
        ) {
            let mut text = text;
            for _ in 0..copies {
                text.extend_from_within(..period.min(text.len()));
            }
            let mut plain: Vec<u32> = (0..text.len() as u32).collect();
            plain.sort_by_key(|&i| &text[i as usize..]);
            let order = suffix_array(&text, 4);
            prop_assert_eq!(&order, &plain);
            let lengths = common_prefixes(&text, order);
            for (i, pair) in plain.windows(2).enumerate() {
                let (a, b) = (&text[pair[0] as usize..], &text[pair[1] as usize..]);
                let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
                prop_assert_eq!(lengths[i + 1] as usize, same);
            }
        }
    }
}
