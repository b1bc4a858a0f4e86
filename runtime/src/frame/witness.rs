//! Who is told of each signal as it is counted, where the slot is at hand.

use super::entry::Tag;
use crate::vocabulary::address::FrameId;

/// Is told that a signal was counted, once.
pub(crate) trait Witness: Sized {
    /// A slot of this frame counted the signal. What the signal helps to enable will carry `tag`.
    fn counted(self, frame: FrameId, tag: Tag);
}

/// Is told what became of a signal that may come with a value.
pub(crate) trait ParkingWitness: Witness {
    /// The value was parked at an inlet, and its signal with it.
    fn parked(self, frame: FrameId, inlet: u32);
}

/// Nobody, for nothing.
impl Witness for () {
    #[inline(always)]
    fn counted(self, _frame: FrameId, _tag: Tag) {}
}
