//! The macros of the runtime, which the crate `earth` exports beside the traits they implement.
//!
//! A macro here names all that it uses by its whole path (`::earth::Wire`), expands to no `unsafe` code, and reports a
//! mistake where it stands in the program, in one sentence.
//!
//! The documentation of each macro is a Markdown file beside it. Its programs are doc tests of `earth`: they need that crate, which
//! would be compiled once more, for the compiler, if this crate depended on it.
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
#[doc(alias = "THREADED")]
#[doc(alias = "THREAD_n")]
#[doc(alias = "END_THREAD")]
#[doc(alias = "END_FUNCTION")]
#[doc(alias = "SLOT")]
#[doc(alias = "INIT_SYNC")]
#[proc_macro_attribute]
pub fn threaded(options: TokenStream, item: TokenStream) -> TokenStream {
    threaded::expand(options.into(), item.into()).into()
}
