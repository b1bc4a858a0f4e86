//! Programs under `#[threaded]`, on every machine: a stencil whose strips run a round ahead of each other,
//! and a pipeline whose stages do.

use crate::common::{gives, on_every};
use earth::{Arrived, Eu, NodeId, Reply, Then, threaded};

/// Computes the values of a ring of strips after `rounds` rounds.
struct Stencil {
    out: Reply<Vec<u64>>,
}

/// Inlets of a strip for the values of its two neighbors.
type Edges = (Reply<u64>, Reply<u64>);

#[threaded]
impl Stencil {
    fn start(strips: usize, rounds: u64, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let (hello, ended) = (eu.replies(Self::introduce().hello), eu.replies(Self::collect().ended));
        for i in 0..strips {
            let node = NodeId::new(i % eu.nodes());
            eu.invoke(node, Strip::call(first(i), rounds, hello.at(i), ended.at(i)));
        }
        Stencil { out }
    }

    #[slot]
    fn introduce(&mut self, #[inlets(strips)] hello: Arrived<'_, (Edges, Reply<Edges>)>, eu: &mut Eu<Self>) {
        let count = hello.len();
        for (i, (_, meets)) in hello.iter().enumerate() {
            let ((_, right_of_left), _) = hello[(i + count - 1) % count];
            let ((left_of_right, _), _) = hello[(i + 1) % count];
            eu.put(*meets, (right_of_left, left_of_right));
        }
    }

    #[slot]
    fn collect(self, #[inlets(strips)] ended: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, ended.collect());
    }
}

/// A strip of one value, which becomes a mixture of it and its neighbors' values in each round.
struct Strip {
    value: u64,
    rounds: u64,
    neighbours: Option<Edges>,
    ended: Reply<u64>,
}

#[threaded]
impl Strip {
    fn start(
        value: u64,
        rounds: u64,
        hello: Reply<(Edges, Reply<Edges>)>,
        ended: Reply<u64>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let edges = (eu.reply(Self::step().left), eu.reply(Self::step().right));
        eu.put(hello, (edges, eu.reply(Self::meet().neighbours)));
        Strip { value, rounds, neighbours: None, ended }
    }

    #[slot]
    fn meet(&mut self, neighbours: Edges, eu: &mut Eu<Self>) {
        self.neighbours = Some(neighbours);
        self.send(eu);
        eu.sync(Self::step());
    }

    /// A neighbor may be a round ahead; its value then waits until this round has begun.
    #[slot(again, first = 1)]
    fn step(&mut self, left: u64, right: u64, eu: &mut Eu<Self>) -> Then {
        self.value = mixed(left, self.value, right);
        self.rounds -= 1;
        if self.rounds > 0 {
            self.send(eu);
            return Then::Wait;
        }
        eu.put(self.ended, self.value);
        Then::End
    }
}

impl Strip {
    fn send(&self, eu: &mut Eu<Self>) {
        let Some((left, right)) = self.neighbours else { unreachable!("a strip meets its neighbours first") };
        eu.put(left, self.value);
        eu.put(right, self.value);
    }
}

fn first(i: usize) -> u64 {
    (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn mixed(left: u64, value: u64, right: u64) -> u64 {
    left.wrapping_mul(3).wrapping_add(value).wrapping_add(right.wrapping_mul(5)).rotate_left(7)
}

#[test]
fn a_stencil_runs_ahead() {
    on_every(|case| {
        for (strips, rounds) in [(1, 4), (2, 5), (7, 6)] {
            let mut values: Vec<_> = (0..strips).map(first).collect();
            for _ in 0..rounds {
                values = (0..strips)
                    .map(|i| mixed(values[(i + strips - 1) % strips], values[i], values[(i + 1) % strips]))
                    .collect();
            }
            let run = gives(&mut case.machine(), |out| Stencil::call(strips, rounds, out));
            assert_eq!(run.value, values);
        }
    });
}

/// Sends items through stages and collects the results, in order.
struct Pipeline {
    items: u64,
    came: Vec<u64>,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Pipeline {
    fn start(stages: u64, items: u64, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let sink = eu.reply(Self::collect().item);
        eu.token(Stage::call(stages, items, sink, eu.reply(Self::feed().to)));
        Pipeline { items, came: Vec::new(), out }
    }

    #[slot]
    fn feed(&mut self, to: Reply<u64>, eu: &mut Eu<Self>) {
        (0..self.items).for_each(|item| eu.put(to, item));
    }

    #[slot(again)]
    fn collect(&mut self, item: u64, eu: &mut Eu<Self>) -> Then {
        self.came.push(item);
        if self.came.len() as u64 == self.items {
            eu.put(self.out, std::mem::take(&mut self.came));
            return Then::End;
        }
        Then::Wait
    }
}

/// Stage `number` of a pipeline, counted from 1. It starts the stage before it; the first one puts the
/// address of its input.
struct Stage {
    number: u64,
    left: u64,
    next: Reply<u64>,
}

#[threaded]
impl Stage {
    fn start(number: u64, items: u64, next: Reply<u64>, feed: Reply<Reply<u64>>, eu: &mut Eu<Self>) -> Self {
        let own = eu.reply(Self::work().item);
        if number == 1 {
            eu.put(feed, own);
        } else {
            let node = NodeId::new(number as usize % eu.nodes());
            eu.invoke(node, Stage::call(number - 1, items, own, feed));
        }
        Stage { number, left: items, next }
    }

    #[slot(again)]
    fn work(&mut self, item: u64, eu: &mut Eu<Self>) -> Then {
        eu.put(self.next, item * 10 + self.number);
        self.left -= 1;
        if self.left == 0 { Then::End } else { Then::Wait }
    }
}

#[test]
fn a_pipeline_keeps_its_items_in_order() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Pipeline::call(3, 12, out));
        assert_eq!(run.value, (0..12).map(|item| item * 1000 + 123).collect::<Vec<_>>());
    });
}
