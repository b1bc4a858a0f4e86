//! Values of the names in the five findings of the page.

use earth_report::document::Content;
use earth_report::numbers::{percent, ratio, short};
use earth_report::statements::chance;

use crate::pfft::study::statements::median_slow_down;
use crate::pfft::study::{Band, KernelFindings, Method, PAPERS_SIDE, SIDES, Study};

/// Text of a value that was not measured.
const UNKNOWN: &str = "(not measured)";

fn or_unknown(text: Option<String>) -> String {
    text.unwrap_or_else(|| UNKNOWN.to_owned())
}

/// Adds the values.
pub(super) fn with_findings(content: Content, study: &Study) -> Content {
    let [fftw, fftw2, mkl] = [study.fftw(), study.fftw2(), study.mkl()];
    let widest = |found: Option<&KernelFindings>| {
        or_unknown(found.and_then(|found| found.figures(Method::Basic)).map(|of| percent(of.widest)))
    };
    let over = |method| {
        let by = fftw.and_then(|found| found.speed_up(method, Method::Basic, &found.in_steps()));
        or_unknown(by.map(|by| ratio(by.mean_of_ratios)))
    };
    let faster = |found: Option<&KernelFindings>| {
        let counts = found.map(|found| found.clearly(Method::Fpm, Method::Lb));
        or_unknown(counts.filter(|[.., all]| *all > 0).map(|[faster, _, all]| format!("{faster} of {all}")))
    };
    let number = |found: &KernelFindings| found.pairs(Method::Fpm, Method::Lb, &Band::all()).len();
    let all = fftw.or(mkl).map_or(0, number);
    let measured = fftw.and_then(|found| found.figures_by("measure"));
    let [best, papers] = best_side(study);
    content
        .text("widest-fftw", widest(fftw))
        .text("widest-fftw2", widest(fftw2))
        .text("widest-mkl", widest(mkl))
        .text("fpm", over(Method::Fpm))
        .text("one", over(Method::One))
        .text("lb", over(Method::Lb))
        .text("faster-fftw", faster(fftw))
        .text("faster-mkl", faster(mkl))
        .text("chance", chance::least(all))
        .text("slow-down", or_unknown(fftw.and_then(median_slow_down).map(short)))
        .text("widest-measured", or_unknown(measured.map(|of| percent(of.widest))))
        .text("best-side", best)
        .text("papers-side", papers)
}

/// Returns the side of blocks with the least time on average, and the time of the paper's side over its time.
fn best_side(study: &Study) -> [String; 2] {
    let relative = |side: usize| {
        let ratios = study
            .transposes
            .iter()
            .filter_map(|of| Some(of.side(side)?.time.mean / of.side(PAPERS_SIDE)?.time.mean));
        let ratios: Vec<f64> = ratios.collect();
        (!ratios.is_empty()).then(|| (side, ratios.iter().sum::<f64>() / ratios.len() as f64))
    };
    let best = SIDES.into_iter().filter_map(relative).min_by(|a, b| a.1.total_cmp(&b.1));
    [or_unknown(best.map(|(side, _)| side.to_string())), or_unknown(best.map(|(_, by)| ratio(by.recip())))]
}
