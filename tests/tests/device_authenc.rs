//! AES-CBC with HMAC in one request, with the simulated accelerator over /dev/outboard.

use std::path::Path;
use std::process::Command;

use outboard_accel::authenc::{AuthencAccelerator, AuthencKeys};
use outboard_accel::device::AuthencDevice;
use outboard_accel::{Authenc, Direction, Error, Request, Session};
use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::child::{Exit, fork};
use outboard_tests::command::{failed, succeeded};
use outboard_tests::device::count;
use outboard_tests::evp::{Hmac, LibraryContext};
use outboard_tests::machine::is_allowed;
use outboard_tests::sessions::by_software;
use outboard_tests::simulated::{Reachable, Simulated};

const DRIVERS: [(&str, Authenc); 2] = [
    ("sim-authenc-hmac-sha1-cbc-aes", Authenc::HmacSha1CbcAes),
    ("sim-authenc-hmac-sha256-cbc-aes", Authenc::HmacSha256CbcAes),
];

/// A packet under fixed keys, and what OpenSSL's cipher and HMAC make of it.
struct Packet {
    iv: Vec<u8>,
    aad: Vec<u8>,
    plain: Vec<u8>,
    sealed: Vec<u8>,
    tag: Vec<u8>,
}

fn mac_key(algorithm: Authenc) -> Vec<u8> {
    bytes(1, algorithm.hash().digest_len())
}

fn packet(algorithm: Authenc, cipher_key: &[u8], seed: u64, length: usize) -> Packet {
    let (iv, plain) = (bytes(seed, 16), bytes(seed + 1, length));
    // As in ESP: SPI, sequence number, IV.
    let aad = [&bytes(seed + 2, 8), &iv[..]].concat();
    let sealed = by_software(cipher_key, &Request::new(Direction::Encrypt, &iv, &plain));
    let digest = match algorithm {
        Authenc::HmacSha1CbcAes => "SHA1",
        Authenc::HmacSha256CbcAes => "SHA256",
    };
    let world = LibraryContext::new();
    let hmac = Hmac::fetch(&world, "provider=default").expect("OpenSSL has it");
    let tag = hmac.of(digest, &mac_key(algorithm), &[&aad[..], &sealed].concat());
    Packet { iv, aad, plain, sealed, tag }
}

impl Packet {
    fn sealing(&self) -> Request<'_> {
        Request { aad: &self.aad, ..Request::new(Direction::Encrypt, &self.iv, &self.plain) }
    }

    fn opening<'a>(&'a self, tag: &'a [u8]) -> Request<'a> {
        Request { aad: &self.aad, tag, ..Request::new(Direction::Decrypt, &self.iv, &self.sealed) }
    }
}

#[track_caller]
fn opened(driver: &str, algorithm: Authenc, cipher_key: &[u8], tag_len: usize) -> Box<dyn Session> {
    let device = AuthencDevice::reach(driver, algorithm).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((device.driver(), device.interface()), (driver, "/dev/outboard"));
    let keys = AuthencKeys { mac: &mac_key(algorithm), cipher: cipher_key };
    device.open(keys, tag_len).unwrap_or_else(|error| panic!("{error}"))
}

/// One test of many parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn packets_are_encrypted_and_authenticated_in_one_request() {
    let test = "packets_are_encrypted_and_authenticated_in_one_request";
    let Some(Reachable { simulated, outboard, .. }) = Simulated::reachable(test) else { return };

    it_must_be_allowed_first();
    it_is_allowed_when_its_results_are_right(&outboard, &simulated);
    packets_of_all_lengths_are_those_of_openssl();
    forgeries_are_rejected_among_genuine_packets();
    other_requests_are_refused_before_they_reach_the_driver();
    parent_and_child_go_on_with_one_session();
    a_driver_that_goes_is_reported(&simulated);
}

fn it_must_be_allowed_first() {
    for (driver, algorithm) in DRIVERS {
        let error = AuthencDevice::reach(driver, algorithm).err().expect("it is not allowed");
        assert!(error.to_string().contains(&format!("outboard allow {driver}")), "{error}");
    }
}

fn it_is_allowed_when_its_results_are_right(outboard: &Path, simulated: &Simulated) {
    let forgery = format!("error {} after=1 count=1", libc::EBADMSG);
    let run = |arguments: &[&str]| Command::new(outboard).args(arguments).output().expect("the command runs");
    for (driver, algorithm) in DRIVERS {
        let arguments = ["allow", "--now", driver];
        for (fault, found) in [
            ("wrong every=40", "wrong"),
            ("error 5 every=100", driver),
            // EBADMSG for the first genuine message; the third request is a forgery.
            (forgery.as_str(), driver),
        ] {
            simulated.fault(&format!("{driver} {fault}"));
            let text = failed(&run(&arguments), &arguments, 1);
            assert!(text.contains(found), "{text}");
            assert!(!is_allowed(driver));
            simulated.fault("clear");
        }
        let text = succeeded(&run(&arguments), &arguments);
        assert!(text.contains("every result right") && is_allowed(driver), "{text}");
        let list = succeeded(&run(&["allow", "--list"]), &["allow", "--list"]);
        let line = list.lines().find(|line| line.contains(driver)).unwrap_or_else(|| panic!("{list}"));
        assert!(line.contains(algorithm.kernel_name()), "{line}");
    }
    let arguments = ["check", "--for", "0", "--json", DRIVERS[0].0];
    let text = succeeded(&run(&arguments), &arguments);
    assert!(text.contains("\"verdict\": \"exact\"") && text.contains("/dev/outboard"), "{text}");
    let text = succeeded(&run(&["status", "--verbose"]), &["status", "--verbose"]);
    assert!(DRIVERS.iter().all(|(driver, _)| text.contains(driver)), "{text}");
}

