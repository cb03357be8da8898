//! Programs without support for providers, with the simulated accelerator behind /dev/outboard:
//! Python, GnuTLS and Mbed TLS on the other side, and programs that change their user (setuid).

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::command::{command, on_path, run, status_and_output, succeeded};
use outboard_tests::digests::DIGESTS;
use outboard_tests::gnutls::{Gnutls, SessionSetup, Suite};
use outboard_tests::hwrng::in_child_with;
use outboard_tests::machine::cpu_has_aes;
use outboard_tests::mbedtls::Mbedtls;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::tls::put_certificate;
use outboard_tests::world::{World, write_text};

const NOBODY: u32 = 65534;

/// A world with every driver, and a second configuration without the provider.
struct Place {
    world: World,
    plain: PathBuf,
    openssl: PathBuf,
}

/// One test of many parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn programs_without_support_for_providers_use_the_accelerator() {
    let test = "programs_without_support_for_providers_use_the_accelerator";
    let Some(Reachable { simulated, openssl, .. }) = Simulated::reachable(test) else { return };
    let world = simulated.world_of_everything(1024);
    let plain = world.folder().join("plain.cnf");
    write_text(&plain, "default = default_section\n", "", "");
    put_certificate(&openssl, &plain, world.folder());
    let place = Place { world, plain, openssl };

    setuid_programs_read_the_systems_configuration_alone(&place);
    match on_path("python3") {
        Some(python) => python_hashes_and_speaks_tls(&place, &python),
        None => skip(test, "the python3 command"),
    }
    match Gnutls::find() {
        Ok(gnutls) => gnutls_understands_what_we_say(&place, &gnutls),
        Err(missing) => skip(test, missing),
    }
    match Mbedtls::find() {
        Ok(mbedtls) => we_understand_what_mbed_tls_says(&place, &mbedtls),
        Err(missing) => skip(test, missing),
    }
}

impl Place {
    fn folder(&self) -> &Path {
        self.world.folder()
    }
}

/// The caller sets OPENSSL_CONF, so OpenSSL ignores it in setuid programs; it reads the system's
/// configuration.
fn setuid_programs_read_the_systems_configuration_alone(place: &Place) {
    let program = place.folder().join("openssl-setuid");
    fs::copy(&place.openssl, &program).expect("a file in the folder");
    for (path, mode) in [(program.as_path(), 0o4755), (place.folder(), 0o755)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("root may");
    }
    let file = place.folder().join("message");
    fs::write(&file, bytes(1, 1_000_000)).expect("a file in the folder");
    let name = file.to_str().expect("a plain name");
    let key = ["-K", "000102030405060708090a0b0c0d0e0f", "-iv", "f0e0d0c0b0a090807060504030201000"];
    let arguments = [&["enc", "-aes-128-cbc", "-in", name][..], &key].concat();
    let expected = run(&place.openssl, &place.plain, &arguments);
    succeeded(&expected, &arguments);
    let as_somebody = |arguments: &[&str]| -> Output {
        let mut command = command(&program, &place.world.config(), arguments);
        command.uid(NOBODY).gid(NOBODY).output().expect("the program")
    };
    let encrypt = |what: &str| {
        let before = place.world.counts();
        let output = as_somebody(&arguments);
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{what}: {}",
            status_and_output(&output)
        );
        assert_same(&output.stdout, &expected.stdout, what);
        place.world.counts() - before
    };
    let list = as_somebody(&["list", "-providers"]);
    let text = succeeded(&list, &["list", "-providers"]);
    assert!(text.contains("default") && !text.contains("outboard"), "OPENSSL_CONF is obeyed: {text}");
    assert_eq!(encrypt("with OPENSSL_CONF").requests(), 0, "OPENSSL_CONF is obeyed");

    let directory = run(&place.openssl, &place.plain, &["version", "-d"]);
    let directory = succeeded(&directory, &["version", "-d"]);
    let directory = directory.split('"').nth(1).expect("OPENSSLDIR: \"...\"");
    let system = Path::new(directory).join("openssl.cnf");
    in_child_with(system.to_str().expect("a plain name"), &place.world.config(), || {
        let done = encrypt("with the system's openssl.cnf");
        if done.hw_bytes < 900_000 || done.failures + done.mismatches > 0 {
            return Err(format!("with the system's openssl.cnf: {done:?}"));
        }
        Ok(())
    });
}

