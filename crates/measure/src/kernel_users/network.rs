//! Two network namespaces, a veth pair between them, and tunnels on it, each with its own driver.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result, bail};
use outboard_drivers::netlink::change;
use zeroize::Zeroizing;

use super::chosen::Drivers;
use super::cleaner::Cleaner;
use super::esp::Esp;
use super::keys::random;
use super::namespace::Namespace;
use crate::stop;

/// Security associations of an end: one per direction.
const ASSOCIATIONS: u32 = 2;

/// The mode of IPsec (RFC 4303, 3.1).
#[derive(Clone, Copy)]
pub enum Mode {
    /// Whole packets, as gateways do.
    Tunnel,
    /// What is in them, as hosts do.
    Transport,
}

impl Mode {
    /// The name in ip-xfrm(8).
    pub fn word(self) -> &'static str {
        match self {
            Mode::Tunnel => "tunnel",
            Mode::Transport => "transport",
        }
    }
}

pub struct Network {
    pub left: Namespace,
    pub right: Namespace,
    tunnels: u8,
}

#[derive(Clone, Copy, PartialEq)]
enum TunnelEnd {
    Left,
    Right,
}

impl Network {
    /// Makes both, and joins them.
    pub fn new() -> Result<Network> {
        let (left, right) = (Namespace::new()?, Namespace::new()?);
        left.ip(&format!(
            "link add outboard0 type veth peer name outboard0 netns {}\nlink set outboard0 up\n",
            right.path()
        ))?;
        right.ip("link set outboard0 up\n")?;
        Ok(Network { left, right, tunnels: 0 })
    }

    /// Configures a tunnel between two new addresses, each end with its driver, independent of the
    /// kernel's preference; returns the addresses.
    pub fn tunnel(
        &mut self,
        esp: &Esp,
        bits: usize,
        mode: Mode,
        drivers: [&str; 2],
        cleaner: &mut Cleaner,
    ) -> Result<[String; 2]> {
        self.tunnels = self.tunnels.checked_add(1).context("too many tunnels")?;
        let mut keys = [0; 2].map(|_: u8| Zeroizing::new(vec![0; esp.key_bytes(bits)]));
        for key in &mut keys {
            random(key)?;
        }
        let words = keys.map(|key| esp.words(&key));
        for (end, driver) in [TunnelEnd::Left, TunnelEnd::Right].into_iter().zip(drivers) {
            self.connect(end, esp, driver, &lines(self.tunnels, end, mode, &words), cleaner)?;
        }
        Ok(addresses(self.tunnels))
    }

    /// Creates the associations of one end.
    ///
    /// xfrm accepts names of algorithms only, and the kernel selects the driver with the highest
    /// priority at that moment. So the driver gets the highest priority while the associations are
    /// created; they keep the driver that they got.
    fn connect(
        &self,
        end: TunnelEnd,
        esp: &Esp,
        driver: &str,
        lines: &str,
        cleaner: &mut Cleaner,
    ) -> Result<()> {
        change::make(driver).with_context(|| format!("the kernel does not make {driver}"))?;
        let drivers = Drivers::now()?;
        let Some(own) = drivers.named(driver).map(|one| &one.driver) else {
            bail!("the kernel made {driver}, and /proc/crypto does not have it");
        };
        let asked = esp.asked(&esp.aead());
        let first = drivers.preferred(&asked, 0).map(|one| &one.driver);
        let raised = match first {
            Some(first) if first.name != driver => {
                cleaner.priority(driver, own.priority)?;
                change::prefer(driver, first.priority.saturating_add(1))?;
                true
            }
            _ => false,
        };
        let made = if end == TunnelEnd::Left { &self.left } else { &self.right }.ip(lines);
        if raised {
            change::prefer(driver, own.priority)?;
        }
        made?;
        let users = |one: Option<u32>| one.unwrap_or(0);
        let now = Drivers::now()?.named(driver).and_then(|one| one.driver.refcnt);
        if users(now) < users(own.refcnt) + ASSOCIATIONS {
            bail!("the kernel took another driver of {asked} than {driver}, which has the highest priority");
        }
        Ok(())
    }

