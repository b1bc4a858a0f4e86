//! The parameters of the model, as plain data, and the times that follow from them.

use std::collections::BTreeMap;

use earth_kernels::prime_factors;
use earth_serial::Method;
use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::pass::{Pass, PassWork, Pattern, Predicted};

/// Measured rates of this computer.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// Caches, the nearest first. Data that fit into no cache are in memory.
    pub levels: Vec<Level>,
    /// Effective bandwidths.
    pub memory: Vec<MemoryRates>,
    /// Costs of nodes.
    pub nodes: NodeRates,
    /// Nanoseconds of a step, by its name.
    pub steps: BTreeMap<String, f64>,
    /// Costs of kernels.
    pub kernels: Vec<KernelRates>,
}

/// A cache.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Name of the cache.
    pub name: String,
    /// Size in bytes.
    pub bytes: usize,
}

/// Bandwidths of an access pattern.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRates {
    /// Access pattern.
    pub pattern: Pattern,
    /// Number of threads that share the array. Each reads data that another thread has written.
    pub threads: usize,
    /// 10^9 bytes read and written a second, as a function of the reuse distance in bytes.
    pub rate: Curve,
}

/// Costs of a run on nodes besides its work.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeRates {
    /// Nanoseconds of a run.
    pub run: f64,
    /// Nanoseconds of a part of a pass: its function, its fibers, its signals.
    pub part: f64,
    /// Nanoseconds of a tile between two parts.
    pub tile: f64,
}

/// Cost of lines by a kernel with data in the nearest cache.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelRates {
    /// Name of the kernel.
    pub kernel: String,
    /// Rows, columns, or rows into columns.
    pub lines: Lines,
    /// Bytes of a point.
    pub point: usize,
    /// The rates are for lengths that are multiples of this number.
    pub multiple: usize,
    /// Whether these lengths have a prime factor over 31, so that rows go through a chirp.
    pub chirp: bool,
    /// Part of the shorter of computation and memory that the longer one does not hide.
    pub overlap: f64,
    /// Nanoseconds of a line of any length.
    pub line: f64,
    /// Factor that multiplies the sum of the other costs, as a function of the length.
    pub length: Curve,
    /// Nanoseconds of a point for each occurrence of a prime factor in the length. `other` counts each prime
    /// factor over 7, times the factor. `log2` is the cost of a chirp for each doubling.
    pub factors: BTreeMap<String, f64>,
}

/// Kind of lines that a kernel takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lines {
    /// Rows of contiguous points.
    Rows,
    /// Columns, in place.
    Columns,
    /// Rows that become columns.
    Turned,
}

/// The largest prime factor of a length that rows have butterflies for.
const LARGEST: usize = 31;

/// Name of the step between real numbers and points, whose cost is for each point.
pub(super) const REAL: &str = "real";

impl KernelRates {
    /// Returns the names of the cost terms of a line, with their multiplicities in a line of `len` points.
    pub fn features(len: usize, chirp: bool) -> Vec<(&'static str, f64)> {
        let n = len as f64;
        if chirp {
            return vec![("log2", n * n.log2())];
        }
        let (mut rest, mut features) = (len, Vec::new());
        for (prime, name) in [(2, "2"), (3, "3"), (5, "5"), (7, "7")] {
            let mut times = 0.0;
            while rest > 1 && rest.is_multiple_of(prime) {
                rest /= prime;
                times += 1.0;
            }
            features.push((name, n * times));
        }
        let others: usize = prime_factors(rest).into_iter().sum();
        features.push(("other", n * others as f64));
        features
    }

    /// Returns whether rows of this length go through a chirp.
    pub fn is_chirp(len: usize) -> bool {
        prime_factors(len).into_iter().any(|prime| prime > LARGEST)
    }

    /// Returns the nanoseconds of a line of `len` points.
    pub fn line(&self, len: usize) -> f64 {
        let features = Self::features(len, self.chirp).into_iter();
        let points: f64 = features.map(|(name, times)| times * self.factors.get(name).unwrap_or(&0.0)).sum();
        (self.line + points) * self.length.at(len as f64)
    }
}

impl Rates {
    /// Checks that all figures make sense.
    ///
    /// # Errors
    ///
    /// The first figure that does not, for people.
    pub fn check(&self) -> Result<(), String> {
        let sensible = |number: &f64| number.is_finite() && *number >= 0.0;
        if self.levels.windows(2).any(|pair| pair[0].bytes >= pair[1].bytes) {
            return Err("caches do not grow from level to level".to_owned());
        }
        for pattern in [Pattern::Stream, Pattern::Columns] {
            let mut of = self.memory.iter().filter(|rates| rates.pattern == pattern).peekable();
            if of.peek().is_none() || of.any(|rates| !rates.rate.makes_sense() || rates.threads == 0) {
                return Err(format!("there are no sensible rates of memory for {pattern:?}").to_lowercase());
            }
        }
        let NodeRates { run, part, tile } = &self.nodes;
        if !([run, part, tile].into_iter().chain(self.steps.values()).all(sensible)) {
            return Err("a time of nodes or steps is negative or not finite".to_owned());
        }
        for rates in &self.kernels {
            let KernelRates { kernel, overlap, line, factors, length, multiple, .. } = rates;
            let numbers = [overlap, line].into_iter().chain(factors.values()).all(sensible);
            if !numbers || *multiple == 0 || !length.makes_sense() {
                return Err(format!("a rate of the kernel {kernel} is no valid number"));
            }
        }
        Ok(())
    }

