//! Instructions of a call through outboard and through the default provider alone, as callgrind
//! counts them.

use std::fs;

use crate::callgrind::SUPPORTED;
use crate::command::{command, helper, on_path, status_and_output};
use crate::skip::skip;
use crate::world::World;

/// Instructions per call in one direction.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The algorithm, the direction, and both numbers.
    pub what: String,
    /// Through outboard.
    pub ours: f64,
    /// Through the default provider.
    pub openssls: f64,
}

/// The cost of calls with each algorithm, made by the helper `pass-through-cost`. `None` with a skip
/// where callgrind is missing.
#[track_caller]
pub fn costs(test: &str, world: &World, calls: u32, algorithms: &[&str]) -> Option<Vec<Cost>> {
    if !SUPPORTED {
        skip(test, "a processor whose requests to callgrind are implemented");
        return None;
    }
    let Some(valgrind) = on_path("valgrind") else {
        skip(test, "valgrind");
        return None;
    };
    let helper = helper("pass-through-cost").map_err(|missing| skip(test, missing)).ok()?;
    let (config, profile, number) = (world.config(), world.folder().join("profile"), calls.to_string());
    let out = format!("--callgrind-out-file={}", profile.display());
    let (helper, config_name) =
        (helper.to_str().expect("a plain name"), config.to_str().expect("a plain name"));
    let arguments = [&["--tool=callgrind", &out, helper, config_name, &number], algorithms].concat();
    let mut command = command(&valgrind, &config, &arguments);
    if cfg!(target_arch = "arm") {
        // valgrind does not know an instruction of OpenSSL's NEON code (sub r12, sp, r1, lsl #7).
        command.env("OPENSSL_armcap", "0");
    }
    let output = command.output().expect("valgrind starts");
    assert!(output.status.success(), "{}", status_and_output(&output));

    let directions = algorithms.iter().flat_map(|algorithm| ["encrypt", "decrypt"].map(|d| (algorithm, d)));
    let cost = |(algorithm, direction)| {
        let [ours, openssls] = ["outboard", "default"]
            .map(|provider| total(world, &format!("{algorithm} {provider} {direction}")) / f64::from(calls));
        let what = format!("{algorithm} {direction}: {ours:.1} instructions, {openssls:.1} without outboard");
        println!("{what}");
        assert!(openssls > 16.0, "{what}: too few to encrypt a block");
        Cost { what, ours, openssls }
    };
    Some(directions.map(cost).collect())
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
