//! The kernel's crypto drivers: what /proc/crypto and NETLINK_CRYPTO list, which of them is an accelerator and why.
