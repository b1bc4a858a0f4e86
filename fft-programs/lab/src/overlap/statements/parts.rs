//! Statements on the parts of the time: waiting, and the balance of work and exchange.

use earth_report::numbers::percent;
use earth_report::statements::{ABOUT, CONSIDERABLE, FLAT, Judged, about};

use super::panel;
use crate::overlap::cases::{Group, broken_down};
use crate::overlap::machines::{Rate, Setting};
use crate::overlap::results::{Program, Results};

pub(super) fn wait_falls(results: &Results, judged: &mut Judged) {
    let [setting, ..] = broken_down();
    let parts = |program| results.run(setting, program).parts;
    let [blocking, new] = [Program::New0, Program::New].map(parts);
    let (left, work) = (new.wait_and_test(), new.overlappable());
    let [paper0, paper] = [Program::Paper0, Program::Paper].map(parts);
    judged
        .clause("1.6 s become 0.4 s")
        .reading("the paper's parameters, Wait")
        .check(about(paper.wait, 0.4), format!("{:.2} s become {:.2} s", paper0.wait, paper.wait))
        .reading("Wait")
        .check(about(new.wait, 0.4), format!("{:.2} s become {:.2} s", blocking.wait, new.wait))
        .reading("Wait and Test")
        .check(about(left, 0.4), format!("{:.2} s become {left:.2} s", blocking.wait_and_test()));
    let hidden = blocking.wait_and_test() - left;
    let most = work.min(blocking.wait_and_test());
    judged.clause("nearly perfect overlap").check(
        hidden >= (1.0 - CONSIDERABLE) * most,
        format!("{hidden:.2} s are hidden of {most:.2} s that work can hide"),
    );
}

pub(super) fn th_waits(results: &Results, judged: &mut Judged) {
    let [setting, ..] = broken_down();
    let readings = [
        ("parameters found here", Program::Th, Program::ThOverlapped, Program::New),
        ("the paper's parameters of NEW", Program::PaperTh, Program::Paper, Program::Paper),
    ];
    let wait = |program| results.run(setting, program).parts.wait;
    for (reading, th, ..) in readings {
        judged.clause("1.3 s").reading(reading).check(about(wait(th), 1.3), format!("{:.2} s", wait(th)));
    }
    for (reading, th, overlapped, new) in readings {
        let [th, overlapped, of_new] = [th, overlapped, new].map(wait);
        let is_as_new = overlapped - of_new <= FLAT * results.seconds(setting, new);
        judged.clause("the cause").reading(reading).check(
            overlapped < th / ABOUT && is_as_new,
            format!("{overlapped:.2} s if Unpack and FFTx overlap, too; NEW waits {of_new:.2} s"),
        );
    }
}

pub(super) fn balance(results: &Results, judged: &mut Judged) {
    for (group, name, is_better) in
        [(Group::Cluster, "UMD-Cluster is better on 16", true), (Group::Hopper, "Hopper on 32", false)]
    {
        for rate in Rate::ALL {
            let settings = panel(results, group, rate);
            let few: Vec<_> = settings.into_iter().filter(|setting| setting.ranks == 16).collect();
            let more = |setting: &Setting| Setting { ranks: 32, ..*setting }.at(rate);
            let gains = |setting: &Setting| [*setting, more(setting)].map(|setting| results.gain(setting));
            let passes = |setting: &Setting| {
                let [few, many] = gains(setting);
                (few > many) == is_better
            };
            let told: Vec<_> = few
                .iter()
                .map(|setting| {
                    let [few, many] = gains(setting);
                    format!("{}^3: {few:.2} and {many:.2}", setting.n)
                })
                .collect();
            judged.clause(name).reading(rate.name()).each(&few, passes, |_| told.join("; "));
        }
    }
    if let Some(best) = results.best_speed() {
        let balance = results.run(best, Program::New0).parts.balance();
        // A step of the speeds is the square root of two.
        judged.clause("the best balance is 1").check(
            (1.0 / ABOUT / 2_f64.powf(0.25)..=ABOUT * 2_f64.powf(0.25)).contains(&balance),
            format!(
                "the gain is greatest, {:.2}, where the exchange takes {balance:.2} of the work",
                results.gain(best)
            ),
        );
    }
}

pub(super) fn rule(results: &Results, judged: &mut Judged) {
    let error = |setting: &Setting| {
        let rule = results.run(*setting, Program::New0).parts.perfect_gain();
        results.ratio(*setting, Program::New0, Program::New) / rule - 1.0
    };
    let settings = results.settings();
    let worst = settings.iter().map(error).fold(
        0.0,
        |worst: f64, error| {
            if error.abs() > worst.abs() { error } else { worst }
        },
    );
    judged.each(
        &settings,
        |setting| error(setting).abs() <= FLAT,
        |met| format!("met in {met} of {}; the greatest deviation is {}", settings.len(), percent(worst)),
    );
}
