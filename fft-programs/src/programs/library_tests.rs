use earth::{Block, Shared};
use earth_kernels::{OrderError, Real, verify, verify_2d};
use earth_rustfft::RustFft;

use super::*;
use crate::Shape;
use crate::dataflow::alone::{Alone, AloneJob, AlonePlan};
use crate::programs::{default_block, default_nodes};
use crate::request::Algorithm;
use crate::request::groups::{Groups, Pad};

fn noise<T: Real>(n: usize) -> Vec<Complex<T>> {
    let mut state = n as u32;
    let mut part = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        T::of(f64::from(state >> 8) / f64::from(1 << 23) - 1.0)
    };
    (0..n).map(|_| Complex::new(part(), part())).collect()
}

fn request(algorithm: Algorithm, nodes: usize, block: usize, points: usize) -> Request {
    Request {
        shape: Shape::Line(points),
        algorithm,
        config: Config::Spn,
        policy: Policy::default(),
        nodes: NonZeroUsize::new(nodes),
        block: NonZeroUsize::new(block),
        groups: None,
        inverse: false,
    }
}

#[test]
fn auto_shares_the_work_where_it_was_asked_to_and_can() {
    let sender = |nodes, block| Choice::Sender { nodes, block };
    let auto =
        |nodes, block, points| choose(&request(Algorithm::Auto, nodes, block, points), points, 16).unwrap();
    assert_eq!(auto(2, 0, 1024), sender(2, 256));
    assert_eq!(auto(4, 64, 1024), sender(4, 64));
    assert_eq!(auto(1, 64, 1024), sender(1, 64), "a block size is a wish too");
    assert_eq!(auto(0, 64, 1024), sender(default_nodes(Config::Spn), 64));
    assert_eq!(auto(2, 0, 1), sender(2, 1));
    assert_eq!(auto(2, 48, 1024), Choice::Row, "a block of no power of two");
    assert_eq!(auto(2, 0, 1025), Choice::Row, "points of no power of two");
    assert_eq!(
        [auto(1, 0, 1 << 20), auto(0, 0, 1 << 20)],
        [Choice::Row, Choice::Row],
        "one node, or nobody's wish"
    );
}

#[test]
fn a_named_program_is_taken_by_its_name() {
    let named =
        |nodes, block, points| choose(&request(Algorithm::Sender, nodes, block, points), points, 16).unwrap();
    assert_eq!(named(1, 0, 16), Choice::Sender { nodes: 1, block: 16 });
    assert_eq!(named(3, 2, 16), Choice::Sender { nodes: 3, block: 2 });
    let nodes = default_nodes(Config::Spn);
    assert_eq!(named(0, 2, 16), Choice::Sender { nodes, block: 2 });
}

#[test]
fn matrices_go_by_tiles() {
    let (rows, cols) = (6, 10);
    let matrix = |algorithm, nodes, block| {
        let shape = Shape::Matrix { rows, cols };
        choose(&Request { shape, ..request(algorithm, nodes, block, rows * cols) }, rows * cols, 16).unwrap()
    };
    let on = |nodes, block| Choice::Matrix { rows, cols, nodes, block };
    assert_eq!(matrix(Algorithm::Auto, 0, 0), on(1, None));
    assert_eq!(matrix(Algorithm::Auto, 3, 4), on(3, Some(4)));
    assert_eq!(matrix(Algorithm::Grouped, 0, 0), on(default_nodes(Config::Spn), None));
}

#[test]
fn squares_are_transformed_in_place_and_others_are_not() {
    let library = Library::default();
    for (rows, cols, in_place) in [(16, 16, true), (16, 12, false), (1, 7, false)] {
        let (points, shape) = (noise::<f64>(rows * cols), Shape::Matrix { rows, cols });
        for config in [Config::Spn, Config::Dual] {
            let request = Request { shape, config, ..request(Algorithm::Grouped, 2, 4, rows * cols) };
            let outcome = library.transform(&request, points.clone()).unwrap();
            assert_eq!((outcome.in_place, outcome.block, outcome.nodes), (Some(in_place), Some(4), 2));
            assert_eq!(
                outcome.counters.invokes as usize,
                rows.div_ceil(4) + if in_place { 0 } else { cols.div_ceil(4) }
            );
            let verified =
                verify_2d(rows, cols, &points, &outcome.spectrum, Direction::Forward, 1, RustFft::new);
            assert!(verified.holds(), "{verified:?}");
        }
    }
}

