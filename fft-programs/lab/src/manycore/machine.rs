//! The chip at work, event by event: what elements issue, and when each port, bank and unit is free.
//!
//! 1. An *element* issues an operation a cycle, in order. One that needs a result waits for it; loads do not wait for each other.
//! 2. What leaves a core passes its *out port*, and what comes its *in port*: first come first served, 8 bytes a cycle.
//! 3. The *crossbar* takes D cycles, however much is on the way; it is never the limit (64 ports of 8 bytes, of 1140).
//! 4. A *bank* serves requests first come first served, 8 bytes a cycle.
//! 5. Elements of a core share floating-point units, which take an operation a cycle.
//! 6. A *barrier* is a counter in a bank: each element's arrival is a request, and the answer to the last one goes to all.
//! 7. A *signal* goes from one element to another through both cores' ports; who awaits signals reads its own memory.
//!
//! No equation of the [model](crate::model::manycore) is used here. Operations carry no data, but memory knows which
//! stage has written a point, so that a program that reads a point too early is found.
//!
//! *Cost.* Four events for a load, three for a store, one for any other operation: some 50 ns each.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::chip::{Chip, POINT};
use super::operation::{Operation, Register, Run};

/// What an element waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocked {
    No,
    Register(Register),
    Barrier,
    Signals(u64),
    Drained,
}

struct Element<I> {
    program: I,
    now: Option<Operation>,
    /// Since when the operation could have been issued, if all had been there.
    since: u64,
    blocked: Blocked,
    ready: [u64; 256],
    loaded: [bool; 256],
    signals: u64,
    /// The loads and stores that are under way.
    pending: usize,
    stage: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Load(Register),
    Store,
    Barrier,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// An element may issue.
    Issue(u32),
    /// A request is at its bank.
    Bank { element: u32, what: What, address: u64, stage: u8 },
    /// A point is at the in port.
    Point { element: u32, to: Register },
    /// A signal is at the in port.
    Signal(u32),
    /// A load or a store is over.
    Over(u32),
}

/// The chip with programs, one an element.
pub(crate) struct Machine<'a, I> {
    chip: &'a Chip,
    elements: Vec<Element<I>>,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    /// The events so far, which decides among those of one cycle.
    number: u64,
    /// When each is free: ports out and in by core, banks, floating-point units.
    out: Vec<u64>,
    into: Vec<u64>,
    banks: Vec<u64>,
    units: Vec<u64>,
    /// By which stage each point was written.
    written: Vec<u8>,
    arrived: usize,
    run: Run,
}

/// A result that is under way.
const UNKNOWN: u64 = u64::MAX;

impl<'a, I: Iterator<Item = Operation>> Machine<'a, I> {
    /// The chip, whose elements have these programs, those of a core one after another.
    pub(crate) fn new(chip: &'a Chip, programs: impl IntoIterator<Item = I>) -> Self {
        let element = |program| Element {
            program,
            now: None,
            since: 0,
            blocked: Blocked::No,
            ready: [0; 256],
            loaded: [false; 256],
            signals: 0,
            pending: 0,
            stage: 0,
        };
        let elements: Vec<_> = programs.into_iter().map(element).collect();
        let units = chip.cores * chip.elements.div_ceil(chip.sharing);
        Self {
            chip,
            elements,
            events: BinaryHeap::new(),
            number: 0,
            out: vec![0; chip.cores],
            into: vec![0; chip.cores],
            banks: vec![0; chip.banks],
            units: vec![0; units],
            written: Vec::new(),
            arrived: 0,
            run: Run::default(),
        }
    }

