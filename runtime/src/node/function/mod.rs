//! Threaded functions: the trait that is the contract, and their identity at run time.
//!
//! A function is identified by its type, generic arguments included (rule 10 of ARCHITECTURE.md).

pub mod expansion;
pub(crate) mod functions;
pub(crate) mod held;

use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};

use earth_memory::frames::{self, Beside};
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

/// A threaded function. The value of the type is the state of one frame.
///
/// [`#[threaded]`](macro@crate::threaded) writes this implementation.
///
/// A frame may be made on one thread and dropped on another, so its state does not hold
/// what belongs to a thread, such as an `Rc`.
#[doc(alias = "THREADED")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no threaded function",
    label = "no threaded function",
    note = "write `#[threaded]` above the `impl` block that holds its fibers"
)]
pub trait Threaded: Sized + Send + 'static {
    /// The arguments that the function is started with.
    type Args: Wire;

    /// The type that holds the arguments on their way.
    #[doc(hidden)]
    type Held: Holds<Self::Args>;

    /// The slots, inlets and cells of the function's frames.
    #[doc(hidden)]
    const LAYOUT: &'static Layout;

    /// Packs a state, of a function whose states travel: how a report of a stuck run finds the addresses that it holds.
    #[doc(hidden)]
    const PACK_STATE: Option<Pack<Self>> = None;

    /// Runs the first fiber.
    #[doc(hidden)]
    fn begin(held: Self::Held, eu: &mut Eu<Self>) -> Start<Self>;

    /// Runs a fiber after the first. `enabler` is the ordinal of the slot that enabled it or
    /// [that of a spawned fiber](crate::expansion::spawned_fiber), one that the layout names; `index` is that of the slot in
    /// its array, or what the fiber was spawned with.
    #[doc(hidden)]
    fn resume(eu: &mut Eu<Self>, enabler: u32, index: usize) -> Then;
}

/// Packs a value.
#[doc(hidden)]
pub type Pack<T> = fn(T, &mut Packer);

/// A function and its arguments, to be given to [`Eu::token`], [`Eu::invoke`] or
/// [`Machine::run`](crate::Machine::run). The function's `call` makes it.
#[must_use = "a call starts nothing until it is given to `eu.token` or `eu.invoke`"]
pub struct Call<F: Threaded>(pub(crate) F::Held);

impl<F: Threaded> Call<F> {
    /// A call of `F`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(args: F::Args) -> Self {
        Call(F::Held::hold(args))
    }
}

impl<F: Threaded> std::fmt::Debug for Call<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Call({})", F::LAYOUT.name())
    }
}

/// The description of a function for units: in the kind of its calls and in the layout of its frames.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) layout: &'static Layout,
    /// Runs a fiber of the frame that the unit has entered, by its enabler and its index. The enabler [`START`](Enabler::START)
    /// starts the function with the call that the unit has on top.
    pub(crate) fibers: fn(&mut ExecutionUnit, Enabler, u32),
    pub(crate) pack: fn(&mut ErasedCall, &mut Packer),
    pub(crate) unpack: fn(&mut Unpacker<'_>) -> Result<ErasedCall, Undecodable>,
    pub(in crate::node) bulk_bytes: fn(&ErasedCall) -> u64,
    /// Takes the state out of a frame and looks for addresses in it, if its type travels.
    pub(in crate::node) held: fn(&mut FrameStore, FrameId) -> Option<Vec<FrameRef>>,
}

impl frames::Function for Function {
    type Value = ValueHooks;
    type Extra = Extras;
}

/// Where everything lies in the frames of a function.
pub(crate) type FrameLayout = frames::FrameLayout<Function>;

pub(crate) type FunctionRef = &'static Kind<Function>;

/// A function and the arguments to start it with, with both types set aside.
pub(crate) type ErasedCall = Parcel<Function>;

// What units keep and exchange, with the types of calls and frames named. Where it is written it names neither, so that it
// does not depend on the units.
pub(crate) type Token = tokens::Token<ErasedCall>;
pub(crate) type TokenQueue = tokens::TokenQueue<ErasedCall>;
pub(crate) type RunQueue = run_queue::RunQueue<ErasedCall>;
pub(crate) type Runnable = run_queue::Runnable<ErasedCall>;
pub(crate) type Event = event::Event<ErasedCall, &'static FrameLayout>;
pub(crate) type Work = event::Work<ErasedCall>;
pub(crate) type InboxSender = EventSender<Event, Note>;
pub(crate) type Inbox = EventReceiver<Event, Note>;
/// The way out of a unit.
pub(crate) enum Way {
    /// That which a machine brings.
    Machine(Box<dyn transport::Transport<Event, Token>>),
    /// That to the other unit of the node, from an execution unit (DUAL).
    Su(Box<ToSu>),
}

impl Deref for Way {
    type Target = dyn transport::Transport<Event, Token>;

    fn deref(&self) -> &Self::Target {
        match self {
            Way::Machine(way) => &**way,
            Way::Su(way) => &**way,
        }
    }
}

impl DerefMut for Way {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Way::Machine(way) => &mut **way,
            Way::Su(way) => &mut **way,
        }
    }
}

const _: () = assert!(size_of::<Option<Token>>() == 64, "an outstanding token is one cache line");
const _: () =
    assert!(size_of::<Event>() == 96, "an event fits a cell of two cache lines, whatever a trace adds");

impl<F: Threaded> Call<F> {
    pub(crate) const FRAME: &'static FrameLayout = &FrameLayout::new::<F>(
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
    // The pack of a program's own may panic, which is no reason to report nothing.
    catch_unwind(AssertUnwindSafe(|| state.map(|state| pack(state, &mut out)))).ok().flatten()?;
    Some(out.into_frames())
}

pub(in crate::node) static NO_FRAME: FrameLayout = FrameLayout::new::<()>(
    &[],
    &[],
    Beside::Nothing,
    Function {
        layout: &BETWEEN_FIBERS,
        fibers: |_, _, _| unreachable!("nothing is made of no function"),
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

/// The bytes of blocks that move with a call.
pub(crate) fn bulk(call: &ErasedCall) -> u64 {
    call.kind().map_or(0, |function| (function.hooks().bulk_bytes)(call))
}
