//! Cost models.

use earth::policy::{BlockCost, CostModel, Policies};
use earth::simulated::{Operations, Profile};
use earth::{Block, Config, Eu, Machine, NodeId, Reply, Work, threaded};

use crate::common::gives;
use earth_programs::fib::Fib;

/// The costs of a profile, as a model.
struct Of(Profile, Config);

impl CostModel for Of {
    fn operations(&self, _node: usize, _usual: &Operations) -> Operations {
        let mut operations = self.0.operations(self.1).clone();
        // A machine looks for messages when it begins a fiber.
        operations.dispatch += operations.poll;
        operations
    }
}

/// On a machine of another profile with the same network and clock, the model gives the runs of its own
/// profile.
#[test]
fn the_costs_of_a_profile_as_a_model_give_the_same_runs() {
    let profile = Profile::named("manna50").expect("it is built in");
    let other = Profile { spn: Operations::default(), dual: Operations::default(), ..profile.clone() };
    for config in [Config::Spn, Config::Dual] {
        let run = |profile: &Profile, policies: Policies| {
            let mut machine = Machine::simulated(profile).nodes(5).config(config).policies(policies);
            let run = gives(&mut machine, |out| Fib::call(13, out));
            (run.value, run.by_node, run.cycles)
        };
        let model = Policies::new().costs("profile", Of(profile.clone(), config));
        let expected = run(&profile, Policies::new());
        assert_eq!(run(&other, model), expected);
        assert_ne!(run(&other, Policies::new()), expected);
    }
}

/// Works on each node, one after the other, for a time and passes a block on.
struct Works;

#[threaded]
impl Works {
    fn start(block: Block<u64>, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(1_000));
        let next = eu.node().index() + 1;
        if next < eu.nodes() {
            eu.invoke(NodeId::new(next), Works::call(block, out));
        } else {
            eu.put(out, 0);
        }
    }
}

/// Node `n` works `n + 1` times as long. Sending a block takes 3 cycles a byte, receiving it 5.
struct Slower;

impl CostModel for Slower {
    fn block(&self, node: usize, cost: BlockCost, bytes: u64, usual: u64) -> u64 {
        assert!(node < 3);
        match cost {
            BlockCost::Sending => 3 * bytes,
            BlockCost::Receiving => 5 * bytes,
            BlockCost::Local | BlockCost::Flushing => usual,
        }
    }

    fn work(&self, node: usize, work: Work, usual: u64) -> u64 {
        assert_eq!((work, usual), (Work::Cycles(1_000), 1_000));
        usual * (node as u64 + 1)
    }
}

/// On three nodes without other costs: 1,000 cycles of work on node 0, 2,000 on node 1, 3,000 on node 2. A
/// block of 80 bytes is sent and received twice, at 240 and 400 cycles.
#[test]
fn a_model_charges_by_node_and_by_byte() {
    for config in [Config::Spn, Config::Dual] {
        let policies = Policies::new().costs("slower", Slower);
        let mut machine = Machine::simulated(&Profile::free()).nodes(3).config(config).policies(policies);
        let run = gives(&mut machine, |out| Works::call(Block::zeroed(1, 10), out));
        assert_eq!(run.cycles, Some(6_000 + 2 * (240 + 400)), "{config}");
    }
}

/// A stepper charges for work alone. Its time is the time of the node with the most work.
#[test]
fn a_stepper_charges_for_work_by_node() {
    for seed in 0..10 {
        let policies = Policies::new().costs("slower", Slower);
        let mut machine = Machine::stepper(seed).nodes(3).policies(policies);
        let run = gives(&mut machine, |out| Works::call(Block::zeroed(1, 10), out));
        assert_eq!(run.cycles, Some(3_000), "seed {seed}");
    }
}
