//! Charts: the texts of each are in `charts.md`, and a function here makes its panels.
//!
//! A block of `charts.md` is `# name: title`, and below it a line of help, the horizontal axis and the
//! measure. The next block is the caption.

mod choices;
pub(super) mod dual;
pub(super) mod experiments;
pub(super) mod figures;
mod large;
pub(super) mod threads;

use super::chart::{Chart, Measure, Panel, power};
use super::setups::Setups;
use figures::{BLOCKS, BLOCKS_N, NODES, SENDER_N, SMALL};

/// Function that makes the panels of a chart from the costs of the command line.
type Panels = fn(&mut Setups) -> Vec<Panel>;

/// Panels of each chart, by its name.
const PANELS: [(&str, Panels); 21] = [
    // A single node needs no data from another node.
    ("fig6", |_| figures::receiver_over_nodes(&NODES[1..])),
    ("fig7", |_| figures::receiver_over_points(&[64])),
    ("fig8", |_| figures::receiver_over_nodes(&NODES)),
    ("fig9", |_| figures::receiver_over_points(&NODES)),
    ("fig10", |_| figures::sender(&SENDER_N.map(|n| (format!("N = {}", power(n)), (n, 16))))),
    ("fig11", |_| {
        figures::sender(
            &BLOCKS.map(|block| (format!("N = {}, B = {block}", power(BLOCKS_N)), (BLOCKS_N, block))),
        )
    }),
    ("fig12", |_| figures::sender(&[(format!("N = {}, B = {}", SMALL.0, SMALL.1), SMALL)])),
    ("fig13", |setups| figures::compared(setups.given().clock_mhz)),
    ("speedup", |_| figures::speedups()),
    ("work", experiments::work),
    ("profiles", experiments::profiles),
    ("latency", experiments::latency),
    ("tokens", experiments::tokens),
    ("free-asks", experiments::free_asks),
    ("order", choices::order),
    ("window", choices::window),
    ("watchdog", choices::watchdog),
    ("threads", threads::threads),
    ("stolen", threads::stolen),
    ("point-size", choices::point_size),
    ("large", |_| large::panels(&large::SENDERS, &large::SIDES, &large::NODES)),
];

/// Returns all charts, without their panels.
pub(super) fn all() -> impl Iterator<Item = Chart> {
    let blocks: Vec<_> = include_str!("charts/charts.md").split("\n\n").collect();
    blocks.chunks_exact(2).map(chart).collect::<Vec<_>>().into_iter()
}

/// Parses the chart of two blocks.
fn chart(blocks: &[&'static str]) -> Chart {
    let words = || -> Option<Chart> {
        let (title, about) = blocks[0].split_once('\n')?;
        let (name, title) = title.strip_prefix("# ")?.split_once(": ")?;
        let [help, x, y] = about.split(" | ").collect::<Vec<_>>().try_into().ok()?;
        let measure = Measure::named(y)?;
        let caption = blocks[1].trim().replace('\n', " ");
        Some(Chart { name, help, title, caption, x, y, measure, panels: Vec::new() })
    };
    words().unwrap_or_else(|| unreachable!("{} has a title, a line of help and axes", blocks[0]))
}

impl Chart {
    pub(super) fn drawn(self, setups: &mut Setups) -> Self {
        let panels = PANELS.iter().find(|(name, _)| *name == self.name).map(|(_, panels)| panels(setups));
        Self { panels: panels.unwrap_or_else(|| unreachable!("the chart {} has panels", self.name)), ..self }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use earth::simulated::Profile;

    use super::*;

    fn setups() -> Setups {
        Setups::new(Profile::named("manna50").unwrap(), None)
    }

    #[test]
    fn every_chart_is_of_runs_that_can_be_done() {
        let mut setups = setups();
        assert!(all().map(|chart| chart.name).eq(PANELS.map(|(name, _)| name)));
        for chart in all().map(|chart| chart.drawn(&mut setups)) {
            assert!(chart.dots().count() >= 16, "{}", chart.name);
            assert!(chart.points().iter().all(|point| point.program.can(point.n, point.p)), "{}", chart.name);
            for (_, line, dot) in chart.dots() {
                assert_eq!(line.config, dot.point.config);
                assert_eq!(dot.base.is_some(), !chart.measure.is_time(), "{}", chart.name);
            }
            for panel in &chart.panels {
                assert!(panel.lines.iter().all(|line| line.dots.is_sorted_by(|a, b| a.x < b.x)));
            }
        }
    }

    #[test]
    fn the_figures_have_the_paper_s_machines() {
        let nodes = |name| {
            let chart = all().find(|chart| chart.name == name).unwrap().drawn(&mut setups());
            chart.dots().map(|(_, _, dot)| dot.point.p).collect::<BTreeSet<_>>()
        };
        assert_eq!(nodes("fig6"), [2, 4, 8, 16, 32, 64].into());
        assert_eq!(nodes("fig7"), [64].into());
        assert_eq!(nodes("fig8"), [1, 2, 4, 8, 16, 32, 64].into());
        assert_eq!(nodes("fig10"), [1, 2, 4, 8, 16, 32, 64, 120].into());
    }
}
