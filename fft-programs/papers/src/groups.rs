//! Groups of nodes that share a matrix: the request ([`Groups`]) and the resulting distribution ([`Shares`]).
//!
//! A group is an abstract processor of Khokhriakov, Manumachu and Lastovetsky (2018). [`Partition`] and
//! [`Pad`] name their methods to choose shares.

pub mod dealing;
pub(crate) mod decide;
pub mod pass;

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use earth_fftw::Effort;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::partition::Grouping;
use dealing::Dealing;
use earth_fft::PlanError;
use earth_fft::kernel::Kernel;

/// Requested groups of nodes. Unset fields follow from the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// Number of groups p; derived from the nodes if `None`.
    pub groups: Option<NonZeroUsize>,
    /// Nodes of a group t; derived from the nodes if `None`.
    pub threads: Option<NonZeroUsize>,
    /// How rows are distributed.
    pub partition: Partition,
    /// How rows are padded.
    pub pad: Pad,
    /// Whether every node waits after each step of the transform until all nodes have ended it.
    pub barrier: bool,
    /// Speed functions of the groups, empty if none were measured.
    pub speeds: Speeds,
}

/// How the rows of a matrix are distributed over groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Partition {
    /// Load-balanced: the same number of rows for each group (PFFT-LB).
    #[default]
    Lb,
    /// By the measured speed functions of the groups (PFFT-FPM).
    Fpm,
}

/// How rows are padded, or transformed through another length, so that their transforms are faster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pad {
    /// Rows stay as they are.
    #[default]
    None,
    /// Rows get a leading dimension of an odd number of cache lines. Exact.
    Stride,
    /// The rows of each group go through a fast longer length. Exact.
    Chirp,
    /// Rows are filled up with zeros to a faster length, as published. The result is **not** the transform.
    Spectrum,
    /// The fastest of `None`, `Stride` and `Chirp` by the speed functions.
    Auto,
}

impl Partition {
    /// Returns the name of the option.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lb => "lb",
            Self::Fpm => "fpm",
        }
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Pad {
    /// Returns the name of the option.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Stride => "stride",
            Self::Chirp => "chirp",
            Self::Spectrum => "spectrum",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for Pad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Conditions of the measured rows. The field names are the names in files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredRows {
    /// Row kernel.
    #[serde(rename = "name")]
    pub kernel: Kernel,
    /// `f32` or `f64`.
    pub precision: String,
    /// Planning effort of the kernel, if it was recorded.
    pub effort: Option<Effort>,
    /// Whether the times include the planning, as the paper's do.
    pub planning_included: bool,
    /// Padding: none, a larger leading dimension, or a longer length.
    pub pad: Pad,
}

/// Speed functions of groups, with the rows and the computer that they hold for.
pub type PerformanceModel = crate::partition::PerformanceModel<MeasuredRows>;

/// Speed functions of the same groups, one model for each padding: none, stride, chirp. Clones share them.
pub type Speeds = Arc<[PerformanceModel]>;

/// Distribution of the rows of a matrix, and how they are transformed. The field names are the names in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shares {
    /// Nodes of each group.
    pub threads: usize,
    /// Number of rows of each group, for the matrix and for its transpose.
    pub distribution: [Vec<usize>; 2],
    /// Leading dimensions of the groups' rows while they are transformed, for the matrix and for its
    /// transpose. 0, or a missing entry, means the row length.
    pub strides: [Vec<usize>; 2],
    /// Lengths of the groups' chirps, for the matrix and for its transpose. 0, or a missing entry, means no
    /// chirp.
    pub chirps: [Vec<usize>; 2],
    /// Zero-padded lengths of the rows, if any. The result is then not the transform of the
    /// matrix.
    pub spectrum: Option<[usize; 2]>,
    /// Whether every node waits after each step until all nodes have ended it.
    pub barrier: bool,
    /// Pace of each group on machines of virtual time, in thousandths of the profile's time for row FFTs. It
    /// acts as a speed function. 0, or a missing entry, means the usual pace. Real cores ignore it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paces: Vec<u32>,
}

impl Groups {
    /// Returns the conditions of the measured rows, if speed functions were given.
    pub(crate) fn measured(&self) -> Option<&MeasuredRows> {
        self.speeds.first().map(PerformanceModel::rows)
    }

    /// Returns the number of groups and the nodes of each.
    ///
    /// `nodes` is the requested number of nodes; without it `usual` counts. Unset fields follow from the
    /// others; by default each node is a group.
    ///
    /// # Errors
    ///
    /// Groups that do not make the requested nodes, or more nodes than can be counted or than machines have.
    pub fn processors(&self, nodes: Option<usize>, usual: usize) -> Result<Grouping, PlanError> {
        let fits = |grouping: Grouping| {
            PlanError::check_nodes(grouping.groups.saturating_mul(grouping.threads))?;
            Ok(grouping)
        };
        let [groups, threads] = [self.groups, self.threads].map(|number| number.map(NonZeroUsize::get));
        // Speed functions hold only for their own groups.
        let measured = self.speeds.first().map(PerformanceModel::grouping);
        if let (Some(measured), None, None, None) = (measured, groups, threads, nodes) {
            return fits(measured);
        }
        let whole = nodes.unwrap_or(usual);
        let [groups, threads] = match (groups, threads) {
            (Some(groups), Some(threads)) => [groups, threads],
            (Some(groups), None) => [groups, (whole / groups).max(1)],
            (None, Some(threads)) => [(whole / threads).max(1), threads],
            (None, None) => [whole, 1],
        };
        let product = groups.checked_mul(threads).ok_or(Error::TooManyGroups { groups, threads })?;
        match nodes {
            Some(nodes) if nodes != product => Err(Error::NodesOfGroups { groups, threads, nodes }.into()),
            _ => fits(Grouping { groups, threads }),
        }
    }
}

