//! Answers that cannot be right, and panics in the code of policies. Each ends the run with an error, and the
//! machine can run again.

use earth::policy::{
    Arrival, BlockCost, CostModel, Departure, Network, Placement, Policies, Search, StealPolicy, UnitPlace,
};
use earth::simulated::{Operations, Profile};
use earth::{Config, Error, Machine, Work};

use crate::common::{Case, cases, gives};
use earth_programs::fib::Fib;

/// Runs a tree of tokens. Returns the error, and checks that the machine still works without the policies.
fn error_of(machine: Machine) -> (String, Machine) {
    let mut machine = machine;
    let error = machine.run(|out| Fib::call(13, out)).map(|run| run.value);
    let Err(error @ Error::Policy { .. }) = error else { panic!("{error:?}") };
    let mut machine = machine.policies(Policies::new());
    assert_eq!(gives(&mut machine, |out| Fib::call(13, out)).value, 233);
    (error.to_string(), machine)
}

fn stepped() -> impl Iterator<Item = Case> {
    cases().filter(|case| case.is_stepped() && case.nodes == 3)
}

/// Names this node.
struct Names(usize);

impl StealPolicy for Names {
    fn next(&mut self, _search: &mut Search<'_>) -> Option<usize> {
        assert_ne!(self.0, 77, "no such node");
        Some(self.0)
    }
}

#[test]
fn a_victim_that_does_not_exist_ends_the_run() {
    for case in stepped() {
        let policies = Policies::new().steal("beyond", |_| Names(9));
        let (error, _) = error_of(case.machine().policies(policies));
        assert!(error.starts_with("the policy `beyond` of node "), "{error}");
        assert!(error.contains("named node 9 of 3"), "{error}");
        let (error, _) = error_of(case.machine().policies(Policies::new().steal("own", Names)));
        assert!(error.contains("which looks for tokens"), "{error}");
    }
}

#[test]
fn a_panic_of_a_policy_ends_the_run() {
    for case in stepped() {
        let (error, _) = error_of(case.machine().policies(Policies::new().steal("panics", |_| Names(77))));
        assert!(error.contains("panicked:") && error.contains("no such node"), "{error}");
        let none = |node: usize| -> Names { panic!("node {node} has none") };
        let (error, _) = error_of(case.machine().policies(Policies::new().steal("unmade", none)));
        assert!(error.contains("has none"), "{error}");
    }
}

/// On real cores and on ranks it depends on the system whether a node looks for a token at all.
#[test]
fn a_panic_of_a_policy_neither_hangs_nor_aborts_machines_of_threads() {
    for case in cases().filter(|case| !case.is_stepped() && case.nodes > 1) {
        let mut machine = case.machine().policies(Policies::new().steal("panics", |_| Names(77)));
        match machine.run(|out| Fib::call(18, out)) {
            Ok(run) => assert_eq!(run.value, 2584),
            Err(error) => {
                assert!(matches!(&error, Error::Policy { policy, .. } if policy == "panics"), "{error}");
            }
        }
        if !case.is_of_ranks() {
            let mut machine = machine.policies(Policies::new());
            assert_eq!(gives(&mut machine, |out| Fib::call(13, out)).value, 233);
        }
    }
}

/// Faults of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Past,
    Lost,
    Unknown,
    Stands,
    Backward,
    Early,
    Panics,
}

struct Faulty {
    fault: Fault,
    events: u64,
}

impl Network for Faulty {
    fn send(&mut self, departure: Departure) -> Option<u64> {
        match self.fault {
            Fault::Past if departure.at > 0 => Some(departure.at - 1),
            Fault::Past => Some(10),
            Fault::Panics => panic!("no cable"),
            _ => None,
        }
    }

    fn next(&self) -> u64 {
        match self.fault {
            Fault::Lost | Fault::Past | Fault::Panics => u64::MAX,
            Fault::Backward => 100_000_000 - self.events,
            Fault::Stands | Fault::Unknown | Fault::Early => 100_000_000,
        }
    }

