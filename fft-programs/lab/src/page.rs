//! What every page has: one file with everything in it, which loads nothing and runs nothing, so that it can be
//! sent. Its colours follow the reader's choice of light or dark.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A whole page; `rules` are the rules of style that it has beside those of all pages.
pub(crate) fn whole(title: &str, rules: &str, main: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(include_str!("page.css"))) (PreEscaped(rules)) }
            }
            body { main { (main) } }
        }
    }
    .into_string()
}

/// A table that may be wider than the page.
pub(crate) fn table(names: &[String], rows: &[Vec<String>]) -> Markup {
    html! {
        div.scroll { table {
            thead { tr { @for name in names { th scope="col" { (name) } } } }
            tbody { @for row in rows { tr { @for cell in row { td { (cell) } } } } }
        } }
    }
}
