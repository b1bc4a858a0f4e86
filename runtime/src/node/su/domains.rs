//! The [domains](crate::node::domain) on a node: what is pending of each, its frames, its gate, and the
//! messages about it.
//!
//! In DUAL the execution unit has the frames and the dead domains. The synchronization unit has the counts
//! and the gates. In SPN one unit has all.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::{Role, Su, SuResult, TokenSharing};
use crate::node::domain::{Domain, DomainNote, DomainOrder, Mark, Opening};
use crate::node::frame::Gate;
use crate::node::function::{EuWork, Event};
use crate::vocabulary::address::FrameId;
use crate::vocabulary::error::{EntryName, Error};
use crate::vocabulary::isolated::IsolatedError;
use crate::vocabulary::origin::Origin;
use crate::vocabulary::unwinding::drop_ignoring_panics;
use crate::vocabulary::value::Value;

/// What is pending of a domain on a node.
struct Pending {
    /// How many calls, frames and events.
    count: u64,
    /// The node that learns of the end of the count. At home there is none.
    parent: Option<u32>,
}

/// The domains as a node knows them.
#[derive(Default)]
pub(crate) struct Domains {
    pending: HashMap<Domain, Pending>,
    /// The domains whose gates were opened here by fibers of a domain, by that domain.
    inner: HashMap<Domain, Vec<Domain>>,
    /// The frames of domains, and the domain of each.
    frames: HashMap<Domain, HashSet<FrameId>>,
    of_frame: HashMap<FrameId, Domain>,
    /// The domains that have failed and not ended.
    dead: HashSet<Domain>,
    /// The number of gates opened here in this run.
    opened: u64,
    /// The domain of the running fiber, also while the fiber polls.
    pub(in crate::node) running: Option<Domain>,
    /// The first misuse of the running fiber.
    misuse: Cell<Option<Box<Error>>>,
}

impl Domains {
    /// Notes an error of the running fiber, before the fiber unwinds.
    pub(in crate::node) fn note_misuse(&self, error: Error) {
        let first = self.misuse.take().unwrap_or_else(|| Box::new(error));
        self.misuse.set(Some(first));
    }

    pub(in crate::node) fn take_misuse(&self) -> Option<Box<Error>> {
        self.misuse.take()
    }

    pub(in crate::node) fn of_frame(&self, id: FrameId) -> Option<Domain> {
        self.of_frame.get(&id).copied()
    }

    pub(in crate::node) fn is_dead(&self, domain: Domain) -> bool {
        self.dead.contains(&domain) && !seeded!(DeadCallRuns)
    }

    /// Returns a domain whose home is `node`.
    pub(in crate::node) fn next(&mut self, node: u32) -> Domain {
        self.opened += 1;
        Domain::new(node, self.opened - 1)
    }
}

/// The frames of domains, in the unit that runs fibers.
impl Su {
    /// Whether frames of domains live here, so that the unit looks for the domain of each fiber.
    #[inline(always)]
    pub(crate) fn isolates(&self) -> bool {
        !self.domains.of_frame.is_empty()
    }

    /// Adds a frame that a call of a domain has made. It takes the place of the call among what is pending.
    pub(in crate::node) fn register(&mut self, id: FrameId, domain: Domain) {
        self.domains.of_frame.insert(id, domain);
        self.domains.frames.entry(domain).or_default().insert(id);
    }

    /// Removes a frame that has ended.
    pub(in crate::node) fn unregister(&mut self, id: FrameId, domain: Domain) {
        let Domains { of_frame, frames, .. } = &mut *self.domains;
        of_frame.remove(&id);
        if let Some(of) = frames.get_mut(&domain) {
            of.remove(&id);
            if of.is_empty() {
                frames.remove(&domain);
            }
        }
    }

    /// Runs the following operations in a domain, or in none.
    pub(in crate::node) fn act_for(&mut self, domain: Option<Domain>) -> SuResult {
        (self.domain, self.domains.running) = (domain, domain);
        self.token_sharing = if self.shares_unwatched() { TokenSharing::Shared } else { TokenSharing::Slow };
        if self.passes_on() { self.say(DomainNote::Sender(domain)) } else { Ok(()) }
    }

