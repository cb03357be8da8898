use super::*;
use crate::judge::Judgement;
use crate::kernel::Release;
use crate::module::Hardware;
use crate::proc_crypto::parse;
use crate::reach::{Consumer, matrix_row};

fn judged(algorithm: &str, name: &str, priority: i32, kind: &str, verdict: Verdict) -> Judged {
    let entry = format!(
        "name : {algorithm}\ndriver : {name}\nmodule : kernel\npriority : {priority}\nselftest : passed\ninternal : no\ntype : {kind}\n"
    );
    let (mut drivers, _) = parse(entry.as_bytes());
    Judged {
        driver: drivers.remove(0),
        flags: Some(Flags(Flags::ASYNC)),
        hardware: Hardware::default().into(),
        interrupt_lines: None,
        judgement: Judgement { verdict, signature: None },
    }
}

fn engine(algorithm: &str, kind: &str) -> Judged {
    judged(algorithm, "engine", 300, kind, Verdict::Accelerator)
}

/// The consumers within the kernel that get the first driver.
fn users(drivers: &[Judged], release: &str) -> Vec<&'static str> {
    let facts = ReachFacts { release: Release::parse(release), ..ReachFacts::default() };
    let routes = decide(&drivers[0], drivers, &facts);
    routes
        .into_iter()
        .filter(|(_, (answer, _))| *answer == Reachable::Yes)
        .map(|(route, _)| route.name())
        .collect()
}

#[test]
fn each_algorithm_has_its_users() {
    for (algorithm, kind, release, expected) in [
        ("cbc(aes)", "skcipher", "6.12", vec!["IPsec", "dm-crypt"]),
        ("ctr(aes)", "skcipher", "6.12", vec!["IPsec", "kTLS", "SMB3", "MACsec", "Ceph"]),
        ("ecb(aes)", "skcipher", "6.12", vec![]),
        ("xts(aes)", "skcipher", "6.12", vec!["dm-crypt"]),
        ("gcm(aes)", "aead", "5.6", vec!["IPsec", "kTLS", "SMB3", "MACsec", "Ceph"]),
        ("gcm(aes)", "aead", "6.1", vec!["IPsec", "kTLS", "SMB3", "Ceph"]),
        ("gcm(aes)", "aead", "6.16", vec!["IPsec", "kTLS", "SMB3", "ovpn", "MACsec", "Ceph"]),
        ("ccm(aes)", "aead", "6.16", vec!["IPsec", "kTLS", "SMB3"]),
        ("hmac(sha256)", "ahash", "6.12", vec!["IPsec"]),
        ("sha256", "ahash", "6.12", vec![]),
        ("sha256", "ahash", "6.1", vec!["fs-verity"]),
        ("authenc(hmac(sha1),cbc(aes))", "aead", "6.12", vec!["IPsec"]),
    ] {
        assert_eq!(users(&[engine(algorithm, kind)], release), expected, "{algorithm} on {release}");
    }
}

#[test]
fn a_kernel_whose_source_varies_gives_no_certain_answer() {
    for (algorithm, kind, route, releases) in [
        ("gcm(aes)", "aead", Route::Macsec, ["5.10", "6.5"]),
        ("gcm(aes)", "aead", Route::Ovpn, ["6.1", "6.15"]),
        ("cbc(aes)", "skcipher", Route::Kerberos, ["6.15", "7.2"]),
    ] {
        for release in releases {
            let facts = ReachFacts { release: Release::parse(release), ..ReachFacts::default() };
            let found = decide(&engine(algorithm, kind), &[engine(algorithm, kind)], &facts);
            let (_, (answer, why)) = found.into_iter().find(|(one, _)| *one == route).expect("listed");
            assert_eq!(answer, Reachable::Unclear, "{route:?} on {release}: {why}");
        }
    }
    // No release: it is not known which source the kernel has.
    let facts = ReachFacts::default();
    let found = decide(&engine("gcm(aes)", "aead"), &[engine("gcm(aes)", "aead")], &facts);
    let unclear = found.iter().filter(|(_, (answer, _))| *answer == Reachable::Unclear).map(|(one, _)| *one);
    assert_eq!(unclear.collect::<Vec<_>>(), [Route::Ovpn, Route::Macsec]);
}

