//! Plots of a study's methods: panels of speeds, and panels of ratios with the null band. Series that were
//! not measured have no plot.

use earth_report::figure::{Axis, Line, Panel, Plot, Scale};
use earth_report::numbers::{gflops, short};

use crate::pfft::study::{Band, KernelFindings, Method, PAPERS_SIDE, Study, null_of_transposes};

/// Number of lengths at which a surface is shown.
const CUTS: usize = 6;

/// Largest number of N at which transposes are drawn.
const SHOWN: usize = 7;

/// Makes a line over N.
pub(super) fn over_n(
    key: impl Into<String>,
    color: usize,
    values: impl IntoIterator<Item = (usize, f64)>,
) -> Line {
    Line::new(key, color, values.into_iter().map(|(n, value)| (n as f64, value)))
}

/// Returns the speed of a method over the speed of another one, by N.
pub(super) fn speed_ups(
    found: &KernelFindings,
    method: Method,
    over: Method,
) -> impl Iterator<Item = (usize, f64)> {
    let pairs = found.pairs(method, over, &Band::all());
    pairs.into_iter().map(|(n, (speed, other))| (n, speed / other))
}

/// Makes a panel of the lines that have dots.
pub(super) fn panel(title: impl Into<String>, lines: impl IntoIterator<Item = Line>) -> Option<Panel> {
    let panel = Panel::new(title, lines.into_iter().filter(|line| !line.dots.is_empty()));
    (!panel.lines.is_empty()).then_some(panel)
}

/// Makes panels, if there are any.
pub(super) fn plot(axes: [(&str, Scale); 2], panels: impl IntoIterator<Item = Panel>) -> Option<Plot> {
    let plot = Plot::beside(axes.map(|(name, scale)| Axis::new(name, scale, short)), panels);
    (!plot.panels.is_empty()).then_some(plot)
}

/// Makes panels of speeds over N.
pub(super) fn speeds(panels: impl IntoIterator<Item = Panel>) -> Option<Plot> {
    plot([("N", Scale::Decades), ("Gflop/s", Scale::FromZero)], panels)
}

/// Makes panels of ratios over N, with a line at 1 and the null band.
pub(super) fn ratios(up: &str, null: f64, panels: impl IntoIterator<Item = Panel>) -> Option<Plot> {
    let plot = plot([("N", Scale::Decades), (up, Scale::Decades)], panels)?;
    Some(plot.of_ratios().with_range(null.recip(), null, format!("null band, a factor of {null:.2}")))
}

pub(super) fn profile(found: &KernelFindings) -> Option<Plot> {
    let methods = [Method::Basic, Method::One, Method::Lb, Method::Fpm, Method::FpmPad];
    let lines = methods
        .into_iter()
        .zip(0..)
        .map(|(method, color)| over_n(method.name(), color, found.profile(method)));
    speeds(panel("", lines))
}

/// Plots what the program and equal shares gain over one group.
pub(super) fn controls(found: &KernelFindings) -> Option<Plot> {
    let methods = [(Method::One, 1), (Method::Lb, 2), (Method::LbAgain, 3)];
    let lines =
        methods.map(|(method, color)| over_n(method.name(), color, speed_ups(found, method, Method::Basic)));
    ratios("speed / speed of one group", found.null_band(), panel("", lines))
}

/// Plots the gains of unequal over equal shares, and of padding over no padding.
pub(super) fn imbalance(found: &KernelFindings) -> Option<Plot> {
    let methods = [(Method::Fpm, Method::Lb), (Method::FpmPad, Method::Fpm), (Method::LbAgain, Method::Lb)];
    let lines = methods.into_iter().zip(2..).map(|((method, over), color)| {
        over_n(format!("{method} over {over}"), color, speed_ups(found, method, over))
    });
    ratios("speed / speed of the other method", found.null_band(), panel("", lines))
}

/// Plots the speed functions at some lengths.
pub(super) fn surface(found: &KernelFindings) -> Option<Plot> {
    let titles = [("none", "as they are"), ("stride", "apart"), ("chirp", "through a chirp")];
    let panels = titles.into_iter().filter_map(|(pad, title)| {
        let surface = found.surface(pad);
        let lines = picked(&surface, CUTS)
            .into_iter()
            .enumerate()
            .map(|(color, (n, dots))| Line::new(format!("N = {n}"), color, dots.iter().copied()));
        panel(format!("rows {title}"), lines)
    });
    plot([("rows of a group / N", Scale::Linear), ("Gflop/s a group", Scale::FromZero)], panels)
}

/// Returns at most `most` items at equal distances, the first and the last among them.
fn picked<T>(all: &[T], most: usize) -> Vec<&T> {
    let number = all.len();
    let mut places: Vec<usize> = if number <= most {
        (0..number).collect()
    } else {
        (0..most).map(|k| k * (number - 1) / (most - 1).max(1)).collect()
    };
    places.dedup();
    places.into_iter().map(|at| &all[at]).collect()
}

/// Plots the gain of the dataflow order.
pub(super) fn order(study: &Study) -> Option<Plot> {
    let lines =
        study.kernels.iter().enumerate().map(|(color, found)| {
            over_n(&found.kernel, color, speed_ups(found, Method::Lb, Method::LbBarrier))
        });
    let null = study.kernels.iter().map(KernelFindings::null_band).fold(1.0, f64::max);
    ratios("speed / speed with barriers", null, panel("", lines))
}

/// Plots the speed of own transforms by planning effort, a panel for each library.
pub(super) fn efforts(study: &Study) -> Option<Plot> {
    let panels = study.kernels.iter().filter_map(|found| {
        let lines = ["estimate", "measure", "patient"].into_iter().enumerate().map(|(color, effort)| {
            let speed = found
                .efforts
                .iter()
                .filter_map(|row| Some((row.n, gflops(row.n * row.n, row.plan(effort)?.time.mean))));
            over_n(format!("FFTW_{}", effort.to_uppercase()), color, speed)
        });
        panel(&found.kernel, lines)
    });
    speeds(panels)
}

/// Plots the times of transposes over the time with the paper's blocks.
pub(super) fn transposes(study: &Study) -> Option<Plot> {
    let lines = picked(&study.transposes, SHOWN).into_iter().enumerate().filter_map(|(color, of)| {
        let papers = of.side(PAPERS_SIDE)?.time.mean;
        let dots = of.sides.iter().map(|side| (side.side as f64, side.time.mean / papers));
        Some(Line::new(format!("N = {}", of.n), color, dots))
    });
    let axes = [("side of a block", Scale::Doublings), ("time / time with blocks of 64", Scale::Linear)];
    let null = null_of_transposes(&study.transposes);
    let range = format!("null band, a factor of {null:.2}");
    Some(plot(axes, panel("", lines))?.of_ratios().with_range(null.recip(), null, range))
}
