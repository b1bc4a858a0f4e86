//! One round of the soak: every kind of traffic at once, between stations on all nodes, and
//! what it must have counted.
//!
//! 1. *Setup.* [`Round`] starts a [`Station`] on every node, hears where each takes what, and tells each its
//!    right neighbour's addresses.
//! 2. *Work*, all at once, in bursts. A station asks for its neighbour's cell, then signals that it may be
//!    written, so most reads wait at the cell. It puts values to its neighbour and to itself, which are taken
//!    in pairs, so whichever are ahead are parked. It sends a block around the ring. It signals its own slot
//!    and its neighbour's. It makes the first of its tokens.
//! 3. *Tokens.* Token `k` makes the tokens `2 k + 1` and `2 k + 2`, as far as there are that many, and
//!    reports its number to its station, from whichever node it ran on. The station counts the reports and
//!    keeps their sum and their exclusive or.
//! 4. *Tally.* A station that had all that it waits for says what it counted. [`Round`] adds the tallies up.
//!
//! A lost event is a run that ends stuck, a doubled one is a signal too many or a count that is off:
//! [`round`] compares counters and tallies with what the program fixes, one by one.

use earth::collective::{Everywhere, Group, everywhere};
use earth::{Block, CellRef, Counters, Eu, Machine, Reply, SlotRef, Then, Wire, threaded_old};

/// Points of a block.
const POINTS: usize = 64;

/// What each station does in a round; no number is zero.
#[derive(Clone, Copy, Debug, Wire)]
pub(crate) struct Load {
    /// Bursts of its work.
    pub(crate) bursts: u64,
    /// Signals of a burst to its own slot, and as many to its neighbour's.
    pub(crate) signals: u64,
    /// Values of a burst for its neighbour, and as many for itself.
    pub(crate) values: u64,
    /// Tokens.
    pub(crate) tokens: u64,
    /// Hops of its block.
    pub(crate) hops: u64,
}

/// What stations counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Wire)]
pub(crate) struct Tally {
    pub(crate) tokens: u64,
    pub(crate) token_sum: u64,
    pub(crate) token_xor: u64,
    /// Pairs of values.
    pub(crate) values: u64,
    pub(crate) value_sum: u64,
    pub(crate) blocks: u64,
    pub(crate) block_sum: u64,
    pub(crate) answers: u64,
}

