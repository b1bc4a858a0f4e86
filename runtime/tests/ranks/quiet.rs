//! Number of messages that detect quiescence on all ranks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::channels::{Channels, channels};
use crate::{Case, cases, on_ranks_of};
use earth::ranks::{Arrival, Link, Lost, Message, Pool};
use earth::{Eu, Machine, NodeId, Reply, SharedValues, threaded};

/// A link that counts the messages that its rank sends.
struct Counts {
    link: Channels,
    sent: Arc<[AtomicUsize; 2]>,
}

impl Link for Counts {
    fn rank(&self) -> usize {
        self.link.rank()
    }
    fn ranks(&self) -> usize {
        self.link.ranks()
    }
    fn send(&mut self, to: usize, message: &mut Message) -> bool {
        let is_taken = self.link.send(to, message);
        self.sent[self.rank()].fetch_add(usize::from(is_taken), Ordering::Relaxed);
        is_taken
    }
    fn poll(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<Option<usize>, Lost> {
        self.link.poll(arrival, pool)
    }
    fn wait(&mut self, _most: Duration) {
        thread::yield_now();
    }
}

/// Sends itself to the other rank and back `trips` times, before it puts its value.
struct Echo;

#[threaded]
impl Echo {
    fn start(trips: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        if trips == 0 {
            return eu.put(out, 7);
        }
        let other = NodeId::new(1 - eu.node().index());
        eu.invoke(other, Echo::call(trips - 1, out));
    }
}

/// Number of messages that each of two ranks sends in a run, without the trips of the function. Each rank
/// greets, requests a token and is refused. Rank 0 requests the counters in two waves, gets them, and
/// announces the end.
const WITHOUT_WORK: [usize; 2] = [7, 6];

/// Two waves are the minimum to detect the end. No message with work may arrive after an answer to the first
/// wave: rank 0 sends the first request when it only waits for the other rank, which answers after its last
/// message.
#[test]
fn two_waves_find_the_end_of_an_idle_run() {
    const RUNS: usize = 3;
    for Case { config, room, .. } in cases().filter(|case| (case.ranks, case.nodes) == (2, 1)) {
        for trips in 0..=2 {
            let sent = Arc::<[AtomicUsize; 2]>::default();
            let link = |link| Machine::ranks(Counts { link, sent: Arc::clone(&sent) }).config(config);
            let run = |mut machine: Machine| {
                for _ in 0..RUNS {
                    assert_eq!(machine.run(|out| Echo::call(trips, out)).map(|run| run.value), Ok(7));
                }
            };
            on_ranks_of(channels(2, room), link, SharedValues::default, run);
            // A serving rank greets once more than there are runs, and both ranks announce that they leave.
            let work = usize::from(trips > 0);
            let expected = [RUNS * (WITHOUT_WORK[0] + work) + 1, RUNS * (WITHOUT_WORK[1] + work) + 2];
            let sent = sent.each_ref().map(|sent| sent.load(Ordering::Relaxed));
            assert_eq!(sent, expected, "{config}, room {room}, {trips} trips");
        }
    }
}
