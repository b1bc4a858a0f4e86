//! A node of the exploring machine: its units, the work that waits there, and the steps that made this work.

mod collected;
mod followed;

use std::collections::{HashMap, VecDeque};

use super::super::channels::channels;
use super::super::execution::{Execution, Kind, Label, Step};
use crate::machine::unit_set::CoreUnit;
use crate::machine::units::Unit;
use crate::node::dual::{Executor, Synchronizer};
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::frame::Ready;
use crate::node::function::{ErasedCall, Event, Runnable, Token};
use crate::node::merged::Merged;
use crate::node::su::{Su, SuResult};
use crate::node::word_hasher::BuildWordHasher;
use crate::probe::accesses::Access;
use crate::vocabulary::address::FrameId;
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::error::Error;
use crate::vocabulary::layout::Layout;

/// The units of a node.
enum NodeUnits {
    Spn(Box<Merged>),
    Dual(Box<Executor>, Box<Synchronizer>),
}

/// An enabled fiber, or a function to start.
pub(super) struct Waiting {
    pub(super) next: Runnable,
    /// The label of a function. The label of a fiber depends on its round, which is known when it runs.
    label: Label,
    pub(super) causes: Vec<u32>,
}

/// A token that may start.
pub(super) struct WaitingToken {
    pub(super) token: Token,
    label: Label,
    /// The step that made it.
    pub(super) maker: Option<u32>,
}

impl WaitingToken {
    /// Returns the label of the step that starts the token on node `to`.
    pub(super) fn on(&self, to: u32) -> Label {
        self.label.then(Kind::Token, &[u64::from(to)])
    }

    pub(super) fn describe(&self, from: u32, to: u32) -> String {
        let name = name_of(&self.token.call);
        let of = if from == to { String::new() } else { format!(" of node {from}") };
        format!("starts a token `{name}`{of}")
    }
}

/// Operations of one fiber that its synchronization unit still has to apply (DUAL).
pub(super) struct Operations {
    pub(super) sender: u32,
    /// How many are left.
    left: u64,
    /// How many steps have applied some of them.
    taken: u64,
    /// The frame of the fiber, if the fiber ended it.
    ends: Option<FrameId>,
}

impl Operations {
    /// The sender of a report without work, which is no step.
    const REPORT: u32 = u32::MAX;
}

type ByEntry<T> = HashMap<(FrameId, u32), T, BuildWordHasher>;

/// A node whose every step the machine selects.
pub(super) struct ExploredNode {
    pub(super) number: u32,
    units: NodeUnits,
    pub(super) waiting: Vec<Waiting>,
    pub(super) tokens: Vec<WaitingToken>,
    /// Messages on their way to the node, by sender.
    pub(super) arriving: Vec<VecDeque<u32>>,
    pub(super) operations: VecDeque<Operations>,
    /// How many timers have fired.
    pub(super) timers: u64,
    /// The label of the step that made each frame.
    frames: HashMap<FrameId, Label, BuildWordHasher>,
    /// How often each fiber of each frame has run, by its enabler and index, and its last step.
    rounds: HashMap<(FrameId, u32, u32), (u64, u32), BuildWordHasher>,
    /// The steps that signalled each slot in its current round.
    signals: ByEntry<Vec<u32>>,
    /// The steps that enabled a fiber that is not in `waiting` yet, by its slot.
    enabled: ByEntry<VecDeque<Vec<u32>>>,
    /// The steps whose values are parked at each inlet.
    parked: ByEntry<VecDeque<u32>>,
}

impl ExploredNode {
    pub(super) fn new(number: u32, units: Vec<CoreUnit>, nodes: usize) -> Self {
        let mut units = units.into_iter();
        let units = match (units.next(), units.next()) {
            (Some(CoreUnit::Merged(node)), None) => NodeUnits::Spn(node),
            (Some(CoreUnit::Executor(eu)), Some(CoreUnit::Synchronizer(su))) => NodeUnits::Dual(eu, su),
            _ => unreachable!("a node has the units of SPN or of DUAL"),
        };
        ExploredNode {
            number,
            units,
            waiting: Vec::new(),
            tokens: Vec::new(),
            arriving: (0..nodes).map(|_| VecDeque::new()).collect(),
            operations: VecDeque::new(),
            timers: 0,
            frames: HashMap::default(),
            rounds: HashMap::default(),
            signals: HashMap::default(),
            enabled: HashMap::default(),
            parked: HashMap::default(),
        }
    }

    /// Prepares for a run. The units have the functions of the beginning.
    pub(super) fn begin(&mut self) {
        self.waiting.clear();
        self.tokens.clear();
        self.arriving.iter_mut().for_each(VecDeque::clear);
        self.operations.clear();
        self.timers = 0;
        self.frames.clear();
        self.rounds.clear();
        self.signals.clear();
        self.enabled.clear();
        self.parked.clear();
        self.exchange();
        self.take_work(None);
    }

