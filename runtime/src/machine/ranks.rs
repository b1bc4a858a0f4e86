//! Machine whose nodes are processes. This process is the rank of a [link](crate::ranks::Link).
//!
//! The calling thread steps the node and serves the link. In DUAL it steps the synchronization unit, and
//! another thread [runs fibers](eu_thread). Outgoing events are sent at once, and incoming events are applied
//! at once. [`ranks`](crate::ranks) describes a run.
//!
//! * [`part`]: the work of a rank during a run.
//! * [`heartbeat`]: detection of silent ranks.
//! * [`injector`]: threads outside start functions.
//! * [`surroundings`]: the state of the rank as a stall monitor sees it.
//! * [`turn`]: length of a turn.
//! * [`waves`]: rank 0 detects termination.
//! * [`asking`]: distribution of tokens.

mod eu_thread;
mod heartbeat;
mod injector;
mod part;
mod surroundings;
mod token_requests;
mod turn;
mod waves;

use std::sync::Arc;

use earth_signal::{Flag, Process, Sent, Sleepers};

use eu_thread::EuThread;
use injector::InjectorQueue;
use part::{Ended, Part};
use surroundings::RankSurroundings;

use super::gate::Injector as _;
use super::panics::{drop_ignoring_panics, with_faults};
use super::queues::{Builder, Charges, OtherEnds, Wakers, queues_of_one};
use super::settings::{Config, Settings};
use super::stall::{self, WatchedRun};
use super::unit_set::UnitSet;
use super::units::{Program, RunResult, Unit, Units};
use crate::node::function::functions;
use crate::node::function::{Event, Token, UnitTransport};
use crate::node::su::Packing;
use crate::node::verdict::RunVerdict;
use crate::primitive::thread::{ThreadId, current};
use crate::ranks::{Control, Hello, Link, Mailbox, Message, VERSION};
use crate::transport::{StolenToken, Transport, Waker};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::{Error, Stuck};

/// Maximum time that a rank spends on its last messages, about a failed run or its own departure, if no rank
/// receives them.
const LAST_MESSAGES_LIMIT: std::time::Duration = std::time::Duration::from_secs(1);

/// Maximum number of fruitless looks before a thread waits whose core others need too.
const CROWDED_SPIN: usize = 16;

/// This process's part of a machine of ranks.
pub(super) struct Ranks {
    rank: usize,
    count: usize,
    /// Smallest size, in bytes, of a block that travels beside its message.
    bulk_from: usize,
    /// Number of cores that this rank has for itself, if the link knows it.
    cores: Option<usize>,
    /// Mailbox, while no run is in progress.
    mailbox: Option<Box<Mailbox>>,
    /// Whether the parent of this process has the link, so that this machine cannot run.
    is_forked_child: bool,
    /// Thread to which the link is bound, if it is.
    thread: Option<ThreadId>,
    /// Dropped after a failed run and rebuilt by the next one.
    built: Option<Built>,
}

/// Node, with the outer ends of its queues.
struct Built {
    units: UnitSet,
    /// Execution unit, in DUAL.
    eu_thread: Option<EuThread>,
    ends: OtherEnds,
    verdict: Arc<RunVerdict>,
    /// Raised when all ranks have greeted this rank in the run.
    has_begun: Flag,
}

impl Ranks {
    pub(super) fn new(link: Box<dyn Link>) -> Self {
        let (rank, count, bulk_from, cores) = (link.rank(), link.ranks(), link.bulk_from(), link.cores());
        let thread = link.is_thread_bound().then(|| current().id());
        // A run checks the number of ranks. An invalid number must not allocate anything here.
        let mailbox = (rank < count && count <= Settings::MOST_NODES).then(|| Box::new(Mailbox::new(link)));
        Ranks { rank, count, bulk_from, cores, mailbox, is_forked_child: false, thread, built: None }
    }

    /// Makes the machine that a child of the link's process gets, which cannot run.
    pub(super) fn forked_child((rank, count): (usize, usize)) -> Self {
        let (bulk_from, cores) = (usize::MAX, None);
        Ranks {
            rank,
            count,
            bulk_from,
            cores,
            mailbox: None,
            is_forked_child: true,
            thread: None,
            built: None,
        }
    }

    /// Returns this rank's number and the number of ranks.
    pub(super) fn numbers(&self) -> (usize, usize) {
        (self.rank, self.count)
    }

    /// Returns how the node packs events for other ranks.
    pub(super) fn packing(&self) -> Packing {
        Packing::Messages { bulk_from: self.bulk_from }
    }

