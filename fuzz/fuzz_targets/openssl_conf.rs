//! openssl.cnf, with any bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outboard_openssl_conf::conf::Conf;

fuzz_target!(|bytes: &[u8]| {
    let conf = Conf::parse(bytes);
    for name in conf.sections() {
        assert!(conf.section(name).is_some(), "a section that is listed is there");
    }
});
