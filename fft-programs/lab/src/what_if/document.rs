//! Tables of the report.

use earth_report::document::{Content, Document};
use earth_report::numbers::{percent, short_seconds};

use super::{Answer, Predicted, others};

const PAGE: &str = include_str!("page.md");

pub(super) fn document(answer: &Answer) -> Document {
    let within = answer.rows.iter().flat_map(others).filter(|predicted| predicted.error() <= 0.25).count();
    let all = answer.rows.iter().flat_map(others).count();
    let rows = answer.rows.iter().flat_map(|row| {
        row.predicted.iter().map(move |predicted: &Predicted| {
            let [least, median, most] = predicted.measured_s.map(short_seconds);
            [
                row.program.to_owned(),
                predicted.machine.to_owned(),
                format!("{least} / {median} / {most}"),
                short_seconds(predicted.predicted_s),
                format!("{:.2}", predicted.ratio()),
            ]
        })
    });
    let speedups = answer.rows.iter().map(|row| {
        let mut cells = vec![row.program.to_owned(), format!("{:.0}", row.fiber_ns)];
        cells.extend(row.speedups.iter().map(|(_, speedup)| format!("{speedup:.2}")));
        cells
    });
    Content::default()
        .text("median", percent(answer.median_error))
        .text("within", within)
        .text("all", all)
        .rows("predicted", rows)
        .rows("speedups", speedups)
        .page(PAGE)
}
