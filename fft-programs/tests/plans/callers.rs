//! Checks many callers of one plan: threads, fibers, and the allocations of a call.

use std::sync::{Arc, Barrier};

use allocation_counter::measure;
use earth::{Config, Error, Eu, Machine, NodeId, Reply, Shared, threaded};
use earth_fft::{
    Complex, ComplexToRealPlan, Direction, Norm, Plan, Problem, RealToComplexPlan, default_nodes,
};
use earth_kernels::{bound, evaluated, relative_error};

use crate::nodes;
use crate::oracle::{expected, noise};

/// Checks that all calls are correct, also when the machine is busy and the caller's own thread transforms.
#[test]
fn threads_use_one_plan_at_once() {
    for config in [Config::Spn, Config::Dual] {
        for lengths in [&[24, 24][..], &[20, 30], &[500]] {
            let planner = earth_papers::planner().config(config).nodes(nodes(2));
            let plan: Plan<f64> = planner.plan(&Problem::complex(lengths)).unwrap();
            let points = noise::<f64>(lengths.iter().product());
            let expected = expected(lengths, &points, Direction::Forward, Norm::Backward);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for _ in 0..50 {
                            let mut here = points.clone();
                            plan.process(&mut here).unwrap();
                            let error = relative_error(&here, &expected);
                            assert!(error <= bound::<f64>(points.len()), "{plan}\n{error}");
                        }
                    });
                }
            });
        }
    }
}

/// Checks that a run on the calling thread is bitwise equal to a run on a machine, and counts no fiber.
#[test]
fn plans_for_one_thread_run_without_a_machine() {
    for lengths in [&[30][..], &[6, 10], &[4, 3, 5]] {
        let machine = || Machine::stepper(1);
        let plan: Plan<f64> =
            earth_papers::planner().nodes(nodes(1)).plan(&Problem::complex(lengths)).unwrap();
        let points = noise::<f64>(lengths.iter().product());
        let [here, there] = [plan.run_here(points.clone()), plan.run_on(&mut machine(), points)];
        let (here, there) = (here.unwrap(), there.unwrap());
        assert_eq!((here.counters.fibers, there.counters.fibers), (0, 1));
        assert_eq!(here.output.into_vec(), there.output.into_vec(), "{plan}");
        let ((forward, inverse), x) = (real_plans(lengths, 1), numbers(lengths.iter().product()));
        let spectra = [forward.run_here(x.clone()), forward.run_on(&mut machine(), x)];
        let [here, there] = spectra.map(|run| run.unwrap().output.into_vec());
        assert_eq!(here, there, "{forward}");
        let numbers = [inverse.run_here(here), inverse.run_on(&mut machine(), there)];
        let [here, there] = numbers.map(|run| run.unwrap().output.into_vec());
        assert_eq!(here, there, "{inverse}");
    }
}

/// Each thread has its own numbers, and gets them back.
#[test]
fn threads_use_real_plans_at_once() {
    for lengths in [&[500][..], &[20, 31], &[6, 10, 9]] {
        let (forward, inverse) = real_plans(lengths, 1);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (forward, inverse) = (&forward, &inverse);
                scope.spawn(move || {
                    let mut numbers = numbers(lengths.iter().product());
                    numbers.rotate_left(thread);
                    let (mut spectrum, mut back) = (half(lengths, 1), vec![0.0; numbers.len()]);
                    for _ in 0..50 {
                        forward.process(&numbers, &mut spectrum).unwrap();
                        inverse.process(&mut spectrum, &mut back).unwrap();
                        assert!(back.iter().zip(&numbers).all(|(x, y)| (x - y).abs() < 1e-12), "{forward}");
                    }
                });
            }
        });
    }
}

