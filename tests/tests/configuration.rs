//! openssl.cnf in all forms that occur in practice.

use std::fs;
use std::path::PathBuf;

use outboard_tests::command::{on_path, run, status_and_output};
use outboard_tests::evp::{self, Cipher, LibraryContext};
use outboard_tests::module::module;
use outboard_tests::skip::skip;
use outboard_tests::stream::Stream;
use outboard_tests::world::{
    CIPHERS, DriverChoice, OUTBOARD, Order, World, outboard_section, worlds, worlds_with_drivers,
    write_config, write_text,
};
use tempfile::TempDir;

const DEFAULT_SECTION: &str = "default = default_section\n";
const OUTBOARD_SECTION: &str = "outboard = outboard_section\n";

/// A configuration in a separate folder.
struct Config {
    _folder: TempDir,
    path: PathBuf,
}

impl Config {
    fn new(providers: &str, outboard: &str) -> Config {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("openssl.cnf");
        write_text(&path, providers, outboard, "");
        Config { _folder: folder, path }
    }

    /// A library context that read it.
    fn load(&self) -> LibraryContext {
        evp::clear();
        let context = LibraryContext::new();
        context.load_config(&self.path);
        context
    }
}

fn module_or_skip(test: &str) -> Option<PathBuf> {
    module().map_err(|missing| skip(test, missing)).ok()
}

#[test]
fn either_order_of_the_providers_in_openssl_cnf_works() {
    let test = "either_order_of_the_providers_in_openssl_cnf_works";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        let (choice, first) =
            (world.driver_choice.clone(), Stream::new(&world.soft("AES-128-CBC"), 1, 3, 1000));
        for order in [Order::DefaultFirst, Order::OutboardFirst] {
            let world = World::new(choice.clone(), &[("THRESHOLDS", "ALL:1")], order)
                .unwrap_or_else(|error| panic!("{error}"));
            assert!(first.runs_right(&world.hard("AES-128-CBC")), "{choice:?}, {order:?}");
            world.assert_driver_used();
            // The cipher of an application without a property query, from default_properties.
            let chosen = Cipher::fetch(&world.context, "AES-128-CBC", "").expect("a cipher").provider();
            assert_eq!(
                chosen == OUTBOARD,
                choice != DriverChoice::Nothing,
                "{choice:?}, {order:?}: {chosen}"
            );
        }
    }
}

#[test]
fn with_only_our_provider_nothing_is_offered_until_the_default_provider_comes() {
    let test = "with_only_our_provider_nothing_is_offered_until_the_default_provider_comes";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        let context = Config::new(OUTBOARD_SECTION, &world.section).load();
        assert!(context.has_provider(OUTBOARD), "{}", evp::text());
        assert!(!context.has_provider("default"));
        assert!(Cipher::fetch(&context, "AES-128-CBC", "provider=outboard").is_none());
        evp::clear();

        let default = context.load_provider("default").expect("the default provider");
        let stream = Stream::new(&world.soft("AES-128-CBC"), 1, 3, 1000);
        let soft = Cipher::fetch(&context, "AES-128-CBC", "provider=default")
            .expect("the default provider's cipher");
        assert!(stream.runs_right(&soft));
        if world.driver_choice != DriverChoice::Nothing {
            let hard = Cipher::fetch(&context, "AES-128-CBC", "provider=outboard").expect("our cipher");
            assert!(stream.runs_right(&hard), "{:?}", world.driver_choice);
        }
        drop((soft, default));
    }
}

#[test]
fn without_the_default_provider_a_fetched_cipher_of_ours_is_not_left_hanging() {
    let test = "without_the_default_provider_a_fetched_cipher_of_ours_is_not_left_hanging";
    for world in worlds_with_drivers(test, &[("THRESHOLDS", "ALL:1")]) {
        let context = Config::new(OUTBOARD_SECTION, &world.section).load();
        let stream = Stream::new(&world.soft("AES-128-CBC"), 1, 3, 1000);
        for _ in 0..3 {
            let default = context.load_provider("default").expect("the default provider");
            let hard = Cipher::fetch(&context, "AES-128-CBC", "provider=outboard").expect("our cipher");
            assert!(stream.runs_right(&hard), "{:?}", world.driver_choice);
            drop(hard);
            drop(default);
        }
    }
}

