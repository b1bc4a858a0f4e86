//! What measuring found, kept: which plan is the fastest for a problem on this computer.
//!
//! A [`Wisdom`] is shared by its clones. A planner that [has one](crate::Planner::wisdom) looks into it before it
//! measures, and notes there what it measured; so does each planner of a program that is given it. Its text is JSON, for
//! people too: what it holds for comes first (the version of this crate, the vector instructions, the computer), then the
//! plans, by problem, precision, configuration and what else was asked for. A text of another computer or of another
//! version is refused, since other plans are the fastest there.
//!
//! What the planner of a library with FFTW's interface found is in the text as well, in the library's own words, so that a
//! plan that is taken from the wisdom is not searched for by the library once more.
//!
//! Speed functions of [groups](crate::groups) are known to it as long as the program runs, so that planners that measure
//! try the distributions that follow from them; a distribution that was the fastest is in the text with its plan. The
//! functions are not, but their files, which are large, can be named in it, so that who has the wisdom finds them.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use earth_fftw::Effort;
use earth_kernels::Real;
use earth_partition::{Computer, OtherComputer};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::computer;
use crate::groups::PerformanceModel;
use crate::kernel::{Kernel, own_simd};
use crate::planner::Why;
use crate::planner::candidates::Candidate;
use crate::planner::effort::{Measured, Timed};

/// The version of the text, which is raised whenever an older program could misread it.
const SCHEMA: u64 = 2;

/// The value of the field `format`.
const FORMAT: &str = "earth-fft wisdom";

/// The version of this crate.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Plans that were found by measuring. Clones share what they hold.
///
/// ```
/// use earth_fft::Wisdom;
///
/// let wisdom = Wisdom::new();
/// let read: Wisdom = wisdom.to_string().parse()?;
/// assert!(read.is_empty());
/// # Ok::<(), earth_fft::WisdomError>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Wisdom(Arc<Mutex<Held>>);

#[derive(Default, Debug)]
struct Held {
    speeds: BTreeSet<PathBuf>,
    known_speeds: Vec<PerformanceModel>,
    plans: BTreeMap<String, Entry>,
    libraries: Libraries,
}

/// What libraries told, by the names of the kernel and of the precision.
type Libraries = BTreeMap<String, BTreeMap<String, String>>;

/// Why a text gives no wisdom.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WisdomError {
    /// It is something else.
    #[error("it is no wisdom of earth-fft")]
    Foreign,
    /// It was written by a later version.
    #[error(
        "it was written by a newer earth-fft: its format is {found}, and the latest known here is {SCHEMA}"
    )]
    Newer {
        /// The version of its format.
        found: u64,
    },
    /// It was written by an earlier version.
    #[error("it was written by an older earth-fft: its format is {found}, and that of this one is {SCHEMA}")]
    Older {
        /// The version of its format.
        found: u64,
    },
    /// It was wisdom once, and is damaged.
    #[error("it is damaged wisdom: {0}")]
    Broken(String),
    /// It was found by another version, whose programs are faster or slower.
    #[error("it was measured by version {found} of earth-fft, and this is {VERSION}")]
    OtherVersion {
        /// That version.
        found: String,
    },
    /// It was found by a build with debug assertions and is read by one without, or the other way round.
    #[error(
        "it was measured by a build {} debug assertions, and this is one {}",
        with(!cfg!(debug_assertions)),
        with(cfg!(debug_assertions))
    )]
    OtherBuild,
    /// It was found with other vector instructions.
    #[error("it was measured with {found}, and {} are used here", own_simd())]
    OtherInstructions {
        /// Those vector instructions.
        found: String,
    },
    /// It was found on another computer.
    #[error(transparent)]
    OtherComputer(#[from] OtherComputer),
}

fn with(assertions: bool) -> &'static str {
    if assertions { "with" } else { "without" }
}

/// One plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    effort: Effort,
    plan: Candidate,
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
    version: String,
    debug_assertions: bool,
    instructions: String,
    computer: Computer,
    speeds: BTreeSet<PathBuf>,
    plans: BTreeMap<String, Entry>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    libraries: Libraries,
}

/// The fields that say whether a text is wisdom, and of which version.
#[derive(Deserialize)]
struct Version {
    format: String,
    schema: u64,
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

