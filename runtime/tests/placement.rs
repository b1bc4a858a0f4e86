//! The CPUs of threads. No thread is pinned unless the program or the user requests it. A pinned thread has a
//! CPU of its own; the caller's thread only for the time of a run. Two machines that run at once never hold
//! the same CPU, even in different processes.
//!
//! Each fiber asks the kernel for the mask of the thread that runs it.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::{env, thread};

use earth::{CancelToken, Config, Error, Eu, Machine, NodeId, Reply, Shared, SlotRef, Start, Then, threaded};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use snapbox::{assert_data_eq, str};

/// Makes the calling test run alone, since the tests hold CPUs of the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the CPUs that this thread may run on.
fn mask() -> Vec<usize> {
    let mask = sched_getaffinity(None).expect("a thread knows its mask");
    (0..CpuSet::MAX_CPU).filter(|cpu| mask.is_set(*cpu)).collect()
}

/// Puts the masks of the threads that run the nodes.
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

/// Returns the masks of the threads of an SPN machine's nodes during a run.
fn masks(machine: &mut Machine) -> Vec<Vec<usize>> {
    let masks = machine.run(Masks::call).expect("it runs").value;
    masks.into_iter().map(|mask| mask.into_iter().map(|cpu| cpu as usize).collect()).collect()
}

/// Returns the number of CPUs if there are at least two and no quota prevents their use. With one CPU no
/// thread is pinned.
fn two_cpus() -> Option<usize> {
    let (cpus, usable) = (mask().len(), thread::available_parallelism().map_or(1, usize::from));
    (cpus >= 2 && usable == cpus).then_some(cpus)
}

#[test]
fn pinned_threads_have_a_cpu_of_their_own_during_a_run() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    let before = mask();
    let mut machine = Machine::threads(cpus).pin(true);
    for _ in 0..3 {
        let bound = masks(&mut machine);
        assert!(bound.iter().all(|mask| mask.len() == 1), "{bound:?}");
        let all: BTreeSet<_> = bound.concat().into_iter().collect();
        assert!(all.len() == cpus && all.iter().all(|cpu| before.contains(cpu)), "{bound:?}");
        assert_eq!(mask(), before);
    }
    // A single thread is pinned, too.
    assert_eq!(masks(&mut Machine::threads(1).pin(true))[0].len(), 1);
    for mut machine in [Machine::threads(cpus), Machine::threads(cpus).pin(false)] {
        assert_eq!(masks(&mut machine), vec![before.clone(); cpus]);
    }
}

#[test]
fn a_calling_thread_that_is_to_be_left_alone_is_not_bound_while_others_are() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    let before = mask();
    let bound = masks(&mut Machine::threads(cpus).pin_caller(false).pin(true));
    assert_eq!(bound[0], before, "{bound:?}");
    let others: BTreeSet<_> = bound[1..].concat().into_iter().collect();
    assert!(others.len() == cpus - 1 && bound[1..].iter().all(|mask| mask.len() == 1), "{bound:?}");
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
        let mut machine = Machine::threads(nodes).pin_caller(false).pin(true);
        masks(&mut machine);
        // The caller's CPU alternates, so that threads that had a CPU get another one.
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

/// Barrier of the test and a fiber that keeps its machine in a run: at the beginning and at the end of the
/// fiber.
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

/// Runs `meanwhile` during a run of a machine with `nodes` nodes that pins its threads.
fn while_held(nodes: usize, meanwhile: impl FnOnce()) {
    let mut machine = Machine::threads(nodes).pin(true);
    thread::scope(|scope| {
        let held = scope.spawn(|| machine.run(Holds::call).map(|run| run.value));
        MEETING.wait();
        let ended = catch_unwind(AssertUnwindSafe(meanwhile));
        MEETING.wait();
        assert_eq!(held.join().expect("it runs"), Ok(1));
        assert!(ended.is_ok());
    });
}

#[test]
fn cpus_of_a_running_machine_stay_claimed() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    let before = mask();
    let mut machine = Machine::threads(2).pin(true);
    // Consecutive machines get the same CPUs.
    let bound = masks(&mut machine);
    assert_eq!((&masks(&mut Machine::threads(cpus).pin(true))[..2], bound.concat().len()), (&bound[..], 2));
    // All CPUs are held, so the threads of the next machine are not pinned.
    while_held(cpus, || assert_eq!(masks(&mut machine), vec![before.clone(); 2]));
    // The held CPUs are free again.
    assert_eq!(masks(&mut machine), bound);
}

