//! Series as matrices: columns, then rows that become columns. They are compared with the definition, bitwise
//! on every machine and in random schedules. Also their counters and their memory.

use std::num::NonZeroUsize;

use allocation_counter::measure;
use earth::{Block, Config, Counters, Error, Machine, Run, Shared, lend};
use earth_fft::dataflow::MatrixError;
use earth_fft::dataflow::transpose::{
    Arrays, Form, Room, TransposeDone, TransposeFft, TransposeJob, TransposePlan,
};
use earth_fft::{Complex, Direction, Kind, Norm, PlanError, Precision, Problem};
use earth_kernels::{bound, dft, inverse_dft, relative_error};
use earth_tests::{BOTH, bits, machines, manna50, noise};

use crate::alike::{Counts, counts, schedules};

type Points<T> = Block<Complex<T>>;

fn plan<T: Precision>(
    form: impl Into<Form>,
    blocks: [usize; 2],
    direction: Direction,
) -> Shared<TransposePlan<T>> {
    let form = form.into();
    let problem = Problem::complex(&[form.sides[0] * form.sides[1]]).direction(direction);
    Shared::new(TransposePlan::new(&problem, form, blocks, Some(&direction.into())).unwrap())
}

fn run<T: Precision>(
    machine: &mut Machine,
    series: Points<T>,
    second: Points<T>,
    plan: &Shared<TransposePlan<T>>,
) -> Result<Run<TransposeDone<T>>, Error> {
    let job =
        TransposeJob::new(Arrays { series, result: None, last: None, second: Some(second) }, plan.clone());
    machine.run_with(job.shared(), |out| TransposeFft::call(job, out))
}

/// Runs the transform on a series of these points.
fn transformed<T: Precision>(
    machine: &mut Machine,
    points: &[Complex<T>],
    form: impl Into<Form>,
    blocks: [usize; 2],
    direction: Direction,
) -> Run<TransposeDone<T>> {
    let series = Block::from_vec(1, points.len(), points.to_vec()).unwrap();
    // The initial contents of the scratch matrix do not matter.
    let second = Block::from_vec(points.len(), 1, noise(points.len(), 9)).unwrap();
    run(machine, series, second, &plan(form, blocks, direction)).unwrap()
}

fn form_of(algorithm: &str, points: usize) -> Option<Form> {
    if algorithm == "ffte" { Form::near_cube(points) } else { Form::near_square(points) }
}

fn spectrum<T: Precision>(run: Run<TransposeDone<T>>) -> Vec<Complex<T>> {
    run.value.done.spectrum.into_vec()
}

fn it_is_the_definition<T: Precision>(series: impl Iterator<Item = usize>, blocks: [usize; 2]) {
    let mut machines = [Config::Spn, Config::Dual].map(|config| Machine::threads(3).config(config));
    for n in series {
        let points = noise::<T>(n, 2);
        let expected = [dft(&points), inverse_dft(&points)];
        for algorithm in ["transpose", "ffte"] {
            let Some(form) = form_of(algorithm, n) else { continue };
            for (direction, expected) in BOTH.into_iter().zip(&expected) {
                let machine = &mut machines[(n / 2 + usize::from(direction == BOTH[0])) % 2];
                let found = spectrum(transformed(machine, &points, form, blocks, direction));
                let error = relative_error(&found, expected);
                assert!(error <= bound::<T>(n), "{form:?}, {direction:?}: {error}");
            }
        }
    }
}

#[test]
fn every_product_is_the_definition() {
    it_is_the_definition::<f64>(4..=300, [4, 8]);
    it_is_the_definition::<f32>((4..=300).step_by(7).chain([1024, 1001]), [5, 7]);
    it_is_the_definition::<f64>([2048, 1500, 2 * 509, 1331, 3000].into_iter(), [20, 16]);
}

