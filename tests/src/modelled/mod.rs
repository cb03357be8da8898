//! What outboard does with a vendor's own driver on a model of its engine: the items that each theme
//! `model_*` runs, with the names of its driver. The faults are those of the model.

mod faults;
mod hashes;
mod lifetimes;
mod page;

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::aead::records_are_sealed_and_opened_alike;
use crate::bytes::bytes;
use crate::command::{status_and_output, succeeded};
use crate::machine::{is_allowed, set_patience};
use crate::model::{Engines, Word, count_of, interrupts_of, report};
use crate::stream::Stream;
use crate::tuning::Machine;
use crate::world::{DriverChoice, Order, World};

/// The tests of what each driver is expected to do: one for each item of [`Modelled`]. With names, these
/// items, which not every driver can do in one theme.
#[macro_export]
macro_rules! tests_of_model {
    ($names:ident) => {
        $crate::tests_of_model! { @use $names }
        $crate::tests_of_model! { @tuning_and_faults $names }
    };
    (@use $names:ident) => {
        $crate::tests_of_model! { $names:
            status_names_the_engine_and_its_device => status_names_the_engine,
            allow_finds_every_cipher_exact => allow_finds_every_cipher_exact,
            check_finds_every_cipher_exact_from_two_processes => check_finds_every_cipher_exact,
            every_request_of_openssl_is_proven_by_its_interrupts => openssl_is_proven,
            streams_end_right_when_the_machine_is_suspended_under_load => streams_end_right_when_it_is_suspended,
            the_commands_of_its_page_run => the_commands_of_its_page_run,
        }
    };
    (@tuning_and_faults $names:ident) => {
        $crate::tests_of_model! { $names:
            look_ahead_serves_ctr_and_gcm_by_its_ecb => look_ahead_serves_ctr_and_gcm,
            tune_measures_it_and_its_policy_is_in_force => tune_measures_it,
            a_damaged_result_never_reaches_an_application_and_is_found => a_damaged_result_is_found,
            an_error_of_the_engine_is_replaced_by_software => an_error_is_replaced_by_software,
            a_late_request_ends_right => a_late_request_ends_right,
        }
    };
    ($names:ident: $($item:ident),+) => {
        $crate::tests_of_model! { $names: $($item => $item,)+ }
    };
    ($names:ident: $($test:ident => $item:ident,)+) => {
        $(
            #[test]
            fn $test() {
                if let Some(modelled) = $crate::modelled::Modelled::find(stringify!($test), &$names) {
                    modelled.$item();
                }
            }
        )+
    };
}

/// The file with the findings of checks.
pub const FINDINGS: &str = "/etc/outboard/checked";

const KEY: &str = "-K 00112233445566778899aabbccddeeff -iv f0e0d0c0b0a090807060504030201000";

/// The names of a driver and of its engine.
pub struct ModelNames {
    /// The driver, as the table of results names it.
    pub driver: &'static str,
    /// Its kernel module, as `outboard status` names it.
    pub module: &'static str,
    /// Vendor and device of the PCI device that is the engine, or stands for it.
    pub id: (&'static str, &'static str),
    /// The device of the engine, as `outboard status` names it.
    pub device: &'static str,
    /// The driver below /sys/bus that is unbound, and the name of its device.
    pub bound: (&'static str, &'static str),
    /// Its lines in /proc/interrupts; `None` for a driver that polls.
    pub lines: Option<&'static str>,
    /// The number of starts of the engine that a request takes, each with an interrupt: a driver may
    /// load key and IV by operations of their own.
    pub starts_per_request: u64,
    /// The drivers of all ciphers that outboard has.
    pub ciphers: &'static [&'static str],
    /// The driver of AES in CBC mode.
    pub cbc: &'static str,
    /// The driver of AES in ECB mode.
    pub ecb: &'static str,
    /// Items of the table that are not possible with this driver, and why.
    pub not_possible: &'static [(&'static str, &'static str)],
}

impl ModelNames {
    /// Each block has an interrupt, so that in the emulator a request of 64 KiB takes seconds.
    fn by_blocks(&self) -> bool {
        self.driver == "stm32-cryp"
    }

    /// Those of a DMA engine are no evidence of one device: `check` does not count them.
    fn has_own_lines(&self) -> bool {
        self.lines.is_some_and(|name| !name.contains(".dma_"))
    }
}

