//! Farms of streams: the order of their items, the state of their copies, their fibers and messages, their
//! bound, their nodes.

use std::ops::Range;
use std::sync::Mutex;

use crate::common::{gives, on_every, on_every_of_one_process};
use earth::patterns::{Flow, Sink, Stage, Streams, Upstream, items};
use earth::simulated::Profile;
use earth::{Machine, Shared, SharedValues, Wire, Work};

/// Passes some items once, some twice, and some never. At the end it outputs the number of items.
#[derive(Clone, Wire)]
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

/// Adds its letter to each text.
#[derive(Clone, Wire)]
struct Adds(char);

impl Stage<String> for Adds {
    type Out = String;
    fn work(&mut self, item: String, out: &mut Vec<String>) {
        out.push(item + &self.0.to_string());
    }
}

const FLOWS: [(u64, Flow); 5] = [
    (0, Flow { batch: 4, window: 2 }),
    (1, Flow { batch: 1, window: 1 }),
    (40, Flow { batch: 10, window: 3 }),
    (57, Flow { batch: 1, window: 2 }),
    (9, Flow { batch: 100, window: 9 }),
];

/// Returns the texts that a stage makes of the numbers below `count`, without its end.
fn thinned(count: u64) -> Vec<String> {
    (0..count).flat_map(|item| (0..item % 3).map(move |_| item.to_string())).collect()
}

#[test]
fn a_farm_keeps_the_order_of_its_items_and_ends_each_copy() {
    on_every(|case| {
        for ((count, flow), copies) in FLOWS.into_iter().zip([1, 2, 5, 3, 2]) {
            let stream = items(0..count).farm(copies, Thins { seen: 0 }).through(Adds('x'));
            let run = gives(&mut case.machine(), |out| Streams::call(stream, Vec::new(), flow, out));
            let texts: Vec<_> = thinned(count).into_iter().map(|text| text + "x").collect();
            let (made, ends) = run.value.split_at(texts.len());
            assert_eq!(made, texts, "{copies} copies");
            let seen =
                ends.iter().map(|end| end.trim_end_matches(" seenx").parse::<u64>().expect("it is an end"));
            let seen: Vec<_> = seen.collect();
            assert_eq!((seen.len(), seen.iter().sum::<u64>()), (copies, count));
        }
    });
}

#[test]
fn a_farm_of_what_a_farm_makes_keeps_the_order_too() {
    on_every(|case| {
        let stages = vec![Adds('a'), Adds('b')];
        let stream =
            items(0..30).farm(3, Thins { seen: 0 }).farm(2, Adds('x')).through_all(stages).farm(4, Adds('y'));
        let flow = Flow { batch: 2, window: 2 };
        let run = gives(&mut case.machine(), |out| Streams::call(stream, Vec::new(), flow, out));
        let texts: Vec<_> = thinned(30).into_iter().map(|text| text + "xaby").collect();
        assert_eq!(run.value[..texts.len()], texts);
        assert_eq!(run.value.len(), texts.len() + 3);
    });
}

#[test]
fn an_unordered_farm_makes_the_same_items() {
    on_every(|case| {
        for (count, flow) in FLOWS {
            let stream = items(0..count).farm_unordered(3, Thins { seen: 0 });
            let run = gives(&mut case.machine(), |out| Streams::call(stream, Vec::new(), flow, out));
            let (mut ends, mut made): (Vec<_>, Vec<_>) =
                run.value.into_iter().partition(|text| text.contains("seen"));
            let mut texts = thinned(count);
            made.sort();
            texts.sort();
            ends.retain(|end| end != "0 seen");
            let seen =
                ends.iter().map(|end| end.trim_end_matches(" seen").parse::<u64>().expect("it is an end"));
            assert_eq!((made, seen.sum::<u64>()), (texts, count));
        }
    });
}

/// Takes cycles for each item, and passes it on.
#[derive(Clone, Wire)]
struct Takes {
    cycles: u64,
}

impl Stage<u64> for Takes {
    type Out = u64;
    fn work(&mut self, item: u64, out: &mut Vec<u64>) {
        out.push(item);
    }
    fn cost(&self, _: &u64) -> Work {
        Work::Cycles(self.cycles)
    }
}

