//! Rank 0 gets the records of all ranks' nodes, in the time of its own clock.

use earth::records::Cause;
use earth::{Config, Error, Eu, Machine, NodeId, Reply, SharedValues, threaded};
use earth_programs::fib::Fib;

use super::common::channels::{Channels, channels};
use super::common::gives;
use super::{Case, cases, on_ranks_of};
use earth::ranks::Link as _;

/// Runs `main` on rank 0 of a machine that traces.
fn on_traced<T>(case: Case, main: impl FnOnce(Machine) -> T) -> T {
    let build = |link| case.build(link).trace(true);
    on_ranks_of(channels(case.ranks, case.room), build, SharedValues::default, main).0
}

#[test]
fn rank_0_gets_the_records_of_all_nodes() {
    for case in cases() {
        on_traced(case, |mut machine| {
            for _ in 0..2 {
                let run = gives(&mut machine, |out| Fib::call(10, out));
                let records = run.records.expect("the machine traces");
                let nodes: Vec<_> = records.nodes().collect();
                assert!(nodes.iter().map(|node| node.number() as usize).eq(0..case.all_nodes()), "{case:?}");
                let fibers: Vec<Vec<_>> = nodes.iter().map(|node| node.fibers().collect()).collect();
                let counts: Vec<_> = run.by_node.iter().map(|counters| counters.fibers as usize).collect();
                assert_eq!(fibers.iter().map(Vec::len).collect::<Vec<_>>(), counts, "{case:?}");
                for (node, of_node) in nodes.iter().zip(&fibers) {
                    let is_own = (node.number() as usize) < case.nodes;
                    assert_eq!(node.clock_error() == 0, is_own, "{case:?}, node {}", node.number());
                    for fiber in of_node {
                        assert!(fiber.begin <= fiber.end);
                        // A function ends after the fiber that started it has begun. It may begin before,
                        // because its time includes the time to find it.
                        let Cause::Started { by: Some(by) } = fiber.cause else { continue };
                        let starter = &fibers[by.node() as usize][by.number() as usize];
                        let error = node.clock_error() + nodes[by.node() as usize].clock_error();
                        assert!(starter.begin <= fiber.end + error, "{case:?}: {starter:?}, {fiber:?}");
                    }
                }
            }
        });
    }
}

/// Starts itself on a node, and fails there.
struct Fails;

#[threaded]
impl Fails {
    fn start(node: NodeId, out: Reply<u64>, eu: &mut Eu<Self>) -> Result<(), &'static str> {
        if eu.node() == node {
            return Err("as a test");
        }
        eu.invoke(node, Fails::call(node, out));
        Ok(())
    }
}

/// Only fibers that have returned are recorded.
#[test]
fn each_rank_keeps_the_records_of_its_nodes_in_a_failed_run() {
    for case in cases() {
        on_traced(case, |mut machine| {
            let last = NodeId::new(case.all_nodes() - 1);
            let ran = machine.run(|out| Fails::call(last, out)).map(|run: earth::Run<u64>| run.value);
            assert!(matches!(ran, Err(Error::Failed { .. })), "{ran:?}");
            let records = machine.failed_records().expect("the machine traces");
            let own = usize::from(case.all_nodes() > 1);
            let fibers = |at: usize| records.nodes().nth(at).expect("it is there").fiber_count();
            assert_eq!((records.nodes().len(), fibers(0)), (case.all_nodes(), own), "{case:?}");
            assert!((1..case.all_nodes()).all(|at| fibers(at) == 0), "{case:?}");
        });
    }
}

#[test]
fn ranks_trace_together_or_not_at_all() {
    let build = |link: Channels| {
        let traces = link.rank() == 0;
        Machine::ranks(link).config(Config::Spn).trace(traces)
    };
    on_ranks_of(channels(2, 9), build, SharedValues::default, |mut machine| {
        let error = machine.run(|out| Fib::call(3, out)).map(|run| run.value).expect_err("they differ");
        let Error::OtherProgram { rank: 1, why } = &error else { panic!("{error}") };
        assert_eq!(why, "its setting of `trace` is 0, this rank's is 1");
    });
}
