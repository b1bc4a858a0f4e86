//! Checks calls under a limit of the address space, which a program sets for itself after it has made plans
//! and arrays.

use std::process::Command;
use std::{env, fs};

use earth_fft::{Complex, Kernel, Plan, PlanError, Precision, Problem, TransformError, memory};
use earth_kernels::{bound, relative_error};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::nodes;
use crate::oracle::noise;

/// Environment variable of the process with the limit.
const INSIDE: &str = "EARTH_LIMITED";

/// Room below each limit, in KiB, from none to more than a call takes.
const ROOM: [u64; 7] = [0, 1 << 10, 3 << 10, 9 << 10, 40 << 10, 200 << 10, 500 << 10];

/// Limits the address space, for the time of a call, to the current use plus `room` KiB.
fn limited<R>(room: u64, call: impl FnOnce() -> R) -> R {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let used = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    let used: u64 = used.trim().trim_end_matches(" kB").parse().unwrap();
    let before = getrlimit(Resource::As);
    let after = Rlimit { current: Some((used + room) << 10), ..before };
    setrlimit(Resource::As, after).unwrap();
    let result = call();
    setrlimit(Resource::As, before).unwrap();
    result
}

/// Checks that calls with each limit return the correct spectrum or an error, and calls without a limit the
/// correct spectrum. Each limit has a new plan of `plan`. Returns the number of refused calls.
fn refused<T: Precision>(lengths: &[usize], plan: impl Fn() -> Plan<T>) -> usize {
    let points = noise::<T>(lengths.iter().product());
    let mut expected = points.clone();
    plan().process(&mut expected).unwrap();
    let expected: Vec<_> = expected.iter().map(|z| Complex::new(z.re.widen(), z.im.widen())).collect();
    let mut refused = 0;
    for room in ROOM {
        let (plan, mut found) = (plan(), points.clone());
        match limited(room, || plan.process(&mut found)) {
            Ok(()) => {
                let error = relative_error(&found, &expected);
                assert!(error <= bound::<T>(points.len()), "{plan}, {room} KiB: {error}");
            }
            Err(error) => {
                assert!(is_no_memory(&error), "{plan}, {room} KiB: {error}");
                refused += 1;
            }
        }
        let mut again = points.clone();
        plan.process(&mut again).unwrap();
        let error = relative_error(&again, &expected);
        assert!(error <= bound::<T>(points.len()), "{plan}, after {room} KiB: {error}");
    }
    assert!(refused < ROOM.len(), "{lengths:?}");
    refused
}

fn is_no_memory(error: &TransformError) -> bool {
    matches!(
        error,
        TransformError::NoMemory(_)
            | TransformError::Plan(PlanError::NoMemory(_) | PlanError::TooLittleMemory { .. })
            | TransformError::Machine(earth::Error::NoMemory { .. })
    )
}

fn inside() {
    let own = earth_papers::planner();
    assert!(refused::<f64>(&[1 << 18], || own.plan(&Problem::complex(&[1 << 18])).unwrap()) > 0);
    assert!(refused::<f32>(&[99_991], || own.plan(&Problem::complex(&[99_991])).unwrap()) > 0);
    let rustfft = earth_papers::planner().kernel(Kernel::RustFft);
    assert!(refused::<f64>(&[1 << 17], || rustfft.plan(&Problem::complex(&[1 << 17])).unwrap()) > 0);
    for (algorithm, lengths) in [
        ("two-pass", &[512, 512][..]),
        ("transpose", &[1 << 18]),
        ("sender", &[1 << 18]),
        ("grouped", &[512, 256]),
    ] {
        // Each plan has its own machine, whose threads start under the limit.
        let refused = refused(lengths, || {
            let planner = earth_papers::planner().algorithm(algorithm).nodes(nodes(2));
            planner.plan::<f64>(&Problem::complex(lengths)).unwrap()
        });
        // One thread takes little memory besides a matrix, and does all the work if there is no memory for
        // nodes.
        assert_eq!(refused > 0, lengths.len() == 1, "{algorithm}: {refused}");
    }
    // Real numbers in place need a second matrix besides their own memory.
    let n = 1 << 21;
    let problem = Problem::real_to_complex(&[n]).padded();
    let plan = earth_papers::planner().nodes(nodes(2)).plan_real_to_complex::<f32>(&problem).unwrap();
    let mut numbers = vec![1.0_f32; n + 2];
    let (text, called) =
        limited(4 << 10, || (memory::is_there(plan.needed()), plan.process_padded(&mut numbers)));
    assert!(matches!(text, Err(PlanError::TooLittleMemory { .. })), "{text:?}");
    assert!(called.as_ref().is_err_and(is_no_memory), "{called:?}");
    assert!(numbers == vec![1.0; n + 2], "the numbers are unchanged");
    plan.process_padded(&mut numbers).unwrap();
    assert_eq!(numbers[..4], [n as f32, 0.0, 0.0, 0.0]);
    // Planning is refused, too.
    for kernel in [Kernel::Earth, Kernel::RustFft] {
        for n in [1 << 18, 262_147] {
            let planner = earth_papers::planner().kernel(kernel.clone());
            let planned = limited(1 << 10, || planner.plan::<f64>(&Problem::complex(&[n])).map(drop));
            assert!(matches!(planned, Err(PlanError::NoMemory(_))), "{n} by {kernel}: {planned:?}");
        }
    }
}

/// The test runs in its own process, because the limit would apply to other tests, too.
#[test]
fn a_call_without_memory_returns_an_error() {
    if env::var_os(INSIDE).is_some() {
        return inside();
    }
    let name = "limits::a_call_without_memory_returns_an_error";
    let mut program = Command::new(env::current_exe().unwrap());
    let output = program.args(["--exact", name, "--nocapture"]).env(INSIDE, "1").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}, {text}", output.status);
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{text}");
}
