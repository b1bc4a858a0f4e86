//! What a comparison found as one [page](crate::page).
//!
//! Each figure says what is drawn and how it was measured. All numbers of the plots are
//! in the tables below them.

use std::collections::BTreeSet;

use earth_fft::request::{Algorithm, Config, Counters, Use};
use maud::{Markup, PreEscaped, html};

use super::plots::{self, Bar, COLOURS, Colour, FAINT, Line};
use super::report::{About, Equal, Report, Row, Side, Spread};
use crate::numbers::seconds;
use crate::page;

/// The whole page.
pub fn of(report: &Report) -> String {
    let main = html! {
        h1 { "One thread a node, or two?" }
        p.lead { (report.verdict()) }
        p {
            "A node of an EARTH machine has an execution unit, which runs fibers, and a synchronization unit, which counts
                    signals, stores what arrives and balances work. In SPN the two share a thread, in DUAL each has its own. Where a
                    ratio is above 1, SPN is faster."
        }
        @for said in report.verification().into_iter().chain(report.left_out()) { p { (said) } }
        h2 { "What was transformed, and where" }
        (subjects(&report.subjects))
        (machine(report))
        h2 { "How it was measured" }
        (method(report))
        @if !report.rows.is_empty() {
            h2 { "The ratio DUAL / SPN" }
            (figures(ratios(report)))
            h2 { "Speed" }
            (figures((0..report.subjects.len()).map(|subject| speed(report, subject)).collect()))
            h2 { "Where the time goes" }
            (figures(units(report)))
        }
        @for about in report.subjects.iter().filter(|about| !about.amplitudes.is_empty()) {
            h2 { "The spectrum" }
            (figures(vec![spectrum(about)]))
        }
        @for equal in [Equal::Nodes, Equal::Cores] { (all_rows(report, equal)) }
        @if !report.rows.is_empty() { (work(report)) }
    };
    page::whole("SPN against DUAL", "", &main)
}

fn subjects(abouts: &[About]) -> Markup {
    html! { dl { @for about in abouts { dt { (about.name) } dd { (about.size()) } } } }
}

fn machine(report: &Report) -> Markup {
    let facts = report.machine.named().into_iter().chain([("policy of SPN and DUAL", report.policy())]);
    html! { dl { @for (name, value) in facts { dt { (name) } dd { (value) } } } }
}

fn method(report: &Report) -> Markup {
    let Report { pairs, machine, .. } = report;
    html! {
        p {
            "Each row compares a program on two machines: at equal nodes, P against P, where DUAL has twice the threads, or at equal
            cores, 2P nodes of SPN against P of DUAL. It is measured in " (pairs) " pairs of runs, one SPN and one DUAL in turn, so that
            what else the computer does hits both halves of a pair alike. Before each timed run comes one of the same kind that is not
            timed. Times are medians, by the clock of the program's main function; planning and starting threads are not in them. A
            ratio is that of a pair. In the plots the mark is the median, and the whisker has the middle half of what was measured, from
            the first quartile to the third; the tables have minimum and maximum."
        }
        p {
            "Where there would be more threads than the " (machine.usable_cores) " usable cores, each thread takes several units in turn; in
            the tables such rows have a *. The results of both sides of each row are verified before its pairs: values of the spectrum against sums by the
            definition, and the energy."
        }
    }
}

/// A plot with what must be known to read it.
struct Figure {
    title: String,
    key: Vec<Key>,
    svg: String,
    caption: String,
}

/// An entry of a legend.
struct Key {
    colour: Colour,
    strength: f64,
    mark: &'static str,
    name: String,
}

fn figures(figures: Vec<Figure>) -> Markup {
    html! {
        div.figures {
            @for Figure { title, key, svg, caption } in figures {
                figure {
                    h3 { (title) }
                    ul.key {
                        @for Key { colour: plots::Colour { 0: r, 1: g, 2: b }, strength, mark, name } in key {
                            @let colour = format!("rgb({r} {g} {b} / {:.0}%)", 100.0 * strength);
                            @let property = if mark == "block" { "background" } else { "border-color" };
                            li { i class=(mark) style=(format!("{property}: {colour}")) {} (name) }
                        }
                    }
                    div role="img" aria-label=(title) { (PreEscaped(svg)) }
                    figcaption { p { (caption) } }
                }
            }
        }
    }
}

