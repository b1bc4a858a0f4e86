//! What is drawn of the simulation.

use super::blocks::{PAPERS, SIDES, SQUARES, Transposed};
use super::dealing::{Gain, SETTINGS, WIDTHS};
use super::report::{Conditional, lines};
use crate::figure::{Axis, Dot, Figure, Layout, Line, Panel, Plot, Scale, Stroke};
use crate::numbers::short;
use crate::study::{Band, Method};

/// The paper's speed-ups of PFFT-FPM, with FFTW and with MKL.
pub(super) const PAPERS_SPEED_UPS: [f64; 2] = [1.9, 1.3];

/// A name of a setting.
pub(super) fn setting(common: f64, together: usize) -> String {
    match (common == 0.0, together) {
        (true, 1) => "each point by itself".to_owned(),
        (true, together) => format!("{together} neighbours together"),
        (false, _) => format!("{} common to a length", crate::numbers::percent(common)),
    }
}

fn line(key: String, colour: usize, stroke: Stroke, dots: impl IntoIterator<Item = (f64, f64)>) -> Line {
    Line { key, colour, stroke, dots: dots.into_iter().map(|(x, y)| Dot::at(x, y)).collect() }
}

/// A panel for each number of groups, a line for each setting.
fn by_groups(gains: &[Gain], across: impl Fn(&Gain) -> f64) -> Vec<Panel> {
    let mut panels: Vec<Panel> = Vec::new();
    for of in lines(gains) {
        let title = format!("{} groups", of[0].groups);
        if panels.last().is_none_or(|panel| panel.title != title) {
            panels.push(Panel { title, lines: Vec::new() });
        }
        let Gain { common, together, .. } = of[0];
        let known =
            SETTINGS.iter().position(|&other| other.1 == together && other.0.total_cmp(&common).is_eq());
        let dots = of.iter().map(|gain| (across(gain), gain.mean));
        let drawn = line(setting(common, together), known.unwrap_or_default(), Stroke::Solid, dots);
        if let Some(panel) = panels.last_mut() {
            panel.lines.push(drawn);
        }
    }
    panels
}

/// What dealing wins over the width of variations.
pub(super) fn by_width(gains: &[Gain]) -> Figure {
    let mut panels = by_groups(gains, |gain| gain.width);
    for panel in &mut panels {
        for papers in PAPERS_SPEED_UPS {
            let ends = [WIDTHS[0], WIDTHS[WIDTHS.len() - 1]].map(|width| (width, papers));
            panel.lines.push(line(String::new(), 5, Stroke::Dashed, ends));
        }
    }
    Figure {
        name: "dealing".to_owned(),
        title: "How many times as fast as equal shares the best shares are".to_owned(),
        caption: "By the width w of the variations: rows take 1 to 1 + w times as long as at the peak. Dashed are the paper's \
                  means over one group, 1.9 with FFTW and 1.3 with MKL."
            .to_owned(),
        layout: Layout::WIDE,
        plot: Plot {
            across: Axis::new("width w", Scale::Decades, short),
            up: Axis::new("PFFT-FPM over PFFT-LB", Scale::Decades, short),
            level: Some(1.0),
            dashes: None,
            panels,
        },
    }
}

/// What partial functions win.
pub(super) fn by_points(gains: &[Gain]) -> Figure {
    Figure {
        name: "partial".to_owned(),
        title: "Partial speed functions".to_owned(),
        caption: "How many times as fast as equal shares the best shares are, by how many points around the equal shares are \
                  known of each function; the last one is all of them."
            .to_owned(),
        layout: Layout::WIDE,
        plot: Plot {
            across: Axis::new("known points", Scale::Doublings, short),
            up: Axis::new("PFFT-FPM over PFFT-LB", Scale::Linear, short),
            level: Some(1.0),
            dashes: None,
            panels: by_groups(gains, |gain| gain.known as f64),
        },
    }
}

/// Speed-ups over N on the simulated machine, one panel for each library.
pub(super) fn speed_ups(of: &Conditional) -> Figure {
    let panels = of.study.kernels.iter().map(|found| {
        let methods = [Method::Lb, Method::Fpm, Method::FpmPad].into_iter().zip(1..);
        let over_n = |(method, colour): (Method, usize)| {
            let pairs = found.pairs(method, Method::Basic, &Band::all());
            let dots = pairs.into_iter().map(|(n, (speed, other))| (n as f64, speed / other));
            line(method.to_string(), colour, Stroke::Solid, dots)
        };
        Panel { title: found.kernel.clone(), lines: methods.map(over_n).collect() }
    });
    let share = (100.0 * of.common).round();
    Figure {
        name: format!("machine-{share}"),
        title: format!("Speed-ups over one group on 36 simulated cores, {share}% of the variance common to a length"),
        caption: "One group is the library's own transform at its published peak and average. Above 1 the method is faster. \
                  PFFT-FPM-PAD is as published, in time alone."
            .to_owned(),
        layout: Layout::WIDE,
        plot: Plot {
            across: Axis::new("N", Scale::Linear, short),
            up: Axis::new("speed-up", Scale::Decades, short),
            level: Some(1.0),
            dashes: None,
            panels: panels.collect(),
        },
    }
}

/// What a point of a transpose waits for, by the side of blocks.
pub(super) fn blocks(all: &[Transposed]) -> Figure {
    let panel = |title: &str, of_power: bool| {
        let squares = SQUARES.iter().filter(|n| n.is_power_of_two() == of_power).enumerate();
        let lines = squares.map(|(colour, &n)| {
            let dots = all.iter().filter(|of| of.n == n).map(|of| (of.side as f64, of.cycles()));
            line(format!("N = {n}"), colour + if of_power { 0 } else { 3 }, Stroke::Solid, dots)
        });
        Panel { title: title.to_owned(), lines: lines.collect() }
    };
    Figure {
        name: "blocks".to_owned(),
        title: "Blocks of the transpose".to_owned(),
        caption: format!(
            "Cycles that a point waits for lines and pages, by the side of blocks, {} to {}; the paper's is {PAPERS}.",
            SIDES[0],
            SIDES[SIDES.len() - 1]
        ),
        layout: Layout::WIDE,
        plot: Plot {
            across: Axis::new("side of a block", Scale::Doublings, short),
            up: Axis::new("cycles a point", Scale::FromZero, short),
            level: None,
            dashes: None,
            panels: vec![panel("N is a power of two", true), panel("other N", false)],
        },
    }
}
