//! All simulations of the PFFT paper, with the verdicts that follow, as rows and JSON.

use earth_fft::TransformError;
use earth_report::document::Paper;
use earth_report::statements::{Change, FLAT, Judged, Row, Statements, judges};
use serde::Serialize;

use super::assumed::Assumed;
use super::blocks::{self, Transposed};
use super::dealing::{self, Gain, PARTIAL_WIDTH, POINTS};
use super::machine;
use crate::pfft::measure::SpeedUp;
use crate::pfft::study::statements::STATEMENTS;
use crate::pfft::study::{Band, Method, Study};

/// Shares of the variance that are assumed common to all rows of a length. The second one is the estimate.
const COMMON: [f64; 3] = [0.0, 0.45, 0.9];

/// Statements that the simulated machine judges, by their numbers in the study. Statements on bands of N and
/// on peaks follow from the assumption that widths do not change with N.
const CONDITIONAL: [usize; 7] = [7, 9, 10, 11, 12, 13, 17];

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
    /// Verdicts at the estimates, and the parameters that turn them.
    pub(super) paper: Paper,
}

/// Results that need no simulated machine.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) by_width: Vec<Gain>,
    pub(super) by_points: Vec<Gain>,
    /// Gains at the assumed share and width.
    pub(super) partial: Vec<Gain>,
    pub(super) transposed: Vec<Transposed>,
}

/// Statements that need no machine, by their numbers in the study.
const ALONE: Statements<Made> =
    Statements { table: include_str!("statements.md"), judges: judges![partial, block] };

fn partial(made: &Made, judged: &mut Judged) {
    for line in lines(&made.partial) {
        let of =
            |known: usize| line.iter().find(|gain| gain.known == known).map_or(f64::NAN, |gain| gain.mean);
        let [few, all] = [of(5), of(POINTS)];
        judged.program(format!("{} groups", line[0].groups)).check(
            few > 1.0 + FLAT,
            format!("{few:.2} times as fast with 5 points, {all:.2} with all {POINTS}"),
        );
    }
}

fn block(made: &Made, judged: &mut Judged) {
    for (best, ratio) in blocks::best(&made.transposed) {
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
const ANSWER: u32 = 2;

impl Report {
    /// Simulates everything; `command` is the command line that does so.
    ///
    /// # Errors
    ///
    /// Returns the error of a program.
    pub fn simulated(command: String, extent: Extent) -> Result<Self, TransformError> {
        let assumed = Assumed::default();
        let points = |common: &[f64], width| dealing::by_points(extent.seeds, common, width);
        let made = Made {
            by_width: dealing::by_width(extent.seeds),
            by_points: points(&COMMON[..2], PARTIAL_WIDTH),
            partial: points(&[assumed.common], PARTIAL_WIDTH),
            transposed: blocks::all(),
        };
        let sizes = machine::sizes(extent.sizes);
        let conditional = COMMON.into_iter().map(|common| {
            let study = machine::study(&Assumed { common, ..assumed }, &sizes)?;
            let mut statements = STATEMENTS.judged(&study);
            statements.retain(|row| CONDITIONAL.contains(&row.number));
            Ok(Conditional { common, study, statements })
        });
        let conditional = conditional.collect::<Result<Vec<_>, TransformError>>()?;
        let changed = assumed.changes().into_iter().map(|change| {
            let study = machine::study(&assumed.changed(&change), &sizes)?;
            Ok((change, study))
        });
        let changed = changed.collect::<Result<Vec<_>, TransformError>>()?;
        let mut statements = STATEMENTS.judged_again(&conditional[1].study, changed);
        statements.retain(|row| CONDITIONAL.contains(&row.number));
        // The rules' explanations are about real computers.
        for row in &mut statements {
            row.why = None;
        }
        let partial = assumed.changes().into_iter().filter(is_of_functions).map(|change| {
            let Assumed { common, width, .. } = assumed.changed(&change);
            let partial = points(&[common], width * PARTIAL_WIDTH);
            (change, Made { by_width: Vec::new(), by_points: Vec::new(), partial, transposed: Vec::new() })
        });
        statements.extend(ALONE.judged_again(&made, partial.collect::<Vec<_>>()));
        statements.sort_by_key(|row| row.number);
        let paper = Paper {
            statements,
            errata: Vec::new(),
            parameters: assumed.parameters(),
            changes: include_str!("changes.md"),
        };
        Ok(Self { command, extent, made, conditional, paper })
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
            statements: &self.paper.statements,
        }
    }
}

/// Returns whether a change is of the speed functions, and not of the machine.
fn is_of_functions(change: &Change) -> bool {
    ["common", "width"].contains(&change.parameter.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use earth_report::statements::Verdict;

    fn gain(groups: usize, known: usize, mean: f64) -> Gain {
        Gain { groups, common: 0.0, together: 1, width: 7.0, known, mean, most: mean }
    }

    fn made(partial: Vec<Gain>) -> Made {
        Made { by_width: Vec::new(), by_points: Vec::new(), partial, transposed: Vec::new() }
    }

    #[test]
    fn partial_functions_must_win_with_each_number_of_groups() {
        let with = |two: f64, four: f64| {
            let made = made(vec![gain(2, 5, two), gain(4, 5, four)]);
            ALONE.judged(&made).into_iter().find(|row| row.number == 23).unwrap().verdict
        };
        assert_eq!(
            [with(1.2, 1.2), with(1.2, 1.04), with(1.04, 1.04)],
            [Verdict::Holds, Verdict::InPart, Verdict::DoesNotHold]
        );
    }

    #[test]
    fn statements_that_the_assumptions_decide_are_not_judged() {
        let report = Report::simulated(String::new(), Extent { seeds: 2, sizes: 2 }).unwrap();
        let rows = &report.paper.statements;
        assert!(rows.is_sorted_by_key(|row| row.number));
        for number in [14, 15, 16, 18, 27, 28, 31] {
            let row = rows.iter().find(|row| row.number == number).unwrap();
            assert!(row.verdict == Verdict::CannotBeTold && row.tell.is_some(), "{row:?}");
        }
        for number in CONDITIONAL {
            let row = rows.iter().find(|row| row.number == number).unwrap();
            assert!(!row.cells.is_empty(), "{row:?}");
        }
    }
}
