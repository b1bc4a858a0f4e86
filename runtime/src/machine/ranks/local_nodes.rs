//! The nodes of this process in a run. The calling thread steps the first node, and serves the link for all
//! of them. The other workers step the other units, as on a machine of threads.
//!
//! The mailbox belongs to this thread. The first node has it while it acts, so that it can send.
//!
//! *Messages that arrive* are for a node that their bytes name. The first node applies its messages at once.
//! Another node gets them through its inbox. If that is full, the thread keeps the message, and receives no
//! further messages until there is room. The node never waits for this thread, so there will be room.
//!
//! *Termination.* The nodes are quiet if all workers are idle, and all messages that were sent have been
//! received ([`quiet`](earth_signal::quiet)). In the ledger of the calling thread, a message from another rank
//! counts as sent by this thread, and a message to another rank as received by it.

use std::mem::take;
use std::sync::Arc;
use std::time::{Duration, Instant};

use earth_signal::{HeldBack, Process, Sent};

use super::super::settings::Settings;
use super::super::threads::{SharedTransport, ThreadsShared, WorkerState};
use super::super::unit_set::UnitSet;
use super::super::units::Units as _;
use super::transport::RankTransport;
use crate::node::bytes;
use crate::node::function::{Event, Token};
use crate::node::step::Step;
use crate::probe::records::{Clock, Records};
use crate::ranks::{Arrival, GIVEN, Mailbox};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::{Error, Stuck};

/// Nodes of this process in a run.
pub(super) struct LocalNodes {
    /// Number of the first node, number of nodes of this process, and of all processes.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) all: usize,
    shared: Arc<ThreadsShared>,
    roads: Arc<SharedTransport>,
    /// Worker of the calling thread.
    own: WorkerState,
    /// Mailbox, while the first node does not have it.
    mailbox: Option<Box<Mailbox>>,
    /// Events that wait for room in the inbox of each node, and their number.
    held: Vec<HeldBack<Event>>,
    held_back: usize,
    /// Whether the first node held something blocked after its last step.
    holds: bool,
}

impl LocalNodes {
    /// Lets the other workers begin.
    pub(super) fn begin(
        settings: &Settings,
        shared: Arc<ThreadsShared>,
        roads: Arc<SharedTransport>,
        mailbox: Box<Mailbox>,
    ) -> Self {
        let Some(own) = shared.begin_rank() else { unreachable!("no worker has the units between runs") };
        LocalNodes {
            first: settings.first_node(),
            count: settings.nodes,
            all: settings.all_nodes(),
            shared,
            roads,
            own,
            mailbox: Some(mailbox),
            held: (0..settings.nodes).map(|_| HeldBack::default()).collect(),
            held_back: 0,
            holds: false,
        }
    }

    /// Puts the units back, and returns the mailbox.
    pub(super) fn end(self) -> Box<Mailbox> {
        *self.shared.states[0].lock() = Some(self.own);
        let Some(mailbox) = self.mailbox else { unreachable!("the first node has returned the mailbox") };
        mailbox
    }

    pub(super) fn mailbox(&mut self) -> &mut Mailbox {
        match &mut self.mailbox {
            Some(mailbox) => mailbox,
            None => unreachable!("the first node has returned the mailbox"),
        }
    }

    /// Whether another worker steps some of the units.
    pub(super) fn has_others(&self) -> bool {
        self.shared.states.len() > 1
    }

    /// Lets units of this thread act, while the first node has the mailbox.
    fn act<T>(
        &mut self,
        work: impl FnOnce(&mut UnitSet, &ThreadsShared) -> Result<T, Box<Error>>,
    ) -> Result<T, Box<Error>> {
        let LocalNodes { own: WorkerState { units, .. }, mailbox, shared, .. } = self;
        units.first_su().transport_as::<RankTransport>().mailbox = mailbox.take();
        let outcome = units.guarded(|units| work(units, shared));
        *mailbox = units.first_su().transport_as::<RankTransport>().mailbox.take();
        outcome
    }

    /// Declares that this thread is about to act.
    pub(super) fn busy(&mut self) {
        self.own.ledger.busy();
    }

    /// Takes up to `steps` steps of each unit of this thread. Fails if the run has failed, or if a fiber has
    /// forked and this is the child.
    pub(super) fn step(&mut self, steps: u32, process: Process) -> Result<Step, Box<Error>> {
        self.own.units.fire_due();
        let stepped = self.act(|units, shared| units.pass(steps, &shared.verdict));
        if !process.is_current() {
            return Err(Box::new(Error::Forked { what: "the run".into() }));
        }
        if self.shared.verdict.has_failed()
            && let Some(error) = self.shared.verdict.take_error()
        {
            return Err(error);
        }
        let stepped = stepped?;
        if stepped == Step::Worked && self.has_others() {
            self.shared.sleepers.wake_holders();
        }
        self.holds = stepped == Step::Holding;
        Ok(stepped)
    }

    /// Applies a call from outside of the run.
    pub(super) fn start(&mut self, call: Event) -> Result<(), Box<Error>> {
        self.act(|units, _| units.first_su().apply(call))
    }

