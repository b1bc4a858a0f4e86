//! The differences between the source of `earth-signal` and the copy: process-wide state belongs to an
//! execution, the receiver of a message ring marks the cell that it holds, and the weaknesses.

use super::changed::Change;

pub(crate) const CHANGES: &[Change] = &[
    Change { file: "lib.rs", from: "mod primitive;\n", to: "" },
    Change {
        file: "active.rs",
        from: "static THREADS: CachePadded<AtomicUsize> = CachePadded::new(AtomicUsize::new(0));",
        to: "shuttle::lazy_static! { static ref THREADS: CachePadded<AtomicUsize> = CachePadded::new(AtomicUsize::new(0)); }",
    },
    // These tests do not fork.
    Change {
        file: "process.rs",
        from: "use super::primitive::{AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering};",
        to: "use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};\nuse super::primitive::{Mutex, MutexGuard};",
    },
    // The receiver holds a cell from when it sees the stamp until it gives the cell back. A weakness gives it
    // back at once.
    Change {
        file: "message_ring.rs",
        from: "        self.used = used;\n        true",
        to: "        cell.words.hold(true);
        self.used = used;
        if crate::is_weak(crate::Weakness::GiveBack) {
            shared.head.store(number.wrapping_add(1), Ordering::Release);
        }
        true",
    },
    Change {
        file: "message_ring.rs",
        from: "            self.cell = self.cell.wrapping_add(1);\n            (self.at, self.used) = (0, 0);",
        to: "            self.shared.cell(self.cell).words.hold(false);\n            self.cell = self.cell.wrapping_add(1);\n            (self.at, self.used) = (0, 0);",
    },
    Change {
        file: "message_ring.rs",
        from: "            words.with_mut(|words| unsafe {\n                let (from, to)",
        to: "            words.with_mut_unless_held(|words| unsafe {\n                let (from, to)",
    },
    // The weaknesses.
    Change {
        file: "event_queue.rs",
        from: "                Turn::Now => {\n                    match tail",
        to: "                Turn::Now if crate::is_weak(crate::Weakness::Claim) => {
                    tail.store(next(mine), Ordering::Relaxed);
                    return Some(mine);
                }
                Turn::Now => {\n                    match tail",
    },
    Change {
        file: "gate.rs",
        from: "        self.round.store(change",
        to: "        if crate::is_weak(crate::Weakness::GateUnlocked) {
            let someone = *blocked > 0;
            drop(blocked);
            self.round.store(change(self.round.load(Ordering::Relaxed)), Ordering::Release);
            if someone {
                self.opened.notify_all();
            }
            return;
        }
        self.round.store(change",
    },
    Change {
        file: "quiet.rs",
        from: "        if epoch & 1 == 0 {",
        to: "        if epoch & 1 == 0 && !crate::is_weak(crate::Weakness::NeverBusy) {",
    },
    Change {
        file: "quiet.rs",
        from: "            && epochs\n                ==",
        to: "            && (crate::is_weak(crate::Weakness::QuietOnce) || epochs\n                ==",
    },
    Change {
        file: "quiet.rs",
        from: "page.epoch.load(Ordering::Relaxed).wrapping_add(sum))",
        to: "page.epoch.load(Ordering::Relaxed).wrapping_add(sum)))",
    },
    Change {
        file: "shared_end.rs",
        from: "                Turn::Now => {\n                    let claim",
        to: "                Turn::Now if crate::is_weak(crate::Weakness::Steal) => {
                    self.head.store(next(mine), Ordering::Relaxed);
                    // SAFETY: none: two thieves may have the ticket. Both read what the cell holds, or held.
                    return Some(unsafe { self.ring.take(mine) });
                }
                Turn::Now => {\n                    let claim",
    },
    Change {
        file: "sleepers.rs",
        from: "    fn park(&self, me: usize, how: usize, deadline: Option<Instant>, mut ready: impl FnMut() -> bool) {",
        to: "    fn park(&self, me: usize, how: usize, deadline: Option<Instant>, mut ready: impl FnMut() -> bool) {
        if crate::is_weak(crate::Weakness::AnnounceAfter) {
            if !ready() {
                Announcement::make(self, &self.workers[me], how).leave().sleep();
            }
            return;
        }",
    },
    Change {
        file: "sleepers.rs",
        from: "        if self.holders.load(Ordering::Relaxed) != 0 {",
        to: "        if self.holders.load(Ordering::Relaxed) != 0 && !crate::is_weak(crate::Weakness::NoRing) {",
    },
];
