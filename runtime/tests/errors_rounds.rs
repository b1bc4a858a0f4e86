//! Rounds of slots with a reset that get some of their signals and no more: how far they came is told, of frames that
//! wait and of frames that ended.

mod common;

use common::{bad, good, on_every};
use earth::{
    EntryName, Error, NodeId, Reply, Stuck, StuckFrame, StuckSlot, Then, UnfinishedRound, threaded_old,
};

fn slot(slot: &str, got: u32, expected: u32) -> StuckSlot {
    StuckSlot { slot: slot.to_owned(), got, expected }
}

threaded_old! {
    /// Signals slots on the last node and waits for ever.
    fn Waits(times: u64, raised: u64, len: usize, hop: bool, out: Reply<u64>)
    slots  {
        again: 3, reset 2 => round, grows: 0, reset 1 => round, each[this.len]: (this.len), reset 4 => round,
        once: 1 => round,
    }
    fiber start(this, eu) {
        if this.hop {
            let args = (this.times, this.raised, this.len, false, this.out);
            eu.invoke_old::<Waits>(NodeId::new(eu.nodes() - 1), args);
            return Then::End;
        }
        eu.sync(Self::once);
        eu.incr(Self::grows, this.raised as u32);
        for _ in 0..this.times {
            eu.sync(Self::again);
            eu.sync(Self::grows);
            eu.sync(Self::each.at(1));
        }
        Then::Wait
    }
    fiber round(_this, _eu) { Then::Wait }
}

#[test]
fn a_report_tells_how_much_of_each_round_came() {
    on_every(|case| {
        let mut machine = case.machine();
        let mut waiting = |times, raised| {
            let Error::Stuck(stuck) = bad::<Waits>(&mut machine, (times, raised, 2, true)) else {
                panic!("it is stuck")
            };
            assert_eq!((stuck.frames, stuck.unfinished), (1, 0));
            let [StuckFrame { waiting, .. }] = &stuck.shown[..] else { panic!("one frame waits") };
            waiting.clone()
        };
        let first = [slot("again", 1, 3), slot("grows", 1, 5), slot("each[0]", 0, 2), slot("each[1]", 1, 2)];
        assert_eq!(waiting(1, 5), first);
        // The second rounds, of which what was raised for the first is no part.
        let second = [slot("again", 1, 2), slot("grows", 0, 1), slot("each[0]", 0, 2), slot("each[1]", 2, 4)];
        assert_eq!(waiting(4, 4), second);
    });
}

threaded_old! {
    /// Begins a frame on the last node, `often` one after another, that gets `times` signals and ends.
    fn Ends(times: u64, raised: u64, often: u64, out: Reply<u64>)
    state  { ended: u64 = 0 }
    calls  { Amid }
    inlets { one: u64 }
    slots  { end: 1, reset 1 => next }
    fiber start(this, eu) {
        let args = (this.times, this.raised, eu.reply_to(Self::one, Self::end));
        eu.invoke_old::<Amid>(NodeId::new(eu.nodes() - 1), args);
        Then::Wait
    }
    fiber next(this, eu) {
        this.ended += eu.take(Self::one);
        if this.ended < this.often {
            let args = (this.times, this.raised, eu.reply_to(Self::one, Self::end));
            eu.invoke_old::<Amid>(NodeId::new(eu.nodes() - 1), args);
            return Then::Wait;
        }
        eu.put(this.out, this.ended);
        Then::End
    }
}

threaded_old! {
    /// Ends when the fibers of all its rounds have run.
    fn Amid(times: u64, raised: u64, out: Reply<u64>)
    state { rounds: u64 = (times + 1) / 3 + u64::from(raised == 0) }
    slots {
        again: 2, reset 3 => round, grows: 1, reset 1 => round, once: 9 => round,
        two: 2 => ends, three: 3 => ends, four: 4 => ends,
    }
    fiber start(this, eu) {
        if this.raised > 0 {
            eu.incr(Self::grows, this.raised as u32);
        }
        for _ in 0..this.times {
            eu.sync(Self::again);
            eu.sync(Self::once);
        }
        eu.sync(Self::grows);
        Self::done(this, eu)
    }
    fiber round(this, eu) {
        Self::done(this, eu)
    }
    fiber ends(this, eu) {
        eu.put(this.out, 1);
        Then::End
    }
}

impl Amid {
    fn done(&mut self, eu: &mut earth::Eu) -> Then {
        eu.sync(match self.rounds {
            1 => Self::two,
            2 => Self::three,
            _ => Self::four,
        });
        Then::Wait
    }
}

#[test]
fn a_round_that_the_end_of_its_frame_cuts_short_is_told() {
    on_every(|case| {
        let mut machine = case.machine();
        let round = |name: &str, got, expected| {
            let (name, function) = (name.to_owned(), "Amid".to_owned());
            let slot = EntryName { what: "slot", name, function, node: case.last().index() };
            UnfinishedRound { slot, got, expected }
        };
        let mut run = |times, raised, often| bad::<Ends>(&mut machine, (times, raised, often));
        let stuck = |rounds: &[UnfinishedRound], often: usize| {
            let unfinished = often * rounds.len();
            let rounds = rounds.iter().cycle().take(unfinished.min(Stuck::SHOWN)).cloned().collect();
            Error::Stuck(Box::new(Stuck { unfinished, rounds, ..Stuck::default() }))
        };
        assert_eq!(run(1, 0, 1), stuck(&[round("again", 1, 2)], 1));
        assert_eq!(run(4, 0, 1), stuck(&[round("again", 2, 3)], 1));
        // A slot of one signal a round is amid a round if it was raised.
        assert_eq!(run(2, 3, 1), stuck(&[round("grows", 1, 4)], 1));
        assert_eq!(run(3, 1, 30), stuck(&[round("again", 1, 3), round("grows", 1, 2)], 30));
        // Whole rounds, and a one-shot slot that has some of its signals, are no mistake.
        for times in [0, 2, 5] {
            assert_eq!(good::<Ends>(&mut machine, (times, 0, 3)).value, 3);
        }
    });
}

#[test]
fn a_round_cut_short_reads_as_a_sentence() {
    let name = EntryName { what: "slot", name: "again".to_owned(), function: "Fib".to_owned(), node: 1 };
    let rounds = vec![UnfinishedRound { slot: name, got: 1, expected: 2 }];
    let stuck = |unfinished, frames| Stuck { unfinished, frames, rounds: rounds.clone(), ..Stuck::default() };
    assert_eq!(
        Error::Stuck(Box::new(stuck(1, 0))).to_string(),
        "nothing is left to run, but 1 round was cut short; \
         slot `again` of Fib on node 1 got 1 of 2 signals before its frame ended"
    );
    assert_eq!(
        stuck(3, 2).to_string(),
        "2 frames are live and 3 rounds were cut short; and 2 more; \
         slot `again` of Fib on node 1 got 1 of 2 signals before its frame ended; and 2 more"
    );
}