/// Makes the plans of a batch of real transforms and of their inverses.
fn real_plans(lengths: &[usize], batch: usize) -> (RealToComplexPlan<f64>, ComplexToRealPlan<f64>) {
    let (there, back) = (Problem::real_to_complex(lengths), Problem::complex_to_real(lengths));
    let planner = earth_papers::planner();
    let forward = planner.plan_real_to_complex(&there.batch(batch)).unwrap();
    (forward, planner.plan_complex_to_real(&back.batch(batch)).unwrap())
}

fn numbers(count: usize) -> Vec<f64> {
    noise::<f64>(count).into_iter().map(|x| x.re).collect()
}

/// Makes an array for the spectra of a batch.
fn half(lengths: &[usize], batch: usize) -> Vec<Complex<f64>> {
    let last = lengths[lengths.len() - 1];
    noise(lengths.iter().product::<usize>() / last * (last / 2 + 1) * batch)
}

/// Transforms by a plan inside a fiber.
struct Inside;

#[threaded]
impl Inside {
    fn start(plan: Shared<Plan<f64>>, points: usize, out: Reply<Vec<f64>>, eu: &mut Eu<Self>) {
        let mut here = noise::<f64>(points);
        plan.process(&mut here).unwrap_or_else(|error| panic!("{error}"));
        let mut there = vec![Complex::default(); points];
        plan.process_out_of_place(&noise(points), &mut there).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(here, there);
        eu.put(out, here.iter().flat_map(|x| [x.re, x.im]).collect());
    }
}

/// Runs two `Inside` on two nodes, on the same kind of machine as the plan's.
struct Both {
    out: Reply<Vec<f64>>,
}

#[threaded]
impl Both {
    fn start(plan: Shared<Plan<f64>>, points: usize, out: Reply<Vec<f64>>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(0), Inside::call(plan.clone(), points, eu.reply(Self::compare().one)));
        eu.invoke(NodeId::new(1), Inside::call(plan, points, eu.reply(Self::compare().other)));
        Self { out }
    }

    #[slot]
    fn compare(self, one: Vec<f64>, other: Vec<f64>, eu: &mut Eu<Self>) {
        assert_eq!(one, other);
        eu.put(self.out, one);
    }
}

#[test]
fn a_fiber_transforms_by_its_own_thread() {
    for (lengths, shared) in [(&[16, 16][..], true), (&[12, 18], true), (&[100], true), (&[101], false)] {
        let plan: Plan<f64> =
            earth_papers::planner().nodes(nodes(2)).plan(&Problem::complex(lengths)).unwrap();
        assert_eq!(plan.nodes().is_some(), shared);
        let count = lengths.iter().product();
        let expected = expected(lengths, &noise::<f64>(count), Direction::Forward, Norm::Backward);
        let plan = Shared::new(plan);
        for mut machine in
            [Machine::threads(2), Machine::stepper(3), Machine::threads(2).config(Config::Dual)]
        {
            let found = machine.run(|out| Both::call(plan.clone(), count, out)).unwrap().value;
            let found: Vec<_> = found.chunks(2).map(|x| Complex::new(x[0], x[1])).collect();
            assert!(relative_error(&found, &expected) <= bound::<f64>(count));
        }
    }
}

/// Transforms numbers and their spectrum inside a fiber, and returns the largest error of the resulting
/// numbers.
struct ThereAndBack;

#[threaded]
impl ThereAndBack {
    fn start(
        forward: Shared<RealToComplexPlan<f64>>,
        inverse: Shared<ComplexToRealPlan<f64>>,
        out: Reply<f64>,
        eu: &mut Eu<Self>,
    ) {
        let numbers = numbers(60);
        let (mut spectrum, mut back) = (half(&[5, 12], 1), vec![0.0; 60]);
        forward.process(&numbers, &mut spectrum).unwrap_or_else(|error| panic!("{error}"));
        inverse.process(&mut spectrum, &mut back).unwrap_or_else(|error| panic!("{error}"));
        eu.put(out, back.iter().zip(&numbers).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max));
    }
}

