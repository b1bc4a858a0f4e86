//! Distributed transforms on ranks. Rank 0 scatters the input, every rank transforms its part, and rank 0
//! gathers the spectrum. It compares the spectrum with the definition of the transform, and bit for bit with
//! the same plan on a machine of threads. Then one rank makes a wrong call, and every rank gets an error.

use std::error::Error;
use std::num::NonZeroUsize;
use std::time::Duration;

use earth::Machine;
use earth_fft::distributed::Order;
use earth_fft::{Effort, Planner, Problem, Wisdom};
use earth_kernels::{bound, dft_nd, relative_error};
use earth_test_support::sleepy;
use earth_tests::{BOTH, noise};
use num_complex::Complex;

use crate::Outcome;

/// Small arrays, which the definition checks, and one that is sent in several chunks.
const LENGTHS: [&[usize]; 4] = [&[15, 12], &[60], &[3, 6, 7], &[256, 192]];

/// Sizes above this number of points take the definition too long.
const SMALL: usize = 1000;

pub(crate) fn distributed(machine: &mut Machine, rank: usize) -> Outcome {
    for lengths in LENGTHS {
        for order in [Order::Natural, Order::Transposed] {
            points(machine, rank, lengths, order)?;
            numbers(machine, rank, lengths, order)?;
        }
        points(machine, rank, lengths, Order::Root)?;
    }
    wisdom(machine, rank)?;
    wrong_call(machine, rank)
}

/// Measures another problem on each rank. All ranks then have the wisdom of rank 0.
fn wisdom(machine: &mut Machine, rank: usize) -> Outcome {
    let wisdom = Wisdom::new();
    let planner = Planner::new().nodes(NonZeroUsize::MIN);
    let measuring = planner.clone().effort(Effort::Measure).time_limit(Duration::ZERO);
    measuring.wisdom(wisdom.clone()).plan::<f64>(&Problem::complex(&[6 + rank]))?;
    wisdom.share(machine)?;
    let planner = planner.wisdom(wisdom.clone());
    for other in 0..machine.node_count() {
        let is_known = !planner.plan::<f64>(&Problem::complex(&[6 + other]))?.measured().is_empty();
        assert_eq!(is_known, other == 0, "the wisdom of rank {other} on rank {rank}");
    }
    assert_eq!(wisdom.len(), 1);
    Ok(())
}

/// Transforms an array again and again, until a rank is lost. Rank 0 prints a line for each transform.
pub(crate) fn endless(machine: &mut Machine, rank: usize) -> Outcome {
    let problem = Problem::complex(&[256, 192]);
    let plan = Planner::new().plan_distributed::<f64>(&problem, machine.node_count(), Order::Natural)?;
    let len = machine.own_nodes().map(|rank| plan.local_len(rank)).sum();
    let mut points = vec![Complex::from(1.0); len];
    loop {
        plan.process_slab(machine, &mut points)?;
        if rank == 0 {
            println!("round");
        }
    }
}

fn points(machine: &mut Machine, rank: usize, lengths: &[usize], order: Order) -> Outcome {
    for direction in BOTH {
        let problem = Problem::complex(lengths).direction(direction);
        let plan = Planner::new().plan_distributed::<f64>(&problem, machine.node_count(), order)?;
        let input = noise::<f64>(lengths.iter().product(), 5);
        let transform = |machine: &mut Machine, whole| -> Result<_, Box<dyn Error>> {
            let mut points = plan.scatter(machine, whole)?;
            plan.process_slab(machine, &mut points)?;
            Ok(plan.gather(machine, &points)?)
        };
        let found = transform(machine, (rank == 0).then_some(&input[..]))?;
        let Some(found) = found else {
            assert_ne!(rank, 0, "rank 0 gets the spectrum");
            continue;
        };
        if input.len() < SMALL {
            let error = relative_error(&found, &dft_nd(lengths, &input, direction));
            assert!(error <= bound::<f64>(input.len()), "{plan}: {error:e}");
        }
        let mut threads = Machine::threads(machine.node_count()).policy(sleepy());
        let on_threads = transform(&mut threads, Some(&input))?;
        assert!(
            on_threads.is_some_and(|points| bits(&points) == bits(&found)),
            "{plan}: threads give other bits"
        );
    }
    Ok(())
}

/// Transforms real numbers into their spectrum and back.
fn numbers(machine: &mut Machine, rank: usize, lengths: &[usize], order: Order) -> Outcome {
    let nodes = machine.node_count();
    let there = Planner::new().plan_distributed_real_to_complex::<f64>(
        &Problem::real_to_complex(lengths),
        nodes,
        order,
    )?;
    let back = Planner::new().plan_distributed_complex_to_real::<f64>(
        &Problem::complex_to_real(lengths),
        nodes,
        order,
    )?;
    let input: Vec<_> = noise::<f64>(lengths.iter().product(), 6).iter().map(|point| point.re).collect();
    let own = there.scatter(machine, (rank == 0).then_some(&input[..]))?;
    let mut points = vec![Complex::from(0.0); machine.own_nodes().map(|rank| there.local_len(rank)).sum()];
    there.process_slab(machine, &own, &mut points)?;
    let mut again = vec![0.0; machine.own_nodes().map(|rank| back.local_output(rank).len()).sum()];
    back.process_slab(machine, &mut points, &mut again)?;
    let Some(again) = back.gather(machine, &again)? else { return Ok(()) };
    let errors = again.iter().zip(&input).map(|(again, own)| (again - own).abs());
    assert!(errors.fold(0.0, f64::max) < 1e-14 * input.len() as f64, "{there}: the numbers do not come back");
    Ok(())
}

/// Calls with too few points on the last rank. Every rank gets an error, and the next call succeeds.
fn wrong_call(machine: &mut Machine, rank: usize) -> Outcome {
    let plan = Planner::new().plan_distributed::<f64>(
        &Problem::complex(&[16, 16]),
        machine.node_count(),
        Order::Natural,
    )?;
    let own = machine.own_nodes();
    let missing = usize::from(own.end == machine.node_count());
    let len: usize = own.map(|rank| plan.local_len(rank)).sum();
    let mut points = vec![Complex::from(1.0); len];
    let error = plan.process_slab(machine, &mut points[missing..]).expect_err("a rank has too few points");
    assert!(error.to_string().contains("elements where"), "{error}");
    plan.process_slab(machine, &mut points)?;
    assert!(rank > 0 || (points[0] - Complex::from(256.0)).norm() < 1e-12);
    Ok(())
}

fn bits(points: &[Complex<f64>]) -> Vec<[u64; 2]> {
    points.iter().map(|point| [point.re, point.im].map(f64::to_bits)).collect()
}
