//! Checks real transforms on nodes: against the definition and the complex transform, in both directions, in
//! place, and with many callers.

use std::sync::Arc;

use earth::{Config, Machine};
use earth_fft::solvers::Transpose;
use earth_fft::{
    Complex, Direction, Norm, Plan, PlanError, Planner, Precision, Problem, TransformError, Why,
    default_nodes,
};
use earth_kernels::{bound, relative_error};

use crate::oracle::{expected, noise};
use crate::{NORMS, nodes};

/// Returns the first half of the points in the last dimension.
fn half<T: Copy>(lengths: &[usize], points: &[T]) -> Vec<T> {
    let last = lengths[lengths.len() - 1];
    points.chunks(last).flat_map(|row| row[..=last / 2].to_vec()).collect()
}

/// Returns rows of `length` elements, padded with nines to `padded` elements.
fn filled<T: Precision>(numbers: &[T], length: usize, padded: usize) -> Vec<T> {
    let nine = T::of(9.0);
    numbers.chunks(length).flat_map(|row| row.iter().copied().chain(vec![nine; padded - length])).collect()
}

fn numbers<T: Precision>(count: usize) -> Vec<T> {
    noise::<T>(count).into_iter().map(|x| x.re).collect()
}

fn narrow<T: Precision>(points: &[Complex<f64>]) -> Vec<Complex<T>> {
    points.iter().map(|x| Complex::new(T::of(x.re), T::of(x.im))).collect()
}

fn as_points<T: Precision>(numbers: &[T]) -> Vec<Complex<T>> {
    numbers.iter().map(|&x| Complex::from(x)).collect()
}

/// Checks that the transforms of real numbers, in both directions, are correct in all kinds of calls.
fn are_right<T: Precision>(planner: &Planner, lengths: &[usize], norm: Norm) {
    let there = Problem::real_to_complex(lengths).norm(norm);
    let back = Problem::complex_to_real(lengths).norm(norm);
    let (last, count) = (lengths[lengths.len() - 1], lengths.iter().product());
    let x = numbers::<T>(count);
    let whole = expected(lengths, &as_points(&x), Direction::Forward, norm);
    let wanted = half(lengths, &whole);
    let close = |found: &[Complex<T>], wanted: &[Complex<f64>], text: &dyn std::fmt::Display| {
        let error = relative_error(found, wanted);
        assert!(error <= bound::<T>(count), "{text}\n{error}");
    };
    let forward = planner.plan_real_to_complex::<T>(&there).unwrap();
    let inverse = planner.plan_complex_to_real::<T>(&back).unwrap();
    let mut spectrum = noise::<T>(wanted.len());
    forward.process(&x, &mut spectrum).unwrap();
    close(&spectrum, &wanted, &forward);
    spectrum.fill(Complex::from(T::zero()));
    forward.process_with_scratch(&x, &mut spectrum, &mut noise(forward.scratch_len())).unwrap();
    close(&spectrum, &wanted, &forward);
    let mut machine = Machine::stepper(1).nodes(forward.nodes().unwrap_or(2));
    close(&forward.run_on(&mut machine, x.clone()).unwrap().output.into_vec(), &wanted, &forward);

    // The inverse starts from the definition's spectrum.
    let exact = as_points(&x).iter().map(|x| Complex::from(x.re.widen())).collect::<Vec<_>>();
    let mut y = numbers::<T>(count + 1);
    inverse.process(&mut narrow(&wanted), &mut y[..count]).unwrap();
    close(&as_points(&y[..count]), &exact, &inverse);
    y.fill(T::zero());
    inverse
        .process_with_scratch(&mut narrow(&wanted), &mut y[..count], &mut noise(inverse.scratch_len()))
        .unwrap();
    close(&as_points(&y[..count]), &exact, &inverse);
    let run = inverse.run_on(&mut machine, narrow(&wanted)).unwrap();
    close(&as_points(&run.output.into_vec()), &exact, &inverse);

    // In place, in padded rows, and from padded rows to another array, which may end with the last number.
    let padded = 2 * (last / 2 + 1);
    let forward = planner.plan_real_to_complex::<T>(&there.padded()).unwrap();
    let inverse = planner.plan_complex_to_real::<T>(&back.padded()).unwrap();
    let rows = filled(&x, last, padded);
    let points = |data: &[T]| data.chunks(2).map(|x| Complex::new(x[0], x[1])).collect::<Vec<_>>();
    let mut data = rows.clone();
    forward.process_padded(&mut data).unwrap();
    close(&points(&data), &wanted, &forward);
    for short in [0, padded - last] {
        forward.process(&rows[..rows.len() - short], &mut spectrum).unwrap();
        close(&spectrum, &wanted, &forward);
    }
    let kept = |data: &[T]| -> Vec<_> {
        as_points(&data.chunks(padded).flat_map(|row| row[..last].to_vec()).collect::<Vec<_>>())
    };
    let mut data: Vec<_> = narrow::<T>(&wanted).iter().flat_map(|x| [x.re, x.im]).collect();
    inverse.process_padded(&mut data).unwrap();
    close(&kept(&data), &exact, &inverse);
    for short in [0, padded - last] {
        let mut data = rows.clone();
        data.truncate(rows.len() - short);
        inverse.process(&mut narrow(&wanted), &mut data).unwrap();
        close(&kept(&data)[..count], &exact, &inverse);
    }
    close(&forward.run_on(&mut machine, rows).unwrap().output.into_vec(), &wanted, &forward);
    let run = inverse.run_on(&mut machine, narrow(&wanted)).unwrap();
    close(&kept(&run.output.into_vec()), &exact, &inverse);
    // Rows without their padding do not fit the problem.
    let refused = forward.run_on(&mut machine, x).map(drop);
    assert!(matches!(refused, Err(TransformError::Shape(_))), "{refused:?}");
}

