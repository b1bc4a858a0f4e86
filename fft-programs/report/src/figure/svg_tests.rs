use super::*;
use crate::figure::layout::Layout;
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

#[test]
fn a_plot_has_its_data_and_takes_the_colour_of_the_text() {
    let dots = [spread(1.0, 3.0), spread(4.0, 0.5)];
    let svg = figure(plot(vec![vec![line(1, Stroke::Solid, dots)]])).inline();
    // Two dots and one in the key; the line, the key's line, the level and two whiskers.
    assert_eq!(svg.matches("<circle").count(), 2 + 1, "{svg}");
    has_texts(&svg, ["nodes", "ratio", "panel 0", "line 1"]);
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
    // Two panels of two lines of two dots, and two keys.
    assert_eq!(page.matches("<circle").count(), 2 * 2 * 2 + 2, "{page}");
    has_texts(&page, ["panel 0", "panel 1", "line 0", "line 1", "Gflop/s", "300"]);
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
