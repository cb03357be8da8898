//! Splits a request into chunks that an accelerator processes in parallel.

use std::ops::Range;

use outboard_catalog::Split;
use outboard_uapi as uapi;

use super::mapping::{ALIGN, UNIT};
use crate::mode::driver_iv;
use crate::{Algorithm, PIECE, Request, advance};

// There are as many slots as units.
const _: () = assert!(PIECE == UNIT && UNIT % ALIGN == 0 && crate::LONGEST_PIECE % UNIT == 0);

/// Independent parts of a request, about equal in length: the few bytes by which a TLS record
/// exceeds 16 KiB are not worth a second request. Each has at most `longest` bytes, a multiple of
/// [`ALIGN`], if it can be cut.
pub(super) fn pieces(
    algorithm: Algorithm,
    request: &Request<'_>,
    longest: usize,
) -> impl Iterator<Item = Range<usize>> + use<> {
    let len = request.len();
    let step = if algorithm.can_be_cut(request.direction) {
        let count = (len / request.piece.max(PIECE)).max(len.div_ceil(longest)).max(1);
        len.div_ceil(count).next_multiple_of(ALIGN).max(ALIGN)
    } else {
        len.max(1)
    };
    // Empty data has a tag too.
    let end = len.max(usize::from(algorithm.has_tags()));
    (0..end).step_by(step).map(move |from| from..len.min(from + step))
}

