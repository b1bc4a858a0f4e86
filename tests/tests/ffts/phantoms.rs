//! Transforms without data compared with the same transforms with data: equal cycles, phases and counters on
//! every machine of virtual time. Also transforms that are larger than any memory.

use std::num::NonZeroUsize;

use allocation_counter::measure;
use earth::simulated::{Faults, Profile, Schedule};
use earth::{Block, Config, Counters, Machine, Shared};
use earth_fft::dataflow::Phases;
use earth_fft::dataflow::work::KERNELS;
use earth_fft::{PlanError, PlanRun, Planner, Precision, Problem, TransformError};
use earth_kernels::Direction;
use earth_papers::matrix::{Dealing, MatrixJob, MatrixPlan};
use earth_papers::receiver::{ReceiverJob, ReceiverPlan, RequestMode};
use earth_papers::sender::{SenderFft, SenderJob, SenderPlan};
use earth_papers::{Grouped, Sender};
use earth_tests::{BOTH, machines, manna50, matrix, noise, on, row, sender};
use num_complex::Complex;
use snapbox::{assert_data_eq, str};

/// Returns the MANNA profile with a different cost for each kernel. No kernel can be left out unnoticed:
/// copies alone have no flops.
fn costly() -> Profile {
    let mut profile = manna50();
    for (kernel, cycles) in KERNELS.into_iter().zip([3.0, 7.0, 11.0, 2.5]) {
        profile.work.kernels.insert(kernel.name().to_owned(), cycles);
    }
    profile
}

/// Returns every kind of machine with virtual time, and machines with faults.
fn virtual_machines(nodes: usize) -> Vec<(String, Machine)> {
    let mut all: Vec<_> = machines(nodes, &[1, 2])
        .into_iter()
        .filter(|named| named.machine.is_simulated())
        .map(|named| (named.name, named.machine))
        .collect();
    for config in [Config::Spn, Config::Dual] {
        let machine = || Machine::simulated(&costly()).nodes(nodes).config(config);
        all.push((format!("{nodes} nodes, costly, {config}"), machine()));
        all.push((format!("{nodes} nodes, costly, bytes, {config}"), machine().through_bytes(true)));
        let faulty = machine().faults(Faults { delay: 5_000, slowness: 3 }).seed(7);
        all.push((format!("{nodes} nodes, faulty, {config}"), faulty));
        let at_random = machine().schedule(Schedule::Random).seed(7);
        all.push((format!("{nodes} nodes, at random, {config}"), at_random));
    }
    all
}

/// Runs of transforms without data.
mod phantom {
    use super::*;

    type Taken<T> = Result<PlanRun<T>, TransformError>;

    fn run<T: Precision>(machine: &mut Machine, planner: Planner, lengths: &[usize]) -> Taken<T> {
        planner.phantom().plan::<T>(&Problem::complex(lengths))?.run_phantom_on(machine)
    }

    pub(super) fn sender<T: Precision>(machine: &mut Machine, points: usize, block: usize) -> Taken<T> {
        let solver = Sender::new().block(NonZeroUsize::new(block));
        run(machine, on(machine, earth_papers::planner().with(solver)), &[points])
    }

    pub(super) fn matrix<T: Precision>(
        machine: &mut Machine,
        rows: usize,
        cols: usize,
        block: Option<usize>,
    ) -> Taken<T> {
        let block = block.and_then(|block| NonZeroUsize::new(block.min(rows.max(cols))));
        let planner = earth_papers::planner().with(Grouped::new().block(block));
        run(machine, on(machine, planner), &[rows, cols])
    }

    pub(super) fn row<T: Precision>(machine: &mut Machine, points: usize) -> Taken<T> {
        run(machine, earth_papers::planner().nodes(NonZeroUsize::MIN), &[points])
    }
}

/// Compares all results of a phantom run with those of a run with data. The phases are compared by their
/// `Debug` text, which shows all fields.
#[track_caller]
fn is_equal<T: Precision>(
    name: &str,
    phantom: Result<PlanRun<T>, TransformError>,
    (phases, cycles, counters): (Phases, Option<u64>, Counters),
) {
    let phantom = phantom.unwrap();
    assert_eq!(phantom.counters, counters, "{name}");
    assert_eq!((phantom.cycles, format!("{:?}", phantom.phases)), (cycles, format!("{phases:?}")), "{name}");
}

#[test]
fn the_sender_takes_what_it_takes_with_data() {
    fn check<T: Precision>(machine: &mut Machine, name: &str, points: usize, block: usize) {
        for direction in BOTH {
            let done = sender(machine, noise::<T>(points, 1), block, direction).unwrap();
            let phantom = phantom::sender::<T>(machine, points, block);
            is_equal(
                &format!("{points} by {block}, {name}"),
                phantom,
                (done.phases, done.cycles, done.counters),
            );
        }
    }
    for nodes in [1, 2, 3, 8] {
        for (name, mut machine) in virtual_machines(nodes) {
            for (points, block) in [(1, 1), (2, 1), (8, 8), (16, 2), (64, 16), (256, 8)] {
                check::<f64>(&mut machine, &name, points, block);
            }
            check::<f32>(&mut machine, &name, 32, 4);
        }
    }
}

