//! The mistakes of a block, as they are found.

use proc_macro2::TokenStream;
use syn::Error;

/// The mistakes of a block.
#[derive(Default)]
pub(super) struct Mistakes(Vec<Error>);

impl Mistakes {
    /// A mistake at these tokens.
    pub(super) fn at(&mut self, tokens: impl quote::ToTokens, sentence: impl std::fmt::Display) {
        self.0.push(Error::new_spanned(tokens, sentence));
    }

    /// A mistake that was found elsewhere.
    pub(super) fn add(&mut self, error: Error) {
        self.0.push(error);
    }

    /// Whether there are no mistakes.
    pub(super) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Code that makes the compiler tell each.
    pub(super) fn told(self) -> impl Iterator<Item = TokenStream> {
        self.0.into_iter().map(Error::into_compile_error)
    }
}
