//! Results of a measure: spreads, ratios, and whether a ratio is more than noise.

use std::fmt::Write;

use earth_benches::paired::{Spread, ratios};

use crate::measures::{Measure, Quotient};
use crate::rounds::Figures;

/// The first engine of a measure compared with another one.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    /// Ratio of the medians of all rounds.
    pub of_medians: f64,
    /// Ratios of the single rounds.
    pub by_round: Spread,
}

impl Ratio {
    /// Computes the ratios of one engine's figures to another's, by round.
    pub fn of(over: &[f64], under: &[f64]) -> Self {
        let median = |figures: &[f64]| Spread::of(figures.to_vec()).median;
        Ratio { of_medians: median(over) / median(under), by_round: ratios(over, under) }
    }

    /// Whether the ratio is not 1 and outside the range of `null`, the ratios of an engine to itself.
    pub fn is_significant(&self, null: &Ratio) -> bool {
        self.of_medians < null.by_round.min.min(1.0) || self.of_medians > null.by_round.max.max(1.0)
    }
}

/// Formats a measure's part of the table.
pub fn rows(measure: &Measure, figures: &Figures) -> String {
    let mut text = format!("{}: {}, {}\n", measure.name, measure.what, measure.unit);
    let mut row = |engine: &str, of: &[f64], ratio: &str| {
        let spread = format!("{:.2}", Spread::of(of.to_vec()));
        writeln!(text, "  {}", format!("{engine:<14} {spread:<34} {ratio}").trim_end())
            .expect("memory takes any text");
    };
    let ((main, _), own) = (measure.engines[0], &figures.engines[0]);
    let null = Ratio::of(&figures.null, own);
    row(main, own, "");
    row(
        &format!("{main} again"),
        &figures.null,
        &format!("null band {:.3} .. {:.3}", null.by_round.min, null.by_round.max),
    );
    for ((peer, _), theirs) in measure.engines.iter().zip(&figures.engines).skip(1) {
        let (names, ratio) = match measure.quotient {
            Quotient::OverPeer => (format!("{main} / {peer}"), Ratio::of(own, theirs)),
            Quotient::OfPeer => (format!("{peer} / {main}"), Ratio::of(theirs, own)),
        };
        let told = if ratio.is_significant(&null) { "" } else { "   cannot be told" };
        row(peer, theirs, &format!("{names} {:.3}   by round {:.3}{told}", ratio.of_medians, ratio.by_round));
    }
    text
}
