//! Results of the comparison as a document: tables of 80 columns for the terminal. A page also has a
//! description of the measurement, figures, the bounds of rows that are lost, and tables of all numbers. A
//! page may have several reports, each with its own conditions, in a section for each [place].

mod figures;
mod place;

use earth_report::document::Medium::{Page, Terminal};
use earth_report::document::{Content, Document, Part, Table};
use earth_report::numbers::{ratio, seconds};
use earth_report::spread::Spread;

use figures::figures;
use place::Place;

use super::report::{Entry, Peer, Report, Row, Summary};
use super::roof::Rates;

/// Returns the document of reports: their rows and summaries.
pub(crate) fn documented(reports: &[Report]) -> Document {
    let classes = reports.iter().flat_map(|report| report.classes.iter().map(|of| report.class_row(of)));
    let mut document = Content::default()
        .rows("classes", classes)
        .text("rounds", reports.first().map_or(0, |first| first.rounds))
        .parts("places", Place::all(reports).iter().flat_map(Place::shown))
        .page(include_str!("document/page.md"));
    document.parts = vec![Part::Only(Page, document.parts)];
    for report in reports {
        let brief = (!report.rows.is_empty()).then(|| Part::Table(report.brief()));
        let shown = [Part::Lines(report.described())].into_iter().chain(brief);
        let shown = shown.chain([Part::Lines(report.verdict())]).collect();
        document.parts.push(Part::Only(Terminal, shown));
    }
    document
}

/// Returns a number of threads in words.
fn threads(number: usize) -> String {
    if number == 1 { "one thread".to_owned() } else { format!("{number} threads") }
}

impl Report {
    /// Returns the conditions in words.
    fn what(&self) -> String {
        let of = if self.real { "real numbers of" } else { "points of" };
        let place = if self.in_place { "in place" } else { "from one array to another" };
        let gap = match self.gap {
            0 => String::new(),
            gap => format!(", {gap} points between rows"),
        };
        let pages = if self.large_pages { ", in large pages" } else { "" };
        format!("{of} {}, {place}{gap}{pages}, {}", self.precision, threads(self.threads))
    }

