//! Spaces of integers.

use std::collections::BTreeSet;

/// Parameter of a space: its name, and the values on its grid in ascending order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    name: String,
    grid: Grid,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Grid {
    /// All integers from the least to the greatest.
    Every([usize; 2]),
    Listed(Vec<usize>),
}

impl Axis {
    /// Makes a parameter with all integers from `least` to `most`, or with `least` alone if `most` is less.
    pub fn every(name: impl Into<String>, [least, most]: [usize; 2]) -> Self {
        Self { name: name.into(), grid: Grid::Every([least, most.max(least)]) }
    }

    /// Makes a parameter with `least`, `most`, and the powers of two between them.
    ///
    /// ```
    /// use earth_lab::tune::Axis;
    ///
    /// let tile = Axis::powers("T", [1, 24]);
    /// assert_eq!(tile.values().collect::<Vec<_>>(), [1, 2, 4, 8, 16, 24]);
    /// ```
    pub fn powers(name: impl Into<String>, [least, most]: [usize; 2]) -> Self {
        let powers = (0..usize::BITS).map(|power| 1 << power);
        let between = powers.skip_while(|&power| power <= least).take_while(|&power| power < most);
        let most = (most > least).then_some(most);
        Self::of(name, std::iter::once(least).chain(between).chain(most))
    }

    /// Makes a parameter with these values, in any order.
    ///
    /// # Panics
    ///
    /// If there are no values.
    pub fn of(name: impl Into<String>, values: impl IntoIterator<Item = usize>) -> Self {
        let values: Vec<_> = BTreeSet::from_iter(values).into_iter().collect();
        assert!(!values.is_empty(), "a parameter has values");
        Self { name: name.into(), grid: Grid::Listed(values) }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Yields the values on the grid.
    pub fn values(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).map(|at| self.value(at))
    }

    /// Returns the number of values.
    pub(super) fn len(&self) -> usize {
        match &self.grid {
            Grid::Every([least, most]) => most - least + 1,
            Grid::Listed(values) => values.len(),
        }
    }

    /// Returns the place of the greatest value.
    pub(super) fn last(&self) -> f64 {
        (self.len() - 1) as f64
    }

    /// Returns the value of a place on the grid.
    fn value(&self, at: usize) -> usize {
        match &self.grid {
            Grid::Every([least, _]) => least + at,
            Grid::Listed(values) => values[at],
        }
    }

    /// Returns the place of the value that is nearest by ratio.
    fn place(&self, value: usize) -> usize {
        match &self.grid {
            Grid::Every([least, most]) => value.clamp(*least, *most) - least,
            Grid::Listed(values) => {
                let above = values.partition_point(|&listed| listed < value);
                let Some(&next) = values.get(above) else { return values.len() - 1 };
                match above.checked_sub(1) {
                    Some(before) if is_nearer(value, values[before], next) => before,
                    _ => above,
                }
            }
        }
    }
}

/// Returns whether the ratio of `value` to `before` is less than the ratio of `next` to `value`.
fn is_nearer(value: usize, before: usize, next: usize) -> bool {
    (value as f64).powi(2) < before as f64 * next as f64
}

/// Space of integers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    axes: Vec<Axis>,
}

impl Space {
    /// Makes a space.
    pub fn new(axes: impl IntoIterator<Item = Axis>) -> Self {
        Self { axes: axes.into_iter().collect() }
    }

    /// Returns the parameters.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Returns the number of points on the grid. Not all of them are feasible.
    pub fn points(&self) -> f64 {
        self.axes.iter().map(|axis| axis.len() as f64).product()
    }

    /// Returns the point of the grids that is nearest to these places.
    pub(super) fn nearest(&self, places: &[f64]) -> Vec<usize> {
        let nearest = |(axis, at): (&Axis, &f64)| axis.value(at.round().clamp(0.0, axis.last()) as usize);
        self.axes.iter().zip(places).map(nearest).collect()
    }

    /// Returns the place of a point on each grid.
    pub(super) fn places(&self, point: &[usize]) -> Vec<f64> {
        self.axes.iter().zip(point).map(|(axis, &value)| axis.place(value) as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_of_powers_has_the_ends() {
        let values = |least, most| Axis::powers("", [least, most]).values().collect::<Vec<_>>();
        assert_eq!(values(0, 9), [0, 1, 2, 4, 8, 9]);
        assert_eq!(values(3, 16), [3, 4, 8, 16]);
        assert_eq!((values(5, 5), values(5, 2)), (vec![5], vec![5]));
        assert_eq!(Axis::every("", [5, 2]).values().collect::<Vec<_>>(), [5]);
    }

    #[test]
    fn a_value_has_the_place_that_is_nearest_by_ratio() {
        let powers = Axis::powers("", [1, 64]);
        let nearest = |value| powers.value(powers.place(value));
        assert_eq!([1, 2, 11, 12, 24, 100].map(nearest), [1, 2, 8, 16, 32, 64]);
        let every = Axis::every("", [3, 9]);
        assert_eq!([0, 3, 8, 10].map(|value| every.value(every.place(value))), [3, 3, 8, 9]);
    }

    #[test]
    fn places_become_points_of_the_grid() {
        let space = Space::new([Axis::powers("a", [1, 8]), Axis::every("b", [2, 5])]);
        assert_eq!(space.nearest(&[1.4, -3.0]), [2, 2]);
        assert_eq!(space.nearest(&[9.0, 2.6]), [8, 5]);
        assert_eq!((space.places(&[4, 4]), space.points()), (vec![2.0, 2.0], 16.0));
    }
}
