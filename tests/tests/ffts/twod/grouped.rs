//! Groups of nodes. The bits are the model's for every distribution of rows, every leading dimension, and
//! with and without barriers. Lengths that change the arithmetic are compared with the definition. The length
//! that changes the transform is compared with its own definition.

use std::ops::Range;

use earth::{Config, Machine};
use earth_fft::{Precision, TransformError};
use earth_kernels::{Direction, bound, dft, dft_nd, relative_error};
use earth_papers::Shares;
use earth_tests::{BOTH, Ran, bits, grouped, is_long, machines, manna50, matrix, noise};
use num_complex::Complex;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

use super::everywhere::expected;

/// Numbers of groups and of nodes per group, with at most eight nodes in total.
const GROUPS: [[usize; 2]; 9] = [[1, 1], [1, 2], [2, 1], [2, 2], [3, 1], [3, 2], [4, 1], [2, 4], [8, 1]];

/// Source of random numbers for a case.
struct Draws(Xoshiro256PlusPlus);

impl Draws {
    fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn of(&mut self, range: Range<usize>) -> usize {
        self.0.random_range(range)
    }

    /// Distributes `rows` rows over groups; a group may get none.
    fn distribution(&mut self, rows: usize, groups: usize) -> Vec<usize> {
        let mut cuts: Vec<_> = (1..groups).map(|_| self.of(0..rows + 1)).chain([0, rows]).collect();
        cuts.sort_unstable();
        cuts.windows(2).map(|cut| cut[1] - cut[0]).collect()
    }

    /// Draws leading dimensions. Some groups have padded rows, and some squares have the same padding in both
    /// passes.
    fn strides(&mut self, lens: [usize; 2], groups: usize) -> [Vec<usize>; 2] {
        let [along, across] = lens.map(|len| {
            let groups = [0, groups][self.of(0..2)];
            (0..groups).map(|_| [0, len + self.of(0..5)][self.of(0..2)]).collect::<Vec<_>>()
        });
        let alike = lens[0] == lens[1] && self.of(0..2) == 0;
        if alike { [along.clone(), along] } else { [along, across] }
    }

    /// Draws the shares, and the rows of a row block.
    fn sharing(
        &mut self,
        rows: usize,
        cols: usize,
        [groups, threads]: [usize; 2],
    ) -> (Shares, Option<usize>) {
        let along = self.distribution(rows, groups);
        let alike = rows == cols && self.of(0..4) > 0;
        let across = if alike { along.clone() } else { self.distribution(cols, groups) };
        let block = [None, Some(1 + self.of(0..4))][self.of(0..2)].filter(|_| rows * cols < 2000);
        let strides = self.strides([cols, rows], groups);
        let (distribution, barrier) = ([along, across], self.of(0..2) == 0);
        (Shares { threads, distribution, strides, barrier, ..Shares::default() }, block)
    }
}

fn run<T: Precision>(
    machine: &mut Machine,
    (rows, cols): (usize, usize),
    signal: &[Complex<T>],
    (shares, block): &(Shares, Option<usize>),
    direction: Direction,
) -> Ran<T> {
    let done = grouped(machine, [rows, cols], signal.to_vec(), shares, *block, direction);
    done.unwrap_or_else(|error| panic!("{rows} x {cols}, {shares:?}, {machine:?}: {error}"))
}

/// Checks that the bits do not depend on how the work is shared.
fn the_bits_are_the_models<T: Precision>(
    machine: &mut Machine,
    (rows, cols): (usize, usize),
    groups: [usize; 2],
    draws: &mut Draws,
) {
    let signal = noise::<T>(rows * cols, (100 * rows + cols) as u64);
    let direction = BOTH[draws.of(0..2)];
    let sharing = draws.sharing(rows, cols, groups);
    let done = run(machine, (rows, cols), &signal, &sharing, direction);
    let [along, across] = &sharing.0.distribution;
    let widths = [cols, rows].into_iter().zip(&sharing.0.strides).map(|(len, strides)| {
        let of_group = |group| strides.get(group).copied().unwrap_or(0).max(len);
        (0..groups[0]).map(of_group).collect::<Vec<_>>()
    });
    let widths: Vec<_> = widths.collect();
    assert_eq!(done.in_place, Some(rows == cols && along == across && widths[0] == widths[1]), "{sharing:?}");
    let same = bits(&done.spectrum) == expected(rows, cols, &signal, direction);
    assert!(same, "{rows} x {cols}, {direction:?}, {sharing:?}, {machine:?}");
}

