//! The paper's statements, judged.
//!
//! Figures of the paper are met if ours are [about](crate::statements::ABOUT) them; "slightly" and "up to" are the same
//! factor. Causes are held against the run that removes them. All margins are those of the other papers, fixed before.

mod pattern;
mod scaling;

use super::cases::{
    BLOCKS, BUFFERS, BYTES, DIMENSIONS, EVEN, FEW, LARGEST, NO_BARRIER, POINTS, SHAPES, SMALL, UNEVEN,
    Variant, cause, weak,
};
use super::exchange::{Change, ENDLESS, Exchange, Order};
use super::results::Results;
use crate::model::torus::Torus;
use crate::numbers::percent;
use crate::statements::{ABOUT, CONSIDERABLE, FLAT, Judged, Row, Statement, about, judged, said};

/// All statements.
pub(crate) fn statements(results: &Results) -> Vec<Row> {
    judged(&STATEMENTS, results)
}

const STATEMENTS: [Statement<Results>; 18] = [
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
        "slower by some, but about equal, on each torus of up to 512 nodes; on cubes a barrier that costs nothing is as fast as the base",
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
        pattern::links,
    ),
    said(
        "All phases have the same byte-hops",
        "4.3",
        "exactly, in every phase of four partners",
        pattern::byte_hops,
    ),
    said(
        "A phase has four partners but for v of zeros and halves",
        "4.3",
        "exactly those phases have fewer",
        pattern::partners,
    ),
    said(
        "1 G points get slower on 64K nodes",
        "5",
        "slower on the most nodes that have a row than on half as many; and on 64K nodes, if rows were cut",
        scaling::drops,
    ),
    said(
        "It scales while a pair exchanges more than a packet's 240 bytes",
        "5",
        "each doubling of nodes gains considerably as long as it does, and not from then on",
        scaling::scales,
    ),
    said(
        "On many nodes the rate grows as p^((d-1)/d)",
        "3.2.1",
        "the points that phases exchange a second, from 4096 to 32,768 nodes, both cubes: about 8^(2/3) times",
        scaling::saturates,
    ),
    said(
        "Headers set an absolute limit to strong scaling",
        "3.2.2",
        "for each number of points there is a torus beyond which the rate falls, or which it cannot use; and without headers it does not fall",
        scaling::limit,
    ),
    said(
        "The number of nodes is at most the root of n; yet 1 G points are shown on 64K",
        "3.2.1, 5",
        "2^30 points have no more than 32,768 rows",
        scaling::rows,
    ),
    said(
        "All-to-alls are optimised alike for transforms of 2 and 3 dimensions, whose nodes exchange within planes",
        "6",
        "within planes and lines of the largest torus phases with barriers are faster than the base, by more than flat",
        planes,
    ),
];

/// What the base's share of the peak decides: the experiment of larger buffers, at those by which it comes nearest to the
/// paper's share.
struct Mended {
    packets: u32,
    share: f64,
    seconds: f64,
}

impl Mended {
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

    /// The experiment, and what comes of it.
    fn told(&self, comes: &str) -> String {
        format!(
            "with buffers of {} packets the base has {} of the peak: {comes}",
            self.packets,
            percent(self.share)
        )
    }
}

fn largest(results: &Results) -> Judged {
    let (seconds, rate) =
        (results.seconds(Variant::Base, LARGEST, POINTS), results.gflops(Variant::Base, LARGEST, POINTS));
    let mut judged = Judged::default();
    judged
        .check(about(seconds, 22.6), format!("{seconds:.1} s"))
        .check(about(rate, 2311.0), format!("{rate:.0} Gflops"))
        .because("the base's share of the peak is that of 16 x 8 x 8; computing is 6.9 ns an operation, from the paper's 5.5 s");
    let mended = Mended::of(results);
    judged.because(mended.told(&format!("{:.1} s; {:.0} Gflops", mended.seconds, mended.rate())));
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
    let mended = Mended::of(results);
    judged.because(mended.told(&format!("{:.1} s in exchanges", mended.seconds - computing)));
    judged
}