    /// Returns the level at which data with this reuse distance in bytes are found. The last level is memory.
    pub fn level(&self, bytes: f64, threads: usize) -> &str {
        // Each thread has its own caches, except for the last level.
        let last = self.levels.len().saturating_sub(1);
        let fits = |(at, level): &(usize, &Level)| {
            bytes <= level.bytes as f64 * if *at < last { threads as f64 } else { 1.0 }
        };
        let found = self.levels.iter().enumerate().find(fits);
        found.map_or("memory", |(_, level)| &level.name)
    }

    /// Returns the bytes a nanosecond of all threads together, interpolated between the measured numbers of
    /// threads.
    pub fn bandwidth(&self, pattern: Pattern, threads: usize, footprint: f64) -> Option<f64> {
        let mut known: Vec<_> = self.memory.iter().filter(|rates| rates.pattern == pattern).collect();
        known.sort_by_key(|rates| rates.threads);
        let at = |rates: &MemoryRates| rates.rate.at(footprint);
        let next = known.partition_point(|rates| rates.threads < threads);
        Some(match (next.checked_sub(1).map(|last| known[last]), known.get(next)) {
            (_, Some(more)) if more.threads == threads => at(more),
            (Some(fewer), Some(more)) => {
                let part = (threads - fewer.threads) as f64 / (more.threads - fewer.threads) as f64;
                at(fewer) + (at(more) - at(fewer)) * part
            }
            (Some(end), None) => at(end),
            (None, Some(end)) => at(end),
            (None, None) => return None,
        })
    }

    /// Returns the rates for lines by a kernel.
    pub fn kernel(&self, kernel: &str, lines: Lines, point: usize, len: usize) -> Option<&KernelRates> {
        let chirp = lines == Lines::Rows && KernelRates::is_chirp(len);
        let of = |rates: &&KernelRates| {
            rates.kernel == kernel
                && (rates.lines, rates.point, rates.chirp) == (lines, point, chirp)
                && len.is_multiple_of(rates.multiple.max(1))
        };
        self.kernels.iter().filter(of).max_by_key(|rates| rates.multiple)
    }

    /// Predicts the time of a pass, or `None` if its kernel was not measured.
    pub fn predict(&self, pass: &Pass) -> Option<Predicted> {
        let Pass { point, bytes, footprint, threads, uneven, parts, tiles, .. } = *pass;
        let shared = uneven / threads.max(1) as f64;
        let footprint = footprint as f64;
        let mut pattern = Pattern::Columns;
        let (compute, overlap) = match &pass.work {
            PassWork::Lines { way, kernel, len, lines, real } => {
                let kind = match way {
                    Method::Rows | Method::Gathered | Method::GatheredTransposed => Lines::Rows,
                    Method::Columns => Lines::Columns,
                    Method::Turned => Lines::Turned,
                };
                if *way == Method::Rows {
                    pattern = Pattern::Stream;
                }
                let rates = self.kernel(kernel, kind, point, *len)?;
                let step = if *real { self.steps.get(REAL)? * point as f64 / 16.0 } else { 0.0 };
                let mut line = rates.line(*len) + step * *len as f64;
                if matches!(way, Method::Gathered | Method::GatheredTransposed) {
                    // Two copies within the cache.
                    line += self.steps.get("gathered")? * (*len * point) as f64 / 16.0;
                }
                (line * *lines as f64 * shared, rates.overlap)
            }
            PassWork::Moves(along) => {
                pattern = *along;
                (0.0, 0.0)
            }
            PassWork::Steps(name, count) => {
                pattern = Pattern::Stream;
                (self.steps.get(*name)? * *count as f64 * shared, 1.0)
            }
        };
        let bandwidth = self.bandwidth(pattern, threads, footprint)?;
        let memory = if bytes == 0 { 0.0 } else { bytes as f64 / bandwidth * uneven };
        let sync = (parts as f64 * self.nodes.part + tiles as f64 * self.nodes.tile) * shared;
        let level = self.level(footprint, threads).to_owned();
        Some(Predicted::new(compute, memory, overlap, sync, level))
    }
}

#[cfg(test)]
#[path = "rates_tests.rs"]
mod tests;
