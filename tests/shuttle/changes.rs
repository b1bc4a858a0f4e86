//! The differences between the runtime's source and the copy: process-wide state belongs to an execution,
//! spin loops are short, and the weaknesses.

use super::changed::Change;

pub(crate) const CHANGES: &[Change] = &[
    Change { file: "lib.rs", from: "mod primitive;\n", to: "" },
    Change {
        file: "machine/core_binding.rs",
        from: "/// CPUs that the machines of this process claim.
static REGISTER: ProcessLock<Register> =
    ProcessLock::new(Register { process: None, machines: 0, claims: BTreeMap::new() });",
        to: "shuttle::lazy_static! {
    /// CPUs that the machines of this process claim.
    static ref REGISTER: ProcessLock<Register> =
        ProcessLock::new(Register { process: None, machines: 0, claims: BTreeMap::new() });
}",
    },
    // Each look is a step of the scheduler.
    Change {
        file: "machine/threads.rs",
        from: "const GATE_SPIN: usize = 20_000;",
        to: "const GATE_SPIN: usize = 1;",
    },
    Change {
        file: "machine/input/answer.rs",
        from: "const LOOKS: usize = 200;",
        to: "const LOOKS: usize = 2;",
    },
    Change {
        file: "machine/input/answer.rs",
        from: "const YIELDS: usize = 16;",
        to: "const YIELDS: usize = 2;",
    },
    Change {
        file: "machine/threads/worker.rs",
        from: "const YIELD: usize = 4_000;",
        to: "const YIELD: usize = 2;",
    },
    Change {
        file: "machine/threads/worker.rs",
        from: "const LOOKS_WITH_INPUT: usize = 2_000;",
        to: "const LOOKS_WITH_INPUT: usize = 2;",
    },
    Change {
        file: "machine/threads/worker.rs",
        from: "const LOOKS_BEFORE_IDLE: usize = 200;",
        to: "const LOOKS_BEFORE_IDLE: usize = 2;",
    },
    Change {
        file: "machine/threads/worker.rs",
        from: "const FIRST_GLANCES: usize = 8;",
        to: "const FIRST_GLANCES: usize = 1;",
    },
    Change {
        file: "machine/threads/worker.rs",
        from: "const RING: usize = 8;",
        to: "const RING: usize = 2;",
    },
    Change { file: "machine/threads/worker.rs", from: "const TURN: u32 = 32;", to: "const TURN: u32 = 4;" },
    Change { file: "machine/threads/idle.rs", from: "const BATCH: u32 = 64;", to: "const BATCH: u32 = 1;" },
    Change {
        file: "machine/threads/idle.rs",
        from: "const BATCHES: u32 = 4;",
        to: "const BATCHES: u32 = 1;",
    },
    // The weaknesses.
    Change {
        file: "machine/threads/worker.rs",
        from: "        self.sleepers.wake_holders();\n        let (sent, received)",
        to: "        if !earth_signal::is_weak(earth_signal::Weakness::SleepsUnrung) {
            self.sleepers.wake_holders();
        }
        let (sent, received)",
    },
    Change {
        file: "machine/threads/worker.rs",
        from: "        self.verdict.is_over() || units.has_work()\n",
        to: "        self.verdict.is_over() || !earth_signal::is_weak(earth_signal::Weakness::ParksBlind) && units.has_work()\n",
    },
    Change {
        file: "node/dual/to_su.rs",
        from: "            self.ring.publish();
            self.waker.wake();",
        to: "            if earth_signal::is_weak(earth_signal::Weakness::WakesFirst) {
                self.waker.wake();
            }
            self.ring.publish();
            if !earth_signal::is_weak(earth_signal::Weakness::WakesFirst) {
                self.waker.wake();
            }",
    },
];
