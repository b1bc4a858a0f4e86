//! Stored results of measuring: the fastest plan for each problem on this computer.
//!
//! Clones share a [`Wisdom`]. A planner [with a wisdom](crate::Planner::wisdom) looks a problem up before it
//! measures, and records its measurements. Several planners of a program may use one wisdom. The text is
//! JSON, for people, too: first the origin, which it holds for alone (`origin.rs`), then the plans. The key
//! of a plan is its problem, precision, configuration, and the other requested settings.
//!
//! The text also contains the wisdom of libraries with FFTW's interface, in their own format. So the library
//! does not search again for a plan that is taken from the wisdom.
//!
//! The settings of a solver are stored with its plan. Files of speed functions are large, so the text can
//! refer to them by name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use earth_fftw::Effort;
use earth_kernels::Real;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::origin::{Format, MeasurementsError, Origin};
use crate::kernel::Kernel;
use crate::planner::Why;
use crate::planner::candidates::Recorded;
use crate::planner::measured::{Measured, Timed};

const FORMAT: Format = Format { name: "earth-fft wisdom", kind: "wisdom", schema: 5 };

/// Plans that were found by measuring. Clones share their contents.
///
/// ```
/// use earth_fft::Wisdom;
///
/// let wisdom = Wisdom::new();
/// let read: Wisdom = wisdom.to_string().parse()?;
/// assert!(read.is_empty());
/// # Ok::<(), earth_fft::MeasurementsError>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Wisdom(Arc<Mutex<Held>>);

#[derive(Default, Debug)]
struct Held {
    speeds: BTreeSet<PathBuf>,
    plans: BTreeMap<String, Entry>,
    libraries: Libraries,
    /// Texts that libraries have replaced by more complete texts, since this wisdom was made or read.
    superseded: BTreeSet<String>,
}

/// Texts of libraries by the names of the kernel and of the precision. There are several texts if programs
/// that ran at the same time found them: a library learns all of them.
type Libraries = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    effort: Effort,
    plan: Recorded,
    /// Whether the plan was the estimate, and no candidate was faster.
    unbeaten: bool,
    /// Whether the time limit ended the measuring.
    limited: bool,
    /// Number of candidates that were not run, because they were predicted to be far slower.
    #[serde(default, skip_serializing_if = "is_zero")]
    pruned: usize,
    measured: Vec<Timed>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    format: String,
    schema: u64,
    origin: Origin,
    speeds: BTreeSet<PathBuf>,
    plans: BTreeMap<String, Entry>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    libraries: Libraries,
}

impl Held {
    /// Replaces all texts of a library for a precision by a text of the library, which has learned them.
    fn replace_texts(&mut self, kernel: String, precision: &str, text: &str) {
        let of_kernel = self.libraries.entry(kernel).or_default();
        let before = of_kernel.insert(precision.to_owned(), BTreeSet::from([text.to_owned()]));
        self.superseded.append(&mut before.unwrap_or_default());
        self.superseded.remove(text);
    }
}

impl Wisdom {
    /// Returns an empty wisdom of this computer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of plans.
    pub fn len(&self) -> usize {
        self.0.lock().plans.len()
    }

    /// Returns whether there are no plans.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the named files of speed functions.
    pub fn speeds(&self) -> Vec<PathBuf> {
        self.0.lock().speeds.iter().cloned().collect()
    }

    /// Adds the name of a file of speed functions.
    pub fn name_speeds(&self, file: &Path) {
        self.0.lock().speeds.insert(file.to_owned());
    }

    /// Gives the library of a kernel the texts that it wrote for this precision before. Does nothing for
    /// other kernels, or if there are no texts.
    pub(crate) fn teach<T: Real>(&self, kernel: &Kernel) {
        let of_kernel = self.0.lock().libraries.get(&kernel.to_string()).cloned().unwrap_or_default();
        if let (Some(texts), Ok(Some(library))) = (of_kernel.get(T::NAME), kernel.load()) {
            // A library that cannot use a text searches for a plan.
            for text in texts {
                library.learn::<T>(text);
            }
        }
    }

    /// Stores the text of a kernel's library for this precision, if the kernel is a library and has a text.
    pub(crate) fn import_from<T: Real>(&self, kernel: &Kernel) {
        self.teach::<T>(kernel);
        if let Ok(Some(library)) = kernel.load()
            && let Some(text) = library.wisdom::<T>()
        {
            self.0.lock().replace_texts(kernel.to_string(), T::NAME, &text);
        }
    }

