//! A trace as one picture: time to the right, a row for each unit, the queues of a node below its units.
//!
//! ```text
//! node 0 EU  |[start][leaf][leaf]   [add ][end]|   fibers, coloured by name; the critical path is underlined
//!        SU  |      [events]   [events]        |   where any were attended to
//!    queues  |__/--\___________________________|   the lengths of its queues, as high as the longest of all
//! ```
//!
//! *Thinning.* A picture has some thousand columns and a run may have a million fibers. A fiber of at least
//! [`WIDE`] columns is a rectangle of its own, which tells its name and times when pointed at. Narrower ones
//! are summed by column: the column gets the colour of the fibers that had most of it, and is as high as the part
//! of it that was busy. Of the arrows at most [`ARROWS`] are drawn, evenly chosen, those between nodes first; short ones within a
//! row are not.
//! What is left out is told below the picture.
//!
//! Colours are for light and dark pages alike; text and lines take the page's. Cost: linear in the trace; the picture
//! has at most some 100 KB a node.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Queue, Slice, Trace, TraceClock};

/// The width of the picture and where time begins and ends in it.
const WIDTH: f64 = 1200.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = 1184.0;
/// Where rows begin.
const TOP: f64 = 56.0;

/// The heights of rows.
const EU: f64 = 26.0;
const SU: f64 = 12.0;
const QUEUES: f64 = 22.0;
/// Between rows of a node, and between nodes.
const GAP: f64 = 3.0;
const NODE_GAP: f64 = 14.0;

/// From so many columns on a fiber is a rectangle of its own.
const WIDE: f64 = 1.0;

/// The most arrows and the most nodes that are drawn.
const ARROWS: usize = 300;
const NODES: usize = 32;

/// Names with a colour of their own; the rest share the last colour.
const COLOURS: [&str; 9] =
    ["#4e8fd1", "#e8873a", "#4fa866", "#c25d9e", "#c9a227", "#3aa8a8", "#8c6fd1", "#b5694a", "#8a8f98"];
const REST: usize = COLOURS.len() - 1;

const QUEUE_COLOURS: [&str; 3] = ["#3d9df2", "#f29e38", "#9a7bd9"];

const STYLE: &str = "<style>\
    svg{color-scheme:light dark;font:12px system-ui,sans-serif}\
    .page{fill:#ffffff}.ink{fill:#1d2127}.soft{fill:#5d6673}.line{stroke:#c9ced6}.row{fill:#f0f2f5}\
    .arrow{stroke:#1d2127;stroke-opacity:.35;stroke-width:.7;fill:none}.path{stroke:#d4213d;fill:none}\
    @media (prefers-color-scheme:dark){\
    .page{fill:#15181d}.ink{fill:#e8eaed}.soft{fill:#9aa3b0}.line{stroke:#3a414c}.row{fill:#20252c}\
    .arrow{stroke:#e8eaed}.path{stroke:#ff5c75}}\
    </style>";

/// Text that means nothing to XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A time for people.
fn time(us: f64) -> String {
    let (value, unit) = match us {
        us if us >= 1e6 => (us / 1e6, "s"),
        us if us >= 1e3 => (us / 1e3, "ms"),
        us if us >= 1.0 || us == 0.0 => (us, "µs"),
        us => (us * 1e3, "ns"),
    };
    let digits = if value >= 100.0 || value.fract() == 0.0 { 0 } else { 2 };
    format!("{value:.digits$} {unit}")
}

/// The distance of marks, 1, 2 or 5 times a power of ten, so that a length has 4 to 10 of them.
fn step(length: f64) -> f64 {
    let raw = (length / 8.0).max(f64::MIN_POSITIVE);
    let power = 10_f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= raw).unwrap_or(10.0);
    factor * power
}

/// The part of a trace that belongs to one node, which is side by side in it.
fn of_node<T>(all: &[T], node: u32, node_of: impl Fn(&T) -> u32) -> &[T] {
    let first = all.partition_point(|item| node_of(item) < node);
    let end = all.partition_point(|item| node_of(item) <= node);
    &all[first..end]
}

struct Picture<'a> {
    trace: &'a Trace,
    end: u64,
    /// The colour of each name.
    colours: Vec<usize>,
    /// The names with a colour of their own, and how much time each had, the most first.
    legend: Vec<(usize, u64)>,
    /// Where the row of each node's execution unit is.
    rows: Vec<f64>,
    out: String,
}

impl Trace {
    /// Writes the trace as one picture in SVG, for light and dark pages: a row for each unit with its fibers,
    /// coloured by name, arrows, the critical path, the lengths of queues, a time axis and a legend. Long runs
    /// are thinned, and at most 32 nodes are drawn, which the picture tells.
    ///
    /// # Errors
    ///
    /// Those of the sink.
    pub fn write_svg(&self, sink: &mut dyn Write) -> io::Result<()> {
        sink.write_all(Picture::new(self).draw().as_bytes())
    }
}