    /// Removes all associations, so that the kernel can release their resources.
    pub fn disconnect(&self) -> Result<()> {
        let all = "xfrm state flush\nxfrm policy flush\n";
        self.left.ip(all)?;
        self.right.ip(all)
    }

    /// Returns the packets that IPsec has dropped at both ends, by the kernel's names of the
    /// reasons.
    pub(super) fn drops(&self) -> Result<Vec<(String, u64)>, String> {
        Ok([drops(&self.left)?, drops(&self.right)?].concat())
    }

    /// The packets that IPsec has dropped since then.
    pub(super) fn dropped_since(&self, before: &[(String, u64)]) -> Result<Dropped, String> {
        Ok(Dropped::between(before, &self.drops()?))
    }

    /// Sends data, and verifies that IPsec dropped no packet but those that the driver refused, which TCP
    /// sends again: the figures include that.
    pub fn checked<T>(&self, send: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        let before = self.drops()?;
        let sent = send();
        if stop::asked() {
            return Err("interrupted".to_owned());
        }
        let Dropped { others, reasons: dropped, .. } = self.dropped_since(&before)?;
        let advice = "outboard prefer --software keeps IPsec from it";
        match (sent, dropped.is_empty()) {
            (Ok(result), _) if others == 0 => Ok(result),
            (Ok(_), _) => Err(format!(
                "IPsec dropped packets ({dropped}): what one end encrypts the other cannot read, so the driver is wrong or loses \
                 requests; {advice}"
            )),
            (Err(error), true) => Err(format!(
                "the connection stalled or broke ({error}), and IPsec counted no packet that it dropped"
            )),
            (Err(error), false) => Err(format!(
                "the connection stalled or broke ({error}), for IPsec dropped packets ({dropped}): the driver is wrong or loses \
                 requests; {advice}"
            )),
        }
    }
}

/// Packets that the sender's driver did not encrypt (xfrm_output_one, net/xfrm/xfrm_output.c): the queue of
/// many drivers (crypto_engine) has ten places, and refuses the next request of a user that cannot wait.
const REFUSED: &str = "XfrmOutStateProtoError";

/// Packets that IPsec has dropped.
#[derive(Debug, PartialEq)]
pub(super) struct Dropped {
    /// [`REFUSED`]
    pub refused: u64,
    pub others: u64,
    /// The kernel's names, with numbers.
    pub reasons: String,
}

impl Dropped {
    fn between(before: &[(String, u64)], after: &[(String, u64)]) -> Dropped {
        let grown: Vec<(&str, u64)> = after
            .iter()
            .zip(before)
            .map(|(now, then)| (now.0.as_str(), now.1.saturating_sub(then.1)))
            .filter(|(_, number)| *number > 0)
            .collect();
        let sum = |is_refused: bool| {
            grown.iter().filter(|(name, _)| (*name == REFUSED) == is_refused).map(|(_, number)| number).sum()
        };
        let reasons: Vec<String> = grown.iter().map(|(name, number)| format!("{name} {number}")).collect();
        Dropped { refused: sum(true), others: sum(false), reasons: reasons.join(", ") }
    }
}

fn drops(namespace: &Namespace) -> Result<Vec<(String, u64)>, String> {
    // The file is missing without CONFIG_XFRM_STATISTICS.
    let read = || Ok(fs::read_to_string("/proc/thread-self/net/xfrm_stat").unwrap_or_default());
    namespace.within(read).map(|text| counts(&text)).map_err(|error| format!("{error:#}"))
}

fn counts(text: &str) -> Vec<(String, u64)> {
    let pair = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}

/// Replay window in packets: the kernel's maximum (XFRMA_REPLAY_ESN_MAX). An accelerator that
/// processes many packets in parallel reorders them, and packets behind the window are dropped.
const REPLAY_WINDOW: u32 = 4096;

