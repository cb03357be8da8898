//! Which routes lead to a driver on this kernel: the interfaces for programs, and the users inside
//! the kernel.
//!
//! The provider, `check` and `allow` try the interfaces for programs in their order
//! ([`ProgramInterface::preferred_first`]); `status` decides from files alone, so that it works for
//! a saved tree, and lets a probe of AF_ALG on the running system outweigh them. Order and rule are
//! the same for all ([`ProgramInterface::is_open_to`]).

mod decide;
mod interface;
mod kernel_needs;
mod kernel_users;
mod matrix;
mod probe;

pub use decide::{ReachFacts, decide, pick};
pub use interface::{
    ProgramInterface, TagCheck, found_unanswered, found_wrong, limits_kept_elsewhere, module_only,
    not_preferred, refused, tags_unchecked,
};
pub use kernel_needs::{KernelNeed, KernelUser, NeedOutlook, Prospect, ProspectiveDriver, outlook};
pub use matrix::{Cell, Consumer, contenders, matrix_row};
pub use probe::{Probe, af_alg_type, probe_af_alg};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    Program(ProgramInterface),
    Ipsec,
    Ktls,
    /// Disk encryption (LUKS).
    DmCrypt,
    /// File encryption in ext4, f2fs, ubifs, btrfs.
    Fscrypt,
    /// File authentication in ext4, f2fs, btrfs.
    Fsverity,
    /// SMB3 with encryption: the client (cifs) and the server (ksmbd).
    Smb3,
    /// OpenVPN's data channel in the kernel.
    Ovpn,
    /// Encryption of Ethernet frames (IEEE 802.1AE).
    Macsec,
    /// Ceph with encryption (`ms_mode=secure`).
    Ceph,
    /// Kerberos: NFS with `sec=krb5p`, AFS.
    Kerberos,
}

impl Route {
    pub const ALL: [Self; 14] = [
        Self::Program(ProgramInterface::DevOutboard),
        Self::Program(ProgramInterface::DevCrypto),
        Self::Program(ProgramInterface::AfAlg),
        Self::Program(ProgramInterface::Instructions),
        Self::Ipsec,
        Self::Ktls,
        Self::DmCrypt,
        Self::Fscrypt,
        Self::Fsverity,
        Self::Smb3,
        Self::Ovpn,
        Self::Macsec,
        Self::Ceph,
        Self::Kerberos,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Program(interface) => interface.name(),
            Self::Ipsec => "IPsec",
            Self::Ktls => "kTLS",
            Self::DmCrypt => "dm-crypt",
            Self::Fscrypt => "fscrypt",
            Self::Fsverity => "fs-verity",
            Self::Smb3 => "SMB3",
            Self::Ovpn => "ovpn",
            Self::Macsec => "MACsec",
            Self::Ceph => "Ceph",
            Self::Kerberos => "Kerberos",
        }
    }

    /// Whether programs use it; otherwise kernel code does.
    pub fn is_for_programs(self) -> bool {
        matches!(self, Self::Program(_))
    }
}

outboard_catalog::texts! { name:
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Reachable {
        Yes = "yes",
        No = "no",
        Unclear = "unclear",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteDecision {
    pub route: Route,
    pub reachable: Reachable,
    pub why: String,
    /// Whether the route would lead to the driver if that had passed the check of tags.
    pub awaits_check: bool,
}
