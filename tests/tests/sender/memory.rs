//! The memory of a transform: a spare block a thread, the scratch of its row kernel and the reordered output, however
//! many stages there are.

use allocation_counter::measure;
use earth::{Config, Machine};
use earth_fft::dataflow::sender::{SenderPlan, SenderRecipe};
use earth_fft::kernel::own_rows;
use earth_fft::plan::PlanHandle;
use earth_fft::programs::sender;
use earth_kernels::Direction;
use earth_tests::noise;

/// Everything is allocated in the thread that steps the machine, and counted there.
#[test]
fn stages_after_the_first_allocate_nothing() {
    let points = 1 << 14;
    let signal = noise::<f64>(points, 1);
    let array = 16 * points as u64;
    for config in [Config::Spn, Config::Dual] {
        for block in [1 << 13, 1 << 10, 1 << 8] {
            let plan: PlanHandle<SenderPlan<f64>> =
                PlanHandle::of(SenderRecipe::new(points, block, Direction::Forward)).unwrap();
            let mut machine = Machine::stepper(1).config(config);
            // The first run builds the machine.
            sender(&mut machine, signal.clone(), block, Direction::Forward).unwrap();
            let input = signal.clone();
            let counted = measure(|| drop(sender(&mut machine, input, block, Direction::Forward).unwrap()));
            let (stages, threads) = (plan.order().stages(), (points / block) as u64);
            let scratch = 16 * own_rows::<f64>(block).scratch_len() as u64;
            let small = counted.bytes_total - 2 * array - threads * scratch;
            assert!(small < array / 4, "{stages} stages, {config}: {counted:?} for arrays of {array}");
        }
    }
}
