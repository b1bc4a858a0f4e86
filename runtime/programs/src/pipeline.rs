//! A pipeline: every item passes through all stages in order. Each stage computes a new number from it.
//!
//! The items travel in batches. At most one window of batches is under way between two stages: a stage that
//! takes a batch returns a credit for one more. [`Streams`] is written with the operations of a fiber alone.
//!
//! `cargo run --release -p earth-programs -- pipeline [items] [stages] [window] [batch] [nodes] [spn|dual]`

use earth::patterns::{Flow, Stage, Streams, Upstream, items};
use earth::{Machine, Wire, Work};

use crate::program::{Instance, Program, ProgramError, Size};

/// A stage, with its number.
#[derive(Wire)]
struct Works(usize);

impl Stage<u64> for Works {
    type Out = u64;
    fn work(&mut self, item: u64, out: &mut Vec<u64>) {
        out.push(worked(self.0, item));
    }
    fn cost(&self, _: &u64) -> Work {
        Work::Cycles(10)
    }
}

/// Returns the result of stage `number` for an item. The stages do not commute, so a skipped stage would
/// show.
fn worked(number: usize, item: u64) -> u64 {
    (item ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
}

/// Sends items through stages.
pub struct Pipeline;

impl Program for Pipeline {
    fn name(&self) -> &'static str {
        "pipeline"
    }

    fn title(&self) -> &'static str {
        "pipeline"
    }

    fn sizes(&self) -> &'static [Size] {
        const {
            &[
                Size::new("items", 50_000, 100).within(0, u64::MAX),
                Size::new("stages", 6, 4).within(0, 1 << 16),
                Size::new("window", 4, 3),
                Size::new("batch", 256, 7),
            ]
        }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (count, stages) = (sizes[0], sizes[1] as usize);
        let flow = Flow { window: sizes[2] as usize, batch: sizes[3] as usize };
        let plain = move || -> Vec<u64> {
            (0..count).map(|item| (0..stages).fold(item, |item, number| worked(number, item))).collect()
        };
        let run = move |machine: &mut Machine| {
            let stream = items(0..count).through_all((0..stages).map(Works).collect());
            let run = machine.run(|out| Streams::call(stream, Vec::new(), flow, out))?;
            // Each of the stages + 1 links has at most one window of batches at its end, and one of credits
            // at its beginning.
            let parked = run.counters.parked_high;
            if parked > 2 * ((stages + 1) * flow.window) as u64 {
                return Err(ProgramError::Wrong(format!("{parked} batches and credits waited at once")));
            }
            Ok(run)
        };
        Ok(Instance::new(plain, run, move |items| format!("{} items through {stages} stages", items.len())))
    }
}
