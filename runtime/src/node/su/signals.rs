//! Operations of a synchronization unit on the frames of its node: it counts signals, stores their values,
//! answers reads of cells, and enables fibers.
//!
//! An enabled fiber goes to the run queue, and its values stay in their inlets until it takes them (SPN). In
//! DUAL it is handed over with its values. Both empty the inlets, and then parked values enter them.

use earth_memory::frames::{Counted, Refusal};

use super::{Role, Su, SuResult};
use crate::node::domain::is_gate;
use crate::node::event::Note;
use crate::node::frame::{Parked, Ready};
use crate::node::function::{Call, EuWork, Event, FunctionLayout, Threaded};
use crate::probe::accesses::Access;
use crate::probe::recorder::UNLINKED;
use crate::vocabulary::address::{EntryRef, FrameId, FrameRef};
use crate::vocabulary::answers;
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::error::Error;
use crate::vocabulary::layout::{BETWEEN_FIBERS, Numbers};
use crate::vocabulary::name::{SCALAR, Slot};
use crate::vocabulary::origin::Origin;
use crate::vocabulary::value::{Carried, Value};
use crate::vocabulary::wire::Wire;

impl Su {
    /// Signals a slot in the common case (SPN): a live slot of this node that expects the signal, while no
    /// trace and no cost model is on. Otherwise it returns `None` and changes nothing.
    #[inline(always)]
    pub(crate) fn try_signal(&mut self, to: EntryRef) -> Option<SuResult> {
        if !self.is_inline_for(to.node()) {
            return None;
        }
        let counted = self.frames.memory.try_signal(to.id(), to.number())?;
        Some(self.counted_in_line(to.id(), counted))
    }

    /// Signals a slot of the entered frame, which is of `F`, as [`try_signal`](Su::try_signal) does.
    #[inline(always)]
    pub(crate) fn signal_own<F: Threaded>(&mut self, slot: Slot) -> Option<SuResult> {
        if !self.is_in_line() {
            return None;
        }
        let (id, counted) = match slot.index {
            SCALAR => self.frames.memory.signal_entered(Call::<F>::FRAME, slot.ordinal)?,
            index => self.frames.memory.signal_element(Call::<F>::FRAME, slot.ordinal, index)?,
        };
        Some(self.counted_in_line(id, counted))
    }

    /// Stores a value in the common case (SPN): in an inlet of this node whose position is known from the
    /// frame's layout, while no trace and no cost model is on. Otherwise it returns the value and changes
    /// nothing.
    #[inline(always)]
    pub(crate) fn try_put<T: Wire>(&mut self, to: EntryRef, value: T) -> Result<SuResult, T> {
        let Some(inlet) = to.number_on(self.inline_node) else { return Err(value) };
        let counted = self.frames.memory.try_put(to.id(), inlet, value, T::KIND)?;
        Ok(self.counted_in_line(to.id(), counted))
    }

    /// Stores a value in an empty inlet of this node whose slot expects the signal (SPN), on a machine that
    /// does not charge. Otherwise it returns the value and changes nothing.
    #[inline]
    pub(crate) fn put_typed<T: Wire>(&mut self, to: EntryRef, value: T) -> Result<SuResult, T> {
        if !self.is_inline_for(to.node()) && self.recorded_node != to.node() {
            return Err(value);
        }
        self.store(to.id(), to.number(), value)
    }

    /// Stores a value in an inlet of this node after looking up its position. Returns the value if the inlet
    /// cannot take it.
    #[inline]
    fn store<T: Wire>(&mut self, id: FrameId, inlet: u32, value: T) -> Result<SuResult, T> {
        match self.frames.memory.find(id, inlet, T::KIND.erased()) {
            Ok(place) => {
                let counted = place.store(value, T::KIND);
                Ok(self.counted(id, counted, Some(inlet)))
            }
            Err(_) => Err(value),
        }
    }

    /// Counts a signal and adds the fiber that it enabled, if any, to the run queue. No trace is written.
    #[inline(always)]
    fn counted_in_line(&mut self, id: FrameId, counted: Counted) -> SuResult {
        self.counters.signals += 1;
        match counted {
            Counted::Waits(_) => {}
            Counted::Enables(slot) => self.run_queue.push(Ready::enabled(id, slot, UNLINKED)),
            Counted::Lacks(slot) => Err(self.lacks(id, slot))?,
        }
        Ok(())
    }

