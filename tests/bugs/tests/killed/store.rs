//! The store of frames alone: signals, values and consecutive frames.

use earth_memory::KindOf;
use earth_memory::frames::{
    Counted, ExtraContents, FrameId, FrameLayout, Frames, Function, InletLayout, Left, Refusal, SlotLayout,
    lay_out,
};

use crate::machines::{Verdict, same};

#[derive(Debug)]
struct Bare;

impl Function for Bare {
    type Value = ();
    type Extra = ();
}

/// A single address kind for the whole program, so that values take the fast path.
static WORD: &KindOf<u64, ()> = KindOf::KIND;

/// The slots of a frame. `ONCE` expects a value and a signal, once; `AGAIN` expects two signals, repeatedly.
const ONCE: u32 = 0;
const AGAIN: u32 = 1;

static LAYOUT: FrameLayout<Bare> = FrameLayout::new::<u64>(
    &[
        SlotLayout::new("once", 0, Some((2, 0)), false, false, 0, 1),
        SlotLayout::new("again", 0, Some((2, 2)), true, false, 1, 0),
    ],
    const { &lay_out(2, ExtraContents::Nothing, [InletLayout::new("word", WORD.erased(), ONCE, false)]) },
    ExtraContents::Nothing,
    Bare,
);

/// Signals a slot on the fast path, or on the slow path if the fast path does not apply.
fn signal(frames: &mut Frames<Bare>, id: FrameId, slot: u32) -> Result<Counted, Refusal> {
    frames.try_signal(id, slot).map_or_else(|| frames.signal(id, slot), Ok)
}

/// Stores a word in the first inlet, at the place that the store finds for it.
fn put(frames: &mut Frames<Bare>, id: FrameId, value: u64) -> Result<Counted, Refusal> {
    frames.find(id, 0, WORD.erased()).map(|place| place.store(value, WORD))
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with the result of a store")]
const fn waits(slot: u32) -> Result<Counted, Refusal> {
    Ok(Counted::Waits(slot))
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with the result of a store")]
const fn enables(slot: u32) -> Result<Counted, Refusal> {
    Ok(Counted::Enables(slot))
}

pub(crate) fn rounds() -> Verdict {
    let mut frames = Frames::new();
    let id = frames.make(&LAYOUT);
    let told = [(); 4].map(|()| signal(&mut frames, id, AGAIN));
    same("two rounds", &told, &[waits(AGAIN), enables(AGAIN), waits(AGAIN), enables(AGAIN)])?;
    let value = put(&mut frames, id, 7);
    same("a value", &value, &waits(ONCE))?;
    same("its signal", &signal(&mut frames, id, ONCE), &enables(ONCE))?;
    same("a signal too many", &signal(&mut frames, id, ONCE), &Err(Refusal::Unexpected))?;
    same("a raise too late", &frames.raise(id, ONCE, 1), &Err(Refusal::TooLate))
}

pub(crate) fn taken() -> Verdict {
    let mut frames = Frames::new();
    let id = frames.make(&LAYOUT);
    let value = put(&mut frames, id, 7);
    same("a value", &value, &waits(ONCE))?;
    let taken = [(); 2].map(|()| frames.all_of(&LAYOUT, ONCE)?.take(0, WORD));
    same("what is taken", &taken, &[Some(7), None])
}

pub(crate) fn lacks() -> Verdict {
    let mut frames = Frames::new();
    let id = frames.make(&LAYOUT);
    let told = [(); 2].map(|()| signal(&mut frames, id, ONCE));
    same("signals alone", &told, &[waits(ONCE), Ok(Counted::Lacks(ONCE))])
}

pub(crate) fn serial() -> Verdict {
    let mut frames = Frames::new();
    let first = frames.make(&LAYOUT);
    same("a signal of two", &signal(&mut frames, first, AGAIN), &waits(AGAIN))?;
    frames.mark_rounds_checked(first);
    same("the end", &frames.end(&LAYOUT), &Ok(()))?;
    let second = frames.make(&LAYOUT);
    same("the number", &second.number(), &first.number())?;
    same("whether two frames are one", &(first == second), &false)?;
    same("a late signal", &signal(&mut frames, first, AGAIN), &Err(Refusal::Stale))?;
    let late = put(&mut frames, first, 7);
    same("a late value", &late, &Err(Refusal::Stale))?;
    same("the counts", &frames.counts(second, AGAIN), &Some((2, 2)))?;
    let value = put(&mut frames, second, 7);
    same("a value", &value, &waits(ONCE))?;
    frames.mark_rounds_checked(second);
    same("the end", &frames.end(&LAYOUT), &Err(Left::Values))
}
