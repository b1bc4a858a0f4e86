//! The report as one page with everything in it: nothing is loaded, nothing runs, and it can be sent.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::Report;
use super::document::{Part, parts};
use super::plots;

/// The whole page.
pub(super) fn of(report: &Report) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "PFFT on this computer" }
                style { (PreEscaped(include_str!("../compare/page.css"))) "h3 { margin-top: 1.2rem } .wide { white-space: normal }" }
            }
            body { main { @for part in parts(report) { (markup(&part)) } } }
        }
    }
    .into_string()
}

fn markup(part: &Part<'_>) -> Markup {
    html! {
        @match part {
            Part::Heading(1, title) => h1 { (title) },
            Part::Heading(2, title) => h2 { (title) },
            Part::Heading(_, title) => h3 { (title) },
            Part::Words(words) => p { (emphasised(words)) },
            Part::Command(command) => pre { code { (command) } },
            Part::Sheet(sheet) => {
                h3 { (sheet.title) }
                div.scroll { table {
                    thead { tr { @for name in &sheet.names { th scope="col" { (name) } } } }
                    tbody { @for row in &sheet.rows { tr { @for cell in row { td { (cell) } } } } }
                } }
            },
            Part::Figure(figure) => figure {
                div role="img" aria-label=(figure.title) { (PreEscaped(plots::inline(figure))) }
                figcaption { p { (figure.title) ". " (figure.caption) } }
            },
            Part::Statement(row) => {
                h3 { (row.number) ". " (row.says) ": " (row.verdict.words()) }
                p.quiet { "Section " (row.section) ". Judged so: " (row.rule) "." }
                p { "Found: " (row.found) "." @if !row.why.is_empty() { " Why: " (row.why) "." } }
            },
        }
    }
}

/// Words with what stands between `**` or backquotes set off.
fn emphasised(words: &str) -> Markup {
    html! {
        @for (index, strong) in words.split("**").enumerate() {
            @if index % 2 == 1 { strong { (strong) } } @else {
                @for (index, code) in strong.split('`').enumerate() {
                    @if index % 2 == 1 { code { (code) } } @else { (code) }
                }
            }
        }
    }
}
