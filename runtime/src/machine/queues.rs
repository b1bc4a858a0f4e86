//! Queues of all nodes of a machine, and the units that are built on them.

use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use earth_memory::check_available;
use earth_signal::{
    Asker, Attention, MessageReceiver, Publisher, Stealer, attention, event_and_note_queue, message_ring,
    shared_end, tally,
};

use quanta::Clock;

use super::settings::{Config, Settings};
use super::unit_set::CoreUnit;
use crate::node::dual::{Executor, Synchronizer, ToEu, ToSu};
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::{Inbox, InboxSender, Token, TokenQueue, UnitTransport};
use crate::node::merged::Merged;
use crate::node::signature::sign_call;
use crate::node::su::{Packing, Role, Su, SuSetup, TimerClock};
use crate::node::verdict::RunVerdict;
use crate::probe::costs::Costs;
use crate::probe::order::OrderLog;
use crate::probe::recorder::{EuRecorder, RecordLimit, Stamps, SuRecorder};
use crate::transport::{Offer, Waker};
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::Policy;
use crate::vocabulary::steal::MOST_SHARED;

/// Ends of one node's queues that the node itself holds.
pub(super) struct NodeQueues {
    inbox: Inbox,
    attention: Attention,
    shared: Option<Publisher<Token>>,
}

impl NodeQueues {
    /// Keeps all tokens of the node in its unit, on a machine that gives them to nodes itself.
    pub(super) fn without_thieves(self) -> Self {
        NodeQueues { shared: None, ..self }
    }
}

/// Ends of all nodes' queues that other parties hold.
pub(super) struct Ends {
    pub(super) inboxes: Arc<[InboxSender]>,
    pub(super) askers: Vec<Asker>,
    pub(super) shared: Vec<Stealer<Token>>,
}

/// Ends of one node's queues that other parties hold.
struct OtherEnds {
    inbox: InboxSender,
    asker: Asker,
    shared: Stealer<Token>,
}

/// Returns the size of all nodes' queues and units, in bytes.
pub(super) fn footprint(settings: &Settings) -> usize {
    let inbox = settings.queue().saturating_mul(Inbox::CELL);
    let node = match settings.config {
        Config::Spn => size_of::<Merged>(),
        Config::Dual => {
            let rings = MessageReceiver::<Su>::CELL + MessageReceiver::<ExecutionUnit>::CELL;
            let units = size_of::<Executor>() + size_of::<Synchronizer>();
            ring_cells(settings).saturating_mul(rings).saturating_add(units)
        }
    };
    settings.nodes.saturating_mul(inbox.saturating_add(node))
}

/// Checks that there is memory for the queues of all nodes.
pub(super) fn have_memory(settings: &Settings) -> Result<(), Error> {
    let checked = check_available(footprint(settings) as u64, "queues between nodes");
    checked.map_err(|none| Error::CannotBuild(none.to_string()))
}

/// Returns the number of cells of a ring between the units of a DUAL node. A cell has room for several
/// messages of most kinds.
fn ring_cells(settings: &Settings) -> usize {
    (settings.queue() / 4).max(1)
}

fn queues_of_one(settings: &Settings) -> (NodeQueues, OtherEnds) {
    let (sender, inbox) = event_and_note_queue(settings.queue());
    let (attention, asker) = attention();
    let (publisher, stealer) = shared_end(MOST_SHARED);
    // The only node of a machine has no thieves.
    let own = NodeQueues { inbox, attention, shared: (settings.all_nodes() > 1).then_some(publisher) };
    (own, OtherEnds { inbox: sender, asker, shared: stealer })
}

pub(super) fn queues(settings: &Settings) -> (Vec<NodeQueues>, Ends) {
    let (mut own, mut inboxes, mut askers, mut ends) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..settings.nodes {
        let (queues, OtherEnds { inbox, asker, shared }) = queues_of_one(settings);
        own.push(queues);
        inboxes.push(inbox);
        askers.push(asker);
        ends.push(shared);
    }
    (own, Ends { inboxes: inboxes.into(), askers, shared: ends })
}

