//! Transforms larger than memory, run without data: on how many nodes they still get faster.
//!
//! The programs are those of the other figures and that of matrices, on [phantoms](earth_fft::Plan::run_phantom_on):
//! what they take is what they would take with data, and what it takes to simulate them depends on threads and tiles
//! alone.

use super::chart::{CONFIGS, Chart, Lines, Measure, Panel, power};
use super::measured::Point;
use super::program::{Large, Program};
use super::subject::Subject;

/// The sender's lines: points, up to 1 TiB of them, and threads a node.
const SENDERS: [(usize, usize); 4] = [(1 << 24, 4), (1 << 36, 1), (1 << 36, 4), (1 << 36, 16)];

/// The sides of the squares, up to 256 GiB.
const SIDES: [usize; 2] = [1 << 13, 1 << 17];

/// Machines of up to the most nodes that are simulated.
const NODES: [usize; 6] = [1, 4, 16, 64, 256, 1024];

/// The chart of this subject; nothing for another one.
pub(super) fn chart(subject: Subject) -> Option<Chart> {
    (subject == Subject::Large).then(|| of(&SENDERS, &SIDES, &NODES))
}

/// A line of each panel for each choice of sizes, over these nodes.
fn of(senders: &[(usize, usize)], sides: &[usize], nodes: &[usize]) -> Chart {
    let sides_colour = senders.len();
    let senders = senders.iter().map(|&(n, each)| {
        let threads = if each == 1 { "thread" } else { "threads" };
        let points = nodes.iter().map(|&p| (n, p, Large::Sender((n / (each * p)).max(1))));
        (format!("N = {}, {each} {threads} a node", power(n)), points.collect())
    });
    let squares = sides.iter().map(|&side| {
        let points = nodes.iter().map(|&p| (side * side, p, Large::Square(side.div_ceil(p))));
        (format!("{0} x {0}", power(side)), points.collect())
    });
    let note = Some("Blocks of 2^32 points and more are not run: a row of a block has fewer.".to_owned());
    Chart {
        name: "large",
        title: "Larger than memory: speed-up over P".to_owned(),
        caption: "Simulated without data: every fiber runs, every block moves and all work is charged for, but no point is \
                  there; times are what they would be with points, until the last one is back on node 0. On the left the sender-initiated FFT of up to 2^36 points (1 \
                  TiB), on the right squares of up to 2^17 x 2^17 points (256 GiB) with one row block a node. The absolute \
                  speed-up against the row kernel on one node at the same costs; without dealing the points to \
                  the sender's threads, but with dealing the rows, which are at work while others are dealt. Solid lines \
                  are SPN, dashed ones DUAL."
            .to_owned(),
        x: "nodes P",
        measure: Measure::Speedup,
        panels: vec![
            Panel { note, ..panel("Sender-initiated", 0, &senders.collect::<Vec<_>>()) },
            panel("Squares, one row block a node", sides_colour, &squares.collect::<Vec<_>>()),
        ],
    }
}

/// The key of a line; the points, nodes and program of its runs.
type Choice = (String, Vec<(usize, usize, Large)>);

/// Their lines, in colours from `first` on.
fn panel(title: &str, first: usize, choices: &[Choice]) -> Panel {
    let mut lines = Lines::default();
    for config in CONFIGS {
        for (colour, (key, points)) in choices.iter().enumerate() {
            let point = |&(n, p, large): &(usize, usize, Large)| {
                let point = Point::at(Program::Large(large), config, n, p);
                (p as f64, point, Some(point.base()))
            };
            lines.add(key.clone(), first + colour, points.iter().map(point));
        }
    }
    lines.into_panel(title)
}

#[cfg(test)]
mod tests {
    use earth::simulated::Profile;
    use earth::{CancelToken, Config};

    use super::*;
    use crate::progress::Unseen;
    use crate::simulate::measured::Measured;
    use crate::simulate::report::Report;
    use crate::simulate::runs;
    use crate::simulate::setups::Setups;

    /// The chart at sizes that are quickly simulated, as a report.
    fn report() -> Report {
        let setups = Setups::new(Profile::named("manna50").unwrap(), None);
        let charts = vec![of(&[(1 << 10, 2), (1 << 36, 16)], &[64, 1 << 14], &[4, 16])];
        let runs = runs::run(&charts[0].points(), &setups, &CancelToken::new(), &Unseen).unwrap();
        Report { setups, charts, runs, statements: Vec::new() }
    }

    #[test]
    fn a_run_without_data_takes_what_one_with_data_takes() {
        let report = report();
        for config in CONFIGS {
            let with_data = Point::at(Program::Sender(1 << 7), config, 1 << 10, 4);
            let runs = runs::run(
                &[with_data, with_data.base()].into(),
                &report.setups,
                &CancelToken::new(),
                &Unseen,
            )
            .unwrap();
            let without = Point::at(Program::Large(Large::Sender(1 << 7)), config, 1 << 10, 4);
            for (with_data, without) in [(with_data, without), (with_data.base(), without.base())] {
                let (without, with) = (report.runs[&without], runs[&with_data]);
                assert!((without.total() - with.total() - with.gathering).abs() < 1e-12, "{without:?}");
                let Measured { local, multithreaded, gathering, .. } = with;
                let as_with = Measured { local, multithreaded, gathering, ..without };
                assert_eq!(as_with, Measured { error: None, ..with });
                assert!(with.error.is_some());
            }
        }
    }

    #[test]
    fn larger_runs_are_shown_like_all_others_and_without_an_error() {
        let report = report();
        let row = |line: &str| {
            let csv = String::from_utf8(report.tables().unwrap().remove(0).1).unwrap();
            csv.lines().find(|row| row.contains(line)).unwrap_or_else(|| panic!("{line}: {csv}")).to_owned()
        };
        let large = row("\"sender, no data\",spn,68719476736,16,268435456,,16,16.0,");
        assert!(large.ends_with(','), "{large}: no error");
        row("square, no data\",dual,268435456,16,1024,,16,16.0,");
        let speedup = |p, config| {
            let point = Point::at(Program::Large(Large::Square((1 << 14) / p)), config, 1 << 28, p);
            report.runs[&point.base()].total() / report.runs[&point].total()
        };
        for config in [Config::Spn, Config::Dual] {
            assert!(
                (3.5..=4.0).contains(&speedup(4, config)) && (12.0..=16.0).contains(&speedup(16, config))
            );
        }
        let said = report.document().to_string();
        assert!(
            said.contains("runs without data, whose times") && !said.contains("relative error"),
            "{said}"
        );
    }
}
