//! The result of a run.

use std::time::Duration;

use crate::probe::records::Records;
use crate::vocabulary::counters::Counters;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Run<T> {
    /// The value put to the main function's reply.
    pub value: T,
    /// The counters of all nodes: the sum of [`by_node`](Run::by_node).
    pub counters: Counters,
    /// The counters of each node, node 0 first. Unequal counters show unequal load.
    pub by_node: Vec<Counters>,
    /// Time from the start of the main function until quiescence: virtual time on a simulated machine.
    pub elapsed: Duration,
    /// Time of the run in cycles of the simulated machine's processors; `None` on real machines.
    pub cycles: Option<u64>,
    /// The records of the run, if the machine [traces](crate::Machine::trace).
    pub records: Option<Records>,
}

impl<T> Run<T> {
    /// Applies `f` to the value; counters, times and records stay unchanged.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Run<U> {
        let Self { value, counters, by_node, elapsed, cycles, records } = self;
        Run { value: f(value), counters, by_node, elapsed, cycles, records }
    }
}
