//! A rank that hangs ends the run of the others, if they have a heartbeat. A rank that is idle does not.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use earth::ranks::Link as _;
use earth::{Config, Error, Eu, Machine, NodeId, Reply, SharedValues, threaded};

use super::common::channels::{Channels, channels};
use super::on_ranks_of;

/// Whether rank 0's run is over.
static OVER: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// Starts a fiber on the last node that does not return.
struct Starts;

#[threaded]
impl Starts {
    fn start(out: Reply<()>, eu: &mut Eu<Self>) {
        eu.invoke(NodeId::new(eu.nodes() - 1), Hangs::call(out));
    }
}

/// Blocks until rank 0's run is over.
struct Hangs;

#[threaded]
impl Hangs {
    fn start(out: Reply<()>, eu: &mut Eu<Self>) {
        let over = OVER.0.lock().expect("no fiber panics");
        drop(OVER.1.wait_while(over, |over| !*over).expect("no fiber panics"));
        eu.put(out, ());
    }
}

#[test]
fn a_rank_that_hangs_is_named() {
    for ranks in [2, 3] {
        *OVER.0.lock().expect("no fiber panics") = false;
        let build = |link: Channels| Machine::ranks(link).heartbeat(Duration::from_millis(300));
        let (error, served) =
            on_ranks_of(channels(ranks, 1000), build, SharedValues::default, |mut machine| {
                let ran = machine.run(Starts::call).map(|run| run.value);
                // The rank is lost for the runs that follow, too.
                assert_eq!(machine.run(Starts::call).map(|run| run.value), ran);
                *OVER.0.lock().expect("no fiber panics") = true;
                OVER.1.notify_all();
                ran.expect_err("a rank hangs")
            });
        let is_named = |error: &Error| matches!(error, Error::LostRank { rank, why } if *rank == ranks - 1 && why.starts_with("it was silent for "));
        assert!(is_named(&error), "{ranks} ranks: {error}");
        assert!(served.iter().all(|served| served.errors.iter().all(is_named)), "{served:?}");
    }
}

/// Ends after a time.
struct Later {
    out: Reply<()>,
}

#[threaded]
impl Later {
    fn start(milliseconds: u64, out: Reply<()>, eu: &mut Eu<Self>) -> Self {
        eu.after(Duration::from_millis(milliseconds), eu.slot_ref(Self::end()));
        Later { out }
    }

    #[slot(syncs = 1)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, ());
    }
}

/// The run is longer than the limit in the long checks only.
#[test]
fn idle_ranks_are_not_silent() {
    let (limit, run) = if std::env::var_os("EARTH_LONG").is_some() { (3_000, 10_000) } else { (60_000, 10) };
    for config in [Config::Spn, Config::Dual] {
        let build =
            |link: Channels| Machine::ranks(link).config(config).heartbeat(Duration::from_millis(limit));
        let (ran, _) = on_ranks_of(channels(3, 1000), build, SharedValues::default, |mut machine| {
            machine.run(|out| Later::call(run, out)).map(|run| run.value)
        });
        assert_eq!(ran, Ok(()));
    }
}

#[test]
fn all_ranks_have_one_limit() {
    let build = |link: Channels| {
        let limit = Duration::from_secs(if link.rank() == 0 { 60 } else { 61 });
        Machine::ranks(link).heartbeat(limit)
    };
    let (ran, _) = on_ranks_of(channels(2, 1000), build, SharedValues::default, |mut machine| {
        machine.run(|out| Later::call(1, out)).map(|run| run.value)
    });
    let Err(Error::OtherProgram { why, .. }) = ran else { panic!("{ran:?}") };
    assert!(why.contains("heartbeat"), "{why}");
}
