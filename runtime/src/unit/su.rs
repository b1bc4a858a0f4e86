//! The synchronization unit: applies operations to the slots, inlets and cells of its
//! node and enables fibers.
//!
//! Every operation comes in two ways: as a method, which SPN calls in line with the types known, and as an
//! [`Event`], which is what DUAL's execution unit and other nodes send. Both end in the same frame store. An
//! operation whose address lies on another node is passed on; an execution unit never sends to another node
//! by itself, so all its effects keep their program order.

use std::collections::VecDeque;
use std::sync::Arc;

use earth_signal::EventReceiver;

use super::balance::{Token, TokenQueue, Within};
use super::bytes::{self, ReadValue, Unread};
use super::event::{Event, Work};
use super::function::{Call, Functions};
use super::ready::ReadyQueue;
use super::recorder::SuRecorder;
use super::transport::Transport;
use crate::counters::Counters;
use crate::error::Error;
use crate::frame::{FrameStore, Misuse, Reading, Ready};
use crate::vocabulary::address::{FrameId, FrameRef, SlotRef};
use crate::vocabulary::layout::{Layout, Sizes};
use crate::vocabulary::value::Value;
use crate::vocabulary::wire::Wire;

/// What an operation gives: nothing, or the error that ends the run.
pub(crate) type Outcome = Result<(), Box<Error>>;

/// What a synchronization unit is built with.
pub(crate) struct SuSetup {
    pub(crate) node: u32,
    pub(crate) parking_limit: usize,
    /// Whether fibers and their values are handed to another thread (DUAL).
    pub(crate) hands_over: bool,
    /// Whether events for other nodes are packed.
    pub(crate) through_bytes: bool,
    pub(crate) tokens: TokenQueue,
    pub(crate) inbox: EventReceiver<Event>,
    pub(crate) transport: Box<dyn Transport>,
}

/// A synchronization unit.
pub(crate) struct Su {
    pub(super) node: u32,
    pub(crate) frames: FrameStore,
    pub(crate) ready: ReadyQueue,
    /// Functions invoked here; while there are any, no private token is taken.
    invoked: VecDeque<Call>,
    pub(crate) tokens: TokenQueue,
    pub(crate) inbox: EventReceiver<Event>,
    pub(crate) transport: Box<dyn Transport>,
    /// What goes to the execution unit (DUAL).
    pub(crate) work: VecDeque<Work>,
    /// Whether the transport keeps something for lack of room.
    spilled: bool,
    emptied: Vec<(FrameRef, u32)>,
    answers: Vec<(SlotRef, u32, Value)>,
    hands_over: bool,
    through_bytes: bool,
    functions: Arc<Functions>,
    result: Option<Value>,
    read_result: ReadValue,
    pub(crate) counters: Counters,
    /// Messages to and from other units, tokens at the shared end included: what tells when all is quiet.
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// Virtual time, on a machine that charges for operations; 0 on others.
    pub(crate) now: u64,
    /// What is written down of each signal, on a machine that traces.
    pub(crate) recorder: SuRecorder,
}

fn no_result(_: &mut crate::vocabulary::wire::Unpacker<'_>) -> Result<Value, crate::Undecodable> {
    Err(crate::Undecodable)
}

impl Su {
    pub(crate) fn new(setup: SuSetup) -> Self {
        Su {
            node: setup.node,
            frames: FrameStore::new(setup.parking_limit),
            ready: ReadyQueue::default(),
            invoked: VecDeque::new(),
            tokens: setup.tokens,
            inbox: setup.inbox,
            transport: setup.transport,
            work: VecDeque::new(),
            spilled: false,
            emptied: Vec::new(),
            answers: Vec::new(),
            hands_over: setup.hands_over,
            through_bytes: setup.through_bytes,
            functions: Arc::default(),
            result: None,
            read_result: no_result,
            counters: Counters::default(),
            sent: 0,
            received: 0,
            now: 0,
            recorder: SuRecorder::off(),
        }
    }

    /// Prepares for a run: which functions it may start, and how its value is read.
    pub(crate) fn begin(&mut self, functions: Arc<Functions>, read_result: ReadValue) {
        self.functions = functions;
        self.read_result = read_result;
        self.frames.begin();
        self.tokens.high = 0;
        self.result = None;
        self.counters = Counters::default();
        self.sent = 0;
        self.received = 0;
        self.now = 0;
        self.recorder.begin(self.node);
    }

    /// The value of the run, if this node was given it.
    pub(crate) fn take_result(&mut self) -> Option<Value> {
        self.result.take()
    }

