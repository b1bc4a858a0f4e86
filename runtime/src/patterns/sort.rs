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
use crate::{Arrived, Eu, Reply, Shared, Wire, Work, threaded};

/// Number of pieces that the default grain makes for each node, and the largest number of buckets for each.
const PER_NODE: usize = 4;

/// The smallest number of elements that the default grain makes a piece of.
const SMALLEST_PIECE: usize = 1024;

/// Number of elements of the sample for each bucket.
const SAMPLED: usize = 16;

/// A total order of elements.
///
/// A closure that compares two elements implements it as [`Shared`], and stays in its process.
pub trait Order<T>: Wire + Clone {
    /// Compares two elements.
    fn compare(&self, left: &T, right: &T) -> Ordering;

    /// Returns the cost of a comparison on a simulated machine; real machines ignore it. Default: 10 cycles.
    ///
    /// A sort of n elements is charged for n log2 n comparisons, rounded up. A merge of n elements of k
    /// sorted lists is charged for n log2 k comparisons.
    fn cost(&self) -> Work {
        Work::Cycles(10)
    }
}

/// The natural order of elements, the smallest first.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Ascending;

impl<T: Ord> Order<T> for Ascending {
    fn compare(&self, left: &T, right: &T) -> Ordering {
        left.cmp(right)
    }
}

impl<T: 'static, F: Fn(&T, &T) -> Ordering + Send + Sync + 'static> Order<T> for Shared<F> {
    fn compare(&self, left: &T, right: &T) -> Ordering {
        self(left, right)
    }
}

/// Returns the cost of merging `count` elements of sorted lists. A sort merges lists of one element.
fn sorting<T>(order: &impl Order<T>, count: usize, lists: usize) -> Work {
    let comparisons = count as u64 * u64::from(lists.max(1).next_power_of_two().ilog2());
    match order.cost() {
        Work::Flops(flops) => Work::Flops(flops * comparisons),
        Work::Cycles(cycles) => Work::Cycles(cycles * comparisons),
        Work::Kernel(kernel, units) => Work::Kernel(kernel, units * comparisons),
    }
}

/// Sorts a list. Equal elements keep their order.
///
/// ```
/// use earth::patterns::{Ascending, Grain, Sort};
/// use earth::{Machine, Shared};
///
/// let words: Vec<String> = "to be or not to be".split(' ').map(String::from).collect();
/// let run = Machine::threads(2).run(|out| Sort::call(words, Grain::of(2), Ascending, out))?;
/// assert_eq!(run.value, ["be", "be", "not", "or", "to", "to"]);
///
/// let longest_first = Shared::new(|left: &String, right: &String| right.len().cmp(&left.len()));
/// let run = Machine::threads(2).run(|out| Sort::call(run.value, Grain::of(2), longest_first, out))?;
/// assert_eq!(run.value, ["not", "be", "be", "or", "to", "to"]);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct Sort<T, O>(std::marker::PhantomData<fn(T, O)>);

#[threaded]
impl<T: Wire + Clone, O: Order<T>> Sort<T, O> {
    /// Sorts `elements` in this order, a grain at a time, and puts them to `to`. The
    /// [default grain](Grain::CHOSEN) makes four pieces for each node, of at least 1,024 elements.
    pub fn start(mut elements: Vec<T>, grain: Grain, order: O, to: Reply<Vec<T>>, eu: &mut Eu<Self>) {
        let (count, most) = (elements.len(), PER_NODE * eu.nodes());
        let grain = grain.or(count.div_ceil(most).max(SMALLEST_PIECE));
        if count <= grain {
            eu.work(sorting(&order, count, count));
            elements.sort_by(|left, right| order.compare(left, right));
            eu.put(to, elements);
        } else {
            let buckets = count.div_ceil(grain).min(most);
            eu.invoke(eu.node(), Pieces::call(elements, grain, buckets, order, to));
        }
    }
}

/// The end of a bucket: its last element, and the piece of that element.
type End<T> = (T, usize);

