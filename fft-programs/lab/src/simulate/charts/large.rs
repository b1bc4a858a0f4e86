//! Transforms larger than memory, run without data: the number of nodes where they stop getting faster.
//!
//! The programs are the other figures' programs and the program for matrices, on
//! [phantoms](earth_fft::Plan::run_phantom_on). Their virtual times equal the times with data. The cost of
//! simulating them depends only on threads and tiles.

use earth::Config;

use crate::simulate::chart::{CONFIGS, Dot, Panel, power};
use crate::simulate::measured::Point;
use crate::simulate::program::Program;

/// Lines of the sender: points, up to 1 TiB of them, and threads per node.
pub(super) const SENDERS: [(usize, usize); 4] = [(1 << 24, 4), (1 << 36, 1), (1 << 36, 4), (1 << 36, 16)];

/// Sides of the squares, up to 256 GiB.
pub(super) const SIDES: [usize; 2] = [1 << 13, 1 << 17];

/// Numbers of nodes, up to the most that are simulated.
pub(super) const NODES: [usize; 6] = [1, 4, 16, 64, 256, 1024];

/// Makes a panel of senders and one of squares over these nodes, with a line for each choice of sizes.
pub(super) fn panels(senders: &[(usize, usize)], sides: &[usize], nodes: &[usize]) -> Vec<Panel> {
    let of_sender = |&(n, each): &(usize, usize)| {
        let threads = if each == 1 { "thread" } else { "threads" };
        (format!("N = {}, {each} {threads} a node", power(n)), (n, each))
    };
    let of_square = |&side: &usize| (format!("{0} x {0}", power(side)), side);
    let dots = |n: usize, config: Config, program: &dyn Fn(usize) -> Program| -> Vec<Dot> {
        let point = |p| Point { phantom: true, ..Point::at(program(p), config, n, p) };
        nodes.iter().map(|&p| Dot::over(p as f64, point(p), point(p).base())).collect()
    };
    let senders: Vec<_> = senders.iter().map(of_sender).collect();
    let squares: Vec<_> = sides.iter().map(of_square).collect();
    let mut left = Panel::new("Sender-initiated", &CONFIGS, &senders, |&(n, each), config| {
        dots(n, config, &|p| Program::Sender((n / (each * p)).max(1)))
    });
    left.note = Some("Blocks of 2^32 points and more are not run: a row of a block has fewer.".to_owned());
    let mut right = Panel::new("Squares, one row block a node", &CONFIGS, &squares, |&side, config| {
        dots(side * side, config, &|p| Program::Square(side.div_ceil(p)))
    });
    right.lines.iter_mut().for_each(|line| line.color += senders.len());
    vec![left, right]
}

#[cfg(test)]
mod tests {
    use earth::CancelToken;
    use earth::simulated::Profile;

    use super::*;
    use crate::run_cache::RunFile;
    use crate::simulate::chart::Chart;
    use crate::simulate::measured::Measured;
    use crate::simulate::report::Report;
    use crate::simulate::runs;
    use crate::simulate::setups::Setups;

    /// Makes a report on the chart at sizes that are quickly simulated.
    fn report() -> Report {
        let setups = Setups::new(Profile::named("manna50").unwrap(), None);
        let panels = panels(&[(1 << 10, 2), (1 << 36, 16)], &[64, 1 << 14], &[4, 16]);
        let chart = super::super::all().find(|chart| chart.name == "large").unwrap();
        let charts = vec![Chart { panels, ..chart }];
        let runs =
            runs::run(&charts[0].points(), &setups, &RunFile::default(), &CancelToken::new(), &()).unwrap();
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
                &RunFile::default(),
                &CancelToken::new(),
                &(),
            )
            .unwrap();
            let without = Point { phantom: true, ..with_data };
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
            let point = Point::at(Program::Square((1 << 14) / p), config, 1 << 28, p);
            let point = Point { phantom: true, ..point };
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