    /// The counters of this unit since the run began.
    pub(crate) fn counters(&self) -> Counters {
        Counters {
            frames: self.frames.made,
            frames_ended: self.frames.ended,
            frames_high: self.frames.live_high,
            tokens_high: self.tokens.high as u64,
            parked: self.frames.parked_total,
            parked_high: self.frames.parked_high as u64,
            deferred_reads: self.frames.deferred_total,
            ..self.counters
        }
    }

    #[inline(always)]
    fn enable(&mut self, ready: Ready) {
        if self.hands_over {
            self.hand_over(ready);
        } else {
            self.ready.push(ready);
        }
    }

    fn hand_over(&mut self, ready: Ready) {
        let work = &mut self.work;
        let give = |inlet, value| work.push_back(Work::Value { inlet, value });
        self.frames.hand_over(&ready, give, &mut self.emptied, self.node);
        self.work.push_back(Work::Fiber(ready));
    }

    fn finish(&mut self, outcome: Result<Option<Ready>, Misuse>, to: SlotRef, inlet: Option<u32>) -> Outcome {
        match outcome {
            Ok(None) => Ok(()),
            Ok(Some(ready)) if self.hands_over => {
                self.hand_over(ready);
                self.let_parked_in()
            }
            Ok(Some(ready)) => {
                self.ready.push(ready);
                Ok(())
            }
            Err(misuse) => Err(self.blame(misuse, to, inlet)),
        }
    }

    /// Lets parked values into inlets that a hand-over emptied; that may enable further fibers, and so on.
    fn let_parked_in(&mut self) -> Outcome {
        while let Some((at, inlet)) = self.emptied.pop() {
            let sender = self.send_as_parked(at, inlet);
            let outcome = self.frames.unpark(at, inlet, &mut self.recorder);
            self.send_as(sender);
            match outcome {
                Ok(Some(ready)) => self.enable(ready),
                Ok(None) => {}
                Err((misuse, slot)) => {
                    return Err(self.blame(misuse, SlotRef::new(at, slot), Some(inlet)));
                }
            }
        }
        Ok(())
    }

    /// Lets a parked value into an inlet of a live frame that a fiber has emptied (SPN).
    #[cold]
    pub(crate) fn let_in(&mut self, at: FrameRef, inlet: u32) -> Outcome {
        self.emptied.push((at, inlet));
        self.let_parked_in()
    }

    /// The common case of [`signal`](Su::signal), in line (SPN): whether it was that, else nothing has changed.
    /// Whether the machine traces is known where it is compiled. If so, a signal is common only where there is
    /// room for its line.
    #[inline(always)]
    pub(crate) fn signal_plain<const TRACED: bool>(&mut self, to: SlotRef) -> bool {
        if to.node().0 != self.node {
            return false;
        }
        let outcome = if TRACED {
            let Some(line) = self.recorder.signals.vacant() else { return false };
            self.frames.signal(to, line)
        } else {
            self.frames.signal(to, ())
        };
        let Ok(enabled) = outcome else { return false };
        self.counted::<TRACED>(enabled);
        true
    }

    /// `SYNC`, `RSYNC`.
    pub(crate) fn signal(&mut self, to: SlotRef) -> Outcome {
        if to.node().0 != self.node {
            self.forward(Event::Signal { to });
            return Ok(());
        }
        self.counters.signals += 1;
        let outcome = self.frames.signal(to, &mut self.recorder);
        self.finish(outcome, to, None)
    }

    /// The common case of [`put`](Su::put), likewise; any other gives the value back.
    #[inline(always)]
    pub(crate) fn put_plain<T: Wire, const TRACED: bool>(
        &mut self,
        to: SlotRef,
        inlet: u32,
        value: T,
    ) -> Result<(), T> {
        if to.node().0 != self.node {
            return Err(value);
        }
        let enabled = if TRACED {
            let Some(line) = self.recorder.signals.vacant() else { return Err(value) };
            self.frames.put_plain(to, inlet, value, line)?
        } else {
            self.frames.put_plain(to, inlet, value, ())?
        };
        self.counted::<TRACED>(enabled);
        Ok(())
    }

    /// One signal more; a fiber it enabled is ready.
    #[inline(always)]
    fn counted<const TRACED: bool>(&mut self, enabled: Option<Ready>) {
        self.counters.signals += 1;
        match enabled {
            Some(ready) if TRACED => self.ready.push_apart(ready),
            Some(ready) => self.ready.push(ready),
            None => {}
        }
    }

