//! All simulations of the PFFT paper, with the verdicts that follow, as rows and JSON.

use earth_fft::TransformError;
use earth_report::statements::{FLAT, Judged, Row, Statements, judges};
use serde::Serialize;

use super::blocks::{self, Transposed};
use super::dealing::{self, Gain, POINTS};
use super::machine;
use crate::pfft::measure::SpeedUp;
use crate::pfft::study::statements::STATEMENTS;
use crate::pfft::study::{Band, Method, Study};

/// Shares of the variance that are assumed common to all rows of a length.
const COMMON: [f64; 3] = [0.0, 0.5, 0.9];

/// Statements that the simulated machine decides, by their numbers in the study.
const CONDITIONAL: [usize; 13] = [7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 27, 28];

/// Extent of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// Number of seeds of the speed functions that distribute rows.
    pub seeds: usize,
    /// Number of sizes N, from 128 to 64000.
    pub sizes: usize,
}

impl Default for Extent {
    fn default() -> Self {
        Self { seeds: 2000, sizes: 50 }
    }
}

/// Simulated study, and the verdicts on the paper's statements.
#[derive(Debug)]
pub(super) struct Conditional {
    pub(super) common: f64,
    pub(super) study: Study,
    pub(super) statements: Vec<Row>,
}

impl Conditional {
    /// Returns the speed-ups of methods over each other, with each library.
    fn speed_ups(&self) -> Vec<SpeedUpAnswer<'_>> {
        let pairs = self.study.kernels.iter().flat_map(|found| Method::COMPARED.map(|pair| (found, pair)));
        let answer = pairs.filter_map(|(found, (method, over))| {
            let by = found.speed_up(method, over, &Band::all())?;
            Some(SpeedUpAnswer { kernel: &found.kernel, method, over, by })
        });
        answer.collect()
    }
}

/// Simulated results, and the verdicts derived from them.
#[derive(Debug)]
pub struct Report {
    pub(super) command: String,
    pub(super) extent: Extent,
    pub(super) made: Made,
    pub(super) conditional: Vec<Conditional>,
    /// Verdicts on the partition and on the transpose.
    pub(super) statements: Vec<Row>,
}

/// Results that need no simulated machine.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) by_width: Vec<Gain>,
    pub(super) by_points: Vec<Gain>,
    pub(super) transposed: Vec<Transposed>,
}

/// Statements that need no machine, by their numbers in the study.
const ALONE: Statements<Made> =
    Statements { table: include_str!("statements.md"), judges: judges![partial, block] };

fn partial(made: &Made, judged: &mut Judged) {
    for line in lines(&made.by_points) {
        let of =
            |known: usize| line.iter().find(|gain| gain.known == known).map_or(f64::NAN, |gain| gain.mean);
        let [few, all] = [of(5), of(POINTS)];
        let Gain { groups, common, .. } = line[0];
        judged.check(
            few > 1.0 + FLAT && all > few,
            format!("{groups} groups, {common} common: {few:.2} by 5 points, {all:.2} by all {POINTS}"),
        );
    }
}

fn block(made: &Made, judged: &mut Judged) {
    let best = blocks::best(&made.transposed);
    let good = best.iter().filter(|(_, ratio)| *ratio <= 1.0 + FLAT).count();
    judged.check(2 * good > best.len(), format!("at {good} of {} squares", best.len()));
    for (best, ratio) in best {
        judged.found(format!("N = {}: {} is best, 64 takes {ratio:.2} times as long", best.n, best.side));
    }
}

/// Splits gains into lines: the gains of a line differ only in the quantity on the axis.
pub(super) fn lines(gains: &[Gain]) -> impl Iterator<Item = &[Gain]> {
    gains.chunk_by(|one, other| {
        (one.groups, one.together) == (other.groups, other.together)
            && one.common.total_cmp(&other.common).is_eq()
    })
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    extent: Extent,
    by_width: &'a [Gain],
    by_known_points: &'a [Gain],
    machine: Vec<MachineAnswer<'a>>,
    transposed: Vec<BlockAnswer>,
    statements: &'a [Row],
}

