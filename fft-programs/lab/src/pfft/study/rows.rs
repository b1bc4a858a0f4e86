//! Rows of a study's file: one line of JSON for each finished step. Field names are the JSON keys.

pub(crate) mod further;
mod sampled;

use std::fmt;

use earth_fft::computer::Computer;
use earth_papers::partition::{Grouping, Point};
use serde::{Deserialize, Serialize};

use further::{Efforts, Lengths, Transposes};
pub use sampled::Sampled;

/// Version of the file format; any change of a name raises it.
pub const SCHEMA: u32 = 4;

/// Line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum Entry {
    /// First line: the conditions of all other lines.
    Study(Conditions),
    /// Times of PFFT-LB with all groupings, at one N.
    Groupings(Groupings),
    /// Times of all methods, at one N.
    Methods(Methods),
    /// Deviation of padding as published from the transform.
    Published(Published),
    /// Times of a library's own transform by each planning effort, at one N.
    Efforts(Efforts),
    /// Times of rows of the paper's example and of longer rows.
    Lengths(Lengths),
    /// Times of transposes by blocks, at one N.
    Transposes(Transposes),
}

/// Conditions of a measurement. Rows may be compared if their conditions are equal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// Version of the file format, [`SCHEMA`].
    pub schema: u32,
    /// Computer of the measurement.
    pub computer: Computer,
    /// Type of the numbers, `f32` or `f64`.
    pub precision: String,
    /// Configuration, `spn` or `dual`.
    pub config: String,
    /// Number of cores of each transform.
    pub cores: usize,
    /// Planning effort.
    pub effort: String,
    /// Whether times include planning.
    pub planning: bool,
    /// Whether padding as published is also measured.
    pub as_published: bool,
    /// Most repetitions of a mean.
    pub repetitions: u32,
    /// Time after which a mean is abandoned, in seconds.
    pub point_seconds: f64,
    /// Time for one speed function around the balanced distribution, in seconds.
    pub speed_seconds: f64,
    /// Greatest N at which libraries also plan by measuring; 0 for none.
    pub measure_to: usize,
    /// Greatest N at which libraries also plan by measuring patiently; 0 for none.
    pub patient_to: usize,
}

impl Conditions {
    /// Returns the corresponding command-line options: name, value, and default value if there is one.
    pub fn options(&self) -> [(&'static str, String, Option<&'static str>); 11] {
        let (off, none) = (Some("false"), Some("0"));
        [
            ("--precision", self.precision.clone(), Some("f64")),
            ("--config", self.config.clone(), Some("spn")),
            ("--cores", self.cores.to_string(), None),
            ("--effort", self.effort.clone(), Some("estimate")),
            ("--planning", self.planning.to_string(), off),
            ("--as-published", self.as_published.to_string(), off),
            ("--repetitions", self.repetitions.to_string(), None),
            ("--point-seconds", self.point_seconds.to_string(), None),
            ("--speed-seconds", self.speed_seconds.to_string(), None),
            ("--measure-to", self.measure_to.to_string(), none),
            ("--patient-to", self.patient_to.to_string(), none),
        ]
    }
}

/// Times of PFFT-LB with each grouping of all nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Groupings {
    /// Row kernel, as on the command line.
    pub kernel: String,
    /// Version that a library reports.
    pub version: Option<String>,
    /// Number of rows, and of columns, of the matrix.
    pub n: usize,
    /// Groupings, fewest groups first.
    pub ways: Vec<GroupingTime>,
    /// Time that this step took, in seconds.
    pub took: f64,
}

/// Grouping and its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupingTime {
    /// Number of groups, the paper's p.
    pub groups: usize,
    /// Nodes per group, the paper's t.
    pub threads: usize,
    /// Mean time, in seconds.
    pub time: Point,
}

impl GroupingTime {
    /// Returns the grouping.
    pub fn grouping(&self) -> Grouping {
        Grouping { groups: self.groups, threads: self.threads }
    }
}

