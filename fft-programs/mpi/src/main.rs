//! Temporary measurement.
use std::time::Instant;

use earth_fft::distributed::Order;
use earth_fft::{Complex, Planner, Problem};
use earth_mpi::Mpi;
use mpi::traits::*;

fn main() {
    let job = Mpi::join().unwrap();
    let world = mpi::topology::SimpleCommunicator::world();
    let me = world.rank() as usize;
    let ranks = world.size() as usize;
    let args: Vec<String> = std::env::args().collect();
    let lengths: Vec<usize> = args[1].split('x').map(|n| n.parse().unwrap()).collect();
    let order = if args[2] == "t" { Order::Transposed } else { Order::Natural };
    let in_place = args[3] == "i";
    let reps: usize = args[4].parse().unwrap();
    let mut machine = job.machine().unwrap();
    let plan = Planner::new().plan_distributed::<f64>(&Problem::complex(&lengths), ranks, order).unwrap();
    let value = |at: usize| Complex::new((at % 97) as f64 / 97.0 - 0.5, (at % 89) as f64 / 89.0);
    let input: Vec<_> = (0..plan.local_input(me).len()).map(value).collect();
    let mut points = vec![Complex::new(1.0, 1.0); plan.local_len(me)];
    let mut times = vec![];
    for rep in 0..=reps {
        points[..input.len()].copy_from_slice(&input);
        world.barrier();
        let t = Instant::now();
        if in_place {
            plan.process_slab(&mut machine, &mut points).unwrap();
        } else {
            plan.process_slab_out_of_place(&mut machine, &input, &mut points).unwrap();
        }
        world.barrier();

        
        if rep > 1 { times.push(t.elapsed().as_secs_f64() * 1e3); }
    }
    times.sort_by(f64::total_cmp);
    if me == 0 {
        println!("earth {} {}: {:.2} [{:.2}..{:.2}] ms", args[1], args[2], times[times.len() / 2], times[0], times[times.len() - 1]);
    }
}
