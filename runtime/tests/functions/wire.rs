//! Values as bytes: packed values come back, and invalid bytes are refused.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::time::Duration;

use earth::{Block, Element, Eu, Machine, NodeId, Packer, Reply, Undecodable, Unpacker, Wire, threaded};
use num_complex::Complex;

fn packed<T: Wire>(value: T) -> Vec<u8> {
    let mut out = Packer::default();
    value.pack(&mut out);
    out.into_bytes()
}

/// Reads a value from the bytes. Fails if bytes are left.
fn unpacked<T: Wire>(bytes: &[u8]) -> Result<T, Undecodable> {
    let mut input = Unpacker::new(bytes);
    let value = T::unpack(&mut input)?;
    if input.left() == 0 { Ok(value) } else { Err(Undecodable) }
}

/// Checks that a value has `count` bytes, comes back from them, and from no prefix of them.
#[track_caller]
fn travels<T: Wire + Clone + PartialEq + Debug>(value: &T, count: usize) {
    let bytes = packed(value.clone());
    assert_eq!(bytes.len(), count, "{value:?}");
    assert_eq!(unpacked::<T>(&bytes).as_ref(), Ok(value));
    for cut in 0..count {
        assert!(
            T::unpack(&mut Unpacker::new(&bytes[..cut])).is_err(),
            "{value:?} from {cut} of {count} bytes"
        );
    }
}

/// Checks that the bytes are not a `T`, and that the check allocates almost no memory.
#[track_caller]
fn refused<T: Wire>(bytes: impl Wire) {
    let bytes = packed(bytes);
    let mut result = None;
    let allocated = allocation_counter::measure(|| result = Some(unpacked::<T>(&bytes).is_err()));
    assert_eq!(result, Some(true), "{bytes:?}");
    assert!(allocated.bytes_max < 1000, "{} bytes allocated", allocated.bytes_max);
}

#[test]
fn words_come_back() {
    travels(&(1u8, -2i64, 3.5f64, true), 18);
    travels(&(u128::MAX - 1, i128::MIN + 1), 32);
    travels(&(usize::MAX, isize::MIN), 16);
    travels(&[' ', 'ß', '\u{10ffff}'], 12);
    travels(&Duration::new(u64::MAX, 999_999_999), 12);
    travels(&(3u32..u32::MAX), 8);
    travels(&(), 0);
    travels(&(1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8), 8);
    travels(&PhantomData::<fn(*const str) -> [u8]>, 0);
    travels(&Complex::new(1.5f32, -2.5), 8);
}

#[test]
fn values_of_values_come_back() {
    travels(&[(1u16, 2u32), (3, 4)], 12);
    travels(&[0u8; 0], 0);
    travels(&vec![Some(1u64), None, Some(3)], 27);
    travels(&Ok::<u8, String>(5), 2);
    travels(&Err::<u8, String>("no".into()), 11);
    travels(&Box::new(String::from("frame")), 13);
    travels(&Box::<str>::from("Straße"), 15);
    travels(&Box::<[u16]>::from([1, 2, 3]), 14);
    travels(&VecDeque::from([1u8, 2]), 10);
    travels(&BTreeSet::from([3i8, -1]), 10);
    travels(&BTreeMap::from([(2u8, vec![1u8]), (1, vec![])]), 27);
    travels(&HashSet::<String>::from(["a".into(), "b".into()]), 26);
    travels(&HashMap::<(u8, u8), char>::from([((1, 2), 'x'), ((2, 1), 'y')]), 20);
    travels(&vec![(); 1000], 8);
}

#[test]
fn false_lengths_are_refused_before_any_allocation() {
    for lie in [u64::MAX, 1 << 40, 9] {
        refused::<Vec<u64>>((lie, 0u64));
        refused::<VecDeque<u64>>((lie, 0u64));
        refused::<Box<[u64]>>((lie, 0u64));
        refused::<String>((lie, 0u64));
        refused::<Box<str>>((lie, 0u64));
        refused::<BTreeSet<u64>>((lie, 0u64));
        refused::<BTreeMap<u64, u64>>((lie, 0u64));
        refused::<HashSet<u64>>((lie, 0u64));
        refused::<HashMap<u64, u64>>((lie, 0u64));
        refused::<Vec<Vec<Vec<u8>>>>((lie, lie, lie));
        refused::<Tree<u64>>((2u8, lie, 0u64));
    }
    // The length equals the number of bytes left, but each element needs more than one.
    refused::<Vec<[u64; 1000]>>((8u64, 0u64));
    refused::<Vec<()>>(u64::MAX);
    refused::<[Vec<u8>; 1000]>(0u64);
}

