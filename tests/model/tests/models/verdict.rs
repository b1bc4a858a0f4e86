//! The end of a run: one declaration is the first, and a thread that sees the end also sees everything that
//! led to it.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use earth_model::atomic::AtomicUsize;
use earth_model::checked::flag::Flag;
use earth_model::checked::verdict::{Declared, Ending, Verdict};
use earth_model::{Leaked, explore, explore_all, weak_claim};
use loom::thread::spawn;

#[test]
fn one_of_three_declarations_is_the_first() {
    explore(|| {
        let verdict = Arc::new(Verdict::new());
        let threads = [Ending::Failed, Ending::Quiet].map(|how| {
            let verdict = Arc::clone(&verdict);
            spawn(move || (how, verdict.declare(how)))
        });
        let mut declarations = vec![(Ending::Failed, verdict.declare(Ending::Failed))];
        declarations.extend(threads.map(|thread| thread.join().unwrap()));
        let first: Vec<_> = declarations.iter().filter(|made| made.1 == Declared::First).collect();
        assert_eq!(first.len(), 1);
        assert_eq!(verdict.ending(), Some(first[0].0));
        assert!(verdict.is_over());
        verdict.reset();
        assert_eq!((verdict.is_over(), verdict.ending()), (false, None));
    });
}

#[test]
fn whoever_sees_the_end_sees_its_reason() {
    explore_all(|| {
        let shared = Arc::new((Verdict::new(), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        let thread = spawn(move || {
            other.1.store(7, Relaxed);
            assert_eq!(other.0.declare(Ending::Failed), Declared::First);
        });
        if shared.0.is_over() {
            assert_eq!(shared.1.load(Relaxed), 7);
            assert_eq!(shared.0.ending(), Some(Ending::Failed));
        }
        thread.join().unwrap();
    });
}

#[test]
fn whoever_sees_the_flag_sees_what_was_done_before() {
    explore_all(|| {
        let flag = Flag::new();
        let reason = Arc::new(AtomicUsize::new(0));
        let (raised, written) = (flag.clone(), Arc::clone(&reason));
        let thread = spawn(move || {
            written.store(7, Relaxed);
            raised.raise();
        });
        if flag.is_raised() {
            assert_eq!(reason.load(Relaxed), 7);
        }
        thread.join().unwrap();
        assert!(flag.is_raised());
        flag.clear();
        assert!(!flag.is_raised());
    });
}

#[test]
#[should_panic(expected = "two were first")]
fn a_declaration_in_two_halves_is_made_twice() {
    use weak_claim::verdict::{Ending, Verdict};
    explore(|| {
        let verdict = Leaked::new(Verdict::new());
        let other = verdict.clone();
        let thread = spawn(move || other.declare(Ending::Quiet));
        let here = verdict.declare(Ending::Failed);
        let there = thread.join().unwrap();
        assert!(here != there, "two were first");
    });
}
