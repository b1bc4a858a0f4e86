//! The plots of a study: linear axes, and panels where there are several kinds of rows. There is none of what was not measured.

use earth_report::figure::{Axis, Line, Panel, Plot, Scale};
use earth_report::numbers::short;

use crate::pfft::study::{Band, KernelFindings, Method, Study};

/// Lengths that a surface is shown at.
const CUTS: usize = 6;

/// The name of an axis of ratios.
const SPEED_UP: &str = "speed-up";

/// A line over N.
fn over_n(key: impl Into<String>, colour: usize, values: impl IntoIterator<Item = (usize, f64)>) -> Line {
    Line::new(key, colour, values.into_iter().map(|(n, value)| (n as f64, value)))
}

/// How many times as fast a method is as another one, over N.
fn speed_ups(found: &KernelFindings, method: Method, over: Method) -> impl Iterator<Item = (usize, f64)> {
    let pairs = found.pairs(method, over, &Band::all());
    pairs.into_iter().map(|(n, (speed, other))| (n, speed / other))
}

/// A panel of the lines that have dots.
fn panel(title: impl Into<String>, lines: impl IntoIterator<Item = Line>) -> Option<Panel> {
    let panel = Panel::new(title, lines.into_iter().filter(|line| !line.dots.is_empty()));
    (!panel.lines.is_empty()).then_some(panel)
}

/// Panels of speeds, which are compared with nothing and begin at zero, or of ratios, with a line where both are equal.
fn plot(across: &str, up: &str, panels: impl IntoIterator<Item = Panel>) -> Option<Plot> {
    let is_ratio = up == SPEED_UP;
    let scale = if is_ratio { Scale::Linear } else { Scale::FromZero };
    let plot = Plot::beside(
        [(across, Scale::Linear), (up, scale)].map(|(name, scale)| Axis::new(name, scale, short)),
        panels,
    );
    (!plot.panels.is_empty()).then(|| if is_ratio { plot.of_ratios() } else { plot })
}

/// Speeds over N.
pub(super) fn profile(found: &KernelFindings) -> Option<Plot> {
    let methods = [Method::Basic, Method::Lb, Method::Fpm, Method::FpmPad].into_iter().enumerate();
    let lines = methods.map(|(colour, method)| over_n(method.name(), colour, found.profile(method)));
    plot("N", "Gflop/s", panel(&found.kernel, lines))
}

/// Speed-ups over N.
pub(super) fn ratios(found: &KernelFindings) -> Option<Plot> {
    let methods = [Method::Lb, Method::Fpm, Method::FpmPad].into_iter().zip(1..);
    let lines = methods
        .map(|(method, colour)| over_n(method.name(), colour, speed_ups(found, method, Method::Basic)));
    plot("N", SPEED_UP, panel(&found.kernel, lines))
}

/// What dealing wins over equal shares, and padding over dealing.
pub(super) fn imbalance(found: &KernelFindings) -> Option<Plot> {
    let methods = [(Method::Fpm, Method::Lb), (Method::FpmPad, Method::Fpm)].into_iter().zip(2..);
    let lines = methods.map(|((method, over), colour)| {
        over_n(format!("{method} over {over}"), colour, speed_ups(found, method, over))
    });
    plot("N", SPEED_UP, panel(&found.kernel, lines))
}

/// The speed functions, cut at some lengths.
pub(super) fn surface(found: &KernelFindings) -> Option<Plot> {
    let titles = [("none", "as they are"), ("stride", "apart"), ("chirp", "through a chirp")];
    let panels = titles.into_iter().filter_map(|(pad, title)| {
        let surface = found.surface(pad);
        let number = surface.len();
        let picked = |k: usize| k * number.saturating_sub(1) / (CUTS - 1).max(1);
        let mut cuts: Vec<usize> =
            if number <= CUTS { (0..number).collect() } else { (0..CUTS).map(picked).collect() };
        cuts.dedup();
        let lines = cuts.into_iter().enumerate().map(|(colour, cut)| {
            let (n, dots) = &surface[cut];
            Line::new(format!("N = {n}"), colour, dots.iter().copied())
        });
        panel(format!("rows {title}"), lines)
    });
    plot("rows of a group / N", "Gflop/s a group", panels)
}

/// What barriers cost.
pub(super) fn order(study: &Study) -> Option<Plot> {
    let lines = study.kernels.iter().enumerate().map(|(colour, found)| {
        over_n(&found.kernel, colour, speed_ups(found, Method::Lb, Method::LbBarrier))
    });
    plot("N", SPEED_UP, panel("dataflow / barriers", lines))
}