#[test]
fn default_blocks_give_each_node_two_threads() {
    assert_eq!([1, 2, 3, 4, 64].map(|nodes| default_block(1 << 16, nodes)), [65536, 16384, 8192, 8192, 512]);
    assert_eq!([1, 2, 64, usize::MAX].map(|nodes| default_block(4, nodes)), [4, 1, 1, 1]);
    assert_eq!(default_block(1, 8), 1);
    assert!((1..=64).contains(&default_nodes(Config::Dual)));
}

#[test]
fn a_policy_is_that_of_the_machine() {
    let library = Library::default();
    let signal = noise::<f64>(64);
    for (_, fibers) in Policy::NAMED {
        for (algorithm, nodes) in [(Algorithm::Auto, 1), (Algorithm::Sender, 2), (Algorithm::Receiver, 2)] {
            let policy = Policy { fibers, feed: 3, ..Policy::default() };
            let request = Request { policy, ..request(algorithm, nodes, 0, 64) };
            let outcome = library.transform(&request, signal.clone()).unwrap();
            assert!(
                verify(&signal, &outcome.spectrum, Direction::Forward, 1, RustFft::new).holds(),
                "{request:?}"
            );
            let machine =
                library.machine.borrow().as_ref().map(|(_, machine)| format!("{machine:?}")).unwrap();
            assert!(machine.contains(&format!("{policy:?}")), "{machine}");
        }
    }
}

fn requests_are_answered<T: Precision>() {
    let library = Library::default();
    for (n, algorithm, nodes, used, on) in [
        (309, Algorithm::Auto, 3, "row kernel", 1),
        (1 << 14, Algorithm::Auto, 3, "sender", 3),
        (256, Algorithm::Sender, 2, "sender", 2),
        (1, Algorithm::Sender, 2, "sender", 2),
    ] {
        let signal = noise::<T>(n);
        for config in [Config::Spn, Config::Dual] {
            for inverse in [false, true] {
                let request = Request { config, inverse, ..request(algorithm, nodes, 0, n) };
                let outcome = library.transform(&request, signal.clone()).unwrap();
                assert_eq!((outcome.algorithm_used.as_str(), outcome.nodes), (used, on));
                let direction = if inverse { Direction::Inverse } else { Direction::Forward };
                let verified = verify(&signal, &outcome.spectrum, direction, 1, RustFft::new);
                assert!(verified.holds(), "{n}, {request:?}: {verified:?}");
                let block = (used == "sender").then(|| default_block(n, nodes));
                assert_eq!(outcome.block, block);
                let threads = block.map_or(0, |block| n / block) as u64;
                assert_eq!(outcome.counters.invokes, threads);
                assert!(outcome.parts.reordering <= outcome.seconds);
                let kept = library.machine.borrow().as_ref().map(|(kept, _)| (kept.config, kept.nodes));
                assert_eq!(kept, Some((config, on)));
            }
        }
    }
}

#[test]
fn requests_are_answered_in_both_precisions() {
    requests_are_answered::<f32>();
    requests_are_answered::<f64>();
}

#[test]
fn what_cannot_be_done_is_said() {
    let mut machine = Machine::threads(1);
    let said = |result: Result<Transformed<f64>, TransformError>| result.unwrap_err().to_string();
    assert_eq!(
        said(sender(&mut machine, noise(309), 1, Direction::Forward)),
        "the sender-initiated FFT cannot be dealt: a radix-2 transform of 309 points: the number of points \
         must be a power of two"
    );
    let mut error = |n, block| sender::<f64>(&mut machine, noise(n), block, Direction::Forward).unwrap_err();
    assert_eq!(
        [(0, 1), (16, 0), (16, 3), (16, 32)].map(|(n, block)| error(n, block)),
        [
            OrderError::Points(0).into(),
            OrderError::Block(0).into(),
            OrderError::Block(3).into(),
            TransformError::Order(OrderError::TooLong { points: 16, block: 32 }),
        ]
    );
    assert_eq!(said(row(&mut machine, noise(0), Direction::Forward)), "there are no points to transform");
}

