//! Observers of signals: each signal is reported as it is counted, where the slot is at hand.

use super::entry::Tag;
use crate::vocabulary::address::FrameId;

/// An observer of signals: each signal that is counted is reported to it once.
pub(crate) trait Witness: Sized {
    /// A slot of this frame counted the signal. What the signal helps to enable will carry `tag`.
    fn counted(self, frame: FrameId, tag: Tag);
}

/// An observer of signals that may come with a value, which may be parked.
pub(crate) trait ParkingWitness: Witness {
    /// The value was parked at an inlet, and its signal with it.
    fn parked(self, frame: FrameId, inlet: u32);
}

/// The observer that does nothing, at no cost.
impl Witness for () {
    #[inline(always)]
    fn counted(self, _frame: FrameId, _tag: Tag) {}
}
