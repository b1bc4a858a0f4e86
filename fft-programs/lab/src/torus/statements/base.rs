//! Statements on the base. All of them stand on one figure: the base's share of the peak on the largest
//! machine.

use earth_report::numbers::percent;
use earth_report::statements::{FLAT, Judged, about};

use crate::model::torus::Torus;
use crate::torus::cases::{BASES, BUFFERS, LARGEST, POINTS, SHAPES, SIMILAR, Variant, nodes, weak};
use crate::torus::results::Results;

/// Experiment of larger buffers, which shows the effects of the base's share of the peak. The size of the
/// buffers makes the share closest to the paper's.
struct BufferExperiment {
    packets: u32,
    share: f64,
    seconds: f64,
}

impl BufferExperiment {
    /// Returns the experiment on the page's machine.
    fn of(results: &Results) -> Option<Self> {
        let all =
            results.is_unchanged().then(|| BUFFERS.map(|packets| (packets, results.by_buffers(packets))))?;
        let distance = |share: f64| (share - 0.63).abs();
        let best =
            all.into_iter().min_by(|(_, [a, _]), (_, [b, _])| distance(*a).total_cmp(&distance(*b)))?;
        let (packets, [share, seconds]) = best;
        Some(Self { packets, share, seconds })
    }

    /// Describes the experiment with own random orders, and its consequence.
    fn told(results: &Results, comes: impl Fn(&Self) -> String) -> Option<String> {
        let it = Self::of(results)?;
        let (packets, share, comes) = (it.packets, percent(it.share), comes(&it));
        Some(format!(
            "own random orders with buffers of {packets} packets reach {share} of the peak: {comes}"
        ))
    }
}

pub(super) fn largest(results: &Results, judged: &mut Judged) {
    for (base, order) in BASES {
        let seconds = results.seconds(base, LARGEST, POINTS);
        let rate = Torus::gflops(POINTS, seconds);
        judged
            .reading(order)
            .check(about(seconds, 22.6), format!("{seconds:.1} s"))
            .check(about(rate, 2311.0), format!("{rate:.0} Gflops"));
    }
    let rate = |it: &BufferExperiment| Torus::gflops(POINTS, it.seconds);
    judged.perhaps(BufferExperiment::told(results, |it| {
        format!("{:.1} s, {:.0} Gflops", it.seconds, rate(it))
    }));
}

pub(super) fn parts(results: &Results, judged: &mut Judged) {
    let computing = results.model(LARGEST).computing(POINTS);
    for (base, order) in BASES {
        let exchanges = 3.0 * results.exchange_seconds(base, LARGEST, POINTS, 1.0);
        let share = exchanges / (exchanges + computing);
        judged.clause("17.1 s").reading(order).check(about(exchanges, 17.1), format!("{exchanges:.1} s"));
        judged
            .clause("over 75%")
            .reading(order)
            .check(share > 0.75, format!("{} of the time", percent(share)));
    }
    judged.perhaps(BufferExperiment::told(results, |it| format!("{:.1} s", it.seconds - computing)));
}

pub(super) fn peak(results: &Results, judged: &mut Judged) {
    for (base, order) in BASES {
        let share = results.share_of(base, LARGEST, POINTS, 1.0);
        judged.reading(order).check(about(share, 0.63), percent(share));
    }
    if results.is_unchanged() {
        let buffers =
            BUFFERS.map(|packets| format!("{} with {packets}", percent(results.by_buffers(packets)[0])));
        let sizes = SIMILAR.map(|sides| {
            let share = results.share(&results.whole(sides));
            format!("{} on {} nodes", percent(share), nodes(&sides))
        });
        judged
            .because(format!(
                "own random orders on 16 x 8 x 8, by the packets of a buffer: {}",
                buffers.join(", ")
            ))
            .because(format!(
                "own random orders by the size of the torus, all nodes simulated: {}",
                sizes.join(", ")
            ));
    }
}

pub(super) fn better(results: &Results, judged: &mut Judged) {
    let phased = results.gflops(Variant::Phased, LARGEST, POINTS);
    for (base, order) in BASES {
        let ratio = phased / results.gflops(base, LARGEST, POINTS);
        judged.reading(order).check(is_gain(ratio, 1.2), format!("{ratio:.2} times the rate"));
    }
    let ratio = |it: &BufferExperiment| phased / Torus::gflops(POINTS, it.seconds);
    judged.perhaps(BufferExperiment::told(results, |it| format!("{:.2} times the rate", ratio(it))));
}

/// Returns whether a ratio of rates is a gain of about the expected size.
fn is_gain(ratio: f64, expected: f64) -> bool {
    ratio > 1.0 + FLAT && about(ratio, expected)
}

pub(super) fn many(results: &Results, judged: &mut Judged) {
    let large: Vec<_> = SHAPES.into_iter().filter(|sides| nodes(sides) > 1024).collect();
    for (base, order) in BASES {
        let gain = |sides: &[usize; 3]| {
            let n = weak(nodes(sides));
            results.seconds(base, *sides, n) / results.seconds(Variant::Overlapped, *sides, n)
        };
        let most = large.iter().map(gain).fold(0.0, f64::max);
        judged.reading(order).check(is_gain(most, 1.2), format!("at most {most:.2} times the base's rate"));
    }
}

pub(super) fn over_product(results: &Results, judged: &mut Judged) {
    let phased = results.share_of(Variant::Phased, LARGEST, POINTS, 1.0);
    for (base, order) in BASES {
        let ratio = phased / results.share_of(base, LARGEST, POINTS, 1.0);
        judged.reading(order).check(is_gain(ratio, 1.35), format!("{ratio:.2} times the base's share"));
    }
}
