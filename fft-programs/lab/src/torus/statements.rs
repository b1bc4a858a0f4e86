//! Judgement of the paper's statements.
//!
//! A figure of the paper is met if ours is [about](earth_report::statements::ABOUT) equal; "slightly" and "up
//! to" mean the same factor. A cause is checked against the run that removes it. All margins equal the other
//! papers' margins and were fixed beforehand.

mod pattern;
mod scaling;

use earth_report::numbers::percent;
use earth_report::statements::{ABOUT, CONSIDERABLE, FLAT, Judged, Statements, about, judges};

use super::cases::{
    BLOCKS, BUFFERS, BYTES, DIMENSIONS, EVEN, FEW, LARGEST, NO_BARRIER, POINTS, SHAPES, SMALL, UNEVEN,
    Variant, cause, nodes, weak,
};
use super::exchange::{Change, ENDLESS, Exchange, Order};
use super::results::Results;
use crate::model::torus::Torus;
use pattern::{byte_hops, links, partners};
use scaling::{drops, limit, rows, saturates, scales};

pub(super) const STATEMENTS: Statements<Results> = Statements {
    table: include_str!("statements.md"),
    judges: judges![
        largest, parts, base, phased, better, overlap, barriers, few, many, links, byte_hops, partners,
        drops, scales, saturates, limit, rows, planes,
    ],
};

/// Experiment of larger buffers, which shows the effects of the base's share of the peak. The size of the
/// buffers makes the share closest to the paper's.
struct BufferExperiment {
    packets: u32,
    share: f64,
    seconds: f64,
}

impl BufferExperiment {
    fn of(results: &Results) -> Self {
        let all = BUFFERS.map(|packets| (packets, results.by_buffers(packets)));
        let (packets, [share, seconds]) = all
            .into_iter()
            .min_by(|(_, [a, _]), (_, [b, _])| (a - 0.63).abs().total_cmp(&(b - 0.63).abs()))
            .unwrap_or_default();
        Self { packets, share, seconds }
    }

    fn rate(&self) -> f64 {
        Torus::gflops(POINTS, self.seconds)
    }

    /// Describes the experiment, and its consequence.
    fn statement(&self, comes: &str) -> String {
        let Self { packets, share, .. } = self;
        format!("with buffers of {packets} packets the base has {} of the peak: {comes}", percent(*share))
    }
}

fn largest(results: &Results, judged: &mut Judged) {
    let (seconds, rate) =
        (results.seconds(Variant::Base, LARGEST, POINTS), results.gflops(Variant::Base, LARGEST, POINTS));
    let mended = BufferExperiment::of(results);
    judged
        .check(about(seconds, 22.6), format!("{seconds:.1} s"))
        .check(about(rate, 2311.0), format!("{rate:.0} Gflops"))
        .because(mended.statement(&format!("{:.1} s; {:.0} Gflops", mended.seconds, mended.rate())));
}

fn parts(results: &Results, judged: &mut Judged) {
    let computing = results.model(LARGEST).computing(POINTS);
    let exchanges = 3.0 * results.exchange_seconds(Variant::Base, LARGEST, POINTS, 1.0);
    let share = exchanges / (exchanges + computing);
    let mended = BufferExperiment::of(results);
    judged
        .check(
            about(computing, 5.5),
            format!("{computing:.1} s computing, which is where the cost of an operation is from"),
        )
        .check(about(exchanges, 17.1), format!("{exchanges:.1} s in exchanges"))
        .check(share > 0.75, format!("{} of the time", percent(share)))
        .because(mended.statement(&format!("{:.1} s in exchanges", mended.seconds - computing)));
}

fn base(results: &Results, judged: &mut Judged) {
    let share = results.share_of(Variant::Base, LARGEST, POINTS, 1.0);
    let of = |change| results.share(&cause(SMALL, Order::Random, change));
    let [usual, endless] = [Change::Nothing, ENDLESS].map(of);
    let all = BUFFERS.map(|packets| format!("{} with {packets}", percent(results.by_buffers(packets)[0])));
    judged
        .check(about(share, 0.63), format!("{} on 16 x 8 x 8", percent(share)))
        .check(
            endless > usual * (1.0 + CONSIDERABLE),
            format!("on 8 x 4 x 4 {}, with endless buffers {}", percent(usual), percent(endless)),
        )
        .because(format!(
            "so the share is that of the buffers, an estimate: on 16 x 8 x 8 {} packets",
            all.join(", ")
        ));
}

fn phased(results: &Results, judged: &mut Judged) {
    let share = results.share_of(Variant::Phased, LARGEST, POINTS, 1.0);
    let rate = results.gflops(Variant::Phased, LARGEST, POINTS);
    judged.check(about(share, 0.85), percent(share)).check(about(rate, 2875.0), format!("{rate:.0} Gflops"));
}

fn better(results: &Results, judged: &mut Judged) {
    let [base, phased] =
        [Variant::Base, Variant::Phased].map(|variant| results.gflops(variant, LARGEST, POINTS));
    let mended = BufferExperiment::of(results);
    judged
        .check(about(phased / base, 1.2), format!("{:.2} times the rate", phased / base))
        .because(mended.statement(&format!("{:.2} times the rate", phased / mended.rate())));
}

/// Returns the seconds of the largest transform with phases and overlap, if the processor that moves the
/// messages would otherwise compute as fast as the other one. Computing then takes twice as long.
fn one_processor_computes(results: &Results) -> f64 {
    let model = results.model(LARGEST);
    let halved = Torus { flop: 2.0 * model.flop, ..model };
    let exchange = |variant, blocks| results.exchange_seconds(variant, LARGEST, POINTS, blocks);
    halved.overlapped(POINTS, BLOCKS, exchange(Variant::Phased, 1.0), exchange(Variant::Overlapped, BLOCKS))
}

