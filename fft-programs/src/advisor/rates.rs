//! The parameters of the model, as plain data, and the times that follow from them.

use std::collections::BTreeMap;

use earth_kernels::prime_factors;
use earth_serial::Way;
use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::pass::{Pass, Pattern, Predicted, Work};

/// What this computer does in a second.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// The caches, the nearest first. What fits into none is in memory.
    pub levels: Vec<Level>,
    /// Effective bandwidths.
    pub memory: Vec<MemoryRates>,
    /// What nodes cost.
    pub nodes: NodeRates,
    /// Nanoseconds of a step, by its name.
    pub steps: BTreeMap<String, f64>,
    /// What kernels cost.
    pub kernels: Vec<KernelRates>,
}

/// A cache.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: usize,
}

/// Bandwidths.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRates {
    /// How it is gone through.
    pub pattern: Pattern,
    /// The threads that share it, each of which goes through what another one has written.
    pub threads: usize,
    /// 10^9 bytes read and written a second, over the bytes that are passed over again and again.
    pub rate: Curve,
}

/// What a run on nodes costs beside its work.
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

/// What lines cost by a kernel whose data are in the nearest cache.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelRates {
    /// The name of the kernel.
    pub kernel: String,
    /// Rows, columns, or rows into columns.
    pub lines: Lines,
    /// The bytes of a point.
    pub point: usize,
    /// The lengths that it is for are multiples of this.
    pub multiple: usize,
    /// Whether these have a prime factor over 31, so that rows go through a chirp.
    pub chirp: bool,
    /// The part of the shorter of computation and memory that is not hidden behind the longer one.
    pub overlap: f64,
    /// Nanoseconds of a line of any length.
    pub line: f64,
    /// By what the rest has to be multiplied, over the length.
    pub length: Curve,
    /// Nanoseconds of a point for each time that its prime factor is in the length; `other` is for those over 7, times
    /// themselves, and `log2` of a chirp for each doubling.
    pub factors: BTreeMap<String, f64>,
}

/// Which lines a kernel takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lines {
    /// Neighbouring points.
    Rows,
    /// Columns, where they are.
    Columns,
    /// Rows that become columns.
    Turned,
}

/// The largest prime factor of a length that rows have butterflies for.
const LARGEST: usize = 31;

/// The step between real numbers and points, a point.
pub(super) const REAL: &str = "real";

impl KernelRates {
    /// The names of what a line's cost is made of, with how often a line of `len` points has each.
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

    /// Whether rows of this length go through a chirp.
    pub fn is_chirp(len: usize) -> bool {
        prime_factors(len).into_iter().any(|prime| prime > LARGEST)
    }

    /// Nanoseconds of a line of so many points.
    pub fn line(&self, len: usize) -> f64 {
        let features = Self::features(len, self.chirp).into_iter();
        let points: f64 = features.map(|(name, times)| times * self.factors.get(name).unwrap_or(&0.0)).sum();
        (self.line + points) * self.length.at(len as f64)
    }
}

impl Rates {
    /// Whether all figures make sense.
    ///
    /// # Errors
    ///
    /// The first one that does not, for people.
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
            return Err("nodes or steps have a time that is none".to_owned());
        }
        for rates in &self.kernels {
            let KernelRates { kernel, overlap, line, factors, length, multiple, .. } = rates;
            let numbers = [overlap, line].into_iter().chain(factors.values()).all(sensible);
            if !numbers || *multiple == 0 || !length.makes_sense() {
                return Err(format!("the kernel {kernel} has a rate that is none"));
            }
        }
        Ok(())
    }

    /// The level at which so many bytes are found again, and its bytes; the last one is memory.
    pub fn level(&self, bytes: f64, threads: usize) -> &str {
        // Each thread has caches of its own, but the last one.
        let last = self.levels.len().saturating_sub(1);
        let fits = |(at, level): &(usize, &Level)| {
            bytes <= level.bytes as f64 * if *at < last { threads as f64 } else { 1.0 }
        };
        let found = self.levels.iter().enumerate().find(fits);
        found.map_or("memory", |(_, level)| &level.name)
    }

    /// Bytes a nanosecond of so many threads together, of which the model knows those of 1 and of some.
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

    /// What lines of a kernel cost.
    pub fn kernel(&self, kernel: &str, lines: Lines, point: usize, len: usize) -> Option<&KernelRates> {
        let chirp = lines == Lines::Rows && KernelRates::is_chirp(len);
        let of = |rates: &&KernelRates| {
            rates.kernel == kernel
                && (rates.lines, rates.point, rates.chirp) == (lines, point, chirp)
                && len.is_multiple_of(rates.multiple.max(1))
        };
        self.kernels.iter().filter(of).max_by_key(|rates| rates.multiple)
    }

    /// What a pass takes; nothing if its kernel was not measured.
    pub fn predict(&self, pass: &Pass) -> Option<Predicted> {
        let Pass { point, bytes, footprint, threads, uneven, parts, tiles, .. } = *pass;
        let shared = uneven / threads.max(1) as f64;
        let footprint = footprint as f64;
        let mut pattern = Pattern::Columns;
        let (compute, overlap) = match &pass.work {
            Work::Lines { way, kernel, len, lines, real } => {
                let kind = match way {
                    Way::Rows | Way::Gathered | Way::GatheredTurned => Lines::Rows,
                    Way::Columns => Lines::Columns,
                    Way::Turned => Lines::Turned,
                };
                if *way == Way::Rows {
                    pattern = Pattern::Stream;
                }
                let rates = self.kernel(kernel, kind, point, *len)?;
                let step = if *real { self.steps.get(REAL)? * point as f64 / 16.0 } else { 0.0 };
                let mut line = rates.line(*len) + step * *len as f64;
                if matches!(way, Way::Gathered | Way::GatheredTurned) {
                    // Two copies within the cache.
                    line += self.steps.get("gathered")? * (*len * point) as f64 / 16.0;
                }
                (line * *lines as f64 * shared, rates.overlap)
            }
            Work::Moves(along) => {
                pattern = *along;
                (0.0, 0.0)
            }
            Work::Steps(name, count) => {
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
