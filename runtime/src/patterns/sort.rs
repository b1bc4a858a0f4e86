//! A stable sort of a list, by tokens: a sample sort.
//!
//! 1. A sample of the elements is sorted. Evenly spaced elements of the sample divide the elements into
//!    buckets of nearly equal size.
//! 2. The list is cut into pieces of a grain. Each piece is a token. It sorts its elements, and cuts them at
//!    the ends of the buckets.
//! 3. Each bucket is a token. It merges its part of each piece, in the order of the pieces.
//! 4. One fiber appends the buckets to each other.
//!
//! The end of a bucket is an element and the number of its piece. Equal elements of later pieces go to the
//! next bucket. So equal elements keep their order, and a list of few distinct elements has buckets of nearly
//! equal size too.
//!
//! # Cost
//!
//! A token and a put per piece and per bucket, at most four buckets for each node. An invoke, a frame and
//! four fibers for the whole. A stolen token costs two messages. Within a process elements are moved four
//! times, the first and the last time by one fiber.
//!
//! # When it loses
//!
//! One fiber cuts the list and another joins it. Elements that are already where they are needed, on several
//! nodes, are better sorted there, as the example `samplesort` does.

use std::cmp::Ordering;

use super::range::Grain;
use crate::{Arrived, Eu, Reply, Wire, threaded};

/// Number of pieces that the default grain makes for each node, and the largest number of buckets for each.
const PER_NODE: usize = 4;

/// The smallest number of elements that the default grain makes a piece of.
const SMALLEST_PIECE: usize = 1024;

/// Number of elements of the sample for each bucket.
const SAMPLED: usize = 16;

/// Sorts a list. Equal elements keep their order. Sorting takes no time on a simulated machine.
///
/// ```
/// use earth::Machine;
/// use earth::patterns::{Grain, Sort};
///
/// let words: Vec<String> = "to be or not to be".split(' ').map(String::from).collect();
/// let run = Machine::threads(2).run(|out| Sort::call(words, Grain::of(2), out))?;
/// assert_eq!(run.value, ["be", "be", "not", "or", "to", "to"]);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct Sort<T>(std::marker::PhantomData<fn(T)>);

#[threaded]
impl<T: Wire + Ord + Clone> Sort<T> {
    /// Sorts `elements`, a grain at a time, and puts them to `to`. The [default grain](Grain::CHOSEN) makes
    /// four pieces for each node, of at least 1,024 elements.
    pub fn start(mut elements: Vec<T>, grain: Grain, to: Reply<Vec<T>>, eu: &mut Eu<Self>) {
        let (count, most) = (elements.len(), PER_NODE * eu.nodes());
        let grain = grain.or(count.div_ceil(most).max(SMALLEST_PIECE));
        if count <= grain {
            elements.sort();
            eu.put(to, elements);
        } else {
            let buckets = count.div_ceil(grain).min(most);
            eu.invoke(eu.node(), Pieces::call(elements, grain, buckets, to));
        }
    }
}

/// The end of a bucket: its last element, and the piece of that element.
type End<T> = (T, usize);

/// Returns the ends of all buckets except the last, drawn from a list in pieces of a grain.
fn ends<T: Ord + Clone>(elements: &[T], grain: usize, buckets: usize) -> Vec<End<T>> {
    let count = elements.len().min(SAMPLED * buckets);
    let distance = elements.len() / count;
    let mut sample: Vec<_> = (0..count).map(|i| i * distance + distance / 2).collect();
    // A stable sort of positions: equal elements stay in the order of their pieces.
    sample.sort_by(|&a, &b| elements[a].cmp(&elements[b]));
    let end = |bucket: usize| {
        let at = sample[bucket * count / buckets];
        (elements[at].clone(), at / grain)
    };
    (1..buckets).map(end).collect()
}

/// A list in pieces.
struct Pieces<T> {
    buckets: usize,
    to: Reply<Vec<T>>,
}