fn overlap(results: &Results, judged: &mut Judged) {
    let [phased, overlapped] =
        [Variant::Phased, Variant::Overlapped].map(|variant| results.seconds(variant, LARGEST, POINTS));
    let rate = Torus::gflops(POINTS, overlapped);
    let model = results.model(LARGEST);
    let exchange = results.exchange_seconds(Variant::Phased, LARGEST, POINTS, 1.0);
    let without = model.overlapped(POINTS, BLOCKS, exchange, exchange);
    let alone = one_processor_computes(results);
    judged
        .check(overlapped >= phased * (1.0 - FLAT), format!("{:.2} of the time of phases alone", overlapped / phased))
        .check(about(rate, 2779.0), format!("{rate:.0} Gflops"))
        .check(without < phased * (1.0 - FLAT), format!("if blocks cost no headers, {:.2} of it", without / phased))
        .because(format!(
            "256 bytes are two packets, and their bytes on links {:.2} times those of 1024: headers explain little. \
             But if the second processor, which moves the messages, computes as fast as the first without overlap, \
             overlap gives it up: computing takes twice as long then, which makes {:.2} of the time, {:.0} Gflops",
            model.exchange(POINTS, BLOCKS) / model.exchange(POINTS, 1.0),
            alone / phased,
            Torus::gflops(POINTS, alone)
        ));
}

fn barriers(results: &Results, judged: &mut Judged) {
    let of = |sides: &[usize], group| results.share(&Exchange::new(sides, BYTES, Order::Barriers(group)));
    let gains = SHAPES.map(|sides| of(&sides, 1) / of(&sides, NO_BARRIER));
    let most = gains.iter().copied().fold(0.0, f64::max);
    let dataflow = results.share(&Exchange::new(&LARGEST, BYTES, Order::Dataflow(1)));
    judged
        .check(most > 1.0 + FLAT, format!("at most {:.0}% on 64 to 65,536 nodes", 100.0 * (most - 1.0)))
        .check(most <= 1.35 * ABOUT, format!("{:.0}% on the largest", 100.0 * (gains[SHAPES.len() - 1] - 1.0)))
        .because(format!(
            "phases that wait for each other by counted slots, without a barrier, reach {}: what matters is that the network is not filled",
            percent(dataflow)
        ));
}

fn few(results: &Results, judged: &mut Judged) {
    for sides in SHAPES.into_iter().filter(|sides| nodes(sides) <= FEW) {
        let nodes = nodes(&sides);
        let [base, phased] =
            [Variant::Base, Variant::Phased].map(|variant| results.seconds(variant, sides, weak(nodes)));
        let ratio = phased / base;
        judged.check((1.0..=ABOUT).contains(&ratio), format!("{nodes} nodes: {ratio:.3} of the base's time"));
    }
    for sides in EVEN {
        let nodes = nodes(&sides);
        let free = results.exchange(Variant::Phased, sides, weak(nodes), 1.0).with(Change::FreeBarrier);
        let ratio = results.share_of(Variant::Base, sides, weak(nodes), 1.0) / results.share(&free);
        judged.check(
            ratio <= 1.0 + FLAT,
            format!("{nodes} nodes, free barriers: exchanges take {ratio:.3} of the base's"),
        );
    }
    for sides in UNEVEN {
        let nodes = nodes(&sides);
        let phased = results.share_of(Variant::Phased, sides, weak(nodes), 1.0);
        let base = results.exchange(Variant::Base, sides, weak(nodes), 1.0).with(ENDLESS);
        judged.because(format!(
            "{nodes} nodes, endless buffers: phases take {:.3} of the base's exchanges",
            results.share(&base) / phased
        ));
    }
    judged.because(
        "the base suffers from full buffers on few nodes, too, unless the torus is a cube; and it is less the barrier that takes time \
         than that the network drains in each phase",
    );
}

fn many(results: &Results, judged: &mut Judged) {
    let gain = |sides: [usize; 3]| {
        let n = weak(nodes(&sides));
        results.seconds(Variant::Base, sides, n) / results.seconds(Variant::Overlapped, sides, n)
    };
    let most = SHAPES.into_iter().filter(|sides| nodes(sides) > 1024).map(gain).fold(0.0, f64::max);
    let mended = BufferExperiment::of(results);
    judged.check(about(most, 1.2), format!("at most {most:.2} times the base's rate")).because(
        mended.statement(&format!(
            "{:.2} times on the largest, {:.2} if one processor of two is left to compute in overlap",
            mended.seconds / results.seconds(Variant::Overlapped, LARGEST, POINTS),
            mended.seconds / one_processor_computes(results)
        )),
    );
}

fn planes(results: &Results, judged: &mut Judged) {
    let mut seen: Vec<&[usize]> = Vec::new();
    for (transform, &sides) in
        DIMENSIONS[1..].iter().flat_map(|of| of.exchanges.iter().map(move |sides| (of, sides)))
    {
        if seen.contains(&sides) {
            continue;
        }
        seen.push(sides);
        let n = transform.points_of(sides);
        let [base, phased] = [Variant::Base, Variant::Phased].map(|of| results.share_of(of, sides, n, 1.0));
        judged.check(
            phased > base * (1.0 + FLAT),
            format!("{sides:?}: {} of the peak, the base {}", percent(phased), percent(base)),
        );
    }
}

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
