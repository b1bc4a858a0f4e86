//! The file of a study: one line of JSON for each step that was finished. The names of fields are those in the file.

use std::fmt;

use earth_fft::computer::Computer;
use earth_papers::partition::{Grouping, Point};
use serde::{Deserialize, Serialize};

/// The version of the file format, which any change of a name raises.
pub const SCHEMA: u32 = 3;

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum Entry {
    /// The first line: the conditions that all others were measured under.
    Study(Conditions),
    /// The times of PFFT-LB by all ways to make groups, at one N.
    Groupings(Groupings),
    /// The times of all methods, at one N.
    Methods(Methods),
    /// How far padding as published is from the transform.
    Published(Published),
}

/// The conditions of a measurement: rows may be compared if these are equal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// The version of the file format, [`SCHEMA`].
    pub schema: u32,
    /// The computer that measured.
    pub computer: Computer,
    /// The type of the numbers, `f32` or `f64`.
    pub precision: String,
    /// The configuration, `spn` or `dual`.
    pub config: String,
    /// The number of cores that each transform has.
    pub cores: usize,
    /// The effort of planners.
    pub effort: String,
    /// Whether times include planning.
    pub planning: bool,
    /// Whether padding as published is measured as well.
    pub as_published: bool,
    /// The most repetitions of a mean.
    pub repetitions: u32,
    /// The seconds after which a mean is given up.
    pub point_seconds: f64,
    /// The seconds for one speed function around the balanced distribution.
    pub speed_seconds: f64,
}

impl Conditions {
    /// The options that say so: name, value, and the value without the option, if there is one.
    pub fn options(&self) -> [(&'static str, String, Option<&'static str>); 9] {
        let off = Some("false");
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
        ]
    }
}

/// The times of PFFT-LB by each way to make groups of all nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Groupings {
    /// The row kernel, as it is written on the command line.
    pub kernel: String,
    /// The version that a library reports.
    pub version: Option<String>,
    /// The rows, and the columns, of the matrix.
    pub n: usize,
    /// The ways to make groups, fewest groups first.
    pub ways: Vec<Way>,
    /// The seconds that this step took.
    pub took: f64,
}

/// A way to make groups, and its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Way {
    /// The number of groups, the paper's p.
    pub groups: usize,
    /// The nodes of a group, the paper's t.
    pub threads: usize,
    /// The mean time in seconds.
    pub time: Point,
}

impl Way {
    /// The groups.
    pub fn grouping(&self) -> Grouping {
        Grouping { groups: self.groups, threads: self.threads }
    }
}

/// A way to transform the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// One group: the library's own transform, or our program.
    Basic,
    /// Each group has the same number of rows.
    Lb,
    /// Each group has the same number of rows, and each of the four steps waits for the one before.
    LbBarrier,
    /// Rows are distributed by speed functions.
    Fpm,
    /// Rows are distributed by speed functions, and treated in the fastest way that is exact.
    FpmPad,
    /// Rows are filled up with zeros, which gives another transform.
    Published,
}

impl Method {
    /// The methods whose results are the transform of the matrix.
    pub const EXACT: [Self; 5] = [Self::Basic, Self::Lb, Self::LbBarrier, Self::Fpm, Self::FpmPad];

    /// Methods, each with the one that it is held against.
    pub const COMPARED: [(Self, Self); 5] = [
        (Self::Lb, Self::Basic),
        (Self::Fpm, Self::Basic),
        (Self::FpmPad, Self::Basic),
        (Self::Fpm, Self::Lb),
        (Self::FpmPad, Self::Fpm),
    ];

    /// The name in tables and plots.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "one group",
            Self::Lb => "PFFT-LB",
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

/// The times of all methods with one kernel at one N.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Methods {
    /// The row kernel, as it is written on the command line.
    pub kernel: String,
    /// The version that a library reports.
    pub version: Option<String>,
    /// The rows, and the columns, of the matrix.
    pub n: usize,
    /// The number of groups, the paper's p; 1 if the cores allow no others.
    pub groups: usize,
    /// The nodes of a group, the paper's t.
    pub threads: usize,
    /// The methods that were run in turn.
    pub methods: Vec<Timed>,
    /// The points of the speed functions.
    pub speeds: Vec<Sampled>,
    /// Notes on this row, as sentences.
    pub notes: Vec<String>,
    /// The seconds that this step took.
    pub took: f64,
}

impl Methods {
    /// The groups.
    pub fn grouping(&self) -> Grouping {
        Grouping { groups: self.groups, threads: self.threads }
    }

    /// A method, if it was run.
    pub fn timed(&self, method: Method) -> Option<&Timed> {
        self.methods.iter().find(|timed| timed.method == method)
    }
}

/// A method's time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// The method.
    pub method: Method,
    /// Whether it is the library's own transform, not our program.
    pub by_library: bool,
    /// The mean time in seconds.
    pub time: Point,
    /// The mean time of a second run of the same program in each round, so that a method can be compared with itself.
    pub again: Point,
    /// The rows of each group.
    pub rows: Vec<usize>,
    /// Whether the rows of a group lay apart.
    pub apart: bool,
    /// The lengths that groups go through, 0 for their own; of padding as published the one that rows were
    /// filled up to.
    pub through: Vec<usize>,
    /// The relative error of the result.
    pub error: f64,
}

impl Timed {
    /// Whether each group has as many rows as the others, up to one.
    pub fn is_balanced(&self) -> bool {
        let [least, most] = [self.rows.iter().min(), self.rows.iter().max()];
        least.zip(most).is_none_or(|(least, most)| most - least <= 1)
    }

    /// The name of what is done to rows.
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

/// A point of the speed functions of all groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampled {
    /// The treatment of rows: `none`, `stride` or `chirp`.
    pub pad: String,
    /// Rows of each group.
    pub rows: usize,
    /// The points of a row.
    pub length: usize,
    /// The time of each group, in seconds.
    pub seconds: Vec<f64>,
    /// Half the width of the interval of each mean.
    pub half_widths: Vec<f64>,
}

/// The error of padding as published, taken as the transform.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The rows, and the columns, of the matrix.
    pub n: usize,
    /// The length that rows were filled up to.
    pub filled: usize,
    /// The relative error against the transform of the matrix.
    pub error: f64,
    /// The largest error that rounding explains.
    pub bound: f64,
}
