//! What a simulation found as one page with everything in it: nothing is loaded, nothing runs, and it can be sent.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::chart::Chart;
use super::plots;
use super::report::{Report, Sheet, sheets};

/// The whole page.
pub(super) fn of(report: &Report) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "The EARTH machine, simulated" }
                style { (PreEscaped(include_str!("../compare/page.css"))) "h3 { margin-top: 1.2rem }" }
            }
            body { main {
                h1 { "The EARTH machine, simulated" }
                @if !report.statements.is_empty() { p.lead { (report.verdict()) } }
                @for said in report.machine() { p { (said) } }
                @for chart in &report.charts { (figure(report, chart)) }
                @if !report.statements.is_empty() { (statements(report)) }
            } }
        }
    }
    .into_string()
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
            div.scroll { table {
                thead { tr { @for name in &names { th scope="col" { (name) } } } }
                tbody { @for row in &rows { tr { @for cell in row { td { (cell) } } } } }
            } }
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
