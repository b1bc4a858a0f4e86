//! Statements on the scaling of transforms.

use earth_report::statements::{CONSIDERABLE, Judged, about};

use crate::model::torus::Torus;
use crate::torus::cases::{BEYOND, FEW, LARGEST, SHAPES, STRONG, Variant, nodes, weak};
use crate::torus::results::Results;

pub(super) fn drops(results: &Results, judged: &mut Judged) {
    let n = 30_f64.exp2();
    let rates: Vec<_> = SHAPES.iter().filter_map(|sides| Some((sides, results.strong(*sides, n)?))).collect();
    if let [.., (_, before), (sides, last)] = rates[..] {
        let told = format!("{last:.0} Gflops on {} nodes, {before:.0} on half as many", nodes(sides));
        judged.check(last < before, told);
    }
    let [all, half] = [LARGEST, [32, 32, 32]].map(|sides| results.gflops(Variant::Phased, sides, n));
    judged.check(all < half, format!("on 65,536 nodes {all:.0} Gflops, if rows were cut"));
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
        judged.check(
            above[0] == above[1],
            format!("2^{log}: above {payload} bytes {} of {} doublings gain", above[0], above[1]),
        );
        if below[1] > 0 {
            judged.check(below[0] == 0, format!("below {} of {}", below[0], below[1]));
        }
        let small = results.small_doublings(n);
        let gain = |[one, two]: &[[usize; 3]; 2]| {
            results.rate_of_one_size(*two, n) > results.rate_of_one_size(*one, n) * (1.0 + CONSIDERABLE)
        };
        one_size[0] += small.iter().filter(|pair| gain(pair)).count();
        one_size[1] += small.len();
    }
    judged.because(format!(
        "packets get shorter with what is in them, so headers are less than the paper has it: if all packets had 256 bytes, \
         below 240 bytes {} of {} doublings would gain",
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

pub(super) fn limit(results: &Results, judged: &mut Judged) {
    let tori: Vec<_> = SHAPES.into_iter().chain(BEYOND).collect();
    for log in STRONG {
        let n = f64::from(log).exp2();
        let bare = |sides: &[usize; 3]| {
            let model = results.model(sides);
            Torus::gflops(n, model.fft(n, model.bare_exchange(n)))
        };
        let falls = tori.windows(2).find(|pair| {
            let rates = [pair[0], pair[1]].map(|sides| results.strong(sides, n));
            matches!(rates, [Some(one), Some(two)] if two < one)
        });
        let most = Torus::most_nodes(n);
        if let Some([smaller, larger]) = falls {
            let nodes = nodes(smaller);
            let falls_bare = bare(larger) < bare(smaller);
            let does = if falls_bare { "falls, too" } else { "does not" };
            judged.check(
                !falls_bare,
                format!("2^{log} falls beyond {nodes} nodes, and without headers {does}"),
            );
        } else {
            let ends = tori.iter().any(|sides| results.strong(*sides, n).is_none());
            judged.check(ends, format!("2^{log} rises up to the root of n, {most:.0} nodes"));
        }
    }
}

pub(super) fn rows(_: &Results, judged: &mut Judged) {
    let most = Torus::most_nodes(30_f64.exp2());
    judged.check(most < 65536.0, format!("at most {most:.0} nodes"));
}
