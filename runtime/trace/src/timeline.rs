//! A trace as one picture: time to the right, a row for each unit, and the queues of a node below its units.
//!
//! ```text
//! node 0 EU  |[start][leaf][leaf]   [add ][end]|   fibers, colored by name; the critical path is underlined
//!        SU  |      [events]   [events]        |   times in which events were processed
//!    queues  |__/--\___________________________|   lengths of its queues, scaled to the longest of all nodes
//! ```
//!
//! *Thinning.* A picture has some thousand columns, and a run may have a million fibers.
//!
//! * A fiber of at least [`WIDE`](rows::WIDE) columns is a separate rectangle, which shows its name and times
//!   on hover.
//! * Narrower fibers are summed by column. The column gets the color of the fibers with the largest share of
//!   it. Its height is its busy part.
//! * At most [`ARROWS`](arrows::ARROWS) arrows are drawn. They are chosen evenly, arrows between nodes first.
//!   Short arrows within a row are not drawn.
//!
//! A note below the picture gives the numbers of arrows and nodes that are drawn.
//!
//! Fiber colors suit light and dark pages; text and lines adapt to the page. Cost: linear in the trace. The
//! picture has at most some 100 KB for each node.

/// Appends to the picture; writing to a string cannot fail.
macro_rules! draw {
    ($picture:expr, $($format:tt)+) => { let _ = write!($picture.out, $($format)+); };
}

mod arrows;
mod rows;

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Clock, Queue, Trace, time};

/// Width of the picture, and the positions of start and end of time in it.
const WIDTH: f64 = 1200.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = 1184.0;
/// Upper edge of the first row.
const TOP: f64 = 56.0;

const EU: f64 = 26.0;
const SU: f64 = 12.0;
const QUEUES: f64 = 22.0;
/// Gaps between rows of a node, and between nodes.
const GAP: f64 = 3.0;
const NODE_GAP: f64 = 14.0;

/// Maximum number of nodes that are drawn.
const NODES: usize = 32;

/// Colors: each of the first names has its own, and the other names share the last one.
const COLORS: [&str; 9] =
    ["#4e8fd1", "#e8873a", "#4fa866", "#c25d9e", "#c9a227", "#3aa8a8", "#8c6fd1", "#b5694a", "#8a8f98"];
const REST: usize = COLORS.len() - 1;

const QUEUE_COLOURS: [&str; 3] = ["#3d9df2", "#f29e38", "#9a7bd9"];

pub(super) const STYLE: &str = "<style>\
    svg{color-scheme:light dark;font:12px system-ui,sans-serif}\
    .page{fill:#ffffff}.ink{fill:#1d2127}.soft{fill:#5d6673}.line{stroke:#c9ced6}.row{fill:#f0f2f5}\
    .arrow{stroke:#1d2127;stroke-opacity:.35;stroke-width:.7;fill:none}.path{stroke:#d4213d;fill:none}\
    @media (prefers-color-scheme:dark){\
    .page{fill:#15181d}.ink{fill:#e8eaed}.soft{fill:#9aa3b0}.line{stroke:#3a414c}.row{fill:#20252c}\
    .arrow{stroke:#e8eaed}.path{stroke:#ff5c75}}\
    </style>";

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns the distance of marks: 1, 2 or 5 times a power of ten, so that a length has 4 to 10 marks.
fn step(length: f64) -> f64 {
    let raw = (length / 8.0).max(f64::MIN_POSITIVE);
    let power = 10_f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= raw).unwrap_or(10.0);
    factor * power
}

struct Picture<'a> {
    trace: &'a Trace,
    end: u64,
    /// Color of each name.
    colors: Vec<usize>,
    /// Names and the time of their fibers, longest time first. The first names have their own color.
    legend: Vec<(usize, u64)>,
    /// Upper edge of the row of each node's execution unit.
    rows: Vec<f64>,
    out: String,
}

