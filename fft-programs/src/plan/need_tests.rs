//! Tests of the memory that planning and real series take, compared with the allocated memory. A thread with
//! one usable core steps all units of a machine itself, so all allocations happen, and are counted, in this
//! thread. The tests of `earth-papers` cover the memory of programs.

use std::num::NonZeroUsize;

use allocation_counter::measure;
use num_complex::Complex;

use crate::memory::looked_for;
use crate::{Kernel, Planner, Problem};

/// A call on a real series takes at most one array more, which later calls reuse. If the spectrum is scratch,
/// it takes none.
#[test]
fn series_of_real_numbers_take_one_array_more_at_most() {
    let n = 1 << 18;
    let planner = Planner::new().algorithm("transpose").nodes(NonZeroUsize::new(2).unwrap());
    if let Some(&core) = core_affinity::get_core_ids().unwrap_or_default().first() {
        assert!(core_affinity::set_for_current(core));
    }
    let forward = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[n])).unwrap();
    let inverse = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[n])).unwrap();
    let (mut x, mut spectrum) = (vec![1.0; n], vec![Complex::from(0.0); n / 2 + 1]);
    let array = (n * size_of::<f64>()) as f64;
    let share = |bytes: u64| bytes as f64 / array;
    // The first call may make the machine of two nodes.
    let mut call = || share(measure(|| forward.process(&x, &mut spectrum).unwrap()).bytes_max);
    let [first, again] = [call(), call()];
    assert!((1.0..1.5).contains(&first) && again < 0.4, "{first}, then {again} arrays");
    let back = share(measure(|| inverse.process(&mut spectrum, &mut x).unwrap()).bytes_max);
    assert!(back < 0.5, "{back} arrays");
}

/// Checks that planning allocates no more for tables than the planner checks for beforehand, temporary memory
/// included.
#[test]
fn tables_take_no_more_than_is_looked_for() {
    for kernel in [Kernel::Earth, Kernel::RustFft] {
        // A power of two, a power of three, a prime, twice a prime, primes whose predecessors are smooth and
        // rough, products.
        for n in [1 << 17, 177_147, 131_101, 2 * 65_537, 65_537, 65_543, 100_003, 251 * 509, 120_000] {
            let planner = Planner::new().kernel(kernel.clone());
            let counted = measure(|| drop(planner.plan::<f64>(&Problem::complex(&[n])).unwrap()));
            let looked_for = looked_for::<f64>(&[n]);
            let said = format!("{n} by {kernel}: {} of {looked_for}", counted.bytes_max);
            assert!(counted.bytes_max <= looked_for, "{said}");
        }
    }
}
