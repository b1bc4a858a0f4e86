//! Transforms larger than memory, run without data: on how many nodes they still get faster.
//!
//! The programs are those of the other figures and that of matrices, on phantoms ([`programs::phantom`]): what they
//! take is what they would take with data, and what it takes to simulate them depends on threads and tiles alone.
//!
//! [`programs::phantom`]: crate::programs::phantom

use earth::Machine;

use super::chart::{CONFIGS, Chart, Lines, Measure, Panel};
use super::figures::{at, power};
use super::points::{Measured, Program};
use crate::cli::args::Subject;
use crate::programs::{TransformError, phantom};

/// A program without data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Large {
    /// The row kernel on one node.
    Row,
    /// The sender-initiated FFT in blocks of so many points.
    Sender(usize),
    /// The FFT of a square matrix in row blocks of so many rows.
    Square(usize),
}

/// The sender's lines: points, up to 1 TiB of them, and threads a node.
const SENDERS: [(usize, usize); 4] = [(1 << 24, 4), (1 << 36, 1), (1 << 36, 4), (1 << 36, 16)];

/// The sides of the squares, up to 256 GiB.
const SIDES: [usize; 2] = [1 << 13, 1 << 17];

/// Machines of up to the most nodes that are simulated.
const NODES: [usize; 6] = [1, 4, 16, 64, 256, 1024];

impl Large {
    /// Whether it can transform `n` points on `p` nodes.
    pub(super) fn can(self, n: usize, p: usize) -> bool {
        match self {
            Self::Row => p == 1,
            // A row of a block has 32 bits.
            Self::Sender(block) => block <= n && block < 1 << 32,
            Self::Square(_) => n.isqrt().pow(2) == n,
        }
    }

    /// About how many fibers it has.
    pub(super) fn fibers(self, n: usize) -> usize {
        match self {
            Self::Row => 1,
            Self::Sender(block) => n / block * (2 * (n / block).ilog2() as usize + 3),
            Self::Square(rows) => n.isqrt().div_ceil(rows).pow(2),
        }
    }

    /// The points of a thread, or the rows of a row block.
    pub(super) fn block(self) -> Option<usize> {
        match self {
            Self::Row => None,
            Self::Sender(block) | Self::Square(block) => Some(block),
        }
    }

    /// The name of the program in files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Row => "row kernel, no data",
            Self::Sender(_) => "sender, no data",
            Self::Square(_) => "square, no data",
        }
    }

    /// Runs it on `n` points.
    pub(super) fn run(
        self,
        machine: &mut Machine,
        n: usize,
    ) -> Result<(Measured, Option<earth::Trace>), TransformError> {
        let of_signal = |done: phantom::Simulated<_>| (Measured::without_data(&done), done.trace);
        match self {
            Self::Row => phantom::row::<f64>(machine, n).map(of_signal),
            Self::Sender(block) => phantom::sender::<f64>(machine, n, block).map(of_signal),
            Self::Square(rows) => {
                let side = n.isqrt();
                let done = phantom::matrix::<f64>(machine, side, side, Some(rows))?;
                Ok((Measured::of_matrix(&done), done.trace))
            }
        }
    }
}

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
    Chart {
        name: "large",
        title: "Larger than memory: speed-up over P".to_owned(),
        caption: "Simulated without data: every fiber runs, every block moves and all work is charged for, but no point is \
                  there; times are what they would be with points. On the left the sender-initiated FFT of up to 2^36 points (1 \
                  TiB), on the right squares of up to 2^17 x 2^17 points (256 GiB) with one row block a node. The absolute \
                  speed-up against the row kernel on one node at the same costs; without dealing the points to \
                  the sender's threads, but with dealing the rows, which are at work while others are dealt. Solid lines \
                  are SPN, dashed ones DUAL."
            .to_owned(),
        x: "nodes P",
        measure: Measure::Speedup,
        level: None,
        panels: vec![
            panel("Sender-initiated", 0, &senders.collect::<Vec<_>>()),
            panel("Squares, one row block a node", sides_colour, &squares.collect::<Vec<_>>()),
        ],
        notes: vec!["Blocks of 2^32 points and more are not run: a row of a block has fewer.".to_owned()],
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
                let point = at(Program::Large(large), config, n, p);
                (p as f64, point, Some(point.base()))
            };
            lines.add(key.clone(), first + colour, points.iter().map(point));
        }
    }
    lines.into_panel(title)
}

#[cfg(test)]
mod tests {
    use earth::Profile;

    use super::*;
    use crate::cli::simulate::points::{self, Setups};
    use crate::cli::simulate::report::Report;
    use crate::cli::stop::Stop;
    use crate::request::Config;

    /// The chart at sizes that are quickly simulated, as a report.
    fn report() -> Report {
        let setups = Setups::new(Profile::named("manna50").unwrap(), None);
        let charts = vec![of(&[(1 << 10, 2), (1 << 36, 16)], &[64, 1 << 14], &[4, 16])];
        let runs = points::run(&charts[0].points(), &setups, &Stop::default()).unwrap();
        Report { setups, charts, runs, statements: Vec::new() }
    }

    #[test]
    fn a_run_without_data_takes_what_one_with_data_takes() {
        let report = report();
        for config in CONFIGS {
            let with_data = at(Program::Sender(1 << 7), config, 1 << 10, 4);
            let runs =
                points::run(&[with_data, with_data.base()].into(), &report.setups, &Stop::default()).unwrap();
            let without = at(Program::Large(Large::Sender(1 << 7)), config, 1 << 10, 4);
            for (with_data, without) in [(with_data, without), (with_data.base(), without.base())] {
                assert_eq!(report.runs[&without], Measured { error: None, ..runs[&with_data] });
                assert!(runs[&with_data].error.is_some());
            }
        }
    }

    #[test]
    fn larger_runs_are_shown_like_all_others_and_without_an_error() {
        let report = report();
        let row = |line: &str| {
            let csv = String::from_utf8(report.csv(&report.charts[0]).unwrap()).unwrap();
            csv.lines().find(|row| row.contains(line)).unwrap_or_else(|| panic!("{line}: {csv}")).to_owned()
        };
        let large = row("\"sender, no data\",spn,68719476736,16,268435456,16.0,");
        assert!(large.ends_with(','), "{large}: no error");
        row("square, no data\",dual,268435456,16,1024,16.0,");
        let speedup = |p, config| {
            let point = at(Program::Large(Large::Square((1 << 14) / p)), config, 1 << 28, p);
            report.runs[&point.base()].total() / report.runs[&point].total()
        };
        for config in [Config::Spn, Config::Dual] {
            assert!(
                (3.5..=4.0).contains(&speedup(4, config)) && (12.0..=16.0).contains(&speedup(16, config))
            );
        }
        let said = report.to_string();
        assert!(
            said.contains("runs without data, whose times") && !said.contains("relative error"),
            "{said}"
        );
    }

    #[test]
    fn what_no_block_can_hold_is_not_run() {
        assert!(!Large::Sender(1 << 32).can(1 << 36, 1) && Large::Sender(1 << 31).can(1 << 36, 1));
        assert!(Large::Square(7).can(1 << 34, 9) && !Large::Square(7).can(1 << 33, 9));
        assert!(Large::Row.can(1 << 36, 1) && !Large::Row.can(1 << 36, 2));
    }
}
