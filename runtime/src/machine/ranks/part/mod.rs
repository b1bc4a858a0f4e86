//! One rank's part in a run: it steps its node, attends to the messages that come, and rests when there is nothing of
//! either.
//!
//! 1. Until everybody has greeted it, a rank only hears; then rank 0 starts the main function.
//! 2. Turn by turn the rank steps its node, takes messages in and moves on what it sends.
//! 3. If it is [passive](super::waves), it asks for a token and answers waves; rank 0 begins them.
//! 4. When all is quiet, everybody tells rank 0 what it counted and what waits. Nothing that happens to another rank but 0 ends
//!    the run of a rank that has told it; so those that have heard the end first may go.
//! 5. Rank 0 decides, and tells everybody.
//!
//! What it does turn by turn stands here, what it tells others and does with what they tell it in [`messages`].

mod messages;

use std::sync::Arc;
use std::task::Waker;
use std::time::{Duration, Instant};

use earth_signal::Process;

use super::asking::Asking;
use super::injector::InjectorQueue;
use super::waves::Waves;
use super::{Built, beside};
use crate::machine::cancel::{CancelToken, Cancels};
use crate::machine::draw::Draw;
use crate::machine::gate::ToNode;
use crate::machine::settings::Settings;
use crate::machine::unit_set::UnitSet;
use crate::machine::units::Units as _;
use crate::node::step::Step;
use crate::primitive::spin_loop;
use crate::ranks::{Arrived, Mailbox};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::{Error, Stuck};

/// How many steps a unit takes before the rank attends to its messages.
const TURN: u32 = 32;

/// How many messages a rank takes in before its node has its turn.
const MESSAGES: usize = 64;

/// How long a rank waits at most for a link that nobody can wake, before it looks whether the run was cancelled or
/// anything came from outside.
const UNWOKEN: Duration = Duration::from_millis(2);

/// How long it waits at most for such a link in DUAL, before it looks whether its execution unit has done anything.
const UNWOKEN_BY_EU: Duration = Duration::from_micros(100);

/// How long it waits at most for a link that is woken then.
const WOKEN: Duration = Duration::from_secs(1);

/// The rank waits for its link, and looks for itself whether the run was cancelled.
impl Cancels for Waker {
    fn cancel(&self) {
        self.wake_by_ref();
    }
}

/// How often rank 0 looks in vain, with nothing to do, before its first wave, and at most before a later one: a wave
/// that was too early makes the next one wait for twice as many looks. So a run with little to do is over soon, and a
/// dialogue of two ranks, whose answers take some looks, does not pay for waves.
const FIRST_PATIENCE: usize = 8;
const MOST_PATIENCE: usize = 128;

/// How a run ended without an error.
pub(super) enum Ended {
    Well {
        /// The counters of all nodes.
        by_node: Vec<Counters>,
    },
    /// Rank 0 begins no further run.
    NoMore,
}

/// Where in a run a rank is.
enum Stage {
    /// It waits for the greeting of another rank. These calls wait with it, on rank 0 the main function before the others.
    Greeting(Vec<ToNode>),
    Running,
    /// It is rank 0, and nothing is left to run; these ranks have told what they counted.
    Gathering(Vec<Option<Counters>>, Box<Stuck>),
    /// It has told rank 0 what it counted.
    Told,
    Over(Ended),
}

/// What a rank works with during a run.
pub(super) struct Part<'a> {
    rank: usize,
    ranks: usize,
    built: &'a mut Built,
    /// The process that takes part, whose children do not.
    process: Process,
    cancel: Option<CancelToken>,
    /// Where calls from outside of the run are left.
    injector: Option<Arc<InjectorQueue>>,
    /// How often the rank looks in vain before it waits, and for how long at most.
    spin: usize,
    most_wait: Duration,
    stage: Stage,
    asking: Asking,
    draw: Draw,
    waves: Waves,
    /// How often rank 0 looks in vain before it begins the next wave.
    patience: usize,
    /// The wave that rank 0 has asked in, until it is answered.
    wave: Option<u64>,
    began: Instant,
    /// What a cancellation wakes the rank by.
    _woken: Option<Arc<dyn Cancels>>,
    /// How long the node had nothing to do, and since when it has had nothing.
    idle: Duration,
    idle_since: Option<Instant>,
}