    pub(super) fn each(&mut self, visit: &mut dyn FnMut(&mut dyn Unit)) {
        match &mut self.units {
            NodeUnits::Spn(node) => visit(&mut **node),
            NodeUnits::Dual(eu, su) => {
                visit(&mut **eu);
                visit(&mut **su);
            }
        }
    }

    /// Returns the synchronization unit, which owns the slots.
    pub(super) fn su(&mut self) -> &mut Su {
        match &mut self.units {
            NodeUnits::Spn(node) => node.su(),
            NodeUnits::Dual(_, su) => &mut su.su,
        }
    }

    pub(super) fn eu(&mut self) -> &mut ExecutionUnit {
        match &mut self.units {
            NodeUnits::Spn(node) => &mut node.eu,
            NodeUnits::Dual(eu, _) => &mut eu.eu,
        }
    }

    /// Returns the label of the step that applies the next operations, if there are any (DUAL).
    pub(super) fn next_operations(&self, steps: &[Step]) -> Option<Label> {
        let Operations { sender, taken, .. } = self.operations.front()?;
        let sender = steps[*sender as usize].label;
        Some(sender.then(Kind::Operations, &[u64::from(self.number), *taken]))
    }

    /// Returns whether operations of this step have not been applied yet (DUAL).
    pub(super) fn has_operations_of(&self, maker: Option<u32>) -> bool {
        self.operations.iter().any(|operations| Some(operations.sender) == maker)
    }

