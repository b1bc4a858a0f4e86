//! Records of the ranks of a machine, gathered in one process.
//!
//! Each rank sends the logs of its nodes as plain data ([`NodeLog`]). Times are nanoseconds of the rank's own
//! clock. Rank 0 converts them to its clock, with a [`ClockMap`] for each rank, and makes [`Records`] of all
//! logs.
//!
//! *Clocks.* Rank 0 asks every rank for its time, before the run and after it, some times each. The answer
//! was given between the question and its arrival, so it belongs to the middle of this period, with an error
//! of at most half of it. The shortest period counts. Times between the two moments are interpolated.

use std::sync::Arc;

use quanta::Clock as HostClock;

use super::{FiberRef, Records};
use crate::node::function::functions;
use crate::probe::log::Log;
use crate::probe::recorder::{
    FiberLog, Lengths, RawFiber, RawLengths, RawService, RawSignal, SignalLog, Stamps,
};
use crate::probe::records::Clock;
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::layout::BETWEEN_FIBERS;
use crate::vocabulary::wire::Wire;

/// Offset of converted times. Times before the first one of rank 0 are positive.
const SHIFT: i128 = 1 << 62;

/// Clock of a rank: nanoseconds since its part in a run began.
#[derive(Clone, Debug)]
pub(crate) struct RankClock {
    clock: HostClock,
    base: u64,
}

impl RankClock {
    /// Starts the clock.
    pub(crate) fn start() -> Self {
        let clock = HostClock::new();
        let base = clock.raw();
        RankClock { clock, base }
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> u64 {
        self.time(self.clock.raw())
    }

    /// Returns the time of a stamp.
    fn time(&self, stamp: u64) -> u64 {
        self.clock.delta_as_nanos(self.base, stamp)
    }
}

/// Moment by two clocks: a rank's, and rank 0's. `error` is the largest error of the latter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Moment {
    pub(crate) its: u64,
    pub(crate) own: u64,
    pub(crate) error: u64,
}

/// Conversion of a rank's times to rank 0's, by a moment before the run and one after it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClockMap(pub(crate) [Moment; 2]);

impl ClockMap {
    /// Returns rank 0's time.
    fn convert(&self, its: u64) -> u64 {
        let ClockMap([before, after]) = *self;
        let [since, its_length, own_length] =
            [(its, before.its), (after.its, before.its), (after.own, before.own)]
                .map(|(to, from)| i128::from(to) - i128::from(from));
        let since = if its_length > 0 { since * own_length / its_length } else { since };
        (i128::from(before.own) + since + SHIFT).clamp(0, i128::from(u64::MAX)) as u64
    }

    fn error(&self) -> u64 {
        let ClockMap([before, after]) = self;
        before.error.max(after.error)
    }
}

/// Records of one node, as plain data.
#[derive(Clone, PartialEq, Debug, Default, Wire)]
pub(crate) struct NodeLog {
    node: u32,
    records_lengths: bool,
    /// Numbers of fibers, signals and services that were not kept.
    dropped: [u64; 3],
    /// Begin, end, number of the function, enabler, number of the cause, index.
    fibers: Vec<(u64, u64, u32, u32, u32, u32)>,
    lengths: Vec<(u32, Lengths)>,
    /// Frame, slot, number of the sender.
    signals: Vec<(u64, u32, u32)>,
    senders: Vec<(u32, u64)>,
    services: Vec<(u64, u64, Lengths)>,
}

impl NodeLog {
    /// Returns the records of a rank's own nodes as plain data.
    pub(crate) fn all_of(records: &Records, clock: &RankClock) -> Vec<Self> {
        let both = records.fibers.iter().zip(&records.signals);
        both.map(|(fibers, signals)| Self::of(fibers, signals, clock)).collect()
    }

    fn of(fibers: &FiberLog, signals: &SignalLog, clock: &RankClock) -> Self {
        let fiber = |raw: &RawFiber| {
            let RawFiber { begin, end, layout, by, of, index } = *raw;
            (clock.time(begin), clock.time(end), functions::number_of(layout), by.0, of, index)
        };
        let service = |raw: &RawService| (clock.time(raw.begin), clock.time(raw.end), raw.lengths);
        NodeLog {
            node: fibers.node,
            records_lengths: fibers.records_lengths,
            dropped: [fibers.fibers.dropped, signals.signals.dropped, signals.services.dropped],
            fibers: fibers.fibers.iter().map(fiber).collect(),
            lengths: fibers.lengths.iter().map(|raw| (raw.fiber, raw.lengths)).collect(),
            signals: signals.signals.iter().map(|raw| (raw.frame, raw.slot, raw.from)).collect(),
            senders: signals.senders.iter().map(|&(signal, FiberRef(sender))| (signal, sender)).collect(),
            services: signals.services.iter().map(service).collect(),
        }
    }