/// Environment variable that makes a process of these tests print the masks of a machine. Its value is the
/// number of nodes and the pinning.
const ASKED: &str = "EARTH_MASKS_OF_THIS_PROCESS";

#[test]
fn masks_of_this_process() {
    let Ok(asked) = env::var(ASKED) else { return };
    let (nodes, pin) = asked.split_once(' ').expect("nodes, and how they are bound");
    let machine = || Machine::threads(nodes.parse().expect("a number"));
    let mut machine = pin.parse().map_or_else(|_| machine(), |pin| machine().pin(pin));
    match machine.run(Masks::call) {
        Ok(run) => println!("masks {:?}", run.value),
        Err(why) => println!("masks {why}"),
    }
}

/// Returns the masks of a machine of `nodes` nodes in a separate process, or the error. `pin` is `true`,
/// `false` or `usual`.
fn masks_elsewhere(nodes: usize, pin: &str, variable: Option<&str>) -> Result<Vec<Vec<usize>>, String> {
    let mut command = Command::new(env::current_exe().expect("a test has a program"));
    command.args(["--exact", "masks_of_this_process", "--nocapture"]).env(ASKED, format!("{nodes} {pin}"));
    match variable {
        Some(value) => command.env("EARTH_PIN", value),
        None => command.env_remove("EARTH_PIN"),
    };
    let printed = String::from_utf8(command.output().expect("it starts").stdout).expect("a text");
    let masks = printed.split_once("masks [").map(|(_, masks)| masks.split_once("]]").expect("an end").0);
    let Some(masks) = masks else {
        let why = printed.lines().find_map(|line| line.split_once("masks ")).expect("it says why");
        return Err(why.1.to_owned());
    };
    let masks = masks.split("], ").map(|mask| mask.trim_start_matches('[').split(", "));
    Ok(masks.map(|mask| mask.map(|cpu| cpu.parse().expect("a number")).collect()).collect())
}

#[test]
fn no_two_processes_bind_to_the_same_cpu() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    let before = mask();
    let held = masks(&mut Machine::threads(1).pin(true)).concat();
    while_held(1, || {
        let there = masks_elsewhere(1, "true", None).expect("it runs").concat();
        assert!(there.len() == 1 && there != held, "{there:?} and {held:?}");
        // The machine gets the CPUs that are left.
        let there = masks_elsewhere(cpus, "true", None).expect("it runs");
        let bound: BTreeSet<_> = there[..cpus - 1].concat().into_iter().collect();
        assert!(
            bound.len() == cpus - 1 && !bound.contains(&held[0]) && there[cpus - 1] == before,
            "{there:?}"
        );
    });
    // A process claims no CPU when its last pinning machine is gone.
    assert_eq!(masks_elsewhere(1, "true", None).expect("it runs").concat(), held);
}

#[test]
fn the_environment_decides_whether_threads_are_bound() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    let before = mask();
    let are_bound = |nodes: usize, pin, variable| {
        let masks = masks_elsewhere(nodes, pin, variable).expect("it runs");
        let bound = masks.iter().all(|mask| mask.len() == 1);
        assert!(bound || masks == vec![before.clone(); nodes], "{masks:?}");
        bound
    };
    for (pin, bound) in
        [("usual", [false, false, true]), ("true", [true, false, true]), ("false", [false; 3])]
    {
        let variables = [None, Some("off"), Some("on")];
        assert_eq!(variables.map(|variable| are_bound(cpus, pin, variable)), bound, "{pin}");
    }
    // A single thread is pinned only if its program requests it.
    assert!(!are_bound(1, "usual", Some("on")) && are_bound(1, "true", Some("on")));
    for wrong in ["", "On", "1"] {
        let why = format!("the environment variable EARTH_PIN must be `on` or `off`, not `{wrong}`");
        assert_eq!(masks_elsewhere(2, "usual", Some(wrong)), Err(why));
    }
}

/// Sends a message when it runs.
struct Begun;

#[threaded]
impl Begun {
    fn start(tell: Shared<Sender<()>>) {
        tell.send(()).expect("it is waited for");
    }
}

/// Puts the cores that a fiber, a thread that it starts, and a machine in that thread can use.
struct Knows;

