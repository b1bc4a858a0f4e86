//! Chains of fibers that exchange messages: a program whose grain, messages, distances, blocks and
//! parallelism are free. The laboratory compares SPN with DUAL by it.
//!
//! ```text
//! cargo run --release -p earth-programs -- chains 4 8 4 2 0 100 50 2 dual   # sizes, nodes, spn or dual
//! ```
//!
//! 1. A chain is a function with one frame. In each step its fiber receives a message for each of its inlets,
//!    works, and sends the messages of the next step.
//! 2. Chains belong to groups. Some messages of a fiber go to chains of other groups, as in the stages of a
//!    butterfly network: each stage flips one bit of the group's number, the highest first. All others go to
//!    the chain itself. A message of each fiber stays in its chain, so a chain's steps keep their order.
//! 3. The partner of a chain sends to this chain what it gets from it, so neither is more than a step ahead.
//!    A chain has slots for even and for odd steps. So no message finds its inlet full.
//! 4. A message is a word, or a block that is moved. The receiver writes its next message into the block.
//! 5. A function a node, its home, starts the chains of the node at once. The homes form a tree, along which
//!    the results come together, so that no node receives the ends of all others while it still works.
//!
//! A run of S steps of C chains on n nodes has `3 + 4n + C (S + 2)` fibers. Each step more has `C` fibers,
//! `C` times the messages as signals, and for each message between nodes one event.

use std::marker::PhantomData;
use std::time::Duration;

use earth::{Arrived, Block, Error, Eu, Machine, NodeId, Replies, Reply, Run, Then, Wire, Work, threaded};

use crate::program::{Instance, Program, ProgramError, Size};
use crate::work::work;

/// Cycles of a round of work on a simulated machine, in the list of programs.
const CYCLES: u64 = 5;

/// Sizes of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Wire)]
pub struct Chains {
    /// Number of groups, a power of two.
    pub groups: u32,
    /// Chains of a group, a power of two.
    pub chains: u32,
    /// Messages that a fiber waits for, and that it sends. At least 1.
    pub messages: u32,
    /// Number of these messages that go to other groups, less than `messages`.
    pub remote: u32,
    /// Bytes of the block of a message, rounded up to words; 0 for a message that is a word.
    pub bytes: u32,
    /// Steps of a chain. At least 1.
    pub steps: u32,
    /// Work of a fiber on a real processor, in rounds of [`work`].
    pub rounds: u64,
    /// Work of a fiber on a simulated machine, in cycles.
    pub cycles: u64,
}

/// Result of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Wire)]
pub struct Outcome {
    /// Sum of the chains' values. It depends on neither machine nor schedule.
    pub sum: u64,
    /// Longest time of a node, from the beginning of its first step to the end of its last one.
    pub longest: Duration,
    /// Time from the latest beginning of a node's steps to the end of the last step of all, by a common
    /// clock.
    pub span: Duration,
}

/// Sum and times of the chains of some nodes.
#[derive(Clone, Copy, Wire)]
struct Times {
    sum: u64,
    /// Latest beginning of a node's steps.
    began: Duration,
    ended: Duration,
    /// Longest time of a node.
    longest: Duration,
}

impl Times {
    /// Joins the times of two chains of a node.
    fn beside(self, other: Self) -> Self {
        let (began, ended) = (self.began.min(other.began), self.ended.max(other.ended));
        Times { sum: self.sum.wrapping_add(other.sum), began, ended, longest: ended.saturating_sub(began) }
    }

    /// Joins the times of two sets of nodes.
    fn with(self, other: Self) -> Self {
        Times {
            sum: self.sum.wrapping_add(other.sum),
            began: self.began.max(other.began),
            ended: self.ended.max(other.ended),
            longest: self.longest.max(other.longest),
        }
    }
}

/// Inlets of a chain for even and for odd steps.
type Inlets<L> = [Replies<L>; 2];

/// Answer of a chain: its inlets, and where it waits for the inlets of its partners.
type Entry<L> = (Inlets<L>, Reply<Vec<Inlets<L>>>);

/// Inlets of a message's receiver for even and for odd steps.
type Receivers<L> = [Reply<L>; 2];