    /// Replaces the speed functions by which planners that measure distribute rows.
    pub fn know_speeds(&self, speeds: Vec<PerformanceModel>) {
        self.0.lock().known_speeds = speeds;
    }

    /// The speed functions that are known.
    pub(crate) fn speed_functions(&self) -> Vec<PerformanceModel> {
        self.0.lock().known_speeds.clone()
    }

    /// Gives the library of a kernel what it told of this precision before. Does nothing for other kernels, or if it told
    /// nothing.
    pub(crate) fn teach<T: Real>(&self, kernel: &Kernel) {
        let told =
            self.0.lock().libraries.get(&kernel.to_string()).and_then(|told| told.get(T::NAME).cloned());
        if let (Some(told), Ok(Some(library))) = (told, kernel.load()) {
            // If it cannot use that it searches.
            library.learn::<T>(&told);
        }
    }

    /// Notes what the library of a kernel tells of this precision, if it is a library and tells something.
    pub(crate) fn ask<T: Real>(&self, kernel: &Kernel) {
        if let Ok(Some(library)) = kernel.load()
            && let Some(told) = library.wisdom::<T>()
        {
            self.0.lock().libraries.entry(kernel.to_string()).or_default().insert(T::NAME.to_owned(), told);
        }
    }

    /// What was found by at least such an effort: the way, the effort, why it was chosen, and what was measured.
    pub(crate) fn find(&self, key: &str, effort: Effort) -> Option<(Candidate, Effort, Why, Measured)> {
        let held = self.0.lock();
        let entry = held.plans.get(key).filter(|entry| entry.effort >= effort)?;
        let Entry { limited, pruned, .. } = *entry;
        let measured = Measured { timed: entry.measured.clone(), limited, pruned };
        let why = if entry.unbeaten { Why::Unbeaten } else { Why::Measured };
        Some((entry.plan.clone(), entry.effort, why, measured))
    }

    /// Notes what was found, in the place of what was known.
    pub(crate) fn note(&self, key: String, plan: Candidate, effort: Effort, why: Why, measured: &Measured) {
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
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            version: VERSION.to_owned(),
            debug_assertions: cfg!(debug_assertions),
            instructions: own_simd().to_owned(),
            computer: computer::here(),
            speeds: held.speeds.clone(),
            plans: held.plans.clone(),
            libraries: held.libraries.clone(),
        };
        drop(held);
        let text = serde_json::to_string_pretty(&content).map_err(|_| fmt::Error)?;
        writeln!(f, "{text}")
    }
}

/// Whether what was measured by such a build of such a version, with such instructions on such a computer, holds here.
pub(crate) fn check_origin(
    version: String,
    debug_assertions: bool,
    instructions: String,
    computer: &Computer,
) -> Result<(), WisdomError> {
    if version != VERSION {
        return Err(WisdomError::OtherVersion { found: version });
    }
    if debug_assertions != cfg!(debug_assertions) {
        return Err(WisdomError::OtherBuild);
    }
    if instructions != own_simd() {
        return Err(WisdomError::OtherInstructions { found: instructions });
    }
    Ok(computer.check(&computer::here())?)
}

impl FromStr for Wisdom {
    type Err = WisdomError;

    fn from_str(text: &str) -> Result<Self, WisdomError> {
        match serde_json::from_str(text) {
            Ok(Version { format, schema }) if format == FORMAT => match schema.cmp(&SCHEMA) {
                Ordering::Greater => return Err(WisdomError::Newer { found: schema }),
                Ordering::Less => return Err(WisdomError::Older { found: schema }),
                Ordering::Equal => {}
            },
            Err(error) if text.contains(FORMAT) => return Err(WisdomError::Broken(error.to_string())),
            _ => return Err(WisdomError::Foreign),
        }
        let content: Content =
            serde_json::from_str(text).map_err(|error| WisdomError::Broken(error.to_string()))?;
        let Content { version, debug_assertions, instructions, computer, speeds, plans, libraries, .. } =
            content;
        check_origin(version, debug_assertions, instructions, &computer)?;
        Ok(Self(Arc::new(Mutex::new(Held { speeds, plans, libraries, known_speeds: Vec::new() }))))
    }
}
