//! Experiments: plain data in TOML, whose names and numbers are checked before any run.

use std::collections::BTreeMap;

use earth::simulated::{NetworkKind, Profile};
use earth::{Config, Machine, Policy};
use earth_programs::{Machines, Program};
use serde::Deserialize;
use toml::Spanned;

/// Policy that a program from outside adds to the laboratory's.
#[derive(Clone, Copy)]
pub struct OwnPolicy<'a> {
    /// Name in experiments.
    pub name: &'a str,
    /// Gives a machine the policy.
    pub set: &'a (dyn Fn(Machine) -> Machine + Sync),
}

/// Programs and policies that experiments name.
#[derive(Clone, Default)]
pub struct Subjects<'a> {
    /// Programs. If two have one name, the first is meant.
    pub programs: Vec<&'a dyn Program>,
    /// Policies from outside. An experiment names them without a value.
    pub policies: Vec<OwnPolicy<'a>>,
}

/// Reason why a text is not an experiment.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct ExperimentError {
    /// Line of the text, from 1.
    pub line: usize,
    /// One sentence that names the key or the value.
    pub why: String,
}

/// Checked experiment.
pub struct Experiment<'a> {
    /// Title of the report.
    pub title: String,
    /// Number of rounds on real cores.
    pub(super) repeats: u64,
    /// Programs with their sizes.
    pub(super) cases: Vec<Case<'a>>,
    pub(super) machines: Vec<Place>,
    /// The first one is the baseline.
    pub(super) policies: Vec<Choice<'a>>,
}

/// Program at given sizes.
#[derive(Clone)]
pub(super) struct Case<'a> {
    pub(super) program: &'a dyn Program,
    pub(super) sizes: Vec<u64>,
}

/// Entry of the machines.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) kind: Kind,
    pub(super) nodes: Vec<usize>,
    pub(super) configs: Vec<Config>,
    /// Seeds of machines in virtual time; one seed, 0, for threads.
    pub(super) seeds: std::ops::Range<u64>,
    /// Of a simulated machine.
    pub(super) profile: Option<Profile>,
}

/// Kind of machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Threads,
    Simulated,
    Stepper,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Threads => "threads",
            Kind::Simulated => "simulated",
            Kind::Stepper => "stepper",
        }
    }
}

/// Named policy.
#[derive(Clone)]
pub(super) struct Choice<'a> {
    pub(super) name: String,
    pub(super) policy: Chosen<'a>,
}

#[derive(Clone)]
pub(super) enum Chosen<'a> {
    /// Policy as data.
    Data(Policy),
    /// Policy from outside.
    Own(OwnPolicy<'a>),
}

impl Chosen<'_> {
    pub(super) fn set(&self, machine: Machine) -> Machine {
        match self {
            Chosen::Data(policy) => machine.policy(*policy),
            Chosen::Own(own) => (own.set)(machine),
        }
    }
}

