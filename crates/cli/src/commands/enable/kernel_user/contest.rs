//! Whether an accelerator wins for a user within the kernel: dm-crypt and IPsec are measured with it,
//! with the kernel's best software, and with another cipher that the user may choose. For kTLS the
//! policy of `outboard tune` decides.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use outboard_console::progress;
use outboard_documents::choice::Entrant;
use outboard_documents::{Goal, SpeedVerdict};
use outboard_drivers::Judged;
use outboard_drivers::reach::{KernelNeed, KernelUser};
use outboard_measure::goal::judge;
use outboard_measure::kernel_users::cipher::ADIANTUM;
use outboard_measure::kernel_users::cleaner::Cleaner;
use outboard_measure::kernel_users::esp::CHACHA20_SETTING;
use outboard_measure::kernel_users::{KernelFigure, disk, ipsec};
use outboard_measure::{Measuring, stop};
use outboard_policy::{POLICY_FILE, Tuned};
use outboard_services::choice::{self, Negotiation, OfferedSuite};

use crate::commands::CLEAN_UP;
use crate::commands::tune::GoalName;
use crate::signals::SignalGuard;

/// Bytes of a full TLS record (RFC 8446, 5.1).
const RECORD: usize = 16384;

/// About the time of a contestant's samples, in seconds.
const SECONDS: usize = 2;

/// A setting by software and by an accelerator.
pub struct Contest {
    pub rows: Vec<ContestRow>,
    pub verdict: SpeedVerdict,
}

/// One contestant.
#[derive(Clone)]
pub struct ContestRow {
    pub job: String,
    pub driver: String,
    /// 10^6 bytes per second; `None` where only the threshold is known.
    pub megabytes_per_second: Option<f64>,
    /// Of the whole system.
    pub cpu_ms_per_megabyte: Option<f64>,
}

impl From<&KernelFigure> for ContestRow {
    fn from(one: &KernelFigure) -> Self {
        Self {
            job: one.contestant.setting.clone(),
            driver: one.contestant.driver.clone(),
            megabytes_per_second: Some(one.figure.megabytes_per_second),
            cpu_ms_per_megabyte: one.figure.cpu_ms_per_megabyte,
        }
    }
}

/// What was measured for a user: a contest for each need, and the figures of all contestants.
#[derive(Default)]
pub struct Measured {
    pub contests: Vec<Contest>,
    /// Empty for kTLS.
    pub figures: Vec<KernelFigure>,
}

/// Compares drivers with software at what the user requests from them.
pub fn measure(user: KernelUser, needs: &[(&KernelNeed, &Judged)], goal: GoalName) -> Result<Measured> {
    if needs.is_empty() {
        return Ok(Measured::default());
    }
    let (rival, _) = match user {
        KernelUser::Ktls => {
            let of = |(need, driver): &(&KernelNeed, &Judged)| of_policy(need, &driver.driver.name, goal);
            return Ok(Measured {
                contests: needs.iter().map(of).collect::<Result<_>>()?,
                figures: Vec::new(),
            });
        }
        KernelUser::Disk | KernelUser::Ipsec => rival(user),
    };
    let wanted = needs.iter().map(|(need, driver)| (need.setting, Some(*driver))).chain([(rival, None)]);
    let wanted: Vec<(&str, Option<&Judged>)> = wanted.collect();
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
    let figures = figures?;
    let of = |(need, driver): &(&KernelNeed, &Judged)| {
        of_figures(&figures, need.setting, &driver.driver.name, goal.into())
    };
    let contests = needs.iter().map(of).collect::<Result<_>>()?;
    Ok(Measured { contests, figures })
}

/// The setting of the cipher that competes with AES, and the name of that cipher.
fn rival(user: KernelUser) -> (&'static str, &'static str) {
    match user {
        KernelUser::Disk => (ADIANTUM, choice::ADIANTUM),
        KernelUser::Ipsec | KernelUser::Ktls => (CHACHA20_SETTING, choice::CHACHA20),
    }
}

