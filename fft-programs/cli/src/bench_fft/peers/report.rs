//! Results of the comparison with peers, as JSON.

use earth_report::facts::Facts;
use earth_report::spread::{Spread, geometric_mean};
use serde::{Deserialize, Serialize};

use super::cases::{Case, size};
use super::class::{Class, Target};
use super::roof::Roof;

/// Version of the JSON.
pub(super) const SCHEMA: u32 = 4;

/// Previous version, which has no counts.
const SCHEMA_BEFORE: u32 = 3;

/// All rows. The field names are the names in JSON; a change of any raises `schema`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Report {
    pub(super) schema: u32,
    pub(super) machine: Facts,
    pub(super) precision: String,
    /// Whether the input is of real numbers.
    pub(super) real: bool,
    pub(super) in_place: bool,
    /// Points between a row of a matrix and the next.
    pub(super) gap: usize,
    /// Whether the system was asked for large pages for the arrays.
    pub(super) large_pages: bool,
    /// Largest number of threads.
    pub(super) threads: usize,
    /// Rounds a row.
    pub(super) rounds: usize,
    /// Time limit of a library's planner for one plan, in seconds.
    pub(super) plan_seconds: f64,
    pub(super) peers: Vec<Peer>,
    /// Messages about libraries that were not found, a sentence each.
    pub(super) missing: Vec<String>,
    pub(super) roof: Roof,
    pub(super) classes: Vec<Summary>,
    pub(super) rows: Vec<Row>,
    /// Sizes that were not measured, with reasons.
    pub(super) left_out: Vec<LeftOut>,
}

/// Peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) version: Option<String>,
    /// File, if it is a library.
    pub(super) path: Option<String>,
}

/// One size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) class: Class,
    /// Points; rows and columns; or planes, rows and columns.
    pub(super) lengths: Vec<usize>,
    /// Number of such transforms.
    #[serde(default = "one")]
    pub(super) batch: usize,
    pub(super) points: usize,
    /// Our entry first, then the peers'.
    pub(super) entries: Vec<Entry>,
    /// Time of our second run over our first, by rounds.
    pub(super) null: Spread,
    /// Index of the peer with the lower median among the peers, and its name.
    pub(super) better: usize,
    pub(super) better_name: String,
    /// Time of that peer over ours, by rounds: above 1 ours is faster.
    pub(super) ratio: Spread,
    #[serde(rename = "can_be_told")]
    pub(super) is_significant: bool,
    /// Target ratio, if there is one.
    pub(super) reach: Option<f64>,
    /// Whether the upper quartile of the ratio is below the target.
    pub(super) missed: bool,
}

/// Returns the default of a batch.
fn one() -> usize {
    1
}

/// Times of a contestant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) threads: usize,
    /// Description of the plan.
    pub(super) way: String,
    pub(super) seconds: Spread,
    pub(super) gflops: f64,
    /// Operations and traffic of a call by our plan, if known: of both transforms of a filter.
    #[serde(default)]
    pub(super) counted: Option<Counted>,
    pub(super) planning_seconds: f64,
    /// Whether planning reached its time limit, so that the plan may not be the best.
    pub(super) planning_cut_short: bool,
    /// Whether it was planned in an earlier run, to which these seconds belong.
    pub(super) planned_earlier: bool,
}

/// Operations and traffic of a transform, counted by formulas from its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counted {
    /// Numbers in lanes that are added, multiplied, or both at once.
    pub(super) computed: u64,
    /// Numbers in lanes that are loaded or stored.
    pub(super) moved: u64,
    /// Numbers that are put into other lanes.
    pub(super) shuffled: u64,
    /// Bytes of arrays that passes read and write.
    pub(super) bytes: u64,
}

impl Counted {
    /// Returns the counts of two transforms.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            computed: self.computed + other.computed,
            moved: self.moved + other.moved,
            shuffled: self.shuffled + other.shuffled,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// All rows of a class.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Summary {
    pub(super) class: Class,
    pub(super) rows: usize,
    /// Geometric mean of the medians of the rows' ratios.
    pub(super) geometric_mean: f64,
    pub(super) reach: Option<Target>,
    /// Number of rows that missed their target.
    pub(super) missed_rows: usize,
    /// Whether the geometric mean is below its target.
    pub(super) mean_missed: bool,
}

/// Size that was not measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LeftOut {
    pub(super) size: String,
    pub(super) because: String,
}

