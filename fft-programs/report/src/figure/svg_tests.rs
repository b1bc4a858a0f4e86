use super::*;
use crate::figure::layout::Layout;
use crate::figure::plot::{Dot, Line, Panel};
use crate::figure::scale::Scale;
use crate::numbers::short;

fn figure(plot: Plot) -> Figure {
    let text = String::new;
    Figure { name: text(), title: text(), caption: text(), plot: plot.sized(Layout::SMALL) }
}

fn line<D: Into<Dot>>(number: usize, stroke: Stroke, dots: impl IntoIterator<Item = D>) -> Line {
    Line::new(format!("line {number}"), number, dots).drawn(stroke)
}

/// Returns a plot of logarithmic axes, with a panel for each element of `panels`.
fn plot(panels: Vec<Vec<Line>>) -> Plot {
    let panels = panels.into_iter().enumerate().map(|(at, lines)| Panel::new(format!("panel {at}"), lines));
    let axes = [Axis::new("nodes", Scale::Doublings, short), Axis::new("ratio", Scale::Decades, short)];
    Plot::beside(axes, panels).of_ratios()
}

/// Returns a dot with a whisker.
fn spread(x: f64, y: f64) -> Dot {
    Dot { x, y, middle: Some([y / 2.0, 2.0 * y]) }
}

#[track_caller]
fn has_texts<const N: usize>(svg: &str, texts: [&str; N]) {
    for text in texts {
        assert!(svg.lines().any(|line| line.trim() == text), "{text}: {svg}");
    }
}

/// Returns the number of dots of this color, in the plot and its key.
fn number_of_dots(svg: &str, number: usize) -> usize {
    let RGBColor(r, g, b) = color(number);
    let fill = format!("fill=\"#{r:02X}{g:02X}{b:02X}\"");
    svg.lines().filter(|line| line.contains(&fill) && !line.starts_with("<rect")).count()
}

/// Returns an attribute of each element that has this text.
fn attributes<'a>(svg: &'a str, text: &str, name: &str) -> Vec<&'a str> {
    let value = |line: &'a str| line.split(&format!(" {name}=\"")).nth(1)?.split('"').next();
    svg.lines().filter(|line| line.contains(text)).filter_map(value).collect()
}

#[test]
fn a_plot_has_its_data_and_takes_the_colour_of_the_text() {
    let dots = [spread(1.0, 3.0), spread(4.0, 0.5)];
    let svg = figure(plot(vec![vec![line(1, Stroke::Solid, dots)]])).inline();
    // Two dots and one in the key; the line, the key's line, the level and two whiskers.
    assert_eq!(number_of_dots(&svg, 1), 2 + 1, "{svg}");
    // Both axes are logarithmic and say so.
    has_texts(&svg, ["nodes (log scale)", "ratio (log scale)", "panel 0", "line 1"]);
    assert!(svg.contains("currentColor") && !svg.contains("<style>"), "{svg}");
    assert!(!svg.contains("#000000") && svg.contains("#DA7C30"));
    assert_eq!(svg.matches("opacity=\"0.7\"").count(), 2, "{svg}");
    // Both values of x have labels, and so has the value 1.
    let labels: Vec<_> = svg.lines().filter(|line| ["1", "4"].contains(&line.trim())).collect();
    assert_eq!(labels.len(), 3, "{svg}");
}

#[test]
fn panels_have_their_dots_and_each_key_once() {
    let lines = || {
        let dots = |color: usize| [(256.0, 1.5 + color as f64), (512.0, 2.0)];
        [0, 1].map(|number| line(number, Stroke::Solid, dots(number))).into()
    };
    let linear = |panels| Plot {
        across: Axis::new("N", Scale::Linear, short),
        up: Axis::new("Gflop/s", Scale::Linear, short),
        ..plot(panels)
    };
    let mut figure = figure(linear(vec![lines(), lines()]));
    figure.plot.layout = Layout::WIDE;
    let page = figure.inline();
    // Two panels of two dots a line, and the key.
    assert_eq!([0, 1].map(|number| number_of_dots(&page, number)), [2 * 2 + 1; 2], "{page}");
    has_texts(&page, ["panel 0", "panel 1", "line 0", "line 1", "N", "Gflop/s", "300"]);
    assert_eq!(page.lines().filter(|line| line.trim() == "line 0").count(), 1);
    let file = figure.file();
    assert!(file.contains("<style>") && file.contains("prefers-color-scheme: dark"));
    assert_eq!(file.matches("<svg").count(), 1);
}

