//! Order and turns: events from one node to another arrive in order, and every kind of work gets its turn.

#[path = "../../../../runtime/tests/operations/endless.rs"]
mod endless;

use std::sync::atomic::{AtomicU32, Ordering};

use earth::simulated::Faults;
use earth::{Config, Eu, FiberOrder, Machine, NodeId, Policy, Reply, SlotRef, Then, TokenOrder, threaded};
use endless::{FUNCTION, Flood, Oldest, SIBLING, Says, Spins, TOKEN, turn};

use crate::machines::{On, Verdict, ends, everywhere, gives, in_time};

/// Takes `each` values of a producer on every other node, all sent in one fiber. Puts whether they came in
/// order.
struct InOrder {
    each: u64,
    next: [u64; 2],
    good: bool,
    out: Reply<bool>,
}

#[threaded]
impl InOrder {
    fn start(each: u64, out: Reply<bool>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Producer::call(each, eu.reply(Self::one().value)));
        eu.invoke(NodeId::new(2), Producer::call(each, eu.reply(Self::two().value)));
        InOrder { each, next: [0; 2], good: true, out }
    }

    #[slot(again)]
    fn one(&mut self, value: u64, eu: &mut Eu<Self>) {
        self.check(0, value, eu);
    }

    #[slot(again)]
    fn two(&mut self, value: u64, eu: &mut Eu<Self>) {
        self.check(1, value, eu);
    }

    #[slot(syncs = 2)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.good);
    }
}

impl InOrder {
    fn check(&mut self, producer: usize, value: u64, eu: &mut Eu<Self>) {
        self.good &= value == self.next[producer];
        self.next[producer] += 1;
        if self.next[producer] == self.each {
            eu.sync(Self::end());
        }
    }
}

struct Producer;

#[threaded]
impl Producer {
    fn start(each: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        (0..each).for_each(|n| eu.put(to, n));
    }
}

pub(crate) fn in_order() -> Verdict {
    everywhere(4, |machine| gives(machine.run(|out| InOrder::call(20, out)), true))?;
    let policy = Policy { fibers: FiberOrder::NewestFirst, ..Policy::default() };
    On { room: 64, ..On::DUAL }
        .under(policy, |machine| gives(machine.run(|out| InOrder::call(100, out)), true))?;
    // Values leave a few cycles apart, and are up to a thousand cycles late.
    for config in [Config::Spn, Config::Dual] {
        let late = |machine: Machine| machine.faults(Faults { delay: 1_000, slowness: 1 });
        On { config, ..On::SPN }
            .changed(late, |machine| gives(machine.run(|out| InOrder::call(20, out)), true))?;
    }
    Ok(())
}

/// Makes this thread step all units of the machines that it builds.
fn use_one_core() {
    if let Some(&core) = core_affinity::get_core_ids().unwrap_or_default().first() {
        core_affinity::set_for_current(core);
    }
}

/// Runs the units of each node as on threads, but all in this thread, which may use one core. There is little
/// or much room between them.
pub(crate) fn in_order_on_threads() -> Verdict {
    use_one_core();
    let policy = Policy { fibers: FiberOrder::NewestFirst, ..Policy::default() };
    [2, 256].into_iter().try_for_each(|room| {
        let machine = Machine::threads(3).config(Config::Dual).policy(policy);
        let mut machine = machine.queue_capacity(room);
        (0..10).try_for_each(|_| gives(machine.run(|out| InOrder::call(100, out)), true))
    })
}

/// Runs the spinner on one node under a policy.
fn spins(config: Config, fibers: FiberOrder, until: u64) -> Verdict {
    let policy = Policy { fibers, in_a_row: 3, token_every: 5, ..Policy::default() };
    let alone = On { config, nodes: 1, ..On::SPN };
    alone.under(policy, |machine| ends(machine.run(|out| Spins::call(until, out))).map(|_| ()))
}

pub(crate) fn newest() -> Verdict {
    spins(Config::Spn, FiberOrder::NewestFirst, SIBLING)?;
    spins(Config::Spn, FiberOrder::NewestFirst, FUNCTION)
}

pub(crate) fn functions() -> Verdict {
    spins(Config::Spn, FiberOrder::FibersFirst, FUNCTION)?;
    spins(Config::Spn, FiberOrder::OneQueue, FUNCTION)
}

pub(crate) fn tokens() -> Verdict {
    spins(Config::Spn, FiberOrder::OneQueue, TOKEN)?;
    // The fiber must find its successor in the queue; otherwise the execution unit is idle for a moment and
    // gets the token.
    spins(Config::Dual, FiberOrder::OneQueue, TOKEN)?;
    // Both units take steps in turns in this thread, so one of the fibers always waits.
    use_one_core();
    let policy = Policy { feed: 1, token_every: 5, ..Policy::default() };
    gives(Machine::threads(1).config(Config::Dual).policy(policy).run(Busy::call), true)?;
    gives(in_time(Config::Dual, 1).policy(policy).run(Busy::call), true)
}

