//! The transform of three dimensions that overlaps its exchange with its work, against one call of a plan on
//! the calling thread, which other tests compare with the definition.

use earth::{Config, Machine};
use earth_fft::kernel::RowOptions;
use earth_fft::{Direction, Planner, Problem, TransformError};
use earth_papers::overlap::{Layout, OverlapPlan, OverlapSettings, Parameters, Rounds, Size, Variant};
use earth_tests::{BOTH, bits, machines, manna50, noise};
use num_complex::Complex;

type Point = Complex<f64>;

/// Array of all ranks: the parts of x of a whole array, each with room for the output.
fn dealt(plan: &OverlapPlan<f64>, size: &Size, whole: &[Point]) -> Vec<Point> {
    let [_, ny, nz] = size.lengths;
    let of = |rank| {
        let xs = size.bound(0, rank)..size.bound(0, rank + 1);
        let mut own = whole[xs.start * ny * nz..xs.end * ny * nz].to_vec();
        own.resize(plan.local_len(rank), Complex::new(f64::NAN, f64::NAN));
        own
    };
    (0..size.ranks).flat_map(of).collect()
}

/// The whole spectrum in row-major order, from the outputs of all ranks.
fn gathered(plan: &OverlapPlan<f64>, size: &Size, returns: bool, all: &[Point]) -> Vec<Point> {
    let [nx, ny, nz] = size.lengths;
    if returns {
        return all.to_vec();
    }
    let mut whole = vec![Point::default(); nx * ny * nz];
    let mut begin = 0;
    for rank in 0..size.ranks {
        let own = &all[begin..][..plan.local_len(rank)];
        let part = size.part(1, rank);
        for (x, y, z) in (0..nx).flat_map(|x| (0..part).flat_map(move |y| (0..nz).map(move |z| (x, y, z)))) {
            let at = match plan.layout() {
                Layout::PlanesFirst => (z * part + y) * nx + x,
                Layout::RowsFirst => (y * nz + z) * nx + x,
            };
            whole[(x * ny + size.bound(1, rank) + y) * nz + z] = own[at];
        }
        begin += own.len();
    }
    whole
}

fn transformed(
    size: &Size,
    direction: Direction,
    settings: &OverlapSettings,
    machine: &mut Machine,
    whole: &[Point],
) -> Vec<Point> {
    let problem = Problem::complex(&size.lengths).direction(direction);
    let plan =
        OverlapPlan::<f64>::new(&problem, size.ranks, settings, Some(&RowOptions::from(direction))).unwrap();
    let mut points = dealt(&plan, size, whole);
    let run = plan.process_slab(machine, &mut points).unwrap();
    assert_eq!(run.value.len(), size.ranks);
    gathered(&plan, size, settings.returns, &points)
}

fn relative_error(found: &[Point], right: &[Point]) -> f64 {
    let norm = |points: &mut dyn Iterator<Item = Point>| points.map(|z| z.norm_sqr()).sum::<f64>().sqrt();
    norm(&mut found.iter().zip(right).map(|(a, b)| a - b)) / norm(&mut right.iter().copied())
}

/// Sizes with whole and unequal parts, more ranks than rows, single rows and single planes.
const SIZES: [([usize; 3], usize); 8] = [
    ([8, 8, 8], 2),
    ([6, 4, 10], 2),
    ([5, 7, 9], 3),
    ([4, 4, 16], 4),
    ([3, 9, 5], 4),
    ([2, 3, 17], 5),
    ([1, 1, 12], 2),
    ([7, 5, 1], 1),
];

/// Settings of a size: the variant, the rounds and the layout change, and so do the parameters.
fn settings(size: &Size, number: usize) -> OverlapSettings {
    let variant = Variant::ALL[number % 5];
    let rounds = [Rounds::AllAtOnce, Rounds::Pairwise][number / 5 % 2];
    let layout = [None, Some(Layout::PlanesFirst), Some(Layout::RowsFirst)][number % 3];
    let usual = Parameters::usual(size);
    // Each parameter anywhere in its range.
    let mut parameters = usual;
    for at in 0..10 {
        let [least, most] = parameters.range(size, at);
        let mut values = parameters.values();
        values[at] = least + (most - least) * ((number * 7 + at * 3) % 5) / 4;
        parameters = Parameters::of(values);
    }
    let parameters = (!number.is_multiple_of(4)).then_some(parameters);
    OverlapSettings { variant, parameters, rounds, layout, returns: number % 7 > 3 }
}

