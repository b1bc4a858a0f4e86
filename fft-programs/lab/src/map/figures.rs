//! Figures of the page: heat maps of ratios, and the peers.

use earth_report::document::{Content, Part};
use earth_report::figure::{Axis, Cell, Edge, Figure, Heat, HeatKey, Layout, Line, Panel, Plot, Scale};
use earth_report::numbers::{short, short_seconds};

use super::grid::{AXES, Axis as Sizes, EQUALS, PROFILES};
use super::rows::{Row, Site};
use super::runs::Results;
use crate::compare::Equal;

/// Names in the page template of the maps of an axis, and of the maps of measured ranks.
const MAPS: [(Sizes, &str); 6] = [
    (Sizes::Messages, "messages"),
    (Sizes::Parallelism, "parallelism"),
    (Sizes::Blocks, "blocks"),
    (Sizes::Nodes, "nodes"),
    (Sizes::Speed, "speed"),
    (Sizes::HandOver, "hand_over"),
];

/// Returns a grain with its unit.
fn grain(nanoseconds: f64) -> String {
    short_seconds(1e-9 * nanoseconds)
}

/// Returns the title of a panel.
fn title(equal: Equal) -> &'static str {
    match equal {
        Equal::Nodes => "equal nodes: DUAL has twice the cores",
        Equal::Cores => "equal cores: SPN has twice the nodes",
    }
}

/// Returns the layout of two maps with this many rows.
fn layout(rows: usize) -> Layout {
    let height = 190 + 58 * rows.max(3) as u32;
    Layout { width: 2600, panel: 1300, beside: 2, height, left: 190, ..Layout::WIDE }
}

/// Returns the sides of the cells of these grains, from the left. The sides between two grains are in their
/// middle.
fn sides(grains: &[u32]) -> Vec<f64> {
    let grains: Vec<_> = grains.iter().copied().map(f64::from).collect();
    let middles: Vec<_> = grains.windows(2).map(|two| (two[0] * two[1]).sqrt()).collect();
    let (first, last) = (grains[0], grains[grains.len() - 1]);
    let [left, right] = [first * first / middles[0], last * last / middles[middles.len() - 1]];
    std::iter::once(left).chain(middles).chain([right]).collect()
}

/// Draws rows at equal nodes and at equal cores. `names` has all rows, from the top.
fn map(results: &Results, axis: Sizes, names: &[String], rows: &[Row]) -> Option<Plot> {
    if rows.iter().all(|row| row.places.is_empty()) {
        return None;
    }
    let sides = sides(results.extent.grains);
    let ends = [sides[0], sides[sides.len() - 1]];
    let panel = |equal: Equal| {
        let mut heat = Heat::default();
        for row in rows.iter().filter(|row| row.equal == equal) {
            let Some(at) = names.iter().position(|name| *name == row.name) else { continue };
            heat.cells.extend(row.places.iter().map(|place| {
                let right = sides.partition_point(|side| *side < place.grain);
                let across = [sides[right - 1], sides[right]];
                Cell { across, row: at, ratio: place.ratio, is_null: place.is_null }
            }));
            let all = [(&row.found, false), (&row.predicted, true)];
            for (crossings, is_predicted) in all {
                let inside = crossings.iter().filter(|of| (ends[0]..=ends[1]).contains(&of.at));
                heat.edges.extend(inside.map(|of| Edge { at: of.at, row: at, is_predicted }));
            }
        }
        Panel::new(title(equal), []).with_heat(heat)
    };
    let across = Axis::new("grain of a fiber", Scale::Decades, grain).with(ends);
    let places: Vec<_> = (0..names.len()).map(|row| row as f64).collect();
    let up = Axis { names: names.to_vec(), ..Axis::new(axis.title(), Scale::Rows, short).with(places) };
    let has_predictions = rows.iter().any(|row| row.site != Site::Ranks);
    let key = HeatKey {
        null: "no difference".to_owned(),
        edge: "crossing".to_owned(),
        predicted: if has_predictions {
            "crossing that the model predicts".to_owned()
        } else {
            String::new()
        },
    };
    let panels = EQUALS.into_iter().filter(|equal| rows.iter().any(|row| row.equal == *equal));
    let panels: Vec<_> = panels.map(panel).collect();
    Some(Plot::beside([across, up], panels).sized(layout(names.len())).heated(key))
}

/// Returns the name of a machine in the names of files.
fn file(results: &Results, site: Site) -> String {
    match site {
        Site::Simulated(at) => {
            let name = &results.profiles[at].name;
            if PROFILES.contains(&name.as_str()) { name.clone() } else { "own".to_owned() }
        }
        Site::Threads => "threads".to_owned(),
        Site::Ranks => "ranks".to_owned(),
    }
}

/// Returns a figure of each machine that has rows of this axis.
fn figures(results: &Results, axis: Sizes) -> Vec<Part> {
    let names: Vec<_> =
        axis.rows(results.extent, results.extent.usual).into_iter().map(|(name, _)| name).collect();
    let figure = |site: Site| {
        let plot = map(results, axis, &names, &results.rows(site, axis))?;
        let (machine, name) = (results.name(site), format!("{}-{}", axis.name(), file(results, site)));
        let way = if matches!(site, Site::Simulated(_)) { "simulated with " } else { "measured on " };
        let title = format!("DUAL's time over SPN's by grain and {}, {way}{machine}", axis.title());
        Some(Part::figure(Figure { name, title, caption: caption(results, site), plot }))
    };
    results.sites().into_iter().filter_map(figure).collect()
}

fn caption(results: &Results, site: Site) -> String {
    let way = match site {
        Site::Simulated(_) => "Simulated with",
        Site::Threads | Site::Ranks => "Measured on",
    };
    format!("{way} {}. Blue cells are those where DUAL is faster.", results.name(site))
}

/// Draws the time of a task over SPN's, on each engine.
pub(super) fn peers(results: &Results) -> Option<Plot> {
    let measured = results.measured.as_ref()?;
    let (_, engines) = measured.peers.first()?;
    let line = |(color, name): (usize, &str)| {
        let of = |(grain, all): &(u32, Vec<super::measured::peers::Peer>)| {
            let peer = all.iter().find(|peer| peer.engine == name)?;
            Some((f64::from(*grain), peer.ratio))
        };
        Line::new(name, color, measured.peers.iter().filter_map(of))
    };
    let names = engines.iter().skip(1).map(|peer| peer.engine.as_str());
    let lines: Vec<_> = names.enumerate().map(line).collect();
    let across = Axis::new("grain of a task", Scale::Decades, grain);
    let up = Axis::new("time over SPN's, equal cores", Scale::Decades, short);
    Some(Plot::one([across, up], lines).of_ratios())
}

/// Adds the figures of the page.
pub(super) fn drawn(content: Content, results: &Results) -> Content {
    debug_assert!(AXES.iter().all(|axis| MAPS.iter().any(|(of, _)| of == axis)), "each axis has a name");
    MAPS.into_iter().fold(content, |content, (axis, name)| content.parts(name, figures(results, axis)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_meet_between_their_grains() {
        let found = sides(&[10, 40, 160]);
        let expected = [5.0, 20.0, 80.0, 320.0];
        assert!(found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9), "{found:?}");
    }
}
