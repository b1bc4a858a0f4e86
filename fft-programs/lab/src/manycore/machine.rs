//! Event-driven simulation of the chip: the operations that elements issue, and the time at which each port,
//! bank and unit becomes free.
//!
//! 1. An *element* issues one operation per cycle, in order. An operation that needs a result waits for it.
//!    Loads do not wait for each other. An element with the largest number of loads under way issues no more.
//! 2. Outgoing data pass the core's *out port*, and incoming data its *in port*: FIFO, 8 bytes per cycle.
//! 3. The *crossbar* has a latency of D cycles at any load. It is never the bottleneck (64 ports of 8 bytes,
//!    of 1140).
//! 4. A *bank* serves requests in FIFO order, 8 bytes per cycle.
//! 5. Elements of a core share floating-point units, which start one operation per cycle.
//! 6. A *barrier* is a counter in a bank. Each arrival is a request, and the last arrival's answer goes to
//!    all elements. The chip has a factor on the cost of all this. A barrier may also be *polled*: each
//!    element gets its own answer, and asks again until the barrier is open. Or a *lock* guards the counter,
//!    and passes from element to element.
//! 7. A *signal* goes from one element to another through both cores' ports. An element that awaits signals
//!    polls its own memory.
//!
//! The events are in the [`Timeline`] of the runtime's simulated machine, which orders the events of a cycle
//! by insertion. Each kind of event has a handler here.
//!
//! The simulation uses no equation of the [model](crate::model::manycore). Operations carry no data, but
//! memory records which stage has written a point, so a program that reads a point too early is detected.
//!
//! *Cost.* Four events for a load, three for a store, one for any other operation: about 50 ns each.

use earth::simulated::Timeline;

use super::chip::{BarrierKind, Chip, POINT};
use super::operation::{Operation, Register, Run};
use super::servers::FifoServers;

#[derive(Clone, Copy, Debug)]
enum ChipEvent {
    /// An element may issue.
    Issue(u32),
    /// A load, store or barrier of an element is at its bank.
    Bank { element: u32, request: Operation },
    /// A point is at the in port.
    Point { element: u32, to: Register },
    /// A signal is at the in port.
    Signal(u32),
    /// The answer of a polled barrier is at the in port.
    Answer { element: u32, is_open: bool },
    /// A load or a store has completed.
    Over { element: u32, is_load: bool },
}

/// Reason why an element cannot issue its operation now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    /// A loaded value arrives, a floating-point result is ready, or the floating-point unit becomes free.
    Until { time: u64, is_load: bool },
    /// The point for two registers is in flight; this is the first register.
    Point(Register),
    /// At most this number of loads and stores may be in flight.
    Pending(usize),
    /// A load in flight must have completed.
    Load,
    /// This number of signals, in total, must have arrived.
    Signals(u64),
}

/// Value of a register.
#[derive(Clone, Copy)]
struct Value {
    /// Cycle at which the value is ready.
    ready: u64,
    is_loaded: bool,
}

/// Ready time of a value in flight.
const UNKNOWN: u64 = u64::MAX;

struct Element<I> {
    program: I,
    now: Option<Operation>,
    /// Cycle from which the operation could have been issued without any obstacle.
    since: u64,
    waits_for: Option<Obstacle>,
    registers: [Value; 256],
    signals: u64,
    /// Number of loads and stores in flight.
    pending: usize,
    /// Number of loads in flight.
    loads: usize,
    /// Number of barriers that the element has passed.
    passed: usize,
    stage: usize,
}

impl<I> Element<I> {
    /// Records a loaded point that is ready at cycle `ready`.
    fn load(&mut self, to: Register, ready: u64) {
        for register in [to, to + 1] {
            self.registers[usize::from(register)] = Value { ready, is_loaded: true };
        }
    }

