//! From the tokens of an `impl` block to a [`Function`].

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, FnArg, ImplItem, ImplItemFn, Item, ItemImpl, ReceiverKind, ReturnType, Safety,
    Signature, Token, Type, Visibility, parse_quote,
};

use super::mistakes::Mistakes;
use super::model::{CellModel, Enabled, Fiber, First, Function, SlotModel};
use super::types::is_usize;
use super::{attributes, parameters};

const FORM: &str = "`#[threaded]` goes above the inherent `impl` block of the type that is the function's state: \
                    `struct Name { .. }` and `#[threaded] impl Name { .. }`";

/// Parses the function. Returns `None` if the item is not an inherent `impl` block.
pub(super) fn function(options: TokenStream, item: TokenStream, mistakes: &mut Mistakes) -> Option<Function> {
    let block = block(item, mistakes)?;
    for lifetime in block.generics.lifetimes() {
        mistakes.at(
            lifetime,
            "a threaded function outlives the fiber that starts it, so it cannot have lifetime parameters",
        );
    }
    let (in_line, sizes) = attributes::options(options, mistakes);
    let (mut firsts, mut others, mut cells, mut foreign_items) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for member in block.items {
        match member {
            ImplItem::Fn(code) if code.sig.receiver().is_none() => firsts.push(code),
            ImplItem::Fn(code) => others.push(code),
            ImplItem::Verbatim(tokens) => match syn::parse2::<Declaration>(tokens.clone()) {
                Ok(declared) => cells.extend(cell(declared, mistakes)),
                Err(_) => mistakes.at(tokens, "expected a fiber or a cell"),
            },
            other => {
                mistakes.at(
                    &other,
                    "only fibers and cells are allowed here: other items go into another `impl` block",
                );
                foreign_items.push(other);
            }
        }
    }
    if firsts.is_empty() {
        firsts.push(meant_as_first(&mut others, &block.self_ty, mistakes));
    }
    let mut firsts = firsts.into_iter();
    let first = first(firsts.next()?, mistakes);
    for more in firsts {
        mistakes.at(
            &more.sig.ident,
            format!(
                "a second first fiber: `{}` already is the function without `self` that runs when the threaded \
                 function starts; a function that is no fiber goes into another `impl` block",
                first.code.sig.ident,
            ),
        );
        foreign_items.push(ImplItem::Fn(more));
    }
    let fibers = others.into_iter().map(|code| fiber(code, mistakes)).collect();
    Some(Function {
        attrs: block.attrs,
        generics: block.generics,
        state: *block.self_ty,
        in_line,
        sizes,
        first,
        fibers,
        cells,
        foreign_items,
    })
}

/// A function without a body.
struct Declaration {
    attrs: Vec<Attribute>,
    vis: Visibility,
    sig: Signature,
}

impl Parse for Declaration {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let declaration = Declaration {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            sig: input.parse()?,
        };
        input.parse::<Token![;]>()?;
        Ok(declaration)
    }
}

/// Returns the inherent `impl` block, or `None` if the item is another one.
fn block(item: TokenStream, mistakes: &mut Mistakes) -> Option<ItemImpl> {
    let at = match syn::parse2::<Item>(item) {
        Ok(Item::Impl(block)) => match &block.trait_ {
            None => return Some(block),
            Some((path, _)) => path.span(),
        },
        Ok(Item::Struct(item)) => item.struct_token.span,
        Ok(Item::Enum(item)) => item.enum_token.span,
        Ok(Item::Fn(item)) => item.sig.fn_token.span,
        Ok(Item::Mod(item)) => item.mod_token.span,
        Ok(other) => other.span(),
        Err(error) => {
            mistakes.add(error);
            return None;
        }
    };
    mistakes.add(Error::new(at, FORM));
    None
}

/// Returns the function that is meant as the first fiber although it takes a state, or an empty function if
/// there is none.
fn meant_as_first(others: &mut Vec<ImplItemFn>, state: &Type, mistakes: &mut Mistakes) -> ImplItemFn {
    let Some(at) = others.iter().position(|code| code.sig.ident == "start") else {
        mistakes.at(
            state,
            "no first fiber: write a function without `self`, whose parameters are the arguments of the threaded \
             function, as in `fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self`",
        );
        return parse_quote!(
            fn start() -> ::earth::Start<Self> {
                ::std::unreachable!()
            }
        );
    };
    let mut code = others.remove(at);
    mistakes.at(
        code.sig.receiver(),
        "the first fiber takes no `self`: the function has no state before this fiber returns one",
    );
    code.sig.inputs = code.sig.inputs.into_iter().skip(1).collect();
    code
}

