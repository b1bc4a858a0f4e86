//! The largest number of nodes, on any number of cores. Programs give their results, and the memory of a
//! machine grows with the number of nodes, not with its square.

use allocation_counter::measure;
use earth::{Config, Eu, Machine, NodeId, Policy, Reply, Start, StealOrder, threaded};

use earth_programs::fib::Fib;

const NODES: usize = Machine::MOST_NODES;

/// Passes a number around the ring of nodes for `hops` hops. Each node adds its number to it.
struct Ring;

#[threaded]
impl Ring {
    fn start(hops: u64, sum: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        let here = eu.node().index();
        if hops == 0 {
            eu.put(out, sum);
        } else {
            let next = NodeId::new((here + 1) % eu.nodes());
            eu.invoke(next, Ring::call(hops - 1, sum + here as u64, out));
        }
    }
}

/// Requests from every node the square of its number, several times at once, so that inboxes fill up. Puts
/// the sum of the answers.
struct Squares {
    out: Reply<u64>,
    sum: u64,
    missing: usize,
}

struct Square;

#[threaded]
impl Square {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        let node = eu.node().index() as u64;
        eu.put(out, node * node);
    }
}

#[threaded]
impl Squares {
    fn start(times: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        for _ in 0..times {
            for node in 0..eu.nodes() {
                eu.invoke(NodeId::new(node), Square::call(eu.reply(Self::add().square)));
            }
        }
        Start::Wait(Squares { out, sum: 0, missing: times * eu.nodes() })
    }

    #[slot(again)]
    fn add(&mut self, square: u64, eu: &mut Eu<Self>) -> earth::Then {
        self.sum += square;
        self.missing -= 1;
        if self.missing > 0 {
            return earth::Then::Wait;
        }
        eu.put(self.out, self.sum);
        earth::Then::End
    }
}

fn each_config(check: impl Fn(&dyn Fn() -> Machine)) {
    for config in [Config::Spn, Config::Dual] {
        check(&|| Machine::threads(NODES).config(config));
    }
}

#[test]
fn a_ring_goes_around() {
    each_config(|machine| {
        let laps = 3;
        let run = machine().run(|out| Ring::call(laps * NODES as u64, 0, out)).expect("it runs");
        let nodes = NODES as u64;
        assert_eq!(run.value, laps * nodes * (nodes - 1) / 2);
        assert_eq!(run.counters.invokes, laps * nodes);
        // Every node had the same number of turns; the main function's node had one more.
        let fibers: Vec<_> = run.by_node.iter().map(|node| node.fibers).collect();
        assert_eq!((fibers[0], &fibers[1..]), (laps + 1, &*vec![laps; NODES - 1]));
    });
}

#[test]
fn tokens_spread_and_give_the_right_sum() {
    for steal in [StealOrder::LastVictim, StealOrder::NextNode, StealOrder::Random] {
        each_config(|machine| {
            let policy = Policy { steal, ..Policy::default() };
            let run = machine().policy(policy).run(|out| Fib::call(18, out)).expect("it runs");
            assert_eq!(run.value, 2584);
            // The program has 2 F(19) - 1 calls, and each call except the first is a token.
            assert_eq!((run.counters.tokens, run.counters.fibers), (8360, 8361 + 4180));
            let took_part = run.by_node.iter().filter(|node| node.fibers > 0).count();
            assert!(took_part > 1, "{took_part}");
        });
    }
}

#[test]
fn one_node_receives_from_all_others_through_full_queues() {
    each_config(|machine| {
        let run = machine().queue_capacity(2).run(|out| Squares::call(3, out)).expect("it runs");
        let n = NODES as u64;
        assert_eq!(run.value, 3 * (n - 1) * n * (2 * n - 1) / 6);
    });
}

/// Returns the bytes and allocations of a machine's first run, beyond those of a machine with one node.
fn memory(nodes: usize, machine: impl Fn(Machine) -> Machine) -> (u64, u64) {
    let built = |nodes| {
        let mut machine = machine(Machine::threads(nodes));
        measure(|| {
            assert_eq!(machine.run(|out| Ring::call(0, 7, out)).expect("it runs").value, 7);
        })
    };
    let (one, many) = (built(1), built(nodes));
    (many.bytes_total - one.bytes_total, many.count_total - one.count_total)
}

/// With queues of the same size, a node of 1,024 takes about as much memory as a node of 64. Only the calling
/// thread's memory is counted, about a fifth, because any thread may allocate what a node needs in its first
/// run. Handles of all nodes' queues in each node would double it.
#[test]
fn the_memory_of_a_machine_grows_with_its_nodes_alone() {
    for config in [Config::Spn, Config::Dual] {
        let per_node = |nodes: usize| {
            let (bytes, count) = memory(nodes, |machine| machine.config(config).queue_capacity(4));
            (bytes / (nodes as u64 - 1), count / (nodes as u64 - 1))
        };
        let (few, some, many) = (per_node(64), per_node(256), per_node(1024));
        println!(
            "{config}: bytes and allocations a node, of 64, 256 and 1024 nodes: {few:?} {some:?} {many:?}"
        );
        for more in [some, many] {
            assert!(more.0 <= few.0 + few.0 / 2 && more.1 <= few.1 + 4, "{few:?} {more:?}");
        }
    }
}

/// By default, the queues of 1,024 nodes have as much room in total as the queues of 64.
#[test]
fn the_usual_queues_of_many_nodes_take_no_more_memory_than_those_of_64() {
    for config in [Config::Spn, Config::Dual] {
        let all = |nodes: usize| memory(nodes, |machine| machine.config(config)).0;
        let small = |nodes: usize| memory(nodes, |machine| machine.config(config).queue_capacity(1)).0;
        let queues = [64, 256, 1024].map(|nodes| all(nodes) - small(nodes));
        println!("{config}: bytes of the queues of 64, 256 and 1024 nodes: {queues:?}");
        assert!(queues.iter().all(|bytes| *bytes <= queues[0] + queues[0] / 16), "{queues:?}");
    }
}
