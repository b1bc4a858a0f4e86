//! Runs on real cores that are recorded, and repeated by the stepper.

use earth::simulated::{Recording, Schedule};
use earth::{Config, Counters, Error, Eu, Machine, NodeId, Reply, Run, SlotRef, Then, threaded};
use earth_programs::{Machines, PROGRAMS};

const CONFIGS: [Config; 2] = [Config::Spn, Config::Dual];

fn recorder(nodes: usize, config: Config) -> Machine {
    Machine::threads(nodes).config(config).record(true)
}

fn recording(machine: &Machine) -> Recording {
    machine.recording().expect("the machine records").clone()
}

/// Returns a machine that repeats a run. The recording goes through its text form.
fn replayer(nodes: usize, config: Config, recording: &Recording) -> Machine {
    let recording = recording.to_string().parse().expect("a printed recording");
    Machine::stepper(1).nodes(nodes).config(config).schedule(Schedule::Replay(recording))
}

/// Returns the counters of a run that do not depend on time and on queues.
fn counted<T>(run: &Run<T>) -> Vec<[u64; 12]> {
    let of = |counters: &Counters| {
        let Counters { fibers, tokens, tokens_stolen, invokes, signals, block_moves, .. } = *counters;
        let Counters { bytes_moved, events_sent, frames, frames_ended, parked, deferred_reads, .. } =
            *counters;
        [
            fibers,
            tokens,
            tokens_stolen,
            invokes,
            signals,
            block_moves,
            bytes_moved,
            events_sent,
            frames,
            frames_ended,
            parked,
            deferred_reads,
        ]
    };
    run.by_node.iter().map(of).collect()
}

/// Lists numbers in the order in which they come, from tokens that make tokens.
struct Lists {
    list: Vec<u64>,
    left: u64,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Lists {
    fn start(numbers: u64, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        eu.token(Number::call(1, numbers, eu.reply(Self::hear().number)));
        for node in 0..eu.nodes() {
            let number = numbers + 1 + node as u64;
            eu.invoke(NodeId::new(node), Number::call(number, number, eu.reply(Self::hear().number)));
        }
        Lists { list: Vec::new(), left: numbers + eu.nodes() as u64, out }
    }

    #[slot(again)]
    fn hear(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        self.list.push(number);
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.list));
        Then::End
    }
}

/// Puts its number, and makes tokens for `2 n` and `2 n + 1` up to `most`.
struct Number;

#[threaded]
impl Number {
    fn start(number: u64, most: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        for further in [2 * number, 2 * number + 1] {
            if further <= most {
                eu.token(Number::call(further, most, to));
            }
        }
        eu.put(to, number);
    }
}

/// The order of the numbers depends on the schedule, and the repeated run has the same order.
#[test]
fn a_repeated_run_has_the_value_and_the_counters_of_the_recorded_one() {
    for config in CONFIGS {
        for nodes in 1..=4 {
            let mut machine = recorder(nodes, config);
            // The second recorded run of a machine can be repeated too.
            for _ in 0..3 {
                let run = machine.run(|out| Lists::call(300, out)).expect("it runs");
                let recorded = recording(&machine);
                let mut replayer = replayer(nodes, config, &recorded);
                for _ in 0..2 {
                    let again = replayer.run(|out| Lists::call(300, out)).expect("it can be repeated");
                    assert_eq!(again.value, run.value, "{nodes} nodes, {config}");
                    assert_eq!(counted(&again), counted(&run), "{nodes} nodes, {config}");
                }
                assert!(recorded.len() as u64 >= run.counters.fibers);
            }
        }
    }
}

