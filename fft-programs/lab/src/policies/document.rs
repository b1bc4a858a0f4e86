//! Page: a table of the changes on each machine, and maps of the ratios.

use earth_report::document::{Content, Document, Part};
use earth_report::figure::{Axis, Cell, Figure, Heat, HeatKey, Layout, Panel, Plot, Scale};
use earth_report::numbers::{ratio, short};

use super::settings::all;
use super::{Answer, machine, matters};
use crate::sweep::Line;

/// Most marks on the axes of a map. Each program has one.
const MARKS: [usize; 2] = [40; 2];

const PAGE: &str = include_str!("page.md");

pub(super) fn document(answer: &Answer) -> Document {
    let effects = answer.effects.iter().map(|effect| {
        let [faster, slower] = effect.changed;
        let number = all().position(|name| name == effect.setting).unwrap_or(0) + 1;
        let mut cells = vec![
            number.to_string(),
            effect.setting.to_owned(),
            effect.machine.clone(),
            ratio(effect.mean),
            faster.to_string(),
            slower.to_string(),
        ];
        cells.extend(effect.extremes.iter().map(|(program, of)| format!("{program} {}", ratio(*of))));
        cells
    });
    let of = |is_wanted: fn(&Answer, &str) -> bool| {
        let names: Vec<_> = all().filter(|name| is_wanted(answer, name)).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let left = match answer.left_out {
        0 => String::new(),
        left => format!("{left} runs are left out; the same command does them."),
    };
    Content::default()
        .text("better", of(is_better))
        .text("idle", of(is_idle))
        .text("left", left)
        .rows("effects", effects)
        .parts("maps", maps(&answer.lines))
        .page(PAGE)
}

/// Returns whether a change makes some program faster and none slower.
fn is_better(answer: &Answer, name: &str) -> bool {
    let own = || answer.effects.iter().filter(|effect| effect.setting == name);
    own().any(|effect| effect.changed[0] > 0) && own().all(|effect| effect.changed[1] == 0)
}

/// Returns whether a change matters for no program.
fn is_idle(answer: &Answer, name: &str) -> bool {
    let mut own = answer.effects.iter().filter(|effect| effect.setting == name).peekable();
    own.peek().is_some() && own.all(|effect| effect.changed == [0, 0])
}

/// Draws a map for each machine: a row for each program, and a column for each change by its number.
fn maps(lines: &[Line]) -> Vec<Part> {
    let mut machines: Vec<String> = Vec::new();
    for line in lines {
        let name = machine(line);
        if !machines.contains(&name) {
            machines.push(name);
        }
    }
    machines.sort();
    let mut programs: Vec<String> = Vec::new();
    for line in lines {
        if !programs.iter().any(|name| name == line.program) {
            programs.push(line.program.to_owned());
        }
    }
    machines.into_iter().map(|name| Part::figure(map(lines, &name, &programs))).collect()
}

fn map(lines: &[Line], name: &str, programs: &[String]) -> Figure {
    let mut heat = Heat::default();
    for line in lines.iter().filter(|line| machine(line) == name) {
        let row = programs.iter().position(|program| program == line.program);
        let number = all().position(|setting| setting == line.policy);
        let (Some(row), Some(number), Some(of)) = (row, number, line.ratio) else { continue };
        let middle = number as f64 + 1.0;
        let across = [middle - 0.5, middle + 0.5];
        heat.cells.push(Cell { across, row, ratio: of.median, is_null: !matters(line) });
    }
    let columns = heat.cells.iter().flat_map(|cell| cell.across).fold(0.5, f64::max);
    let across = Axis::new("change, by its number in the table", Scale::Linear, short).with([0.5, columns]);
    let places: Vec<_> = (0..programs.len()).map(|row| row as f64).collect();
    let up = Axis { names: programs.to_vec(), ..Axis::new("", Scale::Rows, short).with(places) };
    let key = HeatKey { null: "does not matter".to_owned(), edge: String::new(), predicted: String::new() };
    let height = 190 + 58 * programs.len().max(3) as u32;
    let layout =
        Layout { width: 1500, panel: 1500, beside: 1, height, left: 290, marks: MARKS, ..Layout::WIDE };
    let plot = Plot::beside([across, up], [Panel::new("", []).with_heat(heat)]).sized(layout).heated(key);
    let file: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    Figure {
        name: file.replace("--", "-"),
        title: format!("Time over the default's, {name}"),
        caption: "Blue cells are faster than the default.".to_owned(),
        plot,
    }
}
