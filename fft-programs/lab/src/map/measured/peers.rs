//! The family without messages between chains, as tasks of other systems: rayon in this process, and OpenMP
//! and TBB as processes, if their compilers are found.
//!
//! A chain is a task that makes the next one. Every engine uses all cores; a DUAL node uses two. The engines
//! run in turn.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use earth::{Config, Machine};
use earth_programs::chains::Chains;
use earth_report::spread::Spread;
use parking_lot::Mutex;
use rayon::{Scope, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::pairs::Bench;
use crate::run_cache::SimulateError;

/// Chains of a core.
const CHAINS: u32 = 16;

/// Engines in this process. The others are compared with the first one.
const OWN: [&str; 3] = ["SPN", "DUAL", "rayon"];

/// Engines that are compiled: name, compiler, its options after the name of the source, and the source.
const COMPILED: [(&str, &str, &[&str], &str, &str); 2] = [
    ("OpenMP", "cc", &["-fopenmp"], "peers.c", include_str!("peers.c")),
    ("TBB", "c++", &["-std=c++17", "-ltbb"], "peers.cpp", include_str!("peers.cpp")),
];

/// Nanoseconds of a task on an engine, and its ratio to SPN's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Peer {
    pub(crate) engine: String,
    pub(crate) time: Spread,
    pub(crate) ratio: Spread,
}

/// Compiled engines.
pub(super) struct Peers {
    cores: usize,
    /// Names and programs.
    found: Vec<(&'static str, PathBuf)>,
    /// Folder of the programs.
    _folder: Option<TempDir>,
}

/// Returns the names of the engines that a computer may lack.
pub(crate) fn optional() -> impl Iterator<Item = &'static str> {
    COMPILED.into_iter().map(|(name, ..)| name)
}

impl Peers {
    /// Compiles the engines whose compilers and libraries are found.
    pub(super) fn compiled(cores: usize) -> Self {
        let folder = TempDir::new().ok();
        let compile = |(name, compiler, options, source, text): (&'static str, &str, &[&str], &str, &str)| {
            let folder = folder.as_ref()?.path();
            let (source, program) = (folder.join(source), folder.join(name));
            fs::write(&source, text).ok()?;
            let mut command = Command::new(compiler);
            command.args(["-O2", "-o"]).args([&program, &source]).args(options);
            let done = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
            done.is_ok_and(|status| status.success()).then_some((name, program))
        };
        let found = COMPILED.into_iter().filter_map(compile).collect();
        Self { cores, found, _folder: folder }
    }

    /// Measures all engines at a grain, in turn.
    pub(super) fn measured(&self, bench: &Bench<'_>, grain: u32) -> Result<Vec<Peer>, SimulateError> {
        let of = self.program(bench, grain);
        let names = OWN.into_iter().chain(self.found.iter().map(|(name, _)| *name));
        let mut times: Vec<(&str, Vec<f64>)> = names.map(|name| (name, Vec::new())).collect();
        let expected = of.expected();
        for _ in 0..bench.pairs {
            for (name, times) in &mut times {
                times.push(self.timed(bench, of, expected, name)?);
            }
        }
        let spn = times[0].1.clone();
        let peer = |(name, times): (&str, Vec<f64>)| Peer {
            engine: name.to_owned(),
            ratio: Spread::of_ratios(&times, &spn),
            time: Spread::of(times),
        };
        Ok(times.into_iter().map(peer).collect())
    }

    /// Returns the program: chains of signals within a node.
    fn program(&self, bench: &Bench<'_>, grain: u32) -> Chains {
        let shape = crate::map::grid::Shape { nodes: 1, chains: CHAINS, messages: 1, remote: 0, bytes: 0 };
        let of = bench.program(shape, grain);
        Chains { groups: self.cores.next_power_of_two() as u32, chains: CHAINS, ..of }
    }

