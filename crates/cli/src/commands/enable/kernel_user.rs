//! `outboard enable ktls`, `ipsec` and `disk`: makes the kernel select an accelerator's driver for
//! a user within the kernel.

mod measured;
mod text;

use anyhow::{Context as _, Result, bail};
use outboard_advice::{CipherFacts, ServiceFacts, details};
use outboard_console::{answer, progress, say};
use outboard_documents::{Goal, SpeedVerdict};
use outboard_drivers::find::Judged;
use outboard_drivers::kernel::Release;
use outboard_drivers::reach::{KernelNeed, KernelUser, NeedOutlook, Prospect, outlook};
use outboard_drivers::root::Root;
use outboard_measure::kernel_users::KernelFigure;
use outboard_services::enable::{self, Plan, PreferredDriver, Record, Tree, plan_kernel};

use super::{AES_REQUIRED, Options};
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
}

impl Choice<'_> {
    fn name(&self) -> &str {
        &self.driver.driver.name
    }
}

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
    let choices = choose(&outlooks);
    let goal = options.goal.map(Goal::from).unwrap_or_default();
    let before_reason = record.as_ref().and_then(|record| record.aes_required.clone());
    let (mut facts, figures) = match options.force {
        true => (ServiceFacts { name: user.name().to_owned(), ..ServiceFacts::default() }, Vec::new()),
        false => compared(user, &choices, goal)
            .context("the accelerator was not compared; --force enables it all the same")?,
    };
    facts.is_enabled = record.is_some();
    facts.is_aes_required = options.aes_required || before_reason.is_some();
    let mut shown = text::outlook(user, &outlooks) + &text::measured(&figures);
    for choice in choices.iter().filter(|choice| choice.is_selected) {
        let verdict = measured::verdict(&figures, choice.need.setting, choice.name(), goal);
        if verdict.is_ok_and(|verdict| verdict == SpeedVerdict::Loses) {
            say(&text::slow_driver_selected(user, choice));
        }
    }
    let is_kept = |choice: &&Choice<'_>| {
        let is_it =
            |one: &CipherFacts| one.driver.as_deref() == Some(choice.name()) && one.is_served(facts.bytes);
        options.force || facts.ciphers.iter().any(is_it)
    };
    let kept: Vec<&Choice<'_>> = choices.iter().filter(is_kept).collect();
    if let Some(why) = facts.refusal().filter(|_| !options.force || choices.is_empty()) {
        say(&shown);
        bail!("{why}");
    }
    if !options.force {
        shown += &(details(&facts.decide()) + "\n");
    }
    let reason = || facts.loss().unwrap_or_else(|| AES_REQUIRED.to_owned());
    let aes_required = before_reason.or_else(|| options.aes_required.then(reason));
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
    let names: Vec<String> = kept.iter().map(|choice| choice.name().to_owned()).collect();
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
            choices.push(Choice { need: one.need, driver, is_selected });
        }
    }
    choices
}

/// Measures the accelerators, and returns the facts for the decision with the figures.
fn compared(
    user: KernelUser,
    choices: &[Choice<'_>],
    goal: Goal,
) -> Result<(ServiceFacts, Vec<KernelFigure>)> {
    let needs: Vec<_> = choices.iter().map(|choice| (choice.need, choice.driver)).collect();
    let figures = measured::measure(user, &needs)?;
    Ok((measured::facts(user, &needs, &figures, goal)?, figures))
}

/// Measures the accelerators that the kernel selects for the user, and software.
pub fn measure_selected(user: KernelUser) -> Result<Vec<KernelFigure>> {
    let release = Release::read(&Root::live());
    let kernel = KernelDrivers::with_instances_for(user, release.as_ref())?;
    let outlooks = outlook(user, &kernel.drivers, release.as_ref());
    let selected = choose(&outlooks).into_iter().filter(|choice| choice.is_selected);
    measured::measure(user, &selected.map(|choice| (choice.need, choice.driver)).collect::<Vec<_>>())
}

/// The facts for the decision, by the same measurement as [`enable`].
pub fn facts(user: KernelUser, goal: Goal) -> Result<ServiceFacts> {
    let record = Record::read(&Tree::at(std::path::Path::new("/")), user.name());
    let record = record.map_err(|why| anyhow::anyhow!(why))?;
    let release = Release::read(&Root::live());
    let kernel = KernelDrivers::with_instances_for(user, release.as_ref())?;
    let outlooks = outlook(user, &kernel.drivers, release.as_ref());
    let (facts, _) = compared(user, &choose(&outlooks), goal)?;
    let is_aes_required = record.as_ref().is_some_and(|record| record.aes_required.is_some());
    Ok(ServiceFacts { is_enabled: record.is_some(), is_aes_required, ..facts })
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
    let raised = drivers.iter().try_for_each(|one| kernel_choice::change(one).map(drop));
    let changed = raised.map_err(Into::into).and_then(|()| verify(user, release, needs, names));
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
