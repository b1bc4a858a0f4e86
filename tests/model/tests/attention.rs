//! Attention: what was published before an ask is seen after an answer, or the unit is asked still.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use earth_model::atomic::AtomicUsize;
use earth_model::checked::attention::attention;
use earth_model::{Leaked, explore, explore_all, weak_claim};
use loom::thread::spawn;

/// Each of `askers` threads publishes a word of its own and asks. The unit looks at itself `looks` times; it answers if it
/// finds itself asked, and then looks at all words. In the end it has seen every word, or is asked.
macro_rules! publish_and_ask {
    ($attention:path, $share:path, $askers:literal, $looks:literal, $asks_itself:literal) => {
        || {
            let (mut attention, asker) = $attention();
            let words = $share([(); $askers].map(|()| AtomicUsize::new(0)));
            let threads = [(); $askers].map(|()| (words.clone(), asker.clone()));
            let mut at = 0..$askers;
            let threads = threads.map(|(words, asker)| {
                let at = at.next().unwrap();
                spawn(move || {
                    words[at].store(1, Relaxed);
                    asker.ask();
                })
            });
            let mut seen = [false; $askers];
            for _ in 0..$looks {
                if $asks_itself {
                    attention.ask();
                }
                if attention.is_asked() {
                    attention.answer();
                    (0..$askers).for_each(|at| seen[at] |= words[at].load(Relaxed) == 1);
                }
            }
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            assert!(attention.is_asked() || seen == [true; $askers], "nobody looks");
        }
    };
}

#[test]
fn no_ask_is_overlooked() {
    explore_all(publish_and_ask!(attention, Arc::new, 1, 2, false));
    explore(publish_and_ask!(attention, Arc::new, 2, 2, false));
}

#[test]
fn no_ask_is_overlooked_by_a_unit_that_asks_itself() {
    explore(publish_and_ask!(attention, Arc::new, 2, 1, true));
}

#[test]
#[should_panic(expected = "nobody looks")]
fn an_answer_in_two_halves_overwrites_an_ask() {
    explore(publish_and_ask!(weak_claim::attention::attention, Leaked::new, 1, 2, true));
}
