//! The prediction for a plan: the time of each pass, and its bound.

use std::fmt;
use std::time::Duration;

use super::pass::{Pass, Predicted};
use super::rates::Rates;

/// Predicted times of the passes of a plan.
#[derive(Clone, PartialEq, Debug)]
pub struct Forecast {
    /// Passes and their predictions.
    pub passes: Vec<(Pass, Predicted)>,
    /// Nanoseconds before and after the passes.
    pub run: f64,
}

impl Forecast {
    /// Predicts consecutive passes, on nodes or by one thread. `None` if a needed rate was not measured.
    pub(crate) fn new(rates: &Rates, passes: Vec<Pass>) -> Option<Self> {
        let on_nodes = passes.iter().any(|pass| pass.parts > 0);
        let predict = |pass: Pass| rates.predict(&pass).map(|predicted| (pass, predicted));
        let passes = passes.into_iter().map(predict).collect::<Option<Vec<_>>>()?;
        let run = if on_nodes { rates.nodes.run } else { 0.0 };
        Some(Self { passes, run })
    }

    /// Returns the time of a call.
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.nanoseconds() / 1e9)
    }

    /// Returns the time of a call, in nanoseconds.
    pub fn nanoseconds(&self) -> f64 {
        self.run + self.passes.iter().map(|(_, predicted)| predicted.time).sum::<f64>()
    }
}

/// Writes the time of a call, and for each pass its time, bound, times of computation and memory, bandwidth,
/// operations for each byte, and rate of operations.
impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = |nanoseconds: f64| nanoseconds / 1e3;
        write!(f, "predicted {:.1} us a call", us(self.nanoseconds()))?;
        if self.run > 0.0 {
            write!(f, ", of which {:.1} us to begin and end", us(self.run))?;
        }
        for (pass, predicted) in &self.passes {
            let (bound, operations) = (predicted.bound(), pass.operations());
            let Predicted { compute, memory, sync, time, level } = predicted;
            let [all, compute, memory, sync] = [*time, *compute, *memory, *sync].map(us);
            write!(f, "\n  {all:.1} us, bound by {bound}: {}", pass.what)?;
            write!(f, "\n    computation {compute:.1} us, {level} {memory:.1} us")?;
            if pass.parts > 0 {
                write!(f, ", synchronization {sync:.1} us")?;
            }
            if pass.bytes > 0 {
                let rate = pass.bytes as f64 / time;
                write!(f, ", {rate:.1} GB/s")?;
                if operations > 0.0 {
                    let intensity = operations / pass.bytes as f64;
                    write!(f, ", {intensity:.2} operations a byte")?;
                }
            }
            if operations > 0.0 {
                let roof = operations / predicted.compute.max(predicted.memory);
                write!(f, ", {:.1} of at most {roof:.1} GFLOPS", operations / time)?;
            }
        }
        Ok(())
    }
}
