//! How many signals slots count, and how many slots, inlets and cells there are: plain numbers where they are known
//! when the program is compiled, expressions of the arguments elsewhere.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Lit};

use super::model::{Cell, Fiber, Function, Many, Size, Slot};

/// A number of the layout.
pub(super) fn number(number: usize) -> Literal {
    Literal::u32_suffixed(u32::try_from(number).expect("a function has no 2^32 fibers"))
}

/// The value of a number that is written out; 0 if none is written.
fn plain(expr: Option<&Expr>) -> Option<u32> {
    match expr {
        None => Some(0),
        Some(Expr::Lit(literal)) => match &literal.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        Some(_) => None,
    }
}

/// Count and reset of a slot, if they are known.
fn known(fiber: &Fiber, slot: &Slot) -> Option<(u32, u32)> {
    if fiber.inlets.iter().any(|inlet| inlet.sized().is_some()) {
        return None;
    }
    let every = plain(slot.syncs.as_ref())?.checked_add(u32::try_from(fiber.declared()).ok()?)?;
    let first = every.checked_add(plain(slot.first.as_ref())?)?;
    Some((first, if slot.again { every } else { 0 }))
}

/// Whether anything is known only when a frame starts.
pub(super) fn vary(function: &Function) -> bool {
    let varies =
        |fiber: &Fiber| fiber.slot().is_some_and(|slot| slot.len.is_some() || known(fiber, slot).is_none());
    function.fibers.iter().any(varies) || function.cells.iter().any(|cell| cell.len.is_some())
}

/// Count and reset of a slot for the layout.
pub(super) fn for_layout(fiber: &Fiber, slot: &Slot) -> TokenStream {
    known(fiber, slot).map_or_else(
        || quote!(::std::option::Option::None, 0),
        |(count, reset)| quote!(::std::option::Option::Some(#count), #reset),
    )
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// A number as an expression: one of another type is a mistake there.
fn as_usize(expr: &Expr) -> TokenStream {
    let value = local("value");
    quote_spanned!(expr.span()=> { let #value: usize = #expr; #value })
}

/// The code that works all sizes out, of a function where they [vary](vary).
pub(super) fn work_out(function: &Function) -> TokenStream {
    let sizes = local("sizes");
    let fibers =
        function.fibers.iter().filter_map(|fiber| fiber.slot().map(|slot| of_slot(fiber, slot, &sizes)));
    let cells = function.cells.iter().map(|Cell { len, .. }| {
        let len = optional(len.as_ref().map(as_usize));
        quote!(#sizes.cell(#len);)
    });
    quote!(|#sizes| { #(#fibers)* #(#cells)* })
}

/// The sizes that have names, as variables of these names.
pub(super) fn named(function: &Function) -> TokenStream {
    let named = function.sizes.iter().map(|Size { name, value }| quote!(let #name: usize = #value;));
    named.collect()
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(
        || quote!(::std::option::Option::None),
        |value| quote!(::std::option::Option::Some(#value)),
    )
}

/// The sizes of a slot, or of an array, and of the inlets that it counts.
fn of_slot(fiber: &Fiber, slot: &Slot, sizes: &Ident) -> TokenStream {
    let (slots, count, len) = (local("slots"), local("count"), local("len"));
    let slots_len = optional(slot.len.as_ref().map(as_usize));
    let sized = fiber.inlets.iter().filter(|inlet| inlet.sized().is_some()).count();
    let known = fiber.declared() - sized;
    let syncs = slot.syncs.as_ref().map(as_usize).into_iter();
    let inlets = fiber.inlets.iter().map(|inlet| {
        let expr = match &inlet.many {
            Many::One => return quote!(#sizes.inlet(#slots);),
            Many::Fixed(len) => return quote!((0..#len).for_each(|_| #sizes.inlet(#slots));),
            Many::Sized(expr) => as_usize(expr),
        };
        quote! {
            let #len: usize = #expr;
            #sizes.inlet(::std::option::Option::Some(#len));
            #count += #len;
        }
    });
    let first = slot.first.as_ref().map(as_usize).into_iter();
    let reset = if slot.again { quote!(#count) } else { quote!(0usize) };
    let mutable = (sized > 0).then(|| quote!(mut)).into_iter();
    quote! {{
        let #slots: ::std::option::Option<usize> = #slots_len;
        let #(#mutable)* #count: usize = #known #(+ #syncs)*;
        #(#inlets)*
        #sizes.slot(#slots, #count #(+ #first)*, #reset);
    }}
}
