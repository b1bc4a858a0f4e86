//! One rank's part in a run: it steps its node, attends to the messages that come, and rests when there is nothing of
//! either.
//!
//! 1. Until everybody has greeted it, a rank only hears; then rank 0 starts the main function.
//! 2. Turn by turn the rank steps its node, takes messages in and moves on what it sends.
//! 3. If it is [passive](super::waves), it asks for a token and answers waves; rank 0 begins them.
//! 4. When all is quiet, everybody tells rank 0 what it counted and what waits. Nothing that happens to another rank but 0 ends
//!    the run of a rank that has told it; so those that have heard the end first may go.
//! 5. Rank 0 decides, and tells everybody.

use std::sync::Arc;
use std::task::Waker;
use std::time::{Duration, Instant};

use super::Built;
use super::asking::Asking;
use super::beside;
use super::injector::InjectorQueue;
use super::waves::{Counts, Next, Waves};
use crate::machine::cancel::{CancelToken, Cancels};
use crate::machine::draw::Draw;
use crate::machine::settings::Settings;
use crate::node::bytes;
use crate::node::function::{ErasedCall, Event, Token};
use crate::node::separate::Step;
use crate::ranks::{Arrived, Control, Mailbox, Message, given};
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

/// What is woken by a cancellation, as long as the run is on.
struct Woken(Waker);

impl Woken {
    fn tell(cancel: Option<&CancelToken>, waker: Option<Waker>) -> Option<Arc<Self>> {
        let woken = Arc::new(Woken(waker?));
        let told: Arc<dyn Cancels> = Arc::clone(&woken) as _;
        cancel?.tell(Arc::downgrade(&told));
        Some(woken)
    }
}