fn two_pass(config: Config, nodes_: usize) -> Planner {
    earth_papers::planner().algorithm("two-pass").config(config).nodes(nodes(nodes_))
}

/// All pairs of small lengths, odd and even, and arrays of three dimensions.
#[test]
fn arrays_of_every_length_by_nodes() {
    let planners = [two_pass(Config::Spn, 2), two_pass(Config::Spn, 3), two_pass(Config::Dual, 2)];
    for rows in 1..=13 {
        for cols in 1..=13 {
            let (planner, norm) = (&planners[(rows + 2 * cols) % 3], NORMS[(rows / 2 + cols) % 3]);
            are_right::<f64>(planner, &[rows, cols], norm);
        }
    }
    for lengths in [
        &[1, 1, 1][..],
        &[2, 3, 5],
        &[7, 4, 6],
        &[8, 8, 8],
        &[1, 9, 4],
        &[11, 1, 12],
        &[16, 33, 2],
        &[5, 2, 33],
    ] {
        for planner in &planners {
            for norm in NORMS {
                are_right::<f32>(planner, lengths, norm);
                are_right::<f64>(planner, lengths, norm);
            }
        }
    }
}

/// Series as matrices with half as many points as numbers: every even length with such a matrix, in several
/// blocks.
#[test]
fn series_of_every_even_length_by_nodes() {
    let by = |algorithm, config, nodes_, block| {
        earth_papers::by_name(algorithm, Some(nodes(block))).unwrap().config(config).nodes(nodes(nodes_))
    };
    let planners = [
        by("transpose", Config::Spn, 2, 3),
        by("transpose", Config::Dual, 2, 1),
        by("ffte", Config::Spn, 3, 2),
        by("transpose", Config::Spn, 3, 4),
    ];
    for n in (8..=200).step_by(2).chain([1000, 1024, 1210]) {
        let planner = &planners[n / 2 % 4];
        let planned = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[n]));
        if matches!(planned, Err(PlanError::NotAProduct { .. })) {
            continue;
        }
        let norm = NORMS[n / 8 % 3];
        are_right::<f64>(planner, &[n], norm);
        if n % 3 == 0 {
            are_right::<f32>(planner, &[n], norm);
        }
    }
    // Several whole batches of columns, and the program's own blocks.
    for n in [4096, 3000] {
        let planner = earth_papers::planner().algorithm("transpose").nodes(nodes(2));
        are_right::<f64>(&planner, &[n], Norm::Backward);
        are_right::<f32>(&planner.with(Transpose::new().block(nodes(100))), &[n], Norm::Ortho);
    }
}

/// Checks plans without nodes, which transform on the calling thread, and on a machine in one fiber.
#[test]
fn arrays_and_series_by_one_thread() {
    for lengths in [&[1][..], &[2], &[9], &[30], &[6, 7], &[5, 8], &[3, 4, 5], &[4, 3, 6]] {
        are_right::<f64>(&earth_papers::planner(), lengths, Norm::Backward);
        are_right::<f32>(&earth_papers::planner(), lengths, Norm::Ortho);
    }
}

