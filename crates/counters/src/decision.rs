use crate::SoftwareReason;
use crate::claim::{Claim, State, holds, load_text, store_bytes};
use crate::note::{cut, cut_words};
use crate::row::NAME_BYTES;
use crate::sync::{AtomicU8, AtomicU32, Ordering};

/// One for each algorithm of outboard and of OpenSSL's combined code, and some for provider
/// instances that decide differently.
pub const DECISIONS: usize = 40;

const INTERFACE_BYTES: usize = 16;

/// A reason contains a clause of up to 250 bytes for each interface of each driver. A longer text
/// is truncated at the end of a word.
const TEXT_BYTES: usize = 1984;

/// An offered algorithm. Other values are codes of the reason why it is not offered.
const OFFERED: u32 = u32::MAX;

/// Stored value for `None`: no size is offloaded.
const NEVER: u32 = u32::MAX;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Offered: requests of at least the threshold go to an accelerator.
    Offered {
        driver: String,
        interface: String,
        /// In bytes, for encryption or hashing, for decryption. `None`: no request is offloaded.
        from: [Option<u32>; 2],
        key_stream: Option<KeyStreamSource>,
    },
    Left {
        reason: SoftwareReason,
        why: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyStreamSource {
    pub driver: String,
    pub from: u32,
    /// `None`: there is no limit.
    pub to: Option<u32>,
}

#[repr(C, align(64))]
pub(crate) struct Place {
    claim: Claim,
    kind: AtomicU32,
    from: [AtomicU32; 2],
    name: [AtomicU8; NAME_BYTES],
    interface: [AtomicU8; INTERFACE_BYTES],
    text: [AtomicU8; TEXT_BYTES],
}

const _: () = assert!(cfg!(all(test, loom)) || size_of::<Place>() == 2048);

struct Stored<'a> {
    kind: u32,
    from: [u32; 2],
    name: &'a [u8],
    interface: &'a [u8],
    text: &'a [u8],
}

impl Place {
    fn write(&self, decision: &Stored) {
        self.kind.store(decision.kind, Ordering::Relaxed);
        for (cell, from) in self.from.iter().zip(decision.from) {
            cell.store(from, Ordering::Relaxed);
        }
        store_bytes(&self.name, decision.name);
        store_bytes(&self.interface, decision.interface);
        store_bytes(&self.text, decision.text);
    }

    fn holds(&self, decision: &Stored) -> bool {
        self.kind.load(Ordering::Relaxed) == decision.kind
            && self.from.iter().zip(decision.from).all(|(cell, from)| cell.load(Ordering::Relaxed) == from)
            && holds(&self.name, decision.name)
            && holds(&self.interface, decision.interface)
            && holds(&self.text, decision.text)
    }

    fn read(&self) -> (String, Decision) {
        let text = load_text(&self.text);
        let size = |cell: &AtomicU32| Some(cell.load(Ordering::Relaxed)).filter(|&size| size != NEVER);
        let decision = match self.kind.load(Ordering::Relaxed) {
            OFFERED => {
                // Names of drivers contain no spaces (/proc/crypto).
                let mut words = text.split(' ');
                let driver = words.next().unwrap_or_default().to_owned();
                let key_stream = words.next().map(|driver| KeyStreamSource {
                    driver: driver.to_owned(),
                    from: words.next().and_then(|from| from.parse().ok()).unwrap_or(0),
                    to: words.next().and_then(|to| to.parse().ok()),
                });
                Decision::Offered {
                    driver,
                    interface: load_text(&self.interface),
                    from: [size(&self.from[0]), size(&self.from[1])],
                    key_stream,
                }
            }
            // A table that is damaged names a code that does not exist.
            code => Decision::Left {
                reason: SoftwareReason::of_code(code).unwrap_or(SoftwareReason::NoDriver),
                why: text,
            },
        };
        (load_text(&self.name), decision)
    }
}

/// Does nothing if the table already contains it or is full.
pub(crate) fn add(places: &[Place], algorithm: &str, decision: &Decision) {
    let name = cut(algorithm, NAME_BYTES);
    let (why_cut, drivers);
    let stored = match decision {
        Decision::Offered { driver, interface, from, key_stream } => {
            drivers = std::iter::once(driver.clone())
                .chain(key_stream.iter().map(|source| format!("{} {}", source.driver, source.from)))
                .chain(key_stream.iter().filter_map(|source| source.to).map(|to| to.to_string()))
                .collect::<Vec<_>>()
                .join(" ");
            Stored {
                kind: OFFERED,
                from: from.map(|size| size.unwrap_or(NEVER)),
                name,
                interface: cut(interface, INTERFACE_BYTES),
                text: cut(&drivers, TEXT_BYTES),
            }
        }
        Decision::Left { reason, why } => {
            why_cut = cut_words(why, TEXT_BYTES);
            let text = cut(&why_cut, TEXT_BYTES);
            Stored { kind: reason.code(), from: [NEVER; 2], name, interface: &[], text }
        }
    };
    for place in places {
        match place.claim.settled() {
            State::Ready if place.holds(&stored) => return,
            State::Free if place.claim.fill(|| place.write(&stored)) => return,
            _ => {}
        }
    }
}

/// An algorithm occurs more than once if provider instances decided differently.
pub(crate) fn read(places: &[Place]) -> Vec<(String, Decision)> {
    places.iter().filter(|place| place.claim.is_ready()).map(Place::read).collect()
}
