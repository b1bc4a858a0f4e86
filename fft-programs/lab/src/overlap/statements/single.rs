//! Statements on single parameters: the other parameters are as tuned.

use earth_papers::overlap::{Parameters, Polls, Size, Variant};
use earth_report::statements::{FLAT, Judged};

use super::panel;
use crate::overlap::cases::{Group, examined};
use crate::overlap::machines::{Rate, Setting};
use crate::overlap::results::{Program, Results};

/// Parameter that is varied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Varied {
    Tile,
    Window,
    /// All four numbers of polls by one factor.
    Polls,
}

/// Factors of the polls, as powers of two.
const FACTORS: [i32; 9] = [-6, -4, -2, -1, 0, 1, 2, 4, 6];

/// Returns the values of a parameter beside the tuned ones, each with the parameters, in ascending order.
pub(crate) fn varied(results: &Results, setting: Setting, of: Varied) -> Vec<(f64, Parameters)> {
    let Some(tuned) = results.tuned(setting, Variant::New) else { return Vec::new() };
    let size = Size { lengths: [setting.n; 3], ranks: setting.ranks };
    let tiles = |tile: usize| setting.n.div_ceil(tile);
    let all: Vec<(f64, Parameters)> = match of {
        Varied::Tile => {
            let powers = (0..).map(|power| 1 << power).take_while(|&tile| tile < setting.n);
            let with = |tile: usize| {
                // Each plane keeps its number of polls, and so does the array.
                let polls = scaled(tuned.polls, tile as f64 / tuned.tile as f64);
                let window = tuned.window.min(tiles(tile));
                (tile as f64, Parameters { tile, window, polls, ..tuned })
            };
            powers.chain([setting.n]).map(with).collect()
        }
        Varied::Window => (1..=8.min(tiles(tuned.tile)))
            .map(|window| (window as f64, Parameters { window, ..tuned }))
            .collect(),
        Varied::Polls => FACTORS
            .map(|factor| {
                let factor = f64::from(factor).exp2();
                (factor, Parameters { polls: scaled(tuned.polls, factor), ..tuned })
            })
            .into(),
    };
    all.into_iter().map(|(value, parameters)| (value, parameters.within(&size))).collect()
}

fn scaled(polls: Polls, factor: f64) -> Polls {
    let scaled = |polls: usize| (polls as f64 * factor).round() as usize;
    let Polls { along_y, pack, unpack, along_x } = polls;
    Polls { along_y: scaled(along_y), pack: scaled(pack), unpack: scaled(unpack), along_x: scaled(along_x) }
}

/// Judges whether the least value of a parameter, and the greatest one, are slower than the best value by
/// more than flat.
fn trade_off<const N: usize>(results: &Results, judged: &mut Judged, of: Varied, ends: [&str; N]) {
    let setting = examined();
    let times: Vec<_> = varied(results, setting, of)
        .into_iter()
        .map(|(value, parameters)| (value, results.seconds(setting, Program::With(parameters))))
        .collect();
    let best = times.iter().copied().min_by(|(_, one), (_, other)| one.total_cmp(other));
    let (Some(best), Some(first), Some(last)) = (best, times.first(), times.last()) else { return };
    for (clause, (value, seconds)) in ends.into_iter().zip([first, last]) {
        let ratio = seconds / best.1;
        judged.clause(clause).check(
            ratio > 1.0 + FLAT,
            format!("{value} takes {ratio:.2} times as long as {}, the best", best.0),
        );
    }
}

pub(super) fn tiles(results: &Results, judged: &mut Judged) {
    trade_off(results, judged, Varied::Tile, ["small tiles cost messages", "large tiles overlap less"]);
}

pub(super) fn windows(results: &Results, judged: &mut Judged) {
    trade_off(results, judged, Varied::Window, ["one tile at a time is slower"]);
}

pub(super) fn polls(results: &Results, judged: &mut Judged) {
    trade_off(results, judged, Varied::Polls, ["few polls limit progress", "many polls cost"]);
}

pub(super) fn grows(results: &Results, judged: &mut Judged) {
    let polls = |setting: Setting| {
        let Polls { along_y, pack, unpack, along_x } = results.tuned(setting, Variant::New)?.polls;
        Some(along_y + pack + unpack + along_x)
    };
    for group in Group::ALL {
        let settings = panel(results, group, Rate::ByRanks);
        let [least, most] = group.ranks();
        let pairs: Vec<_> = settings
            .into_iter()
            .filter(|setting| setting.ranks == least)
            .filter_map(|setting| {
                let twice = Setting { ranks: most, ..setting };
                Some((setting.n, polls(setting)?, polls(twice)?))
            })
            .collect();
        let told: Vec<_> = pairs.iter().map(|(n, few, many)| format!("{n}^3: {few} and {many}")).collect();
        judged.clause(format!("{}, {least} and {most} ranks", group.name())).each(
            &pairs,
            |(_, few, many)| many > few,
            |_| told.join("; "),
        );
    }
}
