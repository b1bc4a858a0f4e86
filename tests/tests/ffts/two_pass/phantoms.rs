//! Transforms without data take the same cycles, phases and counters as transforms with data.

use earth::simulated::{Faults, Profile};
use earth::{Block, Config, Machine, Shared};
use earth_fft::Problem;
use earth_fft::dataflow::two_pass::TwoPassPlan;
use earth_fft::dataflow::work::KERNELS;
use earth_kernels::Direction;
use earth_tests::{machines, manna50, noise};

use super::{run, sides, transformed};

/// Returns the MANNA profile with a different cost for each kernel.
fn costly() -> Profile {
    let mut profile = manna50();
    for (kernel, cycles) in KERNELS.into_iter().zip([3.0, 7.0, 11.0, 2.5]) {
        profile.work.kernels.insert(kernel.name().to_owned(), cycles);
    }
    profile
}

#[test]
fn they_take_what_arrays_take() {
    for nodes in [1, 2, 3, 8] {
        let mut all: Vec<_> = machines(nodes, &[1, 2]).into_iter().map(|named| named.machine).collect();
        all.retain(Machine::is_simulated);
        for config in [Config::Spn, Config::Dual] {
            let machine = Machine::simulated(&costly()).nodes(nodes).config(config);
            all.push(machine.faults(Faults { delay: 5_000, slowness: 3 }).seed(7));
        }
        for mut machine in all {
            for (lengths, blocks) in [(&[9, 9][..], [2, 4]), (&[1, 7], [1, 2]), (&[12, 3, 4], [5, 100])] {
                let points = noise::<f64>(lengths.iter().product(), 1);
                let done = transformed(&mut machine, lengths, &points, blocks, Direction::Forward);
                let [rows, cols] = sides(lengths);
                let plan =
                    Shared::new(TwoPassPlan::<f64>::new(&Problem::complex(lengths), blocks, None).unwrap());
                let phantom = run(&mut machine, Block::phantom(rows, cols).unwrap(), &plan).unwrap();
                let name = format!("{lengths:?} by {blocks:?}, {machine:?}");
                assert!(phantom.value.spectrum.is_phantom(), "{name}");
                assert_eq!((phantom.counters, phantom.cycles), (done.counters, done.cycles), "{name}");
                let phases = [phantom, done].map(|run| format!("{:?}", run.value.phases));
                assert_eq!(phases[0], phases[1], "{name}");
            }
        }
    }
}

/// 256 GiB on 64 nodes: the time is the time of the work, shared by all nodes.
#[test]
fn phantoms_take_the_time_of_their_work() {
    let (side, nodes) = (1_usize << 17, 64);
    let mut machine = Machine::simulated(&manna50()).nodes(nodes);
    let problem = Problem::complex(&[side; 2]);
    let plan = Shared::new(TwoPassPlan::<f64>::new(&problem, [1 << 10; 2], None).unwrap());
    let done = run(&mut machine, Block::phantom(side, side).unwrap(), &plan).unwrap();
    assert_eq!(done.counters.fibers, 2 * 128 + 2 * 128 + 3);
    assert_eq!(done.counters.bytes_moved, 4 * 16 * (side * side) as u64);
    let work = (side * side) as f64 * 34.0 * 5.0 * manna50().work.flop / nodes as f64;
    let ratio = done.cycles.unwrap() as f64 / work;
    assert!((1.0..1.3).contains(&ratio), "{ratio} times the cycles of the work");
}
