use std::ffi::c_uint;

use outboard_abi::{Param, end, name};
use outboard_counters::SoftwareReason::{
    AboveLimit, DriverBusy, DriverFailed, EngineStopped, FewKeyBytes, UnsuitableCall,
};
use outboard_policy::Tuned;

use super::*;
use crate::kinds::{KINDS, Kind};
use crate::sham_driver::{Bench, Fault, Message, bytes, cipher, errors, finish, kind, software, update};
use crate::software::SoftContext;

/// Takes results of 32 and 16 bytes for a text of 48. Returns the IVs after each, and the output.
fn ivs(mode: Mode, encrypt: bool, head: usize) -> ([Block; 2], Vec<u8>) {
    let text: Vec<u8> = (0..48).collect();
    let mut output = vec![0; 48];
    let (start, rest) = text.split_at(head);
    // SAFETY: both are as long as the text without its head, and with it.
    let mut blocks = unsafe { Blocks::new(start, rest.as_ptr(), output.as_mut_ptr(), 48, [0xff; 16]) };
    let steps = if head == 0 { [32, 16] } else { [16, 32] };
    let ivs = steps.map(|step| {
        blocks.step = step;
        let result: Vec<u8> = (blocks.done..blocks.done + step).map(|at| 0x80 | at as u8).collect();
        blocks.take(&result, mode, 16, encrypt);
        blocks.iv
    });
    assert_eq!(blocks.done, 48);
    (ivs, output)
}

#[test]
fn the_next_request_continues_from_the_last_block_of_ciphertext_or_the_next_counter() {
    let block = |from: u8| -> Block { std::array::from_fn(|at| from + at as u8) };
    for head in [0, 16] {
        let second = if head == 0 { 16 } else { 0 };
        let (found, output) = ivs(Mode::Cbc, true, head);
        assert_eq!(found, [block(0x80 | second), block(0x80 | 32)]);
        assert!(output.iter().enumerate().all(|(at, byte)| *byte == 0x80 | at as u8));
        assert_eq!(ivs(Mode::Cbc, false, head).0, [block(second), block(32)]);
        let counters = if head == 0 { [1, 2] } else { [0, 2] };
        assert_eq!(ivs(Mode::Ctr, true, head).0, counters.map(|number: u128| number.to_be_bytes()));
    }
}

/// A stream of updates.
#[derive(Clone, Copy, Debug)]
struct Stream<'a> {
    encrypt: bool,
    padding: bool,
    updates: &'a [usize],
}

impl Stream<'_> {
    /// The output of each update and of the end.
    fn process(&self, kind: &Kind, context: &SoftContext) -> Vec<Option<Vec<u8>>> {
        let (key, mut padding) = (bytes(kind.key_len, 1), c_uint::from(self.padding));
        let message = Message { encrypt: self.encrypt, ..Message::new(kind, &key) };
        assert!(message.begin(context, 0));
        assert!(context.set_params(&[Param::construct_uint(name::PADDING, &mut padding), end()]));
        // A text with a valid padding.
        let mut text = bytes(self.updates.iter().sum(), 2);
        if !self.encrypt && self.padding && kind.mode.holds_data() {
            let all = Stream { encrypt: true, padding: true, updates: &[text.len() - 1] };
            text = all.process(kind, &software(kind)).into_iter().flatten().flatten().collect();
        }
        let mut rest = &text[..];
        let mut outputs: Vec<Option<Vec<u8>>> = Vec::new();
        for &len in self.updates {
            let (input, after) = rest.split_at(len);
            outputs.push(update(context, input));
            rest = after;
        }
        outputs.push(finish(context));
        outputs
    }
}

/// Each request that a stream of updates should cause.
fn requests(kind: &Kind, stream: &Stream<'_>, threshold: usize, max: usize) -> Vec<usize> {
    let (block, is_ctr) = (kind.block(), kind.mode == Mode::Ctr);
    let holds_last = usize::from(stream.padding && !stream.encrypt && kind.mode.holds_data());
    let (mut requests, mut held) = (Vec::new(), 0);
    for &len in stream.updates {
        let head = if kind.mode.is_whole() { 0 } else { (block - held % block) % block };
        let is_large = len >= threshold && len >= head + 2 * block;
        let mut whole = 0;
        if is_large && !(kind.mode.is_whole() && len % block != 0) {
            // A block that was held back by this provider comes first.
            whole = (len - head - holds_last) / block * block;
        }
        let mut left = whole;
        while left > 0 {
            requests.push(left.min(max));
            left -= left.min(max);
        }
        held = if kind.mode.is_whole() { 0 } else { (held + len) % block };
        assert!(is_ctr || holds_last == 0 || held == 0, "not computed here");
    }
    requests
}

