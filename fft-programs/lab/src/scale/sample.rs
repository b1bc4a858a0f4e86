//! Runs of a program, with counts that the machine's own counters do not tell: how often nodes looked for
//! tokens, and how often threads slept.

use std::fs;
use std::sync::Arc;

use earth::policy::{Policies, Search, StealPolicy};
use earth::{Machine, StealOrder};
use earth_programs::{Instance, ProgramError};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// Counts of one run, and its time.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Sample {
    pub(crate) seconds: f64,
    pub(crate) fibers: u64,
    /// Events that left their node.
    pub(crate) messages: u64,
    pub(crate) stolen: u64,
    /// Searches for a token of another node.
    pub(crate) searches: u64,
    /// Searches that found a node with a token. On a simulated machine such a node is sent a request.
    pub(crate) requests: u64,
    /// Requests that came too late (simulated).
    pub(crate) refused: u64,
    /// How often threads of this process gave up their core to wait, if the system tells.
    pub(crate) sleeps: Option<u64>,
}

impl Sample {
    /// Runs a program on a machine with these policies, and with a steal policy that counts.
    pub(crate) fn of(
        instance: &Instance,
        machine: Machine,
        policies: Policies,
    ) -> Result<Self, ProgramError> {
        let counted = Arc::new(Mutex::new(Counted::default()));
        let order = StealOrder::default();
        let all = Arc::clone(&counted);
        let counting =
            move |_| Counting { order: order.policy(), own: Counted::default(), all: Arc::clone(&all) };
        let mut machine = machine.policies(policies.steal("counting", counting));
        let before = sleeps();
        let run = instance.run(&mut machine)?;
        let sleeps = sleeps().zip(before).map(|(after, before)| after.saturating_sub(before));
        // The machine's policies add their counts when they are dropped.
        drop(machine);
        let Counted { searches, found, refused } = *counted.lock();
        let counters = run.counters;
        Ok(Self {
            seconds: run.elapsed.as_secs_f64(),
            fibers: counters.fibers,
            messages: counters.events_sent,
            stolen: counters.tokens_stolen,
            searches,
            requests: found,
            refused,
            sleeps,
        })
    }
}

/// Counts of a node, or of all.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    searches: u64,
    found: u64,
    refused: u64,
}

/// Steals in the built-in order, and counts.
struct Counting {
    order: Box<dyn StealPolicy>,
    own: Counted,
    all: Arc<Mutex<Counted>>,
}

impl StealPolicy for Counting {
    fn next(&mut self, search: &mut Search<'_>) -> Option<usize> {
        self.own.searches += u64::from(search.tried() == 0);
        self.order.next(search)
    }

    fn found(&mut self, victim: usize) {
        self.own.found += 1;
        self.order.found(victim);
    }

    fn gave(&mut self, _victim: usize, tokens: usize) {
        self.own.refused += u64::from(tokens == 0);
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        all.searches += self.own.searches;
        all.found += self.own.found;
        all.refused += self.own.refused;
    }
}

/// Returns how often threads of this process have given up their core to wait, if the system tells.
fn sleeps() -> Option<u64> {
    let mut all = 0;
    for task in fs::read_dir("/proc/self/task").ok()? {
        // A thread may end before its file is read.
        let Ok(status) = fs::read_to_string(task.ok()?.path().join("status")) else { continue };
        let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        all += count.trim().parse::<u64>().ok()?;
    }
    Some(all)
}
