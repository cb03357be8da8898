//! Faults of the engine: no wrong byte reaches an application, nothing hangs for longer than the module
//! allows, and `status` names the state.

use std::fs;
use std::time::{Duration, Instant};

use outboard_uapi::SYSFS;
use serde_json::Value;

use super::Modelled;
use crate::child::in_own_process;
use crate::command::status_and_output;
use crate::machine::set_patience;
use crate::model::{AT_RANDOM, Word, count_of};
use crate::stream::Stream;
use crate::time_limit::wait_until;

/// What a stream may take while its engine does not answer: three requests, after which the provider
/// leaves the driver alone, with the second of `Modelled::find` or the driver's own limit, on a busy host.
const LONGEST_STREAM: Duration = Duration::from_secs(30);

const LEFT_ALONE: &str =
    "given up, software at once in all processes, named by status, not used after a check";

impl Modelled {
    /// A wrong bit in one of three results: none reaches an application, `check` finds it, and what
    /// `allow` finds is saved, so that the provider uses the driver over no interface.
    #[track_caller]
    pub fn a_damaged_result_is_found(&self) {
        let cbc = self.names.cbc;
        self.allow(&[cbc]);
        in_own_process(|| {
            let world = self.world(cbc, &[("SHADOW_CHECKS", "1")]);
            let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
            self.engines.set(Word::Damage, AT_RANDOM | 3);
            for seed in 0..20 {
                assert!(Stream::new(&soft, seed, 20, 4096).runs_right(&hard), "stream {seed}");
            }
            assert!(world.counts().mismatches > 0, "{:?}", world.counts());
        });
        assert!(self.engines.sum(Word::Faults) > 0, "no result was damaged");
        let found = self.machine.checked(&["--for", "10s", cbc], 1);
        assert!(found.contains("WRONG"), "{found}");
        self.output(&["check", "--forget", cbc]);

        self.output(&["disallow", "--now", cbc]);
        let refused = self.refused(&["allow", "--now", cbc]);
        assert!(refused.contains("does not use it over any interface"), "{refused}");
        self.engines.set(Word::Damage, 0);
        // AF_ALG reaches it on this kernel.
        assert!(self.world(cbc, &[]).hard_if_offered("AES-128-CBC").is_none());
        let refused = self.refused(&["allow", "--now", cbc]);
        assert!(refused.contains("found a wrong result"), "{refused}");
        self.output(&["check", "--forget", cbc]);
        self.allow(&[cbc]);
        self.report("damage", "no wrong byte at the application, found by check, saved by allow");
    }

    /// An error of the engine, whether its driver reports it or not.
    #[track_caller]
    pub fn an_error_is_replaced_by_software(&self) {
        self.allow(&[self.names.cbc]);
        let world = self.world(self.names.cbc, &[("SHADOW_CHECKS", "1")]);
        let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
        self.engines.set(Word::Error, 5);
        assert!(Stream::new(&soft, 1, 100, 4096).runs_right(&hard));
        let counts = world.counts();
        assert!(counts.failures + counts.mismatches > 0 && counts.hw_requests > 50, "{counts:?}");
        self.report("error", "found, no wrong byte at the application");
    }

    /// A completion without an interrupt, of a driver that goes on with the next request: by a time limit
    /// of its own, or since the next interrupt completes both. The module may give up the request before.
    #[track_caller]
    pub fn a_lost_interrupt_is_replaced_by_software(&self) {
        self.allow(&[self.names.cbc]);
        let world = self.world(self.names.cbc, &[]);
        let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
        let faults = self.engines.sum(Word::Faults);
        self.engines.set(Word::Lose, 5);
        let stream = Stream::new(&soft, 1, 20, 4096);
        assert!(stream.runs_right(&hard));
        let used = world.counts();
        assert!(used.failures > 0 && self.engines.sum(Word::Faults) > faults, "{used:?}");
        // By a new context: of a driver that has reported a timeout, this one sends no more.
        wait_until("used again", || {
            let world = self.world(self.names.cbc, &[]);
            assert!(stream.runs_right(&world.hard("AES-128-CBC")));
            world.counts().hw_requests > 0
        });
        self.report("lost interrupt", "given up, replaced by software, and the engine used again");
    }

    /// A completion that is late.
    #[track_caller]
    pub fn a_late_request_ends_right(&self) {
        self.allow(&[self.names.cbc]);
        let world = self.world(self.names.cbc, &[]);
        let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
        let faults = self.engines.sum(Word::Faults);
        self.engines.set(Word::Late, 5);
        assert!(Stream::new(&soft, 1, 100, 4096).runs_right(&hard));
        world.assert_driver_used();
        assert!(self.engines.sum(Word::Faults) > faults, "no request was late");
        self.report("late", "right");
    }

    /// An engine that stops, of a driver without a time limit, or with one that is longer than the module's.
    /// It is the last theme of its machine.
    #[track_caller]
    pub fn an_engine_that_stops_is_left_alone_and_not_used_after_a_check(&self) {
        self.is_left_alone(Word::Stop, 10);
        self.is_not_used_after_a_check();
        self.report("stop", LEFT_ALONE);
    }

    /// The same after interrupts were lost, where the driver waits for each without a time limit.
    #[track_caller]
    pub fn an_engine_that_lost_its_interrupts_is_left_alone_and_not_used_after_a_check(&self) {
        self.is_left_alone(Word::Lose, AT_RANDOM | 10);
        self.is_not_used_after_a_check();
        self.report("lost interrupt", LEFT_ALONE);
    }

