//! The paper's statements, judged.
//!
//! Figures of the paper are met if ours are [about](crate::statements::ABOUT) them; "slightly" and "up to" are the same
//! factor. Causes are held against the run that removes them. All margins are those of the other papers, fixed before.

use super::exchange::{Change, Exchange, Order};
use super::phases::{hops, phases};
use super::results::{
    BLOCKS, BYTES, LARGEST, NO_BARRIER, POINTS, Results, SHAPES, SMALL, Variant, cause, weak,
};
use crate::model::torus::Torus;
use crate::numbers::percent;
use crate::statements::{ABOUT, CONSIDERABLE, FLAT, Judged, Row, Statement, about, judged};

/// Few nodes, on which phases are said to be slightly worse.
const FEW: usize = 512;

/// All statements.
pub(crate) fn statements(results: &Results) -> Vec<Row> {
    judged(&STATEMENTS, results)
}

const fn said(
    says: &'static str,
    section: &'static str,
    rule: &'static str,
    judge: fn(&Results) -> Judged,
) -> Statement<Results> {
    Statement { says, section: Some(section), rule, judge }
}

const STATEMENTS: [Statement<Results>; 17] = [
    said("2^38 points take 22.6 s on 65,536 nodes, 2311 Gflops", "5", "about both", largest),
    said(
        "Of that, 5.5 s are computing and 17.1 s all-to-all, over 75% of the time",
        "5",
        "about both, and the share",
        parts,
    ),
    said(
        "The base all-to-all reaches 63% of the peak",
        "5",
        "about; and endless buffers reach considerably more, as congestion is the cause",
        base,
    ),
    said("The phased one reaches 85%, and the transform 2875 Gflops", "5", "about both", phased),
    said("That is 20% better than the base", "5", "about 1.2 in rate", better),
    said(
        "Overlap gains nothing then, 2779 Gflops, as blocks of 256 bytes have too much header",
        "5",
        "not faster than phases alone; about the rate; and headers explain it if without them overlap is faster",
        overlap,
    ),
    said(
        "A barrier between groups of phases gains up to 35%",
        "1",
        "more than flat, and at most about 35%, of phases without any",
        barriers,
    ),
    said(
        "Phases are a little worse than the base on few nodes",
        "5",
        "slower by some, but about equal, on each torus of up to 512 nodes; and a free barrier mends it",
        few,
    ),
    said(
        "Both optimisations gain up to 20% on large systems",
        "5",
        "phases and overlap together against the base, above 1024 nodes: the most is about 1.2",
        many,
    ),
    said(
        "In a phase all links of a dimension carry the same",
        "4.3",
        "exactly, in every phase of four partners",
        links,
    ),
    said("All phases have the same byte-hops", "4.3", "exactly, in every phase of four partners", byte_hops),
    said(
        "A phase has four partners but for v of zeros and halves",
        "4.3",
        "exactly those phases have fewer",
        partners,
    ),
    said("1 G points get slower on 64K nodes", "5", "slower there than on fewer", drops),
    said(
        "It scales while a pair exchanges more than a packet's 240 bytes",
        "5",
        "each doubling of nodes gains considerably as long as it does, and not from then on",
        scales,
    ),
    said(
        "On many nodes the rate grows as p^((d-1)/d)",
        "3.2.1",
        "the points that phases exchange a second, from 4096 to 32,768 nodes, both cubes: about 8^(2/3) times",
        saturates,
    ),
    said(
        "Headers set an absolute limit to strong scaling",
        "3.2.2",
        "for each number of points there is a torus beyond which the rate falls or which it cannot use",
        limit,
    ),
    said(
        "The number of nodes is at most the root of n; yet 1 G points are shown on 64K",
        "3.2.1, 5",
        "2^30 points have no more than 32,768 rows",
        rows,
    ),
];

fn largest(results: &Results) -> Judged {
    let (seconds, rate) =
        (results.seconds(Variant::Base, LARGEST, POINTS), results.gflops(Variant::Base, LARGEST, POINTS));
    let mut judged = Judged::default();
    judged
        .check(about(seconds, 22.6), format!("{seconds:.1} s"))
        .check(about(rate, 2311.0), format!("{rate:.0} Gflops"))
        .because("the base's share of the peak is that of 16 x 8 x 8; computing is 6.9 ns an operation, from the paper's 5.5 s");
    judged
}

fn parts(results: &Results) -> Judged {
    let computing = results.model(LARGEST).computing(POINTS);
    let exchanges = 3.0 * results.exchange_seconds(Variant::Base, LARGEST, POINTS, 1.0);
    let share = exchanges / (exchanges + computing);
    let mut judged = Judged::default();
    judged
        .check(
            about(computing, 5.5),
            format!("{computing:.1} s computing, which is where the cost of an operation is from"),
        )
        .check(about(exchanges, 17.1), format!("{exchanges:.1} s in exchanges"))
        .check(share > 0.75, format!("{} of the time", percent(share)));
    judged
}

