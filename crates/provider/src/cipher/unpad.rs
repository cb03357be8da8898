//! Removes padding and MAC from a decrypted TLS record, in constant time.
//!
//! An attacker who can distinguish a bad padding from a bad MAC can decrypt (Vaudenay 2002, Lucky
//! Thirteen 2013). Therefore the time depends only on public values: the lengths of record and MAC,
//! and the version. A bad padding yields a random MAC, so that its verification fails.

use std::ops::BitAnd;

use outboard_accel::{Wiped, wipe};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater};

/// Maximum length of a MAC in bytes (EVP_MAX_MD_SIZE).
const LONGEST_MAC: usize = 64;

/// Maximum number of padding bytes, including the length byte.
const MOST_PADDING: usize = 256;

/// The MAC of a record, copied out of the record so that its position is not revealed.
#[derive(Clone)]
pub(in crate::cipher) struct Mac {
    bytes: [u8; LONGEST_MAC],
    len: usize,
}

impl Mac {
    pub(in crate::cipher) fn copy_of(bytes: &[u8]) -> Option<Mac> {
        let mut mac = Mac { bytes: [0; LONGEST_MAC], len: bytes.len() };
        mac.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(mac)
    }

    pub(in crate::cipher) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        wipe(&mut self.bytes);
    }
}

/// Rule for the padding bytes before the last one, which contains their number.
#[derive(Clone, Copy)]
pub(in crate::cipher) enum Padding {
    /// Each is equal to the last one (RFC 5246, section 6.2.3.2).
    Equal,
    /// Any value, but at most this many bytes including the last one (SSL 3: a block; RFC 6101,
    /// section 5.2.3.2).
    AnyUpTo(usize),
}

pub(in crate::cipher) struct Record {
    pub(in crate::cipher) len: usize,
    /// `None` with encrypt-then-MAC.
    pub(in crate::cipher) mac: Option<Mac>,
}

/// `None` if the record is too short, which is public, for a bad padding if it contains no MAC
/// (encrypt-then-MAC: it was authenticated before), and if the kernel returns no random bytes.
pub(in crate::cipher) fn unpad(data: &[u8], mac_size: usize, kind: Padding) -> Option<Record> {
    let len = data.len();
    if mac_size > LONGEST_MAC || len < mac_size + 1 || u32::try_from(len).is_err() {
        return None;
    }
    let padding = u32::from(data[len - 1]);
    let mut good = not_greater(padding + 1 + mac_size as u32, len as u32);
    match kind {
        Padding::AnyUpTo(most) => good &= not_greater(padding + 1, most as u32),
        // Always inspects the maximum number of bytes.
        Padding::Equal => {
            for (distance, &byte) in data.iter().rev().take(MOST_PADDING).enumerate() {
                let outside = (distance as u32).ct_gt(&padding);
                good &= outside | u32::from(byte).ct_eq(&padding);
            }
        }
    }
    let removed = u32::conditional_select(&0, &(padding + 1), good);
    let mac_end = len as u32 - removed;
    // Never negative, which must not be compared: it is secret.
    let rest = (mac_end as usize).wrapping_sub(mac_size);
    if mac_size == 0 {
        return bool::from(good).then_some(Record { len: rest, mac: None });
    }
    let mut random = Wiped::new([0; LONGEST_MAC]);
    if !fill_random(&mut random[..mac_size]) {
        return None;
    }
    let mut mac = copy_mac(data, mac_end, mac_size);
    for (byte, random) in mac.bytes.iter_mut().zip(random.iter()).take(mac_size) {
        *byte = u8::conditional_select(random, byte, good);
    }
    Some(Record { len: rest, mac: Some(mac) })
}

