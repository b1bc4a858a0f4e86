//! Runs of ranks that are recorded, and repeated by the stepper.

use std::sync::Mutex;

use earth::simulated::{Recording, Schedule};
use earth::{Config, Counters, Error, Machine, SharedValues};
use earth_programs::fib::Fib;
use earth_programs::named;

use super::common::channels::channels;
use super::{Case, on_ranks_of};

/// Returns machines of 1 to 4 ranks with one node each.
fn cases() -> impl Iterator<Item = Case> {
    let ranks = [(1, 1), (2, 1), (3, 1000), (4, 7)];
    [Config::Spn, Config::Dual].into_iter().flat_map(move |config| {
        ranks.into_iter().map(move |(ranks, room)| Case { config, ranks, nodes: 1, room })
    })
}

fn compared(counters: &Counters) -> [u64; 8] {
    let Counters {
        fibers, tokens, tokens_stolen, invokes, signals, bytes_moved, events_sent, frames, ..
    } = *counters;
    [fibers, tokens, tokens_stolen, invokes, signals, bytes_moved, events_sent, frames]
}

#[test]
fn the_joined_recordings_of_all_ranks_repeat_a_run() {
    for case in cases() {
        for name in ["fib", "queens", "stencil"] {
            let instance = named(name).expect("it is in the list");
            let instance = instance.at(&instance.small()).expect("its sizes fit");
            // A rank that serves keeps its recording here after each run.
            let parts = Mutex::new(vec![None; case.ranks]);
            let keep = |machine: &Machine| {
                let recording = machine.recording().expect("the machine records").clone();
                parts.lock().expect("no panic")[machine.own_nodes().start] = Some(recording);
            };
            let run = std::thread::scope(|scope| {
                let mut links = channels(case.ranks, case.room).into_iter();
                let own = links.next().expect("there is a rank");
                for link in links {
                    let keep = &keep;
                    scope.spawn(move || {
                        let mut machine = case.build(link).record(true);
                        while machine.serve().expect("the run succeeds").is_some() {
                            keep(&machine);
                        }
                    });
                }
                let mut machine = case.build(own).record(true);
                let run = instance.run(&mut machine).expect("the program is right");
                keep(&machine);
                run
            });
            let parts = parts.into_inner().expect("no panic");
            let parts: Vec<Recording> =
                parts.into_iter().map(|part| part.expect("each rank recorded")).collect();
            let joined = Recording::joined(&parts).expect("they are of one run");
            let text = joined.to_string();
            let mut stepper = Machine::stepper(0).nodes(case.ranks).config(case.config);
            stepper = stepper.schedule(Schedule::Replay(text.parse().expect("a printed recording")));
            let again = instance.run(&mut stepper).unwrap_or_else(|why| panic!("{name}, {case:?}: {why}"));
            assert_eq!(again.value, run.value);
            for (again, run) in again.by_node.iter().zip(&run.by_node) {
                assert_eq!(compared(again), compared(run), "{name}, {case:?}");
            }
            if case.ranks > 1 {
                assert_eq!(Recording::joined([&parts[0], &parts[0]]), None, "two have an order of node 0");
            }
        }
    }
}

#[test]
fn ranks_of_several_nodes_record_nothing() {
    let case = Case { config: Config::Spn, ranks: 1, nodes: 2, room: 1 };
    let build = |link| case.build(link).record(true);
    on_ranks_of(channels(1, 1), build, SharedValues::default, |mut machine| {
        let ran = machine.run(|out| Fib::call(3, out)).map(|run: earth::Run<u64>| run.value);
        assert!(matches!(ran, Err(Error::CannotBuild(_))), "{ran:?}");
    });
}
