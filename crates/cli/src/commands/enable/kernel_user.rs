//! `outboard enable ktls`, `ipsec` and `disk`: makes the kernel select an accelerator's driver for
//! a user within the kernel.

mod contest;
mod text;

use anyhow::{Context as _, Result, bail};
use outboard_console::{answer, progress, say};
use outboard_documents::SpeedVerdict;
use outboard_drivers::find::Judged;
use outboard_drivers::kernel::Release;
use outboard_drivers::reach::{KernelNeed, KernelUser, NeedOutlook, Prospect, outlook};
use outboard_drivers::root::Root;
use outboard_services::enable::{self, Plan, PreferredDriver, Record, Tree, plan_kernel};

use self::contest::{Contest, Measured};
use super::{AES_REQUIRED, Options};
use crate::commands::setup::document::Advice;
use crate::commands::tune::GoalName;
use crate::kernel_choice::{self, KernelDrivers};
use crate::signals;

/// The module of kTLS. The kernel loads it by itself only for processes that may load modules.
const KTLS_MODULE: &str = "tls";

/// An accelerator that is to serve a need.
struct Choice<'a> {
    need: &'static KernelNeed,
    driver: &'a Judged,
    /// The kernel selects it now.
    is_selected: bool,
    /// The comparison with software; `None` if it was not measured.
    contest: Option<Contest>,
}

impl Choice<'_> {
    fn name(&self) -> &str {
        &self.driver.driver.name
    }

    /// Whether it was measured, and does not win.
    fn is_left(&self) -> bool {
        self.verdict().is_some_and(|verdict| verdict != SpeedVerdict::Wins)
    }

    fn verdict(&self) -> Option<SpeedVerdict> {
        self.contest.as_ref().map(|contest| contest.verdict)
    }
}

/// Runs the command for one user.
pub fn enable(options: &Options, user: KernelUser) -> Result<()> {
    if options.place.root.is_some() || options.restart || options.module.is_some() {
        bail!("--root, --restart and --module are for services with a process of their own");
    }
    if options.json {
        bail!("--json is for services with a process of their own");
    }
    let tree = Tree::at(std::path::Path::new("/"));
    let release = Release::read(&Root::live());
    progress(&format!("{}: requesting its algorithms from the kernel", user.name()));
    let kernel = KernelDrivers::with_instances_for(user, release.as_ref());
    progress("");
    let kernel = kernel?;
    let outlooks = outlook(user, &kernel.drivers, release.as_ref());
    let record = Record::read(&tree, user.name()).map_err(|why| anyhow::anyhow!(why))?;
    let preferred = kernel_choice::preferred(&tree)?;
    let before = record.as_ref().map(|record| enable::preferred_of(&record.files)).unwrap_or_default();
    let mut choices = choose(&outlooks);
    let goal = options.goal.unwrap_or_default();
    let measured = match options.force {
        true => Measured::default(),
        false => compare(user, &mut choices, goal)
            .context("the accelerator was not compared; --force enables it all the same")?,
    };
    let shown = text::outlook(user, &outlooks) + &text::contests(&choices, measured.rival(user));
    for choice in
        choices.iter().filter(|choice| choice.is_selected && choice.verdict() == Some(SpeedVerdict::Loses))
    {
        say(&text::slow_driver_selected(user, choice));
    }
    let kept: Vec<&Choice<'_>> = choices.iter().filter(|choice| !choice.is_left()).collect();
    if kept.is_empty() {
        say(&shown);
        match choices.is_empty() {
            true => bail!(
                "no accelerator of this machine can serve {}; the reasons are above",
                text::reader(user)
            ),
            false => {
                bail!("no accelerator wins for {}; --force enables one all the same", text::reader(user))
            }
        }
    }
    let comparison = measured.choice(user, &names(&kept), goal);
    let before_reason = record.and_then(|record| record.aes_required);
    let aes_required = match (&comparison, before_reason) {
        (_, Some(reason)) => Some(reason),
        (Some(comparison), None) => match (comparison.refusal(text::reader(user)), options.aes_required) {
            (Some(why), false) => {
                say(&shown);
                bail!("{why}");
            }
            (_, false) => None,
            (_, true) => comparison.reason(text::reader(user)).or(Some(AES_REQUIRED.to_owned())),
        },
        (None, None) => options.aes_required.then(|| AES_REQUIRED.to_owned()),
    };
    let shown = shown + &text::sentence(user, comparison.as_ref(), aes_required.is_some());
    let to_prefer = kept
        .iter()
        .filter(|choice| !choice.is_selected || before.iter().any(|driver| driver.name == choice.name()));
    let drivers = to_prefer
        .map(|choice| kernel_choice::to_prefer(&kernel.drivers, &preferred, user.name(), choice.name()))
        .collect::<Result<Vec<PreferredDriver>>>()?;
    let mut plan = plan_kernel(user.name(), &modules(user, &kept), &drivers);
    plan.aes_required = aes_required;
    let steps = enable::steps_to_enable(&tree, &plan, options.overwrite)?;
    if options.dry_run {
        let changes = super::text::files(&tree, &plan, &steps)?;
        let priorities = text::priorities(&kernel.drivers, &drivers)?;
        return Ok(answer(&(shown + &changes + &priorities + &text::next(user, &kept)))?);
    }
    let lock = options.place.lock()?;
    let needs: Vec<&KernelNeed> = kept.iter().map(|choice| choice.need).collect();
    // The instances of the trial would be selected by a user that begins in this moment.
    let names: Vec<String> = names(&kept).into_iter().map(str::to_owned).collect();
    let next = text::next(user, &kept);
    drop(kernel);
    let applied = apply(&tree, &plan, &drivers, user, release.as_ref(), &needs, &names, options.overwrite);
    drop(lock);
    applied?;
    Ok(answer(&text::done(&plan, &drivers, &next))?)
}

