//! Two thousand machines with faults, which must not change any result.
//!
//! A seed draws a small program, a machine of few nodes with queues for one to four entries, and the faults.
//! Messages are late and overtake each other, nodes are slow, and units act in random order or by random
//! priorities. The result must be the sequential one to the bit, every frame that was made must have ended,
//! and the numbers of events must be the same as on real cores.
//!
//! A failing seed is reported with the command that repeats it and with a simplified schedule.

mod case;
mod judge;
mod programs;
mod table;

use earth::simulated::{Recording, Schedule};

use case::Case;
use judge::Judge;

/// Checks the seeds `first..first + 500`, one after another.
fn five_hundred(first: u64) {
    let mut judge = Judge::default();
    for seed in first..first + 500 {
        let case = Case::draw(seed);
        let expected = judge.expected(case.program, case.nodes);
        judge::examine(&case, &expected).unwrap_or_else(|report| panic!("{report}"));
    }
}

#[test]
fn five_hundred_seeds() {
    five_hundred(0);
}

#[test]
fn five_hundred_more() {
    five_hundred(500);
}

#[test]
fn the_third_five_hundred() {
    five_hundred(1_000);
}

#[test]
fn the_last_five_hundred() {
    five_hundred(1_500);
}

/// The seeds draw each program with each kind of machine.
#[test]
fn the_seeds_cover_everything() {
    let cases: Vec<_> = (0..2_000).map(Case::draw).collect();
    let mut drawn = std::collections::HashMap::new();
    for case in &cases {
        *drawn.entry((case.program.name(), case.schedule.name(), case.config, case.bytes)).or_insert(0) += 1;
    }
    assert_eq!(drawn.len(), 12 * 3 * 2 * 2, "programs, schedules, configurations, ways between nodes");
    assert!(drawn.values().all(|&times| times >= 4), "{drawn:?}");
    for room in [1, 2, 4] {
        assert!(cases.iter().filter(|case| case.room == room).count() > 500);
    }
    for nodes in 1..=4 {
        assert!(cases.iter().filter(|case| case.nodes == nodes).count() > 200);
    }
}

/// Runs the seed that `EARTH_FAULT_SEED` names, by the schedule in `EARTH_FAULT_SCHEDULE` if there is one. A
/// recorded run can be repeated step by step.
#[test]
fn one_seed() {
    let variable = |name| std::env::var(name).ok();
    let seed = variable("EARTH_FAULT_SEED").map_or(7, |seed| seed.parse().expect("a number as the seed"));
    let schedule = variable("EARTH_FAULT_SCHEDULE").map(|text| text.parse().expect("a printed schedule"));
    let case = Case::draw(seed);
    println!("{case:?}");
    let expected = Judge::default().expected(case.program, case.nodes);
    judge::examine(&case, &expected).unwrap_or_else(|report| panic!("{report}"));
    let mut machine = case.machine();
    if let Some(schedule) = schedule {
        machine = machine.schedule(Schedule::Replay(schedule));
    }
    let first = judge::judged(&mut machine, &case, &expected);
    assert_eq!(first, Ok(()));
    let recording = machine.recording().expect("recording is on").clone();
    assert!(recording.len() > 1);
    let mut machine = case.machine().schedule(Schedule::Replay(recording.clone()));
    assert_eq!(judge::judged(&mut machine, &case, &expected), first);
    assert_eq!(machine.recording(), Some(&recording));
}

/// Checks the report of a result that is wrong by one bit, and of a count that is wrong by one.
#[test]
fn a_failure_is_reported_with_a_way_to_repeat_it() {
    for seed in [3, 4] {
        let case = Case::draw(seed);
        let expected = Judge::default().expected(case.program, case.nodes);
        let mut bit = expected.clone();
        bit.result[0] ^= 1;
        let mut count = expected;
        count.events[0].1 += 1;
        for (wrong, why) in [(bit, "the result is not the sequential one"), (count, "fibers")] {
            let report = judge::examine(&case, &wrong).expect_err("what is expected is wrong");
            let command = format!(
                "EARTH_FAULT_SEED={seed} cargo test -p earth-tests --test ffts one_seed -- --nocapture"
            );
            assert!(report.contains(&command), "{report}");
            assert!(report.contains(why), "{report}");
            let text = report.split("EARTH_FAULT_SCHEDULE='").nth(1).and_then(|text| text.split('\'').next());
            let simple: Recording = text.expect("a schedule").parse().expect("a printed schedule");
            assert_eq!(simple.preemptions(), 0, "it fails by any schedule");
            let mut machine = case.machine().schedule(Schedule::Replay(simple));
            assert!(judge::judged(&mut machine, &case, &wrong).is_err());
        }
    }
}
