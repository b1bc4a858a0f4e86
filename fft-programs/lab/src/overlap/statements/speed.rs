//! Statements on the times of NEW, TH and FFTW.

use earth_report::numbers::extent;
use earth_report::statements::{FLAT, Judged};

use super::{is_gain, panel, range};
use crate::overlap::cases::{Group, examined};
use crate::overlap::machines::{Machine, Rate, Setting};
use crate::overlap::results::{Program, Results};

pub(super) fn fastest(results: &Results, judged: &mut Judged) {
    for rate in Rate::ALL {
        let settings: Vec<_> = results.settings().into_iter().map(|setting| setting.at(rate)).collect();
        let is_fastest = |setting: &_| {
            [Program::Fftw, Program::Th]
                .into_iter()
                .all(|other| results.ratio(*setting, other, Program::New) > 1.0)
        };
        let over = range(settings.iter().map(|&setting| results.ratio(setting, Program::Th, Program::New)));
        judged.reading(rate.name()).each(&settings, is_fastest, |faster| {
            format!("faster than both in {faster} of {}; {over} times as fast as TH", settings.len())
        });
    }
}

/// Judges the least and the greatest speed-up of a panel.
fn gain(results: &Results, judged: &mut Judged, group: Group, expected: [f64; 2]) {
    for rate in Rate::ALL {
        let gains = panel(results, group, rate).into_iter().map(|setting| results.gain(setting));
        let [least, most] = extent(gains);
        judged
            .reading(rate.name())
            .check(is_gain(least, expected[0]), format!("at least {least:.2}"))
            .check(is_gain(most, expected[1]), format!("at most {most:.2}"));
    }
}

pub(super) fn cluster_gain(results: &Results, judged: &mut Judged) {
    gain(results, judged, Group::Cluster, [1.24, 1.69]);
}

pub(super) fn hopper_gain(results: &Results, judged: &mut Judged) {
    gain(results, judged, Group::Hopper, [1.10, 1.40]);
}

pub(super) fn large_gain(results: &Results, judged: &mut Judged) {
    gain(results, judged, Group::Large, [1.48, 1.76]);
}

pub(super) fn th_gain(results: &Results, judged: &mut Judged) {
    for rate in Rate::ALL {
        let gains = panel(results, Group::Cluster, rate)
            .into_iter()
            .map(|setting| results.ratio(setting, Program::Fftw, Program::Th));
        let [_, most] = extent(gains);
        judged.clause("at most 1.17").reading(rate.name()).check(is_gain(most, 1.17), format!("{most:.2}"));
    }
    for rate in Rate::ALL {
        let slower = |setting: &_| results.ratio(*setting, Program::Th, Program::Fftw) > 1.0;
        let all: Vec<_> = results.settings().into_iter().map(|setting| setting.at(rate)).collect();
        let number = all.iter().filter(|setting| slower(setting)).count();
        judged
            .clause("slower than FFTW somewhere")
            .reading(rate.name())
            .check(number > 0, format!("in {number} of {}", all.len()));
    }
}

pub(super) fn fast_network(results: &Results, judged: &mut Judged) {
    let of = |faster: i32| results.gain(examined().faster(faster));
    let [usual, faster] = [of(0), of(4)];
    judged
        .clause("the same machine, four times the rate")
        .check(faster < usual, format!("{faster:.2} instead of {usual:.2} times the speed of FFTW"));
    for rate in Rate::ALL {
        let [cluster, hopper] = [Group::Cluster, Group::Hopper]
            .map(|group| panel(results, group, rate).into_iter().map(|setting| results.gain(setting)));
        let ([least, most], [low, high]) = (extent(cluster), extent(hopper));
        judged.clause("Hopper against UMD-Cluster").reading(rate.name()).check(
            high < most && low < least,
            format!("{low:.2} to {high:.2} against {least:.2} to {most:.2}"),
        );
    }
}

pub(super) fn slabs(results: &Results, judged: &mut Judged) {
    for machine in Machine::ALL {
        let settings: Vec<_> =
            results.settings().into_iter().filter(|setting| setting.machine == machine).collect();
        let ratio =
            |setting: &Setting| results.distributed(*setting, true) / results.distributed(*setting, false);
        let told = range(settings.iter().map(ratio));
        let faster = settings.iter().filter(|setting| ratio(setting) > 1.0 + FLAT).count();
        judged.clause(machine.name()).check(
            faster > 0,
            format!("slabs are faster in {faster} of {}; pencils take {told} times as long", settings.len()),
        );
    }
}