/// Method of transforming the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// One group: the library's own transform, or our program.
    Basic,
    /// Our program with one group, where the baseline is the library's own transform.
    One,
    /// Equal rows for each group.
    Lb,
    /// [`Lb`](Self::Lb) planned a second time, with equal groups and rows: a null control.
    LbAgain,
    /// Equal rows for each group; each of the four steps waits for the previous one.
    LbBarrier,
    /// Rows are distributed by speed functions.
    Fpm,
    /// Rows are distributed by speed functions, with the fastest exact padding.
    FpmPad,
    /// Rows are zero-padded, which gives a different transform.
    Published,
}

impl Method {
    /// Methods whose results are the transform of the matrix.
    pub const EXACT: [Self; 7] =
        [Self::Basic, Self::One, Self::Lb, Self::LbAgain, Self::LbBarrier, Self::Fpm, Self::FpmPad];

    /// Methods, each with its reference method.
    pub const COMPARED: [(Self, Self); 8] = [
        (Self::One, Self::Basic),
        (Self::Lb, Self::Basic),
        (Self::Fpm, Self::Basic),
        (Self::FpmPad, Self::Basic),
        (Self::Lb, Self::One),
        (Self::LbAgain, Self::Lb),
        (Self::Fpm, Self::Lb),
        (Self::FpmPad, Self::Fpm),
    ];

    /// Returns the name in tables and plots.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "one group",
            Self::One => "our program, one group",
            Self::Lb => "PFFT-LB",
            Self::LbAgain => "PFFT-LB, planned again",
            Self::LbBarrier => "PFFT-LB, barriers",
            Self::Fpm => "PFFT-FPM",
            Self::FpmPad => "PFFT-FPM-PAD",
            Self::Published => "PAD as published (another transform)",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Times of all methods with one kernel at one N.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Methods {
    /// Row kernel, as on the command line.
    pub kernel: String,
    /// Version that a library reports.
    pub version: Option<String>,
    /// Number of rows, and of columns, of the matrix.
    pub n: usize,
    /// Number of groups, the paper's p; 1 if the cores allow no other number.
    pub groups: usize,
    /// Nodes per group, the paper's t.
    pub threads: usize,
    /// Methods that were run in turn.
    pub methods: Vec<Timed>,
    /// Points of the speed functions.
    pub speeds: Vec<Sampled>,
    /// Notes on this row, as sentences.
    pub notes: Vec<String>,
    /// Time that this step took, in seconds.
    pub took: f64,
}

impl Methods {
    /// Returns the grouping.
    pub fn grouping(&self) -> Grouping {
        Grouping { groups: self.groups, threads: self.threads }
    }

    /// Returns a method's times, if it was run.
    pub fn timed(&self, method: Method) -> Option<&Timed> {
        self.methods.iter().find(|timed| timed.method == method)
    }
}

/// Times of a method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// Method.
    pub method: Method,
    /// Whether it is the library's own transform instead of our program.
    pub by_library: bool,
    /// Mean time, in seconds.
    pub time: Point,
    /// Mean time of a second run of the same program in each round; it shows how far a method differs from
    /// itself.
    pub again: Point,
    /// Rows of each group.
    pub rows: Vec<usize>,
    /// Whether the rows of a group had a padded leading dimension.
    pub apart: bool,
    /// Transform length of each group's rows, 0 for unpadded rows. For padding as published, the length of
    /// padded rows.
    pub through: Vec<usize>,
    /// Relative error of the result.
    pub error: f64,
}

impl Timed {
    /// Returns whether the groups' numbers of rows differ by at most one.
    pub fn is_balanced(&self) -> bool {
        let [least, most] = [self.rows.iter().min(), self.rows.iter().max()];
        least.zip(most).is_none_or(|(least, most)| most - least <= 1)
    }

    /// Returns the name of the rows' padding.
    pub fn treatment(&self) -> &'static str {
        match (self.apart, self.through.iter().any(|&length| length > 0)) {
            _ if self.method == Method::Published => "filled up",
            (true, true) => "apart, chirp",
            (true, false) => "apart",
            (false, true) => "chirp",
            (false, false) => "as they are",
        }
    }
}

/// Error of padding as published, if it is taken as the transform.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Number of rows, and of columns, of the matrix.
    pub n: usize,
    /// Length of padded rows.
    pub filled: usize,
    /// Relative error against the transform of the matrix.
    pub error: f64,
    /// Largest error that rounding explains.
    pub bound: f64,
}