    fn step(&mut self, arrived: &mut Vec<Arrival>) {
        self.events += 1;
        match self.fault {
            Fault::Unknown => arrived.push(Arrival { number: 1_000, at: 100_000_000 }),
            Fault::Early => arrived.push(Arrival { number: 0, at: 5 }),
            _ => {}
        }
    }
}

#[test]
fn faults_of_a_network_end_the_run() {
    let profile = Profile::named("manna50").expect("it is built in");
    for config in [Config::Spn, Config::Dual] {
        for (fault, text) in [
            (Fault::Past, "before it leaves"),
            (Fault::Lost, "never arrive"),
            (Fault::Unknown, "message 1000, which is not under way"),
            (Fault::Stands, "without an arrival"),
            (Fault::Backward, "its next event at 99999999"),
            (Fault::Early, "arrive at 5, in an event at 100000000"),
            (Fault::Panics, "panicked: no cable"),
        ] {
            let policies = Policies::new().network("faulty", move |_| Faulty { fault, events: 0 });
            let machine = Machine::simulated(&profile).nodes(3).config(config).policies(policies);
            let (error, _) = error_of(machine);
            assert!(error.contains("policy `faulty`") && error.contains(text), "{fault:?}: {error}");
        }
    }
}

/// Faults of a cost model.
struct Wrong(&'static str);

impl CostModel for Wrong {
    fn operations(&self, _node: usize, usual: &Operations) -> Operations {
        assert_ne!(self.0, "operations", "no operations");
        let spawn = if self.0 == "spawn" { 1 << 40 } else { usual.spawn };
        Operations { spawn, ..usual.clone() }
    }

    fn block(&self, _node: usize, _cost: BlockCost, _bytes: u64, usual: u64) -> u64 {
        usual
    }

    fn work(&self, _node: usize, _work: Work, usual: u64) -> u64 {
        assert_ne!(self.0, "work", "no work");
        if self.0 == "endless" { u64::MAX } else { usual }
    }
}

mod works {
    use earth::{Eu, Reply, Work, threaded};

    /// Reports work, and goes on after a panic there.
    pub(super) struct Works;

    #[threaded]
    impl Works {
        pub(super) fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
            let work = std::panic::AssertUnwindSafe(|| eu.work(Work::Cycles(10)));
            let _ = std::panic::catch_unwind(work);
            eu.put(out, 1);
        }
    }
}

#[test]
fn faults_of_a_cost_model_end_the_run() {
    let profile = Profile::named("manna50").expect("it is built in");
    let run = |what| {
        let policies = Policies::new().costs("wrong", Wrong(what));
        Machine::simulated(&profile).policies(policies).run(works::Works::call).map(|run| run.value)
    };
    for (what, text) in [
        ("operations", "no operations"),
        ("spawn", "charges more than a thousand million cycles for an operation"),
        ("work", "no work"),
    ] {
        let Err(error @ Error::Policy { .. }) = run(what) else { panic!("{what}") };
        assert!(error.to_string().contains(text), "{error}");
    }
    assert_eq!(run("endless"), Err(Error::TooLong));
    assert_eq!(run("nothing"), Ok(1));
}

/// Puts every unit on one worker.
struct On(usize);

impl Placement for On {
    fn worker(&self, _unit: UnitPlace, _workers: usize) -> usize {
        self.0
    }
}

/// The number of workers of a machine of threads depends on the cores, and a stepper draws it.
#[test]
fn a_placement_that_cannot_be_ends_the_run() {
    for config in [Config::Spn, Config::Dual] {
        for machine in [Machine::threads(2), Machine::stepper(3).nodes(2)] {
            let machine = machine.config(config);
            let (error, machine) = error_of(machine.policies(Policies::new().placement("beyond", On(99))));
            assert!(
                error.starts_with("the policy `beyond` of node 0") && error.contains("named worker 99"),
                "{error}"
            );
            drop(machine);
        }
        let crowded = || Policies::new().placement("crowded", On(0));
        let one = Machine::threads(3).config(config).policies(crowded()).run(|out| Fib::call(13, out));
        match one.map(|run| run.value) {
            // The process may use one core.
            Ok(value) => assert_eq!(value, 233),
            Err(error) => assert!(error.to_string().contains("left worker 1 without a unit"), "{error}"),
        }
    }
}
