//! The speed functions of all groups, and the rows and the computer that they hold for.

use earth_fft::computer::{Computer, OtherComputer};

use super::function::{BadPoint, NoSection, Point, Section, Size, SpeedFunction};
use crate::partition::choose::{Options, Partition, partition};
use crate::partition::grouping::Grouping;
use crate::partition::search::PartitionError;
use crate::partition::times::TimeFunction;

/// The speed functions of p groups of t threads, measured all at once on one computer for rows that were transformed as
/// an `R` tells. Times of one kernel say nothing of another.
#[derive(Clone, Debug, PartialEq)]
pub struct PerformanceModel<R> {
    rows: R,
    threads: usize,
    computer: Computer,
    functions: Vec<SpeedFunction>,
}

/// Groups that cannot be, or a measurement that is not of this model's groups.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BadModel {
    /// No groups, or groups of no threads.
    #[error("{groups} groups of {threads} threads compute nothing")]
    NoThreads {
        /// How many groups.
        groups: usize,
        /// Threads of each.
        threads: usize,
    },
    /// Points for more or fewer groups.
    #[error("{points} points were measured for {groups} groups")]
    OtherGroups {
        /// How many groups there are.
        groups: usize,
        /// How many points came.
        points: usize,
    },
    /// A point that cannot be.
    #[error(transparent)]
    BadPoint(#[from] BadPoint),
}

/// Why a model gives no distribution.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Unpartitioned {
    /// A group has no function of that length.
    #[error(transparent)]
    NoSection(#[from] NoSection),
    /// The functions do not reach so many rows.
    #[error(transparent)]
    Partition(#[from] PartitionError),
}

impl<R> PerformanceModel<R> {
    /// A model without points.
    ///
    /// # Errors
    ///
    /// No groups, or groups of no threads.
    pub fn new(rows: R, grouping: Grouping, computer: Computer) -> Result<Self, BadModel> {
        let Grouping { groups, threads } = grouping;
        Self::of(rows, threads, computer, vec![SpeedFunction::new(); groups])
    }

    /// A model of one group of `threads` threads for each function.
    ///
    /// # Errors
    ///
    /// No groups, or groups of no threads.
    pub fn of(
        rows: R,
        threads: usize,
        computer: Computer,
        functions: Vec<SpeedFunction>,
    ) -> Result<Self, BadModel> {
        let groups = functions.len();
        if groups == 0 || threads == 0 {
            return Err(BadModel::NoThreads { groups, threads });
        }
        Ok(Self { rows, threads, computer, functions })
    }

    /// How the rows were transformed.
    pub fn rows(&self) -> &R {
        &self.rows
    }

    /// How many groups of how many threads.
    pub fn grouping(&self) -> Grouping {
        Grouping { groups: self.functions.len(), threads: self.threads }
    }

    /// The computer on which it was measured.
    pub fn computer(&self) -> &Computer {
        &self.computer
    }

    /// A function for each group.
    pub fn functions(&self) -> &[SpeedFunction] {
        &self.functions
    }

    /// Adds the points of all groups at a size, in place of those that were there.
    ///
    /// # Errors
    ///
    /// Not a point for each group, or one that cannot be; then nothing has changed.
    pub fn add(&mut self, size: Size, measured: &[Point]) -> Result<(), BadModel> {
        let (groups, points) = (self.functions.len(), measured.len());
        if groups != points {
            return Err(BadModel::OtherGroups { groups, points });
        }
        for point in measured {
            SpeedFunction::new().insert(size, *point)?;
        }
        for (function, point) in self.functions.iter_mut().zip(measured) {
            function.insert(size, *point)?;
        }
        Ok(())
    }

    /// The times of each group for rows of a length that was measured.
    ///
    /// # Errors
    ///
    /// A group without a function of that length.
    pub fn sections(&self, length: usize) -> Result<Vec<TimeFunction>, NoSection> {
        self.functions.iter().map(|function| Ok(function.section(length)?.times)).collect()
    }

    /// The times of each group for rows of a length that was measured or lies between two that were: see
    /// [`SpeedFunction::section_or_between`].
    ///
    /// # Errors
    ///
    /// A group without a function of that length or around it.
    pub fn sections_or_between(&self, length: usize) -> Result<Vec<Section>, NoSection> {
        self.functions.iter().map(|function| function.section_or_between(length)).collect()
    }

    /// Deals `rows` of `length` points to the groups so that the slowest is as fast as possible: see
    /// [`partition`](crate::partition::partition()).
    ///
    /// # Errors
    ///
    /// A length that was not measured, or what the partitioner refuses.
    pub fn partition(
        &self,
        rows: usize,
        length: usize,
        options: Options,
    ) -> Result<Partition, Unpartitioned> {
        Ok(partition(&self.sections(length)?, rows, options)?)
    }

    /// Whether it was measured on a computer like this one. A caller may well use it in spite of the answer;
    /// but what it then finds best need not be so.
    ///
    /// # Errors
    ///
    /// [`OtherComputer`] with the first fact that differs.
    pub fn check_computer(&self, here: &Computer) -> Result<(), OtherComputer> {
        self.computer.check(here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::choose::Method;

    /// Two groups of three threads, of which the second is slow at 512 rows.
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
        let options = Options { granularity: 128, ..Options::default() };
        let found = model.partition(1024, 1024, options).unwrap();
        assert_eq!(
            (found.method, found.optimum.distribution.rows()),
            (Method::Hpopta, &[512 + 128, 384][..])
        );
        let missing = NoSection { length: 1000, below: None, above: Some(1024) };
        assert_eq!(model.partition(1024, 1000, options), Err(Unpartitioned::NoSection(missing)));
        let beyond = model.partition(10_240, 1024, options).unwrap_err();
        assert!(matches!(beyond, Unpartitioned::Partition(PartitionError::OutOfReach { reached: 1536, .. })));
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
        assert_eq!(refused, BadModel::OtherGroups { groups: 2, points: 1 });
        assert!(matches!(model.add(size, &measured(&[1.0, -1.0])), Err(BadModel::BadPoint(_))));
        assert_eq!(model, example());
        let none = PerformanceModel::new(
            *model.rows(),
            Grouping { groups: 2, threads: 0 },
            model.computer().clone(),
        );
        assert_eq!(none, Err(BadModel::NoThreads { groups: 2, threads: 0 }));
    }
}
