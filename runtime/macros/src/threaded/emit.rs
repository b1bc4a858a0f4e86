//! From a [`Function`] to code: the fibers as written, `call`, the places, and the implementation of
//! [`Threaded`](../../../earth/trait.Threaded.html).

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, ImplItemFn, ReturnType, Type, Visibility, parse_quote};

use super::model::{Argument, Fiber, Function, InletModel, Many, Size, SlotModel};
use super::sizes::number;
use super::types::{docs, find_ident, is_fixed};
use super::{places, sizes};

/// Maximum number of types in a tuple that travels.
const TUPLE: usize = 8;

pub(super) fn function(function: &Function) -> TokenStream {
    let Function { attrs, generics, state, fibers, .. } = function;
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let written = std::iter::once(begins(function)).chain(fibers.iter().map(|fiber| written(&fiber.code)));
    let (call, places, in_line) = (call(function), places::all(function), in_line(function));
    let head = quote_spanned!(state.span()=> impl #impl_generics ::earth::Threaded for #state #where_clause);
    let (args, held) = (args_type(function), held_type(function));
    let (layout, begin, resume) = (layout(function), begin(function), resume(function));
    quote! {
        #(#attrs)*
        impl #impl_generics #state #where_clause {
            #call
            #(#written)*
        }
        #places
        #in_line
        #[doc(hidden)]
        #head {
            type Args = #args;
            type ArgStorage = #held;
            const LAYOUT: &'static ::earth::expansion::Layout = &#layout;
            const PACK_STATE: ::core::option::Option<::earth::expansion::Pack<Self>> = {
                // An inherent constant, which exists if the state travels, takes precedence over a constant
                // of the trait.
                #[allow(unused_imports, reason = "only one of the two constants is used")]
                use ::earth::expansion::NotPackable as _;
                ::earth::expansion::StateOf::<Self>::PACK
            };
            #begin
            #resume
        }
    }
}

/// Returns the names of a function with mistakes, and its code, which never runs.
pub(super) fn names(function: &Function) -> TokenStream {
    let (state, (impl_generics, _, where_clause)) = (&function.state, function.generics.split_for_impl());
    let fibers = function.fibers.iter().map(|fiber| written(&fiber.code));
    let (written, foreign_items) = (std::iter::once(begins(function)).chain(fibers), &function.foreign_items);
    let (call, places, args) = (call(function), places::all(function), args_type(function));
    quote! {
        impl #impl_generics #state #where_clause {
            #call
            #(#written)*
            #(#foreign_items)*
        }
        #places
        impl #impl_generics ::earth::Threaded for #state #where_clause {
            type Args = #args;
            type ArgStorage = #args;
            const LAYOUT: &'static ::earth::expansion::Layout =
                &::earth::expansion::Layout::new(
                    ::std::any::type_name::<Self>,
                    &[],
                    &[],
                    &[],
                    &[],
                    ::earth::expansion::ExtraContents::Nothing,
                );
            fn begin(_: #args, _: &mut ::earth::Eu<Self>) -> ::earth::Start<Self> {
                ::earth::expansion::no_such_fiber()
            }
            fn resume(_: &mut ::earth::Eu<Self>, _: u32, _: usize) -> ::earth::Then {
                ::earth::expansion::no_such_fiber()
            }
        }
    }
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Returns the name of the function with a fiber's code.
fn renamed(code: &ImplItemFn) -> Ident {
    format_ident!("fiber_{}", code.sig.ident)
}

