//! Levels of fibers, and the policy that runs the highest first.

use earth::policy::Policies;
use earth::simulated::Profile;
use earth::{Config, Eu, Machine, NodeId, Policy, Reply, SlotRef, Then, Work, threaded};
use earth_trace::{Levels, Trace};

use crate::common::gives;

/// Cycles of a leaf, and of the work on another node.
const LEAF: u64 = 1_000;
const REMOTE: u64 = 6_000;

/// Number of leaves, all on node 0.
const LEAVES: u64 = 5;

/// Enables leaves first, and a fiber that starts work on node 1 last.
struct Fork {
    out: Reply<u64>,
    left: u64,
}

#[threaded]
impl Fork {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for _ in 0..LEAVES {
            eu.invoke(NodeId::new(0), Leaf::call(LEAF, eu.slot_ref(Self::join())));
        }
        eu.invoke(NodeId::new(0), Ahead::call(eu.slot_ref(Self::join())));
        Fork { out, left: LEAVES + 1 }
    }

    #[slot(sync, again)]
    fn join(&mut self, eu: &mut Eu<Self>) -> Then {
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, 1);
        Then::End
    }
}

/// Starts the remote work.
struct Ahead;

#[threaded]
impl Ahead {
    fn start(done: SlotRef, eu: &mut Eu<Self>) {
        eu.invoke(NodeId::new(1), Leaf::call(REMOTE, done));
    }
}

struct Leaf;

#[threaded]
impl Leaf {
    fn start(cycles: u64, done: SlotRef, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(cycles));
        eu.rsync(done);
    }
}

fn free(config: Config) -> Machine {
    Machine::simulated(&Profile::free()).nodes(2).config(config).policy(Policy::default())
}

fn levels(config: Config) -> Levels {
    let run = gives(&mut free(config).trace(true), Fork::call);
    Trace::of(run.records.as_ref().expect("tracing is on")).levels()
}

/// With free operations only leaves take time. Five leaves have 1,000 cycles and the remote one 6,000.
#[test]
fn levels_are_the_longest_chains_that_begin_with_a_fiber() {
    for config in [Config::Spn, Config::Dual] {
        let levels = levels(config);
        let of = |name: &str| {
            levels.iter().find(|level| level.name.to_string() == name).map(|level| (level.fibers, level.mean))
        };
        let leaves = (LEAVES * LEAF + REMOTE) as f64 / (LEAVES + 1) as f64;
        assert_eq!(of("Ahead.start"), Some((1, REMOTE as f64)), "{config}");
        assert_eq!(of("Fork.start"), Some((1, REMOTE as f64)), "{config}");
        assert_eq!(of("Fork.join"), Some((LEAVES + 1, 0.0)), "{config}");
        let (number, mean) = of("Leaf.start").expect("leaves ran");
        assert!(number == LEAVES + 1 && (mean - leaves).abs() < 1e-9, "{config}: {mean}");
    }
}

#[test]
fn the_highest_level_first_starts_the_remote_work_before_the_leaves() {
    // In DUAL the execution unit has a leaf before the last call reaches the synchronization unit.
    for (config, expected) in [(Config::Spn, REMOTE), (Config::Dual, LEAF + REMOTE)] {
        let cycles = |machine: Machine| gives(&mut { machine }, Fork::call).cycles.expect("it is simulated");
        assert_eq!(cycles(free(config)), LEAVES * LEAF + REMOTE, "{config}: the leaves run first");
        let levels = levels(config);
        let policies = Policies::new().fibers("critical path", move |_node| levels.highest_first());
        assert_eq!(cycles(free(config).policies(policies)), expected, "{config}: leaves run meanwhile");
    }
}
