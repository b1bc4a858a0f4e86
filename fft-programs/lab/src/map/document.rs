//! Tables of the page, and the values that its template is filled with.

use earth::Config;
use earth_report::document::{Content, Document, Part, Table};
use earth_report::numbers::{extent, percent, ratio, short, short_seconds};

use super::crossing::{Crossing, EXACT, FACTOR, Outcome};
use super::figures;
use super::grid::{Axis, Case, Change, EQUALS};
use super::measured::peers::optional;
use super::measured::{Measured, Point};
use super::model::{self, Costs};
use super::points::{Sample, names};
use super::rows::{Row, Site};
use super::runs::Results;
use crate::compare::Equal;

const PAGE: &str = include_str!("page.md");

/// Parts of a page with measurements.
const MEASURED: &str = include_str!("measured.md");

pub(crate) fn document(results: &Results) -> Document {
    let shape = results.extent.usual;
    let [least, most] = results.ends().map(grain);
    let content = Content::default()
        .text("options", if results.measured.is_some() { " --measured rows.jsonl" } else { "" })
        .text("least", least)
        .text("most", most)
        .text("nodes_most", results.extent.nodes.iter().copied().max().unwrap_or_default())
        .text("usual_nodes", shape.nodes)
        .text("usual_chains", shape.chains)
        .text("usual_messages", shape.messages)
        .text("usual_remote", shape.remote)
        .text("runs", results.number())
        .text("null", percent(EXACT - 1.0))
        .parts("answers", [Part::List(answers(results))])
        .rows("shares", shares(results))
        .rows("costs", costs(results))
        .rows("accuracy", accuracy(results))
        .rows("crossings", crossings(results))
        .parts("misses", misses(results))
        .texts("tabled", tabled(results))
        .rows("speeds", speeds(results))
        .parts("points", points(results))
        .parts("measured", measured(results));
    figures::drawn(content, results).page(PAGE)
}

fn grain(nanoseconds: f64) -> String {
    short_seconds(1e-9 * nanoseconds)
}

fn named(equal: Equal) -> String {
    format!("equal {equal}")
}

/// Counts of cells: DUAL is faster, no difference, SPN is faster.
fn counts(rows: &[&Row]) -> [usize; 3] {
    let mut counts = [0; 3];
    for place in rows.iter().flat_map(|row| &row.places) {
        counts[if place.is_null { 1 } else { 2 * usize::from(place.ratio > 1.0) }] += 1;
    }
    counts
}

/// Returns the cell with the least ratio: the ratio and its place in words.
fn best(rows: &[&Row]) -> Option<(f64, String)> {
    let cells = rows.iter().flat_map(|row| row.places.iter().map(move |place| (row, place)));
    let significant = cells.filter(|(_, place)| !place.is_null);
    let (row, place) = significant.min_by(|(_, one), (_, other)| one.ratio.total_cmp(&other.ratio))?;
    Some((place.ratio, format!("{} {}, {}", row.axis.title(), row.name, grain(place.grain))))
}

/// Returns the machines that have cells at equal nodes or at equal cores, with these rows.
fn of_sites<T>(results: &Results, of: impl Fn(Site, Equal, &[&Row]) -> Option<T>) -> Vec<T> {
    let mut all = Vec::new();
    for site in results.sites() {
        let rows = results.all_rows(site);
        for equal in EQUALS {
            let own: Vec<_> =
                rows.iter().filter(|row| row.equal == equal && !row.places.is_empty()).collect();
            if !own.is_empty() {
                all.extend(of(site, equal, &own));
            }
        }
    }
    all
}

/// Answers the question of the page, in sentences.
fn answers(results: &Results) -> Vec<String> {
    let mut answers = won(results);
    let outcomes: Vec<_> = results
        .sites()
        .into_iter()
        .flat_map(|site| results.all_rows(site))
        .flat_map(|row| row.outcomes(results.ends()))
        .filter(|outcome| !matches!(outcome, Outcome::NotFound(_)))
        .collect();
    let hits = outcomes.iter().filter(|outcome| outcome.is_hit()).count();
    let share = percent(hits as f64 / outcomes.len().max(1) as f64);
    answers.push(format!(
        "*The model* predicts {hits} of {} crossings within a factor of {FACTOR} ({share}).",
        outcomes.len()
    ));
    answers
}

/// Returns the rows of the profile's own costs.
fn unchanged<'a>(rows: &[&'a Row]) -> Vec<&'a Row> {
    rows.iter().copied().filter(|row| row.case.change == Change::NONE && row.axis.is_of_sizes()).collect()
}

