//! Sizes, offsets and numbers, computed by hand from the header: each field at the next multiple of
//! its own size, the size of the structure a multiple of the largest field.

use std::mem::{offset_of, size_of};

use super::*;

/// Checks the layout of a structure with pointers for 64-bit and 32-bit programs, and for this
/// machine.
macro_rules! layout {
    ($structure:ident, $size_64:literal or $size_32:literal, $($field:ident $at_64:literal or $at_32:literal,)*) => {
        $(
            assert_eq!(offset_of!($structure<u32>, $field), $at_32, stringify!($field));
            // Where u64 is aligned to less than 8 bytes (i386), it cannot represent a 64-bit
            // pointer.
            if align_of::<u64>() == 8 {
                assert_eq!(offset_of!($structure<u64>, $field), $at_64, stringify!($field));
            }
            let here = if cfg!(target_pointer_width = "64") { $at_64 } else { $at_32 };
            assert_eq!(offset_of!($structure<*const u8>, $field), here, stringify!($field));
        )*
        assert_eq!(size_of::<$structure<u32>>(), $size_32);
        if align_of::<u64>() == 8 {
            assert_eq!(size_of::<$structure<u64>>(), $size_64);
        }
        let here = if cfg!(target_pointer_width = "64") { $size_64 } else { $size_32 };
        assert_eq!(size_of::<$structure<*const u8>>(), here);
    };
}

#[test]
fn a_session_is_laid_out_as_in_the_header() {
    layout!(SessionOp, 48 or 28,
        cipher 0 or 0, mac 4 or 4, key_len 8 or 8, key 16 or 12, mac_key_len 24 or 16, mac_key 32 or 20,
        session 40 or 24,);
}

#[test]
fn a_request_is_laid_out_as_in_the_header() {
    layout!(CryptOp, 48 or 28,
        session 0 or 0, op 4 or 4, flags 6 or 6, len 8 or 8, source 16 or 12, destination 24 or 16, mac 32 or 20,
        iv 40 or 24,);
}

#[test]
fn a_request_with_authentication_is_laid_out_as_in_the_header() {
    layout!(CryptAuthOp, 72 or 44,
        session 0 or 0, op 4 or 4, flags 6 or 6, len 8 or 8, auth_len 12 or 12, auth_source 16 or 16,
        source 24 or 20, destination 32 or 24, tag 40 or 28, tag_len 48 or 32, iv 56 or 36, iv_len 64 or 40,);
}

#[test]
fn the_information_is_the_same_for_all_programs() {
    assert_eq!(offset_of!(SessionInfoOp, session), 0);
    assert_eq!(offset_of!(SessionInfoOp, cipher), 4);
    assert_eq!(offset_of!(SessionInfoOp, hash), 132);
    assert_eq!(offset_of!(SessionInfoOp, align_mask), 260);
    assert_eq!(offset_of!(SessionInfoOp, flags), 264);
    assert_eq!(size_of::<SessionInfoOp>(), 268);
    assert_eq!((offset_of!(AlgInfo, name), offset_of!(AlgInfo, driver), size_of::<AlgInfo>()), (0, 64, 128));
}

/// `_IOWR('c', 102, size)` and so on: direction, size, 'c' (0x63), number (0x66 is 102). Most
/// architectures have two bits for the direction (write 1, read 2) at bit 30. MIPS, PowerPC and
/// SPARC have three (write 4, read 2) at bit 29; for ioctls of both directions the number is the
/// same.
#[test]
fn the_numbers_are_those_of_the_header() {
    let wide = cfg!(any(
        target_arch = "mips",
        target_arch = "mips64",
        target_arch = "powerpc",
        target_arch = "powerpc64",
        target_arch = "sparc",
        target_arch = "sparc64"
    ));
    let numbers = if cfg!(target_pointer_width = "64") {
        [0xc030_6366, 0xc030_6368, 0xc10c_636b, 0xc048_636d]
    } else {
        [0xc01c_6366, 0xc01c_6368, 0xc10c_636b, 0xc02c_636d]
    };
    // The type is signed in musl, so only the bits are compared.
    assert_eq!([GSESSION, CRYPT, GSESSINFO, AUTHCRYPT].map(|number| number as u32), numbers);
    assert_eq!(FSESSION as u32, if wide { 0x8004_6367 } else { 0x4004_6367 });
}