fn of_figures(figures: &[KernelFigure], setting: &str, driver: &str, goal: Goal) -> Result<Contest> {
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
    let verdict = judge(goal, &software.series, &hardware.series);
    Ok(Contest { rows: [software, hardware].map(ContestRow::from).to_vec(), verdict })
}

impl Measured {
    /// The figures of the cipher that competes with AES.
    pub fn rival(&self, user: KernelUser) -> Option<ContestRow> {
        self.figures.iter().find(|one| one.contestant.setting == rival(user).0).map(ContestRow::from)
    }

    /// Compares the ciphers that the user may choose, with these accelerators. `None` for kTLS, whose
    /// programs choose.
    pub fn choice(&self, user: KernelUser, accelerators: &[&str], goal: GoalName) -> Option<choice::Contest> {
        let (negotiation, bytes) = match user {
            KernelUser::Disk => (Negotiation::Disk, disk::SECTOR),
            KernelUser::Ipsec => (Negotiation::Ipsec, ipsec::PACKET),
            KernelUser::Ktls => return None,
        };
        let offered = negotiation.by_default();
        let is_kept = |one: &&KernelFigure| {
            one.contestant.accelerator.as_deref().is_none_or(|driver| accelerators.contains(&driver))
        };
        let entrant = |one: &KernelFigure| {
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
        };
        let entrants = self.figures.iter().filter(is_kept).map(entrant).collect();
        choice::Contest::of_entrants(negotiation, offered.clone(), bytes as usize, goal.into(), entrants)
    }
}

/// The thresholds of `outboard tune` decide, which compare the same
/// driver with OpenSSL.
fn of_policy(need: &KernelNeed, driver: &str, goal: GoalName) -> Result<Contest> {
    let policy = Tuned::read(Path::new(POLICY_FILE))?;
    let policy =
        policy.context("which of the two wins was not measured on this machine: run outboard tune")?;
    policy.is_of(Path::new("/")).with_context(|| format!("{POLICY_FILE} is not used"))?;
    if policy.value("goal") != goal.name() {
        bail!(
            "it was measured for the goal {}: run outboard tune --goal {}",
            policy.value("goal"),
            goal.name()
        );
    }
    of_thresholds(&policy, need, driver)
}

