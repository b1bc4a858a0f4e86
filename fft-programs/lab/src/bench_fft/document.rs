//! What the comparison found as a document: a table of 80 columns for the terminal; for a page how it was measured,
//! figures, and tables of all numbers.

use super::cases::Reach;
use super::figures::figures;
use super::report::{Entry, Report, Row, Summary};
use crate::document::Medium::{Page, Terminal};
use crate::document::{Document, Part, Table};
use crate::numbers::{ratio, seconds};
use crate::spread::Spread;

impl Report {
    /// The rows, and what they come to.
    pub fn document(&self) -> Document {
        let mut parts = vec![Part::Only(Page, self.explained()), Part::Only(Terminal, self.described())];
        if !self.rows.is_empty() {
            parts.push(Part::Only(Terminal, vec![Part::Table(self.brief())]));
            parts.push(Part::Only(
                Page,
                vec![
                    Part::heading(2, "Figures"),
                    Part::Figures(figures(self)),
                    Part::heading(2, "All rows"),
                    Part::Table(self.full()),
                ],
            ));
        }
        parts.push(Part::Only(Terminal, vec![Part::Lines(self.verdict())]));
        Document { title: "FFTs beside MKL and FFTW", parts }
    }

    /// What stands above the table in the terminal.
    fn described(&self) -> Vec<Part> {
        let mut lines = vec![format!(
            "{}, usable threads: {}",
            self.machine.processor.as_deref().unwrap_or("unknown processor"),
            self.threads
        )];
        lines.push(format!("{}, {}", self.precision, self.place()));
        lines.extend(self.peers.iter().map(|peer| {
            format!("{}: {}", peer.name, peer.version.as_deref().unwrap_or("of no version that it tells"))
        }));
        lines.extend(self.missing.iter().cloned());
        lines.push(
            "Ratio: the better peer's time over ours, lower quartile, median, upper quartile.".to_owned(),
        );
        vec![Part::Lines(lines)]
    }

    /// What stands above the figures in a page.
    fn explained(&self) -> Vec<Part> {
        let Self { rounds, machine, roof, plan_seconds, .. } = self;
        let rates = roof.rates.iter().map(|rates| {
            let threads = if rates.threads == 1 {
                "one thread".to_owned()
            } else {
                format!("{} threads", rates.threads)
            };
            let rate = format!(
                "{:.1} GFLOPS of multiply-adds ({}), {:.1} GB/s of memory read and written",
                rates.gflops, roof.instructions, rates.gigabytes
            );
            (threads, rate)
        });
        let peers = self.peers.iter().map(|peer| {
            let version = peer.version.clone().unwrap_or_else(|| "of no version that it tells".to_owned());
            (peer.name, peer.path.as_ref().map_or(version.clone(), |path| format!("{version}, {path}")))
        });
        let mut parts = vec![
            Part::heading(1, "FFTs beside MKL and FFTW"),
            Part::Lines(self.verdict()),
            Part::heading(2, "Where, and beside whom"),
            Part::Table(Table::facts(machine.named())),
            Part::Table(Table::facts(peers)),
            Part::Table(Table::facts(rates)),
        ];
        if !self.missing.is_empty() {
            parts.push(Part::Lines(self.missing.clone()));
        }
        parts.push(Part::heading(2, "How it was measured"));
        parts.push(Part::line(format!(
            "Complex transforms of {}, {}. Everybody transforms the same points in the same memory, in turn in one process, \
             planned by one thread or by up to {}, whichever is faster; series of the class series by one. FFTW \
             plans with FFTW_MEASURE for at most {plan_seconds} s a plan. Every transform is held against the definition \
             at some outputs, and against the energy of its input, before it is timed. In each of {rounds} rounds everybody runs \
             once, ours twice, in an order that rotates; a run is of so many transforms that they take about 10 ms, or of one.",
            self.precision,
            self.place(),
            self.threads,
        )));
        parts.push(Part::line(
            "The ratio is the time of the better peer over ours in the same round, so above 1 ours is faster. The null band is \
             ours against itself in the same rounds: a median inside it cannot be told from 1. A row misses its reach if \
             the upper quartile of its ratio is below it; a class misses if the geometric mean of its medians is.",
        ));
        parts
    }

    fn place(&self) -> String {
        let place = if self.in_place { "in place" } else { "from one array to another" };
        match self.gap {
            0 => place.to_owned(),
            gap => format!("{place}, {gap} points between rows of matrices"),
        }
    }

    /// A row a size, for 80 columns.
    fn brief(&self) -> Table {
        let rows = self.rows.iter().map(|row| {
            [
                row.size(),
                timed(row.ours()),
                row.better_name.to_owned(),
                timed(row.peer()),
                quartiles(row.ratio),
                band(row.null),
                row.said().to_owned(),
            ]
        });
        Table::new(["size", "earth", "peer", "its time", "ratio", "null band", ""]).with(rows)
    }

    /// A row a size, with everybody's figures.
    fn full(&self) -> Table {
        let mut names: Vec<String> =
            ["size", "class", "ratio", "quartiles", "range", "null band", "reach", ""]
                .map(str::to_owned)
                .into();
        for name in std::iter::once("earth").chain(self.peers.iter().map(|peer| peer.name)) {
            names.push(format!("{name}: median"));
            names.extend(["range", "threads", "GFLOPS", "planning"].map(str::to_owned));
        }
        let rows = self.rows.iter().map(|row| {
            let Spread { min, q1, median, q3, max } = row.ratio;
            let mut cells = vec![
                row.size(),
                row.class.to_string(),
                ratio(median),
                format!("{}..{}", ratio(q1), ratio(q3)),
                format!("{}..{}", ratio(min), ratio(max)),
                band(row.null),
                row.reach.map_or_else(String::new, ratio),
                row.said().to_owned(),
            ];
            for entry in &row.entries {
                let Spread { min, median, max, .. } = entry.seconds;
                let cut = if entry.planning_cut_short { ", cut short" } else { "" };
                cells.extend([
                    seconds(median),
                    format!("{}..{}", seconds(min), seconds(max)),
                    entry.threads.to_string(),
                    format!("{:.2}", entry.gflops),
                    format!("{}{cut}", seconds(entry.planning_seconds)),
                ]);
            }
            cells
        });
        Table::new(names).with(rows)
    }

    /// What the rows come to: a line for each class, and what is missing.
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

impl Row {
    /// What a row has to say beside its numbers.
    fn said(&self) -> &'static str {
        match (self.missed, self.can_be_told) {
            (true, _) => "MISSED",
            (false, false) => "cannot be told",
            (false, true) => "",
        }
    }
}

fn summed(of: &Summary) -> String {
    let Summary { class, rows, geometric_mean, missed_rows, mean_missed, .. } = of;
    let sizes = if *rows == 1 { "size" } else { "sizes" };
    let mean = format!("{class}: {rows} {sizes}, geometric mean of ratios {}", ratio(*geometric_mean));
    let Some(Reach { each, mean: reach }) = of.reach else { return format!("{mean}.") };
    let verdict = if *mean_missed { "MISSED" } else { "reached" };
    format!(
        "{mean} where {} is to be reached: {verdict}; {missed_rows} of {rows} below {} each.",
        ratio(reach),
        ratio(each)
    )
}

/// The median, and by how many threads if there are several.
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
