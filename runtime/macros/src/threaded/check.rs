//! Checks of a function as a whole.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Ident, ReturnType};

use super::mistakes::Mistakes;
use super::model::{Fiber, Function};
use super::types::find_ident;

/// Reports mistakes. Removes fibers and cells whose name is already taken.
pub(super) fn function(function: &mut Function, mistakes: &mut Mistakes) {
    ends(function, mistakes);
    for fiber in &function.fibers {
        let name = fiber.name();
        if fiber.inlets.is_empty() && fiber.slot().is_some_and(|slot| slot.syncs.is_none()) {
            mistakes.at(
                name,
                format!(
                    "`{name}` is never enabled: its slot counts no inlets and no signals. Write `#[slot(sync)]` for \
                     one signal, `#[slot(syncs = count)]` for several, or `#[spawned]`"
                ),
            );
        }
        report_duplicates(
            fiber.inlets.iter().map(|inlet| &inlet.name),
            "another inlet of this fiber has this name",
            mistakes,
        );
    }
    let mut names = vec![Ident::new("call", Span::call_site()), function.first.code.sig.ident.clone()];
    let mut is_new = |name: &Ident| {
        let new = !names.contains(name);
        if *name == "call" {
            mistakes.at(name, "`call` is reserved: it is the name of the function that makes a call");
        } else if !new {
            mistakes.at(name, "another fiber or cell has this name");
        }
        names.push(name.clone());
        new
    };
    function.fibers.retain(|fiber| is_new(fiber.name()));
    function.cells.retain(|cell| is_new(&cell.name));
    let args = function.first.args.iter().map(|arg| &arg.name);
    let sizes = function.sizes.iter().map(|size| &size.name);
    report_duplicates(args.chain(sizes), "another argument or size has this name", mistakes);
}

/// Checks that some fiber ends the function, and that the fibers after the first have a state.
fn ends(function: &Function, mistakes: &mut Mistakes) {
    let says = |output: &ReturnType, name: &str| {
        find_ident(output.to_token_stream(), &|ident| ident == name).is_some()
    };
    let begun = &function.first.code.sig;
    if matches!(begun.output, ReturnType::Default) {
        if !function.fibers.is_empty() {
            mistakes.at(
                &begun.ident,
                "this fiber returns no state, so the function ends with it and its other fibers never run: return \
                 `Self`, or `Start<Self>` to decide at run time",
            );
        }
        return;
    }
    let first_ends =
        says(&begun.output, "Start") || find_ident(&begun.output, &|ident| ident == "Self").is_none();
    let ends = |fiber: &Fiber| fiber.takes_state || says(&fiber.code.sig.output, "Then");
    if !first_ends && !function.fibers.iter().any(ends) {
        mistakes.at(
            &function.state,
            "no fiber ends this function: let one take `self` by value (it ends the frame) or return `Then` \
             (`Then::Wait` or `Then::End`)",
        );
    }
}

fn report_duplicates<'a>(names: impl Iterator<Item = &'a Ident>, sentence: &str, mistakes: &mut Mistakes) {
    let mut seen = Vec::new();
    for name in names {
        if seen.contains(&name) {
            mistakes.at(name, sentence);
        } else {
            seen.push(name);
        }
    }
}
