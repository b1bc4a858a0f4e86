//! A signal to another node and one back: the latency between two cores.
//!
//! On earth, two functions signal each other's slot. The peer is a pair of rtrb queues between two spinning
//! threads that are pinned to cores.

use std::time::{Duration, Instant};

use earth::{Eu, Machine, NodeId, Reply, SlotRef, Then, threaded};

/// A function that signals a partner.
pub struct Ping {
    rounds: u64,
    done: u64,
    partner: Option<SlotRef>,
    out: Reply<u64>,
}

#[threaded]
impl Ping {
    /// Sends `rounds` signals to a partner on the last node and waits for each answer.
    pub fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Pong::call(rounds, eu.slot_ref(Self::again()), eu.reply(Self::meet().partner)));
        Ping { rounds, done: 0, partner: None, out }
    }

    #[slot]
    fn meet(&mut self, partner: SlotRef, eu: &mut Eu<Self>) {
        self.partner = Some(partner);
        eu.rsync(partner);
    }

    #[slot(sync, again)]
    fn again(&mut self, eu: &mut Eu<Self>) -> Then {
        self.done += 1;
        match self.partner {
            Some(partner) if self.done < self.rounds => {
                eu.rsync(partner);
                Then::Wait
            }
            _ => {
                eu.put(self.out, self.done);
                Then::End
            }
        }
    }
}

/// A function that answers.
struct Pong {
    rounds: u64,
    done: u64,
    back: SlotRef,
}

#[threaded]
impl Pong {
    /// Answers `rounds` signals.
    fn start(rounds: u64, back: SlotRef, hello: Reply<SlotRef>, eu: &mut Eu<Self>) -> Self {
        eu.put(hello, eu.slot_ref(Self::answer()));
        Pong { rounds, done: 0, back }
    }

    #[slot(sync, again)]
    fn answer(&mut self, eu: &mut Eu<Self>) -> Then {
        self.done += 1;
        eu.rsync(self.back);
        if self.done == self.rounds { Then::End } else { Then::Wait }
    }
}

/// Runs the round trips on earth.
///
/// # Panics
///
/// If the result is wrong.
pub fn on_earth(machine: &mut Machine, rounds: u64) {
    let run = machine.run(|out| Ping::call(rounds, out)).expect("the signals come back");
    assert_eq!(run.value, rounds);
}

/// Measures two threads, each on a core of its own, and two queues. The threads start before the clock.
///
/// # Panics
///
/// If a thread cannot be started.
pub fn on_rtrb(rounds: u64) -> Duration {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let (mut there, mut arrives) = rtrb::RingBuffer::<u64>::new(1024);
    let (mut back, mut returns) = rtrb::RingBuffer::<u64>::new(1024);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            cores.last().map(|core| core_affinity::set_for_current(*core));
            // One more signal shows the other side that this one is ready.
            for round in 0..=rounds {
                back.push(round).expect("at most one signal is under way");
                if round < rounds {
                    while arrives.pop().is_err() {}
                }
            }
        });
        let asking = scope.spawn(|| {
            cores.first().map(|core| core_affinity::set_for_current(*core));
            while returns.pop().is_err() {}
            let started = Instant::now();
            for round in 0..rounds {
                there.push(round).expect("at most one signal is under way");
                while returns.pop().is_err() {}
            }
            started.elapsed()
        });
        asking.join().expect("the asking thread ends")
    })
}
