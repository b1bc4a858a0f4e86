//! Slots, inlets, cells, frames and blocks, as programs use them.

use earth::{Arrived, Block, Config, Eu, Machine, NodeId, Reply, SlotRef, Start, Then, threaded};

use crate::machines::{On, Verdict, everywhere, gives};

/// Sends `width` numbers around the nodes and adds up the replies, `rounds` times.
struct Rounds {
    left: u64,
    sum: u64,
    out: Reply<u64>,
}

#[threaded]
impl Rounds {
    fn start(rounds: u64, width: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let own = Rounds { left: rounds, sum: 0, out };
        own.ask(eu);
        own
    }

    #[slot(again)]
    fn add(&mut self, #[inlets(width)] back: Arrived<'_, u64>, eu: &mut Eu<Self>) -> Then {
        self.sum += back.sum::<u64>();
        self.left -= 1;
        if self.left > 0 {
            self.ask(eu);
            return Then::Wait;
        }
        eu.put(self.out, self.sum);
        Then::End
    }
}

impl Rounds {
    fn ask(&self, eu: &mut Eu<Self>) {
        let back = eu.replies(Self::add().back);
        for i in 0..back.len() {
            let node = NodeId::new(i % eu.nodes());
            eu.invoke(node, Echo::call(i as u64 + self.left, back.at(i)));
        }
    }
}

/// Puts the number that it gets.
struct Echo;

#[threaded]
impl Echo {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, number);
    }
}

/// Returns the expected sum of `Rounds`.
fn sum(rounds: u64, width: u64) -> u64 {
    (1..=rounds).map(|round| (0..width).map(|i| i + round).sum::<u64>()).sum()
}

pub(crate) fn rounds() -> Verdict {
    everywhere(4, |machine| gives(machine.run(|out| Rounds::call(5, 6, out)), sum(5, 6)))
}

pub(crate) fn rounds_in_tiny_queues() -> Verdict {
    everywhere(1, |machine| gives(machine.run(|out| Rounds::call(5, 9, out)), sum(5, 9)))
}

/// Starts keepers one after another, each in the frame of the previous one.
struct Serial {
    left: u64,
    sum: u64,
    out: Reply<u64>,
}

#[threaded]
impl Serial {
    fn start(left: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(eu.node(), Keeper::call(left, eu.reply(Self::next().number)));
        Serial { left, sum: 0, out }
    }

    #[slot(again)]
    fn next(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        self.sum += number;
        self.left -= 1;
        if self.left == 0 {
            eu.put(self.out, self.sum);
            return Then::End;
        }
        eu.invoke(eu.node(), Keeper::call(self.left, eu.reply(Self::next().number)));
        Then::Wait
    }
}

/// Keeps a number in a cell, reads it there and puts it.
struct Keeper {
    out: Reply<u64>,
}

#[threaded]
impl Keeper {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let kept = eu.cell_ref(Self::kept());
        eu.write(kept, number);
        eu.get(kept, eu.reply(Self::tell().read));
        Keeper { out }
    }

    #[cell]
    fn kept() -> u64;

    #[slot]
    fn tell(self, read: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, read);
    }
}

pub(crate) fn serial() -> Verdict {
    everywhere(4, |machine| gives(machine.run(|out| Serial::call(7, out)), 28))
}

/// Starts relays on the last node, one after another.
struct Relays {
    left: u64,
    sum: u64,
    out: Reply<u64>,
}

#[threaded]
impl Relays {
    fn start(left: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let own = Relays { left, sum: 0, out };
        own.relay(eu);
        own
    }

    #[slot(again)]
    fn next(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        self.sum += number;
        self.left -= 1;
        if self.left == 0 {
            eu.put(self.out, self.sum);
            return Then::End;
        }
        self.relay(eu);
        Then::Wait
    }
}

impl Relays {
    fn relay(&self, eu: &mut Eu<Self>) {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Relay::call(self.left, eu.reply(Self::next().number)));
    }
}

/// Gets an echo from node 0 and puts it.
struct Relay {
    out: Reply<u64>,
}

#[threaded]
impl Relay {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(0), Echo::call(number, eu.reply(Self::tell().heard)));
        Relay { out }
    }

    #[slot]
    fn tell(self, heard: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, heard);
    }
}

