//! Operations of a fiber on slots, inlets and cells of any node: signals, values, blocks, reads.
//!
//! A signal and a put make one test in line: the frame is on this node, this unit owns the node's slots, and
//! no trace and no cost model is on. If it holds, the frame store applies the operation at once. Any other
//! case goes out of line, to one function for each operation:
//!
//! | the unit | the operation |
//! |---|---|
//! | owns the slot (SPN) | stores the value in the inlet, or parks it |
//! | leaves slots to the other unit (DUAL) | passes a message of the operation's own type to that unit |
//! | any other case | sends an [`Event`](crate::node::function::Event) to the node of the address |

use std::hint::cold_path;

use earth_memory::{Block, Element, Published};

use crate::node::eu::Eu;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::frame::Ready;
use crate::vocabulary::address::{CellRef, EntryRef, Reply, SlotRef};
use crate::vocabulary::error::Error;
use crate::vocabulary::name::Slot;
use crate::vocabulary::value::{self, Carried, Value};
use crate::vocabulary::wire::Wire;

/// The size, in bytes, above which `put` boxes a value at once.
const LARGE: usize = 1 << 12;

impl<F> Eu<F> {
    /// Signals a slot of any node. It sends a message if the slot is on another node.
    ///
    /// # Errors of the run
    ///
    /// [`StaleAddress`](crate::Error::StaleAddress) if the slot's frame has ended,
    /// [`TooManySignals`](crate::Error::TooManySignals) if the slot expects no signal.
    #[doc(alias = "RSYNC")]
    #[inline(always)]
    pub fn rsync(&mut self, to: SlotRef) {
        if let Some(outcome) = self.unit.su.try_signal(to.to) {
            self.unit.check(outcome);
        } else {
            cold_path();
            self.unit.signal(to.to);
        }
    }

    /// Stores a value into an inlet of any node and signals the inlet's slot, as one event. A value for a
    /// full inlet is parked, with its signal, until the inlet has been emptied.
    ///
    /// Values of one node for one inlet arrive at their fibers in the order in which they were put. This
    /// holds on every machine, even if queues on the way are full, so a producer may run rounds ahead. Values
    /// of different nodes are ordered only by slots.
    ///
    /// A value of up to 48 bytes travels in line, a larger one in a box.
    ///
    /// # Errors of the run
    ///
    /// [`StaleAddress`](crate::Error::StaleAddress) if the inlet's frame has ended,
    /// [`TooManySignals`](crate::Error::TooManySignals) if its slot expects no signal,
    /// [`ParkingFull`](crate::Error::ParkingFull) if too many values are parked on the node,
    /// [`StaysInProcess`](crate::Error::StaysInProcess) if a [`Shared`](crate::Shared) in it would leave its
    /// process.
    #[doc(alias = "DATA_SYNC")]
    #[doc(alias = "DATA_RSYNC")]
    #[inline(always)]
    pub fn put<T: Wire>(&mut self, reply: Reply<T>, value: T) {
        self.unit.counters.bytes_moved += value.bulk_bytes();
        if const { size_of::<T>() > LARGE } {
            // The value is boxed at once, so that it is not copied from stack frame to stack frame.
            return self.unit.put_value(reply.to, Value::new(value, T::KIND));
        }
        match self.unit.su.try_put(reply.to, value) {
            Ok(outcome) => self.unit.check(outcome),
            Err(value) => self.unit.put(reply.to, value),
        }
    }

    /// Moves a block to an inlet of any node and signals the inlet's slot. Within a process only the handle
    /// moves and no element is copied; between processes the bytes travel. The errors are the errors of
    /// [`put`](Self::put).
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

    /// Requests the value of a write-once cell of any node; the answer arrives at `reply`. A request that
    /// comes before the cell is written waits at the cell (an I-structure).
    ///
    /// # Errors of the run
    ///
    /// [`StaleAddress`](crate::Error::StaleAddress) if the cell's frame has ended, and the errors of
    /// [`put`](Self::put) for the answer. A cell that is never written leaves the run stuck.
    #[doc(alias = "GET_SYNC")]
    #[doc(alias = "GET_RSYNC")]
    pub fn get<T: Wire + Clone>(&mut self, from: CellRef<T>, reply: Reply<T>) {
        self.unit.get(from.at, reply.to);
    }

