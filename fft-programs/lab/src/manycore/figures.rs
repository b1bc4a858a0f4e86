//! What is drawn: the paper's figures 6 to 14. Solid lines are simulated, dashed ones the model's.

use super::chip::CLOCK;
use super::program::Program;
use super::results::{
    CORES, ENDS, FEW_CORES, LOGS, LOGS_4, LOGS_8, Results, THREE, by, cores_of, near, plus,
};
use crate::figure::{Axis, Dot, Figure, Layout, Line, Panel, Plot, Scale, Stroke};
use crate::numbers::{power, short};

const LAYOUT: Layout = Layout { width: 1300, panel: 1300, left: 140, dot: 8, ..Layout::WIDE };
const DASHES: [&str; 2] = ["simulated", "model"];

/// A line of what is simulated, and one of the model.
fn both(key: &str, colour: usize, dots: impl Iterator<Item = (f64, [f64; 2])>) -> [Line; 2] {
    let dots: Vec<_> = dots.collect();
    [Stroke::Solid, Stroke::Dashed].map(|stroke| {
        let which = usize::from(stroke == Stroke::Dashed);
        let key = if which == 0 { key.to_owned() } else { String::new() };
        Line { key, colour, stroke, dots: dots.iter().map(|(x, y)| Dot::at(*x, y[which])).collect() }
    })
}

fn figure(
    number: u32,
    title: &str,
    caption: &str,
    axes: [Axis; 2],
    panels: Vec<Panel>,
    layout: Layout,
) -> Figure {
    let [across, up] = axes;
    Figure {
        name: format!("fig{number}"),
        title: format!("Figure {number}: {title}"),
        caption: caption.to_owned(),
        layout,
        plot: Plot { across, up, level: None, dashes: Some(DASHES), panels },
    }
}

fn one(lines: impl IntoIterator<Item = [Line; 2]>) -> Vec<Panel> {
    vec![Panel { title: String::new(), lines: lines.into_iter().flatten().collect() }]
}

fn over_points() -> Axis {
    Axis::new("points", Scale::Doublings, |n| format!("2^{}", n.log2().round()))
}

fn over_cores() -> Axis {
    Axis::new("cores", Scale::Doublings, power)
}

fn rate() -> Axis {
    Axis::new("Gflops", Scale::Decades, short)
}

/// Figures 6, 7 and 12: times of stages of 2^10 points.
pub(crate) fn stages(results: &Results, number: u32, name: &str, program: fn(usize) -> Program) -> Figure {
    let panel = |cores: usize| {
        let program = program(cores);
        let times = results.stages(&program).into_iter().zip(results.modelled_stages(&program));
        let dots = times.enumerate().map(|(stage, (run, model))| {
            (stage as f64 + 1.0, [run, model].map(|cycles| cycles / CLOCK * 1e6))
        });
        let lines = both(name, 0, dots).into();
        Panel { title: cores_of(cores), lines }
    };
    let axes = [Axis::new("stage", Scale::Linear, short), Axis::new("microseconds", Scale::Decades, short)];
    let layout = Layout { width: 2000, panel: 500, height: 620, ..Layout::WIDE };
    figure(
        number,
        &format!("times of stages, {name}"),
        "2^10 points; a stage and the barrier after it.",
        axes,
        FEW_CORES.map(panel).into(),
        layout,
    )
}

/// The figures of stages, which need few runs.
pub(crate) fn all_stages(results: &Results) -> [Figure; 3] {
    [
        stages(results, 6, "PAR-R2", |cores| by(2, 10, cores)),
        stages(results, 7, "PAR-R4", |cores| by(4, 10, cores)),
        stages(results, 12, "PAR-R2LM", |cores| near(10, cores)),
    ]
}

/// Over N, a pair of lines for each number of cores.
fn by_points(
    results: &Results,
    radix: usize,
    logs: &[u32],
    of: fn(&Results, &Program) -> [f64; 2],
) -> Vec<Panel> {
    one(FEW_CORES.iter().enumerate().map(|(colour, &cores)| {
        let dots = logs.iter().map(|&log| (f64::from(log).exp2(), of(results, &by(radix, log, cores))));
        both(&cores_of(cores), colour, dots)
    }))
}

