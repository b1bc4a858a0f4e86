//! The ends of streams: sinks that have enough, and sources and sinks that stay on their node.

use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use crate::common::counted::{Counted, Tally};
use crate::common::{gives, on_every, on_every_of, on_every_of_one_process, still_works};
use earth::patterns::{Flow, Sink, Stage, Stays, Streams, Upstream, items, items_here};
use earth::{Error, Eu, NodeId, Reply, Shared, SharedValues, Wire, threaded};

/// Counts forever.
#[derive(Wire)]
struct Counts {
    next: u64,
}

impl Iterator for Counts {
    type Item = u64;
    fn next(&mut self) -> Option<u64> {
        self.next += 1;
        Some(self.next)
    }
}

/// Takes a number of items, and has enough.
#[derive(Wire)]
struct First {
    count: usize,
    items: Vec<u64>,
}

impl First {
    fn new(count: usize) -> Self {
        First { count, items: Vec::new() }
    }
}

impl Sink<u64> for First {
    type Output = Vec<u64>;
    fn take(&mut self, item: u64) {
        assert!(self.items.len() < self.count, "it has enough");
        self.items.push(item);
    }
    fn finish(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.items)
    }
    fn has_enough(&self) -> bool {
        self.items.len() == self.count
    }
}

/// Passes odd items.
#[derive(Clone, Wire)]
struct Odd;

impl Stage<u64> for Odd {
    type Out = u64;
    fn work(&mut self, item: u64, out: &mut Vec<u64>) {
        out.extend((item % 2 == 1).then_some(item));
    }
    fn end(&mut self, out: &mut Vec<u64>) {
        // A sink that has enough before the end does not get this.
        out.push(0);
    }
}

#[test]
fn a_sink_that_has_enough_ends_a_stream_without_an_end() {
    on_every(|case| {
        for (count, flow) in [
            (1, Flow { batch: 1, window: 1 }),
            (30, Flow { batch: 4, window: 3 }),
            (0, Flow { batch: 3, window: 9 }),
        ] {
            let mut machine = case.machine();
            let first = || First::new(count);
            let expected: Vec<_> = (0..count as u64).map(|i| 2 * i + 1).collect();
            let stream = items(Counts { next: 0 }).through(Odd);
            assert_eq!(gives(&mut machine, |out| Streams::call(stream, first(), flow, out)).value, expected);
            let stream = items(Counts { next: 0 }).farm(3, Odd).through_all(vec![Odd; 2]);
            assert_eq!(gives(&mut machine, |out| Streams::call(stream, first(), flow, out)).value, expected);
            let stream = items(Counts { next: 0 }).through(Odd).farm(2, Odd).farm_unordered(2, Odd);
            let some = gives(&mut machine, |out| Streams::call(stream, first(), flow, out)).value;
            assert!(some.len() == count && some.iter().all(|item| item % 2 == 1), "{some:?}");
            // The sink has enough with the last item, or just before the end.
            let end = 2 * count as u64 + 1;
            let stream = items(1..end).through(Odd);
            assert_eq!(gives(&mut machine, |out| Streams::call(stream, first(), flow, out)).value, expected);
        }
    });
}

/// Makes counted values forever, and notes how many.
#[derive(Wire)]
struct Makes {
    tally: u32,
    made: Shared<Mutex<usize>>,
}

impl Iterator for Makes {
    type Item = Counted;
    fn next(&mut self) -> Option<Counted> {
        *self.made.lock().expect("the lock is not poisoned") += 1;
        Some(Tally::of(self.tally).value(7))
    }
}

/// Passes counted values on.
#[derive(Clone, Wire)]
struct Passes;

impl Stage<Counted> for Passes {
    type Out = Counted;
    fn work(&mut self, item: Counted, out: &mut Vec<Counted>) {
        out.push(item);
    }
}

/// Takes counted values until it has enough.
#[derive(Wire)]
struct Few(u64);

impl Sink<Counted> for Few {
    type Output = u64;
    fn take(&mut self, item: Counted) {
        self.0 -= item.carries / 7;
    }
    fn finish(&mut self) -> u64 {
        self.0
    }
    fn has_enough(&self) -> bool {
        self.0 == 0
    }
}

