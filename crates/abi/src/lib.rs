//! OpenSSL's provider C ABI, by hand and without dependencies.
//!
//! One module must serve OpenSSL 3.0 to 4.x, whose libcrypto has different names (`libcrypto.so.3`,
//! `.so.4`). So nothing here links libcrypto: a provider is handed everything by the core as numbered
//! functions ([`Dispatch`]), and the numbers of 3.0 are the numbers of 4.0. Each constant stands beside
//! the name that OpenSSL's own header gives it; `tests/header.rs` compares them with the installed one.
//!
//! Sources: `openssl/core.h`, `openssl/core_dispatch.h`, `openssl/core_names.h`, provider-base(7),
//! provider-cipher(7), provider-digest(7), provider-mac(7), provider-rand(7), OSSL_PARAM(3), OSSL_DISPATCH(3).

mod digest;
mod dispatch;
mod function;
mod job;
mod mac;
mod param;
mod rand;

pub use digest::*;
pub use dispatch::{Algorithm, CoreHandle, Dispatch, Function, find, rows};
pub use function::*;
pub use job::*;
pub use mac::*;
pub use param::{
    Param, ParamType, count, end, get_u64, locate, locate_mut, name, set_octets, set_pointer, set_unsigned,
};
pub use rand::*;