    /// Gives a message of the process whose first node is `from` to its node.
    pub(super) fn deliver(&mut self, from: u32, message: &mut Arrival) -> Result<(), Box<Error>> {
        let event = match message.head.split_first() {
            Some((&GIVEN, token)) => token,
            _ => &message.head,
        };
        let to = if self.count == 1 { None } else { bytes::target(event) };
        match to.map(|node| (node as usize).wrapping_sub(self.first)) {
            Some(to) if (1..self.count).contains(&to) => {
                self.put(to, Event::Message { from, message: Box::new(take(message)) });
                Ok(())
            }
            // The first node reports bytes that name no node.
            _ => self.act(|units, _| units.attend_message(from, message)),
        }
    }

    /// Puts an event into the inbox of a node other than the first, by its number in this process.
    fn put(&mut self, to: usize, event: Event) {
        let inbox = &self.roads.ends.inboxes[to];
        match self.held[to].send(event, |event| inbox.send(event)) {
            Sent::Queued => self.roads.wake(to),
            Sent::HeldBack => self.held_back += 1,
        }
    }

    /// Puts held-back events into their inboxes. Returns whether this thread may receive further messages.
    pub(super) fn has_room(&mut self) -> bool {
        if self.held_back == 0 {
            return true;
        }
        for (to, held) in self.held.iter_mut().enumerate().filter(|(_, held)| !held.is_empty()) {
            let queued = held.flush(|event| self.roads.ends.inboxes[to].send(event));
            if queued > 0 {
                self.held_back -= queued;
                self.roads.wake(to);
            }
        }
        self.held_back == 0
    }

    /// Takes the oldest token that a node shares.
    pub(super) fn take_token(&mut self) -> Option<Token> {
        self.roads.take_token()
    }

    /// Gives the first node a token that was taken.
    pub(super) fn return_token(&mut self, token: Token) -> Result<(), Box<Error>> {
        let node = self.first as u32;
        self.act(|units, _| units.first_su().attend(Event::Token { node, token }))
    }

    /// Packs a token for a node of another rank. `mark` begins the message.
    pub(super) fn send_token(&mut self, node: u32, token: Token, mark: Option<u8>, bulk_from: usize) {
        self.own.units.first_su().note_given(&token, node, mark.is_some());
        let shared = self.own.units.first_su().decoding.shared.clone();
        let rank = node as usize / self.count;
        let _ = self.mailbox().work(rank, |message| {
            message.head.extend(mark);
            bytes::pack_message(Event::Token { node, token }, message, bulk_from, &shared);
        });
    }

    /// Whether another worker sleeps, and no node shares a token.
    pub(super) fn lack_tokens(&self) -> bool {
        self.shared.sleepers.announced() > 0 && !self.roads.offers.any_but(usize::MAX)
    }

    /// Whether no unit of this process has work, no message between them is under way, and no message waits
    /// for room. Declares this thread idle if its own units are.
    pub(super) fn are_quiet(&mut self) -> bool {
        if self.held_back > 0 || self.mailbox().held_back() > 0 || self.own.units.has_work() {
            return false;
        }
        let (sent, received) = self.own.units.messages();
        let (of_others, for_others) = (self.mailbox().received, self.mailbox().sent);
        self.own.ledger.idle(sent.wrapping_add(of_others), received.wrapping_add(for_others));
        self.shared.quiet.is_quiet()
    }

    /// Returns the moment at which the next timer of this thread's units is due.
    pub(super) fn deadline(&mut self) -> Option<Instant> {
        self.own.units.deadline()
    }

    /// Whether anything arrived for this thread's units from another worker.
    pub(super) fn has_events(&mut self) -> bool {
        self.own.units.has_events()
    }

    /// Returns the state that the workers of this process share.
    pub(super) fn shared(&self) -> Arc<ThreadsShared> {
        Arc::clone(&self.shared)
    }

    /// Whether this thread holds something blocked.
    pub(super) fn holds(&self) -> bool {
        self.holds || self.held_back > 0
    }

    /// Returns the number of fruitless looks before this thread waits.
    pub(super) fn spin(&self) -> usize {
        self.shared.spin
    }

    /// Ends the run for the other workers, with an error or without.
    pub(super) fn settle(&mut self, ended: Result<(), &Error>) {
        match ended {
            Ok(()) => self.shared.verdict.settle(),
            Err(error) => self.shared.verdict.fail(Box::new(error.clone())),
        }
        self.shared.sleepers.wake_all();
    }

    /// Returns the waiting frames and the counters of each node, after a run of length `elapsed` in which
    /// this thread was idle for `idle`. Also returns their records, if they trace.
    pub(super) fn left(&mut self, elapsed: Duration, idle: Duration) -> (Stuck, Vec<Counters>, Records) {
        // The units have no work, and will get none.
        self.settle(Ok(()));
        self.shared.wait_for_workers();
        self.own.idle.waited(idle);
        let (mut stuck, mut by_node) = (Stuck::default(), vec![Counters::default(); self.all]);
        let mut records = Records::default();
        let mut visit = |state: &mut WorkerState| {
            state.units.report(&mut stuck);
            state.units.count(&mut by_node);
            state.units.collect_addresses(&mut stuck);
            state.units.add_times(elapsed, state.idle.total(), &mut by_node);
            records.add(state.units.records(Clock::Host));
        };
        visit(&mut self.own);
        self.shared.each_state(visit);
        (stuck, by_node[self.first..][..self.count].to_vec(), records)
    }
}
