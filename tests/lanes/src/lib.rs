//! `tests/legs.toml`: which theme runs on which leg in which lane, and which skips are allowed
//! there.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::str::FromStr;

use serde::Deserialize;

/// The tests on the machine that runs `make test`. It has no test machine and no CPU model.
pub const HOST: &str = "host";

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// `make test`: each theme on the legs where it can differ.
    Fast,
    /// `make test-all`: each theme on each leg that has what it needs.
    All,
}

impl FromStr for Lane {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "fast" => Ok(Self::Fast),
            "all" => Ok(Self::All),
            _ => Err(format!("no lane named {name}: fast or all")),
        }
    }
}

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegsFile {
    legs: Vec<Leg>,
    themes: BTreeMap<String, Theme>,
    #[serde(default)]
    skips: Vec<AllowedSkip>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Leg {
    name: String,
    /// QEMU's name of the CPU model.
    cpu: String,
    /// Only themes that name this leg run on it.
    #[serde(default)]
    must_be_named: bool,
    /// The themes of the fast lane. Default: those that name this leg or all.
    fast: Option<Vec<String>>,
    /// How many themes of the end-to-end tests run in the same machine. Default: all.
    themes_per_boot: Option<NonZeroUsize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Theme {
    #[serde(default)]
    machine: Boot,
    /// The model of a vendor's engine that the machine has (vm/run --model): themes of the same one
    /// share a boot, named `model-MODEL`.
    model: Option<String>,
    /// The legs of both lanes. Default: all.
    only: Option<Vec<String>>,
    /// The legs of the fast lane. Default: those of `only`.
    fast: Option<Vec<String>>,
    /// The tests of the fast lane. Default: each of the theme.
    fast_tests: Option<Vec<String>>,
    /// Why not each leg, or each test.
    why: Option<String>,
    /// How long a fuzzer runs.
    seconds: Option<Seconds>,
}

/// Themes of one boot run in the same machine.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
enum Boot {
    Host,
    Module,
    #[default]
    EndToEnd,
    Applications,
    Faults,
    Packages,
    Browser,
}

impl Boot {
    fn name(self) -> &'static str {
        match self {
            Self::Host => HOST,
            Self::Module => "module",
            Self::EndToEnd => "end-to-end",
            Self::Applications => "applications",
            Self::Faults => "faults",
            Self::Packages => "packages",
            Self::Browser => "browser",
        }
    }

    /// Whether its themes are modules of the end-to-end tests.
    fn is_end_to_end(self) -> bool {
        matches!(self, Self::EndToEnd | Self::Applications | Self::Faults)
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seconds {
    #[serde(default)]
    fast: u32,
    all: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowedSkip {
    themes: Vec<String>,
    /// The tests that are skipped. Default: any of these themes.
    tests: Option<Vec<String>>,
    /// What the test reports as missing: the beginning of the text.
    missing: String,
    /// Where. Default: each leg of the theme.
    legs: Option<Vec<String>>,
    /// Why the part is missing there.
    #[serde(rename = "reason")]
    _reason: String,
    /// A condition of the machine that runs the tests: without it the skip has to happen.
    when: Option<String>,
}

/// A test that did not run, as its line in the log reports it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ReportedSkip {
    theme: String,
    test: String,
    missing: String,
}

impl LegsFile {
    /// Parses the file and checks that it contradicts nothing in itself.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        for leg in &file.legs {
            let runs = |name: &String| {
                file.themes.get(name).is_some_and(|theme| file.legs_of(theme, Lane::All).contains(&*leg.name))
            };
            if let Some(theme) = leg.fast.iter().flatten().find(|name| !runs(name)) {
                return Err(format!("leg {}: no theme named {theme} runs on it", leg.name));
            }
        }
        for (name, theme) in &file.themes {
            file.check_theme(theme).map_err(|problem| format!("theme {name}: {problem}"))?;
        }
        for skip in &file.skips {
            file.check_skip(skip).map_err(|problem| format!("skip of {}: {problem}", skip.missing))?;
        }
        Ok(file)
    }

    fn check_skip(&self, skip: &AllowedSkip) -> Result<(), String> {
        let unknown = skip.themes.iter().find(|theme| !self.themes.contains_key(*theme));
        let themes = || skip.themes.iter().filter_map(|name| self.themes.get(name));
        let runs_on = |leg: &str| themes().any(|theme| self.legs_of(theme, Lane::All).contains(leg));
        match (unknown, skip.legs.iter().flatten().find(|leg| !runs_on(leg))) {
            (Some(theme), _) => Err(format!("no theme named {theme}")),
            (None, Some(leg)) => Err(format!("none of its themes runs on {leg}")),
            (None, None) => Ok(()),
        }
    }

    fn check_theme(&self, theme: &Theme) -> Result<(), String> {
        let allowed = self.legs_of(theme, Lane::All);
        for leg in theme.only.iter().chain(&theme.fast).flatten() {
            if leg != HOST && !self.legs.iter().any(|known| known.name == *leg) {
                return Err(format!("no leg named {leg}"));
            }
            if !allowed.contains(leg.as_str()) {
                return Err(format!("it never runs on {leg}"));
            }
        }
        if self.legs_of(theme, Lane::Fast).is_empty() && theme.why.is_none() {
            return Err("it needs a reason (why) to be in no leg of the fast lane".to_owned());
        }
        if theme.fast_tests.is_some() && theme.why.is_none() {
            return Err("it needs a reason (why) for the tests that the fast lane leaves out".to_owned());
        }
        if theme.fast_tests.is_some() && !theme.machine.is_end_to_end() {
            return Err("only tests of the end-to-end program can be chosen".to_owned());
        }
        if theme.model.is_some() && (theme.machine != Boot::EndToEnd || theme.only.is_none()) {
            return Err(
                "a theme with a model is one of the end-to-end program, and names its legs".to_owned()
            );
        }
        if theme.machine != Boot::Host && allowed.len() < self.usual_legs().count() && theme.why.is_none() {
            return Err("it needs a reason (why) for the legs that it does not run on".to_owned());
        }
        Ok(())
    }

    /// Each leg that the lane runs, with its CPU model, in the order of the file.
    pub fn legs(&self, lane: Lane) -> impl Iterator<Item = (&str, &str)> {
        let runs = move |leg: &&Leg| self.themes_on(lane, &leg.name).next().is_some();
        self.legs.iter().filter(runs).map(|leg| (leg.name.as_str(), leg.cpu.as_str()))
    }

    /// The themes, without those of the module, of the packages and of the host: the modules of the
    /// end-to-end tests.
    pub fn end_to_end(&self) -> impl Iterator<Item = &str> {
        let modules = self.themes.iter().filter(|(_, theme)| theme.machine.is_end_to_end());
        modules.map(|(name, _)| name.as_str())
    }

    /// What runs on a leg: the name of each boot, and its themes. `NAME=SECONDS` is a fuzzer,
    /// `NAME:TEST,TEST` some tests of a theme.
    pub fn boots(&self, lane: Lane, leg: &str) -> Vec<(String, Vec<String>)> {
        let word = |&(name, theme): &(&str, &Theme)| {
            let seconds = theme.seconds.map(|seconds| match lane {
                Lane::Fast => seconds.fast,
                Lane::All => seconds.all,
            });
            match (seconds, theme.tests(lane)) {
                (Some(seconds), _) => format!("{name}={seconds}"),
                (None, Some(tests)) => format!("{name}:{}", tests.join(",")),
                (None, None) => name.to_owned(),
            }
        };
        let boots = self.themes_of_boots(lane, leg).into_iter();
        boots.map(|(boot, themes)| (boot, themes.iter().map(word).collect())).collect()
    }

    /// The themes of each boot. A leg with `themes_per_boot` has end-to-end-1 and so on.
    fn themes_of_boots<'a>(&'a self, lane: Lane, leg: &'a str) -> Vec<(String, Vec<(&'a str, &'a Theme)>)> {
        let mut boots = BTreeMap::<_, Vec<_>>::new();
        for (name, theme) in self.themes_on(lane, leg) {
            boots.entry(theme.boot()).or_default().push((name, theme));
        }
        let most = self.leg(leg).and_then(|leg| leg.themes_per_boot);
        let split = |(boot, themes): (String, Vec<(&'a str, &'a Theme)>)| match most {
            Some(most) if boot == Boot::EndToEnd.name() => {
                let parts = (1..).zip(themes.chunks(most.get()));
                parts.map(|(number, part)| (format!("{boot}-{number}"), part.to_vec())).collect()
            }
            _ => vec![(boot, themes)],
        };
        boots.into_iter().flat_map(split).collect()
    }

    /// What is wrong with the log of a boot: themes without a result, skips that are not listed,
    /// listed ones that did not happen.
    pub fn problems(&self, lane: Lane, leg: &str, boot: &str, log: &str) -> Vec<String> {
        let (ended, skips) = read_log(log);
        let mut problems = Vec::new();
        let mut allowed = BTreeSet::<ReportedSkip>::new();
        let of_boot = self.themes_of_boots(lane, leg).into_iter().find(|(name, _)| name == boot);
        for (name, theme) in of_boot.into_iter().flat_map(|(_, themes)| themes) {
            if !ended.contains(name) {
                problems.push(format!("{name} did not run"));
                continue;
            }
            for listed in self.skips.iter().filter(|skip| skip.concerns(name, leg)) {
                let of_theme = skips.iter().filter(|skip| skip.theme == name);
                let found: Vec<_> = of_theme.filter(|skip| listed.allows(skip)).collect();
                let absent = listed.absent(&found).into_iter().filter(|test| theme.runs(lane, test));
                problems.extend(absent.map(|test| {
                    format!("{name}: listed, but did not happen: skip of {test}: {}", listed.missing)
                }));
                allowed.extend(found.into_iter().cloned());
            }
        }
        for ReportedSkip { theme, test, missing } in skips.difference(&allowed) {
            problems.push(format!("{theme}: not listed: skip of {test}: {missing}"));
        }
        problems
    }

    fn legs_of<'a>(&'a self, theme: &'a Theme, lane: Lane) -> BTreeSet<&'a str> {
        let chosen = match lane {
            Lane::Fast => theme.fast.as_ref().or(theme.only.as_ref()),
            Lane::All => theme.only.as_ref(),
        };
        match chosen {
            Some(legs) => legs.iter().map(String::as_str).collect(),
            None if theme.machine == Boot::Host => BTreeSet::from([HOST]),
            None => self.usual_legs().map(|leg| leg.name.as_str()).collect(),
        }
    }

    fn leg(&self, name: &str) -> Option<&Leg> {
        self.legs.iter().find(|leg| leg.name == name)
    }

    /// The legs of a theme that names none.
    fn usual_legs(&self) -> impl Iterator<Item = &Leg> {
        self.legs.iter().filter(|leg| !leg.must_be_named)
    }

    fn themes_on(&self, lane: Lane, leg: &str) -> impl Iterator<Item = (&str, &Theme)> {
        let of_leg = self.leg(leg).and_then(|leg| leg.fast.as_ref());
        let on_leg = move |name: &String, theme: &Theme| match of_leg {
            Some(names) if lane == Lane::Fast => names.contains(name),
            _ => self.legs_of(theme, lane).contains(leg),
        };
        self.themes
            .iter()
            .filter(move |(name, theme)| on_leg(name, theme))
            .map(|(name, theme)| (name.as_str(), theme))
    }
}

