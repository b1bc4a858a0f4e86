//! The pattern of streams: items in order through all stages on every machine, their messages, their bound,
//! their end.

use std::ops::Range;
use std::sync::Mutex;

use crate::common::{gives, on_every, on_every_of_one_process};
use earth::patterns::{Flow, Sink, Stage, Streams, Upstream, items};
use earth::{CancelToken, Error, Machine, Shared, SharedValues, Wire};

/// Passes some items once, some twice, and some never. At the end it outputs the number of items.
#[derive(Wire)]
struct Thins {
    seen: u64,
}

impl Stage<u64> for Thins {
    type Out = String;
    fn work(&mut self, item: u64, out: &mut Vec<String>) {
        self.seen += 1;
        out.extend((0..item % 3).map(|_| item.to_string()));
    }
    fn end(&mut self, out: &mut Vec<String>) {
        out.push(format!("{} seen", self.seen));
    }
}

/// Adds its letter to each text. Two of these stages do not commute.
#[derive(Wire)]
struct Adds(char);

impl Stage<String> for Adds {
    type Out = String;
    fn work(&mut self, item: String, out: &mut Vec<String>) {
        out.push(item + &self.0.to_string());
    }
}

#[test]
fn a_stream_keeps_its_order_through_all_stages_and_ends() {
    on_every(|case| {
        for (count, flow) in [
            (0, Flow { batch: 4, window: 2 }),
            (1, Flow { batch: 1, window: 1 }),
            (40, Flow { batch: 10, window: 3 }),
            (57, Flow { batch: 3, window: 1 }),
            (57, Flow { batch: 3, window: 4 }),
            (20, Flow { batch: 5, window: 100 }),
            (9, Flow { batch: 100, window: 9 }),
        ] {
            let adds = "xyz".chars().map(Adds).collect();
            let stream = items(0..count).through(Thins { seen: 0 }).through_all(adds);
            let run = gives(&mut case.machine(), |out| Streams::call(stream, Vec::new(), flow, out));
            let texts = (0..count).flat_map(|item| (0..item % 3).map(move |_| item.to_string()));
            let expected: Vec<_> = texts.chain([format!("{count} seen")]).map(|text| text + "xyz").collect();
            assert_eq!(run.value, expected);
            if case.nodes == 4 {
                continue;
            }
            // The nodes of the sink, the stages from the last to the first, and the source.
            let nodes = match case.nodes {
                1 => [0; 6],
                2 => [0, 0, 0, 1, 1, 1],
                3 => [0, 0, 1, 2, 2, 2],
                8 => [0, 1, 3, 5, 6, 7],
                other => unreachable!("there are no cases of {other} nodes"),
            };
            // Five links. The links to another node have messages: each batch, each credit, and the start of
            // a function. A credit is for half a window, at most for four batches.
            let links = nodes.windows(2).filter(|link| link[0] != link[1]).count() as u64;
            let batches = count / flow.batch as u64 + 1;
            let credits = batches.div_ceil(match flow.window {
                0..=3 => 1,
                4..=5 => 2,
                _ => 4,
            });
            let messages = links * (batches + credits + 1);
            assert_eq!((run.counters.events_sent, run.counters.invokes), (messages, 5));
            // A large window is filled by one fiber more.
            let fills = u64::from(flow.window == 100);
            assert_eq!(run.counters.fibers, 6 + 5 * (batches + credits) + fills);
            assert!(run.counters.parked_high <= 2 * 5 * flow.window as u64);
        }
    });
}

/// Number of items under way, and its maximum.
type UnderWay = Shared<Mutex<[usize; 2]>>;

#[derive(Wire)]
struct Made {
    items: Range<u64>,
    under_way: UnderWay,
}

impl Iterator for Made {
    type Item = u64;
    fn next(&mut self) -> Option<u64> {
        let item = self.items.next()?;
        let mut under_way = self.under_way.lock().expect("the lock is not poisoned");
        under_way[0] += 1;
        under_way[1] = under_way[1].max(under_way[0]);
        Some(item)
    }
}

#[derive(Wire)]
struct Taken {
    sum: u64,
    under_way: UnderWay,
}

impl Sink<u64> for Taken {
    type Output = u64;
    fn take(&mut self, item: u64) {
        self.under_way.lock().expect("the lock is not poisoned")[0] -= 1;
        self.sum += item;
    }
    fn finish(&mut self) -> u64 {
        self.sum
    }
}

#[test]
fn no_more_items_are_under_way_than_the_windows_of_all_links_hold() {
    on_every_of_one_process(|case| {
        for flow in [Flow { batch: 5, window: 1 }, Flow { batch: 2, window: 3 }] {
            let under_way: UnderWay = Shared::new(Mutex::new([0; 2]));
            let twice = Shared::new(|item: u64| 2 * item);
            let shared = SharedValues::default().with(&under_way).with(&twice);
            let stream = items(Made { items: 0..200, under_way: under_way.clone() }).through(twice);
            let sink = Taken { sum: 0, under_way: under_way.clone() };
            let run = case.machine().run_with(shared, |out| Streams::call(stream, sink, flow, out));
            assert_eq!(run.expect("it runs").value, 199 * 200);
            let [left, most] = *under_way.lock().expect("the lock is not poisoned");
            assert_eq!(left, 0);
            assert!((flow.batch * flow.window..=2 * flow.batch * flow.window).contains(&most), "{most}");
        }
    });
}

#[test]
fn a_window_and_a_batch_without_bound_are_as_good_as_large_ones() {
    on_every(|case| {
        for (batch, window) in [(4, usize::MAX), (usize::MAX, 1), (usize::MAX, usize::MAX)] {
            let (stream, flow) = (items(0..57u64).through(Thins { seen: 0 }), Flow { batch, window });
            let run = gives(&mut case.machine(), |out| Streams::call(stream, Vec::new(), flow, out));
            assert_eq!(run.value.len(), 58);
        }
    });
}

/// Counts forever, and cancels the run at 1,000.
#[derive(Wire)]
struct Endless {
    next: u64,
    cancel: Shared<CancelToken>,
}

impl Iterator for Endless {
    type Item = u64;
    fn next(&mut self) -> Option<u64> {
        self.next += 1;
        if self.next == 1_000 {
            self.cancel.cancel();
        }
        Some(self.next)
    }
}

#[test]
fn a_stream_without_an_end_is_cancelled_however_large_its_window_is() {
    on_every_of_one_process(|case| {
        for flow in [Flow { batch: 4, window: usize::MAX }, Flow { batch: 1, window: 1 }] {
            let cancel = CancelToken::new();
            let shared = Shared::new(cancel.clone());
            let values = SharedValues::default().with(&shared);
            let stream = items(Endless { next: 0, cancel: shared });
            let mut machine = case.machine().cancel_token(cancel);
            let run = machine.run_with(values, |out| Streams::call(stream, Vec::new(), flow, out));
            assert_eq!(run.map(drop), Err(Error::Cancelled));
        }
    });
}

#[test]
fn a_stream_without_room_is_refused() {
    for flow in [Flow { batch: 0, window: 1 }, Flow { batch: 1, window: 0 }] {
        let run = Machine::threads(1).run(|out| Streams::call(items(0..9u64), Vec::new(), flow, out));
        let error = run.expect_err("it is refused").to_string();
        assert!(
            error.contains("a stream needs at least one item per batch and one batch per window"),
            "{error}"
        );
    }
}
