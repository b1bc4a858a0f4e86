//! Measures the rates of this computer for the [cost model](earth_fft::advisor) of plans, and the model's
//! errors.
//!
//! 1. *Memory* (`memory`): bandwidth as a function of the array's bytes, along rows and down columns, of one
//!    thread and of all threads.
//! 2. *Kernels* (`kernels`): times of lines of several lengths whose data stay in a cache. Least squares
//!    gives the cost of each prime factor. Passes over arrays that exceed the caches of a core show which
//!    part of the shorter of computation and memory time is hidden behind the longer one.
//! 3. *Nodes* (`nodes`): costs of runs, parts and tiles beyond the passes, and of the steps of the papers'
//!    programs.
//! 4. *Check* (`check`): plans of sizes that no rate was measured with, predicted and measured.
//!
//! No rate is fitted to a plan of the check.

mod check;
mod fit;
mod kernels;
mod memory;
mod nodes;
pub(super) mod time;

use earth_console::work::Progress;
use earth_fft::advisor::{Level, Rates};
use earth_fft::{TransformError, computer, default_nodes};

pub use check::{Checked, Error, checked};

/// Effort of each measured figure.
#[derive(Clone, Copy, Debug)]
pub struct CalibrationEffort {
    /// Time per figure, in milliseconds.
    pub milliseconds: f64,
    /// Largest array, in bytes.
    pub bytes: usize,
}

impl Default for CalibrationEffort {
    fn default() -> Self {
        Self { milliseconds: 4.0, bytes: 1 << 27 }
    }
}

/// Measures the rates of this computer, in about ten seconds.
///
/// # Errors
///
/// Returns the errors of planning and of running plans; none is expected.
pub fn rates(care: CalibrationEffort, progress: &impl Progress) -> Result<Rates, TransformError> {
    progress.begin(3);
    let threads = default_nodes(earth::Config::Spn);
    let mut rates = Rates { levels: levels(&computer::here().caches), ..Rates::default() };
    rates.memory = memory::bandwidths(threads, care);
    progress.done(1);
    kernels::measure::<f64>(&mut rates, care);
    kernels::measure::<f32>(&mut rates, care);
    progress.done(1);
    nodes::measure(&mut rates, threads, care)?;
    progress.done(1);
    Ok(rates)
}

/// Parses the data caches from their descriptions, for example `L2 unified 512K`.
fn levels(caches: &[String]) -> Vec<Level> {
    let level = |cache: &String| {
        let [name, kind, size] = cache.split(' ').collect::<Vec<_>>().try_into().ok()?;
        let unit = size.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let shift = match unit {
            "K" => 10,
            "M" => 20,
            "" => 0,
            _ => return None,
        };
        let number: usize = size[..size.len() - unit.len()].parse().ok()?;
        (kind != "instruction").then(|| Level { name: name.to_owned(), bytes: number << shift })
    };
    let mut levels: Vec<_> = caches.iter().filter_map(level).collect();
    levels.sort_by_key(|level| level.bytes);
    levels.dedup_by_key(|level| level.bytes);
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rates make sense on any computer, parse back from their text, and predict plans of all classes.
    #[test]
    fn a_computer_has_rates_that_predict_plans() {
        let care = CalibrationEffort { milliseconds: 0.0, bytes: 1 << 18 };
        let rates = rates(care, &()).unwrap();
        assert_eq!(rates.check(), Ok(()), "{rates}");
        assert_eq!(rates.to_string().parse(), Ok(rates.clone()), "{rates}");
        let (errors, summary) = checked(&rates, 2, &()).unwrap();
        assert_eq!((errors.len(), summary.len()), (2, 3));
        let ratio = |error: &Error| error.predicted_s / error.measured_s;
        assert!(
            errors.iter().all(|error| error.ratio > 0.0 && (error.ratio / ratio(error) - 1.0).abs() < 1e-9)
        );
        let all = &summary[2];
        assert_eq!((all.class, all.plans), ("all", 2));
        assert!(
            all.ratio[0] <= all.ratio[1] && all.ratio[1] <= all.ratio[2] && all.error[0] >= 0.0,
            "{all:?}"
        );
    }

    #[test]
    fn caches_are_levels() {
        let caches = ["L1 data 32K", "L1 instruction 32K", "L2 unified 1024K", "L3 unified 32M", "L4"];
        let levels = levels(&caches.map(str::to_owned));
        let told: Vec<_> = levels.iter().map(|level| (level.name.as_str(), level.bytes)).collect();
        assert_eq!(told, [("L1", 32 << 10), ("L2", 1 << 20), ("L3", 32 << 20)]);
    }
}
