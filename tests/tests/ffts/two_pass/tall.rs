//! Few long columns, on every machine and in random schedules. Transforms of points and of real numbers are
//! compared with the definition, and the counters with the protocol.

use std::num::NonZeroUsize;

use earth::Machine;
use earth_fft::solvers::Tall;
use earth_fft::{Complex, Direction, Kind, Norm, Plan, PlanRun, Planner, Precision, Problem};
use earth_kernels::{bound, dft, inverse_dft, relative_error};
use earth_tests::{BOTH, machines, noise};

use crate::alike::{Counts, counts, schedules};

fn planner(nodes: usize, block: usize) -> Planner {
    let [nodes, block] = [nodes, block].map(|number| NonZeroUsize::new(number).unwrap());
    earth_papers::planner().with(Tall::new().block(block)).nodes(nodes)
}

/// Transforms along each dimension, by the definition.
pub(crate) fn definition<T: Precision>(
    lengths: &[usize],
    points: &[Complex<T>],
    direction: Direction,
) -> Vec<Complex<f64>> {
    let mut found: Vec<_> = points.iter().map(|x| Complex::new(x.re.widen(), x.im.widen())).collect();
    for (axis, &n) in lengths.iter().enumerate() {
        let stride: usize = lengths[axis + 1..].iter().product();
        for begin in (0..found.len()).filter(|at| (at / stride).is_multiple_of(n)) {
            let line: Vec<_> = (0..n).map(|k| found[begin + k * stride]).collect();
            let line = if direction == Direction::Forward { dft(&line) } else { inverse_dft(&line) };
            line.into_iter().enumerate().for_each(|(k, x)| found[begin + k * stride] = x);
        }
    }
    found
}

fn run<T: Precision, K: Kind>(
    plan: &Plan<T, K>,
    machine: &mut Machine,
    input: &[K::Input<T>],
) -> PlanRun<T, K> {
    plan.run_on(machine, input.to_vec()).unwrap()
}

/// Tests points in both directions, and real transforms in both directions, in separate arrays and in one.
fn it_is_the_definition<T: Precision>(
    machine: &mut Machine,
    planner: &Planner,
    lengths: &[usize],
    told: &str,
) {
    let points: usize = lengths.iter().product();
    let near = |found: &[Complex<T>], expected: &[Complex<f64>], what: &str| {
        let error = relative_error(found, expected);
        assert!(error <= bound::<T>(points), "{lengths:?}, {what}, {told}: {error}");
    };
    let input = noise::<T>(points, 2);
    for direction in BOTH {
        let problem = Problem::complex(lengths).direction(direction);
        let plan = planner.plan::<T>(&problem).unwrap();
        let expected = definition(lengths, &input, direction);
        near(&run(&plan, machine, &input).output.into_vec(), &expected, &format!("{direction:?}"));
    }
    let last = lengths[lengths.len() - 1];
    let signal: Vec<_> = input.iter().map(|x| Complex::from(x.re)).collect();
    let numbers: Vec<_> = signal.iter().map(|x| x.re).collect();
    let spectrum = definition(lengths, &signal, Direction::Forward);
    let half: Vec<_> = spectrum.chunks(last).flat_map(|line| &line[..=last / 2]).copied().collect();
    let half_narrow: Vec<_> = half.iter().map(|x| Complex::new(T::of(x.re), T::of(x.im))).collect();
    let padded = |numbers: &[T]| -> Vec<T> {
        let fill = || std::iter::repeat_n(T::of(9.0), 2 * (last / 2 + 1) - last);
        numbers.chunks(last).flat_map(|line| line.iter().copied().chain(fill())).collect()
    };
    let as_points = |numbers: &[T]| numbers.iter().copied().map(Complex::from).collect::<Vec<_>>();
    let wide: Vec<_> = signal.iter().map(|x| Complex::new(x.re.widen(), 0.0)).collect();

    let problem = Problem::real_to_complex(lengths);
    let plan = planner.plan_real_to_complex::<T>(&problem).unwrap();
    near(&run(&plan, machine, &numbers).output.into_vec(), &half, "real numbers");
    let plan = planner.plan_real_to_complex::<T>(&problem.padded()).unwrap();
    near(&run(&plan, machine, &padded(&numbers)).output.into_vec(), &half, "padded real numbers");

    let problem = Problem::complex_to_real(lengths);
    let plan = planner.plan_complex_to_real::<T>(&problem).unwrap();
    let back = run(&plan, machine, &half_narrow).output.into_vec();
    near(&as_points(&back), &wide, "to real numbers");
    let plan = planner.plan_complex_to_real::<T>(&problem.padded()).unwrap();
    let back = run(&plan, machine, &half_narrow).output.into_vec();
    let back: Vec<_> = back.chunks(2 * (last / 2 + 1)).flat_map(|line| line[..last].to_vec()).collect();
    near(&as_points(&back), &wide, "to padded real numbers");
}

const ARRAYS: [&[usize]; 12] = [
    &[4, 1],
    &[6, 2],
    &[64, 1],
    &[60, 3],
    &[77, 2],
    &[256, 5],
    &[210, 9],
    &[121, 4],
    &[36, 16],
    &[16, 1, 2],
    &[30, 2, 3],
    &[48, 3, 1],
];

