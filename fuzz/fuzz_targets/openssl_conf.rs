//! openssl.cnf, with any bytes, and what `outboard status` finds in it.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use outboard_inventory::openssl::Configuration;
use outboard_openssl_conf::conf::Conf;

fuzz_target!(|bytes: &[u8]| {
    let conf = Conf::parse(bytes);
    for name in conf.sections() {
        assert!(conf.section(name).is_some(), "a section that is listed is there");
    }
    let _ = Configuration::of(&conf, Path::new("openssl.cnf"));
});
