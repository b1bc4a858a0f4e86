//! Tables of the report, for people.

use earth_console::failure::sizes;
use earth_lab::overlap::measured::{Measured, Row, Search, Transform};
use earth_papers::overlap::NAMES;
use earth_report::document::Table;
use earth_report::numbers::{ratio, seconds};
use earth_report::spread::Spread;

/// Returns the searches, and the times of all programs.
pub(super) fn all(report: &Measured) -> [Table; 2] {
    [searches(report), times(report)]
}

fn searches(report: &Measured) -> Table {
    let cells = |row: &Row, search: &Search| {
        let values = NAMES.iter().zip(search.parameters.values());
        let values: Vec<_> = values.map(|(name, value)| format!("{name} {value}")).collect();
        vec![
            sizes(&row.lengths),
            search.variant.name().to_owned(),
            search.runs.to_string(),
            seconds(search.time),
            values.join(", "),
        ]
    };
    let all = report.rows.iter().flat_map(|row| row.tuned.iter().map(move |search| cells(row, search)));
    let title = format!("Searches for parameters, {} ranks over {}", report.ranks, report.network);
    Table::new(["points", "program", "runs", "time", "parameters"]).titled(title).with(all)
}

fn times(report: &Measured) -> Table {
    let names = ["points", "program", "planned in", "time", "over NEW", "null band", "wait", "test"];
    let title = format!(
        "Complex points of f64 in place, {} ranks over {}, {}, medians of {} rounds",
        report.ranks, report.network, report.mpi, report.rounds
    );
    let band = |spread: &Spread, [low, high]: [f64; 2]| {
        format!("{} ({} to {})", ratio(spread.median), ratio(low), ratio(high))
    };
    let cells = |row: &Row, transform: &Transform| {
        let part = |part: Option<f64>| part.map_or_else(String::new, seconds);
        vec![
            sizes(&row.lengths),
            transform.program.name().to_owned(),
            seconds(transform.planning),
            seconds(transform.time.median),
            band(&transform.ratio, [transform.ratio.q1, transform.ratio.q3]),
            band(&row.null, [row.null.min, row.null.max]),
            part(transform.parts.map(|parts| parts.wait)),
            part(transform.parts.map(|parts| parts.polls)),
        ]
    };
    let all = report.rows.iter().flat_map(|row| row.transforms.iter().map(move |one| cells(row, one)));
    Table::new(names).titled(title).with(all)
}