#[test]
fn every_square_and_small_rectangle_in_any_groups() {
    let mut draws = Draws::new(1);
    for config in [Config::Spn, Config::Dual] {
        for groups in GROUPS {
            let nodes = groups[0] * groups[1];
            let mut kinds =
                [Machine::threads(nodes), Machine::stepper(7).nodes(nodes)].map(|m| m.config(config));
            // `EARTH_LONG` in the environment selects all squares and rectangles.
            let step = if is_long() { 1 } else { 3 };
            for (turn, n) in (1 + nodes % step..=64).step_by(step).enumerate() {
                the_bits_are_the_models::<f64>(&mut kinds[turn % 2], (n, n), groups, &mut draws);
            }
            for (turn, (rows, cols)) in
                (1..=8).flat_map(|rows| (1..=8).map(move |cols| (rows, cols))).step_by(step).enumerate()
            {
                the_bits_are_the_models::<f32>(&mut kinds[turn % 2], (rows, cols), groups, &mut draws);
            }
        }
    }
}

#[test]
fn primes_single_rows_and_columns_and_long_ones_on_every_machine() {
    let shapes = [(1, 61), (61, 1), (13, 29), (31, 17), (2, 300), (257, 3), (37, 37), (64, 16)];
    let mut draws = Draws::new(2);
    for groups in GROUPS {
        for mut named in machines(groups[0] * groups[1], &[3]) {
            for shape in shapes {
                the_bits_are_the_models::<f64>(&mut named.machine, shape, groups, &mut draws);
            }
        }
    }
}

/// Groups that transform by way of other lengths (chirps), beside groups that do not.
#[test]
fn chirps_are_the_definition() {
    let mut draws = Draws::new(3);
    for (rows, cols) in [(1, 1), (2, 3), (16, 16), (31, 31), (37, 20), (64, 64), (1, 97), (97, 1)] {
        for groups in [[1, 2], [2, 1], [3, 1], [2, 2]] {
            let mut machine = Machine::threads(groups[0] * groups[1]);
            let signal = noise::<f64>(rows * cols, 5);
            for direction in BOTH {
                let expected = dft_nd(&[rows, cols], &signal, direction);
                let mut sharing = draws.sharing(rows, cols, groups);
                sharing.0.chirps = [cols, rows].map(|len| {
                    let through = |_| [0, 2 * len - 1, (2 * len).next_power_of_two()][draws.of(0..3)];
                    (0..groups[0]).map(through).collect()
                });
                let done = run(&mut machine, (rows, cols), &signal, &sharing, direction);
                let error = relative_error(&done.spectrum, &expected);
                // The longest transform that is computed.
                assert!(error <= bound::<f64>(16 * rows * cols), "{rows} x {cols}, {sharing:?}: {error}");
            }
        }
    }
}

/// Returns the cropped transform of the matrix, padded with zeros at its right and below.
fn finer_grid(
    (rows, cols): (usize, usize),
    [m, n]: [usize; 2],
    signal: &[Complex<f64>],
) -> Vec<Complex<f64>> {
    let mut padded = vec![Complex::new(0.0, 0.0); m * n];
    for (padded, row) in padded.chunks_mut(n).zip(signal.chunks(cols)) {
        padded[..cols].copy_from_slice(row);
    }
    let spectrum = dft_nd(&[m, n], &padded, Direction::Forward);
    spectrum.chunks(n).take(rows).flat_map(|row| row[..cols].to_vec()).collect()
}