/// Wakers of the two units of a DUAL node. Each unit wakes the other one.
pub(super) struct Wakers {
    pub(super) eu: Waker,
    pub(super) su: Waker,
}

/// Operations that cost virtual time on a machine.
#[derive(Clone, Copy)]
pub(super) enum Charges<'a> {
    /// No operation: the machine runs in real time.
    None,
    /// The [work](crate::Eu::work) that fibers report. The machine has the units of real cores.
    Work(&'a Arc<Costs>),
    /// The work that fibers report, on a machine that explores: its units log what each step touches.
    Explored(&'a Arc<Costs>),
    /// All operations. The machine has simulated units, which pay for them.
    Operations(&'a Arc<Costs>),
}

pub(super) struct Builder<'a> {
    settings: &'a Settings,
    node: u32,
    verdict: &'a Arc<RunVerdict>,
    charges: Charges<'a>,
    /// Clock and limits of recorders, on a machine that traces.
    recorders: Option<(Stamps, RecordLimit)>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        settings: &'a Settings,
        node: usize,
        verdict: &'a Arc<RunVerdict>,
        charges: Charges<'a>,
    ) -> Self {
        let recorders = settings.trace.map(|limits| {
            let host = matches!(charges, Charges::None);
            (if host { Stamps::Host(Clock::new()) } else { Stamps::Ticks }, limits)
        });
        Builder { settings, node: node as u32, verdict, charges, recorders }
    }

    /// Returns the order in which the units take up waiting work.
    pub(super) fn policy(&self) -> Policy {
        self.settings.policy()
    }

    /// Builds the units of real cores: one in SPN; the execution unit and then the synchronization unit in
    /// DUAL. A DUAL node announces its tokens to thieves by `offer`.
    pub(super) fn units(
        &self,
        queues: NodeQueues,
        transport_as: UnitTransport,
        offer: Box<dyn Offer>,
        wakers: Wakers,
    ) -> Vec<CoreUnit> {
        match self.settings.config {
            Config::Spn => vec![CoreUnit::Merged(Box::new(self.merged(queues, transport_as)))],
            Config::Dual => {
                let (eu, su) = self.dual(queues, transport_as, offer, wakers);
                vec![CoreUnit::Executor(Box::new(eu)), CoreUnit::Synchronizer(Box::new(su))]
            }
        }
    }

    /// Builds the single unit of an SPN node.
    pub(super) fn merged(&self, queues: NodeQueues, transport_as: UnitTransport) -> Merged {
        let mut su = self.su(Role::Whole, queues, transport_as);
        self.trace_tokens(&mut su);
        Merged::new(self.eu(su), self.policy())
    }

    /// Builds the two units of a DUAL node, with a ring in each direction.
    fn dual(
        &self,
        NodeQueues { inbox, attention: asked, shared }: NodeQueues,
        transport_as: UnitTransport,
        offer: Box<dyn Offer>,
        wakers: Wakers,
    ) -> (Executor, Synchronizer) {
        let (cells, policy) = (ring_cells(self.settings), self.policy());
        let ((to_su, from_eu), (to_eu, from_su)) = (message_ring(cells), message_ring(cells));
        let (taken_up, reader) = self.recorders.is_some().then(tally).unzip();
        let to_su = UnitTransport::Su(Box::new(ToSu::new(to_su, wakers.su, offer)));
        let mut passes_on = self.passes_on(to_su, shared, asked);
        self.trace_tokens(&mut passes_on);
        let mut su = self.dual_su(NodeQueues { inbox, attention: attention().0, shared: None }, transport_as);
        su.hands_to(ToEu::new(to_eu, wakers.eu, reader));
        let eu = Executor::new(self.eu(passes_on), from_su, taken_up, policy);
        (eu, Synchronizer::new(su, from_eu, policy))
    }

    /// Builds the synchronization unit of a DUAL node.
    pub(super) fn dual_su(&self, queues: NodeQueues, transport_as: UnitTransport) -> Su {
        self.su(Role::HandsOver, queues, transport_as)
    }

    /// Builds the part of the synchronization unit that is in the execution unit of a DUAL node. It has the
    /// end for the tokens that it shares, and the word that others set to ask it to look. Its inbox stays
    /// empty.
    pub(super) fn passes_on(
        &self,
        to_su: UnitTransport,
        shared: Option<Publisher<Token>>,
        attention: Attention,
    ) -> Su {
        let queues = NodeQueues { inbox: event_and_note_queue(1).1, attention, shared };
        self.su(Role::PassesOn, queues, to_su)
    }

    fn su(
        &self,
        role: Role,
        NodeQueues { inbox, attention, shared }: NodeQueues,
        transport: UnitTransport,
    ) -> Su {
        let mut su = Su::new(SuSetup {
            node: self.node,
            parking_limit: self.settings.parking_limit,
            policy: self.policy(),
            fiber_policy: self.settings.policies.fibers.as_ref().map(|named| named.on(self.node as usize)),
            token_policy: self.settings.policies.tokens.as_ref().map(|named| named.on(self.node as usize)),
            role,
            packing: self.packing(role),
            tokens: TokenQueue::new(shared),
            inbox,
            attention,
            transport,
            clock: match self.charges {
                Charges::None => TimerClock::Host(Instant::now()),
                Charges::Work(_) | Charges::Explored(_) => TimerClock::Set(0),
                Charges::Operations(costs) => TimerClock::Cycles(costs.clock_mhz),
            },
        });
        if let Some((stamps, limits)) = &self.recorders {
            su.recorder = Some(Box::new(SuRecorder::new(self.node, stamps.clone(), *limits)));
        }
        if self.records_order() {
            su.order = Some(Box::<OrderLog>::default());
        }
        let charges = matches!(self.charges, Charges::Operations(_));
        if matches!(self.charges, Charges::Explored(_)) && !self.settings.order && role != Role::PassesOn {
            su.explored();
        }
        su.logs = su.recorder.is_some() || su.accesses.is_some();
        if self.recorders.is_some() || charges {
            su.watched(charges);
        }
        su
    }

    /// Returns the form of the events that a unit sends. Events for other processes leave through the first
    /// node.
    fn packing(&self, role: Role) -> Packing {
        let is_first = self.node as usize == self.settings.first_node();
        match self.settings.packing {
            Packing::Messages { .. } if !is_first => Packing::Moved,
            _ if role == Role::PassesOn => Packing::Moved,
            packing => packing,
        }
    }

    /// Builds the execution unit whose operations go to `su`.
    pub(super) fn eu(&self, su: Su) -> ExecutionUnit {
        let nodes = NonZero::new(self.settings.all_nodes() as u32);
        let nodes = nodes.expect("settings are checked before anything is built");
        let mut eu = ExecutionUnit::new(self.node, nodes, su, Arc::clone(self.verdict));
        eu.costs = match self.charges {
            Charges::None => None,
            Charges::Work(costs) | Charges::Explored(costs) => {
                Some(self.settings.policies.costs_of(self.node as usize, costs))
            }
            Charges::Operations(costs) => Some(Arc::clone(costs)),
        };
        if let Some((stamps, limits)) = &self.recorders {
            let records_lengths = self.settings.config == Config::Spn;
            eu.recorder =
                Some(Box::new(EuRecorder::new(self.node, records_lengths, stamps.clone(), *limits)));
        }
        if self.settings.stall_monitor.is_some() {
            eu.publish_fibers();
        }
        eu
    }

    /// Returns whether units record the order of the work that they take up.
    fn records_order(&self) -> bool {
        self.settings.order && matches!(self.charges, Charges::None | Charges::Explored(_))
    }

    /// Has tokens keep their makers' signatures, on a machine that traces or records the order.
    fn trace_tokens(&self, su: &mut Su) {
        if self.recorders.is_some() || self.records_order() {
            su.tokens.traced(sign_call);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use earth_signal::{Look, Sent};

    use super::*;
    use crate::node::function::{Call, ErasedCall, Event, kind};
    use crate::node::tokens::Within;
    use crate::threaded;
    use crate::transport::Transport;
    use crate::vocabulary::decoding::Decoding;
    use crate::vocabulary::policy::Policy;

    struct Empty;

    #[threaded]
    impl Empty {
        fn start() {}
    }

    /// Transport without room: it holds back every event forever.
    #[derive(Default)]
    struct Full(Vec<Event>);

    impl Transport<Event, Token> for Full {
        fn send(&mut self, _to: u32, event: Event, _now: &mut u64) -> Sent {
            self.0.push(event);
            Sent::HeldBack
        }
        fn held_back(&self) -> usize {
            self.0.len()
        }
        fn flush(&mut self) -> usize {
            self.0.len()
        }
    }

    /// Returns node 0 of an SPN machine of two nodes, and the sending end of its inbox.
    fn node_0(policy: Policy) -> (Merged, InboxSender) {
        let settings = Settings { policy: Some(policy), ..Settings::new(2) };
        let (mut own, ends) = queues(&settings);
        let verdict = Arc::new(RunVerdict::new());
        let builder = Builder::new(&settings, 0, &verdict, Charges::None);
        let mut node = builder.merged(own.remove(0), UnitTransport::Machine(Box::new(Full::default())));
        node.eu.begin(Instant::now());
        node.su().begin(&Decoding::nothing());
        (node, ends.inboxes[0].clone())
    }

    fn empty() -> ErasedCall {
        ErasedCall::new(Call::<Empty>(()), kind::<Empty>())
    }

    /// An SPN node applies one batch of events and then runs a fiber, even if more events have arrived.
    #[test]
    fn a_fiber_has_its_turn_after_each_batch_of_events() {
        let (mut node, inbox) = node_0(Policy { batch: 4, ..Policy::default() });
        for _ in 0..100 {
            assert!(inbox.send(Event::Invoke { node: 0, call: empty() }).is_ok());
        }
        for turn in 1..=25 {
            assert!(node.steps(1).expect("nothing goes wrong"));
            assert_eq!((node.su().received, node.eu.counters.fibers), (4 * turn, turn));
        }
        assert_eq!(node.su().run_queue.len(), 75);
    }

    /// Turns count even if every call ends idle. After many turns without an event, senders must ask the node
    /// to look.
    #[test]
    fn a_node_that_is_idle_between_bursts_ceases_to_poll() {
        let (mut node, inbox) = node_0(Policy::default());
        assert!(inbox.send(Event::Invoke { node: 0, call: empty() }).is_ok());
        assert!(node.steps(32).is_ok());
        assert_eq!(node.su().attention.look(), Look::Poll);
        for _ in 0..300 {
            node.su().invoke_here(empty());
            while node.steps(32).expect("it runs") {}
        }
        assert_eq!((node.su().attention.look(), node.eu.counters.fibers), (Look::Continue, 301));
    }

    /// A node that holds an event back runs a token after the policy's number of fibers, although it is idle
    /// after every second fiber.
    #[test]
    fn a_token_has_its_turn_among_bursts_of_fibers() {
        for steps in [Merged::steps, Merged::steps_traced] {
            let (mut node, inbox) = node_0(Policy { token_every: 7, ..Policy::default() });
            node.su().invoke(1, empty());
            node.su().token(Token { call: empty(), within: Within::ONE });
            for fibers in [2, 4, 6, 9] {
                for _ in 0..2 {
                    assert!(inbox.send(Event::Invoke { node: 0, call: empty() }).is_ok());
                }
                while steps(&mut node, 32).expect("nothing goes wrong") {}
                assert_eq!(node.eu.counters.fibers, fibers);
            }
            assert!(node.su().holds_back);
        }
    }
}
