use std::cell::Cell;

use parking_lot::Mutex;

use super::*;

/// Clock that a test advances.
#[derive(Default, Debug)]
struct Told(Mutex<Duration>);

impl Clock for Told {
    fn now(&self) -> Duration {
        *self.0.lock()
    }
}

const fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

/// Runs a contest of `candidates` candidates, the estimate first. `time` returns the time of a call by its
/// candidate and number.
fn compete(
    candidates: usize,
    limit: Option<Duration>,
    time: impl Fn(usize, usize) -> Option<Duration>,
) -> (Contest<usize>, usize) {
    let (clock, calls) = (Told::default(), Cell::new(0));
    let rules = Rules { rounds: 7, finalists: 3, limit };
    let others = (1..candidates).map(|candidate| (candidate.to_string(), candidate));
    let contest = contest(&clock, &rules, ("0".to_owned(), 0), others, |&candidate| {
        calls.set(calls.get() + 1);
        time(candidate, calls.get()).map(|time| *clock.0.lock() += time).is_some()
    });
    (contest, calls.get())
}

fn winner(contest: &Contest<usize>) -> Option<usize> {
    contest.entrants[contest.winner].candidate
}

/// Two calls of each candidate, and then 7 rounds of the estimate, three finalists, and the estimate again.
#[test]
fn the_fastest_wins_and_the_slow_leave_at_once() {
    let times = [10, 9, 31, 7, 8, 12].map(ms);
    let (contest, calls) = compete(6, None, |candidate, _| Some(times[candidate]));
    assert_eq!((winner(&contest), contest.limited, calls), (Some(3), false, 2 * 6 + 7 * 5));
    let timed: Vec<_> = contest.entrants.iter().map(Entrant::timed).collect();
    assert_eq!(timed[0], Timed { what: "0".to_owned(), least: ms(10), median: ms(10), times: 7 });
    let told: Vec<_> = timed[1..].iter().map(|timed| (timed.what.as_str(), timed.times)).collect();
    assert_eq!(told, [("3", 7), ("4", 7), ("1", 7), ("5", 1), ("2", 1)]);
    let (contest, calls) = compete(3, None, |candidate, _| Some(ms([10, 31, 30][candidate])));
    assert_eq!((winner(&contest), calls, contest.entrants[2].timed().times), (Some(0), 2 * 3 + 7 * 3, 1));
}

#[test]
fn an_estimate_that_nothing_is_faster_than_stays() {
    let (contest, _) = compete(3, None, |_, _| Some(ms(10)));
    assert_eq!(winner(&contest), Some(0));
    let (contest, _) = compete(3, None, |candidate, _| Some(ms(10 + candidate as u64)));
    assert_eq!(winner(&contest), Some(0));
}

/// The estimate's second time in a round is a fifth longer or shorter than its first, so a tenth is noise.
#[test]
fn a_gain_within_noise_does_not_win() {
    let with = |newcomer: u64| {
        // Four calls come first, then three in each round.
        let time = move |candidate, call: usize| {
            let round = call.saturating_sub(5) / 3;
            let again = call > 4 && (call - 5) % 3 == 2;
            Some(match (candidate, again, round % 2) {
                (1, ..) => ms(newcomer),
                (_, true, 0) => ms(120),
                (_, true, _) => ms(80),
                _ => ms(100),
            })
        };
        winner(&compete(2, None, time).0)
    };
    assert_eq!([90, 81, 79, 60].map(with), [Some(0), Some(0), Some(1), Some(1)]);
}

/// Every call takes 10 ms. The estimate and each candidate are called twice before the rounds. A round has
/// three calls.
#[test]
fn the_limit_is_honoured_between_calls() {
    let tried = |limit, candidates| {
        let (contest, calls) = compete(candidates, Some(ms(limit)), |candidate, _| {
            Some(ms(if candidate == 1 { 9 } else { 10 }))
        });
        (contest.entrants.len() - 1, calls, contest.limited, winner(&contest))
    };
    assert_eq!(tried(0, 9), (0, 2, true, Some(0)), "the estimate is there in any case");
    assert_eq!(tried(20, 9), (0, 2, true, Some(0)));
    assert_eq!(tried(21, 9), (1, 4, true, Some(0)));
    assert_eq!(tried(59, 9), (3, 8, true, Some(0)));
    // Two rounds of three calls are too few; three rounds are enough.
    assert_eq!(tried(38 + 2 * 29 + 1, 2), (1, 4 + 7, true, Some(0)));
    assert_eq!(tried(38 + 3 * 29 + 1, 2), (1, 4 + 10, true, Some(1)));
    assert_eq!(tried(38 + 7 * 29 + 1, 2), (1, 4 + 21, false, Some(1)));
}

#[test]
fn candidates_that_cannot_run_do_not_take_part() {
    let (contest, _) = compete(4, None, |candidate, _| (candidate != 2).then_some(ms(10 - candidate as u64)));
    let whats: Vec<_> = contest.entrants.iter().map(|entrant| entrant.what.as_str()).collect();
    assert_eq!((whats, winner(&contest)), (vec!["0", "3", "1"], Some(3)));
    let (contest, calls) = compete(4, None, |_, _| None);
    assert_eq!((contest.entrants.len(), winner(&contest), calls), (1, Some(0), 1));
    // A finalist that fails ends the rounds.
    let (contest, _) =
        compete(2, None, |candidate, call| (candidate == 0 || call < 9).then_some(ms(10 - candidate as u64)));
    assert_eq!(winner(&contest), Some(0));
}

#[test]
fn a_short_call_is_repeated() {
    let (contest, calls) =
        compete(2, None, |candidate, _| Some(Duration::from_micros(20 - 10 * candidate as u64)));
    assert_eq!((winner(&contest), calls), (Some(1), 4 + 7 * 3 * 5));
    assert_eq!(contest.entrants[1].timed().least, Duration::from_micros(10));
    let (_, calls) = compete(2, None, |_, _| Some(Duration::ZERO));
    assert_eq!(calls, 4 + 7 * 3);
}

#[test]
fn quartiles_are_of_the_sorted() {
    assert!(quartiles(vec![5.0, 1.0, 4.0, 2.0, 3.0]).into_iter().eq([2.0, 3.0, 4.0]));
    assert!(quartiles(vec![7.0]).into_iter().eq([7.0; 3]));
}
