//! Figures of the simulated computer: published ones, assumed ones, and changes of the latter.

use earth_report::statements::{Change, Parameter, Status};

/// Number of cores.
pub(super) const CORES: usize = 36;

/// Clock of the cores, in gigahertz.
pub(super) const CLOCK: f64 = 2.3;

/// Library with the paper's figures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Library {
    pub(super) name: &'static str,
    /// Peak speed, in Gflop/s.
    pub(super) peak: f64,
    /// Width of the variations that follows from the average.
    pub(super) width: f64,
}

/// Both libraries of the paper's methods.
pub(super) const LIBRARIES: [Library; 2] =
    [Library { name: "fftw", peak: 16.989, width: 6.9 }, Library { name: "mkl", peak: 39.424, width: 10.0 }];

/// Figures of the machine that the paper does not publish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Assumed {
    /// Share of the variance that is common to all rows of a length: an estimate.
    pub(super) common: f64,
    /// Factor on the fitted widths of the variations.
    pub(super) width: f64,
    /// Cost of every operation of the runtime, in cycles: an estimate.
    pub(super) operation: f64,
    /// Cost of moving a point, in cycles of one of 36 cores: 16 bytes each way at 100 GB/s for all of them,
    /// an estimate.
    pub(super) copy: f64,
}

impl Default for Assumed {
    fn default() -> Self {
        Self { common: 0.45, width: 1.0, operation: 100.0, copy: 26.5 }
    }
}

impl Assumed {
    /// Returns the figures with their names, statuses and values.
    pub(super) fn parameters(&self) -> Vec<Parameter> {
        let [fftw, mkl] = LIBRARIES.map(|library| library.width);
        let parameter = |name: &str, status, value: String| Parameter {
            name: name.to_owned(),
            status,
            value,
            changed: [status != Status::Published; 2],
        };
        vec![
            parameter("cores", Status::Published, CORES.to_string()),
            parameter("clock", Status::Published, format!("{CLOCK} GHz")),
            parameter("peak", Status::Published, "16.989 Gflop/s (FFTW), 39.424 (MKL)".to_owned()),
            parameter("width", Status::Fitted, format!("{fftw} (FFTW), {mkl} (MKL)")),
            parameter("common", Status::Estimate, format!("{} of the variance", self.common)),
            parameter("operation", Status::Estimate, format!("{} cycles", self.operation)),
            parameter("copy", Status::Estimate, format!("{} cycles a point", self.copy)),
        ]
    }

    /// Returns the figures after a change of one of them.
    pub(super) fn changed(mut self, change: &Change) -> Self {
        let figure = match change.parameter.as_str() {
            "common" => &mut self.common,
            "width" => &mut self.width,
            "operation" => &mut self.operation,
            "copy" => &mut self.copy,
            other => unreachable!("{other} is not assumed"),
        };
        *figure *= change.factor();
        self
    }

    /// Returns the changes of all figures that are not published.
    pub(super) fn changes(&self) -> Vec<Change> {
        let assumed = self.parameters().into_iter().filter(|of| of.status != Status::Published);
        assumed.flat_map(|of| Change::both(&of.name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_of_one_figure() {
        let base = Assumed::default();
        let changes = base.changes();
        assert_eq!(changes.len(), 8);
        for change in changes {
            let Assumed { common, width, operation, copy } = base.changed(&change);
            let figures = [common / base.common, width, operation / base.operation, copy / base.copy];
            let mut factors: Vec<_> = figures.iter().filter(|by| (*by - 1.0).abs() > 1e-12).collect();
            assert_eq!(factors.pop().copied(), Some(change.factor()), "{change:?}");
            assert!(factors.is_empty() && common <= 1.0, "{change:?}");
        }
    }
}
