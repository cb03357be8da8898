//! What is measured.

use serde::{Deserialize, Serialize};

/// The nonces of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NonceOrder {
    /// A stream of counter mode has one IV.
    None,
    /// Each nonce is predicted by those before it.
    Counting,
    /// No nonce is predicted: look-ahead switches itself off for the key.
    Scattered,
}

/// Requests of one cipher and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case<'a> {
    /// OpenSSL's name of the cipher.
    pub cipher: &'a str,
    /// The nonces of the messages.
    pub nonces: NonceOrder,
    /// Length of a request in bytes.
    pub bytes: usize,
}

/// The lengths of requests. 1400 bytes is a packet of a VPN, 16 KiB the longest TLS record.
const SIZES: [usize; 8] = [16, 64, 256, 512, 1024, 1408, 4096, 16384];

/// Returns all cases.
pub fn all() -> impl Iterator<Item = Case<'static>> {
    let streams = [
        ("AES-128-CTR", NonceOrder::None),
        ("AES-128-GCM", NonceOrder::Counting),
        ("AES-128-GCM", NonceOrder::Scattered),
    ];
    streams
        .into_iter()
        .flat_map(|(cipher, nonces)| SIZES.into_iter().map(move |bytes| Case { cipher, nonces, bytes }))
}