fn base(results: &Results) -> Judged {
    let share = results.share_of(Variant::Base, LARGEST, POINTS, 1.0);
    let of = |change| results.share(&cause(SMALL, Order::Random, change));
    let [usual, endless] = [Change::Nothing, Change::Endless].map(of);
    let mut judged = Judged::default();
    judged
        .check(about(share, 0.63), format!("{} on 16 x 8 x 8", percent(share)))
        .check(
            endless > usual * (1.0 + CONSIDERABLE),
            format!("on 8 x 4 x 4 {}, with endless buffers {}", percent(usual), percent(endless)),
        )
        .because("packets for the longest dimension fill the buffers and hold up those behind them, whose links are free");
    judged
}

fn phased(results: &Results) -> Judged {
    let share = results.share_of(Variant::Phased, LARGEST, POINTS, 1.0);
    let rate = results.gflops(Variant::Phased, LARGEST, POINTS);
    let mut judged = Judged::default();
    judged
        .check(about(share, 0.85), percent(share))
        .check(about(rate, 2875.0), format!("{rate:.0} Gflops"))
        .because("65,536 nodes that all do alike, packet by packet; what a node spends to send and receive is not in it");
    judged
}

fn better(results: &Results) -> Judged {
    let [base, phased] =
        [Variant::Base, Variant::Phased].map(|variant| results.gflops(variant, LARGEST, POINTS));
    let mut judged = Judged::default();
    judged
        .check(about(phased / base, 1.2), format!("{:.2} times the rate", phased / base))
        .because("the paper's own figures make 1.24; its 20% is of the time");
    judged
}

fn overlap(results: &Results) -> Judged {
    let [phased, overlapped] =
        [Variant::Phased, Variant::Overlapped].map(|variant| results.seconds(variant, LARGEST, POINTS));
    let rate = Torus::gflops(POINTS, overlapped);
    let model = results.model(LARGEST);
    let exchange = results.exchange_seconds(Variant::Phased, LARGEST, POINTS, 1.0);
    let without = model.overlapped(POINTS, BLOCKS, exchange, exchange);
    let halved = Torus { flop: 2.0 * model.flop, ..model.clone() };
    let blocks = results.exchange_seconds(Variant::Overlapped, LARGEST, POINTS, BLOCKS);
    let alone = halved.overlapped(POINTS, BLOCKS, exchange, blocks);
    let mut judged = Judged::default();
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
    judged
}

fn barriers(results: &Results) -> Judged {
    let of = |sides: &[usize], group| results.share(&Exchange::new(sides, BYTES, Order::Barriers(group)));
    let gains: Vec<_> = SHAPES.iter().map(|sides| of(sides, 1) / of(sides, NO_BARRIER)).collect();
    let most = gains.iter().copied().fold(0.0, f64::max);
    let dataflow = results.share(&Exchange::new(&LARGEST, BYTES, Order::Dataflow(1)));
    let mut judged = Judged::default();
    judged
        .check(most > 1.0 + FLAT, format!("at most {:.0}% on 64 to 65,536 nodes", 100.0 * (most - 1.0)))
        .check(most <= 1.35 * ABOUT, format!("{:.0}% on the largest", 100.0 * (gains[SHAPES.len() - 1] - 1.0)))
        .because(format!(
            "phases that wait for each other by counted slots, without a barrier, reach {}: what matters is that the network is not filled",
            percent(dataflow)
        ));
    judged
}

fn few(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for sides in SHAPES.iter().filter(|sides| sides.iter().product::<usize>() <= FEW) {
        let nodes: usize = sides.iter().product();
        let [base, phased] =
            [Variant::Base, Variant::Phased].map(|variant| results.seconds(variant, *sides, weak(nodes)));
        let ratio = phased / base;
        judged.check((1.0..=ABOUT).contains(&ratio), format!("{nodes} nodes: {ratio:.3} of the base's time"));
    }
    let of = |change| results.share(&Exchange::new(&[4, 4, 4], BYTES, Order::Barriers(1)).with(change));
    let [usual, free] = [Change::Nothing, Change::FreeBarrier].map(of);
    judged.found(format!(
        "a phase with a barrier reaches {} on 64 nodes, with a free one {}",
        percent(usual),
        percent(free)
    ));
    judged.because("the base suffers from full buffers on few nodes, too, unless the torus is a cube");
    judged
}

fn many(results: &Results) -> Judged {
    let many = SHAPES.iter().filter(|sides| sides.iter().product::<usize>() > 1024);
    let gain = |sides: &[usize; 3]| {
        let n = weak(sides.iter().product());
        results.seconds(Variant::Base, *sides, n) / results.seconds(Variant::Overlapped, *sides, n)
    };
    let most = many.map(gain).fold(0.0, f64::max);
    let mut judged = Judged::default();
    judged
        .check(about(most, 1.2), format!("at most {most:.2} times the base's rate"))
        .because("the shares of the base are those of smaller tori of the same aspect");
    judged
}

