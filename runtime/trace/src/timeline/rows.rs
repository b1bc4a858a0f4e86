//! The rows of a picture: fibers and services of each unit, and the lengths of its queues.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::super::{Queue, Slice};
use super::{COLORS, EU, GAP, LEFT, Picture, QUEUE_COLOURS, QUEUES, REST, RIGHT, SU, escaped, time};

/// Minimum width, in columns, of a fiber that is drawn as a separate rectangle.
pub(super) const WIDE: f64 = 1.0;

/// Returns the part of a trace that belongs to one node. It is contiguous.
fn of_node<T>(all: &[T], node: u32, node_of: impl Fn(&T) -> u32) -> &[T] {
    let first = all.partition_point(|item| node_of(item) < node);
    let end = all.partition_point(|item| node_of(item) <= node);
    &all[first..end]
}

impl Picture<'_> {
    /// Draws the rows of one node. Returns their lower edge.
    pub(super) fn node(&mut self, node: u32, top: f64) -> f64 {
        let trace = self.trace;
        self.rows.push(top);
        let mut y = top;
        self.row(&format!("node {node} EU"), y, EU);
        self.fibers(of_node(&trace.slices, node, |slice| slice.node), y);
        y += EU + GAP;
        let services = of_node(&trace.services, node, |service| service.node);
        if !services.is_empty() {
            self.row("SU", y, SU);
            let mut columns = Columns::default();
            for service in services {
                columns.add(self.x(service.begin), self.x(service.end), REST);
            }
            self.columns(&columns, y, SU);
            y += SU + GAP;
        }
        let depths = of_node(&trace.depths, node, |depth| depth.node);
        if !depths.is_empty() {
            self.row("queues", y, QUEUES);
            let most = trace.depths.iter().map(|depth| depth.length).max().unwrap_or(1).max(1);
            for queue in Queue::ALL {
                let levels = depths.iter().filter(|depth| depth.queue == queue);
                self.level(queue, levels.map(|depth| (depth.at, depth.length)), most, y);
            }
            draw!(
                self,
                "<text class=\"soft\" x=\"{RIGHT}\" y=\"{:.1}\" font-size=\"9\" text-anchor=\"end\">{most}</text>",
                y + 8.0
            );
            y += QUEUES + GAP;
        }
        y
    }

    fn row(&mut self, name: &str, y: f64, height: f64) {
        draw!(
            self,
            "<rect class=\"row\" x=\"{LEFT}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{height}\"/>",
            RIGHT - LEFT
        );
        let middle = y + height / 2.0 + 4.0;
        draw!(
            self,
            "<text class=\"soft\" x=\"{:.1}\" y=\"{middle:.1}\" text-anchor=\"end\">{name}</text>",
            LEFT - 8.0
        );
    }

    fn fibers(&mut self, slices: &[Slice], y: f64) {
        let mut columns = Columns::default();
        for slice in slices {
            let (from, to) = (self.x(slice.begin), self.x(slice.end));
            let color = self.colors[slice.name as usize];
            if to - from < WIDE {
                columns.add(from, to, color);
                continue;
            }
            let [begin, took] = [slice.begin, slice.time()].map(|ticks| time(self.trace.clock.micros(ticks)));
            let name = escaped(&self.trace.name(slice).to_string());
            draw!(
                self,
                "<rect x=\"{from:.2}\" y=\"{y:.1}\" width=\"{:.2}\" height=\"{EU}\" fill=\"{}\">\
                 <title>{name}[{}] at {begin} for {took}</title></rect>",
                // Leaves a thin gap between successive fibers.
                (to - from - 0.3).max(0.5),
                COLORS[color],
                slice.index
            );
        }
        self.columns(&columns, y, EU);
    }

    /// Draws columns as one path for each color.
    fn columns(&mut self, columns: &Columns, y: f64, height: f64) {
        for (color, fill) in COLORS.iter().enumerate() {
            let mut path = String::new();
            let mut of_colour: Vec<_> = columns
                .0
                .iter()
                .map(|(&x, busy)| (x, busy))
                .filter(|(_, busy)| busy.most() == color)
                .collect();
            of_colour.sort_by_key(|(x, _)| *x);
            for (x, busy) in of_colour {
                let high = (height * busy.all().min(1.0)).max(1.0);
                let _ = write!(path, "M{x} {:.1}v{high:.1}h1v-{high:.1}z", y + height - high);
            }
            if !path.is_empty() {
                draw!(self, "<path fill=\"{fill}\" d=\"{path}\"/>");
            }
        }
    }

    /// Draws the length of a queue as a line. Of several changes within a column, it shows the greatest
    /// length.
    fn level(&mut self, queue: Queue, levels: impl Iterator<Item = (u64, u32)>, most: u32, y: f64) {
        let bottom = y + QUEUES - 1.0;
        let mut path = format!("M{LEFT} {bottom:.1}");
        let (mut column, mut highest, mut last) = (LEFT.floor(), 0, 0);
        let high = |length: u32| bottom - (QUEUES - 2.0) * f64::from(length) / f64::from(most);
        for (at, length) in levels {
            let x = self.x(at).floor();
            if x > column {
                let _ = write!(path, "V{:.1}V{:.1}H{x}", high(highest), high(last));
                (column, highest) = (x, last);
            }
            (highest, last) = (highest.max(length), length);
        }
        let _ = write!(path, "V{:.1}V{:.1}H{RIGHT}", high(highest), high(last));
        draw!(self, "<path fill=\"none\" stroke=\"{}\" d=\"{path}\"/>", QUEUE_COLOURS[queue as usize]);
    }
}

/// Busy time of columns, by color.
#[derive(Default)]
struct Columns(HashMap<u32, Busy>);

#[derive(Default)]
struct Busy([f32; COLORS.len()]);

impl Busy {
    fn all(&self) -> f64 {
        self.0.iter().map(|part| f64::from(*part)).sum()
    }

    /// Returns the color with the largest share.
    fn most(&self) -> usize {
        let most = (0..COLORS.len()).rev().max_by(|a, b| self.0[*a].total_cmp(&self.0[*b]));
        most.unwrap_or(REST)
    }
}

impl Columns {
    fn add(&mut self, from: f64, to: f64, color: usize) {
        let mut from = from;
        loop {
            let column = from.floor();
            let until = to.min(column + 1.0);
            // A fiber of zero duration is still drawn.
            self.0.entry(column as u32).or_default().0[color] += ((until - from) as f32).max(1e-3);
            if until >= to {
                return;
            }
            from = until;
        }
    }
}
