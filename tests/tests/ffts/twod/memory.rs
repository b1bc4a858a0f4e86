//! The memory of a transform: less than a row block in place, a second matrix for a rectangle; and the result
//! is where the input was.

use allocation_counter::measure;
use earth::{Block, Config, Machine, Shared, lend};
use earth_kernels::Direction;
use earth_papers::matrix::{Dealing, MatrixFft, MatrixJob, MatrixPlan};
use earth_tests::{bits, noise};

use super::everywhere::expected;

/// Returns the largest number of bytes that a transform has allocated at once besides its input, divided by
/// the bytes of the input. All memory is allocated, and counted, in the thread that steps the machine.
fn peak(config: Config, rows: usize, cols: usize, block: usize) -> f64 {
    let dealt = Dealing::of_matrix([rows, cols], [block; 2]);
    let plan = Shared::new(MatrixPlan::new(&dealt, Some(&Direction::Forward.into())).unwrap());
    let mut machine = Machine::stepper(1).config(config).nodes(3);
    let mut run = |input| {
        let (matrix, plan) = (Block::from_vec(rows, cols, input).unwrap(), plan.clone());
        let job = MatrixJob::new(matrix, plan);
        machine.run_with(job.shared(), |out| MatrixFft::call(job, out)).unwrap().value.spectrum
    };
    let signal = noise::<f64>(rows * cols, 1);
    // The first run builds the machine.
    run(signal.clone());
    let counted = measure(|| drop(run(signal)));
    counted.bytes_max as f64 / (16 * rows * cols) as f64
}

#[test]
fn a_square_is_transformed_in_place() {
    for config in [Config::Spn, Config::Dual] {
        for block in [512, 128, 50] {
            let peak = peak(config, 512, 512, block);
            assert!(peak < 0.05, "blocks of {block} rows, {config}: {peak} of the matrix");
        }
    }
}

#[test]
fn a_rectangle_takes_a_second_matrix_and_no_more() {
    for config in [Config::Spn, Config::Dual] {
        for block in [1024, 128, 50] {
            let peak = peak(config, 256, 1024, block);
            assert!((1.0..1.05).contains(&peak), "blocks of {block} rows, {config}: {peak} of the matrix");
        }
    }
}

/// Borrowed memory contains the result after the run, although nothing copied the spectrum back.
#[test]
fn the_result_is_where_the_input_was() {
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::threads(3).config(config);
        for (rows, cols) in [(1, 1), (33, 33), (20, 50), (50, 20), (1, 9)] {
            let mut points = noise::<f64>(rows * cols, 1);
            let expected = expected(rows, cols, &points, Direction::Inverse);
            let dealt = Dealing::of_matrix([rows, cols], [4; 2]);
            let plan = Shared::new(MatrixPlan::new(&dealt, Some(&Direction::Inverse.into())).unwrap());
            let ended = lend(&mut points, rows, cols, |matrix| {
                machine.run(|out| MatrixFft::call(MatrixJob::new(matrix, plan), out)).map(|_| ())
            });
            assert_eq!(ended.unwrap(), Ok(()));
            assert!(bits(&points) == expected, "{rows} x {cols}, {config}");
        }
    }
}
