//! Statements on the time of phases.

use earth_report::numbers::percent;
use earth_report::statements::{ABOUT, CONSIDERABLE, FLAT, Judged, about};

use crate::torus::cases::{
    BASES, BYTES, DIMENSIONS, EVEN, FEW, LARGEST, POINTS, SHAPES, UNEVEN, Variant, nodes, weak,
};
use crate::torus::exchange::{ENDLESS, Exchange, NO_BARRIER, Order, Variation};
use crate::torus::results::Results;

pub(super) fn share_and_rate(results: &Results, judged: &mut Judged) {
    let share = results.share_of(Variant::Phased, LARGEST, POINTS, 1.0);
    let rate = results.gflops(Variant::Phased, LARGEST, POINTS);
    judged
        .clause("85% of the peak")
        .check(
            about(1.0 - share, 0.15),
            format!("{:.1}%, a loss of {:.1}%", 100.0 * share, 100.0 * (1.0 - share)),
        )
        .clause("2875 Gflops")
        .check(about(rate, 2875.0), format!("{rate:.0} Gflops"));
}

pub(super) fn seconds(results: &Results, judged: &mut Judged) {
    let seconds = results.exchange_seconds(Variant::Phased, LARGEST, POINTS, 1.0);
    judged.check(
        about(seconds, 4.1),
        format!("{seconds:.2} s for one all-to-all, {:.1} s for three", 3.0 * seconds),
    );
}

pub(super) fn barriers(results: &Results, judged: &mut Judged) {
    let of = |sides: &[usize], group| Exchange::new(sides, BYTES, Order::Barriers(group));
    let gain = |sides: &[usize]| results.share(&of(sides, 1)) / results.share(&of(sides, NO_BARRIER)) - 1.0;
    let here = gain(&LARGEST);
    let endless = results.share(&of(&LARGEST, NO_BARRIER).with(ENDLESS));
    let left = results.share(&of(&LARGEST, 1)) / endless - 1.0;
    judged
        .clause("a barrier gains")
        .check(here > FLAT, format!("{} on 65,536 nodes", percent(here)))
        .clause("35%")
        .check(about(here, 0.35), format!("{} on 65,536 nodes", percent(here)))
        .clause("by avoiding congestion")
        .check(left <= FLAT, format!("{:+.1}% against phases at once with endless buffers", 100.0 * left));
    if results.is_unchanged() {
        let most = SHAPES.map(|sides| gain(&sides)).into_iter().fold(0.0, f64::max);
        let slots = results.share(&Exchange::new(&LARGEST, BYTES, Order::Dataflow(1)));
        judged.because(format!(
            "the most is {} on 64 to 65,536 nodes; phases that wait by counted slots, without a barrier, reach {} of \
             the peak",
            percent(most),
            percent(slots)
        ));
    }
}

pub(super) fn few(results: &Results, judged: &mut Judged) {
    let small: Vec<_> = SHAPES.into_iter().filter(|sides| nodes(sides) <= FEW).collect();
    for (base, order) in BASES {
        let ratio = |sides: [usize; 3]| {
            let [base, phased] =
                [base, Variant::Phased].map(|of| results.seconds(of, sides, weak(nodes(&sides))));
            phased / base
        };
        for &sides in &small {
            let (nodes, ratio) = (nodes(&sides), ratio(sides));
            let told = format!("{nodes} nodes: {ratio:.3} of the base's time");
            judged.clause("a little worse").reading(order).check((1.0..=ABOUT).contains(&ratio), told);
        }
        let (first, last) = (ratio(SHAPES[0]), ratio(LARGEST));
        judged
            .clause("better on more nodes")
            .reading(order)
            .check(last < first * (1.0 - FLAT), format!("{first:.3} of the base's time, then {last:.3}"));
        for sides in EVEN {
            let (nodes, n) = (nodes(&sides), weak(nodes(&sides)));
            let free = results.exchange(Variant::Phased, sides, n, 1.0).with(Variation::FreeBarrier);
            let ratio = results.share_of(base, sides, n, 1.0) / results.share(&free);
            let told = format!("{nodes} nodes, free barriers: exchanges take {ratio:.3} of the base's");
            judged.clause("barriers cost it").reading(order).check(ratio <= 1.0 + FLAT, told);
        }
    }
    if results.is_unchanged() {
        for sides in UNEVEN {
            let (nodes, n) = (nodes(&sides), weak(nodes(&sides)));
            let base = results.exchange(Variant::Base, sides, n, 1.0).with(ENDLESS);
            let ratio = results.share(&base) / results.share_of(Variant::Phased, sides, n, 1.0);
            judged.because(format!(
                "{nodes} nodes, endless buffers: phases take {ratio:.3} of the base's exchanges"
            ));
        }
    }
}

pub(super) fn planes(results: &Results, judged: &mut Judged) {
    for (base, order) in BASES {
        let mut seen: Vec<&[usize]> = Vec::new();
        let all = DIMENSIONS[1..].iter().flat_map(|of| of.exchanges.iter().map(move |sides| (of, *sides)));
        for (transform, sides) in all {
            if seen.contains(&sides) {
                continue;
            }
            seen.push(sides);
            let n = transform.points_of(sides);
            let [base, phased] = [base, Variant::Phased].map(|of| results.share_of(of, sides, n, 1.0));
            let (clause, part) =
                if sides.len() > 1 { ("in a plane", "64 x 32") } else { ("in a line", "32") };
            judged.clause(clause).reading(order).check(
                phased > base * (1.0 + FLAT),
                format!("{part}: {} of the peak, the base {}", percent(phased), percent(base)),
            );
        }
    }
}

pub(super) fn groups(results: &Results, judged: &mut Judged) {
    let of = |bytes, group| results.share(&Exchange::new(&LARGEST, bytes, Order::Barriers(group)));
    for bytes in [64, BYTES] {
        let fitting = results.group(bytes);
        let [one, fits, over] = [1, fitting, 16 * fitting].map(|group| of(bytes, group));
        judged
            .clause("a group that fits the buffers loses nothing")
            .check(
                fits >= one * (1.0 - FLAT),
                format!(
                    "{bytes} bytes: groups of {fitting} reach {}, single phases {}",
                    percent(fits),
                    percent(one)
                ),
            )
            .clause("a larger one does")
            .check(
                over < fits * (1.0 - FLAT),
                format!("{bytes} bytes: groups of {} reach {}", 16 * fitting, percent(over)),
            );
    }
}

pub(super) fn special(results: &Results, judged: &mut Judged) {
    for sides in SHAPES {
        let cycles = |order| results.run(&Exchange::new(&sides, BYTES, order)).cycles as f64;
        let share = cycles(Order::Special) / cycles(Order::Barriers(1));
        let clause = if nodes(&sides) <= FEW { "on up to 512 nodes" } else { "on more nodes" };
        let told = format!("{} nodes: {:.1}%", nodes(&sides), 100.0 * share);
        judged.clause(clause).check(share < CONSIDERABLE, told);
    }
}
