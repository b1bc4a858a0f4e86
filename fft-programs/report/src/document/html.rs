//! Documents as HTML pages. A page is one self-contained file that loads and runs no other file, so that it
//! can be sent. Its colors follow the reader's choice of light or dark.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::part::{Document, Medium, Part};
use super::table::Table;
use crate::figure::Figure;
use crate::statements::Row;

impl Document {
    /// Returns the document as one page of HTML.
    pub fn page(&self) -> String {
        let parts = self.parts(Medium::Page);
        let before = std::iter::once(None).chain(parts.iter().map(Some));
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    style { (PreEscaped(include_str!("page.css"))) }
                }
                body { main { @for (part, before) in parts.iter().zip(before) { (markup(part, before.copied())) } } }
            }
        }
        .into_string()
    }
}

fn markup(part: &Part, before: Option<&Part>) -> Markup {
    html! {
        @match part {
            Part::Heading(1, title) => h1 { (title) },
            Part::Heading(2, title) => h2 { (title) },
            Part::Heading(_, title) => h3 { (title) },
            Part::Words(words) => p { (emphasised(words)) },
            Part::Lines(lines) => @for line in lines { p { (line) } },
            Part::List(items) => ul { @for item in items { li { (emphasised(item)) } } },
            Part::Command(command) => pre { code { (command) } },
            Part::Table(table) => (tabulated(table)),
            Part::Figures(figures) => div.figures { @for figure in figures { (drawn(figure, before)) } },
            Part::Statement(row) => (stated(row)),
            Part::Only(..) => {},
        }
    }
}

/// Returns a table that may be wider than the page, or a list of facts.
fn tabulated(table: &Table) -> Markup {
    html! {
        @if !table.title.is_empty() { h3 { (table.title) } }
        @if table.is_of_facts() {
            dl { @for row in &table.rows { @if let [name, fact] = &row[..] { dt { (name) } dd { (fact) } } } }
        } @else {
            div.scroll { table {
                thead { tr { @for name in &table.names { th scope="col" { (name) } } } }
                tbody { @for row in &table.rows { tr { @for cell in row { td { (cell.trim_end()) } } } } }
            } }
        }
    }
}

/// Returns a figure, with its title unless the heading right above it is the title.
fn drawn(figure: &Figure, before: Option<&Part>) -> Markup {
    let is_told = matches!(before, Some(Part::Heading(_, title)) if *title == figure.title);
    html! {
        figure id=(figure.name) class=[figure.plot.layout.is_wide.then_some("wide")] {
            @if !is_told { h3 { (figure.title) } }
            div role="img" aria-label=(figure.title) { (PreEscaped(figure.inline())) }
            figcaption { p { (figure.caption) } }
        }
    }
}

fn stated(row: &Row) -> Markup {
    let Row { number, statement, section, rule, verdict, .. } = row;
    html! {
        h3 { (number) ". " (statement) ": " (verdict.words()) }
        p.quiet { "Section " (section) ". Rule: " (rule) "." }
        @for (name, text) in row.reasons() { p { (name) ": " (emphasised(&text)) "." } }
    }
}

/// Returns the words with emphasis for text between `**`, `*` or backquotes.
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
    fn text_between_marks_is_set_off() {
        let set = emphasised("**One** of *two*, `a * b` < 3").into_string();
        assert_eq!(set, "<strong>One</strong> of <em>two</em>, <code>a * b</code> &lt; 3");
    }
}
