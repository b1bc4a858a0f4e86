//! Machine whose nodes are in several processes. This process is one rank of a [link](crate::ranks::Link), and
//! has some nodes, as a machine of [threads](super::threads) has.
//!
//! The calling thread is worker 0 of these nodes. It steps the first node (in DUAL, the first node's
//! synchronization unit) and serves the link. Events for other processes leave through the first node.
//! [`ranks`](crate::ranks) describes a run.
//!
//! * [`part`]: the work of a rank during a run.
//! * [`local_nodes`]: the nodes of this process in a run, and their workers.
//! * [`transport`]: the way out of a node.
//! * [`clocks`]: comparison of the ranks' clocks.
//! * [`heartbeat`]: detection of silent ranks.
//! * [`injector`]: threads outside start functions.
//! * [`surroundings`]: the state of the rank as a stall monitor sees it.
//! * [`turn`]: length of a turn.
//! * [`waves`]: rank 0 detects termination.
//! * [`token_requests`]: distribution of tokens between ranks.

mod clocks;
mod heartbeat;
mod injector;
mod local_nodes;
mod part;
mod surroundings;
mod token_requests;
mod transport;
mod turn;
mod waves;

use std::num::NonZero;
use std::sync::Arc;

use earth_signal::{Flag, Process};

use injector::InjectorQueue;
use local_nodes::LocalNodes;
use part::{Ended, Part};
use surroundings::RankSurroundings;
use transport::RankTransport;

use super::core_binding::Usable;
use super::gate::Injector as _;
use super::panics::drop_ignoring_panics;
use super::schedule::Recording;
use super::settings::Settings;
use super::stall::{self, WatchedRun};
use super::threads::WorkerPool;
use super::units::{Program, RunResult, Units as _};
use crate::node::function::functions;
use crate::node::su::Packing;
use crate::node::tokens::Within;
use crate::primitive::thread::{ThreadId, current};
use crate::probe::records::gathered::RankClock;
use crate::probe::records::{Clock, Records};
use crate::ranks::{Control, Hello, Link, Mailbox, VERSION};
use crate::vocabulary::error::Error;

/// Maximum time that a rank spends on its last messages, about a failed run or its own departure, if no rank
/// receives them.
const LAST_MESSAGES_LIMIT: std::time::Duration = std::time::Duration::from_secs(1);

/// Maximum number of fruitless looks before a thread waits whose core others need too.
const CROWDED_SPIN: u32 = 16;

/// Properties of a link that do not change.
#[derive(Default)]
struct LinkProperties {
    rank: usize,
    count: usize,
    /// Smallest size, in bytes, of a block that travels beside its message.
    bulk_from: usize,
    /// Number of cores that this rank has for itself, if the link knows it.
    cores: Option<usize>,
    reports_losses: bool,
    /// Thread of the link, if the link is bound to one.
    thread: Option<ThreadId>,
}

impl LinkProperties {
    fn of(link: &dyn Link) -> Self {
        LinkProperties {
            rank: link.rank(),
            count: link.ranks(),
            bulk_from: link.bulk_from(),
            cores: link.cores(),
            reports_losses: link.reports_losses(),
            thread: link.is_thread_bound().then(|| current().id()),
        }
    }
}

/// This process's part of a machine of ranks.
pub(super) struct Ranks {
    link: LinkProperties,
    /// Mailbox, while no run is in progress.
    mailbox: Option<Box<Mailbox>>,
    /// Whether the parent of this process has the link, so that this machine cannot run.
    is_forked_child: bool,
    /// Workers and units, after the first run.
    pool: Option<Box<WorkerPool>>,
    /// Records of all nodes in the last run, on rank 0 of a machine that traces.
    records: Option<Records>,
    /// Records of this rank's nodes in the last run, if it has failed.
    pub(super) failed: Option<Box<Records>>,
}

impl Ranks {
    pub(super) fn new(link: Box<dyn Link>) -> Self {
        let link_properties = LinkProperties::of(&*link);
        let LinkProperties { rank, count, .. } = link_properties;
        // A run checks the number of ranks. An invalid number must not allocate anything here.
        let mailbox = (rank < count && count <= Settings::MOST_NODES).then(|| Box::new(Mailbox::new(link)));
        Self::of(link_properties, mailbox, false)
    }

    /// Makes the machine that a child of the link's process gets, which cannot run.
    pub(super) fn forked_child((rank, count): (usize, usize)) -> Self {
        let link = LinkProperties { rank, count, ..LinkProperties::default() };
        Self::of(link, None, true)
    }

    fn of(link: LinkProperties, mailbox: Option<Box<Mailbox>>, is_forked_child: bool) -> Self {
        Ranks { link, mailbox, is_forked_child, pool: None, records: None, failed: None }
    }

    /// Returns this rank's number and the number of ranks.
    pub(super) fn numbers(&self) -> (usize, usize) {
        (self.link.rank, self.link.count)
    }

    /// Returns how the first node packs events for other ranks, with these settings.
    pub(super) fn packing(&self, settings: &Settings) -> Packing {
        let first = settings.first_node() as u32;
        let end = NonZero::new(first.saturating_add(settings.nodes as u32)).unwrap_or(NonZero::<u32>::MIN);
        Packing::Messages { bulk_from: self.link.bulk_from, own: Within { first, end } }
    }

    /// Takes the records of all nodes in the last run.
    pub(super) fn records(&mut self) -> Option<Records> {
        self.records.take()
    }

    /// Returns the recorded order of this rank's node in the last run.
    pub(super) fn recording(&self) -> Option<&Recording> {
        self.pool.as_ref()?.recording.as_ref()
    }

