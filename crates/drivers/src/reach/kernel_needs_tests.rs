use std::sync::Arc;

use super::*;
use crate::judge::Judgement;
use crate::module::Hardware;
use crate::proc_crypto::parse;

const ENGINE: Verdict = Verdict::Accelerator;
const SOFT: Verdict = Verdict::Software;
const WRAPPER: Verdict = Verdict::Wrapper;

/// Algorithm, driver, priority, flags, verdict.
type Row<'a> = (&'a str, &'a str, i32, u32, Verdict);

fn drivers(rows: &[Row<'_>]) -> Vec<Judged> {
    let judged = |&(algorithm, name, priority, flags, verdict): &Row<'_>| {
        let text = format!(
            "name : {algorithm}\ndriver : {name}\nmodule : m\npriority : {priority}\nselftest : passed\n\
             internal : no\ntype : skcipher\n\n"
        );
        Judged {
            driver: parse(text.as_bytes()).0.remove(0),
            flags: Some(Flags(flags)),
            hardware: Arc::new(Hardware::default()),
            interrupt_lines: None,
            judgement: Judgement { verdict, signature: None },
        }
    };
    rows.iter().map(judged).collect()
}

/// For each need: the selected driver, and each accelerator with its prospect.
fn seen(user: KernelUser, rows: &[Row<'_>]) -> Vec<(String, Vec<(String, Prospect)>)> {
    let drivers = drivers(rows);
    let release = Release::parse("6.12");
    let row = |one: NeedOutlook<'_>| {
        let selected = one.selected.map_or("-".to_owned(), |selected| selected.driver.name.clone());
        let prospect = |it: &ProspectiveDriver<'_>| (it.driver.driver.name.clone(), it.prospect.clone());
        (selected, one.prospects.iter().map(prospect).collect())
    };
    outlook(user, &drivers, release.as_ref()).into_iter().map(row).collect()
}

#[test]
fn a_driver_that_is_outranked_would_be_selected_if_preferred() {
    let rows = [
        ("cbc(aes)", "engine", 300, Flags::ASYNC, ENGINE),
        ("cbc(aes)", "cbc(plain)", 400, 0, WRAPPER),
        ("essiv(cbc(aes),sha256)", "essiv(cbc(plain),sha256-lib)", 400, 0, WRAPPER),
        ("aes", "plain", 100, 0, SOFT),
    ];
    let disk = seen(KernelUser::Disk, &rows);
    assert_eq!(disk[0], ("-".into(), vec![]));
    assert_eq!(disk[2], ("cbc(plain)".into(), vec![("engine".into(), Prospect::IfPreferred)]));
    assert_eq!(
        disk[1],
        ("essiv(cbc(plain),sha256-lib)".into(), vec![("engine".into(), Prospect::IfPreferred)])
    );
}

#[test]
fn a_driver_whose_limits_the_module_keeps_is_not_preferred() {
    let rows = [
        ("cbc(aes)", "cbc(aes-eip93)", 300, Flags::ASYNC, ENGINE),
        ("cbc(aes)", "cbc(plain)", 400, 0, WRAPPER),
        ("aes", "plain", 100, 0, SOFT),
    ];
    let disk = seen(KernelUser::Disk, &rows);
    let (_, prospects) = &disk[2];
    assert!(
        matches!(&prospects[0].1, Prospect::Excluded(why) if why.contains("/dev/outboard only")),
        "{prospects:?}"
    );
    let error = crate::preference::priority_to_win(&drivers(&rows), "cbc(aes-eip93)").unwrap_err();
    assert!(error.to_string().contains("/dev/outboard only"), "{error}");
}

#[test]
fn dm_crypt_leaves_out_drivers_that_allocate_memory_and_ipsec_does_not() {
    let rows = [
        ("cbc(aes)", "engine", 300, Flags::ASYNC | Flags::ALLOCATES_MEMORY, ENGINE),
        ("cbc(aes)", "cbc(plain)", 100, 0, WRAPPER),
        ("aes", "plain", 100, 0, SOFT),
        (
            "echainiv(authenc(hmac(sha256),cbc(aes)))",
            "echainiv(authenc(hmac-sha256-lib,engine))",
            300,
            Flags::ASYNC | Flags::ALLOCATES_MEMORY,
            WRAPPER,
        ),
    ];
    let disk = seen(KernelUser::Disk, &rows);
    assert_eq!(disk[2].0, "cbc(plain)");
    for need in &disk[1..] {
        let Prospect::Excluded(why) = &need.1[0].1 else { panic!("{need:?}") };
        assert!(why.contains("ALLOCATES_MEMORY"), "{why}");
    }
    let ipsec = seen(KernelUser::Ipsec, &rows);
    assert_eq!(ipsec[1].1, [("engine".to_owned(), Prospect::Selected)]);
}

#[test]
fn a_driver_for_the_whole_algorithm_keeps_its_parts_out() {
    let rows = [
        ("gcm(aes)", "gcm-whole", 400, 0, SOFT),
        ("ctr(aes)", "engine", 300, Flags::ASYNC, ENGINE),
        ("ctr(aes)", "ctr(plain)", 100, 0, WRAPPER),
    ];
    let ktls = seen(KernelUser::Ktls, &rows);
    let Prospect::Excluded(why) = &ktls[0].1[0].1 else { panic!("{ktls:?}") };
    assert!(why.contains("gcm-whole") && why.contains("400"), "{why}");
    // An instance around the software is removed when the engine is preferred.
    let rows = [
        ("gcm(aes)", "gcm_base(ctr(plain),ghash-lib)", 100, 0, WRAPPER),
        ("ctr(aes)", "engine", 50, Flags::ASYNC, ENGINE),
        ("ctr(aes)", "ctr(plain)", 100, 0, WRAPPER),
    ];
    let ktls = seen(KernelUser::Ktls, &rows);
    assert_eq!(ktls[0].1, [("engine".to_owned(), Prospect::IfPreferred)]);
}

#[test]
fn the_driver_for_the_algorithm_itself_comes_first() {
    let rows = [
        ("ctr(aes)", "engine-ctr", 900, Flags::ASYNC, ENGINE),
        ("gcm(aes)", "engine-gcm", 300, Flags::ASYNC, ENGINE),
        ("gcm(aes)", "gcm-soft", 400, 0, SOFT),
    ];
    let ktls = seen(KernelUser::Ktls, &rows);
    assert_eq!(ktls[0].0, "gcm-soft");
    assert_eq!(ktls[0].1[0], ("engine-gcm".to_owned(), Prospect::IfPreferred));
    assert!(matches!(&ktls[0].1[1], (name, Prospect::Excluded(_)) if name == "engine-ctr"));
}

#[test]
fn names_are_those_of_the_command_line() {
    for user in KernelUser::ALL {
        assert_eq!(KernelUser::by_name(user.name()), Some(user));
        assert!(!user.needs().is_empty());
    }
    assert_eq!(KernelUser::by_name("nginx"), None);
    let old = Release::parse("5.4");
    assert_eq!(KernelUser::Disk.without(old.as_ref()), 0);
    assert_eq!(KernelUser::Ipsec.without(None), 0);
}
