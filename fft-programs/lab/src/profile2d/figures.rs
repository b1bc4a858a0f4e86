//! What is drawn: lines in panels, with a caption each.

use crate::axes::range;
use crate::study::{KernelFindings, Method, Study, slug};

/// A plot, and its file's name.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) caption: String,
    pub(super) y: &'static str,
    /// A line across, and whether 0 is on the axis.
    pub(super) level: Option<f64>,
    pub(super) panels: Vec<Panel>,
}

#[derive(Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) x: &'static str,
    pub(super) lines: Vec<Line>,
}

#[derive(Debug)]
pub(super) struct Line {
    pub(super) key: String,
    pub(super) colour: usize,
    pub(super) dots: Vec<(f64, f64)>,
}

/// Lengths that a surface is shown at.
const CUTS: usize = 6;

/// All of them; those of which nothing was measured are left out.
pub(super) fn all(study: &Study) -> Vec<Figure> {
    let of_kernels = study.kernels.iter().flat_map(|found| [profile(found), ratios(found), surface(found)]);
    of_kernels.flatten().chain(order(study)).collect()
}

fn floats(profile: Vec<(usize, f64)>) -> Vec<(f64, f64)> {
    profile.into_iter().map(|(n, value)| (n as f64, value)).collect()
}

/// Speeds over N.
pub(super) fn profile(found: &KernelFindings) -> Option<Figure> {
    let methods = [Method::Basic, Method::Lb, Method::Fpm, Method::FpmPad];
    let lines: Vec<_> = methods
        .into_iter()
        .enumerate()
        .map(|(colour, method)| Line { key: method.to_string(), colour, dots: floats(found.profile(method)) })
        .filter(|line| !line.dots.is_empty())
        .collect();
    (!lines.is_empty()).then(|| Figure {
        name: format!("profile-{}", slug(&found.kernel)),
        title: format!("Speed over N, {}", found.kernel),
        caption: format!("5 N² log2 N² operations over the mean time, in Gflop/s. {}", baseline(found)),
        y: "Gflop/s",
        level: None,
        panels: vec![Panel { title: found.kernel.clone(), x: "N", lines }],
    })
}

/// What the baseline is.
pub(super) fn baseline(found: &KernelFindings) -> &'static str {
    if found.is_by_library() {
        "One group is the library's own transform on its own threads."
    } else {
        "One group is our program with all cores in one group."
    }
}

/// Speed-ups over N.
pub(super) fn ratios(found: &KernelFindings) -> Option<Figure> {
    let all = crate::study::Band::all();
    let methods = [Method::Lb, Method::Fpm, Method::FpmPad];
    let lines: Vec<_> = methods
        .into_iter()
        .enumerate()
        .map(|(index, method)| {
            let pairs = found.pairs(method, Method::Basic, &all);
            let dots = pairs.into_iter().map(|(n, (speed, basic))| (n as f64, speed / basic)).collect();
            Line { key: method.to_string(), colour: index + 1, dots }
        })
        .filter(|line: &Line| !line.dots.is_empty())
        .collect();
    (!lines.is_empty()).then(|| Figure {
        name: format!("speedup-{}", slug(&found.kernel)),
        title: format!("Speed-up over one group, {}", found.kernel),
        caption: format!("Above 1 the method is faster. {}", baseline(found)),
        y: "speed-up",
        level: Some(1.0),
        panels: vec![Panel { title: found.kernel.clone(), x: "N", lines }],
    })
}

/// The speed functions, cut at some lengths.
pub(super) fn surface(found: &KernelFindings) -> Option<Figure> {
    let titles = [("none", "as they are"), ("stride", "apart"), ("chirp", "through a chirp")];
    let panels: Vec<_> = titles
        .into_iter()
        .map(|(pad, title)| {
            let surface = found.surface(pad);
            let number = surface.len();
            let picked = |k: usize| k * number.saturating_sub(1) / (CUTS - 1).max(1);
            let mut cuts: Vec<usize> =
                if number <= CUTS { (0..number).collect() } else { (0..CUTS).map(picked).collect() };
            cuts.dedup();
            let line = |(colour, cut): (usize, usize)| {
                let (n, dots) = &surface[cut];
                Line { key: format!("N = {n}"), colour, dots: dots.clone() }
            };
            Panel {
                title: format!("rows {title}"),
                x: "rows of a group / N",
                lines: cuts.into_iter().enumerate().map(line).collect(),
            }
        })
        .filter(|panel: &Panel| !panel.lines.is_empty())
        .collect();
    (!panels.is_empty()).then(|| Figure {
        name: format!("surface-{}", slug(&found.kernel)),
        title: format!("Speed functions at some lengths, {}", found.kernel),
        caption: "5 x y log2 y operations over the time of x rows of y = N points, all groups at once, in the mean over \
                  the groups; around the balanced share, as far as the budget went."
            .to_owned(),
        y: "Gflop/s a group",
        level: None,
        panels,
    })
}

/// What barriers cost.
pub(super) fn order(study: &Study) -> Option<Figure> {
    let all = crate::study::Band::all();
    let lines: Vec<_> = study
        .kernels
        .iter()
        .enumerate()
        .map(|(colour, found)| {
            let pairs = found.pairs(Method::Lb, Method::LbBarrier, &all);
            let dots = pairs.into_iter().map(|(n, (lb, barrier))| (n as f64, lb / barrier)).collect();
            Line { key: found.kernel.clone(), colour, dots }
        })
        .filter(|line: &Line| !line.dots.is_empty())
        .collect();
    (!lines.is_empty()).then(|| Figure {
        name: "order".to_owned(),
        title: "PFFT-LB in dataflow order against the same with barriers".to_owned(),
        caption: "Above 1 the dataflow order is faster: a row block goes on when its own tiles have come."
            .to_owned(),
        y: "speed-up",
        level: Some(1.0),
        panels: vec![Panel { title: "dataflow / barriers".to_owned(), x: "N", lines }],
    })
}

/// The least and the greatest of all dots, across and up.
pub(super) fn extent(figure: &Figure) -> [[f64; 2]; 2] {
    let dots = || figure.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.dots);
    // Speeds are compared with nothing, ratios with a level.
    let level = figure.level.unwrap_or(0.0);
    [range(dots().map(|dot| dot.0)), range(dots().map(|dot| dot.1).chain([level]))]
}