/// The machine, without findings and faults of earlier tests.
pub struct Modelled {
    /// The command.
    pub machine: Machine,
    /// The engines.
    pub engines: Engines,
    names: &'static ModelNames,
    /// Counters of earlier tests.
    wrong_before: [u64; 2],
}

impl Modelled {
    /// `None`, and a reported skip, in a machine without this model. A model is a process of the host,
    /// which may be busy: only a request that takes a second is late.
    pub fn find(test: &str, names: &'static ModelNames) -> Option<Modelled> {
        let engines = Engines::find(test, names.id)?;
        let machine = Machine::new(test)?;
        let _ = fs::remove_file(FINDINGS);
        for fault in [Word::Lose, Word::Damage, Word::Late, Word::Error, Word::Stop] {
            engines.set(fault, 0);
        }
        set_patience(Duration::from_secs(if names.by_blocks() { 20 } else { 1 }));
        let wrong_before = wrong(&engines);
        Some(Modelled { machine, engines, names, wrong_before })
    }

    /// The output of the command, which must succeed.
    #[track_caller]
    pub fn output(&self, arguments: &[&str]) -> String {
        succeeded(&self.machine.command(arguments).output().expect("the command runs"), arguments)
    }

    /// Status and output of the command, which must end with code 1.
    #[track_caller]
    pub fn refused(&self, arguments: &[&str]) -> String {
        let output = self.machine.command(arguments).output().expect("the command runs");
        let text = status_and_output(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        text
    }

    /// Checks and allows drivers.
    #[track_caller]
    pub fn allow(&self, drivers: &[&str]) {
        for driver in drivers {
            if is_allowed(driver) {
                self.output(&["disallow", "--now", driver]);
            }
            let allowed = self.output(&["allow", "--now", driver]);
            assert!(allowed.contains("every result right"), "{allowed}");
        }
    }

    /// A library context with these drivers forced, also for small requests.
    #[must_use]
    pub fn world(&self, drivers: &str, settings: &[(&str, &str)]) -> World {
        let usual = [("LOG_LEVEL", "off"), ("THRESHOLDS", "ALL:1024")];
        let settings: Vec<_> = usual.into_iter().chain(settings.iter().copied()).collect();
        World::new(DriverChoice::Simulated(drivers.to_owned()), &settings, Order::DefaultFirst)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Nothing that the model lacks, and no address without memory, was used.
    #[track_caller]
    pub fn assert_nothing_unsupported(&self) {
        assert_eq!(wrong(&self.engines), self.wrong_before);
    }

    /// Reports a cell of the table.
    pub fn report(&self, item: &str, result: impl std::fmt::Display) {
        report(self.names.driver, item, result);
    }

    /// The kernel has tested each of these drivers. For a boot with its self-tests.
    #[track_caller]
    pub fn assert_self_tested(&self, drivers: &[&str]) {
        let line = fs::read_to_string("/proc/cmdline").expect("proc is mounted");
        assert!(!line.contains("cryptomgr.notests"), "{line}");
        let listing = fs::read_to_string("/proc/crypto").expect("proc is mounted");
        for driver in drivers {
            let is_its = |entry: &&str| entry.contains(&format!(": {driver}\n"));
            let entry = listing.split("\n\n").find(is_its).unwrap_or_else(|| panic!("{driver}: {listing}"));
            assert!(entry.contains("selftest     : passed"), "{entry}");
        }
    }

    /// The kernel has tested each cipher.
    #[track_caller]
    pub fn the_kernel_finds_every_cipher_right(&self) {
        self.assert_self_tested(self.names.ciphers);
        self.report("self-tests", format!("{} ciphers passed", self.names.ciphers.len()));
    }

    /// `outboard status` names the engine with its device and all ciphers.
    #[track_caller]
    pub fn status_names_the_engine(&self) {
        let status: Value = serde_json::from_str(&self.output(&["status", "--json"])).expect("JSON");
        let accelerators = status["accelerators"].as_array().expect("accelerators");
        let ours = |one: &&Value| one["module"] == self.names.module;
        let engine = accelerators.iter().find(ours).unwrap_or_else(|| panic!("{accelerators:?}"));
        assert_eq!(engine["devices"][0]["name"], self.names.device, "{engine}");
        for driver in self.names.ciphers {
            assert!(engine["drivers"].as_array().expect("drivers").contains(&(*driver).into()), "{engine}");
        }
        self.report("status", "named, with its device");
        for (item, reason) in self.names.not_possible {
            self.report(item, format!("not possible: {reason}"));
        }
    }

    /// `allow` refuses each hash of the driver, which the model or outboard lacks, and no application gets a
    /// wrong digest over another interface. Most drivers register none: the model shows an engine
    /// without them.
    #[track_caller]
    pub fn no_hash_of_it_is_used(&self) {
        let listing = fs::read_to_string("/proc/crypto").expect("proc is mounted");
        let value = |entry: &'_ str, key: &str| {
            let pairs = entry.lines().filter_map(|line| line.split_once(':'));
            pairs.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned()).next()
        };
        let is_ours = |entry: &&str| {
            value(entry, "module").as_deref() == Some(self.names.module)
                && matches!(value(entry, "type").as_deref(), Some("ahash" | "shash"))
        };
        assert!(listing.contains(&format!(": {}\n", self.names.module)), "{listing}");
        let hashes: Vec<String> =
            listing.split("\n\n").filter(is_ours).filter_map(|entry| value(entry, "driver")).collect();
        for driver in &hashes {
            self.refused(&["allow", "--now", driver]);
        }
        let settings = [("LOG_LEVEL", "off"), ("THRESHOLDS", "ALL:1024"), ("DIGESTS", "ALL")];
        let world = World::new(DriverChoice::Accelerator, &settings, Order::DefaultFirst)
            .unwrap_or_else(|error| panic!("{error}"));
        let message = bytes(9, 100_000);
        for digest in ["SHA1", "SHA2-256"] {
            if let Some(hard) = world.hard_digest(digest) {
                assert_eq!(hard.of(&message), world.soft_digest(digest).of(&message), "{digest}");
            }
        }
        match hashes.len() {
            0 => self.report("hashes", "the driver registers none on this engine"),
            many => self.report("hashes", format!("{many} refused by allow")),
        }
    }

