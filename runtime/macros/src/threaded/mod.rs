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
mod model;
mod parameters;
mod parse;
mod places;
mod sizes;
mod types;

use proc_macro2::TokenStream;
use syn::Error;

/// The mistakes of a block.
#[derive(Default)]
struct Mistakes(Vec<Error>);

impl Mistakes {
    /// A mistake at these tokens.
    fn at(&mut self, tokens: impl quote::ToTokens, sentence: impl std::fmt::Display) {
        self.0.push(Error::new_spanned(tokens, sentence));
    }

    fn add(&mut self, error: Error) {
        self.0.push(error);
    }
}

/// The expansion of the attribute with these options on this item.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let code = match parse::function(options, item.clone(), &mut mistakes) {
        Some(mut function) => {
            check::function(&mut function, &mut mistakes);
            if mistakes.0.is_empty() { emit::function(&function) } else { emit::names(&function) }
        }
        None => item,
    };
    let told = mistakes.0.into_iter().map(Error::into_compile_error);
    quote::quote!(#code #(#told)*)
}