/// Appends to the picture; writing to a string cannot fail.
macro_rules! draw {
    ($picture:expr, $($format:tt)+) => { let _ = write!($picture.out, $($format)+); };
}

impl<'a> Picture<'a> {
    fn new(trace: &'a Trace) -> Self {
        let mut times = vec![0; trace.names.len()];
        for slice in &trace.slices {
            times[slice.name as usize] += slice.time();
        }
        let mut legend: Vec<_> = times.into_iter().enumerate().collect();
        legend.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| trace.names[a.0].cmp(&trace.names[b.0])));
        let mut colours = vec![REST; trace.names.len()];
        for (colour, (name, _)) in legend.iter().take(REST).enumerate() {
            colours[*name] = colour;
        }
        Picture { trace, end: trace.end().max(1), colours, legend, rows: Vec::new(), out: String::new() }
    }

    fn x(&self, at: u64) -> f64 {
        LEFT + (RIGHT - LEFT) * (at as f64 / self.end as f64)
    }

    fn draw(mut self) -> String {
        let mut y = TOP;
        for node in 0..self.trace.nodes.min(NODES) as u32 {
            y = self.node(node, y) + NODE_GAP;
        }
        let arrows = self.arrows();
        let path = self.path();
        self.axis(y);
        let y = self.legend_and_notes(y + 24.0, arrows);
        let head = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {y:.0}\" width=\"{WIDTH}\" \
             height=\"{y:.0}\" role=\"img\"><title>Timeline of a run</title>{STYLE}\
             <rect class=\"page\" width=\"100%\" height=\"100%\"/>\
             <text class=\"ink\" x=\"{LEFT}\" y=\"24\" font-size=\"15\" font-weight=\"600\">{}</text>\
             <text class=\"soft\" x=\"{LEFT}\" y=\"43\">{}</text>",
            self.title(),
            path,
        );
        format!("{head}{}</svg>\n", self.out)
    }

    fn title(&self) -> String {
        let trace = self.trace;
        let clock = match trace.clock {
            TraceClock::Host => "on this computer",
            TraceClock::Virtual { .. } => "in virtual time",
        };
        let nodes = if trace.nodes == 1 { "1 node".to_owned() } else { format!("{} nodes", trace.nodes) };
        let all = time(trace.clock.micros(trace.end()));
        format!("{} fibers on {nodes}, {all} {clock}", trace.slices.len())
    }

    /// The rows of one node. Where they end.
    fn node(&mut self, node: u32, top: f64) -> f64 {
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

    /// The fibers of one unit.
    fn fibers(&mut self, slices: &[Slice], y: f64) {
        let mut columns = Columns::default();
        for slice in slices {
            let (from, to) = (self.x(slice.begin), self.x(slice.end));
            let colour = self.colours[slice.name as usize];
            if to - from < WIDE {
                columns.add(from, to, colour);
                continue;
            }
            let [begin, took] = [slice.begin, slice.time()].map(|ticks| time(self.trace.clock.micros(ticks)));
            let name = escaped(&self.trace.name(slice).to_string());
            draw!(
                self,
                "<rect x=\"{from:.2}\" y=\"{y:.1}\" width=\"{:.2}\" height=\"{EU}\" fill=\"{}\">\
                 <title>{name}[{}] at {begin} for {took}</title></rect>",
                // A hair between fibers that follow each other.
                (to - from - 0.3).max(0.5),
                COLOURS[colour],
                slice.index
            );
        }
        self.columns(&columns, y, EU);
    }

    /// Columns as one path a colour.
    fn columns(&mut self, columns: &Columns, y: f64, height: f64) {
        for (colour, fill) in COLOURS.iter().enumerate() {
            let mut path = String::new();
            let mut of_colour: Vec<_> = columns
                .0
                .iter()
                .map(|(&x, busy)| (x, busy))
                .filter(|(_, busy)| busy.most() == colour)
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

    /// The length of a queue as a line. Of changes within a column the longest is drawn.
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

    /// The point of an arrow's end, if its node is drawn.
    fn point(&self, slice: &Slice, at: u64) -> Option<(f64, f64)> {
        self.rows.get(slice.node as usize).map(|row| (self.x(at), row + EU / 2.0))
    }

    /// Some of the arrows. How many.
    fn arrows(&mut self) -> usize {
        let trace = self.trace;
        let ends = |arrow: &super::Arrow| [arrow.from, arrow.to].map(|slice| &trace.slices[slice as usize]);
        let is_between = |arrow: &&super::Arrow| {
            let [from, to] = ends(arrow);
            from.node != to.node
        };
        let (between, within): (Vec<_>, Vec<_>) = trace.arrows.iter().partition(is_between);
        let evenly = |arrows: &[&'a super::Arrow], most: usize| {
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
                // Within a row these would only hide the fibers.
                if from.node == to.node && x1 - x0 < 4.0 {
                    continue;
                }
                drawn += 1;
                // Those of one row are bows above it.
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

    /// The critical path, along the lower edge of its fibers. What is said of it.
    fn path(&mut self) -> String {
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
                // What would not be seen is left out: the path is as long as the run.
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
        let [work, span] = [critical.work, critical.span].map(|ticks| time(trace.clock.micros(ticks)));
        format!("work {work}, span {span}, parallelism {:.2}", critical.parallelism())
    }

    fn axis(&mut self, y: f64) {
        draw!(self, "<path class=\"line\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>");
        let length = self.trace.clock.micros(self.end);
        let step = step(length);
        let marks = (length / step).floor() as u32;
        for mark in 0..=marks {
            let us = f64::from(mark) * step;
            let x = LEFT + (RIGHT - LEFT) * us / length;
            draw!(self, "<path class=\"line\" d=\"M{x:.1} {y:.1}v5\"/>");
            draw!(
                self,
                "<text class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                y + 18.0,
                time(us)
            );
        }
    }

    /// What colours mean, and what is not drawn. Where that ends.
    fn legend_and_notes(&mut self, mut y: f64, arrows: usize) -> f64 {
        let trace = self.trace;
        let work = self.legend.iter().map(|(_, time)| time).sum::<u64>().max(1) as f64;
        let share = |time: u64| format!("{:.1} %", 100.0 * time as f64 / work);
        let own = self.legend.len().min(REST);
        let mut entries: Vec<_> = self.legend[..own]
            .iter()
            .zip(COLOURS)
            .map(|(&(name, time), colour)| (colour, format!("{} {}", trace.names[name], share(time))))
            .collect();
        if self.legend.len() > own {
            let rest = self.legend[own..].iter().map(|(_, time)| time).sum();
            let names = self.legend.len() - own;
            entries.push((COLOURS[REST], format!("{names} others {}", share(rest))));
        }
        entries.push(("#d4213d", "critical path".to_owned()));
        if !trace.services.is_empty() {
            entries.push((COLOURS[REST], "SU at work".to_owned()));
        }
        for queue in Queue::ALL {
            if trace.depths.iter().any(|depth| depth.queue == queue) {
                entries.push((QUEUE_COLOURS[queue as usize], queue.name().to_owned()));
            }
        }
        let mut x = LEFT;
        y += 18.0;
        for (colour, text) in entries {
            // About what a character takes.
            let width = 34.0 + 6.6 * text.chars().count() as f64;
            if x + width > RIGHT && x > LEFT {
                (x, y) = (LEFT, y + 20.0);
            }
            draw!(
                self,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"11\" height=\"11\" rx=\"2\" fill=\"{colour}\"/>",
                y - 10.0
            );
            draw!(self, "<text class=\"ink\" x=\"{:.1}\" y=\"{y:.1}\">{}</text>", x + 16.0, escaped(&text));
            x += width;
        }
        let mut notes = vec![format!("{arrows} of {} arrows drawn", trace.arrows.len())];
        if trace.nodes > NODES {
            notes.push(format!("{NODES} of {} nodes drawn", trace.nodes));
        }
        if trace.dropped > 0 {
            notes.push(format!("{} records were not kept", trace.dropped));
        }
        y += 22.0;
        draw!(self, "<text class=\"soft\" x=\"{LEFT}\" y=\"{y:.1}\">{}</text>", notes.join("; "));
        y + 16.0
    }
}

/// How busy columns were, by colour.
#[derive(Default)]
struct Columns(HashMap<u32, Busy>);

#[derive(Default)]
struct Busy([f32; COLOURS.len()]);

impl Busy {
    fn all(&self) -> f64 {
        self.0.iter().map(|part| f64::from(*part)).sum()
    }

    /// The colour that had most of it.
    fn most(&self) -> usize {
        let most = (0..COLOURS.len()).rev().max_by(|a, b| self.0[*a].total_cmp(&self.0[*b]));
        most.unwrap_or(REST)
    }
}

impl Columns {
    fn add(&mut self, from: f64, to: f64, colour: usize) {
        let mut from = from;
        loop {
            let column = from.floor();
            let until = to.min(column + 1.0);
            // What takes no time is still there.
            self.0.entry(column as u32).or_default().0[colour] += ((until - from) as f32).max(1e-3);
            if until >= to {
                return;
            }
            from = until;
        }
    }
}
