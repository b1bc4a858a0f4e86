//! Series as matrices: columns, then rows that become columns. Against the definition, on every machine to the bit, in
//! random schedules, its counters, and its memory.

use allocation_counter::measure;
use earth::{Block, Config, Counters, Error, Machine, Run, Shared, lend};
use earth_fft::dataflow::matrix::MatrixError;
use earth_fft::dataflow::transpose::{
    TransposeDone, TransposeFft, TransposeJob, TransposePlan, sides as sides_of,
};
use earth_fft::{Complex, Direction, Effort, Kernel, Norm, PlanError, Precision, Problem};
use earth_kernels::{bound, dft, inverse_dft, relative_error};
use earth_tests::{BOTH, bits, machines, manna50, noise};

type Points<T> = Block<Complex<T>>;

fn plan<T: Precision>(
    sides: [usize; 2],
    blocks: [usize; 2],
    direction: Direction,
) -> Shared<TransposePlan<T>> {
    let problem = Problem::complex(&[sides[0] * sides[1]]).direction(direction);
    Shared::new(TransposePlan::new(&problem, sides, blocks, &Kernel::Earth, Effort::default()).unwrap())
}

fn run<T: Precision>(
    machine: &mut Machine,
    series: Points<T>,
    aside: Points<T>,
    plan: &Shared<TransposePlan<T>>,
) -> Result<Run<TransposeDone<T>>, Error> {
    let job = TransposeJob::new(series, aside, plan.clone());
    machine.run_with(job.shared(), |out| TransposeFft::call(job, out))
}

/// The run of a series of these points.
fn transformed<T: Precision>(
    machine: &mut Machine,
    points: &[Complex<T>],
    sides: [usize; 2],
    blocks: [usize; 2],
    direction: Direction,
) -> Run<TransposeDone<T>> {
    let series = Block::from_vec(1, points.len(), points.to_vec()).unwrap();
    // What is in the matrix aside does not matter.
    let aside = Block::from_vec(points.len(), 1, noise(points.len(), 9)).unwrap();
    run(machine, series, aside, &plan(sides, blocks, direction)).unwrap()
}

fn spectrum<T: Precision>(run: Run<TransposeDone<T>>) -> Vec<Complex<T>> {
    run.value.done.spectrum.into_vec()
}

