//! Threaded functions: the trait that is the contract, and their identity at run time.
//!
//! A function is identified by its type, generic arguments included (rule 10 of ARCHITECTURE.md).

use earth_memory::{Held, HooksOf, Kind, KindOf, Parcel};

use super::dispatch;
use super::ending::{Frame, Start};
use super::eu::Eu;
use super::execution_unit::ExecutionUnit;
use crate::vocabulary::layout::Layout;
use crate::vocabulary::name::Then;
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

    /// The slots, inlets and cells of the function's frames.
    #[doc(hidden)]
    const LAYOUT: &'static Layout;

    /// Runs the first fiber.
    #[doc(hidden)]
    fn begin(args: Self::Args, eu: &mut Eu<Self>) -> Start<Self>;

    /// Runs the fiber with this number, which is one of those after the first. `index` is that of the slot which
    /// enabled the fiber, or what it was spawned with. A unit asks only for numbers that the layout names.
    #[doc(hidden)]
    fn resume(frame: &mut Frame<Self>, eu: &mut Eu<Self>, fiber: u32, index: usize) -> Then;
}

/// A function and its arguments, to be given to [`Eu::token`], [`Eu::invoke`] or
/// [`Machine::run`](crate::Machine::run). The function's `call` makes it.
#[must_use = "a call starts nothing until it is given to `eu.token` or `eu.invoke`"]
pub struct Call<F: Threaded>(pub(crate) F::Args);

impl<F: Threaded> Call<F> {
    /// A call of `F`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(args: F::Args) -> Self {
        Call(args)
    }
}

impl<F: Threaded> std::fmt::Debug for Call<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Call({})", F::LAYOUT.name())
    }
}

/// What units know of a function.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) layout: &'static Layout,
    /// Starts the function with the call that the unit has on top.
    pub(crate) start: fn(&mut ExecutionUnit),
    /// Runs the fiber that the unit has made its current one, by number and index.
    pub(crate) resume: fn(&mut ExecutionUnit, Held, u32, u32),
    pub(crate) pack: fn(&mut ErasedCall, &mut Packer),
    pub(crate) unpack: fn(&mut Unpacker<'_>) -> Result<ErasedCall, Undecodable>,
    pub(super) bulk_bytes: fn(&ErasedCall) -> u64,
}

/// A function's identity.
pub(crate) type FunctionRef = &'static Kind<Function>;

/// A function and the arguments to start it with, with both types set aside.
pub(crate) type ErasedCall = Parcel<Function>;

impl<F: Threaded> HooksOf<Call<F>> for Function {
    const HOOKS: &'static Self = &Function {
        layout: F::LAYOUT,
        start: dispatch::start::<F>,
        resume: dispatch::resume::<F>,
        pack: pack::<F>,
        unpack: unpack::<F>,
        bulk_bytes: bulk_bytes::<F>,
    };
}

/// The kind of calls of `F`.
#[inline(always)]
pub(crate) const fn kind<F: Threaded>() -> &'static KindOf<Call<F>, Function> {
    KindOf::KIND
}

/// The identity of `F`.
#[inline(always)]
pub(crate) const fn function<F: Threaded>() -> FunctionRef {
    kind::<F>().erased()
}

fn pack<F: Threaded>(call: &mut ErasedCall, out: &mut Packer) {
    if let Some(Call(args)) = call.take(kind::<F>()) {
        args.pack(out);
    }
}

fn unpack<F: Threaded>(input: &mut Unpacker<'_>) -> Result<ErasedCall, Undecodable> {
    F::Args::unpack(input).map(|args| ErasedCall::new(Call::<F>(args), kind::<F>()))
}

fn bulk_bytes<F: Threaded>(call: &ErasedCall) -> u64 {
    call.peek(kind::<F>()).map_or(0, |Call(args)| args.bulk_bytes())
}

/// The bytes of blocks that move with a call.
pub(super) fn bulk(call: &ErasedCall) -> u64 {
    call.kind().map_or(0, |function| (function.hooks().bulk_bytes)(call))
}
