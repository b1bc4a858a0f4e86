//! What libraries learned when they planned, kept between runs, so that a plan is measured once.
//!
//! For each library and precision: its own texts ([`Library::wisdom`]), and for each plan how long it took and whether it
//! was cut short. FFTW remembers no measured plan of a size whose planning was cut short, but the guess that it fell back to; such
//! a size is planned by a guess again. Plans that might take longer, of another processor or of another library are none of
//! these: a file that has them is refused, or what it has of other libraries is kept for them.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use earth_fft::Precision;
use earth_fftw::{Effort, Library, LibraryError, LibraryWhole, WholeProblem};
use serde::{Deserialize, Serialize};

/// The version of the JSON.
const SCHEMA: u32 = 2;

/// What libraries learned under one limit on one processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownPlans {
    schema: u32,
    processor: Option<String>,
    /// How long a plan could take.
    plan_seconds: f64,
    libraries: Vec<Learned>,
}

/// What one library learned of one precision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Learned {
    path: String,
    version: Option<String>,
    precision: String,
    /// The library's own texts: several, if programs that ran at the same time kept theirs. A library learns all.
    texts: BTreeSet<String>,
    /// The texts that the library has replaced in this run by a text with more in it.
    #[serde(skip)]
    superseded: BTreeSet<String>,
    plans: Vec<Planned>,
}

/// A plan that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Planned {
    problem: String,
    seconds: f64,
    cut_short: bool,
}

/// How a plan came about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Planning {
    pub(super) seconds: f64,
    pub(super) cut_short: bool,
    /// Whether that was in an earlier run.
    pub(super) earlier: bool,
}

impl Planning {
    /// Planning that has just ended.
    pub(super) fn since(begun: Instant) -> Self {
        Self { seconds: begun.elapsed().as_secs_f64(), cut_short: false, earlier: false }
    }
}

impl KnownPlans {
    /// None yet, for plans that may take so long.
    pub(crate) fn new(limit: Duration) -> Self {
        let (processor, plan_seconds) = (earth_fft::computer::processor(), limit.as_secs_f64());
        Self { schema: SCHEMA, processor, plan_seconds, libraries: Vec::new() }
    }

    /// Those that were written as JSON, for plans that may take so long.
    ///
    /// # Errors
    ///
    /// What is wrong with the JSON, or that its plans are of another processor or limit.
    pub(crate) fn from_json(json: &str, limit: Duration) -> Result<Self, String> {
        let known: Self = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let fresh = Self::new(limit);
        if known.schema != SCHEMA {
            return Err(format!("it has schema {} and not {SCHEMA}", known.schema));
        }
        if known.processor != fresh.processor {
            let name =
                |known: &Self| known.processor.clone().unwrap_or_else(|| "an unknown processor".to_owned());
            return Err(format!("its plans are for {}, and this is {}", name(&known), name(&fresh)));
        }
        if known.plan_seconds.to_bits() != fresh.plan_seconds.to_bits() {
            let (before, now) = (known.plan_seconds, fresh.plan_seconds);
            return Err(format!("its plans could take {before} s each, and now {now} s are allowed"));
        }
        Ok(known)
    }

    /// The JSON.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Has a library know what it learned in earlier runs.
    pub(super) fn teach<T: Precision>(&self, library: &Library) -> Result<(), LibraryError> {
        match self.of::<T>(library) {
            Some(learned) if !learned.texts.iter().all(|text| library.learn::<T>(text)) => {
                Err(LibraryError::NoWisdom { path: learned.path.clone().into() })
            }
            _ => Ok(()),
        }
    }

