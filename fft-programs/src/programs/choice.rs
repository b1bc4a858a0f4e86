//! Which program a request means, on how many nodes and in which blocks.

use std::num::NonZeroUsize;

use earth_kernels::Real as _;
use num_complex::Complex;

use super::line::default_block;
use super::matrix::Sharing;
use super::nodes::{MOST_NODES, default_nodes};
use super::pfft::{self, Decided};
use crate::dataflow::receiver::Asking;
use crate::request::{Algorithm, Refusal, Request};
use crate::shape::Shape;

/// The program that a request means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Sender {
        nodes: usize,
        block: usize,
    },
    Receiver {
        nodes: usize,
        asking: Asking,
    },
    Matrix {
        rows: usize,
        cols: usize,
        nodes: usize,
        block: Option<usize>,
    },
    /// Groups share a matrix.
    Shared {
        rows: usize,
        cols: usize,
        sharing: Box<Sharing>,
        notes: Vec<String>,
    },
    Row,
}

/// Chooses for a request that has been checked against `points` of `point` bytes.
pub(super) fn choose(request: &Request, points: usize, point: usize) -> Result<Choice, Refusal> {
    if let (Shape::Matrix { rows, cols }, Some(groups)) = (request.shape, &request.groups) {
        let nodes = request.nodes.map(NonZeroUsize::get);
        let grouping = groups.processors(nodes, default_nodes(request.config), MOST_NODES)?;
        let block = request.block.map(NonZeroUsize::get);
        let precision = if point == size_of::<Complex<f32>>() { f32::NAME } else { f64::NAME };
        let Decided { sharing, notes } =
            pfft::decide(groups, grouping, [rows, cols], block, (precision, point))?;
        return Ok(Choice::Shared { rows, cols, sharing: Box::new(sharing), notes });
    }
    Ok(choose_alike(request, points))
}

/// Chooses for a request without groups.
fn choose_alike(request: &Request, points: usize) -> Choice {
    let given = request.nodes.map(NonZeroUsize::get);
    let block = request.block.map(NonZeroUsize::get);
    let shared = (given.is_some_and(|nodes| nodes > 1) || block.is_some())
        && points.is_power_of_two()
        && block.is_none_or(usize::is_power_of_two);
    let receiver = |asking| {
        // The program can use a power of two of nodes, at most one for each point.
        let most = default_nodes(request.config).min(points);
        Choice::Receiver { nodes: given.unwrap_or(1 << most.ilog2()), asking }
    };
    if let Shape::Matrix { rows, cols } = request.shape {
        let nodes = given.unwrap_or_else(|| {
            if request.algorithm == Algorithm::Auto { 1 } else { default_nodes(request.config) }
        });
        return Choice::Matrix { rows, cols, nodes, block };
    }
    match request.algorithm {
        Algorithm::Auto if !shared => Choice::Row,
        Algorithm::Receiver => receiver(Asking::Tree),
        Algorithm::ReceiverShared => receiver(Asking::Shared),
        Algorithm::Auto | Algorithm::Sender | Algorithm::Grouped | Algorithm::TwoPass => {
            let nodes = given.unwrap_or_else(|| default_nodes(request.config));
            Choice::Sender { nodes, block: block.unwrap_or_else(|| default_block(points, nodes)) }
        }
    }
}
