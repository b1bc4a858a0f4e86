//! The memory of a transform: far less than the array, and the result is where the input was.

use allocation_counter::measure;
use earth::{Block, Config, Machine, Shared, lend};
use earth_fft::dataflow::two_pass::TwoPassPlan;
use earth_fft::{Layout, Problem};
use earth_kernels::Direction;
use earth_memory::lend_rows;
use earth_tests::{BOTH, bits, machines, noise};
use num_complex::Complex;

use super::{plan, run, sides, transformed};
use crate::alike::counts;

/// All memory is allocated, and counted, in the thread that steps the machine.
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

/// Rows with gaps between them are cut and counted like contiguous rows, and get the same bits.
#[test]
fn gaps_change_neither_bits_nor_counts() {
    let lengths = [20, 50];
    let points = noise::<f64>(20 * 50, 2);
    let layout = Layout { strides: vec![53, 1], distance: 0 };
    let problem = Problem::complex(&lengths).layout(layout);
    let gapped = TwoPassPlan::new(&problem, [6, 16], Some(&Direction::Forward.into())).unwrap();
    let gapped = Shared::new(gapped);
    for mut named in machines(3, &[4]) {
        let machine = &mut named.machine;
        let dense = transformed(machine, &lengths, &points, [6, 16], Direction::Forward);
        let mut array: Vec<_> =
            points.chunks(50).flat_map(|row| row.iter().copied().chain([Complex::from(9.0); 3])).collect();
        array.truncate(19 * 53 + 50);
        let (found, counters) = lend_rows(&mut array, lengths, 53, |array| {
            let run = run(machine, array, &gapped).unwrap();
            (run.value.spectrum.into_vec(), run.counters)
        })
        .unwrap();
        assert!(bits(&found) == bits(&dense.value.spectrum.into_vec()), "{}", named.name);
        assert_eq!(counts(&counters), counts(&dense.counters), "{}", named.name);
        assert!(array.chunks(53).all(|row| row[50..].iter().all(|x| *x == Complex::from(9.0))));
    }
}

/// Borrowed memory contains the result after the run, although nothing copied the spectrum back.
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
