//! Speed functions of all groups, with the rows and the computer that they hold for.

use earth_fft::computer::Computer;

use super::speeds::{NoSection, Point, PointError, Section, Size, SpeedFunction};

/// Groups of equal numbers of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grouping {
    /// Number of groups p.
    pub groups: usize,
    /// Threads of each group t.
    pub threads: usize,
}

/// Returns all ways to divide `cores` cores into groups of equal size, fewest groups first.
///
/// The best of them is found with the balanced distribution, before any speed function is measured.
///
/// ```
/// let pairs = earth_papers::partition::groupings(6).map(|way| (way.groups, way.threads));
/// assert_eq!(pairs.collect::<Vec<_>>(), [(1, 6), (2, 3), (3, 2), (6, 1)]);
/// ```
pub fn groupings(cores: usize) -> impl Iterator<Item = Grouping> {
    (1..=cores)
        .filter(move |groups| cores.is_multiple_of(*groups))
        .map(move |groups| Grouping { groups, threads: cores / groups })
}

/// Speed functions of p groups of t threads, measured simultaneously on one computer.
///
/// `R` describes how the rows were transformed. Times of one kernel do not apply to another.
#[derive(Clone, Debug, PartialEq)]
pub struct PerformanceModel<R> {
    rows: R,
    threads: usize,
    computer: Computer,
    functions: Vec<SpeedFunction>,
}

/// Invalid groups, or a measurement of other groups than the model's.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// There are no groups, or the groups have no threads.
    #[error("{groups} groups of {threads} threads compute nothing")]
    NoThreads {
        /// Number of groups.
        groups: usize,
        /// Threads of each group.
        threads: usize,
    },
    /// The number of points differs from the number of groups.
    #[error("{points} points were measured for {groups} groups")]
    GroupMismatch {
        /// Number of groups.
        groups: usize,
        /// Number of points.
        points: usize,
    },
    /// A point is invalid.
    #[error(transparent)]
    PointError(#[from] PointError),
}

impl<R> PerformanceModel<R> {
    /// Creates a model without points.
    ///
    /// # Errors
    ///
    /// No groups, or groups of no threads.
    pub fn new(rows: R, grouping: Grouping, computer: Computer) -> Result<Self, ModelError> {
        let Grouping { groups, threads } = grouping;
        Self::of(rows, threads, computer, vec![SpeedFunction::new(); groups])
    }

    /// Creates a model of one group of `threads` threads for each function.
    ///
    /// # Errors
    ///
    /// No groups, or groups of no threads.
    pub fn of(
        rows: R,
        threads: usize,
        computer: Computer,
        functions: Vec<SpeedFunction>,
    ) -> Result<Self, ModelError> {
        let groups = functions.len();
        if groups == 0 || threads == 0 {
            return Err(ModelError::NoThreads { groups, threads });
        }
        Ok(Self { rows, threads, computer, functions })
    }

    /// Returns how the rows were transformed.
    pub fn rows(&self) -> &R {
        &self.rows
    }

    /// Returns the number of groups and of their threads.
    pub fn grouping(&self) -> Grouping {
        Grouping { groups: self.functions.len(), threads: self.threads }
    }

    /// Returns the computer of the measurement.
    pub fn computer(&self) -> &Computer {
        &self.computer
    }

    /// Returns the functions, one for each group.
    pub fn functions(&self) -> &[SpeedFunction] {
        &self.functions
    }

    /// Adds the points of all groups at a size, replacing earlier ones.
    ///
    /// # Errors
    ///
    /// A number of points other than the number of groups, or an invalid point. The model is then unchanged.
    pub fn add(&mut self, size: Size, measured: &[Point]) -> Result<(), ModelError> {
        let (groups, points) = (self.functions.len(), measured.len());
        if groups != points {
            return Err(ModelError::GroupMismatch { groups, points });
        }
        for point in measured {
            SpeedFunction::new().insert(size, *point)?;
        }
        for (function, point) in self.functions.iter_mut().zip(measured) {
            function.insert(size, *point)?;
        }
        Ok(())
    }

