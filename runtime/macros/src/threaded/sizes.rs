//! The signal counts of slots, and the numbers of slots, inlets and cells. They are literals if they are
//! known at compile time, and otherwise expressions of the arguments.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Lit};

use super::model::{Fiber, Function, Size, SlotModel};

/// Returns a number of the layout as a literal.
pub(super) fn number(number: usize) -> Literal {
    Literal::u32_suffixed(u32::try_from(number).expect("a function has no 2^32 fibers"))
}

/// Returns the value of a literal number, or 0 if there is no expression.
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

/// Returns the count and the reset of a slot, if both are known at compile time.
fn known(fiber: &Fiber, slot: &SlotModel) -> Option<(u32, u32)> {
    if fiber.inlets.iter().any(|inlet| inlet.sized().is_some()) {
        return None;
    }
    let every = plain(slot.syncs.as_ref())?.checked_add(u32::try_from(fiber.declared()).ok()?)?;
    let first = every.checked_add(plain(slot.first.as_ref())?)?;
    Some((first, if slot.again { every } else { 0 }))
}

/// Whether a count or a length is known only when a frame starts.
pub(super) fn vary(function: &Function) -> bool {
    let varies = |fiber: &Fiber| fiber.slot().is_some_and(|slot| known(fiber, slot).is_none());
    has_arrays(function) || function.fibers.iter().any(varies)
}

/// Whether the function has arrays of slots, inlets or cells whose lengths are known only when a frame
/// starts.
fn has_arrays(function: &Function) -> bool {
    let array = |fiber: &Fiber| {
        fiber.slot().is_some_and(|slot| slot.len.is_some())
            || fiber.inlets.iter().any(|inlet| inlet.sized().is_some())
    };
    function.fibers.iter().any(array) || function.cells.iter().any(|cell| cell.len.is_some())
}

/// Returns the further contents of a frame that the layout must provide for.
pub(super) fn extra_contents(function: &Function) -> TokenStream {
    let resets = |fiber: &Fiber| fiber.slot().is_some_and(|slot| slot.again && known(fiber, slot).is_none());
    let extra_contents = if has_arrays(function) || !function.cells.is_empty() {
        quote!(Extra)
    } else if function.fibers.iter().any(resets) {
        quote!(Resets)
    } else {
        quote!(Nothing)
    };
    quote!(::earth::expansion::ExtraContents::#extra_contents)
}

/// Returns, for the layout, the count and the reset of a slot, whether it resets, and whether it is an array.
pub(super) fn for_layout(fiber: &Fiber, slot: &SlotModel) -> TokenStream {
    let (again, array) = (slot.again, slot.len.is_some());
    let counts = known(fiber, slot).map_or_else(
        || quote!(::std::option::Option::None),
        |(count, reset)| quote!(::std::option::Option::Some((#count, #reset))),
    );
    quote!(#counts, #again, #array)
}

/// Returns a number as an expression of type `usize`. A type error points to the expression.
fn as_usize(expr: &Expr) -> TokenStream {
    let value = Ident::new("value", Span::mixed_site());
    quote_spanned!(expr.span()=> { let #value: usize = #expr; #value })
}

/// Returns the code that computes all sizes of a function where they [vary](vary): an array of numbers, in
/// the order that the runtime expects.
pub(super) fn work_out(function: &Function) -> TokenStream {
    let mut code = TokenStream::new();
    let mut variables = 0;
    let mut variable = |value: TokenStream| {
        let name = Ident::new(&format!("size_{variables}"), Span::mixed_site());
        variables += 1;
        code.extend(quote!(let #name: usize = #value;));
        name.to_token_stream()
    };
    let (mut slots, mut inlets, mut cells) = (Vec::new(), Vec::new(), Vec::new());
    for fiber in &function.fibers {
        let Some(slot) = fiber.slot() else { continue };
        let len = slot.len.as_ref().map(|len| variable(as_usize(len)));
        let (mut count, mut singles) = (Vec::new(), 0);
        count.extend(slot.syncs.as_ref().map(|syncs| variable(as_usize(syncs))));
        for inlet in &fiber.inlets {
            let sized = inlet.sized().map(|len| variable(as_usize(len)));
            singles += if sized.is_some() { 0 } else { inlet.declared() };
            count.extend(sized.clone());
            inlets.extend(sized.or_else(|| len.clone()));
        }
        let first = slot.first.as_ref().map(|first| variable(as_usize(first))).into_iter();
        slots.extend(len);
        if known(fiber, slot).is_none() {
            let every = variable(quote!(#singles #(+ #count)*));
            slots.push(quote!(#every #(+ #first)*));
            slots.extend(slot.again.then_some(every));
        }
    }
    cells.extend(function.cells.iter().filter_map(|cell| cell.len.as_ref()).map(as_usize));
    quote!({ #code [#(#slots,)* #(#inlets,)* #(#cells),*] })
}

pub(super) fn named(function: &Function) -> TokenStream {
    let named = function.sizes.iter().map(|Size { name, value }| quote!(let #name: usize = #value;));
    named.collect()
}
