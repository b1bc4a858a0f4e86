//! What is chosen, and what is refused.

use super::*;
use earth_fftw::Effort;
use earth_kernels::Direction;

use std::any::Any;

use earth::Config;

use crate::dataflow::manycore::program::RadixProgram;
use crate::dataflow::matrix::RowOptions;
use crate::dataflow::receiver::program::ReceiverProgram;
use crate::dataflow::sender::program::SenderProgram;
use crate::dataflow::tall::program::TallProgram;
use crate::dataflow::transpose::program::TransposeProgram;
use crate::dataflow::two_pass::program::TwoPassProgram;
use crate::problem::Problem;

/// What was chosen: the program, its nodes, the sides of its matrix, and the rows of its blocks in both passes.
type Told = Option<(Algorithm, usize, [usize; 2], [usize; 2])>;

fn choose_for(problem: &Problem, wishes: &Wishes) -> Result<(Told, Why), PlanError> {
    let (kernel, effort, direction) = (Kernel::Earth, Effort::Estimate, Direction::Forward);
    let options = &RowOptions::new(kernel, effort, direction);
    // Receivers have no phantoms.
    let phantom = wishes.algorithm != Algorithm::ReceiverShared;
    let request = Request { problem, options, phantom, config: Config::Spn };
    let (chosen, why) = choose::<f64>(request, wishes)?;
    let told = |Chosen { program, nodes }: Chosen<f64>| {
        let (sides, blocks) = sides_and_blocks(&*program);
        (program.algorithm(), nodes, sides, blocks)
    };
    Ok((chosen.map(told), why))
}

/// The sides of the matrix of a program, and the rows of its blocks in both passes.
fn sides_and_blocks(program: &dyn Program<f64>) -> ([usize; 2], [usize; 2]) {
    let program: &dyn Any = program;
    if let Some(SenderProgram { plan, .. }) = program.downcast_ref::<SenderProgram<f64>>() {
        ([1, plan.order().points()], [plan.order().block(); 2])
    } else if let Some(ReceiverProgram { plan, .. }) = program.downcast_ref::<ReceiverProgram<f64>>() {
        ([1, plan.order().points()], [0; 2])
    } else if let Some(RadixProgram { plan, .. }) = program.downcast_ref::<RadixProgram<f64>>() {
        ([1, plan.order().points()], [plan.order().block(); 2])
    } else if let Some(MatrixProgram { plan, sides, .. }) = program.downcast_ref::<MatrixProgram<f64>>() {
        (*sides, [0, 1].map(|pass| plan.pass(pass).block()))
    } else if let Some(TwoPassProgram { plan }) = program.downcast_ref::<TwoPassProgram<f64>>() {
        (plan.sides(), [0, 1].map(|pass| plan.cut(pass).rows().max().unwrap_or(0)))
    } else if let Some(tall) = program.downcast_ref::<TallProgram<f64>>() {
        let (rows, columns) = (tall.plan().rows(), tall.plan().columns());
        (rows.sides(), [rows.block(), columns.sides()[1].div_ceil(columns.cut(1).workers())])
    } else {
        let series = program.downcast_ref::<TransposeProgram<f64>>().expect("there is no other program");
        let (plan, sides) = (series.plan(), series.plan().sides());
        (sides, [0, 1].map(|side| sides[side].div_ceil(plan.cut(side).workers())))
    }
}

fn chosen(lengths: &[usize], nodes: usize) -> (Told, Why) {
    let wishes = Wishes { nodes: NonZeroUsize::new(nodes), ..Wishes::default() };
    choose_for(&Problem::complex(lengths), &wishes).unwrap()
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
    let wishes = Wishes { nodes: NonZeroUsize::new(2), ..Wishes::default() };
    assert_eq!(choose_for(&batch, &wishes), Ok((None, Why::NoMatrix)));
}

