//! Policies, networks and cost models that a crate outside of the runtime implements.

use earth_test_support as common;

mod costs;
mod faults;
mod network;
mod orders;
mod steal;

use earth::policy::Policies;
use earth::simulated::Profile;
use earth::{Config, Counters, Machine, Policy};
use earth_programs::fib::Fib;

/// Returns the value of a tree of tokens, the counters of each node and the cycles of a run on a stepped
/// machine, without host times.
fn outcome(machine: Machine) -> (u64, Vec<Counters>, Option<u64>) {
    let mut machine = machine;
    let run = common::gives(&mut machine, |out| Fib::call(13, out));
    // A second run must be like the first one: its policies are new.
    let again = common::gives(&mut machine, |out| Fib::call(13, out));
    assert_eq!((run.value, &run.by_node, run.cycles), (again.value, &again.by_node, again.cycles));
    (run.value, run.by_node, run.cycles)
}

/// Checks that policies of the program's own give the same runs as built-in ones on machines that the calling
/// thread steps.
fn are_alike(policy: Policy, own: &Policies) {
    let profile = Profile::named("manna50").expect("it is built in");
    for config in [Config::Spn, Config::Dual] {
        for nodes in [1, 2, 5, 8] {
            let simulated = || Machine::simulated(&profile).nodes(nodes).config(config).policy(policy);
            let stepper = |seed| Machine::stepper(seed).nodes(nodes).config(config).policy(policy);
            let built_in = outcome(simulated());
            assert_eq!(built_in.0, 233);
            assert_eq!(outcome(simulated().policies(own.clone())), built_in, "{policy} {config} {nodes}");
            for seed in 0..4 {
                let built_in = outcome(stepper(seed));
                let own = outcome(stepper(seed).policies(own.clone()));
                assert_eq!(own, built_in, "{policy} {config} {nodes}, seed {seed}");
            }
        }
    }
}
