//! The facts for the decision about a user within the kernel: dm-crypt and IPsec are measured with each
//! accelerator, with the kernel's best software, and with another cipher that the user may choose. For
//! kTLS the policy of `outboard tune` decides.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use outboard_advice::{ADIANTUM, CHACHA20, CipherFacts, PolicyState, ServiceFacts};
use outboard_console::progress;
use outboard_documents::decision::Entrant;
use outboard_documents::{Goal, SpeedVerdict};
use outboard_drivers::Judged;
use outboard_drivers::reach::{KernelNeed, KernelUser};
use outboard_measure::goal::judge;
use outboard_measure::kernel_users::cipher::ADIANTUM as ADIANTUM_SETTING;
use outboard_measure::kernel_users::cleaner::Cleaner;
use outboard_measure::kernel_users::esp::CHACHA20_SETTING;
use outboard_measure::kernel_users::{KernelFigure, disk, ipsec};
use outboard_measure::{Measuring, stop};
use outboard_policy::{POLICY_FILE, Tuned};
use outboard_services::negotiation::{Negotiation, Offered, OfferedSuite};

use crate::commands::CLEAN_UP;
use crate::signals::SignalGuard;

/// Bytes of a full TLS record (RFC 8446, 5.1).
const RECORD: u32 = 16384;

/// About the time of a contestant's samples, in seconds.
const SECONDS: usize = 2;

type Need<'a> = (&'static KernelNeed, &'a Judged);

/// The setting of the cipher that competes with AES, and the name of that cipher.
fn rival(user: KernelUser) -> (&'static str, &'static str) {
    match user {
        KernelUser::Disk => (ADIANTUM_SETTING, ADIANTUM),
        KernelUser::Ipsec | KernelUser::Ktls => (CHACHA20_SETTING, CHACHA20),
    }
}

