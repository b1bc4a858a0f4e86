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
//! The events wait in the [`Timeline`] of the runtime's simulated machine, which orders the events of a cycle by when they
//! were added. Each kind of event has a handler here.
//!
//! No equation of the [model](crate::model::manycore) is used here. Operations carry no data, but memory knows which
//! stage has written a point, so that a program that reads a point too early is found.
//!
//! *Cost.* Four events for a load, three for a store, one for any other operation: some 50 ns each.

use earth::simulated::Timeline;

use super::chip::{Chip, POINT};
use super::operation::{Operation, Register, Run};

#[derive(Clone, Copy, Debug)]
enum Event {
    /// An element may issue.
    Issue(u32),
    /// An element's load, store or barrier is at its bank.
    Bank { element: u32, request: Operation },
    /// A point is at the in port.
    Point { element: u32, to: Register },
    /// A signal is at the in port.
    Signal(u32),
    /// A load or a store is over.
    Over(u32),
}

/// Why an element does not issue its operation now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    /// A loaded value comes, or the result of a floating-point operation, or its unit gets free.
    Until { time: u64, is_load: bool },
    /// The point for two registers is under way. This is the first of them.
    Point(Register),
    /// Until this number of loads and stores is under way.
    Pending(usize),
    /// Until this number of signals has come in all.
    Signals(u64),
}

/// The value of a register.
#[derive(Clone, Copy)]
struct Value {
    /// When it is there.
    ready: u64,
    is_loaded: bool,
}

/// When a value is there that is under way.
const UNKNOWN: u64 = u64::MAX;

struct Element<I> {
    program: I,
    now: Option<Operation>,
    /// Since when the operation could have been issued, if all had been there.
    since: u64,
    waits_for: Option<Obstacle>,
    registers: [Value; 256],
    signals: u64,
    /// The loads and stores that are under way.
    pending: usize,
    stage: usize,
}

impl<I> Element<I> {
    /// Loads a point, which is there at a time.
    fn load(&mut self, to: Register, ready: u64) {
        for register in [to, to + 1] {
            self.registers[usize::from(register)] = Value { ready, is_loaded: true };
        }
    }

    /// The reason why an element cannot issue an operation now. Its floating-point unit is free at the time `unit`.
    fn obstacle(&self, now: u64, operation: Operation, unit: u64) -> Option<Obstacle> {
        let needs: &[Register] = match &operation {
            Operation::Float { from, .. } => from,
            Operation::Store { from, .. } => &[*from, *from + 1],
            Operation::Drain => return (self.pending > 0).then_some(Obstacle::Pending(0)),
            Operation::Await { signals } => {
                return (self.signals < *signals).then_some(Obstacle::Signals(*signals));
            }
            _ => return None,
        };
        // Waiting for the last operand is waiting for all of them.
        let values = needs.iter().map(|&register| (register, self.registers[usize::from(register)]));
        let (register, Value { ready, is_loaded }) = values.max_by_key(|(_, value)| value.ready)?;
        let is_float = matches!(operation, Operation::Float { .. });
        match ready {
            UNKNOWN => Some(Obstacle::Point(register & !1)),
            _ if ready > now => Some(Obstacle::Until { time: ready, is_load: is_loaded }),
            _ => (is_float && unit > now).then_some(Obstacle::Until { time: unit, is_load: false }),
        }
    }
}

/// Ports, banks or units. Each of them serves its requests one after another, as they come.
struct Servers {
    /// When each is free.
    free: Vec<u64>,
}

impl Servers {
    fn new(number: usize) -> Self {
        Self { free: vec![0; number] }
    }

    /// The end of a request that comes now and takes some cycles.
    fn serve(&mut self, which: usize, now: u64, cycles: u64) -> u64 {
        self.free[which] = self.free[which].max(now) + cycles;
        self.free[which]
    }
}

/// The chip with programs, one an element.
pub(crate) struct Machine<'a, I> {
    chip: &'a Chip,
    elements: Vec<Element<I>>,
    events: Timeline<Event>,
    /// Ports of cores, out and in, banks, and floating-point units.
    out: Servers,
    into: Servers,
    banks: Servers,
    units: Servers,
    /// By which stage each point was written.
    written: Vec<u8>,
    arrived: usize,
    run: Run,
}

impl<'a, I: Iterator<Item = Operation>> Machine<'a, I> {
    /// The chip, whose elements have these programs, those of a core one after another.
    pub(crate) fn new(chip: &'a Chip, programs: impl IntoIterator<Item = I>) -> Self {
        let element = |program| Element {
            program,
            now: None,
            since: 0,
            waits_for: None,
            registers: [Value { ready: 0, is_loaded: false }; 256],
            signals: 0,
            pending: 0,
            stage: 0,
        };
        let [out, into] = [chip.cores; 2].map(Servers::new);
        Self {
            chip,
            elements: programs.into_iter().map(element).collect(),
            events: Timeline::new(),
            out,
            into,
            banks: Servers::new(chip.banks),
            units: Servers::new(chip.cores * chip.elements.div_ceil(chip.sharing)),
            written: Vec::new(),
            arrived: 0,
            run: Run::default(),
        }
    }

