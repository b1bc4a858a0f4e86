//! Every enabled fiber, invoked function, token and arrived event gets its turn. In these programs a fiber
//! enables itself until it gets a signal of the work that waits behind it, on every machine, under every
//! policy.
//!
//! A fiber gives up after far more turns than any bound allows. A broken bound is then a failure instead of a
//! hang.

use crate::common::{Case, fails, gives, on_every, on_every_of};
use crate::endless::{
    CANCELS, FUNCTION, Flood, OTHER_NODE, Oldest, SIBLING, Says, Spins, TOKEN, TOO_MANY, here, turn,
};
use earth::simulated::{Recording, Schedule};
use earth::{
    CancelToken, Config, Error, Eu, Machine, NodeId, Policy, Reply, SlotRef, StealOrder, Then, TokenOrder,
    threaded,
};

/// Returns every named policy, with small bounds.
fn policies() -> impl Iterator<Item = Policy> {
    let small = Policy { in_a_row: 3, token_every: 7, batch: 4, ..Policy::default() };
    Policy::NAMED.into_iter().map(move |(_, fibers)| Policy { fibers, ..small })
}

/// Runs `test` on every machine of at least `nodes` nodes under every policy.
fn under_every(nodes: usize, mut test: impl FnMut(Case, Machine)) {
    on_every_of(nodes, |case| policies().for_each(|policy| test(case, case.machine().policy(policy))));
}

#[test]
fn a_fiber_that_enables_itself_again_starves_nothing_on_its_node() {
    under_every(1, |case, mut machine| {
        // At most three newest fibers run before the sibling or the function, and three more before the fiber
        // that the function enables. A token has its turn after seven turns.
        for (until, bound) in [(SIBLING, 4), (FUNCTION, 8), (TOKEN, 7 + 8)] {
            // Another node may have taken the token, which it may not run and sends back. On real cores the
            // system may stop that node's thread before that, for any time.
            if until == TOKEN && case.nodes > 1 && !case.is_stepped() {
                continue;
            }
            let turns = gives(&mut machine, |out| Spins::call(until, out)).value;
            // In DUAL an enabled fiber passes through the other unit, and real time passes.
            let exact = case.config == Config::Spn && (until != TOKEN || case.nodes == 1);
            assert!(turns <= bound || !exact, "{turns} turns, not {bound}, until {until}");
        }
    });
}

#[test]
fn a_fiber_that_enables_itself_again_starves_no_other_node_and_no_message() {
    under_every(2, |case, mut machine| {
        // On real cores it may have any number of turns while the other thread wakes up.
        if case.is_stepped() {
            gives(&mut machine, |out| Spins::call(OTHER_NODE, out));
        }
    });
    // The same holds when a schedule without choices is replayed.
    let none: Recording = "untimed".parse().expect("a recording without choices");
    for config in [Config::Spn, Config::Dual] {
        let machine = Machine::stepper(0).config(config).schedule(Schedule::Replay(none.clone()));
        gives(&mut machine.step_limit(10 * TOO_MANY), |out| Spins::call(OTHER_NODE, out));
    }
}

/// Two fibers enable each other in turn until a function invoked between them has answered: neither is the
/// newest twice.
struct PingPong {
    turns: u64,
    heard: bool,
    out: Reply<u64>,
}

#[threaded]
impl PingPong {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::ping());
        eu.invoke(eu.node(), Says::call(eu.slot_ref(Self::hear())));
        PingPong { turns: 0, heard: false, out }
    }

    #[slot(sync)]
    fn hear(&mut self) {
        self.heard = true;
    }

    #[slot(sync, again)]
    fn ping(&mut self, eu: &mut Eu<Self>) {
        turn(&mut self.turns);
        eu.sync(Self::pong());
    }

    #[slot(sync, again)]
    fn pong(&mut self, eu: &mut Eu<Self>) -> Then {
        turn(&mut self.turns);
        if self.heard {
            eu.put(self.out, self.turns);
            return Then::End;
        }
        eu.sync(Self::ping());
        Then::Wait
    }
}

#[test]
fn fibers_that_enable_each_other_do_not_starve_a_function() {
    under_every(1, |case, mut machine| {
        let turns = gives(&mut machine, PingPong::call).value;
        assert!(turns <= 10 || case.config == Config::Dual, "{turns} turns");
    });
}

#[test]
fn oldest_first_gives_every_token_its_turn() {
    under_every(1, |case, machine| {
        let policy = Policy { tokens: TokenOrder::OldestFirst, ..Policy::default() };
        let turns = gives(&mut machine.policy(policy), Oldest::call).value;
        assert!(turns <= 2 || case.nodes > 1 || case.config == Config::Dual, "{turns} turns");
    });
}

