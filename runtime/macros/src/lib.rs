//! The macros of the runtime, which the crate `earth` exports beside the traits they implement.
//!
//! A macro here names all that it uses by its whole path (`::earth::Wire`), expands to no `unsafe` code, and reports a
//! mistake where it stands in the program, in one sentence.
#![forbid(unsafe_code)]

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
