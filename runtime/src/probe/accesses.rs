//! Log of what a step of a unit touches, on a machine that explores schedules.
//!
//! Two steps that touch different frames commute. Two steps that touch the same frame may also commute:
//! [`Access::conflicts`] says when they do not.

use crate::vocabulary::address::FrameId;

/// One use of a part of a frame. Slots, inlets and cells are named by their numbers in the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// A signal without a value.
    Signal { slot: u32 },
    /// A value that entered an inlet of a slot, with its signal.
    Value { slot: u32, inlet: u32 },
    /// A value that was parked at a full inlet of a slot.
    Park { slot: u32, inlet: u32 },
    /// The release of the oldest value that is parked at an inlet. The access that it makes comes next.
    Release { inlet: u32 },
    /// A fiber that takes the values of its slot out of their inlets.
    Take { slot: u32 },
    /// A raise of a slot's count.
    Raise { slot: u32 },
    /// A read of a cell.
    Read { cell: u32 },
    /// A write of a cell.
    Write { cell: u32 },
    /// A fiber of the frame.
    Fiber,
    /// The end of the frame.
    End,
    /// Any use of any frame of the node.
    Node,
}

impl Access {
    /// Returns whether the order of two accesses of the same frame can matter.
    ///
    /// * Signals without values only count down, so they commute. Values for different inlets of a slot
    ///   commute too.
    /// * Values for one inlet are taken in the order of their arrival.
    /// * A signal without a value may enable a fiber before a value has come or a parked one was released. So
    ///   it conflicts with values, and with fibers that take values.
    /// * A fiber takes values that were already its own, so otherwise it conflicts only with fibers of its
    ///   frame.
    pub(crate) fn conflicts(self, other: Access) -> bool {
        use Access::{End, Fiber, Node, Park, Raise, Read, Release, Signal, Take, Value, Write};
        let inlet_of = |access| match access {
            Value { inlet, .. } | Park { inlet, .. } => Some(inlet),
            _ => None,
        };
        let counted_by = |access| match access {
            Value { slot, .. } | Park { slot, .. } | Raise { slot } => Some(slot),
            _ => None,
        };
        match (self, other) {
            (Release { .. }, _) | (_, Release { .. }) => false,
            (End | Node, _) | (_, End | Node) | (Fiber, Fiber) => true,
            (Signal { slot: a }, Take { slot: b })
            | (Take { slot: a }, Signal { slot: b })
            | (Read { cell: a }, Write { cell: b })
            | (Write { cell: a }, Read { cell: b } | Write { cell: b }) => a == b,
            (Signal { slot }, other) | (other, Signal { slot }) => counted_by(other) == Some(slot),
            (Raise { slot }, other) | (other, Raise { slot }) => {
                inlet_of(other).is_some() && counted_by(other) == Some(slot)
            }
            (a, b) if inlet_of(a).is_some() => inlet_of(a) == inlet_of(b),
            _ => false,
        }
    }
}

/// An access with its frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameAccess {
    pub(crate) frame: FrameId,
    pub(crate) access: Access,
    /// Whether the access enabled the fiber of its slot.
    pub(crate) enables: bool,
}

/// Accesses of a unit since the machine last took them.
#[derive(Default, Debug)]
pub(crate) struct AccessLog(Vec<FrameAccess>);

impl AccessLog {
    pub(crate) fn add(&mut self, frame: FrameId, access: Access, enables: bool) {
        self.0.push(FrameAccess { frame, access, enables });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the accesses, and keeps their memory.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = FrameAccess> + '_ {
        self.0.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All accesses of a frame with two slots, four inlets and two cells.
    fn accesses() -> Vec<Access> {
        let mut all = vec![Access::Fiber, Access::End, Access::Node];
        for slot in 0..2 {
            all.extend([Access::Signal { slot }, Access::Raise { slot }, Access::Take { slot }]);
            all.extend([Access::Read { cell: slot }, Access::Write { cell: slot }]);
            for inlet in [2 * slot, 2 * slot + 1] {
                all.extend([Access::Value { slot, inlet }, Access::Park { slot, inlet }]);
                all.push(Access::Release { inlet });
            }
        }
        all
    }

    #[test]
    fn a_conflict_is_mutual() {
        for a in accesses() {
            for b in accesses() {
                assert_eq!(a.conflicts(b), b.conflicts(a), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn only_counting_down_and_reading_commute_on_one_part() {
        let commute = |a: Access, b: Access| !a.conflicts(b);
        let (value, other) = (Access::Value { slot: 0, inlet: 0 }, Access::Value { slot: 0, inlet: 1 });
        assert!(commute(Access::Signal { slot: 0 }, Access::Signal { slot: 0 }) && commute(value, other));
        assert!(commute(Access::Read { cell: 1 }, Access::Read { cell: 1 }) && commute(Access::Fiber, value));
        assert!(value.conflicts(value) && value.conflicts(Access::Park { slot: 0, inlet: 0 }));
        assert!(value.conflicts(Access::Signal { slot: 0 }) && value.conflicts(Access::Raise { slot: 0 }));
        assert!(Access::Write { cell: 0 }.conflicts(Access::Write { cell: 0 }));
        assert!(Access::Write { cell: 0 }.conflicts(Access::Read { cell: 0 }));
        assert!(
            accesses()
                .into_iter()
                .all(|any| matches!(any, Access::Release { .. }) || any.conflicts(Access::End))
        );
    }
}