/// The `mac_size` bytes before `mac_end`, without revealing that position.
fn copy_mac(data: &[u8], mac_end: u32, mac_size: usize) -> Mac {
    let mac_start = mac_end - mac_size as u32;
    // The padding moves the MAC by at most this many bytes. Earlier bytes are never part of it.
    let scan_start = data.len().saturating_sub(mac_size + MOST_PADDING);
    let mut mac = Mac { bytes: [0; LONGEST_MAC], len: mac_size };
    // Collect the bytes of the MAC in scan order, which rotates them by a secret number of
    // places...
    let mut turned = 0;
    for (place, position) in (scan_start..data.len()).enumerate() {
        let slot = place % mac_size;
        let position_ct = position as u32;
        let inside = not_greater(mac_start, position_ct) & mac_end.ct_gt(&position_ct);
        mac.bytes[slot] |= u8::conditional_select(&0, &data[position], inside);
        turned |= u32::conditional_select(&0, &(slot as u32), position_ct.ct_eq(&mac_start));
    }
    // ...and rotate them back, one bit of that number at a time.
    for bit in 0..LONGEST_MAC.ilog2() {
        let places = 1usize << bit;
        if places >= mac_size {
            break;
        }
        let set = ((turned >> bit).bitand(1) as u8).ct_eq(&1);
        let mut rotated = Wiped::new(mac.bytes);
        rotated[..mac_size].rotate_left(places);
        for (byte, other) in mac.bytes.iter_mut().zip(rotated.iter()) {
            *byte = u8::conditional_select(byte, other, set);
        }
    }
    mac
}

fn not_greater(a: u32, b: u32) -> Choice {
    !a.ct_gt(&b)
}

/// Uses getrandom(2), which all known sandboxes allow, including that of OpenSSH. False on failure.
fn fill_random(mut bytes: &mut [u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: the slice is writable for its length.
        let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
        match usize::try_from(got) {
            Ok(got) => bytes = &mut bytes[got..],
            Err(_) if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A record before encryption.
    fn record(data: &[u8], mac: &[u8], padding: usize) -> Vec<u8> {
        let mut bytes = [data, mac].concat();
        bytes.extend(std::iter::repeat_n(padding as u8, padding + 1));
        bytes
    }

    proptest! {
        #[test]
        fn data_and_mac_come_back_whole(
            data in proptest::collection::vec(any::<u8>(), 0..600),
            mac in proptest::collection::vec(any::<u8>(), 0..=64),
            padding in 0usize..256,
        ) {
            let bytes = record(&data, &mac, padding);
            let found = unpad(&bytes, mac.len(), Padding::Equal).expect("well-formed");
            prop_assert_eq!(found.len, data.len());
            prop_assert_eq!(found.mac.as_ref().map_or(&[][..], Mac::as_slice), &mac[..]);
        }

        #[test]
        fn one_wrong_byte_of_padding_gives_another_mac_and_the_full_length(
            data in proptest::collection::vec(any::<u8>(), 256..600),
            mac in proptest::collection::vec(any::<u8>(), 20..=20),
            padding in 1usize..256,
            at in any::<proptest::sample::Index>(),
            change in 1u8..,
        ) {
            let mut bytes = record(&data, &mac, padding);
            // Not the last byte: another length could be valid by chance.
            let place = bytes.len() - 2 - at.index(padding);
            bytes[place] ^= change;
            let found = unpad(&bytes, mac.len(), Padding::Equal).expect("long enough");
            prop_assert_eq!(found.len, bytes.len() - mac.len());
            let plain_end = &bytes[found.len..];
            let found_mac = found.mac.expect("there is one");
            prop_assert_ne!(found_mac.as_slice(), &mac[..]);
            prop_assert_ne!(found_mac.as_slice(), plain_end);
        }

        #[test]
        fn no_record_makes_it_panic(
            data in proptest::collection::vec(any::<u8>(), 0..600),
            mac_size in 0usize..80,
            ssl3 in any::<bool>(),
        ) {
            if let Some(found) = unpad(&data, mac_size, if ssl3 { Padding::AnyUpTo(16) } else { Padding::Equal }) {
                prop_assert!(found.len + mac_size <= data.len());
            }
        }
    }

    #[test]
    fn ssl3_takes_any_bytes_but_at_most_a_block() {
        let mut bytes = record(&[7; 40], &[9; 20], 15);
        let len = bytes.len();
        bytes[len - 16..len - 1].fill(0x55);
        let found = unpad(&bytes, 20, Padding::AnyUpTo(16)).unwrap();
        assert_eq!((found.len, found.mac.unwrap().as_slice()), (40, &[9; 20][..]));
        let found = unpad(&record(&[7; 40], &[9; 20], 16), 20, Padding::AnyUpTo(16)).unwrap();
        assert_eq!(found.len, 40 + 17, "seventeen bytes of padding are too many");
    }

    #[test]
    fn too_short_for_everybody_to_see() {
        assert!(unpad(&[0; 20], 20, Padding::Equal).is_none());
        assert!(unpad(&[], 0, Padding::Equal).is_none());
        assert!(unpad(&[1], 0, Padding::Equal).is_none(), "without a MAC the padding's error shows");
    }
}
