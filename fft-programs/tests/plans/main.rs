//! Checks plans against the definition: every length, shape, layout, precision, norm and program; many
//! callers, and bad input.

mod accuracy;
mod advised;
mod arrays;
mod bad_input;
mod callers;
mod describe;
#[path = "../../codelets/tests/kernels/exact.rs"]
mod exact;
mod examples;
#[cfg(target_os = "linux")]
mod limits;
mod measured;
mod oracle;
mod own_solver;
mod real;

use std::num::NonZeroUsize;

use earth::{Config, Machine};
use earth_fft::solvers::TwoPass;
use earth_fft::{
    Complex, Direction, Effort, Kernel, Layout, Norm, Plan, Planner, Precision, Problem, RealToComplexPlan,
};
use earth_kernels::{bound, relative_error};

use oracle::{expected, noise, places};

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];
const NORMS: [Norm; 3] = [Norm::Backward, Norm::Ortho, Norm::Forward];

fn nodes(nodes: usize) -> NonZeroUsize {
    NonZeroUsize::new(nodes).unwrap()
}

/// Checks that the plan of a problem is correct in all kinds of calls.
fn is_right<T: Precision>(planner: &Planner, lengths: &[usize], direction: Direction, norm: Norm) {
    let problem = Problem::complex(lengths).direction(direction).norm(norm);
    let plan: Plan<T> = planner.plan(&problem).unwrap();
    let points = noise::<T>(lengths.iter().product());
    let expected = expected(lengths, &points, direction, norm);
    let check = |found: &[Complex<T>]| {
        let error = relative_error(found, &expected);
        assert!(error <= bound::<T>(points.len()), "{plan}\n{error}");
    };
    let mut here = points.clone();
    plan.process(&mut here).unwrap();
    check(&here);
    here.copy_from_slice(&points);
    plan.process_with_scratch(&mut here, &mut noise(plan.scratch_len())).unwrap();
    check(&here);
    let mut there = noise(points.len());
    plan.process_out_of_place(&points, &mut there).unwrap();
    check(&there);
    let mut machine = Machine::stepper(1).nodes(plan.nodes().unwrap_or(2));
    let run = plan.run_on(&mut machine, points.clone()).unwrap();
    check(&run.output.into_vec());
}

fn in_both<T: Precision>(planner: &Planner, lengths: &[usize]) {
    for direction in DIRECTIONS {
        for norm in NORMS {
            is_right::<T>(planner, lengths, direction, norm);
        }
    }
}

#[test]
fn series_of_every_length() {
    let planner = earth_papers::planner();
    for n in (1..=64).chain([97, 128, 243, 1000, 1021]) {
        in_both::<f32>(&planner, &[n]);
        in_both::<f64>(&planner, &[n]);
    }
}

/// Lengths in pairs that have few factors in common.
#[test]
fn matrices_of_every_length_by_the_caller_and_by_nodes() {
    let alone = earth_papers::planner();
    let by_nodes = |config, nodes_: usize| {
        earth_papers::planner().algorithm("grouped").config(config).nodes(nodes(nodes_))
    };
    let by_nodes = [by_nodes(Config::Spn, 2), by_nodes(Config::Spn, 3), by_nodes(Config::Dual, 2)];
    for n in 1..=40 {
        for sides in [[n, 1 + (n * 29 + 7) % 64], [n, n]] {
            is_right::<f64>(&alone, &sides, DIRECTIONS[n % 2], NORMS[n % 3]);
            let planner = &by_nodes[n % 3];
            for direction in DIRECTIONS {
                is_right::<f64>(planner, &sides, direction, NORMS[n % 3]);
                is_right::<f32>(planner, &sides, direction, NORMS[(n + 1) % 3]);
            }
        }
    }
}

/// All pairs of lengths, with all kinds of columns, and arrays of three dimensions.
#[test]
fn arrays_in_two_passes() {
    let two_pass = |config, nodes_: usize| {
        earth_papers::planner().algorithm("two-pass").config(config).nodes(nodes(nodes_))
    };
    let planners = [two_pass(Config::Spn, 2), two_pass(Config::Spn, 3), two_pass(Config::Dual, 2)];
    for rows in 1..=16 {
        for cols in 1..=16 {
            let (direction, norm) = (DIRECTIONS[(rows + cols) % 2], NORMS[(rows / 2 + cols) % 3]);
            is_right::<f64>(&planners[(rows + 2 * cols) % 3], &[rows, cols], direction, norm);
        }
    }
    for lengths in
        [&[1, 1, 1][..], &[2, 3, 5], &[7, 4, 6], &[8, 8, 8], &[1, 9, 4], &[11, 1, 12], &[16, 33, 2]]
    {
        for planner in &planners {
            in_both::<f32>(planner, lengths);
            in_both::<f64>(planner, lengths);
        }
    }
}