#[threaded(count = elements.len().div_ceil(grain))]
impl<T: Wire + Ord + Clone> Pieces<T> {
    fn start(
        mut elements: Vec<T>,
        grain: usize,
        buckets: usize,
        to: Reply<Vec<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let ends = ends(&elements, grain, buckets);
        let parts = eu.replies(Self::deal().parts);
        for piece in (0..count).rev() {
            let of_piece = elements.split_off(piece * grain);
            eu.token(SortPiece::call(of_piece, piece, ends.clone(), parts.at(piece)));
        }
        Pieces { buckets, to }
    }

    #[slot]
    fn deal(&mut self, #[inlets(count)] parts: Arrived<'_, Vec<Vec<T>>>, eu: &mut Eu<Self>) {
        let mut buckets: Vec<Vec<Vec<T>>> = (0..self.buckets).map(|_| Vec::new()).collect();
        for parts in parts {
            buckets.iter_mut().zip(parts).for_each(|(bucket, part)| bucket.push(part));
        }
        let sorted = eu.replies(Self::join().sorted);
        for (bucket, parts) in buckets.into_iter().enumerate().rev() {
            eu.token(MergeBucket::call(parts, sorted.at(bucket)));
        }
    }

    #[slot]
    fn join(self, #[inlets(buckets)] sorted: Arrived<'_, Vec<T>>, eu: &mut Eu<Self>) {
        eu.put(self.to, joined(sorted));
    }
}

/// Moves the elements of all lists into one.
fn joined<T>(lists: impl Iterator<Item = Vec<T>>) -> Vec<T> {
    let lists: Vec<_> = lists.collect();
    let mut all = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    for mut list in lists {
        all.append(&mut list);
    }
    all
}

/// One piece.
struct SortPiece<T>(std::marker::PhantomData<fn(T)>);

#[threaded]
impl<T: Wire + Ord + Clone> SortPiece<T> {
    /// Sorts the elements of a piece, and puts its part of each bucket.
    fn start(
        mut elements: Vec<T>,
        piece: usize,
        ends: Vec<End<T>>,
        to: Reply<Vec<Vec<T>>>,
        eu: &mut Eu<Self>,
    ) {
        elements.sort();
        eu.put(to, cut(elements, piece, &ends));
    }
}

/// Cuts the sorted elements of a piece at the ends of the buckets.
fn cut<T: Ord>(mut elements: Vec<T>, piece: usize, ends: &[End<T>]) -> Vec<Vec<T>> {
    let mut parts = Vec::with_capacity(ends.len() + 1);
    for (end, of) in ends.iter().rev() {
        let is_before = |element: &T| match element.cmp(end) {
            Ordering::Less => true,
            Ordering::Equal => piece <= *of,
            Ordering::Greater => false,
        };
        let at = elements.partition_point(is_before);
        parts.push(elements.split_off(at));
    }
    parts.push(elements);
    parts.reverse();
    parts
}

/// One bucket.
struct MergeBucket<T>(std::marker::PhantomData<fn(T)>);

#[threaded]
impl<T: Wire + Ord + Clone> MergeBucket<T> {
    fn start(parts: Vec<Vec<T>>, to: Reply<Vec<T>>, eu: &mut Eu<Self>) {
        let mut elements = joined(parts.into_iter());
        // The standard library's stable sort finds the sorted parts, and merges them.
        elements.sort();
        eu.put(to, elements);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_of_a_list_have_nearly_equal_sizes_however_few_its_distinct_elements_are() {
        for distinct in [1, 2, 3, 1000, u64::MAX] {
            let element = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) % distinct;
            let elements: Vec<_> = (0..8000).map(element).collect();
            let ends = ends(&elements, 100, 8);
            let mut sizes = [0; 8];
            for (piece, elements) in elements.chunks(100).enumerate() {
                let mut elements = elements.to_vec();
                elements.sort_unstable();
                let parts = cut(elements, piece, &ends);
                assert!(parts.concat().is_sorted());
                sizes.iter_mut().zip(parts).for_each(|(size, part)| *size += part.len());
            }
            assert_eq!(sizes.iter().sum::<usize>(), 8000);
            assert!(sizes.iter().all(|size| (500..2000).contains(size)), "{distinct}: {sizes:?}");
        }
    }
}
