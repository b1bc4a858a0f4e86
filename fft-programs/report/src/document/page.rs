//! Templates of pages: Markdown with names in braces, which stand for the results of experiments.
//!
//! Blank lines separate the blocks of a page:
//!
//! * `# words` is a heading, a fence holds a command, and any other block is a paragraph.
//! * `![title](name)` is the plot of that name, and the paragraph after it is the caption. Both are omitted
//!   if there is no such plot.
//! * A block of `|` is a table: the names of its columns, then the name of its rows. A paragraph before it
//!   that ends in a colon is its title. Columns behind `||` are omitted where there is little room.
//! * A block of `- ` is a list. No item has ` - ` in it.
//! * A name alone stands for parts, and a name among words for a text. A name in the header of a table may
//!   stand for several columns.
//! * `<!-- page -->` and `<!-- terminal -->` restrict the following blocks to this medium, up to
//!   `<!-- both -->`.
//! * `<!-- title: words -->` is the title of the window. The default is the first heading.

use std::collections::BTreeMap;

use super::part::{Document, Medium, Part};
use super::table::Table;
use crate::figure::{Figure, Plot};

/// Values of the names of a page.
#[derive(Debug, Default)]
pub struct Content {
    texts: BTreeMap<&'static str, Vec<String>>,
    rows: BTreeMap<&'static str, Vec<Vec<String>>>,
    plots: BTreeMap<String, Plot>,
    parts: BTreeMap<&'static str, Vec<Part>>,
}

impl Content {
    /// Adds a text.
    #[must_use]
    pub fn text(self, name: &'static str, text: impl ToString) -> Self {
        self.texts(name, [text])
    }

    /// Adds several texts: columns, or a list in a sentence.
    #[must_use]
    pub fn texts<T: ToString>(mut self, name: &'static str, texts: impl IntoIterator<Item = T>) -> Self {
        self.texts.insert(name, texts.into_iter().map(|text| text.to_string()).collect());
        self
    }

    /// Adds the rows of a table.
    #[must_use]
    pub fn rows<R: Into<Vec<String>>>(
        mut self,
        name: &'static str,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        self.rows.insert(name, rows.into_iter().map(Into::into).collect());
        self
    }

    /// Adds a plot, if there is one.
    #[must_use]
    pub fn plot(mut self, name: impl Into<String>, plot: impl Into<Option<Plot>>) -> Self {
        self.plots.extend(plot.into().map(|plot| (name.into(), plot)));
        self
    }

    /// Adds ready parts.
    #[must_use]
    pub fn parts(mut self, name: &'static str, parts: impl IntoIterator<Item = Part>) -> Self {
        self.parts.insert(name, parts.into_iter().collect());
        self
    }

    /// Returns the page with this content.
    pub fn page(mut self, template: &str) -> Document {
        Document { title: title(template), parts: self.made(blocks(template)) }
    }

    /// Returns a document of the page's figures that have plots.
    pub fn figures(mut self, template: &str) -> Document {
        let mut blocks = blocks(template);
        let mut figures = Vec::new();
        while let Some(block) = blocks.next() {
            if block.starts_with("![") {
                figures.extend([Some(block), blocks.next()].into_iter().flatten());
            }
        }
        Document { title: title(template), parts: self.made(figures.into_iter()) }
    }

    /// Returns the parts of a template that is part of a page.
    pub fn fill(mut self, template: &str) -> Vec<Part> {
        self.filled_parts(template)
    }

    pub(super) fn filled_parts(&mut self, template: &str) -> Vec<Part> {
        self.made(blocks(template))
    }