const SIDES: [[usize; 2]; 8] = [[1, 1], [2, 3], [8, 8], [13, 29], [1, 64], [61, 1], [16, 40], [48, 150]];

/// Returns the bits of a transform by one node in one row block and one strip.
fn expected<T: Precision>(sides: [usize; 2], direction: Direction) -> Vec<[u64; 2]> {
    let points = noise::<T>(sides[0] * sides[1], 1);
    bits(&spectrum(transformed(&mut Machine::stepper(1).nodes(1), &points, sides, sides, direction)))
}

fn the_bits_are_those_of_one_node<T: Precision>(nodes: usize, all: &[[usize; 2]]) {
    let mut machines = machines(nodes, &[nodes as u64]);
    for (turn, &sides) in all.iter().enumerate() {
        let direction = BOTH[turn % 2];
        let (points, expected) = (noise::<T>(sides[0] * sides[1], 1), expected::<T>(sides, direction));
        for blocks in [sides.map(|side| side.div_ceil(3)), [3, 8], [1 + sides[0] / 2, sides[1]]] {
            for named in &mut machines {
                let found = spectrum(transformed(&mut named.machine, &points, sides, blocks, direction));
                assert!(bits(&found) == expected, "{sides:?} by {blocks:?}, {direction:?}, {}", named.name);
            }
        }
    }
}

#[test]
fn every_machine_gives_the_bits_of_one_node() {
    the_bits_are_those_of_one_node::<f64>(1, &SIDES);
    the_bits_are_those_of_one_node::<f32>(2, &SIDES);
    the_bits_are_those_of_one_node::<f64>(3, &SIDES);
    the_bits_are_those_of_one_node::<f64>(8, &[[21, 21], [15, 34]]);
}

#[test]
fn random_schedules_give_the_bits_of_one_node() {
    let sides = [10, 21];
    let (points, expected) = (noise::<f64>(210, 1), expected::<f64>(sides, Direction::Inverse));
    for (mut machine, name) in schedules(200) {
        let found = spectrum(transformed(&mut machine, &points, sides, [3, 4], Direction::Inverse));
        assert!(bits(&found) == expected, "{name}");
    }
}

const Z: usize = 16;

/// Kind of transform: complex, real to complex, or complex to real.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Real {
    No,
    Forward,
    Inverse,
}

/// Memory of the result and of the intermediate points: the series and a scratch matrix, two arrays of their
/// own, or one array and the series.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Memory {
    InPlace,
    Kept,
    Used,
}

/// Returns the lengths of the parts of a side, by worker. If `mirrored`, a worker has pairs of mirror images.
/// The middle line, which is its own image, then goes with the lines before it.
fn workers(side: usize, block: usize, mirrored: bool) -> Vec<Vec<usize>> {
    let lower = if mirrored { side / 2 + 1 } else { side };
    let step = if mirrored { block.div_ceil(2) } else { block };
    let of = |begin: usize| {
        let end = lower.min(begin + step);
        let part = begin..if mirrored && 2 * end == side { end + 1 } else { end };
        let mates = part.clone().filter(|line| mirrored && (side - line) % side != *line).count();
        [part.len(), mates].into_iter().filter(|lines| *lines > 0).collect()
    };
    (0..lower).step_by(step).filter(|begin| !mirrored || *begin == 0 || 2 * begin < side).map(of).collect()
}

