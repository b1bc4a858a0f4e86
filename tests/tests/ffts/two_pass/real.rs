//! Real transforms in two passes. Every machine, cut and schedule gives the bits of one node with uncut
//! passes. Also counters by formula, phantoms, and borrowed memory.

use earth::simulated::{Faults, Profile};
use earth::{Block, Config, Error, Machine, Run, Shared, lend};
use earth_fft::dataflow::Done;
use earth_fft::dataflow::two_pass::{TwoPassFft, TwoPassJob, TwoPassPlan};
use earth_fft::{Direction, PlanError, Precision, Problem};
use earth_kernels::{bound, dft_nd, relative_error};
use earth_memory::lend_for_reading;
use earth_tests::{machines, manna50, noise};
use num_complex::Complex;

use super::counts::counted_of;
use crate::alike::{counts, schedules};

/// Direction of a real transform, and whether numbers are stored in the memory of points, in padded rows.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Method {
    forward: bool,
    padded: bool,
}

const WAYS: [Method; 4] = [
    Method { forward: true, padded: false },
    Method { forward: false, padded: false },
    Method { forward: true, padded: true },
    Method { forward: false, padded: true },
];

impl Method {
    /// Makes the plan, or a plan for phantoms.
    fn plan<T: Precision>(
        self,
        lengths: &[usize],
        blocks: [usize; 2],
        phantom: bool,
    ) -> Result<Shared<TwoPassPlan<T>>, PlanError> {
        let (there, back) = (Problem::real_to_complex(lengths), Problem::complex_to_real(lengths));
        let (there, back) = if self.padded { (there.padded(), back.padded()) } else { (there, back) };
        let plan = match (self.forward, phantom) {
            (true, false) => TwoPassPlan::new(&there, blocks, Some(&Direction::Forward.into())),
            (false, false) => TwoPassPlan::new(&back, blocks, Some(&Direction::Inverse.into())),
            (true, true) => TwoPassPlan::new(&there, blocks, None),
            (false, true) => TwoPassPlan::new(&back, blocks, None),
        };
        plan.map(Shared::new)
    }

    /// Returns the pass that comes first, and the numbers of a row if they have memory of their own.
    fn shape(self, lengths: &[usize]) -> (usize, usize) {
        (usize::from(!self.forward), if self.padded { 0 } else { lengths[1..].iter().product() })
    }
}

/// Returns the rows of the array of points of these numbers, and the points of each.
fn sides(lengths: &[usize]) -> [usize; 2] {
    let last = lengths[lengths.len() - 1];
    [lengths[0], lengths[1..lengths.len() - 1].iter().product::<usize>() * (last / 2 + 1)]
}

/// Returns the arrays of a run: points of noise, and numbers unless they are stored in the points.
fn arrays<T: Precision>(lengths: &[usize], way: Method) -> (Vec<Complex<T>>, Option<Vec<T>>) {
    let [rows, cols] = sides(lengths);
    let numbers = noise::<T>(lengths.iter().product(), 4).into_iter().map(|x| x.re).collect();
    (noise(rows * cols, 3), (!way.padded).then_some(numbers))
}

fn run<T: Precision>(
    machine: &mut Machine,
    plan: &Shared<TwoPassPlan<T>>,
    points: Block<Complex<T>>,
    numbers: Option<Block<T>>,
) -> Result<Run<Done<T>>, Error> {
    let job = TwoPassJob::new(points, (numbers, None), plan.clone());
    machine.run_with(job.shared(), |out| TwoPassFft::call(job, out))
}

/// Runs the transform on arrays of noise.
fn transformed<T: Precision>(
    machine: &mut Machine,
    lengths: &[usize],
    blocks: [usize; 2],
    way: Method,
) -> Run<Done<T>> {
    let (points, numbers) = arrays::<T>(lengths, way);
    let [rows, cols] = sides(lengths);
    let points = Block::from_vec(rows, cols, points).unwrap();
    let numbers = numbers.map(|numbers| Block::from_vec(rows, numbers.len() / rows, numbers).unwrap());
    run(machine, &way.plan(lengths, blocks, false).unwrap(), points, numbers).unwrap()
}

/// Returns the bits of the result, without the padding of padded rows.
fn bits<T: Precision>(run: Run<Done<T>>, lengths: &[usize], way: Method) -> Vec<u64> {
    let last = lengths[lengths.len() - 1];
    let points = |points: Vec<Complex<T>>| points.into_iter().flat_map(|x| [x.re, x.im]).collect::<Vec<_>>();
    let numbers = match run.value.numbers {
        Some(numbers) => numbers.into_vec(),
        None if way.forward => points(run.value.spectrum.into_vec()),
        None => {
            let rows = points(run.value.spectrum.into_vec());
            rows.chunks(2 * (last / 2 + 1)).flat_map(|row| row[..last].to_vec()).collect()
        }
    };
    numbers.into_iter().map(|x| x.widen().to_bits()).collect()
}