#[test]
fn nothing_is_drawn_without_a_panic() {
    let endless = line(0, Stroke::Dashed, [spread(1.0, f64::NAN), spread(2.0, 0.0)]);
    let one = line(0, Stroke::Solid, [(1.0, 1.0)]);
    for panels in [Vec::new(), vec![Vec::new()], vec![vec![endless]], vec![vec![one]]] {
        let mut plot = plot(panels);
        plot.level = None;
        assert!(figure(plot).inline().starts_with("<svg"));
    }
}

#[test]
fn published_points_are_open_diamonds_without_a_line() {
    let published = || line(1, Stroke::Marks, [(1.0, 3.0), (4.0, 0.5), (8.0, 1.0)]);
    let svg = figure(plot(vec![vec![published()]])).inline();
    assert_eq!(number_of_dots(&svg, 1), 0, "{svg}");
    // Three in the plot and one in the key.
    let corners = attributes(&svg, "stroke=\"#DA7C30\"", "points");
    assert_eq!(corners.len(), 3 + 1, "{svg}");
    assert!(corners.iter().all(|points| points.split_whitespace().count() == 6), "{corners:?}");
    has_texts(&svg, ["line 1"]);
}

#[test]
fn an_ideal_line_is_thin_dashed_and_neutral() {
    let ideal = || Line::ideal("perfect", [(1.0, 1.0), (64.0, 64.0)]);
    let svg = figure(plot(vec![vec![ideal()]])).inline();
    let widths = attributes(&svg, "opacity=\"0.65\" stroke=\"currentColor\"", "stroke-width");
    // Many dashes in the plot and some in the key, all thinner than lines.
    assert!(widths.len() > 40 && widths.iter().all(|width| *width == "3"), "{svg}");
    assert!(!svg.contains("<circle") && !svg.contains("#3987C8"), "{svg}");
    has_texts(&svg, ["perfect"]);
}

#[test]
fn a_range_is_shaded_across_all_panels() {
    let lines = || vec![line(0, Stroke::Solid, [(1.0, 1.0), (4.0, 1.1)])];
    let drawn = |plot: Plot| figure(plot).inline();
    let with = |low: f64, high: f64| drawn(plot(vec![lines(), lines()]).with_range(low, high, "null band"));
    let svg = with(0.5, 2.0);
    let heights = attributes(&svg, "opacity=\"0.13\"", "height");
    // Two panels and the key. The axis has room for the range, which fills most of it.
    assert_eq!(heights.len(), 2 + 1, "{svg}");
    assert!(heights[0].parse::<u32>().unwrap() > Layout::SMALL.height / 2, "{heights:?}");
    assert_eq!(heights[0], heights[1]);
    has_texts(&svg, ["null band", "0.5", "2"]);
    assert!(!drawn(plot(vec![lines(), lines()])).contains("opacity=\"0.13\""));
    // A range without a place on a logarithmic axis is only in the key.
    assert_eq!(with(0.0, 2.0).matches("opacity=\"0.13\"").count(), 1);
}

#[test]
fn a_covered_line_is_wider_than_the_line_above_it() {
    let dots = [(1.0, 3.0), (4.0, 0.5)];
    let drawn = |numbers: &[usize]| {
        let lines = numbers.iter().map(|&number| line(number, Stroke::Solid, dots)).collect();
        figure(plot(vec![lines])).inline()
    };
    let Layout { line: width, dot, .. } = Layout::SMALL;
    // The first of each color is in the plot, the second in the key.
    let first = |svg: &str, color: &str| {
        attributes(svg, &format!("stroke=\"{color}\""), "stroke-width")[0].to_owned()
    };
    let svg = drawn(&[0, 1, 2]);
    let widths = ["#3987C8", "#DA7C30", "#289E70"].map(|color| first(&svg, color));
    assert_eq!(widths, [width + 12, width + 6, width].map(|width| width.to_string()), "{svg}");
    assert_eq!(attributes(&svg, "<circle", "r")[0], (dot + 6).to_string());
    // A line under another one of its color is faint too.
    let svg = drawn(&[0, 0]);
    assert_eq!(first(&svg, "#3987C8"), (width + 6).to_string());
    assert_eq!(attributes(&svg, "#3987C8", "opacity"), ["0.45", "1", "0.45", "0.45", "1", "1", "1", "1"]);
}

