//! Collected mistakes of a block.

use proc_macro2::TokenStream;
use syn::Error;

#[derive(Default)]
pub(super) struct Mistakes(Vec<Error>);

impl Mistakes {
    /// Adds a mistake at these tokens.
    pub(super) fn at(&mut self, tokens: impl quote::ToTokens, sentence: impl std::fmt::Display) {
        self.0.push(Error::new_spanned(tokens, sentence));
    }

    /// Adds a mistake that was found elsewhere.
    pub(super) fn add(&mut self, error: Error) {
        self.0.push(error);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns code that makes the compiler report each mistake.
    pub(super) fn into_errors(self) -> impl Iterator<Item = TokenStream> {
        self.0.into_iter().map(Error::into_compile_error)
    }
}
