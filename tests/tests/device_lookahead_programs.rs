//! Programs with look-ahead: the nonces of TLS 1.2 and 1.3, DTLS and SSH are predicted, and peers
//! without the provider understand what is sent. The simulation computes the key stream.

use std::fs;
use std::io::Write;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use outboard_counters::Counts;
use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::command::command;
use outboard_tests::openssh::Openssh;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::time_limit::TIME_LIMIT;
use outboard_tests::tls::{Session, put_certificate};
use outboard_tests::world::{Order, Way, World, write_text};

const TEST: &str = "programs_use_key_stream_computed_in_advance";

const ECB: &str = "sim-ecb-aes";

/// Percentage of the bytes of a connection that must be processed with key stream. The rest is the
/// start.
const LEAST: u64 = 90;

/// A world with look-ahead after the usual number of bytes, and a configuration without the
/// provider.
struct Place {
    world: World,
    plain: PathBuf,
    openssl: PathBuf,
}

/// One test of many parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn programs_use_key_stream_computed_in_advance() {
    let Some(Reachable { simulated, openssl, .. }) = Simulated::reachable(TEST) else { return };
    simulated.allow(&[ECB]);
    let settings = [("LOOKAHEAD", "ON"), ("LOG_LEVEL", "warn")];
    let world = World::new(Way::Simulated(ECB.to_owned()), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"));
    let plain = world.folder().join("plain.cnf");
    write_text(&plain, "default = default_section\n", "", "");
    put_certificate(&openssl, &plain, world.folder());
    let place = Place { world, plain, openssl };

    sessions_of_openssl(&place);
    datagrams_of_openssl(&place);
    match Openssh::find() {
        Ok(openssh) => copies_by_ssh(&place, &openssh),
        Err(missing) => skip(TEST, missing),
    }
}

impl Place {
    fn folder(&self) -> &Path {
        self.world.folder()
    }

    /// Runs a part that must process at least `least` bytes with an algorithm, most of them with key
    /// stream.
    #[track_caller]
    fn ahead<T>(&self, what: &str, algorithm: &str, least: usize, part: impl FnOnce() -> T) -> T {
        let before = self.world.counts_of(algorithm);
        let result = part();
        let done: Counts = self.world.counts_of(algorithm) - before;
        assert_eq!((done.failures, done.mismatches), (0, 0), "{what}: {done:?}");
        assert!(done.bytes() >= least as u64, "{what}: {done:?}");
        let percent = done.ahead_bytes * 100 / done.bytes();
        // Not captured by libtest: the numbers are part of the result.
        let _ = writeln!(
            std::io::stderr(),
            "\n{what}: {} of {} requests of {algorithm} with key stream, {percent} % of the bytes",
            done.ahead_requests,
            done.requests()
        );
        assert!(percent >= LEAST, "{what}: {done:?}");
        result
    }
}

/// Both sides are OpenSSL's, one of them with the provider.
fn sessions_of_openssl(place: &Place) {
    const SIZE: usize = 4_000_000;
    let file = bytes(1, SIZE);
    fs::write(place.folder().join("file"), &file).expect("a file in the folder");
    let with = place.world.config();
    for (version, suite, algorithm) in [
        ("-tls1_2", "ECDHE-RSA-AES128-GCM-SHA256", "AES-128-GCM"),
        ("-tls1_2", "ECDHE-RSA-AES256-GCM-SHA384", "AES-256-GCM"),
        ("-tls1_3", "TLS_AES_128_GCM_SHA256", "AES-128-GCM"),
        ("-tls1_3", "TLS_AES_256_GCM_SHA384", "AES-256-GCM"),
    ] {
        for is_server in [true, false] {
            let [server, client] = if is_server { [&with, &place.plain] } else { [&place.plain, &with] };
            let (openssl, folder) = (place.openssl.as_path(), place.folder());
            let session = Session { openssl, folder, version, suite, server, client };
            let what = format!("{suite} of {}", if is_server { "s_server" } else { "s_client" });
            let received =
                place.ahead(&format!("{what}, download"), algorithm, SIZE, || session.download("file"));
            assert_same(&received.expect(&what).bytes, &file, &what);
            let upload = place.folder().join("file");
            let received =
                place.ahead(&format!("{what}, upload"), algorithm, SIZE, || session.upload(&upload));
            assert_same(&received.expect(&what).bytes, &file, &what);
        }
    }
}