    /// `DATA_SYNC`, `DATA_RSYNC`, `BLKMOV_SYNC`.
    pub(crate) fn put(&mut self, to: SlotRef, inlet: u32, value: Value) -> Outcome {
        if to.node().0 != self.node {
            self.forward(Event::Put { to, inlet, value });
            return Ok(());
        }
        self.counters.signals += 1;
        if to.id() == FrameId::ROOT {
            return self.give_result(value);
        }
        let outcome = self.frames.put(to, inlet, value, &mut self.recorder);
        self.finish(outcome, to, Some(inlet))
    }

    #[cold]
    fn give_result(&mut self, value: Value) -> Outcome {
        match self.result.replace(value) {
            None => Ok(()),
            Some(_) => Err(Box::new(Error::SecondValue)),
        }
    }

    /// `GET_SYNC`: reads a cell here, or asks its owner.
    pub(crate) fn get(&mut self, from: FrameRef, cell: u32, to: SlotRef, inlet: u32) -> Outcome {
        if from.node != self.node {
            self.forward(Event::Get { from, cell, to, inlet });
            return Ok(());
        }
        match self.frames.read(from, cell, to, inlet) {
            Ok(Reading::Now(value)) => self.put(to, inlet, value),
            Ok(Reading::Deferred) => Ok(()),
            Err(misuse) => Err(self.blame_cell(misuse, from, cell, "a question")),
        }
    }

    /// Writes a write-once cell, and answers those who asked before.
    pub(crate) fn write(&mut self, at: FrameRef, cell: u32, value: Value) -> Outcome {
        if at.node != self.node {
            self.forward(Event::Write { at, cell, value });
            return Ok(());
        }
        let mut answers = std::mem::take(&mut self.answers);
        if let Err(misuse) =
            self.frames.write(at, cell, value, |to, inlet, value| answers.push((to, inlet, value)))
        {
            return Err(self.blame_cell(misuse, at, cell, "a value"));
        }
        let outcome = answers.drain(..).try_for_each(|(to, inlet, value)| self.put(to, inlet, value));
        self.answers = answers;
        outcome
    }

    /// `INVOKE`.
    pub(crate) fn invoke(&mut self, node: u32, call: Call) {
        if node != self.node {
            self.forward(Event::Invoke { node, call });
        } else if self.hands_over {
            self.work.push_back(Work::Start(call));
        } else {
            self.invoke_here(call);
        }
    }

    /// `TOKEN`. One that may not run here goes to the first node of its range.
    pub(crate) fn token(&mut self, token: Token) {
        if token.within.has(self.node) {
            self.tokens.push(token);
        } else {
            self.forward(Event::Token { node: token.within.first, token });
        }
    }

    /// `INCR_SYNC`.
    pub(crate) fn raise(&mut self, slot: SlotRef, by: u32) -> Outcome {
        self.frames.raise(slot, by).map_err(|misuse| self.blame(misuse, slot, None))
    }

    /// SPAWN.
    #[inline(always)]
    pub(crate) fn spawn(&mut self, ready: Ready) {
        self.enable(ready);
    }

    /// A frame starts on this node.
    #[inline(always)]
    pub(crate) fn open(
        &mut self,
        frame: u32,
        generation: u32,
        layout: &'static Layout,
        sizes: Option<Arc<Sizes>>,
    ) {
        self.frames.open(frame, generation, layout, sizes);
    }

    /// `END_FUNCTION`.
    #[inline(always)]
    pub(crate) fn close(&mut self, frame: u32) -> Outcome {
        match self.frames.close(frame) {
            Ok(()) => Ok(()),
            Err(misuse) => Err(self.blame(
                misuse,
                SlotRef::new(FrameRef { node: self.node, id: FrameId::new(frame, 0) }, 0),
                None,
            )),
        }
    }

    /// Applies what came from this node's execution unit or from another node.
    pub(crate) fn apply(&mut self, event: Event) -> Outcome {
        match event {
            Event::Signal { to } => self.signal(to),
            Event::Put { to, inlet, value } => self.put(to, inlet, value),
            Event::Get { from, cell, to, inlet } => self.get(from, cell, to, inlet),
            Event::Write { at, cell, value } => self.write(at, cell, value),
            Event::Invoke { node, call } => {
                self.invoke(node, call);
                Ok(())
            }
            Event::Token { token, .. } => {
                self.token(token);
                Ok(())
            }
            Event::Signed { sender, event } => self.apply_signed(sender, *event),
            Event::Bytes { bytes, .. } => {
                match bytes::unpack(&bytes, &self.functions, &mut self.frames, self.read_result) {
                    Ok(event) => self.apply(event),
                    Err(Unread::Undecodable) => {
                        Err(Box::new(Error::Undecodable { node: self.node as usize }))
                    }
                    Err(Unread::NoPlace(at, misuse)) => Err(self.blame(misuse, SlotRef::new(at, 0), Some(0))),
                }
            }
            Event::Open { frame, generation, layout, sizes } => {
                self.open(frame, generation, layout, sizes);
                Ok(())
            }
            Event::Close { frame } => self.close(frame),
            Event::Raise { slot, by } => self.raise(slot, by),
            Event::Spawn { ready } => {
                self.spawn(ready);
                Ok(())
            }
        }
    }

