//! Statements about the places of points and factors, which are checked exactly.

use earth_kernels::RadixOrder;
use earth_report::numbers::percent;
use earth_report::statements::{CONSIDERABLE, Judged};

use crate::manycore::chip::{Chip, POINT};
use crate::manycore::results::Results;

/// Returns whether sorted points are one contiguous range, or two of equal length.
fn is_one_or_two(points: &[usize]) -> bool {
    let breaks: Vec<_> = points
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[1] != pair[0] + 1)
        .map(|(at, _)| at + 1)
        .collect();
    match breaks[..] {
        [] => true,
        [at] => 2 * at == points.len(),
        _ => false,
    }
}

fn order(log: u32) -> RadixOrder {
    RadixOrder::new(1 << log, 2, 1).unwrap_or_else(|error| unreachable!("{error}"))
}

pub(super) fn pieces(_: &Results, judged: &mut Judged) {
    let (mut met, mut all) = (0, 0);
    for log in 1..=10 {
        let order = order(log);
        for stage in 0..order.stages() {
            for c in 0..log {
                for a in 0..order.butterflies() >> c {
                    let taken = (a << c..(a + 1) << c).map(|i| order.butterfly(stage, i));
                    let mut points: Vec<_> =
                        taken.flat_map(|butterfly| [0, 1].map(|m| butterfly.point(m))).collect();
                    points.sort_unstable();
                    met += usize::from(is_one_or_two(&points));
                    all += 1;
                }
            }
        }
    }
    judged.check(met == all, format!("{met} of {all}"));
}

/// Numbers of factors of a burst in each line that holds some, if the vector of factors begins with a line.
fn lines_of(order: RadixOrder, stage: u32, burst: usize, elements: usize) -> Vec<usize> {
    let a_line = (Chip::c64(1).line / POINT) as usize;
    let butterflies = burst * elements..((burst + 1) * elements).min(order.butterflies());
    let mut rows: Vec<_> = butterflies.map(|i| order.butterfly(stage, i).row).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut lines: Vec<(usize, usize)> = Vec::new();
    for row in rows {
        match lines.last_mut() {
            Some((line, count)) if *line == row / a_line => *count += 1,
            _ => lines.push((row / a_line, 1)),
        }
    }
    lines.into_iter().map(|(_, count)| count).collect()
}

/// Numbers of elements whose factors would fit into one line: scenario 1.
const FITTING: [usize; 3] = [2, 4, 8];

pub(super) fn straddles(_: &Results, judged: &mut Judged) {
    let order = order(10);
    let bursts = |elements: usize| {
        let stages = 0..order.stages();
        stages.flat_map(move |stage| {
            (0..order.butterflies() / elements).map(move |burst| lines_of(order, stage, burst, elements))
        })
    };
    let two: Vec<_> = FITTING.into_iter().flat_map(bursts).filter(|lines| lines.len() > 1).collect();
    judged.clause("the first bank holds one factor").each(
        &two,
        |lines| lines.len() == 2 && lines[0] == 1,
        |met| format!("{met} of {} bursts that need two banks", two.len()),
    );
    judged.clause("such bursts are few");
    for elements in FITTING {
        let all = bursts(elements).count();
        let straddling = bursts(elements).filter(|lines| lines.len() > 1).count();
        let share = straddling as f64 / all as f64;
        let found = format!("{elements} elements: {} of {all} bursts", percent(share));
        judged.check(share < CONSIDERABLE, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stage 4 has the factors 7 to 14, and a line has eight.
    #[test]
    fn eight_factors_of_a_stage_are_in_two_lines() {
        assert_eq!(lines_of(order(10), 3, 0, 8), [1, 7]);
        assert_eq!(lines_of(order(10), 2, 0, 8), [4]);
        assert_eq!(lines_of(order(10), 4, 1, 4), [4]);
        assert_eq!(lines_of(order(10), 4, 0, 4), [1, 3]);
    }

    #[test]
    fn two_ranges_are_equally_long() {
        assert!(is_one_or_two(&[3, 4, 5]) && is_one_or_two(&[0, 1, 8, 9]));
        assert!(!is_one_or_two(&[0, 1, 2, 8]) && !is_one_or_two(&[0, 2, 4]));
    }
}
