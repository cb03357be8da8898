//! Figures of IPsec: a TCP connection in a tunnel of ESP between two network namespaces.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use outboard_drivers::Judged;
use outboard_drivers::netlink::change;

use super::chosen::Drivers;
use super::cleaner::Cleaner;
use super::esp::Esp;
use super::figures::{Contestant, KernelFigure, Side, measure as interleaved};
use super::network::{Mode, Network};

/// About the size of a packet: of a request to the driver.
pub const PACKET: u32 = 1400;

const REQUEST: usize = 1 << 16;

/// A connection that transfers nothing for this long has stalled.
const STALLED: Duration = Duration::from_secs(10);

pub(super) const KEY_BITS: usize = 128;

/// Measures each setting of `esp_proposals` in software, and by its accelerator if there is one. A
/// packet that IPsec drops is an error.
/// Errors: if a tunnel cannot be made or used. A cipher that the kernel does not have is left out.
pub fn measure(settings: &[(&str, Option<&Judged>)], cleaner: &mut Cleaner) -> Result<Vec<KernelFigure>> {
    let mut network = Network::new()?;
    let mut connections = Vec::new();
    for (setting, accelerator) in settings {
        let esp = Esp::by_setting(setting).ok_or_else(|| anyhow!("{setting} is not measured"))?;
        for (accelerator, driver) in drivers_of(&esp, *accelerator)? {
            if driver.len() > change::LONGEST_NAME {
                bail!("{driver}: NETLINK_CRYPTO takes names of {} bytes at most", change::LONGEST_NAME);
            }
            let ends = [driver.as_str(); 2];
            let [_, address] = network.tunnel(&esp, KEY_BITS, Mode::Tunnel, ends, cleaner)?;
            let connection = network.checked(|| Connection::new(&network, &address));
            let connection = connection.map_err(|error| anyhow!("{setting} by {driver}: {error}"))?;
            let contestant = Contestant { setting: (*setting).to_owned(), driver, accelerator };
            connections.push((contestant, connection));
        }
    }
    let mut sides = Vec::new();
    for (contestant, connection) in &mut connections {
        let network = &network;
        let run = move |requests| network.checked(|| connection.send(requests));
        sides.push(Side { contestant: contestant.clone(), run: Box::new(run) });
    }
    let figures = interleaved(&mut sides, REQUEST);
    drop(sides);
    // A connection that is open keeps its associations.
    drop(connections);
    network.disconnect()?;
    figures
}

/// The kernel's drivers, and the best software among them.
pub struct EspDrivers {
    pub drivers: Drivers,
    /// Of the HMAC; empty for an AEAD.
    pub mac: String,
    /// As ESP requests it.
    pub software: Option<String>,
}

impl EspDrivers {
    pub fn find(esp: &Esp) -> Result<EspDrivers> {
        let (aead, mac) = (esp.aead(), esp.mac());
        let cipher = if mac.is_some() { esp.cipher() } else { &aead };
        let mut wanted = vec![esp.cipher(), cipher];
        wanted.extend(mac.as_deref());
        let drivers = Drivers::with_software(&wanted)?;
        let best = |algorithm: &str| drivers.software(algorithm).map(|one| one.driver.name.clone());
        let own_mac = mac.as_deref().and_then(best).unwrap_or_default();
        let software = best(cipher).map(|cipher| match mac {
            Some(_) => esp.asked(&esp.made_of(&own_mac, &cipher)),
            None => esp.asked(&cipher),
        });
        Ok(EspDrivers { drivers, mac: own_mac, software })
    }
}

/// The drivers that are compared: the best software, and the accelerator within what ESP requests.
pub(super) fn drivers_of(esp: &Esp, accelerator: Option<&Judged>) -> Result<Vec<(Option<String>, String)>> {
    let EspDrivers { mac, software, .. } = EspDrivers::find(esp)?;
    let aead = esp.aead();
    let mut all: Vec<(Option<String>, String)> = software.into_iter().map(|driver| (None, driver)).collect();
    let Some(accelerator) = accelerator else { return Ok(all) };
    let (name, algorithm) = (&accelerator.driver.name, &accelerator.driver.algorithm);
    let within = match algorithm {
        _ if *algorithm == esp.asked(&aead) => name.clone(),
        _ if *algorithm == aead => esp.asked(name),
        _ if algorithm == esp.cipher() => esp.asked(&esp.made_of(&mac, name)),
        _ => bail!("{name}: IPsec with {algorithm} within {aead} is not measured"),
    };
    all.push((Some(name.clone()), within));
    Ok(all)
}

struct Connection {
    sender: TcpStream,
    receiver: TcpStream,
    data: Vec<u8>,
    received: Vec<u8>,
}

impl Connection {
    fn new(network: &Network, address: &str) -> Result<Self, String> {
        let connect = || {
            let listener = network.right.within(|| Ok(TcpListener::bind((address, 0))?))?;
            let there: SocketAddr = listener.local_addr()?;
            let sender = network.left.within(|| Ok(TcpStream::connect_timeout(&there, STALLED)?))?;
            Self::of(sender, listener.accept()?.0).context("a connection")
        };
        connect().map_err(|error: anyhow::Error| format!("{error:#}"))
    }

    fn of(sender: TcpStream, receiver: TcpStream) -> io::Result<Self> {
        sender.set_write_timeout(Some(STALLED))?;
        receiver.set_read_timeout(Some(STALLED))?;
        Ok(Self { sender, receiver, data: vec![0x5a; REQUEST], received: vec![0; REQUEST] })
    }

    fn send(&mut self, requests: u32) -> Result<(), String> {
        let Self { sender, receiver, data, received } = self;
        let done = thread::scope(|scope| {
            let sending = scope.spawn(|| (0..requests).try_for_each(|_| sender.write_all(data)));
            let arrived = (0..requests).try_for_each(|_| receiver.read_exact(received));
            let sent = sending.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
            arrived.and(sent)
        });
        done.map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => format!("nothing arrived for {} s", STALLED.as_secs()),
            _ => error.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> Connection {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        Connection::of(sender, listener.accept().unwrap().0).unwrap()
    }

    #[test]
    fn requests_are_complete_when_they_have_arrived() {
        let mut connection = pair();
        connection.send(40).unwrap();
        assert!(connection.received.iter().all(|&byte| byte == 0x5a));
        connection.receiver.set_nonblocking(true).unwrap();
        let mut more = [0];
        let error = connection.receiver.read(&mut more).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock, "nothing is left");
    }

    #[test]
    fn a_connection_that_stalls_is_an_error() {
        let mut connection = pair();
        connection.receiver.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        // The other end sends to a connection of its own.
        connection.sender = pair().sender;
        assert!(connection.send(1).is_err());
    }
}