#[test]
fn matrices_take_what_they_take_with_data() {
    fn check<T: Precision>(
        machine: &mut Machine,
        name: &str,
        [rows, cols]: [usize; 2],
        block: Option<usize>,
    ) {
        // A phantom has no direction. Each shape is tested in both directions, with different blocks.
        let direction = BOTH[block.unwrap_or(rows) % 2];
        let done = matrix(machine, rows, cols, noise::<T>(rows * cols, 1), block, direction).unwrap();
        let phantom = phantom::matrix::<T>(machine, rows, cols, block);
        let name = format!("{rows} x {cols} by {block:?}, {name}");
        is_equal(&name, phantom, (done.phases, done.cycles, done.counters));
    }
    for nodes in [1, 2, 3, 8] {
        for (name, mut machine) in virtual_machines(nodes) {
            for shape in [[1, 1], [9, 9], [16, 16], [1, 7], [12, 6], [5, 20]] {
                for block in [None, Some(1), Some(3), Some(100)] {
                    check::<f64>(&mut machine, &name, shape, block);
                }
            }
            check::<f32>(&mut machine, &name, [8, 8], Some(2));
        }
    }
}

#[test]
fn the_row_kernel_takes_what_it_takes_with_data() {
    for (name, mut machine) in virtual_machines(2) {
        for points in [1, 2, 5, 96, 128] {
            let done = row(&mut machine, noise::<f64>(points, 1), Direction::Forward).unwrap();
            let phantom = phantom::row::<f64>(&mut machine, points);
            is_equal(&format!("{points}, {name}"), phantom, (done.phases, done.cycles, done.counters));
        }
    }
}

/// Transforms a signal that is given as one row for each thread, in the layout of a phantom.
#[test]
fn a_signal_of_a_row_for_each_thread_is_transformed_to_such_rows() {
    let (points, block, signal) = (64, 8, noise::<f64>(64, 3));
    for named in machines(3, &[1]) {
        let mut machine = named.machine;
        let expected = sender(&mut machine, signal.clone(), block, Direction::Forward).unwrap().spectrum;
        let plan = Shared::new(SenderPlan::new(points, block, Direction::Forward).unwrap());
        let rows = Block::from_vec(points / block, block, signal.clone()).unwrap();
        let job = SenderJob::new(rows, plan, 3);
        let run = machine.run_with(job.shared(), |out| SenderFft::call(job, out)).unwrap();
        let spectrum = run.value.spectrum;
        assert_eq!((spectrum.rows(), spectrum.cols()), (points / block, block), "{}", named.name);
        assert_eq!(spectrum.into_vec(), expected, "{}", named.name);
    }
}

/// Runs 256 GiB in row blocks of 1024 rows, and 1 TiB in blocks of 2^26 points. All memory is allocated, and
/// counted, in the thread that steps the machine.
#[test]
fn phantoms_take_the_memory_of_their_handles() {
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::simulated(&manna50()).nodes(64).config(config);
        let side = 1 << 17;
        let mut done = None;
        let counted = measure(|| done = phantom::matrix::<f64>(&mut machine, side, side, Some(1 << 10)).ok());
        let done = done.unwrap();
        let (n, k, z) = (side as u64, 128, 16);
        // The closed forms in the program's module docs.
        assert_eq!(done.counters.fibers, k * (k + 3) + 3);
        assert_eq!(done.counters.bytes_moved, (5 * n * n - 2 * k * (n / k) * (n / k)) * z);
        // Five operations per point in each of 2 x 17 levels, shared by all nodes.
        let work = n as f64 * n as f64 * 34.0 * 5.0 * manna50().work.flop / 64.0;
        let cycles = done.cycles.unwrap();
        let ratio = cycles as f64 / work;
        assert!((1.0..1.3).contains(&ratio), "{cycles} cycles for work of {work}");
        assert!(counted.bytes_max < 60_000_000, "{counted:?}");

        let points = 1 << 36;
        let mut done = None;
        let counted = measure(|| done = phantom::sender::<f64>(&mut machine, points, 1 << 26).ok());
        let done = done.unwrap();
        let (threads, stages) = (1 << 10, 10);
        assert_eq!(done.counters.fibers, threads * (2 * stages + 3) + 4 * 64 + 3);
        assert_eq!(done.counters.bytes_moved, points as u64 * z * (stages + 5));
        assert!(counted.bytes_max < 60_000_000, "{counted:?}");
        assert!(
            phantom::row::<f64>(&mut machine, points).unwrap().cycles > done.cycles.map(|cycles| 50 * cycles)
        );
    }
}