    /// Drops the workers and units. The next run makes others.
    pub(super) fn forget(&mut self) {
        self.pool = None;
    }

    /// Checks that a run can begin.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.is_forked_child || self.mailbox.as_ref().is_some_and(|mailbox| mailbox.is_forked_child()) {
            return Err(Error::Forked { what: "the machine of ranks".into() });
        }
        if self.link.thread.is_some_and(|thread| current().id() != thread) {
            return Err(Error::WrongThread);
        }
        if self.mailbox.is_none() {
            let LinkProperties { rank, count, .. } = self.link;
            return Err(Error::CannotBuild(format!("the link has rank {rank} of {count}; ranks start at 0")));
        }
        Ok(())
    }

    /// Makes the workers: one for each unit, or fewer if the rank has fewer cores.
    fn build(&self, settings: &Settings) -> Result<Box<WorkerPool>, Error> {
        let usable = Usable::here();
        let cores = self.link.cores.unwrap_or(usable.cores);
        let mut policy = settings.policy();
        if cores == 0 {
            policy.spin = policy.spin.min(CROWDED_SPIN);
        }
        let settings = Settings { policy: Some(policy), pin: Some(false), ..settings.clone() };
        let workers = settings.units().min(cores).max(1);
        let waker = self.mailbox.as_ref().and_then(|mailbox| mailbox.waker());
        WorkerPool::of_workers(workers, &settings, usable, waker).map(Box::new)
    }

    /// Takes part in a run. Returns `None` if rank 0 takes part in no further run.
    pub(super) fn run(
        &mut self,
        settings: &Settings,
        program: Program<'_>,
    ) -> Result<Option<RunResult>, Error> {
        (self.records, self.failed) = (None, None);
        let clock = settings.trace.map(|_| RankClock::start());
        let pool = match self.pool.take().filter(|pool| pool.shared.is_here()) {
            Some(pool) => Ok(pool),
            None => self.build(settings),
        };
        let prepared = pool.and_then(|mut pool| {
            let roads = pool.prepare(&program, RankTransport::boxed)?;
            Ok((pool, roads))
        });
        let (pool, roads) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                drop_ignoring_panics(program);
                return Err(error);
            }
        };
        let pool = self.pool.insert(pool);
        let shared = Arc::clone(&pool.shared);
        let Program { first, input, decoding, began: _ } = program;
        let Some(mut mailbox) = self.mailbox.take() else { unreachable!("the machine was checked") };
        let injector = input.map(|input| {
            let injector = Arc::new(InjectorQueue::new(settings.queue(), mailbox.waker()));
            if !input.begin(Arc::clone(&injector) as _, |(_, call)| injector.keep(call)) {
                injector.close(0);
            }
            injector
        });
        let has_begun = Flag::new();
        let scene = || WatchedRun {
            units: (&*shared).activities(),
            surroundings: Box::new(RankSurroundings {
                rank: self.link.rank,
                first_node: settings.first_node(),
                hides_losses: !self.link.reports_losses && settings.heartbeat.is_none(),
                has_begun: has_begun.clone(),
                injector: injector.clone(),
                roads: Arc::clone(&roads),
            }),
        };
        let watch = match stall::watch(pool.stall_monitor(), scene) {
            Ok(watch) => watch,
            Err(error) => {
                self.mailbox = Some(mailbox);
                drop_ignoring_panics(first);
                return Err(error);
            }
        };
        mailbox.begin(Hello {
            version: VERSION,
            fingerprint: functions::fingerprint(),
            ranks: self.link.count as u32,
            nodes: settings.nodes as u32,
            shared: decoding.shared.len() as u32,
            heartbeat: settings.heartbeat.map_or(0, |limit| limit.as_nanos() as u64),
            traces: clock.is_some(),
        });
        let process = Process::current();
        let nodes = LocalNodes::begin(settings, Arc::clone(&shared), roads, mailbox);
        let (ended, mut mailbox, records) =
            Part::new(settings, nodes, first, clock.clone(), (has_begun, injector)).run();
        if !process.is_current() {
            // A fiber has forked, and this process is the child.
            self.is_forked_child = true;
            std::mem::forget((self.pool.take(), mailbox));
            return Err(Error::Forked { what: "the run".into() });
        }
        if let Err(error) = &ended {
            mailbox.drop_work();
            // A rank that receives an error also forwards it. It may leave now, and the other ranks must
            // learn of the error before.
            mailbox.broadcast(|| Control::Failed(error.clone()));
            mailbox.send_last(LAST_MESSAGES_LIMIT);
            mailbox.lose(error);
        }
        self.mailbox = Some(mailbox);
        shared.wait_for_workers();
        drop(watch);
        if let Some(pool) = &mut self.pool {
            pool.record(settings.all_nodes());
        }
        match ended {
            Ok(Ended::Well { by_node, records }) => {
                let value = (&*shared).end();
                if self.link.rank == 0 && value.is_none() {
                    self.failed = records.map(Box::new);
                } else {
                    self.records = records;
                }
                Ok(Some(RunResult { value, by_node, cycles: None }))
            }
            Ok(Ended::NoMore) => {
                self.pool = None;
                Ok(None)
            }
            Err(error) => {
                let all = settings.all_nodes();
                let records = || records.unwrap_or_else(|| (&*shared).records(Clock::Host));
                self.failed = clock.map(|_| Box::new(records().of_all_nodes(all)));
                self.pool.iter_mut().for_each(|pool| pool.drop_units());
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