    /// Counts a signal that a slot has received, and enables the fiber that it completed. If that emptied
    /// inlets, parked values enter them. `inlet` is the inlet of the signal's value, if it has one.
    #[inline(always)]
    fn counted(&mut self, id: FrameId, counted: Counted, inlet: Option<u32>) -> SuResult {
        if self.to_eu.is_none() || self.logs {
            return self.count_recorded(id, counted, inlet);
        }
        match counted {
            Counted::Waits(_) => {}
            Counted::Enables(slot) => self.hand_over(id, slot, UNLINKED),
            Counted::Lacks(_) => return self.count_recorded(id, counted, inlet),
        }
        self.counters.signals += 1;
        if self.emptied.is_empty() { Ok(()) } else { self.let_in() }
    }

    /// As [`counted`](Self::counted), for a unit that is watched or whose fiber lacks a value.
    #[inline(never)]
    fn count_recorded(&mut self, id: FrameId, counted: Counted, inlet: Option<u32>) -> SuResult {
        self.counters.signals += 1;
        self.note(id, counted, inlet)?;
        if self.emptied.is_empty() { Ok(()) } else { self.let_in() }
    }

    /// Records a signal that a slot has received, and enables the fiber that it completed.
    fn note(&mut self, id: FrameId, counted: Counted, inlet: Option<u32>) -> SuResult {
        self.log_signal(id, counted, inlet);
        let link = self.recorder.as_mut().map_or(UNLINKED, |recorder| recorder.counted(id, counted));
        match counted {
            Counted::Waits(_) => {}
            Counted::Enables(slot) => {
                let ready = Ready::enabled(id, slot, link);
                if seeded!(DoubleEnable) {
                    self.run_queue.push(ready);
                }
                self.enable(ready);
            }
            Counted::Lacks(slot) => Err(self.lacks(id, slot))?,
        }
        Ok(())
    }

    /// Signals a slot of this node for a fiber of the node in another thread (DUAL).
    #[inline(always)]
    pub(in crate::node) fn signal_here(&mut self, id: FrameId, slot: u32, by: Enabler) -> SuResult {
        if let Some(counted) = self.frames.memory.try_signal(id, slot) {
            return self.counted(id, counted, None);
        }
        let origin = self.last_asker(by);
        self.signal(EntryRef::new(FrameRef { node: self.node, id }, slot), origin)
    }

    /// Stores a value on this node for a fiber of the node in another thread (DUAL), and signals the inlet's
    /// slot.
    #[inline(always)]
    pub(in crate::node) fn put_here<T: Wire>(
        &mut self,
        id: FrameId,
        inlet: u32,
        value: T,
        by: Enabler,
    ) -> SuResult {
        match self.frames.memory.try_put(id, inlet, value, T::KIND) {
            Ok(counted) => self.counted(id, counted, Some(inlet)),
            Err(value) => self.put_any_here(id, inlet, value, by),
        }
    }

    /// As [`put_here`](Self::put_here), for an inlet of any kind.
    #[inline(never)]
    fn put_any_here<T: Wire>(&mut self, id: FrameId, inlet: u32, value: T, by: Enabler) -> SuResult {
        self.store(id, inlet, value).unwrap_or_else(|value| {
            let to = EntryRef::new(FrameRef { node: self.node, id }, inlet);
            let origin = self.last_asker(by);
            self.put(to, Value::new(value, T::KIND), origin)
        })
    }

    /// Signals a slot of any node (`SYNC`, `RSYNC`).
    pub(crate) fn signal(&mut self, to: EntryRef, origin: Origin) -> SuResult {
        if !self.owns(to.node()) {
            self.forward_signal(Note { to, origin });
            return Ok(());
        }
        match self.frames.memory.signal(to.id(), to.number()) {
            Ok(counted) => self.counted(to.id(), counted, None),
            Err(refusal) if self.excuses(refusal, to) => Ok(()),
            Err(refusal) => {
                self.log(to.id(), Access::Signal { slot: to.number() });
                Err(self.slot_error(refusal, to, origin))?
            }
        }
    }

    /// Signals a slot of this node for a timer. The fiber that it enables runs only if its frame lives then.
    pub(in crate::node) fn ring(&mut self, to: EntryRef, origin: Origin) -> SuResult {
        if !self.owns(to.node()) {
            self.forward(Event::Ring { to, origin });
            return Ok(());
        }
        let counted = match self.frames.memory.signal(to.id(), to.number()) {
            Ok(counted) => counted,
            Err(refusal) => Err(self.slot_error(refusal, to, origin))?,
        };
        let Counted::Enables(slot) = counted else { return self.counted(to.id(), counted, None) };
        self.counters.signals += 1;
        self.log_signal(to.id(), counted, None);
        let link = self.recorder.as_mut().map_or(UNLINKED, |recorder| recorder.counted(to.id(), counted));
        self.enable(Ready::timed(to.id(), slot, link));
        if self.emptied.is_empty() { Ok(()) } else { self.let_in() }
    }

