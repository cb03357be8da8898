use std::ptr::null;

use outboard_counters::SoftwareReason::{
    AboveLimit, DriverBusy, DriverFailed, EngineStopped, FewKeyBytes, LookaheadMissed, UnsuitableCall,
};

use super::*;
use crate::kinds::Mode;
use crate::sham_driver::{Bench, Fault, Message as Calls, bytes, errors, kind, software, update};

const AEADS: [&str; 4] = ["AES-128-GCM", "AES-256-GCM", "AES-128-CCM", "AES-192-CCM"];

/// The message encrypted by software, and its tag.
fn sealed(calls: &Calls<'_>, text: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut result = calls
        .process(&software(calls.kind), text)
        .unwrap_or_else(|| panic!("software encrypts {} {} {}", calls.kind.name, text.len(), calls.tag_len));
    let tag = result.split_off(text.len());
    (result, tag)
}

/// A message whose text has its own output. Returns the output of the text, and the tag or whether
/// that is right.
fn apart(calls: &Calls<'_>, context: &SoftContext, text: &[u8]) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    assert!(calls.begin(context, text.len()));
    let output = update(context, text);
    (output, calls.finish(context))
}

#[test]
fn whole_messages_go_to_the_driver_and_have_the_bytes_of_software() {
    for name in AEADS {
        let (bench, kind) = (Bench::new("whole", &[("THRESHOLDS", "ALL:256")]), kind(name));
        let (key, aad) = (bytes(kind.key_len, 1), bytes(13, 5));
        let (mut requests, mut sum) = (Vec::new(), 0);
        let (encrypting, decrypting) = (bench.context(kind), bench.context(kind));
        for (len, aad, tag_len) in
            [(256, &aad[..], 16), (1000, &[], 16), (4096, &aad[..1], 16), (256, &[], 8), (70000, &aad, 16)]
        {
            let is_tag_of_driver = tag_len == 16 || kind.mode == Mode::Ccm;
            let tag_len = if is_tag_of_driver { tag_len } else { 16 };
            let what = format!("{name} {len} {} {tag_len}", aad.len());
            let calls = Calls { aad, tag_len, ..Calls::new(kind, &key) };
            let plain = bytes(len, len);
            let (secret, tag) = sealed(&calls, &plain);
            let both = Some([&secret[..], &tag].concat());
            assert_eq!(calls.process(&encrypting, &plain), both, "{what}");
            assert_eq!(
                apart(&calls, &encrypting, &plain),
                (Some(secret.clone()), Some(tag.clone())),
                "{what}"
            );
            let calls = Calls { encrypt: false, tag: &tag, ..calls };
            assert_eq!(calls.process(&decrypting, &secret), Some(plain.clone()), "{what}");
            assert_eq!(apart(&calls, &decrypting, &secret), (Some(plain), Some(vec![])), "{what}");
            requests.extend([len; 4]);
            sum += 4 * len as u64;
        }
        // No result is kept longer than its message.
        assert_eq!(bench.sham.state().unreleased, 0, "{name}");
        drop((encrypting, decrypting));
        assert_eq!(bench.sham.state().submitted.concat(), requests, "{name}");
        let counts = bench.counts(kind);
        assert_eq!((counts.hw_requests, counts.hw_bytes), (requests.len() as u64, sum), "{name}");
        assert_eq!((counts.sw_requests, counts.failures, counts.mismatches), (0, 0, 0), "{name}");
    }
}