fn it_is_the_definition<T: Precision>(series: impl Iterator<Item = usize>, blocks: [usize; 2]) {
    let mut machines = [Config::Spn, Config::Dual].map(|config| Machine::threads(3).config(config));
    for n in series {
        let Some(sides) = sides_of(n) else { continue };
        let points = noise::<T>(n, 2);
        for (direction, expected) in BOTH.into_iter().zip([dft(&points), inverse_dft(&points)]) {
            let machine = &mut machines[(n / 2 + usize::from(direction == BOTH[0])) % 2];
            let found = spectrum(transformed(machine, &points, sides, blocks, direction));
            let error = relative_error(&found, &expected);
            assert!(error <= bound::<T>(n), "{sides:?}, {direction:?}: {error}");
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

/// The bits of a transform by one node in one row block and one strip.
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
    for seed in 0..200 {
        for config in [Config::Spn, Config::Dual] {
            let nodes = 2 + seed as usize % 7;
            let machine = Machine::stepper(seed).nodes(nodes).config(config);
            // No value can be parked, so a single one that comes early to a full inlet would be an error.
            let mut machine =
                machine.through_bytes(seed % 2 == 0).parking_limit(0).queue_capacity(1 << (seed % 3));
            let found = spectrum(transformed(&mut machine, &points, sides, [3, 4], Direction::Inverse));
            assert!(bits(&found) == expected, "seed {seed}, {nodes} nodes, {config}");
        }
    }
}

/// Fibers, invokes, signals, block moves, bytes moved, events sent, frames.
type Counts = [u64; 7];

const Z: usize = 16;

/// The counters, by counting what the protocol does instead of by the closed forms at the head of the program.
fn counted([rows, cols]: [usize; 2], blocks: [usize; 2], nodes: usize) -> Counts {
    let cut = |side: usize, block: usize| (0..side).step_by(block).map(move |at| block.min(side - at));
    let all = rows * cols * Z;
    // The main function, the signal that all addresses are known, and the value of the run, of both matrices.
    let mut counts = [4, 0, 2, 0, 2 * all as u64, 0, 1];
    let mut add = |more: Counts| counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
    for (i, height) in cut(rows, blocks[0]).enumerate() {
        let (away, bytes) = (u64::from(i % nodes != 0), height * cols * Z);
        // It is invoked, sends its addresses, gets columns of the result, and sends its time and both matrices home.
        add([2, 1, 5, 3, 3 * bytes as u64, 6 * away, 1]);
        for (j, width) in cut(cols, blocks[1]).enumerate() {
            add([0, 0, 1, 1, (height * width * Z) as u64, u64::from(i % nodes != j % nodes), 0]);
        }
    }
    for (j, width) in cut(cols, blocks[1]).enumerate() {
        let (away, bytes) = (u64::from(j % nodes != 0), rows * width * Z);
        // It is dealt both matrices, sends its address, gets its targets, has its columns ready, gives those of the
        // series back, and sends its time.
        add([2, 1, 5, 1, 3 * bytes as u64, 5 * away, 1]);
    }
    counts
}

#[track_caller]
fn found(counters: &Counters) -> Counts {
    let Counters { fibers, invokes, signals, block_moves, bytes_moved, events_sent, frames, .. } = *counters;
    let none = counters.tokens + counters.tokens_stolen + counters.parked + counters.deferred_reads;
    assert_eq!((none, counters.frames_ended), (0, frames));
    [fibers, invokes, signals, block_moves, bytes_moved, events_sent, frames]
}

#[test]
fn the_counters_are_what_the_protocol_says() {
    for nodes in [1, 2, 3, 8] {
        for mut named in machines(nodes, &[1, 2]) {
            for sides in [[1, 1], [9, 9], [1, 8], [8, 1], [5, 7], [12, 6]] {
                for blocks in [[1, 1], [2, 3], [8, 5], [100, 4]] {
                    let points = noise::<f64>(sides[0] * sides[1], 1);
                    let done = transformed(&mut named.machine, &points, sides, blocks, Direction::Forward);
                    let expected = counted(sides, blocks, nodes);
                    assert_eq!(found(&done.counters), expected, "{sides:?} by {blocks:?}, {}", named.name);
                    let [i, j] = [0, 1].map(|side| sides[side].div_ceil(blocks[side]) as u64);
                    let bytes = (9 * points.len() * Z) as u64;
                    let forms = [
                        2 * i + 2 * j + 4,
                        i + j,
                        i * j + 5 * (i + j) + 2,
                        i * j + 3 * i + j,
                        bytes,
                        i + j + 1,
                    ];
                    assert_eq!([0, 1, 2, 3, 4, 6].map(|count| expected[count]), forms);
                }
            }
        }
    }
}

#[test]
fn phantoms_take_the_cycles_and_counters_of_points() {
    for nodes in [1, 2, 8] {
        for mut named in machines(nodes, &[1]).into_iter().filter(|named| named.machine.is_simulated()) {
            for (sides, blocks) in [([9, 9], [2, 4]), ([1, 7], [1, 2]), ([12, 20], [5, 100])] {
                let points = noise::<f64>(sides[0] * sides[1], 1);
                let done = transformed(&mut named.machine, &points, sides, blocks, Direction::Forward);
                let plan = Shared::new(TransposePlan::<f64>::phantom(sides, blocks).unwrap());
                let [series, aside] = [(); 2].map(|()| Block::phantom(sides[0], sides[1]).unwrap());
                let phantom = run(&mut named.machine, series, aside, &plan).unwrap();
                assert!(phantom.value.done.spectrum.is_phantom());
                assert_eq!(
                    (phantom.counters, phantom.cycles),
                    (done.counters, done.cycles),
                    "{}",
                    named.name
                );
            }
        }
    }
    // 2^34 points on 64 nodes: the time is that of the work, shared by all nodes.
    let (side, nodes) = (1_usize << 17, 64);
    let plan = Shared::new(TransposePlan::<f64>::phantom([side; 2], [1 << 10; 2]).unwrap());
    let [series, aside] = [(); 2].map(|()| Block::phantom(side, side).unwrap());
    let done = run(&mut Machine::simulated(&manna50()).nodes(nodes), series, aside, &plan).unwrap();
    let work = (side * side) as f64 * 34.0 * 5.0 * manna50().work.flop / nodes as f64;
    let ratio = done.cycles.unwrap() as f64 / work;
    assert!((1.0..1.3).contains(&ratio), "{ratio} times the cycles of the work");
}

/// Everything is allocated in the thread that steps the machine, and counted there. The matrix aside is the caller's.
#[test]
fn nothing_large_is_allocated_and_the_result_is_where_the_series_was() {
    for config in [Config::Spn, Config::Dual] {
        let (n, sides) = (1 << 18, [512, 512]);
        let plan = plan::<f64>(sides, [64, 64], Direction::Forward);
        let mut machine = Machine::stepper(1).config(config).nodes(3);
        let mut points = noise::<f64>(n, 1);
        let found = spectrum(transformed(&mut machine, &points, sides, [64, 64], Direction::Forward));
        let mut aside = Some(Block::from_vec(1, n, noise(n, 2)).unwrap());
        let counted = measure(|| {
            let lent = aside.take().unwrap();
            // The spectrum, which is a handle of what was lent, is gone when the loan ends.
            let left = |series| run(&mut machine, series, lent, &plan).map(|run| run.value.aside);
            aside = lend(&mut points, 1, n, left).unwrap().ok();
        });
        let share = counted.bytes_max as f64 / (16 * n) as f64;
        assert!(share < 0.2, "{config}: {share} of the series");
        assert!(bits(&points) == bits(&found), "{config}");
        assert_eq!(aside.map(|aside| aside.len()), Some(n));
    }
}

#[test]
fn the_result_has_the_normalisation_of_its_problem() {
    let points = noise::<f64>(60, 3);
    for (norm, factor) in [(Norm::Forward, 1.0 / 60.0), (Norm::Ortho, 60.0_f64.sqrt().recip())] {
        let problem = Problem::complex(&[60]).norm(norm);
        let plan = TransposePlan::new(&problem, [6, 10], [2, 3], &Kernel::Earth, Effort::default()).unwrap();
        let [series, aside] = [(); 2].map(|()| Block::from_vec(1, 60, points.clone()).unwrap());
        let found = run(&mut Machine::threads(2), series, aside, &Shared::new(plan)).unwrap();
        let expected: Vec<_> = dft(&points).into_iter().map(|x| x * factor).collect();
        assert!(relative_error(&spectrum(found), &expected) <= bound::<f64>(60), "{norm:?}");
    }
}

#[test]
fn what_is_no_matrix_of_the_series_is_refused() {
    let plan = |problem: &Problem, sides, blocks| {
        TransposePlan::<f64>::new(problem, sides, blocks, &Kernel::Earth, Effort::default()).map(drop)
    };
    for problem in [Problem::complex(&[12]).batch(2), Problem::complex(&[13])] {
        let refused = plan(&problem, [3, 4], [1, 1]).unwrap_err();
        assert!(matches!(refused, PlanError::NeedsOneArray { .. }), "{problem}");
    }
    for blocks in [[0, 1], [1, 0]] {
        let refused = plan(&Problem::complex(&[12]), [3, 4], blocks).unwrap_err();
        assert_eq!(refused, PlanError::Matrix(MatrixError::NoRows));
    }
    assert!(matches!(TransposePlan::<f64>::phantom([0, 4], [1, 1]), Err(MatrixError::NoPoints { .. })));
}