impl std::fmt::Debug for Experiment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cases = self.cases.iter().map(|case| (case.program.name(), &case.sizes));
        let policies = self.policies.iter().map(|choice| &choice.name);
        f.debug_struct("Experiment")
            .field("repeats", &self.repeats)
            .field("cases", &cases.collect::<Vec<_>>())
            .field("machines", &self.machines)
            .field("policies", &policies.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    #[serde(default)]
    title: String,
    repeats: Option<Spanned<u64>>,
    programs: Vec<ProgramText>,
    machines: Vec<MachineText>,
    #[serde(default)]
    policies: Vec<PolicyText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramText {
    name: Spanned<String>,
    sizes: Option<Spanned<BTreeMap<String, Vec<u64>>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct MachineText {
    kind: Spanned<Kind>,
    nodes: Option<Spanned<Vec<usize>>>,
    config: Option<Spanned<Vec<String>>>,
    profile: Option<Spanned<String>>,
    network: Option<Spanned<NetworkKind>>,
    seeds: Option<Spanned<u64>>,
    first_seed: Option<Spanned<u64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyText {
    name: Spanned<String>,
    policy: Option<Spanned<String>>,
}

/// Number of rounds on real cores if the experiment gives none.
const REPEATS: u64 = 11;

/// Profile of simulated machines if the experiment gives none.
const PROFILE: &str = "manna50";

/// Returns the built-in profile of a name.
///
/// # Errors
///
/// A sentence with the names of all built-in profiles.
pub fn built_in(name: &str) -> Result<Profile, String> {
    Profile::named(name).ok_or_else(|| {
        let known: Vec<_> = Profile::names().collect();
        format!("there is no profile `{name}`; built in are {}", known.join(", "))
    })
}

/// Error at a place of the text.
struct Wrong(usize, String);

type Checked<T> = Result<T, Wrong>;

fn wrong<T>(at: &Spanned<impl Sized>, why: impl Into<String>) -> Checked<T> {
    Err(Wrong(at.span().start, why.into()))
}

impl<'a> Experiment<'a> {
    /// Reads an experiment. `profile` returns the profile of a name.
    ///
    /// # Errors
    ///
    /// The line, and one sentence that names the wrong key or value.
    pub fn from_toml(
        text: &str,
        subjects: &Subjects<'a>,
        profile: &dyn Fn(&str) -> Result<Profile, String>,
    ) -> Result<Self, ExperimentError> {
        let at = |start: usize, why: String| {
            let line = text[..start.min(text.len())].matches('\n').count() + 1;
            ExperimentError { line, why }
        };
        let read: Text = toml::from_str(text).map_err(|error| {
            at(error.span().map_or(0, |span| span.start), error.message().replace('\n', " "))
        })?;
        Self::checked(read, subjects, profile).map_err(|Wrong(start, why)| at(start, why))
    }

    fn checked(
        text: Text,
        subjects: &Subjects<'a>,
        profile: &dyn Fn(&str) -> Result<Profile, String>,
    ) -> Checked<Self> {
        let repeats = match text.repeats {
            None => REPEATS,
            Some(repeats) if repeats.get_ref() % 2 == 1 => *repeats.get_ref(),
            Some(repeats) => return wrong(&repeats, "`repeats` must be odd, so that one run is the median"),
        };
        let mut cases = Vec::new();
        for program in &text.programs {
            cases.extend(cases_of(program, subjects)?);
        }
        let machines = text.machines.into_iter().map(|machine| place(machine, profile));
        let machines = machines.collect::<Checked<Vec<_>>>()?;
        let mut policies: Vec<Choice<'a>> = Vec::new();
        for policy in &text.policies {
            let choice = choice(policy, subjects)?;
            if policies.iter().any(|other| other.name == choice.name) {
                return wrong(&policy.name, format!("two policies have the name `{}`", choice.name));
            }
            policies.push(choice);
        }
        if policies.is_empty() {
            policies.push(Choice { name: "default".to_owned(), policy: Chosen::Data(Policy::default()) });
        }
        for (what, is_empty) in [("programs", cases.is_empty()), ("machines", machines.is_empty())] {
            if is_empty {
                return Err(Wrong(0, format!("there are no `{what}`")));
            }
        }
        Ok(Experiment { title: text.title, repeats, cases, machines, policies })
    }

    /// Returns whether a program runs on a kind of machine.
    pub(super) fn can(case: &Case<'_>, kind: Kind) -> bool {
        case.program.machines() != Machines::RealTime || kind == Kind::Threads
    }
}

/// Returns a program with each combination of its sizes.
fn cases_of<'a>(text: &ProgramText, subjects: &Subjects<'a>) -> Checked<Vec<Case<'a>>> {
    let name = text.name.get_ref();
    let found = subjects.programs.iter().find(|program| program.name() == name);
    let Some(&program) = found else {
        let known: Vec<_> = subjects.programs.iter().map(|program| program.name()).collect();
        return wrong(&text.name, format!("there is no program `{name}`; programs are {}", known.join(", ")));
    };
    let mut combinations = vec![program.usual()];
    let Some(sizes) = &text.sizes else { return Ok(vec![Case { program, sizes: program.usual() }]) };
    for (key, values) in sizes.get_ref() {
        let Some(at) = program.sizes().iter().position(|size| size.name == key) else {
            let known: Vec<_> = program.sizes().iter().map(|size| size.name).collect();
            return wrong(sizes, format!("`{name}` has no size `{key}`; its sizes are {}", known.join(", ")));
        };
        let size = &program.sizes()[at];
        for &value in values {
            if let Err(why) = size.check(name, value) {
                return wrong(sizes, why.to_string());
            }
        }
        combinations = combinations
            .iter()
            .flat_map(|combination| {
                values.iter().map(|&value| {
                    let mut combination = combination.clone();
                    combination[at] = value;
                    combination
                })
            })
            .collect();
    }
    if combinations.is_empty() {
        return wrong(sizes, format!("a size of `{name}` has no value"));
    }
    Ok(combinations.into_iter().map(|sizes| Case { program, sizes }).collect())
}

fn place(text: MachineText, profile: &dyn Fn(&str) -> Result<Profile, String>) -> Checked<Place> {
    let kind = *text.kind.get_ref();
    let nodes = match text.nodes {
        None => vec![1],
        Some(nodes) if nodes.get_ref().is_empty() || nodes.get_ref().contains(&0) => {
            return wrong(&nodes, "`nodes` must be a list of numbers of at least 1");
        }
        Some(nodes) => nodes.into_inner(),
    };
    let configs = match text.config {
        None => vec![Config::Spn],
        Some(names) => {
            let configs = names.get_ref().iter().map(|name| name.parse());
            match configs.collect::<Result<Vec<Config>, _>>() {
                Ok(configs) if !configs.is_empty() => configs,
                _ => return wrong(&names, "`config` must be a list of `spn`, `dual` or both"),
            }
        }
    };
    if let (Some(seeds), Kind::Threads) = (&text.seeds, kind) {
        return wrong(seeds, "`seeds` does not apply to threads; `repeats` does");
    }
    if let (Some(seed), Kind::Threads) = (&text.first_seed, kind) {
        return wrong(seed, "`first-seed` does not apply to threads");
    }
    let first = text.first_seed.map_or(0, Spanned::into_inner);
    let seeds = first..first.saturating_add(text.seeds.map_or(1, Spanned::into_inner));
    if kind != Kind::Simulated {
        if let Some(profile) = &text.profile {
            return wrong(profile, format!("`profile` does not apply to kind `{}`", kind.name()));
        }
        if let Some(network) = &text.network {
            return wrong(network, format!("`network` does not apply to kind `{}`", kind.name()));
        }
        return Ok(Place { kind, nodes, configs, seeds, profile: None });
    }
    let name = text.profile.as_ref().map_or(PROFILE, |name| name.get_ref());
    let start = text.profile.as_ref().unwrap_or(&Spanned::new(text.kind.span(), String::new())).span().start;
    let mut profile = profile(name).map_err(|why| Wrong(start, why))?;
    if let Some(network) = text.network {
        profile.network.kind = network.into_inner();
    }
    Ok(Place { kind, nodes, configs, seeds, profile: Some(profile) })
}

fn choice<'a>(text: &PolicyText, subjects: &Subjects<'a>) -> Checked<Choice<'a>> {
    let name = text.name.get_ref().clone();
    let policy = match &text.policy {
        Some(policy) => match policy.get_ref().parse() {
            Ok(policy) => Chosen::Data(policy),
            Err(why) => return wrong(policy, why.to_string()),
        },
        None => match subjects.policies.iter().find(|own| own.name == name) {
            Some(own) => Chosen::Own(*own),
            None => {
                return wrong(
                    &text.name,
                    format!("`{name}` has no `policy`, and no policy from outside has this name"),
                );
            }
        },
    };
    Ok(Choice { name, policy })
}
