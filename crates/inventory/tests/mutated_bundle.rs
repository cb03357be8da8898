//! A bundle whose /proc/crypto is damaged: no panic, and no entry away from the damage is lost.

use std::path::Path;

use outboard_documents::status::Status;
use outboard_drivers::root::Root;
use outboard_inventory::bundle::{Files, Item, pack, unpack};
use outboard_inventory::collect;
use proptest::prelude::*;

fn status_of(proc_crypto: &[u8]) -> Status {
    let mut files = Files::default();
    files.add("proc/crypto", Item::File(proc_crypto.to_vec()));
    files.add("proc/sys/kernel/osrelease", Item::File(b"6.12.57\n".to_vec()));
    let packed = pack(&files).unwrap();
    let files = unpack(&packed.bytes[..], true).unwrap();
    collect(&Root::of_files(Path::new("bundle"), Box::new(files))).unwrap()
}

fn entry(number: usize) -> String {
    format!(
        "name         : cbc(aes)\ndriver       : driver-{number}\nmodule       : kernel\npriority     : {number}\n\
         refcnt       : 1\nselftest     : passed\ninternal     : no\ntype         : skcipher\nasync        : yes\n\
         blocksize    : 16\nmin keysize  : 16\nmax keysize  : 32\nivsize       : 16\nchunksize    : 16\n\n"
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damage_costs_no_other_entry(
        damaged in 0_usize..8,
        at in 0_usize..200,
        with in proptest::collection::vec(any::<u8>(), 0..30),
        cut in 0_usize..30,
    ) {
        let mut text = Vec::new();
        for number in 0..8 {
            let mut one = entry(number).into_bytes();
            if number == damaged {
                // The empty line that ends the entry stays.
                let last = one.len() - 2;
                let at = at % last;
                let end = (at + cut).min(last);
                one.splice(at..end, with.iter().copied());
            }
            text.extend(one);
        }
        let status = status_of(&text);
        for number in (0..8).filter(|number| *number != damaged) {
            let name = format!("driver-{number}");
            prop_assert!(status.drivers.iter().any(|driver| driver.name == name), "{} is lost", name);
        }
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..800)) {
        status_of(&bytes);
    }
}
