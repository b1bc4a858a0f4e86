//! The queues of a machine, made at once for all its nodes, and the units built on them.

use std::num::NonZero;
use std::sync::Arc;

use earth_signal::{
    EventReceiver, EventSender, Publisher, ReadyReceiver, ReadySender, Stealer, event_queue, ready_queue,
    shared_end,
};

use quanta::Clock;

use super::settings::{Config, Settings};
use crate::unit::balance::{Token, TokenQueue};
use crate::unit::eu::{Eu, Route};
use crate::unit::event::{Event, Work};
use crate::unit::merged::Merged;
use crate::unit::meter::Costs;
use crate::unit::recorder::{EuRecorder, Stamps, SuRecorder};
use crate::unit::separate::{EuSide, SuSide};
use crate::unit::su::{Su, SuSetup};
use crate::unit::to_su::ToSu;
use crate::unit::transport::{Bell, Transport};
use crate::unit::verdict::RunVerdict;

/// Tokens a node offers to thieves at a time.
const SHARED: usize = 8;

/// One unit, or the two of an SPN node.
pub(super) enum Unit {
    Merged(Merged),
    Eu(EuSide),
    Su(SuSide),
}

/// The ends of one node's queues that the node itself holds.
pub(super) struct NodeQueues {
    inbox: EventReceiver<Event>,
    shared: Option<Publisher<Token>>,
}

/// The ends that everybody else holds.
pub(super) struct Ends {
    pub(super) inboxes: Vec<EventSender<Event>>,
    pub(super) shared: Vec<Stealer<Token>>,
}

/// The queues of all nodes.
pub(super) fn queues(settings: &Settings) -> (Vec<NodeQueues>, Ends) {
    let mut own = Vec::new();
    let mut ends = Ends { inboxes: Vec::new(), shared: Vec::new() };
    for _ in 0..settings.nodes {
        let (sender, inbox) = event_queue(settings.queue);
        let (publisher, stealer) = shared_end(SHARED);
        ends.inboxes.push(sender);
        ends.shared.push(stealer);
        // A single node has nobody to share tokens with.
        own.push(NodeQueues { inbox, shared: (settings.nodes > 1).then_some(publisher) });
    }
    (own, ends)
}

/// The bells between the two units of a DUAL node.
pub(super) struct Bells {
    pub(super) eu: Bell,
    pub(super) su: Bell,
}

/// What a machine connects the units of a node to.
pub(super) struct Wiring<'a> {
    /// Where the execution unit's operations go (DUAL).
    pub(super) own_inbox: &'a EventSender<Event>,
    pub(super) transport: Box<dyn Transport>,
    pub(super) bells: Bells,
    /// What operations cost, if the machine charges for them.
    pub(super) costs: Option<&'a Arc<Costs>>,
}

/// The units of one node: one in SPN; the execution unit, then the synchronization unit, in DUAL.
pub(super) fn units(
    settings: &Settings,
    node: usize,
    queues: NodeQueues,
    wiring: Wiring<'_>,
    verdict: &Arc<RunVerdict>,
) -> Vec<Unit> {
    let Wiring { own_inbox, transport, bells, costs } = wiring;
    let (node, verdict) = (node as u32, Arc::clone(verdict));
    let nodes = NonZero::new(settings.nodes as u32).expect("settings are checked before anything is built");
    let mut su = Su::new(SuSetup {
        node,
        parking_limit: settings.parking_limit,
        hands_over: settings.config == Config::Dual,
        through_bytes: settings.through_bytes,
        tokens: TokenQueue::new(queues.shared),
        inbox: queues.inbox,
        transport,
    });
    let mut recorder = EuRecorder::off();
    if let Some(limits) = settings.trace {
        let stamps = if costs.is_some() { Stamps::Virtual } else { Stamps::Host(Clock::new()) };
        su.recorder = SuRecorder::new(stamps.clone(), limits);
        recorder = EuRecorder::new(node, settings.config == Config::Spn, stamps, limits);
    }
    match settings.config {
        Config::Spn => {
            if recorder.is_on() {
                su.tokens.traced();
            }
            let route = match costs {
                Some(_) => Route::Charged(su),
                None if recorder.is_on() => Route::Traced(su),
                None => Route::Merged(su),
            };
            let mut merged = Merged { eu: Eu::new(node, nodes, route, verdict) };
            merged.eu.costs = costs.cloned();
            merged.eu.recorder = recorder;
            vec![Unit::Merged(merged)]
        }
        Config::Dual => {
            let (to_eu, from_su): (ReadySender<Work>, ReadyReceiver<Work>) = ready_queue(settings.queue);
            let to_su = ToSu::new(own_inbox.clone(), bells.su);
            let mut eu = EuSide::new(node, nodes, to_su, verdict, from_su);
            eu.eu.recorder = recorder;
            vec![
                Unit::Eu(match costs {
                    Some(costs) => eu.metered(costs),
                    None => eu,
                }),
                Unit::Su(SuSide::new(su, to_eu, bells.eu)),
            ]
        }
    }
}
