//! One rank's part in a run. The calling thread steps its units, handles arriving messages, and rests when
//! there is no work and no message.
//!
//! 1. Until every rank has greeted it, a rank only receives. Then rank 0 starts the main function.
//! 2. In each turn the thread steps its units, takes messages in, and sends messages on.
//! 3. A [passive](super::waves) rank requests a token and answers waves. Rank 0 begins the waves.
//! 4. After termination every rank sends rank 0 its nodes' counters and waiting frames. From then on only a
//!    loss of rank 0 ends its run. So ranks that learn of the end first may leave.
//! 5. Rank 0 decides the result and sends it to all ranks.
//!
//! This file contains the turns of a rank. [`messages`] contains the messages that it sends and handles.

mod messages;

use std::sync::Arc;
use std::task::Waker;
use std::time::{Duration, Instant};

use earth_signal::{Flag, Process};

use super::clocks::Clocks;
use super::heartbeat::Heartbeat;
use super::injector::InjectorQueue;
use super::local_nodes::LocalNodes;
use super::token_requests::TokenRequests;
use super::turn::Turn;
use super::waves::Waves;
use crate::machine::cancel::{CancelToken, Cancels};
use crate::machine::draw::Draw;
use crate::machine::gate::ToNode;
use crate::machine::panics::{drop_ignoring_panics, with_faults};
use crate::machine::settings::Settings;
use crate::node::step::Step;
use crate::primitive::spin_loop;
use crate::probe::records::Records;
use crate::probe::records::gathered::{NodeLog, RankClock};
use crate::ranks::{Arrival, Arrived, Control, Mailbox};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::{Error, Stuck};

/// Maximum number of messages that a rank takes in before its node has its turn. After a turn with few
/// messages the number is small, because the look that finds no further message delays those that came.
const MESSAGES: usize = 64;

/// Number of full takes in a row after which a rank that took in one message a turn takes more. A dialogue of
/// two ranks then rarely pays for a fruitless look.
const FULL_TAKES: u32 = 8;

/// Number of looks for a message in a row, while the rank has no work.
const LOOKS: usize = 32;

/// Maximum wait for a link without a waker. After that the rank checks for cancellation and for calls from
/// outside.
const UNWOKEN: Duration = Duration::from_millis(2);

/// Maximum wait for such a link if the rank has other workers. After that the rank checks for their messages.
const UNWOKEN_BY_WORKERS: Duration = Duration::from_micros(100);

/// Maximum wait for a link with a waker.
const WOKEN: Duration = Duration::from_secs(1);

/// Cancellation wakes the rank from its wait for the link; the rank then checks the token itself.
impl Cancels for Waker {
    fn cancel(&self) {
        self.wake_by_ref();
    }
}

/// Number of fruitless looks of rank 0 before its first wave, and maximum number before a later wave. Each
/// wave that was too early doubles the number. So a run with little work ends soon. A dialogue of two ranks,
/// whose answers take some looks, does not pay for waves.
const FIRST_PATIENCE: usize = 8;
const MOST_PATIENCE: usize = 128;

/// End of a run without an error.
pub(super) enum Ended {
    Well {
        /// Counters of all nodes.
        by_node: Vec<Counters>,
        /// Records of all nodes, on rank 0 of a machine that traces.
        records: Option<Records>,
    },
    /// Rank 0 begins no further run.
    NoMore,
}

/// Stage of a rank in a run.
enum Stage {
    /// The rank waits for the greetings of other ranks. These calls wait too; on rank 0 the main function
    /// comes first.
    Greeting(Vec<ToNode>),
    Running,
    /// This is rank 0, and no rank has work left.
    Gathering(Box<Gathered>),
    /// The rank has sent its counters to rank 0.
    Reported,
    Over(Ended),
}

/// Data that rank 0 has received from ranks at the end of a run.
#[derive(Default)]
struct Gathered {
    /// Counters of each rank's nodes.
    counters: Vec<Option<Vec<Counters>>>,
    stuck: Stuck,
    /// Records of each rank's nodes, on a machine that traces.
    logs: Vec<Vec<NodeLog>>,
}