/// What is drawn as one line: a program, and of the block sizes of the sender-initiated FFT the middle one.
fn programs(report: &Report) -> Vec<(Algorithm, Option<usize>, Colour)> {
    let all = [Algorithm::Sender, Algorithm::Receiver, Algorithm::ReceiverShared, Algorithm::Grouped];
    let with_block = all.into_iter().zip(COLOURS).filter_map(|(algorithm, colour)| {
        let rows = report.rows.iter().filter(|row| row.algorithm == algorithm);
        let blocks: Vec<_> = rows.map(|row| row.block).collect::<BTreeSet<_>>().into_iter().collect();
        blocks.get(blocks.len() / 2).map(|&block| (algorithm, block, colour))
    });
    with_block.collect()
}

/// A program's name, with its block size.
fn name(algorithm: Algorithm, block: Option<usize>) -> String {
    block.map_or(algorithm.to_string(), |block| format!("{algorithm}, blocks of {block}"))
}

/// The rows of a program, by the number of nodes.
fn rows_of(report: &Report, equal: Equal, algorithm: Algorithm, block: Option<usize>) -> Vec<&Row> {
    let mut rows = report.rows_at(equal);
    rows.retain(|row| (row.algorithm, row.block) == (algorithm, block));
    rows.sort_by_key(|row| row.dual.nodes);
    rows
}

fn ratios(report: &Report) -> Vec<Figure> {
    let ways = [Equal::Nodes, Equal::Cores];
    let mut figures: Vec<_> = ways.iter().map(|&equal| ratio_over_nodes(report, equal)).collect();
    figures.extend(ways.iter().filter_map(|&equal| ratio_over_blocks(report, equal)));
    figures
}

fn pairs_drawn(report: &Report) -> String {
    format!(
        "Medians of {} pairs of runs in turn, whiskers over the middle half; both axes are logarithmic.",
        report.pairs
    )
}

/// What both sides have, in the words of a caption.
fn sides(equal: Equal) -> &'static str {
    match equal {
        Equal::Nodes => "P nodes of each, so DUAL has twice the threads.",
        Equal::Cores => "P nodes of DUAL against 2P of SPN, so as many threads.",
    }
}

fn ratio_over_nodes(report: &Report, equal: Equal) -> Figure {
    let (lines, key) = programs(report)
        .into_iter()
        .map(|(algorithm, block, colour)| {
            let rows = rows_of(report, equal, algorithm, block);
            let points = rows.iter().map(|row| (row.dual.nodes, row.ratio)).collect();
            let key = Key { colour, strength: 1.0, mark: "", name: name(algorithm, block) };
            (Line { colour, dashed: false, points }, key)
        })
        .unzip::<_, _, Vec<_>, Vec<_>>();
    Figure {
        title: format!("Over nodes, at equal {equal}"),
        key,
        svg: plots::lines("nodes P (of DUAL)", "time of DUAL / SPN", Some(1.0), &lines),
        caption: format!("{} {}", sides(equal), pairs_drawn(report)),
    }
}

