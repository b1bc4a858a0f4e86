//! What threaded functions are written with.
#![forbid(unsafe_code)]

mod threaded;

use proc_macro::TokenStream;

/// Makes the type of an `impl` block a threaded function, whose fibers are the functions of the block.
#[proc_macro_attribute]
pub fn threaded(options: TokenStream, item: TokenStream) -> TokenStream {
    threaded::expand(options.into(), item.into()).into()
}