impl Shares {
    /// Has groups of `threads` nodes share a square matrix. Group `i` gets `distribution[i]` rows in both
    /// passes.
    pub fn of_square(threads: usize, distribution: Vec<usize>) -> Self {
        Self { threads, distribution: [distribution.clone(), distribution], ..Self::default() }
    }

    /// Returns the number of groups.
    pub fn groups(&self) -> usize {
        self.distribution[0].len()
    }

    /// Returns the number of nodes of all groups.
    ///
    /// # Errors
    ///
    /// Rows that are not all distributed, different numbers of groups for rows and columns, or a number of
    /// nodes other than `nodes`.
    pub(crate) fn check(&self, sides: [usize; 2], nodes: Option<usize>) -> Result<usize, Error> {
        for (rows, dealt) in sides.into_iter().zip(&self.distribution) {
            let dealt = dealt.iter().fold(0_usize, |sum, &rows| sum.saturating_add(rows));
            if dealt != rows {
                return Err(Error::Dealt { dealt, rows });
            }
        }
        let (groups, threads) = (self.groups(), self.threads);
        let product = groups.saturating_mul(threads);
        let nodes = nodes.unwrap_or(product);
        let is_consistent = groups == self.distribution[1].len() && product == nodes && nodes > 0;
        if is_consistent { Ok(nodes) } else { Err(Error::Nodes { groups, threads, nodes }) }
    }

    /// Distributes the rows of the matrix and of its transpose, in row blocks of `block` rows or of [the
    /// usual number](Dealing::grouped).
    pub(crate) fn dealt(&self, [rows, cols]: [usize; 2], block: Option<usize>) -> [Dealing; 2] {
        [(0, cols), (1, rows)].map(|(pass, len)| {
            let dealt = Dealing::grouped(&self.distribution[pass], self.threads, len, block);
            let dealt = dealt.strides(&self.strides[pass]).chirps(&self.chirps[pass]).paces(&self.paces);
            self.spectrum.map_or(dealt.clone(), |lengths| dealt.filled(lengths[pass]))
        })
    }
}

/// Writes `2 groups of 1: 12 + 4 rows, 24 + 8 columns`, and the padding if there is any.
impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = |of: &[usize], sign| of.iter().map(usize::to_string).collect::<Vec<_>>().join(sign);
        let (sum, each) = (|rows: &[usize]| by(rows, " + "), |lengths: &[usize]| by(lengths, "/"));
        let Self { threads, distribution: [along, across], strides, chirps, spectrum, barrier, paces: _ } =
            self;
        let ending = if self.groups() == 1 { "" } else { "s" };
        write!(
            f,
            "{} group{ending} of {threads}: {} rows, {} columns",
            self.groups(),
            sum(along),
            sum(across)
        )?;
        for (done, [along, across]) in [("padded to", strides), ("through", chirps)] {
            if along.iter().chain(across).any(|&length| length > 0) {
                write!(f, ", {done} {} and {}", each(along), each(across))?;
            }
        }
        if let Some([along, across]) = spectrum {
            write!(f, ", filled up with zeros to {along} and {across}")?;
        }
        if *barrier { f.write_str(", step by step") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(groups: usize, threads: usize, nodes: usize, usual: usize) -> Result<[usize; 2], PlanError> {
        let [groups, threads] = [groups, threads].map(NonZeroUsize::new);
        let asked = Groups { groups, threads, ..Groups::default() };
        let nodes = Some(nodes).filter(|&nodes| nodes > 0);
        asked.processors(nodes, usual).map(|Grouping { groups, threads }| [groups, threads])
    }

    #[test]
    fn missing_settings_follow_from_the_rest() {
        assert_eq!(machine(2, 3, 0, 4), Ok([2, 3]));
        assert_eq!(machine(2, 0, 6, 4), Ok([2, 3]));
        assert_eq!(machine(0, 2, 6, 4), Ok([3, 2]));
        assert_eq!(machine(2, 0, 0, 4), Ok([2, 2]));
        assert_eq!(machine(0, 2, 0, 4), Ok([2, 2]));
        assert_eq!(machine(8, 0, 0, 4), Ok([8, 1]), "more groups than are usual");
        assert_eq!(machine(0, 8, 0, 4), Ok([1, 8]));
        assert_eq!(machine(0, 0, 0, 4), Ok([4, 1]));
        assert_eq!(machine(0, 0, 3, 4), Ok([3, 1]));
    }

    #[test]
    fn other_nodes_than_the_groups_have_are_refused() {
        let refused = |groups, threads, nodes| Err(Error::NodesOfGroups { groups, threads, nodes }.into());
        assert_eq!(machine(2, 3, 5, 4), refused(2, 3, 5));
        assert_eq!(machine(4, 0, 6, 4), refused(4, 1, 6));
        assert_eq!(machine(0, 4, 6, 4), refused(1, 4, 6));
        assert_eq!(machine(8, 0, 6, 4), refused(8, 1, 6));
        assert_eq!(machine(205, 5, 0, 4), Err(PlanError::NoSuchMachine { nodes: 1025, most: 1024 }));
        let groups = usize::MAX;
        assert_eq!(machine(groups, 2, 0, 4), Err(Error::TooManyGroups { groups, threads: 2 }.into()));
    }
}
