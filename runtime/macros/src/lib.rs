//! The macros of the runtime, which the crate `earth` exports together with the traits that they implement.
//!
//! A macro refers to every item by its full path (`::earth::Wire`) and expands to no `unsafe` code. It
//! reports a mistake in one sentence, at its place in the program.
//!
//! The documentation of each macro is a Markdown file in this folder. Its programs are doc tests of `earth`,
//! which they need. If this crate depended on `earth`, that crate would be compiled a second time, for the
//! compiler's host.
#![forbid(unsafe_code)]

mod threaded;
mod wire;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

#[doc = include_str!("wire.md")]
#[proc_macro_derive(Wire)]
pub fn derive_wire(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    wire::derive(&item).unwrap_or_else(syn::Error::into_compile_error).into()
}

#[doc = include_str!("threaded.md")]
#[proc_macro_attribute]
pub fn threaded(options: TokenStream, item: TokenStream) -> TokenStream {
    threaded::expand(options.into(), item.into()).into()
}
