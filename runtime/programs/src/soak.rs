//! One round of the soak test: every kind of traffic at once, between stations on all nodes, and the counts
//! it must produce.
//!
//! 1. *Setup.* [`Round`] starts a [`Station`] on every node, receives its inlets, and sends each the
//!    addresses of its right neighbor.
//! 2. *Work*, all at once, in bursts. A station requests its neighbor's cell, and then signals that the cell
//!    may be written, so most reads wait at the cell. It puts values to its neighbor and to itself. They are
//!    taken in pairs, so the ones that are ahead are parked. It sends a block around the ring. It signals its
//!    own slot and its neighbor's. It makes the first of its tokens.
//! 3. *Tokens.* Token `k` makes the tokens `2 k + 1` and `2 k + 2`, if these numbers are within the load, and
//!    reports its number to its station from the node it ran on. The station counts the reports and keeps
//!    their sum and their exclusive or.
//! 4. *Tally.* A station that has everything it waits for reports its counts. [`Round`] adds the tallies up.
//!
//! A lost event makes the run end stuck. A doubled event causes an extra signal or a wrong count: [`round`]
//! compares each counter and tally with the value that the program determines.

use earth::collective::{Group, everywhere};
use earth::{Arrived, Block, CellRef, Counters, Eu, Machine, Reply, SlotRef, Wire, threaded};

/// Points of a block.
const POINTS: usize = 64;

/// Work of each station in a round; no number is zero.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Load {
    /// Number of bursts.
    pub bursts: u64,
    /// Signals of a burst to its own slot; an equal number goes to its neighbor's.
    pub signals: u64,
    /// Values of a burst for its neighbor; an equal number goes to itself.
    pub values: u64,
    /// Number of tokens.
    pub tokens: u64,
    /// Number of hops of its block.
    pub hops: u64,
}

/// Counts of stations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Wire)]
struct Tally {
    tokens: u64,
    token_sum: u64,
    token_xor: u64,
    /// Number of pairs of values.
    values: u64,
    value_sum: u64,
    blocks: u64,
    block_sum: u64,
    answers: u64,
}

impl Tally {
    /// Adds two tallies.
    fn with(self, other: Tally) -> Tally {
        Tally {
            tokens: self.tokens + other.tokens,
            token_sum: self.token_sum + other.token_sum,
            token_xor: self.token_xor ^ other.token_xor,
            values: self.values + other.values,
            value_sum: self.value_sum + other.value_sum,
            blocks: self.blocks + other.blocks,
            block_sum: self.block_sum + other.block_sum,
            answers: self.answers + other.answers,
        }
    }
}

/// Addresses of a station.
#[derive(Wire)]
struct Hello {
    neighbour: Reply<Hello>,
    signalled: SlotRef,
    value: Reply<u64>,
    block: Reply<Block<u64>>,
    cell: CellRef<u64>,
    asked: SlotRef,
    over: SlotRef,
}

/// One round on all `nodes` nodes.
struct Round {
    out: Reply<Tally>,
}

#[threaded]
impl Round {
    fn start(load: Load, nodes: usize, out: Reply<Tally>, eu: &mut Eu<Self>) -> Self {
        let (group, tallies) = (Group::all(eu), eu.replies(Self::add().tallies));
        let hellos = eu.reply(Self::introduce().hellos);
        everywhere::<Station>(eu, group, (0..nodes).map(|station| (load, tallies.at(station))), hellos);
        Round { out }
    }

    #[slot]
    fn introduce(&mut self, mut hellos: Vec<Hello>, eu: &mut Eu<Self>) {
        let doors: Vec<_> = hellos.iter().map(|hello| hello.neighbour).collect();
        hellos.rotate_left(1);
        for (door, neighbour) in doors.into_iter().zip(hellos) {
            eu.put(door, neighbour);
        }
    }

    #[slot]
    fn add(self, #[inlets(nodes)] tallies: Arrived<'_, Tally>, eu: &mut Eu<Self>) {
        eu.put(self.out, tallies.fold(Tally::default(), Tally::with));
    }
}

/// One node's part of a round.
struct Station {
    load: Load,
    neighbour: Option<Hello>,
    counted: Tally,
    tally: Reply<Tally>,
}

#[threaded(signals = (2 * load.bursts * load.signals) as usize)]
impl Station {
    fn start(load: Load, tally: Reply<Tally>, hello: Reply<Hello>, eu: &mut Eu<Self>) -> Self {
        let own = Hello {
            neighbour: eu.reply(Self::begin().neighbour),
            signalled: eu.slot_ref(Self::heard()),
            value: eu.reply(Self::add().value),
            block: eu.reply(Self::pass().block),
            cell: eu.cell_ref(Self::cell()),
            asked: eu.slot_ref(Self::write()),
            over: eu.slot_ref(Self::finish()),
        };
        eu.put(hello, own);
        Station { load, neighbour: None, counted: Tally::default(), tally }
    }

    #[cell]
    fn cell() -> u64;

    #[slot]
    fn begin(&mut self, neighbour: Hello, eu: &mut Eu<Self>) {
        eu.get(neighbour.cell, eu.reply(Self::read().answer));
        eu.rsync(neighbour.asked);
        let Load { tokens, hops, .. } = self.load;
        let block = Block::from_fn(1, POINTS, |_, point| if point == 0 { hops } else { point as u64 });
        eu.put_block(neighbour.block, block);
        self.neighbour = Some(neighbour);
        let first = eu.node().index() as u64 * tokens;
        eu.token(Numbered::call(first, 0, tokens, eu.reply(Self::count().number)));
        eu.spawn(Self::burst(0));
        // A block that came before the neighbor was known waits for this signal.
        eu.sync(Self::pass());
    }

