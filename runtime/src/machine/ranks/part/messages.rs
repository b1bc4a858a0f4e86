//! Messages between ranks: tokens, waves, the end, and lost ranks.
//!
//! A message that does not fit the stage of the run comes from another program, and ends the run. A passive
//! rank answers waves, which rank 0 begins. After termination rank 0 gathers all ranks' counters and all
//! waiting frames.

use std::mem::take;
use std::time::Duration;

use super::{Ended, Gathered, MOST_PATIENCE, Part, Stage};
use crate::machine::ranks::clocks::Clocks;
use crate::machine::ranks::waves::{Counts, Next};
use crate::probe::records::Records;
use crate::probe::records::gathered::NodeLog;
use crate::ranks::{Arrival, Control, GIVEN, RankMessage};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::{Error, Stuck};

impl Part {
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(super) fn undecodable(&self, from: usize) -> Box<Error> {
        Box::new(Error::Undecodable { node: self.nodes.first, from: from * self.nodes.count })
    }

    /// Handles a rank that left. This is an error, unless that rank has finished its part of the run.
    pub(super) fn gone(&mut self, rank: usize) -> Result<(), Box<Error>> {
        let is_done = match &self.stage {
            Stage::Over(_) => true,
            Stage::Reported => rank != 0,
            Stage::Gathering(gathered) => gathered.counters[rank].is_some(),
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
                if !matches!(self.stage, Stage::Running) || !self.asking.was_given(from) {
                    return Ok(false);
                }
                self.apply(from, arrival)?;
                true
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
                let (stuck, counters, logs) = self.left();
                self.mailbox().control(0, Control::Settled { counters, stuck: Box::new(stuck), logs });
                self.stage = Stage::Reported;
                true
            }
            RankMessage::Control(Control::Settled { counters, stuck, logs }) => {
                self.told(from, counters, *stuck, logs)?
            }
            RankMessage::Control(Control::AskTime) => match &self.clock {
                Some(clock) if from_0 => {
                    let now = clock.now();
                    self.mailbox().control(0, Control::Time(now));
                    true
                }
                _ => false,
            },
            RankMessage::Control(Control::Time(its)) => {
                let was_asked = self.clocks.as_mut().is_some_and(|clocks| clocks.answer(from, its));
                if was_asked && matches!(self.stage, Stage::Gathering(_)) {
                    self.finish()?;
                }
                was_asked
            }
            RankMessage::Control(Control::End(by_node)) => {
                let is_right =
                    from_0 && by_node.len() == self.nodes.all && matches!(self.stage, Stage::Reported);
                self.stage = Stage::Over(Ended::Well { by_node, records: None });
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
        let first = (from * self.nodes.count) as u32;
        self.nodes.deliver(first, event)
    }

    /// Returns the waiting frames of this rank's nodes, their counters, and their records if they trace.
    fn left(&mut self) -> (Stuck, Vec<Counters>, Vec<NodeLog>) {
        let idle = self.idle + self.idle_since.take().map_or(Duration::ZERO, |since| since.elapsed());
        let (stuck, counters, records) = self.nodes.left(self.began.elapsed(), idle);
        let Some(clock) = &self.clock else { return (stuck, counters, Vec::new()) };
        let logs = NodeLog::all_of(&records, clock);
        self.records = Some(records);
        (stuck, counters, logs)
    }

    /// Asks the next rank for its time, if rank 0 compares clocks now. Returns whether it has compared all.
    pub(super) fn compare_clocks(&mut self) -> bool {
        let Some(clocks) = &mut self.clocks else { return true };
        if let Some(rank) = clocks.next() {
            self.mailbox().control(rank, Control::AskTime);
        }
        self.clocks.as_ref().is_none_or(Clocks::are_compared)
    }

    /// Gives tokens to waiting ranks, as long as there are both.
    pub(super) fn give_tokens(&mut self) -> Result<(), Box<Error>> {
        while self.asking.has_askers() && self.give_token()? {}
        Ok(())
    }

    /// Gives a token to a waiting rank, if a node of this rank shares any. A token that no waiting rank may
    /// run goes to the first node that may run it. Returns whether a waiting rank got a token.
    fn give_token(&mut self) -> Result<bool, Box<Error>> {
        if !matches!(self.stage, Stage::Running) {
            return Ok(false);
        }
        let Some(token) = self.nodes.take_token() else { return Ok(false) };
        let (within, count) = (token.within, self.nodes.count as u32);
        // Returns the first node of a rank that may run the token.
        let of_rank = |rank: usize| {
            let first = rank as u32 * count;
            let node = first.max(within.first);
            (node < first + count && within.has(node)).then_some(node)
        };
        let thief = self.asking.longest_waiting(|rank| of_rank(rank).is_some());
        let node = thief.and_then(of_rank).unwrap_or(within.first);
        if of_rank(self.rank) == Some(node) {
            self.nodes.return_token(token)?;
            return Ok(false);
        }
        let bulk_from = self.bulk_from;
        self.nodes.send_token(node, token, thief.map(|_| GIVEN), bulk_from);
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
        let (counters, logs) = (vec![None; self.ranks], vec![Vec::new(); self.ranks]);
        self.stage = Stage::Gathering(Box::new(Gathered { counters, logs, ..Gathered::default() }));
        if let Some(clocks) = &mut self.clocks {
            clocks.compare_again();
        }
        let (stuck, counters, logs) = self.left();
        self.told(0, counters, stuck, logs).map(drop)
    }

    /// Notes the counters of a rank, and finishes the run if it was the last one. Returns whether they were
    /// requested.
    fn told(
        &mut self,
        from: usize,
        counters: Vec<Counters>,
        more: Stuck,
        logs: Vec<NodeLog>,
    ) -> Result<bool, Box<Error>> {
        let Stage::Gathering(gathered) = &mut self.stage else { return Ok(false) };
        if counters.len() != self.nodes.count || gathered.counters[from].replace(counters).is_some() {
            return Ok(false);
        }
        gathered.stuck.add(more);
        gathered.logs[from] = logs;
        self.finish().map(|()| true)
    }

    /// Ends the run on all ranks, if rank 0 has the counters of all of them and has compared their clocks.
    fn finish(&mut self) -> Result<(), Box<Error>> {
        let Stage::Gathering(gathered) = &mut self.stage else { return Ok(()) };
        if gathered.counters.contains(&None) {
            return Ok(());
        }
        if !gathered.stuck.is_empty() {
            return Err(Box::new(Error::Stuck(Box::new(take(&mut gathered.stuck)))));
        }
        if !self.compare_clocks() {
            return Ok(());
        }
        let Stage::Gathering(gathered) = &mut self.stage else { return Ok(()) };
        let by_node: Vec<_> = gathered.counters.iter().flatten().flatten().copied().collect();
        let logs = take(&mut gathered.logs);
        let records = match &self.clocks {
            Some(clocks) => {
                let records = Records::gathered(self.nodes.all, clocks.began, clocks.maps().zip(logs));
                Some(records.ok_or_else(|| self.undecodable(self.ranks - 1))?)
            }
            None => None,
        };
        self.mailbox().broadcast(|| Control::End(by_node.clone()));
        self.stage = Stage::Over(Ended::Well { by_node, records });
        Ok(())
    }
}
