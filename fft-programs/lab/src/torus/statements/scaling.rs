//! Statements on the scaling of transforms.

use earth_report::statements::{CONSIDERABLE, Judged, about};

use crate::model::torus::Torus;
use crate::torus::cases::{BEYOND, FEW, FEW_POINTS, LARGEST, SHAPES, STRONG, Variant, nodes, weak};
use crate::torus::results::Results;

pub(super) fn drops(results: &Results, judged: &mut Judged) {
    let n = 30_f64.exp2();
    let rate = |sides| results.gflops(Variant::Phased, sides, n);
    let mut check = |reading: &str, smaller: [usize; 3], larger: [usize; 3]| {
        let [before, after] = [smaller, larger].map(rate);
        let told =
            format!("{after:.0} Gflops on {} nodes, {before:.0} on {}", nodes(&larger), nodes(&smaller));
        judged.reading(reading).check(after < before, told);
    };
    check("65,536 nodes, if rows were cut", [32, 32, 32], LARGEST);
    check("16,384 nodes, of the paper's 64 bytes", [32, 16, 16], [32, 32, 16]);
    check("32,768 nodes, the most with a row", [32, 32, 16], [32, 32, 32]);
}

pub(super) fn scales(results: &Results, judged: &mut Judged) {
    let payload = results.profile.network.torus.payload() as f64;
    let mut one_size = [0, 0];
    for log in [30, 32, 34] {
        let n = f64::from(log).exp2();
        let [mut above, mut below] = [[0, 0]; 2];
        for pair in SHAPES.windows(2).filter(|pair| nodes(&pair[0]) >= FEW) {
            let (Some(one), Some(two)) = (results.strong(pair[0], n), results.strong(pair[1], n)) else {
                continue;
            };
            let gains = two > one * (1.0 + CONSIDERABLE);
            let counted =
                if results.model(pair[1]).pair_bytes(n) > payload { &mut above } else { &mut below };
            counted[0] += usize::from(gains);
            counted[1] += 1;
        }
        let told = |of: &str, [gains, all]: [usize; 2]| {
            format!("2^{log} points, {of} {payload} bytes: {gains} of {all} doublings gain")
        };
        judged
            .clause("it scales above a packet's bytes")
            .check(above[0] == above[1], told("above", above))
            .clause("it no longer does below")
            .check_if(below[1] > 0, below[0] == 0, told("up to", below));
        if !results.is_unchanged() {
            continue;
        }
        let small = results.small_doublings(n);
        let gain = |[one, two]: &[[usize; 3]; 2]| {
            results.rate_of_one_size(*two, n) > results.rate_of_one_size(*one, n) * (1.0 + CONSIDERABLE)
        };
        one_size[0] += small.iter().filter(|pair| gain(pair)).count();
        one_size[1] += small.len();
    }
    if !results.is_unchanged() {
        return;
    }
    judged.because(format!(
        "a packet has only the chunks that its bytes fill, so headers cost less than the paper expects; if all packets had \
         256 bytes, {} of {} doublings would gain up to 240 bytes",
        one_size[0], one_size[1]
    ));
}

pub(super) fn saturates(results: &Results, judged: &mut Judged) {
    let points_a_second = |sides: [usize; 3]| {
        let n = weak(nodes(&sides));
        n / results.exchange_seconds(Variant::Phased, sides, n, 1.0)
    };
    let ratio = points_a_second([32, 32, 32]) / points_a_second([16, 16, 16]);
    judged.check(about(ratio, 4.0), format!("{ratio:.2} times the points a second on 8 times the nodes"));
}

/// Returns the first two neighbouring tori where the larger one has the lower rate.
fn falls(tori: &[[usize; 3]], rate: impl Fn(&[usize; 3]) -> Option<f64>) -> Option<[&[usize; 3]; 2]> {
    let pair = tori.windows(2).find(|pair| {
        let rates = [&pair[0], &pair[1]].map(&rate);
        matches!(rates, [Some(one), Some(two)] if two < one)
    });
    pair.map(|pair| [&pair[0], &pair[1]])
}

/// Checks that headers make the rate of `points` points fall on some torus that has a row for each node.
fn check_limit(results: &Results, judged: &mut Judged, name: &str, points: impl Fn(usize) -> f64) {
    let tori: Vec<_> = SHAPES.into_iter().chain(BEYOND).collect();
    let strong = |sides: &[usize; 3]| results.strong(*sides, points(nodes(sides)));
    let bare = |sides: &[usize; 3]| {
        let (model, n) = (results.model(sides), points(nodes(sides)));
        Torus::gflops(n, model.fft(n, model.bare_exchange(n)))
    };
    match falls(&tori, strong) {
        Some([smaller, larger]) => judged.check(
            bare(larger) >= bare(smaller),
            format!(
                "{name}: the rate falls beyond {} nodes, and without headers it does not",
                nodes(smaller)
            ),
        ),
        None => judged.check(false, format!("{name}: the rate does not fall while each node has a row")),
    };
}

pub(super) fn limit(results: &Results, judged: &mut Judged) {
    for log in STRONG {
        check_limit(results, judged, &format!("2^{log} points"), |_| f64::from(log).exp2());
    }
}

pub(super) fn weak_limit(results: &Results, judged: &mut Judged) {
    for log in FEW_POINTS {
        let points = |nodes: usize| nodes as f64 * f64::from(log).exp2();
        check_limit(results, judged, &format!("2^{log} points a node"), points);
    }
}

pub(super) fn moves(results: &Results, judged: &mut Judged) {
    let parts = |sides: [usize; 3]| {
        let n = weak(nodes(&sides));
        let exchanges = 3.0 * results.exchange_seconds(Variant::Phased, sides, n, 1.0);
        [results.model(sides).computing(n), exchanges]
    };
    let told = |sides: [usize; 3], [computing, exchanges]: [f64; 2]| {
        format!("{} nodes: computing {computing:.1} s, exchanges {exchanges:.1} s", nodes(&sides))
    };
    let [few, many] = [SHAPES[0], LARGEST].map(parts);
    judged.check(few[0] > few[1], told(SHAPES[0], few)).check(many[1] > many[0], told(LARGEST, many));
}

pub(super) fn linear(results: &Results, judged: &mut Judged) {
    let (sides, n) = ([2, 2, 2], 30_f64.exp2());
    let model = results.model(sides);
    let ratio = results.gflops(Variant::Phased, sides, n) * 1e9 * model.flop / model.nodes();
    judged.check(about(ratio, 1.0), format!("{ratio:.2} of p/c on {} nodes", nodes(&sides)));
    if results.is_unchanged() {
        let others = [SHAPES[0], SHAPES[1]].map(|sides| {
            let model = results.model(sides);
            let ratio = results.gflops(Variant::Phased, sides, n) * 1e9 * model.flop / model.nodes();
            format!("{ratio:.2} on {} nodes", nodes(&sides))
        });
        judged.because(others.join(", "));
    }
}
