//! The rates of this computer for the [model](earth_fft::advisor) of what plans take, and how far off its predictions are.
//!
//! 1. *Memory* (`memory`): bandwidths over the bytes that are gone through, along rows and down columns, by one thread and
//!    by all.
//! 2. *Kernels* (`kernels`): what lines of some lengths take where their data stay in a cache, and from that by least
//!    squares what each prime factor costs. How much of the shorter of computation and memory is hidden behind the longer
//!    one follows from passes over arrays that fit into no cache of a core.
//! 3. *Nodes* (`nodes`): what runs, parts and tiles cost beside the passes, and the steps of the programs of the papers.
//! 4. *Check* (`check`): plans of sizes that were in none of these, predicted and measured.
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

/// How long each figure is measured.
#[derive(Clone, Copy, Debug)]
pub struct Care {
    /// Milliseconds of a figure.
    pub milliseconds: f64,
    /// The most bytes of an array.
    pub bytes: usize,
}

impl Default for Care {
    fn default() -> Self {
        Self { milliseconds: 4.0, bytes: 1 << 27 }
    }
}

/// Measures the rates of this computer: some ten seconds.
///
/// # Errors
///
/// Those of plans and of their runs, of which none is expected.
pub fn rates(care: Care, progress: &impl Progress) -> Result<Rates, TransformError> {
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

/// Caches of data by their names, `L2 unified 512K` for example.
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

    /// Whatever the figures are, they make sense, are read as they are written, and predict plans of all classes.
    #[test]
    fn a_computer_has_rates_that_predict_plans() {
        let care = Care { milliseconds: 0.0, bytes: 1 << 18 };
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