#[test]
fn padded_rows_are_a_spectrum_on_a_finer_grid_and_not_the_transform() {
    let mut draws = Draws::new(4);
    for (shape, lengths) in [((8, 8), [12, 12]), ((7, 7), [9, 9]), ((6, 10), [13, 8]), ((12, 5), [5, 16])] {
        let (rows, cols) = shape;
        let signal = noise::<f64>(rows * cols, 6);
        for groups in [[1, 1], [2, 1], [2, 2]] {
            for mut named in machines(groups[0] * groups[1], &[1]) {
                let (shares, block) = draws.sharing(rows, cols, groups);
                let sharing = (Shares { spectrum: Some(lengths), ..shares }, block);
                let found = run(&mut named.machine, shape, &signal, &sharing, Direction::Forward).spectrum;
                let expected = finer_grid(shape, [lengths[1], lengths[0]], &signal);
                let error = relative_error(&found, &expected);
                assert!(error <= bound::<f64>(lengths[0] * lengths[1]), "{shape:?}, {}: {error}", named.name);
                let error = relative_error(&found, &dft_nd(&[rows, cols], &signal, Direction::Forward));
                assert!(error > 0.1, "{shape:?} by {lengths:?} is the transform after all, but for {error}");
            }
        }
    }
}

/// Shows a defect of the published algorithm, which lets each group pad to a length of its own. Rows of
/// different grids are then mixed, and the result is the spectrum on neither grid.
#[test]
fn a_length_for_each_group_is_no_spectrum_at_all() {
    let (n, lengths) = (8, [10, 12]);
    let signal = noise::<f64>(n * n, 7);
    let pass = |matrix: &[Complex<f64>]| -> Vec<Complex<f64>> {
        let rows = matrix.chunks(n).enumerate().map(|(row, points)| {
            let mut padded = points.to_vec();
            padded.resize(lengths[usize::from(row >= n / 2)], Complex::new(0.0, 0.0));
            dft(&padded)[..n].to_vec()
        });
        let rows: Vec<_> = rows.collect();
        (0..n * n).map(|at| rows[at % n][at / n]).collect()
    };
    let found = pass(&pass(&signal));
    let grids = [[8, 8], [10, 10], [12, 12], [10, 12], [12, 10]];
    for grid in grids {
        let error = relative_error(&found, &finer_grid((n, n), grid, &signal));
        assert!(error > 0.1, "it is the spectrum on {grid:?}, but for {error}");
    }
}

/// A barrier has the costs in the programs' module docs, and groups have the counts of all nodes.
#[test]
fn the_counts_are_those_of_the_heads() {
    for (rows, cols) in [(12, 12), (9, 14), (14, 9)] {
        let signal = noise::<f64>(rows * cols, 1);
        for mut named in machines(4, &[2]) {
            let mut counters = |barrier| {
                let distribution = [rows, cols].map(|rows| vec![2, rows - 2]);
                let sharing = (Shares { threads: 2, distribution, barrier, ..Shares::default() }, Some(3));
                run(&mut named.machine, (rows, cols), &signal, &sharing, Direction::Forward).counters
            };
            let (without, with) = (counters(false), counters(true));
            // The second group has these blocks: the first one has a single block, on node 0.
            let blocks = [rows, cols].map(|rows| (1 + (rows - 2usize).div_ceil(3)) as u64);
            let [i, j] = blocks;
            let square = rows == cols;
            let (fibers, signals, events) = if square {
                (3 * (i + 1), 6 * i, 6 * (i - 1))
            } else {
                (i + 2 * j + 3, 2 * i + 4 * j, 2 * (i - 1) + 4 * (j - 1))
            };
            assert_eq!(without.invokes, if square { i } else { i + j });
            let more = [
                with.fibers - without.fibers,
                with.signals - without.signals,
                with.events_sent - without.events_sent,
                with.block_moves - without.block_moves,
                with.bytes_moved - without.bytes_moved,
            ];
            assert_eq!(more, [fibers, signals, events, 0, 0], "{rows} x {cols}, {}", named.name);
        }
    }
}

/// The fibers that work on padded rows copy them.
#[test]
fn padded_rows_change_no_count() {
    for (rows, cols) in [(12, 12), (9, 14)] {
        let signal = noise::<f64>(rows * cols, 1);
        for mut named in machines(4, &[2]) {
            let mut counted = |strides| {
                let distribution = [rows, cols].map(|rows| vec![2, rows - 2]);
                let sharing = (Shares { threads: 2, distribution, strides, ..Shares::default() }, None);
                let done = run(&mut named.machine, (rows, cols), &signal, &sharing, Direction::Forward);
                let c = done.counters;
                [c.fibers, c.invokes, c.signals, c.block_moves, c.bytes_moved, c.events_sent, c.frames]
            };
            let padded = counted([vec![0, cols + 3], vec![0, rows + 3]]);
            assert_eq!(padded, counted(Default::default()), "{rows} x {cols}, {}", named.name);
        }
    }
}