    /// Returns the fibers and functions that may run next: their indexes in `waiting` and their labels.
    pub(super) fn runnable(&self) -> impl Iterator<Item = (usize, Label)> + '_ {
        self.waiting.iter().enumerate().filter_map(|(at, waiting)| {
            let Runnable::Fiber(ready) = &waiting.next else { return Some((at, waiting.label)) };
            let own = key(ready);
            let is_later = self.waiting[..at].iter().any(|earlier| match &earlier.next {
                Runnable::Fiber(earlier) => key(earlier) == own,
                Runnable::Function(_) => false,
            });
            let round = self.rounds.get(&own).map_or(0, |(round, _)| *round);
            let frame = self.frames.get(&ready.id).copied();
            let frame = frame.unwrap_or_else(|| Label::first(Kind::Fiber, &[ready.id.word()]));
            let label = frame.then(Kind::Fiber, &[u64::from(own.1), u64::from(own.2), round]);
            (!is_later).then_some((at, label))
        })
    }

    /// Returns the steps that must come before the start of a token of this node on node `to`.
    pub(super) fn causes_of(&self, execution: &Execution, token: &WaitingToken, to: u32) -> Vec<u32> {
        let mut causes: Vec<_> = token.maker.into_iter().collect();
        if to != self.number {
            // The operations of the token's maker have been applied.
            let own = |message: &&super::super::execution::Message| {
                Some(message.sender) == token.maker && message.channel.to == self.number
            };
            let last = execution.messages.iter().rev().find(own);
            causes.extend(last.and_then(|message| message.step));
        }
        causes
    }

    /// Returns a description of what runs next.
    pub(super) fn describe(&mut self, next: &Runnable) -> String {
        match next {
            Runnable::Fiber(ready) => {
                let about = self.su().frames.names(ready.id).waiting(ready);
                let function = about.layout.map_or_else(|| "?".to_owned(), Layout::name);
                format!("runs `{function}::{}`", about.fiber())
            }
            Runnable::Function(call) => format!("starts `{}`", name_of(call)),
        }
    }

    /// Applies a message of another node.
    pub(super) fn attend(&mut self, event: Event) -> SuResult {
        match &mut self.units {
            NodeUnits::Spn(node) => {
                node.eu.leave_fiber();
                node.su().attend(event)
            }
            NodeUnits::Dual(_, su) => su.attend(event),
        }
    }

    /// Applies operations of the execution unit (DUAL), up to the next one with an effect.
    pub(super) fn apply(&mut self, execution: &mut Execution) -> SuResult {
        let NodeUnits::Dual(eu, su) = &mut self.units else { return Ok(()) };
        let Some(operations) = self.operations.front_mut() else { return Ok(()) };
        operations.taken += 1;
        let mut ended = None;
        while operations.left > 0 {
            operations.left -= 1;
            if !su.apply_next()? {
                eu.flush_all();
                su.apply_next()?;
            }
            su.hand_all();
            eu.receive_all();
            ended = operations.ends.take_if(|frame| su.su.frames.memory.live_function(*frame).is_none());
            let waits = !eu.eu.su.run_queue.is_empty() || eu.eu.su.tokens.private.len() > 0;
            let used = su.su.accesses.as_ref().is_some_and(|accesses| !accesses.is_empty());
            if ended.is_some() || waits || used || !channels(&mut su.su).sent.is_empty() {
                break;
            }
        }
        if operations.left == 0 {
            self.operations.pop_front();
        }
        if let (Some(frame), Some(step)) = (ended, execution.steps.last_mut()) {
            step.accesses.push((frame, Access::End));
        }
        Ok(())
    }

    /// Runs a fiber or starts a function, as the last step.
    pub(super) fn run(&mut self, execution: &mut Execution, next: Runnable) {
        match next {
            Runnable::Fiber(ready) => {
                let number = execution.steps.len() as u32 - 1;
                let round = self.rounds.entry(key(&ready)).or_insert((0, number));
                let earlier = std::mem::replace(round, (round.0 + 1, number)).1;
                let takes = ready.by().slot().filter(|slot| self.has_inlets(ready.id, *slot));
                if let Some(step) = execution.steps.last_mut() {
                    // Rounds of one fiber run in their order.
                    step.causes.extend((earlier < number).then_some(earlier));
                    step.accesses.push((ready.id, Access::Fiber));
                    step.accesses.extend(takes.map(|slot| (ready.id, Access::Take { slot })));
                }
                let before = self.operations_sent();
                self.run_unit(Runnable::Fiber(ready));
                self.note_run(execution, Some(ready.id), before);
            }
            Runnable::Function(call) => self.start(execution, call),
        }
    }

    fn has_inlets(&mut self, frame: FrameId, slot: u32) -> bool {
        self.su().frames.memory.inlets_of(frame, slot).next().is_some()
    }

    /// Starts a function, as the last step.
    pub(super) fn start(&mut self, execution: &mut Execution, call: ErasedCall) {
        let before = self.operations_sent();
        self.run_unit(Runnable::Function(call));
        self.note_run(execution, None, before);
    }

    /// Starts the token of another node that was put into the transport, as the last step.
    pub(super) fn start_given(&mut self, execution: &mut Execution) -> Result<(), Box<Error>> {
        let before = self.operations_sent();
        match &mut self.units {
            NodeUnits::Spn(node) => {
                node.eu.start_other::<true>()?;
            }
            NodeUnits::Dual(eu, su) => {
                su.hand_token()?;
                su.hand_all();
                eu.receive_all();
                if let Some(next) = eu.eu.su.run_queue.pop() {
                    eu.run(next);
                }
            }
        }
        self.note_run(execution, None, before);
        Ok(())
    }

    fn run_unit(&mut self, next: Runnable) {
        match &mut self.units {
            NodeUnits::Spn(node) => node.eu.run_or_start::<true>(next),
            NodeUnits::Dual(eu, _) => eu.run(next),
        }
    }

    /// Returns how many operations the execution unit has passed on (DUAL).
    fn operations_sent(&self) -> u64 {
        match &self.units {
            NodeUnits::Spn(_) => 0,
            NodeUnits::Dual(eu, _) => eu.eu.su.sent,
        }
    }

    /// Notes the frame of the fiber that has just run, whether it has ended, and the operations that the
    /// fiber passed on. `frame` is none if the fiber was the first of its function.
    fn note_run(&mut self, execution: &mut Execution, frame: Option<FrameId>, before: u64) {
        let number = execution.steps.len() as u32 - 1;
        let frame = frame.or_else(|| {
            let made = self.eu().frame_given()?;
            self.frames.insert(made, execution.steps[number as usize].label);
            Some(made)
        });
        let memory = &self.eu().su.frames.memory;
        let ends = frame.filter(|frame| memory.live_function(*frame).is_none());
        match &self.units {
            NodeUnits::Spn(_) => {
                let ended = ends.map(|frame| (frame, Access::End));
                execution.steps[number as usize].accesses.extend(ended);
            }
            NodeUnits::Dual(..) => {
                let left = self.operations_sent() - before;
                if left > 0 {
                    self.operations.push_back(Operations { sender: number, left, taken: 0, ends });
                }
            }
        }
    }

    /// Lets the next timer fire, as the last step.
    pub(super) fn fire(&mut self, execution: &mut Execution) {
        self.timers += 1;
        if let Some(step) = execution.steps.last_mut() {
            step.accesses.push((FrameId::ROOT, Access::Node));
        }
        self.fire_next();
    }

    /// Lets the next timer fire. Returns whether there was one.
    pub(super) fn fire_next(&mut self) -> bool {
        let su = self.su();
        let due = su.next_due();
        if let Some(due) = due {
            su.set_time(due);
            su.fire(due);
        }
        due.is_some()
    }
}

/// Returns the frame of a fiber, its enabler and its index.
fn key(ready: &Ready) -> (FrameId, u32, u32) {
    let Enabler(by) = ready.by();
    (ready.id, by, ready.index())
}

fn name_of(call: &ErasedCall) -> String {
    call.kind().map_or_else(|| "?".to_owned(), |kind| kind.hooks().layout.name())
}
