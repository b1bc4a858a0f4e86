//! Statements about memory: its share of the time, the rate that it leaves, and what reduces it.

use earth_report::numbers::{extent, percent, ratio};
use earth_report::statements::{ABOUT, CONSIDERABLE, Judged};

use super::{MANY, SOME, from_to};
use crate::manycore::code::{Step, butterfly};
use crate::manycore::operation::Spent;
use crate::manycore::program::Program;
use crate::manycore::results::{CORES, LOGS, Published, Results, by, local};

/// Returns the cycles for loads and stores over the cycles for floating-point operations, minus one.
/// `with_waits` counts waiting for results as floating-point.
fn memory_over_floating(results: &Results, program: &Program, with_waits: bool) -> f64 {
    let Spent { memory, floating, .. } = results.run(program).spent;
    let operations =
        butterfly(program.radix).iter().filter(|step| matches!(step, Step::Float { .. })).count();
    let butterflies = program.points() / program.radix * program.stages() as usize;
    let floating = if with_waits { floating as f64 } else { (operations * butterflies) as f64 };
    memory as f64 / floating - 1.0
}

pub(super) fn memory(results: &Results, judged: &mut Judged) {
    let is_met = |more: &f64| (3.0 / ABOUT..=5.0 * ABOUT).contains(more);
    let readings = [
        ("waiting for a result counts as floating-point", true),
        ("only the operations count as floating-point", false),
    ];
    for (reading, with_waits) in readings {
        let more = CORES.map(|cores| memory_over_floating(results, &local(2, 10, cores), with_waits));
        judged.reading(reading).each(&more, is_met, |_| format!("{} more", from_to(&more, percent)));
    }
    judged.perhaps(results.reason(|| {
        let [shared, shared_alone] =
            [true, false].map(|waits| percent(memory_over_floating(results, &by(2, 10, MANY), waits)));
        format!(
            "PAR-R2, whose factors are all in banks, has {shared} and {shared_alone} more on {MANY} cores"
        )
    }));
}

/// Returns the program's share of the peak of the cores in use.
pub(crate) fn share_of_peak(results: &Results, program: &Program) -> f64 {
    results.gflops(program) * 1e9 / program.chip.peak()
}

/// Returns the largest share of the peak that the code of a butterfly allows: a core issues an operation a
/// cycle for each element, and its unit starts one floating-point operation a cycle.
pub(crate) fn bound_by_issue(program: &Program) -> f64 {
    let code = butterfly(program.radix);
    let floating = code.iter().filter(|step| matches!(step, Step::Float { .. })).count() as f64;
    let issued = code.iter().map(|step| match step {
        Step::Integer(counted) => program.chip.integers(*counted) as f64,
        Step::Drain => 0.0,
        _ => 1.0,
    });
    let cycles = floating.max(issued.sum::<f64>() / program.chip.elements as f64);
    let levels = f64::from(program.radix.trailing_zeros());
    5.0 * program.radix as f64 * levels / (2.0 * cycles)
}

pub(super) fn far_below(results: &Results, judged: &mut Judged) {
    let programs: [(&str, Published); 2] = [("PAR-R2", by), ("PAR-R2LM", local)];
    for (name, program) in programs {
        let programs = CORES.into_iter().flat_map(|cores| LOGS.map(|log| program(2, log, cores)));
        let shares: Vec<_> = programs.map(|program| share_of_peak(results, &program)).collect();
        judged.program(name).each(
            &shares,
            |&share| share < 0.5,
            |_| format!("{} of the peak", from_to(&shares, percent)),
        );
    }
    judged.perhaps(results.reason(|| {
        let bound = bound_by_issue(&by(2, 10, MANY));
        format!(
            "80 Gflops are the peak of 80 cores, and 64 Gflops of the 64 in use; issuing alone, without any \
             wait for memory, keeps a butterfly of radix 2 at {} of it",
            percent(bound)
        )
    }));
}

/// Two programs, each with its radix.
type Pair = [(Published, usize); 2];

pub(super) fn together(results: &Results, judged: &mut Judged) {
    const LOG: u32 = 12;
    let rate = |program: Published, radix, cores| results.gflops(&program(radix, LOG, cores));
    let gain = |[more, less]: Pair, cores| rate(more.0, more.1, cores) / rate(less.0, less.1, cores);
    let [near, shared]: [Published; 2] = [local, by];
    let clauses: [(&str, &[Pair]); 3] = [
        ("own memory", &[[(near, 2), (shared, 2)], [(near, 4), (shared, 4)], [(near, 8), (shared, 8)]]),
        ("a higher radix", &[[(shared, 4), (shared, 2)], [(shared, 8), (shared, 4)]]),
        (
            "both, over each alone",
            &[
                [(near, 4), (near, 2)],
                [(near, 4), (shared, 4)],
                [(near, 8), (near, 2)],
                [(near, 8), (shared, 8)],
            ],
        ),
    ];
    for (clause, pairs) in clauses {
        let gains: Vec<_> = pairs.iter().map(|&pair| gain(pair, MANY)).collect();
        judged.clause(clause).each(
            &gains,
            |&gain| gain > 1.0 + CONSIDERABLE,
            |_| {
                let all: Vec<_> = gains.iter().map(|&gain| ratio(gain)).collect();
                format!("{} times", all.join(", "))
            },
        );
    }
    judged.perhaps(results.reason(|| {
        let pairs = [2, 4, 8].map(|radix| gain([(near, radix), (shared, radix)], SOME));
        let [least, most] = extent(pairs).map(ratio);
        format!("on {SOME} cores, where banks have short queues, own memory gives {least} to {most} times")
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Radix 2: 22 operations on two elements take 11 cycles, and 10 flops are 45% of 22. Radix 4: 28
    /// operations of the unit take longer than the 50 on two elements.
    #[test]
    fn issuing_bounds_the_share_of_the_peak() {
        let bounds = [2, 4, 8].map(|radix| bound_by_issue(&by(radix, 12, 1)));
        let expected = [10.0 / 22.0, 40.0 / 56.0, 120.0 / 168.0];
        assert!(bounds.iter().zip(expected).all(|(bound, expected)| (bound - expected).abs() < 1e-12));
    }
}
