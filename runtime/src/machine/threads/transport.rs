//! Transport between nodes that share memory, through each node's inbox and the shared ends of all other
//! nodes.
//!
//! All nodes use the same handles of inboxes and shared ends. So the memory of a machine grows with the
//! number of nodes, not with its square. (On the stepper a node may send to wires, which lead to the
//! inboxes.) Each node has its own lists of held-back events, one for each receiver that ever caused one.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use earth_signal::{HeldBack, Offers, Sent, Sleepers};

use super::super::draw::Draw;
use super::super::queues::Ends;
use super::super::settings::Settings;
use crate::node::event::Note;
use crate::node::function::{Event, InboxSender, Token, UnitTransport};
use crate::node::tokens::victims::{LookAt, Victims};
use crate::transport::{Offer, StolenToken, Transport};
use crate::vocabulary::steal::MOST_SHARED;

/// State that the transports of all nodes share.
pub(in crate::machine) struct SharedTransport {
    pub(in crate::machine) ends: Ends,
    /// Nodes that share tokens, so that thieves should look at their shared ends.
    pub(in crate::machine) offers: Offers,
    /// Worker that runs each node's synchronization unit.
    pub(in crate::machine) homes: Vec<usize>,
    /// Worker that runs each node's execution unit.
    pub(in crate::machine) executors: Vec<usize>,
    /// Whether each worker runs a synchronization unit, which may steal tokens.
    pub(in crate::machine) thieves: Vec<bool>,
    pub(in crate::machine) sleepers: Arc<Sleepers>,
    /// Whether a node has one unit (SPN), which must be asked to look at its inbox.
    pub(in crate::machine) one_unit: bool,
}

impl SharedTransport {
    /// Wakes the worker of a node after a message was sent to it, and has the node's unit look.
    pub(in crate::machine) fn wake(&self, node: usize) {
        // The worker looks at its inboxes by `is_drained`, so the message needs no fence.
        self.sleepers.nudge(self.homes[node]);
        // A synchronization unit looks at its inbox in each step.
        if self.one_unit {
            self.ends.askers[node].ask_unless_polling();
        }
    }

    /// Takes the oldest token of the first node that shares any.
    pub(in crate::machine) fn take_token(&self) -> Option<Token> {
        let (node, token) = self.sharer_from(usize::MAX, 0, |node| self.ends.shared[node].steal())?;
        // The unit may share another token now.
        self.ends.askers[node].ask();
        Some(token)
    }

    /// Calls `take` on the nodes other than `thief` that share tokens, from `from` on. Returns the first node
    /// with a value, and the value.
    #[inline]
    fn sharer_from<T>(
        &self,
        thief: usize,
        from: usize,
        mut take: impl FnMut(usize) -> Option<T>,
    ) -> Option<(usize, T)> {
        let mut taken = None;
        let sharer = self.offers.find_from(from, |node| {
            if node != thief {
                taken = take(node);
            }
            taken.is_some()
        })?;
        Some((sharer, taken?))
    }
}

/// Bit of a node that announces its shared tokens. The unit that shares the node's tokens owns it.
pub(super) struct Offering {
    node: usize,
    roads: Arc<SharedTransport>,
    is_up: bool,
}

impl Offering {
    pub(super) fn new(node: usize, roads: &Arc<SharedTransport>) -> Self {
        Offering { node, roads: Arc::clone(roads), is_up: false }
    }
}

impl Offer for Offering {
    fn raise(&mut self) {
        let SharedTransport { offers, sleepers, thieves, one_unit, .. } = &*self.roads;
        if !self.is_up {
            offers.raise(self.node);
            self.is_up = true;
        }
        if seeded!(WakeUpDropped) {
            return;
        }
        if *one_unit {
            sleepers.wake_one_of(|worker| thieves[worker]);
        } else {
            // Synchronization units steal only if their execution units have no work, so all of them are
            // woken.
            sleepers.wake_all_of(|worker| thieves[worker]);
        }
    }

    fn lower(&mut self) {
        if std::mem::take(&mut self.is_up) {
            self.roads.offers.lower(self.node);
        }
    }
}

/// Transport of one node.
pub(in crate::machine) struct ThreadsTransport {
    node: usize,
    roads: Arc<SharedTransport>,
    /// Inboxes that it sends to, by node.
    inboxes: Arc<[InboxSender]>,
    /// Held-back events, by receiving node.
    held: BTreeMap<u32, HeldBack<Event>>,
    held_back: usize,
    /// Announces to other nodes that this node's unit shares tokens.
    offer: Offering,
    victims: Victims,
    /// Further tokens of the last victim, if the policy takes several.
    loot: VecDeque<StolenToken<Token>>,
    draw: Draw,
    /// Seed of the draws of a run.
    seed: u64,
}

impl ThreadsTransport {
    /// Makes the transport of `node`, which sends to these inboxes.
    pub(in crate::machine) fn new(
        node: usize,
        roads: &Arc<SharedTransport>,
        inboxes: Arc<[InboxSender]>,
        settings: &Settings,
    ) -> Self {
        let seed = settings.seed.wrapping_add(node as u64);
        ThreadsTransport {
            node,
            roads: Arc::clone(roads),
            inboxes,
            held: BTreeMap::new(),
            held_back: 0,
            offer: Offering::new(node, roads),
            victims: settings.victims(node),
            loot: VecDeque::new(),
            draw: Draw::new(seed),
            seed,
        }
    }

