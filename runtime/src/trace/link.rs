//! From what the units wrote down to a [`Trace`].
//!
//! A fiber that a slot enabled carries the number of the signal after which the slot had all. The signals of that round
//! are those for the same slot before it, back to the one that enabled the slot's fiber before. The sender of each was
//! written down, or it is the fiber among whose lines it stands. Starters and spawners stand in the fiber's
//! own record. No time is compared.
//!
//! Cost: linear in the records, with two look-ups a signal in tables of slots and of enabled fibers.

use std::collections::HashMap;

use super::{Arrow, ArrowKind, Depth, Queue, Service, Slice, Trace, TraceClock, TraceName};
use crate::node::recorder::{Cause, EuRecorder, RawSignal, RawSlice, SuRecorder};
use crate::node::signature::Who;
use crate::vocabulary::address::FrameId;
use crate::vocabulary::layout::Layout;

/// The recorders of all units of a machine, in any order.
#[derive(Default)]
pub(crate) struct Recorders<'a> {
    pub(crate) eus: Vec<&'a EuRecorder>,
    /// The recorders of synchronization units, by node.
    pub(crate) sus: Vec<(usize, &'a SuRecorder)>,
}

/// The names of fibers, each once.
#[derive(Default)]
struct Names {
    list: Vec<TraceName>,
    by_name: HashMap<TraceName, u32>,
    /// A shortcut: building a name takes an allocation.
    by_layout: HashMap<(*const Layout, u32), u32>,
}

impl Names {
    fn of(&mut self, slice: &RawSlice) -> u32 {
        let RawSlice { layout, fiber, .. } = *slice;
        let Names { list, by_name, by_layout } = self;
        *by_layout.entry((std::ptr::from_ref(layout), fiber)).or_insert_with(|| {
            let fiber = layout.fibers.get(fiber as usize).copied().unwrap_or("?").to_owned();
            let name = TraceName { function: layout.name(), fiber };
            *by_name.entry(name).or_insert_with_key(|name| {
                list.push(name.clone());
                list.len() as u32 - 1
            })
        })
    }
}

/// The index at which the slices of each node begin in the list of all, and their number.
struct Firsts(Vec<(u32, u32)>);

impl Firsts {
    /// The index of a fiber in the list of all.
    fn index(&self, who: Who) -> Option<u32> {
        let &(first, len) = self.0.get(who.node() as usize)?;
        if who.slice() < len { Some(first + who.slice()) } else { None }
    }
}

/// For each signal of a node, the number of the one after which its slot had all of that round, if that one came.
fn rounds(su: &SuRecorder) -> Vec<Option<u32>> {
    let mut rounds = vec![None; su.signals.len()];
    let mut last_of: HashMap<(FrameId, u32), u32> = HashMap::new();
    let signals: Vec<&RawSignal> = su.signals.iter().collect();
    for (number, signal) in signals.into_iter().enumerate().rev() {
        let slot = (signal.frame, signal.slot);
        if signal.enables {
            last_of.insert(slot, number as u32);
        }
        rounds[number] = last_of.get(&slot).copied();
    }
    rounds
}

/// The senders of a node's signals: the one that was written down, or else the fiber that ran.
fn senders<'a>(
    node: u32,
    su: &'a SuRecorder,
    slices: impl Iterator<Item = &'a RawSlice>,
) -> impl Iterator<Item = Who> {
    let mut senders = su.senders.iter().peekable();
    let mut fibers = (0..).zip(slices).peekable();
    (0..su.signals.len() as u32).map(move |index| {
        while fibers.next_if(|(_, slice)| slice.signals <= index).is_some() {}
        match (senders.next_if(|(at, _)| *at == index), fibers.peek()) {
            (Some((_, sender)), _) => *sender,
            (None, Some((fiber, _))) => Who::new(node, *fiber),
            (None, None) => Who::NOBODY,
        }
    })
}

/// The changes of the lengths of a node's queues: when, which queue, and its new length.
fn depths<'a>(
    su: &'a SuRecorder,
    slices: impl Iterator<Item = &'a RawSlice>,
) -> impl Iterator<Item = (u64, Queue, u32)> {
    let after_fibers = slices.map(|slice| (slice.end, slice.lengths));
    let after_services = su.services.iter().map(|service| (service.until, service.lengths));
    let mut samples: Vec<_> = after_fibers.chain(after_services).collect();
    samples.sort_by_key(|(at, _)| *at);
    let mut last = [0; 3];
    samples.into_iter().flat_map(move |(at, lengths)| {
        let before = std::mem::replace(&mut last, lengths);
        let queues = Queue::ALL.into_iter().zip(before.into_iter().zip(lengths));
        queues.filter(|(_, (before, now))| before != now).map(move |(queue, (_, now))| (at, queue, now))
    })
}

impl Recorders<'_> {
    /// Makes a trace of the records.
    pub(crate) fn link(mut self, nodes: usize, clock: TraceClock) -> Trace {
        self.eus.sort_by_key(|eu| eu.node);
        self.sus.sort_by_key(|(node, _)| *node);
        let mut trace = Trace {
            clock,
            nodes,
            names: Vec::new(),
            slices: Vec::with_capacity(self.eus.iter().map(|eu| eu.slices.len()).sum()),
            services: Vec::new(),
            arrows: Vec::new(),
            depths: Vec::new(),
            dropped: 0,
        };
        let Some(began) = self.eus.iter().map(|eu| eu.began).min() else { return trace };
        let stamps = &self.eus[0].stamps;
        let time = |stamp| stamps.between(began, stamp);

        let mut names = Names::default();
        let mut firsts = Firsts(vec![(0, 0); nodes]);
        for eu in &self.eus {
            firsts.0[eu.node as usize] = (trace.slices.len() as u32, eu.slices.len() as u32);
            trace.dropped += eu.slices.dropped;
            trace.slices.extend(eu.slices.iter().map(|raw| Slice {
                node: eu.node,
                name: names.of(raw),
                index: raw.index,
                begin: time(raw.begin),
                end: time(raw.end),
            }));
        }
        trace.names = names.list;

        let mut enabled: HashMap<(u32, u32), u32> = HashMap::new();
        for (index, (node, raw)) in
            (0..).zip(self.eus.iter().flat_map(|eu| eu.slices.iter().map(|raw| (eu.node, raw))))
        {
            let (who, kind) = match raw.cause() {
                Cause::Started(who) => (who, ArrowKind::Start),
                Cause::Spawned(slice) => (Who::new(node, slice as usize), ArrowKind::Spawn),
                Cause::Enabled(signal) => {
                    enabled.insert((node, signal), index);
                    continue;
                }
            };
            trace.arrows.extend(firsts.index(who).map(|from| Arrow { from, to: index, kind }));
        }
        for (node, su) in &self.sus {
            let node = *node as u32;
            trace.dropped += su.dropped();
            trace.services.extend(su.services.iter().map(|raw| Service {
                node,
                begin: time(raw.from),
                end: time(raw.until),
            }));
            let slices = || {
                let eu = self.eus.get(node as usize).filter(|eu| eu.tells_of_su);
                eu.into_iter().flat_map(|eu| eu.slices.iter())
            };
            trace.depths.extend(depths(su, slices()).map(|(at, queue, length)| Depth {
                node,
                queue,
                at: time(at),
                length,
            }));
            let rounds = rounds(su);
            trace.arrows.extend(senders(node, su, slices()).zip(rounds).filter_map(|(sender, last)| {
                let to = *enabled.get(&(node, last?))?;
                Some(Arrow { from: firsts.index(sender)?, to, kind: ArrowKind::Signal })
            }));
        }
        trace
    }
}
