//! The macros of the runtime, which the crate `earth` exports beside the traits they implement.
//!
//! A macro here names all that it uses by its whole path (`::earth::Wire`), expands to no `unsafe` code, and reports a
//! mistake where it stands in the program, in one sentence.
#![forbid(unsafe_code)]

mod threaded;
mod wire;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements the trait `Wire` for a struct or an enum, so that its values travel between nodes.
///
/// ```
/// use earth::{Packer, Reply, Unpacker, Wire};
///
/// /// The work that a node is told to do.
/// #[derive(Clone, Copy, PartialEq, Debug, Wire)]
/// enum Order<T> {
///     /// To compute these rows and put their sum to the reply.
///     Sum { rows: (u32, u32), scale: T },
///     /// To end.
///     End,
/// }
///
/// let order = Order::Sum { rows: (0, 8), scale: 0.5f32 };
/// let mut out = Packer::default();
/// order.pack(&mut out);
/// let bytes = out.into_bytes();
/// assert_eq!(bytes, [0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 63]);
/// assert_eq!(Order::unpack(&mut Unpacker::new(&bytes))?, order);
/// # Ok::<(), earth::Undecodable>(())
/// ```
///
/// # Bytes
///
/// The fields, in the order in which they are declared. Before those of an enum stands the number of the variant,
/// counted from 0, in one byte, or in two or four where there are more than 2^8 or 2^16 variants. Bytes that hold any
/// other number are `Undecodable`. A type that holds itself is packed and read by recursion, so its depth takes stack.
///
/// # Bounds
///
/// The type travels where each of its fields does: for each field whose type names a type parameter, the
/// implementation requires that this type is `Wire`. So a `Block<T>` asks for an `Element` and a `Reply<T>` for
/// nothing, where a bound `T: Wire` for each parameter would refuse both. A field that holds the type itself requires
/// only that the parameters which it names besides are `Wire`. Generic types that hold each other in a circle have no
/// end of requirements; one of them implements the trait by hand. All type parameters are `'static`.
///
/// # What does not travel
///
/// A union, which does not say what it holds; a type that borrows; a pointer; a field that is not `Wire`; a type that
/// implements `Drop`, since its fields cannot be moved out of it.
#[proc_macro_derive(Wire)]
pub fn derive_wire(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    wire::derive(&item).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes the type of an `impl` block a threaded function, whose fibers are the functions of the block.
///
/// ```
/// use earth::{Eu, Machine, Reply, Start, threaded};
///
/// /// The frame's state.
/// pub struct Fib {
///     out: Reply<u64>,
/// }
///
/// #[threaded]
/// impl Fib {
///     /// The n-th Fibonacci number, two tokens a call.
///     pub fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
///         if n < 2 {
///             eu.put(out, n);
///             return Start::End;
///         }
///         eu.token(Fib::call(n - 1, eu.reply(Self::add().left)));
///         eu.token(Fib::call(n - 2, eu.reply(Self::add().right)));
///         Start::Wait(Fib { out })
///     }
///
///     #[slot]
///     fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
///         eu.put(self.out, left + right);
///     }
/// }
///
/// assert_eq!(Machine::threads(2).run(|out| Fib::call(20, out))?.value, 6765);
/// # Ok::<(), earth::Error>(())
/// ```
///
/// # Fibers
///
/// The function without `self` is the *first fiber*, which runs when the function starts. Its parameters are the
/// function's arguments. It returns `Self`, the state of a frame that waits; `Start<Self>`, a state or the end; or
/// nothing, which ends the function. There is no state before, but the first fiber may make addresses and use them: what
/// they bring enables no other fiber before this one has ended.
///
/// Each other fiber takes `&mut self` and leaves the frame, or `self` and ends it, or `&mut self` and says by `Then`
/// which of the two. Its other parameters are *inlets*: it gets the values that came with the signals that enabled it.
/// The execution unit, `eu: &mut Eu<Self>`, is the last parameter of a fiber that needs it. A fiber may return a
/// `Result`; an error ends the run and is reported with the names of fiber and function. A fiber that says `Then::End` gives
/// away what it has by `std::mem::take(&mut self.x)`. Methods that are no fibers stand in another `impl` block, where the
/// names below are known, too.
///
/// | above a fiber | what enables it |
/// |---|---|
/// | `#[slot]` | a slot that counts the fiber's inlets; it is used once |
/// | `#[slot(sync)]`, `#[slot(syncs = e)]` | the slot counts one signal more, or `e` more |
/// | `#[slot(again)]` | the slot resets, so that the fiber runs once a round |
/// | `#[slot(again, first = e)]` | the first round counts `e` signals more than the others |
/// | `#[slots(len = e, ..)]` | an array of slots; the fiber gets the index first, `index: usize` |
/// | `#[spawned]` | nothing but `eu.spawn`, with an index if the fiber has one |
///
/// Under `#[slot]`, which counts each of them, a parameter may be an array of inlets:
///
/// | parameter | what it is | what it costs |
/// |---|---|---|
/// | `x: T` | one inlet | |
/// | `#[inlets] x: [T; 2]` | as many as the number says, 1 to 256 | nearly what so many single ones cost |
/// | `#[inlets(e)] x: Arrived<'_, T>` | `e` of them, given out in their order | memory of its own for a frame, used again |
///
/// A function without code is a write-once *cell*, `#[cell] fn x() -> T;`, or an array of cells,
/// `#[cells(len = e)] fn x(index: usize) -> T;`.
///
/// Each `e` is a `usize` and any expression of the arguments, which it borrows before the first fiber gets them:
/// `rows.len()`. `#[threaded(name = e)]` gives one a name, for use in the others and in the first fiber. A slot that counts
/// 0 would never enable its fiber, and is an error unless the function ends in its first fiber.
///
/// # Rounds
///
/// A value that comes before its inlet is empty is parked with its signal, so who puts values may run rounds ahead. Plain
/// signals are not told apart and never parked: two of one sender count as two. What may come a round ahead is therefore
/// put to an inlet, if only as `()`. `first` is for a fiber that may be reached before its frame is ready for it: the fiber
/// that makes it ready signals it, and its first round counts that signal by `first = 1`.
///
/// A frame may end when all that is sent to it has been taken, so who sends must know when to stop. What comes later finds
/// a frame that has ended (`Error::StaleAddress`), and what was parked is found when it ends (`Error::EndedTooEarly`).
///
/// ```
/// use earth::{Eu, Machine, NodeId, Replies, Reply, Then, threaded};
///
/// /// The sums of the columns of a table.
/// struct Columns {
///     sums: Vec<u64>,
///     left: usize,
///     out: Reply<Vec<u64>>,
/// }
///
/// #[threaded(rows = table.len(), columns = table.first().map_or(0, Vec::len))]
/// impl Columns {
///     fn start(table: Vec<Vec<u64>>, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
///         // An address for each column of each row; a row may be read anywhere.
///         for (i, row) in table.into_iter().enumerate() {
///             let node = NodeId::new(i % eu.nodes());
///             eu.invoke(node, Row::call(row, eu.replies(Self::add(..).entry)));
///         }
///         Columns { sums: vec![0; columns], left: rows * columns, out }
///     }
///
///     /// A slot for each column, which counts one value a round: rows that come early are parked.
///     #[slots(len = columns, again)]
///     fn add(&mut self, column: usize, entry: u64, eu: &mut Eu<Self>) -> Then {
///         self.sums[column] += entry;
///         self.left -= 1;
///         if self.left > 0 {
///             return Then::Wait;
///         }
///         eu.put(self.out, std::mem::take(&mut self.sums));
///         Then::End
///     }
/// }
///
/// struct Row;
///
/// #[threaded]
/// impl Row {
///     fn start(row: Vec<u64>, to: Replies<u64>, eu: &mut Eu<Self>) {
///         row.into_iter().enumerate().for_each(|(column, entry)| eu.put(to.at(column), entry));
///     }
/// }
///
/// let table = vec![vec![1, 2, 3], vec![10, 20, 30]];
/// assert_eq!(Machine::threads(2).run(|out| Columns::call(table, out))?.value, [11, 22, 33]);
/// # Ok::<(), earth::Error>(())
/// ```
///
/// # Names
///
/// In the function, `Self::fiber()` names a fiber and its slot, `Self::fiber().inlet` an inlet, `Self::cell()` a cell;
/// of an array, `Self::fiber(index)` is one and `Self::fiber(..)` all; `Self::fiber().inlets.at(index)` is one of an array
/// of inlets. `eu.sync`, `eu.incr`, `eu.spawn` take them;
/// `eu.reply`, `eu.replies`, `eu.slot_ref`, `eu.slot_refs`, `eu.cell_ref`, `eu.cell_refs` make addresses of them, which
/// may travel. An [`Eu`](../earth/struct.Eu.html) of one function takes no names of another.
///
/// `Name::call(arguments..)` is what `eu.token`, `eu.invoke` and a machine start. It is as visible as the first fiber, and
/// has its documentation.
///
/// # What travels
///
/// Arguments and the values of inlets and cells are `Wire`. What is only read travels as a handle: a block as `Published`,
/// anywhere, any value as `Shared`, within its process. What takes more than 48 bytes, all arguments of a call
/// together, is boxed on its way; `#[threaded(in_line)]` refuses that when the program is compiled. What takes how many:
///
/// ```
/// use earth::{Block, CellRef, NodeId, Published, Replies, Reply, Shared, SlotRef};
///
/// assert_eq!((size_of::<NodeId>(), size_of::<SlotRef>(), size_of::<CellRef<u64>>()), (4, 16, 16));
/// assert_eq!((size_of::<Reply<u64>>(), size_of::<Replies<u64>>()), (16, 24));
/// assert_eq!((size_of::<Block<f64>>(), size_of::<Published<f64>>()), (24, 8));
/// assert_eq!((size_of::<Vec<u64>>(), size_of::<String>(), size_of::<Shared<u64>>()), (24, 24, 8));
/// ```
#[doc(alias = "THREADED")]
#[doc(alias = "THREAD_n")]
#[doc(alias = "END_THREAD")]
#[doc(alias = "END_FUNCTION")]
#[doc(alias = "SLOT")]
#[doc(alias = "INIT_SYNC")]
#[proc_macro_attribute]
pub fn threaded(options: TokenStream, item: TokenStream) -> TokenStream {
    threaded::expand(options.into(), item.into()).into()
}
