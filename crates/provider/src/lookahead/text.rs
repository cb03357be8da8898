//! 64-bit words of text that may be unaligned.

const AT_ANY_ADDRESS: bool = cfg!(any(
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "s390x",
    target_arch = "powerpc64",
));

/// A word of text in the byte order of memory.
pub(super) trait Text: Copy {
    fn from(word: u64) -> Self;
    fn word(self) -> u64;
}

macro_rules! text {
    ($name:ident, $representation:meta, $alignment:literal) => {
        #[doc = concat!("At an address that is ", $alignment, ".")]
        #[derive(Clone, Copy)]
        #[$representation]
        pub(super) struct $name(u64);

        impl Text for $name {
            #[inline]
            fn from(word: u64) -> $name {
                $name(word)
            }
            #[inline]
            fn word(self) -> u64 {
                self.0
            }
        }
    };
}

text!(Eight, repr(C, align(8)), "a multiple of 8");
text!(Four, repr(C, packed(4)), "a multiple of 4");
text!(One, repr(C, packed), "any number");

/// The longest words for which text is aligned.
pub(super) enum Alignment {
    Eight,
    Four,
    One,
}

/// `places` is the bitwise or of the addresses. [`Alignment::One`] where the CPU does not need
/// another: the functions for others are then not in the provider.
#[inline]
pub(super) fn alignment(places: usize) -> Alignment {
    if AT_ANY_ADDRESS || places % 4 != 0 {
        Alignment::One
    } else if places % 8 != 0 {
        Alignment::Four
    } else {
        Alignment::Eight
    }
}
