//! What a synchronization unit does with the frames of its node: it counts signals, stores the values that
//! come with them, answers questions to cells, and enables fibers.
//!
//! A fiber that is enabled goes to the run queue, and its values stay in their inlets until it takes them
//! (SPN), or it is handed over with them (DUAL). Either way inlets are emptied, and what is parked there is
//! let in.

use std::sync::Arc;

use super::super::event::{Event, Work};
use super::{Outcome, Su};
use crate::error::Error;
use crate::frame::{Misuse, Reading, Ready};
use crate::vocabulary::address::{FrameId, FrameRef, SlotRef};
use crate::vocabulary::layout::{Layout, Sizes};
use crate::vocabulary::origin::Origin;
use crate::vocabulary::value::Value;
use crate::vocabulary::wire::Wire;

impl Su {
    /// The fast path of [`signal`](Su::signal), in line (SPN). Returns `false`, with nothing changed, in any case but
    /// the common one: a live slot of this node that expects the signal. `TRACED` says at compile time whether the
    /// machine traces; if so, there must also be room to write the signal down.
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
        self.counted(enabled);
        true
    }

    /// Signals a slot of this or another node (`SYNC`, `RSYNC`).
    pub(crate) fn signal(&mut self, to: SlotRef, origin: Origin) -> Outcome {
        if to.node().0 != self.node {
            self.forward(Event::Signal { to, origin });
            return Ok(());
        }
        self.counters.signals += 1;
        let outcome = self.frames.signal(to, &mut self.recorder);
        self.finish(outcome, to, None, origin)
    }

    /// The fast path of [`put`](Su::put), in line (SPN), for a live empty inlet of this node whose slot expects the
    /// signal. In any other case it returns the value, with nothing changed.
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
        self.counted(enabled);
        Ok(())
    }

    /// Counts one more signal, and adds the fiber that it enabled to the run queue.
    #[inline(always)]
    fn counted(&mut self, enabled: Option<Ready>) {
        self.counters.signals += 1;
        if let Some(ready) = enabled {
            self.run_queue.push(ready);
        }
    }

    /// Stores a value in an inlet of this or another node and signals its slot (`DATA_SYNC`, `DATA_RSYNC`,
    /// `BLKMOV_SYNC`).
    pub(crate) fn put(&mut self, to: SlotRef, inlet: u32, value: Value, origin: Origin) -> Outcome {
        if to.node().0 != self.node {
            self.forward(Event::Put { to, inlet, value, origin });
            return Ok(());
        }
        self.counters.signals += 1;
        if to.id() == FrameId::ROOT {
            return self.give_result(value);
        }
        let outcome = self.frames.put(to, inlet, value, origin, &mut self.recorder);
        self.finish(outcome, to, Some(inlet), origin)
    }

    #[cold]
    fn give_result(&mut self, value: Value) -> Outcome {
        match self.result.replace(value) {
            None => Ok(()),
            Some(_) if seeded!(SecondValue) => Ok(()),
            Some(_) => Err(Box::new(Error::SecondValue)),
        }
    }

    /// Reads a cell here, or asks its owner (`GET_SYNC`). The answer counts as sent by the fiber that asked.
    pub(crate) fn get(
        &mut self,
        from: FrameRef,
        cell: u32,
        to: SlotRef,
        inlet: u32,
        origin: Origin,
    ) -> Outcome {
        if from.node != self.node {
            self.forward(Event::Get { from, cell, to, inlet, origin });
            return Ok(());
        }
        match self.frames.read(from, cell, to, inlet, origin) {
            Ok(Reading::Now(value)) => self.put(to, inlet, value, origin),
            Ok(Reading::Deferred) => Ok(()),
            Err(misuse) => Err(self.cell_error(misuse, from, cell, "a question", origin)),
        }
    }

    /// Writes a write-once cell, and answers those who asked before.
    pub(crate) fn write(&mut self, at: FrameRef, cell: u32, value: Value, origin: Origin) -> Outcome {
        if at.node != self.node {
            self.forward(Event::Write { at, cell, value, origin });
            return Ok(());
        }
        let mut answers = std::mem::take(&mut self.answers);
        let answer = |to, inlet, value, asker| answers.push((to, inlet, value, asker));
        if let Err(misuse) = self.frames.write(at, cell, value, answer) {
            return Err(self.cell_error(misuse, at, cell, "a value", origin));
        }
        let outcome =
            answers.drain(..).try_for_each(|(to, inlet, value, asker)| self.put(to, inlet, value, asker));
        self.answers = answers;
        outcome
    }

    /// Raises the count of a slot of this node (`INCR_SYNC`).
    pub(crate) fn raise(&mut self, slot: SlotRef, by: u32, origin: Origin) -> Outcome {
        self.frames.raise(slot, by).map_err(|misuse| self.slot_error(misuse, slot, None, origin))
    }

    /// Enables a fiber of this node directly (`SPAWN`).
    #[inline(always)]
    pub(crate) fn spawn(&mut self, ready: Ready) {
        self.enable(ready);
    }

    /// Makes the entries of a frame that starts on this node.
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

    /// Ends a frame of this node (`END_FUNCTION`).
    #[inline(always)]
    pub(crate) fn close(&mut self, frame: u32) -> Outcome {
        match self.frames.close(frame) {
            Ok(()) => Ok(()),
            Err(why) => Err(self.end_error(frame, why)),
        }
    }

    fn finish(
        &mut self,
        outcome: Result<Option<Ready>, Misuse>,
        to: SlotRef,
        inlet: Option<u32>,
        origin: Origin,
    ) -> Outcome {
        match outcome {
            Ok(None) => Ok(()),
            Ok(Some(ready)) if self.hands_over => {
                self.hand_over(ready);
                self.let_parked_in()
            }
            Ok(Some(ready)) => {
                if seeded!(DoubleEnable) {
                    self.run_queue.push(ready);
                }
                self.run_queue.push(ready);
                Ok(())
            }
            Err(misuse) => Err(self.slot_error(misuse, to, inlet, origin)),
        }
    }

    #[inline(always)]
    fn enable(&mut self, ready: Ready) {
        if self.hands_over {
            self.hand_over(ready);
        } else {
            self.run_queue.push(ready);
        }
    }

    fn hand_over(&mut self, ready: Ready) {
        let work = &mut self.work;
        let give = |inlet, value| work.push_back(Work::Value { inlet, value });
        let again = self.frames.hand_over(&ready, give, &mut self.emptied, self.node);
        self.work.push_back(Work::Fiber { ready, again });
    }

    /// Lets a parked value into an inlet of a live frame that a fiber has emptied (SPN).
    #[cold]
    pub(crate) fn let_in(&mut self, at: FrameRef, inlet: u32) -> Outcome {
        if !seeded!(ParkedForgottenSpn) {
            self.emptied.push((at, inlet));
        }
        self.let_parked_in()
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
                Err((misuse, slot, origin)) => {
                    return Err(self.slot_error(misuse, SlotRef::new(at, slot), Some(inlet), origin));
                }
            }
        }
        Ok(())
    }
}
