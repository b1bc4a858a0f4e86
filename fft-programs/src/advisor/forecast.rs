//! What the model says of a plan: the time of each pass, and what bounds it.

use std::fmt;
use std::time::Duration;

use super::pass::{Pass, Predicted};
use super::rates::Rates;

/// What a plan takes, pass by pass.
#[derive(Clone, PartialEq, Debug)]
pub struct Forecast {
    /// The passes.
    pub passes: Vec<(Pass, Predicted)>,
    /// Nanoseconds before and after them.
    pub run: f64,
}

impl Forecast {
    /// Predicts passes that follow one another, on nodes or by one thread; `None` if a rate that they need was not measured.
    pub(crate) fn new(rates: &Rates, passes: Vec<Pass>) -> Option<Self> {
        let on_nodes = passes.iter().any(|pass| pass.parts > 0);
        let predict = |pass: Pass| rates.predict(&pass).map(|predicted| (pass, predicted));
        let passes = passes.into_iter().map(predict).collect::<Option<Vec<_>>>()?;
        let run = if on_nodes { rates.nodes.run } else { 0.0 };
        Some(Self { passes, run })
    }

    /// The time of a call.
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.nanoseconds() / 1e9)
    }

    /// The nanoseconds of a call.
    pub fn nanoseconds(&self) -> f64 {
        self.run + self.passes.iter().map(|(_, predicted)| predicted.time).sum::<f64>()
    }
}

/// The time of a call, and a line for each pass: its time, what computation and memory take of it, its operations for each
/// byte, their rate, and what bounds it.
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
                write!(f, ", synchronisation {sync:.1} us")?;
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
