//! Events that arrive at a synchronization unit, which it applies, and events that it passes on to other
//! nodes.
//!
//! The transport holds back an event that finds no room, and all later events for that node behind it. The
//! unit continues, but takes no token until all of them are sent. Units that waited for room instead could
//! wait for each other in a cycle (rule 11 of ARCHITECTURE.md).

use earth_memory::Landed;
use earth_memory::frames::Refusal;
use earth_signal::Sent;

use super::{Packing, Su, SuResult};
use crate::node::bytes::{self, DecodeFailure};
use crate::node::event::Note;
use crate::node::function::{Event, Token};
use crate::node::signature::open;
use crate::probe::order::Taken;
use crate::ranks::{Arrival, GIVEN};
use crate::vocabulary::error::Error;

impl Su {
    /// Applies up to `most` arrived events, and calls `first` before each. Returns how many there were.
    #[inline(always)]
    pub(crate) fn apply_events(
        &mut self,
        most: usize,
        mut first: impl FnMut(&mut Su) -> SuResult,
    ) -> Result<usize, Box<Error>> {
        let mut events_heard = 0;
        while events_heard < most {
            if let Some(Note { to, origin }) = self.inbox.receive_note() {
                self.received += 1;
                first(self)?;
                match self.try_signal(to) {
                    Some(outcome) => outcome?,
                    None => self.signal(to, origin)?,
                }
            } else if let Some(event) = self.inbox.receive() {
                first(self)?;
                self.attend_arrived(event)?;
            } else {
                break;
            }
            events_heard += 1;
        }
        self.events_heard += events_heard as u64;
        Ok(events_heard)
    }

    /// Applies up to `most` arrived events (SPN). If there were any, the unit polls its inbox between fibers
    /// from then on. Returns whether there were any.
    pub(in crate::node) fn apply_events_and_poll(&mut self, most: u32) -> Result<bool, Box<Error>> {
        let events_heard = self.apply_events(most as usize, |_| Ok(()))? > 0;
        if events_heard {
            self.attention.poll();
        }
        Ok(events_heard)
    }

    /// Applies an event of the inbox. If all nodes are in this process and pass events through bytes, only
    /// threads outside of the run send calls that are not packed. If there are other processes, their events
    /// go through this node.
    #[inline]
    fn attend_arrived(&mut self, event: Event) -> SuResult {
        if self.order.is_some() {
            self.note_sender(&event);
        }
        match self.packing {
            Packing::Bytes
                if matches!(event, Event::Invoke { .. } | Event::Token { .. })
                    && self.decoding.answers.is_some() =>
            {
                self.received += 1;
                self.start(event)
            }
            Packing::Messages { bulk_from, own } if !own.has(event.node(self.node)) => {
                self.received += 1;
                let sent = self.send_message(event, bulk_from);
                self.note_sent(sent);
                Ok(())
            }
            _ => self.attend(event),
        }
    }

    /// Applies an arrived event.
    #[inline]
    pub(crate) fn attend(&mut self, event: Event) -> SuResult {
        self.received += 1;
        let outcome = self.apply(event);
        self.blame(outcome)
    }

    /// Applies a call that comes from outside of the run, as if node 0 had sent it.
    pub(crate) fn start(&mut self, call: Event) -> SuResult {
        let packs = self.packing == Packing::Bytes && self.node > 0;
        let call = if packs { bytes::pack(call, 0, &self.decoding.shared) } else { call };
        self.apply(call)
    }