    /// Returns the number of fruitless looks before a thread of this rank waits.
    fn spin(&self, settings: &Settings) -> usize {
        let spin = settings.policy().spin as usize;
        let threads = match settings.config {
            Config::Spn => 1,
            Config::Dual => 2,
        };
        if self.cores.is_some_and(|cores| cores < threads) { spin.min(CROWDED_SPIN) } else { spin }
    }

    /// Drops the node. The next run rebuilds it.
    pub(super) fn forget(&mut self) {
        self.built = None;
    }

    /// Checks that a run can begin.
    pub(super) fn check(&self, settings: &Settings) -> Result<(), Error> {
        if self.is_forked_child || self.mailbox.as_ref().is_some_and(|mailbox| mailbox.is_forked_child()) {
            return Err(Error::Forked { what: "the machine of ranks".into() });
        }
        if self.thread.is_some_and(|thread| current().id() != thread) {
            return Err(Error::WrongThread);
        }
        if self.mailbox.is_none() {
            let Ranks { rank, count, .. } = self;
            return Err(Error::CannotBuild(format!("the link has rank {rank} of {count}; ranks start at 0")));
        }
        if settings.trace.is_some() {
            return Err(Error::CannotBuild("a machine of ranks cannot trace; use `trace(false)`".to_owned()));
        }
        Ok(())
    }

    fn build(&self, settings: &Settings) -> Built {
        let (queues, ends) = queues_of_one(settings);
        let verdict = Arc::new(RunVerdict::new());
        verdict.set_askers(vec![ends.asker.clone()]);
        let sleepers = Arc::new(Sleepers::new(2));
        let link = self.mailbox.as_ref().and_then(|mailbox| mailbox.waker());
        let su = Waker::of_rest(&sleepers, eu_thread::SU, link);
        let wakers = match settings.config {
            Config::Spn => Wakers { eu: Waker::none(), su: Waker::none() },
            Config::Dual => Wakers { eu: Waker::new(&sleepers, eu_thread::EU), su: su.clone() },
        };
        let builder = Builder::new(settings, self.rank, &verdict, Charges::None);
        let mut units = UnitSet::default();
        let (transport_as, offer) =
            (UnitTransport::Machine(Box::new(RankTransport::default())), Box::new(wakers.su.clone()));
        for unit in builder.units(queues, transport_as, offer, wakers) {
            units.push(self.rank, unit);
        }
        // The synchronization unit of a node is the last of its units.
        let last = units.split_off(units.len() - 1);
        let eu_thread = (units.len() > 0).then(|| EuThread::new(units, sleepers, su));
        Built { units: last, eu_thread, ends, verdict, has_begun: Flag::new() }
    }

