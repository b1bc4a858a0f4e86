//! Statements that compare SPN with DUAL. A ratio is the time of DUAL over the time of SPN.

use earth_report::statements::{CONSIDERABLE, FLAT, Judged, about};

use crate::simulate::chart::CONFIGS;
use crate::simulate::charts::figures::{BLOCKS, BLOCKS_N, NODES, RECEIVER_N, SENDER_N, SMALL};
use crate::simulate::judge::{FEW, MANY, Results, SEVERAL, VARIANTS, all_of, begin, span, spn_faster};
use crate::simulate::program::Program;

/// Makes an explanation from the experiment on the speed of synchronization units.
fn by_su_speed(finding: Option<String>) -> Option<String> {
    finding.map(|finding| format!("DUAL/SPN for N = 2^12 on 16 nodes, {finding}"))
}

pub(super) fn spn_beats_dual(results: &Results, judged: &mut Judged) {
    for (program, name) in VARIANTS {
        let pairs = SEVERAL.into_iter().flat_map(|p| RECEIVER_N.map(|n| (n, p)));
        let ratios: Vec<_> = pairs.filter_map(|(n, p)| results.dual_over_spn(program, n, p)).collect();
        if ratios.is_empty() {
            continue;
        }
        let [faster, differ] = spn_faster(&ratios);
        let (all, ratios) = (ratios.len(), span(&ratios));
        let found = format!(
            "SPN is faster in {faster} of the {differ} runs that differ by more than 5%, of {all} in all; DUAL/SPN {ratios}"
        );
        begin(judged, program, name).count(faster, differ, found);
    }
    judged
        .because("both configurations have one order of fibers, see the experiment `order`")
        .perhaps(by_su_speed(results.dual_by_su_speed()));
}

pub(super) fn difference_grows(results: &Results, judged: &mut Judged) {
    for (program, name) in VARIANTS {
        let ratio = |n, p| results.dual_over_spn(program, n, p);
        let pairs = RECEIVER_N.into_iter().filter_map(|n| Some([ratio(n, FEW[0])?, ratio(n, MANY)?]));
        let pairs: Vec<_> = pairs.collect();
        let [few, many] = [0, 1].map(|at| span(&pairs.iter().map(|pair| pair[at]).collect::<Vec<_>>()));
        let found = format!("DUAL/SPN {few} at P = 2, {many} at 64");
        // The longer time over the shorter one.
        let differs = |ratio: f64| ratio.max(1.0 / ratio);
        let either = |&[few, many]: &[f64; 2]| differs(many) > (1.0 + CONSIDERABLE).max(differs(few));
        let spn = |&[few, many]: &[f64; 2]| many > (1.0 + CONSIDERABLE).max(few);
        begin(judged, program, name).reading("either one is faster").each(&pairs, either, |_| found.clone());
        judged.reading("SPN is faster").each(&pairs, spn, |_| found.clone());
    }
    judged.perhaps(by_su_speed(results.dual_by_su_speed()));
}

/// Returns all sizes of figures 10 to 12.
fn sizes() -> impl Iterator<Item = (usize, usize)> {
    let others = BLOCKS.into_iter().filter(|&block| block != 16).map(|block| (BLOCKS_N, block));
    SENDER_N.into_iter().map(|n| (n, 16)).chain(others).chain([SMALL])
}

pub(super) fn spn_beats_dual_on_few(results: &Results, judged: &mut Judged) {
    let ratio = |(n, block), p| results.dual_over_spn(Program::Sender(block), n, p);
    let all: Vec<_> = sizes().flat_map(|of| NODES.into_iter().filter_map(move |p| ratio(of, p))).collect();
    let ends: Vec<_> = sizes().filter_map(|of| Some([ratio(of, 1)?, ratio(of, MANY)?])).collect();
    if all.is_empty() {
        return;
    }
    let [faster, differ] = spn_faster(&all);
    let (number, ratios) = (all.len(), span(&all));
    let found = format!(
        "SPN is faster in {faster} of the {differ} runs that differ by more than 5%, of {number} in all; DUAL/SPN {ratios}"
    );
    judged.clause("SPN is faster").program("sender").count(faster, differ, found);
    let differing = ends.iter().filter(|[one, many]| (one - many).abs() > FLAT).count();
    let most_on_few = ends.iter().filter(|[one, many]| *one > many + FLAT).count();
    let [one, many] = [0, 1].map(|at| span(&ends.iter().map(|pair| pair[at]).collect::<Vec<_>>()));
    let found = format!(
        "DUAL/SPN is {one} on one node and {many} on 64; in {most_on_few} of the {differing} sizes where these differ by more \
         than 0.05 it is greater on one node"
    );
    judged.clause("most on few nodes").program("sender").count(most_on_few, differing, found);
}

pub(super) fn alike_at_large(results: &Results, judged: &mut Judged) {
    judged.program("sender");
    let program = Program::Sender(16);
    let ratios: Vec<_> =
        SENDER_N.into_iter().filter_map(|n| results.dual_over_spn(program, n, MANY)).collect();
    let found = |_| format!("DUAL/SPN {} on 64 nodes", span(&ratios));
    judged.each(&ratios, |&ratio| about(ratio, 1.0), found);
    let over = |n, config| {
        let times = all_of(NODES.map(|p| results.total(program, config, n, p)))?;
        let (last, others) = times.split_last()?;
        Some(others.iter().copied().fold(f64::INFINITY, f64::min) / last)
    };
    let gains: Vec<_> =
        SENDER_N.into_iter().flat_map(|n| CONFIGS.map(|config| over(n, config))).flatten().collect();
    let found = |least| {
        let (all, gains) = (gains.len(), span(&gains));
        format!("64 nodes are the fastest in {least} of {all} lines, {gains} times as fast as the next")
    };
    judged.each(&gains, |&gain| gain > 1.0 + FLAT, found);
}
