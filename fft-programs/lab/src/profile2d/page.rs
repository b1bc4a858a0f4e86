//! The report as one [page](crate::page).

use maud::{Markup, PreEscaped, html};

use super::document::{Part, parts};
use super::plots;
use super::report::Report;
use crate::page;

/// The whole page.
pub(super) fn of(report: &Report) -> String {
    let main = html! { @for part in parts(report) { (markup(&part)) } };
    page::whole("PFFT on this computer", "h3 { margin-top: 1.2rem } pre { white-space: pre-wrap }", &main)
}

fn markup(part: &Part<'_>) -> Markup {
    html! {
        @match part {
            Part::Heading(1, title) => h1 { (title) },
            Part::Heading(2, title) => h2 { (title) },
            Part::Heading(_, title) => h3 { (title) },
            Part::Words(words) => p { (emphasised(words)) },
            Part::Command(command) => pre { code { (command) } },
            // Facts, and no columns.
            Part::Sheet(sheet) if sheet.names.iter().all(String::is_empty) => {
                h3 { (sheet.title) }
                dl { @for row in &sheet.rows { @if let [name, fact] = &row[..] { dt { (name) } dd { (fact) } } } }
            },
            Part::Sheet(sheet) => {
                h3 { (sheet.title) }
                (page::table(&sheet.names, &sheet.rows))
            },
            Part::Figure(figure) => figure {
                div role="img" aria-label=(figure.title) { (PreEscaped(plots::inline(figure))) }
                figcaption { p { (figure.title) ". " (figure.caption) } }
            },
            Part::Statement(row) => {
                h3 { (row.number) ". " (row.says) ": " (row.verdict.words()) }
                p.quiet { @if let Some(section) = row.section { "Section " (section) ". " } "Judged so: " (row.rule) "." }
                p { "Found: " (row.found) "." @if let Some(why) = row.why.as_ref().filter(|why| !why.is_empty()) { " Why: " (why) "." } }
            },
        }
    }
}

/// Words with what stands between `**`, `*` or backquotes set off.
fn emphasised(words: &str) -> Markup {
    html! {
        @for (index, strong) in words.split("**").enumerate() {
            @if index % 2 == 1 { strong { (strong) } } @else {
                @for (index, code) in strong.split('`').enumerate() {
                    @if index % 2 == 1 { code { (code) } } @else {
                        @for (index, title) in code.split('*').enumerate() {
                            @if index % 2 == 1 { em { (title) } } @else { (title) }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::emphasised;

    #[test]
    fn what_stands_between_marks_is_set_off() {
        let set = emphasised("**One** of *two*, `a * b` < 3").into_string();
        assert_eq!(set, "<strong>One</strong> of <em>two</em>, <code>a * b</code> &lt; 3");
    }
}
