//! A frame of plain collections, which does slowly what a frame of the store does.

use earth_memory::frames::{Counted, Left};

/// The types of the values of inlets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Type {
    Word,
    Half,
    Tracked,
    Big,
}

/// A frame of the model. Slots and inlets are numbered as in the store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Twin {
    pub(crate) layout: usize,
    /// For each slot what is left of its count, its reset and its inlets; none for a number that is no slot.
    pub(crate) slots: Vec<Option<(u32, u32, Vec<usize>)>>,
    /// For each inlet its type, its slot and its value.
    pub(crate) inlets: Vec<Option<(Type, usize, Option<u64>)>>,
    pub(crate) state: Option<u64>,
    pub(crate) parked: u32,
}

impl Twin {
    pub(crate) fn new(layout: usize, len: usize) -> Self {
        let inlet = |ty, slot| Some((ty, slot, None));
        let (slots, inlets) = match layout {
            0 => (
                vec![Some((3, 0, vec![0, 1, 2])), Some((2, 2, vec![3]))],
                vec![
                    inlet(Type::Word, 0),
                    inlet(Type::Tracked, 0),
                    inlet(Type::Big, 0),
                    inlet(Type::Tracked, 1),
                ],
            ),
            1 => (
                vec![Some((60, 60, (0..60).collect())), Some((10, 10, (60..70).collect()))],
                (0..70).map(|i| inlet(Type::Half, usize::from(i >= 60))).collect(),
            ),
            _ => {
                // Declared: slots 0 to 2, inlets 0 to 2; then the elements of slot 0, those of inlet 0 and of inlet 1.
                let gathered = (0..len).map(|i| 3 + len + i).chain([2]).collect();
                let mut slots = vec![None, Some((len as u32 + 1, 0, gathered)), Some((2, 1, vec![]))];
                slots.extend((0..len).map(|i| Some((2, 1, vec![3 + i]))));
                let mut inlets = vec![None, None, inlet(Type::Word, 1)];
                inlets.extend((0..len).map(|i| inlet(Type::Tracked, 3 + i)));
                inlets.extend((0..len).map(|_| inlet(Type::Big, 1)));
                (slots, inlets)
            }
        };
        Twin { layout, slots, inlets, state: None, parked: 0 }
    }

    /// A signal, which the slot expects.
    pub(crate) fn count(&mut self, slot: usize) -> Counted {
        let (left, reset, inlets) = self.slots[slot].as_mut().expect("a slot");
        *left -= 1;
        if *left > 0 {
            return Counted::Waits(slot as u32);
        }
        *left = *reset;
        let lacks =
            inlets.iter().any(|&inlet| self.inlets[inlet].as_ref().is_some_and(|inlet| inlet.2.is_none()));
        if lacks { Counted::Lacks(slot as u32) } else { Counted::Enables(slot as u32) }
    }

    pub(crate) fn left(&self) -> Result<(), Left> {
        if self.parked > 0 {
            return Err(Left::Parked);
        }
        if self.inlets.iter().flatten().any(|inlet| inlet.2.is_some()) { Err(Left::Values) } else { Ok(()) }
    }
}
