//! Plots of the simulation.

use earth_report::figure::{Axis, Line, Panel, Plot, Scale};
use earth_report::numbers::{percent, short};

use super::blocks::{SQUARES, Transposed};
use super::dealing::{Gain, SETTINGS, WIDTHS};
use super::report::{Conditional, lines};
use crate::pfft::study::{Band, Method};

/// Speed-ups of PFFT-FPM in the paper, with FFTW and with MKL.
pub(super) const PAPERS_SPEED_UPS: [f64; 2] = [1.9, 1.3];

/// Names a setting.
pub(super) fn setting(common: f64, together: usize) -> String {
    match (common == 0.0, together) {
        (true, 1) => "each point by itself".to_owned(),
        (true, together) => format!("{together} neighbours together"),
        (false, _) => format!("{} common to a length", percent(common)),
    }
}

fn plot([across, up]: [(&str, Scale); 2], panels: impl IntoIterator<Item = Panel>) -> Plot {
    Plot::beside([across, up].map(|(name, scale)| Axis::new(name, scale, short)), panels)
}

/// Makes a panel for each number of groups, with a line for each setting.
fn by_groups(gains: &[Gain], across: impl Fn(&Gain) -> f64) -> Vec<Panel> {
    let all: Vec<_> = lines(gains).collect();
    let drawn = |of: &&[Gain]| {
        let Gain { common, together, .. } = of[0];
        let is_it = |other: &(f64, usize)| other.1 == together && other.0.total_cmp(&common).is_eq();
        let color = SETTINGS.iter().position(is_it).unwrap_or_default();
        Line::new(setting(common, together), color, of.iter().map(|gain| (across(gain), gain.mean)))
    };
    let panel = |of: &[&[Gain]]| Panel::new(format!("{} groups", of[0][0].groups), of.iter().map(drawn));
    all.chunk_by(|one, other| one[0].groups == other[0].groups).map(panel).collect()
}

/// Plots the gain of unequal shares over the width of variations.
pub(super) fn by_width(gains: &[Gain]) -> Plot {
    let mut panels = by_groups(gains, |gain| gain.width);
    for panel in &mut panels {
        panel.lines.extend(PAPERS_SPEED_UPS.map(|papers| {
            let ends = [WIDTHS[0], WIDTHS[WIDTHS.len() - 1]].map(|width| (width, papers));
            Line::ideal("the paper's means over one group", ends)
        }));
    }
    plot([("width w", Scale::Decades), ("speed of PFFT-FPM / speed of PFFT-LB", Scale::Decades)], panels)
        .of_ratios()
}

/// Plots the gain of partial functions.
pub(super) fn by_points(gains: &[Gain]) -> Plot {
    let axes = [("known points", Scale::Doublings), ("speed of PFFT-FPM / speed of PFFT-LB", Scale::Linear)];
    plot(axes, by_groups(gains, |gain| gain.known as f64)).of_ratios()
}

/// Plots speed-ups over N on the simulated machine, one panel for each library.
pub(super) fn speed_ups(of: &Conditional) -> Plot {
    let panels = of.study.kernels.iter().map(|found| {
        let methods = [Method::Lb, Method::Fpm, Method::FpmPad].into_iter().zip(1..);
        let over_n = |(method, color): (Method, usize)| {
            let pairs = found.pairs(method, Method::Basic, &Band::all()).into_iter();
            Line::new(method.name(), color, pairs.map(|(n, (speed, other))| (n as f64, speed / other)))
        };
        Panel::new(&found.kernel, methods.map(over_n))
    });
    plot([("N", Scale::Linear), ("speed / speed of one group", Scale::Decades)], panels).of_ratios()
}

/// Plots the waiting time per point of a transpose, by the side of blocks.
pub(super) fn blocks(all: &[Transposed]) -> Plot {
    let panel = |(title, of_power): (&str, bool)| {
        let squares = SQUARES.iter().filter(|n| n.is_power_of_two() == of_power);
        let lines = squares.zip(if of_power { 0.. } else { 3.. }).map(|(&n, color)| {
            let of = all.iter().filter(|of| of.n == n);
            Line::new(format!("N = {n}"), color, of.map(|of| (of.side as f64, of.cycles())))
        });
        Panel::new(title, lines)
    };
    let panels = [("N is a power of two", true), ("other N", false)].map(panel);
    plot([("side of a block", Scale::Doublings), ("cycles a point", Scale::FromZero)], panels)
}
