//! Threaded functions: the trait that is the contract, and their identity at run time.
//!
//! A function is identified by its type, generic arguments included. A run knows the functions that its main one can
//! reach through the lists of `calls`, in the order in which they are met; a number in that order is a function's name
//! in bytes (rule 10 of ARCHITECTURE.md).

use std::any::TypeId;
use std::collections::HashMap;
use std::marker::PhantomData;

use earth_memory::{Held, Kind, KindOf, Parcel};

use super::dispatch;
use super::eu::Eu;
use crate::vocabulary::layout::{Layout, Sizes};
use crate::vocabulary::name::Then;
use crate::vocabulary::wire::{Packer, Undecodable, Unpacker, Wire};

/// A threaded function. The value of the type is the state of one frame.
///
/// [`threaded!`](crate::threaded) writes this implementation; it can be written by hand.
///
/// A frame may be made on one thread and dropped on another, so its state does not hold
/// what belongs to a thread:
///
/// ```compile_fail,E0277
/// # use earth::{threaded, Then};
/// # use std::rc::Rc;
/// threaded! {
///     fn Shares()
///     state { count: Rc<u64> = Rc::new(0) }
///     fiber start(this, _eu) { drop(Rc::clone(&this.count)); Then::End }
/// }
/// ```
#[doc(alias = "THREADED")]
pub trait Threaded: Sized + Send + 'static {
    /// The arguments that the function is started with.
    type Args: Wire;

    /// The slots, inlets and cells of the function's frames.
    const LAYOUT: &'static Layout;

    /// The state of a frame that starts.
    fn enter(args: Self::Args) -> Self;

    /// Runs the fiber with this number to its end; fiber 0 runs when the function starts. `index` is that of
    /// the slot which enabled the fiber. A unit asks only for numbers that the layout names.
    fn fiber(&mut self, eu: &mut Eu, number: u32, index: usize) -> Then;

    /// The sizes of a frame that starts, for layouts that are sized then: every slot, inlet and cell
    /// in order of declaration.
    fn size(&self, sizes: &mut Sizes) {
        let _ = sizes;
    }

    /// Lists the functions that this one starts.
    fn calls(list: &mut Calls) {
        let _ = list;
    }
}

/// The functions of a run, being listed.
#[derive(Debug, Default)]
pub struct Calls {
    functions: Functions,
}

impl Calls {
    /// Lists `F`, and what `F` lists.
    pub fn add<F: Threaded>(&mut self) {
        if self.functions.add(function::<F>(), TypeId::of::<F>()) {
            F::calls(self);
        }
    }
}

/// The functions a run may start.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    list: Vec<FunctionRef>,
    numbers: HashMap<TypeId, u32>,
}

impl Functions {
    /// The functions that `F` can reach, `F` included.
    pub(crate) fn reached_by<F: Threaded>() -> Self {
        let mut calls = Calls::default();
        calls.add::<F>();
        calls.functions
    }

    fn add(&mut self, function: FunctionRef, id: TypeId) -> bool {
        let number = self.list.len() as u32;
        let new = *self.numbers.entry(id).or_insert(number) == number;
        if new {
            self.list.push(function);
        }
        new
    }

    pub(crate) fn has<F: Threaded>(&self) -> bool {
        self.numbers.contains_key(&TypeId::of::<F>())
    }

    /// The number of a function; `u32::MAX`, which no function has, if it is not listed.
    pub(crate) fn number(&self, function: FunctionRef) -> u32 {
        self.list.iter().position(|listed| listed.is_same(function)).map_or(u32::MAX, |number| number as u32)
    }

    /// The number of the function of a fiber; `u32::MAX` for what runs between fibers. It serves a name, so a
    /// function of the same name will do where a layout has several addresses.
    pub(super) fn number_of(&self, layout: &Layout) -> u32 {
        let of = |is: &dyn Fn(&Layout) -> bool| self.list.iter().position(|f| is(f.hooks().layout));
        let found = of(&|listed| std::ptr::eq(listed, layout))
            .or_else(|| of(&|listed| (listed.name)() == (layout.name)()));
        found.map_or(u32::MAX, |number| number as u32)
    }

    pub(crate) fn get(&self, number: u32) -> Option<FunctionRef> {
        self.list.get(number as usize).copied()
    }
}

/// What units know of a function.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) layout: &'static Layout,
    /// Starts the function with the call that the unit has on top.
    pub(crate) start: fn(&mut Eu),
    /// Runs the fiber that the unit has made its current one, by number and index.
    pub(crate) resume: fn(&mut Eu, Held, u32, u32),
    pub(crate) pack: fn(&mut Call, &mut Packer),
    pub(crate) unpack: fn(&mut Unpacker<'_>) -> Result<Call, Undecodable>,
    pub(super) bulk_bytes: fn(&Call) -> u64,
}

/// A function's identity.
pub(crate) type FunctionRef = &'static Kind<Function>;

/// A function and the arguments to start it with, with both types set aside.
pub(crate) type Call = Parcel<Function>;

/// The arguments of `F`, told apart from those of another function with the same types.
pub(crate) struct Start<F: Threaded>(pub(crate) F::Args);

struct Of<F>(PhantomData<F>);

impl<F: Threaded> Of<F> {
    const KIND: &'static KindOf<Start<F>, Function> = &KindOf::new(Function {
        layout: F::LAYOUT,
        start: dispatch::start::<F>,
        resume: dispatch::resume::<F>,
        pack: pack::<F>,
        unpack: unpack::<F>,
        bulk_bytes: bulk_bytes::<F>,
    });
}

/// The kind of calls of `F`.
#[inline(always)]
pub(crate) const fn kind<F: Threaded>() -> &'static KindOf<Start<F>, Function> {
    Of::<F>::KIND
}

/// The identity of `F`.
#[inline(always)]
pub(crate) const fn function<F: Threaded>() -> FunctionRef {
    Of::<F>::KIND.erased()
}

fn pack<F: Threaded>(call: &mut Call, out: &mut Packer) {
    if let Some(Start(args)) = call.take(kind::<F>()) {
        args.pack(out);
    }
}

fn unpack<F: Threaded>(input: &mut Unpacker<'_>) -> Result<Call, Undecodable> {
    F::Args::unpack(input).map(|args| Call::new(Start::<F>(args), kind::<F>()))
}

fn bulk_bytes<F: Threaded>(call: &Call) -> u64 {
    call.peek(kind::<F>()).map_or(0, |Start(args)| args.bulk_bytes())
}

/// The bytes of blocks that move with a call.
pub(super) fn bulk(call: &Call) -> u64 {
    call.kind().map_or(0, |function| (function.hooks().bulk_bytes)(call))
}
