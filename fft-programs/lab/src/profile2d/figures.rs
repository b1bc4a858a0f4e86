//! What is drawn of a study: linear axes, and panels where there are several kinds of rows.

use crate::figure::{Axis, Dot, Figure, Layout, Line, Panel, Plot, Scale, Stroke};
use crate::numbers::short;
use crate::study::{Band, KernelFindings, Method, Study, slug};

/// Lengths that a surface is shown at.
const CUTS: usize = 6;

/// A line of these dots.
fn line(key: String, colour: usize, dots: impl IntoIterator<Item = (f64, f64)>) -> Line {
    Line { key, colour, stroke: Stroke::Solid, dots: dots.into_iter().map(|(x, y)| Dot::at(x, y)).collect() }
}

/// A line over N.
fn over_n(key: &impl ToString, colour: usize, values: impl IntoIterator<Item = (usize, f64)>) -> Line {
    line(key.to_string(), colour, values.into_iter().map(|(n, value)| (n as f64, value)))
}

/// How many times as fast a method is as another one, over N.
fn speed_ups(found: &KernelFindings, method: Method, over: Method) -> impl Iterator<Item = (usize, f64)> {
    let pairs = found.pairs(method, over, &Band::all());
    pairs.into_iter().map(|(n, (speed, other))| (n, speed / other))
}

/// A panel of the lines that have dots; nothing if there are none.
fn panel(title: impl Into<String>, lines: impl IntoIterator<Item = Line>) -> Option<Panel> {
    let lines: Vec<_> = lines.into_iter().filter(|line| !line.dots.is_empty()).collect();
    (!lines.is_empty()).then(|| Panel { title: title.into(), lines })
}

/// Panels of speeds, which are compared with nothing and begin at zero, or of ratios, with a line where both are equal.
fn plot(across: &str, up: &str, panels: impl IntoIterator<Item = Panel>) -> Option<Plot> {
    let panels: Vec<_> = panels.into_iter().collect();
    let is_ratio = up == SPEED_UP;
    (!panels.is_empty()).then(|| Plot {
        across: Axis::new(across, Scale::Linear, short),
        up: Axis::new(up, if is_ratio { Scale::Linear } else { Scale::FromZero }, short),
        level: is_ratio.then_some(1.0),
        dashes: None,
        panels,
    })
}

/// The name of an axis of ratios.
const SPEED_UP: &str = "speed-up";

/// A figure of one kernel; nothing if nothing was measured.
fn of(
    found: &KernelFindings,
    name: &str,
    title: &str,
    caption: String,
    plot: Option<Plot>,
) -> Option<Figure> {
    let (name, title) = (format!("{name}-{}", slug(&found.kernel)), format!("{title}, {}", found.kernel));
    Some(Figure { name, title, caption, layout: Layout::WIDE, plot: plot? })
}

/// What the baseline is.
fn baseline(found: &KernelFindings) -> &'static str {
    if found.is_by_library() {
        "One group is the library's own transform on its own threads."
    } else {
        "One group is our program with all cores in one group."
    }
}

/// Speeds over N.
pub(super) fn profile(found: &KernelFindings) -> Option<Figure> {
    let methods = [Method::Basic, Method::Lb, Method::Fpm, Method::FpmPad].into_iter().enumerate();
    let lines = methods.map(|(colour, method)| over_n(&method, colour, found.profile(method)));
    let caption = format!("5 N² log2 N² operations over the mean time, in Gflop/s. {}", baseline(found));
    of(found, "profile", "Speed over N", caption, plot("N", "Gflop/s", panel(&found.kernel, lines)))
}

/// Speed-ups over N.
pub(super) fn ratios(found: &KernelFindings) -> Option<Figure> {
    let methods = [Method::Lb, Method::Fpm, Method::FpmPad].into_iter().zip(1..);
    let lines =
        methods.map(|(method, colour)| over_n(&method, colour, speed_ups(found, method, Method::Basic)));
    let caption = format!("Above 1 the method is faster. {}", baseline(found));
    of(found, "speedup", "Speed-up over one group", caption, plot("N", SPEED_UP, panel(&found.kernel, lines)))
}

/// What dealing wins over equal shares, and padding over dealing.
pub(super) fn imbalance(found: &KernelFindings) -> Option<Figure> {
    let methods = [(Method::Fpm, Method::Lb), (Method::FpmPad, Method::Fpm)].into_iter().zip(2..);
    let lines = methods.map(|((method, over), colour)| {
        over_n(&format!("{method} over {over}"), colour, speed_ups(found, method, over))
    });
    let caption = format!(
        "Above 1 the first of the two is faster; within a factor of {:.2}, the null band, it cannot be told.",
        found.null_band()
    );
    of(found, "imbalance", "Load imbalancing", caption, plot("N", SPEED_UP, panel(&found.kernel, lines)))
}

/// The speed functions, cut at some lengths.
pub(super) fn surface(found: &KernelFindings) -> Option<Figure> {
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
            line(format!("N = {n}"), colour, dots.iter().copied())
        });
        panel(format!("rows {title}"), lines)
    });
    let caption = "5 x y log2 y operations over the time of x rows of y = N points, all groups at once, in the mean over the \
                   groups; around the balanced share, as far as the budget went.";
    let plot = plot("rows of a group / N", "Gflop/s a group", panels);
    of(found, "surface", "Speed functions at some lengths", caption.to_owned(), plot)
}

/// What barriers cost.
pub(super) fn order(study: &Study) -> Option<Figure> {
    let lines = study.kernels.iter().enumerate();
    let lines = lines.map(|(colour, found)| {
        over_n(&found.kernel, colour, speed_ups(found, Method::Lb, Method::LbBarrier))
    });
    Some(Figure {
        name: "order".to_owned(),
        title: "PFFT-LB in dataflow order against the same with barriers".to_owned(),
        caption: "Above 1 the dataflow order is faster: a row block goes on when its own tiles have come."
            .to_owned(),
        layout: Layout::WIDE,
        plot: plot("N", SPEED_UP, panel("dataflow / barriers", lines))?,
    })
}