/// Tells how often DUAL is faster on each machine.
fn won(results: &Results) -> Vec<String> {
    let share = |site: Site, equal: Equal, rows: &[&Row]| {
        let rows = unchanged(rows);
        let [dual, null, spn] = counts(&rows);
        let gain = match best(&rows) {
            Some((ratio, place)) if ratio < 1.0 => {
                format!("The most is {} times as fast ({place}).", short(1.0 / ratio))
            }
            _ => "It is faster nowhere.".to_owned(),
        };
        let all = dual + null + spn;
        let (machine, equal) = (results.name(site), named(equal));
        Some(format!("*{machine}, {equal}.* DUAL is faster in {dual} of {all} cells. {gain}"))
    };
    of_sites(results, share)
}

/// Tabulates the cells of each machine.
fn shares(results: &Results) -> Vec<Vec<String>> {
    of_sites(results, |site, equal, rows| {
        let rows = unchanged(rows);
        let [dual, null, spn] = counts(&rows);
        let ratios = || rows.iter().flat_map(|row| &row.places).map(|place| place.ratio);
        let [least, most] = extent(ratios().filter(|ratio| ratio.is_finite()));
        let numbers = [dual, null, spn].map(|count| count.to_string());
        let names = [results.name(site), named(equal)];
        Some(names.into_iter().chain(numbers).chain([ratio(least), ratio(most)]).collect())
    })
}

/// Tabulates the costs that the model takes from each profile, in nanoseconds.
fn costs(results: &Results) -> Vec<Vec<String>> {
    let row = |name: &str, config: Config, profile: &earth::simulated::Profile| {
        let nodes = results.extent.usual.nodes as usize;
        let costs = Costs::of(profile, config, 0.0, nodes);
        let all = [
            costs.dispatch,
            costs.issue,
            costs.hand_over,
            costs.local,
            costs.send,
            costs.receive,
            costs.latency,
        ];
        [name.to_owned(), config.to_string()].into_iter().chain(all.map(short)).collect()
    };
    let configs = [Config::Spn, Config::Dual];
    let of = |profile: &earth::simulated::Profile| {
        let name = format!("`{}`", profile.name);
        configs.map(|config| row(&name, config, profile))
    };
    results.profiles.iter().flat_map(of).collect()
}

/// Tabulates the errors of the model: of the crossings, and of the ratios of all cells.
fn accuracy(results: &Results) -> Vec<Vec<String>> {
    of_sites(results, |site, equal, rows| {
        let profile = results.profile(site).filter(|_| site != Site::Ranks)?;
        let outcomes: Vec<_> = rows.iter().flat_map(|row| row.outcomes(results.ends())).collect();
        let found = outcomes.iter().filter(|outcome| !matches!(outcome, Outcome::NotFound(_))).count();
        let hits = outcomes.iter().filter(|outcome| outcome.is_hit()).count();
        let only = outcomes.len() - found;
        let without = rows.iter().filter(|row| row.outcomes(results.ends()).is_empty()).count();
        let error = |row: &&Row| {
            let (case, equal) = (row.case, row.equal);
            let of = move |place: &super::crossing::Place| {
                let predicted = model::ratio(profile, case, equal, place.grain);
                (predicted / place.ratio).ln().abs().exp()
            };
            row.places.iter().map(of).collect::<Vec<_>>()
        };
        let mut errors: Vec<f64> = rows.iter().flat_map(error).filter(|error| error.is_finite()).collect();
        errors.sort_by(f64::total_cmp);
        let quantile = |of: f64| errors.get((of * (errors.len().saturating_sub(1)) as f64) as usize);
        let quantiles = [0.5, 0.9, 1.0].map(|of| quantile(of).map_or("-".to_owned(), |error| ratio(*error)));
        let share = if found == 0 { "-".to_owned() } else { percent(hits as f64 / found as f64) };
        let counts = [rows.len(), found, hits].map(|count| count.to_string());
        let rest = [share, only.to_string(), without.to_string()];
        let names = [results.name(site), named(equal)];
        Some(names.into_iter().chain(counts).chain(rest).chain(quantiles).collect())
    })
}

/// Names the machine, the row and the comparison of a crossing.
fn place(results: &Results, row: &Row) -> [String; 4] {
    [results.name(row.site), row.axis.title().to_owned(), row.name.clone(), named(row.equal)]
}