    /// Sends an event to the node it is for.
    #[cold]
    fn forward(&mut self, event: Event) {
        let node = event.node(self.node);
        let event = self.signed(event);
        let event = if self.through_bytes { bytes::pack(event, self.node, &self.functions) } else { event };
        self.sent += 1;
        self.counters.events_sent += 1;
        self.spilled |= !self.transport.send(node, event, &mut self.now);
        self.bar_tokens();
    }

    /// Shares old tokens, all but `keep`, with idle nodes, as far as they made room.
    #[inline(always)]
    pub(crate) fn share_tokens(&mut self, keep: usize) {
        let shared = self.tokens.refill(keep);
        if shared > 0 {
            self.sent += shared;
            self.transport.shares();
        }
    }

    /// The newest private token of this node. None while something is kept for lack of room.
    #[inline(always)]
    pub(crate) fn own_token(&mut self) -> Option<Token> {
        self.tokens.pop()
    }

    /// A token of this node's shared end, or one that another node shares, on the same condition.
    pub(crate) fn shared_token(&mut self) -> Option<Token> {
        if self.spilled { None } else { self.fetch_token() }
    }

    /// A function to start on this node, which hands nothing over (SPN).
    pub(crate) fn invoke_here(&mut self, call: Call) {
        self.invoked.push_back(call);
        self.bar_tokens();
    }

    /// The function invoked here first.
    pub(crate) fn invoked_call(&mut self) -> Option<Call> {
        let call = self.invoked.pop_front();
        self.bar_tokens();
        call
    }

    /// Puts a call where [`TokenQueue::top`] finds it, to be started at once.
    pub(crate) fn put_on_top(&mut self, call: Call) {
        self.tokens.put_on_top(Token { call, within: Within::ONE });
    }

    /// Private tokens wait while something is kept for lack of room, and behind functions invoked here.
    fn bar_tokens(&mut self) {
        self.tokens.bar(self.spilled || !self.invoked.is_empty());
    }

    /// Whether something is kept for lack of room.
    #[inline(always)]
    pub(crate) fn is_spilled(&self) -> bool {
        self.spilled
    }

    /// Tries again to send what is kept. Whether any of it went.
    #[cold]
    pub(crate) fn flush(&mut self) -> bool {
        let before = self.transport.kept();
        let kept = self.transport.flush();
        self.spilled = kept > 0;
        self.bar_tokens();
        kept < before
    }

    fn fetch_token(&mut self) -> Option<Token> {
        if let Some(token) = self.tokens.take_back() {
            self.received += 1;
            return Some(token);
        }
        let token = self.transport.steal()?;
        self.received += 1;
        if token.within.has(self.node) {
            self.counters.tokens_stolen += 1;
            return Some(token);
        }
        // Only the nodes of its range may run it: one of them gets it.
        let node = token.within.first;
        self.forward(Event::Token { node, token });
        None
    }

    /// Applies up to `most` events that arrived. How many there were.
    pub(crate) fn hear(&mut self, most: usize) -> Result<usize, Box<Error>> {
        let mut heard = 0;
        while heard < most
            && let Some(event) = self.inbox.receive()
        {
            heard += 1;
            self.attend(event)?;
        }
        Ok(heard)
    }

    /// Applies an event that arrived.
    #[inline]
    pub(crate) fn attend(&mut self, event: Event) -> Outcome {
        self.received += 1;
        self.apply(event)
    }

    /// Whether a function invoked here waits (SPN).
    pub(crate) fn has_invoked(&self) -> bool {
        !self.invoked.is_empty()
    }

    /// Whether anything waits here that this node can run.
    pub(crate) fn has_work(&self) -> bool {
        !self.ready.is_empty() || !self.invoked.is_empty() || !self.work.is_empty() || !self.tokens.is_empty()
    }
}
