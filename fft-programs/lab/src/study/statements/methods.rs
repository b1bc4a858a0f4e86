//! What the paper says of its methods (sections II to IV).

use earth_partition::EPSILON;

use super::profiles::{NO_FFTW, NO_MKL, both, libraries};
use crate::measure::Profile;
use crate::numbers::percent;
use crate::statements::{CONSIDERABLE, FLAT, Judged, about};
use crate::study::choice::best;
use crate::study::findings::{Band, KernelFindings, Study};
use crate::study::rows::{Method, Methods, Timed};

/// What a study on one core, or of one group, lacks.
const NO_GROUPS: &str = "it takes at least two groups, so two cores";

/// Whether there are rows of several groups.
fn has_groups(found: &KernelFindings) -> bool {
    found.grouping.is_some_and(|grouping| grouping.groups > 1)
}

pub(super) fn best_groups(study: &Study) -> Judged {
    let mut judged = Judged::default();
    let [fftw, mkl] = [study.fftw(), study.mkl()];
    for (found, name, papers) in [(fftw, "FFTW", 4), (mkl, "MKL", 2)] {
        let Some(found) = found else { continue };
        let several = found.preferences.iter().filter(|way| way.grouping.groups > 1).count();
        let Some(best) = best(&found.preferences) else { continue };
        let told =
            format!("{name}: ({}, {}) of {several} with more than one group", best.groups, best.threads);
        if several > 1 {
            judged.check(best.groups == papers, told);
        } else {
            judged.found(told);
        }
    }
    judged.or_untold(format!(
        "{} cores make at most one way with more than one group, or there is neither FFTW nor MKL",
        study.conditions.cores
    ))
}

pub(super) fn functions_differ(study: &Study) -> Judged {
    let mut judged = Judged::default();
    for found in study.kernels.iter().filter(|found| has_groups(found)) {
        let differ = |row: &&Methods| {
            row.speeds.iter().filter(|point| point.pad == "none").any(|point| {
                let [least, most] = [f64::min, f64::max]
                    .map(|of| point.seconds.iter().copied().reduce(of).unwrap_or_default());
                most > (1.0 + EPSILON) * least
            })
        };
        let number = found.rows.iter().filter(differ).count();
        let told = format!("{}: at {number} of {} N", found.kernel, found.rows.len());
        judged.check(2 * number > found.rows.len(), told);
    }
    judged.explained(
        "the groups run the same code on the same kind of core, so what differs is what else the cores do",
        NO_GROUPS,
    )
}

/// Whether one time is less than another by more than both intervals.
fn clearly_less(one: &Timed, other: &Timed) -> bool {
    one.time.mean + one.time.half_width < other.time.mean - other.time.half_width
}

pub(super) fn unequal_shares(study: &Study) -> Judged {
    let mut judged = Judged::default();
    for found in study.kernels.iter().filter(|found| has_groups(found)) {
        let pairs =
            found.rows.iter().filter_map(|row| Some((row.timed(Method::Lb)?, row.timed(Method::Fpm)?)));
        let unequal: Vec<_> = pairs.filter(|(_, fpm)| !fpm.is_balanced()).collect();
        let faster = unequal.iter().filter(|(lb, fpm)| clearly_less(fpm, lb)).count();
        let slower = unequal.iter().filter(|(lb, fpm)| clearly_less(lb, fpm)).count();
        judged.check(
            faster > 0 && faster > slower,
            format!(
                "{}: unequal at {} of {} N, clearly faster than PFFT-LB at {faster}, clearly slower at {slower}",
                found.kernel,
                unequal.len(),
                found.rows.len()
            ),
        );
    }
    judged.explained(
        "shares are chosen by a few repetitions a point, so that some of what looks faster is chance",
        NO_GROUPS,
    )
}

/// Whether a method is so many times as fast as a library's own transform.
fn speed_up(
    study: &Study,
    found: Option<&KernelFindings>,
    method: Method,
    [mean, most]: [f64; 2],
    missing: &str,
) -> Judged {
    let Some(found) = found else { return Judged::untold(missing) };
    let Some(speed_up) = found.speed_up(method, Method::Basic, &Band::all()) else {
        return Judged::untold(NO_GROUPS);
    };
    let mut judged = Judged::default();
    judged
        .check(speed_up.mean_of_ratios > 1.0, format!("mean of the ratios {:.2}", speed_up.mean_of_ratios))
        .check(about(speed_up.mean_of_ratios, mean), format!("the paper has {mean}"))
        .check(about(speed_up.most, most), format!("at most {:.2}, the paper has {most}", speed_up.most))
        .found(format!(
            "ratio of the means {:.2}, least ratio {:.2}",
            speed_up.ratio_of_means, speed_up.least
        ))
        .because(baseline(study, found));
    judged
}

/// What the baseline is like, on which speed-ups depend.
fn baseline(study: &Study, found: &KernelFindings) -> String {
    let share = found.figures(Method::Basic).map_or(f64::NAN, |figures| figures.average_to_peak());
    format!(
        "a method can win what the library's own transform on {} threads leaves: its average is {} of its peak here, \
         on 36 threads in the paper {}",
        study.conditions.cores,
        percent(share),
        if found.kernel.contains("mkl") { "24%" } else { "30%" }
    )
}

pub(super) fn fpm_over_fftw(study: &Study) -> Judged {
    speed_up(study, both(study)[0], Method::Fpm, [1.9, 6.8], NO_FFTW)
}

pub(super) fn fpm_over_mkl(study: &Study) -> Judged {
    speed_up(study, both(study)[1], Method::Fpm, [1.3, 2.0], NO_MKL)
}

