//! Jacobi relaxation of a line of values: in every round each value becomes the mean of itself and its two
//! neighbours, and the two ends are held at fixed values.
//!
//! The line is cut into strips, dealt round the nodes. For each round a strip waits for one border value of either
//! neighbour, and for nothing else: there is no barrier, so a neighbour may be a round ahead, and the border that it
//! has sent too early is parked until this strip's next round. The result is compared with a loop, bit by bit.
//!
//! `cargo run --release -p earth --example stencil [values] [rounds] [strips] [nodes] [spn|dual]`

use earth::collective::{Group, everywhere};
use earth::{Arrived, Config, Eu, Machine, Reply, Then, Wire, threaded};

/// What the line is held at, left of its first value and right of its last.
const ENDS: [f64; 2] = [1.0, -1.0];

/// Where a strip takes the borders of its neighbours.
#[derive(Clone, Copy, Wire)]
struct Borders {
    left: Reply<f64>,
    right: Reply<f64>,
}

/// Where a strip's own borders go; at an end of the line to nobody.
#[derive(Clone, Copy, Wire)]
struct Neighbours {
    left: Option<Reply<f64>>,
    right: Option<Reply<f64>>,
}

/// The whole line: starts the strips, makes neighbours known to each other, and joins what they have become.
struct Line {
    out: Reply<Vec<f64>>,
}

#[threaded]
impl Line {
    fn start(strips: Vec<Vec<f64>>, rounds: usize, out: Reply<Vec<f64>>, eu: &mut Eu<Self>) -> Self {
        let done = eu.replies(Self::join().strips);
        let given = strips.into_iter().enumerate().map(|(i, values)| (values, rounds, done.at(i)));
        everywhere::<Strip>(eu, Group::all(eu), given, eu.reply(Self::introduce().doors));
        Line { out }
    }

    #[slot]
    fn introduce(&mut self, doors: Vec<(Borders, Reply<Neighbours>)>, eu: &mut Eu<Self>) {
        for (i, &(_, door)) in doors.iter().enumerate() {
            // My left border is what my left neighbour has on its right.
            let left = i.checked_sub(1).map(|left| doors[left].0.right);
            let right = doors.get(i + 1).map(|(borders, _)| borders.left);
            eu.put(door, Neighbours { left, right });
        }
    }

    #[slot]
    fn join(self, #[inlets(strips.len())] strips: Arrived<'_, Vec<f64>>, eu: &mut Eu<Self>) {
        eu.put(self.out, strips.flatten().collect());
    }
}

/// A strip of the line.
struct Strip {
    values: Vec<f64>,
    rounds_left: usize,
    neighbours: Neighbours,
    done: Reply<Vec<f64>>,
}

#[threaded]
impl Strip {
    fn start(
        values: Vec<f64>,
        rounds: usize,
        done: Reply<Vec<f64>>,
        hello: Reply<(Borders, Reply<Neighbours>)>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let relax = Self::relax();
        let borders = Borders { left: eu.reply(relax.left), right: eu.reply(relax.right) };
        eu.put(hello, (borders, eu.reply(Self::meet().neighbours)));
        Strip { values, rounds_left: rounds, neighbours: Neighbours { left: None, right: None }, done }
    }

    #[slot]
    fn meet(&mut self, neighbours: Neighbours, eu: &mut Eu<Self>) {
        self.neighbours = neighbours;
        self.send(eu);
        eu.sync(Self::relax());
    }

    /// A round. The first one waits for a signal of `meet` besides: a neighbour may have met this strip, and sent its
    /// border, before this strip has met anybody.
    #[slot(again, first = 1)]
    fn relax(&mut self, left: f64, right: f64, eu: &mut Eu<Self>) -> Then {
        relax(&mut self.values, left, right);
        self.rounds_left -= 1;
        if self.rounds_left > 0 {
            self.send(eu);
            return Then::Wait;
        }
        eu.put(self.done, std::mem::take(&mut self.values));
        Then::End
    }
}

impl Strip {
    /// Sends this strip's borders for the next round. At an end of the line it gets the fixed value.
    fn send(&self, eu: &mut Eu<Self>) {
        let (first, last) = (self.values[0], self.values[self.values.len() - 1]);
        match self.neighbours.left {
            Some(left) => eu.put(left, first),
            None => eu.put(eu.reply(Self::relax().left), ENDS[0]),
        }
        match self.neighbours.right {
            Some(right) => eu.put(right, last),
            None => eu.put(eu.reply(Self::relax().right), ENDS[1]),
        }
    }
}

/// A round of some values between two others.
fn relax(values: &mut [f64], mut left: f64, right: f64) {
    for i in 0..values.len() {
        let next = values.get(i + 1).copied().unwrap_or(right);
        let value = values[i];
        values[i] = (left + value + next) / 3.0;
        left = value;
    }
}

/// Relaxes `n` values `rounds` times in at most `strips` strips, and compares them with a loop.
pub(crate) fn demonstrate(
    n: usize,
    rounds: usize,
    strips: usize,
    machine: &mut Machine,
) -> Result<(), Box<dyn std::error::Error>> {
    if n == 0 || rounds == 0 || strips == 0 {
        return Err("a stencil needs a value, a round and a strip".into());
    }
    let line: Vec<f64> = (0_u32..).map(|i| f64::from(i * 7919 % 1000) / 1000.0).take(n).collect();
    let cut: Vec<Vec<f64>> = line.chunks(n.div_ceil(strips)).map(<[f64]>::to_vec).collect();
    let strips = cut.len();
    let nodes = machine.node_count();
    let run = machine.run(|out| Line::call(cut, rounds, out))?;

    let mut expected = line;
    (0..rounds).for_each(|_| relax(&mut expected, ENDS[0], ENDS[1]));
    if run.value != expected {
        return Err("the strips and the loop do not agree".into());
    }
    let early = run.counters.parked;
    println!("{n} values, {rounds} rounds, {strips} strips on {nodes} nodes: {early} borders came early");
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, usual| args.get(i).map_or(Ok(usual), |arg| arg.parse());
    let config = args.get(4).map_or(Ok(Config::Spn), |arg| arg.parse())?;
    demonstrate(
        number(0, 10_000)?,
        number(1, 100)?,
        number(2, 8)?,
        &mut Machine::threads(number(3, 2)?).config(config),
    )
}