/// Checks gaps between rows of numbers and between rows of points, in two arrays and in one. Gaps do not
/// change the result.
#[test]
fn gaps_in_real_arrays_by_nodes() {
    let rows = |lengths: &[usize], distance| earth_fft::Layout::rows(lengths, distance);
    for planner in [two_pass(Config::Spn, 2), two_pass(Config::Dual, 3)] {
        for lengths in [&[6, 10][..], &[9, 7], &[4, 3, 12], &[5, 6, 5]] {
            let (last, count): (_, usize) = (lengths[lengths.len() - 1], lengths.iter().product());
            let half = last / 2 + 1;
            let x = numbers::<f64>(count);
            let mut wanted = vec![Complex::default(); count / last * half];
            let dense =
                earth_papers::planner().plan_real_to_complex(&Problem::real_to_complex(lengths)).unwrap();
            dense.process(&x, &mut wanted).unwrap();
            let wide = filled(&x, last, 2 * (half + 3));
            let points = |row: &[f64]| row.chunks(2).map(|x| Complex::new(x[0], x[1])).collect::<Vec<_>>();
            let close = |found: &[Complex<f64>], distance: usize, wanted: &[Complex<f64>]| {
                let kept = wanted.len() / (count / last);
                let found: Vec<_> = found.chunks(distance).flat_map(|row| row[..kept].to_vec()).collect();
                let error = relative_error(&found, wanted);
                assert!(error <= bound::<f64>(count), "{lengths:?}, {planner:?}: {error}");
            };
            let (of_numbers, of_points) = (rows(lengths, 2 * (half + 3)), rows(lengths, half + 3));
            for (input, distance) in [(&of_numbers, half), (&of_numbers, half + 2), (&of_numbers, half + 3)] {
                let there = Problem::real_to_complex(lengths).input(input.clone());
                let there = there.output(rows(lengths, distance));
                let forward = planner.plan_real_to_complex::<f64>(&there).unwrap();
                assert_eq!(forward.algorithm(), "two-pass");
                let mut spectrum = vec![Complex::from(7.0); count / last * distance];
                forward.process(&wide, &mut spectrum).unwrap();
                close(&spectrum, distance, &wanted);
                let gaps = spectrum.chunks(distance).flat_map(|row| &row[half..]);
                assert!(gaps.clone().count() == count / last * (distance - half));
                assert!(gaps.into_iter().all(|x| *x == Complex::from(7.0)), "{forward}");
                let back = Problem::complex_to_real(lengths).input(rows(lengths, distance));
                let inverse = planner.plan_complex_to_real::<f64>(&back.output(input.clone())).unwrap();
                let mut y = vec![9.0; wide.len()];
                inverse.process(&mut spectrum, &mut y).unwrap();
                close(&as_points(&y), 2 * (half + 3), &as_points(&x));
                assert!(
                    y.chunks(2 * (half + 3))
                        .all(|row| row[last..].iter().all(|x| x.to_bits() == 9.0_f64.to_bits())),
                    "{inverse}"
                );
            }
            let there = Problem::real_to_complex(lengths).input(of_numbers.clone()).output(of_points.clone());
            let forward = planner.plan_real_to_complex::<f64>(&there).unwrap();
            let mut data = wide.clone();
            forward.process_padded(&mut data).unwrap();
            close(&points(&data), half + 3, &wanted);
            let back = Problem::complex_to_real(lengths).input(of_points).output(of_numbers);
            planner.plan_complex_to_real::<f64>(&back).unwrap().process_padded(&mut data).unwrap();
            close(&as_points(&data), 2 * (half + 3), &as_points(&x));
            assert!(
                data.chunks(2 * (half + 3))
                    .all(|row| row[2 * half..].iter().all(|x| x.to_bits() == 9.0_f64.to_bits()))
            );
        }
    }
}

