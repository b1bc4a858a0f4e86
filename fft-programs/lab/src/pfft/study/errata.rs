//! Contradictions between the paper's text and its arithmetic, and our handling of them. They are counted
//! separately from the statements, because no measurement decides them.

use earth_papers::partition::flops;
use earth_report::document::Content;
use earth_report::statements::errata::Erratum;

use super::findings::{KernelFindings, Study};
use super::rows::{Method, Methods};
use crate::errata::{Paper, errata_of};
use crate::pfft::measure::student;

/// Returns the cheapest length, among N and all longer lengths.
fn cheapest(points: &[(usize, f64)], n: usize, cost: impl Fn(usize, f64) -> f64) -> Option<usize> {
    let longer = points.iter().filter(|(length, _)| *length >= n);
    let costs = longer.map(|&(length, speed)| (cost(length, speed), length));
    costs.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, length)| length)
}

/// Returns the number of N at which the choices differ, and the number of N.
fn other_choices(found: &KernelFindings) -> [usize; 2] {
    // Speeds for rows of each length, in flops per second, at x = d[i] of the group with the most rows.
    let speeds = |row: &Methods, length: usize| {
        let most = row.timed(Method::Fpm)?.rows.iter().copied().max()?;
        let own = row.speeds.iter().filter(|point| point.pad == "none" && point.length == length);
        let point = own.min_by_key(|point| point.rows.abs_diff(most))?;
        let slowest = point.seconds.iter().copied().fold(0.0, f64::max);
        Some((length, flops(point.rows, length) / slowest))
    };
    let of = |row: &Methods| -> Option<bool> {
        let mut lengths: Vec<_> = row.speeds.iter().map(|point| point.length).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let speeds: Vec<_> = lengths.into_iter().filter_map(|length| speeds(row, length)).collect();
        if speeds.len() < 2 {
            return None;
        }
        let papers = cheapest(&speeds, row.n, |length, speed| length as f64 / speed);
        Some(papers != cheapest(&speeds, row.n, |length, speed| flops(1, length) / speed))
    };
    let differs: Vec<bool> = found.rows.iter().filter_map(of).collect();
    [differs.iter().filter(|&&differs| differs).count(), differs.len()]
}

/// Describes the result of padding as published, on a small matrix.
fn padding(study: &Study) -> String {
    let statement =
        "the first N values of a longer transform sample the spectrum at a finer pitch".to_owned();
    let Some(published) = study.published else { return statement };
    format!(
        "{statement}: rows of {} filled up to {} have a relative error of {:.2}, where at most {:.0e} is rounding",
        published.n, published.filled, published.error, published.bound
    )
}

fn lost_logarithm(study: &Study) -> String {
    let statement =
        "the speed is 5 x y log2 y over the time; without the logarithm longer rows look too cheap"
            .to_owned();
    let differ = study.kernels.iter().filter_map(|found| match other_choices(found) {
        [_, 0] => None,
        [differ, all] => Some(format!("{} at {differ} of {all} N", found.kernel)),
    });
    let differ: Vec<_> = differ.collect();
    if differ.is_empty() {
        return statement;
    }
    format!("{statement}: at x = d[i] another length is chosen by {}", differ.join(", "))
}

/// Returns the mean speed-up of MKL above N = 33000 that makes the mean `all` over 999 sizes, if it is
/// `middle` over the 359 sizes from 10000 to 33000, and 1 over the 155 sizes below.
fn above_33000(all: f64, middle: f64) -> f64 {
    const SIZES: [f64; 3] = [155.0, 359.0, 485.0];
    let [low, mid, high] = SIZES;
    (all * (low + mid + high) - middle * mid - low) / high
}

/// Lists all errata.
pub(crate) fn errata(study: &Study) -> Vec<Erratum> {
    let ratio = |over: f64, under: f64| format!("{:.2}", over / under);
    let words = Content::default()
        .text("padding", padding(study))
        .text("logarithm", lost_logarithm(study))
        .text("quantile", format!("{:.3}", student(0.90, 9.0)))
        .text("covers", format!("{:.3}", student(0.95, 9.0)))
        .text("fftw", ratio(7297.0, 5065.0))
        .text("mkl", ratio(11170.0, 9572.0))
        .text("above", ratio(above_33000(1.4, 2.7), 1.0))
        .text("kindly", ratio(above_33000(1.45, 2.65), 1.0));
    errata_of(Paper::Pfft, &words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pfft::study::fixtures::{found, methods, sampled, study};

    #[test]
    fn the_arithmetic_is_the_paper_s() {
        let all = errata(&study(Vec::new()));
        let is = |statement: &str| {
            all.iter().find(|erratum| erratum.claim.contains(statement)).unwrap().is.clone()
        };
        assert!(is("t(0.95)").contains("t(0.95) is 1.833, and 95% take t(0.975) = 2.262"));
        assert!(is("from 5065").contains("1.44 and 1.17"));
        assert!(
            is("average of 1.4 over MKL")
                .contains("33000 is 0.57, a loss; with the kindest rounding of 1.4 and 2.7 it is 0.71"),
            "{}",
            is("average of 1.4")
        );
        assert!(is("computes what").contains("relative error of 0.90"));
    }

    /// y / s makes 128 cheaper than 64, y log y / s does not.
    #[test]
    fn lengths_are_chosen_at_the_shares_of_the_groups() {
        let mut row = methods("fftw", 64, [1.0; 7]);
        row.methods[5].rows = vec![40, 24];
        row.speeds =
            vec![sampled(32, 64, [9.0e9; 2]), sampled(40, 64, [1.0e9; 2]), sampled(40, 128, [2.1e9; 2])];
        assert_eq!(other_choices(&found("fftw", vec![row.clone()])), [1, 1]);
        row.methods[5].rows = vec![32, 32];
        assert_eq!(other_choices(&found("fftw", vec![row.clone()])), [0, 1]);
        row.speeds.truncate(2);
        assert_eq!(other_choices(&found("fftw", vec![row])), [0, 0]);
    }
}
