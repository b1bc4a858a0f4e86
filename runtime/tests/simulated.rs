//! The simulated machine: what things take, that one seed is one run, and that time does not change results.

mod common;

use std::time::Duration;

use common::good;
use earth::{
    CellRef, Config, Machine, NodeId, Operations, Profile, Reply, Schedule, SlotRef, Then, Work, threaded,
};

threaded! {
    /// Two frames on two nodes that signal each other in turn, `rounds` times each.
    fn PingPong(rounds: u64, out: Reply<u64>)
    state { left: u64 = 0, other: Option<SlotRef> = None }
    calls { Pong }
    inlets { pong: SlotRef }
    slots { met: 1 => begin, ping: 1, reset 1 => hit }
    fiber start(this, eu) {
        this.left = this.rounds;
        let to = (eu.slot_ref(Self::ping), this.rounds, eu.reply_to(Self::pong, Self::met));
        eu.invoke::<Pong>(NodeId::new(1), to);
        Then::Wait
    }
    fiber begin(this, eu) {
        let other = eu.take(Self::pong);
        this.other = Some(other);
        eu.rsync(other);
        Then::Wait
    }
    fiber hit(this, eu) {
        this.left -= 1;
        match this.other {
            Some(other) if this.left > 0 => {
                eu.rsync(other);
                Then::Wait
            }
            _ => {
                eu.put(this.out, this.rounds);
                Then::End
            }
        }
    }
}

threaded! {
    fn Pong(other: SlotRef, left: u64, hello: Reply<SlotRef>)
    slots { pong: 1, reset 1 => hit }
    fiber start(this, eu) {
        let own = eu.slot_ref(Self::pong);
        eu.put(this.hello, own);
        Then::Wait
    }
    fiber hit(this, eu) {
        eu.rsync(this.other);
        this.left -= 1;
        if this.left == 0 { Then::End } else { Then::Wait }
    }
}

threaded! {
    /// Asks node 1 for a number, `rounds` times, `width` questions at a time.
    fn Asks(rounds: u64, width: usize, out: Reply<u64>)
    state { sum: u64 = 1, from: Option<CellRef<u64>> = None, keeper: Option<SlotRef> = None }
    calls { Keeper }
    inlets { keeper: (CellRef<u64>, SlotRef), answer[this.width]: u64 }
    slots { met: 1 => begin, come: (this.width), reset (this.width) => add }
    fiber start(this, eu) {
        this.sum = 0;
        let to = eu.reply_to(Self::keeper, Self::met);
        eu.invoke::<Keeper>(NodeId::new(1), (to,));
        Then::Wait
    }
    fiber begin(this, eu) {
        let (from, keeper) = eu.take(Self::keeper);
        (this.from, this.keeper) = (Some(from), Some(keeper));
        this.ask(eu);
        Then::Wait
    }
    fiber add(this, eu) {
        for i in 0..this.width {
            this.sum += eu.take(Self::answer.at(i));
        }
        this.rounds -= 1;
        if this.rounds > 0 {
            this.ask(eu);
            return Then::Wait;
        }
        if let Some(keeper) = this.keeper {
            eu.rsync(keeper);
        }
        eu.put(this.out, this.sum);
        Then::End
    }
}

impl Asks {
    fn ask(&self, eu: &mut earth::Eu) {
        let Some(from) = self.from else { return };
        let replies = eu.replies_to_one(Self::answer, Self::come);
        for i in 0..self.width {
            eu.get(from, replies.at(i));
        }
    }
}