    /// Each cipher passes the check of `allow`.
    #[track_caller]
    pub fn allow_finds_every_cipher_exact(&self) {
        let before = self.engines.sum(Word::Requests);
        self.allow(self.names.ciphers);
        assert!(self.engines.sum(Word::Requests) > before + 100 * self.names.ciphers.len() as u64);
        self.assert_nothing_unsupported();
        self.report("allow", format!("{} ciphers, every result right", self.names.ciphers.len()));
    }

    /// Each cipher passes `outboard check`: two threads in each of two processes, which use all
    /// engines.
    #[track_caller]
    pub fn check_finds_every_cipher_exact(&self) {
        self.allow(self.names.ciphers);
        let started = |engine| self.engines.of(engine, Word::Requests);
        let before: Vec<u32> = (0..self.engines.number()).map(started).collect();
        let arguments = [&["--json", "--for", "0", "--seed", "7"], self.names.ciphers].concat();
        let answer: Value = serde_json::from_str(&self.machine.checked(&arguments, 0)).expect("JSON");
        let mut requests = 0;
        for one in answer["drivers"].as_array().expect("drivers") {
            let found = (&one["verdict"], &one["interface"]);
            assert_eq!(found, (&"exact".into(), &"/dev/outboard".into()), "{one}");
            assert_eq!(one["interrupts"].as_u64() > Some(0), self.names.has_own_lines(), "{one}");
            requests += one["requests"].as_u64().expect("a number");
        }
        for (engine, before) in before.iter().enumerate() {
            assert!(started(engine) > before + 100, "engine {engine}");
        }
        self.assert_nothing_unsupported();
        self.report("check", format!("{requests} requests of two processes, every result right"));
    }