#[test]
fn a_missing_module_leaves_the_default_provider_working() {
    let missing = outboard_section("/nonexistent/outboard.so".as_ref(), &[], true);
    for providers in
        [[DEFAULT_SECTION, OUTBOARD_SECTION].concat(), [OUTBOARD_SECTION, DEFAULT_SECTION].concat()]
    {
        let config = Config::new(&providers, &missing);
        let context = config.load();
        assert!(!context.has_provider(OUTBOARD));
        // A provider that cannot be activated ends neither the configuration nor the application
        // (provider_conf_load).
        assert!(context.has_provider("default"));
        let soft = Cipher::fetch(&context, "AES-128-CBC", "?provider=outboard")
            .expect("the default provider's cipher");
        assert_eq!(soft.provider(), "default");
    }
}

#[test]
fn a_wrong_value_is_refused_with_the_name_of_its_section_and_key_and_not_shown() {
    let test = "a_wrong_value_is_refused_with_the_name_of_its_section_and_key_and_not_shown";
    let Some(module) = module_or_skip(test) else { return };
    let wrong = [
        ("CIPHERS", "ALL,AES-128-CBC"),
        ("CIPHERS", ","),
        ("DIGESTS", "MD5,ALL"),
        ("USE_SOFTDRIVERS", "3"),
        ("USE_SOFTDRIVERS", "yes"),
        ("DRIVERS", "two words"),
        ("DRIVERS", ","),
        ("THRESHOLDS", "4096"),
        ("THRESHOLDS", "ALL:many"),
        ("THRESHOLDS", "ALL:-1"),
        ("THRESHOLDS", "AES-512-CBC:4096"),
        ("HWRNG_ENTROPY", "8.01"),
        ("HWRNG_ENTROPY", "two"),
        ("PROGRAMS", "nginx"),
        ("SHADOW_CHECKS", "1/4096"),
        ("LOG_LEVEL", "loud"),
        // A secret in the wrong place.
        ("CIPHERS", "ALL,hunter2-90817"),
        ("THRESHOLDS", "hunter2-90817"),
        ("KEY_BYTES", "hunter2-90817"),
        ("LOG_LEVEL", "hunter2-90817"),
    ];
    for (key, value) in wrong {
        // Loaded by name, so that the error is that of OSSL_PROVIDER_load.
        let config = Config::new(
            &[DEFAULT_SECTION, OUTBOARD_SECTION].concat(),
            &outboard_section(&module, &[(key, value)], false),
        );
        let context = config.load();
        evp::clear();
        assert!(context.load_provider(OUTBOARD).is_none(), "{key} = {value} is taken");
        let errors = evp::text();
        for word in [OUTBOARD, key] {
            assert!(
                errors.contains(word),
                "{key} = {value}: the errors do not contain \"{word}\":\n{errors}"
            );
        }
        assert!(!errors.contains("hunter2"), "{errors}");
        // The rest of OpenSSL still works.
        let soft = Cipher::fetch(&context, "AES-128-CBC", "?provider=outboard").expect("a cipher");
        assert_eq!(soft.provider(), "default");
    }
}

/// As in OpenWrt's example for the devcrypto engine.
#[test]
fn names_that_are_not_offered_are_skipped() {
    let Some(module) = module_or_skip("names_that_are_not_offered_are_skipped") else { return };
    for (key, value) in [
        ("CIPHERS", "AES-128-CBC,BF-CBC,DES-CBC"),
        ("CIPHERS", "BF-CBC"),
        ("DIGESTS", "MD5"),
        ("DIGESTS", "SHA1,AES-128-CBC"),
        ("DIGESTS", "HMAC-SHA1"),
    ] {
        let section = outboard_section(&module, &[(key, value), ("LOG_LEVEL", "off")], false);
        let context = Config::new(&[DEFAULT_SECTION, OUTBOARD_SECTION].concat(), &section).load();
        assert!(context.load_provider(OUTBOARD).is_some(), "{key} = {value}: {}", evp::text());
    }
}

