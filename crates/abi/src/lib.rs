//! OpenSSL's provider C ABI, written by hand and without dependencies.
//!
//! One module must work with OpenSSL 3.0 to 4.x, whose libcrypto has different names
//! (`libcrypto.so.3`, `.so.4`). Therefore nothing here links libcrypto: the core passes its
//! functions to the provider as a numbered table ([`Dispatch`]), and the numbers of 3.0 are still
//! valid in 4.0. Each constant is documented with its name in OpenSSL's header. `tests/header.rs`
//! compares the constants with the installed headers.
//!
//! Sources: `openssl/core.h`, `openssl/core_dispatch.h`, `openssl/core_names.h`, provider-base(7),
//! provider-cipher(7), provider-digest(7), provider-mac(7), provider-rand(7), OSSL_PARAM(3),
//! OSSL_DISPATCH(3).

#[warn(missing_docs)]
mod dispatch;
mod dispatch_rows;
mod function;
mod job;
#[warn(missing_docs)]
mod param;
mod rand;

pub use dispatch::{Algorithm, CoreHandle, Dispatch, Function, find, rows};
pub use dispatch_rows::*;
pub use function::*;
pub use job::*;
pub use param::{Param, ParamType, Params, Requested, Value, end, name};
pub use rand::*;