fn base(results: &Results) -> Judged {
    let share = results.share_of(Variant::Base, LARGEST, POINTS, 1.0);
    let of = |change| results.share(&cause(SMALL, Order::Random, change));
    let [usual, endless] = [Change::Nothing, ENDLESS].map(of);
    let mut judged = Judged::default();
    judged
        .check(about(share, 0.63), format!("{} on 16 x 8 x 8", percent(share)))
        .check(
            endless > usual * (1.0 + CONSIDERABLE),
            format!("on 8 x 4 x 4 {}, with endless buffers {}", percent(usual), percent(endless)),
        )
        .because("packets for the longest dimension fill the buffers and hold up those behind them, whose links are free");
    let all = BUFFERS.map(|packets| format!("{} with {packets}", percent(results.by_buffers(packets)[0])));
    judged.because(format!(
        "so the share is that of the buffers, an estimate: on 16 x 8 x 8 {} packets",
        all.join(", ")
    ));
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
    let mended = Mended::of(results);
    judged.because(mended.told(&format!("{:.2} times the rate", phased / mended.rate())));
    judged
}

/// The seconds of the largest transform with phases and overlap, if the processor that moves the messages has to give up
/// computing as fast as the other one.
fn one_processor_computes(results: &Results) -> f64 {
    let model = results.model(LARGEST);
    let halved = Torus { flop: 2.0 * model.flop, ..model };
    let exchange = |variant, blocks| results.exchange_seconds(variant, LARGEST, POINTS, blocks);
    halved.overlapped(POINTS, BLOCKS, exchange(Variant::Phased, 1.0), exchange(Variant::Overlapped, BLOCKS))
}

fn overlap(results: &Results) -> Judged {
    let [phased, overlapped] =
        [Variant::Phased, Variant::Overlapped].map(|variant| results.seconds(variant, LARGEST, POINTS));
    let rate = Torus::gflops(POINTS, overlapped);
    let model = results.model(LARGEST);
    let exchange = results.exchange_seconds(Variant::Phased, LARGEST, POINTS, 1.0);
    let without = model.overlapped(POINTS, BLOCKS, exchange, exchange);
    let alone = one_processor_computes(results);
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
    for sides in EVEN {
        let nodes: usize = sides.iter().product();
        let free = results.exchange(Variant::Phased, sides, weak(nodes), 1.0).with(Change::FreeBarrier);
        let base = results.share_of(Variant::Base, sides, weak(nodes), 1.0);
        let ratio = base / results.share(&free);
        judged.check(
            ratio <= 1.0 + FLAT,
            format!("{nodes} nodes, free barriers: exchanges take {ratio:.3} of the base's"),
        );
    }
    for sides in UNEVEN {
        let nodes: usize = sides.iter().product();
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
    let mended = Mended::of(results);
    judged.because(mended.told(&format!(
        "{:.2} times on the largest, {:.2} if one processor of two is left to compute in overlap",
        mended.seconds / results.seconds(Variant::Overlapped, LARGEST, POINTS),
        mended.seconds / one_processor_computes(results)
    )));
    judged
}

fn planes(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let within = DIMENSIONS[1..]
        .iter()
        .flat_map(|transform| transform.exchanges.iter().map(|sides| (*sides, transform.points_of(sides))));
    let mut seen = Vec::new();
    for (sides, n) in within {
        if seen.contains(&sides) {
            continue;
        }
        seen.push(sides);
        let [base, phased] = [Variant::Base, Variant::Phased].map(|of| results.share_of(of, sides, n, 1.0));
        judged.check(
            phased > base * (1.0 + FLAT),
            format!("{sides:?}: {} of the peak, the base {}", percent(phased), percent(base)),
        );
    }
    judged.because("packets whose nodes differ in no other dimension never leave their plane, so a plane is a torus by itself");
    judged
}

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