    /// Returns the reason why the element cannot issue `operation` now. Its floating-point unit is free at
    /// cycle `unit`, and at most `loads` loads may be in flight.
    fn obstacle(&self, now: u64, operation: Operation, unit: u64, loads: usize) -> Option<Obstacle> {
        let needs: &[Register] = match &operation {
            Operation::Float { from, .. } => from,
            Operation::Store { from, .. } => &[*from, *from + 1],
            Operation::Load { .. } => return (self.loads >= loads).then_some(Obstacle::Load),
            Operation::Drain => return (self.pending > 0).then_some(Obstacle::Pending(0)),
            Operation::Await { signals } => {
                return (self.signals < *signals).then_some(Obstacle::Signals(*signals));
            }
            _ => return None,
        };
        // The last operand to arrive determines the wait.
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

/// Chip with one program per element.
pub(crate) struct Machine<'a, I> {
    chip: &'a Chip,
    elements: Vec<Element<I>>,
    events: Timeline<ChipEvent>,
    /// Out ports and in ports of cores, banks, and floating-point units.
    out: FifoServers,
    into: FifoServers,
    banks: FifoServers,
    /// The lock of a barrier's counter.
    lock: FifoServers,
    units: FifoServers,
    /// Stage that wrote each point.
    written: Vec<u8>,
    /// Number of elements that have arrived at the barrier, and number of barriers before it.
    arrived: usize,
    opened: usize,
    /// Number of requests that the barrier's counter has served.
    counted: u64,
    run: Run,
}

impl<'a, I: Iterator<Item = Operation>> Machine<'a, I> {
    /// Creates a machine whose elements run these programs. The programs of a core's elements are
    /// consecutive.
    pub(crate) fn new(chip: &'a Chip, programs: impl IntoIterator<Item = I>) -> Self {
        let element = |program| Element {
            program,
            now: None,
            since: 0,
            waits_for: None,
            registers: [Value { ready: 0, is_loaded: false }; 256],
            signals: 0,
            pending: 0,
            loads: 0,
            passed: 0,
            stage: 0,
        };
        let [out, into] = [chip.cores; 2].map(FifoServers::new);
        Self {
            chip,
            elements: programs.into_iter().map(element).collect(),
            events: Timeline::new(),
            out,
            into,
            banks: FifoServers::new(chip.banks),
            lock: FifoServers::new(1),
            units: FifoServers::new(chip.cores * chip.elements.div_ceil(chip.sharing)),
            written: Vec::new(),
            arrived: 0,
            opened: 0,
            counted: 0,
            run: Run::default(),
        }
    }

    /// Runs the programs to their end.
    pub(crate) fn run(mut self) -> Run {
        for element in 0..self.elements.len() {
            self.proceed(0, element as u32);
        }
        while let Some((now, event)) = self.events.pop() {
            self.run.cycles = self.run.cycles.max(now);
            match event {
                ChipEvent::Issue(element) => self.issue(now, element),
                ChipEvent::Bank { element, request } => self.serve(now, element, request),
                ChipEvent::Point { element, to } => {
                    let at = self.enter(now, element, POINT);
                    self.elements[element as usize].load(to, at);
                    self.wake(at, element, Obstacle::Point(to));
                    self.events.push(at, ChipEvent::Over { element, is_load: true });
                }
                ChipEvent::Signal(element) => {
                    let at = self.enter(now, element, self.chip.request);
                    let signals = &mut self.elements[element as usize].signals;
                    *signals += 1;
                    let come = Obstacle::Signals(*signals);
                    self.wake(at, element, come);
                }
                ChipEvent::Answer { element, is_open } => {
                    let at = self.enter(now, element, self.chip.request);
                    self.answer(at, element, is_open);
                }
                ChipEvent::Over { element, is_load } => {
                    let of = &mut self.elements[element as usize];
                    of.pending -= 1;
                    of.loads -= usize::from(is_load);
                    let left = Obstacle::Pending(of.pending);
                    self.wake(now, element, left);
                    if is_load {
                        self.wake(now, element, Obstacle::Load);
                    }
                }
            }
        }
        self.run
    }

    /// Lets an element issue at cycle `at`, if it waits for `by`.
    fn wake(&mut self, at: u64, number: u32, by: Obstacle) {
        let waits_for = &mut self.elements[number as usize].waits_for;
        if *waits_for == Some(by) {
            *waits_for = None;
            self.events.push(at, ChipEvent::Issue(number));
        }
    }

    /// Advances an element to its next operation, if it has one.
    fn proceed(&mut self, at: u64, number: u32) {
        let element = &mut self.elements[number as usize];
        (element.now, element.since) = (element.program.next(), at);
        self.run.cycles = self.run.cycles.max(at);
        if element.now.is_some() {
            self.events.push(at, ChipEvent::Issue(number));
        }
    }

    fn core(&self, element: u32) -> usize {
        element as usize / self.chip.elements
    }

    /// Sends `bytes` bytes of an element now. Returns the cycle at which they are through the crossbar.
    fn leave(&mut self, now: u64, element: u32, bytes: u64) -> u64 {
        self.out.serve(self.core(element), now, self.chip.passing(bytes)) + self.chip.delay
    }

