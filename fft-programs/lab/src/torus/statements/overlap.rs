//! Statements on the overlap of computing and exchanges.

use earth::Config;
use earth_report::statements::{FLAT, Judged, about};

use crate::model::torus::Torus;
use crate::torus::cases::{BLOCKS, LARGEST, POINTS, PROGRAM, SPEEDS, Variant};
use crate::torus::program::ProgramRun;
use crate::torus::results::Results;

/// Returns the seconds of the largest transform with phases and overlap, if the processor that moves the
/// messages would otherwise compute as fast as the other one. Computing then takes twice as long.
fn one_processor_computes(results: &Results) -> f64 {
    let model = results.model(LARGEST);
    let halved = Torus { flop: 2.0 * model.flop, ..model };
    let exchange = |variant, blocks| results.exchange_seconds(variant, LARGEST, POINTS, blocks);
    halved.overlapped(POINTS, BLOCKS, exchange(Variant::Phased, 1.0), exchange(Variant::Overlapped, BLOCKS))
}

pub(super) fn no_gain(results: &Results, judged: &mut Judged) {
    let [phased, overlapped] =
        [Variant::Phased, Variant::Overlapped].map(|variant| results.seconds(variant, LARGEST, POINTS));
    let (rate, model) = (Torus::gflops(POINTS, overlapped), results.model(LARGEST));
    let alone = one_processor_computes(results);
    judged
        .clause("no gain")
        .check(
            overlapped >= phased * (1.0 - FLAT),
            format!("{:.2} of the time of phases alone", overlapped / phased),
        )
        .clause("2779 Gflops")
        .check(about(rate, 2779.0), format!("{rate:.0} Gflops"))
        .because(format!(
            "256 bytes are two packets, and their bytes on links are {:.2} times those of 1024, so headers explain \
             little; if two processors computed without overlap and one with it, the time would be {:.2} of that of \
             phases alone, {:.0} Gflops",
            model.exchange(POINTS, BLOCKS) / model.exchange(POINTS, 1.0),
            alone / phased,
            Torus::gflops(POINTS, alone)
        ));
}

/// Returns a run of the six-step program, with a second processor that moves the messages.
fn six_step(speed: u32, blocks: usize) -> ProgramRun {
    ProgramRun { speed, column: PROGRAM.1 / 2, blocks, config: Config::Dual, is_coherent: false }
}

/// Times of the six-step program at a speed of the nodes, in seconds.
struct Times {
    computing: f64,
    exchanges: f64,
    /// With overlap in blocks.
    overlapped: f64,
}

impl Times {
    fn of(results: &Results, speed: u32) -> Self {
        let mut model = results.model(PROGRAM.0);
        model.flop /= f64::from(speed);
        let computing = model.computing(f64::from(PROGRAM.1).exp2());
        let [alone, overlapped] =
            [1, BLOCKS as usize].map(|blocks| results.program(&six_step(speed, blocks)));
        Self { computing, exchanges: alone - computing, overlapped }
    }

    fn by_formula(&self) -> f64 {
        let Self { computing, exchanges, .. } = self;
        (computing / BLOCKS + exchanges).max(computing + exchanges / BLOCKS)
    }
}

pub(super) fn formula(results: &Results, judged: &mut Judged) {
    let all = SPEEDS.map(|speed| Times::of(results, speed));
    for (clause, is_longer) in [("computing takes longer", true), ("exchanges take longer", false)] {
        // The fastest nodes of which it is true.
        let is_such = |times: &&Times| is_longer == (times.computing > times.exchanges);
        let Some(times) = all.iter().rev().find(is_such) else { continue };
        let told = format!(
            "computing {:.2} ms, exchanges {:.2} ms; in {BLOCKS} blocks {:.2} ms, by the formula {:.2} ms",
            1e3 * times.computing,
            1e3 * times.exchanges,
            1e3 * times.overlapped,
            1e3 * times.by_formula()
        );
        judged.clause(clause).check((times.overlapped / times.by_formula() - 1.0).abs() <= FLAT, told);
    }
}

pub(super) fn large_only(results: &Results, judged: &mut Judged) {
    // From 4096 bytes of a pair down to 64: a block has a quarter.
    let gains: Vec<_> = [40, 38, 36, 34]
        .map(|log| {
            let n = f64::from(log).exp2();
            let [phased, overlapped] =
                [Variant::Phased, Variant::Overlapped].map(|of| results.seconds(of, LARGEST, n));
            (results.model(LARGEST).pair_bytes(n) / BLOCKS, overlapped / phased)
        })
        .into();
    let told = |at: usize| {
        format!("blocks of {:.0} bytes: {:.2} of the time of phases alone", gains[at].0, gains[at].1)
    };
    judged
        .clause("large blocks gain")
        .check(gains[0].1 < 1.0 - FLAT, told(0))
        .clause("small ones do not")
        .check(gains[3].1 >= 1.0 - FLAT, told(3))
        .because(format!("between them, {}; {}", told(1), told(2)));
}
