//! Planner settings and wisdom of the process, for each precision.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint};
use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::time::Duration;

use earth_fft::{Kernel, Planner, Precision, Wisdom};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// Shortest time limit with which plans are measured. The first measurement of a plan takes about this time.
const LEAST_LIMIT: Duration = Duration::from_millis(2);

/// Format of wisdom texts.
const FORMAT: &str = "earth-fftw3 wisdom 1";

/// The planner of both precisions. Its clones share the machines, so plans for the same number of nodes
/// have the same threads. It uses the project's own kernels alone: another library with FFTW's interface
/// could call this one.
static PLANNER: LazyLock<Planner> = LazyLock::new(|| Planner::new().kernel(Kernel::Earth));

/// A precision with settings of its own.
pub trait Interface: Precision {
    /// Returns the settings of this process.
    fn settings() -> &'static Mutex<Settings>;
}

macro_rules! interface {
    ($($real:ty),*) => {$(
        impl Interface for $real {
            fn settings() -> &'static Mutex<Settings> {
                static SETTINGS: Mutex<Settings> = Mutex::new(Settings::new());
                &SETTINGS
            }
        }
    )*};
}

interface!(f32, f64);

/// Settings of the next plans.
#[derive(Debug)]
pub struct Settings {
    nodes: NonZeroUsize,
    time_limit: Option<Duration>,
    /// `None` until a plan is measured or a wisdom is imported.
    wisdom: Option<Wisdom>,
    /// The problems that were planned, and with how much effort.
    planned: BTreeMap<String, Effort>,
}

/// How much a planner measures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Effort {
    /// `FFTW_ESTIMATE`.
    Estimate,
    /// `FFTW_MEASURE`.
    Measure,
    /// `FFTW_PATIENT` and `FFTW_EXHAUSTIVE`.
    Patient,
}

/// Flags of a planning function.
#[derive(Clone, Copy, Debug)]
pub struct Flags(pub c_uint);

impl Flags {
    const DESTROY_INPUT: c_uint = 1;
    const EXHAUSTIVE: c_uint = 1 << 3;
    const PRESERVE_INPUT: c_uint = 1 << 4;
    const PATIENT: c_uint = 1 << 5;
    const ESTIMATE: c_uint = 1 << 6;
    const WISDOM_ONLY: c_uint = 1 << 21;

    fn has(self, flags: c_uint) -> bool {
        self.0 & flags != 0
    }

    /// Returns whether the input of a complex-to-real transform stays unchanged.
    pub fn preserve_input(self) -> bool {
        self.has(Self::PRESERVE_INPUT) && !self.has(Self::DESTROY_INPUT)
    }

    /// Returns whether plans come from wisdom alone.
    pub fn wisdom_only(self) -> bool {
        self.has(Self::WISDOM_ONLY)
    }

    /// Returns the effort of planning. The least effort counts if several are given.
    pub fn effort(self) -> Effort {
        if self.has(Self::ESTIMATE) {
            Effort::Estimate
        } else if self.has(Self::PATIENT | Self::EXHAUSTIVE) {
            Effort::Patient
        } else {
            Effort::Measure
        }
    }
}

/// The text of a wisdom.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    format: String,
    precision: String,
    planned: BTreeMap<String, Effort>,
    /// A text of [`Wisdom`].
    wisdom: String,
}

impl Settings {
    const fn new() -> Self {
        Self { nodes: NonZeroUsize::MIN, time_limit: None, wisdom: None, planned: BTreeMap::new() }
    }

    /// Forgets the wisdom.
    pub fn forget(&mut self) {
        (self.wisdom, self.planned) = (None, BTreeMap::new());
    }

    /// Sets the most nodes that share a call.
    pub fn set_nodes(&mut self, nodes: c_int) {
        self.nodes = NonZeroUsize::new(usize::try_from(nodes).unwrap_or(1)).unwrap_or(NonZeroUsize::MIN);
    }

    /// Returns the most nodes that share a call.
    pub fn nodes(&self) -> usize {
        self.nodes.get()
    }

    /// Sets the time limit of measuring. A negative number of seconds means no limit.
    pub fn set_time_limit(&mut self, seconds: f64) {
        self.time_limit = Duration::try_from_secs_f64(seconds).ok();
    }

    /// Returns whether the problem was planned with at least this effort.
    pub fn knows(&self, problem: &str, effort: Effort) -> bool {
        self.planned.get(problem).is_some_and(|planned| *planned >= effort)
    }

    /// Records a problem that was planned.
    pub fn record(&mut self, problem: String, effort: Effort) {
        let planned = self.planned.entry(problem).or_insert(effort);
        *planned = effort.max(*planned);
    }

    /// Returns a planner with these settings.
    pub fn planner(&mut self, effort: Effort) -> Planner {
        let planner = PLANNER.clone().time_limit(self.time_limit);
        let has_time = self.time_limit.is_none_or(|limit| limit >= LEAST_LIMIT);
        let effort = if has_time { effort } else { Effort::Estimate };
        let planner = match effort {
            Effort::Estimate => planner,
            Effort::Measure => planner.effort(earth_fft::Effort::Measure),
            Effort::Patient => planner.effort(earth_fft::Effort::Patient),
        };
        match &self.wisdom {
            None if effort == Effort::Estimate => planner,
            _ => planner.wisdom(self.wisdom.get_or_insert_with(Wisdom::new).clone()),
        }
    }

    /// Returns the wisdom as a text.
    pub fn text<T: Precision>(&self) -> String {
        let text = Text {
            format: FORMAT.to_owned(),
            precision: T::NAME.to_owned(),
            planned: self.planned.clone(),
            wisdom: self.wisdom.clone().unwrap_or_default().to_string(),
        };
        // A map with strings as keys can always be written.
        serde_json::to_string(&text).unwrap_or_default() + "\n"
    }

    /// Adds a text to the wisdom. Returns whether it is a wisdom of this precision and computer.
    pub fn learn<T: Precision>(&mut self, text: &str) -> bool {
        let Ok(Text { format, precision, planned, wisdom }) = serde_json::from_str(text) else {
            return false;
        };
        let Ok(wisdom) = wisdom.parse::<Wisdom>() else { return false };
        if format != FORMAT || precision != T::NAME {
            return false;
        }
        for (problem, effort) in planned {
            self.record(problem, effort);
        }
        self.wisdom.get_or_insert_with(Wisdom::new).merge(&wisdom);
        true
    }
}