    /// Returns the node's logs, with times of rank 0's clock.
    fn into_logs(self, map: &ClockMap, began: u64) -> (Arc<FiberLog>, Arc<SignalLog>) {
        let NodeLog { node, records_lengths, dropped, .. } = self;
        let period = |begin: u64, end: u64| (map.convert(begin), map.convert(end.max(begin)));
        let fibers = self.fibers.into_iter().map(|(begin, end, function, by, of, index)| {
            let layout = functions::get(function).map_or(&BETWEEN_FIBERS, |kind| kind.hooks().layout);
            let (begin, end) = period(begin, end);
            RawFiber { begin, end, layout, by: Enabler(by), of, index }
        });
        let services = self.services.into_iter().map(|(begin, end, lengths)| {
            let (begin, end) = period(begin, end);
            RawService { begin, end, lengths }
        });
        let lengths = self.lengths.into_iter().map(|(fiber, lengths)| RawLengths { fiber, lengths });
        let signals = self.signals.into_iter().map(|(frame, slot, from)| RawSignal { frame, slot, from });
        let senders = self.senders.into_iter().map(|(signal, sender)| (signal, FiberRef(sender)));
        let fibers = FiberLog {
            node,
            records_lengths,
            stamps: Stamps::Ticks,
            began,
            clock_error: map.error(),
            fibers: Log::of(fibers, RawFiber::BLANK, dropped[0]),
            lengths: Log::of(lengths, RawLengths::BLANK, 0),
        };
        let signals = SignalLog {
            node,
            signals: Log::of(signals, RawSignal::BLANK, dropped[1]),
            senders: Log::of(senders, (0, FiberRef::NONE), 0),
            services: Log::of(services, RawService::BLANK, dropped[2]),
        };
        (Arc::new(fibers), Arc::new(signals))
    }
}

impl Records {
    /// Makes the records of all ranks of their logs, each with the map of its clock. `began` is the time of
    /// rank 0's clock at which the run began. Fails if these are not the logs of the nodes from 0 to
    /// `nodes` - 1.
    pub(crate) fn gathered(
        nodes: usize,
        began: u64,
        ranks: impl IntoIterator<Item = (ClockMap, Vec<NodeLog>)>,
    ) -> Option<Records> {
        let began = SHIFT as u64 + began;
        let logs = ranks
            .into_iter()
            .flat_map(|(map, logs)| logs.into_iter().map(move |log| log.into_logs(&map, began)));
        let (fibers, signals): (Vec<_>, Vec<_>) = logs.unzip();
        let records = Records::new(Clock::Host, fibers, signals);
        let is_whole = (0..nodes as u32).eq(records.fibers.iter().map(|log| log.node));
        is_whole.then_some(records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_a_clock_that_runs_fast_are_interpolated() {
        // Its second has 1_010 of rank 0's milliseconds; it began 5 s later.
        let moment = |its: u64, error| Moment { its, own: 5_000 + its * 101 / 100, error };
        let map = ClockMap([moment(100, 3), moment(1_100, 2)]);
        let own = |its| i128::from(map.convert(its)) - SHIFT;
        assert_eq!([0, 100, 600, 1_100, 2_100].map(own), [5_000, 5_101, 5_606, 6_111, 7_121]);
        assert_eq!(map.error(), 3);
    }

    #[test]
    fn two_moments_at_once_are_one() {
        let moment = Moment { its: 7, own: 3, error: 0 };
        let map = ClockMap([moment; 2]);
        assert_eq!([0, 7, 9].map(|its| i128::from(map.convert(its)) - SHIFT), [-4, 3, 5]);
    }

    #[test]
    fn times_count_from_the_beginning_of_the_run() {
        let moment = |its| Moment { its, own: its + 50, error: 0 };
        let fibers = vec![(20, 30, u32::MAX, 0, 0, 0), (5, 8, u32::MAX, 0, 0, 0)];
        let log = NodeLog { fibers, ..NodeLog::default() };
        let records = Records::gathered(1, 60, [(ClockMap([moment(0), moment(100)]), vec![log])]);
        let node = records.as_ref().and_then(|records| records.nodes().next()).expect("there is a node");
        // A fiber that began before the run, by an error of the clocks, began with it.
        let times = |fiber: crate::records::FiberRecord| [fiber.begin, fiber.end];
        assert_eq!(node.fibers().map(times).collect::<Vec<_>>(), [[10, 20], [0, 0]]);
    }

    #[test]
    fn records_lack_no_node() {
        let log = |node| NodeLog { node, ..NodeLog::default() };
        let ranks = |nodes: [u32; 2]| nodes.map(|node| (ClockMap::default(), vec![log(node)]));
        assert!(Records::gathered(2, 0, ranks([0, 1])).is_some());
        assert!(Records::gathered(2, 0, ranks([0, 0])).is_none());
        assert!(Records::gathered(3, 0, ranks([0, 1])).is_none());
    }
}
