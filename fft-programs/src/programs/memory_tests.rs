//! The need against what is allocated. A thread that may use one core steps all units of a machine itself, so
//! everything is allocated in it, and counted there.

use allocation_counter::measure;
use earth::Machine;
use earth_kernels::Direction;
use num_complex::Complex;

use super::*;
use crate::dataflow::receiver::Scalar;
use crate::programs::matrix::{grouped, matrix};
use crate::programs::{receiver, row, sender};

/// The most that was allocated at once, over the need.
fn peak_over_need<T: Scalar>(choice: &Choice, config: Config, points: usize) -> f64 {
    let nodes = match *choice {
        Choice::Sender { nodes, .. } | Choice::Receiver { nodes, .. } | Choice::Matrix { nodes, .. } => nodes,
        Choice::Shared { ref sharing, .. } => sharing.groups() * sharing.threads,
        Choice::Row => 1,
    };
    if let Some(&core) = core_affinity::get_core_ids().unwrap_or_default().first() {
        assert!(core_affinity::set_for_current(core));
    }
    let counted = measure(|| {
        let mut machine = Machine::threads(nodes).config(config.into()).pin(false);
        let samples = vec![Complex::new(T::of(1.0), T::of(0.0)); points];
        let done = match *choice {
            Choice::Sender { block, .. } => sender(&mut machine, samples, block, Direction::Forward),
            Choice::Receiver { asking, .. } => receiver(&mut machine, samples, asking, Direction::Forward),
            Choice::Row => row(&mut machine, samples, Direction::Forward),
            Choice::Shared { rows, cols, ref sharing, .. } => {
                drop(grouped(&mut machine, rows, cols, samples, sharing, Direction::Forward).unwrap());
                return;
            }
            Choice::Matrix { rows, cols, block, .. } => {
                drop(matrix(&mut machine, rows, cols, samples, block, Direction::Forward).unwrap());
                return;
            }
        };
        drop(done.unwrap());
    });
    counted.bytes_max as f64 / need(choice, config, points, size_of::<Complex<T>>()) as f64
}

#[track_caller]
fn is_within_a_tenth<T: Scalar>(choice: &Choice, config: Config, points: usize) {
    let ratio = peak_over_need::<T>(choice, config, points);
    assert!((0.9..=1.1).contains(&ratio), "{choice:?}, {config}, {points} points of {}: {ratio:.3}", T::NAME);
}

#[test]
fn the_sender_takes_what_it_needs() {
    for config in [Config::Spn, Config::Dual] {
        for (points, block, nodes) in [
            (1 << 16, 1 << 16, 1),
            (1 << 16, 1 << 13, 2),
            (1 << 15, 256, 8),
            (1 << 14, 16, 2),
            (1 << 12, 1, 2),
        ] {
            is_within_a_tenth::<f64>(&Choice::Sender { nodes, block }, config, points);
        }
        is_within_a_tenth::<f32>(&Choice::Sender { nodes: 2, block: 1 << 12 }, config, 1 << 17);
        is_within_a_tenth::<f32>(&Choice::Sender { nodes: 2, block: 4 }, config, 1 << 14);
    }
}

#[test]
fn receivers_take_what_they_need() {
    for config in [Config::Spn, Config::Dual] {
        for asking in [Asking::Tree, Asking::Shared] {
            for (points, nodes) in [(1 << 14, 1), (1 << 14, 2), (1 << 12, 8), (1 << 10, 16), (1 << 9, 64)] {
                is_within_a_tenth::<f64>(&Choice::Receiver { nodes, asking }, config, points);
            }
            is_within_a_tenth::<f32>(&Choice::Receiver { nodes: 4, asking }, config, 1 << 12);
        }
    }
}

#[test]
fn matrices_take_what_they_need() {
    for config in [Config::Spn, Config::Dual] {
        for (rows, cols, nodes, block) in [
            (512, 512, 1, None),
            (256, 256, 8, None),
            (256, 256, 64, None),
            (128, 128, 2, Some(1)),
            (256, 128, 2, None),
            (480, 640, 8, None),
            (256, 512, 2, Some(4)),
            (1 << 16, 1, 2, None),
            (1, 60_000, 2, None),
        ] {
            is_within_a_tenth::<f64>(&Choice::Matrix { rows, cols, nodes, block }, config, rows * cols);
        }
        is_within_a_tenth::<f32>(
            &Choice::Matrix { rows: 300, cols: 200, nodes: 4, block: None },
            config,
            60_000,
        );
    }
}

#[test]
fn groups_take_what_they_need() {
    for config in [Config::Spn, Config::Dual] {
        for (sides, threads, distribution, block) in [
            ([256, 256], 2, [vec![100, 156], vec![100, 156]], None),
            ([256, 256], 1, [vec![256, 0], vec![128, 128]], None),
            ([256, 384], 2, [vec![200, 56], vec![184, 200]], None),
            ([128, 128], 1, [vec![64, 64], vec![64, 64]], Some(1)),
        ] {
            let [rows, cols] = sides;
            let plain = Sharing { threads, distribution, block, ..Sharing::default() };
            let through = |length| [vec![0, length], vec![length, length]];
            for sharing in [
                plain.clone(),
                Sharing { strides: [vec![cols + 4; 2], vec![rows + 4; 2]], ..plain.clone() },
                Sharing { strides: [vec![0, cols + 4], vec![0, rows + 4]], ..plain.clone() },
                Sharing { spectrum: Some([cols + 64, rows + 64]), ..plain.clone() },
                Sharing { chirps: through(1024), ..plain.clone() },
            ] {
                is_within_a_tenth::<f64>(
                    &Choice::Shared { rows, cols, sharing: Box::new(sharing), notes: Vec::new() },
                    config,
                    rows * cols,
                );
            }
        }
    }
}

#[test]
fn the_row_kernel_takes_what_it_needs_or_less() {
    for points in [1 << 16, 60_000, 3 * 5 * 7 * 11 * 13 * 4] {
        is_within_a_tenth::<f64>(&Choice::Row, Config::Spn, points);
    }
    for points in [65_537, 99_991, 17 * 17 * 17 * 13] {
        let ratio = peak_over_need::<f64>(&Choice::Row, Config::Spn, points);
        assert!((0.2..=1.1).contains(&ratio), "{points}: {ratio:.3}");
    }
}

#[test]
fn there_is_some_memory() {
    assert!(available() > 1 << 20);
}