fn outcome(outcome: &Outcome) -> [String; 5] {
    let side = |crossing: &Crossing| if crossing.is_above { "above" } else { "below" }.to_owned();
    let band = |crossing: &Crossing| {
        let [low, high] = crossing.band;
        if low < high { format!("{} to {}", grain(low), grain(high)) } else { "-".to_owned() }
    };
    let none = || "-".to_owned();
    match outcome {
        Outcome::Both(found, predicted) => [
            side(found),
            grain(found.at),
            band(found),
            grain(predicted.at),
            outcome.factor().map_or_else(none, ratio),
        ],
        Outcome::NotPredicted(found) => [side(found), grain(found.at), band(found), none(), none()],
        Outcome::NotFound(predicted) => [side(predicted), none(), none(), grain(predicted.at), none()],
    }
}

/// Tabulates the crossings by messages.
fn crossings(results: &Results) -> Vec<Vec<String>> {
    let mut table = Vec::new();
    for site in results.sites() {
        for row in results.rows(site, Axis::Messages) {
            for found in row.outcomes(results.ends()) {
                let [machine, _, name, equal] = place(results, &row);
                table.push([machine, name, equal].into_iter().chain(outcome(&found)).collect());
            }
        }
    }
    table
}

/// Lists the crossings that the model does not predict.
fn misses(results: &Results) -> Vec<Part> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for site in results.sites() {
        for row in results.all_rows(site) {
            for missed in row.outcomes(results.ends()).iter().filter(|outcome| !outcome.is_hit()) {
                rows.push(place(results, &row).into_iter().chain(outcome(missed)).collect());
            }
        }
    }
    if rows.is_empty() {
        return vec![Part::words("No crossing is missed.")];
    }
    let names = [
        "machine",
        "axis",
        "row",
        "comparison",
        "DUAL is faster",
        "found",
        "band",
        "predicted",
        "predicted/found",
    ];
    let title = format!("Crossings that are not predicted within a factor of {FACTOR}");
    vec![Part::Table(Table::new(names).titled(title).with(rows))]
}

/// Returns the columns of the table of speeds.
fn tabled(results: &Results) -> Vec<String> {
    let column = |equal| move |&of: &u32| format!("{}, {}", named(equal), grain(f64::from(of)));
    EQUALS.into_iter().flat_map(|equal| results.extent.tabled.iter().map(column(equal))).collect()
}

/// Tabulates the least speed of synchronization units with which DUAL is faster.
fn speeds(results: &Results) -> Vec<Vec<String>> {
    let mut table = Vec::new();
    for (at, profile) in results.profiles.iter().enumerate() {
        for (name, case) in Axis::Messages.rows(results.extent, results.extent.usual) {
            let mut cells = vec![format!("`{}`", profile.name), name];
            for equal in EQUALS {
                for &grain in results.extent.tabled {
                    let is_faster = |&&speed: &&i32| {
                        let change = Change { speed, ..Change::NONE };
                        results.ratio(at, Case { change, ..case }, equal, grain) < 1.0 / EXACT
                    };
                    // All speeds are asked for, so that the first pass records all runs.
                    let faster: Vec<_> = results.extent.speeds.iter().filter(is_faster).collect();
                    let least = faster.first().map(|&&speed| format!("x {}", short(f64::from(speed).exp2())));
                    cells.push(least.unwrap_or_else(|| "none".to_owned()));
                }
            }
            table.push(cells);
        }
    }
    table
}

/// Ratios of a program: found and predicted, at equal nodes and at equal cores.
struct Ratios {
    found: [String; 2],
    values: [f64; 2],
    predicted: [f64; 2],
}

fn point_row(program: &str, sample: &Sample, nodes: u32, work: f64, ratios: &Ratios) -> Vec<String> {
    let load = sample.load(nodes, 1.0);
    let mut cells = vec![format!("`{program}`"), grain(work), short(load.messages), short(load.remote)];
    cells.push(percent(sample.share(nodes)));
    for (found, (value, predicted)) in
        ratios.found.iter().zip(ratios.values.into_iter().zip(ratios.predicted))
    {
        cells.extend([found.clone(), ratio(predicted), ratio(predicted / value)]);
    }
    cells
}

const POINTS: [&str; 11] = [
    "program",
    "grain",
    "messages a fiber",
    "to other nodes",
    "busy",
    "equal nodes",
    "predicted",
    "predicted/found",
    "equal cores",
    "predicted",
    "predicted/found",
];