    #[track_caller]
    fn is_left_alone(&self, fault: Word, when: u32) {
        let cbc = self.names.cbc;
        self.allow(&[cbc]);
        let world = self.world(cbc, &[]);
        let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
        let stream = Stream::new(&soft, 1, 50, 4096);
        // The module gives an engine ten times its slowest completion, which fades with each: a driver's own
        // limit must not be before that.
        for _ in 0..40 {
            assert!(stream.runs_right(&hard), "before the fault");
        }
        assert_eq!(self.problem(), None);

        // Also where the module has more for a busy host: a stream must not take as long.
        set_patience(Duration::from_secs(1));
        self.engines.set(fault, when);
        // Until all engines have stopped, requests of the others are completed, and count.
        wait_until("stopped", || {
            let start = Instant::now();
            assert!(stream.runs_right(&hard));
            assert!(start.elapsed() < LONGEST_STREAM, "{:?}", start.elapsed());
            self.is_stopped()
        });
        assert!(self.engines.sum(Word::Faults) > 0 && world.counts().failures > 0, "{:?}", world.counts());
        let (text, evidence) = self.problem().expect("status names it");
        assert!(text.contains("has stopped") && evidence.ends_with("/stopped: 1"), "{text}: {evidence}");
        self.assert_another_process_sends_little(&stream);

        let text = self.proof();
        assert!(text.contains(&format!("the engine of {cbc} did not complete requests")), "{text}");
    }

    /// An engine that stops, whose driver ends each request with an error after a time that the module
    /// gives it too. It is the last theme of its machine.
    #[track_caller]
    pub fn an_engine_that_stops_ends_in_software_and_is_not_used_after_a_check(&self) {
        let cbc = self.names.cbc;
        self.allow(&[cbc]);
        let soft = self.world(cbc, &[]).soft("AES-128-CBC");
        let stream = Stream::new(&soft, 1, 50, 4096);
        self.engines.set(Word::Stop, 1);
        for _ in 0..2 {
            in_own_process(|| {
                let world = self.world(cbc, &[]);
                let start = Instant::now();
                assert!(stream.runs_right(&world.hard("AES-128-CBC")));
                assert!(start.elapsed() < LONGEST_STREAM, "{:?}", start.elapsed());
                let counts = world.counts();
                assert!(counts.hw_requests == 0 && (1..10).contains(&counts.failures), "{counts:?}");
            });
        }
        self.is_not_used_after_a_check();
        self.report(
            "stop",
            "an error of the driver, software in each process, named by status and not used after a check",
        );
    }

    #[track_caller]
    fn is_not_used_after_a_check(&self) {
        let cbc = self.names.cbc;
        let checked = self.machine.checked(&["--for", "1s", cbc], 1);
        assert!(checked.contains("NO ANSWER"), "{checked}");
        let (text, evidence) = self.problem().expect("status names it");
        assert!(
            text.contains("the provider does not use it") && evidence.contains("checked"),
            "{text}: {evidence}"
        );
        // AF_ALG would reach it.
        assert!(self.world(cbc, &[]).hard_if_offered("AES-128-CBC").is_none());
        let text = self.proof();
        assert!(text.contains(&format!("{cbc} did not answer when it was checked")), "{text}");

        // A further try.
        self.output(&["disallow", "--now", cbc]);
        let refused = self.refused(&["allow", "--now", cbc]);
        // hifn_795x ends the requests of an engine with ENODEV when it resets it, also a new one.
        let is_ended = self.names.driver == "hifn_795x" && refused.contains("(No such device)");
        assert!(refused.contains("does not use it over any interface") || is_ended, "{refused}");
    }

    /// What `outboard prove` says of a run of openssl(1), whatever the policy is.
    fn proof(&self) -> String {
        let line =
            "prove --threshold 1 -- openssl enc -aes-128-cbc -in /proc/kallsyms -out /dev/null -K 00 -iv 00";
        let arguments: Vec<&str> = line.split(' ').collect();
        status_and_output(&self.machine.command(&arguments).output().expect("the command runs"))
    }

    /// The problem of `outboard status` with this driver, as its text and its evidence.
    #[track_caller]
    fn problem(&self) -> Option<(String, String)> {
        let status: Value = serde_json::from_str(&self.output(&["status", "--json"])).expect("JSON");
        let problems = status["problems"].as_array().expect("problems");
        let is_its = |one: &&Value| {
            one["id"] == "driver-does-not-answer"
                && one["text"].as_str().is_some_and(|text| text.contains(self.names.cbc))
        };
        let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
        problems.iter().find(is_its).map(|one| (text(one, "text"), text(one, "evidence")))
    }

    fn is_stopped(&self) -> bool {
        let stopped = fs::read_to_string(format!("{SYSFS}/drivers/{}/stopped", self.names.cbc));
        stopped.expect("the driver is allowed").trim() == "1"
    }

    /// Software serves a new process, whose only requests to the engines are those that try them.
    fn assert_another_process_sends_little(&self, stream: &Stream) {
        in_own_process(|| {
            let lost = count_of(self.names.cbc, "timeouts");
            let world = self.world(self.names.cbc, &[]);
            for _ in 0..4 {
                assert!(stream.runs_right(&world.hard("AES-128-CBC")));
            }
            let (counts, lost) = (world.counts(), count_of(self.names.cbc, "timeouts") - lost);
            assert!(counts.hw_requests == 0 && counts.failures < 10 && lost < 10, "{lost}: {counts:?}");
        });
    }
}