    /// Stores a value in an inlet of any node and signals its slot (`DATA_SYNC`, `DATA_RSYNC`,
    /// `BLKMOV_SYNC`).
    pub(crate) fn put(&mut self, to: EntryRef, value: Value, origin: Origin) -> SuResult {
        let is_reserved = to.id().number() >= FrameId::FIRST_RESERVED;
        if is_reserved && self.gives_answer(to) {
            return self.give_answer(to, value, origin);
        }
        if !self.owns(to.node()) {
            self.forward(Event::Put { to, value, origin });
            return Ok(());
        }
        if is_reserved {
            self.counters.signals += 1;
            self.log(to.id(), Access::Value { slot: 0, inlet: 0 });
            return if is_gate(to.id()) {
                self.put_to_gate(to.id(), value, origin)
            } else {
                self.give_result(value)
            };
        }
        let parked = match self.frames.put(to.id(), to.number(), value) {
            Ok(Ok(counted)) => return self.counted(to.id(), counted, Some(to.number())),
            Ok(Err(value)) => {
                self.counters.signals += 1;
                if seeded!(ParkedSignalCounted) {
                    let slot = self.frames.memory.slot_of(to.id(), to.number()).unwrap_or_default();
                    self.signal(EntryRef::new(to.frame(), slot), origin)?;
                }
                let sender = self.sender();
                self.log_parked(to);
                self.frames.park(to.id(), to.number(), Parked { value, origin, sender })
            }
            Err(refusal) if self.excuses(refusal, to) => return Ok(()),
            Err(refusal) => Err(refusal),
        };
        Ok(parked.map_err(|refusal| {
            self.log_parked(to);
            self.inlet_error(refusal, to, origin)
        })?)
    }

    /// Whether this unit gives the answer with this address to a thread outside of the run.
    fn gives_answer(&self, to: EntryRef) -> bool {
        answers::place(to).is_some()
            && !self.passes_on()
            && self.decoding.answers.as_ref().map_or(self.owns(to.node()), |desk| desk.is_here(to, self.node))
    }

    /// Gives an answer to a thread outside of the run.
    fn give_answer(&mut self, to: EntryRef, value: Value, origin: Origin) -> SuResult {
        self.counters.signals += 1;
        let given = match (&self.decoding.answers, answers::place(to)) {
            (Some(desk), Some(place)) => desk.places.give(place, Ok(value)).is_ok(),
            _ => false,
        };
        if given { Ok(()) } else { Err(Box::new(self.inlet_error(Refusal::Stale, to, origin))) }
    }

    #[cold]
    fn give_result(&mut self, value: Value) -> SuResult {
        match self.result.replace(value) {
            None => Ok(()),
            Some(_) if seeded!(SecondValue) => Ok(()),
            Some(_) => Err(Box::new(Error::SecondValue)),
        }
    }

    /// Reads a cell of this node, or asks the owner of the cell (`GET_SYNC`). The answer counts as sent by
    /// the reading fiber.
    pub(crate) fn get(&mut self, from: EntryRef, to: EntryRef, origin: Origin) -> SuResult {
        if !self.owns(from.node()) {
            self.forward(Event::Get { from, to, origin });
            return Ok(());
        }
        self.log(from.id(), Access::Read { cell: from.number() });
        match self.frames.read(from, to, origin) {
            Ok(Some(value)) => self.put(to, value, origin),
            Ok(None) => Ok(()),
            Err(refusal) if self.excuses(refusal, from) => Ok(()),
            Err(refusal) => Err(self.cell_error(refusal, from, "a read request", origin))?,
        }
    }

    /// Writes a write-once cell, and answers its waiting readers.
    pub(crate) fn write(&mut self, at: EntryRef, value: Value, origin: Origin) -> SuResult {
        if !self.owns(at.node()) {
            self.forward(Event::Write { at, value, origin });
            return Ok(());
        }
        self.log(at.id(), Access::Write { cell: at.number() });
        let mut answers = std::mem::take(&mut self.answers);
        let answer = |to, value, asker| answers.push((to, value, asker));
        if let Err(refusal) = self.frames.write(at, value, answer)
            && !self.excuses(refusal, at)
        {
            Err(self.cell_error(refusal, at, "a value", origin))?;
        }
        let outcome = answers.drain(..).try_for_each(|(to, value, asker)| self.put(to, value, asker));
        self.answers = answers;
        outcome
    }

    /// Whether a refused operation is dropped without an error, because its frame was discarded.
    #[cold]
    fn excuses(&self, refusal: Refusal, at: EntryRef) -> bool {
        refusal == Refusal::Stale && self.frames.was_discarded(at.id()) && !seeded!(DroppedIsMisuse)
    }