/// Returns the counters, by following the protocol instead of the closed forms in the program's module docs.
fn counted([rows, cols]: [usize; 2], blocks: [usize; 2], nodes: usize, real: Real, memory: Memory) -> Counts {
    let (above, across) =
        (workers(rows, blocks[0], real == Real::Forward), workers(cols, blocks[1], real == Real::Inverse));
    // The main function, the signal that all workers are connected, and the value of the run.
    let mut counts = [4, 0, 2, 0, (rows * cols * Z) as u64, 0, 1];
    let mut add = |more: Counts| counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
    let sides = [above.len(), across.len()];
    // Consecutive workers are on the same node.
    let node = |side: usize, worker: usize| worker * nodes / sides[side];
    for (i, parts) in above.iter().enumerate() {
        let away = u64::from(node(0, i) != 0);
        // A worker is invoked, and sends its addresses and its time.
        add([2, 1, 2, 0, 0, 3 * away, 1]);
        for height in parts {
            // A worker gets columns of the result and sends them home. It also returns its memory if that is
            // part of a scratch matrix.
            let sent = if memory == Memory::Used { 2 } else { 3 };
            add([0, 0, sent, 1, (height * cols * Z) as u64, sent * away, 0]);
            for (j, parts) in across.iter().enumerate() {
                let away = u64::from(node(0, i) != node(1, j));
                for width in parts {
                    add([0, 0, 1, 1, (height * width * Z) as u64, away, 0]);
                }
            }
        }
    }
    for (j, parts) in across.iter().enumerate() {
        let away = u64::from(node(1, j) != 0);
        // A worker gets its columns, and sends its time.
        add([1, 1, 1, 0, 0, 2 * away, 0]);
        for width in parts {
            let back = u64::from(memory == Memory::InPlace);
            add([0, 0, back, 0, (rows * width * Z) as u64, back * away, 0]);
        }
    }
    match real {
        Real::No => {}
        // The last point goes to a row block of node 0, home, and out of the run; or to a strip.
        Real::Forward => add([0, 0, 1, 1, 3 * Z as u64, 0, 0]),
        Real::Inverse => add([0, 0, 0, 0, Z as u64, 0, 0]),
    }
    counts
}

const BLOCKS: [[usize; 2]; 4] = [[1, 1], [2, 3], [8, 5], [100, 4]];

/// Returns the closed forms of fibers, invokes, signals, block moves, bytes moved, and frames.
fn forms([rows, cols]: [usize; 2], blocks: [usize; 2], real: Real, memory: Memory) -> [u64; 6] {
    let (above, across) =
        (workers(rows, blocks[0], real == Real::Forward), workers(cols, blocks[1], real == Real::Inverse));
    let [all_i, all_j] = [&above, &across].map(|workers| workers.len() as u64);
    let [i, j] = [&above, &across].map(|workers| workers.iter().map(Vec::len).sum::<usize>() as u64);
    let [r, c] = [real == Real::Forward, real == Real::Inverse].map(u64::from);
    let [s, a] = [memory == Memory::InPlace, memory != Memory::Used].map(u64::from);
    let n = (rows * cols) as u64;
    [
        2 * all_i + all_j + 4,
        all_i + all_j,
        i * j + (2 + a) * i + s * j + 2 * all_i + all_j + r + 2,
        i * j + i + r,
        (4 * n + 3 * r + c) * Z as u64,
        all_i + 1,
    ]
}

#[track_caller]
fn counts_are(counters: &Counters, expected: Counts, forms: [u64; 6], told: &dyn std::fmt::Debug) {
    assert_eq!(counts(counters), expected, "{told:?}");
    assert_eq!([0, 1, 2, 3, 4, 6].map(|count| expected[count]), forms, "{told:?}");
}

#[test]
fn the_counters_follow_the_protocol() {
    for nodes in [1, 2, 3, 8] {
        for mut named in machines(nodes, &[1, 2]) {
            for sides in [[1, 1], [9, 9], [1, 8], [8, 1], [5, 7], [12, 6]] {
                for blocks in BLOCKS {
                    let points = noise::<f64>(sides[0] * sides[1], 1);
                    let done = transformed(&mut named.machine, &points, sides, blocks, Direction::Forward);
                    let expected = counted(sides, blocks, nodes, Real::No, Memory::InPlace);
                    let forms = forms(sides, blocks, Real::No, Memory::InPlace);
                    counts_are(&done.counters, expected, forms, &(sides, blocks, &named.name));
                }
            }
        }
    }
}

