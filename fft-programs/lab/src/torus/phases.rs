//! The paper's phases of an all-to-all on a torus (section 4.3), in which all links of a dimension carry
//! equal load.
//!
//! In a phase a node at `x` exchanges with `x + v`, `x - v`, `x + h - v` and `x - h + v`, where `h` is half
//! of each side. Along a dimension these messages take `v` and `h - v` hops up and equally many down; the sum
//! is the side, for any `v`. In one dimension the paper prints `p / 4 - i` for `h - v`, which would leave
//! nodes out.
//!
//! If all components of `v` are 0 or half of their side, or all are a quarter of it, some of the four
//! partners coincide and the phase has fewer partners. If a side is odd, `h` is not exact; the partners that
//! remain are still used.

/// Partners of a phase, as nodes relative to node 0.
pub(crate) type Phase = Vec<usize>;

/// Returns the node at a place, given the sides of a torus.
fn node_at(place: &[usize], sides: &[usize]) -> usize {
    place.iter().zip(sides).rev().fold(0, |node, (at, side)| node * side + at)
}

fn place_of(node: usize, sides: &[usize]) -> Vec<usize> {
    let mut left = node;
    let at = |side: &usize| {
        let at = left % side;
        left /= side;
        at
    };
    sides.iter().map(at).collect()
}

/// Returns the node whose displacement from `node` equals the displacement of `by` from node 0.
pub(crate) fn moved(node: usize, by: usize, sides: &[usize]) -> usize {
    let (mut node, mut by, mut below, mut moved) = (node, by, 1, 0);
    for side in sides {
        moved += (node % side + by % side) % side * below;
        (node, by, below) = (node / side, by / side, below * side);
    }
    moved
}

/// Returns all phases, which together have each node except node 0 as a partner exactly once.
pub(crate) fn phases(sides: &[usize]) -> Vec<Phase> {
    let nodes: usize = sides.iter().product();
    let mut is_left = vec![true; nodes];
    is_left[0] = false;
    let each = |place: &[usize], of: fn(usize, usize) -> usize| -> Vec<usize> {
        place.iter().zip(sides).map(|(&at, &side)| of(at, side)).collect()
    };
    let against = |place: &[usize]| each(place, |at, side| (side - at) % side);
    let phase = |v: usize| {
        let up = place_of(v, sides);
        let across = each(&up, |at, side| (side / 2 + side - at) % side);
        let places = [up.clone(), against(&up), across.clone(), against(&across)];
        let partners = places.iter().map(|place| node_at(place, sides));
        partners.filter(|&partner| std::mem::take(&mut is_left[partner])).collect::<Phase>()
    };
    (0..nodes).map(phase).filter(|phase| !phase.is_empty()).collect()
}

/// Returns the total hops of a phase's messages along each dimension, on shortest paths.
pub(crate) fn hops(phase: &[usize], sides: &[usize]) -> Vec<usize> {
    let mut hops = vec![0; sides.len()];
    for partner in phase {
        for (dimension, at) in place_of(*partner, sides).into_iter().enumerate() {
            hops[dimension] += at.min(sides[dimension] - at);
        }
    }
    hops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_have_every_partner_once_and_four_but_for_the_exceptions() {
        for sides in [&[8][..], &[8, 8], &[4, 6, 2], &[5, 3]] {
            let nodes: usize = sides.iter().product();
            let phases = phases(sides);
            let mut all: Vec<_> = phases.concat();
            all.sort_unstable();
            assert_eq!(all, (1..nodes).collect::<Vec<_>>());
        }
        // Displacements of 0 and half in every dimension are alone; (+-2, +-2) make one phase of four vectors
        // that are two pairs.
        let of = |sides: &[usize]| {
            let phases = phases(sides);
            [1, 2, 3, 4].map(|partners| phases.iter().filter(|phase| phase.len() == partners).count())
        };
        assert_eq!(of(&[8, 8]), [1, 3, 0, 14]);
        assert_eq!(of(&[8]), [1, 1, 0, 1]);
    }

    #[test]
    fn all_phases_of_four_go_the_same_hops_in_each_dimension() {
        let sides = [8, 4, 6];
        let full: Vec<_> = phases(&sides).into_iter().filter(|phase| phase.len() == 4).collect();
        assert!(full.len() > 40);
        for phase in full {
            assert_eq!(hops(&phase, &sides), sides);
        }
    }

    #[test]
    fn moves_add_places() {
        let sides = [4, 3];
        for node in 0..12 {
            assert_eq!(moved(node, 0, &sides), node);
            assert_eq!(moved(0, node, &sides), node);
        }
        // (3, 2) plus (2, 2) is (1, 1).
        assert_eq!(moved(11, 10, &sides), 5);
    }
}