#[test]
fn more_nodes_than_a_machine_has_are_refused_whatever_would_run() {
    let library = Library::default();
    for (algorithm, n) in [(Algorithm::Sender, 16), (Algorithm::Auto, 16), (Algorithm::Auto, 17)] {
        let refused =
            library.transform(&request(algorithm, MOST_NODES + 1, 0, n), noise::<f64>(n)).unwrap_err();
        assert_eq!(refused.to_string(), "a machine has 1 to 1024 nodes, not 1025");
        assert!(library.transform(&request(algorithm, MOST_NODES, 0, n), noise::<f64>(n)).is_ok());
    }
    let plan = Shared::new(AlonePlan::<f64>::phantom(1));
    let job = AloneJob::new(Block::phantom(1, 1).unwrap(), plan);
    let unbuildable = Machine::threads(MOST_NODES + 1).run(|out| Alone::call(job, out)).unwrap_err();
    assert!(matches!(unbuildable, earth::Error::CannotBuild(_)), "{unbuildable}");
}

#[test]
fn a_cancelled_library_runs_nothing() {
    let cancel = CancelToken::new();
    let library = Library::new(cancel.clone());
    assert!(library.transform(&request(Algorithm::Auto, 0, 0, 5), noise::<f32>(5)).is_ok());
    cancel.cancel();
    let error = library.transform(&request(Algorithm::Auto, 0, 0, 5), noise::<f32>(5)).unwrap_err();
    assert!(matches!(error, ProgramError::Interrupted), "{error}");
}

#[test]
fn the_machine_is_of_the_configuration_asked_for() {
    let library = Library::default();
    let (spn, dual) = ((Config::Spn, "config: Spn"), (Config::Dual, "config: Dual"));
    for ((config, built), nodes) in [(spn, 3), (dual, 3), (dual, 2), (spn, 2)] {
        let like = Kept { config, policy: Policy::default(), nodes, trace: false };
        let machine = library.with_machine(like, |machine| format!("{machine:?}"));
        assert!(machine.contains(built) && machine.contains(&format!("nodes: {nodes}")), "{machine}");
    }
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_allocated() {
    const AVAILABLE: u64 = 50_000_000;
    let library = Library { available: || AVAILABLE, ..Library::default() };
    // 2^20 threads of one point.
    let fine_grained = request(Algorithm::Sender, 2, 1, 1 << 20);
    let refusal = library.admit(&fine_grained, 16, 0).unwrap_err();
    let Refusal::TooLittleMemory { needed, available: AVAILABLE } = refusal else { panic!("{refusal}") };
    assert!((1_500_000_000..1_700_000_000).contains(&needed), "{refusal}");
    let Err(ProgramError::Refused(same)) =
        library.transform(&fine_grained, vec![Complex::new(1.0, 0.0); 1 << 20])
    else {
        panic!("it was not refused")
    };
    assert_eq!(same, refusal);
    // 3 more arrays of 16 MB: what the caller wants beside decides.
    let row = request(Algorithm::Auto, 0, 0, 1 << 19);
    assert_eq!(library.admit(&row, 16, 0), Ok(()));
    assert!(matches!(library.admit(&row, 16, AVAILABLE), Err(Refusal::TooLittleMemory { .. })));
    // Groups that pad their rows need the matrix twice.
    let shape = Shape::Matrix { rows: 1024, cols: 1024 };
    let groups = |pad| Some(Groups { groups: NonZeroUsize::new(2), pad, ..Groups::default() });
    let shared = |pad| Request { shape, groups: groups(pad), ..request(Algorithm::Grouped, 0, 0, 1 << 20) };
    assert_eq!(library.admit(&shared(Pad::None), 16, 0), Ok(()));
    assert_eq!(library.admit(&shared(Pad::Stride), 16, 20_000_000), Ok(()));
    assert!(matches!(
        library.admit(&shared(Pad::Stride), 16, 40_000_000),
        Err(Refusal::TooLittleMemory { .. })
    ));
    // Sizes that no number can hold are no wrap-around.
    let endless = request(Algorithm::Sender, 1, 1, 1 << 62);
    assert!(matches!(library.admit(&endless, 16, u64::MAX), Err(Refusal::TooLittleMemory { .. })));
    let really = Library::default();
    assert_eq!(really.admit(&row, 16, 0), Ok(()));
}
