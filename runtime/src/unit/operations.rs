//! What a fiber does with slots, inlets and cells anywhere: signals, values, blocks, questions.
//!
//! The common case of a signal and of a put is in line with its types known (SPN); any other case of the
//! operation is out of line.

use earth_memory::{Block, Element, Published};

use super::eu::Eu;
use super::event::Event;
use super::execution_unit::{ExecutionUnit, Route};
use crate::error::Error;
use crate::frame::Ready;
use crate::vocabulary::address::{CellRef, Reply, SlotRef};
use crate::vocabulary::name::{Fiber, Slot};
use crate::vocabulary::value::{self, Carried, Value};
use crate::vocabulary::wire::Wire;

impl<F> Eu<F> {
    /// Signals a slot anywhere.
    #[doc(alias = "RSYNC")]
    #[inline(always)]
    pub fn rsync(&mut self, to: SlotRef) {
        if let Route::Merged(su) = &mut self.unit.route
            && su.signal_plain::<false>(to)
        {
            return;
        }
        self.unit.signal(to);
    }

    /// Stores a value into an inlet anywhere and signals the inlet's slot, as one event. A value for a full
    /// inlet is parked, with its signal, until the inlet has been emptied.
    ///
    /// Values of one node for one inlet come to their fibers in the order in which they were put, on every machine,
    /// however full the queues on their way are: so a producer may run rounds ahead. Only slots order what different
    /// nodes put.
    #[doc(alias = "DATA_SYNC")]
    #[doc(alias = "DATA_RSYNC")]
    #[inline(always)]
    pub fn put<T: Wire>(&mut self, reply: Reply<T>, value: T) {
        self.unit.counters.bytes_moved += value.bulk_bytes();
        let value = match &mut self.unit.route {
            Route::Merged(su) => match su.put_plain::<T, false>(reply.to, reply.inlet, value) {
                Ok(()) => return,
                Err(value) => value,
            },
            Route::Traced(_) | Route::Charged(_) | Route::Separate(_) => value,
        };
        self.unit.put_other(reply, value);
    }

    /// Moves a block to an inlet anywhere and signals the inlet's slot. Within a process the handle moves
    /// and no element is copied.
    ///
    /// A block that was sent cannot be used any more:
    ///
    /// ```compile_fail,E0382
    /// # use earth::{Block, Eu, Reply};
    /// fn sends(eu: &mut Eu, to: Reply<Block<f64>>, mut block: Block<f64>) {
    ///     eu.put_block(to, block);
    ///     block.row_mut(0)[0] = 1.0;
    /// }
    /// ```
    #[doc(alias = "BLKMOV_SYNC")]
    #[doc(alias = "BLKMOV_RSYNC")]
    pub fn put_block<T: Element>(&mut self, reply: Reply<Block<T>>, block: Block<T>) {
        self.unit.counters.block_moves += 1;
        self.put(reply, block);
    }

    /// Asks for the value of a write-once cell anywhere; the answer arrives at `reply`. A question that comes
    /// before the cell is written waits at the cell (an I-structure).
    #[doc(alias = "GET_SYNC")]
    #[doc(alias = "GET_RSYNC")]
    pub fn get<T: Wire + Clone>(&mut self, from: CellRef<T>, reply: Reply<T>) {
        self.unit.get(from, reply);
    }

    /// Asks for a published block; what arrives is one more handle of it within a process, and its
    /// bytes between processes.
    #[doc(alias = "BLKMOV_SYNC")]
    pub fn get_block<T: Element>(&mut self, from: CellRef<Published<T>>, reply: Reply<Published<T>>) {
        self.unit.counters.block_moves += 1;
        self.get(from, reply);
    }

    /// Writes a write-once cell anywhere and answers all who asked for it. It is an error if the cell was written
    /// before.
    pub fn write<T: Wire + Clone>(&mut self, to: CellRef<T>, value: T) {
        self.unit.write(to, value);
    }
}

impl ExecutionUnit {
    /// Signals a slot on any route: [`rsync`](Eu::rsync) out of line, with a fast path for a machine that traces.
    #[inline(never)]
    fn signal(&mut self, to: SlotRef) {
        if let Route::Traced(su) = &mut self.route
            && su.signal_plain::<true>(to)
        {
            return;
        }
        self.signal_any(to);
    }

