//! The web server of Python's standard library, with TLS by its module `ssl`.

use std::ffi::OsString;
use std::net::SocketAddr;

use super::{Site, Worker};

pub const PROGRAM: &str = include_str!("python.py");

pub fn arguments(address: SocketAddr, worker: Option<&Worker>, site: &Site<'_>) -> Vec<OsString> {
    let ciphers = site.cipher_lists().find(|(protocol, _)| *protocol != "TLSv1.3");
    let mut arguments: Vec<OsString> = vec![
        address.ip().to_string().into(),
        address.port().to_string().into(),
        site.root.into(),
        worker.map_or(String::new(), |worker| worker.user.to_owned()).into(),
        ciphers.map_or(String::new(), |(_, names)| names).into(),
    ];
    for one in site.certificates {
        arguments.extend([one.certificate.clone().into_os_string(), one.key.clone().into_os_string()]);
    }
    arguments
}