#[test]
fn every_right_value_is_taken() {
    let test = "every_right_value_is_taken";
    if module_or_skip(test).is_none() {
        return;
    }
    let right = [
        ("CIPHERS", "ALL"),
        ("CIPHERS", "NONE"),
        ("CIPHERS", "aes-128-cbc, AES-256-CBC"),
        ("USE_SOFTDRIVERS", "0"),
        ("USE_SOFTDRIVERS", "1"),
        ("USE_SOFTDRIVERS", "2"),
        ("DRIVERS", "ALL"),
        ("DRIVERS", "no-such-driver"),
        ("THRESHOLDS", "ALL:4096,AES-128-CBC:2048"),
        ("HWRNG_ENTROPY", "3.04"),
        ("PROGRAMS", "ALL"),
        ("PROGRAMS", "/nonexistent"),
        ("SHADOW_CHECKS", "0"),
        ("SHADOW_CHECKS", "1"),
        ("LOG_LEVEL", "off"),
        ("LOG_LEVEL", "error"),
        ("LOG_LEVEL", "warn"),
        ("LOG_LEVEL", "info"),
        ("LOG_LEVEL", "debug"),
        // The provider must load for a service even if the counters file is missing.
        ("COUNTERS", "/nonexistent/counters"),
    ];
    for setting in right {
        let world = World::new(DriverChoice::Nothing, &[setting], Order::DefaultFirst);
        world.unwrap_or_else(|error| panic!("{setting:?} is refused: {error}"));
    }
}

#[test]
fn only_programs_of_the_directory_are_served() {
    let test = "only_programs_of_the_directory_are_served";
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().to_str().expect("a plain path");
    let this = std::env::current_exe().expect("this program");
    let this = this.file_name().expect("a name").to_str().expect("a plain name");
    for (program, is_served) in [("nginx", false), (this, true), ("_all", true)] {
        let file = directory.path().join(program);
        std::fs::write(&file, "").expect("a file");
        for world in worlds_with_drivers(test, &[("PROGRAMS", path)]) {
            for algorithm in CIPHERS {
                let ours = Cipher::fetch(&world.context, algorithm, "provider=outboard");
                assert_eq!(ours.is_some(), is_served, "{program}: {algorithm}");
                assert!(Cipher::fetch(&world.context, algorithm, "?provider=outboard").is_some());
            }
        }
        std::fs::remove_file(file).expect("our own");
    }
}

#[test]
fn ciphers_none_offers_nothing() {
    for world in worlds_with_drivers("ciphers_none_offers_nothing", &[("CIPHERS", "NONE")]) {
        for algorithm in CIPHERS {
            assert!(Cipher::fetch(&world.context, algorithm, "provider=outboard").is_none());
            assert_eq!(Cipher::fetch(&world.context, algorithm, "").expect("a cipher").provider(), "default");
        }
    }
}

#[test]
fn a_list_of_ciphers_offers_those_and_no_others() {
    let test = "a_list_of_ciphers_offers_those_and_no_others";
    for world in worlds_with_drivers(test, &[("CIPHERS", "AES-128-CBC")]) {
        let offered = |algorithm| Cipher::fetch(&world.context, algorithm, "provider=outboard").is_some();
        assert_eq!(CIPHERS.map(offered), [true, false, false], "{:?}", world.driver_choice);
    }
}

#[test]
fn a_driver_that_is_not_there_offers_nothing() {
    let test = "a_driver_that_is_not_there_offers_nothing";
    let settings = [("DRIVERS", "no-such-driver"), ("USE_SOFTDRIVERS", "1")];
    for world in worlds_with_drivers(test, &settings) {
        assert!(Cipher::fetch(&world.context, "AES-128-CBC", "provider=outboard").is_none());
    }
}

#[test]
fn our_ciphers_describe_themselves_as_the_default_providers_do() {
    let test = "our_ciphers_describe_themselves_as_the_default_providers_do";
    for world in worlds(test, &[]) {
        for algorithm in CIPHERS {
            assert_eq!(
                world.hard(algorithm).description(),
                world.soft(algorithm).description(),
                "{algorithm}"
            );
        }
    }
}