/// Returns the bits of one node in one row block and one strip.
fn expected<T: Precision>(lengths: &[usize], way: Method) -> Vec<u64> {
    let mut machine = Machine::stepper(1).nodes(1);
    bits(transformed::<T>(&mut machine, lengths, sides(lengths), way), lengths, way)
}

const ARRAYS: [&[usize]; 14] = [
    &[1, 1],
    &[2, 3],
    &[8, 8],
    &[13, 29],
    &[31, 17],
    &[1, 64],
    &[61, 1],
    &[3, 200],
    &[48, 50],
    &[2, 3, 5],
    &[8, 8, 8],
    &[11, 6, 10],
    &[17, 77],
    &[3, 4, 33],
];

fn the_bits_are_those_of_one_node<T: Precision>(nodes: usize) {
    let mut machines = machines(nodes, &[nodes as u64]);
    for (turn, lengths) in ARRAYS.into_iter().enumerate() {
        for way in WAYS {
            let expected = expected::<T>(lengths, way);
            let [rows, cols] = sides(lengths);
            let blocks = [[rows.div_ceil(4), cols.div_ceil(3)], [3, 8], [1 + rows / 2, cols]][turn % 3];
            for named in &mut machines {
                let done = transformed::<T>(&mut named.machine, lengths, blocks, way);
                let same = bits(done, lengths, way) == expected;
                assert!(same, "{lengths:?} by {blocks:?}, {way:?}, {}", named.name);
            }
        }
    }
}

#[test]
fn real_transforms_have_the_bits_of_one_node() {
    the_bits_are_those_of_one_node::<f64>(1);
    the_bits_are_those_of_one_node::<f32>(2);
    the_bits_are_those_of_one_node::<f64>(3);
    the_bits_are_those_of_one_node::<f64>(8);
}

/// Compares the spectrum of noise with the definition, and transforms it back. Some of the machines send
/// bytes.
#[test]
fn real_transforms_are_the_definition() {
    for mut named in machines(3, &[1]) {
        for [rows, cols] in [[1, 1], [4, 6], [7, 9], [12, 5]] {
            let [forward, inverse] = [WAYS[0], WAYS[1]];
            let (_, numbers) = arrays::<f64>(&[rows, cols], forward);
            let numbers = numbers.unwrap();
            let points: Vec<_> = numbers.iter().map(|&x| Complex::from(x)).collect();
            let whole = dft_nd(&[rows, cols], &points, Direction::Forward);
            let wanted: Vec<_> = whole.chunks(cols).flat_map(|row| row[..=cols / 2].to_vec()).collect();
            let done = transformed::<f64>(&mut named.machine, &[rows, cols], [2, 2], forward);
            let error = relative_error(&done.value.spectrum.into_vec(), &wanted);
            assert!(error <= bound::<f64>(rows * cols), "{rows} x {cols}, {}: {error}", named.name);
            let plan = inverse.plan(&[rows, cols], [3, 2], false).unwrap();
            let spectrum = Block::from_vec(rows, cols / 2 + 1, wanted).unwrap();
            let beside = Some(Block::zeroed(rows, cols));
            let back = run(&mut named.machine, &plan, spectrum, beside).unwrap().value.numbers.unwrap();
            let back: Vec<_> = back.into_vec().into_iter().map(Complex::from).collect();
            assert!(relative_error(&back, &points) <= bound::<f64>(rows * cols), "{}", named.name);
        }
    }
}

#[test]
fn counters_of_real_transforms_follow_the_protocol() {
    for nodes in [1, 2, 3, 8] {
        for mut named in machines(nodes, &[1, 2]) {
            for lengths in [&[1, 1][..], &[9, 9], &[5, 7], &[12, 6], &[3, 2, 5], &[7, 4, 4]] {
                for (blocks, way) in [[1, 1], [2, 3], [8, 5], [100, 100]].into_iter().zip(WAYS) {
                    let done = transformed::<f64>(&mut named.machine, lengths, blocks, way);
                    let (first, numbers) = way.shape(lengths);
                    let expected = counted_of(sides(lengths), blocks, nodes, first, numbers);
                    let name = format!("{lengths:?} by {blocks:?}, {way:?}, {}", named.name);
                    assert_eq!(counts(&done.counters), expected, "{name}");
                }
            }
        }
    }
}

/// Late messages, tiny queues, no parked value.
#[test]
fn random_schedules_of_real_transforms() {
    for lengths in [&[10, 21][..], &[7, 3, 5]] {
        let expected = WAYS.map(|way| expected::<f64>(lengths, way));
        // Two seeds share a way; one of the two sends bytes.
        let turns = (0..120).flat_map(|seed| [seed / 2 % 4; 2]);
        for ((mut machine, name), turn) in schedules(120).zip(turns) {
            let way = WAYS[turn];
            let done = transformed::<f64>(&mut machine, lengths, [3, 4], way);
            assert!(bits(done, lengths, way) == expected[turn], "{lengths:?}, {way:?}, {name}");
        }
    }
}