    #[inline(never)]
    fn signal_any(&mut self, to: SlotRef) {
        self.make_if_own(to.frame());
        self.charge_at(to.node().0, |costs| costs.sync);
        let origin = self.origin();
        let outcome = match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => su.signal(to, origin),
            Route::Separate(_) => {
                self.send(Event::Signal { to, origin });
                Ok(())
            }
        };
        self.check(outcome);
    }

    /// Stores a value on any route: [`put`](Eu::put) out of line, with a fast path for a machine that traces.
    #[inline(never)]
    fn put_other<T: Wire>(&mut self, reply: Reply<T>, value: T) {
        let value = match &mut self.route {
            Route::Traced(su) => match su.put_plain::<T, true>(reply.to, reply.inlet, value) {
                Ok(()) => return,
                Err(value) => value,
            },
            Route::Merged(_) | Route::Charged(_) | Route::Separate(_) => value,
        };
        self.put_value(reply.to, reply.inlet, Value::new(value, T::KIND));
    }

    /// Stores a value whose type has been set aside, on any route.
    #[inline(never)]
    fn put_value(&mut self, to: SlotRef, inlet: u32, value: Value) {
        self.make_if_own(to.frame());
        self.charge_at(to.node().0, |costs| costs.value(value::bulk(&value)));
        let origin = self.origin();
        let outcome = match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => su.put(to, inlet, value, origin),
            Route::Separate(_) => {
                self.send(Event::Put { to, inlet, value, origin });
                Ok(())
            }
        };
        self.check(outcome);
    }

    /// Asks for the value of a cell on any route.
    fn get<T: Wire + Clone>(&mut self, from: CellRef<T>, reply: Reply<T>) {
        self.make_if_own(from.frame());
        self.make_if_own(reply.to.frame());
        self.charge_at(from.frame().node, |costs| costs.word);
        let origin = self.origin();
        let outcome = match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => {
                su.get(from.frame(), from.cell(), reply.to, reply.inlet, origin)
            }
            Route::Separate(_) => {
                self.send(Event::Get {
                    from: from.frame(),
                    cell: from.cell(),
                    to: reply.to,
                    inlet: reply.inlet,
                    origin,
                });
                Ok(())
            }
        };
        self.check(outcome);
    }

    /// Writes a cell on any route.
    fn write<T: Wire + Clone>(&mut self, to: CellRef<T>, value: T) {
        self.counters.bytes_moved += value.bulk_bytes();
        self.make_if_own(to.frame());
        let value = Value::new(value, T::KIND);
        self.charge_at(to.frame().node, |costs| costs.value(value::bulk(&value)));
        let origin = self.origin();
        let outcome = match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => {
                su.write(to.frame(), to.cell(), value, origin)
            }
            Route::Separate(_) => {
                self.send(Event::Write { at: to.frame(), cell: to.cell(), value, origin });
                Ok(())
            }
        };
        self.check(outcome);
    }

    /// Raises the count of a slot of this frame on any route.
    pub(super) fn raise(&mut self, slot: Slot, by: u32) {
        let slot = self.slot_ref(slot);
        let origin = self.origin();
        self.make_if_own(slot.frame());
        self.charge_at(self.node, |costs| costs.spawn);
        let outcome = match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => su.raise(slot, by, origin),
            Route::Separate(_) => {
                self.send(Event::Raise { slot, by, origin });
                Ok(())
            }
        };
        self.check(outcome);
    }

    /// Enables a fiber of this frame directly, on any route.
    pub(super) fn spawn(&mut self, fiber: Fiber, index: usize) {
        if fiber.ordinal as usize >= self.current.layout.fibers.len() {
            self.fail(Error::NoSuchEntry {
                at: self.fiber_name(),
                what: format!("fiber {} of another function", fiber.ordinal),
            });
        }
        let index = u32::try_from(index).expect("the index of a fiber has 32 bits");
        self.current.addressed.set(true);
        let ready = Ready::spawned(self.current.own, self.spawner(), fiber.ordinal, index);
        self.charge_at(self.node, |costs| costs.spawn);
        match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => su.spawn(ready),
            Route::Separate(_) => self.send(Event::Spawn { ready }),
        }
    }
}
