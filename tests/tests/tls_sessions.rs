//! TLS with CBC suites between `openssl s_server` and `openssl s_client`, the provider on either
//! side or on both.

use std::fs;
use std::path::{Path, PathBuf};

use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::command::on_path;
use outboard_tests::lane::is_full_lane;
use outboard_tests::machine::{cpu_has_aes, memory};
use outboard_tests::skip::skip;
use outboard_tests::tls::{Received, Session, put_certificate};
use outboard_tests::world::{DriverChoice, World, worlds, write_text};

const SUITES: [&str; 4] = ["AES128-SHA", "AES256-SHA", "ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA384"];

const SMALL: usize = 200_000;
/// The length of the large file in the full lane, on machines with [`ENOUGH_MEMORY`].
const LARGE: usize = 50_000_000;
/// Its length otherwise.
const LESS_LARGE: usize = 5_000_000;
/// In bytes. The large file is in memory several times: in the folder, and in the processes at both
/// ends.
const ENOUGH_MEMORY: u64 = 512 << 20;

/// Which side has the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sides {
    Server,
    Client,
    Both,
}

/// The value of `Options` in openssl.cnf for encrypt-then-MAC, and the resulting output of the
/// client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mac {
    EncryptThenMac,
    MacThenEncrypt,
}

/// One kind of session.
#[derive(Clone, Copy, Debug)]
struct Kind<'a> {
    version: &'a str,
    suite: &'a str,
    sides: Sides,
    mac: Mac,
}

/// A folder for the sessions of a world.
struct Ground {
    world: World,
    openssl: PathBuf,
}

impl Ground {
    fn new(test: &str) -> Option<Ground> {
        let Some(openssl) = on_path("openssl") else {
            skip(test, "the openssl command");
            return None;
        };
        // The first kind of driver is enough: other tests compare the others, and processes start
        // slowly here.
        let world = worlds(test, &[("THRESHOLDS", "ALL:1")]).into_iter().next()?;
        let ground = Ground { world, openssl };
        put_certificate(&ground.openssl, &ground.config(false, Mac::EncryptThenMac), ground.folder());
        Some(ground)
    }

    fn folder(&self) -> &Path {
        self.world.folder()
    }

    /// An openssl.cnf with or without the provider.
    fn config(&self, outboard: bool, mac: Mac) -> PathBuf {
        let path = self.folder().join(format!("{}-{mac:?}.cnf", if outboard { "outboard" } else { "plain" }));
        let providers = if outboard {
            "default = default_section\noutboard = outboard_section\n"
        } else {
            "default = default_section\n"
        };
        let sign = if mac == Mac::EncryptThenMac { '+' } else { '-' };
        let ssl = format!(
            "ssl_conf = ssl_section\n\n[ssl_section]\nsystem_default = tls_section\n\n\
             [tls_section]\nOptions = {sign}EncryptThenMac\n"
        );
        write_text(&path, providers, &self.world.section, &ssl);
        path
    }

    /// Sends `file` of the folder in both directions and asserts that it arrives unchanged.
    #[track_caller]
    fn both_ways(&self, kind: Kind<'_>, file: &str) {
        self.up(kind, file);
        self.down(kind, file);
    }

    #[track_caller]
    fn up(&self, kind: Kind<'_>, file: &str) {
        let up = self.transfer(kind, file, |session| session.upload(&self.folder().join(file)));
        let agreed = up.about.contains("encrypt-then-mac");
        assert_eq!(
            agreed,
            kind.mac == Mac::EncryptThenMac,
            "{kind:?}: the server's extensions: {}",
            up.about
        );
    }

    #[track_caller]
    fn down(&self, kind: Kind<'_>, file: &str) {
        self.transfer(kind, file, |session| session.download(file));
    }

