//! Plots of a study: linear axes, and one panel for each kind of rows. Series that were not measured have no
//! plot.

use earth_report::figure::{Axis, Line, Panel, Plot, Scale};
use earth_report::numbers::short;

use crate::pfft::study::{Band, KernelFindings, Method, Study};

/// Number of lengths at which a surface is shown.
const CUTS: usize = 6;

/// Name of an axis of ratios.
const SPEED_UP: &str = "speed-up";

/// Makes a line over N.
fn over_n(key: impl Into<String>, color: usize, values: impl IntoIterator<Item = (usize, f64)>) -> Line {
    Line::new(key, color, values.into_iter().map(|(n, value)| (n as f64, value)))
}

/// Returns the speed-ups of a method over another one, by N.
fn speed_ups(found: &KernelFindings, method: Method, over: Method) -> impl Iterator<Item = (usize, f64)> {
    let pairs = found.pairs(method, over, &Band::all());
    pairs.into_iter().map(|(n, (speed, other))| (n, speed / other))
}

/// Makes a panel of the lines that have dots.
fn panel(title: impl Into<String>, lines: impl IntoIterator<Item = Line>) -> Option<Panel> {
    let panel = Panel::new(title, lines.into_iter().filter(|line| !line.dots.is_empty()));
    (!panel.lines.is_empty()).then_some(panel)
}

/// Makes panels of speeds, whose axis begins at zero, or of ratios, with a line at 1.
fn plot(across: &str, up: &str, panels: impl IntoIterator<Item = Panel>) -> Option<Plot> {
    let is_ratio = up == SPEED_UP;
    let scale = if is_ratio { Scale::Linear } else { Scale::FromZero };
    let plot = Plot::beside(
        [(across, Scale::Linear), (up, scale)].map(|(name, scale)| Axis::new(name, scale, short)),
        panels,
    );
    (!plot.panels.is_empty()).then(|| if is_ratio { plot.of_ratios() } else { plot })
}

pub(super) fn profile(found: &KernelFindings) -> Option<Plot> {
    let methods = [Method::Basic, Method::Lb, Method::Fpm, Method::FpmPad].into_iter().enumerate();
    let lines = methods.map(|(color, method)| over_n(method.name(), color, found.profile(method)));
    plot("N", "Gflop/s", panel(&found.kernel, lines))
}

pub(super) fn ratios(found: &KernelFindings) -> Option<Plot> {
    let methods = [Method::Lb, Method::Fpm, Method::FpmPad].into_iter().zip(1..);
    let lines =
        methods.map(|(method, color)| over_n(method.name(), color, speed_ups(found, method, Method::Basic)));
    plot("N", SPEED_UP, panel(&found.kernel, lines))
}

/// Plots the gains of unequal over equal shares, and of padding over no padding.
pub(super) fn imbalance(found: &KernelFindings) -> Option<Plot> {
    let methods = [(Method::Fpm, Method::Lb), (Method::FpmPad, Method::Fpm)].into_iter().zip(2..);
    let lines = methods.map(|((method, over), color)| {
        over_n(format!("{method} over {over}"), color, speed_ups(found, method, over))
    });
    plot("N", SPEED_UP, panel(&found.kernel, lines))
}

/// Plots the speed functions at some lengths.
pub(super) fn surface(found: &KernelFindings) -> Option<Plot> {
    let titles = [("none", "as they are"), ("stride", "apart"), ("chirp", "through a chirp")];
    let panels = titles.into_iter().filter_map(|(pad, title)| {
        let surface = found.surface(pad);
        let number = surface.len();
        let picked = |k: usize| k * number.saturating_sub(1) / (CUTS - 1).max(1);
        let mut cuts: Vec<usize> =
            if number <= CUTS { (0..number).collect() } else { (0..CUTS).map(picked).collect() };
        cuts.dedup();
        let lines = cuts.into_iter().enumerate().map(|(color, cut)| {
            let (n, dots) = &surface[cut];
            Line::new(format!("N = {n}"), color, dots.iter().copied())
        });
        panel(format!("rows {title}"), lines)
    });
    plot("rows of a group / N", "Gflop/s a group", panels)
}

/// Plots the cost of barriers.
pub(super) fn order(study: &Study) -> Option<Plot> {
    let lines =
        study.kernels.iter().enumerate().map(|(color, found)| {
            over_n(&found.kernel, color, speed_ups(found, Method::Lb, Method::LbBarrier))
        });
    plot("N", SPEED_UP, panel("dataflow / barriers", lines))
}