    /// Drops all frames of a domain that has failed. The running fiber, if it is of the domain, unwinds when
    /// it ends its poll, and the frames are dropped then. `also` is a frame that is not registered. Releases
    /// `more` pending things besides the frames. `error` is the error, if a fiber failed here.
    pub(in crate::node) fn kill(
        &mut self,
        domain: Domain,
        also: Option<FrameId>,
        more: u64,
        error: Option<Box<Error>>,
    ) -> SuResult {
        self.domains.dead.insert(domain);
        if self.domains.running == Some(domain) {
            return Ok(());
        }
        let mut frames: Vec<FrameId> = self.domains.frames.remove(&domain).into_iter().flatten().collect();
        let pending = frames.len() as u64 + more;
        for id in &frames {
            self.domains.of_frame.remove(id);
        }
        frames.extend(also);
        // The order in which values are dropped does not depend on hashes.
        frames.sort_unstable();
        for id in &frames {
            self.frames.discard(*id);
        }
        self.say(DomainNote::Dropped { domain, frames, pending, error })
    }

    /// Obeys the unit that owns the slots of the node (DUAL).
    pub(in crate::node) fn obey(&mut self, order: DomainOrder) -> SuResult {
        match order {
            DomainOrder::Kill(domain) => self.kill(domain, None, 0, None),
            DomainOrder::Forget(domain) => {
                self.domains.dead.remove(&domain);
                Ok(())
            }
        }
    }

    /// Tells the unit that owns the slots of the node about a domain.
    pub(in crate::node) fn say(&mut self, note: DomainNote) -> SuResult {
        if self.passes_on() {
            self.forward(Event::Domain { node: self.node, note });
            return Ok(());
        }
        self.note_domain(note)
    }
}

/// Counts and gates, in the unit that owns the slots of the node.
impl Su {
    /// Applies a message about a domain.
    pub(in crate::node) fn note_domain(&mut self, note: DomainNote) -> SuResult {
        match note {
            DomainNote::Sender(domain) => self.domain = domain,
            DomainNote::Open(opening) => self.open_gate(*opening),
            DomainNote::Made(domain) => self.pends(domain),
            DomainNote::Started(mark) => self.engage(mark),
            DomainNote::Done(domain) | DomainNote::Settled(domain) => return self.settle(domain, 1),
            DomainNote::Dropped { domain, frames, pending, error } => {
                if self.role == Role::HandsOver {
                    for id in frames {
                        self.frames.discard(id);
                    }
                }
                if let Some(error) = error {
                    self.fail_domain(domain, error)?;
                }
                for inner in self.domains.inner.get(&domain).cloned().unwrap_or_default() {
                    self.fail_gate(inner, IsolatedError::CallerFailed)?;
                }
                return self.settle(domain, pending);
            }
            DomainNote::Failed { mark: Mark { domain, from }, error } => {
                self.fail_gate(domain, IsolatedError::Failed(error))?;
                self.forward(Event::Domain { node: from, note: DomainNote::Settled(domain) });
            }
            DomainNote::Dead(domain) => return self.order(DomainOrder::Kill(domain)),
            DomainNote::Forget(domain) => return self.order(DomainOrder::Forget(domain)),
        }
        Ok(())
    }

    fn order(&mut self, order: DomainOrder) -> SuResult {
        if self.role == Role::HandsOver {
            self.hand(EuWork::Domain(order));
            return Ok(());
        }
        self.obey(order)
    }

    fn open_gate(&mut self, opening: Opening) {
        let Opening { domain, outer, .. } = opening;
        if let Some(outer) = outer {
            self.pends(outer);
            self.domains.inner.entry(outer).or_default().push(domain);
        }
        self.frames.gates.insert(domain.gate(), Gate { opening, value: None, error: None });
        self.domains.pending.insert(domain, Pending { count: 1, parent: None });
    }

    /// Counts one more pending thing of a domain that something is pending of here.
    fn pends(&mut self, domain: Domain) {
        match self.domains.pending.get_mut(&domain) {
            Some(pending) => pending.count += 1,
            None => unreachable!("only what is pending of a domain acts for it"),
        }
    }

    /// Counts a call or an event that came from another node.
    fn engage(&mut self, Mark { domain, from }: Mark) {
        if let Some(pending) = self.domains.pending.get_mut(&domain) {
            pending.count += 1;
            self.forward(Event::Domain { node: from, note: DomainNote::Settled(domain) });
        } else {
            self.domains.pending.insert(domain, Pending { count: 1, parent: Some(from) });
        }
    }

    /// Counts `by` fewer pending things of a domain.
    fn settle(&mut self, domain: Domain, by: u64) -> SuResult {
        let Some(pending) = self.domains.pending.get_mut(&domain) else { return Ok(()) };
        pending.count -= by;
        if pending.count > 0 {
            return Ok(());
        }
        match self.domains.pending.remove(&domain).and_then(|pending| pending.parent) {
            Some(node) => {
                self.forward(Event::Domain { node, note: DomainNote::Settled(domain) });
                Ok(())
            }
            None => self.answer(domain),
        }
    }

