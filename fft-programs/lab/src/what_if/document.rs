//! Tables of the report.

use earth_report::document::{Content, Document};
use earth_report::numbers::{percent, short_seconds};

use super::{Answer, Predicted, others};

const PAGE: &str = include_str!("page.md");

pub(super) fn document(answer: &Answer) -> Document {
    let errors = |of_ranks| {
        let errors = answer.rows.iter().flat_map(move |row| others(row, of_ranks)).map(Predicted::error);
        let (within, all) =
            errors.fold((0, 0), |(within, all), by| (within + usize::from(by <= 0.25), all + 1));
        format!("of {all} predictions {within} are within 25%")
    };
    let of_ranks = answer.median_error_of_ranks.map_or_else(
        || "There is no prediction for ranks.".to_owned(),
        |error| format!("For ranks it is {}; {}.", percent(error), errors(true)),
    );
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
        let encoding = row.encoding_ns.map_or_else(String::new, |time| format!("{time:.0}"));
        let mut cells = vec![row.program.to_owned(), format!("{:.0}", row.fiber_ns), encoding];
        cells.extend(row.speedups.iter().map(|(_, speedup)| format!("{speedup:.2}")));
        cells
    });
    let messages = answer.messages.iter().map(|costs| {
        let nodes = if costs.of_ranks { "ranks" } else { "threads" };
        let [send, receive] = costs.ends_ns;
        let [send, receive, between] = [send, receive, costs.between_ns].map(|time| format!("{time:.0}"));
        [nodes.to_owned(), send, receive, between]
    });
    Content::default()
        .text("median", percent(answer.median_error))
        .text("errors", errors(false))
        .text("ranks", of_ranks)
        .rows("messages", messages)
        .rows("predicted", rows)
        .rows("speedups", speedups)
        .page(PAGE)
}