impl Tally {
    /// The tally of both.
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

/// Where a station takes what.
#[derive(Wire)]
struct Hello {
    neighbour: Reply<Box<Hello>>,
    signalled: SlotRef,
    value: Reply<u64>,
    block: Reply<Block<u64>>,
    cell: CellRef<u64>,
    asked: SlotRef,
    over: SlotRef,
}

threaded_old! {
    /// One round on all `nodes` nodes.
    pub(crate) fn Round(load: Box<Load>, nodes: usize, out: Reply<Box<Tally>>)
    calls  { Everywhere<Station> }
    inlets { hellos: Vec<Box<Hello>>, tally[this.nodes]: Box<Tally> }
    slots  { met: 1 => introduce, all: (this.nodes) => add }
    fiber start(this, eu) {
        let tallies = eu.replies_to_one(Self::tally, Self::all);
        let given = (0..this.nodes).map(|station| (this.load.clone(), tallies.at(station)));
        everywhere::<Station>(eu, Group::all(eu), given, eu.reply_to(Self::hellos, Self::met));
        Then::Wait
    }
    fiber introduce(_this, eu) {
        let mut hellos = eu.take(Self::hellos);
        let doors: Vec<_> = hellos.iter().map(|hello| hello.neighbour).collect();
        hellos.rotate_left(1);
        for (door, neighbour) in doors.into_iter().zip(hellos) {
            eu.put(door, neighbour);
        }
        Then::Wait
    }
    fiber add(this, eu) {
        let all = (0..this.nodes).fold(Tally::default(), |all, station| all.with(*eu.take(Self::tally.at(station))));
        eu.put(this.out, Box::new(all));
        Then::End
    }
}

threaded_old! {
    /// One node's part of a round.
    fn Station(load: Box<Load>, tally: Reply<Box<Tally>>, hello: Reply<Box<Hello>>)
    state  { neighbour: Option<Box<Hello>> = None, counted: Tally = Tally::default() }
    calls  { Numbered }
    inlets { neighbour_in: Box<Hello>, report: u64, value: u64, own: u64, block: Block<u64>, answer: u64 }
    cells  { cell: u64 }
    slots  {
        told: 1 => begin,
        signalled: (2 * this.load.bursts * this.load.signals) => heard,
        reported: 1, reset 1 => count,
        came: 2, reset 2 => add,
        moved: 2, reset 1 => pass,
        asked: 1 => write,
        answered: 1 => read,
        over: 6 => finish,
    }
    fiber start(this, eu) {
        let hello = Hello {
            neighbour: eu.reply_to(Self::neighbour_in, Self::told),
            signalled: eu.slot_ref(Self::signalled),
            value: eu.reply_to(Self::value, Self::came),
            block: eu.reply_to(Self::block, Self::moved),
            cell: eu.cell_ref(Self::cell),
            asked: eu.slot_ref(Self::asked),
            over: eu.slot_ref(Self::over),
        };
        eu.put(this.hello, Box::new(hello));
        Then::Wait
    }
    fiber begin(this, eu) {
        let neighbour = this.neighbour.insert(eu.take(Self::neighbour_in));
        eu.get(neighbour.cell, eu.reply_to(Self::answer, Self::answered));
        eu.rsync(neighbour.asked);
        let block = Block::from_fn(1, POINTS, |_, point| if point == 0 { this.load.hops } else { point as u64 });
        eu.put_block(neighbour.block, block);
        let first = eu.node().index() as u64 * this.load.tokens;
        let args = (first, 0, this.load.tokens, eu.reply_to(Self::report, Self::reported));
        eu.token_old::<Numbered>(args);
        eu.spawn_at(Self::burst, 0);
        // A block that came before the neighbour was known has waited for this.
        eu.sync(Self::moved);
        Then::Wait
    }
    fiber burst(this, eu, burst) {
        let Some(neighbour) = &this.neighbour else { unreachable!("bursts come after `begin`") };
        for _ in 0..this.load.signals {
            eu.sync(Self::signalled);
            eu.rsync(neighbour.signalled);
        }
        for value in 0..this.load.values {
            eu.put(neighbour.value, burst as u64 * this.load.values + value);
            eu.put(eu.reply_to(Self::own, Self::came), burst as u64 * this.load.values + value);
        }
        if burst + 1 < this.load.bursts as usize {
            eu.spawn_at(Self::burst, burst + 1);
        }
        Then::Wait
    }
    fiber heard(_this, eu) {
        eu.sync(Self::over);
        Then::Wait
    }
    fiber count(this, eu) {
        let number = eu.take(Self::report);
        this.counted.tokens += 1;
        this.counted.token_sum += number;
        this.counted.token_xor ^= number;
        Self::over_if(eu, this.counted.tokens == this.load.tokens)
    }
    fiber add(this, eu) {
        this.counted.values += 1;
        this.counted.value_sum += eu.take(Self::value) + eu.take(Self::own);
        Self::over_if(eu, this.counted.values == this.load.bursts * this.load.values)
    }
    fiber pass(this, eu) {
        let mut block = eu.take(Self::block);
        this.counted.blocks += 1;
        this.counted.block_sum += block.row(0)[1..].iter().sum::<u64>();
        block.row_mut(0)[0] -= 1;
        if let (Some(neighbour), true) = (&this.neighbour, block.row(0)[0] > 0) {
            eu.put_block(neighbour.block, block);
        }
        Self::over_if(eu, this.counted.blocks == this.load.hops)
    }
    fiber write(_this, eu) {
        eu.write(eu.cell_ref(Self::cell), 1);
        Then::Wait
    }
    fiber read(this, eu) {
        this.counted.answers += eu.take(Self::answer);
        eu.sync(Self::over);
        // The neighbour waits for this too: its cell must not end before it was read.
        if let Some(neighbour) = &this.neighbour {
            eu.rsync(neighbour.over);
        }
        Then::Wait
    }
    fiber finish(this, eu) {
        eu.put(this.tally, Box::new(this.counted));
        Then::End
    }
}

impl Station {
    /// One thing less to wait for, if it is `done`.
    fn over_if(eu: &mut Eu, done: bool) -> Then {
        if done {
            eu.sync(Self::over);
        }
        Then::Wait
    }
}

threaded_old! {
    /// Token `k` of those of a station, whose numbers start with `first`.
    fn Numbered(first: u64, k: u64, tokens: u64, report: Reply<u64>)
    fiber start(this, eu) {
        for k in [2 * this.k + 1, 2 * this.k + 2] {
            if k < this.tokens {
                eu.token_old::<Numbered>((this.first, k, this.tokens, this.report));
            }
        }
        eu.put(this.report, this.first + this.k);
        Then::End
    }
}

/// Runs a round on a machine of `nodes` nodes and gives what it counted, or tells what was wrong.
pub(crate) fn round(machine: &mut Machine, nodes: usize, load: Load) -> Result<Counters, String> {
    let run = machine.run_old::<Round>((Box::new(load), nodes)).map_err(|error| error.to_string())?;
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
    if *run.value != expected {
        return Err(format!("the stations counted {:?}, not {expected:?}", run.value));
    }
    // A station is told, asked and answered, signals `moved` itself, and counts six things that are
    // over; main hears it twice.
    let of_station = 4 + 6 + 2 + 2 * bursts * signals + tokens + 2 * bursts * values + hops;
    // A station's fibers: those that run once, of which `heard` is one, and those that take something.
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
