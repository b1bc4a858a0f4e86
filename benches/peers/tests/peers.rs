//! The comparison with peers: every engine of every measure works, and the figures are evaluated correctly.
//! The figures themselves are times, which no test judges.

use std::process::{Command, Output};

use earth_peers::engines::Load;
use earth_peers::measures::MEASURES;
use earth_peers::rounds::{self, order};
use earth_peers::table::Ratio;

fn peers(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_peers")).args(arguments).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it writes UTF-8")
}

#[test]
fn every_engine_of_every_measure_works() {
    let done = peers(&["--tiny", "--work", "1", "--rounds", "1"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    // Each measure has a part of the table, after the header.
    let mut parts = text(&done.stdout).split("\n\n").skip(1);
    for measure in MEASURES {
        let mut lines = parts.next().expect("every measure has its part").lines();
        assert!(lines.next().is_some_and(|line| line.starts_with(&format!("{}: ", measure.name))));
        let (main, _) = measure.engines[0];
        let peers = measure.engines[1..].iter().map(|(name, _)| vec![*name]);
        for names in [vec![main], vec![main, "again"]].into_iter().chain(peers) {
            let line = lines.next().expect("every engine has its row");
            let words: Vec<_> = line.split_whitespace().collect();
            assert_eq!(words[..names.len()], names, "{line}");
            let figure: f64 = words[names.len()].parse().expect(line);
            // Resident memory need not grow.
            assert!(figure > 0.0 || measure.name == "alive-bytes" && figure == 0.0, "{line}");
        }
        assert_eq!(lines.next(), None);
    }
    assert_eq!(parts.next(), None);
}

#[test]
fn a_child_prints_one_number() {
    let done = peers(&["--child", "chain", "spn", "--tiny", "--work", "1"]);
    let printed = text(&done.stdout);
    assert!(printed.trim().parse::<f64>().is_ok_and(|figure| figure > 0.0), "{printed}");
}

#[test]
fn a_child_that_fails_is_named() {
    // The children of this process run its own program, the tests, which do not know `--child`.
    let failed = rounds::run(&MEASURES[0], 1, Load { tiny: true, work: 1 });
    assert!(failed.is_err_and(|told| told.starts_with("measure fib-1, engine spn: the child failed")));
}

#[test]
fn wrong_arguments_are_refused_in_one_line() {
    for (arguments, of) in [
        (&["fib-3"][..], "fib-3"),
        (&["fib-1", "--quick"], "--quick"),
        (&["--rounds"], "--rounds"),
        (&["--rounds", "0"], "--rounds"),
        (&["--rounds", "eleven"], "eleven"),
        (&["--work", "-1"], "-1"),
        (&["--child", "fib-1"], "--child"),
        (&["--child", "fib-1", "tbb"], "tbb"),
        (&["--child", "fib-3", "spn"], "fib-3"),
    ] {
        let done = peers(arguments);
        let sentence = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}: {sentence}");
        assert!(done.stdout.is_empty());
        assert_eq!(sentence.lines().count(), 1, "{sentence}");
        assert!(sentence.contains(of), "{sentence}");
    }
}

#[test]
fn every_engine_has_every_turn() {
    for engines in 2..5 {
        let rounds: Vec<Vec<usize>> = (0..=engines).map(|round| order(engines, round).collect()).collect();
        let turns = (0..=engines).map(|turn| rounds.iter().map(|round| round[turn]).collect());
        for mut everybody in rounds.clone().into_iter().chain(turns) {
            everybody.sort_unstable();
            assert!(everybody.into_iter().eq(0..=engines), "{rounds:?}");
        }
    }
}

#[test]
fn a_ratio_is_shown_by_medians_and_by_rounds() {
    let ratio = Ratio::of(&[30.0, 10.0, 24.0], &[10.0, 8.0, 6.0]);
    assert!((ratio.of_medians - 3.0).abs() < 1e-12, "24 over 8");
    let by_round = [ratio.by_round.min, ratio.by_round.median, ratio.by_round.max];
    assert!(
        by_round.iter().zip([1.25, 3.0, 4.0]).all(|(is, ought)| (is - ought).abs() < 1e-12),
        "{by_round:?}"
    );
}

#[test]
fn ratios_in_the_null_band_are_not_significant() {
    let own = [10.0; 3];
    let told =
        |null: [f64; 3], peer: f64| Ratio::of(&own, &[peer; 3]).is_significant(&Ratio::of(&null, &own));
    // The null band is 0.9 to 1.1.
    let around = [9.0, 10.0, 11.0];
    assert!(told(around, 8.0) && told(around, 12.0));
    assert!(!told(around, 9.2) && !told(around, 10.0) && !told(around, 11.0));
    // A band whose values are all at least 1.1 still begins at 1.
    let above = [11.0, 12.0, 13.0];
    assert!(!told(above, 9.5) && !told(above, 10.0) && told(above, 10.1));
    // A ratio of 0 to 0 shows no difference.
    assert!(!Ratio::of(&[0.0], &[0.0]).is_significant(&Ratio::of(&[1.0], &[1.0])));
}