#[test]
fn a_fiber_transforms_real_numbers() {
    let (forward, inverse) = real_plans(&[5, 12], 1);
    let (forward, inverse) = (Shared::new(forward), Shared::new(inverse));
    for mut machine in [Machine::threads(2), Machine::stepper(3), Machine::threads(2).config(Config::Dual)] {
        let run = machine.run(|out| ThereAndBack::call(forward.clone(), inverse.clone(), out)).unwrap();
        assert!(run.value < 1e-12, "{}", run.value);
    }
}

/// Checks that a fiber cannot run a machine, and that the call returns an error.
struct Runs;

#[threaded]
impl Runs {
    fn start(plan: Shared<Plan<f64>>, out: Reply<bool>, eu: &mut Eu<Self>) {
        let ended = plan.run_on(&mut Machine::stepper(1), noise(16)).map(drop);
        let expected = Err(earth_fft::TransformError::Machine(Error::InsideFiber));
        eu.put(out, ended == expected);
    }
}

#[test]
fn a_fiber_runs_no_machine() {
    let plan = Shared::new(earth_papers::planner().plan::<f64>(&Problem::complex(&[16])).unwrap());
    assert!(Machine::threads(1).run(|out| Runs::call(plan, out)).unwrap().value);
}

/// Checks that on the calling thread only the first call allocates.
#[test]
fn calls_after_the_first_allocate_nothing() {
    for lengths in [&[4000][..], &[1021], &[48, 60], &[10, 12, 14]] {
        let plan: Plan<f64> = earth_papers::planner().plan(&Problem::complex(lengths)).unwrap();
        assert!(plan.scratch_len() > 0);
        let mut here = noise::<f64>(lengths.iter().product());
        let mut there = here.clone();
        assert!(measure(|| plan.process(&mut here).unwrap()).count_total > 0);
        let later = measure(|| {
            plan.process(&mut here).unwrap();
            plan.process_out_of_place(&here, &mut there).unwrap();
        });
        assert_eq!(later.count_total, 0, "{plan}");
    }
    // Short rows have their buffers on the stack, so that not even the first call allocates.
    let plan: Plan<f64> = earth_papers::planner().plan(&Problem::complex(&[1000])).unwrap();
    let (mut here, mut there) = (noise::<f64>(1000), noise::<f64>(1000));
    let calls = measure(|| {
        plan.process(&mut here).unwrap();
        plan.process_out_of_place(&here, &mut there).unwrap();
    });
    assert_eq!((plan.scratch_len(), calls.count_total), (0, 0), "{plan}");
}

/// Checks that a plan keeps its scratch for later calls.
#[test]
fn real_calls_after_the_first_allocate_nothing() {
    for lengths in [&[4000][..], &[1021], &[48, 60], &[10, 12, 14]] {
        let (forward, inverse) = real_plans(lengths, 3);
        let mut numbers = numbers(3 * lengths.iter().product::<usize>());
        let mut spectra = half(lengths, 3);
        assert!(forward.scratch_len() > 0 && inverse.scratch_len() > 0);
        assert!(measure(|| forward.process(&numbers, &mut spectra).unwrap()).count_total > 0);
        assert!(measure(|| inverse.process(&mut spectra, &mut numbers).unwrap()).count_total > 0);
        let later = measure(|| {
            forward.process(&numbers, &mut spectra).unwrap();
            inverse.process(&mut spectra, &mut numbers).unwrap();
        });
        assert_eq!(later.count_total, 0, "{forward}");
    }
    // Short rows have their buffers on the stack, so that not even the first call allocates.
    let (forward, inverse) = real_plans(&[1000], 3);
    let (mut numbers_, mut spectra) = (numbers(3000), half(&[1000], 3));
    let all = measure(|| {
        forward.process(&numbers_, &mut spectra).unwrap();
        inverse.process(&mut spectra, &mut numbers_).unwrap();
    });
    assert_eq!(all.count_total, 0, "{forward}");
    let planner = earth_papers::planner();
    let there = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[30, 31]).padded()).unwrap();
    let back = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[30, 31]).padded()).unwrap();
    let mut data = numbers(30 * 32);
    let mut both = || {
        there.process_padded(&mut data).unwrap();
        back.process_padded(&mut data).unwrap();
    };
    both();
    assert_eq!(measure(both).count_total, 0, "{there}");
}

