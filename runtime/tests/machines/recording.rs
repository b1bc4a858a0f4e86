//! Schedules that are recorded, replayed and simplified.

use earth::simulated::{Faults, Profile, Recording, Schedule, shrink};
use earth::{Config, Error, Eu, Machine, NodeId, Reply, Run, Then, threaded};

/// An account that begins with 0, and a client on each other node that deposits 1. Puts the balance.
struct Bank {
    clients: usize,
    balance: u64,
    out: Reply<u64>,
}

#[threaded]
impl Bank {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (ask, deposit) = (eu.reply(Self::tell().client), eu.reply(Self::set().balance));
        for node in 1..eu.nodes() {
            eu.invoke(NodeId::new(node), Client::call(ask, deposit));
        }
        Bank { clients: eu.nodes() - 1, balance: 0, out }
    }

    #[slot(again)]
    fn tell(&mut self, client: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(client, self.balance);
    }

    #[slot(again)]
    fn set(&mut self, balance: u64, eu: &mut Eu<Self>) -> Then {
        self.balance = balance;
        self.clients -= 1;
        if self.clients > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.balance);
        Then::End
    }
}

/// Reads the balance and deposits one more. This is wrong if another client does so meanwhile.
struct Client {
    to: Reply<u64>,
}

#[threaded]
impl Client {
    fn start(ask: Reply<Reply<u64>>, to: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.put(ask, eu.reply(Self::deposit().balance));
        Client { to }
    }

    #[slot]
    fn deposit(self, balance: u64, eu: &mut Eu<Self>) {
        eu.put(self.to, balance + 1);
    }
}

fn manna50() -> Profile {
    Profile::named("manna50").expect("it is built in")
}

/// Builds a machine with a schedule of each kind.
fn machine(kind: &Schedule, seed: u64) -> Machine {
    let machine = Machine::simulated(&manna50()).seed(seed).nodes(4).queue_capacity(2).record(true);
    let machine = machine.config(if seed.is_multiple_of(2) { Config::Spn } else { Config::Dual });
    machine.schedule(kind.clone()).faults(Faults { delay: 900, slowness: 3 })
}

const SCHEDULES: [Schedule; 3] = [Schedule::Time, Schedule::Random, Schedule::Pct { changes: 3, steps: 60 }];

/// Returns the outcome of a run, without the host's time.
fn outcome(machine: &mut Machine) -> (Result<(u64, Option<u64>), Error>, Recording) {
    let run = machine.run(Bank::call);
    let of = |run: Run<u64>| (run.value, run.cycles);
    (run.map(of), machine.recording().expect("recording is on").clone())
}

#[test]
fn one_seed_makes_the_same_choices_twice() {
    for kind in &SCHEDULES {
        let all: Vec<_> = (0..40).map(|seed| outcome(&mut machine(kind, seed))).collect();
        for (seed, first) in (0..).zip(&all) {
            let mut machine = machine(kind, seed);
            assert_eq!(outcome(&mut machine), *first, "{kind:?}, seed {seed}");
            assert_eq!(outcome(&mut machine), *first, "the second run of {machine:?}");
            assert!(first.1.len() > 5, "{}", first.1);
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
fn a_machine_has_a_recording_after_a_run_if_it_records() {
    let machines = [|| Machine::threads(2), || Machine::stepper(1)];
    for machine in machines {
        for records in [false, true] {
            let mut machine = machine().record(records);
            assert!(machine.recording().is_none());
            crate::common::gives(&mut machine, Bank::call);
            assert_eq!(machine.recording().is_some(), records);
        }
    }
}

/// Whether all three deposits are present.
fn sound(run: &Result<(u64, Option<u64>), Error>) -> bool {
    matches!(run, Ok((3, _)))
}

/// Replays a schedule with a seed's messages. Returns its recording if it failed.
fn replay(kind: &Schedule, seed: u64, recording: &Recording) -> Option<Recording> {
    let (run, recorded) = outcome(&mut machine(kind, seed).schedule(Schedule::Replay(recording.clone())));
    (!sound(&run)).then_some(recorded)
}

/// A lost deposit only needs a second client that reads before the first one has deposited.
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
fn failures_without_a_schedule_need_no_preemption() {
    let recording = outcome(&mut machine(&Schedule::Random, 3)).1;
    assert!(recording.preemptions() > 0, "{recording}");
    let run = |choices: &Recording| {
        Some(outcome(&mut machine(&Schedule::Random, 3).schedule(Schedule::Replay(choices.clone()))).1)
    };
    assert_eq!(shrink(&recording, run).preemptions(), 0);
    let never = shrink(&recording, |_| None);
    assert_eq!(never, recording);
}
