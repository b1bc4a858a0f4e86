//! The records of a traced machine after a run that ended with an error.

use crate::common::{fails, gives, on_every};
use earth::records::{Cause, Records};
use earth::simulated::Profile;
use earth::{CancelToken, Error, Eu, Machine, NodeId, Reply, Then, threaded};

/// Starts a function on the last node, and fails when it has answered: by an error, by a panic, by waiting
/// forever, or without a value.
struct Fails {
    how: u64,
}

#[threaded]
impl Fails {
    fn start(how: u64, _out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(eu.nodes() - 1), Hop::call(eu.reply(Self::fail().hopped)));
        Fails { how }
    }

    #[slot(again)]
    fn fail(&mut self, hopped: u64) -> Result<Then, String> {
        match self.how {
            0 => Err(format!("{hopped} is no number")),
            1 => panic!("that was all"),
            2 => Ok(Then::Wait),
            _ => Ok(Then::End),
        }
    }
}

struct Hop;

#[threaded]
impl Hop {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 1);
    }
}

/// Returns the fibers by name, in the order of nodes, and the number of signals.
fn told(records: &Records) -> (Vec<(String, &'static str)>, usize) {
    let fibers = |node: earth::records::NodeRecords<'_>| {
        node.fibers().map(|ran| (ran.fiber.function(), ran.fiber.name())).collect::<Vec<_>>()
    };
    (records.nodes().flat_map(fibers).collect(), records.nodes().map(|node| node.signal_count()).sum())
}

#[test]
fn a_run_that_fails_leaves_what_was_written_down() {
    on_every(|case| {
        let mut machine = case.traced();
        assert!(machine.failed_records().is_none(), "nothing has run");
        for how in 0..4 {
            let Err(error) = machine.run(|out: Reply<u64>| Fails::call(how, out)) else {
                panic!("the run gave a value");
            };
            let records = machine.failed_records().expect("tracing is on");
            assert_eq!(records.nodes().len(), case.nodes);
            let mut expected = vec![("Fails".to_owned(), "start")];
            // A rank keeps the records of its own nodes. If a run ends without a value, all records were
            // sent.
            if !case.is_of_ranks() || case.nodes == 1 || how == 3 {
                expected.push(("Hop".to_owned(), "start"));
            }
            match (how, &error) {
                (0, Error::Failed { .. }) | (1, Error::Panicked { .. }) => {}
                (2, Error::Stuck(_)) | (3, Error::NoValue { .. }) => {
                    expected.push(("Fails".to_owned(), "fail"));
                }
                _ => panic!("{how}: {error}"),
            }
            let (mut fibers, signals) = told(records);
            fibers.sort();
            expected.sort();
            assert_eq!((fibers, signals), (expected, 1), "{how}: {error}");
            let node = records.nodes().next().expect("there is a node");
            let start = node.fibers().next().expect("it began there");
            assert_eq!(start.cause, Cause::Started { by: None });
        }
        // If a run gives a value, its records belong to the run.
        let run = gives(&mut machine, Hop::call);
        assert!(run.records.is_some() && machine.failed_records().is_none());
    });
}

#[test]
fn a_machine_that_does_not_trace_leaves_nothing() {
    let profile = Profile::named("manna50").expect("it is built in");
    for mut machine in [Machine::threads(1), Machine::simulated(&profile)] {
        fails(&mut machine, |out: Reply<u64>| Fails::call(0, out));
        assert!(machine.run(|out: Reply<u64>| Fails::call(0, out)).is_err());
        assert!(machine.failed_records().is_none());
    }
}

#[test]
fn a_run_that_was_cancelled_before_it_began_has_no_records() {
    let token = CancelToken::new();
    let mut machine = Machine::threads(2).trace(true).cancel_token(token.clone());
    assert!(machine.run(|out: Reply<u64>| Fails::call(0, out)).is_err());
    assert!(machine.failed_records().is_some());
    token.cancel();
    assert_eq!(
        machine.run(|out: Reply<u64>| Fails::call(0, out)).map(|run| run.value),
        Err(Error::Cancelled)
    );
    assert!(machine.failed_records().is_none());
}