#[test]
fn meaningless_numbers_are_refused() {
    refused::<bool>(2u8);
    refused::<Option<()>>(2u8);
    refused::<Result<u8, u8>>((2u8, 0u8));
    refused::<char>(0xd800u32);
    refused::<char>(0x11_0000u32);
    refused::<Duration>((0u64, 1_000_000_000u32));
    refused::<String>((2u64, [0xc3u8, 0x28]));
    refused::<BTreeSet<u8>>((2u64, [7u8, 7]));
    refused::<HashMap<u8, u8>>((2u64, [7u8, 1, 7, 2]));
    refused::<Shape>(3u8);
    refused::<Nothing>(0u8);
    refused::<Nothing>(());
}

/// A struct with named fields.
#[derive(Clone, PartialEq, Debug, Wire)]
pub struct Named {
    /// A field whose name is a keyword.
    pub r#type: u8,
    rows: (u32, u32),
    text: String,
}

/// A struct with unnamed fields.
#[derive(Clone, Copy, PartialEq, Debug, Wire)]
pub struct Pair<A, B = A>(A, pub B)
where
    A: Copy;

/// A struct without fields.
#[derive(Clone, Copy, PartialEq, Debug, Wire)]
pub struct Unit;

/// An enum with every kind of variant. Its explicit discriminants are not encoded.
#[derive(Clone, PartialEq, Debug, Wire)]
#[repr(i64)]
pub enum Shape {
    /// A dot.
    Dot = -7,
    /// A circle with its radius.
    Circle(f32) = 1 << 40,
    /// A rectangle with two sides.
    Rectangle {
        /// First side.
        width: u16,
        /// Second side.
        height: u16,
    },
}

/// An enum without variants.
#[derive(Clone, Copy, PartialEq, Debug, Wire)]
pub enum Nothing {}

/// A type that contains itself.
#[derive(Clone, PartialEq, Debug, Wire)]
pub enum Tree<T> {
    /// A value.
    Leaf(T),
    /// Two trees.
    Fork(Box<Self>, Box<Tree<T>>),
    /// Any number of trees, each with a name.
    Many(Vec<(String, Tree<T>)>),
}

/// A type whose only use of its parameter is beside itself.
#[derive(Clone, PartialEq, Debug, Wire)]
struct Chain<T> {
    next: Option<Box<(T, Chain<T>)>>,
}

/// A type whose fields need different bounds on its parameters.
#[derive(Wire)]
struct Mixed<T: Element, I: Iterator, const N: usize> {
    block: Block<T>,
    items: [I::Item; N],
    marker: PhantomData<fn(I)>,
    nodes: Option<NodeId>,
}

/// A type without bounds: its implementation holds for any `T`.
#[derive(Wire)]
struct Tag<T: ?Sized>(PhantomData<fn() -> Box<T>>);