/// Of RFC 2544, which are not reachable from this machine otherwise.
fn addresses(tunnel: u8) -> [String; 2] {
    [1, 2].map(|host| format!("198.18.{tunnel}.{host}"))
}

/// Returns the input of ip(8) for one end of a tunnel.
fn lines(number: u8, end: TunnelEnd, mode: Mode, keys: &[Zeroizing<String>; 2]) -> Zeroizing<String> {
    let mode = mode.word();
    let [left, right] = addresses(number);
    let own = if end == TunnelEnd::Left { &left } else { &right };
    // Reserve the full length: a reallocation would leave a copy of a key in memory.
    let mut text =
        Zeroizing::new(String::with_capacity(1024 + keys.iter().map(|key| key.len()).sum::<usize>()));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "address add {own}/24 dev outboard0");
    for (index, (from, to)) in [(&left, &right), (&right, &left)].into_iter().enumerate() {
        let direction = if from == own { "out" } else { "in" };
        let (spi, key) = (0x1000 + 2 * u32::from(number) + index as u32, keys[index].as_str());
        let _ = writeln!(
            text,
            "xfrm state add src {from} dst {to} proto esp spi {spi:#x} reqid {number} mode {mode} replay-window {REPLAY_WINDOW} {key}\n\
             xfrm policy add src {from}/32 dst {to}/32 dir {direction} tmpl src {from} dst {to} proto esp reqid {number} mode {mode}"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_packets_have_the_kernels_names() {
        let of = |counts: [u64; 3]| {
            let names = ["XfrmInError", "XfrmInStateProtoError", "XfrmOutStateProtoError"].map(str::to_owned);
            names.into_iter().zip(counts).collect::<Vec<_>>()
        };
        let dropped = |refused, others, reasons: &str| Dropped { refused, others, reasons: reasons.into() };
        let between = |before, after| Dropped::between(&of(before), &of(after));
        assert_eq!(between([1, 2, 3], [1, 2, 3]), dropped(0, 0, ""));
        assert_eq!(between([1, 2, 3], [1, 5, 3]), dropped(0, 3, "XfrmInStateProtoError 3"));
        let both = "XfrmInError 1, XfrmOutStateProtoError 40";
        assert_eq!(between([1, 2, 3], [2, 2, 43]), dropped(40, 1, both));
        let other = |number| vec![("XfrmOutNoStates".to_owned(), number)];
        assert_eq!(Dropped::between(&other(0), &other(2)), dropped(0, 2, "XfrmOutNoStates 2"));
    }

    #[test]
    fn counts_have_the_kernels_names() {
        let text = "XfrmInError             \t0\nXfrmInStateProtoError   \t3\nodd\n";
        assert_eq!(counts(text), [("XfrmInError".to_owned(), 0), ("XfrmInStateProtoError".to_owned(), 3)]);
    }

    #[test]
    fn both_ends_know_the_same_associations() {
        let keys = ["aead one", "aead two"].map(|key| Zeroizing::new(key.to_owned()));
        let [left, right] = [TunnelEnd::Left, TunnelEnd::Right].map(|end| lines(3, end, Mode::Tunnel, &keys));
        let states = |text: &str| {
            text.lines().filter(|line| line.starts_with("xfrm state")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(states(&left), states(&right));
        assert_eq!(
            states(&left)[1],
            "xfrm state add src 198.18.3.2 dst 198.18.3.1 proto esp spi 0x1007 reqid 3 mode tunnel replay-window 4096 aead two"
        );
        assert!(left.len() <= 1024, "it had to grow");
        assert!(left.starts_with("address add 198.18.3.1/24 dev outboard0\n"));
        assert!(left.contains("src 198.18.3.1/32 dst 198.18.3.2/32 dir out tmpl "));
        assert!(right.contains("src 198.18.3.1/32 dst 198.18.3.2/32 dir in tmpl "));
    }
}