/// For each need the accelerator that is selected, or the first one that could be; each driver once.
fn choose<'a>(outlooks: &[NeedOutlook<'a>]) -> Vec<Choice<'a>> {
    let mut choices: Vec<Choice<'a>> = Vec::new();
    for one in outlooks {
        let possible =
            |it: &&outboard_drivers::reach::ProspectiveDriver<'a>| it.prospect == Prospect::IfPreferred;
        let found = one
            .accelerator
            .map(|driver| (driver, true))
            .or_else(|| one.prospects.iter().find(possible).map(|it| (it.driver, false)));
        let Some((driver, is_selected)) = found else { continue };
        if !choices.iter().any(|known| known.name() == driver.driver.name) {
            choices.push(Choice { need: one.need, driver, is_selected, contest: None });
        }
    }
    choices
}

fn names<'c>(choices: &'c [&Choice<'_>]) -> Vec<&'c str> {
    choices.iter().map(|choice| choice.name()).collect()
}

/// Measures the accelerators, and compares each with software.
fn compare(user: KernelUser, choices: &mut [Choice<'_>], goal: GoalName) -> Result<Measured> {
    let needs: Vec<_> = choices.iter().map(|choice| (choice.need, choice.driver)).collect();
    let mut measured = contest::measure(user, &needs, goal)?;
    let contests = std::mem::take(&mut measured.contests);
    choices.iter_mut().zip(contests).for_each(|(choice, contest)| choice.contest = Some(contest));
    Ok(measured)
}

/// What to do with a user and why, by the same measurement as [`enable`], and whether it is enabled.
pub fn advise(user: KernelUser, goal: GoalName) -> Result<(Advice, String, bool)> {
    let record = Record::read(&Tree::at(std::path::Path::new("/")), user.name());
    let record = record.map_err(|why| anyhow::anyhow!(why))?;
    let is_enabled = record.is_some();
    let release = Release::read(&Root::live());
    let kernel = KernelDrivers::with_instances_for(user, release.as_ref())?;
    let outlooks = outlook(user, &kernel.drivers, release.as_ref());
    let mut choices = choose(&outlooks);
    let measured = compare(user, &mut choices, goal)?;
    let kept: Vec<&Choice<'_>> = choices.iter().filter(|choice| !choice.is_left()).collect();
    if kept.is_empty() {
        let why = match choices.is_empty() {
            true => "no accelerator of this machine can serve it",
            false => "no accelerator wins over software",
        };
        return Ok((Advice::Leave, why.to_owned(), is_enabled));
    }
    let comparison = measured.choice(user, &names(&kept), goal);
    let refusal = comparison.as_ref().and_then(|comparison| comparison.refusal(text::reader(user)));
    let sentence = comparison.map(|comparison| comparison.sentence()).unwrap_or_default();
    let (advice, reason) = match (record, refusal) {
        (None, Some(why)) => (Advice::OtherCipher, why),
        (None, None) => (Advice::SwitchOn, sentence),
        (Some(record), Some(why)) if record.aes_required.is_none() => (Advice::Leave, why),
        (Some(_), _) => (Advice::Enabled, sentence),
    };
    Ok((advice, reason, is_enabled))
}

/// The modules to load at boot.
fn modules(user: KernelUser, choices: &[&Choice<'_>]) -> Vec<String> {
    let mut modules: Vec<String> = Vec::new();
    let own = (user == KernelUser::Ktls).then_some(KTLS_MODULE);
    let drivers = choices.iter().map(|choice| choice.driver.driver.module.as_str());
    for module in own.into_iter().chain(drivers.filter(|module| *module != "kernel")) {
        if !modules.iter().any(|known| known == module) {
            modules.push(module.to_owned());
        }
    }
    modules
}

/// Writes the files, changes the priorities, and verifies what the kernel selects. Undoes both on
/// an error.
#[expect(clippy::too_many_arguments, reason = "the parts of one change")]
fn apply(
    tree: &Tree,
    plan: &Plan,
    drivers: &[PreferredDriver],
    user: KernelUser,
    release: Option<&Release>,
    needs: &[&KernelNeed],
    names: &[String],
    overwrite: bool,
) -> Result<()> {
    let was_enabled = Record::read(tree, user.name()).is_ok_and(|record| record.is_some());
    enable::enable(tree, plan, overwrite)?;
    let changed = kernel_choice::raise(drivers).and_then(|()| verify(user, release, needs, names));
    let changed = changed.and_then(|()| signals::check());
    let Err(error) = changed else { return Ok(()) };
    if was_enabled {
        return Err(error.context("nothing was undone, since it was enabled before"));
    }
    kernel_choice::restore(drivers).context("the priorities could not be restored")?;
    enable::disable(tree, user.name(), true).context("the files could not be removed")?;
    Err(error.context("the change was undone"))
}

/// Whether the kernel now selects the drivers.
fn verify(
    user: KernelUser,
    release: Option<&Release>,
    needs: &[&KernelNeed],
    names: &[String],
) -> Result<()> {
    let kernel = KernelDrivers::with_instances_for(user, release)?;
    let outlooks = outlook(user, &kernel.drivers, release);
    for (need, name) in needs.iter().zip(names) {
        let Some(one) = outlooks.iter().find(|one| one.need == *need) else { continue };
        if one.accelerator.is_none_or(|driver| driver.driver.name != *name) {
            let other = one.selected.map_or("nothing", |selected| selected.driver.name.as_str());
            bail!("for {} the kernel still selects {other} and not {name}", need.algorithm);
        }
    }
    Ok(())
}