/// The policy newest first does not guarantee a turn to the oldest token, and the error says so. Alone on a
/// node, this token waits while newer ones come. A DUAL node is fed ahead, so the oldest of two tokens runs
/// directly after the newest.
#[test]
fn newest_first_promises_the_oldest_token_nothing() {
    let error = fails(&mut Machine::threads(1), Oldest::call);
    assert!(matches!(&error, Error::Panicked { message, .. } if message.contains("no turn")), "{error}");
}

/// Only on stepped machines: on real cores the system may stop the fiber's thread for any time, and meanwhile
/// the senders would fill the memory. In virtual time queues are unbounded, so the synchronization unit of a
/// DUAL node falls behind more than one such sender permanently. Each event waits only for earlier events,
/// but their number grows without limit.
#[test]
fn senders_that_never_stop_starve_no_fiber() {
    under_every(2, |case, mut machine| {
        let falls_behind = case.is_simulated() && case.config == Config::Dual && case.nodes > 2;
        if case.is_stepped() && !falls_behind {
            assert_eq!(gives(&mut machine, |out| Flood::call(true, out)).value, 40);
        }
    });
}

#[test]
fn senders_that_never_stop_do_not_delay_a_cancellation() {
    for case in crate::common::cases().filter(|case| case.nodes == 2) {
        let token = CancelToken::new();
        *CANCELS.lock().expect("no test panics with it") = Some(token.clone());
        let mut machine = case.machine().cancel_token(token);
        assert_eq!(machine.run(|out| Flood::call(false, out)).unwrap_err(), Error::Cancelled, "{case}");
    }
}

/// A fiber floods the next node through full queues until a token of its own node has run.
struct Spills {
    turns: u64,
    heard: bool,
    sink: Option<(SlotRef, SlotRef)>,
    out: Reply<u64>,
}

#[threaded]
impl Spills {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Sink::call(eu.reply(Self::meet().hello)));
        Spills { turns: 0, heard: false, sink: None, out }
    }

    #[slot]
    fn meet(&mut self, hello: (SlotRef, SlotRef), eu: &mut Eu<Self>) {
        self.sink = Some(hello);
        eu.token_within(here(eu), Says::call(eu.slot_ref(Self::hear())));
        eu.spawn(Self::spin());
    }

    #[slot(sync)]
    fn hear(&mut self) {
        self.heard = true;
    }

    #[spawned]
    fn spin(&mut self, eu: &mut Eu<Self>) -> Then {
        turn(&mut self.turns);
        let Some((signal, end)) = self.sink else { unreachable!("it met the sink") };
        if self.heard {
            eu.rsync(end);
            eu.put(self.out, self.turns);
            return Then::End;
        }
        (0..8).for_each(|_| eu.rsync(signal));
        eu.spawn(Self::spin());
        Then::Wait
    }
}

struct Sink;

#[threaded]
impl Sink {
    fn start(hello: Reply<(SlotRef, SlotRef)>, eu: &mut Eu<Self>) -> Self {
        eu.incr(Self::signals(), u32::MAX);
        eu.put(hello, (eu.slot_ref(Self::signals()), eu.slot_ref(Self::over())));
        Sink
    }

    #[slot(syncs = 0)]
    fn signals(self) {
        unreachable!("so many signals do not come")
    }

    #[slot(sync)]
    fn over(self) {}
}

#[test]
fn a_token_has_its_turn_while_queues_are_full() {
    under_every(2, |_, machine| {
        gives(&mut machine.queue_capacity(1), Spills::call);
    });
}

/// A policy only changes the order. Under each policy tokens run once and give the same result, on every
/// machine.
#[test]
fn every_policy_gives_the_same_result() {
    on_every(|case| {
        for (nth, (_, fibers)) in Policy::NAMED.into_iter().enumerate() {
            let steal = [StealOrder::LastVictim, StealOrder::NextNode, StealOrder::Random][nth];
            let tokens = [TokenOrder::OldestFirst, TokenOrder::NewestFirst][nth % 2];
            let odd =
                Policy { fibers, steal, tokens, in_a_row: 1, token_every: 1, feed: 1, batch: 1, spin: 1 };
            crate::common::still_works(&mut case.machine().policy(odd));
        }
    });
}

#[test]
fn a_policy_that_makes_no_sense_is_refused() {
    for (policy, word) in [
        (Policy { in_a_row: 0, ..Policy::default() }, "in-a-row"),
        (Policy { token_every: 0, ..Policy::default() }, "token-every"),
        (Policy { feed: 0, ..Policy::default() }, "feed"),
        (Policy { batch: 0, ..Policy::default() }, "batch"),
    ] {
        let error = Machine::threads(1).policy(policy).run(|out| Spins::call(SIBLING, out)).unwrap_err();
        assert!(matches!(&error, Error::CannotBuild(why) if why.contains(word)), "{error}");
    }
}
