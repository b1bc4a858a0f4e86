//! Makes a [`Trace`] of the records of a run.
//!
//! The record of a fiber that a slot enabled has the number of the last signal of that round. The signals of
//! the round are the signals for the same slot up to this number, after the last signal of the slot's
//! previous round. The record of a fiber names its starter or spawner, and the record of a signal names its
//! sender. No times are compared.
//!
//! Cost: linear in the records, with one look-up in a table of slots for each signal.

use std::collections::HashMap;

use earth::records::{Cause, FiberId, FiberRef, NodeRecords, Queue, Records};

use crate::{Arrow, ArrowKind, Depth, Service, Slice, Trace, TraceName};

/// Names of fibers, each listed once.
#[derive(Default)]
struct Names {
    list: Vec<TraceName>,
    by_name: HashMap<TraceName, u32>,
    /// Shortcut, as building a name takes an allocation.
    by_id: HashMap<FiberId, u32>,
}

impl Names {
    fn of(&mut self, fiber: FiberId) -> u32 {
        let Names { list, by_name, by_id } = self;
        *by_id.entry(fiber).or_insert_with(|| {
            let name = TraceName { function: fiber.function(), fiber: fiber.name().to_owned() };
            *by_name.entry(name).or_insert_with_key(|name| {
                list.push(name.clone());
                list.len() as u32 - 1
            })
        })
    }
}

/// For each node, the index of its first slice in the list of all slices, and the number of its slices.
struct Firsts(Vec<(u32, u32)>);

impl Firsts {
    fn of(records: &Records) -> Self {
        let counts = records.nodes().map(|node| node.fiber_count() as u32);
        let firsts = counts.scan(0, |next, count| {
            let first = *next;
            *next += count;
            Some((first, count))
        });
        Firsts(firsts.collect())
    }

    /// Returns the index of a fiber in the list of all slices.
    fn index(&self, fiber: FiberRef) -> Option<u32> {
        let &(first, count) = self.0.get(fiber.node() as usize)?;
        if fiber.number() < count { Some(first + fiber.number()) } else { None }
    }
}

/// Returns, for each signal of a node, the number of the last signal of its round, if that arrived.
fn rounds(node: NodeRecords<'_>) -> Vec<Option<u32>> {
    let signals: Vec<_> = node.signals().collect();
    let mut last_of = HashMap::new();
    let mut rounds = vec![None; signals.len()];
    for (number, signal) in signals.into_iter().enumerate().rev() {
        let slot = (signal.frame, signal.slot);
        if signal.enables {
            last_of.insert(slot, number as u32);
        }
        rounds[number] = last_of.get(&slot).copied();
    }
    rounds
}

/// Iterates over the changes of the lengths of a node's queues.
fn depths(node: NodeRecords<'_>) -> impl Iterator<Item = Depth> {
    let after_fibers = node.fibers().filter_map(|fiber| Some((fiber.end, fiber.lengths?)));
    let after_services = node.services().map(|service| (service.end, service.lengths));
    let mut samples: Vec<_> = after_fibers.chain(after_services).collect();
    samples.sort_by_key(|(at, _)| *at);
    let mut last = [0; 3];
    samples.into_iter().flat_map(move |(at, lengths)| {
        let before = std::mem::replace(&mut last, lengths);
        let queues = Queue::ALL.into_iter().zip(before.into_iter().zip(lengths));
        let changed = queues.filter(|(_, (before, now))| before != now);
        changed.map(move |(queue, (_, length))| Depth { node: node.number(), queue, at, length })
    })
}

impl Trace {
    /// Makes the trace of a run from its records.
    pub fn of(records: &Records) -> Self {
        let firsts = Firsts::of(records);
        let mut names = Names::default();
        let mut trace = Trace { clock: records.clock(), nodes: records.nodes().len(), ..Trace::default() };
        // Fiber that each signal of a node enabled.
        let mut enabled: Vec<Vec<Option<u32>>> = Vec::new();
        for node in records.nodes() {
            let mut enabled_here = vec![None; node.signal_count()];
            for fiber in node.fibers() {
                let to = trace.slices.len() as u32;
                trace.slices.push(Slice {
                    node: node.number(),
                    name: names.of(fiber.fiber),
                    index: fiber.index,
                    begin: fiber.begin,
                    end: fiber.end,
                });
                let (by, kind) = match fiber.cause {
                    Cause::Started { by } => (by, ArrowKind::Start),
                    Cause::Spawned { by } => (by, ArrowKind::Spawn),
                    Cause::Enabled { signal } => {
                        if let Some(enabled) = enabled_here.get_mut(signal as usize) {
                            *enabled = Some(to);
                        }
                        continue;
                    }
                };
                let from = by.and_then(|by| firsts.index(by));
                trace.arrows.extend(from.map(|from| Arrow { from, to, kind }));
            }
            enabled.push(enabled_here);
        }
        trace.names = names.list;
        for (node, enabled) in records.nodes().zip(enabled) {
            trace.dropped += node.dropped();
            trace.clock_error = trace.clock_error.max(node.clock_error());
            let (number, services) = (node.number(), node.services());
            trace.services.extend(services.map(|it| Service { node: number, begin: it.begin, end: it.end }));
            trace.depths.extend(depths(node));
            trace.arrows.extend(node.signals().zip(rounds(node)).filter_map(|(signal, last)| {
                let to = enabled[last? as usize]?;
                Some(Arrow { from: firsts.index(signal.sender?)?, to, kind: ArrowKind::Signal })
            }));
        }
        trace
    }
}