impl<'a> Part<'a> {
    pub(super) fn new(
        rank: usize,
        ranks: usize,
        settings: &Settings,
        built: &'a mut Built,
        first: Vec<ToNode>,
        injector: Option<Arc<InjectorQueue>>,
    ) -> Self {
        let waker = built.mailbox().as_ref().and_then(|mailbox| mailbox.waker());
        let most_wait = match (&waker, &built.beside) {
            (Some(_), _) => WOKEN,
            (None, None) => UNWOKEN,
            (None, Some(_)) => UNWOKEN_BY_EU,
        };
        let woken = settings.cancel.as_ref().zip(waker).map(|(cancel, waker)| {
            let woken: Arc<dyn Cancels> = Arc::new(waker);
            cancel.tell(Arc::downgrade(&woken));
            woken
        });
        Part {
            rank,
            ranks,
            built,
            process: Process::current(),
            cancel: settings.cancel.clone(),
            injector,
            spin: settings.policy().spin as usize,
            most_wait,
            _woken: woken,
            stage: Stage::Greeting(first),
            asking: Asking::new(rank, ranks, settings.policy().steal),
            draw: Draw::new(rank as u64),
            waves: Waves::new(ranks),
            patience: FIRST_PATIENCE,
            wave: None,
            began: Instant::now(),
            idle: Duration::ZERO,
            idle_since: None,
        }
    }

