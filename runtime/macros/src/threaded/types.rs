//! Predicates and helpers for types and tokens.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, GenericArgument, Generics, PathArguments, Type};

/// Whether the type is a reference to an `Eu`.
pub(super) fn is_eu(ty: &Type) -> bool {
    let Type::Reference(reference) = ty else { return false };
    let Type::Path(path) = &*reference.elem else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "Eu")
}

pub(super) fn is_usize(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("usize"))
}

/// Returns the `T` of an `Arrived<'_, T>`.
pub(super) fn element_of_arrived(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Arrived")?;
    let PathArguments::AngleBracketed(list) = &last.arguments else { return None };
    list.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Returns the first identifier among the tokens that satisfies `is`.
pub(super) fn find_ident(tokens: impl ToTokens, is: &dyn Fn(&Ident) -> bool) -> Option<Ident> {
    tokens.to_token_stream().into_iter().find_map(|tree| match tree {
        TokenTree::Ident(ident) if is(&ident) => Some(ident),
        TokenTree::Group(group) => find_ident(group.stream(), is),
        _ => None,
    })
}

/// Whether the type is independent of the generic parameters.
pub(super) fn is_fixed(ty: &Type, generics: &Generics) -> bool {
    let names: Vec<_> = generics
        .type_params()
        .map(|param| &param.ident)
        .chain(generics.const_params().map(|param| &param.ident))
        .collect();
    find_ident(ty, &|ident| ident == "Self" || names.contains(&ident)).is_none()
}

/// Returns the type with `Self` replaced by `own`.
pub(super) fn without_self(ty: &Type, own: &Type) -> TokenStream {
    fn replace(tokens: TokenStream, own: &Type) -> TokenStream {
        let written_out = |tree| match tree {
            TokenTree::Ident(ident) if ident == "Self" => own.to_token_stream(),
            TokenTree::Group(group) => {
                let mut inside = proc_macro2::Group::new(group.delimiter(), replace(group.stream(), own));
                inside.set_span(group.span());
                TokenTree::Group(inside).into()
            }
            other => other.into(),
        };
        tokens.into_iter().flat_map(written_out).collect()
    }
    replace(ty.to_token_stream(), own)
}

/// Returns the doc comments among attributes.
pub(super) fn docs(attrs: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("doc"))
}