/// Content of a message: a word or a block.
trait Load: Wire {
    fn new(bytes: u32) -> Self;
    fn get(&self) -> u64;
    fn set(&mut self, value: u64);
}

impl Load for u64 {
    fn new(_: u32) -> Self {
        0
    }

    fn get(&self) -> u64 {
        *self
    }

    fn set(&mut self, value: u64) {
        *self = value;
    }
}

impl Load for Block<u64> {
    fn new(bytes: u32) -> Self {
        Block::zeroed(1, (bytes as usize).div_ceil(size_of::<u64>()).max(1))
    }

    fn get(&self) -> u64 {
        self.row(0)[0]
    }

    fn set(&mut self, value: u64) {
        self.row_mut(0)[0] = value;
    }
}

/// Combines a chain's value with a message.
fn mix(value: u64, message: u64) -> u64 {
    (value.rotate_left(23) ^ message).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Returns the content of a message of a chain with this value.
fn content(value: u64, message: u32) -> u64 {
    value ^ (u64::from(message) << 7)
}

impl Chains {
    /// Returns the number of chains.
    pub fn total(&self) -> u32 {
        self.groups * self.chains
    }

    /// Returns the chain that receives a message of a chain. The receiver sends its own message of this
    /// number back.
    pub fn partner(&self, chain: u32, message: u32) -> u32 {
        let bits = self.groups.ilog2();
        if message >= self.remote || bits == 0 {
            return chain;
        }
        chain ^ (1 << (self.chains.ilog2() + bits - 1 - message % bits))
    }

    /// Returns the first chain of a node, or the number of chains for the node after the last one.
    fn first(&self, node: usize, nodes: usize) -> u32 {
        (node * self.total() as usize).div_ceil(nodes) as u32
    }

    /// Runs the program. There may be more nodes than chains.
    ///
    /// # Errors
    ///
    /// The machine's.
    pub fn run(self, machine: &mut Machine) -> Result<Run<Outcome>, Error> {
        let nodes = machine.node_count();
        if self.bytes == 0 {
            machine.run(|out| Whole::<u64>::call(self, nodes, out))
        } else {
            machine.run(|out| Whole::<Block<u64>>::call(self, nodes, out))
        }
    }

    /// Returns the value of a chain after a step with one message, from the chain itself.
    pub fn step(&self, value: u64) -> u64 {
        work(mix(value, content(value, 0)), self.rounds)
    }

    /// Computes the sum of the chains' values by loops.
    pub fn expected(&self) -> u64 {
        let mut values: Vec<u64> = (0..self.total()).map(u64::from).collect();
        for _ in 0..self.steps {
            let step = |(chain, &value): (usize, &u64)| {
                let sender = |message| values[self.partner(chain as u32, message) as usize];
                let messages = (0..self.messages).map(|message| content(sender(message), message));
                work(messages.fold(value, mix), self.rounds)
            };
            values = values.iter().enumerate().map(step).collect();
        }
        values.into_iter().fold(0, u64::wrapping_add)
    }
}

/// The whole program: it tells each home the inlets of its chains' partners.
struct Whole<L: Load> {
    of: Chains,
    out: Reply<Outcome>,
    loads: PhantomData<fn(L)>,
}

/// Answer of a home.
#[derive(Wire)]
struct Door<L: Load> {
    /// Inlets of its chains.
    inlets: Vec<Inlets<L>>,
    /// Inlets for the times of the homes below.
    below: Replies<Times>,
    go: Reply<Go<L>>,
}

/// Sent to a home: inlets of its chains' partners, and where its times go.
#[derive(Wire)]
struct Go<L: Load> {
    partners: Vec<Inlets<L>>,
    above: Reply<Times>,
}

/// Number of homes below a home, at most.
const BRANCHES: usize = 2;

#[threaded(homes = nodes.min(of.total() as usize))]
impl<L: Load> Whole<L> {
    fn start(of: Chains, nodes: usize, out: Reply<Outcome>, eu: &mut Eu<Self>) -> Self {
        let doors = eu.replies(Self::meet().doors);
        let ranges = (0..nodes).map(|node| (node, of.first(node, nodes), of.first(node + 1, nodes)));
        for (home, (node, from, to)) in ranges.filter(|(_, from, to)| from < to).enumerate() {
            let below = (BRANCHES * home + 1..=BRANCHES * (home + 1)).filter(|below| *below < homes).count();
            eu.invoke(NodeId::new(node), Home::call(of, from, to, below, doors.at(home)));
        }
        Whole { of, out, loads: PhantomData }
    }

    #[slot]
    fn meet(&mut self, #[inlets(homes)] doors: Arrived<'_, Door<L>>, eu: &mut Eu<Self>) {
        let doors: Vec<_> = doors.collect();
        let all: Vec<_> = doors.iter().flat_map(|door| door.inlets.iter().copied()).collect();
        let mut chain = 0;
        for (home, door) in doors.iter().enumerate() {
            let mut partners = Vec::new();
            for _ in &door.inlets {
                let partner = |message| all[self.of.partner(chain, message) as usize];
                partners.extend((0..self.of.remote).map(partner));
                chain += 1;
            }
            let above = match home.checked_sub(1) {
                None => eu.reply(Self::end().times),
                Some(before) => doors[before / BRANCHES].below.at(before % BRANCHES),
            };
            eu.put(door.go, Go { partners, above });
        }
    }

    #[slot]
    fn end(self, times: Times, eu: &mut Eu<Self>) {
        let Times { sum, began, ended, longest } = times;
        eu.put(self.out, Outcome { sum, longest, span: ended.saturating_sub(began) });
    }
}

/// The chains of a node.
struct Home<L: Load> {
    remote: usize,
    door: Reply<Door<L>>,
    starts: Vec<Reply<Vec<Inlets<L>>>>,
    above: Option<Reply<Times>>,
}

#[threaded(own = (to - from) as usize)]
impl<L: Load> Home<L> {
    fn start(of: Chains, from: u32, to: u32, below: usize, door: Reply<Door<L>>, eu: &mut Eu<Self>) -> Self {
        let (doors, ends) = (eu.replies(Self::meet().doors), eu.replies(Self::end().own_times));
        let here = eu.node();
        for (at, chain) in (from..to).enumerate() {
            eu.invoke(here, Chain::call(of, chain, doors.at(at), ends.at(at)));
        }
        Home { remote: of.remote as usize, door, starts: Vec::new(), above: None }
    }

    #[slot]
    fn meet(&mut self, #[inlets(own)] doors: Arrived<'_, Entry<L>>, eu: &mut Eu<Self>) {
        let (inlets, starts) = doors.unzip();
        self.starts = starts;
        let (below, go) = (eu.replies(Self::end().times), eu.reply(Self::go().to));
        eu.put(self.door, Door { inlets, below, go });
    }

    #[slot]
    fn go(&mut self, to: Go<L>, eu: &mut Eu<Self>) {
        self.above = Some(to.above);
        for (at, start) in self.starts.drain(..).enumerate() {
            eu.put(start, to.partners[at * self.remote..][..self.remote].to_vec());
        }
    }

    /// Joins the times of the own chains and of the homes below.
    #[slot]
    fn end(
        self,
        #[inlets(own)] own_times: Arrived<'_, Times>,
        #[inlets(below)] times: Arrived<'_, Times>,
        eu: &mut Eu<Self>,
    ) {
        if let (Some(above), Some(own)) = (self.above, own_times.reduce(Times::beside)) {
            eu.put(above, times.fold(own, Times::with));
        }
    }
}

/// A chain of fibers.
struct Chain<L: Load> {
    of: Chains,
    value: u64,
    step: u32,
    began: Duration,
    /// Receivers of the messages, in the order of their numbers.
    receivers: Vec<Receivers<L>>,
    /// Messages of the step, in the order of their numbers.
    messages: Vec<L>,
    out: Reply<Times>,
}

#[threaded(messages = of.messages as usize)]
impl<L: Load> Chain<L> {
    fn start(of: Chains, chain: u32, door: Reply<Entry<L>>, out: Reply<Times>, eu: &mut Eu<Self>) -> Self {
        let own = [eu.replies(Self::even().values), eu.replies(Self::odd().values)];
        eu.put(door, (own, eu.reply(Self::go().partners)));
        let receivers = (0..messages).map(|message| own.map(|inlets| inlets.at(message))).collect();
        let messages = (0..messages).map(|_| L::new(of.bytes)).collect();
        let (value, step, began) = (u64::from(chain), 0, Duration::ZERO);
        Chain { of, value, step, began, receivers, messages, out }
    }

    /// Receives the inlets of the partners, and sends the messages of step 0.
    #[slot]
    fn go(&mut self, partners: Vec<Inlets<L>>, eu: &mut Eu<Self>) {
        for (message, inlets) in partners.into_iter().enumerate() {
            self.receivers[message] = inlets.map(|inlets| inlets.at(message));
        }
        self.send(eu);
        eu.sync(Self::even());
    }

    /// Does an even step. Step 0 also waits for a signal of `go`.
    #[slot(again, first = 1)]
    fn even(&mut self, #[inlets(messages)] values: Arrived<'_, L>, eu: &mut Eu<Self>) -> Then {
        self.messages.extend(values);
        self.step(eu)
    }

    #[slot(again)]
    fn odd(&mut self, #[inlets(messages)] values: Arrived<'_, L>, eu: &mut Eu<Self>) -> Then {
        self.messages.extend(values);
        self.step(eu)
    }
}

impl<L: Load> Chain<L> {
    fn step(&mut self, eu: &mut Eu<Self>) -> Then {
        if self.step == 0 {
            self.began = eu.now();
        }
        eu.work(Work::Cycles(self.of.cycles));
        let value = self.messages.iter().map(Load::get).fold(self.value, mix);
        self.value = work(value, self.of.rounds);
        self.step += 1;
        if self.step == self.of.steps {
            let (began, ended) = (self.began, eu.now());
            let longest = ended.saturating_sub(began);
            eu.put(self.out, Times { sum: self.value, began, ended, longest });
            return Then::End;
        }
        self.send(eu);
        Then::Wait
    }

    /// Sends the messages of the next step.
    fn send(&mut self, eu: &mut Eu<Self>) {
        let parity = (self.step % 2) as usize;
        for (number, (mut message, to)) in (0..).zip(self.messages.drain(..).zip(&self.receivers)) {
            message.set(content(self.value, number));
            eu.put(to[parity], message);
        }
    }
}

/// Runs chains of fibers.
pub struct ExchangingChains;

impl Program for ExchangingChains {
    fn name(&self) -> &'static str {
        "chains"
    }

    fn title(&self) -> &'static str {
        "chains of fibers that exchange messages"
    }

    fn sizes(&self) -> &'static [Size] {
        const {
            &[
                Size::new("groups", 4, 4).within(1, 1 << 15),
                Size::new("chains", 16, 2).within(1, 1 << 15),
                Size::new("messages", 4, 3).within(1, 64),
                Size::new("remote", 2, 2).within(0, 63),
                Size::new("bytes", 0, 100).within(0, 1 << 24),
                Size::new("steps", 200, 5).within(1, 1 << 30),
                Size::new("rounds", 50, 3).within(0, 1 << 40),
            ]
        }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let [groups, chains, messages, remote, bytes, steps] = [0, 1, 2, 3, 4, 5].map(|at| sizes[at] as u32);
        let (rounds, cycles) = (sizes[6], CYCLES * sizes[6]);
        let of = Chains { groups, chains, messages, remote, bytes, steps, rounds, cycles };
        if !groups.is_power_of_two() || !chains.is_power_of_two() {
            return Err(ProgramError::Other("`groups` and `chains` must be powers of two".into()));
        }
        if remote >= messages {
            return Err(ProgramError::Other("`remote` must be less than `messages`".into()));
        }
        let run = move |machine: &mut Machine| {
            let run = of.run(machine)?;
            if run.counters.parked > 0 {
                return Err(ProgramError::Wrong(format!("{} values were parked", run.counters.parked)));
            }
            Ok(run.map(|outcome| outcome.sum))
        };
        let total = of.total();
        Ok(Instance::new(
            move || of.expected(),
            run,
            move |sum| format!("{total} chains have the sum {sum:016x}"),
        ))
    }
}