#[derive(Serialize)]
struct MachineAnswer<'a> {
    common: f64,
    speed_ups: Vec<SpeedUpAnswer<'a>>,
    statements: &'a [Row],
}

#[derive(Serialize)]
struct SpeedUpAnswer<'a> {
    kernel: &'a str,
    method: Method,
    over: Method,
    #[serde(flatten)]
    by: SpeedUp,
}

#[derive(Serialize)]
struct BlockAnswer {
    n: usize,
    block: usize,
    points: u64,
    line_misses: [u64; 2],
    page_misses: [u64; 2],
    cycles_a_point: f64,
}

/// Version of the JSON.
const ANSWER: u32 = 1;

impl Report {
    /// Simulates everything; `command` is the command line that does so.
    ///
    /// # Errors
    ///
    /// Returns the error of a program.
    pub fn simulated(command: String, extent: Extent) -> Result<Self, TransformError> {
        let made = Made {
            by_width: dealing::by_width(extent.seeds),
            by_points: dealing::by_points(extent.seeds),
            transposed: blocks::all(),
        };
        let sizes = machine::sizes(extent.sizes);
        let conditional = COMMON.into_iter().map(|common| {
            let study = machine::study(common, &sizes)?;
            let mut statements = STATEMENTS.judged(&study);
            statements.retain(|row| CONDITIONAL.contains(&row.number));
            // The rules' explanations are about real computers.
            for row in &mut statements {
                row.why = None;
            }
            Ok(Conditional { common, study, statements })
        });
        let conditional = conditional.collect::<Result<_, TransformError>>()?;
        let statements = ALONE.judged(&made);
        Ok(Self { command, extent, made, conditional, statements })
    }

    /// Returns everything as one JSON object.
    pub fn answer(&self) -> impl Serialize + '_ {
        let machine = self.conditional.iter().map(|conditional| MachineAnswer {
            common: conditional.common,
            speed_ups: conditional.speed_ups(),
            statements: &conditional.statements,
        });
        let block = |of: &Transposed| BlockAnswer {
            n: of.n,
            block: of.side,
            points: of.points,
            line_misses: of.misses.lines,
            page_misses: of.misses.pages,
            cycles_a_point: of.cycles(),
        };
        Answer {
            schema: ANSWER,
            extent: self.extent,
            by_width: &self.made.by_width,
            by_known_points: &self.made.by_points,
            machine: machine.collect(),
            transposed: self.made.transposed.iter().map(block).collect(),
            statements: &self.statements,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pfft::simulate2d::cache::Misses;
    use earth_report::statements::Verdict;

    fn gain(known: usize, mean: f64) -> Gain {
        Gain { groups: 2, common: 0.0, together: 1, width: 7.0, known, mean, most: mean }
    }

    fn verdict(number: usize, made: &Made) -> Verdict {
        ALONE.judged(made).iter().find(|row| row.number == number).unwrap().verdict
    }

    #[test]
    fn partial_functions_are_to_win_and_all_points_more() {
        let with = |few: f64, all: f64| {
            let by_points = vec![gain(1, 1.0), gain(5, few), gain(POINTS, all)];
            verdict(23, &Made { by_width: Vec::new(), by_points, transposed: Vec::new() })
        };
        assert_eq!(
            [with(1.2, 1.5), with(1.04, 1.5), with(1.2, 1.2)],
            [Verdict::Holds, Verdict::DoesNotHold, Verdict::DoesNotHold]
        );
    }

    #[test]
    fn a_block_is_optimal_if_none_is_clearly_better_at_most_squares() {
        let with = |others: [u64; 3]| {
            let of = |(&n, others): (&usize, u64)| {
                let made = |side, near| Transposed {
                    n,
                    side,
                    points: 100,
                    misses: Misses { lines: [near, 0], pages: [0; 2] },
                };
                [made(64, 100), made(32, others)]
            };
            let transposed = blocks::SQUARES.iter().zip(others).flat_map(of).collect();
            verdict(31, &Made { by_width: Vec::new(), by_points: Vec::new(), transposed })
        };
        assert_eq!(with([96, 200, 50]), Verdict::Holds);
        assert_eq!(with([90, 200, 50]), Verdict::DoesNotHold);
    }
}