#[test]
fn each_stream_is_cut_into_requests_as_the_driver_takes_them_and_its_bytes_are_those_of_software() {
    let bench = Bench::new("streams", &[("THRESHOLDS", "ALL:128")]);
    for kind in KINDS.iter().filter(|kind| !kind.mode.is_aead()) {
        for max in [1 << 20, 256, 48] {
            // A data unit of XTS is not cut.
            if kind.mode.is_whole() && max < 1 << 20 {
                continue;
            }
            bench.sham.state().max_request = max;
            for (encrypt, padding, updates) in [
                (true, false, &[1024][..]),
                (false, false, &[1024]),
                (true, true, &[1024, 128, 127, 129, 4096]),
                (true, true, &[21, 1000, 19, 144, 24, 300]),
                (false, true, &[1024]),
                (true, false, &[512, 16, 16, 512]),
                (false, false, &[16, 512, 128, 64, 512]),
            ] {
                let stream = Stream { encrypt, padding, updates };
                let before = bench.counts(kind);
                bench.sham.state().submitted.clear();
                let (ours, expected) = (bench.context(kind), software(kind));
                let what = format!("{} {max} {stream:?}", kind.name);
                assert_eq!(stream.process(kind, &ours), stream.process(kind, &expected), "{what}");
                // No result is kept longer than its update.
                assert_eq!(bench.sham.state().unreleased, 0, "{what}");
                drop(ours);
                let state = bench.sham.state();
                let wanted = requests(kind, &stream, 128, max);
                assert_eq!(state.submitted.concat(), wanted, "{what}");
                assert!(state.submitted.iter().all(|batch| batch.len() == 1), "{what}");
                drop(state);
                let counts = bench.counts(kind);
                let hardware = (counts.hw_requests - before.hw_requests, counts.hw_bytes - before.hw_bytes);
                assert_eq!(hardware, (wanted.len() as u64, wanted.iter().sum::<usize>() as u64), "{what}");
                assert_eq!((counts.failures, counts.mismatches), (0, 0), "{what}");
                assert!(counts.reasons.iter().all(|(reason, ..)| reason == UnsuitableCall), "{what}");
            }
        }
    }
}

#[test]
fn decryption_with_padding_goes_on_with_the_block_that_it_holds_back() {
    let (bench, kind) = (Bench::new("padding", &[("THRESHOLDS", "ALL:64")]), kind("AES-128-CBC"));
    let stream = Stream { encrypt: false, padding: true, updates: &[256, 256, 16, 256, 48] };
    assert_eq!(stream.process(kind, &bench.context(kind)), stream.process(kind, &software(kind)));
    // The block of the update before and all but the last of this one; after a short update, which
    // software processes, its block too. Software holds it back then.
    assert_eq!(bench.sham.state().submitted.concat(), [240, 256, 240]);
    bench.sham.state().submitted.clear();
    // A result that differs is repeated with that block too.
    bench.sham.state().faults = [NOTHING, WRONG].into();
    let stream = Stream { updates: &[256, 256], ..stream };
    assert_eq!(stream.process(kind, &bench.context(kind)), stream.process(kind, &software(kind)));
    assert_eq!(bench.sham.state().submitted.concat(), [240, 256, 256]);
}

#[test]
fn a_request_may_be_cut_into_chunks_as_long_as_was_measured() {
    let text = "outboard-policy 2\nAES-128-CBC 64 64 sham-chunks 8192 0\n";
    let tuned = Tuned::parse(text.to_owned()).expect("a policy file");
    let (bench, kind) = (Bench::with("chunks", &[], Some(&tuned)), kind("AES-128-CBC"));
    let stream = Stream { encrypt: false, padding: false, updates: &[256] };
    assert_eq!(stream.process(kind, &bench.context(kind)), stream.process(kind, &software(kind)));
    let state = bench.sham.state();
    assert_eq!((state.submitted.concat(), state.piece), (vec![256], 8192));
}

