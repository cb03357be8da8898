//! Programs with look-ahead: the nonces of TLS 1.2 and 1.3, DTLS, QUIC, SSH and OpenVPN are
//! predicted, and peers without the provider understand what is sent. The simulation computes the
//! key stream.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use outboard_counters::Counts;
use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::command::{command, helper, on_path, run, status_and_output, succeeded};
use outboard_tests::gnutls::{Gnutls, SessionSetup, Suite};
use outboard_tests::openssh::Openssh;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::time_limit::{TIME_LIMIT, wait_until};
use outboard_tests::tls::{Session, put_certificate};
use outboard_tests::world::{DriverChoice, Order, World, write_text};

const TEST: &str = "programs_use_key_stream_computed_in_advance";

const ECB: &str = "sim-ecb-aes";

/// Percentage of the bytes of a connection that must be processed with key stream. The rest is the
/// start.
const LEAST: u64 = 90;

/// The limit for a connection of OpenVPN.
const CONNECTED: Duration = Duration::from_secs(120);

/// A datagram that has not arrived after this time was lost.
const LOST: Duration = Duration::from_millis(300);

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
    let world = World::new(DriverChoice::Simulated(ECB.to_owned()), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"));
    let plain = world.folder().join("plain.cnf");
    write_text(&plain, "default = default_section\n", "", "");
    put_certificate(&openssl, &plain, world.folder());
    let place = Place { world, plain, openssl };

    sessions_of_openssl(&place);
    datagrams_of_openssl(&place);
    streams_of_quic(&place);
    match Gnutls::find() {
        Ok(gnutls) => sessions_with_gnutls(&place, &gnutls),
        Err(missing) => skip(TEST, missing),
    }
    match Openssh::find() {
        Ok(openssh) => copies_by_ssh(&place, &openssh),
        Err(missing) => skip(TEST, missing),
    }
    match on_path("openvpn") {
        Some(openvpn) => packets_of_openvpn(&place, &openvpn),
        None => skip(TEST, "the openvpn command"),
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
            let received = || fs::metadata(&got).expect("a file in the folder").len();
            for number in 0..LINES {
                let before = received();
                input.write_all(line(number, LINE).as_bytes()).expect("s_client reads");
                // One datagram for each line; more at a time than the other side can read are lost.
                // The first line waits for the handshake.
                let (start, limit) = (Instant::now(), if number == 0 { TIME_LIMIT } else { LOST });
                while received() == before && start.elapsed() < limit {
                    thread::sleep(Duration::from_millis(1));
                }
            }
            // At the end of its input the client closes the connection, and then the server. Each
            // frees its contexts, which add their counts.
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
    let local = format!(":{port:04X}");
    let is_open = || fs::read_to_string("/proc/net/udp").expect("proc is mounted").contains(&local);
    wait_until("s_server listens", is_open);
}

/// Waits until a child ends.
#[track_caller]
fn ends(child: &mut Ended, name: &str) {
    wait_until(&format!("{name} ends"), || child.0.try_wait().expect("our child").is_some());
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

/// Packets that `s_client -quic` receives. OpenSSL passes the parts of a packet that it sends one by
/// one, and such packets stay in software.
fn streams_of_quic(place: &Place) {
    const SIZE: usize = 3_000_000;
    let helper = match helper("quic-server") {
        Ok(helper) => helper,
        Err(missing) => return skip(TEST, missing),
    };
    let sent = bytes(4, SIZE);
    fs::write(place.folder().join("quic.sent"), &sent).expect("a file in the folder");
    let got = place.folder().join("quic.got");
    let (port, with) = (outboard_tests::openssh::free_port(), place.world.config());
    let number = port.to_string();
    let arguments = [number.as_str(), "cert.pem", "key.pem", "quic.sent"];
    let mut server = command(&helper, &place.plain, &arguments);
    let server = server.current_dir(place.folder()).stdout(Stdio::piped()).spawn();
    let mut server = Ended(server.expect("the helper"));
    let mut listens = String::new();
    BufReader::new(server.0.stdout.take().expect("it is piped")).read_line(&mut listens).expect("its output");
    if listens.is_empty() {
        return skip(TEST, "a QUIC server in libssl");
    }
    place.ahead("QUIC, s_client", "AES-128-GCM", SIZE, || {
        let address = format!("127.0.0.1:{port}");
        let arguments = ["s_client", "-quic", "-quiet", "-alpn", "outboard", "-connect", &address];
        let suite = ["-ciphersuites", "TLS_AES_128_GCM_SHA256"];
        let mut client = command(&place.openssl, &with, &[&arguments[..], &suite].concat());
        client.stdin(Stdio::piped()).stdout(fs::File::create(&got).expect("a file in the folder"));
        let mut client = Ended(client.spawn().expect("s_client"));
        ends(&mut client, "s_client");
        ends(&mut server, "the QUIC server");
    });
    assert_same(&fs::read(&got).expect("what arrived"), &sent, "QUIC");
}

/// `s_client` with the provider, and gnutls-serv, which sends back what it receives.
fn sessions_with_gnutls(place: &Place, gnutls: &Gnutls) {
    const SIZE: usize = 1_000_000;
    let mut line: Vec<u8> = bytes(1, SIZE).iter().map(|byte| b'A' + byte % 26).collect();
    line.push(b'\n');
    for (version, name, priority, algorithm) in [
        ("-tls1_2", "ECDHE-RSA-AES128-GCM-SHA256", "+VERS-TLS1.2:+AES-128-GCM:+AEAD", "AES-128-GCM"),
        ("-tls1_3", "TLS_AES_256_GCM_SHA384", "+VERS-TLS1.3:+AES-256-GCM:+AEAD", "AES-256-GCM"),
    ] {
        let (openssl, config) = (place.openssl.as_path(), place.world.config());
        let suite = Suite { version, name, priority };
        let ground = SessionSetup { gnutls, openssl, config: &config, folder: place.folder(), suite };
        // The commands are killed: contexts that were not freed have added no counts. The bytes
        // show that both sides agree, and the counters of key stream that it was used.
        let before = place.world.counts_of(algorithm);
        let received = ground.echo(&line).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert_same(&received, &line, name);
        let done = place.world.counts_of(algorithm) - before;
        assert_eq!((done.failures, done.mismatches), (0, 0), "{name}: {done:?}");
        assert!(done.key_stream_generated > 2 * SIZE as u64 * LEAST / 100, "{name}: {done:?}");
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

/// A server with the provider, and a client without, in a network of its own.
fn packets_of_openvpn(place: &Place, openvpn: &Path) {
    const PINGS: usize = 600;
    const SIZE: usize = 1300;
    let Some(ip) = on_path("ip") else { return skip(TEST, "the ip command") };
    let tun = Command::new("modprobe").arg("tun").status().expect("modprobe");
    assert!(tun.success(), "modprobe tun");
    let runs = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        succeeded(&run(&ip, &place.plain, &words), &[line])
    };
    let fingerprint = run(
        &place.openssl,
        &place.plain,
        &[
            "x509",
            "-in",
            place.folder().join("cert.pem").to_str().expect("a plain name"),
            "-noout",
            "-fingerprint",
            "-sha256",
        ],
    );
    let fingerprint = succeeded(&fingerprint, &["x509"]);
    let fingerprint = fingerprint.trim().split_once('=').expect("a fingerprint").1.to_owned();
    let _network = Network(&ip);
    runs("netns add client");
    runs("link add outside type veth peer name inside netns client");
    runs("address add 10.9.1.1/24 dev outside");
    runs("link set outside up");
    runs("netns exec client ip address add 10.9.1.2/24 dev inside");
    runs("netns exec client ip link set inside up");
    let folder = place.folder().display();
    let write = |name: &str, more: &str| {
        let text = format!(
            "dev tun0\nproto udp\nport 1194\ncert {folder}/cert.pem\nkey {folder}/key.pem\n<peer-fingerprint>\n\
             {fingerprint}\n</peer-fingerprint>\ndata-ciphers AES-256-GCM\ndisable-dco\nlog {folder}/{name}.log\n{more}"
        );
        let file = place.folder().join(name);
        fs::write(&file, text).expect("a file in the folder");
        file
    };
    let server = write("server.conf", "ifconfig 10.9.0.1 10.9.0.2\ntls-server\ndh none\n");
    let client = write("client.conf", "ifconfig 10.9.0.2 10.9.0.1\nremote 10.9.1.1\ntls-client\n");
    let start = |program: &Path, words: &[&str], config: &Path, file: &Path| {
        let file = file.to_str().expect("a plain name");
        Ended(command(program, config, &[words, &["--config", file]].concat()).spawn().expect("openvpn"))
    };
    place.ahead("OpenVPN", "AES-256-GCM", 2 * PINGS * SIZE, || {
        let mut server = start(openvpn, &[], &place.world.config(), &server);
        let words = ["netns", "exec", "client", openvpn.to_str().expect("a plain name")];
        let _client = start(&ip, &words, &place.plain, &client);
        let ping = |count: usize, seconds: u32| {
            let line =
                format!("netns exec client busybox ping -q -A -c {count} -s {SIZE} -W {seconds} 10.9.0.1");
            run(&ip, &place.plain, &line.split_whitespace().collect::<Vec<_>>())
        };
        let log =
            |name: &str| fs::read_to_string(place.folder().join(format!("{name}.log"))).unwrap_or_default();
        let start = Instant::now();
        while !ping(1, 1).status.success() {
            let logs = || format!("{}\n{}", log("server.conf"), log("client.conf"));
            assert!(start.elapsed() < CONNECTED, "OpenVPN does not connect:\n{}", logs());
        }
        let output = ping(PINGS, 20);
        assert!(output.status.success(), "{}", status_and_output(&output));
        // SAFETY: a signal to our own child, which ends and frees its contexts.
        unsafe { libc::kill(server.0.id() as libc::pid_t, libc::SIGTERM) };
        ends(&mut server, "openvpn");
    });
}

/// The network of the client, removed on drop.
struct Network<'a>(&'a Path);

impl Drop for Network<'_> {
    fn drop(&mut self) {
        let _ = Command::new(self.0).args(["netns", "delete", "client"]).status();
    }
}