fn rates(results: &Results, program: &Program) -> [f64; 2] {
    [results.gflops(program), results.modelled_gflops(program)]
}

fn times(results: &Results, program: &Program) -> [f64; 2] {
    [results.cycles(program), results.model(program).cycles()].map(|cycles| cycles / CLOCK * 1e3)
}

/// Figure 8.
pub(crate) fn time_by_points(results: &Results) -> Figure {
    let axes = [over_points(), Axis::new("milliseconds", Scale::Decades, short)];
    let caption = "All stages and barriers; the reversal of bits is not counted, as in the paper.";
    figure(8, "time over N, PAR-R2", caption, axes, by_points(results, 2, &LOGS, times), LAYOUT)
}

/// Figure 9.
pub(crate) fn rate_by_points(results: &Results) -> Figure {
    let caption = "5 N log2 N operations over the time.";
    figure(
        9,
        "rate over N, PAR-R2",
        caption,
        [over_points(), rate()],
        by_points(results, 2, &LOGS, rates),
        LAYOUT,
    )
}

/// Figure 13, with what the paper predicts of radix 8.
pub(crate) fn rate_of_higher(results: &Results) -> Figure {
    let layout = Layout { width: 2000, panel: 1000, height: 700, ..Layout::WIDE };
    let mut panels = by_points(results, 4, &LOGS_4, rates);
    panels.extend(by_points(results, 8, &LOGS_8, rates));
    for (panel, title) in panels.iter_mut().zip(["radix 4", "radix 8"]) {
        title.clone_into(&mut panel.title);
    }
    let caption = "The paper shows radix 4 and predicts radix 8; here both are simulated.";
    figure(13, "rate over N, PAR-R4 and PAR-R8", caption, [over_points(), rate()], panels, layout)
}

fn by_cores(results: &Results, of: impl Fn(&Results, u32, usize) -> [f64; 2]) -> Vec<Panel> {
    one(THREE.iter().enumerate().map(|(colour, &log)| {
        both(
            &format!("2^{log} points"),
            colour,
            CORES.iter().map(|&cores| (cores as f64, of(results, log, cores))),
        )
    }))
}

/// Figure 10.
pub(crate) fn rate_by_cores(results: &Results) -> Figure {
    let panels = by_cores(results, |results, log, cores| rates(results, &by(2, log, cores)));
    figure(10, "rate over cores, PAR-R2", "Two elements a core.", [over_cores(), rate()], panels, LAYOUT)
}

/// Figure 11.
pub(crate) fn speedup(results: &Results) -> Figure {
    let panels = by_cores(results, |results, log, cores| {
        let [now, alone] = [cores, 1].map(|cores| times(results, &by(2, log, cores)));
        [alone[0] / now[0], alone[1] / now[1]]
    });
    let axes = [over_cores(), Axis::new("speed-up", Scale::Decades, short)];
    figure(
        11,
        "speed-up over cores, PAR-R2",
        "Over one core, that is two elements; the model's over the model's.",
        axes,
        panels,
        LAYOUT,
    )
}

/// Figure 14.
pub(crate) fn more_elements(results: &Results) -> Figure {
    let panel = |log: u32| {
        let lines =
            [("C64", by as fn(usize, u32, usize) -> Program), ("C64+", |_, log, cores| plus(log, cores))];
        let lines = lines.into_iter().enumerate().flat_map(|(colour, (name, program))| {
            both(
                name,
                colour,
                CORES.iter().map(|&cores| (cores as f64, rates(results, &program(2, log, cores)))),
            )
        });
        Panel { title: format!("2^{log} points"), lines: lines.collect() }
    };
    let layout = Layout { width: 2000, panel: 1000, height: 700, ..Layout::WIDE };
    let caption = "C64+ has four elements a core, which share its floating-point unit and its ports. The paper predicts it by the model alone.";
    figure(14, "C64+ over cores, PAR-R2", caption, [over_cores(), rate()], ENDS.map(panel).into(), layout)
}