#[test]
fn all_programs_are_repeated() {
    for program in PROGRAMS.iter().filter(|program| program.machines() != Machines::RealTime) {
        let instance = program.at(&program.small()).expect("its sizes fit");
        for config in CONFIGS {
            for nodes in [1, 3] {
                let mut machine = recorder(nodes, config);
                let run = instance.run(&mut machine).expect("the program is right");
                let mut replayer = replayer(nodes, config, &recording(&machine));
                let again = instance.run(&mut replayer);
                let again =
                    again.unwrap_or_else(|why| panic!("{}, {nodes} nodes, {config}: {why}", program.name()));
                assert_eq!(again.value, run.value);
                assert_eq!(counted(&again), counted(&run), "{}, {nodes} nodes, {config}", program.name());
            }
        }
    }
}

/// Ends its frame at the first of two signals.
struct Ends {
    out: Reply<u64>,
}

#[threaded]
impl Ends {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Signals::call(eu.slot_ref(Self::end())));
        }
        Ends { out }
    }

    #[slot(sync)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }
}

struct Signals;

#[threaded]
impl Signals {
    fn start(to: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(to);
    }
}

/// Panics on the last node.
struct Panics;

#[threaded]
impl Panics {
    fn start(_out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.invoke(NodeId::new(eu.nodes() - 1), Fails::call(13));
    }
}

struct Fails;

#[threaded]
impl Fails {
    fn start(number: u64, _eu: &mut Eu<Self>) {
        assert_ne!(number, 13, "an unlucky number");
    }
}

#[test]
fn a_repeated_run_has_the_error_of_the_recorded_one() {
    for config in CONFIGS {
        for nodes in 1..=2 {
            let mut machine = recorder(nodes, config);
            for round in 0..4 {
                let (error, again) = if round % 2 == 0 {
                    let error = machine.run(Panics::call).map(|run| run.value).expect_err("it panics");
                    let mut replayer = replayer(nodes, config, &recording(&machine));
                    (error, replayer.run(Panics::call).map(|run| run.value))
                } else if nodes == 1 {
                    continue;
                } else {
                    let error =
                        machine.run(Ends::call).map(|run| run.value).expect_err("one signal is too many");
                    let mut replayer = replayer(nodes, config, &recording(&machine));
                    (error, replayer.run(Ends::call).map(|run| run.value))
                };
                assert_eq!(again, Err(error), "{nodes} nodes, {config}");
            }
        }
    }
}

#[test]
fn a_recording_of_another_program_or_machine_is_refused_in_one_sentence() {
    let mut machine = recorder(2, Config::Spn);
    machine.run(|out| Lists::call(20, out)).expect("it runs");
    let recorded = recording(&machine);
    let longer = replayer(2, Config::Spn, &recorded).run(|out| Lists::call(30, out));
    assert!(matches!(longer.map(|run| run.value), Err(Error::NotReplayed(_))));
    let shorter = replayer(2, Config::Spn, &recorded).run(|out| Lists::call(10, out));
    assert!(matches!(shorter.map(|run| run.value), Err(Error::NotReplayed(_))));
    for other in [replayer(3, Config::Spn, &recorded), replayer(2, Config::Dual, &recorded)] {
        let mut other = other;
        let Err(Error::CannotBuild(why)) = other.run(|out| Lists::call(20, out)) else {
            panic!("it is refused")
        };
        assert!(why.contains("the recording is of 2 nodes in SPN"), "{why}");
    }
    for text in [
        "ordered",
        "ordered dual",
        "ordered spn i",
        "ordered spn | x",
        "ordered spn | f1",
        "ordered spn | i / i",
    ] {
        assert!(text.parse::<Recording>().is_err(), "{text}");
    }
}

/// A recording through bytes: messages name their senders there anyway.
#[test]
fn a_run_whose_messages_are_bytes_is_repeated() {
    for config in CONFIGS {
        let mut machine = recorder(2, config).through_bytes(true);
        let run = machine.run(|out| Lists::call(50, out)).expect("it runs");
        let mut replayer = replayer(2, config, &recording(&machine)).through_bytes(true);
        let again = replayer.run(|out| Lists::call(50, out)).expect("it can be repeated");
        assert_eq!((counted(&again), again.value), (counted(&run), run.value));
    }
}
