//! Machines that were built before a fork.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use earth::ranks::{Arrival, Link, Lost, Message, Pool};
use earth::{Error, Machine};
use snapbox::{assert_data_eq, str};

use super::{alone, assert_runs, ends_with, in_child, machines};

#[test]
fn a_machine_that_has_run_runs_in_a_child_and_in_its_child() {
    let _alone = alone();
    for mut machine in machines() {
        // The parent's workers are asleep or about to park.
        for _ in 0..5 {
            assert_runs(&mut machine);
            in_child(|| {
                (0..3).for_each(|_| assert_runs(&mut machine));
                in_child(|| assert_runs(&mut machine));
                assert_runs(&mut machine);
            });
        }
        assert_runs(&mut machine);
    }
}

#[test]
fn a_machine_is_dropped_and_changed_in_a_child() {
    let _alone = alone();
    for mut machine in machines() {
        assert_runs(&mut machine);
        let mut machine = Some(machine);
        in_child(|| drop(machine.take()));
        in_child(|| assert_runs(&mut machine.take().expect("a child has a copy").parking_limit(9)));
        in_child(|| in_child(|| drop(machine.take())));
        assert_runs(machine.as_mut().expect("the parent has its own"));
    }
}

#[test]
fn a_machine_that_has_not_run_and_one_without_threads_run_in_a_child() {
    let _alone = alone();
    let [spn, dual] = machines();
    for mut machine in [spn, dual, Machine::stepper(3), Machine::threads(2).stack_size(1 << 20)] {
        in_child(|| assert_runs(&mut machine));
        assert_runs(&mut machine);
        in_child(|| assert_runs(&mut machine));
    }
}

#[test]
fn a_machine_with_a_stall_monitor_and_a_failed_one_run_in_a_child() {
    let _alone = alone();
    for machine in machines() {
        let mut machine = machine.stall_monitor(std::time::Duration::from_secs(100), |_| ());
        assert_runs(&mut machine);
        in_child(|| assert_runs(&mut machine));
        let failed = machine.run(super::inside::Fails::call);
        assert!(matches!(failed, Err(Error::Failed { .. })), "{failed:?}");
        in_child(|| assert_runs(&mut machine));
        assert_runs(&mut machine);
    }
}

/// Two ranks in threads of one process, joined by channels.
struct Channels {
    rank: usize,
    out: Sender<Vec<u8>>,
    from: Receiver<Vec<u8>>,
}

impl Link for Channels {
    fn rank(&self) -> usize {
        self.rank
    }
    fn ranks(&self) -> usize {
        2
    }
    fn send(&mut self, _to: usize, message: &mut Message) -> bool {
        let _ = self.out.send(message.head.clone());
        true
    }
    fn poll(&mut self, arrival: &mut Arrival, _pool: &Pool) -> Result<Option<usize>, Lost> {
        let Ok(message) = self.from.try_recv() else { return Ok(None) };
        arrival.head = message;
        Ok(Some(1 - self.rank))
    }
}

impl Drop for Channels {
    /// If the child dropped the link, it would do what the parent does when it leaves.
    fn drop(&mut self) {
        let _ = self.out.send(b"dropped".to_vec());
    }
}

#[test]
fn a_machine_of_ranks_belongs_to_the_process_that_used_it() {
    let _alone = alone();
    let ((to_1, from_0), (to_0, from_1)) = (channel(), channel());
    let served = thread::spawn(move || {
        let mut machine = Machine::ranks(Channels { rank: 1, out: to_0, from: from_0 });
        (0..2).map(|_| machine.serve().map(|run| run.is_some())).collect::<Vec<_>>()
    });
    let mut machine = Machine::ranks(Channels { rank: 0, out: to_1.clone(), from: from_1 });
    assert_runs(&mut machine);
    let mut machine = Some(machine);
    in_child(|| {
        let machine = machine.as_mut().expect("a child has a copy");
        let error = machine.run(super::Sum::call).map(|run| run.value).expect_err("the link is the parent's");
        assert_data_eq!(
            error.to_string(),
            str!["the machine of ranks belongs to the process from which this one was forked"]
        );
    });
    in_child(|| {
        drop(machine.take());
        // The channel is memory, and the child has a copy of it, so nothing reached the parent's copy.
        assert!(to_1.send(Vec::new()).is_ok());
    });
    assert_runs(machine.as_mut().expect("the parent has its own"));
    assert_eq!(served.join().expect("it does not panic"), [Ok(true), Ok(true)]);
}

#[test]
fn a_child_that_hangs_differs_from_one_that_panics() {
    let _alone = alone();
    assert_eq!(ends_with(|| panic!("as it is meant to")), Ok(101));
    // SAFETY: a system call without preconditions.
    assert_eq!(ends_with(|| unsafe { libc::_exit(7) }), Ok(7));
}