    fn made<'a>(&mut self, blocks: impl Iterator<Item = &'a str>) -> Vec<Part> {
        let (mut parts, mut on, mut blocks) = (Vec::new(), None, blocks.peekable());
        while let Some(block) = blocks.next() {
            let made = if let Some(note) = block.strip_prefix("<!-- ") {
                on = match note.trim_end_matches(" -->") {
                    "page" => Some(Medium::Page),
                    "terminal" => Some(Medium::Terminal),
                    "both" => None,
                    _ => on,
                };
                continue;
            } else if block.starts_with('#') {
                let words = block.trim_start_matches('#');
                vec![Part::Heading(block.len() - words.len(), self.filled(words.trim()))]
            } else if block.starts_with("```") {
                let lines: Vec<_> = block.lines().filter(|line| !line.starts_with("```")).collect();
                vec![Part::Command(self.filled(&lines.join("\n")))]
            } else if let Some(figure) = block.strip_prefix("![") {
                let caption = self.words(blocks.next().unwrap_or_default());
                self.figure(figure, caption).into_iter().map(Part::figure).collect()
            } else if block.starts_with('|') {
                vec![Part::Table(self.table(block))]
            } else if block.ends_with(':') && blocks.peek().is_some_and(|next| next.starts_with('|')) {
                let title = self.words(block.trim_end_matches(':'));
                let table = self.table(blocks.next().unwrap_or_default());
                vec![Part::Table(table.titled(title))]
            } else if block.starts_with("- ") {
                vec![Part::List(self.words(block)[2..].split(" - ").map(str::to_owned).collect())]
            } else {
                let parts = alone(block).and_then(|name| self.parts.remove(name));
                parts.unwrap_or_else(|| vec![Part::Words(self.words(block))])
            };
            match on {
                Some(medium) => parts.push(Part::Only(medium, made)),
                None => parts.extend(made),
            }
        }
        parts
    }

    /// Returns a figure, from the text after `![`.
    fn figure(&mut self, figure: &str, caption: String) -> Option<Figure> {
        let (title, name) = figure.split_once("](")?;
        let name = self.filled(name.trim_end_matches(')'));
        let plot = self.plots.remove(&name)?;
        Some(Figure { name, title: self.filled(title), caption, plot })
    }

    fn table(&mut self, block: &str) -> Table {
        let (names, rows) = block.split_once('\n').unwrap_or((block, ""));
        let names = names.trim_start_matches('|').trim_end().trim_end_matches('|');
        let (brief, details) = names.split_once("||").map_or((names, None), |(one, rest)| (one, Some(rest)));
        let names = |names: &str| {
            let all = names.split('|').map(str::trim).flat_map(|cell| match alone(cell) {
                Some(name) => self.texts_of(name).to_vec(),
                None => vec![self.filled(cell)],
            });
            all.collect::<Vec<_>>()
        };
        let table = Table::new(names(brief)).with_details(details.map(names).unwrap_or_default());
        let rows = alone(rows.trim()).and_then(|name| self.rows.remove(name));
        table.with(rows.unwrap_or_else(|| unreachable!("no rows fill {block}")))
    }

    /// Returns the words of a paragraph, whose line ends do not matter.
    fn words(&self, block: &str) -> String {
        self.filled(&block.lines().collect::<Vec<_>>().join(" "))
    }

    /// Returns the words with the names replaced by their texts.
    pub fn filled(&self, words: &str) -> String {
        let mut pieces = words.split('{');
        let mut filled = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (name, words) = piece.split_once('}').unwrap_or((piece, ""));
            filled.push_str(&self.texts_of(name).join(", "));
            filled.push_str(words);
        }
        filled
    }

    fn texts_of(&self, name: &str) -> &[String] {
        self.texts.get(name).unwrap_or_else(|| unreachable!("nothing is known of {name}"))
    }
}

fn blocks(template: &str) -> impl Iterator<Item = &str> {
    template.split("\n\n").map(str::trim).filter(|block| !block.is_empty())
}

/// Returns the title of the window: its own, or the first heading.
pub(super) fn title(template: &str) -> String {
    let titles = ["<!-- title: ", "# "];
    let title = template.lines().find_map(|line| titles.iter().find_map(|title| line.strip_prefix(title)));
    title.unwrap_or_default().trim_end_matches(" -->").to_owned()
}

/// Returns the name in braces if the block contains only that.
fn alone(block: &str) -> Option<&str> {
    block.strip_prefix('{')?.strip_suffix('}').filter(|name| !name.contains(['{', '}']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Scale};
    use crate::numbers::short;

    #[test]
    fn names_are_filled_and_blocks_are_parts() {
        let axis = || Axis::new("", Scale::Linear, short);
        let template = "<!-- title: Window -->\n\n# Of {n}\n\nWords of {n}\nand {list}.\n\n```sh\nrun {n}\n```\n\n\
                        ![Drawn {n}](one)\n\nIts\ncaption.\n\n![Not drawn](two)\n\nNo caption.\n\n\
                        <!-- terminal -->\n\n## There\n\n<!-- both -->\n\nTitle {n}:\n\n| a | {list} |\n{rows}\n\n{made}\n";
        let content = Content::default()
            .text("n", 7)
            .texts("list", ["b", "c"])
            .rows("rows", [["1", "2", "3"].map(str::to_owned)])
            .plot("one", Plot::one([axis(), axis()], []))
            .plot("two", None)
            .parts("made", [Part::line("made")]);
        let page = content.page(template);
        assert_eq!(page.title, "Window");
        let markdown = page.markdown("plots/");
        let expected = "# Of 7\n\nWords of 7 and b, c.\n\n```sh\nrun 7\n```\n\n![Drawn 7](plots/one.svg)\n\nIts caption.\n\n\
                        Title 7:\n\n| a | b | c |\n| --- | ---: | ---: |\n| 1 | 2 | 3 |\n\nmade\n";
        assert_eq!(markdown, expected);
        assert!(page.to_string().contains("There") && !markdown.contains("There"));
        let figures = Content::default().text("n", 7).plot("one", Plot::one([axis(), axis()], []));
        assert_eq!(figures.figures(template).markdown(""), "![Drawn 7](one.svg)\n\nIts caption.\n");
    }
}
