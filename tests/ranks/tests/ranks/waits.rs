//! Ranks that wait for their sockets are woken from outside.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::thread;
use std::time::Duration;

use earth::ranks::{Arrival, Link, Lost, Message, Pool};
use earth::{CancelToken, Config, Error, Eu, Machine, NodeId, Policy, Reply, Shared, threaded};
use earth_test_support::sockets::Sockets;

/// Time limit of the wait of a rank that is not woken, so that the test fails instead of hanging.
const LONG: Duration = Duration::from_secs(30);

/// State of the waits of a link: whether one is under way, and how many reached the time limit.
#[derive(Default)]
struct Waits {
    on: AtomicUsize,
    unwoken: AtomicUsize,
}

/// Sockets that ignore the requested time limit and wait much longer.
struct Patient {
    sockets: Sockets,
    waits: Arc<Waits>,
}

impl Link for Patient {
    fn rank(&self) -> usize {
        self.sockets.rank()
    }
    fn ranks(&self) -> usize {
        self.sockets.ranks()
    }
    fn bulk_from(&self) -> usize {
        self.sockets.bulk_from()
    }
    fn send(&mut self, to: usize, message: &mut Message) -> bool {
        self.sockets.send(to, message)
    }
    fn poll(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<Option<usize>, Lost> {
        self.sockets.poll(arrival, pool)
    }
    fn flush(&mut self) -> bool {
        self.sockets.flush()
    }
    fn wait(&mut self, _most: Duration) {
        self.waits.on.store(1, Ordering::Relaxed);
        let woken = self.sockets.wait_until_woken(LONG);
        self.waits.on.store(0, Ordering::Relaxed);
        self.waits.unwoken.fetch_add(usize::from(!woken), Ordering::Relaxed);
    }
    fn waker(&self) -> Option<Waker> {
        self.sockets.waker()
    }
}

/// Runs `main` on rank 0 of two ranks that wait long; the other rank serves.
fn on_two(config: Config, main: impl FnOnce(Machine, Arc<Waits>)) {
    let directory = tempfile::tempdir().expect("there is room for a directory");
    let waits = [(); 2].map(|()| Arc::<Waits>::default());
    let machine = |rank: usize| {
        let sockets = Sockets::join(directory.path(), rank, 2, 1000).expect("the directory takes sockets");
        // They wait after few unsuccessful polls.
        let policy = Policy { spin: 20, ..Policy::default() };
        Machine::ranks(Patient { sockets, waits: Arc::clone(&waits[rank]) }).config(config).policy(policy)
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut machine = machine(1);
            while !matches!(machine.serve(), Ok(None) | Err(Error::LostRank { .. })) {}
        });
        main(machine(0), Arc::clone(&waits[0]));
    });
    assert_eq!(
        waits.each_ref().map(|waits| waits.unwoken.load(Ordering::Relaxed)),
        [0, 0],
        "nobody woke them"
    );
}

/// Waits until the link waits, or is about to wait.
fn waited(waits: &Waits) {
    while waits.on.load(Ordering::Relaxed) == 0 {
        thread::yield_now();
    }
}

struct Nothing;

#[threaded]
impl Nothing {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 7);
    }
}

/// Makes the other rank double a number while this rank waits. In DUAL, the synchronization unit waits for
/// the link.
struct Asks {
    answers: Shared<Mutex<Sender<u64>>>,
}

struct Doubles;

#[threaded]
impl Doubles {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 2 * number);
    }
}

#[threaded]
impl Asks {
    fn start(
        number: u64,
        dual: Option<Shared<Waits>>,
        answers: Shared<Mutex<Sender<u64>>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        if let Some(waits) = dual {
            waited(&waits);
        }
        eu.invoke(NodeId::new(1), Doubles::call(number, eu.reply(Self::answer().doubled)));
        Asks { answers }
    }

    #[slot]
    fn answer(self, doubled: u64) {
        self.answers.lock().expect("the lock is not poisoned").send(doubled).expect("the test waits for it");
    }
}

#[test]
fn a_rank_that_waits_wait_until_woken_by_what_comes_from_outside() {
    for config in [Config::Spn, Config::Dual] {
        wait_until_woken_from_outside(config);
    }
}

fn wait_until_woken_from_outside(config: Config) {
    on_two(config, |machine, waits| {
        let dual = (config == Config::Dual).then(|| Shared::from(Arc::clone(&waits)));
        let input = machine.open(Nothing::call);
        let (answers, answered) = channel();
        let answers = Shared::new(Mutex::new(answers));
        for number in 0..5 {
            waited(&waits);
            let requests = Asks::call(number, dual.clone(), answers.clone());
            assert_eq!((input.invoke(NodeId::new(0), requests), answered.recv()), (Ok(()), Ok(2 * number)));
        }
        // The rank also notices the end of the run.
        waited(&waits);
        let (_machine, run) = input.close().wait();
        assert_eq!(run.map(|run| run.value), Ok(7));
    });
}

#[test]
fn a_rank_that_waits_wait_until_woken_by_a_cancellation() {
    on_two(Config::Spn, |machine, waits| {
        let token = CancelToken::new();
        let input = machine.cancel_token(token.clone()).open(Nothing::call);
        waited(&waits);
        token.cancel();
        while !input.is_over() {
            thread::yield_now();
        }
        let (_machine, run) = input.close().wait();
        assert_eq!(run.map(|run| run.value), Err(Error::Cancelled));
    });
}
