//! Termination detection by rank 0 with Mattern's four counters.
//!
//! Each rank counts the messages that transfer work (events, tokens) which it has sent and received. A rank
//! is *passive* while it has no work, no event to apply and no message held back. A passive rank sends no
//! message that transfers work, and only the receipt of such a message makes it active. Rank 0 requests both
//! counts from all ranks, in *waves*. A rank answers when it is passive. When all have answered, rank 0 takes
//! its own counts while it is passive. The run is over when the messages received by one wave equal the
//! messages sent by the next wave.
//!
//! *Proof.* Let the first wave end at time `a` and the second begin at a later time `b`. Let `S(t)` and
//! `R(t)` be the numbers of messages that all ranks together have sent and received at time `t`. Let `r` be
//! the sum of the received counts in the first wave, and `s` the sum of the sent counts in the second wave.
//!
//! * Counts never decrease. Each answer of the first wave was given before `a`, and each answer of the second
//!   after `b`. No message is received before it is sent. So `r <= R(a) <= R(b) <= S(b) <= s`.
//! * If `r = s`, all of these are equal. By `r = R(a)` no rank has received a message between its answer and
//!   `a`. So each rank is passive at `a`, as it was when it answered.
//! * By `R(a) <= S(a) <= S(b) = R(a)` no message is in transit at `a`. So the machine is quiescent at `a`,
//!   and stays quiescent.
//! * Conversely, if the machine is quiescent, two waves detect it.
//!
//! (Mattern, Algorithms for Distributed Termination Detection, 1987.)
//!
//! Token requests and refusals are not counted, since they transfer no work.
//!
//! *Cost.* Two messages a rank and wave. A wave that is too early lasts until every rank was passive once. So
//! rank 0 does not send wave after wave while a rank is working. Before each wave rank 0 makes a number of
//! fruitless looks, twice the number before the last wave. So ranks that wait for each other's answers do not
//! get a wave after each answer.

/// The two counts of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    pub(super) sent: u64,
    pub(super) received: u64,
}

/// Next action of rank 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// Wait for answers.
    Wait,
    /// Ask all other ranks, in the wave of this number.
    RequestToken(u64),
    Quiet,
}

/// Waves of a run, as rank 0 counts them.
pub(super) struct Waves {
    /// Number of the current wave; 0 before the first.
    wave: u64,
    /// Answer of each rank in that wave. Before the first wave every rank has an answer, so that no answer is
    /// accepted.
    answers: Vec<Option<Counts>>,
    /// Number of messages received, by the previous wave.
    before: Option<u64>,
}

impl Waves {
    pub(super) fn new(ranks: usize) -> Self {
        Waves { wave: 0, answers: vec![Some(Counts::default()); ranks], before: None }
    }

    /// Takes an answer. Returns whether it answers the open request.
    pub(super) fn answer(&mut self, from: usize, wave: u64, counts: Counts) -> bool {
        let is_open = wave == self.wave && self.answers[from].is_none();
        if is_open {
            self.answers[from] = Some(counts);
        }
        is_open
    }

    /// Returns the next action. Rank 0 must be passive, with the counts `own`.
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
        Next::RequestToken(self.wave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Counts = Counts { sent: 0, received: 0 };

    #[test]
    fn two_equal_waves_are_the_end() {
        let mut waves = Waves::new(2);
        assert_eq!(waves.next(Counts { sent: 3, received: 2 }), Next::RequestToken(1));
        assert_eq!(waves.next(Counts { sent: 3, received: 2 }), Next::Wait);
        assert!(waves.answer(1, 1, Counts { sent: 2, received: 3 }));
        assert_eq!(waves.next(Counts { sent: 3, received: 2 }), Next::RequestToken(2));
        assert!(waves.answer(1, 2, Counts { sent: 2, received: 3 }));
        assert_eq!(waves.next(Counts { sent: 3, received: 2 }), Next::Quiet);
    }

    /// Rank 1 answers. Then rank 2 wakes it, and it wakes rank 2 again, behind the wave. The sent and
    /// received counts of that wave are equal although the machine is not quiescent.
    #[test]
    fn work_that_goes_round_behind_one_wave_is_seen_by_the_next() {
        let mut waves = Waves::new(3);
        assert_eq!(waves.next(NONE), Next::RequestToken(1));
        assert!(waves.answer(1, 1, NONE));
        // Rank 2 has sent rank 1 a message and received one in return, and rank 1 is working.
        assert!(waves.answer(2, 1, Counts { sent: 1, received: 1 }));
        assert_eq!(waves.next(NONE), Next::RequestToken(2));
        assert!(waves.answer(1, 2, Counts { sent: 2, received: 1 }));
        assert!(waves.answer(2, 2, Counts { sent: 1, received: 2 }));
        assert_eq!(waves.next(NONE), Next::RequestToken(3));
    }

    #[test]
    fn answers_to_other_waves_and_second_answers_are_refused() {
        let mut waves = Waves::new(3);
        assert!(!waves.answer(1, 0, NONE), "nothing was asked");
        assert_eq!(waves.next(NONE), Next::RequestToken(1));
        assert!(!waves.answer(1, 2, NONE));
        assert!(waves.answer(1, 1, NONE));
        assert!(!waves.answer(1, 1, NONE));
    }
}
