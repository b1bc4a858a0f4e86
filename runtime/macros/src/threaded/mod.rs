//! `#[threaded]`: from the `impl` block that holds a function's fibers to what the runtime asks of a function.
//!
//! 1. *Parse*: the block becomes a [`Function`](model::Function): a first fiber with its arguments, further fibers with
//!    what enables them and their inlets, cells, sizes. What cannot be part of one is an error at its own token.
//! 2. *Check*: what no part shows by itself, e.g. that some fiber ends the function.
//! 3. *Emit*: the fibers as they were written, under other names; a *place* for each, by which a program names its slot
//!    and inlets; `call`; and the implementation of the runtime's trait.
//!
//! A block with mistakes is emitted with code that nobody runs: its names are there and names are used, so that nothing
//! else is complained of and each mistake is told once.

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

/// The expansion of the attribute with these options on this item.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let code = match parse::function(options, item.clone(), &mut mistakes) {
        Some(mut function) => {
            check::function(&mut function, &mut mistakes);
            if mistakes.are_none() { emit::function(&function) } else { emit::names(&function) }
        }
        None => item,
    };
    let told = mistakes.told();
    quote::quote!(#code #(#told)*)
}