pub(super) fn pad_over_fftw(study: &Study) -> Judged {
    speed_up(study, both(study)[0], Method::FpmPad, [2.0, 9.4], NO_FFTW)
}

pub(super) fn pad_over_mkl(study: &Study) -> Judged {
    speed_up(study, both(study)[1], Method::FpmPad, [1.4, 5.9], NO_MKL)
}

pub(super) fn small_n(study: &Study) -> Judged {
    let mut judged = Judged::default();
    let [band, _, _] = Band::papers();
    for method in [Method::Fpm, Method::FpmPad] {
        let Some(speed_up) = both(study)[1].and_then(|mkl| mkl.speed_up(method, Method::Basic, &band)) else {
            judged.because(NO_MKL);
            return judged;
        };
        let told = format!("{method}: mean of the ratios {:.2}", speed_up.mean_of_ratios);
        judged.check(speed_up.mean_of_ratios < 1.0 + CONSIDERABLE, told);
    }
    judged
}

/// What a band of the paper lacks.
fn nothing_in(band: &Band, study: &Study) -> String {
    let most = study.sizes.last().copied().unwrap_or_default();
    format!("no library was measured with {} here: the greatest N is {most}", band.name)
}

pub(super) fn middle_n(study: &Study) -> Judged {
    let mut judged = Judged::default();
    let [_, band, _] = Band::papers();
    for (found, paper) in both(study).into_iter().zip([3.0, 2.7]) {
        let Some(found) = found else { continue };
        let Some(speed_up) = found.speed_up(Method::FpmPad, Method::Basic, &band) else { continue };
        let mean = speed_up.mean_of_ratios;
        judged.check(about(mean, paper), format!("{}: {mean:.2}, the paper has {paper}", found.kernel));
    }
    judged.or_untold(nothing_in(&band, study))
}

pub(super) fn large_n(study: &Study) -> Judged {
    let mut judged = Judged::default();
    let [_, _, band] = Band::papers();
    for (found, paper) in both(study).into_iter().zip([6.0, 2.0]) {
        let Some(found) = found else { continue };
        let Some(speed_up) = found.speed_up(Method::FpmPad, Method::Basic, &band) else { continue };
        let most = speed_up.most;
        judged
            .check(about(most, paper), format!("{}: at most {most:.2}, the paper has {paper}", found.kernel));
        let profile: Vec<_> =
            found.profile(Method::FpmPad).into_iter().filter(|&(n, _)| band.has(n)).collect();
        let widest = Profile::of(&profile).map_or(0.0, |figures| figures.widest);
        judged.check(widest > 1.0, format!("{}: widest variation {}", found.kernel, percent(widest)));
    }
    judged.or_untold(nothing_in(&band, study))
}

pub(super) fn along_lengths(study: &Study) -> Judged {
    let mut judged = Judged::default();
    for found in study.kernels.iter().filter(|found| has_groups(found)) {
        if let Some([rows, lengths]) = found.widths_of_surface() {
            let told = format!(
                "{}: mean width {} along the lengths, {} along the rows",
                found.kernel,
                percent(lengths),
                percent(rows)
            );
            judged.check(lengths > rows, told);
        }
        if let Some(speed_up) = found.speed_up(Method::FpmPad, Method::Fpm, &Band::all()) {
            let [ratios, means] = [speed_up.mean_of_ratios, speed_up.ratio_of_means];
            let told = format!("PAD over FPM {ratios:.3} (mean of ratios), {means:.3} (ratio of means)");
            judged.check(ratios > 1.0 && means > 1.0, told);
        }
    }
    judged.explained(
        "padding to another length, which would use the variations along the lengths, is another transform; what is exact \
         (rows apart, chirps) pays for it by copying or by two longer transforms",
        NO_GROUPS,
    )
}

pub(super) fn same_peak(study: &Study) -> Judged {
    let mut judged = Judged::default();
    for found in libraries(study).filter(|found| has_groups(found)) {
        let figures = [Method::Basic, Method::FpmPad].map(|method| found.figures(method));
        let [Some(basic), Some(pad)] = figures else { continue };
        let ratio = pad.peak.1 / basic.peak.1;
        judged.check(
            (ratio - 1.0).abs() <= FLAT,
            format!(
                "{}: {:.2} Gflop/s at N = {}, the library's own {:.2} at N = {}",
                found.kernel, pad.peak.1, pad.peak.0, basic.peak.1, basic.peak.0
            ),
        );
    }
    judged.or_untold("no library's own transform was measured beside PFFT-FPM-PAD")
}

pub(super) fn mkl_over_fftw(study: &Study) -> Judged {
    let [Some(fftw), Some(mkl)] = [study.fftw(), study.mkl()] else {
        return Judged::untold("it takes both FFTW and MKL");
    };
    let mut judged = Judged::default();
    for (method, paper) in [(Method::Fpm, 1.54), (Method::FpmPad, 1.53)] {
        let [Some(fftw), Some(mkl)] = [fftw, mkl].map(|found| found.figures(method)) else { continue };
        let ratio = mkl.average / fftw.average;
        judged.check(about(ratio, paper), format!("{method}: {ratio:.2}, the paper has {paper}"));
    }
    judged.or_untold(NO_GROUPS)
}

pub(super) fn efforts(study: &Study) -> Judged {
    let mut judged = Judged::default();
    let planning = if study.conditions.planning { "with" } else { "without" };
    judged.because(format!(
        "a study has one effort, this one '{}', {planning} planning in the times; two of them, made with --planning, \
         tell",
        study.conditions.effort
    ));
    judged
}
