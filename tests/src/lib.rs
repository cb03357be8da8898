//! End-to-end tests, run inside the test machines of vm/.
//!
//! Each file of `tests/tests` is a theme. This library is their common code: the installed OpenSSL
//! (`evp`), a library context with the provider configured in it (`world`), and what this machine
//! supports (`machine`).

pub mod aead;
pub mod aead_script;
pub mod bytes;
pub mod callgrind;
pub mod cavp;
pub mod child;
pub mod command;
pub mod cost;
pub mod device;
pub mod digests;
pub mod elf;
pub mod engine;
pub mod etc_tree;
pub mod evp;
pub mod exposure;
pub mod gnutls;
pub mod hmacs;
pub mod hwrng;
pub mod kernel_module;
pub mod kernel_users;
pub mod lane;
pub mod machine;
pub mod mbedtls;
pub mod message_stream;
pub mod messages;
pub mod modes;
pub mod module;
pub mod mounted;
pub mod openssh;
pub mod openwrt;
pub mod pipe;
pub mod processes;
pub mod providers;
pub mod sandbox;
pub mod script;
pub mod seeded;
pub mod services;
pub mod simulated;
pub mod simulated_rng;
pub mod sites;
pub mod skip;
pub mod software_tpm;
pub mod stream;
pub mod surroundings;
pub mod systemd;
pub mod tally;
pub mod time_limit;
pub mod tls;
pub mod tuning;
pub mod udev;
pub mod unbound;
pub mod world;