#[test]
fn a_batch_through_a_farm_takes_six_fibers_and_the_messages_of_two_links() {
    on_every(|case| {
        for (count, copies, flow) in [
            (0, 2, Flow { batch: 4, window: 2 }),
            (40, 2, Flow { batch: 10, window: 3 }),
            (41, 2, Flow { batch: 4, window: 3 }),
            (41, 3, Flow { batch: 1, window: 1 }),
        ] {
            let stream = items(0..count).farm(copies, Takes { cycles: 0 });
            let run = gives(&mut case.machine(), |out| Streams::call(stream, Vec::new(), flow, out));
            assert!(run.value.into_iter().eq(0..count));
            // The source's last batch may be empty. An empty one is not dealt; the copies' ends are.
            let made = count / flow.batch as u64 + 1;
            let dealt = count.div_ceil(flow.batch as u64);
            let copies = copies as u64;
            let starts = 4 + copies;
            let links = made + 2 * (dealt + copies) + dealt + 1;
            assert_eq!(run.counters.fibers, starts + 1 + 2 * links);
            assert_eq!((run.counters.invokes, run.counters.frames), (starts - 1, starts));
            if copies == 2 && case.nodes == 2 {
                // Each copy shares its node with one end of the farm, so a batch is sent once. The start of
                // the distant end, the start and the address of its distant copy are messages too.
                assert_eq!(run.counters.events_sent, 2 * (dealt + copies) + 3);
            }
        }
    });
}

#[test]
fn copies_on_nodes_of_their_own_work_at_the_same_time() {
    let profile = Profile::named("manna50").expect("it is built in");
    let time = |copies| {
        let stream = items(0..64).farm(copies, Takes { cycles: 100_000 });
        let mut machine = Machine::simulated(&profile).nodes(4);
        let flow = Flow { batch: 1, window: 2 };
        let run = gives(&mut machine, |out| Streams::call(stream, Vec::new(), flow, out));
        run.cycles.expect("it is simulated")
    };
    let [one, two, four] = [1, 2, 4].map(time);
    assert!(one >= 6_400_000, "{one}");
    // Copies on all nodes take less than 1.1 times their share.
    assert!(20 * two < 11 * one && 40 * four < 11 * one, "{one} {two} {four}");
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
    under_way: UnderWay,
}

impl Sink<u64> for Taken {
    type Output = ();
    fn take(&mut self, _: u64) {
        self.under_way.lock().expect("the lock is not poisoned")[0] -= 1;
    }
    fn finish(&mut self) {}
}

#[test]
fn no_more_items_are_under_way_than_the_windows_of_a_farm_hold() {
    on_every_of_one_process(|case| {
        for (copies, flow) in [(2, Flow { batch: 5, window: 1 }), (3, Flow { batch: 2, window: 2 })] {
            let under_way: UnderWay = Shared::new(Mutex::new([0; 2]));
            let shared = SharedValues::default().with(&under_way);
            let made = Made { items: 0..400, under_way: under_way.clone() };
            let stream = items(made).farm(copies, Takes { cycles: 10 });
            let sink = Taken { under_way: under_way.clone() };
            let run = case.machine().run_with(shared, |out| Streams::call(stream, sink, flow, out));
            run.expect("it runs");
            let [left, most] = *under_way.lock().expect("the lock is not poisoned");
            let window = flow.batch * flow.window;
            assert_eq!(left, 0);
            assert!((window..=(2 + 2 * copies) * window).contains(&most), "{most}");
        }
    });
}

#[test]
fn a_farm_of_no_copies_or_too_many_is_refused() {
    for copies in [0, 1025, usize::MAX] {
        let panic = std::panic::catch_unwind(|| items(0..9u64).farm(copies, Takes { cycles: 0 }));
        let why = panic.map(drop).expect_err("it is refused");
        let why = why.downcast_ref::<String>().expect("it has a text");
        assert_eq!(*why, format!("a farm has 1 to 1024 copies of its stage, not {copies}"));
    }
}