#[test]
fn nodes_share_arrays_that_are_large_or_were_asked_to_be_shared() {
    let two_pass = |nodes, sides, blocks| Some((Algorithm::TwoPass, nodes, sides, blocks));
    assert_eq!(chosen(&[8, 24], 2), (two_pass(2, [8, 24], [2, 8]), Why::NodesAsked));
    assert_eq!(chosen(&[64, 64, 60], 4), (two_pass(4, [64, 3840], [8, 480]), Why::NodesAsked));
    let series = |nodes, sides, blocks| Some((Algorithm::Transpose, nodes, sides, blocks));
    assert_eq!(chosen(&[4096], 2), (series(2, [64, 64], [16, 16]), Why::NodesAsked));
    let wishes = Wishes { nodes: NonZeroUsize::new(2), block: NonZeroUsize::new(3), ..Wishes::default() };
    let blocks = choose_for(&Problem::complex(&[8, 24]), &wishes);
    assert_eq!(blocks, Ok((two_pass(2, [8, 24], [3, 3]), Why::NodesAsked)));
    let usual = default_nodes(Config::Spn);
    let (large, small) = (chosen(&[1024, 512], 0), chosen(&[255, 256], 0));
    let (long, short) = (chosen(&[1 << 20], 0), chosen(&[1 << 18], 0));
    // Small problems are for one thread whatever the cores.
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

/// Dimensions of one element are none, so that a single row or column is a series, and a single plane a matrix.
#[test]
fn dimensions_of_one_element_do_not_count() {
    let series = Some((Algorithm::Transpose, 2, [64, 64], [16, 16]));
    for lengths in [&[4096, 1][..], &[1, 4096], &[1, 1, 4096], &[1, 4096, 1], &[4096, 1, 1]] {
        assert_eq!(chosen(lengths, 2), (series, Why::NodesAsked), "{lengths:?}");
    }
    let matrix = Some((Algorithm::TwoPass, 2, [40, 64], [10, 16]));
    for lengths in [&[1, 40, 64][..], &[40, 1, 64], &[40, 64, 1]] {
        assert_eq!(chosen(lengths, 2), (matrix, Why::NodesAsked), "{lengths:?}");
    }
}

/// Columns of which there are too few for a strip of whole cache lines for each node are shared as matrices, in strips and
/// row blocks of whole cache lines, two a node.
#[test]
fn few_long_columns_are_shared_as_matrices() {
    let tall = |nodes, sides, blocks| (Some((Algorithm::Tall, nodes, sides, blocks)), Why::NodesAsked);
    assert_eq!(chosen(&[1_000_000, 2], 2), tall(2, [1_000_000, 2], [250_000, 250]));
    assert_eq!(chosen(&[1 << 20, 8], 2), tall(2, [1 << 20, 8], [1 << 18, 256]));
    assert_eq!(chosen(&[1 << 18, 2, 2], 2), tall(2, [1 << 18, 4], [1 << 16, 128]));
    assert_eq!(chosen(&[1 << 18, 1, 3], 4), tall(4, [1 << 18, 3], [1 << 15, 64]));
    assert_eq!(chosen(&[1 << 12, 100], 64), tall(64, [1 << 12, 100], [32, 2]));
    assert_eq!(chosen(&[1 << 16, 16], 2), tall(2, [1 << 16, 16], [1 << 14, 64]));
    // Columns without kernels, and more columns, are cut into strips.
    for lengths in [[34 << 10, 40], [1 << 16, 72]] {
        assert_eq!(chosen(&lengths, 2).0.map(|told| told.0), Some(Algorithm::TwoPass));
    }
}

#[test]
fn a_named_program_is_taken_by_its_name() {
    let named = |lengths: &[usize], algorithm, nodes, block| {
        let [nodes, block] = [nodes, block].map(NonZeroUsize::new);
        let wishes = Wishes { algorithm, nodes, block, ..Wishes::default() };
        choose_for(&Problem::complex(lengths), &wishes)
    };
    let found = |algorithm, nodes, sides, blocks| Ok((Some((algorithm, nodes, sides, blocks)), Why::Named));
    let sender = found(Algorithm::Sender, 3, [1, 16], [2, 2]);
    assert_eq!(named(&[16], Algorithm::Sender, 3, 2), sender);
    let receiver = found(Algorithm::ReceiverShared, 4, [1, 16], [0, 0]);
    assert_eq!(named(&[16], Algorithm::ReceiverShared, 4, 0), receiver);
    let transpose = |algorithm, sides, blocks| found(algorithm, 2, sides, blocks);
    let long = |algorithm| named(&[1 << 24], algorithm, 2, 0);
    assert_eq!(
        long(Algorithm::Transpose),
        transpose(Algorithm::Transpose, [1 << 12, 1 << 12], [1 << 10, 1 << 10])
    );
    assert_eq!(long(Algorithm::Ffte), transpose(Algorithm::Ffte, [1 << 8, 1 << 16], [64, 1 << 14]));
    assert_eq!(named(&[60], Algorithm::Transpose, 2, 3), transpose(Algorithm::Transpose, [6, 10], [3, 3]));
    let stages = found(Algorithm::Radix4, 3, [1, 64], [4, 4]);
    assert_eq!(named(&[64], Algorithm::Radix4, 3, 4), stages);
    // Two threads a node of a power of 8 butterflies, of 8 points each.
    let usual = found(Algorithm::Radix8, 3, [1, 1 << 12], [64, 64]);
    assert_eq!(named(&[1 << 12], Algorithm::Radix8, 3, 0), usual);
    assert_eq!(named(&[8], Algorithm::Radix8, 3, 0), found(Algorithm::Radix8, 3, [1, 8], [1, 1]));
    let grouped = found(Algorithm::Grouped, 1, [4, 6], [2, 2]);
    assert_eq!(named(&[4, 6], Algorithm::Grouped, 1, 2), grouped);
    let two_pass = |sides, blocks| found(Algorithm::TwoPass, 2, sides, blocks);
    assert_eq!(named(&[40, 60], Algorithm::TwoPass, 2, 0), two_pass([40, 60], [10, 16]));
    assert_eq!(named(&[1, 60, 3], Algorithm::TwoPass, 2, 9), two_pass([1, 180], [1, 9]));
    let refused = named(&[12], Algorithm::TwoPass, 1, 0).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the algorithm 'two-pass' transforms matrices and images; 'auto' takes both"
    );
    let algorithm = Algorithm::Grouped;
    assert_eq!(named(&[4, 6, 2], algorithm, 1, 2), Err(PlanError::NeedsOneArray { algorithm }));
    let refused = named(&[12], Algorithm::Sender, 1, 0).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the algorithm 'sender' takes a power of two of samples and there are 12; 'auto' takes any number"
    );
}

