//! The memory of a transform: a spare block per thread, the scratch of its row kernel and the reordered
//! output, for any number of stages.

use allocation_counter::measure;
use earth::{Block, Config, Machine, Shared};
use earth_fft::kernel::own_rows;
use earth_kernels::Direction;
use earth_papers::sender::{SenderFft, SenderJob, SenderPlan};
use earth_tests::noise;

/// All memory is allocated, and counted, in the thread that steps the machine.
#[test]
fn stages_after_the_first_allocate_nothing() {
    let points = 1 << 14;
    let signal = noise::<f64>(points, 1);
    let array = 16 * points as u64;
    for config in [Config::Spn, Config::Dual] {
        for block in [1 << 13, 1 << 10, 1 << 8] {
            let plan = Shared::new(SenderPlan::new(points, block, Direction::Forward).unwrap());
            let mut machine = Machine::stepper(1).config(config);
            let mut run = |signal| {
                let job = SenderJob::new(Block::from_vec(1, points, signal).unwrap(), plan.clone(), 1);
                machine.run_with(job.shared(), |out| SenderFft::call(job, out)).unwrap().value.spectrum
            };
            // The first run builds the machine.
            run(signal.clone());
            let input = signal.clone();
            let counted = measure(|| drop(run(input)));
            let (stages, threads) = (plan.order().stages(), (points / block) as u64);
            let scratch = 16 * own_rows::<f64>(block).scratch_len() as u64;
            // With some instruction sets the program's kernel needs less scratch than a single-row kernel.
            let small = counted.bytes_total.saturating_sub(2 * array + threads * scratch);
            assert!(small < array / 4, "{stages} stages, {config}: {counted:?} for arrays of {array}");
        }
    }
}
