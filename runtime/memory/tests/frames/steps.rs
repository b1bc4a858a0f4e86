//! Random operations on frames.

use proptest::prelude::*;

/// An operation. A frame's number is its order of creation, modulo the number of frames.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Make { layout: usize, len: usize, count: u32 },
    Put { frame: usize, inlet: u32, value: u64, fast_path: bool, wrong: bool },
    Signal { frame: usize, slot: u32, fast_path: bool },
    Raise { frame: usize, slot: u32, by: u32 },
    Take { frame: usize, slot: u32 },
    HandOver { frame: usize, slot: u32 },
    State { frame: usize, how: u8 },
    Park { frame: usize, more: bool },
    End { frame: usize, entered: bool, rounds_checked: bool },
    Forged { id: u64 },
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let frame = || 0..40usize;
    let step = prop_oneof![
        3 => (0..4usize, prop_oneof![8 => 0..5usize, 2 => 12..31usize, 1 => Just(70)], 1..3u32).prop_map(|(layout, len, count)| Step::Make { layout, len, count }),
        12 => (frame(), 0..13u32, 0..1000u64, any::<bool>(), prop::bool::weighted(0.1))
            .prop_map(|(frame, inlet, value, fast_path, wrong)| Step::Put { frame, inlet, value, fast_path, wrong }),
        2 => (frame(), 0..100u32, 0..1000u64)
            .prop_map(|(frame, inlet, value)| Step::Put { frame, inlet, value, fast_path: true, wrong: false }),
        4 => (frame(), 0..9u32, any::<bool>()).prop_map(|(frame, slot, fast_path)| Step::Signal { frame, slot, fast_path }),
        2 => (frame(), 0..9u32, prop_oneof![8 => 0..3u32, 1 => u32::MAX - 4..=u32::MAX])
            .prop_map(|(frame, slot, by)| Step::Raise { frame, slot, by }),
        6 => (frame(), 0..9u32).prop_map(|(frame, slot)| Step::Take { frame, slot }),
        2 => (frame(), 0..9u32).prop_map(|(frame, slot)| Step::HandOver { frame, slot }),
        4 => (frame(), 0..3u8).prop_map(|(frame, how)| Step::State { frame, how }),
        1 => (frame(), any::<bool>()).prop_map(|(frame, more)| Step::Park { frame, more }),
        4 => (frame(), any::<bool>(), any::<bool>())
            .prop_map(|(frame, entered, rounds_checked)| Step::End { frame, entered, rounds_checked }),
        1 => any::<u64>().prop_map(|id| Step::Forged { id }),
    ];
    prop::collection::vec(step, 1..250)
}