/// Checks arrays beyond the caches, too large for the definition, against the complex transform, and back.
#[test]
fn large_arrays_are_those_of_points() {
    for lengths in [&[512, 384][..], &[301, 255], &[48, 40, 50], &[33, 20, 31]] {
        let planner = earth_papers::planner().nodes(nodes(2));
        let count: usize = lengths.iter().product();
        let x = numbers::<f64>(count);
        let mut points = as_points(&x);
        planner.plan::<f64>(&Problem::complex(lengths)).unwrap().process(&mut points).unwrap();
        let wanted = half(lengths, &points);
        let forward = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(lengths)).unwrap();
        let inverse = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(lengths)).unwrap();
        assert_eq!([forward.nodes(), inverse.nodes()], [Some(2); 2]);
        let (mut spectrum, mut back) = (vec![Complex::default(); wanted.len()], vec![0.0; count]);
        forward.process(&x, &mut spectrum).unwrap();
        assert!(relative_error(&spectrum, &wanted) <= bound::<f64>(count), "{forward}");
        inverse.process(&mut spectrum, &mut back).unwrap();
        assert!(relative_error(&as_points(&back), &as_points(&x)) <= bound::<f64>(count), "{inverse}");
    }
}

/// Checks that all calls are correct, also when the machine is busy and the callers' own threads transform.
#[test]
fn threads_use_plans_by_nodes_at_once() {
    for config in [Config::Spn, Config::Dual] {
        let (planner, lengths) = (two_pass(config, 2), [20, 30]);
        let forward = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&lengths)).unwrap();
        let inverse = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&lengths)).unwrap();
        let plans = Arc::new((forward, inverse));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let plans = Arc::clone(&plans);
                scope.spawn(move || {
                    let mut x = numbers::<f64>(600);
                    x.rotate_left(thread);
                    let (mut spectrum, mut back) = (vec![Complex::default(); 20 * 16], vec![0.0; 600]);
                    for _ in 0..50 {
                        plans.0.process(&x, &mut spectrum).unwrap();
                        plans.1.process(&mut spectrum, &mut back).unwrap();
                        assert!(back.iter().zip(&x).all(|(x, y)| (x - y).abs() < 1e-12), "{}", plans.0);
                    }
                });
            }
        });
    }
}

/// Checks that the bytes in the description of a plan equal the bytes that a run counts.
#[test]
fn plans_by_nodes_describe_themselves() {
    fn output<K: earth_fft::Kind>(plan: &Plan<f64, K>, input: Vec<K::Input<f64>>) -> String {
        let run = plan.run_on(&mut Machine::stepper(1).nodes(2), input).unwrap();
        let bytes = format!(", {} bytes moved, {} bytes of memory", run.counters.bytes_moved, plan.needed());
        assert!(plan.to_string().contains(&bytes), "{plan}\n{bytes}");
        assert_eq!((plan.nodes(), plan.algorithm(), plan.why()), (Some(2), "two-pass", Why::NodesSet));
        let counters = (run.counters.block_moves, run.counters.invokes);
        assert_eq!(counters, (5 * 3, 4 + 3), "{plan}");
        plan.to_string()
    }
    let planner = earth_papers::planner().nodes(nodes(2));
    let forward = planner.plan_real_to_complex(&Problem::real_to_complex(&[20, 40])).unwrap();
    let text = output(&forward, numbers(800));
    let parts = [
        "\nby 2 nodes (SPN), because several nodes were asked for: 4 row blocks, then 3 strips of columns of 20 by ",
        ", from real numbers to points, ",
    ];
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    let inverse = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[20, 40])).unwrap();
    let run = inverse.run_on(&mut Machine::stepper(1).nodes(2), noise(420)).unwrap();
    let text = inverse.to_string();
    let bytes = format!(", {} bytes moved, ", run.counters.bytes_moved);
    for part in
        [": 3 strips of columns of 20 by ", ", then 4 row blocks, from points to real numbers", &bytes]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let problem = Problem::real_to_complex(&[20, 40]).padded();
    let text = output(&planner.plan_real_to_complex(&problem).unwrap(), numbers(20 * 42));
    assert!(text.contains(", in place, "), "{text}");
    let phantom = planner.phantom().plan_real_to_complex::<f64>(&problem).unwrap();
    let run = phantom.run_phantom_on(&mut Machine::stepper(1).nodes(2)).unwrap();
    assert!(text.contains(&format!(", in place, {} bytes moved, ", run.counters.bytes_moved)), "{text}");
}