#[test]
fn our_ciphers_answer_to_every_name_that_the_default_providers_have() {
    let test = "our_ciphers_answer_to_every_name_that_the_default_providers_have";
    let names = [
        ["AES-128-CBC", "aes-128-cbc", "AES128", "2.16.840.1.101.3.4.1.2"],
        ["AES-192-CBC", "aes-192-cbc", "AES192", "2.16.840.1.101.3.4.1.22"],
        ["AES-256-CBC", "aes-256-cbc", "AES256", "2.16.840.1.101.3.4.1.42"],
    ];
    for world in worlds_with_drivers(test, &[]) {
        for name in names.iter().flatten() {
            let cipher = Cipher::fetch(&world.context, name, "provider=outboard");
            assert_eq!(cipher.unwrap_or_else(|| panic!("no {name}")).provider(), OUTBOARD);
        }
    }
}

#[test]
fn fips_is_never_claimed() {
    for world in worlds("fips_is_never_claimed", &[]) {
        for algorithm in CIPHERS {
            assert!(Cipher::fetch(&world.context, algorithm, "provider=outboard,fips=yes").is_none());
        }
    }
}

#[test]
fn openssl_lists_the_provider_without_a_warning() {
    let test = "openssl_lists_the_provider_without_a_warning";
    let Some(openssl) = on_path("openssl") else {
        return skip(test, "the openssl command");
    };
    for world in worlds(test, &[]) {
        for arguments in
            [&["list", "-providers", "-verbose"][..], &["list", "-cipher-algorithms", "-verbose"]]
        {
            let output = run(&openssl, &world.config(), arguments);
            assert!(
                output.status.success() && output.stderr.is_empty(),
                "{arguments:?}: {}",
                status_and_output(&output)
            );
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.contains(OUTBOARD) || arguments[1] != "-providers", "{text}");
        }
    }
}

#[test]
fn openssl_works_when_the_module_is_missing() {
    let test = "openssl_works_when_the_module_is_missing";
    let Some(openssl) = on_path("openssl") else {
        return skip(test, "the openssl command");
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (config, file) = (folder.path().join("openssl.cnf"), folder.path().join("plain"));
    write_config(
        &config,
        &outboard_section("/nonexistent/outboard.so".as_ref(), &[], true),
        Order::DefaultFirst,
    );
    fs::write(&file, [7; 1000]).expect("a file");
    let mut arguments = vec!["enc", "-aes-128-cbc", "-in", file.to_str().expect("a plain name")];
    arguments.extend(["-K", "000102030405060708090a0b0c0d0e0f", "-iv", "f0e0d0c0b0a090807060504030201000"]);
    let output = run(&openssl, &config, &arguments);
    assert!(output.status.success() && output.stdout.len() == 1008, "{}", status_and_output(&output));
}

/// As sshd's child before authentication, whose standard error may be a log file (`sshd -E`).
#[test]
fn a_line_to_a_log_file_kills_nobody_who_may_not_write_files() {
    let test = "a_line_to_a_log_file_kills_nobody_who_may_not_write_files";
    let Some(openssl) = on_path("openssl") else { return skip(test, "the openssl command") };
    let module = match module() {
        Ok(module) => module,
        Err(missing) => return skip(test, missing),
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [config, log] = ["openssl.cnf", "log"].map(|name| folder.path().join(name));
    // Logged as a warning each time that it is loaded.
    let settings = [("COUNTERS", "/nonexistent/counters")];
    write_config(&config, &outboard_section(&module, &settings, true), Order::DefaultFirst);
    for (limit, lines) in [("unlimited", 1), ("0", 0)] {
        let script = r#"ulimit -f "$1" && exec "$2" list -providers 2>>"$3""#;
        let paths = [&openssl, &log].map(|path| path.to_str().expect("a plain name"));
        let arguments = ["-c", script, "sh", limit, paths[0], paths[1]];
        fs::write(&log, "").expect("a file");
        let output = run("/bin/sh".as_ref(), &config, &arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("outboard"),
            "{limit}: {}",
            status_and_output(&output)
        );
        let log = fs::read_to_string(&log).expect("a text");
        assert_eq!(log.matches("warn: COUNTERS").count(), lines, "{limit}: {log}");
    }
}