/// Of the sender-initiated FFT; nothing if there are no two block sizes.
fn ratio_over_blocks(report: &Report, equal: Equal) -> Option<Figure> {
    let mut rows = report.rows_at(equal);
    rows.retain(|row| row.algorithm == Algorithm::Sender);
    let blocks: BTreeSet<_> = rows.iter().filter_map(|row| row.block).collect();
    let nodes: BTreeSet<_> = rows.iter().map(|row| row.dual.nodes).collect();
    if blocks.len() < 2 {
        return None;
    }
    let (lines, key) = nodes
        .into_iter()
        .zip(COLOURS.into_iter().cycle())
        .map(|(nodes, colour)| {
            let mut points: Vec<_> = rows
                .iter()
                .filter(|row| row.dual.nodes == nodes)
                .filter_map(|row| Some((row.block?, row.ratio)))
                .collect();
            points.sort_by_key(|&(block, _)| block);
            let key = Key { colour, strength: 1.0, mark: "", name: format!("P = {nodes}") };
            (Line { colour, dashed: false, points }, key)
        })
        .unzip::<_, _, Vec<_>, Vec<_>>();
    Some(Figure {
        title: format!("Over block sizes, at equal {equal}"),
        key,
        svg: plots::lines("points a block B", "time of DUAL / SPN", Some(1.0), &lines),
        caption: format!("The sender-initiated FFT. {} {}", sides(equal), pairs_drawn(report)),
    })
}

/// Of one subject: what has another number of points runs no race with it.
fn speed(report: &Report, subject: usize) -> Figure {
    let mut lines = Vec::new();
    let mut key = Vec::new();
    for (algorithm, block, colour) in programs(report) {
        let mut rows = rows_of(report, Equal::Nodes, algorithm, block);
        rows.retain(|row| row.subject == subject);
        if rows.is_empty() {
            continue;
        }
        for (config, mark) in [(Config::Spn, ""), (Config::Dual, "dashed")] {
            let side = |row: &Row| if config == Config::Spn { rate(&row.spn) } else { rate(&row.dual) };
            let points = rows.iter().map(|row| (row.dual.nodes, side(row))).collect();
            lines.push(Line { colour, dashed: config == Config::Dual, points });
            let name = format!("{}, {}", name(algorithm, block), config.to_string().to_uppercase());
            key.push(Key { colour, strength: 1.0, mark, name });
        }
    }
    let About { name, .. } = &report.subjects[subject];
    Figure {
        title: format!("GFLOPS over nodes: {name}"),
        key,
        svg: plots::lines("nodes P", "GFLOPS", None, &lines),
        caption: format!(
            "5 N log2 N operations, whatever the program really does, over the time of the whole transform, reordering \
             included. Medians of {} runs, whiskers over the middle half; both axes are logarithmic.",
            report.pairs
        ),
    }
}

/// The rate: what takes the most time is the slowest.
fn rate(side: &Side) -> Spread {
    let Side { seconds, gflops, .. } = side;
    let at = |time: f64| gflops * seconds.median / time;
    Spread {
        min: at(seconds.max),
        q1: at(seconds.q3),
        median: *gflops,
        q3: at(seconds.q1),
        max: at(seconds.min),
    }
}

fn units(report: &Report) -> Vec<Figure> {
    let nodes: BTreeSet<_> = report.rows_at(Equal::Nodes).iter().map(|row| row.dual.nodes).collect();
    nodes.into_iter().map(|nodes| units_at(report, nodes)).collect()
}

/// What the units of machines of so many nodes did.
fn units_at(report: &Report, nodes: usize) -> Figure {
    let [unit, second] = [COLOURS[0], COLOURS[1]];
    let mut bars = Vec::new();
    let mut crowded = false;
    for (algorithm, block, _) in programs(report) {
        for row in
            rows_of(report, Equal::Nodes, algorithm, block).into_iter().filter(|row| row.dual.nodes == nodes)
        {
            crowded |= row.is_crowded(report.machine.usable_cores);
            for (config, side) in row.sides() {
                let Use { eu_busy, eu_idle, su_busy, su_idle } = side.units;
                let name = format!("{algorithm} {}", config.to_string().to_uppercase());
                let parts = vec![
                    (unit, 1.0, eu_busy),
                    (unit, FAINT, eu_idle),
                    (second, 1.0, su_busy),
                    (second, FAINT, su_idle),
                ];
                bars.push(Bar { name, parts });
            }
        }
    }
    let entry = |colour, strength, name: &str| Key { colour, strength, mark: "block", name: name.to_owned() };
    let turns = if crowded {
        " Where there are more units than cores, a thread takes several in turn; its time counts as that of EUs."
    } else {
        ""
    };
    Figure {
        title: if nodes == 1 { "On one node".to_owned() } else { format!("On {nodes} nodes") },
        key: vec![
            entry(unit, 1.0, "EU busy, and SU where it shares the thread"),
            entry(unit, FAINT, "EU idle"),
            entry(second, 1.0, "SU busy"),
            entry(second, FAINT, "SU idle"),
        ],
        svg: plots::bars("share of the time of all units", &bars),
        caption: format!(
            "By the units' own clocks, mean of {} timed runs, summed over all units of a machine: 100% is the time that all its \
             threads had.{turns}",
            report.pairs
        ),
    }
}

