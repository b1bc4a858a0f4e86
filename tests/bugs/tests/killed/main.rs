//! Every seeded bug is killed by a test that passes without it.
//!
//! A test is a program on several machines with its expected outcome: the result, the error, and the laws of
//! a run (all frames have ended, every token has run once). It passes with all bugs inactive, and fails with
//! each of its bugs active: by a wrong result, a wrong error, a panic, or the step limit if the bug makes the
//! run endless.
#![forbid(unsafe_code)]

extern crate earth_bugs as earth;

mod attention;
mod balance;
mod collective;
mod dataflow;
mod isolated;
mod machines;
mod misuse;
mod outside;
mod store;
mod turns;

use std::panic::{AssertUnwindSafe, catch_unwind};

use earth::{BUGS, Bug};
use machines::Verdict;

/// Lists tests, and the bugs that each kills.
macro_rules! killers {
    ($($name:ident: $test:expr => $($bug:ident)+;)+) => {
        $(
            #[test]
            fn $name() {
                kills($test, &[$(Bug::$bug),+]);
            }
        )+

        /// The killed bugs, by test.
        const NAMED: &[(&str, &[Bug])] = &[$((stringify!($name), &[$(Bug::$bug),+])),+];
    };
}

killers! {
    rounds_add_up: dataflow::rounds => LostReset EarlyFiber DoubleEnable EarlyTermination MessageLost;
    rounds_with_little_room_add_up: dataflow::rounds_in_tiny_queues
        => OverflowLost OverflowKept FiberOvertakes;
    what_found_no_room_goes_on_when_there_is_some: dataflow::last_words => SpillAsleep;
    counts_are_raised_before_what_follows: dataflow::raises => SpillReordered;
    frames_one_after_another_do_not_mix: dataflow::serial => StaleCells;
    relays_hear_their_own_echo: dataflow::relays => GenerationNotPacked StaleCounts;
    early_values_come_in_their_order: dataflow::stream
        => ParkedLost ParkedReversed ParkedForgottenSpn StaysFull;
    early_values_keep_to_their_pairs: dataflow::pairs
        => ParkedSignalCounted ParkedForgottenDual ParkedOneInlet;
    early_readers_get_the_value: dataflow::early_readers => ReaderLost OneReader;
    values_come_in_any_order: dataflow::any_order => ValuesReversed;
    every_spawned_fiber_runs: dataflow::spawned => FiberLost;
    elements_get_their_own_values: dataflow::elements => FirstElement;
    fibers_one_after_another_know_their_frames: dataflow::depth => OwnOfBefore;
    blocks_come_back_whole: dataflow::mirror => RowsNotPacked;

    fib_by_tokens: balance::fib => StolenTwice StolenLost GivenAway FrameNeverFreed;
    tokens_bring_back_nothing_before_its_time: balance::raised => TokensOvertake;
    many_tokens_run_once: balance::fan => ChunkLost BarredForEver;
    stolen_tokens_go_through_bytes: balance::stolen_bytes => StolenPastBytes;
    tokens_stay_in_their_range: balance::ranged => RangeIgnored RangeNotPacked;
    invoked_functions_come_first: balance::order => TokensFirst;
    idle_nodes_get_work_again_and_again: balance::idle => IdleNotLed AsksOnce;

    one_sender_keeps_its_order: turns::in_order
        => OvertakesHeldBack LateOvertakes RoundsOvertake;
    one_sender_keeps_its_order_between_threads: turns::in_order_on_threads => WorkOvertakes;
    the_newest_gives_way: turns::newest => NewestForEver;
    functions_have_their_turn: turns::functions => FunctionsWait QueueJumped;
    a_token_waits_no_longer_than_the_policy_says: turns::token_in_time => BurstUncounted;
    a_signal_is_heard_between_two_fibers: turns::heard_in_time => BurstDeaf;
    a_failure_is_heard_between_two_fibers: attention::failure => AskUnheard;
    a_token_is_offered_before_the_next_fiber: attention::offer => OfferForgotten;
    a_sleeping_node_is_woken_for_a_token: balance::late => WakeUpDropped;
    tokens_have_their_turn: turns::tokens
        => TokenNeverDue TokenNeverFed NeverDueInTime NeverFedInTime;
    the_oldest_token_is_next: turns::oldest => OldestForgotten;
    fibers_have_their_turn_among_messages: turns::flood => MessagesFirst;

    reductions_keep_the_order: collective::reduction => ReducedBackwards;
    broadcasts_reach_everybody: collective::broadcasts => HalfNotTold;
    barriers_let_members_leave: collective::barrier => LeaverAwaited;
    exchanges_keep_rounds_apart: collective::exchange => MessagesOvertake;

    a_run_lasts_as_long_as_its_input: outside::requests => InputUnawaited InputNeverCloses;

    calls_of_a_failed_call_do_not_start: isolated::late_calls => DeadCallRuns;
    a_signal_for_a_dropped_frame: isolated::late_signals => DroppedIsMisuse IdentityReused;

    a_signal_too_many: misuse::over_signal => OverSignal;
    a_signal_too_many_from_another_function: misuse::after_another => AskerOfBefore;
    signals_in_the_place_of_a_value: misuse::signals_alone => FiresEmpty;
    a_count_raised_too_late: misuse::raised => RaisedTooLate;
    a_late_signal: misuse::late_signal => LateSignal SameGeneration UnmadeFrame;
    a_late_value: misuse::late_put => LatePut;
    an_end_with_values: misuse::ended_full => EndedFull;
    frames_that_wait_for_ever: misuse::waits => EarlyEnd;
    a_cell_written_twice: misuse::written_twice => WrittenTwice;
    a_second_value: misuse::second_value => SecondValue;
}

/// Bugs in the store of frames that whole programs also kill.
#[test]
fn slots_and_frames_of_the_store() {
    kills(store::rounds, &[Bug::LostReset, Bug::EarlyFiber, Bug::OverSignal, Bug::RaisedTooLate]);
    let frames = [Bug::StaleCounts, Bug::SameGeneration, Bug::LateSignal, Bug::LatePut, Bug::EndedFull];
    kills(store::serial, &frames);
    kills(store::taken, &[Bug::StaysFull]);
    kills(store::lacks, &[Bug::FiresEmpty]);
}

/// Checks that `test` passes without a bug and fails with each of `bugs`.
fn kills(test: fn() -> Verdict, bugs: &[Bug]) {
    assert_eq!(test(), Ok(()), "without a bug");
    for &bug in bugs {
        // A bug may panic outside any run, when a machine is dropped.
        let verdict = catch_unwind(AssertUnwindSafe(|| earth::with(bug, test)));
        assert!(!matches!(verdict, Ok(Ok(()))), "{bug:?} is alive");
        if let Ok(Err(why)) = verdict {
            println!("{bug:?}: {why}");
        }
    }
}

#[test]
fn every_bug_is_named_by_a_test_that_kills_it() {
    for seed in BUGS {
        let killers = NAMED.iter().filter(|(_, bugs)| bugs.contains(&seed.bug)).count();
        assert_eq!(killers, 1, "{:?}: {}", seed.bug, seed.what);
    }
    assert!(BUGS.len() >= 20);
}