#[test]
fn a_registered_gcm_decides_about_an_engine_with_ctr() {
    let around = judged("gcm(aes)", "gcm_base(engine,ghash-generic)", 200, "aead", Verdict::Wrapper);
    let all = ["IPsec", "kTLS", "SMB3", "MACsec", "Ceph"];
    assert_eq!(users(&[engine("ctr(aes)", "skcipher"), around], "6.12"), all);
    let aesni = judged("gcm(aes)", "generic-gcm-aesni", 400, "aead", Verdict::CpuInstructions);
    assert!(users(&[engine("ctr(aes)", "skcipher"), aesni], "6.12").is_empty());
}

#[test]
fn an_instance_of_authenc_decides_about_its_parts() {
    let around = |parts: &str, priority| {
        let name = format!("authenc({parts})");
        judged("authenc(hmac(sha256),cbc(aes))", &name, priority, "aead", Verdict::Wrapper)
    };
    let (cipher, mac) = (engine("cbc(aes)", "skcipher"), engine("hmac(sha256)", "ahash"));
    let (soft, hard) = (around("hmac-sha256-lib,cbc-aes-lib", 3110), around("hmac-sha256-lib,engine", 4500));
    assert_eq!(users(&[cipher.clone(), soft.clone()], "6.12"), ["dm-crypt"]);
    assert_eq!(users(&[cipher, soft.clone(), hard.clone()], "6.12"), ["IPsec", "dm-crypt"]);
    assert!(users(&[mac.clone(), soft], "6.12").is_empty());
    // It contains the driver of another algorithm with the same name.
    assert_eq!(users(&[mac, hard], "6.12"), ["IPsec"]);
    let other = judged("authenc(hmac(sha256),cbc(des3_ede))", "soft", 10, "aead", Verdict::Wrapper);
    assert_eq!(users(&[engine("cbc(aes)", "skcipher"), other], "6.12"), ["IPsec", "dm-crypt"]);
}

#[test]
fn a_row_of_the_matrix_has_every_consumer_with_a_reason() {
    let drivers = [engine("cbc(aes)", "skcipher")];
    let facts = ReachFacts { release: Release::parse("6.12"), ..ReachFacts::default() };
    let row = matrix_row(&drivers[0], &drivers, &facts);
    assert!(row.iter().map(|cell| cell.consumer).eq(Consumer::ALL));
    assert!(row.iter().all(|cell| !cell.why.is_empty()));
    assert_eq!(
        (row[0].reachable, row[0].why.as_str()),
        (Reachable::Yes, "through AF_ALG: Linux 6.12 is older than 7.2")
    );
    let closed = ReachFacts { release: Release::parse("7.2"), ..ReachFacts::default() };
    let row = matrix_row(&drivers[0], &drivers, &closed);
    assert_eq!(row[0].reachable, Reachable::No);
    assert!(row[0].why.contains("/dev/outboard: the outboard module is not loaded"), "{}", row[0].why);
}

#[test]
fn the_contenders_decide_as_all_drivers_do() {
    let mut drivers = Vec::new();
    for (number, algorithm) in
        ["cbc(aes)", "xts(aes)", "cbc(aes)", "gcm(aes)", "cbc(aes)", "xts(aes)"].iter().enumerate()
    {
        for (of, flags) in [(1, Flags::ALLOCATES_MEMORY), (2, 0), (3, Flags::ASYNC)] {
            let priority = (number as i32 * 7 + of * 5) % 11;
            let mut one =
                judged(algorithm, &format!("d{number}-{of}"), priority, "skcipher", Verdict::Accelerator);
            one.flags = Some(Flags(flags));
            drivers.push(one);
        }
    }
    let few = crate::reach::contenders(&drivers);
    assert!(few.len() <= 6, "{}", few.len());
    let facts = ReachFacts { release: Release::parse("6.12"), ..ReachFacts::default() };
    for target in &drivers {
        assert_eq!(
            matrix_row(target, &few, &facts),
            matrix_row(target, &drivers, &facts),
            "{}",
            target.driver.name
        );
    }
}