#[threaded]
impl Knows {
    fn start(out: Reply<(u64, u64, Vec<Vec<u64>>)>, eu: &mut Eu<Self>) {
        if eu.node().index() == 0 {
            return eu.invoke(NodeId::new(1), Knows::call(out));
        }
        assert_eq!(mask().len(), 1);
        let cores = || Machine::usable_cores() as u64;
        let started = thread::spawn(move || {
            // A run with an input has both its threads even if no core is free. The run has begun when a call
            // has run.
            let input = Machine::threads(2).open(Masks::call);
            let (tell, is_on) = channel();
            input.invoke(NodeId::new(1), Begun::call(Shared::new(tell))).expect("there is a node 1");
            is_on.recv().expect("the call runs");
            let masks = input.close().wait().1.expect("it runs").value;
            (cores(), masks)
        });
        let (in_thread, masks) = started.join().expect("it ends");
        eu.put(out, (cores(), in_thread, masks));
    }
}

#[test]
fn a_fiber_of_a_bound_thread_and_what_it_starts_know_of_all_cores() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    let mut machine = Machine::threads(2).pin(true);
    let (here, in_thread, masks) = machine.run(Knows::call).expect("it runs").value;
    assert_eq!((here, in_thread, Machine::usable_cores()), (cpus as u64, cpus as u64, cpus));
    // The threads of the machine may use all CPUs.
    assert_eq!((masks[0].len(), masks[1].len()), (cpus, cpus));
}

#[test]
fn only_cpus_of_the_callers_mask_are_taken() {
    let _alone = alone();
    let Some(_) = two_cpus() else { return };
    let last = *mask().last().expect("there are two");
    let bound = thread::spawn(move || {
        let mut only = CpuSet::new();
        only.set(last);
        sched_setaffinity(None, &only).expect("it may have a part of its mask");
        // With one CPU there is one thread, which is not pinned. Two threads need two CPUs to be pinned.
        let mut two = Machine::threads(2).pin(false);
        let why = Machine::threads(2).pin(true).run(Masks::call).map(|run| run.value);
        (masks(&mut two), why)
    });
    let (bound, why) = bound.join().expect("it runs");
    assert_eq!(bound, [[last], [last]]);
    let Err(Error::CannotBuild(why)) = why else { panic!("{why:?}") };
    assert_data_eq!(why, str!["pinning 2 units needs 2 cores, and 1 can be used"]);
}

struct Fails {
    panics: bool,
    out: Reply<u64>,
}

#[threaded]
impl Fails {
    fn start(panics: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(eu.nodes() - 1), Answers::call(eu.slot_ref(Self::fail())));
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

/// A value that, when it is dropped, records its thread's mask and runs a machine.
struct Tells;

static TOLD: Mutex<Vec<usize>> = Mutex::new(Vec::new());

impl Drop for Tells {
    fn drop(&mut self) {
        assert_eq!(masks(&mut Machine::threads(2).pin(true)).len(), 2);
        *TOLD.lock().unwrap() = mask();
    }
}

#[test]
fn the_callers_thread_has_its_mask_back_however_a_run_ends() {
    let _alone = alone();
    let Some(_) = two_cpus() else { return };
    let before = mask();
    for (config, nodes) in [(Config::Spn, 2), (Config::Dual, 1)] {
        let mut machine = Machine::threads(nodes).config(config).pin(true);
        // A fiber that panics, and a fiber that misuses an operation.
        let run = machine.run(|out| Fails::call(true, out)).map(|run| run.value);
        assert!(matches!(&run, Err(Error::Panicked { message, .. }) if message == "as it should"), "{run:?}");
        assert_eq!(mask(), before);
        let run = machine.run(|out| Fails::call(false, out)).map(|run| run.value);
        assert!(run.is_err() && !matches!(run, Err(Error::Panicked { .. })), "{run:?}");
        assert_eq!(mask(), before);
        // The closure that makes the main call panics.
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _tells = Tells;
            machine
                .run(|_: Reply<u64>| -> earth::Call<Fails> { panic!("in the closure") })
                .map(|run| run.value)
        }));
        assert!(panicked.is_err());
        assert_eq!((mask(), &*TOLD.lock().unwrap()), (before.clone(), &before));
        // A run that is refused, and a machine whose drop runs another machine.
        let token = CancelToken::new();
        let mut cancelled = Machine::threads(nodes).config(config).pin(true).cancel_token(token.clone());
        token.cancel();
        assert!(matches!(cancelled.run(Masks::call).map(|run| run.value), Err(Error::Cancelled)));
        drop((machine, Tells, cancelled));
        assert_eq!((mask(), &*TOLD.lock().unwrap()), (before.clone(), &before));
    }
}
