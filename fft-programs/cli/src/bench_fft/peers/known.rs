//! Knowledge that libraries gain by planning, kept between runs, so that a plan is measured once.
//!
//! For each library and precision the file has the library's own texts ([`Library::wisdom`]). For each plan
//! it has the planning time, and whether planning was cut short. If planning of a size was cut short, FFTW
//! does not remember a measured plan but the estimate that it fell back to. Such a size is planned by an
//! estimate again.
//!
//! A file whose plans are of another time limit or processor is refused. Plans of other libraries in it are
//! kept for these libraries.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use earth_fft::Precision;
use earth_fftw::{Effort, Library, LibraryError, LibraryWhole, WholeProblem};
use serde::{Deserialize, Serialize};

/// Version of the JSON.
const SCHEMA: u32 = 2;

/// Knowledge of libraries under one limit on one processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanStore {
    schema: u32,
    processor: Option<String>,
    /// Time limit of a plan, in seconds.
    plan_seconds: f64,
    libraries: Vec<Learned>,
}

/// Knowledge of one library in one precision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Learned {
    path: String,
    version: Option<String>,
    precision: String,
    /// The library's own texts. There are several if concurrent programs kept theirs. A library learns all.
    texts: BTreeSet<String>,
    /// Texts that the library has replaced in this run by a text with more in it.
    #[serde(skip)]
    superseded: BTreeSet<String>,
    plans: Vec<Planned>,
}

/// Plan that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Planned {
    problem: String,
    seconds: f64,
    cut_short: bool,
}

/// Planning time, and whether it was cut short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Planning {
    pub(super) seconds: f64,
    pub(super) cut_short: bool,
    /// Whether some of the planning was in an earlier run.
    pub(super) earlier: bool,
}

impl Planning {
    /// Returns the planning that began at `begun` and has just ended.
    pub(super) fn since(begun: Instant) -> Self {
        Self { seconds: begun.elapsed().as_secs_f64(), cut_short: false, earlier: false }
    }

    /// Returns the planning of two transforms.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            seconds: self.seconds + other.seconds,
            cut_short: self.cut_short || other.cut_short,
            earlier: self.earlier || other.earlier,
        }
    }
}

impl PlanStore {
    /// Creates an empty collection for plans with this time limit.
    pub(crate) fn new(limit: Duration) -> Self {
        let (processor, plan_seconds) = (earth_fft::computer::processor(), limit.as_secs_f64());
        Self { schema: SCHEMA, processor, plan_seconds, libraries: Vec::new() }
    }

    /// Parses the JSON of earlier plans, for plans with this time limit.
    ///
    /// # Errors
    ///
    /// Invalid JSON, or plans of another processor or time limit.
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
            return Err(format!("its plans had a limit of {before} s each, not {now} s"));
        }
        Ok(known)
    }

    /// Returns the JSON.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Passes a library its knowledge from earlier runs.
    pub(super) fn teach<T: Precision>(&self, library: &Library) -> Result<(), LibraryError> {
        match self.of::<T>(library) {
            Some(learned) if !learned.texts.iter().all(|text| library.learn::<T>(text)) => {
                Err(LibraryError::NoWisdom { path: learned.path.clone().into() })
            }
            _ => Ok(()),
        }
    }

    /// Merges the plans of other runs for the same processor and limit, and the texts that belong to them.
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

    /// Returns a plan of a library, and its planning. Keeps the library's new knowledge.
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
        // A library keeps no estimates.
        let is_measured = problem.effort != Effort::Estimate;
        let (seconds, cut_short) = (plan.planning().as_secs_f64(), plan.is_cut_short());
        if is_measured && let Some(text) = library.wisdom::<T>() {
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

/// Returns the file of a library's precision, and its version.
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
        let known = |learned| PlanStore { libraries: vec![learned], ..PlanStore::new(Duration::ZERO) };
        let mut ours = known(learned(&["two plans"], &["one plan"]));
        ours.merge(known(learned(&["one plan", "another plan"], &[])));
        assert_eq!(ours.libraries, [learned(&["two plans", "another plan"], &["one plan"])]);
    }
}
