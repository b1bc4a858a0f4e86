//! Attention. The unit sees everything that was published before a request after it has answered, or its
//! request is still pending. The unit also sees everything that was sent to it while it stops polling, or it
//! has a request.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use earth_model::atomic::AtomicUsize;
use earth_model::{Leaked, checked, explore, explore_all, weak_claim};
use loom::thread::spawn;

/// Each of `askers` threads publishes a word of its own and requests attention. The unit checks for a request
/// `looks` times; if it finds one, it answers and then reads all words. In the end it has seen every word, or
/// has a pending request.
macro_rules! publish_and_ask {
    ($module:ident, $share:path, $askers:literal, $looks:literal, $asks_itself:literal) => {
        || {
            use $module::attention::{Look, attention};
            let (mut attention, asker) = attention();
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
                if attention.look() == Look::Asked {
                    attention.answer();
                    for (seen, word) in seen.iter_mut().zip(&*words) {
                        *seen |= word.load(Relaxed) == 1;
                    }
                }
            }
            for thread in threads {
                thread.join().unwrap();
            }
            assert!(attention.look() == Look::Asked || seen == [true; $askers], "no unit looks");
        }
    };
}

#[test]
fn no_ask_is_overlooked() {
    explore_all(publish_and_ask!(checked, Arc::new, 1, 2, false));
    explore(publish_and_ask!(checked, Arc::new, 2, 2, false));
}

#[test]
fn no_ask_is_overlooked_by_a_unit_that_asks_itself() {
    explore(publish_and_ask!(checked, Arc::new, 2, 1, true));
}

#[test]
#[should_panic(expected = "no unit looks")]
fn an_answer_in_two_halves_overwrites_an_ask() {
    explore(publish_and_ask!(weak_claim, Leaked::new, 1, 2, true));
}

/// A thread sends a message, and requests attention unless the unit polls. The unit stops polling, and polls
/// again unless its look at the queue says that it may rest. In the end it has received the message, or
/// polls, or has a pending request.
macro_rules! send_and_cease {
    ($rests:ident) => {
        || {
            use checked::attention::{Look, attention};
            use checked::event_queue::event_queue;
            let (mut attention, asker) = attention();
            let (sender, mut receiver) = event_queue(1);
            attention.poll();
            let thread = spawn(move || {
                assert!(sender.send(()).is_ok());
                asker.ask_unless_polling();
            });
            if attention.cease_polling() && !receiver.$rests() {
                attention.poll();
            }
            let seen = receiver.receive().is_some();
            thread.join().unwrap();
            assert!(attention.look() != Look::Continue || seen, "no unit looks");
        }
    };
}

#[test]
fn nothing_is_sent_unseen_when_polling_ceases() {
    explore_all(send_and_cease!(is_drained));
}

#[test]
#[should_panic(expected = "no unit looks")]
fn something_is_sent_unseen_by_a_unit_that_only_looks() {
    explore(send_and_cease!(is_empty));
}