/// Checks that two concurrent calls have a scratch each, and that the plan keeps both.
#[test]
fn as_many_scratches_are_kept_as_callers_were_in_at_once() {
    let (plan, _) = real_plans(&[1021], 1);
    let together = Barrier::new(2);
    let call = || {
        let (numbers, mut spectrum) = (numbers(1021), half(&[1021], 1));
        (0..200)
            .map(|_| {
                together.wait();
                measure(|| plan.process(&numbers, &mut spectrum).unwrap()).count_total
            })
            .sum::<u64>()
    };
    let allocated: u64 = std::thread::scope(|scope| {
        let threads = [scope.spawn(call), scope.spawn(call)];
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    // A scratch and its slot in the pool, for each call.
    assert!((1..=4).contains(&allocated), "{allocated}");
}

#[test]
fn plans_and_planners_go_to_other_threads() {
    fn sends<T: Send + Sync + 'static>(value: T) -> Arc<T> {
        Arc::new(value)
    }
    let planner = sends(earth_papers::planner().nodes(nodes(2)).algorithm("grouped"));
    let plan = sends(planner.plan::<f32>(&Problem::complex(&[8, 8])).unwrap());
    let (forward, inverse) = real_plans(&[8], 1);
    sends((forward, inverse));
    let sum = std::thread::spawn(move || {
        let mut points = vec![Complex::from(1.0); 64];
        plan.process(&mut points).unwrap();
        points[0].re
    });
    assert_eq!(sum.join().unwrap().to_bits(), 64.0_f32.to_bits());
}

/// Returns the default numbers of nodes, from a fiber on a bound thread.
struct Plans;

#[threaded]
impl Plans {
    fn start(out: Reply<Vec<usize>>, eu: &mut Eu<Self>) {
        if eu.node().index() == 0 {
            return eu.invoke(NodeId::new(1), Plans::call(out));
        }
        let usual = || [Config::Spn, Config::Dual].map(default_nodes);
        let started = std::thread::spawn(usual).join().expect("it ends");
        eu.put(out, [usual(), started].concat());
    }
}

#[test]
fn a_plan_that_a_fiber_makes_has_as_many_nodes_as_one_made_outside() {
    let usual = [Config::Spn, Config::Dual].map(default_nodes);
    // With one core no thread can be bound, so no core can be lost.
    for pin in [false, true].into_iter().take(Machine::usable_cores()) {
        let run = Machine::threads(2).pin(pin).run(Plans::call).unwrap();
        assert_eq!(run.value, [usual, usual].concat(), "pin({pin})");
    }
}

/// Checks that plans of all planners and of both directions share tables, and that the tables outlive the
/// last plan.
#[test]
fn plans_share_their_tables() {
    // No other test uses this length.
    const LEN: usize = 24_576;
    let angles = |direction| {
        let before = evaluated();
        let problem = Problem::complex(&[LEN]).direction(direction);
        let plan = earth_papers::planner().nodes(nodes(1)).plan::<f64>(&problem).unwrap();
        (plan, evaluated() - before)
    };
    let (first, taken) = angles(Direction::Forward);
    // With the least vector instructions, rustfft transforms such rows.
    assert!(taken == 0 || taken == LEN as u64 / 8 + 1, "{taken} angles for\n{first}");
    let (second, none) = angles(Direction::Inverse);
    assert_eq!(none, 0, "{second}");
    drop((first, second));
    assert_eq!(angles(Direction::Forward).1, 0);
}
