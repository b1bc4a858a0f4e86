//! How often a rank calls its link: inside a long fiber, and while it waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use earth::ranks::{Arrival, Link, Lost, Message, Pool};
use earth::{Config, Eu, Machine, NodeId, Policy, Reply, Shared, SharedValues, threaded};

use crate::common::channels::{Channels, channels};
use crate::on_ranks_of;

/// The link of a single rank, which counts its calls.
struct Counting {
    attended: Arc<AtomicU64>,
    polled: Arc<AtomicU64>,
}

impl Link for Counting {
    fn rank(&self) -> usize {
        0
    }
    fn ranks(&self) -> usize {
        1
    }
    fn send(&mut self, _to: usize, _message: &mut Message) -> bool {
        true
    }
    fn poll(&mut self, _arrival: &mut Arrival, _pool: &Pool) -> Result<Option<usize>, Lost> {
        self.polled.fetch_add(1, Relaxed);
        Ok(None)
    }
    fn attend(&mut self) {
        self.attended.fetch_add(1, Relaxed);
    }
}

/// Polls a hundred times. Returns how often the link was attended and polled meanwhile.
struct Polls;

#[threaded]
impl Polls {
    fn start(calls: Shared<[Arc<AtomicU64>; 2]>, out: Reply<[u64; 2]>, eu: &mut Eu<Self>) {
        let now = || [calls[0].load(Relaxed), calls[1].load(Relaxed)];
        let before = now();
        (0..100).for_each(|_| eu.poll());
        let after = now();
        eu.put(out, [after[0] - before[0], after[1] - before[1]]);
    }
}

#[test]
fn a_fiber_that_polls_lets_the_link_make_progress() {
    let calls = [(); 2].map(|()| Arc::new(AtomicU64::new(0)));
    let [attended, polled] = calls.clone();
    let mut machine = Machine::ranks(Counting { attended, polled }).config(Config::Spn);
    // Also after a long run without messages.
    for _ in 0..2 {
        let calls = Shared::new(calls.clone());
        let run = machine.run(move |out| Polls::call(calls, out)).expect("it ends");
        assert_eq!(run.value, [100, 0]);
    }
}

/// A link that counts how often it was flushed.
struct Flushing {
    link: Channels,
    flushes: Arc<AtomicU64>,
}

impl Link for Flushing {
    fn rank(&self) -> usize {
        self.link.rank()
    }
    fn ranks(&self) -> usize {
        self.link.ranks()
    }
    fn send(&mut self, to: usize, message: &mut Message) -> bool {
        self.link.send(to, message)
    }
    fn poll(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<Option<usize>, Lost> {
        self.link.poll(arrival, pool)
    }
    fn flush(&mut self) -> bool {
        self.flushes.fetch_add(1, Relaxed);
        true
    }
}

/// Calls a function on the other rank. Its next fiber returns whether the link was flushed since.
struct Calls {
    flushes: Shared<Arc<AtomicU64>>,
    before: u64,
    out: Reply<bool>,
}

#[threaded]
impl Calls {
    fn start(flushes: Shared<Arc<AtomicU64>>, out: Reply<bool>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Returns::call());
        eu.sync(Self::work());
        let before = flushes.load(Relaxed);
        Calls { flushes, before, out }
    }

    #[slot(syncs = 1)]
    fn work(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.flushes.load(Relaxed) > self.before);
    }
}

/// Does nothing.
struct Returns;

#[threaded]
impl Returns {
    fn start(_eu: &mut Eu<Self>) {}
}

#[test]
fn the_first_calls_of_a_run_do_not_wait_for_the_next_fiber() {
    let flushes = Arc::<AtomicU64>::default();
    let link = |link: Channels| {
        let flushes = if link.rank() == 0 { Arc::clone(&flushes) } else { Arc::default() };
        Machine::ranks(Flushing { link, flushes }).config(Config::Spn)
    };
    let run = |mut machine: Machine| {
        for _ in 0..3 {
            let flushes = Shared::new(Arc::clone(&flushes));
            assert_eq!(machine.run(|out| Calls::call(flushes, out)).map(|run| run.value), Ok(true));
        }
    };
    on_ranks_of(channels(2, usize::MAX), link, SharedValues::default, run);
}

/// The link of a single rank with some cores. It counts the polls since the last wait, and keeps the count of
/// the second wait in a row.
struct Waiting {
    cores: Option<usize>,
    polls: u64,
    before_wait: Arc<AtomicU64>,
}

impl Link for Waiting {
    fn rank(&self) -> usize {
        0
    }
    fn ranks(&self) -> usize {
        1
    }
    fn send(&mut self, _to: usize, _message: &mut Message) -> bool {
        true
    }
    fn poll(&mut self, _arrival: &mut Arrival, _pool: &Pool) -> Result<Option<usize>, Lost> {
        self.polls += 1;
        Ok(None)
    }
    fn wait(&mut self, _most: Duration) {
        self.before_wait.fetch_max(self.polls, Relaxed);
        self.polls = 0;
    }
    fn cores(&self) -> Option<usize> {
        self.cores
    }
}

/// Ends after a while.
struct Later {
    out: Reply<()>,
}

#[threaded]
impl Later {
    fn start(out: Reply<()>, eu: &mut Eu<Self>) -> Self {
        eu.after(Duration::from_millis(100), eu.slot_ref(Self::end()));
        Later { out }
    }

    #[slot(syncs = 1)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, ());
    }
}

#[test]
fn a_rank_that_shares_cores_polls_little() {
    let most_polls = |config, cores| {
        let before_wait = Arc::new(AtomicU64::new(0));
        let link = Waiting { cores, polls: 0, before_wait: Arc::clone(&before_wait) };
        let policy = Policy { spin: 1_000, ..Policy::default() };
        let mut machine = Machine::ranks(link).config(config).policy(policy);
        machine.run(Later::call).expect("it ends");
        before_wait.load(Relaxed)
    };
    for config in [Config::Spn, Config::Dual] {
        for cores in [None, Some(1), Some(2)] {
            let polls = most_polls(config, cores);
            assert!(polls >= 1_000, "{config}, {cores:?}: {polls}");
        }
        let polls = most_polls(config, Some(0));
        assert!((1..100).contains(&polls), "{config}, crowded: {polls}");
    }
}