    /// Returns the nanoseconds of a task, with all cores at work.
    fn timed(
        &self,
        bench: &Bench<'_>,
        of: Chains,
        expected: u64,
        engine: &str,
    ) -> Result<f64, SimulateError> {
        let each = f64::from(of.total()) / self.cores as f64;
        let nanoseconds = match engine {
            "SPN" => return Ok(bench.timed(of, expected, Machine::threads(self.cores))? / each),
            "DUAL" => {
                let machine = Machine::threads((self.cores / 2).max(1)).config(Config::Dual);
                return Ok(bench.timed(of, expected, machine)? / each);
            }
            "rayon" => on_rayon(of, expected, self.cores)?,
            _ => self.in_process(of, expected, engine)?,
        };
        Ok(nanoseconds / f64::from(of.steps) / each)
    }

    /// Runs a compiled engine. Returns the nanoseconds of its second run.
    fn in_process(&self, of: Chains, expected: u64, engine: &str) -> Result<f64, SimulateError> {
        let program = self.found.iter().find(|(name, _)| *name == engine);
        let (_, program) = program.unwrap_or_else(|| unreachable!("{engine} was compiled"));
        let numbers = [u64::from(of.total()), u64::from(of.steps), of.rounds, self.cores as u64];
        let failed = |why: String| SimulateError::Peer(format!("{engine}: {why}"));
        let output = Command::new(program).args(numbers.map(|number| number.to_string())).output();
        let output = output.map_err(|error: io::Error| failed(error.to_string()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut words = text.split_whitespace();
        let sum = words.next().and_then(|word| word.parse::<u64>().ok());
        let time = words.next().and_then(|word| word.parse::<f64>().ok());
        match (sum, time) {
            (Some(sum), Some(time)) if sum == expected => Ok(time),
            _ => Err(failed(format!("it printed {text:?} and ended with {}", output.status))),
        }
    }
}

/// Runs the chains on rayon twice. Returns the nanoseconds of the second run.
fn on_rayon(of: Chains, expected: u64, threads: usize) -> Result<f64, SimulateError> {
    let failed = |why: String| SimulateError::Peer(format!("rayon: {why}"));
    let pool =
        ThreadPoolBuilder::new().num_threads(threads).build().map_err(|why| failed(why.to_string()))?;
    let mut nanoseconds = 0.0;
    for _ in 0..2 {
        let sum = Mutex::new(0_u64);
        let began = Instant::now();
        pool.scope(|scope| {
            for chain in 0..of.total() {
                let sum = &sum;
                scope.spawn(move |scope| link(scope, &of, u64::from(chain), of.steps, sum));
            }
        });
        nanoseconds = began.elapsed().as_secs_f64() * 1e9;
        if sum.into_inner() != expected {
            return Err(failed("its sum is wrong".to_owned()));
        }
    }
    Ok(nanoseconds)
}

fn link<'scope>(scope: &Scope<'scope>, of: &Chains, value: u64, left: u32, sum: &'scope Mutex<u64>) {
    let (of, value) = (*of, of.step(value));
    if left > 1 {
        scope.spawn(move |scope| link(scope, &of, value, left - 1, sum));
    } else {
        let mut sum = sum.lock();
        *sum = sum.wrapping_add(value);
    }
}

#[cfg(test)]
mod tests {
    use earth::CancelToken;

    use super::*;

    #[test]
    fn every_engine_that_is_found_computes_the_sum() {
        let cancel = CancelToken::new();
        let bench = Bench { round: 2.0, run: 1e4, pairs: 1, cancel: &cancel };
        let peers = Peers::compiled(2);
        let measured = peers.measured(&bench, 10).unwrap();
        let names: Vec<_> = measured.iter().map(|peer| peer.engine.as_str()).collect();
        assert_eq!(names[..3], OWN);
        assert_eq!(names.len(), 3 + peers.found.len());
        assert!(measured.iter().all(|peer| peer.time.median > 0.0), "{measured:?}");
        assert!((measured[0].ratio.median - 1.0).abs() < 1e-12);
        for (name, _) in &peers.found {
            let wrong = peers.in_process(peers.program(&bench, 10), 1, name).unwrap_err().to_string();
            assert!(wrong.starts_with(&format!("the peer failed: {name}: it printed")), "{wrong}");
        }
        assert!(on_rayon(peers.program(&bench, 10), 1, 2).is_err());
    }
}