/// Of the chunk that begins at `from` (0 or at least [`ALIGN`]), padded with zeros.
pub(super) fn iv_of(algorithm: Algorithm, request: &Request<'_>, from: usize) -> [u8; uapi::IV_SIZE] {
    let mut iv = driver_iv(algorithm, request.iv).0;
    match algorithm.split() {
        _ if from == 0 => {}
        // ALIGN is longer than a head and an IV together.
        Split::PrecedingCiphertext => {
            let before = from - request.head.len() - request.iv.len();
            iv[..request.iv.len()].copy_from_slice(&request.input[before..][..request.iv.len()]);
        }
        Split::Counter => iv = advance(iv, from / algorithm.block_len()),
        Split::Independent | Split::Never => {}
    }
    iv
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, LONGEST_PIECE};

    /// Longer than any chunk.
    const LONGEST: usize = 16 * UNIT;

    fn pieces(algorithm: Algorithm, request: &Request<'_>) -> impl Iterator<Item = Range<usize>> + use<> {
        super::pieces(algorithm, request, LONGEST_PIECE)
    }

    fn cut_into(piece: usize, len: usize) -> Vec<Range<usize>> {
        let input = vec![0; len];
        let request = Request { piece, ..Request::new(Direction::Decrypt, &[0; 16], &input) };
        pieces(Algorithm::CbcAes, &request).collect()
    }

    fn cut(len: usize) -> Vec<Range<usize>> {
        cut_into(PIECE, len)
    }

    #[test]
    fn decryption_is_cut_and_each_piece_has_the_ciphertext_before_it_as_iv() {
        let input: Vec<u8> = (0..2 * PIECE + 32).map(|i| (i / 16) as u8).collect();
        let request = Request::new(Direction::Decrypt, &[0xaa; 16], &input);
        let second = PIECE + ALIGN;
        assert_eq!(cut(input.len()), [0..second, second..2 * PIECE + 32]);
        let cbc = |request: &Request<'_>, from| iv_of(Algorithm::CbcAes, request, from);
        assert_eq!(cbc(&request, 0), [0xaa; 16]);
        assert_eq!(cbc(&request, second), input[second - 16..second]);

        let headed = Request { head: &input[..16], input: &input[16..], ..request };
        assert_eq!(cbc(&headed, 0), [0xaa; 16]);
        assert_eq!(cbc(&headed, ALIGN), cbc(&request, ALIGN));
        assert_eq!(cbc(&headed, second), input[second - 16..second]);

        let des = Request::new(Direction::Decrypt, &[0xaa; 8], &input);
        let iv = iv_of(Algorithm::CbcDes3Ede, &des, second);
        assert_eq!((&iv[..8], &iv[8..]), (&input[second - 8..second], &[0; 8][..]));
    }

    #[test]
    fn pieces_are_aligned_about_equal_and_never_more_than_the_units() {
        for len in (16..LONGEST).step_by(16 * 37).chain([PIECE + 48, LONGEST]) {
            let pieces = cut(len);
            assert_eq!(pieces.iter().map(Range::len).sum::<usize>(), len);
            assert!(pieces.iter().all(|piece| piece.start % ALIGN == 0), "{len}");
            assert!(pieces.len() <= len.div_ceil(UNIT) && pieces.len() <= (len / PIECE).max(1), "{len}");
            let least = pieces.iter().map(Range::len).min().expect("at least one");
            assert!(len < PIECE || least > PIECE / 2, "{len}: {least}");
        }
        assert_eq!(cut(PIECE + 48).len(), 1);
        assert_eq!(cut(4 * PIECE).len(), 4);
    }

    #[test]
    fn longer_pieces_are_asked_for_and_none_is_longer_than_a_driver_gets_whole() {
        for (piece, len, count) in [
            (2 * PIECE, 4 * PIECE, 2),
            (2 * PIECE, 3 * PIECE, 1),
            (LONGEST_PIECE, LONGEST_PIECE, 1),
            (LONGEST_PIECE, LONGEST_PIECE + 16, 2),
            (LONGEST_PIECE, 3 * LONGEST_PIECE, 3),
            (usize::MAX, 3 * LONGEST_PIECE, 3),
            (0, 4 * PIECE, 4),
        ] {
            let pieces = cut_into(piece, len);
            assert_eq!(pieces.len(), count, "{len} into {piece}");
            assert!(pieces.iter().all(|piece| piece.len() <= LONGEST_PIECE), "{len} into {piece}");
            assert_eq!(pieces.iter().map(Range::len).sum::<usize>(), len);
        }
    }

    #[test]
    fn a_driver_with_a_shorter_limit_gets_shorter_pieces() {
        for len in (16..LONGEST).step_by(16 * 37) {
            let input = vec![0; len];
            let request = Request { piece: usize::MAX, ..Request::new(Direction::Decrypt, &[0; 16], &input) };
            let pieces: Vec<_> = super::pieces(Algorithm::CbcAes, &request, 2 * UNIT).collect();
            assert!(pieces.iter().all(|piece| piece.len() <= 2 * UNIT), "{len}: {pieces:?}");
            assert_eq!(pieces.last().map(|piece| piece.end), Some(len));
        }
    }

    #[test]
    fn counter_mode_and_single_blocks_are_cut_both_ways() {
        let input = vec![0; 3 * PIECE];
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let counted = Request::new(direction, &[0xff; 16], &input);
            assert_eq!(pieces(Algorithm::CtrAes, &counted).count(), 3);
            assert_eq!(iv_of(Algorithm::CtrAes, &counted, 0), [0xff; 16]);
            assert_eq!(iv_of(Algorithm::CtrAes, &counted, PIECE), advance([0; 16], PIECE / 16 - 1));
            let single = Request::new(direction, &[], &input);
            assert_eq!(pieces(Algorithm::EcbAes, &single).count(), 3);
            assert_eq!(iv_of(Algorithm::EcbAes, &single, PIECE), [0; 16]);
        }
    }

    #[test]
    fn encryption_of_cbc_and_data_units_of_xts_are_not_cut() {
        let request = Request::new(Direction::Encrypt, &[0; 16], &[0; LONGEST]);
        let whole = || std::iter::once(0..LONGEST);
        assert!(pieces(Algorithm::CbcAes, &request).eq(whole()));
        assert!(pieces(Algorithm::CbcDes3Ede, &request).eq(whole()));
        assert!(pieces(Algorithm::XtsAes, &request).eq(whole()));
        let unit = Request { direction: Direction::Decrypt, ..request };
        assert!(pieces(Algorithm::XtsAes, &unit).eq(whole()));
        let nothing = Request { input: &[], ..request };
        assert_eq!(pieces(Algorithm::CbcAes, &nothing).count(), 0);
    }

    #[test]
    fn a_request_with_a_tag_is_one_chunk_even_without_bytes() {
        let request = Request::new(Direction::Encrypt, &[0xaa; 12], &[0; LONGEST]);
        let nothing = Request { input: &[], ..request };
        for algorithm in [Algorithm::GcmAes, Algorithm::CcmAes] {
            assert!(pieces(algorithm, &request).eq(std::iter::once(0..LONGEST)));
            assert!(pieces(algorithm, &nothing).eq(std::iter::once(0..0)));
        }
        assert_eq!(iv_of(Algorithm::GcmAes, &request, 0), [[0xaa; 12].as_slice(), &[0; 4]].concat()[..]);
        let ccm = |iv| iv_of(Algorithm::CcmAes, &Request { iv, ..request }, 0);
        assert_eq!(ccm(&[0xaa; 12]), [&[2], [0xaa; 12].as_slice(), &[0; 3]].concat()[..]);
        assert_eq!(ccm(&[0xaa; 7]), [&[7], [0xaa; 7].as_slice(), &[0; 8]].concat()[..]);
    }
}
