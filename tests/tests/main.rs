//! All end-to-end tests are one program: each theme would otherwise be compiled and linked with the
//! same code again.
//!
//! A theme is a module here and a row of tests/legs.toml. The runner starts the program once for
//! each theme, so that no theme inherits the state of another one.

mod configuration;
mod cryptodev;
mod device;
mod device_aead;
mod device_allow;
mod device_applications_kernel;
mod device_applications_net;
mod device_bench;
mod device_cavp;
mod device_check;
mod device_ciphers;
mod device_client_services;
mod device_coming_from;
mod device_digests;
mod device_enable;
mod device_engine;
mod device_fork;
mod device_hmac;
mod device_jobs;
mod device_kernel_users;
mod device_lookahead;
mod device_lookahead_programs;
mod device_lookahead_valgrind;
mod device_message_jobs;
mod device_modes;
mod device_openssh;
mod device_openvpn_service;
mod device_pipelines;
mod device_programs;
mod device_prove;
mod device_provider_matrix;
mod device_reach;
mod device_restore;
mod device_sandbox;
mod device_service_ciphers;
mod device_services;
mod device_speed;
mod device_table;
mod device_tune;
mod device_unplugged;
mod device_vectors;
mod device_wrong_results;
mod driver_failures;
mod everywhere;
mod failures;
mod fork;
mod interop;
mod lifetimes;
mod modes;
mod module_file;
mod pass_through_cost;
mod properties;
mod rng_commands;
mod scarce_sessions;
mod seed_source;
mod threads;
mod tls_records;
mod tls_sessions;
mod valgrind;
mod vectors;
mod when_the_driver_goes;
mod without_the_module;
