//! The parameters of fibers: arguments, an index, inlets, and the execution unit last.

use quote::ToTokens;
use syn::{Attribute, Expr, FnArg, Ident, ImplItemFn, LitInt, Meta, Pat, PatType, Type};

use super::attributes;
use super::mistakes::Mistakes;
use super::model::{Argument, Enabled, InletModel, Many};
use super::types::{element_of_arrived, is_eu, is_usize};

/// Parameters of a fiber after `self`.
pub(super) struct Parameters {
    pub(super) index: Option<Ident>,
    pub(super) inlets: Vec<InletModel>,
    pub(super) takes_eu: bool,
}

/// Returns the typed parameters without the execution unit, and whether that is present.
fn without_eu(code: &mut ImplItemFn) -> (Vec<&mut PatType>, bool) {
    let mut typed: Vec<_> = code
        .sig
        .inputs
        .iter_mut()
        .filter_map(|arg| match arg {
            FnArg::Typed(typed) => Some(typed),
            FnArg::Receiver(_) => None,
        })
        .collect();
    let takes_eu = typed.pop_if(|last| is_eu(&last.ty)).is_some();
    (typed, takes_eu)
}

/// Returns the name of a parameter whose value travels. `what` describes the parameter in messages.
fn name(typed: &PatType, what: &str, mistakes: &mut Mistakes) -> Option<Ident> {
    if let Type::Reference(reference) = &*typed.ty {
        if is_eu(&typed.ty) {
            mistakes.at(reference, "`eu` must be the last parameter");
            return None;
        }
        mistakes.at(reference, format!("{what} holds a value that travels, so it cannot be a reference"));
    }
    match &*typed.pat {
        Pat::Ident(pat) if pat.subpat.is_none() && pat.by_ref.is_none() => Some(pat.ident.clone()),
        other => {
            let why = format!("{what} needs a name: destructure its value inside the fiber");
            mistakes.at(other, why);
            None
        }
    }
}

/// Returns the arguments of the first fiber, and whether it takes the execution unit.
pub(super) fn of_first(code: &mut ImplItemFn, mistakes: &mut Mistakes) -> (Vec<Argument>, bool) {
    let (typed, takes_eu) = without_eu(code);
    let mut args = Vec::new();
    for typed in typed {
        if let Some(name) = name(typed, "an argument", mistakes) {
            args.push(Argument { name, ty: (*typed.ty).clone() });
        }
    }
    (args, takes_eu)
}

/// Returns the parameters of a fiber that is enabled in this way. Removes the attributes of parameters.
pub(super) fn of_fiber(code: &mut ImplItemFn, enabled: &Enabled, mistakes: &mut Mistakes) -> Parameters {
    let fiber = code.sig.ident.clone();
    let (typed, takes_eu) = without_eu(code);
    let mut typed = typed.into_iter().peekable();
    let (index, inlets) = match enabled {
        Enabled::Directly => {
            let index = typed.next_if(|first| is_usize(&first.ty));
            let index = index.and_then(|index| name(index, "an index", mistakes));
            for more in typed {
                mistakes.at(
                    more,
                    "a spawned fiber gets at most an index, `index: usize`: values arrive only in the inlets of a slot",
                );
            }
            (index, Vec::new())
        }
        Enabled::By(slot) => {
            let mut index = None;
            if slot.len.is_some() {
                match typed.next_if(|first| is_usize(&first.ty)) {
                    Some(first) => index = name(first, "an index", mistakes),
                    None => mistakes.at(
                        &fiber,
                        "the fiber of an array of slots must take the index of its slot first: \
                         `fn name(&mut self, index: usize, ..)`",
                    ),
                }
            }
            (index, typed.filter_map(|typed| inlet(typed, slot.len.is_some(), mistakes)).collect())
        }
    };
    Parameters { index, inlets, takes_eu }
}

fn inlet(typed: &mut PatType, of_array: bool, mistakes: &mut Mistakes) -> Option<InletModel> {
    let given = attributes::inlets(&mut typed.attrs);
    let name = name(typed, "an inlet", mistakes)?;
    let ty = match &*typed.ty {
        Type::Reference(reference) => &*reference.elem,
        ty => ty,
    };
    let (many, ty) = given.map_or((Many::One, ty), |given| many(&given, ty, mistakes));
    if of_array && !matches!(many, Many::One) {
        mistakes.at(
            &name,
            "an array of inlets needs a single slot: write `#[slot]` above its fiber, not `#[slots]`",
        );
    }
    Some(InletModel { name, ty: ty.clone(), many })
}

/// Returns the number of inlets of a parameter with this type and attribute, and the type of each value.
fn many<'a>(given: &Attribute, ty: &'a Type, mistakes: &mut Mistakes) -> (Many, &'a Type) {
    if let Type::Array(array) = ty {
        if !matches!(given.meta, Meta::Path(_)) {
            mistakes.at(given, "the array gives the number of inlets: write `#[inlets]` without a length");
        }
        return (Many::Fixed(fixed(&array.len, mistakes)), &array.elem);
    }
    if let Some(element) = element_of_arrived(ty) {
        return (Many::Sized(attributes::length(given, mistakes)), element);
    }
    mistakes.at(
        ty,
        "the values of `#[inlets]` arrive as an array, `[T; 2]`, and the values of `#[inlets(len)]` as an `Arrived<'_, T>`",
    );
    (Many::One, ty)
}

/// Maximum length of an array of inlets whose length the compiler knows.
const MOST_FIXED: u32 = 256;

/// Returns the length of an array that is part of every frame.
fn fixed(len: &Expr, mistakes: &mut Mistakes) -> u32 {
    let sentence = match syn::parse2::<LitInt>(len.to_token_stream()).map(|len| len.base10_parse()) {
        Ok(Ok(len @ 1..=MOST_FIXED)) => return len,
        Ok(Ok(0)) => "an array of inlets must have at least one element".to_owned(),
        Ok(_) => format!(
            "an array of inlets in the frame has at most {MOST_FIXED} elements: use `#[inlets(len)]` and an `Arrived` for more"
        ),
        Err(_) => {
            "the length must be a number: write one, or use `#[inlets(len)]` and an `Arrived`".to_owned()
        }
    };
    mistakes.at(len, sentence);
    1
}
