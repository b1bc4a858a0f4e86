//! The places of a function: `Self::fiber()` names a fiber's slot, `Self::fiber().inlet` an inlet, and
//! `Self::cell()` a cell.
//!
//! A fiber's place is a struct whose fields are its inlets. So the compiler reports a misspelled inlet as a
//! missing field, and an inlet without an address as a field that is never read.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{GenericParam, Generics, parse_quote};

use super::model::{CellModel, Enabled, Fiber, Function, Many, SlotModel};
use super::sizes::number;
use super::types::{docs, without_self};

pub(super) fn all(function: &Function) -> TokenStream {
    let (mut slots, mut inlets) = (0, 0);
    let fibers = function.fibers.iter().enumerate().map(|(at, fiber)| match &fiber.enabled {
        Enabled::By(slot) => {
            let place = of_slot(function, fiber, slot, slots, inlets);
            slots += 1;
            inlets += fiber.declared();
            place
        }
        Enabled::Directly => of_spawned(function, fiber, at + 1),
    });
    let fibers: Vec<_> = fibers.collect();
    let cells = function.cells.iter().enumerate().map(|(ordinal, cell)| of_cell(function, cell, ordinal));
    quote!(#(#fibers)* #(#cells)*)
}

/// Returns the generic parameters of the function, as arguments.
fn arguments(generics: &Generics) -> Vec<TokenStream> {
    let argument = |param: &GenericParam| match param {
        GenericParam::Type(param) => param.ident.to_token_stream(),
        GenericParam::Const(param) => param.ident.to_token_stream(),
        GenericParam::Lifetime(param) => param.lifetime.to_token_stream(),
    };
    generics.params.iter().map(argument).collect()
}

fn of_slot(
    function: &Function,
    fiber: &Fiber,
    slot: &SlotModel,
    ordinal: usize,
    first_inlet: usize,
) -> TokenStream {
    let own = &function.state;
    let name = fiber.name();
    let vis = &fiber.code.vis;
    let array = slot.len.is_some();
    let which = Ident::new("which", Span::mixed_site());
    let slot_number = number(ordinal);

    let (mut fields, mut values) = (Vec::new(), Vec::new());
    let mut next = first_inlet;
    for inlet in &fiber.inlets {
        let inlet_number = number(next);
        next += inlet.declared();
        let field = &inlet.name;
        let ty = without_self(&inlet.ty, own);
        // All tokens have the field's span; otherwise the compiler does not report a field that is never
        // read.
        let at = field.span();
        let (kind, value) = if array {
            (quote_spanned!(at=> Which::Inlet<#own, #ty>), quote!(#which.inlet(#inlet_number)))
        } else {
            let (kind, value) = match inlet.many {
                Many::One => (quote!(Inlet), quote!(inlet(#inlet_number))),
                Many::Fixed(len) => (quote!(Inlets), quote!(fixed_inlets(#inlet_number, #len))),
                Many::Sized(_) => (quote!(Inlets), quote!(inlets(#inlet_number))),
            };
            (quote_spanned!(at=> ::earth::place::#kind<#own, #ty>), quote!(::earth::expansion::#value))
        };
        fields.push(quote_spanned!(at=> #vis #field: #kind));
        values.push(quote!(#field: #value));
    }

    let mut generics = function.generics.clone();
    if array {
        generics.params.push(parse_quote!(Which: ::earth::place::Which));
    }
    let (place_generics, place_arguments, place_where) = generics.split_for_impl();
    let (impl_generics, _, where_clause) = function.generics.split_for_impl();
    let of_function = arguments(&function.generics);
    let one = if array { quote!(#name<#(#of_function,)* usize>) } else { quote!(#name<#(#of_function),*>) };
    let all = quote!(#name<#(#of_function,)* ::std::ops::RangeFull>);
    let (element, index_field, index_value, method_generics, parameter) = if array {
        (
            quote!(::earth::expansion::slots(#slot_number).at(self._which)),
            Some(quote!(_which: Which,)),
            Some(quote!(_which: #which,)),
            Some(quote!(<Which: ::earth::place::Which>)),
            Some(quote!(#which: Which)),
        )
    } else {
        (quote!(::earth::expansion::slot(#slot_number)), None, None, None, None)
    };
    let all = array.then(|| {
        quote! {
            impl #impl_generics ::earth::place::CountedAll<#own> for #all #where_clause {
                fn slots(self) -> ::earth::expansion::SlotArray { ::earth::expansion::slots(#slot_number) }
            }
        }
    });
    let docs = docs(&fiber.code.attrs);
    let place = quote_spanned! {name.span()=>
        #vis struct #name #place_generics #place_where {
            #(#fields,)*
            #index_field
            _function: ::std::marker::PhantomData<fn() -> #own>,
        }
    };
    let method = quote_spanned! {name.span()=>
        #[inline(always)]
        #vis fn #name #method_generics(#parameter) -> #name #place_arguments {
            #name { #(#values,)* #index_value _function: ::std::marker::PhantomData }
        }
    };
    quote! {
        #[allow(
            non_camel_case_types, unreachable_pub, missing_docs, clippy::all, clippy::pedantic,
            reason = "a fiber's place has the fiber's name"
        )]
        const _: () = {
            #place
            impl #impl_generics ::earth::place::Counted<#own> for #one #where_clause {
                #[inline(always)]
                fn slot(self) -> ::earth::expansion::Slot { #element }
            }
            #all
            impl #impl_generics #own #where_clause {
                #(#docs)*
                #method
            }
        };
    }
}

fn of_spawned(function: &Function, fiber: &Fiber, fiber_number: usize) -> TokenStream {
    let (name, vis, docs) = (fiber.name(), &fiber.code.vis, docs(&fiber.code.attrs));
    let fiber_number = number(fiber_number);
    let (parameter, index) = match &fiber.index {
        Some(index) => (Some(quote!(#index: usize)), index.to_token_stream()),
        None => (None, quote!(0)),
    };
    let method = quote_spanned! {name.span()=>
        #[inline(always)]
        #vis fn #name(#parameter) -> ::earth::place::Spawned<Self> { ::earth::expansion::spawned(#fiber_number, #index) }
    };
    method_of(function, &quote!(#(#docs)* #method))
}

fn of_cell(function: &Function, cell: &CellModel, ordinal: usize) -> TokenStream {
    let CellModel { docs, vis, name, ty, len } = cell;
    let cell_number = number(ordinal);
    let which = Ident::new("which", Span::mixed_site());
    let method = if len.is_some() {
        quote_spanned! {name.span()=>
            #vis fn #name<Which: ::earth::place::Which>(#which: Which) -> Which::Cell<Self, #ty> { #which.cell(#cell_number) }
        }
    } else {
        quote_spanned! {name.span()=>
            #vis fn #name() -> ::earth::place::Cell<Self, #ty> { ::earth::expansion::cell(#cell_number) }
        }
    };
    method_of(function, &quote!(#(#docs)* #[inline(always)] #method))
}

/// Returns a method of the function that has the name of a fiber or a cell.
fn method_of(function: &Function, method: &TokenStream) -> TokenStream {
    let (own, (impl_generics, _, where_clause)) = (&function.state, function.generics.split_for_impl());
    quote! {
        #[allow(clippy::all, clippy::pedantic, reason = "a place has the name of its fiber or cell")]
        impl #impl_generics #own #where_clause { #method }
    }
}