fn line(algorithm: Algorithm, nodes: usize, block: usize, n: usize) -> Result<(), PlanError> {
    of(Shape::Line(n), algorithm, nodes, block)
}

fn of(shape: Shape, algorithm: Algorithm, nodes: usize, block: usize) -> Result<(), PlanError> {
    check(shape, algorithm, NonZeroUsize::new(nodes), NonZeroUsize::new(block))
}

#[test]
fn the_sender_takes_powers_of_two_and_auto_takes_all() {
    assert_eq!(line(Algorithm::Auto, 3, 5, 309), Ok(()));
    assert_eq!(line(Algorithm::Sender, 3, 16, 256), Ok(()));
    assert_eq!(line(Algorithm::Sender, 2, 1, 1), Ok(()));
    let algorithm = Algorithm::Sender;
    assert_eq!(line(algorithm, 2, 16, 309), Err(PlanError::NotAPowerOfTwo { algorithm, n: 309 }));
    assert_eq!(line(algorithm, 2, 12, 256), Err(PlanError::BlockNotAPowerOfTwo { algorithm, block: 12 }));
}

#[test]
fn receivers_take_powers_of_two_and_no_blocks() {
    for algorithm in [Algorithm::Receiver, Algorithm::ReceiverShared] {
        assert_eq!(line(algorithm, 0, 0, 256), Ok(()));
        assert_eq!(line(algorithm, 64, 0, 64), Ok(()));
        assert_eq!(line(algorithm, 2, 0, 309), Err(PlanError::NotAPowerOfTwo { algorithm, n: 309 }));
        assert_eq!(line(algorithm, 2, 4, 256), Err(PlanError::NoBlocks { algorithm }));
        for nodes in [3, 128] {
            let refusal = PlanError::NodesNotAPowerOfTwo { algorithm, nodes, n: 64 };
            assert_eq!(line(algorithm, nodes, 0, 64), Err(refusal));
        }
    }
}