/// Returns a fiber as written, under another name.
fn written(code: &ImplItemFn) -> ImplItemFn {
    let mut code = code.clone();
    code.sig.ident = renamed(&code);
    code.vis = Visibility::Inherited;
    code.attrs.push(parse_quote! {
        #[allow(
            clippy::boxed_local, clippy::inline_always, clippy::large_types_passed_by_value,
            clippy::needless_pass_by_ref_mut, clippy::needless_pass_by_value, clippy::too_many_arguments,
            clippy::unnecessary_wraps, clippy::unused_self,
            reason = "values arrive as they are, and the runtime calls a fiber"
        )]
    });
    if !code.attrs.iter().any(|attr| attr.path().is_ident("inline")) {
        code.attrs.push(parse_quote!(#[inline(always)]));
    }
    code
}

/// Returns the first fiber with the named sizes as further parameters. An argument or size that occurs in a
/// size counts as used, whether or not the fiber uses it.
fn begins(function: &Function) -> ImplItemFn {
    let mut code = written(&function.first.code);
    let (named, work_out) = (sizes::named(function), sizes::work_out(function));
    let sizes = quote!(#named #work_out);
    let given = function.sizes.iter().map(|Size { name, .. }| name);
    code.sig.inputs.extend(given.clone().map(|name| -> FnArg { parse_quote!(#name: usize) }));
    let args = function.first.args.iter().map(|arg| &arg.name).chain(given);
    let used = args.filter(|name| find_ident(sizes.clone(), &|ident| ident == *name).is_some());
    code.block.stmts.splice(0..0, used.map(|name| parse_quote!(let _ = &#name;)));
    code
}

/// Returns a list as a tuple that travels, or as a tuple of such tuples.
fn tuple(parts: &[impl ToTokens]) -> TokenStream {
    if parts.len() <= TUPLE {
        quote!((#(#parts,)*))
    } else {
        let parts = parts.chunks(TUPLE).map(|parts| quote!((#(#parts,)*)));
        quote!((#(#parts,)*))
    }
}

fn args_type(function: &Function) -> TokenStream {
    let types: Vec<_> = function.first.args.iter().map(|arg| &arg.ty).collect();
    // An error about an argument that does not travel points to the parameter list.
    let tuple = tuple(&types).into_iter().map(|mut tree| {
        tree.set_span(function.first.code.sig.paren_token.span.join());
        tree
    });
    tuple.collect()
}

/// Returns the type that holds the arguments in transit. It is a box if they do not travel in line and their
/// size is known here.
fn held_type(function: &Function) -> TokenStream {
    let args = args_type(function);
    if !function.generics.params.is_empty() {
        return args;
    }
    quote! {
        <::earth::expansion::InLine<{ ::earth::expansion::are_in_line::<#args>() }>
            as ::earth::expansion::ArgStorage<#args>>::Of
    }
}

/// Returns the arguments as variables, under the program's names.
fn args(function: &Function) -> Vec<&Ident> {
    function.first.args.iter().map(|arg| &arg.name).collect()
}

/// Returns the function that makes calls.
fn call(function: &Function) -> TokenStream {
    let code = &function.first.code;
    let (vis, docs) = (&code.vis, docs(&code.attrs));
    let parameters = function.first.args.iter().map(|Argument { name, ty }| quote!(#name: #ty));
    let args = tuple(&args(function));
    let name = Ident::new("call", code.sig.ident.span());
    let fits = (function.in_line && !are_fixed(function)).then(|| {
        let fits = arguments_fit(function);
        quote!(const { #fits })
    });
    quote! {
        #(#docs)*
        #[allow(
            clippy::too_many_arguments, clippy::used_underscore_binding,
            reason = "the first fiber has the same parameters"
        )]
        #[inline(always)]
        #vis fn #name(#(#parameters),*) -> ::earth::Call<Self> {
            #fits
            ::earth::Call::new(#args)
        }
    }
}

/// Whether the argument types are independent of generic parameters.
fn are_fixed(function: &Function) -> bool {
    function.first.args.iter().all(|arg| is_fixed(&arg.ty, &function.generics))
}

fn arguments_fit(function: &Function) -> TokenStream {
    let (args, at) = (args_type(function), function.first.code.sig.ident.span());
    quote_spanned!(at=> ::earth::expansion::arguments_fit::<#args>())
}

/// Returns checks, made as early as possible, that the arguments and values are not boxed.
fn in_line(function: &Function) -> TokenStream {
    if !function.in_line {
        return TokenStream::new();
    }
    let args = are_fixed(function).then(|| arguments_fit(function)).into_iter();
    let inlets = function.fibers.iter().flat_map(|fiber| fiber.inlets.iter().map(|inlet| &inlet.ty));
    let values = inlets.chain(function.cells.iter().map(|cell| &cell.ty));
    let values = values
        .filter(|ty| is_fixed(ty, &function.generics))
        .map(|ty| quote_spanned!(ty.span()=> ::earth::expansion::value_fits::<#ty>()));
    quote!(#(const _: () = #args;)* #(const _: () = #values;)*)
}

fn layout(function: &Function) -> TokenStream {
    let (mut slots, mut inlets) = (Vec::new(), Vec::new());
    for (at, fiber) in function.fibers.iter().enumerate() {
        let Some(slot) = fiber.slot() else { continue };
        let (name, fiber_number) = (fiber.name().to_string(), number(at + 1));
        let counts = sizes::for_layout(fiber, slot);
        let (slot_number, first, len) = (number(slots.len()), number(inlets.len()), number(fiber.declared()));
        slots.push(quote! {
            ::earth::expansion::SlotSpec::new(#name, #fiber_number, #counts, #first, #len)
        });
        for inlet in &fiber.inlets {
            let (ty, array) = (&inlet.ty, inlet.sized().is_some() || slot.len.is_some());
            let kind = quote_spanned!(ty.span()=> <#ty as ::earth::expansion::Arrives>::KIND);
            inlets.extend(labels(inlet).map(
                |label| quote!(::earth::expansion::InletSpec::new(#label, #kind, #slot_number, #array)),
            ));
        }
    }
    let cells = function.cells.iter().map(|cell| {
        let (label, ty, array) = (cell.name.to_string(), &cell.ty, cell.len.is_some());
        let spec = quote_spanned!(ty.span()=> ::earth::expansion::CellSpec::new::<#ty>);
        quote!(#spec(#label, #array))
    });
    let codes = std::iter::once(&function.first.code).chain(function.fibers.iter().map(|fiber| &fiber.code));
    let fibers = codes.map(|code| code.sig.ident.to_string());
    let (extra_contents, slots_len) = (sizes::extra_contents(function), slots.len());
    quote! {
        ::earth::expansion::Layout::new(
            ::std::any::type_name::<Self>,
            &[#(#slots),*],
            &::earth::expansion::lay_out(#slots_len, #extra_contents, [#(#inlets),*]),
            &[#(#cells),*],
            &[#(#fibers),*],
            #extra_contents,
        )
    }
}

/// Returns the names of the inlets that a parameter declares.
fn labels(inlet: &InletModel) -> impl Iterator<Item = String> {
    let (name, of_array) = (&inlet.name, matches!(inlet.many, Many::Fixed(_)));
    (0..inlet.declared())
        .map(move |index| if of_array { format!("{name}[{index}]") } else { name.to_string() })
}

/// Returns the result type of a fiber, and its span.
fn returned(code: &ImplItemFn) -> (TokenStream, Span) {
    match &code.sig.output {
        ReturnType::Default => (quote!(()), Span::call_site()),
        ReturnType::Type(_, ty) => (ty.to_token_stream(), ty.span()),
    }
}

fn begin(function: &Function) -> TokenStream {
    let (eu, held, args) = (local("eu"), local("held"), args(function));
    let pattern = tuple(&args);
    // Not written as types of `Self`, so that a state that is unfit for the trait is reported once.
    let (held_ty, args_ty) = (held_type(function), args_type(function));
    let first = renamed(&function.first.code);
    let size = sizes::vary(function).then(|| {
        let size = sizes::work_out(function);
        quote!(::earth::expansion::sized(#eu, #size);)
    });
    let (output, at) = returned(&function.first.code);
    let start = quote_spanned!(at=> <#output as ::earth::expansion::Begins<Self>>::start);
    let takes_eu = function.first.takes_eu.then_some(&eu);
    let given = args.iter().map(ToTokens::to_token_stream).chain(takes_eu.map(ToTokens::to_token_stream));
    let given = given.chain(function.sizes.iter().map(|Size { name, .. }| name.to_token_stream()));
    let named = sizes::named(function);
    quote! {
        #[allow(clippy::used_underscore_binding, reason = "an argument has the name that the first fiber gives it")]
        #[allow(clippy::type_complexity, reason = "the types of the arguments are the program's")]
        #[inline(always)]
        fn begin(#held: #held_ty, #eu: &mut ::earth::Eu<Self>) -> ::earth::Start<Self> {
            let #pattern: #args_ty = ::earth::expansion::Holds::release(#held);
            #named
            #size
            let begun = Self::#first(#(#given),*);
            #start(begun, #eu)
        }
    }
}

fn resume(function: &Function) -> TokenStream {
    let (eu, enabler, index) = (local("eu"), local("enabler"), local("index"));
    let (mut slots, mut inlets) = (0, 0);
    let fibers = function.fibers.iter().enumerate().map(|(at, fiber)| {
        let run = run(fiber, slots, inlets, [&eu, &index]);
        inlets += fiber.declared();
        if fiber.slot().is_some() {
            let slot = number(slots);
            slots += 1;
            quote!(if #enabler == #slot { #run })
        } else {
            let fiber_number = number(at + 1);
            quote!(if #enabler == ::earth::expansion::spawned_fiber(#fiber_number) { #run })
        }
    });
    let fibers: Vec<_> = fibers.collect();
    quote! {
        #[inline(always)]
        fn resume(#eu: &mut ::earth::Eu<Self>, #enabler: u32, #index: usize) -> ::earth::Then {
            #(#fibers)*
            ::earth::expansion::no_such_fiber()
        }
    }
}

/// Returns the code that takes a fiber's values, runs the fiber, and returns the fate of its frame. If no
/// inlet is an array of run-time length, and the values are all in the frame, they are taken out at once.
fn run(fiber: &Fiber, slot: usize, first_inlet: usize, [eu, index]: [&Ident; 2]) -> TokenStream {
    let array = fiber.slot().is_some_and(|SlotModel { len, .. }| len.is_some());
    let (held, state, parked) = (local("held"), local("state"), local("parked"));
    let mut given: Vec<_> = fiber.index.iter().map(|_| index.to_token_stream()).collect();
    let (mut values, mut in_line_takes, mut arrived, mut used) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut next = first_inlet;
    for (at, inlet) in fiber.inlets.iter().enumerate() {
        let value = format_ident!("value_{at}", span = Span::mixed_site());
        let (InletModel { ty, many, .. }, number) = (inlet, number(next));
        next += inlet.declared();
        let arrives = quote_spanned!(ty.span()=> <#ty as ::earth::expansion::Arrives>);
        match many {
            _ if array => arrived.push(quote!(#arrives::take_at(#eu, #number, #index))),
            Many::Sized(_) => {
                arrived.push(quote!(#arrives::take_all(#eu, #number)));
                values.push(quote!(mut #value));
                given.push(quote!(#value.arrived()));
                used.push(quote!(::earth::expansion::give_back(#eu, #value);));
                continue;
            }
            Many::One => {
                in_line_takes.push(quote!(#arrives::held(&mut #held, #number)));
                arrived.push(quote!(#arrives::arrived(#eu, #number)));
            }
            Many::Fixed(_) => {
                in_line_takes.push(quote!(#arrives::held_each(&mut #held, #number)));
                arrived.push(quote!(#arrives::arrived_each(#eu, #number)));
            }
        }
        values.push(value.to_token_stream());
        given.push(value.to_token_stream());
    }
    // The frame's other data is taken with the values: whether further values are parked, and the state if
    // the fiber ends it.
    let state_too = fiber.takes_state.then(|| quote!(#state,));
    let separate_state = fiber.takes_state.then(|| quote!(::earth::expansion::state(#eu),));
    let taken = quote!((#(#arrived,)* ::earth::expansion::has_parked(#eu), #separate_state));
    let takes = if fiber.inlets.is_empty() {
        let separate_state = separate_state.into_iter();
        quote!(#(let (#state_too) = (#separate_state);)*)
    } else if in_line_takes.len() < values.len() {
        quote!(let (#(#values,)* #parked, #state_too) = #taken;)
    } else {
        let (slot, there) = (number(slot), fiber.takes_state.then(|| quote!(#held.state(),)));
        quote! {
            let #held = ::earth::expansion::all_of(#eu, #slot)
                .map(|mut #held| (#(#in_line_takes,)* #held.has_parked(), #there));
            let (#(#values,)* #parked, #state_too) = match #held {
                ::core::option::Option::Some(#held) => #held,
                ::core::option::Option::None => #taken,
            };
        }
    };
    let lets_in = (!fiber.inlets.is_empty()).then(|| quote!(::earth::expansion::taken(#eu, #parked);));
    given.extend(fiber.takes_eu.then(|| eu.to_token_stream()));
    let (output, at) = returned(&fiber.code);
    let ends: Type = if fiber.takes_state {
        parse_quote!(::earth::expansion::EndsFrame)
    } else {
        parse_quote!(::earth::expansion::Ends)
    };
    let then = quote_spanned!(at=> <#output as #ends>::then);
    let code = renamed(&fiber.code);
    let run = quote! {
        let ended = Self::#code(#state, #(#given),*);
        #(#used)*
        #then(ended, #eu)
    };
    let run = if fiber.takes_state {
        quote!(return { #run };)
    } else {
        quote!(return ::earth::expansion::borrowed(#eu, move |#state, #eu| { #run });)
    };
    quote!(#takes #lets_in #run)
}