/// Compares with the bits of one node in the same blocks. If there are too few pairs to fill a vector, their
/// factors are rounded differently, so other blocks may give other bits.
#[test]
fn the_counters_of_real_numbers_follow_the_protocol() {
    for nodes in [1, 3] {
        for mut named in machines(nodes, &[1]) {
            for sides in [[2, 2], [9, 9], [3, 8], [8, 3], [5, 7], [12, 6]] {
                for blocks in BLOCKS {
                    for memory in [Memory::InPlace, Memory::Kept, Memory::Used] {
                        let n = sides[0] * sides[1];
                        let told = (sides, blocks, memory, &named.name);
                        let problem = Problem::real_to_complex(&[2 * n]);
                        let done = real(&mut named.machine, &problem, sides, blocks, memory);
                        let one =
                            real(&mut Machine::stepper(1).nodes(1), &problem, sides, blocks, Memory::Kept);
                        let expected = counted(sides, blocks, nodes, Real::Forward, memory);
                        counts_are(
                            &done.counters,
                            expected,
                            forms(sides, blocks, Real::Forward, memory),
                            &told,
                        );
                        let last = |run: &Run<TransposeDone<f64>>| run.value.last.as_ref().unwrap().row(0)[0];
                        assert!(bits(&[last(&done)]) == bits(&[last(&one)]), "{told:?}");
                        assert!(bits(&spectrum(done)) == bits(&spectrum(one)), "{told:?}");
                        let problem = Problem::complex_to_real(&[2 * n]);
                        let done = real(&mut named.machine, &problem, sides, blocks, memory);
                        let one =
                            real(&mut Machine::stepper(1).nodes(1), &problem, sides, blocks, Memory::Kept);
                        let expected = counted(sides, blocks, nodes, Real::Inverse, memory);
                        counts_are(
                            &done.counters,
                            expected,
                            forms(sides, blocks, Real::Inverse, memory),
                            &told,
                        );
                        assert!(bits(&spectrum(done)) == bits(&spectrum(one)), "{told:?}");
                    }
                }
            }
        }
    }
}

/// Runs a problem of real numbers.
fn real<K: Kind>(
    machine: &mut Machine,
    problem: &Problem<K>,
    sides: [usize; 2],
    blocks: [usize; 2],
    memory: Memory,
) -> Run<TransposeDone<f64>> {
    let plan = TransposePlan::new(problem, sides, blocks, Some(&Direction::Forward.into())).unwrap();
    let n = sides[0] * sides[1];
    let block = |count, seed| Block::from_vec(1, count, noise::<f64>(count, seed)).unwrap();
    let arrays = Arrays {
        series: block(n, 1),
        result: (memory != Memory::InPlace).then(|| block(n, 3)),
        last: Some(block(1, 4)),
        second: (memory != Memory::Used).then(|| block(n, 2)),
    };
    let job = TransposeJob::new(arrays, Shared::new(plan));
    machine.run_with(job.shared(), |out| TransposeFft::call(job, out)).unwrap()
}

/// While the tiles of one block of vectors travel, the next block is transformed. More blocks therefore take
/// less time if the work takes about as long as the exchange.
#[test]
fn the_exchange_of_a_block_overlaps_the_next_ones_transform() {
    let (sides, nodes) = ([1 << 9; 2], 4);
    let cycles = |each: usize, config: Config| {
        let blocks = [1 << 9; 2].map(|side: usize| side / (nodes * each));
        let problem = Problem::complex(&[1 << 18]);
        let plan = Shared::new(TransposePlan::<f64>::new(&problem, sides, blocks, None).unwrap());
        let [series, second] = [(); 2].map(|()| Block::phantom(sides[0], sides[1]).unwrap());
        let mut profile = manna50();
        profile.work.flop = 1.0;
        let mut machine = Machine::simulated(&profile).nodes(nodes).config(config);
        run(&mut machine, series, second, &plan).unwrap().cycles.unwrap() as f64
    };
    for config in [Config::Spn, Config::Dual] {
        let (whole, blocks) = (cycles(1, config), cycles(4, config));
        assert!(blocks < 0.8 * whole, "{config}: {blocks} in four blocks a node, {whole} in one");
    }
}