    /// Receives `bytes` bytes that are at the in port now. Returns the cycle at which they reach the element.
    fn enter(&mut self, now: u64, element: u32, bytes: u64) -> u64 {
        self.into.serve(self.core(element), now, self.chip.passing(bytes))
    }

    /// Sends a request of an element to a bank.
    fn request(&mut self, now: u64, element: u32, request: Operation) {
        let is_store = matches!(request, Operation::Store { .. });
        let through = self.leave(now, element, if is_store { POINT } else { self.chip.request });
        let is_barrier = matches!(request, Operation::Barrier | Operation::Poll);
        let at = if is_barrier { through - self.chip.delay + self.chip.barrier_delay() } else { through };
        self.events.push(at, ChipEvent::Bank { element, request });
    }

    /// Issues an element's operation, unless it must wait.
    fn issue(&mut self, now: u64, number: u32) {
        let (chip, element, spent) = (self.chip, &mut self.elements[number as usize], &mut self.run.spent);
        let Some(operation) = element.now else { return };
        let waited = now - std::mem::replace(&mut element.since, now);
        match operation {
            Operation::Await { .. } | Operation::Poll => spent.waiting += waited,
            _ => spent.memory += waited,
        }
        let unit = chip.unit(number as usize);
        match element.obstacle(now, operation, self.units.free[unit], chip.loads) {
            None => {}
            Some(Obstacle::Until { time, is_load }) => {
                element.since = time;
                *if is_load { &mut spent.memory } else { &mut spent.floating } += time - now;
                self.events.push(time, ChipEvent::Issue(number));
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
                element.loads += 1;
                self.request(now, number, operation);
            }
            Operation::LoadLocal { to } => element.load(to, now + chip.local),
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
                self.events.push(at, ChipEvent::Signal(to));
            }
            Operation::End => {
                let (ends, stage) = (&mut self.run.ends, element.stage);
                element.stage += 1;
                ends.resize(ends.len().max(stage + 1), 0);
                ends[stage] = ends[stage].max(now);
            }
            Operation::Poll => return self.request(now, number, operation),
            Operation::Barrier if chip.barrier > 0 => return self.request(now, number, operation),
            Operation::Barrier | Operation::Meet => return self.arrive(now),
        }
        self.proceed(now + cycles, number);
    }

    /// Serves a request at a bank. The barrier counter is in the first bank.
    fn serve(&mut self, now: u64, element: u32, request: Operation) {
        let (address, cycles) = match request {
            Operation::Load { address, .. } | Operation::Store { address, .. } => {
                (address, self.chip.passing(POINT))
            }
            _ => {
                self.counted += 1;
                (0, self.chip.counting(self.counted))
            }
        };
        let bank = self.chip.bank(address);
        let is_locked = self.chip.kind == BarrierKind::Locked && request == Operation::Barrier;
        let done = match self.chip.has_queues {
            true if is_locked => self.lock.serve(0, now, cycles),
            true => self.banks.serve(bank, now, cycles),
            false => now + cycles,
        };
        self.run.cycles = self.run.cycles.max(done);
        let point = (address / POINT) as usize;
        match request {
            Operation::Load { to, stage, .. } => {
                self.run.stale += u64::from(self.written.get(point).copied().unwrap_or(0) != stage);
                self.events.push(done + self.chip.delay, ChipEvent::Point { element, to });
            }
            Operation::Store { stage, .. } => {
                self.written.resize(self.written.len().max(point + 1), 0);
                self.written[point] = stage;
                self.events.push(done, ChipEvent::Over { element, is_load: false });
            }
            _ if self.chip.kind == BarrierKind::Polled => {
                if request == Operation::Barrier {
                    self.arrived += 1;
                }
                if self.arrived == self.elements.len() {
                    (self.arrived, self.opened) = (0, self.opened + 1);
                }
                let is_open = self.opened > self.elements[element as usize].passed;
                let at = done + self.chip.barrier_delay();
                self.events.push(at, ChipEvent::Answer { element, is_open });
            }
            _ => self.arrive(done + self.chip.barrier_delay()),
        }
    }

    /// Lets an element pass a polled barrier, or ask again.
    fn answer(&mut self, at: u64, number: u32, is_open: bool) {
        let element = &mut self.elements[number as usize];
        if !is_open {
            element.now = Some(Operation::Poll);
            return self.events.push(at, ChipEvent::Issue(number));
        }
        element.passed += 1;
        self.run.spent.waiting += at - element.since;
        self.proceed(at, number);
    }

    /// Counts an arrival at the barrier. The last arrival opens the barrier at cycle `at`.
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