fn packets_of_all_lengths_are_those_of_openssl() {
    for (driver, algorithm) in DRIVERS {
        for key_len in Authenc::CIPHER_KEY_LENS {
            let (key, full) = (bytes(2, key_len), algorithm.hash().digest_len());
            for tag_len in [full, algorithm.esp_tag()] {
                let mut session = opened(driver, algorithm, &key, tag_len);
                for (seed, length) in [16, 64, 1456, 4096, 16_400, 65_536].into_iter().enumerate() {
                    let packet = packet(algorithm, &key, seed as u64, length);
                    let before = count(&format!("drivers/{driver}/requests"));
                    let expected = [&packet.sealed[..], &packet.tag[..tag_len]].concat();
                    let what = format!("{driver}, {length} bytes");
                    assert_same(session.crypt(&packet.sealing()).expect("sealed"), &expected, &what);
                    let request = packet.opening(&packet.tag[..tag_len]);
                    assert_same(session.crypt(&request).expect("opened"), &packet.plain, &what);
                    assert_eq!(count(&format!("drivers/{driver}/requests")) - before, 2, "{what}");
                }
            }
        }
    }
}

/// Several requests in flight, every other one with a wrong tag.
fn forgeries_are_rejected_among_genuine_packets() {
    for (driver, algorithm) in DRIVERS {
        let key = bytes(3, 16);
        let mut session = opened(driver, algorithm, &key, algorithm.esp_tag());
        let packets: Vec<Packet> = (0..16).map(|n| packet(algorithm, &key, 10 * n, 1456)).collect();
        let tags: Vec<Vec<u8>> = packets
            .iter()
            .enumerate()
            .map(|(n, packet)| {
                let mut tag = packet.tag[..algorithm.esp_tag()].to_vec();
                tag[n % 12] ^= (n % 2) as u8;
                tag
            })
            .collect();
        let requests: Vec<Request<'_>> =
            packets.iter().zip(&tags).map(|(packet, tag)| packet.opening(tag)).collect();
        session.submit(&requests).expect("submitted");
        for (n, packet) in packets.iter().enumerate() {
            match session.result(n) {
                Ok(text) => assert!(n % 2 == 0 && text == packet.plain, "{driver}, packet {n}"),
                Err(Error::Forged { .. }) => assert!(n % 2 == 1, "{driver}, packet {n}"),
                Err(error) => panic!("{driver}, packet {n}: {error}"),
            }
        }
    }
}

fn other_requests_are_refused_before_they_reach_the_driver() {
    let (driver, algorithm) = DRIVERS[0];
    let key = bytes(4, 16);
    let mut session = opened(driver, algorithm, &key, 20);
    let before = count(&format!("drivers/{driver}/requests"));
    for length in [0, 8, 17, 65_552] {
        let (iv, plain) = (bytes(1, 16), bytes(2, length));
        let request = Request::new(Direction::Encrypt, &iv, &plain);
        let error = session.crypt(&request).expect_err("not a length of CBC, or too long");
        assert!(matches!(error, Error::Misfit { .. }), "{length} bytes: {error}");
    }
    let packet = packet(algorithm, &key, 5, 64);
    for tag_len in [0, 12, 19] {
        let error = session.crypt(&packet.opening(&packet.tag[..tag_len])).expect_err("another tag length");
        assert!(matches!(error, Error::Misfit { .. }), "{tag_len} bytes of tag: {error}");
    }
    assert_eq!(count(&format!("drivers/{driver}/requests")), before);
    let device = AuthencDevice::reach(driver, algorithm).expect("allowed");
    for (mac, cipher, tag) in
        [(0, 16, 20), (20, 15, 20), (20, 0, 20), (20, 16, 21), (20, 16, 0), (250, 16, 20)]
    {
        let (mac, cipher) = (bytes(1, mac), bytes(2, cipher));
        let opened = device.open(AuthencKeys { mac: &mac, cipher: &cipher }, tag);
        assert!(opened.is_err(), "{} and {} bytes, tag {tag}", mac.len(), cipher.len());
    }
}

/// The child of a fork makes a session of its own from both keys.
fn parent_and_child_go_on_with_one_session() {
    let (driver, algorithm) = DRIVERS[1];
    let key = bytes(6, 24);
    let mut session = opened(driver, algorithm, &key, 32);
    let is_right = |session: &mut dyn Session, seed| {
        let packet = packet(algorithm, &key, seed, 4096);
        let opened = session.crypt(&packet.opening(&packet.tag)).is_ok_and(|text| text == packet.plain);
        opened && session.crypt(&packet.sealing()).is_ok_and(|sealed| sealed.ends_with(&packet.tag))
    };
    assert!(is_right(&mut *session, 1));
    let mut shared = session.share().expect("another session");
    let child = fork(Exit::Quick, || is_right(&mut *session, 2) && is_right(&mut *shared, 3));
    child.wait().unwrap_or_else(|problem| panic!("{problem}"));
    assert!(is_right(&mut *session, 4) && is_right(&mut *shared, 5));
}

fn a_driver_that_goes_is_reported(simulated: &Simulated) {
    let (driver, algorithm) = DRIVERS[0];
    let key = bytes(8, 16);
    let mut session = opened(driver, algorithm, &key, 20);
    let packet = packet(algorithm, &key, 9, 1456);
    simulated.each_device("unbind");
    let error = session.crypt(&packet.sealing()).expect_err("its device is gone");
    assert!(matches!(error, Error::Away { .. }), "{error}");
    simulated.each_device("bind");
    let mut session = opened(driver, algorithm, &key, 20);
    assert!(session.crypt(&packet.sealing()).expect("sealed").ends_with(&packet.tag));
}
