//! What measuring found, kept: which plan is the fastest for a problem on this computer.
//!
//! A [`Wisdom`] is shared by its clones. A planner that [has one](crate::Planner::wisdom) looks into it before it
//! measures, and notes there what it measured; so does each planner of a program that is given it. Its text is JSON, for
//! people too: first where it comes from, which it holds for alone (`origin.rs`), then the plans, by problem, precision,
//! configuration and what else was asked for.
//!
//! What the planner of a library with FFTW's interface found is in the text as well, in the library's own words, so that a
//! plan that is taken from the wisdom is not searched for by the library once more.
//!
//! The settings of a solver are in the text with its plan. Files of speed functions, which are large, can be named in it, so
//! that whoever has the wisdom finds them.

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

/// Plans that were found by measuring. Clones share what they hold.
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
    /// The texts that libraries have replaced by texts with more in them, since this was made or read.
    superseded: BTreeSet<String>,
}

/// The texts of libraries by the names of the kernel and of the precision. There are several texts where programs that
/// ran at the same time found them: a library learns all of them.
type Libraries = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// One plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    effort: Effort,
    plan: Recorded,
    /// Whether it was the estimate, which nothing was faster than.
    unbeaten: bool,
    /// Whether the limit of time ended the measuring.
    limited: bool,
    /// How many candidates were not run, since they were predicted to be far slower than others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pruned: usize,
    measured: Vec<Timed>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The whole text.
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
    /// Keeps a text of a library that has learned all its texts for a precision, in their place.
    fn replace_texts(&mut self, kernel: String, precision: &str, text: &str) {
        let of_kernel = self.libraries.entry(kernel).or_default();
        let before = of_kernel.insert(precision.to_owned(), BTreeSet::from([text.to_owned()]));
        self.superseded.append(&mut before.unwrap_or_default());
        self.superseded.remove(text);
    }
}

impl Wisdom {
    /// Wisdom of this computer that holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of plans.
    pub fn len(&self) -> usize {
        self.0.lock().plans.len()
    }

    /// Whether there is no plan.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The files of speed functions that are named.
    pub fn speeds(&self) -> Vec<PathBuf> {
        self.0.lock().speeds.iter().cloned().collect()
    }

    /// Names a file of speed functions.
    pub fn name_speeds(&self, file: &Path) {
        self.0.lock().speeds.insert(file.to_owned());
    }

    /// Gives the library of a kernel the texts that it wrote for this precision before. Does nothing for other kernels,
    /// or if there are no texts.
    pub(crate) fn teach<T: Real>(&self, kernel: &Kernel) {
        let of_kernel = self.0.lock().libraries.get(&kernel.to_string()).cloned().unwrap_or_default();
        if let (Some(texts), Ok(Some(library))) = (of_kernel.get(T::NAME), kernel.load()) {
            // A library that cannot use a text searches.
            for text in texts {
                library.learn::<T>(text);
            }
        }
    }

    /// Keeps the text of the library of a kernel for this precision, if the kernel is a library and has a text.
    pub(crate) fn ask<T: Real>(&self, kernel: &Kernel) {
        self.teach::<T>(kernel);
        if let Ok(Some(library)) = kernel.load()
            && let Some(text) = library.wisdom::<T>()
        {
            self.0.lock().replace_texts(kernel.to_string(), T::NAME, &text);
        }
    }

    /// Takes over the plans, the names of files and the texts of libraries of another wisdom of this computer. Of two plans
    /// of one problem it keeps the one with more effort, and its own if the efforts are equal.
    ///
    /// A program that writes a wisdom to a file first merges what the file holds by then, so that programs that measure at
    /// the same time lose no plan.
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
                // The library has learned these, and its own text has all that is in them.
                let texts = texts.into_iter().filter(|text| !superseded.contains(text));
                own.entry(name).or_default().extend(texts);
            }
        }
    }

    /// What was found by at least such an effort: the way, the effort, why it was chosen, and what was measured.
    pub(crate) fn find(&self, key: &str, effort: Effort) -> Option<(Recorded, Effort, Why, Measured)> {
        let held = self.0.lock();
        let entry = held.plans.get(key).filter(|entry| entry.effort >= effort)?;
        let Entry { limited, pruned, .. } = *entry;
        let measured = Measured { timed: entry.measured.clone(), limited, pruned };
        let why = if entry.unbeaten { Why::Unbeaten } else { Why::Measured };
        Some((entry.plan.clone(), entry.effort, why, measured))
    }

    /// Notes what was found, in the place of what was known.
    pub(crate) fn note(&self, key: String, plan: Recorded, effort: Effort, why: Why, measured: &Measured) {
        let Measured { timed, limited, pruned } = measured.clone();
        let entry = Entry { effort, plan, unbeaten: why == Why::Unbeaten, limited, pruned, measured: timed };
        self.0.lock().plans.insert(key, entry);
    }
}

/// Writes it as text, which is parsed.
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

    /// A program that reads a file, plans and merges what the file holds by then.
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
        // Another program has added its text to the file meanwhile.
        replace(&other, "another plan");
        file.merge(&other);
        assert_eq!(texts(&file), ["another plan", "one plan"]);
        ours.merge(&file);
        assert_eq!(texts(&ours), ["another plan", "two plans"]);
    }
}