#[test]
fn settings_that_cannot_be_simulated_are_an_error() {
    let mut threads = Machine::threads(1);
    for refused in [
        phantom::sender::<f64>(&mut threads, 16, 4).err(),
        phantom::row::<f64>(&mut threads, 16).err(),
        phantom::matrix::<f64>(&mut threads, 4, 4, None).err(),
    ] {
        assert_eq!(refused, Some(TransformError::NotSimulated));
    }
    let mut machine = Machine::simulated(&manna50());
    let algorithm = "sender";
    for (refused, why) in [
        (
            phantom::sender::<f64>(&mut machine, 12, 4).err(),
            earth_papers::Error::NotAPowerOfTwo { algorithm, n: 12 }.into(),
        ),
        (phantom::sender::<f64>(&mut machine, 4, 8).err(), PlanError::BlockTooLarge { n: 4, block: 8 }),
    ] {
        assert_eq!(refused, Some(why.into()));
    }
    for refused in [
        phantom::sender::<f64>(&mut machine, 1 << 36, 1 << 32).err(),
        phantom::sender::<f64>(&mut machine, 1 << 45, 1 << 30).err(),
        phantom::row::<f64>(&mut machine, (1 << 32) + 1).err(),
        phantom::matrix::<f64>(&mut machine, 1 << 33, 1, None).err(),
        phantom::matrix::<f64>(&mut machine, 1 << 24, 1 << 24, Some(1 << 20)).err(),
    ] {
        assert!(matches!(refused, Some(TransformError::Shape(_))), "{refused:?}");
    }
    for refused in
        [phantom::matrix::<f64>(&mut machine, 4, 0, None).err(), phantom::row::<f64>(&mut machine, 0).err()]
    {
        assert!(matches!(refused, Some(TransformError::Plan(PlanError::Problem(_)))), "{refused:?}");
    }
    let refused = phantom::sender::<f64>(&mut machine.nodes(2000), 16, 4).err();
    assert!(
        matches!(refused, Some(TransformError::Plan(PlanError::NoSuchMachine { nodes: 2000, .. }))),
        "{refused:?}"
    );
}

/// A plan without tables refuses points, a plan with tables refuses phantoms, and single points cannot be
/// phantoms.
#[test]
fn plans_for_phantoms_and_for_points_differ() {
    let problem = Problem::complex(&[16]);
    let mut machine = Machine::simulated(&manna50());
    let phantom = earth_papers::planner().phantom().plan::<f64>(&problem).unwrap();
    assert_eq!(phantom.process(&mut noise(16, 1)), Err(TransformError::Phantom));
    assert_eq!(phantom.run_on(&mut machine, noise(16, 1)).err(), Some(TransformError::Phantom));
    assert_eq!((phantom.scratch_len(), phantom.to_string().lines().count()), (0, 3), "{phantom}");
    let plan = earth_papers::planner().plan::<f64>(&problem).unwrap();
    assert_eq!(plan.run_phantom_on(&mut machine).err(), Some(TransformError::Phantom));
    let algorithm = "receiver";
    let refused = earth_papers::planner().phantom().algorithm(algorithm).plan::<f64>(&problem).err();
    assert_eq!(refused, Some(earth_papers::Error::NeedsPoints { algorithm }.into()));
}

/// Real cores move and count phantoms like any block, and compute nothing.
#[test]
fn real_cores_move_phantoms_and_compute_nothing() {
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::threads(2).config(config);
        let expected = sender(&mut machine, noise::<f64>(64, 1), 8, Direction::Forward).unwrap().counters;
        let plan = Shared::new(SenderPlan::<f64>::phantom(64, 8).unwrap());
        let job = SenderJob::new(Block::phantom(1, 64).unwrap(), plan, 2);
        let run = machine.run(|out| SenderFft::call(job, out)).unwrap();
        assert!(run.value.spectrum.is_phantom() && run.value.spectrum.cols() == 64);
        let of = |counters: &Counters| {
            (counters.fibers, counters.signals, counters.block_moves, counters.bytes_moved)
        };
        assert_eq!(of(&run.counters), of(&expected));
    }
}

/// Returns the message with which `body` panics.
#[track_caller]
fn panics<R>(body: impl FnOnce() -> R + std::panic::UnwindSafe) -> String {
    let Err(payload) = std::panic::catch_unwind(body) else { panic!("it did not panic") };
    payload
        .downcast::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|other| other.downcast().map(|text| *text))
        .unwrap()
}

#[test]
fn programs_that_need_points_refuse_phantoms() {
    let said = panics(|| {
        let plan = Shared::new(ReceiverPlan::new(16, 2, Direction::Forward, RequestMode::Tree).unwrap());
        ReceiverJob::<f64>::new(Block::phantom(1, 16).unwrap(), plan)
    });
    assert_data_eq!(said, str!["the receiver-initiated FFT sends single points, and a phantom has none"]);
    for said in [
        panics(|| {
            let plan = Shared::new(SenderPlan::phantom(16, 4).unwrap());
            SenderJob::<f64>::new(Block::zeroed(1, 16), plan, 1)
        }),
        panics(|| {
            let plan = Shared::new(MatrixPlan::new(&Dealing::of_matrix([4, 4], [2; 2]), None).unwrap());
            MatrixJob::<f64>::new(Block::<Complex<f64>>::zeroed(4, 4), plan)
        }),
    ] {
        assert_data_eq!(said, str!["a plan for phantoms and a block with elements"]);
    }
}
