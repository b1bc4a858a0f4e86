//! Many short queues in one slab: values parked at inlets, readers waiting at cells.
//!
//! A queue is two 32-bit numbers in the entry that owns it. Its items are links of one slab per node. Removed
//! links are reused, so the steady state does not allocate. Every operation but `iter` and `count` takes
//! constant time.

use earth_memory::push;

const NONE: u32 = u32::MAX;

/// The head and tail of one queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EntryList {
    head: u32,
    tail: u32,
}

impl EntryList {
    pub(crate) const EMPTY: EntryList = EntryList { head: NONE, tail: NONE };

    /// Rebuilds a queue from its [head](Self::head). No item may be added to it any more.
    pub(crate) fn from_head(head: u32) -> Self {
        EntryList { head, tail: head }
    }

    /// Returns the head, which identifies a queue to which no item is added any more.
    pub(crate) const fn head(self) -> u32 {
        self.head
    }

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.head == NONE
    }
}

/// The items of many queues.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    links: Vec<(Option<T>, u32)>,
    free: u32,
    len: usize,
}

impl<T> Slab<T> {
    pub(crate) const fn new() -> Self {
        Slab { links: Vec::new(), free: NONE, len: 0 }
    }

    /// Returns the number of items in all queues.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn push(&mut self, queue: &mut EntryList, item: T) {
        let link = if self.free == NONE {
            push(&mut self.links, (Some(item), NONE));
            self.links.len() as u32 - 1
        } else {
            let link = self.free;
            self.free = std::mem::replace(&mut self.links[link as usize], (Some(item), NONE)).1;
            link
        };
        match queue.tail {
            NONE => queue.head = link,
            _ if seeded!(ParkedReversed) => {
                self.links[link as usize].1 = std::mem::replace(&mut queue.head, link);
                self.len += 1;
                return;
            }
            tail => self.links[tail as usize].1 = link,
        }
        queue.tail = link;
        self.len += 1;
    }

    pub(crate) fn pop(&mut self, queue: &mut EntryList) -> Option<T> {
        let (item, next) = self.links.get_mut(queue.head as usize)?;
        let item = item.take();
        let next = std::mem::replace(next, self.free);
        self.free = queue.head;
        queue.head = next;
        if next == NONE {
            queue.tail = NONE;
        }
        self.len -= 1;
        item
    }

    pub(crate) fn iter(&self, queue: EntryList) -> impl Iterator<Item = &T> {
        let at = |at: u32| self.links.get(at as usize);
        std::iter::successors(at(queue.head), move |link| at(link.1)).filter_map(|link| link.0.as_ref())
    }

    pub(crate) fn count(&self, queue: EntryList) -> usize {
        self.iter(queue).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_of_one_slab_keep_their_order_and_reuse_links() {
        let mut slab = Slab::new();
        let (mut a, mut b) = (EntryList::EMPTY, EntryList::EMPTY);
        for round in 0..3 {
            for i in 0..4 {
                slab.push(&mut a, (round, i));
                slab.push(&mut b, (round, -i));
            }
            assert_eq!((slab.len(), slab.count(a), slab.count(b)), (8, 4, 4));
            for i in 0..4 {
                assert_eq!(slab.pop(&mut b), Some((round, -i)));
                assert_eq!(slab.pop(&mut a), Some((round, i)));
            }
            assert_eq!((slab.pop(&mut a), a, b), (None, EntryList::EMPTY, EntryList::EMPTY));
        }
        assert_eq!(slab.links.len(), 8);
    }
}
