//! Who is told of each signal as it is counted, where the slot is at hand.

use super::place::Tag;
use crate::vocabulary::address::FrameId;

/// Is told what becomes of signals.
pub(crate) trait Witness {
    /// A slot of this frame counted a signal. What the signal helps to enable will carry `tag`.
    fn counted(&mut self, frame: FrameId, tag: Tag);

    /// A value was parked at an inlet, and its signal with it.
    fn parked(&mut self, frame: FrameId, inlet: u32);
}

/// Nobody, for nothing.
impl Witness for () {
    #[inline(always)]
    fn counted(&mut self, _frame: FrameId, _tag: Tag) {}

    #[inline(always)]
    fn parked(&mut self, _frame: FrameId, _inlet: u32) {}
}

/// Somebody, if there is somebody.
impl<W: Witness> Witness for Option<Box<W>> {
    #[inline(always)]
    fn counted(&mut self, frame: FrameId, tag: Tag) {
        if let Some(witness) = self {
            witness.counted(frame, tag);
        }
    }

    #[inline(always)]
    fn parked(&mut self, frame: FrameId, inlet: u32) {
        if let Some(witness) = self {
            witness.parked(frame, inlet);
        }
    }
}