    /// Takes over the plans, the file names and the library texts of another wisdom of this computer. Of two
    /// plans of one problem it keeps the plan of more effort, and its own plan if the efforts are equal.
    ///
    /// A program merges the current contents of a file before it writes its wisdom there. So programs that
    /// measure at the same time lose no plan.
    pub fn merge(&self, other: &Self) {
        if Arc::ptr_eq(&self.0, &other.0) {
            return;
        }
        let (speeds, plans, libraries) = {
            let other = other.0.lock();
            (other.speeds.clone(), other.plans.clone(), other.libraries.clone())
        };
        let Held { speeds: own_speeds, plans: own_plans, libraries: own_libraries, superseded, .. } =
            &mut *self.0.lock();
        own_speeds.extend(speeds);
        for (key, entry) in plans {
            if own_plans.get(&key).is_none_or(|own| own.effort < entry.effort) {
                own_plans.insert(key, entry);
            }
        }
        for (kernel, precisions) in libraries {
            let own = own_libraries.entry(kernel).or_default();
            for (name, texts) in precisions {
                // The library has learned the superseded texts, and its own text contains them.
                let texts = texts.into_iter().filter(|text| !superseded.contains(text));
                own.entry(name).or_default().extend(texts);
            }
        }
    }

    /// Moves the contents of another wisdom here. They replace its own.
    pub(crate) fn replace(&self, other: &Self) {
        let held = std::mem::take(&mut *other.0.lock());
        *self.0.lock() = held;
    }

    /// Returns the plan of at least this effort: the candidate, the effort, why it was chosen, and the
    /// measurements.
    pub(crate) fn find(&self, key: &str, effort: Effort) -> Option<(Recorded, Effort, Why, Measured)> {
        let held = self.0.lock();
        let entry = held.plans.get(key).filter(|entry| entry.effort >= effort)?;
        let Entry { limited, pruned, .. } = *entry;
        let measured = Measured { timed: entry.measured.clone(), limited, pruned };
        let why = if entry.unbeaten { Why::Unbeaten } else { Why::Measured };
        Some((entry.plan.clone(), entry.effort, why, measured))
    }

    /// Records a plan, which replaces an earlier plan of the same key.
    pub(crate) fn note(&self, key: String, plan: Recorded, effort: Effort, why: Why, measured: &Measured) {
        let Measured { timed, limited, pruned } = measured.clone();
        let entry = Entry { effort, plan, unbeaten: why == Why::Unbeaten, limited, pruned, measured: timed };
        self.0.lock().plans.insert(key, entry);
    }
}

/// Writes the wisdom as text that can be parsed.
impl fmt::Display for Wisdom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = self.0.lock();
        let content = Content {
            format: FORMAT.name.to_owned(),
            schema: FORMAT.schema,
            origin: Origin::here(),
            speeds: held.speeds.clone(),
            plans: held.plans.clone(),
            libraries: held.libraries.clone(),
        };
        drop(held);
        let text = serde_json::to_string_pretty(&content).map_err(|_| fmt::Error)?;
        writeln!(f, "{text}")
    }
}

impl FromStr for Wisdom {
    type Err = MeasurementsError;

    fn from_str(text: &str) -> Result<Self, MeasurementsError> {
        FORMAT.check(serde_json::from_str(text), text)?;
        let content = serde_json::from_str(text).map_err(|why| FORMAT.broken(why))?;
        let Content { origin, speeds, plans, libraries, .. } = content;
        origin.check()?;
        Ok(Self(Arc::new(Mutex::new(Held { speeds, plans, libraries, ..Held::default() }))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program reads a file, plans, and merges the current contents of the file.
    #[test]
    fn texts_that_a_library_has_replaced_do_not_come_back() {
        let replace = |wisdom: &Wisdom, text: &str| {
            wisdom.0.lock().replace_texts("a library".into(), "f64", text);
        };
        let texts = |wisdom: &Wisdom| Vec::from_iter(wisdom.0.lock().libraries["a library"]["f64"].clone());
        let [file, other] = [Wisdom::new(), Wisdom::new()];
        replace(&file, "one plan");
        let ours = file.to_string().parse::<Wisdom>().expect("it is wisdom");
        replace(&ours, "two plans");
        // Meanwhile another program has added its text to the file.
        replace(&other, "another plan");
        file.merge(&other);
        assert_eq!(texts(&file), ["another plan", "one plan"]);
        ours.merge(&file);
        assert_eq!(texts(&ours), ["another plan", "two plans"]);
    }
}
