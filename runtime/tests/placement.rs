//! Which CPUs threads run on: each is bound to one of its own, the caller's only as long as a run takes, and no two
//! machines of a process that run at once hold the same. Unless binding was asked for, the caller's thread may run its
//! first fiber unbound; so those that tell where they run do it after an answer from another node.
//!
//! What is bound where is asked of the kernel, by each fiber for the thread that runs it.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};

use earth::{CancelToken, Config, Error, Eu, Machine, NodeId, Reply, SlotRef, Start, Then, threaded};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Tests hold CPUs of the whole process, so they run one after another.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The CPUs that this thread may run on.
fn mask() -> Vec<usize> {
    let mask = sched_getaffinity(None).expect("a thread knows its mask");
    (0..CpuSet::MAX_CPU).filter(|cpu| mask.is_set(*cpu)).collect()
}

/// The masks of the threads that run the nodes.
struct Masks {
    out: Reply<Vec<Vec<u64>>>,
    told: Vec<Vec<u64>>,
    missing: usize,
}

struct OneMask;

struct Answers;

#[threaded]
impl Answers {
    fn start(answer: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(answer);
    }
}

#[threaded]
impl OneMask {
    fn start(out: Reply<(u64, Vec<u64>)>, eu: &mut Eu<Self>) {
        eu.put(out, (eu.node().index() as u64, mask().into_iter().map(|cpu| cpu as u64).collect()));
    }
}

#[threaded]
impl Masks {
    fn start(out: Reply<Vec<Vec<u64>>>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.invoke(NodeId::new(eu.nodes() - 1), Answers::call(eu.slot_ref(Self::ask())));
        Start::Wait(Masks { out, told: vec![Vec::new(); eu.nodes()], missing: eu.nodes() })
    }

    #[slot(sync)]
    fn ask(&mut self, eu: &mut Eu<Self>) {
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), OneMask::call(eu.reply(Self::hear().one)));
        }
    }

    #[slot(again)]
    fn hear(&mut self, one: (u64, Vec<u64>), eu: &mut Eu<Self>) -> Then {
        self.told[one.0 as usize] = one.1;
        self.missing -= 1;
        if self.missing > 0 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.told));
        Then::End
    }
}

/// The masks of the threads of an SPN machine's nodes, in a run.
fn masks(machine: &mut Machine) -> Vec<Vec<usize>> {
    let masks = machine.run(Masks::call).expect("it runs").value;
    masks.into_iter().map(|mask| mask.into_iter().map(|cpu| cpu as usize).collect()).collect()
}

/// How many CPUs there are, if there are two and no quota forbids to use all: with one nothing is to be bound.
fn two_cpus() -> Option<usize> {
    let (cpus, usable) = (mask().len(), std::thread::available_parallelism().map_or(1, usize::from));
    (cpus >= 2 && usable == cpus).then_some(cpus)
}

#[test]
fn each_thread_has_a_cpu_of_its_own_for_the_time_of_a_run() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    let before = mask();
    for pin in [None, Some(true)] {
        let machine = Machine::threads(cpus);
        let mut machine = if let Some(pin) = pin { machine.pin(pin) } else { machine };
        for _ in 0..3 {
            let bound = masks(&mut machine);
            assert!(bound.iter().all(|mask| mask.len() == 1), "{bound:?}");
            let all: BTreeSet<_> = bound.concat().into_iter().collect();
            assert!(all.len() == cpus && all.iter().all(|cpu| before.contains(cpu)), "{bound:?}");
            assert_eq!(mask(), before);
        }
    }
    assert_eq!(masks(&mut Machine::threads(cpus).pin(false)), vec![before.clone(); cpus]);
    // One thread is left where it is.
    assert_eq!(masks(&mut Machine::threads(1)), [before]);
}

#[test]
fn a_calling_thread_that_is_to_be_left_alone_is_not_bound_while_others_are() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    let before = mask();
    for pin in [None, Some(true)] {
        let machine = Machine::threads(cpus).pin_caller(false);
        let mut machine = if let Some(pin) = pin { machine.pin(pin) } else { machine };
        let bound = masks(&mut machine);
        assert_eq!(bound[0], before, "{bound:?}");
        let others: BTreeSet<_> = bound[1..].concat().into_iter().collect();
        assert!(others.len() == cpus - 1 && bound[1..].iter().all(|mask| mask.len() == 1), "{bound:?}");
    }
}

#[test]
fn a_calling_thread_that_is_left_alone_keeps_the_cpu_that_it_is_on() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    let before = mask();
    let be_on = |cpus: &[usize]| {
        let mut set = CpuSet::new();
        for cpu in cpus {
            set.set(*cpu);
        }
        sched_setaffinity(None, &set).expect("it may have a part of its mask");
    };
    for nodes in [2, cpus] {
        let mut machine = Machine::threads(nodes).pin_caller(false);
        masks(&mut machine);
        // By turns, so that threads that had a CPU have another one.
        for caller in [before[1], before[0], before[1]] {
            be_on(&[caller]);
            let bound = masks(&mut machine);
            be_on(&before);
            assert_eq!(bound[0], [caller]);
            let others: BTreeSet<_> = bound[1..].concat().into_iter().collect();
            assert!(others.len() == nodes - 1 && !others.contains(&caller), "{caller}: {bound:?}");
        }
    }
}