impl Cancels for Woken {
    fn cancel(&self) {
        self.0.wake_by_ref();
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
    /// Somebody has not greeted it; rank 0 has the main function.
    Greeting(Option<ErasedCall>),
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
    _woken: Option<Arc<Woken>>,
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
        main: Option<ErasedCall>,
        injector: Option<Arc<InjectorQueue>>,
    ) -> Self {
        let waker = built.units.mailbox().as_ref().and_then(|mailbox| mailbox.waker());
        let most_wait = match (&waker, &built.beside) {
            (Some(_), _) => WOKEN,
            (None, None) => UNWOKEN,
            (None, Some(_)) => UNWOKEN_BY_EU,
        };
        let woken = Woken::tell(settings.cancel.as_ref(), waker);
        Part {
            rank,
            ranks,
            built,
            cancel: settings.cancel.clone(),
            injector,
            spin: settings.policy().spin as usize,
            most_wait,
            _woken: woken,
            stage: Stage::Greeting(main),
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
                std::hint::spin_loop();
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
        self.built.units.guarded(|units| {
            for (node, call) in calls {
                units.su().invoke(node, call);
            }
            Ok(())
        })?;
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

    /// The main function, if the run ended before it was started.
    pub(super) fn take_main(&mut self) -> Option<ErasedCall> {
        match &mut self.stage {
            Stage::Greeting(main) => main.take(),
            _ => None,
        }
    }

    fn mailbox(&mut self) -> &mut Mailbox<Token> {
        match self.built.units.mailbox() {
            Some(mailbox) => mailbox,
            None => unreachable!("a node has its mailbox during a run"),
        }
    }

    /// Steps the node, if the run has begun and is not over.
    fn step(&mut self) -> Result<Step, Box<Error>> {
        if let Some(beside) = &mut self.built.beside {
            beside.busy();
        }
        if let Stage::Greeting(main) = &mut self.stage {
            let main = main.take();
            if !self.mailbox().is_complete() {
                self.stage = Stage::Greeting(main);
                return Ok(Step::Idle);
            }
            if let Some(main) = main {
                let started = self.built.units.start(self.rank, main);
                debug_assert!(started.is_ok(), "this rank has one node");
            }
            self.stage = Stage::Running;
        }
        if !matches!(self.stage, Stage::Running) {
            return Ok(Step::Idle);
        }
        let Built { units, ends, held, verdict, .. } = &mut *self.built;
        held.flush(|event| ends.inbox.send(event));
        let stepped = units.guarded(|units| units.pass(TURN, verdict));
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

    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    fn undecodable(&self, from: usize) -> Box<Error> {
        Box::new(Error::Undecodable { node: self.rank, from })
    }

    /// A rank takes no more part in this run: an error, unless it has done all that it had to do.
    fn gone(&mut self, rank: usize) -> Result<(), Box<Error>> {
        let is_done = match &self.stage {
            Stage::Over(_) => true,
            Stage::Told => rank != 0,
            Stage::Gathering(told, _) => told[rank].is_some(),
            Stage::Greeting(_) | Stage::Running => false,
        };
        // Where others than rank 0 have left, it is rank 0 that finds out that a run cannot begin.
        if self.rank > 0 && matches!(self.stage, Stage::Greeting(_)) && self.mailbox().has_left(rank) {
            if rank == 0 {
                self.stage = Stage::Over(Ended::NoMore);
            }
            return Ok(());
        }
        if is_done { Ok(()) } else { Err(Box::new(self.mailbox().gone(rank))) }
    }

    /// Takes a message of this run. Returns whether it was one that the rank may be sent.
    fn take(&mut self, from: usize, message: Message) -> Result<bool, Box<Error>> {
        let from_0 = from == 0;
        let is_right = match message {
            Message::Event(bytes) => {
                self.mailbox().received += 1;
                let Built { ends, held, .. } = &mut *self.built;
                let counted = bytes.len() as u64;
                let _ = held
                    .send(Event::Bytes { from: from as u32, bytes, counted }, |event| ends.inbox.send(event));
                matches!(self.stage, Stage::Greeting(_) | Stage::Running)
            }
            Message::Given(bytes) => {
                let token = self.built.units.guarded(|units| {
                    let su = units.su();
                    Ok(match bytes::unpack(&bytes, su.number(), &su.frames, &su.decoding) {
                        Ok(Event::Token { token, .. }) => Some(token),
                        _ => None,
                    })
                })?;
                let Some(token) = token else { return Ok(false) };
                self.mailbox().received += 1;
                self.mailbox().given.push_back(token);
                self.asking.was_given(from)
            }
            Message::Control(Control::Ask) => {
                let may = self.asking.asks(from);
                if !self.give_token() {
                    self.mailbox().control(from, Control::NoToken);
                }
                may
            }
            Message::Control(Control::NoToken) => self.asking.refused(from),
            Message::Control(Control::Wave(wave)) => from_0 && self.wave.replace(wave).is_none(),
            Message::Control(Control::Passive { wave, sent, received }) => {
                self.waves.answer(from, wave, Counts { sent, received })
            }
            Message::Control(Control::Settle) if from_0 && matches!(self.stage, Stage::Running) => {
                let (stuck, counters) = self.left();
                self.mailbox()
                    .control(0, Control::Settled { counters: Box::new(counters), stuck: Box::new(stuck) });
                self.stage = Stage::Told;
                true
            }
            Message::Control(Control::Settled { counters, stuck }) => self.told(from, *counters, *stuck)?,
            Message::Control(Control::End(by_node)) => {
                let is_right = from_0 && by_node.len() == self.ranks && matches!(self.stage, Stage::Told);
                self.stage = Stage::Over(Ended::Well { by_node });
                is_right
            }
            Message::Control(Control::Failed(error)) => return Err(error),
            Message::Control(Control::Settle | Control::Hello { .. } | Control::Bye) => false,
        };
        Ok(is_right)
    }

    /// What waits on this node, and what it counted.
    fn left(&mut self) -> (Stuck, Counters) {
        if let Some(beside) = &mut self.built.beside {
            // It has nothing to run, and will be given nothing.
            self.built.verdict.settle();
            beside.stop();
        }
        let (stuck, mut counters) = self.built.left(self.rank, self.ranks);
        let elapsed = self.began.elapsed();
        let idle = self.idle + self.idle_since.take().map_or(Duration::ZERO, |since| since.elapsed());
        let own = (elapsed.saturating_sub(idle), idle);
        if let Some(beside) = &self.built.beside {
            (counters.su_busy, counters.su_idle) = own;
            counters.eu_idle = beside.idle();
            counters.eu_busy = elapsed.saturating_sub(beside.idle());
        } else {
            (counters.eu_busy, counters.eu_idle) = own;
        }
        (stuck, counters)
    }

    /// Gives tokens to those who wait for one, as long as there are both.
    fn give_tokens(&mut self) {
        while self.asking.has_askers() && self.give_token() {}
    }

    /// Gives a token to a rank that waits for one, if this node shares any. One that none of them may run goes to the first
    /// node that may. Returns whether a rank was given a token.
    fn give_token(&mut self) -> bool {
        if !matches!(self.stage, Stage::Running) {
            return false;
        }
        let Some(token) = self.built.ends.shared.steal() else { return false };
        // The unit may have something to put in the place of the token.
        self.built.ends.asker.ask();
        let within = token.within;
        let thief = self.asking.longest_waiting(|rank| within.has(rank as u32));
        let node = thief.map_or(within.first, |thief| thief as u32);
        let event = Event::Token { node, token };
        if node == self.rank as u32 {
            let Built { ends, held, .. } = &mut *self.built;
            let _ = held.send(event, |event| ends.inbox.send(event));
            return false;
        }
        let shared = &self.built.units.su().decoding.shared;
        let Event::Bytes { bytes, .. } = bytes::pack(event, self.rank as u32, shared) else {
            unreachable!("a token for another node is packed")
        };
        let message = if thief.is_some() { given(bytes) } else { bytes };
        let _ = self.mailbox().work(node as usize, message);
        thief.is_some()
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

    /// Does what a passive rank does that has looked in vain so often: asks for a token, answers a wave, begins one.
    fn rest(&mut self, in_vain: usize) -> Result<(), Box<Error>> {
        let draw = &mut self.draw;
        if let Some(victim) = self.asking.next(|| draw.next()) {
            self.mailbox().control(victim, Control::Ask);
        }
        let mailbox = self.mailbox();
        let counts = Counts { sent: mailbox.sent, received: mailbox.received };
        if self.rank != 0 {
            if let Some(wave) = self.wave.take() {
                let Counts { sent, received } = counts;
                self.mailbox().control(0, Control::Passive { wave, sent, received });
            }
            return Ok(());
        }
        // Before it waits for others to wake it, it has begun a wave.
        if in_vain < self.patience.min(self.spin) && self.ranks > 1 {
            return Ok(());
        }
        loop {
            match self.waves.next(counts) {
                Next::Wait => return Ok(()),
                Next::Ask(wave) if self.ranks > 1 => {
                    self.patience = (2 * self.patience).min(MOST_PATIENCE);
                    self.mailbox().tell_all(|| Control::Wave(wave));
                }
                Next::Ask(_) => {}
                Next::Quiet => break,
            }
        }
        self.mailbox().tell_all(|| Control::Settle);
        self.stage = Stage::Gathering(vec![None; self.ranks], Box::default());
        let (stuck, counters) = self.left();
        self.told(0, counters, stuck).map(drop)
    }

    /// Notes what a rank counted, and ends the run when all have told that. Returns whether it was asked.
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
        self.mailbox().tell_all(|| Control::End(by_node.clone()));
        self.stage = Stage::Over(Ended::Well { by_node });
        Ok(true)
    }
}