/// Checks that nodes share real arrays under the conditions of complex ones, at twice the length. Other
/// programs take points.
#[test]
fn nodes_share_large_real_arrays_and_requested_ones() {
    let why = |planner: &Planner, problem: &Problem<earth_fft::RealToComplex>| {
        planner.plan_real_to_complex::<f64>(problem).unwrap().why()
    };
    let two = earth_papers::planner().nodes(nodes(2));
    for (lengths, reason) in [
        (&[64][..], Why::NodesSet),
        (&[63], Why::Odd),
        (&[6], Why::Series),
        (&[2 * 34], Why::Series),
        (&[1, 64], Why::NodesSet),
        // A row of one number is one point, and a row of two numbers is two points.
        (&[64, 1], Why::Narrow),
        (&[64, 2], Why::NodesSet),
        (&[2, 1, 3], Why::NodesSet),
    ] {
        assert_eq!(why(&two, &Problem::real_to_complex(lengths)), reason, "{lengths:?}");
    }
    assert_eq!(why(&two, &Problem::real_to_complex(&[8, 8]).batch(2)), Why::NodesSet);
    assert_eq!(why(&two, &Problem::real_to_complex(&[8, 8]).padded()), Why::NodesSet);
    let gaps = earth_fft::Layout { strides: vec![11, 1], distance: 0 };
    assert_eq!(why(&two, &Problem::real_to_complex(&[8, 8]).input(gaps)), Why::NodesSet);
    let turned = earth_fft::Layout { strides: vec![1, 8], distance: 0 };
    assert_eq!(why(&two, &Problem::real_to_complex(&[8, 8]).input(turned)), Why::NoMatrix);
    if default_nodes(Config::Spn) > 1 {
        let reasons = [&[1024, 1023][..], &[1024, 1024], &[1_000_000], &[1 << 20]]
            .map(|n| why(&earth_papers::planner(), &Problem::real_to_complex(n)));
        assert_eq!(reasons, [Why::Small, Why::Large, Why::ShortSeries, Why::LongSeries]);
    }
    let named = |algorithm, lengths: &[usize]| {
        let planner = earth_papers::planner().algorithm(algorithm);
        let problem = Problem::complex_to_real(lengths);
        planner.plan_complex_to_real::<f64>(&problem).map(drop).unwrap_err()
    };
    let algorithm = "grouped";
    assert_eq!(named(algorithm, &[8, 8]), PlanError::NeedsComplex { algorithm });
    let algorithm = "two-pass";
    assert_eq!(named(algorithm, &[8]), PlanError::NeedsMatrix { algorithm });
    for (algorithm, numbers) in [("transpose", "two"), ("ffte", "three")] {
        assert_eq!(named(algorithm, &[9]), PlanError::NotPairs { algorithm, n: 9 });
        assert_eq!(named(algorithm, &[14]), PlanError::NotAProduct { algorithm, numbers, n: 7 });
        assert_eq!(named(algorithm, &[4, 6]), PlanError::NeedsLine { algorithm });
    }
}

/// Checks that slices that do not fit are refused like by one thread, and are unchanged.
#[test]
fn slices_that_do_not_fit_plans_by_nodes() {
    let planner = two_pass(Config::Spn, 2);
    let forward = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[6, 5])).unwrap();
    let inverse = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[6, 5])).unwrap();
    let (mut x, mut spectrum) = (numbers::<f64>(30), noise::<f64>(18));
    let before = (x.clone(), spectrum.clone());
    let failures = [
        forward.process(&x[1..], &mut spectrum),
        forward.process(&x, &mut spectrum[1..]),
        forward.process_padded(&mut x),
        inverse.process(&mut spectrum[1..], &mut x),
        inverse.process(&mut spectrum, &mut x[1..]),
        inverse.process_padded(&mut x),
    ];
    let said = [
        "the input has 29 elements where 30 are needed",
        "the output has 17 elements where 18 are needed",
        "a transform in place needs the same layout for its input and its output",
        "the input has 17 elements where 18 are needed",
        "the output has 29 elements where 30 are needed",
        "a transform in place needs the same layout for its input and its output",
    ];
    assert_eq!(failures.map(|failure| failure.unwrap_err().to_string()), said);
    assert_eq!((x, spectrum), before);
    for count in [29, 31] {
        let refused = forward.run_on(&mut Machine::stepper(1).nodes(2), numbers(count)).map(drop);
        assert!(matches!(refused, Err(TransformError::Shape(_))), "{refused:?}");
    }
}
