//! Shape of a torus: positions of its nodes, and shortest paths.

/// Maximum number of dimensions of a torus.
pub const MOST_DIMENSIONS: usize = 6;

/// Distance along each dimension; the sign is the direction.
pub(super) type Offset = [i16; MOST_DIMENSIONS];

/// Sides of a torus. Nodes are numbered along the first dimension first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) sides: Vec<usize>,
}

impl Shape {
    /// Returns the given sides, or else three sides for `nodes` nodes, the longest as short as possible.
    pub(super) fn of(sides: &[usize], nodes: usize) -> Self {
        if !sides.is_empty() {
            return Shape { sides: sides.to_vec() };
        }
        let divisors = |number: usize| (1..=number).filter(move |side| number.is_multiple_of(*side));
        let all = divisors(nodes).flat_map(|x| divisors(nodes / x).map(move |y| [x, y, nodes / x / y]));
        let ordered = all.filter(|[x, y, z]| x >= y && y >= z);
        Shape { sides: ordered.min().map_or(vec![nodes], Vec::from) }
    }

    pub(super) fn nodes(&self) -> usize {
        self.sides.iter().product()
    }

    /// Returns the number of links that lead away from a node.
    pub(super) fn links(&self) -> usize {
        2 * self.sides.len()
    }

    /// Returns the node that a link leads to: link `2 d` goes up along dimension `d`, and `2 d + 1` down.
    pub(super) fn neighbour(&self, node: usize, link: usize) -> usize {
        let below: usize = self.sides[..link / 2].iter().product();
        let side = self.sides[link / 2];
        let at = node / below % side;
        let next = if link.is_multiple_of(2) { (at + 1) % side } else { (at + side - 1) % side };
        node - at * below + next * below
    }

    /// Returns the shortest path from one node to another, and a bit for each dimension with two equally
    /// short directions.
    pub(super) fn transport_as(&self, from: usize, to: usize) -> (Offset, u8) {
        let (mut offset, mut either, mut below) = ([0; MOST_DIMENSIONS], 0, 1);
        for (dimension, &side) in self.sides.iter().enumerate() {
            let up = (to / below % side + side - from / below % side) % side;
            offset[dimension] =
                if 2 * up > side { -((side - up) as u16).cast_signed() } else { (up as u16).cast_signed() };
            if up > 0 && 2 * up == side {
                either |= 1 << dimension;
            }
            below *= side;
        }
        (offset, either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_that_are_not_given_are_as_equal_as_can_be() {
        let sides = |nodes| Shape::of(&[], nodes).sides;
        assert_eq!(sides(1024), [16, 8, 8]);
        assert_eq!(sides(64), [4, 4, 4]);
        assert_eq!((sides(1), sides(7), sides(12)), (vec![1, 1, 1], vec![7, 1, 1], vec![3, 2, 2]));
    }

    /// Every path leads to its node in the number of steps of the shortest walk.
    #[test]
    fn ways_are_shortest_walks() {
        let shape = Shape { sides: vec![5, 4, 2] };
        let nodes = shape.nodes();
        for from in 0..nodes {
            let mut walk = vec![usize::MAX; nodes];
            walk[from] = 0;
            let mut reached = vec![from];
            let mut next = 0;
            while let Some(&node) = reached.get(next) {
                next += 1;
                for link in 0..shape.links() {
                    let neighbour = shape.neighbour(node, link);
                    assert_eq!(shape.neighbour(neighbour, link ^ 1), node);
                    if walk[neighbour] == usize::MAX {
                        walk[neighbour] = walk[node] + 1;
                        reached.push(neighbour);
                    }
                }
            }
            for (to, &steps) in walk.iter().enumerate() {
                let (offset, either) = shape.transport_as(from, to);
                let long: usize = offset.iter().map(|hops| usize::from(hops.unsigned_abs())).sum();
                assert_eq!(long, steps, "{from} to {to}");
                let mut at = from;
                for (dimension, &hops) in offset.iter().enumerate() {
                    // If both directions are equally short, the other one must lead there too.
                    let hops = if either >> dimension & 1 == 1 { -hops } else { hops };
                    for _ in 0..hops.unsigned_abs() {
                        at = shape.neighbour(at, 2 * dimension + usize::from(hops < 0));
                    }
                }
                assert_eq!(at, to);
            }
        }
    }
}