#[test]
fn phantoms_of_real_transforms_take_what_arrays_take() {
    let profile: Profile = manna50();
    for nodes in [1, 2, 8] {
        for config in [Config::Spn, Config::Dual] {
            let machine = Machine::simulated(&profile).nodes(nodes).config(config);
            let mut machine = machine.faults(Faults { delay: 5_000, slowness: 3 }).seed(7);
            for (lengths, blocks) in [(&[9, 9][..], [2, 4]), (&[1, 7], [1, 2]), (&[12, 3, 4], [5, 100])] {
                for way in WAYS {
                    let done = transformed::<f64>(&mut machine, lengths, blocks, way);
                    let ([rows, cols], (_, numbers)) = (sides(lengths), way.shape(lengths));
                    let plan = way.plan::<f64>(lengths, blocks, true).unwrap();
                    let numbers = (numbers > 0).then(|| Block::phantom(rows, numbers).unwrap());
                    let phantom =
                        run(&mut machine, &plan, Block::phantom(rows, cols).unwrap(), numbers).unwrap();
                    let name = format!("{lengths:?} by {blocks:?}, {way:?}, {machine:?}");
                    let found = &phantom.value;
                    let told = found.numbers.as_ref().map_or(found.spectrum.is_phantom(), Block::is_phantom);
                    assert!(told, "{name}");
                    assert_eq!((phantom.counters, phantom.cycles), (done.counters, done.cycles), "{name}");
                }
            }
        }
    }
}

/// Within a process the borrowed memory contains the result, and memory that was borrowed for reading is
/// unchanged.
#[test]
fn lent_arrays_hold_the_result_of_real_transforms() {
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::threads(3).config(config);
        for lengths in [&[1, 1][..], &[33, 34], &[20, 51], &[1, 9], &[6, 5, 4]] {
            let ([rows, cols], row) = (sides(lengths), lengths[1..].iter().product());
            for way in [WAYS[0], WAYS[1]] {
                let expected = expected::<f64>(lengths, way);
                let plan = way.plan::<f64>(lengths, [4, 3], false).unwrap();
                let (mut points, numbers) = arrays::<f64>(lengths, way);
                let mut numbers = numbers.unwrap();
                let before = numbers.clone();
                let mut both = |points, numbers| run(&mut machine, &plan, points, Some(numbers)).map(drop);
                let found: Vec<f64> = if way.forward {
                    let ended = lend_for_reading(&numbers, rows, row, |numbers| {
                        lend(&mut points, rows, cols, |points| both(points, numbers))
                    });
                    assert_eq!((ended, &numbers), (Ok(Ok(Ok(()))), &before));
                    points.iter().flat_map(|x| [x.re, x.im]).collect()
                } else {
                    let ended = lend(&mut numbers, rows, row, |numbers| {
                        lend(&mut points, rows, cols, |points| both(points, numbers))
                    });
                    assert_eq!(ended, Ok(Ok(Ok(()))));
                    numbers
                };
                let found: Vec<_> = found.into_iter().map(f64::to_bits).collect();
                assert!(found == expected, "{lengths:?}, {way:?}, {config}");
            }
        }
    }
}

/// A run that ends with an error has dropped all borrowed memory, at any point of the transform. Otherwise
/// the process would abort.
#[test]
fn a_run_that_fails_leaves_no_handle_of_lent_arrays() {
    let (lengths, [rows, cols]) = ([12, 10], sides(&[12, 10]));
    let mut failed = 0;
    for way in [WAYS[0], WAYS[1]] {
        let plan = way.plan::<f64>(&lengths, [2, 2], false).unwrap();
        for steps in (1..400).step_by(7) {
            let config = [Config::Spn, Config::Dual][steps % 2];
            let mut machine = Machine::stepper(steps as u64).nodes(3).config(config).step_limit(steps as u64);
            let (mut points, numbers) = arrays::<f64>(&lengths, way);
            let mut numbers = numbers.unwrap();
            let mut both = |points, numbers| run(&mut machine, &plan, points, Some(numbers)).map(drop);
            let ended = if way.forward {
                lend_for_reading(&numbers, rows, 10, |numbers| {
                    lend(&mut points, rows, cols, |points| both(points, numbers))
                })
            } else {
                lend(&mut numbers, rows, 10, |numbers| {
                    lend(&mut points, rows, cols, |points| both(points, numbers))
                })
            };
            failed += usize::from(ended.unwrap().unwrap().is_err());
            // The contents of the arrays are unspecified, and the caller owns them again.
            points.fill(Complex::default());
            numbers.fill(0.0);
        }
    }
    assert!(failed > 20, "{failed} of the runs failed");
}
