//! What a fiber does with slots, inlets and cells, its own or anybody's: signals, values, blocks, questions.
//!
//! The common case of a signal, a put and a take is in line with its types known (SPN); any other case of the
//! same operation is out of line.

use earth_memory::{Block, Element, Published};

use super::eu::{Current, Eu, Route};
use super::event::Event;
use crate::error::Error;
use crate::frame::Ready;
use crate::vocabulary::address::{CellRef, FrameRef, Reply, SlotRef};
use crate::vocabulary::layout::name_of;
use crate::vocabulary::name::{Fiber, Inlet, Slot};
use crate::vocabulary::value::{self, Carried, Value};
use crate::vocabulary::wire::Wire;

impl Eu {
    /// Signals a slot of this frame.
    #[doc(alias = "SYNC")]
    #[inline(always)]
    pub fn sync(&mut self, slot: Slot) {
        let to = self.slot_ref(slot);
        self.rsync(to);
    }

    /// Signals a slot anywhere.
    #[doc(alias = "RSYNC")]
    #[inline(always)]
    pub fn rsync(&mut self, to: SlotRef) {
        if let Route::Merged(su) = &mut self.route
            && su.signal_plain::<false>(to)
        {
            return;
        }
        self.signal(to);
    }

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

    /// Raises the count of a slot of this frame by `by`. It happens before anything this fiber starts afterwards can
    /// signal the slot. It is an error if the slot is one-shot and has reached zero.
    #[doc(alias = "INCR_SYNC")]
    pub fn incr(&mut self, slot: Slot, by: u32) {
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

    /// Enables a fiber of this frame directly, with index 0.
    #[doc(alias = "SPAWN")]
    pub fn spawn(&mut self, fiber: Fiber) {
        self.spawn_at(fiber, 0);
    }

    /// Enables a fiber of this frame directly, with an index of the program's choice.
    ///
    /// # Panics
    ///
    /// If `index` does not fit 32 bits.
    #[doc(alias = "SPAWN")]
    pub fn spawn_at(&mut self, fiber: Fiber, index: usize) {
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

    /// Stores a value into an inlet anywhere and signals the inlet's slot, as one event. A value for a full
    /// inlet is parked, with its signal, until the inlet has been emptied.
    ///
    /// Values of one node for one inlet come to their fibers in the order in which they were put, on every machine,
    /// however full the queues on their way are: so a producer may run rounds ahead. Only slots order what different
    /// nodes put.
    ///
    /// An inlet takes values of its own type:
    ///
    /// ```compile_fail,E0308
    /// # use earth::{threaded, Reply, Then};
    /// threaded! {
    ///     fn Lies(out: Reply<u64>)
    ///     fiber start(this, eu) { eu.put(this.out, "forty-two"); Then::End }
    /// }
    /// ```
    #[doc(alias = "DATA_SYNC")]
    #[doc(alias = "DATA_RSYNC")]
    #[inline(always)]
    pub fn put<T: Wire>(&mut self, reply: Reply<T>, value: T) {
        self.counters.bytes_moved += value.bulk_bytes();
        let value = match &mut self.route {
            Route::Merged(su) => match su.put_plain::<T, false>(reply.to, reply.inlet, value) {
                Ok(()) => return,
                Err(value) => value,
            },
            Route::Traced(_) | Route::Charged(_) | Route::Separate(_) => value,
        };
        self.put_other(reply, value);
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
        self.counters.block_moves += 1;
        self.put(reply, block);
    }

    /// Asks for the value of a write-once cell anywhere; the answer arrives at `reply`. A question that comes
    /// before the cell is written waits at the cell (an I-structure).
    #[doc(alias = "GET_SYNC")]
    #[doc(alias = "GET_RSYNC")]
    pub fn get<T: Wire + Clone>(&mut self, from: CellRef<T>, reply: Reply<T>) {
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

    /// Asks for a published block; what arrives is one more handle of it within a process, and its
    /// bytes between processes.
    #[doc(alias = "BLKMOV_SYNC")]
    pub fn get_block<T: Element>(&mut self, from: CellRef<Published<T>>, reply: Reply<Published<T>>) {
        self.counters.block_moves += 1;
        self.get(from, reply);
    }

    /// Writes a write-once cell anywhere and answers all who asked for it. It is an error if the cell was written
    /// before.
    pub fn write<T: Wire + Clone>(&mut self, to: CellRef<T>, value: T) {
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

    /// Takes the value that arrived at an inlet of this frame. Exactly those values may be taken that came
    /// with the signals which enabled this fiber, and each of them must be before the fiber ends.
    ///
    /// An inlet gives values of its own type:
    ///
    /// ```compile_fail,E0308
    /// # use earth::{threaded, Reply, Then};
    /// threaded! {
    ///     fn Mistakes(out: Reply<u64>)
    ///     inlets { text: String }
    ///     slots  { come: 1 => add }
    ///     fiber start(this, eu) { eu.put(eu.reply_to(Self::text, Self::come), String::new()); Then::Wait }
    ///     fiber add(this, eu) { let number: u64 = eu.take(Self::text); eu.put(this.out, number); Then::End }
    /// }
    /// ```
    #[inline(always)]
    pub fn take<T: Wire>(&mut self, inlet: Inlet<T>) -> T {
        let number = self.inlet_number(inlet.ordinal, inlet.index);
        let Current { own, tag, .. } = self.current;
        let plain = match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => {
                su.frames.take_plain(own, number, tag)
            }
            Route::Separate(_) => None,
        };
        let value = plain.unwrap_or_else(|| self.take_value(number));
        self.current.untaken -= 1;
        value
    }

    /// Takes a value on any route: [`take`](Eu::take) out of line.
    #[inline(never)]
    fn take_value<T: Wire>(&mut self, number: u32) -> T {
        let Current { own, tag, .. } = self.current;
        let (Route::Merged(su) | Route::Traced(su) | Route::Charged(su)) = &mut self.route else {
            return self.take_delivered(number).unwrap_or_else(|| self.nothing_delivered(number));
        };
        let Some(value) = su.frames.take(own, number, tag) else { self.nothing_delivered(number) };
        let outcome = su.let_in(FrameRef { node: self.node, id: own }, number);
        self.check(outcome);
        value
    }

    fn take_delivered<T: Wire>(&mut self, number: u32) -> Option<T> {
        let at = match self.delivered.front() {
            Some((inlet, _)) if *inlet == number => Ok(0),
            _ => self.delivered.binary_search_by_key(&number, |(inlet, _)| *inlet),
        };
        match at {
            Ok(0) => self.delivered.pop_front().and_then(|(_, mut value)| value.take(T::KIND)),
            // Left in place, and empty, so that the order stays: a fiber with many values
            // takes them in any order.
            Ok(at) => self.delivered.get_mut(at).and_then(|(_, value)| value.take(T::KIND)),
            Err(_) => None,
        }
    }

    #[cold]
    fn nothing_delivered(&self, number: u32) -> ! {
        let extents = self.own_sizes().map(|sizes| &sizes.inlets[..]);
        let inlet = name_of(self.current.layout.inlets, extents, number);
        self.fail(Error::NotDelivered { at: self.fiber_name(), inlet })
    }
}
