//! The overlapping transform of three dimensions on ranks. Each rank has the same bits as the rank of a
//! machine of threads, and a rank with too few points gives every rank an error.

use std::ops::Range;

use earth::Machine;
use earth_fft::kernel::RowOptions;
use earth_fft::{Direction, Problem};
use earth_papers::overlap::{OverlapPlan, OverlapSettings, Parameters, Polls, Rounds, Size, Variant};
use earth_test_support::sleepy;
use earth_tests::noise;
use num_complex::Complex;

use crate::Outcome;

/// Small arrays: with unequal parts, and with equal ones.
const LENGTHS: [[usize; 3]; 2] = [[9, 10, 12], [8, 8, 6]];

pub(crate) fn overlap(machine: &mut Machine, _: usize) -> Outcome {
    for lengths in LENGTHS {
        for variant in Variant::ALL {
            for rounds in [Rounds::AllAtOnce, Rounds::Pairwise] {
                for returns in [false, true] {
                    let settings = OverlapSettings { variant, rounds, returns, ..OverlapSettings::default() };
                    transform(machine, lengths, &settings)?;
                }
            }
        }
    }
    wrong_call(machine)
}

fn plan(machine: &Machine, lengths: [usize; 3], settings: &OverlapSettings) -> Result<Plan, Failed> {
    let size = Size { lengths, ranks: machine.node_count() };
    // With the most polls each fiber ends after one row. The two units of a node then often give each other
    // work.
    let most = Parameters { tile: 2, window: 2, ..Parameters::usual(&size) };
    let most = |at| most.range(&size, at)[1];
    let polls = Polls { along_y: most(6), pack: most(7), unpack: most(8), along_x: most(9) };
    let parameters = Parameters { tile: 2, window: 2, polls, ..Parameters::usual(&size) };
    let settings = OverlapSettings { parameters: Some(parameters), ..*settings };
    let options = RowOptions::from(Direction::Forward);
    Ok(OverlapPlan::new(&Problem::complex(&lengths), size.ranks, &settings, Some(&options))?)
}

type Plan = OverlapPlan<f64>;
type Failed = Box<dyn std::error::Error>;

fn transform(machine: &mut Machine, lengths: [usize; 3], settings: &OverlapSettings) -> Outcome {
    let plan = plan(machine, lengths, settings)?;
    let nodes = machine.node_count();
    let input = noise::<f64>((0..nodes).map(|rank| plan.local_len(rank)).sum(), 7);
    let mut all = input.clone();
    plan.process_slab(&mut Machine::threads(nodes).policy(sleepy()), &mut all)?;
    let own = own(machine, &plan);
    let mut found = input[own.clone()].to_vec();
    plan.process_slab(machine, &mut found)?;
    assert!(bits(&found) == bits(&all[own]), "{plan}, {settings:?}: threads give other bits");
    Ok(())
}

/// Returns the place of this process's points among the points of all nodes.
fn own(machine: &Machine, plan: &Plan) -> Range<usize> {
    let first = |node| (0..node).map(|rank| plan.local_len(rank)).sum();
    first(machine.own_nodes().start)..first(machine.own_nodes().end)
}

fn wrong_call(machine: &mut Machine) -> Outcome {
    let plan = plan(machine, [8, 8, 6], &OverlapSettings::default())?;
    let missing = usize::from(machine.own_nodes().end == machine.node_count());
    let mut points = vec![Complex::from(1.0); own(machine, &plan).len()];
    let error = plan.process_slab(machine, &mut points[missing..]).expect_err("a rank has too few points");
    assert!(error.to_string().contains("elements where"), "{error}");
    plan.process_slab(machine, &mut points)?;
    Ok(())
}

fn bits(points: &[Complex<f64>]) -> Vec<[u64; 2]> {
    points.iter().map(|point| [point.re, point.im].map(f64::to_bits)).collect()
}