/// Returns the ends of all buckets except the last, drawn from a list in pieces of a grain.
fn ends<T: Clone>(elements: &[T], grain: usize, buckets: usize, order: &impl Order<T>) -> Vec<End<T>> {
    let count = elements.len().min(SAMPLED * buckets);
    let distance = elements.len() / count;
    let mut sample: Vec<_> = (0..count).map(|i| i * distance + distance / 2).collect();
    // A stable sort of positions: equal elements stay in the order of their pieces.
    sample.sort_by(|&a, &b| order.compare(&elements[a], &elements[b]));
    let end = |bucket: usize| {
        let at = sample[bucket * count / buckets];
        (elements[at].clone(), at / grain)
    };
    (1..buckets).map(end).collect()
}

/// A list in pieces.
struct Pieces<T, O> {
    buckets: usize,
    order: O,
    to: Reply<Vec<T>>,
}

#[threaded(count = elements.len().div_ceil(grain))]
impl<T: Wire + Clone, O: Order<T>> Pieces<T, O> {
    fn start(
        mut elements: Vec<T>,
        grain: usize,
        buckets: usize,
        order: O,
        to: Reply<Vec<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let ends = ends(&elements, grain, buckets, &order);
        let parts = eu.replies(Self::deal().parts);
        for piece in (0..count).rev() {
            let of_piece = elements.split_off(piece * grain);
            eu.token(SortPiece::call(of_piece, piece, ends.clone(), order.clone(), parts.at(piece)));
        }
        Pieces { buckets, order, to }
    }

    #[slot]
    fn deal(&mut self, #[inlets(count)] parts: Arrived<'_, Vec<Vec<T>>>, eu: &mut Eu<Self>) {
        let mut buckets: Vec<Vec<Vec<T>>> = (0..self.buckets).map(|_| Vec::new()).collect();
        for parts in parts {
            buckets.iter_mut().zip(parts).for_each(|(bucket, part)| bucket.push(part));
        }
        let sorted = eu.replies(Self::join().sorted);
        for (bucket, parts) in buckets.into_iter().enumerate().rev() {
            eu.token(MergeBucket::call(parts, self.order.clone(), sorted.at(bucket)));
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
struct SortPiece<T, O>(std::marker::PhantomData<fn(T, O)>);

#[threaded]
impl<T: Wire + Clone, O: Order<T>> SortPiece<T, O> {
    /// Sorts the elements of a piece, and puts its part of each bucket.
    fn start(
        mut elements: Vec<T>,
        piece: usize,
        ends: Vec<End<T>>,
        order: O,
        to: Reply<Vec<Vec<T>>>,
        eu: &mut Eu<Self>,
    ) {
        eu.work(sorting(&order, elements.len(), elements.len()));
        elements.sort_by(|left, right| order.compare(left, right));
        eu.put(to, cut(elements, piece, &ends, &order));
    }
}

/// Cuts the sorted elements of a piece at the ends of the buckets.
fn cut<T>(mut elements: Vec<T>, piece: usize, ends: &[End<T>], order: &impl Order<T>) -> Vec<Vec<T>> {
    let mut parts = Vec::with_capacity(ends.len() + 1);
    for (end, of) in ends.iter().rev() {
        let is_before = |element: &T| match order.compare(element, end) {
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
struct MergeBucket<T, O>(std::marker::PhantomData<fn(T, O)>);

#[threaded]
impl<T: Wire + Clone, O: Order<T>> MergeBucket<T, O> {
    fn start(parts: Vec<Vec<T>>, order: O, to: Reply<Vec<T>>, eu: &mut Eu<Self>) {
        let lists = parts.len();
        let mut elements = joined(parts.into_iter());
        eu.work(sorting(&order, elements.len(), lists));
        // The standard library's stable sort finds the sorted parts, and merges them.
        elements.sort_by(|left, right| order.compare(left, right));
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
            let ends = ends(&elements, 100, 8, &Ascending);
            let mut sizes = [0; 8];
            for (piece, elements) in elements.chunks(100).enumerate() {
                let mut elements = elements.to_vec();
                elements.sort_unstable();
                let parts = cut(elements, piece, &ends, &Ascending);
                assert!(parts.concat().is_sorted());
                sizes.iter_mut().zip(parts).for_each(|(size, part)| *size += part.len());
            }
            assert_eq!(sizes.iter().sum::<usize>(), 8000);
            assert!(sizes.iter().all(|size| (500..2000).contains(size)), "{distinct}: {sizes:?}");
        }
    }
}
