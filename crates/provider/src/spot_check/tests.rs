use super::*;
use crate::block_cipher::toy::Toy;

const BLOCKS: usize = 40;

/// A text and its encryption in a mode, written block by block.
struct Example {
    mode: Mode,
    size: usize,
    iv: Vec<u8>,
    plain: Vec<u8>,
    secret: Vec<u8>,
}

impl Example {
    fn new(mode: Mode, size: usize, len: usize) -> Example {
        let cipher = Toy { size: Some(size), ..Toy::default() };
        let iv_len = if mode == Mode::Ecb { 0 } else { size };
        let iv: Vec<u8> = (0..iv_len).map(|at| 0xc5 ^ at as u8).collect();
        let plain: Vec<u8> = (0..len).map(|at| (at * 7 + at / 256) as u8).collect();
        let mut secret = plain.clone();
        let mut chain = iv.clone();
        if mode == Mode::Xts {
            cipher.block(&mut chain, 2);
        }
        for block in secret.chunks_mut(size) {
            match mode {
                Mode::Ecb => cipher.block(block, 1),
                Mode::Cbc => {
                    xor(block, &chain);
                    cipher.block(block, 1);
                    chain.copy_from_slice(block);
                }
                Mode::Xts => {
                    xor(block, &chain);
                    cipher.block(block, 1);
                    xor(block, &chain);
                    let next = u128::from_le_bytes(chain[..].try_into().expect("16 bytes"));
                    chain.copy_from_slice(&times_x(next, 1).to_le_bytes());
                }
                _ => {
                    let mut stream = chain.clone();
                    cipher.block(&mut stream, 1);
                    xor(block, &stream);
                    let next = u128::from_be_bytes(chain[..].try_into().expect("16 bytes"));
                    chain.copy_from_slice(&next.wrapping_add(1).to_be_bytes());
                }
            }
        }
        Example { mode, size, iv, plain, secret }
    }

    fn all() -> Vec<Example> {
        let of = |(mode, size, len)| Example::new(mode, size, len);
        let whole = BLOCKS * 16;
        let modes = [
            (Mode::Cbc, 16, whole),
            (Mode::Cbc, 8, BLOCKS * 8),
            (Mode::Ecb, 16, whole),
            (Mode::Ctr, 16, whole),
            (Mode::Ctr, 16, whole - 5),
            (Mode::Xts, 16, whole),
        ];
        modes.map(of).into()
    }

    /// Checks a result that was made of this text, of which the first `head` bytes are a part of
    /// their own.
    fn check(&self, secret: &[u8], iv: &[u8], head: usize, is_full: bool, draw: u32) -> Verdict {
        let cipher = Toy { size: Some(self.size), ..Toy::default() };
        let (head, rest) = self.plain.split_at(head);
        let (plain, secret) = (Text { head, rest }, Text::of(secret));
        let crypted = Crypted { plain, secret, chain: Chain::new(self.mode, iv), size: self.size };
        crypted.check(&cipher, is_full, draw)
    }
}

#[test]
fn a_right_result_passes_whichever_block_is_drawn() {
    for example in Example::all() {
        for (draw, is_full) in (0..100).flat_map(|draw| [(draw, false), (draw, true)]) {
            for head in [0, example.size] {
                let verdict = example.check(&example.secret, &example.iv, head, is_full, draw);
                assert_eq!(verdict, Verdict::Right, "{:?}, head {head}, draw {draw}", example.mode);
            }
        }
    }
}

#[test]
fn a_wrong_block_is_found_if_it_is_drawn_or_the_last_one_and_a_full_comparison_finds_each() {
    for example in Example::all() {
        let (size, mode, last) = (example.size, example.mode, BLOCKS - 1);
        for (wrong, head) in (0..BLOCKS).flat_map(|wrong| [(wrong, 0), (wrong, size)]) {
            // Also in the last bytes, which a short last block does not have.
            let at = wrong * size + if wrong % 2 == 0 || wrong == last { wrong % 8 } else { size - 1 };
            let mut secret = example.secret.clone();
            secret[at] ^= 0x10;
            let found =
                |is_full, draw| example.check(&secret, &example.iv, head, is_full, draw) != Verdict::Right;
            let full = example.check(&secret, &example.iv, head, true, 5);
            assert_eq!(full, Verdict::Wrong { offset: at }, "{mode:?}, block {wrong}");
            for drawn in 0..BLOCKS {
                // In CBC a block of ciphertext decides about the next one too.
                let is_seen = |block: usize| block == wrong || mode == Mode::Cbc && block == wrong + 1;
                let is_due = is_seen(drawn) || is_seen(last);
                for draw in [drawn, drawn + 3 * BLOCKS] {
                    assert_eq!(found(false, draw as u32), is_due, "{mode:?}, block {wrong}, draw {draw}");
                }
            }
        }
    }
}

#[test]
fn a_result_for_another_iv_is_found_where_the_first_block_is_drawn() {
    for example in Example::all().into_iter().filter(|example| example.mode != Mode::Ecb) {
        let mut iv = example.iv.clone();
        iv[2] ^= 1;
        let verdict = example.check(&example.secret, &iv, 0, false, 0);
        assert!(matches!(verdict, Verdict::Wrong { offset } if offset < example.size), "{:?}", example.mode);
    }
}

