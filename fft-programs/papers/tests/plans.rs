//! Plans of the solvers by their names and settings, and their errors.

use std::num::NonZeroUsize;
use std::sync::Arc;

use earth::Machine;
use earth_fft::solver::Solver;
use earth_fft::{Complex, Plan, PlanError, Planner, Problem, Why};
use earth_papers::{Error, Receiver, Sender, Stages, by_name};
use snapbox::{assert_data_eq, str};

type Told = (&'static str, Option<usize>, Option<usize>);

fn planned(planner: &Planner, lengths: &[usize]) -> Result<Told, PlanError> {
    let plan: Plan<f64> = planner.plan(&Problem::complex(lengths))?;
    assert_eq!(plan.why(), Why::Named);
    Ok((plan.algorithm(), plan.nodes(), plan.block()))
}

/// Plans by name; a `nodes` or `block` of 0 is not requested.
fn named(lengths: &[usize], algorithm: &str, nodes: usize, block: usize) -> Result<Told, PlanError> {
    let planner = by_name(algorithm, NonZeroUsize::new(block))?;
    planned(&planner.nodes(NonZeroUsize::new(nodes)), lengths)
}

fn line(algorithm: &str, nodes: usize, block: usize, n: usize) -> Result<(), PlanError> {
    named(&[n], algorithm, nodes, block).map(drop)
}

#[test]
fn a_named_program_is_taken_by_its_name() {
    assert_eq!(named(&[16], "sender", 3, 2), Ok(("sender", Some(3), Some(2))));
    assert_eq!(named(&[16], "receiver-shared", 4, 0), Ok(("receiver-shared", Some(4), None)));
    assert_eq!(named(&[64], "radix-4", 3, 4), Ok(("radix-4", Some(3), Some(4))));
    // Two threads a node, each of a power of 8 butterflies of 8 points.
    assert_eq!(named(&[1 << 12], "radix-8", 3, 0), Ok(("radix-8", Some(3), Some(64))));
    assert_eq!(named(&[8], "radix-8", 3, 0), Ok(("radix-8", Some(3), Some(1))));
    assert_eq!(named(&[4, 6], "grouped", 1, 2), Ok(("grouped", Some(1), Some(2))));
    let algorithm = "grouped";
    let refused = PlanError::NeedsOneArray { algorithm, what: "matrix" };
    assert_eq!(named(&[4, 6, 2], algorithm, 1, 2), Err(refused));
    let refused = named(&[12], "sender", 1, 0).unwrap_err();
    assert_data_eq!(
        refused.to_string(),
        str!["the algorithm 'sender' needs a power of two of samples, not 12; 'auto' takes any number"]
    );
    let PlanError::Refused(refused) = refused else { panic!("{refused:?}") };
    let expected = Error::NotAPowerOfTwo { algorithm: "sender", n: 12 };
    assert_eq!(refused.downcast_ref::<Error>(), Some(&expected));
}

#[test]
fn the_sender_takes_powers_of_two() {
    assert_eq!(line("sender", 3, 16, 256), Ok(()));
    assert_eq!(line("sender", 2, 1, 1), Ok(()));
    let algorithm = "sender";
    assert_eq!(line(algorithm, 2, 16, 309), Err(Error::NotAPowerOfTwo { algorithm, n: 309 }.into()));
    assert_eq!(line(algorithm, 2, 12, 256), Err(Error::BlockNotAPowerOfTwo { algorithm, block: 12 }.into()));
    assert_eq!(line(algorithm, 1, 257, 256), Err(PlanError::BlockTooLarge { n: 256, block: 257 }));
    assert_eq!(line(algorithm, 1, 256, 256), Ok(()));
    assert_eq!(named(&[3, 5], algorithm, 2, 0), Err(PlanError::NeedsLine { algorithm }));
}

#[test]
fn receivers_take_powers_of_two_and_no_blocks() {
    for algorithm in ["receiver", "receiver-shared"] {
        assert_eq!(line(algorithm, 0, 0, 256), Ok(()));
        assert_eq!(line(algorithm, 64, 0, 64), Ok(()));
        assert_eq!(line(algorithm, 2, 0, 309), Err(Error::NotAPowerOfTwo { algorithm, n: 309 }.into()));
        let refused = line(algorithm, 2, 4, 256).unwrap_err().to_string();
        let expected = format!("the algorithm '{algorithm}' has no blocks; 'transpose', ");
        assert!(refused.starts_with(&expected) && refused.contains("'sender'"), "{refused}");
        for nodes in [3, 128] {
            let refusal = Error::NodesNotAPowerOfTwo { algorithm, nodes, n: 64 };
            assert_eq!(line(algorithm, nodes, 0, 64), Err(refusal.into()));
        }
    }
}

#[test]
fn tokens_compute_the_same_points_as_addressed_requests() {
    let signal: Vec<_> = (0..64_u32).map(|k| Complex::new(f64::from(k * k % 29), f64::from(k % 7))).collect();
    for nodes in [1, 2, 8] {
        let by = |receiver: Receiver| {
            let planner = earth_papers::planner().with(receiver).nodes(NonZeroUsize::new(nodes));
            let plan: Plan<f64> = planner.plan(&Problem::complex(&[64])).unwrap();
            let mut machine = Machine::threads(nodes);
            let run = plan.run_on(&mut machine, signal.clone()).unwrap();
            (run.output.into_vec(), run.counters.tokens, plan.counts())
        };
        let (tree, no_tokens, counts) = by(Receiver::tree());
        let (stolen, tokens, same_counts) = by(Receiver::tokens());
        assert!(tree == stolen && counts == same_counts, "{nodes} nodes");
        assert_eq!((no_tokens, tokens), (0, (nodes as u64).saturating_sub(2) * 64), "{nodes} nodes");
    }
}

#[test]
fn stages_take_powers_of_their_radix() {
    for (algorithm, radix, n) in
        [("radix-2", 2, 309), ("radix-2-local", 2, 1), ("radix-4", 4, 32), ("radix-8", 8, 256)]
    {
        assert_eq!(line(algorithm, 3, 0, radix * radix), Ok(()));
        assert_eq!(line(algorithm, 3, radix, radix * radix), Ok(()));
        assert_eq!(line(algorithm, 3, 0, n), Err(Error::NotAPowerOfRadix { algorithm, radix, n }.into()));
        for (n, block) in [(512_usize.pow(2), 3), (radix, radix)] {
            let refusal = Error::BlockOfRadix { algorithm, radix, n, block };
            assert_eq!(line(algorithm, 1, block, n), Err(refusal.into()));
        }
    }
    let algorithm = "radix-4";
    let refused = line(algorithm, 1, 8, 1024).unwrap_err().to_string();
    let sentence =
        "the algorithm 'radix-4' takes a power of 4 as block size, at most 256 for 1024 samples, not 8";
    assert_eq!(refused, sentence);
    assert_eq!(named(&[4, 4], algorithm, 2, 0), Err(PlanError::NeedsLine { algorithm }));
}

#[test]
fn stages_have_barriers() {
    for solver in [Stages::radix_2(), Stages::radix_2_local(), Stages::radix_4(), Stages::radix_8()] {
        let planner = Planner::new().with(solver.clone().barriers(true)).nodes(NonZeroUsize::new(2));
        assert_eq!(planned(&planner, &[64]).map(|told| told.0), Ok(solver.name()));
    }
}

#[test]
fn matrices_are_for_grouped() {
    let algorithm = "grouped";
    let of = |lengths: &[usize], nodes, block| named(lengths, algorithm, nodes, block).map(drop);
    assert_eq!(of(&[3, 5], 2, 0), Ok(()));
    assert_eq!(of(&[16], 2, 0), Err(PlanError::NeedsMatrix { algorithm }));
    assert_eq!(of(&[3, 5], 2, 5), Ok(()), "the transpose has five rows");
    assert_eq!(of(&[3, 5], 2, 6), Err(PlanError::RowBlockTooLarge { rows: 3, cols: 5, block: 6 }));
}

/// Settings are converted to text and back, and a text of another solver is refused.
#[test]
fn settings_are_text() {
    let block = NonZeroUsize::new(8);
    let solvers: [Arc<dyn Solver>; 2] =
        [Arc::new(Sender::new().block(block)), Arc::new(Stages::radix_4().block(block).barriers(true))];
    for solver in solvers {
        let text = solver.settings();
        let usual = solver.with_settings("").expect("no settings are usual settings");
        assert!(!text.is_empty() && usual.settings().is_empty());
        let again = usual.with_settings(&text).expect("it wrote them");
        assert_eq!((again.name(), again.settings()), (solver.name(), text));
        assert!(solver.with_settings("{\"roots\":1}").is_none() && solver.with_settings("8").is_none());
    }
}
