//! Two schedules of a program with different outcomes, as one picture.
//!
//! ```text
//!   usual schedule               schedule `0*3 1`
//!   0  1                         0  1             a lane for each unit
//!   o        starts `Sum`        o        starts `Sum`        steps, downwards
//!   |\                           |\
//!   | o      starts `Number`     | |
//!   O        runs `Sum::add`     | o      starts `Number`
//!   gives 3                      gives 4
//! ```
//!
//! A line leads to a step from each step that sent its message, enabled its fiber or started its function.
//! Steps that both schedules begin with are pale. The two steps that the schedules take in different orders
//! are red.

use std::fmt::Write as _;
use std::io::{self, Write};

use earth::explore::{Difference, ScheduleTrace, TracedStep};

use super::timeline::{STYLE, escaped};

/// Width of one schedule, the distances of its lanes and of its steps, and the upper edge of its steps.
const WIDTH: f64 = 640.0;
const LANE: f64 = 22.0;
const ROW: f64 = 21.0;
const TOP: f64 = 74.0;
/// Distance of the first lane from the left edge.
const LEFT: f64 = 22.0;
/// Approximate width of a character.
const LETTER: f64 = 6.3;

const RED: &str = "#d4213d";

/// Writes two schedules with different outcomes as one SVG picture for light and dark pages.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_difference(difference: &Difference, sink: &mut dyn Write) -> io::Result<()> {
    let Difference { first, second, .. } = difference;
    let lanes = lanes(difference);
    let common = difference.common();
    let rows = first.steps.len().max(second.steps.len());
    let height = TOP + ROW * (rows as f64 + 2.5);
    let mut picture = String::new();
    for (at, (title, trace)) in
        [("The usual schedule".to_owned(), first), (title_of(second), second)].into_iter().enumerate()
    {
        let _ = write!(picture, "<g transform=\"translate({:.0} 0)\">", at as f64 * WIDTH);
        draw(&mut picture, &title, trace, &lanes, common);
        picture.push_str("</g>");
    }
    let width = 2.0 * WIDTH;
    writeln!(
        sink,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height:.0}\" width=\"{width}\" \
         height=\"{height:.0}\" role=\"img\"><title>Two schedules with different outcomes</title>{STYLE}\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>{picture}</svg>"
    )
}

fn title_of(trace: &ScheduleTrace) -> String {
    format!("The schedule {}", trace.choices)
}

/// Units that take steps, each with its node, in the order of the nodes.
type Lanes = Vec<(usize, &'static str)>;

fn lane_of(step: &TracedStep) -> (usize, &'static str) {
    (step.node, step.unit)
}

fn lanes(difference: &Difference) -> Lanes {
    let steps = difference.first.steps.iter().chain(&difference.second.steps);
    let mut lanes: Lanes = steps.map(lane_of).collect();
    lanes.sort_unstable();
    lanes.dedup();
    lanes
}

fn draw(picture: &mut String, title: &str, trace: &ScheduleTrace, lanes: &Lanes, common: usize) {
    let x = |step: &TracedStep| {
        let lane = lanes.iter().position(|lane| *lane == lane_of(step)).unwrap_or(0);
        LEFT + LANE * lane as f64
    };
    let y = |row: usize| TOP + ROW * (row as f64 + 0.5);
    let end = y(trace.steps.len());
    let _ = write!(
        picture,
        "<text class=\"ink\" x=\"{LEFT}\" y=\"24\" font-size=\"15\" font-weight=\"600\">{}</text>",
        escaped(title)
    );
    for (number, (node, unit)) in lanes.iter().enumerate() {
        let x = LEFT + LANE * number as f64;
        let _ = write!(
            picture,
            "<text class=\"soft\" x=\"{x:.1}\" y=\"46\" text-anchor=\"middle\">{node}</text>\
             <text class=\"soft\" x=\"{x:.1}\" y=\"60\" text-anchor=\"middle\" font-size=\"9\">{unit}</text>\
             <path class=\"line\" d=\"M{x:.1} {:.1}V{:.1}\"/>",
            TOP - 6.0,
            end - ROW / 2.0
        );
    }
    for (row, step) in trace.steps.iter().enumerate() {
        for &cause in &step.causes {
            let (x0, y0, x1, y1) = (x(&trace.steps[cause]), y(cause), x(step), y(row));
            let bend = if (x0 - x1).abs() < 1.0 && row > cause + 1 { LANE * 0.4 } else { 0.0 };
            let _ = write!(
                picture,
                "<path class=\"arrow\" d=\"M{x0:.1} {y0:.1}C{:.1} {:.1} {:.1} {:.1} {x1:.1} {y1:.1}\"/>",
                x0 + bend,
                y0 + ROW * 0.6,
                x1 + bend,
                y1 - ROW * 0.6
            );
        }
    }
    let left = LEFT + LANE * lanes.len() as f64;
    let most = ((WIDTH - left - 8.0) / LETTER) as usize;
    for (row, step) in trace.steps.iter().enumerate() {
        let is_common = row < common;
        let (fill, class) = match (step.races, is_common) {
            (true, _) => (RED, "ink"),
            (false, true) => ("#a9b0ba", "soft"),
            (false, false) => ("#4e8fd1", "ink"),
        };
        let paint = if step.races { format!(" style=\"fill:{RED};font-weight:600\"") } else { String::new() };
        let _ = write!(
            picture,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{}\" fill=\"{fill}\"/>\
             <text class=\"{class}\"{paint} x=\"{left:.1}\" y=\"{:.1}\">{}</text>",
            x(step),
            y(row),
            if step.races { 6.5 } else { 4.5 },
            y(row) + 4.0,
            escaped(&shortened(&text_of(step), most))
        );
    }
    let outcome = match &trace.outcome {
        Ok(outcome) => format!("gives {}", outcome.value),
        Err(error) => format!("fails: {error}"),
    };
    let _ = write!(
        picture,
        "<text class=\"ink\" x=\"{left:.1}\" y=\"{:.1}\" font-weight=\"600\">{}</text>",
        end + 8.0,
        escaped(&shortened(&outcome, most))
    );
}

fn text_of(step: &TracedStep) -> String {
    let action = step.action.replace('`', "");
    match &step.used[..] {
        [] => action,
        used => format!("{action}: {}", used.join(", ").replace('`', "")),
    }
}

/// Returns a text of at most `most` characters.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