#[test]
fn dots_of_each_color_have_a_shape_that_the_key_repeats() {
    let lines = (0..7).map(|number| line(number, Stroke::Solid, [(1.0 + number as f64, 1.0)]));
    let svg = figure(plot(vec![lines.collect()])).inline();
    let shape = |line: &str| {
        let points = line.split("points=\"").nth(1).map_or("", |points| points.split('"').next().unwrap());
        let numbers: Vec<f64> = points.split([' ', ',']).filter_map(|number| number.parse().ok()).collect();
        // The turn of the first corner tells triangles of different directions.
        let turn = numbers.get(..4).map(|ends| (ends[3] - ends[1]).atan2(ends[2] - ends[0]));
        (numbers.len() / 2, turn.map(|turn| (turn * 10.0).round() as i32))
    };
    let of = |number: usize| -> Vec<_> {
        let RGBColor(r, g, b) = color(number);
        let fill = format!("fill=\"#{r:02X}{g:02X}{b:02X}\"");
        svg.lines().filter(|line| line.contains(&fill)).map(shape).collect()
    };
    let shapes: Vec<_> = (0..7).map(of).collect();
    for (number, shapes) in shapes.iter().enumerate() {
        assert_eq!((shapes.len(), shapes[0]), (2, shapes[1]), "{number}");
    }
    let distinct: std::collections::BTreeSet<_> = shapes.iter().map(|shapes| shapes[0]).collect();
    assert_eq!(distinct.len(), 7, "{shapes:?}");
}

#[test]
fn labels_of_an_axis_neither_overlap_nor_leave_the_figure() {
    let places = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 64.0].map(|at: f64| (at * 1e6, 1.0));
    let svg = figure(plot(vec![vec![line(0, Stroke::Solid, places)]])).inline();
    let mut labels = Vec::new();
    for (tag, text) in svg.lines().zip(svg.lines().skip(1)) {
        if tag.starts_with("<text") && text.ends_with("000000") {
            labels.push((attributes(tag, "<text", "x")[0].parse::<u32>().unwrap(), text.len() as u32));
        }
    }
    labels.sort_unstable();
    let half = |(_, letters): (u32, u32)| letters * Layout::SMALL.letter / 2;
    assert!(labels.len() > 2, "{svg}");
    assert!(labels.windows(2).all(|two| two[0].0 + half(two[0]) < two[1].0 - half(two[1])), "{labels:?}");
    let last = labels[labels.len() - 1];
    assert!(last.0 + half(last) <= Layout::SMALL.width, "{labels:?}");
}

#[test]
fn panels_that_find_no_room_beside_others_stand_below() {
    let of = |panels: usize, beside| {
        let dots = [(1.0, 2.0)];
        let panels = (0..panels).map(|_| vec![line(0, Stroke::Solid, dots)]).collect();
        let mut figure = figure(plot(panels));
        figure.plot.layout.beside = beside;
        figure.inline()
    };
    let size = |svg: &str| {
        let number = |name: &str| {
            let from = svg.find(name).unwrap() + name.len() + 2;
            svg[from..].split('"').next().unwrap().parse::<u32>().unwrap()
        };
        [number(" width"), number(" height")]
    };
    let [row, square] = [5, 2].map(|beside| of(5, beside));
    let [width, height] = size(&row);
    let Layout { panel, height: one, .. } = Layout::SMALL;
    assert_eq!((width, size(&square)), (5 * panel, [2 * panel, height + 2 * one]));
    for svg in [&row, &square] {
        assert_eq!(svg.matches("<circle").count(), 5 + 1, "a dot a panel, and one in the key");
    }
    assert_eq!(size(&of(1, 2)), [panel, height]);
}