threaded! {
    fn Keeper(hello: Reply<(CellRef<u64>, SlotRef)>)
    cells { number: u64 }
    slots { dismissed: 1 => end }
    fiber start(this, eu) {
        let cell = eu.cell_ref(Self::number);
        eu.write(cell, 7);
        let hello = (cell, eu.slot_ref(Self::dismissed));
        eu.put(this.hello, hello);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

fn manna50() -> Profile {
    Profile::named("manna50").expect("it is built in")
}

fn cycles<F: earth::Threaded>(machine: &mut Machine, input: common::Input<F>) -> u64
where
    F::Args: earth::Main,
{
    good::<F>(machine, input).cycles.expect("a simulated machine counts cycles")
}

#[track_caller]
fn about(cycles: f64, expected: f64) {
    assert!((cycles / expected - 1.0).abs() < 0.1, "{cycles} cycles, not about {expected}");
}

/// The checks of the cost model: DUAL, cycles at 50 MHz.
#[test]
fn remote_operations_of_manna_take_what_they_took() {
    let machine = &mut Machine::simulated(&manna50()).config(Config::Dual);
    let mut each = |run: &dyn Fn(&mut Machine, u64) -> u64| {
        let (few, many) = (run(machine, 50), run(machine, 250));
        (many - few) as f64 / 200.0
    };
    // A round is two signals, one after the other.
    about(each(&cycles::<PingPong>) / 2.0, 199.0);
    about(each(&|machine, rounds| cycles::<Asks>(machine, (rounds, 1))), 355.0);
    about(each(&|machine, width| cycles::<Asks>(machine, (1, width as usize))), 95.0);
}

/// By hand: SPN pays 50 to send, 62 on the way, 55 to receive and 26 to run the fiber.
#[test]
fn one_processor_pays_for_both_units() {
    let machine = &mut Machine::simulated(&manna50());
    let round = (cycles::<PingPong>(machine, 110) - cycles::<PingPong>(machine, 10)) / 100;
    assert_eq!(round, 2 * (50 + 62 + 55 + 26));
}

threaded! {
    /// Asks node 1 for a number while it works for `cycles`. How long the answer took, when the work was
    /// done, and when node 0 heard of it, in nanoseconds.
    fn Interrupts(cycles: u64, out: Reply<(u64, u64, u64)>)
    state { asked: Duration = Duration::ZERO, answered: Duration = Duration::ZERO, busy: Option<SlotRef> = None }
    calls { Busy }
    inlets { cell: (CellRef<u64>, SlotRef), answer: u64, done: u64 }
    slots { met: 1 => ask, come: 1 => hear, both: 2 => end }
    fiber start(this, eu) {
        let cell = eu.reply_to(Self::cell, Self::met);
        eu.invoke::<Busy>(NodeId::new(1), (this.cycles, cell, eu.reply_to(Self::done, Self::both)));
        Then::Wait
    }
    fiber ask(this, eu) {
        let (cell, busy) = eu.take(Self::cell);
        this.busy = Some(busy);
        this.asked = eu.now();
        let to = eu.reply_to(Self::answer, Self::come);
        eu.get(cell, to);
        Then::Wait
    }
    fiber hear(this, eu) {
        assert_eq!(eu.take(Self::answer), 7);
        this.answered = eu.now() - this.asked;
        eu.sync(Self::both);
        Then::Wait
    }
    fiber end(this, eu) {
        let done = eu.take(Self::done);
        if let Some(busy) = this.busy {
            eu.rsync(busy);
        }
        eu.put(this.out, (this.answered.as_nanos() as u64, done, eu.now().as_nanos() as u64));
        Then::End
    }
}

threaded! {
    fn Busy(cycles: u64, cell: Reply<(CellRef<u64>, SlotRef)>, done: Reply<u64>)
    cells { number: u64 }
    slots { dismissed: 1 => end }
    fiber start(this, eu) {
        let number = eu.cell_ref(Self::number);
        eu.write(number, 7);
        let dismissed = eu.slot_ref(Self::dismissed);
        eu.put(this.cell, (number, dismissed));
        eu.spawn(Self::work);
        Then::Wait
    }
    fiber work(this, eu) {
        eu.work(Work::Cycles(this.cycles));
        eu.put(this.done, eu.now().as_nanos() as u64);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

#[test]
fn a_watchdog_lets_messages_in_and_puts_the_fiber_off() {
    let run = |watchdog| {
        let mut profile = manna50();
        profile.spn = Operations { watchdog, interrupt: 30, ..profile.spn };
        let (answered, done, heard) = good::<Interrupts>(&mut Machine::simulated(&profile), 100_000).value;
        // Cycles at 50 MHz.
        (answered / 20, done / 20, heard / 20)
    };
    let (patient, done, _) = run(None);
    assert!(patient > 99_000, "the answer waits for the fiber: {patient}");
    let (answered, done_too, heard) = run(Some(500));
    // Send, way, patience, interrupt, receive, send, way, receive, dispatch.
    let interruption = 30 + 55 + 50;
    assert_eq!(answered, 50 + 62 + 500 + interruption + 62 + 55 + 26);
    // The fiber itself runs at once and knows nothing of it, but what it sends is put off.
    assert_eq!(done_too, done);
    // Its message, and the one that ends the busy frame, are sent, and the first is received.
    assert_eq!(heard - done, interruption + 50 + 62 + 55 + 26 + 50);
}

threaded! {
    /// Makes tokens for node 0 alone, which idle nodes take and send back; counts those that ran.
    fn Fenced(count: u64, out: Reply<u64>)
    state  { ran: u64 = 0 }
    calls  { Here }
    inlets { node: u64 }
    slots  { came: 1, reset 1 => note }
    fiber start(this, eu) {
        for _ in 0..this.count {
            let node = eu.reply_to(Self::node, Self::came);
            eu.token_within::<Here>(NodeId::new(0)..NodeId::new(1), (node,));
        }
        Then::Wait
    }
    fiber note(this, eu) {
        assert_eq!(eu.take(Self::node), 0);
        this.ran += 1;
        if this.ran < this.count {
            return Then::Wait;
        }
        eu.put(this.out, this.ran);
        Then::End
    }
}

threaded! {
    fn Here(out: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.out, eu.node().index() as u64);
        Then::End
    }
}

/// Idle nodes of high priority that ask for these tokens again and again keep nobody waiting for ever.
#[test]
fn priorities_do_not_keep_a_run_from_its_end() {
    for seed in 0..20 {
        let schedule = Schedule::Pct { changes: 3, steps: 300 };
        let machine = Machine::stepper(seed).schedule(schedule).nodes(3).config(Config::Dual);
        assert_eq!(good::<Fenced>(&mut { machine }, 40).value, 40, "seed {seed}");
    }
}