pub(crate) fn relays() -> Verdict {
    everywhere(4, |machine| gives(machine.run(|out| Relays::call(5, out)), 15))
}

/// Puts `count` numbers into one of its own inlets and reads them one by one. The result shows their order.
struct Stream {
    left: u64,
    read: u64,
    out: Reply<u64>,
}

#[threaded]
impl Stream {
    fn start(count: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let number = eu.reply(Self::read().number);
        (1..=count).for_each(|i| eu.put(number, i));
        Stream { left: count, read: 0, out }
    }

    #[slot(again)]
    fn read(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        self.read = self.read * 10 + number;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.read);
        Then::End
    }
}

pub(crate) fn stream() -> Verdict {
    everywhere(4, |machine| gives(machine.run(|out| Stream::call(6, out)), 123_456))
}

/// Puts values into two inlets of a slot of two. The first inlet is two rounds ahead.
struct Pairs {
    left: u64,
    read: u64,
    out: Reply<u64>,
}

#[threaded]
impl Pairs {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (ahead, behind) = (eu.reply(Self::read().ahead), eu.reply(Self::read().behind));
        (1..4).for_each(|i| eu.put(ahead, i));
        (1..4).for_each(|i| eu.put(behind, 10 * i));
        Pairs { left: 3, read: 0, out }
    }

    #[slot(again)]
    fn read(&mut self, ahead: u64, behind: u64, eu: &mut Eu<Self>) -> Then {
        self.read = self.read * 100 + ahead + behind;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.read);
        Then::End
    }
}

pub(crate) fn pairs() -> Verdict {
    // Values wait at the inlets, not in queues.
    everywhere(16, |machine| gives(machine.run(Pairs::call), 112_233))
}

/// Raises a count and signals in turn. In any other order the slot would reach zero early.
struct Raises {
    out: Reply<u64>,
}

#[threaded]
impl Raises {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        // Takes room, so that a raise is the first event that finds none.
        eu.sync(Self::before());
        for _ in 0..4 {
            eu.incr(Self::done(), 1);
            eu.sync(Self::done());
        }
        eu.sync(Self::done());
        Raises { out }
    }

    #[slot(syncs = 2)]
    fn before(self) {
        unreachable!("it is signalled once")
    }

    #[slot(sync)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 7);
    }
}

pub(crate) fn raises() -> Verdict {
    everywhere(1, |machine| gives(machine.run(Raises::call), 7))
}

/// Requests the value of its cell three times, then writes it.
struct EarlyReaders {
    out: Reply<u64>,
}

#[threaded]
impl EarlyReaders {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (number, answers) = (eu.cell_ref(Self::number()), eu.replies(Self::add().answers));
        (0..3).for_each(|i| eu.get(number, answers.at(i)));
        eu.write(number, 14);
        EarlyReaders { out }
    }

    #[cell]
    fn number() -> u64;

    #[slot]
    fn add(self, #[inlets(3)] answers: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, answers.sum());
    }
}

pub(crate) fn early_readers() -> Verdict {
    everywhere(4, |machine| gives(machine.run(EarlyReaders::call), 42))
}

/// Puts values in a different order from their inlets.
struct AnyOrder {
    out: Reply<Vec<u64>>,
}

#[threaded]
impl AnyOrder {
    fn start(out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let digits = eu.replies(Self::read().digits);
        for i in [2, 0, 4, 1, 3] {
            eu.put(digits.at(i), i as u64);
        }
        AnyOrder { out }
    }

    #[slot]
    fn read(self, #[inlets(5)] digits: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, digits.collect());
    }
}

pub(crate) fn any_order() -> Verdict {
    everywhere(4, |machine| gives(machine.run(AnyOrder::call), vec![0, 1, 2, 3, 4]))
}

/// Enables a fiber five times at once.
struct Spawns {
    sum: u64,
    ran: u64,
    out: Reply<u64>,
}