#[test]
fn each_block_that_equals_its_input_is_recomputed() {
    for example in Example::all() {
        for block in 0..BLOCKS - 1 {
            let mut secret = example.secret.clone();
            let place = block * example.size..(block + 1) * example.size;
            secret[place.clone()].copy_from_slice(&example.plain[place]);
            // Draws another block, which the chain of CBC does not reach.
            let draw = if block < 20 { 30 } else { 5 };
            for head in [0, example.size] {
                let verdict = example.check(&secret, &example.iv, head, false, draw);
                assert!(matches!(verdict, Verdict::Wrong { .. }), "{:?}, block {block}", example.mode);
            }
        }
    }
}

#[test]
fn a_full_comparison_of_a_long_result_has_a_window_that_any_block_can_be_in() {
    let example = Example::new(Mode::Ctr, 16, 1024 * 16);
    let covers = |wrong: usize, draw| {
        let mut secret = example.secret.clone();
        secret[wrong * 16] ^= 1;
        example.check(&secret, &example.iv, 0, true, draw) != Verdict::Right
    };
    let window = WINDOW / 16;
    for first in [0, 1, 300, 1024 - window] {
        for (wrong, is_due) in [(first, true), (first + window - 1, true), (first + window, false)] {
            if wrong < 1023 {
                assert_eq!(covers(wrong, first as u32), is_due, "window at {first}, block {wrong}");
            }
        }
        assert!(covers(1023, first as u32), "window at {first}, the last block");
    }
}

#[test]
fn without_a_reference_nothing_is_right() {
    for example in Example::all() {
        let cipher = Toy { size: Some(example.size), is_broken: true, ..Toy::default() };
        let (plain, secret) = (Text::of(&example.plain), Text::of(&example.secret));
        let crypted =
            Crypted { plain, secret, chain: Chain::new(example.mode, &example.iv), size: example.size };
        for is_full in [false, true] {
            assert_eq!(crypted.check(&cipher, is_full, 3), Verdict::Unknown, "{:?}", example.mode);
        }
        assert_eq!(crypted.check_all(&cipher), Verdict::Unknown);
    }
}

#[test]
fn tweaks_are_reached_in_steps_of_any_length() {
    let start = 0xfedc_ba98_7654_3210_0123_4567_89ab_cdef_u128;
    let one_by_one = |count| (0..count).fold(start, |value, _| times_x(value, 1));
    for place in [0, 1, 2, 63, 64, 65, 127, 128, 255, 4095] {
        assert_eq!(Tweak { place: 0, value: start }.of(place), one_by_one(place), "{place}");
    }
    let mut tweaks = Tweak { place: 0, value: start };
    assert!([3, 4, 4, 100, 1000].into_iter().all(|place| tweaks.of(place) == one_by_one(place)));
    // The top bit is reduced to 0x87.
    assert_eq!(times_x(1 << 127, 1), 0x87);
    for (bit, product) in [(6, 0x07), (1, 0x83), (0, 0x85)] {
        assert_eq!(times_x(1 << 127 | 1 << bit, 1), product);
    }
}

#[test]
fn a_result_that_differs_or_has_another_length_is_wrong() {
    assert_eq!(Verdict::of(b"abc", b"abc"), Verdict::Right);
    assert_eq!(Verdict::of(b"abc", b"aXX"), Verdict::Wrong { offset: 1 });
    assert_eq!(Verdict::of(b"abc", b"ab"), Verdict::Wrong { offset: 2 });
    assert_eq!(Verdict::of(b"", b"a"), Verdict::Wrong { offset: 0 });
}

#[test]
fn a_text_in_two_parts_is_read_as_one() {
    let whole: Vec<u8> = (0..70).collect();
    let (head, rest) = whole.split_at(16);
    for text in [Text { head, rest }, Text::of(&whole)] {
        assert_eq!(text.len(), 70);
        for from in 0..=70 {
            for len in [0, 1, 8, 16, 40, 70, 100] {
                let expected = &whole[from..70.min(from + len)];
                let mut room = vec![0; len];
                text.copy_to(from, &mut room);
                assert_eq!(&room[..expected.len()], expected, "{from}, {len}");
                text.xor_to(from, &mut room);
                assert!(room.iter().all(|byte| *byte == 0), "{from}, {len}");
            }
        }
    }
}

#[test]
fn counters_carry_within_their_bits() {
    let fill = |chain, place| {
        let crypted = Crypted { plain: Text::of(&[]), secret: Text::of(&[]), chain, size: 16 };
        let (mut made, mut due) = ([0; 16], [0; 16]);
        crypted.fill(place, &mut { Tweak::NONE }, &mut made, &mut due);
        made
    };
    let gcm = Chain::new(Mode::Gcm, &[0xff; 12]);
    assert_eq!(fill(gcm, 0)[12..], [0, 0, 0, 2]);
    assert_eq!(fill(gcm, 0xffff_ffff)[..], [[0xff; 12].as_slice(), &[0, 0, 0, 1]].concat());
    let ctr = Chain::new(Mode::Ctr, &[0xff; 16]);
    assert_eq!(fill(ctr, 3), 2_u128.to_be_bytes());
    let ccm = Chain::new(Mode::Ccm, &[7; 13]);
    assert_eq!(fill(ccm, 0x1ff)[..], [&[1][..], &[7; 13], &[2, 0]].concat());
    assert_eq!(fill(Chain::new(Mode::Ccm, &[7; 7]), 0)[..9], [7, 7, 7, 7, 7, 7, 7, 7, 0]);
}