    /// Plays the programs to their end.
    pub(crate) fn run(mut self) -> Run {
        for element in 0..self.elements.len() {
            self.elements[element].now = self.elements[element].program.next();
            self.at(0, Event::Issue(element as u32));
        }
        while let Some(Reverse((now, _, event))) = self.events.pop() {
            self.run.cycles = self.run.cycles.max(now);
            match event {
                Event::Issue(element) => self.issue(now, element),
                Event::Bank { element, what, address, stage } => {
                    self.serve(now, element, what, address, stage);
                }
                Event::Point { element, to } => {
                    let at = self.enter(now, element, POINT);
                    let arrived = &mut self.elements[element as usize];
                    for register in [to, to + 1].map(usize::from) {
                        arrived.ready[register] = at;
                    }
                    if matches!(arrived.blocked, Blocked::Register(register) if register & !1 == to) {
                        self.wake(at, element);
                    }
                    self.at(at, Event::Over(element));
                }
                Event::Over(number) => {
                    let element = &mut self.elements[number as usize];
                    element.pending -= 1;
                    if element.pending == 0 && element.blocked == Blocked::Drained {
                        self.wake(now, number);
                    }
                }
                Event::Signal(element) => {
                    let at = self.enter(now, element, self.chip.request);
                    let to = &mut self.elements[element as usize];
                    to.signals += 1;
                    if matches!(to.blocked, Blocked::Signals(signals) if to.signals >= signals) {
                        self.wake(at, element);
                    }
                }
            }
        }
        self.run
    }

    fn at(&mut self, time: u64, event: Event) {
        self.number += 1;
        self.events.push(Reverse((time, self.number, event)));
    }

    fn wake(&mut self, at: u64, element: u32) {
        self.elements[element as usize].blocked = Blocked::No;
        self.at(at, Event::Issue(element));
    }

    fn core(&self, element: u32) -> usize {
        element as usize / self.chip.elements
    }

    /// When so many bytes of an element, that it issues now, are in the crossbar.
    fn leave(&mut self, now: u64, element: u32, bytes: u64) -> u64 {
        let core = self.core(element);
        self.out[core] = self.out[core].max(now) + self.chip.passing(bytes);
        self.out[core]
    }

    /// When so many bytes that are at the in port now have come to the element.
    fn enter(&mut self, now: u64, element: u32, bytes: u64) -> u64 {
        let core = self.core(element);
        self.into[core] = self.into[core].max(now) + self.chip.passing(bytes);
        self.into[core]
    }

    /// An element issues its operation, unless it has to wait.
    fn issue(&mut self, now: u64, number: u32) {
        let element = &mut self.elements[number as usize];
        let Some(operation) = element.now else { return };
        let waited = now - std::mem::replace(&mut element.since, now);
        match operation {
            Operation::Await { .. } => self.run.spent.waiting += waited,
            _ => self.run.spent.memory += waited,
        }
        if self.waits_for_operand(now, number, operation) {
            return;
        }
        let (chip, element) = (self.chip, &mut self.elements[number as usize]);
        let mut next = now + 1;
        match operation {
            Operation::Integer(cycles) => {
                self.run.spent.integer += cycles;
                next = now + cycles;
            }
            Operation::Load { address, to, stage } => {
                self.run.spent.memory += 1;
                for register in [to, to + 1].map(usize::from) {
                    (element.ready[register], element.loaded[register]) = (UNKNOWN, true);
                }
                element.pending += 1;
                let at = self.leave(now, number, chip.request) + chip.delay;
                self.at(at, Event::Bank { element: number, what: What::Load(to), address, stage });
            }
            Operation::LoadNear { to } => {
                self.run.spent.memory += 1;
                for register in [to, to + 1].map(usize::from) {
                    (element.ready[register], element.loaded[register]) = (now + chip.near, true);
                }
            }
            Operation::Float { to, .. } => {
                let unit = chip.unit(number as usize);
                let free = self.units[unit];
                if free > now {
                    self.run.spent.floating += free - now;
                    self.elements[number as usize].since = free;
                    return self.at(free, Event::Issue(number));
                }
                self.units[unit] = now + 1;
                self.run.spent.floating += 1;
                (element.ready[usize::from(to)], element.loaded[usize::from(to)]) =
                    (now + chip.latency, false);
            }
            Operation::Store { address, stage, .. } => {
                self.run.spent.memory += 1;
                element.pending += 1;
                let at = self.leave(now, number, POINT) + chip.delay;
                self.at(at, Event::Bank { element: number, what: What::Store, address, stage });
            }
            Operation::Drain => {
                if element.pending > 0 {
                    element.blocked = Blocked::Drained;
                    return;
                }
                next = now;
            }
            Operation::End => {
                next = now;
                let stage = element.stage;
                element.stage += 1;
                self.run.ends.resize(self.run.ends.len().max(stage + 1), 0);
                self.run.ends[stage] = self.run.ends[stage].max(now);
            }
            Operation::Barrier | Operation::Meet => {
                element.blocked = Blocked::Barrier;
                element.now = element.program.next();
                if chip.has_counter && operation == Operation::Barrier {
                    let at = self.leave(now, number, chip.request) + chip.delay;
                    self.at(at, Event::Bank { element: number, what: What::Barrier, address: 0, stage: 0 });
                } else {
                    self.arrive(now);
                }
                return;
            }
            Operation::Signal { to } => {
                self.run.spent.waiting += 1;
                let at = self.leave(now, number, chip.request) + chip.delay;
                self.at(at, Event::Signal(to));
            }
            Operation::Await { signals } => {
                if element.signals < signals {
                    element.blocked = Blocked::Signals(signals);
                    return;
                }
                next = now;
            }
        }
        let element = &mut self.elements[number as usize];
        (element.now, element.since) = (element.program.next(), next);
        self.run.cycles = self.run.cycles.max(next);
        if element.now.is_some() {
            self.at(next, Event::Issue(number));
        }
    }