    /// Takes over the plans of others of the same processor and limit, and the texts that go with them.
    pub(crate) fn merge(&mut self, other: Self) {
        for theirs in other.libraries {
            let is_it = |own: &&mut Learned| {
                (&own.path, &own.version, &own.precision)
                    == (&theirs.path, &theirs.version, &theirs.precision)
            };
            let Some(own) = self.libraries.iter_mut().find(is_it) else {
                self.libraries.push(theirs);
                continue;
            };
            own.texts.extend(theirs.texts.into_iter().filter(|text| !own.superseded.contains(text)));
            for plan in theirs.plans {
                if own.plans.iter().all(|known| known.problem != plan.problem) {
                    own.plans.push(plan);
                }
            }
        }
    }

    /// A plan of a library, and how it came about; what the library learned by it is kept.
    pub(super) fn plan<T: Precision>(
        &mut self,
        library: &Library,
        problem: WholeProblem,
    ) -> Result<(LibraryWhole<T>, Planning), LibraryError> {
        let WholeProblem { distance, in_place, threads, .. } = problem;
        let place = if in_place { "in place" } else { "from one array to another" };
        let key = format!("{problem}, rows {distance} apart, {place}, {threads} threads");
        let before = self.of::<T>(library).and_then(|learned| {
            let plan = learned.plans.iter().find(|plan| plan.problem == key)?;
            Some(Planning { seconds: plan.seconds, cut_short: plan.cut_short, earlier: true })
        });
        if let Some(planning) = before {
            let effort = if planning.cut_short { Effort::Estimate } else { problem.effort };
            return Ok((library.plan_whole(WholeProblem { effort, ..problem })?, planning));
        }
        let plan = library.plan_whole::<T>(problem)?;
        let (seconds, cut_short) = (plan.planning().as_secs_f64(), plan.is_cut_short());
        if let Some(text) = library.wisdom::<T>() {
            let planned = Planned { problem: key, seconds, cut_short };
            self.keep::<T>(library, text, planned);
        }
        Ok((plan, Planning { seconds, cut_short, earlier: false }))
    }

    fn keep<T: Precision>(&mut self, library: &Library, text: String, planned: Planned) {
        let known = self.place::<T>(library).and_then(|at| self.libraries.get_mut(at));
        if let Some(learned) = known {
            learned.superseded.append(&mut learned.texts);
            learned.superseded.remove(&text);
            learned.texts.insert(text);
            learned.plans.push(planned);
        } else if let Some((path, version)) = named::<T>(library) {
            let (precision, texts, plans) = (T::NAME.to_owned(), BTreeSet::from([text]), vec![planned]);
            let superseded = BTreeSet::new();
            self.libraries.push(Learned { path, version, precision, texts, superseded, plans });
        }
    }

    fn of<T: Precision>(&self, library: &Library) -> Option<&Learned> {
        self.libraries.get(self.place::<T>(library)?)
    }

    fn place<T: Precision>(&self, library: &Library) -> Option<usize> {
        let (path, version) = named::<T>(library)?;
        let is_it = |of: &Learned| of.precision == T::NAME && of.path == path && of.version == version;
        self.libraries.iter().position(is_it)
    }
}

/// The file of a library's precision, and its version.
fn named<T: Precision>(library: &Library) -> Option<(String, Option<String>)> {
    let described = library.describe();
    let half = described.precisions.iter().find(|half| half.precision == T::NAME)?;
    Some((half.path.display().to_string(), described.version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_a_library_has_replaced_do_not_come_back() {
        let learned = |texts: &[&str], superseded: &[&str]| Learned {
            path: "a library".to_owned(),
            version: None,
            precision: "f64".to_owned(),
            texts: texts.iter().map(ToString::to_string).collect(),
            superseded: superseded.iter().map(ToString::to_string).collect(),
            plans: Vec::new(),
        };
        let known = |learned| KnownPlans { libraries: vec![learned], ..KnownPlans::new(Duration::ZERO) };
        let mut ours = known(learned(&["two plans"], &["one plan"]));
        ours.merge(known(learned(&["one plan", "another plan"], &[])));
        assert_eq!(ours.libraries, [learned(&["two plans", "another plan"], &["one plan"])]);
    }
}