#[test]
fn derived_structs_are_their_fields_in_order() {
    let named = Named { r#type: 1, rows: (2, 3), text: "ab".into() };
    assert_eq!(packed(named.clone()), [1, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, b'a', b'b']);
    travels(&named, 19);
    travels(&Pair(1u16, Pair(2u8, 'c')), 7);
    travels(&Unit, 0);
    assert!(packed(Tag::<dyn Debug>(PhantomData)).is_empty());
    assert!(unpacked::<Tag<dyn Debug>>(&[]).is_ok());
}

#[test]
fn derived_enums_are_the_number_of_the_variant_and_its_fields() {
    assert_eq!(packed(Shape::Dot), [0]);
    assert_eq!(packed(Shape::Rectangle { width: 1, height: 2 }), [2, 1, 0, 2, 0]);
    travels(&Shape::Dot, 1);
    travels(&Shape::Circle(1.0), 5);
    travels(&Shape::Rectangle { width: 3, height: 4 }, 5);
    travels(&vec![Shape::Circle(0.5), Shape::Dot], 14);
}

#[test]
fn types_that_hold_themselves_come_back() {
    let fork = Tree::Fork(Box::new(Tree::Leaf(1u32)), Box::new(Tree::Leaf(2)));
    travels(&fork, 11);
    travels(&Tree::Many(vec![("a".into(), fork.clone()), (String::new(), Tree::Many(vec![]))]), 46);
    let last = Chain { next: None };
    travels(&Chain { next: Some(Box::new((7u8, last))) }, 3);
}

#[test]
fn parameters_need_what_the_fields_do() {
    let mixed = Mixed::<f32, std::vec::IntoIter<u8>, 2> {
        block: Block::zeroed(2, 3),
        items: [1, 2],
        marker: PhantomData,
        nodes: Some(NodeId::new(4)),
    };
    assert_eq!(mixed.bulk_bytes(), 24);
    let back: Mixed<f32, std::vec::IntoIter<u8>, 2> = unpacked(&packed(mixed)).unwrap();
    assert_eq!((back.block.rows(), back.items, back.nodes), (2, [1, 2], Some(NodeId::new(4))));
    assert_eq!(back.marker, PhantomData);
}

#[test]
fn bulk_data_counts_wherever_it_is() {
    let block = || Block::<f64>::zeroed(1, 10);
    assert_eq!(
        Tree::Many(vec![("a".into(), Tree::Leaf(block())), ("b".into(), Tree::Leaf(block()))]).bulk_bytes(),
        160
    );
    assert_eq!(Ok::<_, ()>(block()).bulk_bytes(), 80);
    assert_eq!(BTreeMap::from([(1u8, block())]).bulk_bytes(), 80);
    assert_eq!(VecDeque::from([block(), block()]).bulk_bytes(), 160);
    assert_eq!(Shape::Dot.bulk_bytes(), 0);
}

/// A list: each box contains the next one.
#[derive(Wire)]
struct List {
    number: u32,
    block: Option<Block<u8>>,
    next: Option<Box<List>>,
}

impl List {
    /// Returns the numbers below `length`, from the largest to 0. Every thousandth element has a block.
    fn of(length: u32) -> Self {
        let link = |next, number: u32| {
            let block = number.is_multiple_of(1000).then(|| Block::zeroed(1, 3));
            Some(Box::new(List { number, block, next }))
        };
        *(0..length).fold(None, link).expect("a list has a box")
    }

    /// Takes the list apart by a loop, where a drop would recurse. Counts its boxes and checks their
    /// contents.
    fn count(self) -> u32 {
        let length = self.number + 1;
        let (mut left, mut next) = (length, Some(Box::new(self)));
        while let Some(link) = next {
            left -= 1;
            assert_eq!((link.number, link.block.is_some()), (left, left.is_multiple_of(1000)));
            next = link.next;
        }
        assert_eq!(left, 0);
        length
    }
}

/// A tree of branches in a collection. A leaf has a number.
#[derive(Wire)]
enum Deep {
    Leaf(u8),
    Branches(VecDeque<Deep>, (u16, HashMap<u8, Deep>)),
}

impl Deep {
    /// Returns a chain of `levels` branches, alternately in one of the parent's two collections.
    fn of(levels: u32) -> Self {
        let leaves = || VecDeque::from([Deep::Leaf(1), Deep::Leaf(2)]);
        (0..levels).fold(Deep::Leaf(3), |inner, level| {
            let (mut some, mut others) = (leaves(), HashMap::new());
            if level.is_multiple_of(2) {
                some.push_back(inner);
            } else {
                others.insert(7, inner);
            }
            Deep::Branches(some, (level as u16, others))
        })
    }

    /// Takes the tree apart. Returns the number of its branches and the sum of its leaves.
    fn count(self) -> (u32, u32) {
        let (mut branches, mut sum, mut rest) = (0, 0, vec![self]);
        while let Some(next) = rest.pop() {
            match next {
                Deep::Leaf(number) => sum += u32::from(number),
                Deep::Branches(some, (_, others)) => {
                    branches += 1;
                    rest.extend(some.into_iter().chain(others.into_values()));
                }
            }
        }
        (branches, sum)
    }
}

/// Both branches are boxes, so the first has been read when the second fails.
#[derive(Wire)]
struct Both(Option<Box<Both>>, Option<Box<Both>>);

#[test]
fn lists_of_any_length_come_back() {
    for length in [1, 15, 16, 17, 100, 1000, 12_345, 300_000] {
        let list = List::of(length);
        let blocks = length.div_ceil(1000);
        assert_eq!(list.bulk_bytes(), 3 * u64::from(blocks));
        let bytes = packed(list);
        // A number, two options, and for a block its kind, its sides and its elements.
        assert_eq!(bytes.len() as u32, 6 * length + 20 * blocks);
        assert_eq!(bytes[..4], (length - 1).to_le_bytes());
        assert_eq!(unpacked::<List>(&bytes).expect("it comes back").count(), length);
    }
}

#[test]
fn trees_of_any_depth_come_back() {
    for levels in [0, 3, 40, 500, 100_000] {
        let bytes = packed(Deep::of(levels));
        assert_eq!(unpacked::<Deep>(&bytes).expect("it comes back").count(), (levels, 3 * levels + 3));
        // The tree stands between other values, and is not the outermost value.
        let tree = (1u8, vec![Deep::of(levels), Deep::Leaf(9)], 5u16);
        assert_eq!(tree.bulk_bytes(), 0);
        let bytes = packed(tree);
        let (first, trees, last) = unpacked::<(u8, Vec<Deep>, u16)>(&bytes).expect("it comes back");
        let counts: Vec<_> = trees.into_iter().map(Deep::count).collect();
        assert_eq!((first, counts, last), (1, vec![(levels, 3 * levels + 3), (0, 9)], 5));
    }
}

/// Errors behind, beside and inside deep values, at depths that would overflow any stack. The values that
/// were read are dropped without recursion.
#[test]
fn bad_bytes_of_deep_values_are_refused() {
    let list = packed(List::of(100_000));
    for cut in [list.len() - 1, list.len() / 2, 7] {
        assert!(unpacked::<List>(&list[..cut]).is_err(), "{cut} bytes");
    }
    // One branch is 300,000 boxes deep, and the other is an invalid option.
    let mut both = vec![1; 300_000];
    both.push(0);
    both.extend(vec![0; 300_000 - 1]);
    let mut good = both.clone();
    good.extend([0, 0]);
    let mut first = unpacked::<Both>(&good).expect("it comes back").0;
    let mut levels = 0;
    while let Some(next) = first {
        (first, levels) = (next.0, levels + 1);
    }
    assert_eq!(levels, 300_000);
    both.extend([0, 2]);
    assert!(unpacked::<Both>(&both).is_err());
    both.truncate(400_000);
    assert!(unpacked::<Both>(&both).is_err());
    assert!(Vec::<Both>::unpack(&mut Unpacker::new(&packed((2u64, 7u8)))).is_err());
    assert!(Both::unpack(&mut Unpacker::new(&vec![1; 10_000_000])).is_err());
}

/// Measures the length of a list on another node.
struct Measures;

#[threaded]
impl Measures {
    fn start(list: List, hops: u32, out: Reply<(u32, List)>, eu: &mut Eu<Self>) {
        if hops > 0 {
            let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
            eu.invoke(next, Self::call(list, hops - 1, out));
        } else {
            eu.put(out, (list.number + 1, list));
        }
    }
}

#[test]
fn long_lists_go_from_node_to_node() {
    for through_bytes in [false, true] {
        let mut machine = Machine::threads(2).through_bytes(through_bytes);
        let run = machine.run(|out| Measures::call(List::of(100_000), 3, out)).expect("it ends well");
        let (length, list) = run.value;
        assert_eq!((length, list.count()), (100_000, 100_000));
        assert_eq!(run.counters.bytes_moved, 4 * 300);
    }
}
