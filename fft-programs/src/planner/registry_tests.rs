//! Tests of the planner's choices and refusals.

use std::any::Any;
use std::num::NonZeroUsize;

use earth::Config;
use earth_fftw::Effort;
use earth_kernels::Direction;
use snapbox::{assert_data_eq, str};

use super::*;
use crate::dataflow::tall::TallPlan;
use crate::dataflow::transpose::solver::TransposeProgram;
use crate::dataflow::two_pass::solver::TwoPassProgram;
use crate::kernel::{Kernel, RowOptions};
use crate::planner::default_nodes;
use crate::problem::Problem;
use crate::solver::Program;
use crate::solvers::{Transpose, TwoPass};

/// The program, its number of nodes, the sides of its matrix, and the rows of its blocks in both passes.
type Told = Option<(&'static str, usize, [usize; 2], [usize; 2])>;

fn choose_for(problem: &Problem, solvers: &Solvers, nodes: usize) -> Result<(Told, Why), PlanError> {
    let (kernel, effort, direction) = (Kernel::Earth, Effort::Estimate, Direction::Forward);
    let options = &RowOptions::new(kernel, effort, direction);
    let named = solvers.named()?;
    let squeezed = problem.squeezed();
    let problem = if named.is_some() { problem } else { &squeezed };
    let request =
        Request { problem, options, phantom: true, nodes: NonZeroUsize::new(nodes), config: Config::Spn };
    let (solver, why) = match named {
        Some(solver) => (Some(solver), Why::Named),
        None => solvers.choose(&request),
    };
    let told = |solver: &Arc<dyn Solver>| {
        let draft = solver.plan_f64(&request)?;
        let (sides, blocks) = sides_and_blocks(&*draft.program);
        Ok::<_, PlanError>((solver.name(), draft.nodes, sides, blocks))
    };
    Ok((solver.map(told).transpose()?, why))
}

fn named(solver: impl Solver + 'static) -> Solvers {
    let mut solvers = Solvers::default();
    solvers.request(Arc::new(solver));
    solvers
}

fn by_name(name: &str, block: usize) -> Result<Solvers, PlanError> {
    let mut solvers = Solvers::default();
    solvers.name(name.to_owned());
    NonZeroUsize::new(block).map_or(Ok(()), |block| solvers.cut(block))?;
    Ok(solvers)
}

/// Returns the sides of a program's matrix, and the rows of its blocks in both passes.
fn sides_and_blocks(program: &dyn Program<f64>) -> ([usize; 2], [usize; 2]) {
    let program: &dyn Any = program;
    if let Some(TwoPassProgram { plan }) = program.downcast_ref::<TwoPassProgram<f64>>() {
        (plan.sides(), [0, 1].map(|pass| plan.cut(pass).rows().max().unwrap_or(0)))
    } else if let Some(TallPlan { rows, columns }) = program.downcast_ref::<TallPlan<f64>>() {
        (rows.sides(), [rows.block(), columns.sides()[1].div_ceil(columns.cut(1).workers())])
    } else {
        let series = program.downcast_ref::<TransposeProgram<f64>>().expect("there is no other program");
        let (plan, sides) = (&series.plan, series.plan.sides());
        (sides, [0, 1].map(|side| sides[side].div_ceil(plan.cut(side).workers())))
    }
}

fn chosen(lengths: &[usize], nodes: usize) -> (Told, Why) {
    choose_for(&Problem::complex(lengths), &Solvers::default(), nodes).unwrap()
}

#[test]
fn one_thread_does_what_nodes_cannot_share() {
    for (lengths, nodes, why) in [
        (&[1021][..], 4, Why::Series),
        (&[34 << 17], 4, Why::Series),
        (&[1 << 20], 1, Why::OneNode),
        (&[4 * 7], 5, Why::Narrow),
        (&[524_287, 5], 4, Why::FewColumns),
        (&[34 << 10, 20], 4, Why::FewColumns),
        (&[64, 3], 4, Why::Narrow),
        (&[1024, 1024], 1, Why::OneNode),
        (&[3, 1 << 20], 4, Why::Narrow),
        (&[3, 1 << 10, 1 << 10], 4, Why::Narrow),
        (&[1, 3, 1 << 20], 4, Why::Narrow),
        (&[1 << 33, 4], 4, Why::NoMatrix),
        (&[4, 1 << 20, 1 << 20], 4, Why::NoMatrix),
    ] {
        assert_eq!(chosen(lengths, nodes), (None, why), "{lengths:?}");
    }
    let batch = Problem::complex(&[64, 64]).batch(2);
    assert_eq!(choose_for(&batch, &Solvers::default(), 3), Ok((None, Why::FewArrays)));
}

#[test]
fn nodes_share_large_arrays_and_requested_ones() {
    let two_pass = |nodes, sides, blocks| Some(("two-pass", nodes, sides, blocks));
    assert_eq!(chosen(&[8, 24], 2), (two_pass(2, [8, 24], [2, 8]), Why::NodesSet));
    assert_eq!(chosen(&[64, 64, 60], 4), (two_pass(4, [64, 3840], [8, 480]), Why::NodesSet));
    let series = |nodes, sides, blocks| Some(("transpose", nodes, sides, blocks));
    assert_eq!(chosen(&[4096], 2), (series(2, [64, 64], [16, 16]), Why::NodesSet));
    let mut solvers = named(TwoPass::new().block(NonZeroUsize::new(3)));
    solvers.name("auto".to_owned());
    let blocks = choose_for(&Problem::complex(&[8, 24]), &solvers, 2);
    assert_eq!(blocks, Ok((two_pass(2, [8, 24], [3, 3]), Why::NodesSet)));
    let usual = default_nodes(Config::Spn);
    let (large, small) = (chosen(&[1024, 512], 0), chosen(&[255, 256], 0));
    let (long, short) = (chosen(&[1 << 20], 0), chosen(&[1 << 18], 0));
    // Small problems are for one thread on any number of cores.
    assert_eq!((short, small), ((None, Why::ShortSeries), (None, Why::Small)));
    if usual == 1 {
        assert_eq!([large, long], [(); 2].map(|()| (None, Why::OneNode)));
    } else {
        let blocks = [1024_usize.div_ceil(2 * usual).next_multiple_of(8); 2];
        let choice = series(usual, [1024, 1024], blocks);
        assert_eq!(long, (choice, Why::LongSeries));
        let [rows, cols] = [1024_usize, 512].map(|side| side.div_ceil(2 * usual));
        let blocks = [rows, cols.next_multiple_of(8)];
        assert_eq!(large, (two_pass(usual, [1024, 512], blocks), Why::Large));
    }
}

/// Checks that dimensions of length one do not count: a single row or column is a series, and a single plane
/// a matrix.
#[test]
fn dimensions_of_one_element_do_not_count() {
    let series = Some(("transpose", 2, [64, 64], [16, 16]));
    for lengths in [&[4096, 1][..], &[1, 4096], &[1, 1, 4096], &[1, 4096, 1], &[4096, 1, 1]] {
        assert_eq!(chosen(lengths, 2), (series, Why::NodesSet), "{lengths:?}");
    }
    let matrix = Some(("two-pass", 2, [40, 64], [10, 16]));
    for lengths in [&[1, 40, 64][..], &[40, 1, 64], &[40, 64, 1]] {
        assert_eq!(chosen(lengths, 2), (matrix, Why::NodesSet), "{lengths:?}");
    }
}

/// Checks columns that are too few for a strip of whole cache lines for each node. Nodes share them as
/// matrices, in two strips and two row blocks a node, of whole cache lines.
#[test]
fn few_long_columns_are_shared_as_matrices() {
    let tall = |nodes, sides, blocks| (Some(("tall", nodes, sides, blocks)), Why::NodesSet);
    assert_eq!(chosen(&[1_000_000, 2], 2), tall(2, [1_000_000, 2], [250_000, 250]));
    assert_eq!(chosen(&[1 << 20, 8], 2), tall(2, [1 << 20, 8], [1 << 18, 256]));
    assert_eq!(chosen(&[1 << 18, 2, 2], 2), tall(2, [1 << 18, 4], [1 << 16, 128]));
    assert_eq!(chosen(&[1 << 18, 1, 3], 4), tall(4, [1 << 18, 3], [1 << 15, 64]));
    assert_eq!(chosen(&[1 << 12, 100], 64), tall(64, [1 << 12, 100], [32, 2]));
    assert_eq!(chosen(&[1 << 16, 16], 2), tall(2, [1 << 16, 16], [1 << 14, 64]));
    // Columns without kernels, and more columns, are cut into strips.
    for lengths in [[34 << 10, 40], [1 << 16, 72]] {
        assert_eq!(chosen(&lengths, 2).0.map(|told| told.0), Some("two-pass"));
    }
}

#[test]
fn a_named_program_is_taken_by_its_name() {
    let named = |lengths: &[usize], algorithm, nodes, block| {
        choose_for(&Problem::complex(lengths), &by_name(algorithm, block)?, nodes)
    };
    let found = |algorithm, nodes, sides, blocks| Ok((Some((algorithm, nodes, sides, blocks)), Why::Named));
    let transpose = |algorithm, sides, blocks| found(algorithm, 2, sides, blocks);
    let long = |algorithm| named(&[1 << 24], algorithm, 2, 0);
    assert_eq!(long("transpose"), transpose("transpose", [1 << 12, 1 << 12], [1 << 10, 1 << 10]));
    assert_eq!(long("ffte"), transpose("ffte", [1 << 8, 1 << 16], [64, 1 << 14]));
    assert_eq!(named(&[60], "transpose", 2, 3), transpose("transpose", [6, 10], [3, 3]));
    let two_pass = |sides, blocks| found("two-pass", 2, sides, blocks);
    assert_eq!(named(&[40, 60], "two-pass", 2, 0), two_pass([40, 60], [10, 16]));
    assert_eq!(named(&[1, 60, 3], "two-pass", 2, 9), two_pass([1, 180], [1, 9]));
    let refused = named(&[12], "two-pass", 1, 0).unwrap_err();
    assert_data_eq!(
        refused.to_string(),
        str!["the algorithm 'two-pass' transforms matrices and images; 'auto' takes both"]
    );
}

fn line(algorithm: &'static str, nodes: usize, block: usize, n: usize) -> Result<(), PlanError> {
    of(&[n], algorithm, nodes, block)
}

fn of(lengths: &[usize], algorithm: &'static str, nodes: usize, block: usize) -> Result<(), PlanError> {
    choose_for(&Problem::complex(lengths), &by_name(algorithm, block)?, nodes).map(drop)
}

#[test]
fn the_transpose_takes_what_is_no_prime() {
    let algorithm = "transpose";
    assert_eq!(line(algorithm, 3, 5, 309), Ok(()));
    for n in [0, 1, 2, 97] {
        assert_eq!(line(algorithm, 1, 0, n), Err(PlanError::NotAProduct { algorithm, numbers: "two", n }));
    }
    let matrix = &[3, 5];
    assert_eq!(of(matrix, algorithm, 2, 0), Err(PlanError::NeedsLine { algorithm }));
    let algorithm = "ffte";
    assert_eq!(line(algorithm, 3, 5, 308), Ok(()));
    for n in [1, 97, 309] {
        assert_eq!(line(algorithm, 1, 0, n), Err(PlanError::NotAProduct { algorithm, numbers: "three", n }));
    }
}

#[test]
fn blocks_are_no_longer_than_a_series() {
    assert_eq!(line("transpose", 1, 257, 256), Err(PlanError::BlockTooLarge { n: 256, block: 257 }));
    assert_eq!(line("transpose", 1, 256, 256), Ok(()));
}

#[test]
fn an_unknown_name_is_refused() {
    let mut solvers = Solvers::default();
    solvers.name("fast".to_owned());
    let error = solvers.named().map(drop).unwrap_err().to_string();
    assert!(error.starts_with("there is no algorithm 'fast'; there are 'auto', 'transpose', "), "{error}");
}

/// Settings survive a round trip through text, and a text of another solver is refused.
#[test]
fn settings_are_text() {
    let block = NonZeroUsize::new(8);
    let solvers: [Arc<dyn Solver>; 2] =
        [Arc::new(TwoPass::new().block(block)), Arc::new(Transpose::ffte().block(block))];
    for solver in solvers {
        let text = solver.settings();
        let usual = solver.with_settings("").expect("no settings are usual settings");
        assert!(!text.is_empty() && usual.settings().is_empty());
        let again = usual.with_settings(&text).expect("it wrote them");
        assert_eq!((again.name(), again.settings()), (solver.name(), text));
        assert!(solver.with_settings("{\"roots\":1}").is_none() && solver.with_settings("8").is_none());
    }
}
