//! `#[derive(Wire)]`: packs a value field by field.
//!
//! 1. Each variant of an enum becomes a pattern and an expression. The pattern binds its fields to `field_0`,
//!    `field_1` and so on. The expression builds the variant from the fields read. A struct is treated as a
//!    single variant without a number.
//! 2. A match on the patterns packs the number and the fields. A second match adds up their bulk data. A
//!    match on the number that was read selects the expression.
//! 3. The bounds of the implementation are the types of the fields that name a type parameter.
//!
//! The code for a field has the span of the field's type, so that an error points there.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Data, DeriveInput, Error, Fields, Generics, Member, Path, Result, Type, parse_quote};

/// Returns the implementation of `Wire` for a type.
pub(crate) fn derive(item: &DeriveInput) -> Result<TokenStream> {
    let variants: Vec<Variant<'_>> = match &item.data {
        Data::Struct(data) => vec![Variant::new(quote!(Self), None, &data.fields)],
        Data::Enum(data) => {
            let variants =
                data.variants.iter().zip(0..).map(|(syn::Variant { ident, fields, .. }, number)| {
                    Variant::new(quote!(Self::#ident), Some(Literal::u32_unsuffixed(number)), fields)
                });
            variants.collect()
        }
        Data::Union(data) => {
            let why = "a union does not say which of its fields it holds, so it cannot travel: write an enum";
            return Err(Error::new(data.union_token.span, why));
        }
    };
    let fields: Vec<_> = variants.iter().flat_map(|variant| &variant.fields).collect();
    refuse_borrowed(&item.generics, &fields)?;

    let number = number_type(variants.len());
    let packs = variants.iter().map(|variant| variant.pack(&number));
    let reads = variants.iter().map(Variant::read);
    let read = if let Data::Struct(_) = item.data {
        quote!(#(#reads)*)
    } else {
        quote! {
            match <#number as ::earth::Wire>::unpack(input)? {
                #(#reads,)*
                _ => ::core::result::Result::Err(::earth::Undecodable),
            }
        }
    };
    // If a field cannot be read, the fields before it are dropped inside `nested`.
    let read = if fields.is_empty() { read } else { quote!(input.nested(|input| { #read })) };
    let bulk = (!fields.is_empty()).then(|| {
        let bulks = variants.iter().map(Variant::bulk);
        quote! {
            #[inline]
            fn bulk_bytes(&self) -> u64 {
                ::earth::expansion::Bulk::of(self)
            }
            #[inline]
            fn bulk<'bulk>(&'bulk self, bulk: &mut ::earth::expansion::Bulk<'bulk>) {
                match self { #(#bulks,)* }
            }
        }
    });
    let name = &item.ident;
    let generics = with_bounds(item, &fields);
    let (parameters, arguments, bounds) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #parameters ::earth::Wire for #name #arguments #bounds {
            fn pack(self, out: &mut ::earth::Packer) {
                match self { #(#packs)* }
            }
            fn unpack(
                input: &mut ::earth::Unpacker<'_>,
            ) -> ::core::result::Result<Self, ::earth::Undecodable> {
                #read
            }
            #bulk
        }
    })
}

/// Returns the smallest integer type that holds the numbers of this many variants.
fn number_type(variants: usize) -> Ident {
    let name = match variants {
        0..=0x100 => "u8",
        0x101..=0x1_0000 => "u16",
        _ => "u32",
    };
    Ident::new(name, Span::call_site())
}

/// A variant of an enum and its number, or a struct.
struct Variant<'a> {
    path: TokenStream,
    number: Option<Literal>,
    fields: Vec<Field<'a>>,
}

/// A field, and the variable that it is bound to.
struct Field<'a> {
    member: Member,
    ty: &'a Type,
    local: Ident,
}

impl<'a> Variant<'a> {
    fn new(path: TokenStream, number: Option<Literal>, fields: &'a Fields) -> Self {
        let field = |(member, (i, field)): (_, (usize, &'a syn::Field))| {
            let place = Span::call_site().located_at(field.ty.span());
            Field { member, ty: &field.ty, local: format_ident!("field_{i}", span = place) }
        };
        Variant { path, number, fields: fields.members().zip(fields.iter().enumerate()).map(field).collect() }
    }

    fn pattern(&self) -> TokenStream {
        let Variant { path, fields, .. } = self;
        let fields = fields.iter().map(|Field { member, local, .. }| quote!(#member: #local));
        quote!(#path { #(#fields),* })
    }

    /// Returns the match arm that packs the variant.
    fn pack(&self, number_type: &Ident) -> TokenStream {
        let pattern = self.pattern();
        let number =
            self.number.iter().map(|number| quote!(<#number_type as ::earth::Wire>::pack(#number, out);));
        let fields = self.fields.iter().map(|Field { ty, local, .. }| {
            quote_spanned!(local.span()=> <#ty as ::earth::Wire>::pack(#local, out);)
        });
        quote!(#pattern => { #(#number)* #(#fields)* })
    }

    /// Returns the match arm that reads the variant's fields, or the expression alone if it has no number.
    fn read(&self) -> TokenStream {
        let Variant { path, number, fields } = self;
        let number = number.iter();
        let fields = fields.iter().map(|Field { member, ty, local }| {
            let value = quote_spanned!(local.span()=> <#ty as ::earth::Wire>::unpack(input)?);
            quote!(#member: #value)
        });
        quote!(#(#number =>)* ::core::result::Result::Ok(#path { #(#fields),* }))
    }

    /// Returns the match arm that adds up the variant's bulk data.
    fn bulk(&self) -> TokenStream {
        let pattern = self.pattern();
        let fields = self.fields.iter().map(|Field { ty, local, .. }| {
            quote_spanned!(local.span()=> <#ty as ::earth::Wire>::bulk(#local, bulk);)
        });
        quote!(#pattern => { #(#fields)* })
    }
}

/// Refuses references, pointers and slices among the fields. If there are none, it refuses lifetime
/// parameters, which only a type that borrows has.
fn refuse_borrowed(generics: &Generics, fields: &[&Field<'_>]) -> Result<()> {
    let handles = fields.iter().filter_map(|field| match field.ty {
        Type::Reference(reference) => Some(("reference", reference.and_token.span)),
        Type::Ptr(pointer) => Some(("pointer", pointer.star_token.span)),
        Type::Slice(slice) => Some(("slice", slice.bracket_token.span.open())),
        _ => None,
    });
    let lifetimes = generics.lifetimes().map(|lifetime| ("type that borrows", lifetime.lifetime.span()));
    let mut refused: Vec<_> = handles.collect();
    if refused.is_empty() {
        refused.extend(lifetimes);
    }
    let instead = "own the value, or share it within one process as `Shared`";
    let mut errors =
        refused.iter().map(|(what, at)| Error::new(*at, format!("a {what} cannot travel: {instead}")));
    let Some(mut first) = errors.next() else { return Ok(()) };
    errors.for_each(|error| first.combine(error));
    Err(first)
}

/// Returns the generics of a type, with the bounds under which its fields travel.
fn with_bounds(item: &DeriveInput, fields: &[&Field<'_>]) -> Generics {
    let parameters: Vec<_> = item.generics.type_params().map(|parameter| &parameter.ident).collect();
    let mut generics = item.generics.clone();
    let bounds = &mut generics.make_where_clause().predicates;
    for parameter in &parameters {
        bounds.push(parse_quote!(#parameter: 'static));
    }
    for &&Field { ty, .. } in fields {
        let mut names =
            Names { own: &item.ident, parameters: &parameters, named: Vec::new(), holds_itself: false };
        names.visit_type(ty);
        if !names.holds_itself && !names.named.is_empty() {
            bounds.push(parse_quote!(#ty: ::earth::Wire));
        } else {
            for parameter in names.named {
                bounds.push(parse_quote!(#parameter: ::earth::Wire));
            }
        }
    }
    generics
}

/// Type parameters that a field's type names, except inside the derived type itself, and whether the field
/// contains the derived type.
struct Names<'a> {
    own: &'a Ident,
    parameters: &'a [&'a Ident],
    named: Vec<&'a Ident>,
    holds_itself: bool,
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_path(&mut self, path: &'ast Path) {
        let Some(first) = path.segments.first() else { return };
        if path.segments.len() == 1 && (first.ident == "Self" || first.ident == *self.own) {
            self.holds_itself = true;
            return;
        }
        self.named.extend(self.parameters.iter().filter(|parameter| first.ident == ***parameter));
        visit::visit_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::number_type;

    #[test]
    fn the_number_of_a_variant_has_the_fewest_bytes() {
        let types = [0, 1, 256, 257, 65_536, 65_537].map(|variants| number_type(variants).to_string());
        assert_eq!(types, ["u8", "u8", "u8", "u16", "u16", "u32"]);
    }
}