/// One group of all nodes is equal to a transform without groups.
#[test]
fn one_group_is_all_nodes() {
    for (rows, cols) in [(20, 20), (12, 33)] {
        let signal = noise::<f64>(rows * cols, 1);
        for mut named in machines(3, &[1]) {
            let distribution = [vec![rows], vec![cols]];
            let sharing = (Shares { threads: 3, distribution, ..Shares::default() }, None);
            let found = run(&mut named.machine, (rows, cols), &signal, &sharing, Direction::Forward);
            let alone =
                matrix(&mut named.machine, rows, cols, signal.clone(), None, Direction::Forward).unwrap();
            let counts = |done: &Ran<f64>| {
                let counters = &done.counters;
                [counters.fibers, counters.signals, counters.events_sent, counters.bytes_moved]
            };
            assert_eq!((counts(&found), found.block), (counts(&alone), alone.block), "{}", named.name);
        }
    }
}

/// On the simulated machine a bulk-synchronous order cannot be faster than an order that waits only for its
/// data.
#[test]
fn waiting_for_all_takes_no_less_than_waiting_for_data() {
    for config in [Config::Spn, Config::Dual] {
        let time = |barrier| {
            let mut machine = Machine::simulated(&manna50()).nodes(4).config(config);
            let sharing = (Shares { barrier, ..Shares::of_square(2, vec![20, 44]) }, None);
            let signal = noise::<f64>(64 * 64, 1);
            run(&mut machine, (64, 64), &signal, &sharing, Direction::Forward).elapsed
        };
        assert!(time(false) < time(true), "{config}");
    }
}

#[test]
fn undistributable_shapes_are_refused_and_the_machine_runs_again() {
    let mut machine = Machine::threads(2);
    let mut attempt = |sharing: Shares| {
        let refused = grouped(&mut machine, [4, 6], noise::<f64>(24, 1), &sharing, None, Direction::Forward);
        let distribution = [vec![1, 3], vec![6, 0]];
        let fine = (Shares { distribution, threads: 1, ..Shares::default() }, None);
        run(&mut machine, (4, 6), &noise::<f64>(24, 1), &fine, Direction::Forward);
        match refused {
            Err(TransformError::Plan(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let of = |threads, along: &[usize], across: &[usize]| Shares {
        threads,
        distribution: [along.to_vec(), across.to_vec()],
        ..Shares::default()
    };
    assert_eq!(attempt(of(1, &[1, 2], &[6, 0])), earth_papers::Error::Dealt { dealt: 3, rows: 4 }.into());
    assert_eq!(attempt(of(1, &[1, 3], &[6, 1])), earth_papers::Error::Dealt { dealt: 7, rows: 6 }.into());
    assert_eq!(
        attempt(of(1, &[usize::MAX, 5], &[6, 0])),
        earth_papers::Error::Dealt { dealt: usize::MAX, rows: 4 }.into()
    );
    assert_eq!(
        attempt(of(1, &[4], &[6])),
        earth_papers::Error::Nodes { groups: 1, threads: 1, nodes: 2 }.into()
    );
    assert_eq!(
        attempt(of(2, &[4], &[5, 1])),
        earth_papers::Error::Nodes { groups: 1, threads: 2, nodes: 2 }.into()
    );
    assert_eq!(
        attempt(of(0, &[4], &[6])),
        earth_papers::Error::Nodes { groups: 1, threads: 0, nodes: 2 }.into()
    );
    assert_eq!(attempt(of(1, &[], &[])), earth_papers::Error::Dealt { dealt: 0, rows: 4 }.into());
    let fine = of(2, &[4], &[6]);
    let wrong = Shares { strides: [vec![6], vec![3]], ..fine.clone() };
    assert_eq!(attempt(wrong), earth_papers::Error::Leading { len: 4, leading: 3 }.into());
    let wrong = Shares { spectrum: Some([5, 8]), ..fine.clone() };
    assert_eq!(attempt(wrong), earth_papers::Error::Leading { len: 6, leading: 5 }.into());
    let wrong = Shares { chirps: [vec![0], vec![6]], ..fine };
    assert_eq!(attempt(wrong), earth_papers::Error::Chirp { len: 4, through: 6, least: 7 }.into());
}
