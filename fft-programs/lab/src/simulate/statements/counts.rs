//! What is counted or computed exactly (3, 4, 19), and the two figures that the paper gives (1, 2).

use earth::Config;
use earth_kernels::SenderOrder;

use crate::simulate::chart::CONFIGS;
use crate::simulate::chart::upper;
use crate::simulate::figures::{COMPARED_N, NODES, RECEIVER_N};
use crate::simulate::judge::{MANY, PAPER_CLOCK, Results, receivers};
use crate::simulate::measured::Measured;
use crate::simulate::program::Program;
use crate::statements::{Judged, about};

/// All programs that the paper's figure for 64 nodes may mean.
fn candidates() -> Vec<(Program, Config, String)> {
    let senders = [Program::Sender(16), Program::Sender(MANY)].into_iter().flat_map(|program| {
        CONFIGS.into_iter().map(move |config| (program, config, format!("{program} {}", upper(config))))
    });
    senders.chain(receivers()).collect()
}

pub(super) fn ten_milliseconds(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in candidates() {
        let Some(run) = results.get(program, config, COMPARED_N, MANY) else { continue };
        let ms = |seconds: f64| seconds * 1e3 * results.clock_mhz / PAPER_CLOCK;
        let [total, dealt] = [run.total(), run.total() + run.setup + run.reordering].map(ms);
        judged.check(about(total, 10.0), format!("{name} {total:.1} ms ({dealt:.1} with dealing)"));
    }
    judged
}

pub(super) fn seventy_percent(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in candidates() {
        if let Some(efficiency) = results.efficiency(program, config, COMPARED_N, MANY) {
            judged.check(about(efficiency, 0.7), format!("{name} {:.0}%", 100.0 * efficiency));
        }
    }
    judged
}

/// Whether a count of both receivers is `expected` of N and P.
fn counted(results: &Results, count: fn(&Measured) -> u64, expected: fn(u64, u64) -> u64) -> Judged {
    let mut judged = Judged::default();
    for (program, name) in [(Program::Tree, "tree"), (Program::Shared, "shared")] {
        let (mut right, mut all) = (0, 0);
        let mut example = String::new();
        for n in RECEIVER_N {
            for p in NODES.into_iter().filter(|&p| p > 1) {
                for run in CONFIGS.iter().filter_map(|&config| results.get(program, config, n, p)) {
                    right += usize::from(count(run) == expected(n as u64, p as u64));
                    all += 1;
                    if (n, p) == (COMPARED_N, MANY) {
                        let wanted = expected(n as u64, p as u64);
                        example = format!(" (2^14 on 64: {} where {wanted} are stated)", count(run));
                    }
                }
            }
        }
        if all > 0 {
            judged.count(right, all, format!("{name} in {right} of {all} runs{example}"));
        }
    }
    judged
}

pub(super) fn tokens(results: &Results) -> Judged {
    let mut judged = counted(results, |run| run.asks, |n, p| 2 * (p - 1) * n);
    judged.because("the paper's program is the tree; sharing makes it 2N log P, the same at P = 2 alone");
    judged
}

pub(super) fn butterflies(results: &Results) -> Judged {
    let mut judged = counted(results, |run| run.half_butterflies, |n, p| n * u64::from(p.ilog2()));
    judged.because("a tree computes a point once for each path to it, (P-1)N in all: no program has both the paper's tokens and its butterflies");
    judged
}

pub(super) fn one_ahead(_: &Results) -> Judged {
    let mut judged = Judged::default();
    let leads: Vec<_> = [4, 8, 16, 256].into_iter().map(|threads| (threads, largest_lead(threads))).collect();
    let most = leads.iter().map(|&(_, lead)| lead).max().unwrap_or(0);
    let told: Vec<_> = leads.iter().map(|(threads, lead)| format!("{lead} with {threads} threads")).collect();
    judged.check(leads.iter().all(|&(_, lead)| lead <= 1), format!("leads of {}", told.join(", ")));
    judged.check(
        most == 0,
        "a flag of one bit is enough only without any lead: else a later block sets it while an earlier one is awaited",
    );
    judged.because(format!(
        "up to {most} stages here, log2(N/B) - 1 in general; so each stage has an inlet and a slot of its own"
    ));
    judged
}

/// How many stages ahead of thread 0 a block may come to it, when its mate of stage 0 is late and all others
/// go on as far as they can.
fn largest_lead(threads: usize) -> u32 {
    let order = match SenderOrder::new(threads, 1) {
        Ok(order) if order.stages() > 0 => order,
        _ => return 0,
    };
    let late = order.mate(0, 0);
    // The stage that each thread is in; in stage s it has sent its blocks of stages 0 to s.
    let mut stage = vec![0; threads];
    loop {
        let mut moved = false;
        for thread in (1..threads).filter(|&thread| thread != late) {
            let now = stage[thread];
            // The late mate has sent nothing at all.
            let can_go = now < order.stages() && {
                let mate = order.mate(thread, now);
                mate != late && stage[mate] >= now
            };
            if can_go {
                stage[thread] += 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    (1..order.stages()).filter(|&s| stage[order.mate(0, s)] >= s).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_one_stage_less_than_there_are() {
        let leads: Vec<_> = [1, 2, 4, 8, 16, 64].map(largest_lead).into();
        assert_eq!(leads, [0, 0, 1, 2, 3, 5]);
    }
}