#[test]
fn solids() {
    let planner = earth_papers::planner();
    for lengths in [[1, 1, 1], [2, 3, 5], [7, 4, 6], [8, 8, 8], [1, 9, 4], [5, 1, 12], [16, 3, 1]] {
        in_both::<f32>(&planner, &lengths);
        in_both::<f64>(&planner, &lengths);
    }
}

#[test]
fn series_by_the_algorithms_of_the_papers() {
    for algorithm in ["sender", "receiver", "receiver-shared"] {
        for config in [Config::Spn, Config::Dual] {
            for (n, p) in [(1, 1), (2, 2), (16, 2), (64, 4), (256, 2)] {
                let planner = earth_papers::planner().algorithm(algorithm).config(config).nodes(nodes(p));
                in_both::<f64>(&planner, &[n]);
                is_right::<f32>(&planner, &[n], Direction::Inverse, Norm::Ortho);
            }
        }
    }
}

#[test]
fn rows_are_of_the_requested_kernel() {
    let text = |planner: &Planner| planner.plan::<f64>(&Problem::complex(&[1024])).unwrap().to_string();
    let rustfft = earth_papers::planner().kernel(Kernel::RustFft);
    assert!(text(&rustfft).contains("rows of 1024 by rustfft"), "{}", text(&rustfft));
    for kernel in [Kernel::RustFft, Kernel::File(standin_fftw::path())] {
        let planner = earth_papers::planner().kernel(kernel).effort(Effort::Measure);
        in_both::<f32>(&planner, &[30]);
        in_both::<f64>(&planner, &[6, 20]);
        in_both::<f64>(&planner.clone().nodes(nodes(2)), &[6, 20]);
        in_both::<f64>(&planner.nodes(nodes(2)), &[12, 12]);
    }
}

/// Checks plans between two layouts, and in place. They must be correct and leave elements that belong to no
/// transform unchanged.
fn lies_right<T: Precision>(planner: &Planner, lengths: &[usize], batch: usize, layouts: &[Layout; 2]) {
    let n: usize = lengths.iter().product();
    let ways = [(0, 0), (1, 1), (0, 1), (1, 0)];
    for &(input, output) in if layouts[0] == layouts[1] { &ways[..1] } else { &ways[..] } {
        let [from, to] = [input, output].map(|at: usize| places(lengths, batch, &layouts[at]));
        let problem = Problem::complex(lengths)
            .batch(batch)
            .input(layouts[input].clone())
            .output(layouts[output].clone())
            .direction(Direction::Inverse);
        let plan: Plan<T> = planner.plan(&problem).unwrap();
        // The end of an array with gaps may be a gap.
        let span = |places: &[usize]| {
            let span = places.iter().max().unwrap() + 1;
            span + usize::from(places.len() < span)
        };
        let signal = noise::<T>(span(&from));
        let check = |found: &[Complex<T>], before: &[Complex<T>]| {
            for (from, to) in from.chunks(n).zip(to.chunks(n)) {
                let points: Vec<_> = from.iter().map(|&at| signal[at]).collect();
                let expected = expected(lengths, &points, Direction::Inverse, Norm::Backward);
                let found: Vec<_> = to.iter().map(|&at| found[at]).collect();
                let error = relative_error(&found, &expected);
                assert!(error <= bound::<T>(n), "{plan}\n{error}");
            }
            let beside = (0..found.len()).filter(|at| !to.contains(at));
            assert_eq!(beside.clone().count() == 0, to.len() == found.len());
            beside.for_each(|at| assert_eq!(found[at], before[at], "{plan}\nat {at}"));
        };
        let before = noise::<T>(span(&to));
        let mut there = before.clone();
        plan.process_out_of_place(&signal, &mut there).unwrap();
        check(&there, &before);
        if input == output {
            let mut here = signal.clone();
            plan.process(&mut here).unwrap();
            check(&here, &signal);
        }
        // A slice may end with the last point.
        let mut there = before.clone();
        let (last, end) = (from.iter().max().unwrap(), to.iter().max().unwrap() + 1);
        plan.process_out_of_place(&signal[..=*last], &mut there[..end]).unwrap();
        check(&there, &before);
    }
}

/// Batches and strides, in place and from one layout to another.
#[test]
fn batches_and_strides() {
    let layout = |strides: &[usize], distance| Layout { strides: strides.to_vec(), distance };
    for (lengths, batch, layouts) in [
        (&[12][..], 5, [layout(&[1], 12), layout(&[5], 1)]),
        (&[12], 5, [layout(&[7], 1), layout(&[2], 30)]),
        (&[6, 10], 3, [layout(&[11, 1], 70), layout(&[3, 18], 1)]),
        (&[4, 6], 1, [layout(&[1, 4], 0), layout(&[12, 2], 0)]),
        (&[3, 4, 5], 2, [layout(&[40, 10, 2], 1), layout(&[20, 5, 1], 60)]),
    ] {
        lies_right::<f64>(&earth_papers::planner(), lengths, batch, &layouts);
    }
}