/// Measures drivers and software at what the user requests from them. Nothing for kTLS.
pub fn measure(user: KernelUser, needs: &[Need<'_>]) -> Result<Vec<KernelFigure>> {
    if needs.is_empty() || user == KernelUser::Ktls {
        return Ok(Vec::new());
    }
    let wanted = needs.iter().map(|(need, driver)| (need.setting, Some(*driver)));
    let wanted: Vec<(&str, Option<&Judged>)> = wanted.chain([(rival(user).0, None)]).collect();
    let _measuring = Measuring::begin()?;
    // A signal ends the measurement, which removes its disks and tunnels.
    let _guard = SignalGuard::hold();
    stop::listen_on();
    progress(&format!("{}: measuring, about {} s", user.name(), (2 * wanted.len() - 1) * SECONDS));
    let mut cleaner = Cleaner::start(&[CLEAN_UP])?;
    let figures = match user {
        KernelUser::Disk => disk::measure(&wanted, &mut cleaner),
        _ => ipsec::measure(&wanted, &mut cleaner),
    };
    drop(cleaner);
    progress("");
    figures
}

/// The facts by these figures, for kTLS by the policy.
pub fn facts(
    user: KernelUser,
    needs: &[Need<'_>],
    figures: &[KernelFigure],
    goal: Goal,
) -> Result<ServiceFacts> {
    let known = ServiceFacts { name: user.name().to_owned(), goal, ..ServiceFacts::default() };
    let bytes = match user {
        KernelUser::Disk => disk::SECTOR,
        KernelUser::Ipsec => ipsec::PACKET,
        KernelUser::Ktls => {
            let (policy, ciphers) = of_policy(needs, goal)?;
            return Ok(ServiceFacts { bytes: Some(RECORD), ciphers, policy, ..known });
        }
    };
    let of_need = |(need, driver): &Need<'_>| {
        let driver = driver.driver.name.as_str();
        let wins = verdict(figures, need.setting, driver, goal)? == SpeedVerdict::Wins;
        Ok(CipherFacts {
            cipher: need.setting.to_owned(),
            driver: Some(driver.to_owned()),
            from: wins.then_some(0),
            is_measured: true,
            ..CipherFacts::default()
        })
    };
    let ciphers = needs.iter().map(of_need).collect::<Result<Vec<_>>>()?;
    let offered = Negotiation::of(user.name()).map(Negotiation::by_default).unwrap_or_default();
    let is_kept = |one: &&KernelFigure| {
        one.contestant.accelerator.is_none()
            || ciphers.iter().any(|it| it.driver == one.contestant.accelerator && it.from.is_some())
    };
    let entrants = figures.iter().filter(is_kept).map(|one| entrant(user, &offered, one)).collect();
    Ok(ServiceFacts {
        bytes: Some(bytes as u32),
        ciphers,
        entrants,
        offered: Some(offered),
        policy: PolicyState::InForce,
        ..known
    })
}

fn entrant(user: KernelUser, offered: &Offered, one: &KernelFigure) -> Entrant {
    let suite = offered.suites.iter().find(|suite| suite.name == one.contestant.setting);
    Entrant {
        suite: one.contestant.setting.clone(),
        mac: None,
        cipher: suite.and_then(|suite| suite.cipher).unwrap_or(rival(user).1).to_owned(),
        driver: one.contestant.accelerator.clone(),
        megabytes_per_second: one.figure.megabytes_per_second,
        spread: one.figure.spread,
        cpu_ms_per_megabyte: one.figure.cpu_ms_per_megabyte,
        // CBC on a disk lets an attacker change blocks so that others stay readable.
        is_legacy: user == KernelUser::Disk && suite.is_some_and(OfferedSuite::is_legacy),
    }
}

pub fn verdict(figures: &[KernelFigure], setting: &str, driver: &str, goal: Goal) -> Result<SpeedVerdict> {
    let find = |accelerator: Option<&str>| {
        figures.iter().find(|one| {
            one.contestant.setting == setting && one.contestant.accelerator.as_deref() == accelerator
        })
    };
    let software = find(None).with_context(|| format!("{setting}: software was not measured"))?;
    let hardware = find(Some(driver)).with_context(|| format!("{setting}: {driver} was not measured"))?;
    if let Some(fault) = &hardware.fault {
        bail!("{setting}: {driver}: {fault}");
    }
    Ok(judge(goal, &software.series, &hardware.series))
}

/// The thresholds of `outboard tune` decide, which compare the same driver with OpenSSL.
fn of_policy(needs: &[Need<'_>], goal: Goal) -> Result<(PolicyState, Vec<CipherFacts>)> {
    let policy = Tuned::read(Path::new(POLICY_FILE))?;
    let state = match &policy {
        None => PolicyState::Absent,
        Some(policy) => match policy.is_of(Path::new("/")) {
            Err(why) => PolicyState::Unfit(why.to_string()),
            Ok(()) if policy.value("goal") != goal.name() => {
                PolicyState::OtherGoal(policy.value("goal").to_owned())
            }
            Ok(()) => PolicyState::InForce,
        },
    };
    let of_need = |(need, driver): &Need<'_>| of_thresholds(policy.as_ref(), need, &driver.driver.name);
    Ok((state, needs.iter().map(of_need).collect()))
}

fn of_thresholds(policy: Option<&Tuned>, need: &KernelNeed, driver: &str) -> CipherFacts {
    let cipher = if need.algorithm.starts_with("ccm") { "AES-128-CCM" } else { "AES-128-GCM" };
    let row = policy.and_then(|policy| policy.of(cipher)).filter(|row| row.driver == driver);
    CipherFacts {
        cipher: cipher.to_owned(),
        driver: Some(driver.to_owned()),
        from: row.as_ref().and_then(|row| u32::try_from(*row.from.iter().flatten().min()?).ok()),
        is_measured: row.is_some(),
        ..CipherFacts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_documents::Figure;
    use outboard_documents::decision::Decision;
    use outboard_measure::kernel_users::Contestant;
    use outboard_measure::turns::Series;

    fn figure(setting: &str, accelerator: Option<&str>, speed: f64, cpu: f64) -> KernelFigure {
        let driver = accelerator.map_or("essiv(cbc(plain),sha256-lib)", |_| "essiv(engine,sha256-lib)");
        KernelFigure {
            contestant: Contestant {
                setting: setting.to_owned(),
                driver: driver.to_owned(),
                accelerator: accelerator.map(str::to_owned),
            },
            figure: Figure {
                megabytes_per_second: speed,
                spread: 0.0,
                samples: 5,
                outliers: 0,
                cpu_ms_per_megabyte: Some(cpu),
                interrupts_per_request: 0.0,
            },
            series: Series {
                wall: vec![1.0 / speed; 5],
                cpu: Some(cpu * 5.0),
                requests: 5,
                interrupts: 1,
                ..Series::default()
            },
            fault: None,
        }
    }

    const CBC: &str = "aes-cbc-essiv:sha256";

    #[test]
    fn software_is_compared_with_the_driver_by_the_goal() {
        let figures = [figure(CBC, None, 40.0, 10.0), figure(CBC, Some("engine"), 38.0, 2.0)];
        let of = |goal| verdict(&figures, CBC, "engine", goal).unwrap();
        assert_eq!(of(Goal::Throughput), SpeedVerdict::Loses);
        assert_eq!(of(Goal::Cpu), SpeedVerdict::Wins);
        assert_eq!(of(Goal::Balanced), SpeedVerdict::Wins);
        let even = [figure(CBC, None, 40.0, 10.0), figure(CBC, Some("engine"), 40.0, 10.0)];
        assert_eq!(verdict(&even, CBC, "engine", Goal::Balanced).unwrap(), SpeedVerdict::Even);
    }

    #[test]
    fn a_driver_without_a_sound_figure_is_not_compared() {
        let why = |figures: &[KernelFigure]| {
            verdict(figures, CBC, "engine", Goal::Cpu).err().map(|why| why.to_string()).unwrap_or_default()
        };
        let (software, hardware) = (figure(CBC, None, 40.0, 10.0), figure(CBC, Some("engine"), 90.0, 1.0));
        assert!(why(std::slice::from_ref(&software)).ends_with("engine was not measured"));
        assert!(why(std::slice::from_ref(&hardware)).ends_with("software was not measured"));
        let refuted = KernelFigure { fault: Some("no interrupt".to_owned()), ..hardware };
        assert_eq!(why(&[software, refuted]), "aes-cbc-essiv:sha256: engine: no interrupt");
    }

    /// Each of these drivers was measured to win over software at its setting.
    fn of_user(user: KernelUser, figures: &[KernelFigure]) -> ServiceFacts {
        let drivers: Vec<(&'static KernelNeed, String)> = (user.needs().iter())
            .filter_map(|need| {
                let its = |one: &&KernelFigure| one.contestant.setting == need.setting;
                Some((need, figures.iter().filter(its).find_map(|one| one.contestant.accelerator.clone())?))
            })
            .collect();
        let judged: Vec<Judged> = drivers.iter().map(|(need, name)| judged(need.algorithm, name)).collect();
        let needs: Vec<Need<'_>> = drivers.iter().map(|(need, _)| *need).zip(&judged).collect();
        facts(user, &needs, figures, Goal::Balanced).unwrap()
    }

    fn judged(algorithm: &str, name: &str) -> Judged {
        let fixture =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures/armada388-helios4");
        let root = outboard_drivers::root::Root::saved(&fixture).unwrap();
        let mut one = outboard_drivers::find::survey(&root).unwrap().drivers.remove(0);
        (one.driver.algorithm, one.driver.name) = (algorithm.to_owned(), name.to_owned());
        one
    }

    #[test]
    fn a_disk_is_refused_where_adiantum_wins_over_each_accelerator_by_both() {
        let xts = "aes-xts-plain64";
        let refusal = |hardware: (f64, f64), software: f64| {
            let figures = vec![
                figure(xts, None, software, 1000.0 / software),
                figure(xts, Some("engine-xts"), hardware.0, hardware.1),
                figure(CBC, None, 10.0, 90.0),
                figure(CBC, Some("engine-cbc"), 30.0, 30.0),
                figure(ADIANTUM_SETTING, None, 60.0, 17.0),
            ];
            of_user(KernelUser::Disk, &figures).refusal().unwrap_or_default()
        };
        let why = refusal((40.0, 25.0), 20.0);
        for part in [
            "xchacha12,aes-adiantum-plain64 in software 60.0 MB/s and 17.0 ms",
            "aes-xts-plain64 by engine-xts 40.0 MB/s",
            "cryptsetup luksFormat --cipher xchacha12,aes-adiantum-plain64",
            "--aes-required",
        ] {
            assert!(why.contains(part), "{why}");
        }
        assert_eq!(refusal((80.0, 25.0), 20.0), "", "one that is faster is enough");
        assert_eq!(refusal((40.0, 5.0), 20.0), "", "or cheaper");
        assert!(!refusal((80.0, 15.0), 200.0).is_empty(), "one that loses to software does not count");
    }

    #[test]
    fn tunnels_are_compared_with_chacha20() {
        let gcm = "aes128gcm16";
        let figures = vec![
            figure(gcm, None, 4.0, 250.0),
            figure(gcm, Some("engine"), 6.0, 100.0),
            figure(CHACHA20_SETTING, None, 16.0, 60.0),
        ];
        let why = of_user(KernelUser::Ipsec, &figures).refusal().unwrap();
        assert!(why.contains("`esp_proposals = chacha20poly1305,aes128gcm16"), "{why}");
    }

    #[test]
    fn records_of_tls_are_compared_with_the_threshold() {
        let need = &KernelUser::Ktls.needs()[0];
        let decided = |line: &str| {
            let policy = Tuned::parse(format!("outboard-policy 2\ngoal balanced\n{line}\n")).unwrap();
            let facts = ServiceFacts {
                name: "ktls".to_owned(),
                bytes: Some(RECORD),
                ciphers: vec![of_thresholds(Some(&policy), need, "engine")],
                policy: PolicyState::InForce,
                ..ServiceFacts::default()
            };
            facts.decide().decision
        };
        assert_eq!(decided("AES-128-GCM 4096 never engine"), Decision::Use { settings: Vec::new() });
        assert_eq!(decided("AES-128-GCM 32768 never engine"), Decision::Leave);
        assert_eq!(decided("AES-128-GCM never never engine"), Decision::Leave);
        assert_eq!(decided("AES-128-GCM 4096 never other"), Decision::Unknown);
    }
}
