//! Texts of `outboard enable ktls`, `ipsec` and `disk`.

use std::fmt::Write as _;

use anyhow::Result;
use outboard_console::aligned;
use outboard_drivers::find::Judged;
use outboard_drivers::preference::priority_to_win;
use outboard_drivers::reach::{KernelUser, NeedOutlook, Prospect};
use outboard_measure::kernel_users::KernelFigure;
use outboard_services::enable::{Plan, PreferredDriver};

use super::Choice;

pub fn reader(user: KernelUser) -> &'static str {
    user.route().name()
}

/// Which driver the kernel selects for each need, and what each accelerator could do.
pub fn outlook(user: KernelUser, outlooks: &[NeedOutlook<'_>]) -> String {
    let row = |cells: [&str; 5]| cells.map(str::to_owned);
    let mut needs = vec![row(["algorithm", "setting", "the kernel selects", "priority", "runs on"])];
    let mut accelerators: Vec<[String; 4]> =
        vec![["accelerator", "for", "selected", "why"].map(str::to_owned)];
    for one in outlooks {
        let (driver, priority) = one.selected.map_or(("-".to_owned(), "-".to_owned()), |selected| {
            (selected.driver.name.clone(), selected.driver.priority.to_string())
        });
        let place = match (one.accelerator, one.selected) {
            (Some(accelerator), _) => accelerator.driver.name.clone(),
            (None, Some(_)) => "the CPU".to_owned(),
            (None, None) => "nothing".to_owned(),
        };
        let need = [one.need.algorithm, one.need.setting].map(str::to_owned);
        let [algorithm, setting] = need;
        needs.push([algorithm, setting, driver, priority, place]);
        for it in &one.prospects {
            let (word, why) = match &it.prospect {
                Prospect::Selected => ("yes", "it has the highest priority".to_owned()),
                Prospect::IfPreferred => ("no", outranked(it.driver, one)),
                Prospect::Excluded(why) => ("never", why.clone()),
            };
            accelerators.push([
                it.driver.driver.name.clone(),
                one.need.algorithm.to_owned(),
                word.to_owned(),
                why,
            ]);
        }
    }
    let mut out =
        format!("{}: what {} requests\n\n{}\n", user.name(), reader(user), aligned(&needs, 3..4, "  "));
    match accelerators.len() {
        1 => out.push_str("  no accelerator has one of these algorithms or a part of them\n\n"),
        _ => _ = writeln!(out, "{}", aligned(&accelerators, 0..0, "  ")),
    }
    out
}

fn outranked(driver: &Judged, need: &NeedOutlook<'_>) -> String {
    let own = driver.driver.priority;
    match need.selected {
        Some(other) => format!(
            "its priority is {own}, {} was selected with {}",
            other.driver.name, other.driver.priority
        ),
        None => format!("its priority is {own}"),
    }
}

pub fn measured(figures: &[KernelFigure]) -> String {
    let mut rows = vec![["measured", "driver", "MB/s", "CPU ms/MB"].map(str::to_owned)];
    for KernelFigure { contestant, figure, .. } in figures {
        let cpu = figure.cpu_ms_per_megabyte.map_or("-".to_owned(), |value| format!("{value:.1}"));
        let speed = format!("{:.1}", figure.megabytes_per_second);
        rows.push([contestant.setting.clone(), contestant.driver.clone(), speed, cpu]);
    }
    if rows.len() == 1 { String::new() } else { aligned(&rows, 2..4, "  ") + "\n" }
}

/// An accelerator that is slower than software has the highest priority.
pub fn slow_driver_selected(user: KernelUser, choice: &Choice<'_>) -> String {
    let (name, algorithm) = (choice.name(), choice.need.algorithm);
    format!(
        "WARNING: {} already gets {name} for {algorithm}, and software is faster: outboard prefer --software {name}",
        reader(user)
    )
}

pub fn priorities(drivers: &[Judged], preferred: &[PreferredDriver]) -> Result<String> {
    let mut out = String::new();
    for one in preferred {
        let now = priority_to_win(drivers, &one.name)?;
        let _ = writeln!(
            out,
            "# priority of {}: {} -> {now}, now and after each boot",
            one.name, one.own_priority
        );
    }
    Ok(out)
}

pub fn done(plan: &Plan, preferred: &[PreferredDriver], next: &str) -> String {
    let mut out = format!("{} is enabled; written:\n", plan.service);
    plan.files.iter().for_each(|file| _ = writeln!(out, "  {}", file.path.display()));
    for one in preferred {
        let _ = writeln!(out, "the kernel prefers {} (its own priority is {})", one.name, one.own_priority);
    }
    out + next
}

pub fn next(user: KernelUser, choices: &[&Choice<'_>]) -> String {
    let settings: Vec<&str> = choices.iter().map(|choice| choice.need.setting).collect();
    let settings = settings.join(" or ");
    match user {
        KernelUser::Disk => format!(
            "Served: disks with {settings} (cryptsetup luksFormat --cipher ...). A disk that is open keeps its driver until it is \
             closed;\none that the initramfs opens gets the driver that the kernel prefers there.\n"
        ),
        KernelUser::Ipsec => format!(
            "Served: connections with esp_proposals = {settings} on both ends. A connection keeps its driver until it is rekeyed:\n  \
             swanctl --rekey --child NAME\n"
        ),
        KernelUser::Ktls => format!(
            "Served: {settings} in programs that use kTLS, whose records then do not pass through OpenSSL's providers:\n  \
             nginx: ssl_conf_command Options KTLS;    openssl.cnf: Options = KTLS\n"
        ),
    }
}
