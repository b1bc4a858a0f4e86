//! Plots of the paper's figures 6 to 14, and of the model's error. In the paper's figures solid lines are
//! simulated, and dashed lines are the model's.

use earth_report::document::Content;
use earth_report::figure::{Axis, Layout, Line, Panel, Plot, Scale, Stroke};
use earth_report::numbers::{percent, power, short};

use super::chip::CLOCK;
use super::program::Program;
use super::results::{
    BEHAVIOURS, CORES, ENDS, FEW_CORES, LOGS, LOGS_4, LOGS_8, Published, Results, THREE, by, cores_of, local,
    plus,
};
use super::statements::mean_error;

const LAYOUT: Layout = Layout { width: 1300, panel: 1300, left: 140, dot: 8, ..Layout::WIDE };

/// Layout of two panels side by side.
const TWO: Layout = Layout { width: 2000, panel: 1000, height: 700, ..Layout::WIDE };

/// Returns a simulated line and the model's line.
fn both(key: &str, color: usize, dots: impl IntoIterator<Item = (f64, [f64; 2])>) -> [Line; 2] {
    let (simulated, model): (Vec<_>, Vec<_>) = dots.into_iter().map(|(x, [y, z])| ((x, y), (x, z))).unzip();
    [Line::new(key, color, simulated), Line::new("", color, model).drawn(Stroke::Dashed)]
}

fn plot(across: Axis, up: &str, panels: impl IntoIterator<Item = Panel>, layout: Layout) -> Plot {
    let axes = [across, Axis::new(up, Scale::Decades, short)];
    Plot::beside(axes, panels).sized(layout).dashed(["simulated", "model"])
}

fn over_points() -> Axis {
    Axis::new("points", Scale::Doublings, |n| format!("2^{}", n.log2().round()))
}

fn over_cores() -> Axis {
    Axis::new("cores", Scale::Doublings, power)
}

/// Adds the figures of stages, which need few runs: times of the stages of 2^10 points.
pub(crate) fn stages(content: Content, results: &Results) -> Content {
    let plot = |name: &str, program: &dyn Fn(usize) -> Program| {
        let panel = |cores: usize| {
            let program = program(cores);
            let times = results.stages(&program).into_iter().zip(results.modelled_stages(&program)).zip(1..);
            let dots = times.map(|((run, model), stage)| {
                (f64::from(stage), [run, model].map(|cycles| cycles / CLOCK * 1e6))
            });
            Panel::new(cores_of(cores), both(name, 0, dots))
        };
        let layout = Layout { width: 2000, panel: 500, height: 620, ..Layout::WIDE };
        let up = "microseconds a stage";
        plot(Axis::new("stage", Scale::Linear, short), up, FEW_CORES.map(panel), layout)
    };
    content
        .plot("fig6", plot("PAR-R2", &|cores| by(2, 10, cores)))
        .plot("fig7", plot("PAR-R4", &|cores| by(4, 10, cores)))
        .plot("fig12", plot("PAR-R2LM", &|cores| local(2, 10, cores)))
}

fn rates(results: &Results, program: &Program) -> [f64; 2] {
    [results.gflops(program), results.modelled_gflops(program)]
}

fn times(results: &Results, program: &Program) -> [f64; 2] {
    [results.cycles(program), results.modelled_cycles(program)].map(|cycles| cycles / CLOCK * 1e3)
}

/// Plots over N, with a pair of lines for each number of cores.
fn by_points(title: &str, radix: usize, logs: &[u32], of: impl Fn(&Program) -> [f64; 2]) -> Panel {
    let lines = FEW_CORES.into_iter().enumerate().flat_map(|(color, cores)| {
        let dots = logs.iter().map(|&log| (f64::from(log).exp2(), of(&by(radix, log, cores))));
        both(&cores_of(cores), color, dots)
    });
    Panel::new(title, lines)
}

/// Plots over cores, with a panel for each number of points.
fn by_cores(of: impl Fn(u32, usize) -> [f64; 2]) -> [Panel; 3] {
    THREE.map(|log| {
        let dots = CORES.map(|cores| (cores as f64, of(log, cores)));
        Panel::new(format!("2^{log} points"), both("PAR-R2", 0, dots))
    })
}

/// Plots the model's mean error by what the elements do, with the paper's figures.
fn errors(results: &Results) -> Plot {
    let lines = BEHAVIOURS.into_iter().enumerate().map(|(color, behaviour)| {
        let dots = CORES.map(|cores| (cores as f64, mean_error(results, behaviour, &[cores])));
        Line::new(behaviour.name, color, dots)
    });
    let reported = CORES.iter().filter_map(|&cores| {
        let error =
            [(1..=16, 0.16), (64..=64, 0.29)].into_iter().find(|(range, _)| range.contains(&cores))?.1;
        Some((cores as f64, error))
    });
    let marks = Line::new("the paper's average", 4, reported).drawn(Stroke::Marks);
    let up = Axis::new("mean error of the model, over simulated time", Scale::Linear, percent).with([0.0]);
    Plot::one([over_cores(), up], lines.chain([marks])).sized(LAYOUT)
}

pub(crate) fn drawn(content: Content, results: &Results) -> Content {
    let rates = |program: &Program| rates(results, program);
    let times = |program: &Program| times(results, program);
    let speed_up = |log, cores| {
        let [now, alone] = [cores, 1].map(|cores| times(&by(2, log, cores)));
        [alone[0] / now[0], alone[1] / now[1]]
    };
    let three = Layout { width: 2000, panel: 660, height: 700, ..Layout::WIDE };
    let speed_ups = by_cores(speed_up).map(|mut panel| {
        panel
            .lines
            .push(Line::ideal("as many times as cores", CORES.map(|cores| (cores as f64, cores as f64))));
        panel
    });
    // The paper only predicts radix 8.
    let higher = [by_points("radix 4", 4, &LOGS_4, rates), by_points("radix 8", 8, &LOGS_8, rates)];
    let more_elements = |log: u32| {
        let chips: [(_, Published); 2] = [("C64", by), ("C64+", |_, log, cores| plus(log, cores))];
        let lines = chips.into_iter().enumerate().flat_map(|(color, (name, program))| {
            both(name, color, CORES.map(|cores| (cores as f64, rates(&program(2, log, cores)))))
        });
        Panel::new(format!("2^{log} points"), lines)
    };
    let of_rates = by_cores(|log, cores| rates(&by(2, log, cores)));
    stages(content, results)
        .plot("fig8", plot(over_points(), "milliseconds", [by_points("", 2, &LOGS, times)], LAYOUT))
        .plot("fig9", plot(over_points(), "Gflops", [by_points("", 2, &LOGS, rates)], LAYOUT))
        .plot("fig10", plot(over_cores(), "Gflops", of_rates, three))
        .plot("fig11", plot(over_cores(), "speed-up over one core", speed_ups, three))
        .plot("fig13", plot(over_points(), "Gflops", higher, TWO))
        .plot("fig14", plot(over_cores(), "Gflops", ENDS.map(more_elements), TWO))
        .plot("errors", errors(results))
}