    /// Answers for a domain that has ended.
    fn answer(&mut self, domain: Domain) -> SuResult {
        let Some(Gate { opening, value, error }) = self.frames.gates.remove(&domain.gate()) else {
            return Ok(());
        };
        let Opening { outer, out, origin, hooks, .. } = opening;
        if let Some(outer) = outer
            && let Some(inner) = self.domains.inner.get_mut(&outer)
        {
            inner.retain(|inner| *inner != domain);
            if inner.is_empty() {
                self.domains.inner.remove(&outer);
            }
        }
        let outcome = match (error, value) {
            (Some(error), value) => {
                drop_ignoring_panics(value);
                self.tell_all(|| DomainNote::Forget(domain))?;
                Err(error)
            }
            (None, Some(value)) => Ok(value),
            (None, None) => Err(IsolatedError::NoAnswer),
        };
        let before = std::mem::replace(&mut self.domain, outer);
        let put = self.put(out, (hooks.answer)(outcome), origin);
        let put = self.blame(put);
        if put.is_err() {
            // Nobody else is to blame: the run ends.
            self.domain = None;
            return put;
        }
        self.domain = before;
        outer.map_or(Ok(()), |outer| self.settle(outer, 1))
    }

    /// Sends a message about a domain to all nodes.
    fn tell_all(&mut self, note: impl Fn() -> DomainNote) -> SuResult {
        let own = self.node;
        for node in (0..self.decoding.nodes).filter(|node| *node != own) {
            self.forward(Event::Domain { node, note: note() });
        }
        self.note_domain(note())
    }

    /// Reports an error of a domain to its home.
    fn fail_domain(&mut self, domain: Domain, error: Box<Error>) -> SuResult {
        if domain.home() == self.node {
            return self.fail_gate(domain, IsolatedError::Failed(error));
        }
        self.pends(domain);
        let mark = Mark { domain, from: self.node };
        self.forward(Event::Domain { node: domain.home(), note: DomainNote::Failed { mark, error } });
        Ok(())
    }

    /// Notes the first error of a domain at its home, and declares it dead.
    fn fail_gate(&mut self, domain: Domain, error: IsolatedError) -> SuResult {
        match self.frames.gates.get_mut(&domain.gate()) {
            Some(gate) if gate.error.is_none() => {
                gate.error = Some(error);
                self.tell_all(|| DomainNote::Dead(domain))
            }
            _ => Ok(()),
        }
    }

    /// Takes the error of an operation of a domain from the run to the domain.
    #[inline]
    pub(in crate::node) fn blame(&mut self, outcome: SuResult) -> SuResult {
        match (outcome, self.domain) {
            (Err(error), Some(domain)) => self.fail_domain(domain, error),
            (outcome, _) => outcome,
        }
    }

    /// Marks an event that leaves this node for a fiber of a domain.
    pub(super) fn marked(&mut self, event: Event) -> Event {
        let travels = matches!(
            event,
            Event::Signal { .. }
                | Event::Put { .. }
                | Event::Get { .. }
                | Event::Write { .. }
                | Event::Signed { .. }
        );
        match self.domain {
            Some(domain) if travels && !self.passes_on() => {
                self.pends(domain);
                Event::Isolated { mark: Mark { domain, from: self.node }, event: Box::new(event) }
            }
            _ => event,
        }
    }

    /// Applies an event of a domain that came from another node.
    pub(super) fn apply_for(&mut self, mark: Mark, apply: impl FnOnce(&mut Self) -> SuResult) -> SuResult {
        self.engage(mark);
        let before = self.domain.replace(mark.domain);
        let outcome = apply(self);
        let outcome = self.blame(outcome);
        self.domain = before;
        outcome?;
        self.settle(mark.domain, 1)
    }

    /// Stores the value of an isolated call. A value for a gate whose domain has ended is dropped.
    #[cold]
    pub(super) fn put_to_gate(&mut self, id: FrameId, value: Value, origin: Origin) -> SuResult {
        let Some(gate) = self.frames.gates.get_mut(&id) else {
            drop_ignoring_panics(value);
            return Ok(());
        };
        if gate.value.is_none() {
            gate.value = Some(value);
            return Ok(());
        }
        let slot = EntryName {
            what: "reply".into(),
            name: "reply".into(),
            function: "isolated call".into(),
            node: self.node as usize,
        };
        Err(Box::new(Error::TooManySignals { slot, sender: Box::new(origin.name()) }))
    }
}
