//! Measured times of fibers, as costs of a simulated machine.

use std::collections::BTreeMap;

use crate::node::function::functions;
use crate::probe::records::Records;
use crate::vocabulary::layout::Layout;

/// Mean times of a program's fibers, from a run that was [traced](crate::Machine::trace) on real cores.
///
/// A simulated machine with [`fiber_times`](crate::Machine::fiber_times) charges each fiber with its mean time
/// instead of the [work](crate::Eu::work) that it reports. So it predicts the program on other numbers of
/// nodes, in the other configuration, under other policies, or with another network:
///
/// ```
/// # use earth::{Eu, Machine, Reply, Start, threaded};
/// # struct Fib { out: Reply<u64> }
/// # #[threaded]
/// # impl Fib {
/// #     fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
/// #         if n < 2 {
/// #             eu.put(out, n);
/// #             return Start::End;
/// #         }
/// #         eu.token(Fib::call(n - 1, eu.reply(Self::add().left)));
/// #         eu.token(Fib::call(n - 2, eu.reply(Self::add().right)));
/// #         Start::Wait(Fib { out })
/// #     }
/// #     #[slot]
/// #     fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) { eu.put(self.out, left + right); }
/// # }
/// use earth::simulated::{FiberTimes, Profile};
///
/// let run = Machine::threads(1).trace(true).run(|out| Fib::call(12, out))?;
/// let times = FiberTimes::of(&run.records.expect("the machine traces"));
/// let profile = Profile::free();
/// let on = |nodes| {
///     let mut machine = Machine::simulated(&profile).nodes(nodes).fiber_times(&times);
///     machine.run(|out| Fib::call(12, out)).map(|run| run.elapsed)
/// };
/// assert!(on(16)? < on(1)?, "many nodes share the work");
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FiberTimes {
    /// By the number of the function and of the fiber in it.
    times: BTreeMap<(u32, u32), MeanTime>,
}

/// The mean time of the runs of a fiber.
#[derive(Clone, PartialEq, Debug)]
pub struct MeanTime {
    /// The name of the function, without its modules.
    pub function: String,
    /// The name of the fiber.
    pub fiber: &'static str,
    /// How often the fiber ran.
    pub count: u64,
    /// Its mean time, in nanoseconds.
    pub nanos: f64,
}

impl FiberTimes {
    /// Computes the mean times of all fibers in these records.
    pub fn of(records: &Records) -> Self {
        let mut times: BTreeMap<(u32, u32), MeanTime> = BTreeMap::new();
        for ran in records.nodes().flat_map(|node| node.fibers()) {
            let key = (functions::number_of(ran.fiber.layout()), ran.fiber.number());
            let nanos = records.clock().micros(ran.end - ran.begin) * 1e3;
            let mean = times.entry(key).or_insert_with(|| MeanTime {
                function: ran.fiber.function(),
                fiber: ran.fiber.name(),
                count: 0,
                nanos: 0.0,
            });
            mean.count += 1;
            mean.nanos += (nanos - mean.nanos) / mean.count as f64;
        }
        FiberTimes { times }
    }

    /// Returns these times less `nanos` nanoseconds for each fiber, such as the cost of tracing it. No time
    /// is less than 0.
    #[must_use]
    pub fn less(&self, nanos: f64) -> Self {
        let less = |time: &MeanTime| MeanTime { nanos: (time.nanos - nanos).max(0.0), ..time.clone() };
        FiberTimes { times: self.times.iter().map(|(key, time)| (*key, less(time))).collect() }
    }

    /// Returns these times less the times of the same fibers in `other`, such as the costs of their
    /// operations on a simulated machine. No time is less than 0.
    #[must_use]
    pub fn without(&self, other: &FiberTimes) -> Self {
        let rest = |(key, time): (&(u32, u32), &MeanTime)| {
            let less = other.times.get(key).map_or(0.0, |other| other.nanos);
            (*key, MeanTime { nanos: (time.nanos - less).max(0.0), ..time.clone() })
        };
        FiberTimes { times: self.times.iter().map(rest).collect() }
    }

    /// Returns the mean time of each fiber.
    pub fn iter(&self) -> impl Iterator<Item = &MeanTime> {
        self.times.values()
    }

    /// Returns the mean time of all fibers, in nanoseconds.
    pub fn mean(&self) -> f64 {
        let count: u64 = self.iter().map(|time| time.count).sum();
        self.iter().map(|time| time.nanos * time.count as f64).sum::<f64>() / count.max(1) as f64
    }

    /// Returns the mean time of a fiber, in nanoseconds.
    pub(crate) fn nanos(&self, layout: &'static Layout, fiber: u32) -> f64 {
        self.times.get(&(functions::number_of(layout), fiber)).map_or(0.0, |time| time.nanos)
    }
}
