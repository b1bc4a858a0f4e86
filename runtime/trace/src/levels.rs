//! Levels: how long the rest of a run depends on each fiber.
//!
//! The *level* of a fiber is the time of the longest chain of fibers that begins with it. A list scheduler
//! that runs the ready task of the highest level first keeps the critical path short. [`Levels`] are means by
//! the name of the fiber, since a later run has other fibers of the same names. [`HighestLevelFirst`] is the
//! policy.
//!
//! ```text
//! level(f) = max of time(f) and, over arrows f -> s,  min(time(f), begin(s) - begin(f)) + level(s)
//! ```
//!
//! Algorithm: visits the fibers against the topological order of the arrows. Cost: linear in fibers and
//! arrows. It loses if fibers of one name have very different levels, such as the calls of a recursion. Their
//! mean does not tell one from another, and each choice takes time in proportion to the waiting fibers.
//!
//! ```
//! # use earth::{Eu, Machine, Reply, threaded};
//! # struct Answer {
//! #     out: Reply<u64>,
//! # }
//! # #[threaded]
//! # impl Answer {
//! #     fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
//! #         eu.sync(Self::say());
//! #         Answer { out }
//! #     }
//! #     #[slot(sync)]
//! #     fn say(self, eu: &mut Eu<Self>) {
//! #         eu.put(self.out, 42);
//! #     }
//! # }
//! use earth::policy::Policies;
//! use earth_trace::Trace;
//!
//! let run = Machine::threads(1).trace(true).run(Answer::call)?;
//! let levels = Trace::of(&run.records.expect("the machine traces")).levels();
//! let [start, say] = levels.iter().collect::<Vec<_>>()[..] else { panic!("two fibers ran") };
//! assert!(start.mean >= say.mean, "`say` depends on `start`");
//!
//! let policies = Policies::new().fibers("critical path", move |_node| levels.highest_first());
//! Machine::threads(2).policies(policies).run(Answer::call)?;
//! # Ok::<(), earth::Error>(())
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use earth::policy::{FiberPolicy, WaitingWork};

use super::critical_path::OutgoingArrows;
use super::{Trace, TraceName};

/// Levels of a program's fibers, by name.
#[derive(Clone, PartialEq, Debug)]
pub struct Levels(Arc<[Level]>);

/// Level of the fibers of one name.
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    /// Name of the fibers.
    pub name: TraceName,
    /// Number of fibers of this name that ran.
    pub fibers: u64,
    /// Mean of their levels, in ticks of the trace's clock.
    pub mean: f64,
}

impl Trace {
    /// Computes the levels of the fibers that ran. [Dropped](Trace::dropped) fibers are in no chain.
    pub fn levels(&self) -> Levels {
        let leaving = OutgoingArrows::of(&self.arrows, self.slices.len());
        let mut levels = vec![0_u64; self.slices.len()];
        for from in self.topological(&leaving).into_iter().rev() {
            let after = leaving.from(from).iter().map(|&to| self.counted(from, to) + levels[to as usize]);
            levels[from as usize] = after.fold(self.slices[from as usize].time(), u64::max);
        }
        let mut means = vec![(0_u64, 0.0); self.names.len()];
        for (slice, level) in self.slices.iter().zip(levels) {
            let (fibers, mean) = &mut means[slice.name as usize];
            *fibers += 1;
            *mean += (level as f64 - *mean) / *fibers as f64;
        }
        let level = |(name, (fibers, mean)): (&TraceName, _)| Level { name: name.clone(), fibers, mean };
        Levels(self.names.iter().zip(means).map(level).collect())
    }
}

impl Levels {
    /// Returns the levels, in the order of [`Trace::names`].
    pub fn iter(&self) -> impl Iterator<Item = &Level> {
        self.0.iter()
    }

    /// Returns the policy of a node that runs fibers of the highest mean level first.
    pub fn highest_first(&self) -> HighestLevelFirst {
        HighestLevelFirst { levels: self.clone(), known: HashMap::new() }
    }

    /// Returns the mean level of fibers of a name, or 0 if none ran.
    fn of(&self, work: &WaitingWork) -> f64 {
        let function = work.short_function();
        let level =
            self.iter().find(|level| level.name.function == function && level.name.fiber == work.fiber());
        level.map_or(0.0, |level| level.mean)
    }
}

/// Policy that runs the waiting fiber or function of the highest mean level next. Of equal ones the newest is
/// next, because its data is in cache.
#[derive(Debug)]
pub struct HighestLevelFirst {
    levels: Levels,
    /// Levels by the full name of the function and the name of the fiber.
    known: HashMap<(&'static str, &'static str), f64>,
}

impl FiberPolicy for HighestLevelFirst {
    fn next(&mut self, waiting: &[WaitingWork]) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (index, work) in waiting.iter().enumerate() {
            let name = (work.function(), work.fiber());
            let level = *self.known.entry(name).or_insert_with(|| self.levels.of(work));
            if level >= best.1 {
                best = (index, level);
            }
        }
        best.0
    }
}