fn spectrum(about: &About) -> Figure {
    let period = about.strongest_period.map_or(String::new(), |period| {
        format!(" The strongest line: one turn in {period:.1} {}s.", about.unit)
    });
    Figure {
        title: about.name.clone(),
        key: Vec::new(),
        svg: plots::spectrum(about.unit, &about.amplitudes),
        caption: format!(
            "The amplitude of the wave that would give each value, as the row measured first found it; the line at zero, which \
             is the mean, is left out.{period}"
        ),
    }
}

fn all_rows(report: &Report, equal: Equal) -> Markup {
    let rows = report.rows_at(equal);
    let spread = |spread: &Spread| {
        html! {
            (seconds(spread.median)) " "
            span.range { (seconds(spread.min)) " to " (seconds(spread.max)) }
        }
    };
    html! {
        @if !rows.is_empty() {
            h2 { "All rows at equal " (equal) }
            p.quiet {
                (sides(equal)) " Nodes are SPN:DUAL, B is the points a block. Median, then minimum to maximum, of " (report.pairs) "
                runs or pairs of runs; the error is the larger relative one of both sides."
            }
            div.scroll { table {
                thead { tr {
                    @for head in ["program", "nodes", "B", "SPN", "DUAL", "DUAL/SPN", "GFLOPS SPN", "GFLOPS DUAL", "error"] {
                        th scope="col" { (head) }
                    }
                } }
                tbody { @for row in rows { tr {
                    td { (row.algorithm) }
                    td { (row.spn.nodes) ":" (row.dual.nodes) @if row.is_crowded(report.machine.usable_cores) { "*" } }
                    td { @if let Some(block) = row.block { (block) } }
                    td { (spread(&row.spn.seconds)) }
                    td { (spread(&row.dual.seconds)) }
                    td {
                        (format!("{:.2}", row.ratio.median)) " "
                        span.range { (format!("{:.2} to {:.2}", row.ratio.min, row.ratio.max)) }
                    }
                    td { (format!("{:.3}", row.spn.gflops)) }
                    td { (format!("{:.3}", row.dual.gflops)) }
                    td { @if row.verified_error.is_nan() { "-" } @else { (format!("{:.1e}", row.verified_error)) } }
                } } }
            } }
        }
    }
}

fn work(report: &Report) -> Markup {
    html! {
        h2 { "What one transform does" }
        p.quiet {
            "By the runtime's counters; the same in every run and in both configurations. Asks are what the paper of the
            receiver-initiated FFT calls tokens, roots not counted; half butterflies are one point each."
        }
        div.scroll { table {
            thead { tr {
                @for head in ["program", "P", "B", "fibers", "tokens", "invokes", "signals", "bytes moved", "asks", "half butterflies"] {
                    th scope="col" { (head) }
                }
            } }
            tbody { @for work in report.distinct_work() {
                @let Counters { fibers, tokens, invokes, signals, bytes_moved } = work.counters;
                tr {
                    td { (work.algorithm) }
                    td { (work.nodes()) }
                    td { @if let Some(block) = work.block { (block) } }
                    @for count in [fibers, tokens, invokes, signals, bytes_moved, work.paper_tokens, work.half_butterflies] {
                        td { (count) }
                    }
                }
            } }
        } }
    }
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