    /// Returns the names of all contestants, ours first.
    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once("earth").chain(self.peers.iter().map(|peer| &*peer.name))
    }

    /// Returns the place and the conditions as a prefix of file names.
    fn prefix(&self) -> String {
        let real = if self.real { "-real" } else { "" };
        let place = if self.in_place { "" } else { "-out-of-place" };
        let gap = if self.gap == 0 { String::new() } else { format!("-gap-{}", self.gap) };
        let pages = if self.large_pages { "-large-pages" } else { "" };
        let machine = place::prefix(&self.machine);
        format!("{machine}{}{real}{place}{gap}{pages}-{}-", self.precision, self.threads)
    }

    /// Returns the lines above the table in the terminal.
    fn described(&self) -> Vec<String> {
        let processor = self.machine.processor.as_deref().unwrap_or("unknown processor");
        let mut lines = vec![processor.to_owned(), self.what()];
        lines.extend(self.peers.iter().map(|peer| format!("{}: {}", peer.name, peer.version())));
        lines.extend(self.missing.iter().cloned());
        lines.push(
            "Ratio: the better peer's time over ours, lower quartile, median, upper quartile.".to_owned(),
        );
        lines
    }

    /// Returns the report's parts of a page.
    fn shown(&self) -> Vec<Part> {
        let verdict = Part::Lines(self.verdict());
        if self.rows.is_empty() {
            return vec![Part::heading(3, capital(&self.what())), verdict];
        }
        let lost = if self.lost().next().is_some() {
            Content::default().rows("losses", self.losses()).fill(include_str!("document/lost.md"))
        } else {
            vec![Part::line("No ratio is below 1 and outside of the null band.")]
        };
        Content::default()
            .text("what", capital(&self.what()))
            .parts("verdict", [verdict])
            .parts("figures", [Part::Figures(figures(self))])
            .parts("lost", lost)
            .parts("full", [Part::Table(self.full())])
            .fill(include_str!("document/report.md"))
    }

    /// Returns the row of a class in the first table.
    fn class_row(&self, of: &Summary) -> [String; 8] {
        let reach = of.reach.map(|reach| format!("{}, each {}", ratio(reach.mean), ratio(reach.each)));
        let missed = match (of.reach, of.mean_missed) {
            (None, _) => String::new(),
            (Some(_), false) => of.missed_rows.to_string(),
            (Some(_), true) => format!("{} and the mean", of.missed_rows),
        };
        let ratios = self.rows.iter().filter(|row| row.class == of.class).map(|row| row.ratio.median);
        [
            place::name(&self.machine),
            self.what(),
            of.class.to_string(),
            of.rows.to_string(),
            ratio(of.geometric_mean),
            ratio(ratios.fold(f64::INFINITY, f64::min)),
            reach.unwrap_or_default(),
            missed,
        ]
    }

    /// Yields the rows in which a peer is faster.
    fn lost(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.is_significant && row.ratio.median < 1.0)
    }

    /// Yields the cells of the rows that are lost, with their bounds.
    fn losses(&self) -> impl Iterator<Item = Vec<String>> {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        self.lost().map(move |row| {
            let ours = row.ours();
            let rates = self.roof.by(ours.threads);
            let roof = rates.map_or_else(String::new, |rates| percent(ours.gflops / rates.gflops));
            let counts = ours.counted.map(|counted| {
                let points = if self.real { row.points as f64 / 2.0 } else { row.points as f64 };
                let each = |count: u64| count as f64 / points;
                let a_second = |count: u64| count as f64 / ours.seconds.median / 1e9;
                let share = |rate: f64, of: fn(&Rates) -> f64| {
                    rates.map_or_else(String::new, |rates| percent(rate / of(rates)))
                };
                [
                    format!("{:.1}", each(counted.computed)),
                    format!("{:.1}", each(counted.moved)),
                    format!("{:.1}", each(counted.shuffled)),
                    share(2.0 * a_second(counted.computed), |rates| rates.gflops),
                    format!("{:.0}", each(counted.bytes)),
                    share(a_second(counted.bytes), |rates| rates.gigabytes),
                ]
            });
            let counts = counts.unwrap_or_else(|| std::array::from_fn(|_| "not counted".to_owned()));
            let way = ours.way.lines().nth(1).unwrap_or_default().trim_end_matches(':').to_owned();
            let mut cells = vec![row.size(), ratio(row.ratio.median), row.better_name.clone(), roof];
            cells.extend(counts);
            cells.push(way);
            cells
        })
    }

    /// Returns a table for 80 columns, with a row for each size.
    fn brief(&self) -> Table {
        let rows = self.rows.iter().map(|row| {
            [
                row.size(),
                timed(row.ours()),
                row.better_name.clone(),
                timed(row.peer()),
                quartiles(row.ratio),
                band(row.null),
                row.plan_text().to_owned(),
            ]
        });
        Table::new(["size", "earth", "peer", "its time", "ratio", "null band", ""]).with(rows)
    }

    /// Returns a table of all contestants' figures, with a row for each size.
    fn full(&self) -> Table {
        let mut names: Vec<String> =
            ["size", "class", "ratio", "quartiles", "null band", "target", ""].map(str::to_owned).into();
        for name in self.names() {
            names.push(format!("{name}: median"));
            names.extend(["range", "threads", "GFLOPS", "planning"].map(str::to_owned));
        }
        let rows = self.rows.iter().map(|row| {
            let Spread { q1, median, q3, .. } = row.ratio;
            let mut cells = vec![
                row.size(),
                row.class.to_string(),
                ratio(median),
                format!("{}..{}", ratio(q1), ratio(q3)),
                band(row.null),
                row.reach.map_or_else(String::new, ratio),
                row.plan_text().to_owned(),
            ];
            for entry in &row.entries {
                let Spread { min, median, max, .. } = entry.seconds;
                let cut = if entry.planning_cut_short { ", cut short" } else { "" };
                let earlier = if entry.planned_earlier { ", earlier" } else { "" };
                cells.extend([
                    seconds(median),
                    format!("{}..{}", seconds(min), seconds(max)),
                    entry.threads.to_string(),
                    format!("{:.2}", entry.gflops),
                    format!("{}{cut}{earlier}", seconds(entry.planning_seconds)),
                ]);
            }
            cells
        });
        Table::new(names).with(rows)
    }

    /// Returns a line for each class, and lines on what is missing.
    fn verdict(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.classes.iter().map(summed).collect();
        let cut: Vec<_> =
            self.rows.iter().filter(|row| row.entries.iter().any(|entry| entry.planning_cut_short)).collect();
        if !cut.is_empty() {
            let sizes: Vec<_> = cut.iter().map(|row| row.size()).collect();
            lines.push(format!(
                "Planning reached its limit of {} s, so that a peer may not be at its best: {}.",
                self.plan_seconds,
                sizes.join(", ")
            ));
        }
        lines.extend(
            self.left_out.iter().map(|left| format!("Left out: {}, as {}.", left.size, left.because)),
        );
        if lines.is_empty() {
            lines.push("Nothing was measured.".to_owned());
        }
        lines
    }
}

impl Peer {
    /// Returns the version in words.
    fn version(&self) -> &str {
        self.version.as_deref().unwrap_or("unknown version")
    }
}

impl Row {
    /// Returns the remark of a row beside its numbers.
    fn plan_text(&self) -> &'static str {
        match (self.missed, self.is_significant) {
            (true, _) => "MISSED",
            (false, false) => "cannot be told",
            (false, true) => "",
        }
    }
}

/// Returns the words with a capital first letter.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn summed(of: &Summary) -> String {
    let Summary { class, rows, geometric_mean, missed_rows, mean_missed, .. } = of;
    let sizes = if *rows == 1 { "size" } else { "sizes" };
    let mean = format!("{class}: {rows} {sizes}, geometric mean of ratios {}", ratio(*geometric_mean));
    let Some(reach) = of.reach else { return format!("{mean}.") };
    let verdict = if *mean_missed { "MISSED" } else { "reached" };
    format!(
        "{mean}, target {}: {verdict}; {missed_rows} of {rows} sizes below {}.",
        ratio(reach.mean),
        ratio(reach.each)
    )
}

/// Returns the median time, and the number of threads if there are several.
fn timed(entry: &Entry) -> String {
    let by = if entry.threads > 1 { format!(" /{}", entry.threads) } else { String::new() };
    format!("{}{by}", seconds(entry.seconds.median))
}

fn quartiles(Spread { q1, median, q3, .. }: Spread) -> String {
    [q1, median, q3].map(ratio).join(" ")
}

fn band(Spread { min, max, .. }: Spread) -> String {
    format!("{}..{}", ratio(min), ratio(max))
}