    /// Makes the transport of `node`, which sends to the inboxes themselves.
    pub(super) fn boxed(node: usize, roads: &Arc<SharedTransport>, settings: &Settings) -> UnitTransport {
        let inboxes = Arc::clone(&roads.ends.inboxes);
        UnitTransport::Machine(Box::new(ThreadsTransport::new(node, roads, inboxes, settings)))
    }

    /// Sends a signal, as [`send`](Transport::send) sends an event.
    pub(in crate::machine) fn send_note(&mut self, to: u32, note: Note) -> Sent {
        let inbox = &self.inboxes[to as usize];
        let sent = if self.is_free() { inbox.note(note).map_err(|full| full.0) } else { Err(note) };
        self.sent(to, sent.map_err(Event::from))
    }

    /// Wakes the worker of a node after a message was sent to it, and has the node's unit look. A unit of the
    /// same worker looks in its next turn.
    fn wake(&self, node: usize) {
        if self.roads.homes[node] != self.roads.homes[self.node] {
            self.roads.wake(node);
        }
    }

    /// Wakes the worker of the receiving node. If the message was not sent, sends it behind the node's
    /// held-back messages.
    #[inline]
    fn sent(&mut self, to: u32, sent: Result<(), Event>) -> Sent {
        let sent = match sent {
            Ok(()) => Sent::Queued,
            Err(event) => self.send_behind(to, event),
        };
        match sent {
            Sent::Queued => self.wake(to as usize),
            Sent::HeldBack => self.held_back += 1,
        }
        sent
    }

    /// Returns whether no message is held back for any node.
    #[inline(always)]
    fn is_free(&self) -> bool {
        self.held_back == 0 || seeded!(OvertakesHeldBack)
    }

    /// Sends an event behind the held-back events for its node.
    #[cold]
    fn send_behind(&mut self, to: u32, event: Event) -> Sent {
        if seeded!(OverflowLost) {
            return Sent::Queued;
        }
        let inbox = &self.inboxes[to as usize];
        self.held.entry(to).or_default().send(event, |event| inbox.send(event))
    }

    /// Returns whether a node whose bit is set really has a token.
    #[cold]
    fn sees_token(&self) -> bool {
        let shares = |node: usize| (!self.roads.ends.shared[node].is_empty()).then_some(());
        self.roads.sharer_from(self.node, self.node, shares).is_some()
    }
}

impl Transport<Event, Token> for ThreadsTransport {
    fn begin(&mut self) {
        self.offer.lower();
        self.victims.forget();
        self.loot.clear();
        self.draw = Draw::new(self.seed);
    }

    fn send(&mut self, to: u32, event: Event, _now: &mut u64) -> Sent {
        let inbox = &self.inboxes[to as usize];
        let sent = if self.is_free() { inbox.send(event).map_err(|full| full.0) } else { Err(event) };
        self.sent(to, sent)
    }

    fn signal(&mut self, note: Note, _now: &mut u64) -> Sent {
        self.send_note(note.to.node(), note)
    }

    fn held_back(&self) -> usize {
        self.held_back
    }

    fn flush(&mut self) -> usize {
        let mut held = std::mem::take(&mut self.held);
        for (&to, held) in held.iter_mut().filter(|(_, held)| !held.is_empty()) {
            let node = to as usize;
            let queued = held.flush(|event| self.inboxes[node].send(event));
            if queued > 0 {
                self.held_back -= queued;
                self.wake(node);
            }
        }
        self.held = held;
        self.held_back
    }

    fn steal(&mut self) -> Option<StolenToken<Token>> {
        let ThreadsTransport { node, roads, victims, loot, draw, .. } = self;
        let SharedTransport { ends, offers, .. } = &**roads;
        let thief = *node;
        if !offers.any_but(thief) {
            return None;
        }
        let (victim, token) = victims.choose(
            thief,
            ends.shared.len(),
            || draw.next(),
            |at| match at {
                LookAt::Node(node) => Some((node, ends.shared[node].steal()?)),
                LookAt::Ring(from) => roads.sharer_from(thief, from, |node| ends.shared[node].steal()),
            },
        )?;
        victims.found(victim);
        let from = victim as u32;
        let more = victims.amount(victim, || (1 + ends.shared[victim].waiting()).min(MOST_SHARED)) - 1;
        let further = (0..more).map_while(|_| ends.shared[victim].steal());
        loot.extend(further.map(|token| StolenToken { from, token }));
        // The victim's unit may share another token now.
        ends.askers[victim].ask();
        victims.gave(victim, 1 + loot.len());
        Some(StolenToken { from, token })
    }

    fn steal_further(&mut self) -> Option<StolenToken<Token>> {
        self.loot.pop_front()
    }

    fn can_steal(&self) -> bool {
        self.roads.offers.any_but(self.node) && self.sees_token()
    }

    fn notify_room(&mut self) {
        self.roads.sleepers.wake_holders();
    }

    fn shares(&mut self) {
        self.offer.raise();
    }

    fn shares_none(&mut self) {
        self.offer.lower();
    }
}