#[test]
fn stages_take_powers_of_their_radix() {
    for (algorithm, radix, n) in [
        (Algorithm::Radix2, 2, 309),
        (Algorithm::Radix2Local, 2, 1),
        (Algorithm::Radix4, 4, 32),
        (Algorithm::Radix8, 8, 256),
    ] {
        assert_eq!(line(algorithm, 3, 0, radix * radix), Ok(()));
        assert_eq!(line(algorithm, 3, radix, radix * radix), Ok(()));
        assert_eq!(line(algorithm, 3, 0, n), Err(PlanError::NotAPowerOfRadix { algorithm, radix, n }));
        for (n, block) in [(512_usize.pow(2), 3), (radix, radix)] {
            assert_eq!(
                line(algorithm, 1, block, n),
                Err(PlanError::BlockOfRadix { algorithm, radix, n, block })
            );
        }
    }
    let algorithm = Algorithm::Radix4;
    let refused = line(algorithm, 1, 8, 1024).unwrap_err().to_string();
    let sentence =
        "the algorithm 'radix-4' takes a power of 4 as block size, at most 256 for 1024 samples, not 8";
    assert_eq!(refused, sentence);
    let matrix = Shape::Matrix { rows: 4, cols: 4 };
    assert_eq!(of(matrix, algorithm, 2, 0), Err(PlanError::NeedsLine { algorithm }));
}

#[test]
fn barriers_are_for_stages() {
    let with_barriers = |algorithm| {
        let wishes = Wishes { algorithm, barriers: true, ..Wishes::default() };
        choose_for(&Problem::complex(&[64]), &wishes).map(|(told, _)| told.map(|told| told.0))
    };
    for algorithm in [Algorithm::Radix2, Algorithm::Radix2Local, Algorithm::Radix4, Algorithm::Radix8] {
        assert_eq!(with_barriers(algorithm), Ok(Some(algorithm)));
    }
    for algorithm in [Algorithm::Auto, Algorithm::Sender, Algorithm::Receiver, Algorithm::Transpose] {
        assert_eq!(with_barriers(algorithm), Err(PlanError::NoBarriers { algorithm }));
    }
    let refused = with_barriers(Algorithm::Sender).unwrap_err();
    let sentence = "the algorithm 'sender' has no stages to wait for; barriers are for 'radix-2', 'radix-2-local', 'radix-4' and 'radix-8'";
    assert_eq!(refused.to_string(), sentence);
}

#[test]
fn the_transpose_takes_what_is_no_prime() {
    let algorithm = Algorithm::Transpose;
    assert_eq!(line(algorithm, 3, 5, 309), Ok(()));
    for n in [0, 1, 2, 97] {
        assert_eq!(line(algorithm, 1, 0, n), Err(PlanError::NotAProduct { algorithm, n }));
    }
    let matrix = Shape::Matrix { rows: 3, cols: 5 };
    assert_eq!(of(matrix, algorithm, 2, 0), Err(PlanError::NeedsLine { algorithm }));
    let algorithm = Algorithm::Ffte;
    assert_eq!(line(algorithm, 3, 5, 308), Ok(()));
    for n in [1, 97, 309] {
        assert_eq!(line(algorithm, 1, 0, n), Err(PlanError::NotAProduct { algorithm, n }));
    }
}

#[test]
fn matrices_are_for_grouped_and_auto() {
    let matrix = Shape::Matrix { rows: 3, cols: 5 };
    for algorithm in [Algorithm::Auto, Algorithm::Grouped] {
        assert_eq!(of(matrix, algorithm, 2, 0), Ok(()));
    }
    let algorithm = Algorithm::Sender;
    assert_eq!(of(matrix, algorithm, 2, 0), Err(PlanError::NeedsLine { algorithm }));
    let algorithm = Algorithm::Grouped;
    assert_eq!(line(algorithm, 2, 0, 16), Err(PlanError::NeedsMatrix { algorithm }));
    assert_eq!(of(matrix, algorithm, 2, 5), Ok(()), "the transpose has five rows");
    assert_eq!(of(matrix, algorithm, 2, 6), Err(PlanError::RowBlockTooLarge { rows: 3, cols: 5, block: 6 }));
    let endless = Shape::Matrix { rows: usize::MAX, cols: 2 };
    assert_eq!(of(endless, Algorithm::Auto, 0, 0), Err(PlanError::TooManySamples));
}

#[test]
fn sizes_that_no_program_could_use_are_refused_for_all() {
    for algorithm in [Algorithm::Auto, Algorithm::Sender] {
        assert_eq!(line(algorithm, 1, 257, 256), Err(PlanError::BlockTooLarge { n: 256, block: 257 }));
        assert_eq!(line(algorithm, 1, 256, 256), Ok(()));
    }
}
