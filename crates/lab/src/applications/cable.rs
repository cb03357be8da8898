//! A pair of veth that joins two network namespaces.

use anyhow::Result;

use outboard_measure::kernel_users::namespace::Namespace;

/// Addresses of the ends, from a range reserved for documentation (RFC 5737).
pub const CABLE: [&str; 2] = ["192.0.2.1", "192.0.2.2"];

pub const INTERFACE: &str = "cable";

pub const MTU: u32 = 1500;

pub fn join(here: &Namespace, there: &Namespace, mtu: u32) -> Result<()> {
    here.ip(&format!("link add {INTERFACE} type veth peer name {INTERFACE} netns {}\n", there.path()))?;
    for (space, address) in [(here, CABLE[0]), (there, CABLE[1])] {
        space
            .ip(&format!("address add {address}/30 dev {INTERFACE}\nlink set {INTERFACE} mtu {mtu} up\n"))?;
    }
    Ok(())
}
