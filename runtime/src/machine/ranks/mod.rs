//! A machine whose nodes are processes, and this one of them: the rank of a [link](crate::ranks::Link).
//!
//! The calling thread steps the node, in DUAL its synchronization unit, beside which a thread of its own [runs
//! fibers](beside), and attends to the link. What leaves the node is sent at once, what comes in goes to the inbox,
//! as far as that has room. A run goes as [`ranks`](crate::ranks) tells; what a rank does during one stands in
//! [`part`], how threads outside start functions on it in [`injector`], how rank 0 finds out that it is over in
//! [`waves`], who gets tokens in [`asking`].

mod asking;
mod beside;
mod injector;
mod part;
mod waves;

use std::sync::Arc;
use std::time::Instant;

use earth_signal::{HeldBack, Process, Sent, Sleepers};

use beside::Beside;
use injector::InjectorQueue;
use part::{Ended, Part};

use super::gate::Injector as _;
use super::panics::quietly;
use super::queues::{Builder, Charges, OtherEnds, Wakers, queues_of_one};
use super::settings::{Config, Settings};
use super::stall;
use super::unit_set::UnitSet;
use super::units::{Outcome, Program, Unit, Units};
use crate::node::function::functions;
use crate::node::function::{Event, Token, Way};
use crate::node::verdict::RunVerdict;
use crate::ranks::{Control, Hello, Link, Mailbox, VERSION};
use crate::transport::{Stolen, Transport, Waker};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::{Error, Stuck};

/// How long a rank tries to tell the others that its run has failed, or that it leaves, where they do not listen.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_secs(1);

/// This process's part of a machine of ranks.
pub(super) struct Ranks {
    rank: usize,
    count: usize,
    /// The messages, while no run is on.
    mailbox: Option<Box<Mailbox>>,
    /// Whether the parent of this process has the link, and this is no copy of it.
    is_elsewhere: bool,
    /// Dropped after a failed run, built anew by the next one.
    built: Option<Built>,
}

/// A node and the other ends of its queues.
struct Built {
    units: UnitSet,
    /// The execution unit, in DUAL.
    beside: Option<Beside>,
    ends: OtherEnds,
    /// Events that found no room in the inbox.
    held: HeldBack<Event>,
    verdict: Arc<RunVerdict>,
}

impl Ranks {
    pub(super) fn new(link: Box<dyn Link>) -> Self {
        let (rank, count) = (link.rank(), link.ranks());
        // A number of ranks that no machine has is refused before a run, and nothing is made for each of them.
        let mailbox = (rank < count && count <= Settings::MOST_NODES).then(|| Box::new(Mailbox::new(link)));
        Ranks { rank, count, mailbox, is_elsewhere: false, built: None }
    }

    /// What a child of the process that has the link gets in the place of its machine.
    pub(super) fn elsewhere((rank, count): (usize, usize)) -> Self {
        Ranks { rank, count, mailbox: None, is_elsewhere: true, built: None }
    }

    /// This rank's number, and how many there are.
    pub(super) fn numbers(&self) -> (usize, usize) {
        (self.rank, self.count)
    }

    /// Has the node built anew by the next run.
    pub(super) fn forget(&mut self) {
        self.built = None;
    }

    /// Whether a run can be begun at all.
    pub(super) fn check(&self, settings: &Settings) -> Result<(), Error> {
        if self.is_elsewhere || self.mailbox.as_ref().is_some_and(|mailbox| mailbox.is_elsewhere()) {
            return Err(Error::Forked { what: "the machine of ranks".into() });
        }
        if self.mailbox.is_none() {
            let Ranks { rank, count, .. } = self;
            return Err(Error::CannotBuild(format!("its link says that it is rank {rank} of {count}")));
        }
        if settings.trace.is_some() {
            return Err(Error::CannotBuild("a machine of ranks writes down no records".to_owned()));
        }
        Ok(())
    }

    fn build(&self, settings: &Settings) -> Built {
        let (queues, ends) = queues_of_one(settings);
        let verdict = Arc::new(RunVerdict::new());
        verdict.tell(vec![ends.asker.clone()]);
        let sleepers = Arc::new(Sleepers::new(2));
        let link = self.mailbox.as_ref().and_then(|mailbox| mailbox.waker());
        let su = Waker::of_rest(&sleepers, beside::SU, link);
        let wakers = match settings.config {
            Config::Spn => Wakers { eu: Waker::none(), su: Waker::none() },
            Config::Dual => Wakers { eu: Waker::new(&sleepers, beside::EU), su: su.clone() },
        };
        let builder = Builder::new(settings, self.rank, &verdict, Charges::Nothing);
        let mut units = UnitSet::default();
        let (way, offer) = (Way::Machine(Box::new(RankWay::default())), Box::new(wakers.su.clone()));
        for unit in builder.units(queues, way, offer, wakers) {
            units.push(self.rank, unit);
        }
        // The synchronization unit of a node is the last of its units.
        let last = units.split_off(units.len() - 1);
        let beside = (units.len() > 0).then(|| Beside::new(units, sleepers, su));
        Built { units: last, beside, ends, held: HeldBack::new(), verdict }
    }

