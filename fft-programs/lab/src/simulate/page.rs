//! What a simulation found as one [page](crate::page).

use maud::{Markup, PreEscaped, html};

use super::chart::Chart;
use super::plots;
use super::report::{Report, Sheet, sheets};
use crate::page;

/// The whole page.
pub(super) fn of(report: &Report) -> String {
    let title = "The EARTH machine, simulated";
    let main = html! {
        h1 { (title) }
        @if !report.statements.is_empty() { p.lead { (report.verdict()) } }
        @for said in report.machine() { p { (said) } }
        @for chart in &report.charts { (figure(report, chart)) }
        @if !report.statements.is_empty() { (statements(report)) }
    };
    page::whole(title, "h3 { margin-top: 1.2rem }", &main)
}

fn figure(report: &Report, chart: &Chart) -> Markup {
    html! {
        h2 id=(chart.name) { (chart.title) }
        figure {
            div role="img" aria-label=(chart.title) { (PreEscaped(plots::inline(chart, &report.runs))) }
            figcaption { p { (chart.caption) } @for note in &chart.notes { p { (note) } } }
        }
        @for Sheet { title, names, rows } in sheets(chart, &report.runs) {
            h3 { (title) }
            (page::table(&names, &rows))
        }
    }
}

fn statements(report: &Report) -> Markup {
    html! {
        h2 id="statements" { "The paper's statements" }
        @for row in &report.statements {
            h3 { (row.number) ". " (row.says) ": " (row.verdict.words()) }
            p.quiet { "Judged so: " (row.rule) ". Checks passed: " (row.passed[0]) " of " (row.passed[1]) "." }
            p { (row.found) "." }
        }
    }
}