#[test]
fn phantoms_take_the_cycles_and_counters_of_points() {
    for nodes in [1, 2, 8] {
        for mut named in machines(nodes, &[1]).into_iter().filter(|named| named.machine.is_simulated()) {
            for (sides, blocks) in [([9, 9], [2, 4]), ([1, 7], [1, 2]), ([12, 20], [5, 100])] {
                let points = noise::<f64>(sides[0] * sides[1], 1);
                let done = transformed(&mut named.machine, &points, sides, blocks, Direction::Forward);
                let problem = Problem::complex(&[points.len()]);
                let plan = Shared::new(TransposePlan::<f64>::new(&problem, sides, blocks, None).unwrap());
                let [series, second] = [(); 2].map(|()| Block::phantom(sides[0], sides[1]).unwrap());
                let phantom = run(&mut named.machine, series, second, &plan).unwrap();
                assert!(phantom.value.done.spectrum.is_phantom());
                let taken = (phantom.counters, phantom.cycles);
                assert_eq!(taken, (done.counters, done.cycles), "{}", named.name);
            }
        }
    }
    // 2^34 points on 64 nodes: the time is the time of the work, shared by all nodes.
    let (side, nodes) = (1_usize << 17, 64);
    let problem = Problem::complex(&[side * side]);
    let plan = Shared::new(TransposePlan::<f64>::new(&problem, [side; 2], [1 << 10; 2], None).unwrap());
    let [series, second] = [(); 2].map(|()| Block::phantom(side, side).unwrap());
    let done = run(&mut Machine::simulated(&manna50()).nodes(nodes), series, second, &plan).unwrap();
    let work = (side * side) as f64 * 34.0 * 5.0 * manna50().work.flop / nodes as f64;
    let ratio = done.cycles.unwrap() as f64 / work;
    assert!((1.0..1.3).contains(&ratio), "{ratio} times the cycles of the work");
}

/// Plans for phantoms of every kind and form take the cycles and counters of plans with points.
#[test]
fn plans_for_phantoms_take_the_cycles_and_counters_of_points() {
    for algorithm in ["transpose", "ffte"] {
        for config in [Config::Spn, Config::Dual] {
            let planner = earth_papers::by_name(algorithm, NonZeroUsize::new(5))
                .unwrap()
                .config(config)
                .nodes(NonZeroUsize::new(3).unwrap());
            let machine = || Machine::simulated(&manna50()).nodes(3).config(config);
            let phantom = planner.clone().phantom();
            let complex = Problem::complex(&[400]);
            let there = Problem::real_to_complex(&[400]);
            let back = Problem::complex_to_real(&[400]);
            let points = noise::<f64>(400, 1);
            let numbers: Vec<_> = points.iter().map(|x| x.re).collect();
            let run = planner.plan::<f64>(&complex).unwrap().run_on(&mut machine(), points.clone()).unwrap();
            let none = phantom.plan::<f64>(&complex).unwrap().run_phantom_on(&mut machine()).unwrap();
            assert_eq!((run.counters, run.cycles), (none.counters, none.cycles));
            let plan = planner.plan_real_to_complex::<f64>(&there).unwrap();
            let run = plan.run_on(&mut machine(), numbers).unwrap();
            let none = phantom.plan_real_to_complex::<f64>(&there).unwrap();
            let none = none.run_phantom_on(&mut machine()).unwrap();
            assert_eq!((run.counters, run.cycles), (none.counters, none.cycles));
            assert_eq!(none.output.len(), run.output.len());
            let plan = planner.plan_complex_to_real::<f64>(&back).unwrap();
            let run = plan.run_on(&mut machine(), points[..201].to_vec()).unwrap();
            let none = phantom.plan_complex_to_real::<f64>(&back).unwrap();
            let none = none.run_phantom_on(&mut machine()).unwrap();
            assert_eq!((run.counters, run.cycles), (none.counters, none.cycles));
            assert_eq!(none.output.len(), run.output.len());
        }
    }
}