/// State of a rank during a run.
pub(super) struct Part {
    rank: usize,
    ranks: usize,
    nodes: LocalNodes,
    /// Raised when all ranks have greeted this rank.
    has_begun: Flag,
    /// Process that takes part. Its forked children do not.
    process: Process,
    cancel: Option<CancelToken>,
    /// Queue of calls from outside of the run.
    injector: Option<Arc<InjectorQueue>>,
    /// Number of fruitless looks before the rank waits, and the maximum wait.
    spin: usize,
    most_wait: Duration,
    /// Smallest size, in bytes, of a block that travels beside its message.
    bulk_from: usize,
    stage: Stage,
    /// Time limit for silent ranks, and the heartbeat since the run has begun on all ranks.
    silence_limit: Option<Duration>,
    heartbeat: Option<Heartbeat>,
    /// Whether the rank has taken in all messages that have arrived.
    is_drained: bool,
    /// Number of messages that the rank takes in next, and whether it has taken some in since its last turn.
    most_messages: usize,
    heard: bool,
    /// Number of times in a row that it took in the full number of messages.
    full_takes: u32,
    turn: Turn,
    /// The message that was received last. Its vectors are used again.
    arrival: Arrival,
    /// Events that arrived before the greetings of all ranks.
    early: Vec<(usize, Arrival)>,
    asking: TokenRequests,
    draw: Draw,
    waves: Waves,
    /// Clock of this rank, on a machine that traces, and the comparison of all ranks' clocks by rank 0.
    clock: Option<RankClock>,
    clocks: Option<Clocks>,
    /// Records of this rank's nodes, after they have ended on a machine that traces.
    records: Option<Records>,
    /// Number of fruitless looks of rank 0 before it begins the next wave.
    patience: usize,
    /// Wave of rank 0 that this rank has not answered yet.
    wave: Option<u64>,
    began: Instant,
    /// Registration of the waker for a cancellation.
    _woken: Option<Arc<dyn Cancels>>,
    /// Idle time of this thread, and the start of its current idle time.
    idle: Duration,
    idle_since: Option<Instant>,
}

impl Part {
    pub(super) fn new(
        settings: &Settings,
        mut nodes: LocalNodes,
        first: Vec<ToNode>,
        clock: Option<RankClock>,
        (has_begun, injector): (Flag, Option<Arc<InjectorQueue>>),
    ) -> Self {
        let (rank, ranks) = settings.ranks.unwrap_or((0, 1));
        let waker = nodes.mailbox().waker();
        let most_wait = match (&waker, nodes.has_others()) {
            (Some(_), _) => WOKEN,
            (None, false) => UNWOKEN,
            (None, true) => UNWOKEN_BY_WORKERS,
        };
        let most_wait = settings.heartbeat.map_or(most_wait, |limit| most_wait.min(Heartbeat::every(limit)));
        let woken = settings.cancel.as_ref().zip(waker).map(|(cancel, waker)| {
            let woken: Arc<dyn Cancels> = Arc::new(waker);
            cancel.notify_on_cancel(Arc::downgrade(&woken));
            woken
        });
        Part {
            rank,
            ranks,
            spin: nodes.spin(),
            nodes,
            has_begun,
            process: Process::current(),
            cancel: settings.cancel.clone(),
            injector,
            most_wait,
            bulk_from: settings.bulk_from(),
            _woken: woken,
            stage: Stage::Greeting(first),
            silence_limit: settings.heartbeat,
            heartbeat: None,
            is_drained: false,
            most_messages: 1,
            heard: false,
            full_takes: 0,
            turn: Turn::new(),
            arrival: Arrival::default(),
            early: Vec::new(),
            asking: TokenRequests::new(rank, ranks, settings.victims(rank)),
            draw: Draw::new(rank as u64),
            waves: Waves::new(ranks),
            clocks: clock.clone().filter(|_| rank == 0).map(|clock| Clocks::new(clock, ranks)),
            clock,
            records: None,
            patience: FIRST_PATIENCE,
            wave: None,
            began: Instant::now(),
            idle: Duration::ZERO,
            idle_since: None,
        }
    }

    /// Takes part until the run is over, and ends it for the other workers. Also returns the mailbox, and the
    /// records of this rank's nodes if it took them out.
    pub(super) fn run(mut self) -> (Result<Ended, Box<Error>>, Box<Mailbox>, Option<Records>) {
        let ended = with_faults(|| self.take_part().map_err(|error| *error)).map_err(Box::new);
        drop_ignoring_panics(self.take_first());
        if self.process.is_current() {
            self.nodes.settle(ended.as_ref().map(drop).map_err(|error| &**error));
        }
        (ended, self.nodes.end(), self.records)
    }