    /// `outboard prove` of openssl(1): the module has counted as many requests as the engines have
    /// started, and the interrupts rise with them. Of a driver that polls, it says that nothing confirms
    /// its count.
    #[track_caller]
    pub fn openssl_is_proven(&self) {
        let len = if self.names.by_blocks() { 128 << 10 } else { 4 << 20 };
        self.allow(&[self.names.cbc]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
        let (plain, secret, soft) = (path("plain"), path("secret"), path("soft"));
        fs::write(&plain, bytes(1, len)).expect("a file");
        let counts = || {
            let lines = self.names.lines.map_or(0, interrupts_of);
            [count_of(self.names.cbc, "requests"), lines, self.engines.sum(Word::Requests)]
        };
        let before = counts();
        let enc = format!("openssl enc -aes-128-cbc -in {plain} -out {secret} {KEY}");
        let mut arguments = vec!["prove", "--json", "-", "--threshold", "4096"];
        let verdict = match self.names.lines {
            Some(_) => {
                arguments.extend(["--require-hardware", "98"]);
                "\"verdict\": \"hardware\""
            }
            None => "this engine works without interrupts, so nothing else confirms it",
        };
        arguments.push("--");
        arguments.extend(enc.split(' '));
        let text = self.output(&arguments);
        let after = counts();
        assert!(text.contains("over /dev/outboard") && text.contains(verdict), "{text}");
        let [requests, interrupts, started] = [0, 1, 2].map(|which| after[which] - before[which]);
        // Each request of one context waits for the one before it.
        assert!(requests >= len as u64 / 8192, "{requests}");
        let starts = requests * self.names.starts_per_request;
        assert_eq!(started, starts, "{requests} requests");
        if self.names.lines.is_some() {
            // On two CPUs a handler may still run when the next request ends, and serve both; and the
            // emulator can raise a level again that the handler is about to lower.
            let expected = if self.names.by_blocks() { len as u64 / 16 } else { starts };
            assert!((expected / 2..=2 * expected).contains(&interrupts), "{interrupts} of {expected}");
        }
        let soft_enc = format!("enc -aes-128-cbc -in {plain} -out {soft} {KEY}");
        let status = Command::new("openssl").args(soft_enc.split(' ')).status().expect("openssl runs");
        assert!(status.success());
        assert!(fs::read(&soft).expect("software") == fs::read(&secret).expect("hardware"));
        self.assert_nothing_unsupported();
        let confirmed = match self.names.lines {
            Some(_) => format!("{interrupts} interrupts"),
            None => "unverified: it works without interrupts".to_owned(),
        };
        self.report("prove", format!("{requests} requests, {confirmed}"));
    }

    /// Records of TLS by the driver's GCM, each a request of its own.
    #[track_caller]
    pub fn gcm_seals_and_opens_records(&self) {
        let is_gcm = |driver: &&&str| driver.contains("gcm");
        let gcm = self.names.ciphers.iter().find(is_gcm).expect("the driver has GCM");
        self.allow(&[gcm]);
        let world = self.world(gcm, &[("LOOKAHEAD", "OFF")]);
        records_are_sealed_and_opened_alike(&world, &["AES-128-GCM", "AES-256-GCM"]);
        let counts = world.counts();
        assert!(counts.hw_requests > 0 && counts.mismatches == 0, "{counts:?}");
        self.assert_nothing_unsupported();
        self.report("GCM whole", "records of TLS sealed and opened as by software");
    }

    /// Look-ahead by the driver's ECB mode.
    #[track_caller]
    pub fn look_ahead_serves_ctr_and_gcm(&self) {
        self.allow(&[self.names.ecb]);
        let world = self.world(self.names.ecb, &[("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0")]);
        let mut ahead = 0;
        for name in ["AES-128-CTR", "AES-256-CTR"] {
            let (hard, stream) = (world.hard(name), Stream::new(&world.soft(name), 3, 60, 4096));
            let mut journey = stream.start(&hard);
            // As an application with other work: software would overtake a model that is slow.
            while journey.go() {
                thread::sleep(Duration::from_millis(20));
            }
            assert!(journey.finish() == stream.expected, "{name}");
            let counts = world.counts_of(name);
            assert!(counts.ahead_bytes > 0, "{name}: {counts:?}");
            ahead += counts.ahead_bytes;
        }
        assert!(world.hard_if_offered("AES-128-GCM").is_some());
        self.assert_nothing_unsupported();
        self.report("look-ahead", format!("{ahead} bytes by ECB"));
    }

    /// `outboard tune` measures the driver, and its policy is in force.
    #[track_caller]
    pub fn tune_measures_it(&self) {
        self.allow(&[self.names.cbc]);
        let answer = self.machine.tuned(&["--ciphers", "AES-128-CBC"]);
        let cipher = &answer["ciphers"][0];
        assert_eq!(cipher["driver"], self.names.cbc, "{answer}");
        let points = cipher["encrypt"]["points"].as_array().expect("points");
        assert!(!points.is_empty(), "{answer}");
        assert_eq!(self.machine.policy()["in_force"], true, "{}", self.machine.policy());
        self.report("tune", format!("{} sizes measured", points.len()));
    }
}

/// What a model counts as wrong use: of what it lacks, and of addresses without memory.
fn wrong(engines: &Engines) -> [u64; 2] {
    [Word::Unsupported, Word::DmaErrors].map(|word| engines.sum(word))
}