/// All memory is allocated, and counted, in the thread that steps the machine. The caller owns the scratch
/// matrix.
#[test]
fn nothing_large_is_allocated_and_the_result_is_where_the_series_was() {
    for config in [Config::Spn, Config::Dual] {
        let (n, sides) = (1 << 18, [512, 512]);
        let plan = plan::<f64>(sides, [64, 64], Direction::Forward);
        let mut machine = Machine::stepper(1).config(config).nodes(3);
        let mut points = noise::<f64>(n, 1);
        let found = spectrum(transformed(&mut machine, &points, sides, [64, 64], Direction::Forward));
        let mut second = Some(Block::from_vec(1, n, noise(n, 2)).unwrap());
        let counted = measure(|| {
            let lent = second.take().unwrap();
            // The spectrum is a handle of borrowed memory, so it is dropped before the loan ends.
            let left = |series| {
                run(&mut machine, series, lent, &plan).map(|run| run.value.second.map(Room::into_block))
            };
            second = lend(&mut points, 1, n, left).unwrap().ok().flatten();
        });
        let share = counted.bytes_max as f64 / (16 * n) as f64;
        assert!(share < 0.2, "{config}: {share} of the series");
        assert!(bits(&points) == bits(&found), "{config}");
        assert_eq!(second.map(|second| second.len()), Some(n));
    }
}

#[test]
fn the_result_has_the_normalisation_of_its_problem() {
    let points = noise::<f64>(60, 3);
    for (norm, factor) in [(Norm::Forward, 1.0 / 60.0), (Norm::Ortho, 60.0_f64.sqrt().recip())] {
        let problem = Problem::complex(&[60]).norm(norm);
        let plan = TransposePlan::new(&problem, [6, 10], [2, 3], Some(&Direction::Forward.into())).unwrap();
        let [series, second] = [(); 2].map(|()| Block::from_vec(1, 60, points.clone()).unwrap());
        let found = run(&mut Machine::threads(2), series, second, &Shared::new(plan)).unwrap();
        let expected: Vec<_> = dft(&points).into_iter().map(|x| x * factor).collect();
        assert!(relative_error(&spectrum(found), &expected) <= bound::<f64>(60), "{norm:?}");
    }
}

#[test]
fn shapes_that_do_not_fit_the_series_are_refused() {
    let plan = |problem: &Problem, sides, blocks| {
        TransposePlan::<f64>::new(problem, sides, blocks, Some(&Direction::Forward.into())).map(drop)
    };
    for problem in [Problem::complex(&[12]).batch(2), Problem::complex(&[13])] {
        let refused = plan(&problem, [3, 4], [1, 1]).unwrap_err();
        assert!(matches!(refused, PlanError::NeedsOneArray { .. }), "{problem}");
    }
    for blocks in [[0, 1], [1, 0]] {
        let refused = plan(&Problem::complex(&[12]), [3, 4], blocks).unwrap_err();
        assert_eq!(refused, PlanError::Matrix(MatrixError::NoRows));
    }
    let none = TransposePlan::<f64>::new(&Problem::complex(&[0]), [0, 4], [1, 1], None);
    assert!(matches!(none, Err(PlanError::Matrix(MatrixError::NoPoints { .. }))));
    let odd = TransposePlan::<f64>::new(&Problem::real_to_complex(&[9]), [2, 2], [1, 1], None);
    assert!(matches!(odd, Err(PlanError::NotPairs { n: 9, .. })));
}
