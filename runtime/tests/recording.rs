//! Schedules that are recorded, replayed and made simpler.

mod common;

use earth::{
    Config, Error, Faults, Machine, NodeId, Profile, Recording, Reply, Run, Schedule, Then, shrink,
    threaded_old,
};

threaded_old! {
    /// An account of 0, and a client on each other node that deposits 1. It gives the balance.
    fn Bank(out: Reply<u64>)
    state  { clients: usize = 0, balance: u64 = 0 }
    calls  { Client }
    inlets { ask: Reply<u64>, deposit: u64 }
    slots  { asked: 1, reset 1 => tell, deposited: 1, reset 1 => set }
    fiber start(this, eu) {
        this.clients = eu.nodes() - 1;
        let account = (eu.reply_to(Self::ask, Self::asked), eu.reply_to(Self::deposit, Self::deposited));
        for node in 1..eu.nodes() {
            eu.invoke_old::<Client>(NodeId::new(node), (Box::new(account),));
        }
        Then::Wait
    }
    fiber tell(this, eu) {
        let client = eu.take(Self::ask);
        eu.put(client, this.balance);
        Then::Wait
    }
    fiber set(this, eu) {
        this.balance = eu.take(Self::deposit);
        this.clients -= 1;
        if this.clients > 0 {
            return Then::Wait;
        }
        eu.put(this.out, this.balance);
        Then::End
    }
}

threaded_old! {
    /// Asks for the balance and deposits one more: wrong, if another client does so meanwhile.
    fn Client(account: Box<(Reply<Reply<u64>>, Reply<u64>)>)
    inlets { balance: u64 }
    slots  { told: 1 => deposit }
    fiber start(this, eu) {
        let balance = eu.reply_to(Self::balance, Self::told);
        eu.put(this.account.0, balance);
        Then::Wait
    }
    fiber deposit(this, eu) {
        let balance = eu.take(Self::balance);
        eu.put(this.account.1, balance + 1);
        Then::End
    }
}

fn manna50() -> Profile {
    Profile::named("manna50").expect("it is built in")
}

/// Machines of every schedule.
fn machine(kind: &Schedule, seed: u64) -> Machine {
    let machine = Machine::simulated(&manna50()).seed(seed).nodes(4).queue_capacity(2).record(true);
    let machine = machine.config(if seed.is_multiple_of(2) { Config::Spn } else { Config::Dual });
    machine.schedule(kind.clone()).faults(Faults { delay: 900, slowness: 3 })
}

const SCHEDULES: [Schedule; 3] = [Schedule::Time, Schedule::Random, Schedule::Pct { changes: 3, steps: 60 }];

/// What a run came to, but for the host's time.
fn outcome(machine: &mut Machine) -> (Result<(u64, Option<u64>), Error>, Recording) {
    let run = machine.run_old::<Bank>(());
    let of = |run: Run<u64>| (run.value, run.cycles);
    (run.map(of), machine.recording().expect("it is told to record").clone())
}

#[test]
fn one_seed_makes_the_same_choices_twice() {
    for kind in &SCHEDULES {
        let all: Vec<_> = (0..40).map(|seed| outcome(&mut machine(kind, seed))).collect();
        for (seed, first) in (0..).zip(&all) {
            let mut machine = machine(kind, seed);
            assert_eq!(outcome(&mut machine), *first, "{kind:?}, seed {seed}");
            assert_eq!(outcome(&mut machine), *first, "the second run of {machine:?}");
            assert!(first.1.len() > 20);
        }
        assert!((2..40).any(|seed| all[seed] != all[seed % 2]), "seeds differ");
    }
}

#[test]
fn a_recording_repeats_the_run() {
    for kind in &SCHEDULES {
        for seed in 0..40 {
            let (result, recording) = outcome(&mut machine(kind, seed));
            let text = recording.to_string();
            let again = Schedule::Replay(text.parse().expect("a printed recording"));
            let replayed = outcome(&mut machine(kind, seed).schedule(again));
            assert_eq!(replayed, (result, recording), "{kind:?}, seed {seed}");
        }
    }
}

#[test]
fn only_a_simulated_machine_that_is_told_to_records() {
    let mut machines =
        [Machine::threads(2).record(true), Machine::stepper(1), Machine::stepper(1).record(true)];
    let recorded = machines.each_mut().map(|machine| {
        assert!(machine.recording().is_none());
        common::good::<Bank>(machine, ());
        machine.recording().is_some()
    });
    assert_eq!(recorded, [false, false, true]);
}

/// Whether all three deposits are there.
fn sound(run: &Result<(u64, Option<u64>), Error>) -> bool {
    matches!(run, Ok((3, _)))
}

/// Replays a schedule with a seed's messages; what was recorded if it failed.
fn replay(kind: &Schedule, seed: u64, recording: &Recording) -> Option<Recording> {
    let (run, recorded) = outcome(&mut machine(kind, seed).schedule(Schedule::Replay(recording.clone())));
    (!sound(&run)).then_some(recorded)
}

/// A lost deposit takes a second client that asks before the first one has deposited, no more.
#[test]
fn a_failing_schedule_becomes_simple() {
    let (mut failed, mut passed) = (0, 0);
    for kind in &SCHEDULES[1..] {
        for seed in 0..15 {
            let (run, recording) = outcome(&mut machine(kind, seed));
            if sound(&run) {
                passed += 1;
                continue;
            }
            failed += 1;
            let simple = shrink(&recording, |choices| replay(kind, seed, choices));
            assert_eq!(replay(kind, seed, &simple).as_ref(), Some(&simple), "it fails as it was recorded");
            assert!(simple.preemptions() <= 1, "{recording}\n became\n{simple}");
            assert!(simple.switches() <= recording.switches());
            assert_eq!(simple, shrink(&recording, |choices| replay(kind, seed, choices)), "the same again");
        }
    }
    assert!(failed > 5 && passed > 0, "{failed} of {} failed", failed + passed);
}

#[test]
fn what_needs_no_schedule_to_fail_needs_no_preemption() {
    let recording = outcome(&mut machine(&Schedule::Random, 3)).1;
    assert!(recording.preemptions() > 0, "{recording}");
    let run = |choices: &Recording| {
        Some(outcome(&mut machine(&Schedule::Random, 3).schedule(Schedule::Replay(choices.clone()))).1)
    };
    assert_eq!(shrink(&recording, run).preemptions(), 0);
    let never = shrink(&recording, |_| None);
    assert_eq!(never, recording);
}