    fn take_part(&mut self) -> Result<Ended, Box<Error>> {
        for rank in self.mailbox().lost() {
            self.gone(rank)?;
        }
        let mut in_vain = 0;
        loop {
            if self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
                return Err(Box::new(Error::Cancelled));
            }
            self.nodes.busy();
            // The other rank may wait for what the first fiber sends, so that leaves before this rank looks
            // for further work.
            let steps = if self.heard { 1 } else { self.turn.steps() };
            let heard = std::mem::take(&mut self.heard) || self.receive()?;
            let events_heard = self.receive_from_outside()? || heard;
            self.beat()?;
            let stepped = self.step(steps)?;
            self.mailbox().flush();
            self.give_tokens()?;
            let passive = stepped != Step::Worked && self.is_passive();
            if passive || self.lacks_tokens() {
                self.request_token();
            }
            // A pending timer is work, so the run does not end before it.
            if passive && self.nodes.deadline().is_none() {
                self.rest(in_vain)?;
            }
            let flushed = self.mailbox().flush();
            if matches!(self.stage, Stage::Over(_)) {
                if flushed {
                    break;
                }
                // Other ranks have no more messages for this rank, except losses.
                while let Ok(Some(_)) = self.mailbox().poll(&mut Arrival::default()) {}
            }
            if events_heard || stepped == Step::Worked {
                in_vain = 0;
                continue;
            }
            in_vain += 1;
            if in_vain > self.spin {
                self.wait(passive)?;
            } else {
                in_vain += self.look_for_messages(passive)?;
            }
        }
        match std::mem::replace(&mut self.stage, Stage::Reported) {
            Stage::Over(ended) => Ok(ended),
            _ => unreachable!("the loop ends when the run is over"),
        }
    }

    /// Sends the other ranks a sign of life if one is due, and looks for a rank that is silent.
    fn beat(&mut self) -> Result<(), Box<Error>> {
        let Some(heartbeat) = &mut self.heartbeat else { return Ok(()) };
        let now = Instant::now();
        let is_due = heartbeat.is_due(now);
        // A rank that has finished its part may have left.
        let awaits = |rank: &usize| {
            *rank != self.rank
                && match &self.stage {
                    Stage::Running => true,
                    Stage::Gathering(gathered) => gathered.counters[*rank].is_none(),
                    Stage::Reported => *rank == 0,
                    Stage::Greeting(_) | Stage::Over(_) => false,
                }
        };
        let silent =
            if self.is_drained { heartbeat.silent((0..self.ranks).filter(awaits), now) } else { None };
        if let Some((rank, time)) = silent {
            let why = format!("it was silent for {:.1} s", time.as_secs_f64());
            return Err(Box::new(Error::LostRank { rank, why }));
        }
        if is_due {
            self.mailbox().broadcast(|| Control::Beat);
        }
        Ok(())
    }

    /// Returns whether another worker is idle, and no node of this rank shares a token.
    fn lacks_tokens(&self) -> bool {
        self.nodes.has_others() && matches!(self.stage, Stage::Running) && self.nodes.lack_tokens()
    }

    /// Starts functions from threads outside, unless messages are held back for lack of room. Returns whether
    /// there were any.
    fn receive_from_outside(&mut self) -> Result<bool, Box<Error>> {
        let Some(injector) = &self.injector else { return Ok(false) };
        if !matches!(self.stage, Stage::Running) {
            return Ok(false);
        }
        let injector = Arc::clone(injector);
        if self.mailbox().held_back() > 0 {
            return Ok(false);
        }
        let calls = injector.take_out(MESSAGES);
        let events_heard = !calls.is_empty();
        calls.into_iter().try_for_each(|call| self.nodes.start(call))?;
        Ok(events_heard)
    }

    /// Waits for the link, and for the other workers. Does not wait if one of them has acted since the caller
    /// determined `passive`, or if a unit of this thread has work: in one pass the two units of a DUAL node
    /// may give each other work, and each then awaits messages.
    fn wait(&mut self, passive: bool) -> Result<(), Box<Error>> {
        let until_timer = self.nodes.deadline().map(|due| due.saturating_duration_since(Instant::now()));
        let most = until_timer.map_or(self.most_wait, |left| left.min(self.most_wait));
        if !self.nodes.has_others() {
            if !self.nodes.has_events() {
                self.mailbox().wait(most);
            }
            return Ok(());
        }
        let shared = self.nodes.shared();
        let mut stepped = Ok(Step::Idle);
        shared.sleepers.rest(0, self.nodes.holds(), || {
            stepped = self.step(self.turn.steps());
            // A step that finds no work may still make room for what another worker holds.
            shared.sleepers.wake_holders();
            let acted = !matches!(stepped, Ok(Step::Idle | Step::Holding)) || self.nodes.has_events();
            if !acted && self.is_passive() == passive {
                self.mailbox().wait(most);
            }
        });
        stepped.map(drop)
    }

    /// Takes the calls that have not been started, if the run ended before its beginning.
    pub(super) fn take_first(&mut self) -> Vec<ToNode> {
        match &mut self.stage {
            Stage::Greeting(first) => std::mem::take(first),
            _ => Vec::new(),
        }
    }

    fn mailbox(&mut self) -> &mut Mailbox {
        self.nodes.mailbox()
    }

    /// Takes up to `steps` steps of each unit of this thread, if the run has begun and is not over.
    fn step(&mut self, steps: u32) -> Result<Step, Box<Error>> {
        self.nodes.busy();
        if matches!(self.stage, Stage::Greeting(_)) {
            if !self.mailbox().is_complete() || !self.compare_clocks() {
                return Ok(Step::Idle);
            }
            let first = self.take_first();
            self.stage = Stage::Running;
            if let Some(clocks) = &mut self.clocks {
                clocks.begin();
            }
            let ranks = self.ranks;
            self.heartbeat = self.silence_limit.map(|limit| Heartbeat::new(limit, ranks, Instant::now()));
            self.has_begun.raise();
            first.into_iter().try_for_each(|(_, call)| self.nodes.start(call))?;
            for (from, mut event) in std::mem::take(&mut self.early) {
                self.apply(from, &mut event)?;
            }
        }
        if !matches!(self.stage, Stage::Running) {
            return Ok(Step::Idle);
        }
        let begun = Instant::now();
        let stepped = self.nodes.step(steps, self.process)?;
        match stepped {
            Step::Worked => {
                if self.turn.measures(steps) {
                    self.turn.took(steps, begun.elapsed());
                }
                if let Some(since) = self.idle_since.take() {
                    self.idle += begun.saturating_duration_since(since);
                }
            }
            Step::Idle => self.idle_since = self.idle_since.or(Some(begun)),
            Step::Holding => {}
        }
        Ok(stepped)
    }

    /// Looks for messages a few times, if only a message can give the node work. Returns the number of
    /// fruitless looks.
    fn look_for_messages(&mut self, passive: bool) -> Result<usize, Box<Error>> {
        spin_loop();
        if !passive {
            return Ok(0);
        }
        for look in 0..LOOKS {
            self.heard = self.receive()?;
            if self.heard || self.nodes.has_others() && self.nodes.has_events() {
                return Ok(look);
            }
        }
        Ok(LOOKS)
    }

    /// Takes arrived messages in, unless some wait for room in an inbox. Returns whether there were any.
    fn receive(&mut self) -> Result<bool, Box<Error>> {
        if !self.nodes.has_room() {
            return Ok(false);
        }
        let mut arrival = std::mem::take(&mut self.arrival);
        let received = self.receive_in(&mut arrival);
        self.arrival = arrival;
        received
    }

    fn receive_in(&mut self, arrival: &mut Arrival) -> Result<bool, Box<Error>> {
        self.is_drained = false;
        for events_heard in 0..self.most_messages {
            match self.mailbox().poll(arrival)? {
                None => {
                    self.is_drained = true;
                    (self.most_messages, self.full_takes) = (events_heard.max(1), 0);
                    return Ok(events_heard > 0);
                }
                Some(Arrived::Gone(rank)) => self.gone(rank)?,
                Some(Arrived::RankMessage(from, message)) => {
                    if let Some(heartbeat) = &mut self.heartbeat {
                        heartbeat.hear(from, Instant::now());
                    }
                    if !self.take(from, message, arrival)? {
                        return Err(self.undecodable(from));
                    }
                }
            }
        }
        self.full_takes += 1;
        if self.most_messages > 1 || self.full_takes > FULL_TAKES {
            self.most_messages = (2 * self.most_messages).min(MESSAGES);
        }
        Ok(true)
    }

    /// Returns whether this rank has no work, no event to apply and no message to send.
    fn is_passive(&mut self) -> bool {
        matches!(self.stage, Stage::Running)
            && self.injector.as_ref().is_none_or(|injector| injector.is_done())
            && self.nodes.are_quiet()
    }
}