    /// Takes part in a run. Returns `None` if rank 0 takes part in no further run.
    pub(super) fn run(
        &mut self,
        settings: &Settings,
        program: Program<'_>,
    ) -> Result<Option<Outcome>, Error> {
        let Program { first, input, decoding, began } = program;
        let mut built = self.built.take().unwrap_or_else(|| self.build(settings));
        built.verdict.reset();
        built.begin(&decoding, began);
        let watch = stall::watch(settings.stall_monitor.as_ref(), || built.activities())?;
        let Some(mut mailbox) = self.mailbox.take() else { unreachable!("the machine was checked") };
        mailbox.begin(Hello {
            version: VERSION,
            fingerprint: functions::fingerprint(),
            ranks: self.count as u32,
            shared: decoding.shared.len() as u32,
        });
        let injector = input.map(|input| {
            let injector = Arc::new(InjectorQueue::new(settings.queue(), mailbox.waker()));
            if !input.begin(Arc::clone(&injector) as _, |(_, call)| injector.keep(call)) {
                injector.close();
            }
            injector
        });
        *built.mailbox() = Some(mailbox);
        let Built { beside, verdict, .. } = &mut built;
        let started = beside.as_mut().map_or(Ok(()), |beside| beside.start(verdict, settings));
        let process = Process::current();
        let mut part = Part::new(self.rank, self.count, settings, &mut built, first, injector);
        let ended = started.map_err(Box::new).and_then(|()| part.run());
        quietly(part.take_first());
        if !process.is_current() {
            // A fiber has forked, and this is the child.
            self.is_elsewhere = true;
            std::mem::forget(built);
            return Err(Error::Forked { what: "the run".into() });
        }
        match &ended {
            Ok(_) => built.verdict.settle(),
            Err(error) => built.verdict.fail(error.clone()),
        }
        if let Some(beside) = &mut built.beside {
            beside.stop();
        }
        drop(watch);
        let mut mailbox = built.mailbox().take();
        if let (Err(error), Some(mailbox)) = (&ended, &mut mailbox) {
            mailbox.given.clear();
            mailbox.drop_work();
            // Whoever was told of it tells it, too: a rank may leave now, and the others are to hear of the error before.
            mailbox.tell_all(|| Control::Failed(error.clone()));
            say(mailbox);
        }
        self.mailbox = mailbox;
        match ended {
            Ok(Ended::Well { by_node }) => {
                let value = built.end();
                self.built = Some(built);
                Ok(Some(Outcome { value, by_node, cycles: None }))
            }
            Ok(Ended::NoMore) => {
                quietly(built);
                Ok(None)
            }
            Err(error) => {
                quietly(built);
                Err(*error)
            }
        }
    }
}

/// Sends the last messages, as far as anybody takes them within a time.
fn say(mailbox: &mut Mailbox) {
    let since = Instant::now();
    while !mailbox.flush() && since.elapsed() < LAST_WORDS {
        mailbox.wait(LAST_WORDS / 100);
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        if let Some(mailbox) = &mut self.mailbox {
            mailbox.tell_all(|| Control::Bye);
            say(mailbox);
        }
    }
}

/// All units of the node, while no run is on.
impl Units for Built {
    fn each(&mut self, visit: &mut dyn FnMut(usize, &mut dyn Unit)) {
        self.units.each(visit);
        self.beside.as_mut().and_then(Beside::units).into_iter().for_each(|units| units.each(visit));
    }
}

impl Built {
    /// The place of the mailbox, which is there while a run is on.
    fn mailbox(&mut self) -> &mut Option<Box<Mailbox>> {
        &mut self.units.su().way::<RankWay>().mailbox
    }

    /// The report and the counters of this node of `ranks` ones.
    fn left(&mut self, rank: usize, ranks: usize) -> (Stuck, Counters) {
        let mut stuck = Stuck::default();
        let mut by_node = vec![Counters::default(); ranks];
        self.report(&mut stuck);
        self.count(&mut by_node);
        self.look_into(&mut stuck);
        (stuck, by_node[rank])
    }
}

/// The transport of a node that is a process: events, which are bytes already, become messages. The mailbox is the machine's
/// between runs. The machine looks at shared tokens after each turn.
#[derive(Default)]
struct RankWay {
    mailbox: Option<Box<Mailbox>>,
}

impl Transport<Event, Token> for RankWay {
    fn send(&mut self, to: u32, event: Event, _now: &mut u64) -> Sent {
        let Event::Bytes { bytes, .. } = event else { unreachable!("what leaves a rank was packed") };
        self.mailbox.as_mut().map_or(Sent::Queued, |mailbox| mailbox.work(to as usize, bytes))
    }

    fn held_back(&self) -> usize {
        self.mailbox.as_ref().map_or(0, |mailbox| mailbox.held_back())
    }

    fn flush(&mut self) -> usize {
        let Some(mailbox) = &mut self.mailbox else { return 0 };
        mailbox.send_held_back();
        mailbox.held_back()
    }

    fn steal(&mut self) -> Option<Stolen<Token>> {
        let (from, bytes) = self.mailbox.as_mut()?.given.pop_front()?;
        Some(Stolen::Bytes { from: from as u32, bytes })
    }

    fn can_steal(&self) -> bool {
        self.mailbox.as_ref().is_some_and(|mailbox| !mailbox.given.is_empty())
    }
}
