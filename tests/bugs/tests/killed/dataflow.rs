//! Slots, inlets, cells, frames and blocks, as programs use them.

use earth::{Block, Config, Machine, NodeId, Reply, Then, threaded_old};

use crate::machines::{On, Verdict, everywhere, gives};

threaded_old! {
    /// Sends `width` numbers round the nodes and adds up what comes back, `rounds` times.
    fn Rounds(rounds: u64, width: u64, out: Reply<u64>)
    state  { sum: u64 = 0 }
    calls  { Echo }
    inlets { back[this.width as usize]: u64 }
    slots  { all: (this.width), reset (this.width) => add }
    fiber start(this, eu) {
        this.ask(eu);
        Then::Wait
    }
    fiber add(this, eu) {
        for i in 0..this.width as usize {
            this.sum += eu.take(Self::back.at(i));
        }
        this.rounds -= 1;
        if this.rounds > 0 {
            this.ask(eu);
            return Then::Wait;
        }
        eu.put(this.out, this.sum);
        Then::End
    }
}

impl Rounds {
    fn ask(&self, eu: &mut earth::Eu) {
        let back = eu.replies_to_one(Self::back, Self::all);
        for i in 0..self.width as usize {
            let node = NodeId::new(i % eu.nodes());
            eu.invoke_old::<Echo>(node, (i as u64 + self.rounds, back.at(i)));
        }
    }
}

threaded_old! {
    /// Says what it is told.
    fn Echo(number: u64, out: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.out, this.number);
        Then::End
    }
}

/// The sum of `Rounds`.
fn sum(rounds: u64, width: u64) -> u64 {
    (1..=rounds).map(|round| (0..width).map(|i| i + round).sum::<u64>()).sum()
}

pub(crate) fn rounds() -> Verdict {
    everywhere(4, |machine| gives(machine.run_old::<Rounds>((5, 6)), sum(5, 6)))
}

pub(crate) fn rounds_in_tiny_queues() -> Verdict {
    everywhere(1, |machine| gives(machine.run_old::<Rounds>((5, 9)), sum(5, 9)))
}

threaded_old! {
    /// Starts keepers one after another, each in the frame of the one before.
    fn Serial(left: u64, out: Reply<u64>)
    state  { sum: u64 = 0 }
    calls  { Keeper }
    inlets { number: u64 }
    slots  { came: 1, reset 1 => next }
    fiber start(this, eu) {
        eu.invoke_old::<Keeper>(eu.node(), (this.left, eu.reply_to(Self::number, Self::came)));
        Then::Wait
    }
    fiber next(this, eu) {
        this.sum += eu.take(Self::number);
        this.left -= 1;
        if this.left == 0 {
            eu.put(this.out, this.sum);
            return Then::End;
        }
        eu.invoke_old::<Keeper>(eu.node(), (this.left, eu.reply_to(Self::number, Self::came)));
        Then::Wait
    }
}

threaded_old! {
    /// Keeps a number in a cell, reads it there and says it.
    fn Keeper(number: u64, out: Reply<u64>)
    inlets { read: u64 }
    cells  { kept: u64 }
    slots  { come: 1 => tell }
    fiber start(this, eu) {
        eu.write(eu.cell_ref(Self::kept), this.number);
        eu.get(eu.cell_ref(Self::kept), eu.reply_to(Self::read, Self::come));
        Then::Wait
    }
    fiber tell(this, eu) {
        let number = eu.take(Self::read);
        eu.put(this.out, number);
        Then::End
    }
}

pub(crate) fn serial() -> Verdict {
    everywhere(4, |machine| gives(machine.run_old::<Serial>(7), 28))
}

threaded_old! {
    /// Starts relays on the last node, one after another.
    fn Relays(left: u64, out: Reply<u64>)
    state  { sum: u64 = 0 }
    calls  { Relay }
    inlets { number: u64 }
    slots  { came: 1, reset 1 => next }
    fiber start(this, eu) {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke_old::<Relay>(last, (this.left, eu.reply_to(Self::number, Self::came)));
        Then::Wait
    }
    fiber next(this, eu) {
        this.sum += eu.take(Self::number);
        this.left -= 1;
        if this.left == 0 {
            eu.put(this.out, this.sum);
            return Then::End;
        }
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke_old::<Relay>(last, (this.left, eu.reply_to(Self::number, Self::came)));
        Then::Wait
    }
}

threaded_old! {
    /// Hears an echo from node 0 and says it.
    fn Relay(number: u64, out: Reply<u64>)
    calls  { Echo }
    inlets { heard: u64 }
    slots  { come: 1 => tell }
    fiber start(this, eu) {
        eu.invoke_old::<Echo>(NodeId::new(0), (this.number, eu.reply_to(Self::heard, Self::come)));
        Then::Wait
    }
    fiber tell(this, eu) {
        let number = eu.take(Self::heard);
        eu.put(this.out, number);
        Then::End
    }
}

pub(crate) fn relays() -> Verdict {
    everywhere(4, |machine| gives(machine.run_old::<Relays>(5), 15))
}

threaded_old! {
    /// Pours `count` numbers into an inlet of its own and reads them one by one, in a way that tells their
    /// order.
    fn Stream(count: u64, out: Reply<u64>)
    state  { left: u64 = 0, read: u64 = 0 }
    inlets { number: u64 }
    slots  { came: 1, reset 1 => read }
    fiber start(this, eu) {
        this.left = this.count;
        let number = eu.reply_to(Self::number, Self::came);
        for i in 0..this.count {
            eu.put(number, i + 1);
        }
        Then::Wait
    }
    fiber read(this, eu) {
        this.read = this.read * 10 + eu.take(Self::number);
        this.left -= 1;
        if this.left > 0 {
            return Then::Wait;
        }
        eu.put(this.out, this.read);
        Then::End
    }
}

