//! Threaded functions: their trait, and their identity at run time.
//!
//! A function is identified by its type, including generic arguments (rule 10 of ARCHITECTURE.md).

pub mod expansion;
pub(crate) mod functions;
pub(crate) mod held;

use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};

use earth_memory::frames::{self, ExtraContents};
use earth_memory::{HooksOf, Kind, KindOf, Parcel};
use earth_signal::{EventReceiver, EventSender};

use crate::node::dual::ToSu;
use crate::node::eu::Eu;
use crate::node::eu::dispatch;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::event::{self, Note};
use crate::node::frame::{Extras, FrameStore};
use crate::node::function::held::Holds;
use crate::node::run_queue;
use crate::node::tokens;
use crate::transport;
use crate::vocabulary::address::{FrameId, FrameRef};
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::layout::{BETWEEN_FIBERS, Layout};
use crate::vocabulary::name::{Start, Then};
use crate::vocabulary::value::ValueHooks;
use crate::vocabulary::wire::{Packer, Undecodable, Unpacker, Wire};

/// A threaded function. A value of the type is the state of one frame.
///
/// [`#[threaded]`](macro@crate::threaded) generates the implementation.
///
/// A frame may be made on one thread and dropped on another. Its state therefore must not hold thread-bound
/// values such as an `Rc`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a threaded function",
    label = "not a threaded function",
    note = "write `#[threaded]` above the `impl` block that holds its fibers"
)]
pub trait Threaded: Sized + Send + 'static {
    /// The arguments that the function is started with.
    type Args: Wire;

    /// The type that stores the arguments on their way.
    #[doc(hidden)]
    type ArgStorage: Holds<Self::Args>;

    /// The slots, inlets and cells of the function's frames.
    #[doc(hidden)]
    const LAYOUT: &'static Layout;

    /// Packs a state, if states of the function can travel. The report of a stuck run uses it to find the
    /// addresses in a state.
    #[doc(hidden)]
    const PACK_STATE: Option<Pack<Self>> = None;

    /// Runs the first fiber.
    #[doc(hidden)]
    fn begin(held: Self::ArgStorage, eu: &mut Eu<Self>) -> Start<Self>;

    /// Runs a fiber after the first. `enabler` is the ordinal of the slot that enabled it, or the number of
    /// [a spawned fiber](crate::expansion::spawned_fiber) that the layout names. `index` is the slot's index
    /// in its array, or the index with which the fiber was spawned.
    #[doc(hidden)]
    fn resume(eu: &mut Eu<Self>, enabler: u32, index: usize) -> Then;
}

/// Packs a value.
#[doc(hidden)]
pub type Pack<T> = fn(T, &mut Packer);

/// A function and its arguments, for [`Eu::token`], [`Eu::invoke`] or [`Machine::run`](crate::Machine::run).
/// The function's `call` makes it.
#[must_use = "a call starts nothing until it is given to `eu.token` or `eu.invoke`"]
pub struct Call<F: Threaded>(pub(crate) F::ArgStorage);

impl<F: Threaded> Call<F> {
    /// Makes a call of `F`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(args: F::Args) -> Self {
        Call(F::ArgStorage::hold(args))
    }
}

impl<F: Threaded> std::fmt::Debug for Call<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Call({})", F::LAYOUT.name())
    }
}

/// The functions by which units handle a threaded function. The kind of its calls and the layout of its
/// frames contain it.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) layout: &'static Layout,
    /// Runs a fiber of the entered frame, by its enabler and its index. The enabler [`START`](Enabler::START)
    /// starts the function with the call on top of the token stack.
    pub(crate) fibers: fn(&mut ExecutionUnit, Enabler, u32),
    pub(crate) pack: fn(&mut ErasedCall, &mut Packer),
    pub(crate) unpack: fn(&mut Unpacker<'_>) -> Result<ErasedCall, Undecodable>,
    pub(in crate::node) bulk_bytes: fn(&ErasedCall) -> u64,
    /// Takes the state out of a frame and returns the frames of the addresses in it, if its type travels.
    pub(in crate::node) held: fn(&mut FrameStore, FrameId) -> Option<Vec<FrameRef>>,
}

impl frames::Function for Function {
    type Value = ValueHooks;
    type Extra = Extras;
}

/// The positions of all entries in the frames of a function.
pub(crate) type FunctionLayout = frames::FrameLayout<Function>;

pub(crate) type FunctionRef = &'static Kind<Function>;

