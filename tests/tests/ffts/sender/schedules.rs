//! Any schedule gives the same bits, and a run that ends early leaves no handle behind.

use earth::{Block, CancelToken, Config, Error, Eu, Machine, Reply, Shared, lend, threaded};
use earth_fft::PlanError;
use earth_fft::dataflow::Done;
use earth_kernels::{Direction, SenderOrder};
use earth_papers::sender::{SenderFft, SenderJob, SenderPlan};
use earth_tests::{Cancel, RowByRow, bits, noise, sender, sender_model, token_to_cancel};
use num_complex::Complex;
use proptest::prelude::*;

use crate::alike::schedules;

/// 16 threads in 4 stages: mates run up to three stages ahead, and a flag of one bit would fail at two.
#[test]
fn two_hundred_random_schedules() {
    let (points, block) = (64, 4);
    let signal = noise::<f64>(points, 1);
    let order = SenderOrder::new(points, block).unwrap();
    let expected = bits(&sender_model(order, Direction::Forward, &RowByRow::new(block), &signal));
    for (mut machine, name) in schedules(200) {
        let done = sender(&mut machine, signal.clone(), block, Direction::Forward).unwrap();
        assert!(bits(&done.spectrum) == expected, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_signal_on_any_machine_is_the_model(
        (signal, block) in (0u32..9).prop_flat_map(|bits| {
            let value = prop_oneof![-1e3..1e3, Just(0.0), -1e300..1e300, Just(f64::MIN_POSITIVE)];
            (prop::collection::vec((value.clone(), value), 1 << bits), 0..=bits)
        }),
        nodes in 1usize..9,
        seed: u64,
        dual: bool,
        through_bytes: bool,
        inverse: bool,
    ) {
        let signal: Vec<_> = signal.into_iter().map(|(re, im)| Complex::new(re, im)).collect();
        let (block, direction) = (1 << block, if inverse { Direction::Inverse } else { Direction::Forward });
        let config = if dual { Config::Dual } else { Config::Spn };
        let mut machine = Machine::stepper(seed).nodes(nodes).config(config).through_bytes(through_bytes);
        let order = SenderOrder::new(signal.len(), block).unwrap();
        let expected = sender_model(order, direction, &RowByRow::new(block), &signal);
        let found = sender(&mut machine, signal, block, direction).unwrap().spectrum;
        prop_assert_eq!(bits(&found), bits(&expected));
    }
}

/// A transform and, beside it, a function that hops around for a while and then cancels the run.
struct Interrupted;

#[threaded]
impl Interrupted {
    fn start(job: SenderJob<f64>, hops: u64, out: Reply<Done<f64>>, eu: &mut Eu<Self>) {
        let here = eu.node();
        eu.invoke(here, SenderFft::call(job, out));
        eu.invoke(here, Cancel::call(hops));
    }
}

/// The run borrows the signal. If it left a handle of a block anywhere, `lend` would abort the process.
#[test]
fn a_run_cancelled_in_the_middle_leaves_nothing_and_a_usable_machine() {
    let (points, block) = (64, 4);
    let plan = Shared::new(SenderPlan::new(points, block, Direction::Forward).unwrap());
    let signal = noise::<f64>(points, 2);
    let order = SenderOrder::new(points, block).unwrap();
    let expected = bits(&sender_model(order, Direction::Forward, &RowByRow::new(block), &signal));
    for hops in 0..60 {
        let kinds = [Machine::stepper(hops), Machine::threads(2), Machine::threads(2).config(Config::Dual)];
        for mut machine in kinds {
            machine = machine.cancel_token(token_to_cancel());
            let mut lent = signal.clone();
            let ended = lend(&mut lent, 1, points, |signal: Block<Complex<f64>>| {
                let job = SenderJob::new(signal, plan.clone(), machine.node_count());
                machine.run(|out| Interrupted::call(job, hops, out)).map(|_| ())
            });
            assert_eq!(ended.unwrap(), Err(Error::Cancelled), "{hops} hops, {machine:?}");
            machine = machine.cancel_token(CancelToken::new());
            let done = sender(&mut machine, signal.clone(), block, Direction::Forward).unwrap();
            assert!(bits(&done.spectrum) == expected, "{machine:?}");
        }
    }
}

#[test]
fn a_refused_size_leaves_the_machine_as_it_was() {
    let algorithm = "sender";
    let mut machine = Machine::threads(2);
    let mut run = |points, block| sender(&mut machine, noise::<f32>(points, 1), block, Direction::Inverse);
    for (points, block, error) in [
        (12, 4, earth_papers::Error::NotAPowerOfTwo { algorithm, n: 12 }.into()),
        (16, 6, earth_papers::Error::BlockNotAPowerOfTwo { algorithm, block: 6 }.into()),
        (8, 16, PlanError::BlockTooLarge { n: 8, block: 16 }),
    ] {
        assert_eq!(run(points, block).unwrap_err(), error.into());
        assert_eq!(run(16, 4).unwrap().spectrum.len(), 16);
    }
}

#[test]
fn a_machine_that_cannot_be_built_is_an_error() {
    let mut machine = Machine::threads(Machine::MOST_NODES + 1);
    let error = sender(&mut machine, noise::<f64>(4, 1), 1, Direction::Forward).unwrap_err();
    let most = Machine::MOST_NODES;
    assert_eq!(error, PlanError::NoSuchMachine { nodes: most + 1, most }.into());
}
