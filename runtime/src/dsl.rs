//! `threaded!`: threaded functions as one writes them.

/// Defines a threaded function in the shape of Threaded-C.
///
/// ```
/// use earth::{threaded_old, Machine, Reply, Then};
///
/// threaded_old! {
///     /// The sum of `values`, each squared by a function of its own.
///     pub fn SumOfSquares(values: Vec<u64>, out: Reply<u64>)
///     calls  { Square }
///     inlets { squares[this.values.len()]: u64 }
///     slots  { done: (this.values.len()) => add }
///     fiber start(this, eu) {
///         for (i, &value) in this.values.iter().enumerate() {
///             eu.token_old::<Square>((value, eu.reply_to(Self::squares.at(i), Self::done)));
///         }
///         Then::Wait
///     }
///     fiber add(this, eu) {
///         let sum = (0..this.values.len()).map(|i| eu.take(Self::squares.at(i))).sum();
///         eu.put(this.out, sum);
///         Then::End
///     }
/// }
///
/// threaded_old! {
///     fn Square(value: u64, out: Reply<u64>)
///     fiber start(this, eu) {
///         eu.put(this.out, this.value * this.value);
///         Then::End
///     }
/// }
///
/// assert_eq!(Machine::threads(2).run_old::<SumOfSquares>(vec![1, 2, 3])?.value, 14);
/// # Ok::<(), earth::Error>(())
/// ```
///
/// The sections, in this order, all but the fibers optional:
///
/// * `fn Name<T: Bound>(argument: Type, ...)`: the function and what it is started with; it may be generic.
///   Arguments become fields of its state, which a fiber sees as `this`.
/// * `state { field: Type = value, ... }`: further fields.
/// * `calls { Other, Another<T> }`: the functions it starts by `token` or `invoke`, besides itself.
/// * `inlets { name: Type, array[length]: Type }`: where values arrive.
/// * `cells { name: Type, array[length]: Type }`: write-once values that others may ask for, each by a copy
///   of its own, so `Type` is `Clone`.
/// * `slots { name: count => fiber, name: count, reset again => fiber, array[length]: count => fiber }`: what
///   enables a fiber. A slot is one-shot unless a reset is given.
/// * `fiber name(this, eu) { ... }` or `fiber name(this, eu, index) { ... }`: code that runs to its
///   end. The first one runs when the function starts; `index` is that of the slot in its array, or
///   what `spawn_at` was given.
///
/// Lengths, and counts that are not plain numbers (in parentheses), are expressions of `this` as the
/// arguments left it. A count that comes to 0 there is an error unless the first fiber
/// ends the function, since nothing would enable the slot's fiber; a plain `0` is for counts that are raised. `Self::name` is the name of a slot, inlet, cell or fiber, so no two of these may share
/// one. A generic parameter has one bound; for several make a trait that has them all.
///
/// A cell is read by many, so what cannot be copied is refused:
///
/// ```compile_fail,E0277
/// # use earth::{threaded_old, Block, Then};
/// threaded_old! {
///     fn Offers(n: u64)
///     cells { field: Block<f64> }
///     fiber start(this, _eu) { assert!(this.n > 0); Then::End }
/// }
/// ```
#[macro_export]
macro_rules! threaded_old {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident $(<$($generic:ident : $bound:path),+ $(,)?>)? ($($arg:ident : $arg_type:ty),* $(,)?)
        $(state { $($field:ident : $field_type:ty = $field_value:expr),* $(,)? })?
        $(calls { $($call:ty),* $(,)? })?
        $(inlets { $($inlet:ident $([$inlet_len:expr])? : $inlet_type:ty),* $(,)? })?
        $(cells { $($cell:ident $([$cell_len:expr])? : $cell_type:ty),* $(,)? })?
        $(slots { $($slot:ident $([$slot_len:expr])? : $count:tt $(, reset $reset:tt)? => $slot_fiber:ident),* $(,)? })?
        fiber $first:ident($this:ident, $eu:ident $(, $first_index:ident)? $(,)?) $first_body:block
        $(fiber $fiber:ident($fiber_this:ident, $fiber_eu:ident $(, $index:ident)? $(,)?) $body:block)*
    ) => {
        $(#[$meta])*
        #[allow(clippy::struct_field_names, reason = "the program names its arguments")]
        $vis struct $name $(<$($generic: $bound),+>)? {
            $($arg: $arg_type,)*
            $($($field: $field_type,)*)?
            generics: ::std::marker::PhantomData<fn() -> ($($($generic,)+)?)>,
        }

        #[allow(
            non_camel_case_types, non_upper_case_globals, dead_code, missing_docs, clippy::all, clippy::pedantic,
            reason = "names are the program's, and what it does not use is there all the same"
        )]
        const _: () = {
            #[repr(u32)]
            enum FiberNumber { $first, $($fiber),* }
            $(#[repr(u32)] enum InletNumber { $($inlet),* })?
            $(#[repr(u32)] enum CellNumber { $($cell),* })?
            $(#[repr(u32)] enum SlotNumber { $($slot),* })?

            impl $(<$($generic: $bound),+>)? $name $(<$($generic),+>)? {
                $vis const $first: $crate::untyped::Fiber = $crate::untyped::Fiber::new(FiberNumber::$first as u32);
                $($vis const $fiber: $crate::untyped::Fiber = $crate::untyped::Fiber::new(FiberNumber::$fiber as u32);)*
                $($(
                    $vis const $inlet: $crate::threaded_old!(@inlet $inlet_type $(, $inlet_len)?) =
                        <$crate::threaded_old!(@inlet $inlet_type $(, $inlet_len)?)>::new(InletNumber::$inlet as u32);
                )*)?
                $($(
                    $vis const $cell: $crate::threaded_old!(@cell $cell_type $(, $cell_len)?) =
                        <$crate::threaded_old!(@cell $cell_type $(, $cell_len)?)>::new(CellNumber::$cell as u32);
                )*)?
                $($(
                    $vis const $slot: $crate::threaded_old!(@slot $($slot_len)?) =
                        <$crate::threaded_old!(@slot $($slot_len)?)>::new(SlotNumber::$slot as u32);
                )*)?
            }

            trait Fibers: ::std::marker::Sized {
                fn $first(this: &mut Self, eu: &mut $crate::Eu, index: usize) -> $crate::Then;
                $(fn $fiber(this: &mut Self, eu: &mut $crate::Eu, index: usize) -> $crate::Then;)*
                fn start_again(this: &mut Self, eu: &mut $crate::Eu, index: usize) -> $crate::Then;
                fn size(&self, sizes: &mut $crate::untyped::Sizes);
            }

            impl $(<$($generic: $bound),+>)? Fibers for $name $(<$($generic),+>)? {
                #[inline(always)]
                fn $first($this: &mut Self, $eu: &mut $crate::Eu, _index: usize) -> $crate::Then {
                    $(let $first_index = _index;)?
                    $first_body
                }
                $(
                    #[inline(always)]
                    fn $fiber($fiber_this: &mut Self, $fiber_eu: &mut $crate::Eu, _index: usize) -> $crate::Then {
                        $(let $index = _index;)?
                        $body
                    }
                )*

                // A function of its own, so that the first fiber's code is in line in `begin` alone.
                #[inline(never)]
                fn start_again(this: &mut Self, eu: &mut $crate::Eu, index: usize) -> $crate::Then {
                    <Self as Fibers>::$first(this, eu, index)
                }

                #[allow(unused_variables, unused_parens, reason = "most functions have no sizes of their own")]
                fn size(&self, sizes: &mut $crate::untyped::Sizes) {
                    let $this = self;
                    $($(sizes.slot($crate::threaded_old!(@len $($slot_len)?), $count, $crate::threaded_old!(@reset $($reset)?));)*)?
                    $($(sizes.inlet($crate::threaded_old!(@len $($inlet_len)?));)*)?
                    $($(sizes.cell($crate::threaded_old!(@len $($cell_len)?));)*)?
                }
            }

            impl $(<$($generic: $bound),+>)? $crate::Threaded for $name $(<$($generic),+>)? {
                type Args = ($($arg_type,)*);

                const LAYOUT: &'static $crate::expansion::Layout = &$crate::expansion::Layout::new(
                    ::std::any::type_name::<Self>,
                    &[$($($crate::expansion::SlotSpec::new(
                        stringify!($slot),
                        FiberNumber::$slot_fiber as u32,
                        $crate::untyped::count(stringify!($count)),
                        0 $(+ $crate::untyped::literal(stringify!($reset)))?,
                    )),*)?],
                    &[$($($crate::expansion::InletSpec::new::<$inlet_type>(stringify!($inlet))),*)?],
                    &[$($($crate::expansion::CellSpec::new::<$cell_type>(stringify!($cell))),*)?],
                    &[stringify!($first), $(stringify!($fiber)),*],
                    false
                        $($( || $crate::untyped::varies(stringify!($count)) $(|| $crate::untyped::varies(stringify!($reset)))?
                            $(|| !stringify!($slot_len).is_empty())? )*)?
                        $($( $(|| !stringify!($inlet_len).is_empty())? )*)?
                        $($( $(|| !stringify!($cell_len).is_empty())? )*)?,
                );

                #[inline(always)]
                fn begin(($($arg,)*): Self::Args, eu: &mut $crate::Eu<Self>) -> $crate::Start<Self> {
                    let mut this = $name {
                        $($($field: $field_value,)*)?
                        $($arg,)*
                        generics: ::std::marker::PhantomData,
                    };
                    if <Self as $crate::Threaded>::LAYOUT.is_sized() {
                        $crate::expansion::open_sized(eu, |sizes| <Self as Fibers>::size(&this, sizes));
                    }
                    match <Self as Fibers>::$first(&mut this, eu, 0) {
                        $crate::Then::Wait => $crate::Start::Wait(this),
                        $crate::Then::End => $crate::Start::End,
                    }
                }

                #[inline(always)]
                fn resume(
                    frame: &mut $crate::expansion::Frame<Self>,
                    eu: &mut $crate::Eu<Self>,
                    number: u32,
                    index: usize,
                ) -> $crate::Then {
                    if number == FiberNumber::$first as u32 {
                        return <Self as Fibers>::start_again(frame.state(), eu, index);
                    }
                    $(if number == FiberNumber::$fiber as u32 {
                        return <Self as Fibers>::$fiber(frame.state(), eu, index);
                    })*
                    $crate::expansion::no_such_fiber()
                }
            }
        };
    };

    (@inlet $type:ty) => { $crate::untyped::Inlet<$type> };
    (@inlet $type:ty, $len:expr) => { $crate::untyped::InletArray<$type> };
    (@cell $type:ty) => { $crate::untyped::Cell<$type> };
    (@cell $type:ty, $len:expr) => { $crate::untyped::CellArray<$type> };
    (@slot) => { $crate::untyped::Slot };
    (@slot $len:expr) => { $crate::untyped::SlotArray };
    (@reset) => { 0u32 };
    (@reset $reset:tt) => { $reset };
    (@len) => { ::std::option::Option::None };
    (@len $len:expr) => { ::std::option::Option::Some($len) };
}