    /// Applies an event of this node's execution unit or of another node.
    pub(crate) fn apply(&mut self, event: Event) -> SuResult {
        match event {
            Event::Signal { to, origin } => self.signal(to, origin),
            Event::Put { to, value, origin } => self.put(to, value, origin),
            Event::Get { from, to, origin } => self.get(from, to, origin),
            Event::Write { at, value, origin } => self.write(at, value, origin),
            Event::Invoke { node, call } => {
                self.invoke(node, call);
                Ok(())
            }
            Event::Ring { to, origin } => self.ring(to, origin),
            Event::After { slot, nanos, call } => {
                self.after(slot, nanos, call);
                Ok(())
            }
            Event::Token { token, .. } => {
                self.token(token);
                Ok(())
            }
            Event::Signed { sender, event } => self.apply_signed(sender, *event),
            Event::From { event, .. } => self.apply(*event),
            Event::Isolated { mark, event } => self.apply_for(mark, |su| su.apply(*event)),
            Event::Domain { node, note } if node == self.node => self.note_domain(note),
            event @ Event::Domain { .. } => {
                self.forward(event);
                Ok(())
            }
            Event::Bytes { from, bytes, .. } => match bytes::mark(&bytes) {
                (None, bytes) => self.apply_bytes(bytes, &mut [], from),
                (Some(mark), bytes) => self.apply_for(mark, |su| su.apply_bytes(bytes, &mut [], from)),
            },
            Event::Message { from, mut message } => self.apply_message(from, &mut message),
            Event::Open { id, frame, numbers } => {
                self.frames.adopt(id, frame, &numbers);
                Ok(())
            }
            Event::Close { id } => self.close(id),
            Event::Raise { slot, by, origin } => self.raise(slot, by, origin),
            Event::Spawn { ready } => {
                self.spawn(ready);
                Ok(())
            }
        }
    }

    /// Applies a message of the process whose first node is `from`.
    pub(crate) fn attend_message(&mut self, from: u32, message: &mut Arrival) -> SuResult {
        self.note_order(Taken::Message { from });
        self.received += 1;
        self.events_heard += 1;
        let outcome = self.apply_message(from, message);
        self.blame(outcome)
    }

    fn apply_message(&mut self, from: u32, Arrival { head, bulk }: &mut Arrival) -> SuResult {
        if let Some((&GIVEN, token)) = head.split_first() {
            let token = self.read_token(token, bulk, from)?;
            self.keep_given(token);
            return Ok(());
        }
        match bytes::mark(head) {
            (None, bytes) => self.apply_bytes(bytes, bulk, from),
            (Some(mark), bytes) => self.apply_for(mark, |su| su.apply_bytes(bytes, bulk, from)),
        }
    }

    /// Applies an event that node `from` has packed, without its mark.
    fn apply_bytes(&mut self, bytes: &[u8], landed: &mut [Landed], from: u32) -> SuResult {
        match bytes::unpack(bytes, landed, self.node, &self.frames, &self.decoding) {
            Err(
                DecodeFailure::NoInlet(at, _, Refusal::Stale) | DecodeFailure::NoCell(at, _, Refusal::Stale),
            ) if self.frames.was_discarded(at.id()) => Ok(()),
            read => {
                let event = self.understood(read, bytes, from)?;
                self.apply(event)
            }
        }
    }

    /// Decodes an event that node `from` has packed, with the blocks that arrived beside it.
    fn read(&self, bytes: &[u8], landed: &mut [Landed], from: u32) -> Result<Event, Box<Error>> {
        self.understood(bytes::unpack(bytes, landed, self.node, &self.frames, &self.decoding), bytes, from)
    }

    /// Returns an event that was read, or the error. The event comes from node `from`, or from another node
    /// of the process whose first node that is.
    fn understood(
        &self,
        read: Result<Event, DecodeFailure>,
        bytes: &[u8],
        from: u32,
    ) -> Result<Event, Box<Error>> {
        Ok(read.map_err(|why| match why {
            DecodeFailure::Undecodable => {
                let sender =
                    bytes::sender(bytes).filter(|sender| (from..self.decoding.nodes).contains(sender));
                self.undecodable(sender.unwrap_or(from))
            }
            DecodeFailure::StaysInProcess(type_name) => {
                Error::StaysInProcess { type_name, node: self.node as usize }
            }
            DecodeFailure::NoInlet(to, origin, refusal) => self.inlet_error(refusal, to, origin),
            DecodeFailure::NoCell(at, origin, refusal) => self.cell_error(refusal, at, "a value", origin),
        })?)
    }

    fn undecodable(&self, from: u32) -> Error {
        Error::Undecodable { node: self.node as usize, from: from as usize }
    }

