//! The machines of these tests, and the checks of a run.

use std::fmt::Debug;

use earth::simulated::{Profile, Schedule};
use earth::{Config, Error, Machine, Policy, Run};

/// `Ok`, or a description of the fault.
pub(crate) type Verdict = Result<(), String>;

/// Limit of the steps of a run, since a bug may make it endless: many times what the runs here take.
pub(crate) const STEPS: u64 = 50_000;

/// Settings of the machines of a test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct On {
    pub(crate) config: Config,
    pub(crate) nodes: usize,
    pub(crate) bytes: bool,
    /// Capacity of queues, in entries.
    pub(crate) room: usize,
}

impl On {
    pub(crate) const SPN: On = On { config: Config::Spn, nodes: 3, bytes: false, room: 4 };
    pub(crate) const DUAL: On = On { config: Config::Dual, ..On::SPN };

    /// Runs `test` on machines in random order, with several seeds, and on one in virtual time.
    pub(crate) fn each(self, test: impl FnMut(&mut Machine) -> Verdict) -> Verdict {
        self.changed(|machine| machine, test)
    }

    /// Runs `test` on each of these machines under a policy.
    pub(crate) fn under(self, policy: Policy, test: impl FnMut(&mut Machine) -> Verdict) -> Verdict {
        self.changed(|machine| machine.policy(policy), test)
    }

    /// Runs `test` on each of these machines after a change.
    pub(crate) fn changed(
        self,
        change: impl Fn(Machine) -> Machine,
        mut test: impl FnMut(&mut Machine) -> Verdict,
    ) -> Verdict {
        for seed in 0..8 {
            let schedule = match seed {
                0 => Schedule::Time,
                1..4 => Schedule::Pct { changes: 3, steps: 300 },
                _ => Schedule::Random,
            };
            let machine = if seed == 0 { Machine::simulated(&manna50()) } else { Machine::stepper(seed) };
            let machine = machine.schedule(schedule).nodes(self.nodes).config(self.config);
            let machine = machine.through_bytes(self.bytes).queue_capacity(self.room).step_limit(STEPS);
            test(&mut change(machine)).map_err(|why| format!("{self:?}, seed {seed}: {why}"))?;
        }
        Ok(())
    }
}

/// Builds a machine in virtual time.
pub(crate) fn in_time(config: Config, nodes: usize) -> Machine {
    Machine::simulated(&manna50()).nodes(nodes).config(config).step_limit(STEPS)
}

/// Runs `test` on SPN and on DUAL, by handles and through bytes.
pub(crate) fn everywhere(room: usize, mut test: impl FnMut(&mut Machine) -> Verdict) -> Verdict {
    for config in [Config::Spn, Config::Dual] {
        for bytes in [false, true] {
            On { config, bytes, room, ..On::SPN }.each(&mut test)?;
        }
    }
    Ok(())
}

pub(crate) fn manna50() -> Profile {
    Profile::named("manna50").expect("a built-in profile")
}

/// Checks that a run gave `expected`, and that its frames have ended.
pub(crate) fn gives<T: PartialEq + Debug>(run: Result<Run<T>, Error>, expected: T) -> Verdict {
    checked(run, expected).map(|_| ())
}

/// Checks the same as [`gives`], and returns the run.
#[expect(clippy::needless_pass_by_value, reason = "callers pass the expected value as a literal")]
pub(crate) fn checked<T: PartialEq + Debug>(
    run: Result<Run<T>, Error>,
    expected: T,
) -> Result<Run<T>, String> {
    let run = ends(run)?;
    same("the result", &run.value, &expected)?;
    Ok(run)
}

/// Checks that a run gave a value, and that its frames have ended. Returns the run.
pub(crate) fn ends<T>(run: Result<Run<T>, Error>) -> Result<Run<T>, String> {
    let run = run.map_err(|error| error.to_string())?;
    same("frames ended", &run.counters.frames_ended, &run.counters.frames)?;
    Ok(run)
}

/// Checks that a value is the expected one.
pub(crate) fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Verdict {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:?}, not {expected:?}")) }
}

/// Checks that a run ended with an error that `is` accepts.
pub(crate) fn fails<T: Debug>(run: Result<Run<T>, Error>, is: impl Fn(&Error) -> bool) -> Verdict {
    match run {
        Err(error) if is(&error) => Ok(()),
        other => Err(format!("another end: {:?}", other.map(|run| run.value))),
    }
}