/// One real node, which runs in this thread. Only there a fiber can run directly after another one of its
/// function.
pub(crate) fn token_in_time() -> Verdict {
    let policy =
        Policy { fibers: FiberOrder::NewestFirst, in_a_row: 1000, token_every: 5, ..Policy::default() };
    let mut machine = Machine::threads(1).config(Config::Spn).policy(policy);
    let run = ends(machine.run(|out| Spins::call(TOKEN, out)))?;
    // The fiber that the token enables is then the newest.
    if run.value <= 6 { Ok(()) } else { Err(format!("{} turns before the token", run.value)) }
}

/// Progress of the two real nodes of [`Listens`].
static STAGE: AtomicU32 = AtomicU32::new(0);

fn reached(stage: u32) {
    while STAGE.load(Ordering::Acquire) < stage {
        std::thread::yield_now();
    }
}

/// Runs consecutive fibers of one function. The third and the sixth one block until another node has sent a
/// signal, which a fiber should not do. No event reached the node before the first signal; the second one
/// comes soon after another event.
struct Listens {
    ran: u64,
    heard: u64,
    out: Reply<u64>,
}

#[threaded]
impl Listens {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Sends::call(eu.slot_ref(Self::hear())));
        eu.sync(Self::next());
        Listens { ran: 0, heard: 0, out }
    }

    #[slot(sync, again)]
    fn next(&mut self, eu: &mut Eu<Self>) -> Then {
        self.ran += 1;
        let stage = match self.ran {
            3 => 1,
            6 => 3,
            _ => 0,
        };
        if stage > 0 {
            STAGE.store(stage, Ordering::Release);
            reached(stage + 1);
        }
        if self.heard == 2 || self.ran == 12 {
            eu.put(self.out, self.ran);
            return Then::End;
        }
        eu.sync(Self::next());
        Then::Wait
    }

    #[slot(sync, again)]
    fn hear(&mut self) {
        self.heard += 1;
    }
}

struct Sends;

#[threaded]
impl Sends {
    fn start(to: SlotRef, eu: &mut Eu<Self>) {
        for stage in [1, 3] {
            reached(stage);
            eu.rsync(to);
            STAGE.store(stage + 1, Ordering::Release);
        }
    }
}

/// Two real nodes, the first of them in this thread. They are pinned, so both have threads, even if the cores
/// are busy.
pub(crate) fn heard_in_time() -> Verdict {
    STAGE.store(0, Ordering::Release);
    let policy = Policy { fibers: FiberOrder::NewestFirst, in_a_row: 1000, ..Policy::default() };
    let machine = Machine::threads(2).config(Config::Spn).policy(policy).pin(Machine::usable_cores() > 1);
    let run = { machine }.run(Listens::call).map_err(|error| error.to_string())?;
    // The fibers that the signals enable are the newest after the third and the sixth fiber.
    if run.value == 7 { Ok(()) } else { Err(format!("heard before fiber {}", run.value)) }
}

/// More fibers than the execution unit runs before the other unit sees their requests.
const BUSY: usize = 32;

/// Fibers enable themselves again, so that one always waits, until a token has run.
struct Busy {
    turns: u64,
    heard: bool,
    out: Reply<bool>,
}

#[threaded]
impl Busy {
    fn start(out: Reply<bool>, eu: &mut Eu<Self>) -> Self {
        (0..BUSY).for_each(|_| eu.spawn(Self::spin()));
        Busy { turns: 0, heard: false, out }
    }

    #[slot(sync)]
    fn hear(&mut self) {
        self.heard = true;
    }

    #[spawned]
    fn spin(&mut self, eu: &mut Eu<Self>) {
        turn(&mut self.turns);
        // All of them wait in the queue by now.
        if self.turns == 10 * BUSY as u64 {
            eu.token(Says::call(eu.slot_ref(Self::hear())));
        }
        if self.heard {
            eu.sync(Self::end());
        } else {
            eu.spawn(Self::spin());
        }
    }

    #[slot(syncs = BUSY)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, true);
    }
}

pub(crate) fn oldest() -> Verdict {
    let policy = Policy { tokens: TokenOrder::OldestFirst, ..Policy::default() };
    On { nodes: 1, ..On::SPN }.under(policy, |machine| ends(machine.run(Oldest::call)).map(|_| ()))
}

pub(crate) fn flood() -> Verdict {
    let policy = Policy { batch: 4, ..Policy::default() };
    // On the stepper an inbox has no room for a flood.
    gives(in_time(Config::Spn, 3).policy(policy).run(|out| Flood::call(true, out)), 40)
}
