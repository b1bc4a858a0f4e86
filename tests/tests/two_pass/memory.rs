//! The memory of a transform: nothing as large as the array, and the result where the input was.

use allocation_counter::measure;
use earth::{Block, Config, Machine, lend};
use earth_kernels::Direction;
use earth_tests::{BOTH, bits, noise};

use crate::{plan, run, sides, transformed};

/// Everything is allocated in the thread that steps the machine, and counted there.
#[test]
fn an_array_is_transformed_in_place() {
    for config in [Config::Spn, Config::Dual] {
        for (lengths, blocks) in [(&[1024, 1024][..], [128, 128]), (&[64, 128, 128], [8, 2048])] {
            let [rows, cols] = sides(lengths);
            let plan = plan(lengths, blocks, Direction::Forward);
            let mut machine = Machine::stepper(1).config(config).nodes(3);
            let points = noise::<f64>(rows * cols, 1);
            let mut run =
                |points| drop(run(&mut machine, Block::from_vec(rows, cols, points).unwrap(), &plan));
            // The first run builds the machine.
            run(points.clone());
            let counted = measure(|| run(points));
            let share = counted.bytes_max as f64 / (16 * rows * cols) as f64;
            assert!(share < 0.05, "{lengths:?}, {config}: {share} of the array");
        }
    }
}

/// Lent memory holds the result when the run has ended, though nobody has copied the spectrum back.
#[test]
fn the_result_is_where_the_input_was() {
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::threads(3).config(config);
        for (turn, lengths) in
            [&[1, 1][..], &[33, 33], &[20, 50], &[1, 9], &[6, 5, 4]].into_iter().enumerate()
        {
            let ([rows, cols], direction) = (sides(lengths), BOTH[turn % 2]);
            let mut points = noise::<f64>(rows * cols, 1);
            let found = transformed(&mut machine, lengths, &points, [5, 8], direction).value.spectrum;
            let plan = plan(lengths, [4, 3], direction);
            let ended =
                lend(&mut points, rows, cols, |array| run(&mut machine, array, &plan).map(|_| ())).unwrap();
            assert_eq!(ended, Ok(()));
            assert!(bits(&points) == bits(&found.into_vec()), "{lengths:?}, {config}");
        }
    }
}