    /// Decodes a token that node `from` has packed.
    pub(super) fn read_token(
        &self,
        bytes: &[u8],
        landed: &mut [Landed],
        from: u32,
    ) -> Result<Token, Box<Error>> {
        match open(self.read(bytes, landed, from)?) {
            Event::Token { token, .. } => Ok(token),
            _ => Err(self.undecodable(from))?,
        }
    }

    /// Sends a signal to the node of its slot.
    pub(super) fn forward_signal(&mut self, note: Note) {
        let node = note.to.node();
        if self.recorder.is_some() || !self.moves_to(node) || self.domain.is_some() || self.names_sender() {
            self.forward(note.into());
        } else {
            self.forwarded(|su| su.transport.signal(note, &mut su.now));
            if node != self.node {
                self.show();
            }
        }
    }

    /// Counts an event of this node's execution unit that the machine passes on to another node unchanged:
    /// the event is neither signed, marked nor packed, and no event is held back. Returns whether that is so;
    /// if not, the event is not counted.
    #[inline]
    pub(crate) fn passes_untouched(&mut self) -> bool {
        if self.recorder.is_some()
            || self.packing != Packing::Moved
            || self.holds_back
            || self.domain.is_some()
        {
            return false;
        }
        self.received += 1;
        self.sent += 1;
        self.counters.events_sent += 1;
        true
    }

    /// Counts an event that `send` sends.
    #[inline]
    fn forwarded(&mut self, send: impl FnOnce(&mut Self) -> Sent) {
        let sent = send(self);
        self.count_sent(sent);
    }

    /// Whether an event travels unchanged to `node`.
    #[inline(always)]
    fn moves_to(&self, node: u32) -> bool {
        match self.packing {
            Packing::Moved => true,
            Packing::Bytes => false,
            Packing::Messages { own, .. } => own.has(node),
        }
    }

    /// Counts an event that was sent or is held back.
    #[inline(always)]
    pub(in crate::node) fn count_sent(&mut self, sent: Sent) {
        self.counters.events_sent += 1;
        self.note_sent(sent);
    }

    /// Notes that an event was sent or is held back.
    #[inline(always)]
    fn note_sent(&mut self, sent: Sent) {
        self.sent += 1;
        if sent == Sent::HeldBack {
            self.holds_back = true;
            self.attention.ask();
            self.bar_tokens();
        }
    }

    #[cold]
    pub(in crate::node) fn forward(&mut self, event: Event) {
        let node = event.node(self.node);
        if self.recorder.is_some() || !self.moves_to(node) || self.domain.is_some() || self.names_sender() {
            self.forward_encoded(node, event);
        } else {
            self.forwarded(|su| su.transport.send(node, event, &mut su.now));
        }
    }

    /// Sends an event signed, marked or packed, or several of these.
    #[inline(never)]
    fn forward_encoded(&mut self, node: u32, event: Event) {
        let event = self.signed(event);
        let event = self.marked(event);
        match self.packing {
            Packing::Messages { bulk_from, own } if !own.has(node) => {
                self.forwarded(|su| su.send_message(event, bulk_from));
            }
            packing => {
                let packs = packing == Packing::Bytes;
                let event = match packs {
                    true => bytes::pack(event, self.node, &self.decoding.shared),
                    false if self.names_sender() => Event::From { from: self.node, event: Box::new(event) },
                    false => event,
                };
                self.forwarded(|su| su.transport.send(node, event, &mut su.now));
            }
        }
        if node != self.node {
            self.show();
        }
    }

    /// Sends an event to a node of another process.
    fn send_message(&mut self, event: Event, bulk_from: usize) -> Sent {
        let (node, mut event) = (event.node(self.node), Some(event));
        self.transport.send_packed(node, &mut |message| {
            let event = event.take().unwrap_or_default();
            bytes::pack_message(event, message, bulk_from, &self.decoding.shared);
        })
    }

    /// Tries again to send the events that are held back. Returns whether any was sent.
    #[cold]
    pub(crate) fn flush(&mut self) -> bool {
        if seeded!(OverflowKept) {
            return false;
        }
        let before = self.transport.held_back();
        let left = self.transport.flush();
        self.holds_back = left > 0 || seeded!(BarredForEver);
        self.bar_tokens();
        left < before
    }
}