#[threaded]
impl Spawns {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        (0..5).for_each(|i| eu.spawn(Self::add(i)));
        Spawns { sum: 0, ran: 0, out }
    }

    #[spawned]
    fn add(&mut self, index: usize, eu: &mut Eu<Self>) -> Then {
        self.sum += 1 << index;
        self.ran += 1;
        if self.ran < 5 {
            return Then::Wait;
        }
        eu.put(self.out, self.sum);
        Then::End
    }
}

pub(crate) fn spawned() -> Verdict {
    everywhere(4, |machine| gives(machine.run(Spawns::call), 0b11111))
}

/// Puts a number into each element of an array, last first, and reads each with its index.
struct Elements {
    seen: Vec<u64>,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Elements {
    fn start(n: usize, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let values = eu.replies(Self::each(..).value);
        (0..n).rev().for_each(|i| eu.put(values.at(i), 10 + i as u64));
        Elements { seen: vec![0; n], out }
    }

    #[slots(len = n)]
    fn each(&mut self, i: usize, value: u64, eu: &mut Eu<Self>) {
        self.seen[i] = value;
        eu.sync(Self::done());
    }

    #[slot(syncs = n)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.seen);
    }
}

pub(crate) fn elements() -> Verdict {
    everywhere(4, |machine| gives(machine.run(|out| Elements::call(4, out)), vec![10, 11, 12, 13]))
}

/// Counts the frames below it, by an inlet of its own. The fiber of each frame runs directly after a fiber of
/// the frame below.
struct Depth {
    out: Reply<u64>,
}

#[threaded]
impl Depth {
    fn start(below: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if below == 0 {
            eu.put(out, 0);
            return Start::End;
        }
        eu.invoke(eu.node(), Depth::call(below - 1, eu.reply(Self::one_more().depth)));
        Start::Wait(Depth { out })
    }

    #[slot]
    fn one_more(&mut self, depth: u64, eu: &mut Eu<Self>) {
        eu.put(eu.reply(Self::tell().depth), depth + 1);
    }

    #[slot]
    fn tell(self, depth: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, depth);
    }
}

/// One real node, which runs in this thread. Other machines dispatch each fiber separately.
pub(crate) fn depth() -> Verdict {
    gives(Machine::threads(1).config(Config::Spn).run(|out| Depth::call(6, out)), 6)
}

/// Sends two columns of a matrix to the last node and reads the reply.
struct Mirror {
    out: Reply<Vec<u32>>,
}

#[threaded]
impl Mirror {
    fn start(out: Reply<Vec<u32>>, eu: &mut Eu<Self>) -> Self {
        let (block, _) = Block::from_fn(3, 4, |row, column| (10 * row + column) as u32).split_cols(2);
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Return::call(block, eu.reply(Self::read().back)));
        Mirror { out }
    }

    #[slot]
    fn read(self, back: Block<u32>, eu: &mut Eu<Self>) {
        eu.put(self.out, back.iter_rows().flatten().copied().collect());
    }
}

struct Return;

#[threaded]
impl Return {
    fn start(block: Block<u32>, out: Reply<Block<u32>>, eu: &mut Eu<Self>) {
        eu.put_block(out, block);
    }
}

pub(crate) fn mirror() -> Verdict {
    let test = |machine: &mut Machine| gives(machine.run(Mirror::call), vec![0, 1, 10, 11, 20, 21]);
    for config in [Config::Spn, Config::Dual] {
        On { config, bytes: true, ..On::SPN }.each(test)?;
    }
    Ok(())
}

/// Sends a slot of another frame more signals than the ring has room for, in the last fiber of the execution
/// unit.
struct Says;

#[threaded]
impl Says {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(eu.node(), Hears::call(eu.reply(Self::say().to), out));
        Says
    }

    #[slot]
    fn say(self, to: SlotRef, eu: &mut Eu<Self>) {
        (0..40).for_each(|_| eu.rsync(to));
    }
}

struct Hears {
    out: Reply<u64>,
}

#[threaded]
impl Hears {
    fn start(to: Reply<SlotRef>, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.put(to, eu.slot_ref(Self::all()));
        Hears { out }
    }

    #[slot(syncs = 40)]
    fn all(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 40);
    }
}

pub(crate) fn last_words() -> Verdict {
    On { nodes: 1, room: 1, ..On::DUAL }.each(|machine| gives(machine.run(Says::call), 40))
}
