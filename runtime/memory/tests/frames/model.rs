//! A frame of plain collections: a simple model of a frame of the store.

use std::ops::Range;

use earth_memory::frames::{Counted, Left, Refusal};

use crate::layouts::{SPANS, Type};

/// A slot of the model.
#[derive(Clone, Debug)]
pub(crate) struct ModelSlot {
    /// Signals that the slot awaits, and the total of its present round; `None` if the slot is over.
    pub(crate) awaited: u32,
    pub(crate) total: Option<u32>,
    /// Signals of each later round; 0 if there is none.
    pub(crate) reset: u32,
    /// Inlets that the slot counts.
    pub(crate) inlets: Vec<usize>,
}

/// A frame of the model. Slots and inlets are numbered as in the store.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameModel {
    pub(crate) layout: usize,
    /// Slots; `None` for a number without a slot.
    pub(crate) slots: Vec<Option<ModelSlot>>,
    /// Type, slot and value of each inlet.
    pub(crate) inlets: Vec<Option<(Type, usize, Option<u64>)>>,
    pub(crate) state: Option<u64>,
    pub(crate) parked: u32,
    /// Whether its rounds must be examined before it ends.
    pub(crate) rounds: bool,
    /// The runtime's data in the frame.
    pub(crate) user: Option<u64>,
}

impl FrameModel {
    /// Makes a frame of the layout of this number. Arrays have `len` elements, and slots count `count`
    /// signals in their first round.
    pub(crate) fn new(layout: usize, len: usize, count: u32) -> Self {
        let inlet = |ty, slot| Some((ty, slot, None));
        let slot =
            |count, reset, inlets| Some(ModelSlot { awaited: count, total: Some(count), reset, inlets });
        let (slots, inlets) = match layout {
            0 => (
                vec![slot(3, 0, vec![0, 1, 2]), slot(2, 2, vec![3])],
                vec![
                    inlet(Type::Word, 0),
                    inlet(Type::Tracked, 0),
                    inlet(Type::Big, 0),
                    inlet(Type::Tracked, 1),
                ],
            ),
            1 => {
                let of = |span: &Range<u32>| {
                    let inlets: Vec<usize> = span.clone().map(|inlet| inlet as usize).collect();
                    slot(inlets.len() as u32, inlets.len() as u32, inlets)
                };
                let inlets = (0..)
                    .zip(&SPANS)
                    .flat_map(|(slot, span)| span.clone().map(move |_| inlet(Type::Half, slot)));
                (SPANS.iter().map(of).collect(), inlets.collect())
            }
            2 => {
                // Declared: slots 0 to 2, inlets 0 to 3. Then the elements of slot 0, of inlet 0 and of inlet
                // 1.
                let gathered = (0..len).map(|i| 4 + len + i).chain([2]).collect();
                let mut slots =
                    vec![None, slot(len as u32 + 1, count - 1, gathered), slot(count, 1, vec![3])];
                slots.extend((0..len).map(|i| slot(count, 1, vec![4 + i])));
                let mut inlets = vec![None, None, inlet(Type::Word, 1), inlet(Type::Word, 2)];
                inlets.extend((0..len).map(|i| inlet(Type::Tracked, 3 + i)));
                inlets.extend((0..len).map(|_| inlet(Type::Big, 1)));
                (slots, inlets)
            }
            _ => (vec![], vec![]),
        };
        let rounds = layout < 2 || layout == 2 && count > 1;
        FrameModel { layout, slots, inlets, state: None, parked: 0, rounds, user: None }
    }

    /// Counts a signal that the slot expects.
    pub(crate) fn count(&mut self, number: usize) -> Counted {
        let slot = self.slots[number].as_mut().expect("a slot");
        slot.awaited -= 1;
        if slot.awaited > 0 {
            return Counted::Waits(number as u32);
        }
        slot.awaited = slot.reset;
        slot.total = (slot.reset > 0).then_some(slot.reset);
        let empty = |&inlet: &usize| self.inlets[inlet].as_ref().is_some_and(|inlet| inlet.2.is_none());
        if slot.inlets.iter().any(empty) {
            Counted::Lacks(number as u32)
        } else {
            Counted::Enables(number as u32)
        }
    }

    pub(crate) fn raise(&mut self, number: u32, by: u32) -> Result<(), Refusal> {
        let slot = self.slots.get_mut(number as usize).and_then(Option::as_mut).ok_or(Refusal::NoSuchPart)?;
        let total = slot.total.ok_or(Refusal::TooLate)?.checked_add(by).ok_or(Refusal::Overflow)?;
        slot.total = Some(total);
        slot.awaited += by;
        self.rounds = true;
        Ok(())
    }

    /// Returns the slots in the middle of a round that have another round after it: number, signals received,
    /// total.
    pub(crate) fn unfinished(&self) -> Vec<(u32, u32, u32)> {
        let slots = (0..).zip(&self.slots).filter_map(|(number, slot)| Some((number, slot.as_ref()?)));
        let again = slots.filter(|(_, slot)| slot.reset > 0);
        let progress = again.map(|(number, slot)| {
            let total = slot.total.expect("a slot with a reset has a round always");
            (number, total - slot.awaited, total)
        });
        progress.filter(|&(_, got, total)| got != 0 && got != total).collect()
    }

    pub(crate) fn left(&self) -> Result<(), Left> {
        if self.rounds {
            return Err(Left::Rounds);
        }
        if self.parked > 0 {
            return Err(Left::Parked);
        }
        if self.inlets.iter().flatten().any(|inlet| inlet.2.is_some()) { Err(Left::Values) } else { Ok(()) }
    }
}
