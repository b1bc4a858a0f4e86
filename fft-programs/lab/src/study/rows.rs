//! What is kept of a study: one line of JSON for each step that was finished. The field names are those of the
//! file.

use std::fmt;

use earth_partition::Computer;
use earth_partition::{Grouping, Point};
use serde::{Deserialize, Serialize};

/// The version of the file: any change of a name in it raises this.
pub const SCHEMA: u32 = 2;

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum Entry {
    /// The first one: what all others were measured under.
    Study(Conditions),
    /// PFFT-LB by all ways to make groups, at one N.
    Groupings(Groupings),
    /// All methods, at one N.
    Methods(Methods),
    /// How far padding as published is from the transform.
    Published(Published),
}

/// What must be the same for rows to be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Where.
    pub computer: Computer,
    /// `f32` or `f64`.
    pub precision: String,
    /// `spn` or `dual`.
    pub config: String,
    /// The cores that each transform has.
    pub cores: usize,
    /// How hard planners try.
    pub effort: String,
    /// Whether times include planning.
    pub planning: bool,
    /// Whether padding as published is run, too.
    pub as_published: bool,
    /// The most repetitions of a mean.
    pub repetitions: u32,
    /// The seconds after which a mean is given up.
    pub point_seconds: f64,
    /// The seconds for one speed function around the balanced distribution.
    pub speed_seconds: f64,
}

/// PFFT-LB by each way to make groups of all nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Groupings {
    /// The row kernel, as it is written on the command line.
    pub kernel: String,
    /// What a library says of its version.
    pub version: Option<String>,
    /// Rows and columns.
    pub n: usize,
    /// Fewest groups first.
    pub ways: Vec<Way>,
}

/// A way to make groups, and its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Way {
    /// The paper's p.
    pub groups: usize,
    /// Nodes of a group, the paper's t.
    pub threads: usize,
    /// Seconds.
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
    /// One group: the library's own, or our program.
    Basic,
    /// The same number of rows for each group.
    Lb,
    /// The same with each of the four steps waiting for the one before.
    LbBarrier,
    /// Rows dealt by speed functions.
    Fpm,
    /// The same, with the fastest exact way to treat rows.
    FpmPad,
    /// Rows filled up with zeros: not the transform of the matrix.
    Published,
}

impl Method {
    /// Those whose results are the transform of the matrix.
    pub const EXACT: [Self; 5] = [Self::Basic, Self::Lb, Self::LbBarrier, Self::Fpm, Self::FpmPad];

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

/// All methods with one kernel at one N.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Methods {
    /// The row kernel, as it is written on the command line.
    pub kernel: String,
    /// What a library says of its version.
    pub version: Option<String>,
    /// Rows and columns.
    pub n: usize,
    /// The paper's p and t; one group if the cores make no others.
    pub groups: usize,
    /// Nodes of a group.
    pub threads: usize,
    /// What was run in turn.
    pub methods: Vec<Timed>,
    /// Points of the speed functions.
    pub speeds: Vec<Sampled>,
    /// What should be known about it, as sentences.
    pub notes: Vec<String>,
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
    /// Which.
    pub method: Method,
    /// Whether it is the library's own transform, not our program.
    pub by_library: bool,
    /// Seconds.
    pub time: Point,
    /// Seconds of the same program, run a second time in each round: what a method comes to against itself.
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

    /// What is done to rows, in a word.
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
    /// What was done to rows: `none`, `stride` or `chirp`.
    pub pad: String,
    /// Rows of each group.
    pub rows: usize,
    /// Points of a row.
    pub length: usize,
    /// Seconds, of each group.
    pub seconds: Vec<f64>,
    /// Half the width of the interval of each mean.
    pub half_widths: Vec<f64>,
}

/// What padding as published gives, held against the transform.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Rows and columns.
    pub n: usize,
    /// What rows were filled up to.
    pub filled: usize,
    /// The relative error against the transform of the matrix.
    pub error: f64,
    /// The largest that rounding explains.
    pub bound: f64,
}