impl Row {
    /// Creates a row from measurements by rounds: ours, ours again, and each peer. Targets count only against
    /// libraries. The kernels are for real numbers or not, and have these instructions.
    pub(super) fn of(
        &Case { class, ref lengths, batch }: &Case,
        (real, simd): (bool, &str),
        mut entries: Vec<Entry>,
        [ours, again]: [&[f64]; 2],
        theirs: &[Vec<f64>],
    ) -> Option<Self> {
        let median = |peer: &usize| entries[peer + 1].seconds.median;
        let better = (0..theirs.len()).min_by(|a, b| median(a).total_cmp(&median(b)))?;
        let (ratio, null) = (Spread::of_ratios(&theirs[better], ours), Spread::of_ratios(again, ours));
        let each = lengths.iter().product();
        let points = batch * each;
        let better_name = entries[better + 1].name.clone();
        let reach = class
            .reach(simd)
            .filter(|_| !["rustfft", "scipy"].contains(&&*better_name))
            .map(|reach| reach.each);
        for entry in &mut entries {
            // Real numbers take half the operations, and a filter has two transforms.
            let transforms = if real { 0.5 } else { 1.0 } * if class.is_filter() { 2.0 } else { 1.0 };
            let each_seconds = entry.seconds.median / batch as f64;
            entry.gflops = transforms * earth_report::numbers::gflops(each, each_seconds);
        }
        Some(Self {
            class,
            lengths: lengths.clone(),
            batch,
            points,
            entries,
            null,
            better,
            better_name,
            ratio,
            is_significant: ratio.is_significant(&null),
            reach,
            missed: reach.is_some_and(|reach| ratio.q3 < reach),
        })
    }

    /// Returns the size, for people.
    pub(super) fn size(&self) -> String {
        size(self.class, self.batch, &self.lengths)
    }

    /// Returns our entry.
    pub(super) fn ours(&self) -> &Entry {
        &self.entries[0]
    }

    /// Returns the entry of the better peer.
    pub(super) fn peer(&self) -> &Entry {
        &self.entries[self.better + 1]
    }
}

impl Report {
    /// Parses a report.
    ///
    /// # Errors
    ///
    /// Invalid JSON, or an unknown version.
    pub(crate) fn from_json(json: &str) -> Result<Self, String> {
        let mut report: Self = serde_json::from_str(json).map_err(|error| error.to_string())?;
        if ![SCHEMA, SCHEMA_BEFORE].contains(&report.schema) {
            return Err(format!("it has schema {} and not {SCHEMA}", report.schema));
        }
        report.schema = SCHEMA;
        Ok(report)
    }

    /// Merges reports of the same conditions into one with the rows of all of them, in their order.
    pub(crate) fn merged(reports: Vec<Self>) -> Vec<Self> {
        let mut merged: Vec<Self> = Vec::new();
        for report in reports {
            match merged.iter_mut().find(|earlier| earlier.has_conditions_of(&report)) {
                None => merged.push(report),
                Some(earlier) => {
                    earlier.rows.extend(report.rows);
                    earlier.left_out.extend(report.left_out);
                    earlier.classes = summaries(&earlier.rows, &earlier.machine.row_kernel_simd);
                }
            }
        }
        merged
    }

    fn has_conditions_of(&self, other: &Self) -> bool {
        let conditions = |of: &Self| {
            let place = (of.precision.clone(), of.real, of.in_place, of.gap, of.large_pages);
            (of.machine.clone(), of.peers.clone(), place, of.threads, of.rounds, of.plan_seconds.to_bits())
        };
        conditions(self) == conditions(other)
    }
}

/// Returns a summary of each class that has rows, in the order of the rows. Our kernels have these
/// instructions.
pub(super) fn summaries(rows: &[Row], simd: &str) -> Vec<Summary> {
    let mut classes: Vec<Class> = Vec::new();
    for row in rows {
        if !classes.contains(&row.class) {
            classes.push(row.class);
        }
    }
    let summary = |class: Class| {
        let of: Vec<_> = rows.iter().filter(|row| row.class == class).collect();
        let mean = geometric_mean(of.iter().map(|row| row.ratio.median))?;
        let reach = class.reach(simd).filter(|_| of.iter().any(|row| row.reach.is_some()));
        Some(Summary {
            class,
            rows: of.len(),
            geometric_mean: mean,
            reach,
            missed_rows: of.iter().filter(|row| row.missed).count(),
            mean_missed: reach.is_some_and(|reach| mean < reach.mean),
        })
    };
    classes.into_iter().filter_map(summary).collect()
}
