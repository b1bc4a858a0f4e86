//! Results of a step in the units of a node: accesses, fibers, functions and tokens.

use std::collections::VecDeque;

use super::{ExploredNode, NodeUnits, Waiting, WaitingToken};
use crate::machine::explore::execution::{Execution, Kind, Label};
use crate::node::function::Runnable;
use crate::probe::accesses::{Access, FrameAccess};
use crate::vocabulary::address::FrameId;

impl ExploredNode {
    /// Takes what the last step left in the units: accesses, fibers, functions and tokens.
    pub(in super::super) fn collect(&mut self, execution: &mut Execution) {
        self.exchange();
        self.take_accesses(execution);
        self.take_work(Some(execution));
    }

    /// Hands over work and receives it, until the units of the node have no message for each other but
    /// operations.
    pub(super) fn exchange(&mut self) {
        let NodeUnits::Dual(eu, su) = &mut self.units else { return };
        loop {
            su.hand_all();
            eu.receive_all();
            if su.su.work.is_empty() {
                break;
            }
        }
    }

    /// Adds the accesses of the last step to it.
    pub(in super::super) fn take_accesses(&mut self, execution: &mut Execution) {
        let number = execution.steps.len() as u32 - 1;
        let Some(step) = execution.steps.last_mut() else { return };
        let mut log = self.su().accesses.take();
        let mut released = None;
        for FrameAccess { frame, access, enables } in log.iter_mut().flat_map(|log| log.take()) {
            // A released value was used by the step that parked it.
            if released.is_none() {
                step.accesses.push((frame, access));
            }
            match access {
                Access::Park { inlet, .. } => {
                    self.parked.entry((frame, inlet)).or_default().push_back(number);
                }
                Access::Release { inlet } => {
                    released = self.parked.get_mut(&(frame, inlet)).and_then(VecDeque::pop_front);
                }
                Access::Signal { slot } | Access::Value { slot, .. } => {
                    let signals = self.signals.entry((frame, slot)).or_default();
                    signals.extend(released.take());
                    signals.push(number);
                    if enables {
                        let causes = std::mem::take(signals);
                        self.enabled.entry((frame, slot)).or_default().push_back(causes);
                    }
                }
                _ => {}
            }
        }
        let su = self.su();
        su.accesses = log;
        if su.isolates() || self.eu().su.isolates() {
            step.accesses.push((FrameId::ROOT, Access::Node));
        }
        if step.text.is_some() {
            let used =
                step.accesses.iter().filter_map(|(frame, access)| self.used(*frame, *access)).collect();
            step.text.iter_mut().for_each(|text| text.used.clone_from(&used));
        }
    }

    /// Returns the name of what an access used, if it has one.
    fn used(&mut self, frame: FrameId, access: Access) -> Option<String> {
        if frame == FrameId::ROOT {
            return matches!(access, Access::Value { .. }).then(|| "the value of the run".to_owned());
        }
        let names = self.su().frames.names(frame);
        let function = names.function();
        Some(match access {
            Access::Signal { slot } => format!("slot `{}` of `{function}`", names.slot(slot)),
            Access::Value { inlet, .. } => format!("inlet `{}` of `{function}`", names.inlet(inlet)),
            Access::Park { inlet, .. } => format!("full inlet `{}` of `{function}`", names.inlet(inlet)),
            Access::Raise { slot } => format!("count of slot `{}` of `{function}`", names.slot(slot)),
            Access::Read { cell } | Access::Write { cell } => {
                format!("cell `{}` of `{function}`", names.cell(cell))
            }
            Access::End => format!("end of `{function}`"),
            Access::Release { .. } | Access::Take { .. } | Access::Fiber | Access::Node => return None,
        })
    }

    /// Takes fibers, functions and tokens out of the units.
    pub(super) fn take_work(&mut self, execution: Option<&Execution>) {
        let (step, label) = match execution {
            Some(execution) => {
                let number = execution.steps.len() - 1;
                (Some(number as u32), execution.steps[number].label)
            }
            None => (None, Label::first(Kind::First, &[u64::from(self.number)])),
        };
        let by_step = || step.into_iter().collect();
        let mut started = 0;
        while let Some(next) = self.eu().su.run_queue.pop() {
            let waiting = match next {
                Runnable::Fiber(ready) => {
                    let slot = ready.by().slot();
                    let enabled = slot.and_then(|slot| self.enabled.get_mut(&(ready.id, slot)));
                    let causes = enabled.and_then(VecDeque::pop_front).unwrap_or_else(by_step);
                    Waiting { next: Runnable::Fiber(ready), label, causes }
                }
                Runnable::Function(call) => {
                    let label = label.then(Kind::Start, &[started]);
                    started += 1;
                    Waiting { next: Runnable::Function(call), label, causes: by_step() }
                }
            };
            self.waiting.push(waiting);
        }
        let mut made = 0;
        while let Some(token) = self.eu().su.tokens.pop_oldest() {
            let label = label.then(Kind::Token, &[u64::from(self.number), made]);
            made += 1;
            self.tokens.push(WaitingToken { token, label, maker: step });
        }
    }
}