/// Hashes, and server and client in one process: the program prints the same with the provider and
/// without.
fn python_hashes_and_speaks_tls(place: &Place, python: &Path) {
    const SIZE: u64 = 1_000_000;
    let program = place.folder().join("program.py");
    fs::write(&program, include_str!("../src/python_program.py")).expect("a file in the folder");
    let names = [&program, place.folder()].map(|path| path.to_str().expect("a plain name"));
    let size = SIZE.to_string();
    let prints = |config: &Path, version, suite| {
        let output = run(python, config, &[names[0], names[1], version, suite, &size]);
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{suite}: {}",
            status_and_output(&output)
        );
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let session = format!("{version} {suite} True\n");
        let hashes =
            text.strip_suffix(&session).unwrap_or_else(|| panic!("{session} is not at the end of: {text}"));
        hashes.to_owned()
    };
    let expected = prints(&place.plain, "TLSv1_2", "ECDHE-RSA-AES256-SHA384");
    assert_eq!(expected.lines().count(), 2 * DIGESTS.len(), "{expected}");
    for (version, suite, algorithm) in [
        ("TLSv1_2", "ECDHE-RSA-AES256-SHA384", "AES-256-CBC"),
        // OpenSSL chooses, not Python.
        ("TLSv1_3", "TLS_AES_256_GCM_SHA384", "AES-256-GCM"),
    ] {
        let named: Vec<&str> = DIGESTS.into_iter().chain([algorithm]).collect();
        let all = || named.iter().map(|name| place.world.counts_of(name)).collect::<Vec<_>>();
        let before = all();
        assert_eq!(prints(&place.world.config(), version, suite), expected, "{suite}");
        for ((name, after), before) in named.iter().zip(all()).zip(before) {
            let done = after - before;
            assert_eq!((done.failures, done.mismatches), (0, 0), "{suite}, {name}: {done:?}");
            // Both sides encrypt and decrypt it, in both directions.
            let least = if *name == algorithm { 4 * SIZE * 95 / 100 } else { 200_000 };
            assert!(done.hw_bytes >= least, "{suite}, {name}: {done:?}");
        }
    }
}

/// Sessions with GnuTLS as the other side, OpenSSL as server and as client; every combination with
/// OUTBOARD_ALL_TLS set.
fn gnutls_understands_what_we_say(place: &Place, gnutls: &Gnutls) {
    const SIZE: usize = 1_000_000;
    // gnutls-cli writes its output byte by byte.
    const LITTLE: usize = 150_000;
    // One line: gnutls-serv replies at the end of a line.
    let mut line: Vec<u8> = bytes(1, SIZE).iter().map(|byte| b'A' + byte % 26).collect();
    line.push(b'\n');
    fs::write(place.folder().join("little"), &line[..LITTLE]).expect("a file in the folder");
    // On a CPU with AES instructions OpenSSL uses stitched ciphers for these two without
    // encrypt-then-MAC.
    let unless_stitched = |algorithm| if cpu_has_aes() { None } else { Some(algorithm) };
    let suites = [
        ("-tls1_2", "ECDHE-RSA-AES128-SHA", "+VERS-TLS1.2:+AES-128-CBC:+SHA1", Some("AES-128-CBC")),
        ("-tls1_2", "AES128-SHA", "+VERS-TLS1.2:+AES-128-CBC:+SHA1:%NO_ETM", unless_stitched("AES-128-CBC")),
        ("-tls1_2", "AES256-SHA256", "+VERS-TLS1.2:+AES-256-CBC:+SHA256", Some("AES-256-CBC")),
        (
            "-tls1_2",
            "ECDHE-RSA-AES256-SHA384",
            "+VERS-TLS1.2:+AES-256-CBC:+SHA384:%NO_ETM",
            Some("AES-256-CBC"),
        ),
        ("-tls1_2", "ECDHE-RSA-AES128-GCM-SHA256", "+VERS-TLS1.2:+AES-128-GCM:+AEAD", Some("AES-128-GCM")),
        ("-tls1_3", "TLS_AES_256_GCM_SHA384", "+VERS-TLS1.3:+AES-256-GCM:+AEAD", Some("AES-256-GCM")),
        // Records of TLS 1.2 in CCM stay in software.
        ("-tls1_2", "AES128-CCM", "+VERS-TLS1.2:+AES-128-CCM:+AEAD", None),
        ("-tls1_3", "TLS_AES_128_CCM_SHA256", "+VERS-TLS1.3:+AES-128-CCM:+AEAD", Some("AES-128-CCM")),
    ];
    let all = std::env::var_os("OUTBOARD_ALL_TLS").is_some();
    for (row, (version, name, priority, algorithm)) in suites.into_iter().enumerate() {
        let suite = Suite { version, name, priority };
        let (openssl, config) = (place.openssl.as_path(), place.world.config());
        let ground = SessionSetup { gnutls, openssl, config: &config, folder: place.folder(), suite };
        for (number, way) in
            ["to s_server", "from s_server", "from s_client and back"].into_iter().enumerate()
        {
            // OpenSSL's server receives with one suite, and sends with the next.
            if !all && number < 2 && number != row % 2 {
                continue;
            }
            let (length, times) = [(line.len(), 1), (LITTLE, 1), (line.len(), 2)][number];
            let what = format!("{suite:?} {way}");
            let before = place.world.counts();
            let of_it = |algorithm| place.world.counts_of(algorithm).hw_bytes;
            let hardware = algorithm.map(of_it);
            let received = match number {
                0 => ground.send(&line),
                1 => ground.fetch("little", LITTLE),
                _ => ground.echo(&line),
            };
            let received = received.unwrap_or_else(|problem| panic!("{what}: {problem}"));
            assert_same(&received, &line[..length], &what);
            let done = place.world.counts() - before;
            assert_eq!((done.failures, done.mismatches), (0, 0), "{what}: {done:?}");
            let hardware = algorithm.map(|algorithm| of_it(algorithm) - hardware.unwrap_or_default());
            let least = (times * length * 95 / 100) as u64;
            assert!(hardware.is_none_or(|bytes| bytes >= least), "{what}: {hardware:?} of {least}: {done:?}");
        }
    }
}