/// Checks that nodes transform rows, lines and planes with gaps between them in place.
#[test]
fn gaps_by_nodes() {
    let planner =
        |config, nodes_| earth_papers::planner().algorithm("two-pass").config(config).nodes(nodes(nodes_));
    for (lengths, strides) in [
        (&[6, 10][..], [&[11, 1][..], &[17, 1]]),
        (&[40, 33], [&[33, 1], &[41, 1]]),
        (&[13, 29], [&[30, 1], &[29, 1]]),
        (&[1, 9], [&[9, 1], &[12, 1]]),
        (&[3, 4, 5], [&[24, 6, 1], &[25, 5, 1]]),
        (&[7, 6, 16], [&[120, 19, 1], &[96, 16, 1]]),
        (&[5, 1, 12], [&[20, 15, 1], &[12, 12, 1]]),
    ] {
        let layouts = strides.map(|strides| Layout { strides: strides.to_vec(), distance: 0 });
        for planner in [planner(Config::Spn, 2), planner(Config::Spn, 3), planner(Config::Dual, 2)] {
            let problem = Problem::complex(lengths).layout(layouts[0].clone());
            let plan = planner.plan::<f32>(&problem).unwrap();
            assert_eq!((plan.algorithm(), plan.is_in_place()), ("two-pass", Some(true)), "{plan}");
            let layouts = [&layouts[0], &layouts[1]].map(|layout| [layout.clone(), layout.clone()]);
            for layouts in layouts {
                lies_right::<f64>(&planner, lengths, 1, &layouts);
                lies_right::<f32>(
                    &planner.clone().with(TwoPass::new().block(nodes(3))),
                    lengths,
                    1,
                    &layouts,
                );
            }
        }
    }
}

/// Checks the description of a plan, and that its bytes equal the bytes that a run counts.
#[test]
fn a_plan_describes_itself() {
    let text = |planner: &Planner, lengths: &[usize]| {
        let plan: Plan<f64> = planner.plan(&Problem::complex(lengths)).unwrap();
        if let Some(nodes) = plan.nodes().filter(|_| lengths.len() == 2) {
            let points = noise(lengths.iter().product());
            let run = plan.run_on(&mut Machine::stepper(1).nodes(nodes), points).unwrap();
            let bytes =
                format!(", {} bytes moved, {} bytes of memory", run.counters.bytes_moved, plan.needed());
            assert!(plan.to_string().contains(&bytes), "{plan}\n{bytes}");
        }
        plan.to_string()
    };
    let series = text(&earth_papers::planner(), &[96]);
    assert!(
        series.starts_with(
            "96 points, forward, backward, of f64\n\
             by the calling thread, because it is a series of fewer than 524288 points, or twice as many real numbers:\n  \
             complex transform of 96 points of f64"
        ),
        "{series}"
    );
    let planner = earth_papers::planner().nodes(nodes(2));
    let square = text(&planner, &[20, 20]);
    assert!(
        square.contains(
            "\nby 2 nodes (SPN), because several nodes were asked for: 4 row blocks, then 3 strips of "
        ),
        "{square}"
    );
    assert!(square.contains("columns of 20 by ") && square.contains(", in place, "), "{square}");
    let grouped = planner.algorithm("grouped");
    let square = text(&grouped, &[20, 20]);
    assert!(
        square.contains("7 row blocks of the matrix and 7 of its transpose exchange tiles in place, "),
        "{square}"
    );
    let rectangle = text(&grouped.config(Config::Dual), &[20, 9]);
    assert!(rectangle.contains("\nby 2 nodes (DUAL)"), "{rectangle}");
    assert!(
        rectangle.contains(" 5 of its transpose exchange tiles through a second matrix, "),
        "{rectangle}"
    );
    assert!(rectangle.contains("\nby the calling thread, if the nodes are busy or the caller is a fiber:\n"));
    let sender = text(&earth_papers::planner().algorithm("sender").nodes(nodes(2)), &[64]);
    assert!(sender.contains(": 4 threads exchange blocks of 16, 5120 bytes moved, "), "{sender}");
}

#[test]
fn a_real_plan_describes_itself() {
    let forward: RealToComplexPlan<f32> = earth_papers::planner()
        .plan_real_to_complex(&Problem::real_to_complex(&[4, 96]).norm(Norm::Ortho))
        .unwrap();
    let text = forward.to_string();
    assert!(
        text.starts_with(
            "4 x 96 real numbers to complex points, ortho, of f32\n\
             by the calling thread, because it has fewer than 524288 points, two real numbers counted as one:\n  \
             real forward transform of 4 x 96 numbers of f32"
        ),
        "{text}"
    );
    assert_eq!(forward.problem(), &Problem::real_to_complex(&[4, 96]).norm(Norm::Ortho));
    let rustfft = earth_papers::planner().kernel(Kernel::RustFft);
    let inverse = rustfft.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[30])).unwrap();
    let text = inverse.to_string();
    assert!(text.contains("real inverse transform of 30 numbers of f64"), "{text}");
    assert!(text.contains("rows of 30 real numbers as 15 points by rustfft"), "{text}");
}