/// How many phases of four partners there are on these sides, and of how many it holds.
fn of_full_phases(sides: &[usize], holds: impl Fn(&[usize]) -> bool) -> [usize; 2] {
    let full: Vec<_> = phases(sides).into_iter().filter(|phase| phase.len() == 4).collect();
    [full.iter().filter(|phase| holds(phase)).count(), full.len()]
}

fn links(_: &Results) -> Judged {
    let mut judged = Judged::default();
    for sides in [&[8, 8][..], &LARGEST] {
        // Up and down are alike, since with each partner the opposite one is there; so are the nodes.
        let [good, all] = of_full_phases(sides, |phase| {
            let hops = hops(phase, sides);
            hops.iter().zip(sides).all(|(hops, side)| hops == side)
        });
        judged.check(good == all, format!("{sides:?}: {good} of {all} phases, each dimension by its side"));
    }
    judged
        .because("a link of a dimension carries half its side in messages, so dimensions are as their sides");
    judged
}

fn byte_hops(_: &Results) -> Judged {
    let mut judged = Judged::default();
    for sides in [&[8, 8][..], &LARGEST] {
        let sum: usize = sides.iter().sum();
        let [good, all] = of_full_phases(sides, |phase| hops(phase, sides).iter().sum::<usize>() == sum);
        judged.check(good == all, format!("{sides:?}: {good} of {all} phases go {sum} hops"));
    }
    judged
}

fn partners(_: &Results) -> Judged {
    let mut judged = Judged::default();
    for sides in [&[8, 8][..], &LARGEST] {
        let all = phases(sides);
        let fewer: Vec<_> = all.iter().filter(|phase| phase.len() < 4).collect();
        let halves = |partner: usize| {
            let mut left = partner;
            sides.iter().all(|side| {
                let at = left % side;
                left /= side;
                at.is_multiple_of(side / 2)
            })
        };
        let known = fewer.iter().filter(|phase| phase.iter().all(|partner| halves(*partner))).count();
        judged.check(
            known == fewer.len(),
            format!(
                "{sides:?}: {} of {} phases have fewer, {known} of them of zeros and halves",
                fewer.len(),
                all.len()
            ),
        );
    }
    judged.because("the paper forgets the v whose components are all a quarter of their sides: there v and h - v are the same or opposite");
    judged
}

fn drops(results: &Results) -> Judged {
    let n = 30_f64.exp2();
    let rates: Vec<_> = SHAPES.iter().filter_map(|sides| Some((sides, results.strong(*sides, n)?))).collect();
    let mut judged = Judged::default();
    if let [.., (_, before), (sides, last)] = rates[..] {
        let nodes: usize = sides.iter().product();
        judged
            .check(last < before, format!("{last:.0} Gflops on {nodes} nodes, {before:.0} on half as many"));
    }
    judged.because("on 65,536 nodes 2^30 points cannot be run: they have 32,768 rows; the paper's 64 bytes are those of 16,384 nodes");
    judged
}

fn scales(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let payload = results.profile.network.torus.payload() as f64;
    for log in [30, 32, 34] {
        let n = f64::from(log).exp2();
        let [mut above, mut below] = [[0, 0]; 2];
        for pair in SHAPES.windows(2).filter(|pair| pair[0].iter().product::<usize>() >= FEW) {
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
    }
    judged.because("where a doubling makes the longest dimension longer, half of its links go to that");
    judged
}

fn saturates(results: &Results) -> Judged {
    let points_a_second = |sides: [usize; 3]| {
        let n = weak(sides.iter().product());
        n / results.exchange_seconds(Variant::Phased, sides, n, 1.0)
    };
    let ratio = points_a_second([32, 32, 32]) / points_a_second([16, 16, 16]);
    let mut judged = Judged::default();
    judged.check(about(ratio, 4.0), format!("{ratio:.2} times the points a second on 8 times the nodes"));
    judged
}

fn limit(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for log in super::results::STRONG {
        let n = f64::from(log).exp2();
        let rates: Vec<_> = SHAPES.iter().map(|sides| results.strong(*sides, n)).collect();
        let falls = rates.windows(2).any(|pair| matches!(pair, [Some(one), Some(two)] if two < one));
        let ends = rates.iter().any(Option::is_none);
        let told = if falls {
            "falls"
        } else if ends {
            "ends at the root of n"
        } else {
            "rises up to 65,536 nodes"
        };
        judged.check(falls || ends, format!("2^{log} {told}"));
    }
    judged.because("the limit of more points lies beyond 65,536 nodes");
    judged
}

fn rows(_: &Results) -> Judged {
    let most = Torus::most_nodes(30_f64.exp2());
    let mut judged = Judged::default();
    judged.check(most < 65536.0, format!("at most {most:.0} nodes"));
    judged
}