/// Changes a message for a case.
type Change = fn(&mut Calls<'_>);

#[test]
fn software_processes_what_the_driver_cannot_and_the_counters_say_why() {
    const AS_IT_IS: Change = |_| {};
    const LONG_NONCE: Change = |calls| calls.iv = &[3; 13];
    const TWELVE: Change = |calls| calls.tag_len = 12;
    const GCM: &str = "AES-128-GCM";
    const CCM: &str = "AES-128-CCM";
    for (place, (name, change, lines, max, len, why)) in [
        (GCM, AS_IT_IS, &[][..], 512, 512, None),
        (GCM, AS_IT_IS, &[], 512, 513, Some(AboveLimit)),
        (CCM, AS_IT_IS, &[], 512, 512, None),
        (CCM, AS_IT_IS, &[], 512, 513, Some(AboveLimit)),
        // The length field of CCM has two bytes next to a nonce of 13, and three next to one of 12.
        (CCM, LONG_NONCE, &[], 1 << 20, 0xffff, None),
        (CCM, AS_IT_IS, &[], 1 << 20, 0x10000, None),
        (CCM, LONG_NONCE, &[], 1 << 20, 0x10000, Some(AboveLimit)),
        (GCM, LONG_NONCE, &[], 1 << 20, 512, Some(UnsuitableCall)),
        (CCM, TWELVE, &[], 1 << 20, 512, None),
        (GCM, AS_IT_IS, &[("KEY_BYTES", "513")], 1 << 20, 512, Some(FewKeyBytes)),
    ]
    .into_iter()
    .enumerate()
    {
        let (kind, what) = (kind(name), format!("case {place}: {name}, {len} bytes"));
        let bench = Bench::new("limits", &[&[("THRESHOLDS", "ALL:256")], lines].concat());
        bench.sham.state().max_request = max;
        let (key, plain) = (bytes(kind.key_len, 1), bytes(len, 2));
        let mut calls = Calls { aad: &[7; 20], ..Calls::new(kind, &key) };
        change(&mut calls);
        let ours = bench.context(kind);
        let (found, expected) = (calls.process(&ours, &plain), calls.process(&software(kind), &plain));
        assert_eq!(found, expected, "{what}");
        drop(ours);
        let submitted = if why.is_none() { vec![len] } else { vec![] };
        assert_eq!(bench.sham.state().submitted.concat(), submitted, "{what}");
        let reasons: Vec<_> = why.map(|why| (why, 1, len as u64)).into_iter().collect();
        assert_eq!(bench.reasons(kind), reasons, "{what}");
    }
}

#[test]
fn a_tag_that_is_short_or_follows_its_text_is_verified_by_software() {
    let (bench, kind) = (Bench::new("tags", &[("THRESHOLDS", "ALL:256")]), kind("AES-128-GCM"));
    let (key, plain) = (bytes(16, 1), bytes(512, 2));
    let calls = Calls::new(kind, &key);
    let (secret, tag) = sealed(&calls, &plain);
    let ours = bench.context(kind);
    for (before, after) in [(&tag[..12], &[][..]), (&[], &tag[..]), (&[], &tag[..12])] {
        let calls = Calls { encrypt: false, tag: before, ..calls };
        assert!(calls.begin(&ours, 512));
        assert_eq!(update(&ours, &secret).as_ref(), Some(&plain));
        assert!(after.is_empty() || ours.set_octets(name::AEAD_TAG, after));
        assert_eq!(calls.finish(&ours), Some(vec![]));
    }
    drop(ours);
    assert!(bench.sham.state().submitted.is_empty());
    assert_eq!(bench.reasons(kind), [(UnsuitableCall, 3, 3 * 512)]);
}

#[test]
fn arguments_that_software_refuses_are_refused() {
    for name in ["AES-128-GCM", "AES-128-CCM"] {
        let (bench, kind) = (Bench::new("refused", &[("THRESHOLDS", "ALL:256")]), kind(name));
        let (key, text) = (bytes(16, 1), bytes(512, 2));
        let calls = Calls::new(kind, &key);
        let (ours, expected) = (bench.context(kind), software(kind));
        let both = [&ours, &expected];
        let mut room = vec![0; 512];
        for (input, size) in [(text.as_ptr(), 511), (null(), 512)] {
            let [found, expected] = both.map(|context| {
                assert!(calls.begin(context, 512));
                // SAFETY: of these sizes, or null.
                unsafe { context.update(room.as_mut_ptr(), size, input, 512) }
            });
            assert_eq!(found, expected, "{name} {size}");
        }
        assert!(bench.sham.state().submitted.is_empty(), "{name}");
    }
}

#[test]
fn a_ccm_text_goes_to_the_driver_if_its_length_is_the_announced_one_or_none_was_announced() {
    let (bench, kind) = (Bench::new("announced", &[("THRESHOLDS", "ALL:256")]), kind("AES-128-CCM"));
    let (key, text) = (bytes(16, 1), bytes(512, 2));
    let calls = Calls { iv: &[7; 12], ..Calls::new(kind, &key) };
    let nonce = |context: &SoftContext, number: u8| context.init(true, None, Some(&[number; 12]));
    let announce = |context: &SoftContext, len| {
        // SAFETY: nothing is read or written.
        unsafe { context.update(std::ptr::null_mut(), len, null(), len) }.is_some()
    };
    let compare = |process: &dyn Fn(&SoftContext) -> Vec<Option<Vec<u8>>>| {
        let found = process(&bench.context(kind));
        assert_eq!(found, process(&software(kind)));
        found.iter().filter(|result| result.is_some()).count()
    };
    // Software refuses a text of another length, and one after a message that did not end.
    let refused = compare(&|context| {
        assert!(calls.begin(context, 500));
        vec![update(context, &text)]
    });
    let begun = compare(&|context| {
        assert!(calls.begin(context, 500) && nonce(context, 8));
        vec![update(context, &text)]
    });
    assert_eq!((refused, begun, bench.sham.state().submitted.len()), (0, 0, 0));
    let both = compare(&|context| {
        assert!(calls.begin(context, 500) && nonce(context, 8) && announce(context, 512));
        let (first, tag) = (update(context, &text), calls.finish(context));
        // After the end of a message nothing is announced.
        assert!(nonce(context, 9));
        vec![first, tag, update(context, &text), calls.finish(context)]
    });
    assert_eq!(both, 4);
    assert_eq!(bench.sham.state().submitted.concat(), [512, 512]);
}

/// What is wrong with a driver, and what comes of it.
struct Case {
    name: &'static str,
    encrypt: bool,
    faults: &'static [Fault],
    /// Number of requests.
    submitted: usize,
    /// Of the counters.
    used: u64,
    failures: u64,
    mismatches: u64,
    why: Option<SoftwareReason>,
    is_up: bool,
}

const TEXT: Fault = Fault::Wrong(|result| result[300] ^= 4);
const TAG: Fault = Fault::Wrong(|result| *result.last_mut().expect("a tag") ^= 1);
const REJECTED: Fault = Fault::Failed(errors::forged);

#[rustfmt::skip]
const CASES: [Case; 13] = [
    Case { name: "none", encrypt: false, faults: &[],
        submitted: 1, used: 1, failures: 0, mismatches: 0, why: None, is_up: true },
    Case { name: "text-once", encrypt: true, faults: &[TEXT],
        submitted: 2, used: 0, failures: 1, mismatches: 0, why: Some(DriverFailed), is_up: true },
    Case { name: "text", encrypt: true, faults: &[TEXT, TEXT],
        submitted: 2, used: 0, failures: 0, mismatches: 1, why: Some(DriverFailed), is_up: false },
    Case { name: "plaintext-once", encrypt: false, faults: &[TEXT],
        submitted: 2, used: 0, failures: 1, mismatches: 0, why: Some(DriverFailed), is_up: true },
    Case { name: "plaintext", encrypt: false, faults: &[TEXT, TEXT],
        submitted: 2, used: 0, failures: 0, mismatches: 1, why: Some(DriverFailed), is_up: false },
    Case { name: "tag-once", encrypt: true, faults: &[TAG],
        submitted: 2, used: 0, failures: 1, mismatches: 0, why: Some(DriverFailed), is_up: true },
    Case { name: "tag", encrypt: true, faults: &[TAG, TAG],
        submitted: 2, used: 0, failures: 0, mismatches: 1, why: Some(DriverFailed), is_up: false },
    // Software decides about tags. A driver that rejects one that is right has failed.
    Case { name: "rejected", encrypt: false, faults: &[REJECTED],
        submitted: 1, used: 0, failures: 1, mismatches: 0, why: Some(UnsuitableCall), is_up: true },
    Case { name: "rejected-nothing", encrypt: true, faults: &[REJECTED],
        submitted: 1, used: 0, failures: 0, mismatches: 0, why: Some(UnsuitableCall), is_up: true },
    Case { name: "failed", encrypt: false, faults: &[Fault::Failed(errors::failed)],
        submitted: 1, used: 0, failures: 1, mismatches: 0, why: Some(DriverFailed), is_up: true },
    Case { name: "stopped", encrypt: true, faults: &[Fault::Refused(errors::stopped)],
        submitted: 1, used: 0, failures: 0, mismatches: 0, why: Some(EngineStopped), is_up: true },
    Case { name: "busy", encrypt: true, faults: &[Fault::Refused(errors::no_room)],
        submitted: 1, used: 0, failures: 0, mismatches: 0, why: Some(DriverBusy), is_up: true },
    Case { name: "away", encrypt: true, faults: &[Fault::Refused(errors::away)],
        submitted: 1, used: 0, failures: 0, mismatches: 0, why: Some(DriverFailed), is_up: true },
];

#[test]
fn a_message_that_the_driver_fails_or_spoils_is_completed_by_software() {
    for (case, name) in CASES.iter().flat_map(|case| AEADS.map(|name| (case, name))) {
        let (kind, what) = (kind(name), format!("{} {name}", case.name));
        let bench = Bench::new("spoilt", &[("THRESHOLDS", "ALL:256")]);
        bench.sham.state().faults = case.faults.iter().copied().collect();
        let (key, plain) = (bytes(kind.key_len, 1), bytes(512, 2));
        let calls = Calls { aad: &[9; 30], ..Calls::new(kind, &key) };
        let (secret, tag) = sealed(&calls, &plain);
        let ours = bench.context(kind);
        let (calls, text) = match case.encrypt {
            true => (calls, &plain),
            false => (Calls { encrypt: false, tag: &tag, ..calls }, &secret),
        };
        let expected = calls.process(&software(kind), text);
        assert!(expected.is_some());
        // In place: what the driver did is not in the buffer that software gets.
        assert_eq!(calls.process(&ours, text), expected, "{what}");
        let submitted = bench.sham.state().submitted.len();
        assert_eq!(submitted, case.submitted, "{what}");
        assert_eq!(bench.cipher(name).hardware.is_up(), case.is_up, "{what}");
        // The next message is the driver's, unless the device is absent.
        assert_eq!(calls.process(&ours, text), expected, "{what}");
        let again = u64::from(case.is_up && case.name != "away");
        let state = bench.sham.state();
        assert_eq!((state.submitted.len() - submitted, state.unreleased), (again as usize, 0), "{what}");
        drop(state);
        drop(ours);
        let counts = bench.counts(kind);
        assert_eq!((counts.hw_requests, counts.failures), (case.used + again, case.failures), "{what}");
        assert_eq!(
            (counts.mismatches, counts.sw_requests),
            (case.mismatches, 2 - case.used - again),
            "{what}"
        );
        let reasons = bench.reasons(kind);
        assert_eq!(
            reasons.iter().find(|(why, ..)| Some(*why) == case.why).is_some(),
            case.why.is_some(),
            "{what}"
        );
        assert_eq!(
            reasons.iter().map(|(_, requests, _)| requests).sum::<u64>(),
            counts.sw_requests,
            "{what}"
        );
    }
}

#[test]
fn a_driver_that_rejects_right_tags_is_disabled_and_one_that_rejects_forged_ones_is_not() {
    for name in AEADS {
        let (bench, kind) = (Bench::new("rejected", &[("THRESHOLDS", "ALL:256")]), kind(name));
        let (key, plain) = (bytes(kind.key_len, 1), bytes(512, 2));
        let calls = Calls::new(kind, &key);
        let (secret, tag) = sealed(&calls, &plain);
        let mut forged = tag.clone();
        forged[0] ^= 1;
        let ours = bench.context(kind);
        for _ in 0..5 {
            let calls = Calls { encrypt: false, tag: &forged, ..calls };
            assert_eq!(calls.process(&ours, &secret), None, "{name}");
        }
        let calls = Calls { encrypt: false, tag: &tag, ..calls };
        assert_eq!(calls.process(&ours, &secret).as_ref(), Some(&plain), "{name}");
        assert!(bench.cipher(name).hardware.is_up() && bench.counts(kind).failures == 0, "{name}");
        bench.sham.state().faults = [REJECTED; 3].into();
        for failures in 1..=3 {
            assert_eq!(calls.process(&ours, &secret).as_ref(), Some(&plain), "{name}");
            assert_eq!(
                (bench.counts(kind).failures, bench.cipher(name).hardware.is_up()),
                (failures, failures < 3),
                "{name}"
            );
        }
    }
}

#[test]
fn a_driver_that_accepts_a_forged_tag_is_found_and_software_rejects_it() {
    for name in AEADS {
        let (bench, kind) = (Bench::new("forged", &[("THRESHOLDS", "ALL:256")]), kind(name));
        let is_ccm = kind.mode == Mode::Ccm;
        bench.sham.state().faults = [Fault::Unverified; 6].into();
        let (key, secret) = (bytes(kind.key_len, 1), bytes(512, 2));
        let calls = Calls { encrypt: false, tag: &[1; 16], ..Calls::new(kind, &key) };
        let ours = bench.context(kind);
        // A context of CCM also rejects a message for an error of libcrypto: only the third is proof.
        for round in 1..=3 {
            assert_eq!(calls.process(&ours, &secret), None, "{name}");
            let is_up = is_ccm && round < 3;
            assert_eq!(bench.cipher(name).hardware.is_up(), is_up, "{name} {round}");
        }
        drop(ours);
        let counts = bench.counts(kind);
        let (requests, found) = if is_ccm { (6, (3, 0)) } else { (2, (0, 1)) };
        assert_eq!(bench.sham.state().submitted.len(), requests, "{name}");
        assert_eq!(((counts.failures, counts.mismatches), counts.hw_requests), (found, 0), "{name}");
    }
}

#[test]
fn the_tag_is_compared_with_the_first_message_of_a_key_and_with_a_sample_and_the_text_with_each() {
    for name in AEADS {
        let (bench, kind) = (Bench::new("sample", &[("THRESHOLDS", "ALL:256")]), kind(name));
        // As often as the length of a message exceeds 4 KiB, its tag is compared more rarely, but for the first.
        let long = bytes(20 * 4096, 2);
        for key in 1..=10 {
            bench.end_of_start();
            bench.sham.state().faults = [TAG].into();
            let key = bytes(kind.key_len, key);
            let calls = Calls::new(kind, &key);
            let before = bench.counts(kind).failures;
            assert_eq!(
                calls.process(&bench.context(kind), &long),
                calls.process(&software(kind), &long),
                "{name}"
            );
            assert_eq!(bench.counts(kind).failures, before + 1, "{name}");
            bench.forget_differences();
        }
        let (key, text) = (bytes(kind.key_len, 99), bytes(512, 2));
        let (calls, ours) = (Calls::new(kind, &key), bench.context(kind));
        let expected = calls.process(&software(kind), &text).expect("software encrypts");
        // Those after a start or a fault are compared.
        for _ in 0..3 {
            bench.sham.state().faults = [TAG].into();
            assert_eq!(calls.process(&ours, &text).as_ref(), Some(&expected), "{name}");
            bench.forget_differences();
        }
        assert_eq!(calls.process(&ours, &text).as_ref(), Some(&expected), "{name}");
        bench.sham.state().faults = [TAG].into();
        assert_eq!(calls.process(&ours, &text).as_ref(), Some(&expected), "{name}: after the first");
        // Again if this process was not scheduled for so long that the driver counts as new.
        let is_unnoticed = || {
            bench.forget_differences();
            bench.end_of_start();
            bench.sham.state().faults = [TAG].into();
            calls.process(&ours, &text).as_ref() != Some(&expected)
        };
        assert!((0..5).any(|_| is_unnoticed()), "{name}: not in the sample");
        bench.sham.state().faults =
            [Fault::Wrong(|result| result.iter_mut().for_each(|byte| *byte ^= 1))].into();
        assert_eq!(calls.process(&ours, &text).as_ref(), Some(&expected), "{name}");
    }
}

/// What is done with the tag of a message that is decrypted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum TagComes {
    Before,
    After,
    Forged,
    ForgedAfter,
}