    /// Plays the programs to their end.
    pub(crate) fn run(mut self) -> Run {
        for element in 0..self.elements.len() {
            self.proceed(0, element as u32);
        }
        while let Some((now, event)) = self.events.pop() {
            self.run.cycles = self.run.cycles.max(now);
            match event {
                Event::Issue(element) => self.issue(now, element),
                Event::Bank { element, request } => self.serve(now, element, request),
                Event::Point { element, to } => {
                    let at = self.enter(now, element, POINT);
                    self.elements[element as usize].load(to, at);
                    self.wake(at, element, Obstacle::Point(to));
                    self.events.push(at, Event::Over(element));
                }
                Event::Signal(element) => {
                    let at = self.enter(now, element, self.chip.request);
                    let signals = &mut self.elements[element as usize].signals;
                    *signals += 1;
                    let come = Obstacle::Signals(*signals);
                    self.wake(at, element, come);
                }
                Event::Over(element) => {
                    let pending = &mut self.elements[element as usize].pending;
                    *pending -= 1;
                    let left = Obstacle::Pending(*pending);
                    self.wake(now, element, left);
                }
            }
        }
        self.run
    }

    /// Lets an element issue at a time, if it waits for this.
    fn wake(&mut self, at: u64, number: u32, by: Obstacle) {
        let waits_for = &mut self.elements[number as usize].waits_for;
        if *waits_for == Some(by) {
            *waits_for = None;
            self.events.push(at, Event::Issue(number));
        }
    }

    /// An element comes to its next operation, if it has one.
    fn proceed(&mut self, at: u64, number: u32) {
        let element = &mut self.elements[number as usize];
        (element.now, element.since) = (element.program.next(), at);
        self.run.cycles = self.run.cycles.max(at);
        if element.now.is_some() {
            self.events.push(at, Event::Issue(number));
        }
    }

    fn core(&self, element: u32) -> usize {
        element as usize / self.chip.elements
    }

    /// When so many bytes of an element, that it issues now, are through the crossbar.
    fn leave(&mut self, now: u64, element: u32, bytes: u64) -> u64 {
        self.out.serve(self.core(element), now, self.chip.passing(bytes)) + self.chip.delay
    }

    /// When so many bytes that are at the in port now have come to the element.
    fn enter(&mut self, now: u64, element: u32, bytes: u64) -> u64 {
        self.into.serve(self.core(element), now, self.chip.passing(bytes))
    }

    /// An element sends a request to a bank.
    fn request(&mut self, now: u64, element: u32, request: Operation) {
        let is_store = matches!(request, Operation::Store { .. });
        let at = self.leave(now, element, if is_store { POINT } else { self.chip.request });
        self.events.push(at, Event::Bank { element, request });
    }

    /// An element issues its operation, unless it has to wait.
    fn issue(&mut self, now: u64, number: u32) {
        let (chip, element, spent) = (self.chip, &mut self.elements[number as usize], &mut self.run.spent);
        let Some(operation) = element.now else { return };
        let waited = now - std::mem::replace(&mut element.since, now);
        match operation {
            Operation::Await { .. } => spent.waiting += waited,
            _ => spent.memory += waited,
        }
        let unit = chip.unit(number as usize);
        match element.obstacle(now, operation, self.units.free[unit]) {
            None => {}
            Some(Obstacle::Until { time, is_load }) => {
                element.since = time;
                *if is_load { &mut spent.memory } else { &mut spent.floating } += time - now;
                self.events.push(time, Event::Issue(number));
                return;
            }
            waits_for => {
                element.waits_for = waits_for;
                return;
            }
        }
        let cycles = spent.issue(operation);
        match operation {
            Operation::Integer(_) | Operation::Drain | Operation::Await { .. } => {}
            Operation::Load { to, .. } => {
                element.load(to, UNKNOWN);
                element.pending += 1;
                self.request(now, number, operation);
            }
            Operation::LoadNear { to } => element.load(to, now + chip.near),
            Operation::Float { to, .. } => {
                self.units.serve(unit, now, 1);
                element.registers[usize::from(to)] = Value { ready: now + chip.latency, is_loaded: false };
            }
            Operation::Store { .. } => {
                element.pending += 1;
                self.request(now, number, operation);
            }
            Operation::Signal { to } => {
                let at = self.leave(now, number, chip.request);
                self.events.push(at, Event::Signal(to));
            }
            Operation::End => {
                let (ends, stage) = (&mut self.run.ends, element.stage);
                element.stage += 1;
                ends.resize(ends.len().max(stage + 1), 0);
                ends[stage] = ends[stage].max(now);
            }
            Operation::Barrier if chip.has_counter => return self.request(now, number, operation),
            Operation::Barrier | Operation::Meet => return self.arrive(now),
        }
        self.proceed(now + cycles, number);
    }

    /// A bank takes up a request. The counter of barriers is in the first bank.
    fn serve(&mut self, now: u64, element: u32, request: Operation) {
        let (address, bytes) = match request {
            Operation::Load { address, .. } | Operation::Store { address, .. } => (address, POINT),
            _ => (0, self.chip.request),
        };
        let (bank, cycles) = (self.chip.bank(address), self.chip.passing(bytes));
        let done = if self.chip.has_queues { self.banks.serve(bank, now, cycles) } else { now + cycles };
        self.run.cycles = self.run.cycles.max(done);
        let point = (address / POINT) as usize;
        match request {
            Operation::Load { to, stage, .. } => {
                self.run.stale += u64::from(self.written.get(point).copied().unwrap_or(0) != stage);
                self.events.push(done + self.chip.delay, Event::Point { element, to });
            }
            Operation::Store { stage, .. } => {
                self.written.resize(self.written.len().max(point + 1), 0);
                self.written[point] = stage;
                self.events.push(done, Event::Over(element));
            }
            _ => self.arrive(done + self.chip.delay),
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
            self.run.spent.waiting += at - self.elements[number].since;
            self.proceed(at, number as u32);
        }
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
