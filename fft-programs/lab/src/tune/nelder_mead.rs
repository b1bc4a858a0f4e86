//! The method of Nelder and Mead on places of a grid.
//!
//! A simplex of d + 1 points moves through d dimensions. A step replaces its worst point W by a better point
//! on the line from W through the centroid C of the others:
//!
//! 1. *Reflection* R = C + (C - W). If R is the best point so far, *expansion* tries C + 2 (C - W) and takes
//!    the better of both. If R is better than the second worst point, R is taken.
//! 2. Otherwise *contraction* tries the middle between C and the better of R and W. If it is no better than
//!    that one, *all other points* move half the way to the best one.
//!
//! The cost of a point between places is the cost of the nearest point of the grid. The method has converged
//! when all points of the simplex are nearest to the same point of the grid.
//!
//! Source: Nelder, Mead, "A simplex method for function minimization", *The Computer Journal* 7(4), 1965.
//!
//! *Cost.* One or two proposed points a step, d more if all points move. *When it loses.* It finds one local
//! minimum, and noise that changes the order of points misleads it.

use earth_console::work::Progress;

use super::space::Space;
use super::trials::{Objective, Stop, Trials};

/// Point between the places of a grid.
#[derive(Clone, Debug)]
struct Vertex {
    places: Vec<f64>,
    cost: f64,
}

/// Returns a simplex around a point: the point, and for each parameter the point moved by a quarter of the
/// parameter's grid, at least by one place, to the farther end. Parameters with one value do not move.
pub(super) fn around(space: &Space, point: &[usize]) -> Vec<Vec<f64>> {
    let first = space.places(point);
    let moved = space.axes().iter().enumerate().filter(|(_, axis)| axis.len() > 1).map(|(at, axis)| {
        let last = axis.last();
        let step = (last / 4.0).round().max(1.0);
        let mut places = first.clone();
        places[at] += if 2.0 * places[at] <= last { step } else { -step };
        places
    });
    std::iter::once(first.clone()).chain(moved).collect()
}

/// Moves a simplex until it has converged.
pub(super) fn search<O: Objective, P: Progress>(
    space: &Space,
    simplex: Vec<Vec<f64>>,
    trials: &mut Trials<'_, O, P>,
) -> Result<(), Stop<O::Error>> {
    let vertex = |mut places: Vec<f64>, trials: &mut Trials<'_, O, P>| {
        places.iter_mut().zip(space.axes()).for_each(|(at, axis)| *at = at.clamp(0.0, axis.last()));
        let cost = trials.cost(&space.nearest(&places))?;
        Ok(Vertex { places, cost })
    };
    let mut vertices = Vec::new();
    for places in simplex {
        vertices.push(vertex(places, trials)?);
    }
    loop {
        vertices.sort_by(|one, other| one.cost.total_cmp(&other.cost));
        let first = space.nearest(&vertices[0].places);
        let Some(worst) = vertices.pop() else { return Ok(()) };
        if trials.is_idle()
            || vertices.iter().chain([&worst]).all(|vertex| space.nearest(&vertex.places) == first)
        {
            return Ok(());
        }
        let centroid = centroid(&vertices);
        let [best, second] = [vertices[0].cost, vertices[vertices.len() - 1].cost];
        let reflected = vertex(toward(&centroid, &worst.places, -1.0), trials)?;
        let taken = if reflected.cost < best {
            let expanded = vertex(toward(&centroid, &worst.places, -2.0), trials)?;
            Some(if expanded.cost < reflected.cost { expanded } else { reflected })
        } else if reflected.cost < second {
            Some(reflected)
        } else {
            let better = if reflected.cost < worst.cost { &reflected } else { &worst };
            let contracted = vertex(toward(&centroid, &better.places, 0.5), trials)?;
            Some(contracted).filter(|contracted| contracted.cost < better.cost)
        };
        if let Some(taken) = taken {
            vertices.push(taken);
            continue;
        }
        vertices.push(worst);
        let best = vertices[0].places.clone();
        for other in &mut vertices[1..] {
            *other = vertex(toward(&best, &other.places, 0.5), trials)?;
        }
    }
}

fn centroid(vertices: &[Vertex]) -> Vec<f64> {
    let mean = |at| vertices.iter().map(|vertex| vertex.places[at]).sum::<f64>() / vertices.len() as f64;
    (0..vertices[0].places.len()).map(mean).collect()
}

/// Returns the point at `part` of the way from `from` to `to`.
fn toward(from: &[f64], to: &[f64], part: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + part * (to - from)).collect()
}
