//! The attributes of fibers and cells (`#[slot(..)]`, `#[slots(..)]`, `#[spawned]`, `#[cell]`,
//! `#[cells(..)]`), and the options of `#[threaded]` itself.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Meta, Token, parse_quote, parse_quote_spanned};

use super::mistakes::Mistakes;
use super::model::{Enabled, Size, SlotModel};
use super::types::find_ident;

/// `key`, or `key = expression`.
struct Setting {
    key: Ident,
    value: Option<Expr>,
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.parse()?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        Ok(Setting { key, value })
    }
}

fn settings(tokens: TokenStream, mistakes: &mut Mistakes) -> Vec<Setting> {
    let parsed = Punctuated::<Setting, Token![,]>::parse_terminated.parse2(tokens);
    let list: Vec<_> = match parsed {
        Ok(list) => list.into_iter().collect(),
        Err(error) => {
            mistakes.add(error);
            Vec::new()
        }
    };
    for value in list.iter().filter_map(|setting| setting.value.as_ref()) {
        of_arguments(value, mistakes);
    }
    list
}

fn settings_of(attr: &Attribute, mistakes: &mut Mistakes) -> Vec<Setting> {
    match &attr.meta {
        Meta::Path(_) => Vec::new(),
        Meta::List(list) => settings(list.tokens.clone(), mistakes),
        Meta::NameValue(pair) => {
            mistakes.at(pair, "settings go into parentheses, as in `#[slot(sync)]`");
            Vec::new()
        }
    }
}

/// Refuses an expression that uses the state, as sizes are computed before the state exists.
pub(super) fn of_arguments(value: &Expr, mistakes: &mut Mistakes) {
    if let Some(state) = find_ident(value, &|ident| ident == "self") {
        mistakes.at(
            state,
            "sizes are computed before the function has a state: write an expression of the arguments of its first \
             fiber",
        );
    }
}

/// Parses the options of `#[threaded(..)]`: whether boxing is refused, and the named sizes.
pub(super) fn options(tokens: TokenStream, mistakes: &mut Mistakes) -> (bool, Vec<Size>) {
    let (mut in_line, mut sizes) = (false, Vec::new());
    for Setting { key, value } in settings(tokens, mistakes) {
        match value {
            Some(value) => sizes.push(Size { name: key, value }),
            None if key == "in_line" => in_line = true,
            None => mistakes.at(
                key,
                "expected `in_line` (no argument or value may be boxed) or `name = size` with an expression of the arguments",
            ),
        }
    }
    (in_line, sizes)
}

/// Whether the attribute gives the way in which a fiber is enabled.
pub(super) fn enables(attr: &Attribute) -> bool {
    ["slot", "slots", "spawned"].iter().any(|name| attr.path().is_ident(name))
}

/// Removes the attribute that gives the way in which a fiber is enabled, and parses it. Returns `None` if
/// there is none.
pub(super) fn enabled(attrs: &mut Vec<Attribute>, mistakes: &mut Mistakes) -> Option<Enabled> {
    let mut ours = attrs.extract_if(.., |attr| enables(attr));
    let attr = ours.next()?;
    for more in ours {
        mistakes.at(
            more,
            "a fiber has only one slot: write another fiber for another slot, and let both call one function",
        );
    }
    if attr.path().is_ident("spawned") {
        for Setting { key, .. } in settings_of(&attr, mistakes) {
            mistakes.at(key, "`#[spawned]` takes no settings");
        }
        return Some(Enabled::Directly);
    }
    let array = attr.path().is_ident("slots");
    let mut slot = SlotModel::default();
    for Setting { key, value } in settings_of(&attr, mistakes) {
        match (key.to_string().as_str(), value) {
            ("sync", None) => slot.syncs = Some(parse_quote_spanned!(key.span()=> 1)),
            ("syncs", Some(value)) => slot.syncs = Some(value),
            ("again", None) => slot.again = true,
            ("first", Some(value)) => slot.first = Some(value),
            ("len", Some(value)) if array => slot.len = Some(value),
            ("len", Some(_)) => mistakes.at(&key, "an array of slots is `#[slots(len = ..)]`"),
            _ => mistakes.at(
                &key,
                "expected `sync` (one signal besides the inlets), `syncs = count` (`count` signals besides the inlets), \
                 `again` (the slot resets), `first = count` (`count` more in the first round), or in `#[slots]` also \
                 `len = length`",
            ),
        }
    }
    if array && slot.len.is_none() {
        let sentence = "missing length: write `#[slots(len = ..)]`, an expression of the arguments";
        mistakes.add(syn::Error::new(attr.path().span(), sentence));
        slot.len = Some(parse_quote!(0));
    }
    if let (Some(first), false) = (&slot.first, slot.again) {
        let sentence =
            "a slot that does not reset has one round: add `again`, or write `syncs` instead of `first`";
        mistakes.at(first, sentence);
    }
    Some(Enabled::By(Box::new(slot)))
}

/// Declaration of a cell: a function without a body.
pub(super) struct Declared {
    /// Length, for an array of cells.
    pub(super) len: Option<Expr>,
}

/// Removes the attribute that declares a cell, and parses it.
pub(super) fn cell(attrs: &mut Vec<Attribute>, mistakes: &mut Mistakes) -> Option<Declared> {
    let attr =
        attrs.extract_if(.., |attr| attr.path().is_ident("cell") || attr.path().is_ident("cells")).next()?;
    let array = attr.path().is_ident("cells");
    let mut len = None;
    for Setting { key, value } in settings_of(&attr, mistakes) {
        match value {
            Some(value) if array && key == "len" => len = Some(value),
            _ if array => mistakes.at(key, "expected `len = length`"),
            _ => mistakes.at(key, "`#[cell]` takes no settings; an array of cells is `#[cells(len = ..)]`"),
        }
    }
    if array && len.is_none() {
        mistakes.at(&attr, "missing length: write `#[cells(len = ..)]`, an expression of the arguments");
        len = Some(parse_quote!(0));
    }
    Some(Declared { len })
}

/// Removes the attribute that makes a parameter several inlets.
pub(super) fn inlets(attrs: &mut Vec<Attribute>) -> Option<Attribute> {
    attrs.extract_if(.., |attr| attr.path().is_ident("inlets")).next()
}

/// Returns the number of inlets that this attribute gives a parameter.
pub(super) fn length(inlets: &Attribute, mistakes: &mut Mistakes) -> Expr {
    if let Ok(len) = inlets.parse_args::<Expr>() {
        of_arguments(&len, mistakes);
        len
    } else {
        mistakes.at(inlets, "missing length: write `#[inlets(length)]`, an expression of the arguments");
        parse_quote!(0)
    }
}