    /// Raises the count of a slot of this node (`INCR_SYNC`).
    pub(crate) fn raise(&mut self, slot: EntryRef, by: u32, origin: Origin) -> SuResult {
        if self.passes_on() {
            self.forward(Event::Raise { slot, by, origin });
            return Ok(());
        }
        self.log(slot.id(), Access::Raise { slot: slot.number() });
        let raised = self.frames.memory.raise(slot.id(), slot.number(), by);
        Ok(raised.map_err(|refusal| self.slot_error(refusal, slot, origin))?)
    }

    /// Enables a fiber of this node directly (`SPAWN`).
    pub(crate) fn spawn(&mut self, ready: Ready) {
        if self.passes_on() {
            self.forward(Event::Spawn { ready });
        } else {
            self.enable(ready);
        }
    }

    /// Makes the frame of the running fiber. The unit that owns its slots makes the frame, too.
    pub(crate) fn open_own(&mut self, frame: &'static FunctionLayout, numbers: &[u32]) {
        let id = self.frames.make(frame, numbers);
        if !self.passes_on() {
            return;
        }
        if numbers.is_empty() && !frame.function().layout.has_extra() {
            self.pass_opened(id, frame);
        } else {
            self.forward(Event::Open { id, frame, numbers: Numbers::from(numbers) });
        }
    }

    /// Ends the frame of the running fiber (`END_FUNCTION`).
    #[inline(always)]
    pub(crate) fn end_own<F: Threaded>(&mut self) -> SuResult {
        let id = if self.passes_on() { self.frames.memory.entered() } else { None };
        let ended = self.frames.end(Call::<F>::FRAME);
        if let Some(id) = id {
            self.pass_closed(id);
        }
        match ended {
            Ok(()) => Ok(()),
            Err(why) => Err(self.end_error(F::LAYOUT, why))?,
        }
    }

    /// Ends a frame of this node whose fiber has ended in another thread.
    #[inline(always)]
    pub(in crate::node) fn close(&mut self, id: FrameId) -> SuResult {
        if self.frames.end_plain(id) { Ok(()) } else { self.close_other(id) }
    }

    /// As [`close`](Self::close), for a frame that may hold values or have more than slots and inlets.
    #[inline(never)]
    fn close_other(&mut self, id: FrameId) -> SuResult {
        let layout = self.frames.memory.live_function(id).map(|function| function.layout);
        let ended = self.frames.end_adopted(id);
        if ended.is_err() && self.domain.is_some() {
            self.frames.discard(id);
        }
        Ok(ended.map_err(|why| self.end_error(layout.unwrap_or(&BETWEEN_FIBERS), why))?)
    }

    /// Enables a fiber: adds it to the run queue, or hands it over with its values (DUAL).
    fn enable(&mut self, ready: Ready) {
        if self.role != Role::HandsOver {
            self.run_queue.push(ready);
            return;
        }
        let Some(slot) = ready.by().slot() else {
            self.hand(EuWork::Fiber { ready, again: false });
            return;
        };
        self.hand_over(ready.id, slot, ready.mark());
    }

    /// Stores parked values in the inlets of a slot, which its fiber has just emptied (SPN).
    #[cold]
    pub(crate) fn let_parked_in(&mut self, id: FrameId, slot: u32) -> SuResult {
        if seeded!(ParkedForgottenSpn) {
            return Ok(());
        }
        self.frames.parked_inlets(id, slot, &mut self.emptied);
        self.let_in()
    }

    /// Stores a parked value in each inlet that was emptied. That may enable further fibers, which are handed
    /// over and empty more inlets.
    #[cold]
    fn let_in(&mut self) -> SuResult {
        while let Some((id, inlet)) = self.emptied.pop() {
            if seeded!(ParkedOneInlet) {
                self.emptied.clear();
            }
            let Some(Parked { value, origin, sender }) = self.frames.unpark(id, inlet) else { continue };
            self.log(id, Access::Release { inlet });
            let before = self.send_as(sender);
            let outcome = match self.frames.put(id, inlet, value) {
                Ok(Ok(counted)) => self.note(id, counted, Some(inlet)),
                Ok(Err(_)) => {
                    unreachable!("an inlet that was emptied takes one value before it is emptied again")
                }
                Err(refusal) => {
                    let to = EntryRef::new(FrameRef { node: self.node, id }, inlet);
                    Err(Box::new(self.inlet_error(refusal, to, origin)))
                }
            };
            self.send_as(before);
            if outcome.is_err() {
                self.emptied.clear();
                return outcome;
            }
        }
        Ok(())
    }
}
