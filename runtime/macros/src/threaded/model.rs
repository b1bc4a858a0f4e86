//! A threaded function as it was written, taken apart.

use syn::{Attribute, Expr, Generics, Ident, ImplItem, ImplItemFn, Type, Visibility};

/// The function.
pub(super) struct Function {
    /// The attributes of the block.
    pub(super) attrs: Vec<Attribute>,
    pub(super) generics: Generics,
    /// The type that is the state of a frame.
    pub(super) state: Type,
    /// Whether nothing that travels may be boxed.
    pub(super) in_line: bool,
    pub(super) sizes: Vec<Size>,
    pub(super) first: First,
    pub(super) fibers: Vec<Fiber>,
    pub(super) cells: Vec<Cell>,
    /// What is no part of a function, and a mistake here.
    pub(super) strays: Vec<ImplItem>,
}

/// A size that has a name.
pub(super) struct Size {
    pub(super) name: Ident,
    pub(super) value: Expr,
}

/// The first fiber.
pub(super) struct First {
    pub(super) code: ImplItemFn,
    pub(super) args: Vec<Argument>,
    pub(super) takes_eu: bool,
}

/// An argument of the function.
pub(super) struct Argument {
    pub(super) name: Ident,
    pub(super) ty: Type,
}

/// A fiber after the first one.
pub(super) struct Fiber {
    pub(super) code: ImplItemFn,
    /// Whether it takes the state, and ends the frame.
    pub(super) takes_state: bool,
    pub(super) index: Option<Ident>,
    pub(super) inlets: Vec<Inlet>,
    pub(super) takes_eu: bool,
    pub(super) enabled: Enabled,
}

/// What enables a fiber.
pub(super) enum Enabled {
    By(Box<Slot>),
    Directly,
}

/// A parameter of a fiber in which a value arrives, or many.
pub(super) struct Inlet {
    pub(super) name: Ident,
    /// The type of a value.
    pub(super) ty: Type,
    pub(super) many: Many,
}

/// How many inlets a parameter is.
pub(super) enum Many {
    One,
    /// So many, each declared like a single one.
    Fixed(u32),
    /// As many as the frame knows when it starts.
    Sized(Expr),
}

/// The slot of a fiber, or its slots. It counts the inlets and these signals more.
#[derive(Default)]
pub(super) struct Slot {
    /// How many there are, in an array.
    pub(super) len: Option<Expr>,
    pub(super) syncs: Option<Expr>,
    /// Whether it resets.
    pub(super) again: bool,
    /// The signals that only its first round counts.
    pub(super) first: Option<Expr>,
}

/// A write-once cell, or an array.
pub(super) struct Cell {
    pub(super) docs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) name: Ident,
    pub(super) ty: Type,
    /// How many there are, in an array.
    pub(super) len: Option<Expr>,
}

impl Inlet {
    /// How many inlets it declares: an array whose length the frame knows is one.
    pub(super) fn declared(&self) -> usize {
        match self.many {
            Many::Fixed(len) => len as usize,
            Many::One | Many::Sized(_) => 1,
        }
    }

    /// The length, if the frame knows it when it starts.
    pub(super) fn sized(&self) -> Option<&Expr> {
        match &self.many {
            Many::Sized(len) => Some(len),
            Many::One | Many::Fixed(_) => None,
        }
    }
}

impl Fiber {
    /// How many inlets its parameters declare.
    pub(super) fn declared(&self) -> usize {
        self.inlets.iter().map(Inlet::declared).sum()
    }

    pub(super) fn name(&self) -> &Ident {
        &self.code.sig.ident
    }

    pub(super) fn slot(&self) -> Option<&Slot> {
        match &self.enabled {
            Enabled::By(slot) => Some(slot),
            Enabled::Directly => None,
        }
    }
}