impl Theme {
    /// The name of its boot.
    fn boot(&self) -> String {
        match &self.model {
            Some(model) => format!("model-{model}"),
            None => self.machine.name().to_owned(),
        }
    }

    /// The tests that a lane chooses, if not all.
    fn tests(&self, lane: Lane) -> Option<&[String]> {
        if lane == Lane::Fast { self.fast_tests.as_deref() } else { None }
    }

    /// Whether a test, or "any test", runs in a lane.
    fn runs(&self, lane: Lane, test: &str) -> bool {
        self.tests(lane).is_none_or(|tests| tests.iter().any(|name| name == test))
    }
}

impl AllowedSkip {
    fn concerns(&self, theme: &str, leg: &str) -> bool {
        let on_leg = self.legs.as_ref().is_none_or(|legs| legs.iter().any(|name| name == leg));
        on_leg && self.themes.iter().any(|name| name == theme)
    }

    fn allows(&self, skip: &ReportedSkip) -> bool {
        let test = self.tests.as_ref().is_none_or(|tests| tests.contains(&skip.test));
        test && skip.missing.starts_with(&self.missing)
    }

    /// The listed tests that were not skipped.
    fn absent(&self, found: &[&ReportedSkip]) -> Vec<&str> {
        match &self.tests {
            _ if self.when.is_some() => Vec::new(),
            Some(tests) => {
                let absent = tests.iter().filter(|test| found.iter().all(|skip| skip.test != **test));
                absent.map(String::as_str).collect()
            }
            None if found.is_empty() => vec!["any test"],
            None => Vec::new(),
        }
    }
}

