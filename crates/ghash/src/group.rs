//! What all methods have in common.

use zeroize::Zeroize;

use crate::BLOCK;

/// Number of blocks that are reduced together.
pub(crate) const GROUP: usize = 16;

/// A method of multiplication.
pub(crate) trait Method {
    /// A power of the hash key in the form that [`add`](Self::add) needs.
    type Power: Clone + Default + Zeroize;

    /// Products, before they are put into their places.
    type Sums: Default + Zeroize;

    /// Whether this CPU has the instructions. They are checked before any other call.
    fn is_there() -> bool;

    /// Converts a power. False if the method cannot multiply by it.
    fn prepare(power: &[u8; BLOCK], prepared: &mut Self::Power) -> bool;

    /// Adds the products of blocks, of which the first one is added to `hash`, and powers. There is a
    /// block at least, and there are as many powers.
    fn add(powers: &[Self::Power], hash: &[u8; BLOCK], blocks: &[u8], sums: &mut Self::Sums);

    /// The sum of the products.
    fn reduced(sums: &Self::Sums) -> [u8; BLOCK];
}

/// The powers of a hash key, from the highest to the first.
pub(crate) struct Group<M: Method>(Vec<M::Power>);

impl<M: Method> Group<M> {
    /// `None` if the method is not there, cannot be used with this key, or without memory.
    pub(crate) fn new(hash_key: &[u8; BLOCK]) -> Option<Group<M>> {
        let (group, is_usable) = Group::with_powers(hash_key)?;
        is_usable.then_some(group)
    }

    /// The powers, and whether the method can be used with this key. No branch and no address in here
    /// depends on the key.
    pub(crate) fn with_powers(hash_key: &[u8; BLOCK]) -> Option<(Group<M>, bool)> {
        let mut group = Group(Vec::new());
        if !M::is_there() || group.0.try_reserve_exact(GROUP).is_err() {
            return None;
        }
        group.0.resize(GROUP, M::Power::default());
        let (mut power, mut is_usable) = (*hash_key, true);
        for place in (0..GROUP).rev() {
            is_usable &= M::prepare(&power, &mut group.0[place]);
            // The last place has the first power now.
            power = group.of_blocks([&power]);
        }
        power.zeroize();
        Some((group, is_usable))
    }

    /// GHASH of additional data and ciphertext, each padded with zeros, and their lengths (SP 800-38D,
    /// 7.1).
    pub(crate) fn of_message(&self, aad: &[u8], ciphertext: &[u8]) -> [u8; BLOCK] {
        let whole = |bytes: &[u8]| bytes.len() / BLOCK * BLOCK;
        let (aad_blocks, aad_rest) = aad.split_at(whole(aad));
        let (text_blocks, text_rest) = ciphertext.split_at(whole(ciphertext));
        let mut aad_end = [0; BLOCK];
        aad_end[..aad_rest.len()].copy_from_slice(aad_rest);
        let aad_end = &aad_end[..aad_rest.len().next_multiple_of(BLOCK)];
        // The rest of the text, if there is one, and the lengths.
        let mut end = [0; 2 * BLOCK];
        end[..text_rest.len()].copy_from_slice(text_rest);
        let [aad_bits, text_bits] = [aad, ciphertext].map(|bytes| bytes.len() as u128 * 8);
        end[BLOCK..].copy_from_slice(&(aad_bits << 64 | text_bits).to_be_bytes());
        let end = &end[if text_rest.is_empty() { BLOCK } else { 0 }..];
        self.of_blocks([aad_blocks, aad_end, text_blocks, end])
    }

    /// GHASH of whole blocks, in runs one after the other.
    pub(crate) fn of_blocks<const N: usize>(&self, mut runs: [&[u8]; N]) -> [u8; BLOCK] {
        let mut left: usize = runs.iter().map(|run| run.len() / BLOCK).sum();
        let (mut hash, mut sums) = ([0; BLOCK], M::Sums::default());
        while left > 0 {
            let count = left.min(GROUP);
            left -= count;
            sums = M::Sums::default();
            let mut place = GROUP - count;
            for run in &mut runs {
                let (now, rest) = run.split_at(run.len().min((GROUP - place) * BLOCK));
                if !now.is_empty() {
                    // The hash of the groups before is added to the first block.
                    M::add(&self.0[place..], &hash, now, &mut sums);
                    hash = [0; BLOCK];
                    place += now.len() / BLOCK;
                    *run = rest;
                }
            }
            hash = M::reduced(&sums);
        }
        sums.zeroize();
        hash
    }
}

impl<M: Method> Drop for Group<M> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}