/// Sessions with a server that has Mbed TLS: a suite for each cipher and MAC that both have.
fn we_understand_what_mbed_tls_says(place: &Place, mbedtls: &Mbedtls) {
    const SIZE: usize = 2_000_000;
    let file = bytes(2, SIZE);
    fs::write(place.folder().join("file"), &file).expect("a file in the folder");
    let server = mbedtls.serve(place.folder()).unwrap_or_else(|problem| panic!("{problem}"));
    for (version, suite, algorithm) in [
        ("-tls1_2", "ECDHE-RSA-AES128-SHA", Some("AES-128-CBC")),
        ("-tls1_2", "ECDHE-RSA-AES128-SHA256", Some("AES-128-CBC")),
        ("-tls1_2", "ECDHE-RSA-AES256-SHA384", Some("AES-256-CBC")),
        ("-tls1_2", "AES128-SHA", Some("AES-128-CBC")),
        ("-tls1_2", "AES256-SHA256", Some("AES-256-CBC")),
        ("-tls1_2", "ECDHE-RSA-AES128-GCM-SHA256", Some("AES-128-GCM")),
        ("-tls1_2", "ECDHE-RSA-AES256-GCM-SHA384", Some("AES-256-GCM")),
        // Records of TLS 1.2 in CCM stay in software.
        ("-tls1_2", "AES256-CCM", None),
        ("-tls1_3", "TLS_AES_128_GCM_SHA256", Some("AES-128-GCM")),
        ("-tls1_3", "TLS_AES_256_GCM_SHA384", Some("AES-256-GCM")),
        ("-tls1_3", "TLS_AES_128_CCM_SHA256", Some("AES-128-CCM")),
    ] {
        let of_it = || algorithm.map(|algorithm| place.world.counts_of(algorithm).hw_bytes);
        let (before, hardware) = (place.world.counts(), of_it());
        let received = server.fetch(&place.openssl, &place.world.config(), [version, suite], "file");
        let received = received.unwrap_or_else(|problem| panic!("{suite}: {problem}"));
        assert_same(&received, &file, suite);
        let done = place.world.counts() - before;
        assert_eq!((done.failures, done.mismatches), (0, 0), "{suite}: {done:?}");
        let hardware = of_it().zip(hardware).map(|(after, before)| after - before);
        let least = (SIZE * 95 / 100) as u64;
        assert!(hardware.is_none_or(|bytes| bytes >= least), "{suite}: {hardware:?} of {least}: {done:?}");
    }
}