#[test]
fn a_stopped_stream_drops_all_batches_and_its_source_makes_few_more() {
    on_every_of_one_process(|case| {
        for flow in [Flow { batch: 2, window: 1 }, Flow { batch: 3, window: 4 }] {
            let (tally, made) = (Tally::new(), Shared::new(Mutex::new(0)));
            let shared = || SharedValues::default().with(&made);
            let makes = || items(Makes { tally: tally.number(), made: made.clone() });
            let mut machine = case.machine();
            let check = |links: usize| {
                assert_eq!(tally.left(), 0);
                let made = std::mem::take(&mut *made.lock().expect("the lock is not poisoned"));
                let most = (20usize.div_ceil(flow.batch) + links * flow.window) * flow.batch;
                assert!((20..=most).contains(&made), "{made} made, of at most {most}");
            };
            let stream = makes().through(Passes);
            let run = machine.run_with(shared(), |out| Streams::call(stream, Few(20), flow, out));
            assert_eq!(run.map(|run| run.value), Ok(0));
            check(2);
            let stream = makes().farm(2, Passes);
            let run = machine.run_with(shared(), |out| Streams::call(stream, Few(20), flow, out));
            assert_eq!(run.map(|run| run.value), Ok(0));
            check(6);
            still_works(&mut machine);
        }
    });
}

/// Sends each item to a channel. It is not `Wire`.
struct Sends(Sender<u64>);

impl Sink<u64> for Sends {
    type Output = ();
    fn take(&mut self, item: u64) {
        self.0.send(item).expect("the test listens");
    }
    fn finish(&mut self) {}
}

#[test]
fn sources_and_sinks_that_stay_need_not_travel() {
    on_every(|case| {
        for (count, flow) in [(0, Flow { batch: 1, window: 1 }), (57, Flow { batch: 4, window: 3 })] {
            // An iterator with a closure is not `Wire`.
            let here = || items_here((0..count).map(move |i| 2 * i + 1));
            let mut machine = case.machine();
            let streamed = |counted: u64, ends: u64, run: earth::Run<()>, taken: Vec<u64>| {
                let odd = (0..count).map(|i| 2 * i + 1);
                assert_eq!(taken, odd.chain((0..ends).map(|_| 0)).collect::<Vec<_>>());
                assert_eq!(run.counters.invokes, counted);
            };

            let (to, taken) = channel();
            let sink = Stays(Sends(to));
            let run = gives(&mut machine, |out| Streams::call(here(), sink, flow, out));
            assert_eq!(run.counters.events_sent, 0);
            streamed(1, 0, run, taken.try_iter().collect());

            let (to, taken) = channel();
            let sink = Stays(Sends(to));
            let run = gives(&mut machine, |out| Streams::call(here().through(Odd), sink, flow, out));
            // The stage is on another node, so both links have messages. Its start is a message; the address
            // that the source gets is another.
            let batches = count / flow.batch as u64 + 1;
            let messages = if case.nodes > 1 { 2 * 2 * batches + 2 } else { 0 };
            assert_eq!(run.counters.events_sent, messages);
            streamed(2, 1, run, taken.try_iter().collect());

            let (to, taken) = channel();
            let sink = Stays(Sends(to));
            let stream = here().farm(3, Odd).through(Odd);
            let run = gives(&mut machine, |out| Streams::call(stream, sink, flow, out));
            streamed(7, 1, run, taken.try_iter().collect());
        }
    });
}

#[test]
fn a_source_that_stays_is_stopped() {
    on_every(|case| {
        let mut next = 0;
        let endless = std::iter::from_fn(move || {
            next += 1;
            Some(next)
        });
        let flow = Flow { batch: 3, window: 2 };
        let sink = Stays(First::new(40));
        let stream = items_here(endless).farm(2, Odd);
        let run = gives(&mut case.machine(), |out| Streams::call(stream, sink, flow, out));
        assert!(run.value.into_iter().eq((0..40).map(|i| 2 * i + 1)));
    });
}

/// Starts a stream on the last node, with a sink that cannot leave its process.
struct Elsewhere;

#[threaded]
impl Elsewhere {
    fn start(sink: Stays<First>, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Streams::call(items(0..9u64), sink, Flow::default(), out));
    }
}

#[test]
fn what_stays_moves_within_its_process_alone() {
    on_every_of(2, |case| {
        let mut machine = case.machine();
        let run = machine.run(|out| Elsewhere::call(Stays(First::new(5)), out)).map(|run| run.value);
        if case.through_bytes || case.is_of_ranks() {
            let error = run.expect_err("it has no bytes");
            assert!(matches!(&error, Error::StaysInProcess { .. }), "{error}");
            assert!(error.to_string().contains("First"), "{error}");
        } else {
            assert_eq!(run, Ok(vec![0, 1, 2, 3, 4]));
        }
    });
}
