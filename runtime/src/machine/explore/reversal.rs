//! Schedules in which a race has the other outcome.
//!
//! Of a race `(first, second)`, the new schedule takes all steps that do not come after `first`, then
//! `second`. The steps must be taken in an order that the channels allow: a receipt takes the oldest message
//! of its channel. If there is no such order, the sender of the message that `first` received is left out
//! too, and so on: the other order of two messages needs the other order of their senders.
//!
//! [`linearized`] finds an order by these steps:
//!
//! 1. Of two senders on one channel, the one whose message is received, or received first, sends first. So
//!    all its messages on each channel come before all messages of the other one.
//! 2. Repeat until no further senders are ordered. If two senders must each be first, there is no order.
//! 3. Take any step whose earlier steps have been taken, and whose message is the oldest of its channel.

use std::collections::VecDeque;

use super::execution::{Channel, Execution, Label};
use super::order::{Order, StepSet, class_of};

/// A schedule to try: the labels of its first steps.
#[derive(Debug)]
pub(super) struct Reversed {
    pub(super) labels: Vec<Label>,
    /// Hash of the class of these steps.
    pub(super) class: u128,
}

/// Returns a schedule in which `second` comes without `first`, if there is one.
pub(super) fn reversed(
    execution: &Execution,
    order: &Order,
    (first, second): (u32, u32),
) -> Option<Reversed> {
    let mut without = first;
    loop {
        if let Some(found) = taken_without(execution, order, without, Some(second)) {
            let steps = found.0.iter().map(|&step| (step, &found.1[step as usize]));
            let class = class_of(execution, steps);
            let labels = found.0.iter().map(|step| execution.steps[*step as usize].label).collect();
            return Some(Reversed { labels, class });
        }
        let message = execution.steps[without as usize].message?;
        without = execution.messages[message as usize].sender;
        let causes = &execution.steps[second as usize].causes;
        let needed = |cause: &u32| *cause == without || order.before[*cause as usize].has(without);
        if causes.iter().any(needed) {
            return None;
        }
    }
}

/// Returns a schedule that ends with `instead`, another form of the step `of`.
pub(super) fn replaced(execution: &Execution, order: &Order, of: u32, instead: Label) -> Option<Reversed> {
    let (steps, before) = taken_without(execution, order, of, None)?;
    let class = class_of(execution, steps.iter().map(|&step| (step, &before[step as usize])));
    let mut labels: Vec<_> = steps.iter().map(|step| execution.steps[*step as usize].label).collect();
    labels.push(instead);
    let word = instead.word();
    let class = super::execution::mixed(super::execution::mixed(class, word as u64), (word >> 64) as u64);
    Some(Reversed { labels, class })
}

/// Returns the steps that come neither after `without` nor after `last`, then `last`, in an order that the
/// channels allow, and the steps before each.
fn taken_without(
    execution: &Execution,
    order: &Order,
    without: u32,
    last: Option<u32>,
) -> Option<(Vec<u32>, Vec<StepSet>)> {
    let count = execution.steps.len();
    let follows = |step: u32, other: u32| step == other || order.before[step as usize].has(other);
    let mut taken = StepSet::none(count);
    for step in 0..count as u32 {
        if !follows(step, without) && last.is_none_or(|last| !follows(step, last)) {
            taken.insert(step);
        }
    }
    let mut before = order.before.clone();
    if let Some(last) = last {
        taken.insert(last);
        let mut own = StepSet::none(count);
        for &direct in order.direct[last as usize].iter().filter(|direct| taken.has(**direct)) {
            own.add(&before[direct as usize]);
            own.insert(direct);
        }
        before[last as usize] = own;
    }
    let steps = linearized(execution, &taken, &before, last)?;
    Some((steps, before))
}

/// Orders the steps `taken`, so that `before` and the channels allow it. `last` comes as late as possible.
fn linearized(
    execution: &Execution,
    taken: &StepSet,
    before: &[StepSet],
    last: Option<u32>,
) -> Option<Vec<u32>> {
    simulated(execution, taken, before, last).or_else(|| {
        let constrained = ordered_senders(execution, taken, before)?;
        simulated(execution, taken, &constrained, last)
    })
}

/// Adds the order of senders that the receipts imply. Returns `None` if it is contradictory.
fn ordered_senders(execution: &Execution, taken: &StepSet, before: &[StepSet]) -> Option<Vec<StepSet>> {
    let mut before = before.to_vec();
    let messages: Vec<_> = execution.messages.iter().filter(|message| taken.has(message.sender)).collect();
    let receipt = |at: usize| messages[at].step.filter(|step| taken.has(*step));
    loop {
        let mut new = Vec::new();
        for a in 0..messages.len() {
            for b in 0..messages.len() {
                let (first, second) = (messages[a].sender, messages[b].sender);
                if first == second || messages[a].channel != messages[b].channel {
                    continue;
                }
                let Some(received) = receipt(a) else { continue };
                let comes_first = receipt(b).is_none_or(|other| before[other as usize].has(received));
                if comes_first && !before[second as usize].has(first) {
                    new.push((first, second));
                }
                if before[second as usize].has(first)
                    && let Some(other) = receipt(b)
                    && !before[other as usize].has(received)
                {
                    new.push((received, other));
                }
            }
        }
        if new.is_empty() {
            return Some(before);
        }
        for (first, second) in new {
            if before[first as usize].has(second) {
                return None;
            }
            let mut added = before[first as usize].clone();
            added.insert(first);
            for (step, set) in (0..).zip(&mut before) {
                if step == second || set.has(second) {
                    set.add(&added);
                }
            }
        }
    }
}

/// Takes the steps one after another, with the queues of all channels.
fn simulated(
    execution: &Execution,
    taken: &StepSet,
    before: &[StepSet],
    last: Option<u32>,
) -> Option<Vec<u32>> {
    let mut queues: Vec<(Channel, VecDeque<u32>)> = Vec::new();
    let mut left: Vec<u32> = taken.iter().filter(|step| Some(*step) != last).chain(last).collect();
    let mut done = StepSet::none(execution.steps.len());
    let mut steps = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let at = left.iter().position(|&step| {
            let is_next = execution.steps[step as usize].message.is_none_or(|message| {
                let channel = execution.messages[message as usize].channel;
                let queue = queues.iter().find(|(of, _)| *of == channel);
                queue.is_some_and(|(_, queue)| queue.front() == Some(&message))
            });
            is_next && before[step as usize].iter().all(|earlier| done.has(earlier) || !taken.has(earlier))
        })?;
        let step = left.remove(at);
        if let Some(message) = execution.steps[step as usize].message {
            let channel = execution.messages[message as usize].channel;
            if let Some((_, queue)) = queues.iter_mut().find(|(of, _)| *of == channel) {
                queue.pop_front();
            }
        }
        for (number, message) in (0..).zip(&execution.messages).filter(|(_, message)| message.sender == step)
        {
            match queues.iter_mut().find(|(of, _)| *of == message.channel) {
                Some((_, queue)) => queue.push_back(number),
                None => queues.push((message.channel, VecDeque::from([number]))),
            }
        }
        done.insert(step);
        steps.push(step);
    }
    Some(steps)
}
