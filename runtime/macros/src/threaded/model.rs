//! The parts of a threaded function as written.

use syn::{Attribute, Expr, Generics, Ident, ImplItem, ImplItemFn, Type, Visibility};

pub(super) struct Function {
    /// Attributes of the block.
    pub(super) attrs: Vec<Attribute>,
    pub(super) generics: Generics,
    /// Type of the frame's state.
    pub(super) state: Type,
    /// Whether arguments and values must not be boxed.
    pub(super) in_line: bool,
    pub(super) sizes: Vec<Size>,
    pub(super) first: First,
    pub(super) fibers: Vec<Fiber>,
    pub(super) cells: Vec<CellModel>,
    /// Items that do not belong to a function. They are reported as mistakes.
    pub(super) foreign_items: Vec<ImplItem>,
}

/// A named size.
pub(super) struct Size {
    pub(super) name: Ident,
    pub(super) value: Expr,
}

pub(super) struct First {
    pub(super) code: ImplItemFn,
    pub(super) args: Vec<Argument>,
    pub(super) takes_eu: bool,
}

pub(super) struct Argument {
    pub(super) name: Ident,
    pub(super) ty: Type,
}

/// A fiber after the first one.
pub(super) struct Fiber {
    pub(super) code: ImplItemFn,
    /// Whether it takes the state by value and so ends the frame.
    pub(super) takes_state: bool,
    pub(super) index: Option<Ident>,
    pub(super) inlets: Vec<InletModel>,
    pub(super) takes_eu: bool,
    pub(super) enabled: Enabled,
}

/// The way in which a fiber is enabled.
pub(super) enum Enabled {
    By(Box<SlotModel>),
    Directly,
}

/// A parameter of a fiber that receives one or more values.
pub(super) struct InletModel {
    pub(super) name: Ident,
    /// Type of one value.
    pub(super) ty: Type,
    pub(super) many: Many,
}

/// Number of inlets of a parameter.
pub(super) enum Many {
    One,
    /// A fixed number of inlets, each declared like a single one.
    Fixed(u32),
    /// A number that is known when the frame starts.
    Sized(Expr),
}

/// The slot of a fiber, or its array of slots. It counts the inlets and `syncs` more signals.
#[derive(Default)]
pub(super) struct SlotModel {
    /// Length, for an array of slots.
    pub(super) len: Option<Expr>,
    pub(super) syncs: Option<Expr>,
    pub(super) again: bool,
    /// Further signals that only the first round counts.
    pub(super) first: Option<Expr>,
}

/// A write-once cell, or an array of cells.
pub(super) struct CellModel {
    pub(super) docs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) name: Ident,
    pub(super) ty: Type,
    /// Length, for an array of cells.
    pub(super) len: Option<Expr>,
}

impl InletModel {
    /// Returns the number of inlets that it declares. An array of run-time length counts as one.
    pub(super) fn declared(&self) -> usize {
        match self.many {
            Many::Fixed(len) => len as usize,
            Many::One | Many::Sized(_) => 1,
        }
    }

    /// Returns the length if it is known only when the frame starts.
    pub(super) fn sized(&self) -> Option<&Expr> {
        match &self.many {
            Many::Sized(len) => Some(len),
            Many::One | Many::Fixed(_) => None,
        }
    }
}

impl Fiber {
    /// Returns the number of inlets that its parameters declare.
    pub(super) fn declared(&self) -> usize {
        self.inlets.iter().map(InletModel::declared).sum()
    }

    pub(super) fn name(&self) -> &Ident {
        &self.code.sig.ident
    }

    pub(super) fn slot(&self) -> Option<&SlotModel> {
        match &self.enabled {
            Enabled::By(slot) => Some(slot),
            Enabled::Directly => None,
        }
    }
}