#[test]
fn every_machine_comes_to_the_definition() {
    for nodes in [1, 2, 3, 8] {
        for (number, mut named) in machines(nodes, &[nodes as u64]).into_iter().enumerate() {
            // Each machine transforms a third of the arrays.
            for (turn, lengths) in ARRAYS.into_iter().enumerate().filter(|(turn, _)| turn % 3 == number % 3) {
                let planner = planner(nodes, [1, 3, 4][turn / 3 % 3]);
                it_is_the_definition::<f64>(&mut named.machine, &planner, lengths, &named.name);
                if turn % 2 == 0 {
                    it_is_the_definition::<f32>(&mut named.machine, &planner, lengths, &named.name);
                }
            }
        }
    }
}

#[test]
fn random_schedules_come_to_the_definition() {
    let lengths = [30, 3];
    for (mut machine, name) in schedules(40) {
        let planner = planner(machine.node_count(), 2);
        it_is_the_definition::<f64>(&mut machine, &planner, &lengths, &name);
    }
}

#[test]
fn the_result_is_scaled_once() {
    for norm in [Norm::Backward, Norm::Ortho, Norm::Forward] {
        let input = noise::<f64>(120, 1);
        let problem = Problem::complex(&[60, 2]).norm(norm);
        let planner = planner(2, 3);
        let mut points = input.clone();
        planner.plan::<f64>(&problem).unwrap().process(&mut points).unwrap();
        let mut back = vec![Complex::default(); 120];
        let inverse = planner.plan::<f64>(&problem.direction(Direction::Inverse)).unwrap();
        inverse.process_out_of_place(&points, &mut back).unwrap();
        assert!(relative_error(&back, &input) <= bound::<f64>(120), "{norm}");
    }
}

const Z: usize = 16;

/// Returns the counters: the counters of the transpose algorithm, whose parts have `block` lines, plus the
/// counters of the rows.
fn counted(rows: usize, width: usize, [a, b]: [usize; 2], block: usize, nodes: usize) -> Counts {
    let n = rows * width * Z;
    let cut = |side: usize| side.div_ceil(block);
    let away = |parts: usize| (parts - parts.div_ceil(nodes)) as u64;
    let (blocks, above, across) = (cut(rows), cut(a), cut(b));
    let [i, j, k] = [above, across, blocks].map(|parts| parts as u64);
    let remote = (0..above).flat_map(|i| (0..across).map(move |j| (i, j)));
    let remote = remote.filter(|(i, j)| i * nodes / above != j * nodes / across).count() as u64;
    let of_columns = [
        2 * i + j + 4,
        i + j,
        i * j + 3 * i + j + 2 * i + j + 2,
        i * j + i,
        4 * n as u64,
        6 * away(above) + 3 * away(across) + remote,
        i + 1,
    ];
    // Rows are distributed and come home. All rows go to the transform of columns with the scratch matrix,
    // and come back.
    let of_rows = [k + 4, k + 1, 2 * k + 2, k, 5 * n as u64, 3 * away(blocks), 1];
    std::array::from_fn(|count| of_columns[count] + of_rows[count])
}

/// Checks that real transforms move the bytes that their plans report.
fn moves_what_it_tells(machine: &mut Machine, planner: &Planner, lengths: &[usize]) {
    let tells = |plan: String, run: Counts| {
        assert!(plan.contains(&format!(" {} bytes moved", run[4])), "{} bytes: {plan}", run[4]);
    };
    let points = lengths[0] * (lengths[1] / 2 + 1);
    let plan = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(lengths)).unwrap();
    let numbers: Vec<_> = noise::<f64>(lengths[0] * lengths[1], 1).iter().map(|x| x.re).collect();
    tells(plan.to_string(), counts(&run(&plan, machine, &numbers).counters));
    let plan = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(lengths)).unwrap();
    tells(plan.to_string(), counts(&run(&plan, machine, &noise(points, 1)).counters));
}

#[test]
fn the_counters_follow_the_protocol() {
    for nodes in [1, 2, 3, 8] {
        for mut named in machines(nodes, &[1, 2]) {
            for (rows, width, sides) in
                [(4, 1, [2, 2]), (60, 3, [6, 10]), (64, 2, [8, 8]), (256, 5, [16, 16])]
            {
                for block in [1, 3, 4] {
                    let plan = planner(nodes, block).plan::<f64>(&Problem::complex(&[rows, width])).unwrap();
                    let run = run(&plan, &mut named.machine, &noise(rows * width, 1));
                    let expected = counted(rows, width, sides, block, nodes);
                    let told = format!("{rows} x {width} by {block}, {}", named.name);
                    assert_eq!(counts(&run.counters), expected, "{told}");
                    assert!(plan.to_string().contains(&format!(" {} bytes moved", expected[4])), "{plan}");
                    if block == 3 {
                        moves_what_it_tells(&mut named.machine, &planner(nodes, block), &[rows, width]);
                    }
                }
            }
        }
    }
}