#[test]
fn every_variant_on_every_machine_is_the_transform() {
    for (case, (lengths, ranks)) in SIZES.into_iter().enumerate() {
        let size = Size { lengths, ranks };
        let whole = noise(lengths.iter().product(), 7);
        for direction in BOTH {
            let problem = Problem::complex(&lengths).direction(direction);
            let mut right = whole.clone();
            Planner::new().plan::<f64>(&problem).unwrap().process(&mut right).unwrap();
            let mut first: Option<Vec<Point>> = None;
            for (number, mut named) in machines(ranks, &[1, 2]).into_iter().enumerate() {
                let settings = settings(&size, number + 5 * case);
                let found = transformed(&size, direction, &settings, &mut named.machine, &whole);
                let error = relative_error(&found, &right);
                assert!(error < 1e-14, "{lengths:?}, {}, {settings:?}: {error:e}", named.name);
                // The variants move points in other orders and compute the same.
                let first = first.get_or_insert_with(|| found.clone());
                assert_eq!(bits(&found), bits(first), "{lengths:?}, {}, {settings:?}", named.name);
            }
        }
    }
}

/// Returns the counters of a run without points, of the lengths 8, 12 and 16.
fn counted(ranks: usize, rounds: Rounds, config: Config, values: [usize; 10]) -> earth::Counters {
    let size = Size { lengths: [8, 12, 16], ranks };
    let settings = OverlapSettings { parameters: Some(Parameters::of(values)), rounds, ..Default::default() };
    let plan = OverlapPlan::<f64>::new(&Problem::complex(&size.lengths), ranks, &settings, None).unwrap();
    let mut machine = Machine::simulated(&manna50()).nodes(ranks).config(config);
    plan.run_phantom_on(&mut machine).unwrap().counters
}

/// Messages are those that the head of `program.rs` counts. On one rank, which never waits, each poll is a
/// fiber.
#[test]
fn counters_follow_the_program() {
    for config in [Config::Spn, Config::Dual] {
        for rounds in [Rounds::AllAtOnce, Rounds::Pairwise] {
            let (ranks, tiles) = (4, 4);
            let some = counted(4, rounds, config, [4, 2, 2, 1, 3, 2, 5, 3, 4, 6]);
            assert_eq!(some.events_sent, tiles * ranks * (ranks - 1) + 4 * (ranks - 1), "{rounds:?}");
        }
        let [none, some] = [[4, 2, 2, 1, 3, 2, 0, 0, 0, 0], [4, 2, 2, 1, 3, 2, 5, 3, 4, 6]]
            .map(|values| counted(1, Rounds::AllAtOnce, config, values).fibers);
        assert_eq!(some - none, 4 * (5 + 3 + 4 + 6));
    }
}

#[test]
fn a_phantom_takes_the_time_of_a_transform_with_data() {
    let size = Size { lengths: [8, 8, 16], ranks: 4 };
    for (number, config) in [(3, Config::Spn), (7, Config::Dual), (12, Config::Spn)] {
        let settings = settings(&size, number);
        let problem = Problem::complex(&size.lengths);
        let machine = || Machine::simulated(&manna50()).nodes(4).config(config);
        let plan = |options| OverlapPlan::<f64>::new(&problem, 4, &settings, options).unwrap();
        let phantom = plan(None).run_phantom_on(&mut machine()).unwrap();
        let options = RowOptions::from(Direction::Forward);
        let plan = plan(Some(&options));
        let mut points = dealt(&plan, &size, &noise(8 * 8 * 16, 7));
        let run = plan.process_slab(&mut machine(), &mut points).unwrap();
        assert_eq!((run.cycles, run.value), (phantom.cycles, phantom.value));
    }
}

#[test]
fn wrong_calls_are_errors_in_a_sentence() {
    let problem = Problem::complex(&[4, 4, 4]);
    let settings = OverlapSettings::default();
    let options = RowOptions::from(Direction::Forward);
    let refused = |problem: &Problem, settings: &OverlapSettings| {
        OverlapPlan::<f64>::new(problem, 2, settings, Some(&options)).unwrap_err().to_string()
    };
    let other = refused(&Problem::complex(&[4, 4]), &settings);
    assert_eq!(other, "the algorithm 'overlap3d' takes one array of three dimensions without gaps");
    let wide = Parameters::of([2, 9, 1, 1, 1, 1, 0, 0, 0, 0]);
    let wide = refused(&problem, &OverlapSettings { parameters: Some(wide), ..settings });
    assert_eq!(wide, "W is 9, and it must be 1 to 2 for this array and number of ranks");
    let plan = OverlapPlan::<f64>::new(&problem, 2, &settings, Some(&options)).unwrap();
    let short = plan.process_slab(&mut Machine::threads(2), &mut [Point::default(); 7]).unwrap_err();
    assert!(matches!(short, TransformError::Call(_)), "{short:?}");
    let other = plan.process_slab(&mut Machine::threads(3), &mut [Point::default(); 64]).unwrap_err();
    assert!(matches!(other, TransformError::OtherMachine { planned: 2, nodes: 3 }), "{other:?}");
    let phantom = plan.run_phantom_on(&mut Machine::simulated(&manna50()).nodes(2)).unwrap_err();
    assert!(matches!(phantom, TransformError::Phantom), "{phantom:?}");
}
