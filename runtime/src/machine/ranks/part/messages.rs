//! Messages between ranks: tokens, waves, the end, and lost ranks.
//!
//! A message that does not fit the stage of the run comes from another program, and ends the run. A passive
//! rank answers waves, which rank 0 begins. After termination rank 0 gathers all ranks' counters and all
//! waiting frames.

use std::mem::take;
use std::time::Duration;

use super::{Ended, MOST_PATIENCE, Part, Stage};
use crate::machine::ranks::waves::{Counts, Next};
use crate::node::bytes;
use crate::node::function::Event;
use crate::ranks::{Arrival, Control, GIVEN, RankMessage};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::{Error, Stuck};

impl Part<'_> {
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(super) fn undecodable(&self, from: usize) -> Box<Error> {
        Box::new(Error::Undecodable { node: self.rank, from })
    }

    /// Handles a rank that left. This is an error, unless that rank has finished its part of the run.
    pub(super) fn gone(&mut self, rank: usize) -> Result<(), Box<Error>> {
        let is_done = match &self.stage {
            Stage::Over(_) => true,
            Stage::Reported => rank != 0,
            Stage::Gathering(told, _) => told[rank].is_some(),
            Stage::Greeting(_) | Stage::Running => false,
        };
        // If ranks other than rank 0 have left, rank 0 detects that the run cannot begin.
        if self.rank > 0 && matches!(self.stage, Stage::Greeting(_)) && self.mailbox().has_left(rank) {
            if rank == 0 {
                self.stage = Stage::Over(Ended::NoMore);
            }
            return Ok(());
        }
        if is_done { Ok(()) } else { Err(Box::new(self.mailbox().gone(rank))) }
    }

    /// Handles a message of this run. Returns whether the sender was allowed to send it.
    pub(super) fn take(
        &mut self,
        from: usize,
        message: RankMessage,
        arrival: &mut Arrival,
    ) -> Result<bool, Box<Error>> {
        let from_0 = from == 0;
        let is_right = match message {
            RankMessage::Event => {
                self.mailbox().received += 1;
                match self.stage {
                    Stage::Running => self.apply(from, arrival)?,
                    Stage::Greeting(_) => self.early.push((from, take(arrival))),
                    _ => return Ok(false),
                }
                true
            }
            RankMessage::Given => {
                self.mailbox().received += 1;
                self.mailbox().given.push_back((from, take(arrival)));
                self.asking.was_given(from)
            }
            RankMessage::Control(Control::RequestToken) => {
                let may = self.asking.add_request(from);
                if !self.give_token()? {
                    self.mailbox().control(from, Control::NoToken);
                }
                may
            }
            RankMessage::Control(Control::NoToken) => self.asking.refused(from),
            RankMessage::Control(Control::Wave(wave)) => from_0 && self.wave.replace(wave).is_none(),
            RankMessage::Control(Control::Passive { wave, sent, received }) => {
                self.waves.answer(from, wave, Counts { sent, received })
            }
            RankMessage::Control(Control::Settle) if from_0 && matches!(self.stage, Stage::Running) => {
                let (stuck, counters) = self.left();
                self.mailbox()
                    .control(0, Control::Settled { counters: Box::new(counters), stuck: Box::new(stuck) });
                self.stage = Stage::Reported;
                true
            }
            RankMessage::Control(Control::Settled { counters, stuck }) => {
                self.told(from, *counters, *stuck)?
            }
            RankMessage::Control(Control::End(by_node)) => {
                let is_right = from_0 && by_node.len() == self.ranks && matches!(self.stage, Stage::Reported);
                self.stage = Stage::Over(Ended::Well { by_node });
                is_right
            }
            RankMessage::Control(Control::Beat) => true,
            RankMessage::Control(Control::Failed(error)) => return Err(error),
            RankMessage::Control(Control::Settle | Control::Hello { .. } | Control::Bye) => false,
        };
        Ok(is_right)
    }

    /// Applies an event of another rank.
    pub(super) fn apply(&mut self, from: usize, event: &mut Arrival) -> Result<(), Box<Error>> {
        self.built.units.guarded(|units| units.attend_message(from as u32, event))
    }

    /// Returns what still waits on this node, and its counters.
    fn left(&mut self) -> (Stuck, Counters) {
        if let Some(eu_thread) = &mut self.built.eu_thread {
            // The unit has no work, and will get none.
            self.built.verdict.settle();
            eu_thread.stop();
        }
        let (stuck, mut counters) = self.built.left(self.rank, self.ranks);
        let elapsed = self.began.elapsed();
        let idle = self.idle + self.idle_since.take().map_or(Duration::ZERO, |since| since.elapsed());
        let own = (elapsed.saturating_sub(idle), idle);
        if let Some(eu_thread) = &self.built.eu_thread {
            (counters.su_busy, counters.su_idle) = own;
            counters.eu_idle = eu_thread.idle();
            counters.eu_busy = elapsed.saturating_sub(eu_thread.idle());
        } else {
            (counters.eu_busy, counters.eu_idle) = own;
        }
        (stuck, counters)
    }

    /// Gives tokens to waiting ranks, as long as there are both.
    pub(super) fn give_tokens(&mut self) -> Result<(), Box<Error>> {
        while self.asking.has_askers() && self.give_token()? {}
        Ok(())
    }

    /// Gives a token to a waiting rank, if this node shares any. A token that no waiting rank may run goes to
    /// the first node that may run it. Returns whether a waiting rank got a token.
    fn give_token(&mut self) -> Result<bool, Box<Error>> {
        if !matches!(self.stage, Stage::Running) {
            return Ok(false);
        }
        let Some(token) = self.built.ends.shared.steal() else { return Ok(false) };
        // The unit may share another token now.
        self.built.ends.asker.ask();
        let within = token.within;
        let thief = self.asking.longest_waiting(|rank| within.has(rank as u32));
        let node = thief.map_or(within.first, |thief| thief as u32);
        if node == self.rank as u32 {
            self.built.units.su().attend(Event::Token { node, token })?;
            return Ok(false);
        }
        let shared = self.built.units.su().decoding.shared.clone();
        let bulk_from = self.bulk_from;
        let _ = self.mailbox().work(node as usize, |message| {
            message.head.extend(thief.map(|_| GIVEN));
            bytes::pack_message(Event::Token { node, token }, message, bulk_from, &shared);
        });
        Ok(thief.is_some())
    }

    /// Requests a token for a rank without work.
    pub(super) fn request_token(&mut self) {
        let draw = &mut self.draw;
        if let Some(victim) = self.asking.next(|| draw.next()) {
            self.mailbox().control(victim, Control::RequestToken);
        }
    }

    /// Does the work of a passive rank after `in_vain` fruitless looks: answers a wave, begins a wave.
    pub(super) fn rest(&mut self, in_vain: usize) -> Result<(), Box<Error>> {
        let mailbox = self.mailbox();
        let counts = Counts { sent: mailbox.sent, received: mailbox.received };
        if self.rank != 0 {
            if let Some(wave) = self.wave.take() {
                let Counts { sent, received } = counts;
                self.mailbox().control(0, Control::Passive { wave, sent, received });
            }
            return Ok(());
        }
        // Rank 0 begins a wave at the latest before it waits for a wake-up by other ranks.
        if in_vain < self.patience.min(self.spin) && self.ranks > 1 {
            return Ok(());
        }
        loop {
            match self.waves.next(counts) {
                Next::Wait => return Ok(()),
                Next::RequestToken(wave) if self.ranks > 1 => {
                    self.patience = (2 * self.patience).min(MOST_PATIENCE);
                    self.mailbox().broadcast(|| Control::Wave(wave));
                }
                Next::RequestToken(_) => {}
                Next::Quiet => break,
            }
        }
        self.mailbox().broadcast(|| Control::Settle);
        self.stage = Stage::Gathering(vec![None; self.ranks], Box::default());
        let (stuck, counters) = self.left();
        self.told(0, counters, stuck).map(drop)
    }

    /// Notes the counters of a rank, and ends the run when all ranks have sent theirs. Returns whether they
    /// were requested.
    fn told(&mut self, from: usize, counters: Counters, more: Stuck) -> Result<bool, Box<Error>> {
        let Stage::Gathering(told, stuck) = &mut self.stage else { return Ok(false) };
        if told[from].replace(counters).is_some() {
            return Ok(false);
        }
        stuck.add(more);
        let Some(by_node) = told.iter().copied().collect::<Option<Vec<_>>>() else { return Ok(true) };
        if !stuck.is_empty() {
            return Err(Box::new(Error::Stuck(std::mem::take(stuck))));
        }
        self.mailbox().broadcast(|| Control::End(by_node.clone()));
        self.stage = Stage::Over(Ended::Well { by_node });
        Ok(true)
    }
}