/// Where a fiber that holds its machine in a run, and the test, wait for each other: when it has begun, and to end.
static MEETING: Barrier = Barrier::new(2);

struct Holds;

#[threaded]
impl Holds {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        MEETING.wait();
        MEETING.wait();
        eu.put(out, 1);
    }
}

#[test]
fn what_a_running_machine_holds_no_other_takes() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    let before = mask();
    let (mut first, mut second) = (Machine::threads(cpus), Machine::threads(2));
    // In turn they have the same ones.
    let held = masks(&mut first);
    let bound = masks(&mut second);
    assert_eq!((&bound[..], bound.concat().len()), (&held[..2], 2));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| first.run(Holds::call).map(|run| run.value));
        MEETING.wait();
        // All are held: the threads of the next one are bound to none, or, if they must be, to those of the first.
        assert_eq!(masks(&mut second), vec![before.clone(); 2]);
        let shared = masks(&mut Machine::threads(2).pin(true));
        assert!(shared[0].len() == 1 && shared[1].len() == 1 && shared[0] != shared[1], "{shared:?}");
        // What was shared is the first machine's still.
        assert_eq!(masks(&mut second), vec![before.clone(); 2]);
        MEETING.wait();
        assert_eq!(first.join().expect("it runs"), Ok(1));
    });
    // What was held is given back.
    assert_eq!(masks(&mut second), bound);
}

#[test]
fn only_cpus_of_the_callers_mask_are_taken() {
    let _alone = alone();
    let Some(_) = two_cpus() else { return };
    let last = *mask().last().expect("there are two");
    let bound = std::thread::spawn(move || {
        let mut only = CpuSet::new();
        only.set(last);
        sched_setaffinity(None, &only).expect("it may have a part of its mask");
        // One CPU is one thread, which is not bound. Two have to be bound to two.
        let mut two = Machine::threads(2);
        let why = Machine::threads(2).pin(true).run(Masks::call).map(|run| run.value);
        (masks(&mut two), why)
    });
    let (bound, why) = bound.join().expect("it runs");
    assert_eq!(bound, [[last], [last]]);
    let Err(Error::CannotBuild(why)) = why else { panic!("{why:?}") };
    assert_eq!(why, "pinning 2 units needs 2 cores, and 1 can be used");
}

struct Fails {
    panics: bool,
    out: Reply<u64>,
}

#[threaded]
impl Fails {
    fn start(panics: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Answers::call(eu.slot_ref(Self::fail())));
        Fails { panics, out }
    }

    #[slot(sync)]
    fn fail(self, eu: &mut Eu<Self>) {
        assert_eq!(mask().len(), 1, "the caller's thread is bound");
        assert!(!self.panics, "as it should");
        eu.put(self.out, 1);
        eu.put(self.out, 2);
    }
}

/// A value that has its thread's mask told when it is dropped, and runs a machine then.
struct Tells;

static TOLD: Mutex<Vec<usize>> = Mutex::new(Vec::new());

impl Drop for Tells {
    fn drop(&mut self) {
        assert_eq!(masks(&mut Machine::threads(2)).len(), 2);
        *TOLD.lock().unwrap() = mask();
    }
}

#[test]
fn the_callers_thread_has_its_mask_back_however_a_run_ends() {
    let _alone = alone();
    let Some(_) = two_cpus() else { return };
    let before = mask();
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::threads(2).config(config);
        // A fiber that panics, and one that is wrong.
        let run = machine.run(|out| Fails::call(true, out)).map(|run| run.value);
        assert!(matches!(&run, Err(Error::Panicked { message, .. }) if message == "as it should"), "{run:?}");
        assert_eq!(mask(), before);
        let run = machine.run(|out| Fails::call(false, out)).map(|run| run.value);
        assert!(run.is_err() && !matches!(run, Err(Error::Panicked { .. })), "{run:?}");
        assert_eq!(mask(), before);
        // The closure that makes the main call.
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _tells = Tells;
            machine
                .run(|_: Reply<u64>| -> earth::Call<Fails> { panic!("in the closure") })
                .map(|run| run.value)
        }));
        assert!(panicked.is_err());
        assert_eq!((mask(), &*TOLD.lock().unwrap()), (before.clone(), &before));
        // A run that is refused, and a machine that is dropped and runs another as it goes.
        let token = CancelToken::new();
        let mut cancelled = Machine::threads(2).config(config).cancel_token(token.clone());
        token.cancel();
        assert!(matches!(cancelled.run(Masks::call).map(|run| run.value), Err(Error::Cancelled)));
        drop((machine, Tells, cancelled));
        assert_eq!((mask(), &*TOLD.lock().unwrap()), (before.clone(), &before));
    }
}