pub(crate) fn stream() -> Verdict {
    everywhere(4, |machine| gives(machine.run_old::<Stream>(6), 123_456))
}

threaded_old! {
    /// Gives two inlets of a slot of two their values, the first one two rounds ahead.
    fn Pairs(out: Reply<u64>)
    state  { left: u64 = 3, read: u64 = 0 }
    inlets { ahead: u64, behind: u64 }
    slots  { both: 2, reset 2 => read }
    fiber start(_this, eu) {
        let (ahead, behind) = (eu.reply_to(Self::ahead, Self::both), eu.reply_to(Self::behind, Self::both));
        (1..4).for_each(|i| eu.put(ahead, i));
        (1..4).for_each(|i| eu.put(behind, 10 * i));
        Then::Wait
    }
    fiber read(this, eu) {
        this.read = this.read * 100 + eu.take(Self::ahead) + eu.take(Self::behind);
        this.left -= 1;
        if this.left > 0 {
            return Then::Wait;
        }
        eu.put(this.out, this.read);
        Then::End
    }
}

pub(crate) fn pairs() -> Verdict {
    // Values wait at the inlets, not in queues.
    everywhere(16, |machine| gives(machine.run_old::<Pairs>(()), 112_233))
}

threaded_old! {
    /// Raises a count and signals in turn: in any other order the slot would reach zero early.
    fn Raises(out: Reply<u64>)
    slots { before: 2 => tell, done: 1 => tell }
    fiber start(_this, eu) {
        // So that it is a raise that finds no room.
        eu.sync(Self::before);
        for _ in 0..4 {
            eu.incr(Self::done, 1);
            eu.sync(Self::done);
        }
        eu.sync(Self::done);
        Then::Wait
    }
    fiber tell(this, eu) {
        eu.put(this.out, 7);
        Then::End
    }
}

pub(crate) fn raises() -> Verdict {
    everywhere(1, |machine| gives(machine.run_old::<Raises>(()), 7))
}

threaded_old! {
    /// Asks for the value of its cell three times, then writes it.
    fn EarlyReaders(out: Reply<u64>)
    inlets { answer[3]: u64 }
    cells  { number: u64 }
    slots  { come: 3 => add }
    fiber start(_this, eu) {
        let number = eu.cell_ref(Self::number);
        let answers = eu.replies_to_one(Self::answer, Self::come);
        (0..3).for_each(|i| eu.get(number, answers.at(i)));
        eu.write(number, 14);
        Then::Wait
    }
    fiber add(this, eu) {
        let sum = (0..3).map(|i| eu.take(Self::answer.at(i))).sum();
        eu.put(this.out, sum);
        Then::End
    }
}

pub(crate) fn early_readers() -> Verdict {
    everywhere(4, |machine| gives(machine.run_old::<EarlyReaders>(()), 42))
}

threaded_old! {
    /// Takes values in another order than that in which they came.
    fn AnyOrder(out: Reply<u64>)
    inlets { digit[5]: u64 }
    slots  { come: 5 => read }
    fiber start(_this, eu) {
        let digits = eu.replies_to_one(Self::digit, Self::come);
        [2, 0, 4, 1, 3].into_iter().for_each(|i| eu.put(digits.at(i), i as u64));
        Then::Wait
    }
    fiber read(this, eu) {
        let number = [1, 3, 0, 2, 4].into_iter().fold(0, |number, i| number * 10 + eu.take(Self::digit.at(i)));
        eu.put(this.out, number);
        Then::End
    }
}

pub(crate) fn any_order() -> Verdict {
    everywhere(4, |machine| gives(machine.run_old::<AnyOrder>(()), 13_024))
}

threaded_old! {
    /// Enables a fiber five times at once.
    fn Spawns(out: Reply<u64>)
    state { sum: u64 = 0, ran: u64 = 0 }
    fiber start(_this, eu) {
        (0..5).for_each(|i| eu.spawn_at(Self::add, i));
        Then::Wait
    }
    fiber add(this, eu, index) {
        this.sum += 1 << index;
        this.ran += 1;
        if this.ran < 5 {
            return Then::Wait;
        }
        eu.put(this.out, this.sum);
        Then::End
    }
}

pub(crate) fn spawned() -> Verdict {
    everywhere(4, |machine| gives(machine.run_old::<Spawns>(()), 0b11111))
}

threaded_old! {
    /// Sends two columns of a matrix to the last node and reads what comes back.
    fn Mirror(out: Reply<Vec<u32>>)
    calls  { Return }
    inlets { back: Block<u32> }
    slots  { came: 1 => read }
    fiber start(_this, eu) {
        let (block, _) = Block::from_fn(3, 4, |row, column| (10 * row + column) as u32).split_cols(2);
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke_old::<Return>(last, (block, eu.reply_to(Self::back, Self::came)));
        Then::Wait
    }
    fiber read(this, eu) {
        let block = eu.take(Self::back);
        eu.put(this.out, block.iter_rows().flatten().copied().collect());
        Then::End
    }
}

threaded_old! {
    fn Return(block: Block<u32>, out: Reply<Block<u32>>)
    fiber start(this, eu) {
        let block = std::mem::replace(&mut this.block, Block::from_fn(1, 1, |_, _| 0));
        eu.put_block(this.out, block);
        Then::End
    }
}

pub(crate) fn mirror() -> Verdict {
    let test = |machine: &mut Machine| gives(machine.run_old::<Mirror>(()), vec![0, 1, 10, 11, 20, 21]);
    for config in [Config::Spn, Config::Dual] {
        On { config, bytes: true, ..On::SPN }.each(test)?;
    }
    Ok(())
}