impl Trace {
    /// Writes the trace as one SVG picture for light and dark pages. It has a row for each unit with its
    /// fibers colored by name, arrows, the critical path, the lengths of queues, a time axis and a legend.
    /// Long runs are thinned, and at most 32 nodes are drawn, as a note in the picture states.
    ///
    /// # Errors
    ///
    /// The errors of the sink.
    pub fn write_svg(&self, sink: &mut dyn Write) -> io::Result<()> {
        sink.write_all(Picture::new(self).draw().as_bytes())
    }
}

impl<'a> Picture<'a> {
    fn new(trace: &'a Trace) -> Self {
        let mut times = vec![0; trace.names.len()];
        for slice in &trace.slices {
            times[slice.name as usize] += slice.time();
        }
        let mut legend: Vec<_> = times.into_iter().enumerate().collect();
        legend.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| trace.names[a.0].cmp(&trace.names[b.0])));
        let mut colors = vec![REST; trace.names.len()];
        for (color, (name, _)) in legend.iter().take(REST).enumerate() {
            colors[*name] = color;
        }
        Picture { trace, end: trace.end().max(1), colors, legend, rows: Vec::new(), out: String::new() }
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
            Clock::Host => "on this computer",
            Clock::Virtual { .. } => "in virtual time",
        };
        let nodes = if trace.nodes == 1 { "1 node".to_owned() } else { format!("{} nodes", trace.nodes) };
        let all = time(trace.clock.micros(trace.end()));
        let fibers = trace.slices.len();
        if trace.clock_error == 0 {
            return format!("{fibers} fibers on {nodes}, {all} {clock}");
        }
        let error = time(trace.clock.micros(trace.clock_error));
        format!(
            "{fibers} fibers on {nodes} of several processes, {all}; times of different processes within {error}"
        )
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

    /// Draws the legend of colors, and notes on the numbers of drawn arrows and nodes. Returns their lower
    /// edge.
    fn legend_and_notes(&mut self, mut y: f64, arrows: usize) -> f64 {
        let trace = self.trace;
        let work = self.legend.iter().map(|(_, time)| time).sum::<u64>().max(1) as f64;
        let share = |time: u64| format!("{:.1} %", 100.0 * time as f64 / work);
        let own = self.legend.len().min(REST);
        let mut entries: Vec<_> = self.legend[..own]
            .iter()
            .zip(COLORS)
            .map(|(&(name, time), color)| (color, format!("{} {}", trace.names[name], share(time))))
            .collect();
        if self.legend.len() > own {
            let rest = self.legend[own..].iter().map(|(_, time)| time).sum();
            let names = self.legend.len() - own;
            entries.push((COLORS[REST], format!("{names} others {}", share(rest))));
        }
        entries.push(("#d4213d", "critical path".to_owned()));
        if !trace.services.is_empty() {
            entries.push((COLORS[REST], "SU at work".to_owned()));
        }
        for queue in Queue::ALL {
            if trace.depths.iter().any(|depth| depth.queue == queue) {
                entries.push((QUEUE_COLOURS[queue as usize], queue.name().to_owned()));
            }
        }
        let mut x = LEFT;
        y += 18.0;
        for (color, text) in entries {
            // Approximate width of the characters.
            let width = 34.0 + 6.6 * text.chars().count() as f64;
            if x + width > RIGHT && x > LEFT {
                (x, y) = (LEFT, y + 20.0);
            }
            draw!(
                self,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"11\" height=\"11\" rx=\"2\" fill=\"{color}\"/>",
                y - 10.0
            );
            draw!(self, "<text class=\"ink\" x=\"{:.1}\" y=\"{y:.1}\">{}</text>", x + 16.0, escaped(&text));
            x += width;
        }
        let mut notes = vec![format!("{arrows} of {} arrows drawn", trace.arrows.len())];
        if trace.nodes > NODES {
            notes.push(format!("{NODES} of {} nodes drawn", trace.nodes));
        }
        y += 22.0;
        draw!(self, "<text class=\"soft\" x=\"{LEFT}\" y=\"{y:.1}\">{}</text>", notes.join("; "));
        y + 16.0
    }
}
