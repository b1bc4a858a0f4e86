//! `#[threaded]`: turns the `impl` block with a function's fibers into the implementation of the runtime's
//! trait.
//!
//! 1. *Parse*: the block becomes a [`Function`](model::Function): a first fiber with its arguments, further
//!    fibers with their slots and inlets, cells, and sizes. An item that does not belong there is an error at
//!    its own token.
//! 2. *Check*: properties of the whole function, for example that some fiber ends it.
//! 3. *Emit*: the fibers as written, under other names; for each a *place*, through which a program names its
//!    slot and inlets; `call`; and the implementation of the runtime's trait.
//!
//! A block with mistakes still gets all its names, with code that never runs. So the compiler reports each
//! mistake once, and no consequential errors.

mod attributes;
mod check;
mod emit;
mod mistakes;
mod model;
mod parameters;
mod parse;
mod places;
mod sizes;
mod types;

use mistakes::Mistakes;
use proc_macro2::TokenStream;

/// Expands the attribute with these options on this item.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let code = match parse::function(options, item.clone(), &mut mistakes) {
        Some(mut function) => {
            check::function(&mut function, &mut mistakes);
            if mistakes.is_empty() { emit::function(&function) } else { emit::names(&function) }
        }
        None => item,
    };
    let into_errors = mistakes.into_errors();
    quote::quote!(#code #(#into_errors)*)
}
