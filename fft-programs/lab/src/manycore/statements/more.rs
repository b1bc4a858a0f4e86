//! Statements about the number of elements: C64+, and the best number.

use earth_report::numbers::{extent, percent};
use earth_report::statements::{CONSIDERABLE, FLAT, Judged};

use super::rates::Rate;
use super::{MANY, SOME, from_to, signed};
use crate::manycore::chip::{FREE_BARRIERS, LOCKED_BARRIERS, NO_QUEUES, POLLED_BARRIERS, Variant};
use crate::manycore::program::Program;
use crate::manycore::results::{BEHAVIOURS, CORES, ENDS, Results, SMALL, by, local, plus, varied};

/// Barriers between which the paper leaves the choice.
const BARRIERS: [(&str, Variant); 3] = [
    ("a barrier whose last answer goes to all", |_| {}),
    ("a barrier that elements poll", POLLED_BARRIERS),
    ("a barrier with a lock", LOCKED_BARRIERS),
];

pub(super) fn more_elements(results: &Results, judged: &mut Judged) {
    let sides: [(_, [Rate; 2]); 3] = [
        (
            "the model of C64+ over the simulated C64, as in Figure 14",
            [Results::modelled_gflops, Results::gflops],
        ),
        ("model over model", [Results::modelled_gflops; 2]),
        ("simulated over simulated", [Results::gflops; 2]),
    ];
    for (name, [of_plus, of_c64]) in sides {
        judged.reading(name);
        for log in ENDS {
            let gain =
                |cores| of_plus(results, &plus(log, cores)) / of_c64(results, &by(2, log, cores)) - 1.0;
            let (gains, all) = (CORES.map(gain), CORES.len());
            let finding = |met| format!("2^{log}: {}, {met} of {all} less", from_to(&gains, signed));
            judged.each(&gains, |&gain| gain < CONSIDERABLE, finding);
        }
    }
    judged.perhaps(results.reason(|| {
        let gain = |variant: Variant| {
            let [plus, c64] =
                [plus(10, MANY), by(2, 10, MANY)].map(|program| results.gflops(&varied(program, variant)));
            signed(plus / c64 - 1.0)
        };
        format!(
            "Figure 14 sets a prediction beside an experiment, so the model's own error hides the gain; like with \
             like, four elements hide each other's waiting until banks have queues: simulated on {MANY} cores at \
             2^10 points the gain is {}, {} without queues, {} if barriers cost nothing",
            gain(|_| {}),
            gain(NO_QUEUES),
            gain(FREE_BARRIERS)
        )
    }));
}

pub(super) fn loses(results: &Results, judged: &mut Judged) {
    let on = |cores, variant| varied(plus(10, cores), variant);
    for is_ours in [false, true] {
        let rate: Rate = if is_ours { Results::gflops } else { Results::modelled_gflops };
        let _ = if is_ours { judged.our_program("simulated") } else { judged.program("the model") };
        for (barrier, variant) in BARRIERS {
            let [few, some, many] = [SOME, 32, MANY].map(|cores| rate(results, &on(cores, variant)));
            let finding = format!("{few:.2}, {some:.2} and {many:.2} Gflops on 16, 32 and 64");
            judged.reading(barrier).each(&[some, many], |&rate| rate < few, |_| finding);
        }
    }
    judged.perhaps(results.reason(|| {
        let rates = |variant: Variant| {
            let rates = [SOME, 32, MANY].map(|cores| format!("{:.2}", results.gflops(&on(cores, variant))));
            rates.join(", ")
        };
        let without_barriers = |cores| {
            let stages = results.modelled(&plus(10, cores));
            stages.iter().map(|stage| stage.memory + stage.computing).sum::<f64>() / stages.len() as f64
        };
        let costs = BARRIERS.map(|(_, variant)| {
            let [few, many] = [SOME, MANY].map(|cores| results.barrier(&on(cores, variant).chip));
            format!("{:.0}", many - few)
        });
        format!(
            "the model loses past 16 cores if a barrier of 64 cores takes {:.0} cycles more than one of 16; here \
             it takes {}, polled {}, with a lock {}; simulated it is {} without queues and {} if barriers cost \
             nothing",
            without_barriers(SOME) - without_barriers(MANY),
            costs[0],
            costs[1],
            costs[2],
            rates(NO_QUEUES),
            rates(FREE_BARRIERS)
        )
    }));
}

/// Least number of points an element that counts. The paper assumes many and uses four itself, for C64+ in
/// Figure 14.
const POINTS_AN_ELEMENT: usize = 4;

/// Function from the logarithm of the points and the number of cores to a program.
type BySize = fn(u32, usize) -> Program;

/// Returns the number of cores that is the fastest, and the rate of the number that the model names relative
/// to its rate.
fn named_and_found(results: &Results, programs: &[Program]) -> Option<(usize, f64)> {
    let fastest = |rate: Rate| programs.iter().max_by(|a, b| rate(results, a).total_cmp(&rate(results, b)));
    let [named, found] = [fastest(Results::modelled_gflops)?, fastest(Results::gflops)?];
    Some((found.chip.cores, results.gflops(named) / results.gflops(found)))
}

/// Cases in which fewer than the most cores are the fastest, by what the model's choice gives up there, and
/// number of the other cases.
#[derive(Default)]
struct Asked {
    shares: Vec<f64>,
    unasked: usize,
}

impl Asked {
    /// Counts a case in which the model may name any of these numbers of cores.
    fn add(&mut self, results: &Results, programs: &[Program]) {
        let largest = programs.last().map(|of| of.chip.cores);
        match named_and_found(results, programs) {
            Some((found, share)) if Some(found) < largest => self.shares.push(share),
            _ => self.unasked += 1,
        }
    }

    fn met(&self) -> usize {
        self.shares.iter().filter(|&&share| share >= 1.0 - FLAT).count()
    }

    fn words(&self) -> String {
        format!("{} of {}", self.met(), self.shares.len())
    }
}

pub(super) fn best(results: &Results, judged: &mut Judged) {
    let kinds: [BySize; 3] = [|log, cores| by(2, log, cores), |log, cores| local(2, log, cores), plus];
    for behaviour in BEHAVIOURS {
        let (mut within, mut outside) = (Asked::default(), Asked::default());
        for (_, variant) in BARRIERS {
            for (program, log) in kinds.into_iter().flat_map(|kind| SMALL.map(|log| (kind, log))) {
                let all = CORES.map(|cores| varied(behaviour.of(program(log, cores)), variant));
                let is_within = |of: &&Program| of.points() >= POINTS_AN_ELEMENT * of.chip.all();
                let counted: Vec<_> = all.iter().filter(is_within).cloned().collect();
                within.add(results, &counted);
                if counted.len() < all.len() {
                    outside.add(results, &all);
                }
            }
        }
        judged.reading(behaviour.name);
        let Asked { shares, unasked } = &within;
        judged.each(shares, |&share| share >= 1.0 - FLAT, |_| {
            let least = percent(extent(shares.iter().copied())[0]);
            let (told, others) = (within.words(), outside.words());
            format!(
                "{told} cases, at worst {least} of the best rate; {unasked} cases ask nothing; with fewer points an \
                 element {others}"
            )
        });
    }
    judged.perhaps(results.reason(|| {
        format!(
            "with a barrier whose last answer goes to all, and at least {POINTS_AN_ELEMENT} points an element, the most \
             cores are the fastest, so a slower barrier must ask the question"
        )
    }));
}
