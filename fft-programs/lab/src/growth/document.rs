//! Tables of the page, and the values that its template is filled with.

use earth::Config;
use earth_report::document::{Content, Document};
use earth_report::numbers::{extent, percent, seconds, short};

use super::cases::{CHANGED, CHANGES, CONFIGS, ORDERS, RANKS, ROUTES, Run, STRONG, TABLED, name, order};
use super::figures;
use super::results::Results;
use crate::model::distributed::Rates;

const PAGE: &str = include_str!("page.md");

/// Makes a document of small arrays alone.
pub(crate) fn small(results: &Results) -> Document {
    figures::small(Content::default(), results).figures(PAGE)
}

pub(crate) fn document(results: &Results) -> Document {
    let profile = &results.profile;
    let rates = Rates::of(profile, Config::Spn, CHANGED);
    let most = RANKS[RANKS.len() - 1];
    let [greatest, least] = [true, false].map(|is_greatest| signed(error(results, is_greatest)));
    let (gain, gain_ranks) = gain(results);
    let start = results.closed(&Run::new(STRONG[0], false, most, Config::Spn)).start;
    let content = Content::default()
        .text("profile", &profile.name)
        .texts("published", profile.published.iter().map(|figure| format!("`{figure}`")))
        .text("most", most)
        .rows("rates", sources(&rates))
        .text("start", seconds(start))
        .text("gain", percent(gain))
        .text("gain_ranks", gain_ranks)
        .text("greatest", greatest)
        .text("least", least)
        .text("changed", CHANGED)
        .text("array", name(STRONG[0]))
        .rows("times", strong(results))
        .rows("routes", routes(results))
        .rows("changes", CHANGES.map(|change| row(results, &change.name(), |run| run.with(change))));
    figures::drawn(content, results).page(PAGE)
}

/// Tabulates the rates of the profile, and the source of each.
fn sources(rates: &Rates) -> [[String; 3]; 5] {
    let nanoseconds = |time: f64| format!("{} ns", short(time * 1e9));
    let rows = [
        ("a byte on a link, in each direction", format!("1 / {} GB/s", short(1e-9 / rates.byte)), "Alps"),
        ("the way of a short message", nanoseconds(rates.latency), "Alps, Slingshot"),
        ("sending a message, and receiving one", nanoseconds(rates.send), "Olivia"),
        ("a point of a level of a row FFT", nanoseconds(rates.row), "this project"),
        ("copying a point", nanoseconds(rates.copy), "this project"),
    ];
    rows.map(|(name, value, source)| [name.to_owned(), value, source.to_owned()])
}

fn signed(error: f64) -> String {
    format!("{:+.1}%", 100.0 * error)
}

/// Returns the greatest or the least error of the closed form with overlap in the strong growth.
fn error(results: &Results, is_greatest: bool) -> f64 {
    let runs = STRONG.into_iter().flat_map(|lengths| {
        ORDERS.into_iter().flat_map(move |is_natural| {
            CONFIGS
                .into_iter()
                .flat_map(move |config| RANKS.map(|ranks| Run::new(lengths, is_natural, ranks, config)))
        })
    });
    let [least, greatest] = extent(runs.map(|run| results.errors(&run)[1]));
    if is_greatest { greatest } else { least }
}

/// Returns how much faster DUAL is than SPN at most in the strong growth, and on how many ranks.
fn gain(results: &Results) -> (f64, usize) {
    let mut most = (0.0, 1);
    for (lengths, is_natural) in
        STRONG.into_iter().flat_map(|lengths| ORDERS.map(|is_natural| (lengths, is_natural)))
    {
        for ranks in RANKS {
            let [spn, dual] =
                CONFIGS.map(|config| results.seconds(&Run::new(lengths, is_natural, ranks, config)));
            if spn / dual - 1.0 > most.0 {
                most = (spn / dual - 1.0, ranks);
            }
        }
    }
    most
}

/// Tabulates the times of the strong growth.
fn strong(results: &Results) -> Vec<Vec<String>> {
    let rows = |lengths: &'static [usize], is_natural| {
        TABLED.map(|ranks| {
            let [spn, dual] = CONFIGS.map(|config| Run::new(lengths, is_natural, ranks, config));
            let alone = results.seconds(&Run::new(lengths, is_natural, 1, Config::Spn));
            let time = results.seconds(&spn);
            let [without, with] = results.errors(&spn);
            vec![
                name(lengths),
                order(is_natural).to_owned(),
                ranks.to_string(),
                seconds(time),
                short(alone / time),
                percent(alone / time / ranks as f64),
                signed(without),
                signed(with),
                seconds(results.seconds(&dual)),
                signed(results.errors(&dual)[1]),
            ]
        })
    };
    let arrays = |lengths| ORDERS.into_iter().flat_map(move |is_natural| rows(lengths, is_natural));
    STRONG.into_iter().flat_map(arrays).collect()
}

/// Tabulates the times of pencils on the most ranks, on networks with and without a choice of routes.
fn routes(results: &Results) -> [Vec<String>; 2] {
    ROUTES.map(|change| {
        let time = |is_natural| {
            let run = Run::new(STRONG[1], is_natural, RANKS[RANKS.len() - 1], Config::Spn).with(change);
            seconds(results.seconds(&run))
        };
        std::iter::once(change.name()).chain(ORDERS.map(time)).collect()
    })
}

/// Tabulates the times and efficiencies of an array in natural order on a changed machine.
fn row(results: &Results, name: &str, changed: impl Fn(Run) -> Run) -> Vec<String> {
    let cells = CONFIGS.into_iter().flat_map(|config| {
        let [alone, run] = [1, CHANGED].map(|ranks| changed(Run::new(STRONG[0], true, ranks, config)));
        let time = results.seconds(&run);
        let efficiency = results.seconds(&alone) / time / CHANGED as f64;
        [seconds(time), percent(efficiency), signed(results.errors(&run)[1])]
    });
    std::iter::once(name.to_owned()).chain(cells).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_filled_whatever_came_of_the_runs() {
        let results = Results::new(crate::growth::profile().unwrap());
        let page = document(&results).markdown("");
        let plots = ["strong", "weak", "errors", "parts", "small"];
        assert!(plots.iter().all(|plot| page.contains(&format!("]({plot}.svg)"))), "{page}");
        assert_eq!(small(&results).markdown("").matches("](small.svg)").count(), 1);
    }
}