    /// Takes part until the run is over.
    pub(super) fn run(&mut self) -> Result<Ended, Box<Error>> {
        for rank in self.mailbox().lost() {
            self.gone(rank)?;
        }
        let mut in_vain = 0;
        loop {
            if self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
                return Err(Box::new(Error::Cancelled));
            }
            if let Some(beside) = &mut self.built.beside {
                beside.busy();
            }
            let heard = self.hear()? | self.hear_outside()?;
            let stepped = self.step()?;
            self.give_tokens();
            let passive = stepped != Step::Worked && self.is_passive();
            if passive {
                self.rest(in_vain)?;
            }
            let flushed = self.mailbox().flush();
            if matches!(self.stage, Stage::Over(_)) {
                if flushed {
                    break;
                }
                // Nobody else has anything to tell this rank, but losses.
                while let Ok(Some(_)) = self.mailbox().poll() {}
            }
            if heard || stepped == Step::Worked {
                in_vain = 0;
                continue;
            }
            in_vain += 1;
            if in_vain > self.spin {
                self.wait(passive)?;
            } else {
                spin_loop();
            }
        }
        match std::mem::replace(&mut self.stage, Stage::Told) {
            Stage::Over(ended) => Ok(ended),
            _ => unreachable!("the loop ends when the run is over"),
        }
    }

    /// Starts functions that threads outside have left, unless something is held back for lack of room. Returns
    /// whether there were any.
    fn hear_outside(&mut self) -> Result<bool, Box<Error>> {
        let Some(injector) = &self.injector else { return Ok(false) };
        if !matches!(self.stage, Stage::Running) {
            return Ok(false);
        }
        let injector = Arc::clone(injector);
        if self.mailbox().held_back() > 0 {
            return Ok(false);
        }
        let calls = injector.take_out(MESSAGES);
        let heard = !calls.is_empty();
        self.built.units.guarded(|units| calls.into_iter().try_for_each(|call| units.su().apply(call)))?;
        Ok(heard)
    }

    /// Waits for the link, in DUAL for the execution unit, too, unless that has done anything since the rank was
    /// found passive, or not.
    fn wait(&mut self, passive: bool) -> Result<(), Box<Error>> {
        let most = self.most_wait;
        let Some(beside) = &self.built.beside else {
            self.mailbox().wait(most);
            return Ok(());
        };
        let sleepers = Arc::clone(&beside.sleepers);
        let mut stepped = Ok(Step::Idle);
        sleepers.rest(beside::SU, || {
            stepped = self.step();
            // A step that finds nothing may still make room for what the execution unit holds.
            sleepers.wake_holders();
            if matches!(stepped, Ok(Step::Idle | Step::Holding)) && self.is_passive() == passive {
                self.mailbox().wait(most);
            }
        });
        stepped.map(drop)
    }

    /// The calls that it begins with, if the run ended before.
    pub(super) fn take_first(&mut self) -> Vec<ToNode> {
        match &mut self.stage {
            Stage::Greeting(first) => std::mem::take(first),
            _ => Vec::new(),
        }
    }

    fn mailbox(&mut self) -> &mut Mailbox {
        match self.built.mailbox() {
            Some(mailbox) => mailbox,
            None => unreachable!("a node has its mailbox during a run"),
        }
    }

    /// Steps the node, if the run has begun and is not over.
    fn step(&mut self) -> Result<Step, Box<Error>> {
        if let Some(beside) = &mut self.built.beside {
            beside.busy();
        }
        if matches!(self.stage, Stage::Greeting(_)) {
            if !self.mailbox().is_complete() {
                return Ok(Step::Idle);
            }
            let first = self.take_first();
            self.stage = Stage::Running;
            let apply =
                |units: &mut UnitSet| first.into_iter().try_for_each(|(_, call)| units.su().apply(call));
            self.built.units.guarded(apply)?;
        }
        if !matches!(self.stage, Stage::Running) {
            return Ok(Step::Idle);
        }
        let Built { units, ends, held, verdict, .. } = &mut *self.built;
        held.flush(|event| ends.inbox.send(event));
        let stepped = units.guarded(|units| units.pass(TURN, verdict));
        if !self.process.is_current() {
            return Err(Box::new(Error::Forked { what: "the run".into() }));
        }
        if let Some(error) = verdict.take_error() {
            return Err(error);
        }
        let stepped = stepped?;
        if let (Step::Worked, Some(beside)) = (stepped, &self.built.beside) {
            beside.sleepers.wake_holders();
        }
        match (stepped, self.idle_since) {
            (Step::Worked, Some(since)) => {
                self.idle += since.elapsed();
                self.idle_since = None;
            }
            (Step::Idle, None) => self.idle_since = Some(Instant::now()),
            _ => {}
        }
        Ok(stepped)
    }

    /// Takes in what has come, as far as the inbox has room. Returns whether there was anything.
    fn hear(&mut self) -> Result<bool, Box<Error>> {
        for heard in 0..MESSAGES {
            if !self.built.held.is_empty() && matches!(self.stage, Stage::Running) {
                return Ok(heard > 0);
            }
            match self.mailbox().poll()? {
                None => return Ok(heard > 0),
                Some(Arrived::Gone(rank)) => self.gone(rank)?,
                Some(Arrived::Message(from, message)) => {
                    if !self.take(from, message)? {
                        return Err(self.undecodable(from));
                    }
                }
            }
        }
        Ok(true)
    }

    /// Whether this rank has nothing to run, to apply or to send.
    fn is_passive(&mut self) -> bool {
        matches!(self.stage, Stage::Running)
            && self.built.held.is_empty()
            && self.built.ends.shared.is_empty()
            && self.mailbox().held_back() == 0
            && self.mailbox().given.is_empty()
            && !self.built.units.has_work()
            && self.injector.as_ref().is_none_or(|injector| injector.is_done())
            && self.is_quiet()
    }

    /// Whether the execution unit has nothing to do either, in DUAL, and nothing is under way between the two.
    fn is_quiet(&mut self) -> bool {
        let (sent, received) = self.built.units.messages();
        let (of_others, for_others) = (self.mailbox().received, self.mailbox().sent);
        let Some(beside) = &mut self.built.beside else { return true };
        // What came from other ranks is one unit's message to the other here, and so is what went to them.
        beside.is_quiet(sent.wrapping_add(of_others), received.wrapping_add(for_others))
    }
}
