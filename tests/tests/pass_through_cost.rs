//! With the provider, a small update in software costs an additional comparison and call.

use std::fs;
use std::path::Path;

use outboard_tests::callgrind::SUPPORTED;
use outboard_tests::command::{command, helper, on_path, said};
use outboard_tests::skip::skip;
use outboard_tests::world::{World, world_of_every_cipher, worlds_with_drivers};

/// Instructions per 16-byte update that passing through may add.
const ALLOWED: f64 = 60.0;

/// valgrind in an emulated machine is slow; the count is constant, so that a few updates are
/// enough.
const UPDATES: u32 = 500;

#[test]
fn an_update_below_the_threshold_costs_at_most_sixty_instructions_more() {
    let test = "an_update_below_the_threshold_costs_at_most_sixty_instructions_more";
    if !SUPPORTED {
        return skip(test, "a processor whose requests to callgrind are implemented");
    }
    let Some(valgrind) = on_path("valgrind") else {
        return skip(test, "valgrind");
    };
    let helper = match helper("pass-through-cost") {
        Ok(helper) => helper,
        Err(missing) => return skip(test, missing),
    };
    // One kind of driver is enough: below the threshold it is not used.
    let settings = [("THRESHOLDS", "ALL:4096")];
    if let Some(world) = world_of_every_cipher(test, &settings) {
        costs_little(
            &valgrind,
            &helper,
            &world,
            &["AES-128-CBC", "AES-128-CTR", "AES-128-XTS", "DES-EDE3-CBC"],
        );
    } else if let Some(world) = worlds_with_drivers(test, &settings).into_iter().next() {
        costs_little(&valgrind, &helper, &world, &["AES-128-CBC"]);
    }
}

#[track_caller]
fn costs_little(valgrind: &Path, helper: &Path, world: &World, algorithms: &[&str]) {
    let (config, profile, updates) = (world.config(), world.folder().join("profile"), UPDATES.to_string());
    let out = format!("--callgrind-out-file={}", profile.display());
    let (helper, config_name) =
        (helper.to_str().expect("a plain name"), config.to_str().expect("a plain name"));
    let arguments = [&["--tool=callgrind", &out, helper, config_name, &updates], algorithms].concat();
    let mut command = command(valgrind, &config, &arguments);
    if cfg!(target_arch = "arm") {
        // valgrind does not know an instruction of OpenSSL's NEON code (sub r12, sp, r1, lsl #7).
        command.env("OPENSSL_armcap", "0");
    }
    let output = command.output().expect("valgrind starts");
    assert!(output.status.success(), "{}", said(&output));

    for algorithm in algorithms {
        for direction in ["encrypt", "decrypt"] {
            let [ours, openssls] = ["outboard", "default"].map(|provider| {
                let total = total(world, &format!("{algorithm} {provider} {direction}"));
                total / f64::from(UPDATES)
            });
            let what = format!(
                "{algorithm} {direction}: {ours:.1} instructions per update, {openssls:.1} without outboard"
            );
            println!("{what}");
            assert!(openssls > 16.0, "{what}: too few to encrypt a block");
            assert!(ours - openssls <= ALLOWED, "{what}");
        }
    }
}

/// The instructions that callgrind counted under this name.
#[track_caller]
fn total(world: &World, name: &str) -> f64 {
    let trigger = format!("desc: Trigger: Client Request: {name}");
    let profiles = fs::read_dir(world.folder()).expect("the world's folder").flatten();
    let texts = profiles.filter_map(|entry| fs::read_to_string(entry.path()).ok());
    let profile = texts
        .into_iter()
        .find(|text| text.contains(&trigger))
        .unwrap_or_else(|| panic!("no profile of {name}"));
    let totals =
        profile.lines().find_map(|line| line.strip_prefix("totals:").or(line.strip_prefix("summary:")));
    totals
        .and_then(|total| total.trim().parse().ok())
        .unwrap_or_else(|| panic!("no total in the profile of {name}"))
}