    /// Takes part in a run. Returns `None` if rank 0 takes part in no further run.
    pub(super) fn run(
        &mut self,
        settings: &Settings,
        program: Program<'_>,
    ) -> Result<Option<RunResult>, Error> {
        let settings = &match settings.watched() {
            Ok(settings) => settings,
            Err(error) => {
                drop_ignoring_panics(program);
                return Err(error);
            }
        };
        let Program { first, input, decoding, began } = program;
        let mut built = self.built.take().unwrap_or_else(|| self.build(settings));
        built.verdict.reset();
        built.has_begun.clear();
        built.begin(&decoding, began);
        let Some(mut mailbox) = self.mailbox.take() else { unreachable!("the machine was checked") };
        let injector = input.map(|input| {
            let injector = Arc::new(InjectorQueue::new(settings.queue(), mailbox.waker()));
            if !input.begin(Arc::clone(&injector) as _, |(_, call)| injector.keep(call)) {
                injector.close(0);
            }
            injector
        });
        let scene = || WatchedRun {
            units: built.activities(),
            surroundings: Box::new(RankSurroundings::new(self.rank, &built, injector.clone())),
        };
        let watch = match stall::watch(settings.stall_monitor.as_ref(), scene) {
            Ok(watch) => watch,
            Err(error) => {
                self.mailbox = Some(mailbox);
                return Err(error);
            }
        };
        mailbox.begin(Hello {
            version: VERSION,
            fingerprint: functions::fingerprint(),
            ranks: self.count as u32,
            shared: decoding.shared.len() as u32,
            heartbeat: settings.heartbeat.map_or(0, |limit| limit.as_nanos() as u64),
        });
        *built.mailbox() = Some(mailbox);
        let spin = self.spin(settings);
        let Built { eu_thread, verdict, .. } = &mut built;
        let started = eu_thread.as_mut().map_or(Ok(()), |eu_thread| eu_thread.start(verdict, settings, spin));
        let process = Process::current();
        let mut part = Part::new((self.rank, self.count), settings, spin, &mut built, first, injector);
        let ended =
            started.and_then(|()| with_faults(|| part.run().map_err(|error| *error))).map_err(Box::new);
        drop_ignoring_panics(part.take_first());
        if !process.is_current() {
            // A fiber has forked, and this process is the child.
            self.is_forked_child = true;
            std::mem::forget(built);
            return Err(Error::Forked { what: "the run".into() });
        }
        match &ended {
            Ok(_) => built.verdict.settle(),
            Err(error) => built.verdict.fail(error.clone()),
        }
        if let Some(eu_thread) = &mut built.eu_thread {
            eu_thread.stop();
        }
        drop(watch);
        let mut mailbox = built.mailbox().take();
        if let (Err(error), Some(mailbox)) = (&ended, &mut mailbox) {
            mailbox.given.clear();
            mailbox.drop_work();
            // A rank that receives an error also forwards it. It may leave now, and the other ranks must
            // learn of the error before.
            mailbox.broadcast(|| Control::Failed(error.clone()));
            mailbox.send_last(LAST_MESSAGES_LIMIT);
        }
        self.mailbox = mailbox;
        match ended {
            Ok(Ended::Well { by_node }) => {
                let value = built.end();
                self.built = Some(built);
                Ok(Some(RunResult { value, by_node, cycles: None }))
            }
            Ok(Ended::NoMore) => {
                drop_ignoring_panics(built);
                Ok(None)
            }
            Err(error) => {
                drop_ignoring_panics(built);
                Err(*error)
            }
        }
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        if let Some(mailbox) = &mut self.mailbox {
            mailbox.leave(LAST_MESSAGES_LIMIT);
        }
    }
}

/// All units of the node, while no run is in progress.
impl Units for Built {
    fn each(&mut self, visit: &mut dyn FnMut(usize, &mut dyn Unit)) {
        self.units.each(visit);
        self.eu_thread.as_mut().and_then(EuThread::units).into_iter().for_each(|units| units.each(visit));
    }
}

impl Built {
    /// Returns the place of the mailbox, which is there during a run.
    fn mailbox(&mut self) -> &mut Option<Box<Mailbox>> {
        &mut self.units.su().transport_as::<RankTransport>().mailbox
    }

    /// Returns the report and the counters of this node, on a machine of `ranks` nodes.
    fn left(&mut self, rank: usize, ranks: usize) -> (Stuck, Counters) {
        let mut stuck = Stuck::default();
        let mut by_node = vec![Counters::default(); ranks];
        self.report(&mut stuck);
        self.count(&mut by_node);
        self.collect_addresses(&mut stuck);
        (stuck, by_node[rank])
    }
}

/// Transport of a node that is a process. Events, already encoded as bytes, become messages. Between runs the
/// machine has the mailbox. The machine looks at shared tokens after each turn.
#[derive(Default)]
struct RankTransport {
    mailbox: Option<Box<Mailbox>>,
}

impl Transport<Event, Token> for RankTransport {
    fn send(&mut self, _to: u32, _event: Event, _now: &mut u64) -> Sent {
        unreachable!("an event that leaves a rank is packed")
    }

    fn send_packed(&mut self, to: u32, pack: &mut dyn FnMut(&mut Message)) -> Sent {
        self.mailbox.as_mut().map_or(Sent::Queued, |mailbox| mailbox.work(to as usize, pack))
    }

    fn held_back(&self) -> usize {
        self.mailbox.as_ref().map_or(0, |mailbox| mailbox.held_back())
    }

    fn flush(&mut self) -> usize {
        let Some(mailbox) = &mut self.mailbox else { return 0 };
        mailbox.send_held_back();
        mailbox.held_back()
    }

    fn attend(&mut self) {
        if let Some(mailbox) = &mut self.mailbox {
            mailbox.attend();
        }
    }

    fn steal(&mut self) -> Option<StolenToken<Token>> {
        let (from, token) = self.mailbox.as_mut()?.given.pop_front()?;
        Some(StolenToken::Bytes { from: from as u32, token })
    }

    fn can_steal(&self) -> bool {
        self.mailbox.as_ref().is_some_and(|mailbox| !mailbox.given.is_empty())
    }
}