/// A function and its arguments, with both types erased.
pub(crate) type ErasedCall = Parcel<Function>;

// The types that units keep and exchange, with the types of calls and frames filled in. Their generic
// definitions do not depend on the units.
pub(crate) type Token = tokens::Token<ErasedCall>;
pub(crate) type TokenQueue = tokens::TokenQueue<ErasedCall>;
pub(crate) type RunQueue = run_queue::RunQueue<ErasedCall>;
pub(crate) type Runnable = run_queue::Runnable<ErasedCall>;
pub(crate) type Event = event::Event<ErasedCall, &'static FunctionLayout>;
pub(crate) type EuWork = event::EuWork<ErasedCall>;
pub(crate) type InboxSender = EventSender<Event, Note>;
pub(crate) type Inbox = EventReceiver<Event, Note>;
/// The transport of a unit.
pub(crate) enum UnitTransport {
    /// The transport that the machine provides.
    Machine(Box<dyn transport::Transport<Event, Token>>),
    /// The ring to the synchronization unit of the node, from its execution unit (DUAL).
    Su(Box<ToSu>),
}

impl Deref for UnitTransport {
    type Target = dyn transport::Transport<Event, Token>;

    fn deref(&self) -> &Self::Target {
        match self {
            UnitTransport::Machine(way) => &**way,
            UnitTransport::Su(way) => &**way,
        }
    }
}

impl DerefMut for UnitTransport {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            UnitTransport::Machine(way) => &mut **way,
            UnitTransport::Su(way) => &mut **way,
        }
    }
}

const _: () = assert!(size_of::<Option<Token>>() == 64, "an outstanding token is one cache line");
const _: () =
    assert!(size_of::<Event>() == 96, "an event fits a cell of two cache lines, whatever a trace adds");

impl<F: Threaded> Call<F> {
    pub(crate) const FRAME: &'static FunctionLayout = &FunctionLayout::new::<F>(
        F::LAYOUT.slots,
        F::LAYOUT.inlets,
        F::LAYOUT.beside,
        Function {
            layout: F::LAYOUT,
            fibers: dispatch::fibers::<F>,
            pack: pack::<F>,
            unpack: unpack::<F>,
            bulk_bytes: bulk_bytes::<F>,
            held: held::<F>,
        },
    );
}

impl<F: Threaded> HooksOf<Call<F>> for Function {
    const HOOKS: &'static Self = Call::<F>::FRAME.function();
}

fn held<F: Threaded>(frames: &mut FrameStore, id: FrameId) -> Option<Vec<FrameRef>> {
    let pack = F::PACK_STATE?;
    frames.memory.enter(id)?;
    let state = frames.memory.take_state::<F>(Call::<F>::FRAME);
    frames.memory.leave();
    let mut out = Packer::looking();
    // A `pack` of the program may panic. The report then omits the addresses of this state.
    catch_unwind(AssertUnwindSafe(|| state.map(|state| pack(state, &mut out)))).ok().flatten()?;
    Some(out.into_frames())
}

pub(in crate::node) static NO_FRAME: FunctionLayout = FunctionLayout::new::<()>(
    &[],
    &[],
    ExtraContents::Nothing,
    Function {
        layout: &BETWEEN_FIBERS,
        fibers: |_, _, _| unreachable!("`NO_FRAME` has no fibers"),
        pack: |_, _| {},
        unpack: |_| Err(Undecodable),
        bulk_bytes: |_| 0,
        held: |_, _| None,
    },
);

#[inline(always)]
pub(crate) const fn kind<F: Threaded>() -> &'static KindOf<Call<F>, Function> {
    KindOf::KIND
}

fn pack<F: Threaded>(call: &mut ErasedCall, out: &mut Packer) {
    if let Some(Call(held)) = call.take(kind::<F>()) {
        held.release().pack(out);
    }
}

fn unpack<F: Threaded>(input: &mut Unpacker<'_>) -> Result<ErasedCall, Undecodable> {
    input.last::<F::Args>().map(|args| ErasedCall::new(Call::<F>::new(args), kind::<F>()))
}

fn bulk_bytes<F: Threaded>(call: &ErasedCall) -> u64 {
    call.peek(kind::<F>()).map_or(0, |Call(held)| held.peek().bulk_bytes())
}

/// Returns the bytes of blocks that move with a call.
pub(crate) fn bulk(call: &ErasedCall) -> u64 {
    call.kind().map_or(0, |function| (function.hooks().bulk_bytes)(call))
}