    #[spawned]
    fn burst(&mut self, burst: usize, eu: &mut Eu<Self>) {
        let Some(neighbour) = &self.neighbour else { unreachable!("bursts come after `begin`") };
        for _ in 0..self.load.signals {
            eu.sync(Self::heard());
            eu.rsync(neighbour.signalled);
        }
        for value in 0..self.load.values {
            eu.put(neighbour.value, burst as u64 * self.load.values + value);
            eu.put(eu.reply(Self::add().own), burst as u64 * self.load.values + value);
        }
        if burst + 1 < self.load.bursts as usize {
            eu.spawn(Self::burst(burst + 1));
        }
    }

    #[slot(syncs = signals)]
    fn heard(&mut self, eu: &mut Eu<Self>) {
        eu.sync(Self::finish());
    }

    #[slot(again)]
    fn count(&mut self, number: u64, eu: &mut Eu<Self>) {
        self.counted.tokens += 1;
        self.counted.token_sum += number;
        self.counted.token_xor ^= number;
        Self::over_if(eu, self.counted.tokens == self.load.tokens);
    }

    #[slot(again)]
    fn add(&mut self, value: u64, own: u64, eu: &mut Eu<Self>) {
        self.counted.values += 1;
        self.counted.value_sum += value + own;
        Self::over_if(eu, self.counted.values == self.load.bursts * self.load.values);
    }

    #[slot(again, first = 1)]
    fn pass(&mut self, mut block: Block<u64>, eu: &mut Eu<Self>) {
        self.counted.blocks += 1;
        self.counted.block_sum += block.row(0)[1..].iter().sum::<u64>();
        block.row_mut(0)[0] -= 1;
        if let (Some(neighbour), true) = (&self.neighbour, block.row(0)[0] > 0) {
            eu.put_block(neighbour.block, block);
        }
        Self::over_if(eu, self.counted.blocks == self.load.hops);
    }

    #[slot(sync)]
    fn write(&mut self, eu: &mut Eu<Self>) {
        eu.write(eu.cell_ref(Self::cell()), 1);
    }

    #[slot]
    fn read(&mut self, answer: u64, eu: &mut Eu<Self>) {
        self.counted.answers += answer;
        eu.sync(Self::finish());
        // The neighbor also waits for this: its cell must not end before it was read.
        if let Some(neighbour) = &self.neighbour {
            eu.rsync(neighbour.over);
        }
    }

    #[slot(syncs = 6)]
    fn finish(self, eu: &mut Eu<Self>) {
        eu.put(self.tally, self.counted);
    }
}

impl Station {
    /// Signals `finish` if `done`: one event less to wait for.
    fn over_if(eu: &mut Eu<Self>, done: bool) {
        if done {
            eu.sync(Self::finish());
        }
    }
}

/// Token `k` of a station whose token numbers start with `first`.
struct Numbered;

#[threaded]
impl Numbered {
    fn start(first: u64, k: u64, tokens: u64, report: Reply<u64>, eu: &mut Eu<Self>) {
        for k in [2 * k + 1, 2 * k + 2] {
            if k < tokens {
                eu.token(Numbered::call(first, k, tokens, report));
            }
        }
        eu.put(report, first + k);
    }
}

/// Runs a round on a machine of `nodes` nodes and returns its counters.
///
/// # Errors
///
/// A description of the error of the run, or of the first wrong count.
pub fn round(machine: &mut Machine, nodes: usize, load: Load) -> Result<Counters, String> {
    let run = machine.run(|out| Round::call(load, nodes, out)).map_err(|error| error.to_string())?;
    let (n, c) = (nodes as u64, &run.counters);
    let Load { bursts, signals, values, tokens, hops } = load;
    let numbers = 0..n * tokens;
    let points = (1..POINTS as u64).sum::<u64>();
    let expected = Tally {
        tokens: n * tokens,
        token_sum: numbers.clone().sum(),
        token_xor: numbers.fold(0, |xor, number| xor ^ number),
        values: n * bursts * values,
        value_sum: 2 * n * (0..bursts * values).sum::<u64>(),
        blocks: n * hops,
        block_sum: n * hops * points,
        answers: n,
    };
    if run.value != expected {
        return Err(format!("the stations counted {:?}, not {expected:?}", run.value));
    }
    // Four signals introduce a station, request its cell, answer its request and start `pass`.
    // `finish` counts six. Main receives two messages from each station.
    let of_station = 4 + 6 + 2 + 2 * bursts * signals + tokens + 2 * bursts * values + hops;
    // A station's fibers: the fibers that run once, including `heard`, and the fibers that take messages.
    let fibers = 6 + bursts + 2 * tokens + bursts * values + hops;
    let exactly = [
        ("signals", c.signals, n * of_station + 2),
        ("tokens", c.tokens, n * tokens),
        ("fibers", c.fibers, n * fibers + 5),
        ("invokes", c.invokes, n + 1),
        ("block moves", c.block_moves, n * hops),
        ("bytes moved", c.bytes_moved, n * hops * 8 * POINTS as u64),
        ("frames made", c.frames, n + 2),
        ("frames ended", c.frames_ended, c.frames),
    ];
    match exactly.into_iter().find(|(_, counted, expected)| counted != expected) {
        Some((what, counted, expected)) => Err(format!("{counted} {what}, not {expected}")),
        None => Ok(run.counters),
    }
}