/// What is wrong with the second of four requests of 256 bytes, or with the session.
struct Case {
    name: &'static str,
    faults: &'static [Fault],
    /// Number of requests of the driver that are used, and the reason of the others.
    used: u64,
    why: Option<SoftwareReason>,
    /// Of the counters.
    failures: u64,
    mismatches: u64,
    is_up: bool,
}

const WRONG: Fault = Fault::Wrong(|result| result.iter_mut().for_each(|byte| *byte ^= 1));
const NOTHING: Fault = Fault::Nothing;

#[rustfmt::skip]
const CASES: [Case; 8] = [
    Case { name: "none", faults: &[], used: 4, why: None, failures: 0, mismatches: 0, is_up: true },
    Case { name: "refused", faults: &[NOTHING, Fault::Refused(errors::failed)],
        used: 1, why: Some(DriverFailed), failures: 1, mismatches: 0, is_up: true },
    Case { name: "failed", faults: &[NOTHING, Fault::Failed(errors::failed)],
        used: 1, why: Some(DriverFailed), failures: 1, mismatches: 0, is_up: true },
    Case { name: "stopped", faults: &[NOTHING, Fault::Refused(errors::stopped)],
        used: 1, why: Some(EngineStopped), failures: 0, mismatches: 0, is_up: true },
    Case { name: "busy", faults: &[NOTHING, Fault::Refused(errors::no_room)],
        used: 1, why: Some(DriverBusy), failures: 0, mismatches: 0, is_up: true },
    Case { name: "away", faults: &[NOTHING, Fault::Failed(errors::away)],
        used: 1, why: Some(DriverFailed), failures: 0, mismatches: 0, is_up: true },
    Case { name: "away-at-once", faults: &[NOTHING, Fault::Refused(errors::away)],
        used: 1, why: Some(DriverFailed), failures: 0, mismatches: 0, is_up: true },
    Case { name: "wrong-once", faults: &[NOTHING, WRONG, NOTHING],
        used: 1, why: Some(DriverFailed), failures: 1, mismatches: 0, is_up: true },
];

#[test]
fn software_completes_what_the_driver_does_not_and_the_counters_say_why() {
    let wrong = Case {
        name: "wrong",
        faults: &[NOTHING, WRONG, WRONG],
        mismatches: 1,
        failures: 0,
        is_up: false,
        ..CASES[7]
    };
    for case in CASES.iter().chain([&wrong]) {
        for name in ["AES-128-CBC", "AES-256-CTR", "AES-192-ECB"] {
            let what = format!("{} {name}", case.name);
            let kind = kind(name);
            let bench = Bench::new("faults", &[("THRESHOLDS", "ALL:128")]);
            bench.sham.state().max_request = 256;
            bench.sham.state().faults = case.faults.iter().copied().collect();
            let stream = Stream { encrypt: true, padding: true, updates: &[1024, 16, 256] };
            let ours = bench.context(kind);
            let (found, expected) = (stream.process(kind, &ours), stream.process(kind, &software(kind)));
            assert_eq!(found, expected, "{what}");
            // The next update is the driver's again, unless it is disabled. One of another 16 requests
            // opens the session again.
            let again = u64::from(case.is_up);
            let rest = (4 - case.used) * 256;
            assert_eq!(bench.sham.state().unreleased, 0, "{what}");
            drop(ours);
            let counts = bench.counts(kind);
            let is_away = case.name.starts_with("away");
            let again = if is_away { 0 } else { again };
            assert_eq!((counts.hw_requests, counts.hw_bytes), (case.used + again, (case.used + again) * 256));
            assert_eq!((counts.failures, counts.mismatches), (case.failures, case.mismatches), "{what}");
            let mut reasons: Vec<_> = case.why.map(|why| (why, 1, rest)).into_iter().collect();
            if is_away {
                reasons = vec![(DriverBusy, 1, 256), (DriverFailed, 1, rest)];
            } else if !case.is_up {
                reasons = vec![(DriverFailed, 2, rest + 256)];
            }
            assert_eq!(bench.reasons(kind), reasons, "{what}");
            let cipher = bench.cipher(name);
            assert_eq!(cipher.hardware.is_up(), case.is_up, "{what}");
        }
    }
}