fn of_thresholds(policy: &Tuned, need: &KernelNeed, driver: &str) -> Result<Contest> {
    let cipher = if need.algorithm.starts_with("ccm") { "AES-128-CCM" } else { "AES-128-GCM" };
    let row = policy.of(cipher).filter(|row| row.driver == driver);
    let row = row.with_context(|| format!("outboard tune did not measure {cipher} by {driver}"))?;
    let from = row.from.iter().flatten().min().copied();
    let job = match from {
        Some(bytes) => format!("{cipher}, wins from {bytes} bytes"),
        None => format!("{cipher}, wins at no size"),
    };
    let row =
        ContestRow { job, driver: driver.to_owned(), megabytes_per_second: None, cpu_ms_per_megabyte: None };
    let verdict = match from {
        Some(bytes) if bytes <= RECORD => SpeedVerdict::Wins,
        _ => SpeedVerdict::Loses,
    };
    Ok(Contest { rows: vec![row], verdict })
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_documents::Figure;
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
        let of = |goal| of_figures(&figures, CBC, "engine", goal).unwrap();
        assert_eq!(of(Goal::Throughput).verdict, SpeedVerdict::Loses);
        assert_eq!(of(Goal::Cpu).verdict, SpeedVerdict::Wins);
        assert_eq!(of(Goal::Balanced).verdict, SpeedVerdict::Wins);
        let even = [figure(CBC, None, 40.0, 10.0), figure(CBC, Some("engine"), 40.0, 10.0)];
        assert_eq!(of_figures(&even, CBC, "engine", Goal::Balanced).unwrap().verdict, SpeedVerdict::Even);
        let drivers: Vec<String> = of(Goal::Cpu).rows.into_iter().map(|row| row.driver).collect();
        assert_eq!(drivers, ["essiv(cbc(plain),sha256-lib)", "essiv(engine,sha256-lib)"]);
    }

    #[test]
    fn a_driver_without_a_sound_figure_is_not_compared() {
        let why = |figures: &[KernelFigure]| {
            of_figures(figures, CBC, "engine", Goal::Cpu).err().map(|why| why.to_string()).unwrap_or_default()
        };
        let (software, hardware) = (figure(CBC, None, 40.0, 10.0), figure(CBC, Some("engine"), 90.0, 1.0));
        assert!(why(std::slice::from_ref(&software)).ends_with("engine was not measured"));
        assert!(why(std::slice::from_ref(&hardware)).ends_with("software was not measured"));
        let refuted = KernelFigure { fault: Some("no interrupt".to_owned()), ..hardware };
        assert_eq!(why(&[software, refuted]), "aes-cbc-essiv:sha256: engine: no interrupt");
    }

    #[test]
    fn a_disk_is_refused_where_adiantum_wins_over_each_accelerator_by_both() {
        let xts = "aes-xts-plain64";
        let refusal = |hardware: (f64, f64), accelerators: &[&str]| {
            let figures = vec![
                figure(xts, None, 20.0, 50.0),
                figure(xts, Some("engine-xts"), hardware.0, hardware.1),
                figure(CBC, None, 10.0, 90.0),
                figure(CBC, Some("engine-cbc"), 30.0, 30.0),
                figure(ADIANTUM, None, 60.0, 17.0),
            ];
            let measured = Measured { contests: Vec::new(), figures };
            let choice = measured.choice(KernelUser::Disk, accelerators, GoalName::Balanced).unwrap();
            choice.refusal("dm-crypt").unwrap_or_default()
        };
        let both = ["engine-xts", "engine-cbc"];
        let why = refusal((40.0, 25.0), &both);
        for part in [
            "xchacha12,aes-adiantum-plain64 in software 60.0 MB/s and 17.0 ms",
            "aes-xts-plain64 by engine-xts 40.0 MB/s",
            "cryptsetup luksFormat --cipher xchacha12,aes-adiantum-plain64",
            "--aes-required",
        ] {
            assert!(why.contains(part), "{why}");
        }
        assert_eq!(refusal((80.0, 25.0), &both), "", "one that is faster is enough");
        assert_eq!(refusal((40.0, 5.0), &both), "", "or cheaper");
        assert!(!refusal((80.0, 25.0), &both[1..]).is_empty(), "one that loses to software does not count");
    }

    #[test]
    fn tunnels_are_compared_with_chacha20_and_records_of_tls_are_not() {
        let gcm = "aes128gcm16";
        let figures = vec![
            figure(gcm, None, 4.0, 250.0),
            figure(gcm, Some("engine"), 6.0, 100.0),
            figure(CHACHA20_SETTING, None, 16.0, 60.0),
        ];
        let measured = Measured { contests: Vec::new(), figures };
        assert_eq!(measured.rival(KernelUser::Ipsec).unwrap().megabytes_per_second, Some(16.0));
        let choice = measured.choice(KernelUser::Ipsec, &["engine"], GoalName::Balanced).unwrap();
        let why = choice.refusal("IPsec").unwrap();
        assert!(why.contains("`esp_proposals = chacha20poly1305,aes128gcm16    # swanctl.conf"), "{why}");
        assert!(measured.choice(KernelUser::Ktls, &["engine"], GoalName::Balanced).is_none());
    }

    #[test]
    fn records_of_tls_are_compared_with_the_threshold() {
        let policy =
            |line: &str| Tuned::parse(format!("outboard-policy 2\ngoal balanced\n{line}\n")).unwrap();
        let need = &KernelUser::Ktls.needs()[0];
        let wins = |line: &str| {
            of_thresholds(&policy(line), need, "engine").map(|it| it.verdict == SpeedVerdict::Wins).ok()
        };
        assert_eq!(wins("AES-128-GCM 4096 never engine"), Some(true));
        assert_eq!(wins("AES-128-GCM 32768 never engine"), Some(false));
        assert_eq!(wins("AES-128-GCM never never engine"), Some(false));
        assert_eq!(wins("AES-128-GCM 4096 never other"), None);
    }
}
