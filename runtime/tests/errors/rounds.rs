//! Rounds of slots with a reset that get only some of their signals. The error reports their progress, for
//! frames that wait and for frames that ended.

use crate::common::{fails, gives, on_every};
use earth::{
    EntryName, Error, Eu, NodeId, Reply, Start, Stuck, StuckFrame, StuckSlot, Then, UnfinishedRound, threaded,
};
use snapbox::{assert_data_eq, str};

fn slot(slot: &str, got: u32, expected: u32) -> StuckSlot {
    StuckSlot { slot: slot.to_owned(), got, expected }
}

/// Signals slots on the last node and waits forever.
struct Waits;

#[threaded]
impl Waits {
    fn start(
        times: u64,
        raised: u64,
        len: usize,
        hop: bool,
        out: Reply<u64>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        if hop {
            eu.invoke(NodeId::new(eu.nodes() - 1), Waits::call(times, raised, len, false, out));
            return Start::End;
        }
        eu.sync(Self::once());
        eu.incr(Self::grows(), raised as u32);
        for _ in 0..times {
            eu.sync(Self::again());
            eu.sync(Self::grows());
            eu.sync(Self::each(1));
        }
        Start::Wait(Waits)
    }

    #[slot(syncs = 2, again, first = 1)]
    fn again(&mut self) {}

    #[slot(sync, again)]
    fn grows(&mut self) {}

    #[slots(len = len, syncs = len, again, first = 1)]
    fn each(&mut self, _i: usize) {}

    #[slot(sync)]
    fn once(&mut self) {}
}

#[test]
fn a_report_counts_the_signals_of_each_round() {
    on_every(|case| {
        let mut machine = case.machine();
        let mut waiting = |times, raised| {
            let error = fails(&mut machine, |out| Waits::call(times, raised, 2, true, out));
            let Error::Stuck(stuck) = error else { panic!("it is stuck") };
            assert_eq!((stuck.frames, stuck.unfinished), (1, 0));
            let [StuckFrame { waiting, .. }] = &stuck.shown[..] else { panic!("one frame waits") };
            waiting.clone()
        };
        let first = [slot("again", 1, 3), slot("grows", 1, 5), slot("each[0]", 0, 3), slot("each[1]", 1, 3)];
        assert_eq!(waiting(1, 4), first);
        // In the second rounds the raises of the first round do not count.
        let second = [slot("again", 1, 2), slot("grows", 0, 1), slot("each[0]", 0, 3), slot("each[1]", 1, 2)];
        assert_eq!(waiting(4, 3), second);
    });
}

/// Starts frames on the last node, `often` one after another. Each gets `times` signals and ends.
struct Ends {
    times: u64,
    raised: u64,
    often: u64,
    ended: u64,
    out: Reply<u64>,
}

#[threaded]
impl Ends {
    fn start(times: u64, raised: u64, often: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let own = Ends { times, raised, often, ended: 0, out };
        own.begin(eu);
        own
    }

    #[slot(again)]
    fn next(&mut self, one: u64, eu: &mut Eu<Self>) -> Then {
        self.ended += one;
        if self.ended < self.often {
            self.begin(eu);
            return Then::Wait;
        }
        eu.put(self.out, self.ended);
        Then::End
    }
}

impl Ends {
    fn begin(&self, eu: &mut Eu<Self>) {
        let call = Amid::call(self.times, self.raised, eu.reply(Self::next().one));
        eu.invoke(NodeId::new(eu.nodes() - 1), call);
    }
}

/// Ends when the fibers of all its rounds have run.
struct Amid {
    rounds: u64,
    out: Reply<u64>,
}

#[threaded]
impl Amid {
    fn start(times: u64, raised: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        if raised > 0 {
            eu.incr(Self::grows(), raised as u32);
        }
        for _ in 0..times {
            eu.sync(Self::again());
            eu.sync(Self::once());
        }
        eu.sync(Self::grows());
        let own = Amid { rounds: times.saturating_sub(1) / 2 + u64::from(raised == 0), out };
        own.done(eu);
        own
    }

    #[slot(syncs = 2, again, first = 1)]
    fn again(&mut self, eu: &mut Eu<Self>) {
        self.done(eu);
    }

    #[slot(sync, again)]
    fn grows(&mut self, eu: &mut Eu<Self>) {
        self.done(eu);
    }

    #[slot(syncs = 9)]
    fn once(self) {}

    #[slot(syncs = 2)]
    fn two(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }

    #[slot(syncs = 3)]
    fn three(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }

    #[slot(syncs = 4)]
    fn four(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }
}

impl Amid {
    fn done(&self, eu: &mut Eu<Self>) {
        match self.rounds {
            1 => eu.sync(Self::two()),
            2 => eu.sync(Self::three()),
            _ => eu.sync(Self::four()),
        }
    }
}

#[test]
fn a_round_cut_short_by_the_end_of_its_frame_is_reported() {
    on_every(|case| {
        let mut machine = case.machine();
        let round = |name: &str, got, expected| {
            let (name, function) = (name.to_owned(), "Amid".to_owned());
            let slot = EntryName { what: "slot".into(), name, function, node: case.last().index() };
            UnfinishedRound { slot, got, expected }
        };
        let mut run = |times, raised, often| fails(&mut machine, |out| Ends::call(times, raised, often, out));
        let stuck = |rounds: &[UnfinishedRound], often: usize| {
            let unfinished = often * rounds.len();
            let rounds = rounds.iter().cycle().take(unfinished.min(Stuck::SHOWN)).cloned().collect();
            Error::Stuck(Box::new(Stuck { unfinished, rounds, ..Stuck::default() }))
        };
        assert_eq!(run(2, 0, 1), stuck(&[round("again", 2, 3)], 1));
        assert_eq!(run(4, 0, 1), stuck(&[round("again", 1, 2)], 1));
        // A slot of one signal per round is in the middle of a round if its count was raised.
        assert_eq!(run(3, 3, 1), stuck(&[round("grows", 1, 4)], 1));
        assert_eq!(run(4, 1, 30), stuck(&[round("again", 1, 2), round("grows", 1, 2)], 30));
        // Whole rounds are no mistake, and neither is a one-shot slot with some of its signals.
        for times in [0, 3, 5] {
            assert_eq!(gives(&mut machine, |out| Ends::call(times, 0, 3, out)).value, 3);
        }
    });
}

#[test]
fn a_round_cut_short_reads_as_a_sentence() {
    let name =
        EntryName { what: "slot".into(), name: "again".to_owned(), function: "Fib".to_owned(), node: 1 };
    let rounds = vec![UnfinishedRound { slot: name, got: 1, expected: 2 }];
    let stuck = |unfinished, frames| Stuck { unfinished, frames, rounds: rounds.clone(), ..Stuck::default() };
    assert_data_eq!(
        Error::Stuck(Box::new(stuck(1, 0))).to_string(),
        str![
            "the run is stuck: 1 round was cut short; \
         slot `again` of Fib on node 1 got 1 of 2 signals before its frame ended"
        ]
    );
    assert_data_eq!(
        stuck(3, 2).to_string(),
        str![
            "2 frames are live and 3 rounds were cut short; and 2 more; \
         slot `again` of Fib on node 1 got 1 of 2 signals before its frame ended; and 2 more"
        ]
    );
}
