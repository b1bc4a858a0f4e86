//! How rank 0 finds out that nothing is left to run on any rank, by Mattern's four counters.
//!
//! Each rank counts the messages that give work (events, tokens) which it has sent and received. It is *passive*
//! while it has nothing to run, nothing to apply and nothing held back. A passive rank sends nothing that gives work,
//! and only such a message that comes makes it active. Rank 0 asks all, in *waves*, for their two counts; a rank
//! answers when it is passive, and rank 0 takes its own counts, while it is passive, when all have answered. The run
//! is over when the messages received, by one wave, are as many as those sent, by the next wave.
//!
//! *Proof.* Let the first wave end at time `a` and the second begin at `b`, which is later. Write `S(t)` and `R(t)`
//! for the messages that all ranks together have sent and received at time `t`, `r` for the sum of what the first
//! wave told of messages received and `s` for what the second told of messages sent. Counts never go down, each
//! answer of the first wave was given before `a` and each of the second after `b`, and nothing is received that was
//! not sent: `r <= R(a) <= R(b) <= S(b) <= s`. If `r = s`, these are all equal. By `r = R(a)` no rank has received
//! anything between its answer and `a`, so each is passive at `a`, as it was when it answered. By `R(a) <= S(a) <=
//! S(b) = R(a)` nothing is under way at `a`. So all is quiet at `a`, and stays so. Conversely, when all is quiet, two
//! waves find it. (Mattern, Algorithms for Distributed Termination Detection, 1987.)
//!
//! Questions for tokens are not counted: neither they nor refusals give work.
//!
//! *Cost.* Two messages a rank and wave. A wave that is too early lasts until every rank was passive once, so rank 0
//! does not ask again and again while one of them works. Before each it looks in vain for a while, twice as often as
//! before the last one, so that ranks which wait for each other's answers are not asked after each of them.

/// The two counts of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    pub(super) sent: u64,
    pub(super) received: u64,
}

/// What rank 0 does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// It waits for answers.
    Wait,
    /// It asks everybody else, in the wave of this number.
    Ask(u64),
    Quiet,
}

/// The waves of a run, as rank 0 counts them.
pub(super) struct Waves {
    /// The number of the wave that is on; 0 before the first.
    wave: u64,
    /// The answer of each rank in that wave. Before the first wave there is one of everybody, so that none is taken.
    answers: Vec<Option<Counts>>,
    /// The messages received, by the wave before.
    before: Option<u64>,
}

impl Waves {
    pub(super) fn new(ranks: usize) -> Self {
        Waves { wave: 0, answers: vec![Some(Counts::default()); ranks], before: None }
    }

    /// Takes an answer. Returns whether it was one to the question that is open.
    pub(super) fn answer(&mut self, from: usize, wave: u64, counts: Counts) -> bool {
        let is_open = wave == self.wave && self.answers[from].is_none();
        if is_open {
            self.answers[from] = Some(counts);
        }
        is_open
    }

    /// What to do next; rank 0 is passive and has counted this.
    pub(super) fn next(&mut self, own: Counts) -> Next {
        if self.wave > 0 {
            self.answers[0] = Some(own);
            if self.answers.contains(&None) {
                return Next::Wait;
            }
            let told = self.answers.iter().flatten();
            let sum = |count: fn(&Counts) -> u64| told.clone().map(count).fold(0, u64::wrapping_add);
            if self.before == Some(sum(|counts| counts.sent)) {
                return Next::Quiet;
            }
            self.before = Some(sum(|counts| counts.received));
        }
        self.wave += 1;
        self.answers.fill(None);
        Next::Ask(self.wave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Counts = Counts { sent: 0, received: 0 };

    #[test]
    fn two_equal_waves_are_the_end() {
        let mut waves = Waves::new(2);
        assert_eq!(waves.next(Counts { sent: 3, received: 2 }), Next::Ask(1));
        assert_eq!(waves.next(Counts { sent: 3, received: 2 }), Next::Wait);
        assert!(waves.answer(1, 1, Counts { sent: 2, received: 3 }));
        assert_eq!(waves.next(Counts { sent: 3, received: 2 }), Next::Ask(2));
        assert!(waves.answer(1, 2, Counts { sent: 2, received: 3 }));
        assert_eq!(waves.next(Counts { sent: 3, received: 2 }), Next::Quiet);
    }

    /// Rank 1 answers, is then woken by rank 2 and wakes it again, behind the wave: sent and received are equal in one wave,
    /// and yet all is not quiet.
    #[test]
    fn work_that_goes_round_behind_one_wave_is_seen_by_the_next() {
        let mut waves = Waves::new(3);
        assert_eq!(waves.next(NONE), Next::Ask(1));
        assert!(waves.answer(1, 1, NONE));
        // Rank 2 has sent rank 1 a message and received one for it, and rank 1 works.
        assert!(waves.answer(2, 1, Counts { sent: 1, received: 1 }));
        assert_eq!(waves.next(NONE), Next::Ask(2));
        assert!(waves.answer(1, 2, Counts { sent: 2, received: 1 }));
        assert!(waves.answer(2, 2, Counts { sent: 1, received: 2 }));
        assert_eq!(waves.next(NONE), Next::Ask(3));
    }

    #[test]
    fn answers_to_other_waves_and_second_answers_are_refused() {
        let mut waves = Waves::new(3);
        assert!(!waves.answer(1, 0, NONE), "nothing was asked");
        assert_eq!(waves.next(NONE), Next::Ask(1));
        assert!(!waves.answer(1, 2, NONE));
        assert!(waves.answer(1, 1, NONE));
        assert!(!waves.answer(1, 1, NONE));
    }
}
