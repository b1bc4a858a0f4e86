//! Where the paper's text and its arithmetic disagree, and what we do about it.

use earth_partition::flops;

use crate::measure::student;
use crate::statements::{FLAT, Judged};
use crate::study::findings::{Band, KernelFindings, Study};
use crate::study::rows::{Method, Timed};

pub(super) fn padding(study: &Study) -> Judged {
    let Some(published) = study.published else { return Judged::untold("nothing was run so far") };
    let mut judged = Judged::default();
    judged
        .check(
            published.error <= published.bound,
            format!(
                "rows of {} filled up to {}: relative error {:.2}, where at most {:.0e} is rounding",
                published.n, published.filled, published.error, published.bound
            ),
        )
        .because(
            "the first N values of a longer transform sample the spectrum at a finer pitch. Here PFFT-FPM-PAD chooses \
             among what is exact: rows as they are, rows that lie apart, rows through a chirp (Bluestein); as \
             published it is run with --as-published alone, and never counted as the transform",
        );
    judged
}

/// Of N and all longer lengths, the one with the least cost.
fn cheapest(points: &[(usize, f64)], n: usize, cost: impl Fn(usize, f64) -> f64) -> Option<usize> {
    let longer = points.iter().filter(|(length, _)| *length >= n);
    let costs = longer.map(|&(length, speed)| (cost(length, speed), length));
    costs.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, length)| length)
}

/// At how many N the choices differ, and of how many.
fn other_choices(found: &KernelFindings) -> [usize; 2] {
    // Flops a second for a row of each length, at about the balanced share.
    let speeds: Vec<(usize, f64)> = found
        .rows
        .iter()
        .filter_map(|row| {
            let share = row.n / row.groups;
            let own = row.speeds.iter().filter(|point| point.pad == "none" && point.length == row.n);
            let point = own.min_by_key(|point| point.rows.abs_diff(share))?;
            let slowest = point.seconds.iter().copied().fold(0.0, f64::max);
            Some((row.n, flops(point.rows, row.n) / slowest))
        })
        .collect();
    let differs = |&&(n, _): &&(usize, f64)| {
        let papers = cheapest(&speeds, n, |length, speed| length as f64 / speed);
        let ours = cheapest(&speeds, n, |length, speed| flops(1, length) / speed);
        papers != ours
    };
    [speeds.iter().filter(differs).count(), speeds.len()]
}

pub(super) fn lost_logarithm(study: &Study) -> Judged {
    let mut judged = Judged::default();
    for found in &study.kernels {
        let [differ, all] = other_choices(found);
        if all > 0 {
            let told = format!("{}: another length at {differ} of {all} N", found.kernel);
            judged.check(differ == 0, told);
        }
    }
    judged.explained(
        "the speed is 5 x y log2 y over the time, so the time is x y log2 y over the speed up to a factor: that is what is \
         minimised here. Without the logarithm longer rows look too cheap",
        "no speed functions were measured",
    )
}

pub(super) fn confidence(study: &Study) -> Judged {
    let mut judged = Judged::default();
    // With as many degrees of freedom as you like, the quantile t(0.95) is that of a two-sided 90%.
    let quantile = student(0.90, 9.0);
    let covers = student(0.95, 9.0);
    judged.check(
        (quantile / covers - 1.0).abs() < 1e-9,
        format!("for 10 repetitions t(0.95) is {quantile:.3}, and 95% take t(0.975) = {covers:.3}: 90%"),
    );
    let timed: Vec<&Timed> =
        study.kernels.iter().flat_map(|found| &found.rows).flat_map(|row| &row.methods).collect();
    let precise = timed.iter().filter(|timed| timed.time.half_width <= 0.025 * timed.time.mean).count();
    judged.found(format!("of {} means here {precise} reached 2.5% at 95%", timed.len()));
    judged
        .because("here it is t(0.975); means that did not reach 2.5% within the limits keep their intervals");
    judged
}

pub(super) fn two_means(study: &Study) -> Judged {
    let mut judged = Judged::default();
    for found in &study.kernels {
        for method in [Method::Fpm, Method::FpmPad] {
            let Some(speed_up) = found.speed_up(method, Method::Basic, &Band::all()) else { continue };
            let [ratios, means] = [speed_up.mean_of_ratios, speed_up.ratio_of_means];
            let told = format!("{}, {method}: {ratios:.2} and {means:.2}", found.kernel);
            judged.check((ratios / means - 1.0).abs() <= FLAT, told);
        }
    }
    judged.explained(
        "the paper's averages give 1.44 and 1.17, where its means of ratios are 2 and 1.4; both are in all tables here",
        "there are no speed-ups",
    )
}

pub(super) fn over_fftw_2(_: &Study) -> Judged {
    let mut judged = Judged::default();
    let ratio: f64 = 7297.0 / 7033.0;
    judged
        .check((ratio / 1.42 - 1.0).abs() <= FLAT, format!("7297 / 7033 = {ratio:.3}, so 3.8%"))
        .because("42% is near what FFTW-3 gained over itself, 7297 / 5065 = 1.44");
    judged
}

pub(super) fn two_maxima(_: &Study) -> Judged {
    let mut judged = Judged::default();
    let [abstract_has, appendix_has]: [f64; 2] = [2.0, 2.4];
    judged
        .check((appendix_has / abstract_has - 1.0).abs() < 1e-9, "2 and 2.4")
        .because("which of them is right cannot be told from the paper; the rows here have the abstract's");
    judged
}

pub(super) fn planning(_: &Study) -> Judged {
    let mut judged = Judged::default();
    judged
        .check(false, "only execution may be called by several threads at once")
        .because("here a plan is made once, by one thread, before any group starts");
    judged
}
