//! The reference implementation of the modes of operation, as their standards write them.

use super::aes::Aes;
use super::des::Des3;
use crate::{Algorithm, Direction, advance};

pub(super) enum Reference {
    Aes(Algorithm, Aes),
    Xts(Aes, Aes),
    Des3(Des3),
}

impl Reference {
    pub(super) fn new(algorithm: Algorithm, key: &[u8]) -> Reference {
        match algorithm {
            Algorithm::CbcAes | Algorithm::CtrAes | Algorithm::EcbAes => {
                Reference::Aes(algorithm, Aes::new(key))
            }
            Algorithm::XtsAes => {
                let (data, tweak) = key.split_at(key.len() / 2);
                Reference::Xts(Aes::new(data), Aes::new(tweak))
            }
            Algorithm::CbcDes3Ede => Reference::Des3(Des3::new(key)),
            _ => unreachable!("{algorithm:?} is an AEAD, which has a reference of its own"),
        }
    }

    /// `text` must be whole blocks.
    pub(super) fn crypt(&self, direction: Direction, iv: &[u8], text: &[u8]) -> Vec<u8> {
        let mut text = text.to_vec();
        match (self, direction) {
            (Reference::Aes(Algorithm::CtrAes, aes), _) => ctr(aes, iv, &mut text),
            (Reference::Aes(Algorithm::EcbAes, aes), Direction::Encrypt) => {
                ecb(&mut text, |b| in_place(b, |b| aes.encrypt(b)))
            }
            (Reference::Aes(Algorithm::EcbAes, aes), Direction::Decrypt) => {
                ecb(&mut text, |b| in_place(b, |b| aes.decrypt(b)))
            }
            (Reference::Aes(_, aes), Direction::Encrypt) => {
                cbc_encrypt(iv, &mut text, |b| in_place(b, |b| aes.encrypt(b)))
            }
            (Reference::Aes(_, aes), Direction::Decrypt) => {
                cbc_decrypt(iv, &mut text, |b| in_place(b, |b| aes.decrypt(b)))
            }
            (Reference::Xts(data, tweak), Direction::Encrypt) => {
                xts(tweak, iv, &mut text, |b| in_place(b, |b| data.encrypt(b)))
            }
            (Reference::Xts(data, tweak), Direction::Decrypt) => {
                xts(tweak, iv, &mut text, |b| in_place(b, |b| data.decrypt(b)))
            }
            (Reference::Des3(des), Direction::Encrypt) => cbc_encrypt(iv, &mut text, |b| des.encrypt(b)),
            (Reference::Des3(des), Direction::Decrypt) => cbc_decrypt(iv, &mut text, |b| des.decrypt(b)),
        }
        text
    }
}

fn in_place(block: &mut [u8], cipher: impl Fn([u8; 16]) -> [u8; 16]) {
    let result = cipher((&*block).try_into().expect("16 bytes"));
    block.copy_from_slice(&result);
}

pub(super) fn add(block: &mut [u8], other: &[u8]) {
    block.iter_mut().zip(other).for_each(|(byte, other)| *byte ^= other);
}

/// SP 800-38A, 6.1
fn ecb(text: &mut [u8], cipher: impl Fn(&mut [u8])) {
    text.chunks_exact_mut(16).for_each(cipher);
}

/// SP 800-38A, 6.2. The IV is as long as a block.
fn cbc_encrypt(iv: &[u8], text: &mut [u8], cipher: impl Fn(&mut [u8])) {
    let mut before = iv.to_vec();
    for block in text.chunks_exact_mut(iv.len()) {
        add(block, &before);
        cipher(block);
        before.copy_from_slice(block);
    }
}

fn cbc_decrypt(iv: &[u8], text: &mut [u8], cipher: impl Fn(&mut [u8])) {
    let (mut before, mut secret) = (iv.to_vec(), iv.to_vec());
    for block in text.chunks_exact_mut(iv.len()) {
        secret.copy_from_slice(block);
        cipher(block);
        add(block, &before);
        std::mem::swap(&mut before, &mut secret);
    }
}

/// SP 800-38A, 6.5, with all 128 bits counting (B.1).
fn ctr(aes: &Aes, iv: &[u8], text: &mut [u8]) {
    let first = iv.try_into().expect("16 bytes");
    for (number, block) in text.chunks_exact_mut(16).enumerate() {
        add(block, &aes.encrypt(advance(first, number)));
    }
}

/// IEEE 1619, 5.3 and 5.4, whole blocks. Field elements have their lowest byte first.
fn xts(tweak: &Aes, iv: &[u8], text: &mut [u8], cipher: impl Fn(&mut [u8])) {
    let mut mask = u128::from_le_bytes(tweak.encrypt(iv.try_into().expect("16 bytes")));
    for block in text.chunks_exact_mut(16) {
        add(block, &mask.to_le_bytes());
        cipher(block);
        add(block, &mask.to_le_bytes());
        mask = (mask << 1) ^ (0x87 * (mask >> 127));
    }
}
