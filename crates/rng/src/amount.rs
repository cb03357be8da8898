use outboard_policy::MinEntropy;

/// `None` if the seed would have to be longer than `most` bytes. `least` counts as eight bits per
/// byte: OpenSSL 3.0 requests the entropy of a nonce only through a larger `least`, and a CTR-DRBG
/// without derivation function accepts only full entropy (then `least` is `most`; SP 800-90A,
/// 10.2.1).
pub(crate) fn seed_length(entropy: MinEntropy, bits: u64, least: usize, most: usize) -> Option<usize> {
    let bits = bits.max((least as u64).saturating_mul(8));
    let bytes = bits.saturating_mul(100).div_ceil(entropy.hundredths().into());
    usize::try_from(bytes.max(1)).ok().filter(|&bytes| bytes <= most)
}

pub(crate) fn bits_in(entropy: MinEntropy, bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(entropy.hundredths().into()) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(entropy: &str) -> MinEntropy {
        entropy.parse().expect("this test")
    }

    #[test]
    fn fewer_bits_to_a_byte_take_more_bytes() {
        for (entropy, bytes) in [("8", 48), ("4", 96), ("3.04", 127), ("2", 192), ("0.5", 768)] {
            assert_eq!(seed_length(at(entropy), 384, 0, 1 << 31), Some(bytes), "{entropy}");
        }
    }

    #[test]
    fn least_bytes_are_bytes_of_full_entropy() {
        // The requests of OpenSSL 3.0 and of 3.5 for a CTR-DRBG of AES-256 with derivation
        // function, without a nonce: both get the same length.
        assert_eq!(seed_length(at("2"), 256, 48, 1 << 31), Some(192));
        assert_eq!(seed_length(at("2"), 384, 48, 1 << 31), Some(192));
        // Without derivation function: exactly 48 bytes.
        assert_eq!(seed_length(at("8"), 256, 48, 48), Some(48));
        assert_eq!(seed_length(at("7.99"), 256, 48, 48), None);
    }

    #[test]
    fn no_demand_makes_it_overflow() {
        assert_eq!(seed_length(at("8"), 0, 0, 1), Some(1));
        assert_eq!(seed_length(at("8"), 0, 0, 0), None);
        assert_eq!(seed_length(at("0.5"), u64::MAX, usize::MAX, 1 << 20), None);
        assert_eq!(bits_in(at("0.5"), 3), 1);
        assert!(bits_in(at("8"), usize::MAX) > 0);
    }

    #[test]
    fn the_bytes_of_a_seed_have_the_requested_entropy() {
        for entropy in MinEntropy::all() {
            for bits in [1, 112, 128, 256, 384, 1024] {
                let bytes = seed_length(entropy, bits, 0, usize::MAX).expect("no limit");
                assert!(
                    bits_in(entropy, bytes) >= bits && bits_in(entropy, bytes - 1) < bits,
                    "{entropy} {bits}"
                );
            }
        }
    }
}
