//! Rows of a study's file for the experiments beside the methods. Field names are the JSON keys.

use earth_papers::partition::Point;
use serde::{Deserialize, Serialize};

use super::sampled::Sampled;

/// Times of a library's own transform of a matrix, by planning effort.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Efforts {
    /// Row kernel, as on the command line.
    pub kernel: String,
    /// Version that a library reports.
    pub version: Option<String>,
    /// Number of rows, and of columns, of the matrix.
    pub n: usize,
    /// Plans, lowest effort first.
    pub plans: Vec<Planned>,
    /// Time that this step took, in seconds.
    pub took: f64,
}

/// Plan of one effort, and the time of the transform by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// Effort, as on the command line.
    pub effort: String,
    /// Time of planning, in seconds. The planner had no results of earlier plans.
    pub planning: f64,
    /// Mean time of the transform without planning, in seconds.
    pub time: Point,
    /// Mean time of a second run in each round.
    pub again: Point,
}

impl Efforts {
    /// Returns the plan of an effort, if it was made.
    pub fn plan(&self, effort: &str) -> Option<&Planned> {
        self.plans.iter().find(|plan| plan.effort == effort)
    }
}

/// Times of rows of [`EXAMPLE`] points, and of rows that are longer by multiples of [`LONGER`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lengths {
    /// Row kernel, as on the command line.
    pub kernel: String,
    /// Version that a library reports.
    pub version: Option<String>,
    /// Times by length, shortest first.
    pub points: Vec<Sampled>,
    /// Time that this step took, in seconds.
    pub took: f64,
}

/// N of the paper's example.
pub const EXAMPLE: usize = 24_704;

/// Length of the padded rows of the paper's example.
pub const PADDED: usize = 24_960;

/// Distance from one length to the next.
pub const LONGER: usize = 128;

/// Number of lengths that are measured.
pub(crate) const LENGTHS: usize = 9;

/// Number of rows of each group that are measured.
pub const ROWS: usize = 128;

/// Times of a transpose in place, by the side of its blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transposes {
    /// Number of rows, and of columns, of the matrix.
    pub n: usize,
    /// Times, smallest blocks first.
    pub sides: Vec<SideTime>,
    /// Time that this step took, in seconds.
    pub took: f64,
}

/// Time of a transpose by blocks of one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideTime {
    /// Side of a block, in points.
    pub side: usize,
    /// Mean time, in seconds.
    pub time: Point,
    /// Mean time of a second run in each round.
    pub again: Point,
}

/// Side of the paper's blocks.
pub const PAPERS_SIDE: usize = 64;

/// Sides of the blocks that are measured.
pub const SIDES: [usize; 6] = [8, 16, 32, PAPERS_SIDE, 128, 256];

impl Transposes {
    /// Returns the time by blocks of a side.
    pub fn side(&self, side: usize) -> Option<&SideTime> {
        self.sides.iter().find(|of| of.side == side)
    }
}