/// Refuses a signature that no fiber can have.
fn plain(code: &ImplItemFn, mistakes: &mut Mistakes) {
    let sig = &code.sig;
    if let Some(token) = &sig.asyncness {
        mistakes.at(
            token,
            "a fiber never waits, so it cannot be `async`: make a long operation split-phase, and let it signal a slot",
        );
    }
    if let Safety::Unsafe(token) = &sig.safety {
        mistakes.at(token, "the runtime calls a fiber, so it cannot be `unsafe`");
    }
    for attr in code.attrs.iter().filter(|attr| attr.path().is_ident("cfg")) {
        mistakes.at(
            attr,
            "a fiber must exist in every build: move the conditional code into a function that it calls",
        );
    }
    if let Some(param) = sig.generics.params.first() {
        mistakes.at(param, "a fiber cannot have generic parameters: declare them on the `impl` block");
    }
}

fn first(mut code: ImplItemFn, mistakes: &mut Mistakes) -> First {
    plain(&code, mistakes);
    for attr in code.attrs.extract_if(.., |attr| attributes::enables(attr)) {
        mistakes.at(
            attr,
            "the start of the function enables its first fiber, which has no slot: a fiber with a slot takes `self` or `&mut self`",
        );
    }
    let (args, takes_eu) = parameters::of_first(&mut code, mistakes);
    First { code, args, takes_eu }
}

fn fiber(mut code: ImplItemFn, mistakes: &mut Mistakes) -> Fiber {
    plain(&code, mistakes);
    let takes_state = code.sig.receiver().is_some_and(|receiver| match &receiver.kind {
        ReceiverKind::Value => true,
        ReceiverKind::Reference(_, _, Some(_)) => false,
        _ => {
            mistakes
                .at(receiver, "a fiber takes `&mut self` (its frame stays) or `self` (it ends its frame)");
            false
        }
    });
    let enabled = attributes::enabled(&mut code.attrs, mistakes).unwrap_or_else(|| {
        let name = &code.sig.ident;
        mistakes.at(
            name,
            format!(
                "no attribute says what enables `{name}`: write `#[slot]` (a slot that counts its inlets), \
                 `#[slot(sync)]` (and one more signal), `#[slots(len = ..)]` (an array of slots) or `#[spawned]` above \
                 it; a method that is no fiber goes into another `impl` block"
            ),
        );
        // Counts a signal, so that the lack of signals is not reported as a further mistake.
        Enabled::By(Box::new(SlotModel { syncs: Some(parse_quote!(1)), ..SlotModel::default() }))
    });
    let parameters::Parameters { index, inlets, takes_eu } =
        parameters::of_fiber(&mut code, &enabled, mistakes);
    Fiber { code, takes_state, index, inlets, takes_eu, enabled }
}

fn cell(declaration: Declaration, mistakes: &mut Mistakes) -> Option<CellModel> {
    let Declaration { mut attrs, vis, sig } = declaration;
    let name = sig.ident;
    let Some(attributes::Declared { len }) = attributes::cell(&mut attrs, mistakes) else {
        mistakes.at(
            &name,
            format!("`{name}` has no body: write one, or for a cell write `#[cell]` or `#[cells(len = ..)]` above it"),
        );
        return None;
    };
    let is_index = |arg: &FnArg| matches!(arg, FnArg::Typed(arg) if is_usize(&arg.ty));
    if sig.inputs.len() != usize::from(len.is_some()) || !sig.inputs.iter().all(is_index) {
        let form = if len.is_some() { "(index: usize)" } else { "()" };
        mistakes.at(&name, format!("the form of this cell must be `fn {name}{form} -> T;`"));
    }
    let ReturnType::Type(_, ty) = sig.output else {
        mistakes.at(&name, format!("the cell `{name}` has no type: write `fn {name}(..) -> T;`"));
        return None;
    };
    Some(CellModel { docs: attrs, vis, name, ty: *ty, len })
}