    /// Requests a published block. Within a process another handle to it arrives, between processes its
    /// bytes. The errors are the errors of [`get`](Self::get).
    #[doc(alias = "BLKMOV_RSYNC")]
    #[doc(alias = "BLKMOV_SYNC")]
    pub fn get_block<T: Element>(&mut self, from: CellRef<Published<T>>, reply: Reply<Published<T>>) {
        self.unit.counters.block_moves += 1;
        self.get(from, reply);
    }

    /// Writes a write-once cell of any node and answers all waiting readers, each with a clone.
    ///
    /// # Errors of the run
    ///
    /// [`WrittenTwice`](crate::Error::WrittenTwice) if the cell was written before,
    /// [`StaleAddress`](crate::Error::StaleAddress) if its frame has ended.
    pub fn write<T: Wire + Clone>(&mut self, to: CellRef<T>, value: T) {
        self.unit.write(to.at, value);
    }
}

impl ExecutionUnit {
    /// Signals a slot in all cases but the common one of [`rsync`](Eu::rsync).
    #[inline(never)]
    fn signal(&mut self, to: EntryRef) {
        self.make_before(Some(to.frame()));
        if self.su.passes_types() {
            return self.su.pass_signal(to, self.asker());
        }
        self.charge_at(to.node(), |costs| costs.sync);
        let outcome = self.su.signal(to, self.origin());
        self.check(outcome);
    }

    /// Stores a value in all cases but the common one of [`put`](Eu::put).
    #[inline(never)]
    fn put<T: Wire>(&mut self, to: EntryRef, value: T) {
        let unsent = if self.su.passes_types() {
            self.make_before(Some(to.frame()));
            self.su.pass_put(to, value, self.asker())
        } else {
            self.su.put_typed(to, value).map(|outcome| self.check(outcome))
        };
        if let Err(value) = unsent {
            self.put_value(to, Value::new(value, T::KIND));
        }
    }

    /// Stores a type-erased value: on another node, in a full inlet, or on a machine that charges.
    #[inline(never)]
    fn put_value(&mut self, to: EntryRef, value: Value) {
        self.make_before(Some(to.frame()));
        self.charge_at(to.node(), |costs| costs.value(value::bulk(&value)));
        let outcome = self.su.put(to, value, self.origin());
        self.check(outcome);
    }

    fn get(&mut self, from: EntryRef, to: EntryRef) {
        self.make_before(Some(from.frame()));
        self.make_before(Some(to.frame()));
        self.charge_at(from.node(), |costs| costs.word);
        let outcome = self.su.get(from, to, self.origin());
        self.check(outcome);
    }

    fn write<T: Wire + Clone>(&mut self, to: EntryRef, value: T) {
        self.counters.bytes_moved += value.bulk_bytes();
        self.make_before(Some(to.frame()));
        let value = Value::new(value, T::KIND);
        self.charge_at(to.node(), |costs| costs.value(value::bulk(&value)));
        let outcome = self.su.write(to, value, self.origin());
        self.check(outcome);
    }

    #[track_caller]
    pub(in crate::node) fn raise(&mut self, slot: Slot, by: u32) {
        let SlotRef { to } = self.slot_ref(slot);
        self.make_before(Some(to.frame()));
        self.charge_at(self.node, |costs| costs.spawn);
        let outcome = self.su.raise(to, by, self.origin());
        self.check(outcome);
    }

    pub(in crate::node) fn spawn(&mut self, fiber: u32, index: usize) {
        if fiber as usize >= self.current.layout().fibers.len() {
            self.fail(Error::NoSuchEntry {
                at: self.fiber_name(),
                what: format!("fiber {fiber} of another function"),
                place: None,
            });
        }
        let Ok(index) = u32::try_from(index) else {
            let what = format!("index {index} of a fiber, which does not fit 32 bits");
            self.fail(Error::NoSuchEntry { at: self.fiber_name(), what, place: None })
        };
        let own = self.own_frame();
        self.make_before(None);
        self.charge_at(self.node, |costs| costs.spawn);
        self.su.spawn(Ready::spawned(own.id, fiber, index, self.me().number()));
    }
}