/// DTLS 1.2 from `s_client` with the provider to `s_server` without, and vice versa. Datagrams may
/// be lost.
fn datagrams_of_openssl(place: &Place) {
    const LINES: usize = 1500;
    const LINE: usize = 1200;
    let port = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    let address = format!("127.0.0.1:{port}");
    let suite = ["-cipher", "ECDHE-RSA-AES128-GCM-SHA256"];
    let with = place.world.config();
    for is_server in [true, false] {
        let [server, client] = if is_server { [&with, &place.plain] } else { [&place.plain, &with] };
        let what = format!("DTLS 1.2 of {}", if is_server { "s_server" } else { "s_client" });
        let got = place.folder().join("datagrams");
        place.ahead(&what, "AES-128-GCM", LINES * LINE / 2, || {
            let arguments = ["s_server", "-dtls1_2", "-quiet", "-naccept", "1", "-accept", &address];
            let certificate = ["-cert", "cert.pem", "-key", "key.pem"];
            let arguments = [&arguments[..], &certificate, &suite].concat();
            let mut server = command(&place.openssl, server, &arguments);
            server.current_dir(place.folder()).stdin(Stdio::piped());
            server.stdout(fs::File::create(&got).expect("a file in the folder"));
            let mut server = Ended(server.spawn().expect("s_server"));
            wait_for_port(port);
            let arguments = ["s_client", "-dtls1_2", "-quiet", "-no_ign_eof", "-connect", &address];
            let mut client = command(&place.openssl, client, &[&arguments[..], &suite].concat());
            let mut client = Ended(client.stdin(Stdio::piped()).spawn().expect("s_client"));
            let mut input = client.0.stdin.take().expect("it is piped");
            for number in 0..LINES {
                let line = line(number, LINE);
                input.write_all(line.as_bytes()).expect("s_client reads");
                // One datagram for each line; more at a time than the other side can read are lost.
                thread::sleep(Duration::from_millis(if number == 0 { 2000 } else { 3 }));
            }
            // At the end of its input the client closes the connection, and then the server. Each
            // frees its contexts, which add their counts.
            thread::sleep(Duration::from_secs(1));
            drop(input);
            ends(&mut client, "s_client");
            ends(&mut server, "s_server");
        });
        let text = fs::read_to_string(&got).expect("lines");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() > LINES * 9 / 10, "{what}: {} lines arrived", lines.len());
        for received in lines {
            let number = received.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
            assert_eq!(received, line(number, LINE).trim_end(), "{what}");
        }
    }
}

/// A line of `length` bytes that begins with its number.
fn line(number: usize, length: usize) -> String {
    format!("{number} {}\n", "x".repeat(length - 2 - number.to_string().len()))
}

fn wait_for_port(port: u16) {
    let start = Instant::now();
    let local = format!(":{port:04X}");
    while !fs::read_to_string("/proc/net/udp").expect("proc is mounted").contains(&local) {
        assert!(start.elapsed() < TIME_LIMIT, "s_server does not listen");
        thread::sleep(Duration::from_millis(30));
    }
}

/// Waits until a child ends.
#[track_caller]
fn ends(child: &mut Ended, name: &str) {
    let start = Instant::now();
    while child.0.try_wait().expect("our child").is_none() {
        assert!(start.elapsed() < TIME_LIMIT, "{name} does not end");
        thread::sleep(Duration::from_millis(30));
    }
}

/// A child that is killed on drop.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server with the provider, and a client without.
fn copies_by_ssh(place: &Place, openssh: &Openssh) {
    const SIZE: usize = 4_000_000;
    let [sent, there, back] = ["sent", "there", "back"].map(|name| place.folder().join(name));
    let plain = bytes(3, SIZE);
    fs::write(&sent, &plain).expect("a file in the folder");
    for (cipher, algorithm) in [("aes128-ctr", "AES-128-CTR"), ("aes256-gcm@openssh.com", "AES-256-GCM")] {
        // Each server has keys of its own.
        let folder = place.folder().join(algorithm);
        fs::create_dir(&folder).expect("a folder in the folder");
        let server = openssh.serve(&folder, &place.world.config(), cipher);
        place.ahead(&format!("sshd, {cipher}"), algorithm, 2 * SIZE, || {
            server.upload(&sent, &there);
            server.download(&there, &back);
        });
        for file in [&there, &back] {
            assert_same(&fs::read(file).expect("it was copied"), &plain, cipher);
        }
    }
}