/// Makes a table of the example programs on each simulated machine, and on threads.
fn points(results: &Results) -> Vec<Part> {
    let nodes = results.extent.usual.nodes;
    let mut parts = Vec::new();
    for (at, profile) in results.profiles.iter().enumerate() {
        let (mut rows, mut left) = (Vec::new(), Vec::new());
        for name in names() {
            let run = |config, nodes| results.point(at, name, config, nodes);
            let all = [run(Config::Spn, nodes), run(Config::Spn, 2 * nodes), run(Config::Dual, nodes)];
            let [Some(spn), Some(more), Some(dual)] = all else {
                left.push(format!("`{name}`"));
                continue;
            };
            let values = [dual.seconds / spn.seconds, dual.seconds / more.seconds];
            let predicted = EQUALS.map(|equal| spn.predicted(profile, nodes, equal));
            let ratios = Ratios { found: values.map(ratio), values, predicted };
            rows.push(point_row(name, &spn, nodes, spn.grain(profile, nodes), &ratios));
        }
        let title = format!("Simulated with `{}`, {nodes} DUAL nodes", profile.name);
        parts.push(Part::Table(Table::new(POINTS).titled(title).with(rows)));
        if !left.is_empty() {
            parts.push(Part::words(format!("These do not run on {nodes} such nodes: {}.", left.join(", "))));
        }
    }
    parts
}

/// Returns the parts of the page about measurements.
fn measured(results: &Results) -> Vec<Part> {
    let Some(measured) = &results.measured else {
        return vec![Part::words("Nothing is measured on this page: it was made without `--measured`.")];
    };
    let has = |name: &str| measured.peers.iter().any(|(_, all)| all.iter().any(|peer| peer.engine == name));
    let missing: Vec<_> = optional().filter(|name| !has(name)).collect();
    let lacking = match missing.as_slice() {
        [] => String::new(),
        missing => {
            format!(
                "No compiler or no library was found for {}, which {} left out.",
                missing.join(" and "),
                is(missing)
            )
        }
    };
    let left = match measured.left {
        0 => String::new(),
        left => format!("{left} measurements are left out, because the time limit was reached."),
    };
    let content = Content::default()
        .text("processor", &measured.processor)
        .text("cores", measured.cores)
        .text("nodes", measured.nodes)
        .text("pairs", results.extent.pairs)
        .text("disagree", results.extent.pairs / 10 + 1)
        .text("lacking", lacking)
        .text("left", left)
        .rows("points", measured.points.iter().map(|point| measured_point(measured, point)))
        .texts("engines", engines(measured))
        .rows("peers", peers(measured))
        .plot("peers", figures::peers(results));
    content.fill(MEASURED)
}

fn is(names: &[&str]) -> &'static str {
    if names.len() > 1 { "are" } else { "is" }
}

fn measured_point(measured: &Measured, point: &Point) -> Vec<String> {
    let (profile, nodes) = (&measured.profile, measured.nodes);
    let found = point.pairs.each_ref().map(|pair| {
        let mark = if pair.is_null() { "~" } else { "" };
        format!("{mark}{}", ratio(pair.ratio.median))
    });
    let values = point.pairs.each_ref().map(|pair| pair.ratio.median);
    let predicted = EQUALS.map(|equal| point.sample.predicted(profile, nodes, equal));
    let work = point.sample.grain(profile, nodes);
    point_row(&point.program, &point.sample, nodes, work, &Ratios { found, values, predicted })
}

/// Returns the columns of the table of peers.
fn engines(measured: &Measured) -> Vec<String> {
    let first = measured.peers.first();
    first.map_or_else(Vec::new, |(_, all)| all.iter().map(|peer| peer.engine.clone()).collect())
}

fn peers(measured: &Measured) -> Vec<Vec<String>> {
    let row = |(of, all): &(u32, Vec<super::measured::peers::Peer>)| {
        let cell = |peer: &super::measured::peers::Peer| {
            format!("{} ({})", grain(peer.time.median), ratio(peer.ratio.median))
        };
        std::iter::once(grain(f64::from(*of))).chain(all.iter().map(cell)).collect()
    };
    measured.peers.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use earth::simulated::Profile;

    use super::*;
    use crate::map::grid::{PROFILES, SMALL};

    #[test]
    fn the_page_is_filled_whatever_came_of_the_runs() {
        let profiles = PROFILES.map(|name| Profile::named(name).unwrap()).into();
        let mut results = Results::new(&SMALL, profiles, None);
        document(&results);
        results.invent();
        let page = document(&results).markdown("");
        for axis in super::super::grid::AXES {
            for profile in PROFILES {
                assert!(page.contains(&format!("]({}-{profile}.svg)", axis.name())), "{page}");
            }
        }
        assert!(page.contains("without `--measured`"), "{page}");
        // The invented DUAL is faster by 500 ns of 1000 to 11,000, which one cell does not distinguish.
        assert!(page.contains("`manna50`, equal nodes.* DUAL is faster in 32 of 32 cells"), "{page}");
        assert!(page.contains("These do not run on 4 such nodes: `fib`."), "{page}");
    }
}