    /// Returns each group's times for rows of a length that was measured or is between two measured ones: see
    /// [`SpeedFunction::section_or_between`].
    ///
    /// # Errors
    ///
    /// A group without measurements of that length or around it.
    pub fn sections_or_between(&self, length: usize) -> Result<Vec<Section>, NoSection> {
        self.functions.iter().map(|function| function.section_or_between(length)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::{PartitionError, Section, TimeFunction, partition};

    /// Two groups of three threads. The second group is slow at 512 rows.
    fn example() -> PerformanceModel<&'static str> {
        let computer = Computer {
            architecture: "x86_64".to_owned(),
            processor: None,
            cores: None,
            usable_cores: 6,
            caches: Vec::new(),
            family: "linux".to_owned(),
            system: None,
        };
        let mut model = PerformanceModel::new("rows", Grouping { groups: 2, threads: 3 }, computer).unwrap();
        for rows in [256, 384, 512, 640, 768] {
            let mean = rows as f64 / 3e5;
            let slow = if rows == 512 { 2.0 * mean } else { mean };
            model.add(Size { length: 1024, rows }, &measured(&[mean, slow])).unwrap();
        }
        model.add(Size { length: 2048, rows: 128 }, &measured(&[0.1 + 0.2, 1.0 / 3.0])).unwrap();
        model
    }

    fn measured(means: &[f64]) -> Vec<Point> {
        let point = |&mean| Point { mean, half_width: mean / 77.0, repetitions: 12, normality: None };
        means.iter().map(point).collect()
    }

    #[test]
    fn a_model_deals_rows_by_its_functions() {
        let model = example();
        assert_eq!(model.grouping(), Grouping { groups: 2, threads: 3 });
        let times = |length| -> Result<Vec<TimeFunction>, NoSection> {
            let sections = model.sections_or_between(length)?;
            Ok(sections.into_iter().map(|Section { times, .. }| times).collect())
        };
        let functions = times(1024).unwrap();
        assert_eq!(partition(&functions, 1024, 128).unwrap().rows, [512 + 128, 384]);
        assert_eq!(times(1000), Err(NoSection { length: 1000, below: None, above: Some(1024) }));
        let beyond = partition(&functions, 10_240, 128).unwrap_err();
        assert!(matches!(beyond, PartitionError::OutOfReach { reached: 1536, .. }));
        assert_eq!(
            model.sections_or_between(2048).unwrap()[1].times.points().collect::<Vec<_>>(),
            [(128, 1.0 / 3.0)]
        );
    }

    #[test]
    fn a_bad_measurement_changes_no_function() {
        let mut model = example();
        let size = Size { length: 64, rows: 8 };
        let refused = model.add(size, &measured(&[1.0])).unwrap_err();
        assert_eq!(refused, ModelError::GroupMismatch { groups: 2, points: 1 });
        assert!(matches!(model.add(size, &measured(&[1.0, -1.0])), Err(ModelError::PointError(_))));
        assert_eq!(model, example());
        let none = PerformanceModel::new(
            *model.rows(),
            Grouping { groups: 2, threads: 0 },
            model.computer().clone(),
        );
        assert_eq!(none, Err(ModelError::NoThreads { groups: 2, threads: 0 }));
    }

    #[test]
    fn groupings_are_the_factorings_of_the_cores() {
        let pairs = |cores| groupings(cores).map(|way| (way.groups, way.threads)).collect::<Vec<_>>();
        assert_eq!(pairs(36), [(1, 36), (2, 18), (3, 12), (4, 9), (6, 6), (9, 4), (12, 3), (18, 2), (36, 1)]);
        assert_eq!((pairs(1), pairs(0)), (vec![(1, 1)], vec![]));
    }
}