#[test]
fn an_engine_gets_a_request_from_the_threshold_on_and_a_data_unit_only_as_a_whole() {
    for (name, lines, max, len, submitted, why) in [
        ("AES-128-CBC", "ALL:256", 1 << 20, 256, vec![256], None),
        ("AES-128-CBC", "ALL:256", 1 << 20, 255, vec![], None),
        ("AES-128-XTS", "ALL:256", 512, 512, vec![512], None),
        ("AES-128-XTS", "ALL:256", 512, 528, vec![], Some(AboveLimit)),
        ("AES-128-XTS", "ALL:256", 512, 500, vec![], Some(UnsuitableCall)),
    ] {
        let kind = kind(name);
        let bench = Bench::new("lengths", &[("THRESHOLDS", lines)]);
        bench.sham.state().max_request = max;
        let ours = bench.context(kind);
        let stream = Stream { encrypt: true, padding: false, updates: &[len] };
        assert_eq!(stream.process(kind, &ours), stream.process(kind, &software(kind)), "{name} {len}");
        drop(ours);
        assert_eq!(bench.sham.state().submitted.concat(), submitted, "{name} {len}");
        let reasons: Vec<_> = why.map(|why| (why, 1, len as u64)).into_iter().collect();
        assert_eq!(bench.reasons(kind), reasons, "{name} {len}");
    }
}

#[test]
fn a_key_gets_a_session_when_it_has_enough_bytes_and_the_driver_has_room() {
    let kind = kind("AES-128-CBC");
    let bench = Bench::new("keys", &[("THRESHOLDS", "ALL:256"), ("KEY_BYTES", "1024")]);
    let stream = Stream { encrypt: true, padding: false, updates: &[512, 256, 256, 512] };
    let ours = bench.context(kind);
    assert_eq!(stream.process(kind, &ours), stream.process(kind, &software(kind)));
    drop(ours);
    // The third update is that with which the key has 1024 bytes.
    assert_eq!(bench.sham.state().submitted.concat(), [256, 512]);
    assert_eq!(bench.reasons(kind), [(FewKeyBytes, 2, 768)]);
    // After a key that had them the next one gets a session at once, and after one that had not, not.
    bench.sham.state().submitted.clear();
    bench.sham.state().max_request = 256;
    let stream = Stream { encrypt: true, padding: false, updates: &[768] };
    (0..2).for_each(|_| drop(stream.process(kind, &bench.context(kind))));
    assert_eq!(bench.sham.state().submitted.concat(), [256; 3]);

    let stream = Stream { encrypt: true, padding: false, updates: &[512, 256, 256, 512] };
    let bench = Bench::new("keys", &[("THRESHOLDS", "ALL:256")]);
    bench.sham.state().has_room = false;
    let ours = bench.context(kind);
    assert_eq!(stream.process(kind, &ours), stream.process(kind, &software(kind)));
    drop(ours);
    assert!(bench.sham.state().submitted.is_empty());
    assert_eq!(bench.reasons(kind), [(DriverBusy, 4, 1536)]);
}

#[test]
fn evp_cipher_passes_whole_blocks_and_software_completes_them() {
    for (name, faults, submitted) in [
        ("whole", vec![], vec![256, 256, 16, 256, 16]),
        ("second", vec![NOTHING, Fault::Failed(errors::failed)], vec![256, 256, 256, 16]),
        ("first", vec![Fault::Failed(errors::failed)], vec![256, 256, 16]),
    ] {
        let (bench, kind) = (Bench::new("blocks", &[("THRESHOLDS", "ALL:128")]), kind("AES-128-CBC"));
        bench.sham.state().max_request = 256;
        bench.sham.state().faults = faults.into();
        let (key, ours, expected) = (bytes(16, 1), bench.context(kind), software(kind));
        for context in [&ours, &expected] {
            assert!(Message::new(kind, &key).begin(context, 0));
        }
        for len in [528, 112, 272] {
            let blocks = bytes(len, len);
            assert_eq!(cipher(&ours, &blocks), cipher(&expected, &blocks), "{name} {len}");
        }
        assert_eq!(bench.sham.state().submitted.concat(), submitted, "{name}");
    }
}