#[test]
fn messages_use_key_stream_and_have_the_bytes_and_the_tags_of_software() {
    let lines = [("THRESHOLDS", "ALL:1048576"), ("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "2048")];
    let (bench, kind) = (Bench::new("ahead", &lines), kind("AES-128-GCM"));
    let key = bytes(16, 1);
    let nonces = (1_u64..).map(|number| [&[3; 4][..], &number.to_be_bytes()].concat());
    let messages: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> = nonces
        .take(40)
        .enumerate()
        .map(|(place, nonce)| (nonce, bytes(place % 3 * 13, place), bytes(600 + place * 17, place)))
        .collect();
    let (ours, expected) = (bench.context(kind), software(kind));
    let next = |context: &SoftContext, encrypt, place: usize, nonce: &[u8]| {
        context.init(encrypt, Some(&key[..]).filter(|_| place == 0), Some(nonce))
    };
    let mut sealed = Vec::new();
    for (place, (nonce, aad, plain)) in messages.iter().enumerate() {
        let results = [&ours, &expected].map(|context| {
            let mut tag = [0; 16];
            assert!(next(context, true, place, nonce) && context.add_associated(aad));
            let secret = update(context, plain).expect("a text");
            assert!(context.end() && context.get_octets(name::AEAD_TAG, &mut tag));
            (secret, tag)
        });
        assert_eq!(results[0], results[1], "{place}");
        sealed.push(results[0].clone());
    }
    drop(ours);
    let counts = bench.counts(kind);
    assert!(counts.ahead_requests > 30 && counts.mismatches + counts.failures == 0, "{counts:?}");
    let reasons = bench.reasons(kind);
    let missed =
        reasons.iter().find(|(why, ..)| *why == LookaheadMissed).map_or(0, |(_, requests, _)| *requests);
    assert_eq!(
        reasons.iter().map(|(_, requests, _)| requests).sum::<u64>(),
        counts.sw_requests,
        "{reasons:?}"
    );
    assert!(missed >= 1 && reasons.iter().all(|(why, ..)| [LookaheadMissed, FewKeyBytes].contains(why)));
    assert!(bench.sham.state().submitted.is_empty());

    for comes in [TagComes::Before, TagComes::After, TagComes::Forged, TagComes::ForgedAfter] {
        let ours = bench.context(kind);
        let before = bench.counts(kind).ahead_requests;
        for (place, ((nonce, aad, plain), (secret, tag))) in messages.iter().zip(&sealed).enumerate() {
            let mut tag = *tag;
            // The nonces are learnt from messages that are right.
            let is_forged = place > 10 && matches!(comes, TagComes::Forged | TagComes::ForgedAfter);
            tag[place % 16] ^= u8::from(is_forged);
            assert!(next(&ours, false, place, nonce) && ours.add_associated(aad));
            let is_before = matches!(comes, TagComes::Before | TagComes::Forged);
            assert!(!is_before || ours.set_octets(name::AEAD_TAG, &tag));
            let output = update(&ours, secret);
            assert_eq!(output.as_ref(), Some(plain), "{comes:?} {place}: as software does before the end");
            assert!(is_before || ours.set_octets(name::AEAD_TAG, &tag));
            assert_eq!(ours.end(), !is_forged, "{comes:?} {place}");
        }
        drop(ours);
        let ahead = bench.counts(kind).ahead_requests - before;
        // Where a tag is wrong, software processes the message and decides.
        assert!(if comes == TagComes::Forged { ahead < 12 } else { ahead > 30 }, "{comes:?}: {ahead}");
    }
}