    #[track_caller]
    fn transfer(
        &self,
        kind: Kind<'_>,
        file: &str,
        carry: impl FnOnce(&Session<'_>) -> Result<Received, String>,
    ) -> Received {
        let what = format!("{:?}, {kind:?}, {file}", self.world.driver_choice);
        let (server, client) = (
            self.config(kind.sides != Sides::Client, kind.mac),
            self.config(kind.sides != Sides::Server, kind.mac),
        );
        let session = Session {
            openssl: &self.openssl,
            folder: self.folder(),
            version: kind.version,
            suite: kind.suite,
            server: &server,
            client: &client,
        };
        let sent = fs::read(self.folder().join(file)).expect("the file to send");
        let before = self.world.counts();
        let received = carry(&session).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_same(&received.bytes, &sent, &what);

        // On a CPU with AES instructions libssl uses the default provider's stitched ciphers, where
        // they exist.
        let stitched = cpu_has_aes() && kind.mac == Mac::MacThenEncrypt && !kind.suite.ends_with("SHA384");
        if self.world.driver_choice != DriverChoice::Nothing && !stitched {
            let used = self.world.counts() - before;
            let records = (sent.len() / 16_384) as u64;
            assert!(used.hw_requests >= records, "{what}: records went past the driver: {used:?}");
            assert_eq!(used.failures + used.mismatches, 0, "{what}: {used:?}");
        }
        received
    }
}

/// Each suite with and without encrypt-then-MAC, each of these with the provider on each side
/// somewhere; every combination with OUTBOARD_ALL_TLS set.
#[test]
fn tls_1_2_carries_a_file_both_ways_with_the_provider_on_either_side() {
    let Some(ground) = Ground::new("tls_1_2_carries_a_file_both_ways_with_the_provider_on_either_side")
    else {
        return;
    };
    fs::write(ground.folder().join("small"), bytes(1, SMALL)).expect("a file to send");
    let all = std::env::var_os("OUTBOARD_ALL_TLS").is_some();
    for (row, suite) in SUITES.into_iter().enumerate() {
        for (column, mac) in [Mac::EncryptThenMac, Mac::MacThenEncrypt].into_iter().enumerate() {
            for (number, sides) in [Sides::Server, Sides::Client, Sides::Both].into_iter().enumerate() {
                if all || number == (row + column) % 3 {
                    ground.both_ways(Kind { version: "-tls1_2", suite, sides, mac }, "small");
                }
            }
        }
    }
}

/// Each side encrypts in one of the sessions and decrypts in the other.
#[test]
fn tls_1_2_carries_a_large_file_each_way() {
    let Some(ground) = Ground::new("tls_1_2_carries_a_large_file_each_way") else { return };
    let length = if is_full_lane() && memory() >= ENOUGH_MEMORY { LARGE } else { LESS_LARGE };
    fs::write(ground.folder().join("large"), bytes(2, length)).expect("a file to send");
    let kind = Kind { version: "-tls1_2", suite: "AES128-SHA", sides: Sides::Both, mac: Mac::EncryptThenMac };
    ground.up(kind, "large");
    // There is no stitched cipher for this one.
    let suite = "ECDHE-RSA-AES256-SHA384";
    ground.down(Kind { suite, mac: Mac::MacThenEncrypt, ..kind }, "large");
}

#[test]
fn tls_1_0_and_1_1_carry_a_file_both_ways() {
    let test = "tls_1_0_and_1_1_carry_a_file_both_ways";
    let Some(ground) = Ground::new(test) else { return };
    fs::write(ground.folder().join("small"), bytes(3, SMALL)).expect("a file to send");
    for version in ["-tls1", "-tls1_1"] {
        if let Err(reason) = default_provider_speaks(&ground, version) {
            skip(test, format!("{version} in this OpenSSL ({reason})"));
            continue;
        }
        for mac in [Mac::EncryptThenMac, Mac::MacThenEncrypt] {
            let kind = Kind { version, suite: "AES128-SHA", sides: Sides::Both, mac };
            ground.both_ways(kind, "small");
        }
    }
}

/// Whether this OpenSSL supports this version of TLS without the provider.
fn default_provider_speaks(ground: &Ground, version: &str) -> Result<(), String> {
    let plain = ground.config(false, Mac::EncryptThenMac);
    let session = Session {
        openssl: &ground.openssl,
        folder: ground.folder(),
        version,
        suite: "AES128-SHA",
        server: &plain,
        client: &plain,
    };
    let outcome = session.upload(&ground.folder().join("small"));
    outcome.map(|_| ()).map_err(|error| error.lines().last().unwrap_or_default().to_owned())
}
