//! The shared end: every token is taken exactly once, by its owner or by one thief.

use earth_model::checked::near_overflow;
use earth_model::checked::shared_end::{Stealer, shared_end};
use earth_model::{explore, explore_all, weak_claim, weak_publish};
use loom::alloc::Track;
use loom::thread::{JoinHandle, spawn};

type Token = Track<usize>;

/// Starts a thief that tries `tries` times. Its handle returns the stolen tokens.
fn thief(stealer: &Stealer<Token>, tries: usize) -> JoinHandle<Vec<usize>> {
    let stealer = stealer.clone();
    spawn(move || (0..tries).filter_map(|_| stealer.steal()).map(Token::into_inner).collect())
}

/// Checks that all of `taken` together contain each of 0..count once, and that each taker's tokens are in the
/// order of publication.
fn each_once(taken: &[Vec<usize>], count: usize) {
    assert!(taken.iter().all(|taken| taken.is_sorted()), "{taken:?}");
    let mut all = taken.concat();
    all.sort_unstable();
    assert_eq!(all, (0..count).collect::<Vec<_>>());
}

#[test]
fn owner_and_two_thieves_take_each_token_once() {
    explore(|| {
        let (mut publisher, stealer) = shared_end(2);
        assert!(publisher.publish(Token::new(0)).is_ok());
        assert!(publisher.publish(Token::new(1)).is_ok());
        let thieves = [thief(&stealer, 1), thief(&stealer, 1)];
        let mut own: Vec<_> = publisher.take_back().map(Token::into_inner).into_iter().collect();
        let [first, second] = thieves.map(|thief| thief.join().unwrap());
        own.extend(std::iter::from_fn(|| publisher.take_back()).map(Token::into_inner));
        assert!(stealer.is_empty() && publisher.is_empty());
        each_once(&[own, first, second], 2);
    });
}

#[test]
fn two_thieves_of_two_tokens_both_get_one() {
    explore_all(|| {
        let (mut publisher, stealer) = shared_end(2);
        assert!(publisher.publish(Token::new(0)).is_ok());
        assert!(publisher.publish(Token::new(1)).is_ok());
        let there = thief(&stealer, 1);
        // The thief that loses the race for one token gets the other at once.
        let here = stealer.steal().expect("there are as many tokens as thieves").into_inner();
        assert_eq!(there.join().unwrap(), [1 - here]);
    });
}

/// One cell, with counters shortly before their overflow. It is published again as soon as it is free.
#[test]
fn one_cell_across_the_overflow() {
    explore(|| {
        let (mut publisher, stealer) = near_overflow::shared_end(1, 1);
        let there = thief(&stealer, 2);
        let mut published = 0;
        let mut own = Vec::new();
        for _ in 0..3 {
            let room = publisher.has_room();
            match publisher.publish(Token::new(published)) {
                Ok(()) => published += 1,
                Err(_) => assert!(!room, "room that was there has gone"),
            }
        }
        own.extend(publisher.take_back().map(Token::into_inner));
        let there = there.join().unwrap();
        own.extend(std::iter::from_fn(|| publisher.take_back()).map(Token::into_inner));
        each_once(&[own, there], published);
        assert!(published >= 1 && publisher.has_room());
    });
}

#[test]
fn two_thieves_on_one_cell_across_the_overflow() {
    explore(|| {
        let (mut publisher, stealer) = near_overflow::shared_end(1, 0);
        let thieves = [thief(&stealer, 1), thief(&stealer, 1)];
        assert!(publisher.publish(Token::new(0)).is_ok());
        let again = publisher.publish(Token::new(1)).is_ok();
        let [first, second] = thieves.map(|thief| thief.join().unwrap());
        let own = std::iter::from_fn(|| publisher.take_back()).map(Token::into_inner).collect();
        each_once(&[own, first, second], 1 + usize::from(again));
    });
}

#[test]
fn tokens_never_taken_are_dropped_once() {
    explore_all(|| {
        let (mut publisher, stealer) = shared_end(2);
        let there = thief(&stealer, 1);
        assert!(publisher.publish(Token::new(0)).is_ok());
        assert!(publisher.publish(Token::new(1)).is_ok());
        drop(publisher);
        drop(stealer);
        there.join().unwrap();
    });
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_sequence_word_that_does_not_release_is_a_race() {
    explore(|| {
        let (mut publisher, stealer) = weak_publish::shared_end::shared_end(1);
        let thread = spawn(move || stealer.steal());
        assert!(publisher.publish(1).is_ok());
        thread.join().unwrap();
    });
}

#[test]
#[should_panic(expected = "Causality violation")]
fn two_thieves_that_win_one_claim_are_a_race() {
    explore(|| {
        let (mut publisher, stealer) = weak_claim::shared_end::shared_end(1);
        assert!(publisher.publish(1).is_ok());
        let other = stealer.clone();
        let thread = spawn(move || other.steal());
        stealer.steal();
        thread.join().unwrap();
    });
}
