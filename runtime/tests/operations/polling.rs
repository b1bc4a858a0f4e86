//! A fiber that polls sees the same parameters and state as without polling, whatever arrives meanwhile.

use earth::{Arrived, Eu, NodeId, Reply, Start, Then, threaded};

use crate::common::{gives, on_every_of};

// ANCHOR: poll
const ROUNDS: u64 = 5;
const SOURCES: usize = 3;

/// Takes a value from each source per round, and polls between any two values. Meanwhile the sources send the
/// values of later rounds.
struct Gathers {
    rounds: Vec<Vec<u64>>,
    out: Reply<Vec<Vec<u64>>>,
}

#[threaded]
impl Gathers {
    fn start(out: Reply<Vec<Vec<u64>>>, eu: &mut Eu<Self>) -> Start<Self> {
        for source in 0..SOURCES {
            let to = eu.replies(Self::round().values).at(source);
            let node = NodeId::new(source % eu.nodes());
            eu.invoke(node, Source::call(source as u64, to));
            eu.poll();
        }
        Start::Wait(Gathers { rounds: Vec::new(), out })
    }

    #[slot(again)]
    fn round(&mut self, #[inlets(SOURCES)] values: Arrived<'_, u64>, eu: &mut Eu<Self>) -> Then {
        self.rounds.push(values.inspect(|_| eu.poll()).collect());
        if self.rounds.len() as u64 == ROUNDS {
            eu.put(self.out, std::mem::take(&mut self.rounds));
            return Then::End;
        }
        Then::Wait
    }
}

/// Sends a value for each round, all at once.
struct Source;

#[threaded]
impl Source {
    fn start(source: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        for round in 0..ROUNDS {
            eu.put(to, 10 * round + source);
            eu.poll();
        }
    }
}
// ANCHOR_END: poll

#[test]
fn a_fiber_that_polls_gets_the_values_of_its_round() {
    let rounds: Vec<Vec<u64>> =
        (0..ROUNDS).map(|round| (0..SOURCES as u64).map(|source| 10 * round + source).collect()).collect();
    on_every_of(20, |case| assert_eq!(gives(&mut case.machine(), Gathers::call).value, rounds));
}
