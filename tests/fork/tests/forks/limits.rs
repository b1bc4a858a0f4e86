//! Children whose limited address space prevents them from starting threads.

use std::fs;
use std::num::NonZeroUsize;

use earth::{CancelToken, Error, Machine};
use earth_fft::{Complex, Planner, Problem};

use super::{alone, assert_runs, in_child, machines};

/// Limits this process's address space to its present size plus `room` bytes. Returns the limit in bytes.
fn limit(room: u64) -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the file describes this process");
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).expect("it has a size");
    let size: u64 = size.trim().trim_end_matches("kB").trim().parse().expect("it is a number");
    let limit = 1024 * size + room;
    let limits = libc::rlimit { rlim_cur: limit, rlim_max: limit };
    // SAFETY: the call only reads the limits.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limits) }, 0);
    limit
}

/// Returns the error text about a thread that cannot be started.
#[track_caller]
fn sentence<T>(ended: Result<T, Error>) -> String {
    match ended.map(drop) {
        Err(Error::CannotBuild(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_machine_names_the_stack_and_the_limit_that_forbids_it() {
    let _alone = alone();
    for (at, room) in [4 << 20, 6 << 20, 8 << 20].into_iter().enumerate() {
        for mut machine in machines() {
            in_child(|| {
                let limit = limit(room);
                let why = sentence(machine.run(super::Sum::call));
                assert!(why.contains("a stack of 8388608 bytes could not be started"), "{at}: {why}");
                assert!(why.contains(&format!("{limit} bytes of address space")), "{why}");
            });
            // A machine whose threads exist needs no more address space.
            assert_runs(&mut machine);
            in_child(|| {
                limit(200 << 20);
                assert_runs(&mut machine);
            });
        }
    }
}

#[test]
fn runs_of_one_thread_and_threads_of_less_stack_need_no_more() {
    let _alone = alone();
    in_child(|| {
        limit(4 << 20);
        let own_stack =
            |bytes| Machine::stepper(1).stack_size(bytes).run(super::Sum::call).map(|run| run.value);
        assert_eq!(own_stack(1 << 20), Ok(1));
        assert!(sentence(own_stack(64 << 20)).contains("a stack of 67108864 bytes"));
        assert_eq!(Machine::stepper(1).run(super::Sum::call).map(|run| run.value), Ok(1));
        // A run that cannot get its thread returns the machine.
        let token = CancelToken::new();
        let (machine, ended) = Machine::stepper(1).cancel_token(token).start(super::Sum::call).wait();
        assert!(sentence(ended).contains("a stack of 8388608 bytes"));
        let (mut machine, ended) = machine.stack_size(1 << 20).start(super::Sum::call).wait();
        assert_eq!(ended.map(|run| run.value), Ok(1));
        assert_runs(&mut machine);
        // The stall monitor needs one more thread.
        let watched = Machine::stepper(1).stall_monitor(std::time::Duration::from_secs(9), |_| ());
        assert!(sentence(machine_of(watched)).contains("a stack of 8388608 bytes"));
    });
}

fn machine_of(mut machine: Machine) -> Result<usize, Error> {
    machine.run(super::Sum::call).map(|run| run.value)
}

#[test]
fn a_plan_whose_threads_cannot_be_started_runs_in_the_calling_thread() {
    let _alone = alone();
    let planner = Planner::new().algorithm("two-pass").nodes(NonZeroUsize::new(2).expect("two"));
    let plan = planner.plan::<f64>(&Problem::complex(&[8, 8])).expect("it is a matrix");
    in_child(|| {
        limit(4 << 20);
        let mut points = [Complex::from(1.0); 64];
        plan.process(&mut points).expect("it is a plan of 64 points");
        assert!((points[0] - Complex::from(64.0)).norm() < 1e-12 && points[63].norm() < 1e-12);
    });
}
