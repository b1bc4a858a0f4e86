//! Points of speed functions in a study's file. Field names are the JSON keys.

use serde::{Deserialize, Serialize};

/// Point of the speed functions of all groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampled {
    /// Padding of rows: `none`, `stride` or `chirp`.
    pub pad: String,
    /// Rows of each group.
    pub rows: usize,
    /// Points per row.
    pub length: usize,
    /// Time of each group, in seconds.
    pub seconds: Vec<f64>,
    /// Half width of the interval of each mean, in seconds.
    pub half_widths: Vec<f64>,
    /// Time of each group in a second measurement, in seconds; empty if the point was measured once.
    pub again: Vec<f64>,
    /// Half width of the interval of each mean of the second measurement, in seconds.
    pub again_half_widths: Vec<f64>,
}
