//! What processes have mapped, and where they listen.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

/// Whether a process has mapped a file, proc_pid_maps(5).
pub fn has_mapped(process: u32, file: &Path) -> bool {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    maps.lines().any(|line| line.find('/').is_some_and(|start| Path::new(&line[start..]) == file))
}

pub fn confinement(process: u32) -> Option<String> {
    // Since Linux 5.8, and before that the file of the only security module.
    let files = [format!("/proc/{process}/attr/apparmor/current"), format!("/proc/{process}/attr/current")];
    let label = files.iter().find_map(|file| fs::read_to_string(file).ok())?;
    let label = label.trim_end_matches(['\n', '\0']);
    confines(label).then(|| label.to_owned())
}

/// Whether a process with this label may be refused something. A profile in complain mode only logs.
fn confines(label: &str) -> bool {
    let is_free = ["unconfined", "(unconfined)", "(complain)"].iter().any(|end| label.ends_with(end));
    !label.is_empty() && !is_free && !label.contains(":unconfined_")
}

/// The TCP addresses on which processes listen, as a client of this machine reaches them.
pub fn listening(processes: &[u32]) -> BTreeSet<SocketAddr> {
    let sockets: HashSet<u64> = processes.iter().flat_map(|process| sockets_of(*process)).collect();
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| fs::read_to_string(path).unwrap_or_default());
    let rows = tables.iter().flat_map(|table| table.lines().skip(1)).filter_map(listener);
    rows.filter(|(_, socket)| sockets.contains(socket)).map(|(address, _)| reachable(address)).collect()
}

fn sockets_of(process: u32) -> Vec<u64> {
    let entries = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let links = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
    let inode = |link: &str| link.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    links.filter_map(|link| inode(link.to_str()?)).collect()
}

/// The address and the inode in a row of /proc/net/tcp, proc_net(5), if that socket listens.
fn listener(row: &str) -> Option<(SocketAddr, u64)> {
    let columns: Vec<&str> = row.split_whitespace().collect();
    // TCP_LISTEN of include/net/tcp_states.h.
    if *columns.get(3)? != "0A" {
        return None;
    }
    let (address, port) = columns.get(1)?.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    // Each 32-bit word is printed as a number of the machine's byte order.
    let mut bytes = Vec::new();
    for start in (0..address.len()).step_by(8) {
        bytes.extend(u32::from_str_radix(address.get(start..start + 8)?, 16).ok()?.to_ne_bytes());
    }
    let address = match <[u8; 4]>::try_from(&bytes[..]) {
        Ok(four) => IpAddr::from(four),
        Err(_) => IpAddr::from(<[u8; 16]>::try_from(&bytes[..]).ok()?),
    };
    Some((SocketAddr::new(address, port), columns.get(9)?.parse().ok()?))
}

/// A socket of any address is reached over the loopback interface.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        let loopback: IpAddr =
            if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
        address.set_ip(loopback);
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn profiles_that_only_log_do_not_confine() {
        for label in ["/usr/sbin/charon-systemd (enforce)", "system_u:system_r:httpd_t:s0"] {
            assert!(confines(label), "{label}");
        }
        for label in [
            "",
            "unconfined",
            "/usr/sbin/charon-systemd (complain)",
            "wpcom (unconfined)",
            "unconfined_u:unconfined_r:unconfined_t:s0",
            "system_u:system_r:unconfined_service_t:s0",
        ] {
            assert!(!confines(label), "{label}");
        }
    }

    #[test]
    fn the_listeners_of_this_process_are_found() {
        let one = TcpListener::bind("127.0.0.1:0").unwrap();
        let any = TcpListener::bind("0.0.0.0:0").unwrap();
        let found = listening(&[std::process::id()]);
        assert!(found.contains(&one.local_addr().unwrap()), "{found:?}");
        let port = any.local_addr().unwrap().port();
        assert!(found.contains(&SocketAddr::from(([127, 0, 0, 1], port))), "{found:?}");
        if let Ok(six) = TcpListener::bind("[::1]:0") {
            assert!(listening(&[std::process::id()]).contains(&six.local_addr().unwrap()));
        }
        drop(one);
        assert!(listening(&[1 << 30]).is_empty());
    }

    #[test]
    fn a_mapped_file_is_found_by_its_path() {
        let own = std::env::current_exe().unwrap().canonicalize().unwrap();
        assert!(has_mapped(std::process::id(), &own));
        assert!(!has_mapped(std::process::id(), &own.with_extension("other")));
    }

    #[test]
    fn other_rows_are_no_listeners() {
        let connected = "1: 0100007F:1F90 0100007F:A000 01 0:0 0:0 0 0 0 7 1";
        for row in ["", "sl local", connected, "1: 010:1F90 0:0 0A 0:0 0:0 0 0 0 7 1"] {
            assert_eq!(listener(row), None, "{row}");
        }
    }
}