/// The themes that ended, and the skips. The runner writes "Running THEME" before each and "Ended
/// THEME" after it.
fn read_log(log: &str) -> (BTreeSet<&str>, BTreeSet<ReportedSkip>) {
    let (mut ended, mut skips) = (BTreeSet::new(), BTreeSet::new());
    let mut theme = "";
    for line in log.lines() {
        if let Some(name) = line.strip_prefix("     Running ") {
            theme = name.trim_end();
        } else if let Some(rest) = line.strip_prefix("     Ended ") {
            ended.insert(rest.split([':', ' ']).next().unwrap_or(rest));
        } else if let Some((test, missing)) = skipped(line) {
            let (theme, test, missing) = (theme.to_owned(), test.to_owned(), missing.to_owned());
            skips.insert(ReportedSkip { theme, test, missing });
        }
    }
    (ended, skips)
}

/// The test and what it lacks: a line of `skip`, or one of a test that libtest or a test program of
/// the module ignores.
fn skipped(line: &str) -> Option<(&str, &str)> {
    if let Some(rest) = line.strip_prefix("SKIP: ") {
        return Some(rest.split_once(": ").unwrap_or((rest, "")));
    }
    let (test, reason) = line.strip_prefix("test ")?.split_once(" ... ignored")?;
    Some((test, reason.trim_start_matches([',', ' '])))
}

#[cfg(test)]
mod tests;
