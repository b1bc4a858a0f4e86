//! The parts of a picture that are drawn over its rows: arrows between fibers, and the critical path.

use std::fmt::Write as _;

use super::super::{Arrow, Slice};
use super::{EU, Picture};

/// Maximum number of arrows that are drawn.
pub(super) const ARROWS: usize = 300;

impl<'a> Picture<'a> {
    /// Returns the point of an arrow's end, if its node is drawn.
    fn point(&self, slice: &Slice, at: u64) -> Option<(f64, f64)> {
        self.rows.get(slice.node as usize).map(|row| (self.x(at), row + EU / 2.0))
    }

    /// Draws some of the arrows. Returns their number.
    pub(super) fn arrows(&mut self) -> usize {
        let trace = self.trace;
        let ends = |arrow: &Arrow| [arrow.from, arrow.to].map(|slice| &trace.slices[slice as usize]);
        let is_between = |arrow: &&Arrow| {
            let [from, to] = ends(arrow);
            from.node != to.node
        };
        let (between, within): (Vec<_>, Vec<_>) = trace.arrows.iter().partition(is_between);
        let evenly = |arrows: &[&'a Arrow], most: usize| {
            let stride = arrows.len().div_ceil(most.max(1)).max(1);
            let some = if most == 0 { 0 } else { arrows.len() };
            arrows[..some].iter().step_by(stride).copied().collect::<Vec<_>>()
        };
        let mut chosen = evenly(&between, ARROWS);
        chosen.extend(evenly(&within, ARROWS - chosen.len()));
        let mut path = String::new();
        let mut drawn = 0;
        for arrow in chosen {
            let [from, to] = ends(arrow);
            let sent = from.end.min(to.begin.max(from.begin));
            if let (Some((x0, y0)), Some((x1, y1))) = (self.point(from, sent), self.point(to, to.begin)) {
                // Short arrows within a row would only hide the fibers.
                if from.node == to.node && x1 - x0 < 4.0 {
                    continue;
                }
                drawn += 1;
                // Arrows within a row are bows above it.
                let bow = if from.node == to.node { (EU * 0.75).min(x1 - x0) } else { 0.0 };
                let middle = f64::midpoint(x0, x1);
                let _ = write!(
                    path,
                    "M{x0:.1} {y0:.1}C{middle:.1} {:.1} {middle:.1} {:.1} {x1:.1} {y1:.1}l-4 -2.5m4 2.5l-4 2.5",
                    y0 - bow,
                    y1 - bow
                );
            }
        }
        draw!(self, "<path class=\"arrow\" d=\"{path}\"/>");
        drawn
    }

    /// Draws the critical path along the lower edge of its fibers. Returns the summary of the path.
    pub(super) fn path(&mut self) -> String {
        let trace = self.trace;
        let critical = trace.critical_path();
        let mut path = String::new();
        let mut pen: Option<(f64, f64)> = None;
        for slice in critical.slices.iter().map(|&slice| &trace.slices[slice as usize]) {
            let Some(row) = self.rows.get(slice.node as usize) else {
                pen = None;
                continue;
            };
            let (from, to, y) = (self.x(slice.begin), self.x(slice.end), row + EU - 1.5);
            match pen {
                // Invisible steps are left out, as the path is as long as the run.
                Some((x, last)) if (last - y).abs() < 0.1 && to - x < 1.0 => continue,
                Some(_) => {
                    let _ = write!(path, "L{from:.1} {y:.1}H{to:.1}");
                }
                None => {
                    let _ = write!(path, "M{from:.1} {y:.1}H{to:.1}");
                }
            }
            pen = Some((to, y));
        }
        draw!(self, "<path class=\"path\" stroke-width=\"2\" stroke-linejoin=\"round\" d=\"{path}\"/>");
        critical.to_string()
    }
}