    /// Whether an operation waits for one of its operands: until it is there, if that is known, else until it comes.
    fn waits_for_operand(&mut self, now: u64, number: u32, operation: Operation) -> bool {
        let element = &mut self.elements[number as usize];
        let needs: &[Register] = match &operation {
            Operation::Float { from, .. } => from,
            Operation::Store { from, .. } => &[*from, *from + 1],
            _ => &[],
        };
        // Waiting for the last operand is waiting for all of them.
        let last = needs.iter().max_by_key(|&&register| element.ready[usize::from(register)]);
        let Some((&last, ready)) = last.map(|last| (last, element.ready[usize::from(*last)])) else {
            return false;
        };
        if ready <= now {
            return false;
        }
        if ready == UNKNOWN {
            element.blocked = Blocked::Register(last);
            return true;
        }
        element.since = ready;
        let spent = &mut self.run.spent;
        let by = if element.loaded[usize::from(last)] { &mut spent.memory } else { &mut spent.floating };
        *by += ready - now;
        self.at(ready, Event::Issue(number));
        true
    }

    /// A bank takes up a request.
    fn serve(&mut self, now: u64, element: u32, what: What, address: u64, stage: u8) {
        let bytes = if what == What::Barrier { self.chip.request } else { POINT };
        let bank = self.chip.bank(address);
        let begins = if self.chip.has_queues { self.banks[bank].max(now) } else { now };
        let done = begins + self.chip.passing(bytes);
        self.banks[bank] = done;
        let point = (address / POINT) as usize;
        if what != What::Barrier && point >= self.written.len() {
            self.written.resize(point + 1, 0);
        }
        self.run.cycles = self.run.cycles.max(done);
        match what {
            What::Load(to) => {
                self.run.stale += u64::from(self.written[point] != stage);
                self.at(done + self.chip.delay, Event::Point { element, to });
            }
            What::Store => {
                self.written[point] = stage;
                self.at(done, Event::Over(element));
            }
            What::Barrier => self.arrive(done + self.chip.delay),
        }
    }

    /// An element has arrived at the barrier, which opens at this time if it is the last one.
    fn arrive(&mut self, at: u64) {
        self.arrived += 1;
        if self.arrived < self.elements.len() {
            return;
        }
        self.arrived = 0;
        for number in 0..self.elements.len() {
            let element = &mut self.elements[number];
            self.run.spent.waiting += at - element.since;
            element.since = at;
            self.wake(at, number as u32);
        }
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
