//! The part of a plan that takes memory. A plan for phantoms has none.

use earth::{Block, Element};
use earth_memory::NoMemory;

/// Part of a plan that takes memory. It is empty in a plan for phantoms.
#[derive(Debug)]
pub struct Tables<M>(Option<M>);

impl<M> Tables<M> {
    /// Wraps tables.
    pub fn of(tables: M) -> Self {
        Self(Some(tables))
    }

    /// Makes empty tables, for a plan for phantoms.
    pub fn none() -> Self {
        Self(None)
    }

    /// Makes tables by `plan` with the options. Without options they are empty.
    ///
    /// # Errors
    ///
    /// The errors of `plan`.
    pub fn planned<O, E>(options: Option<O>, plan: impl FnOnce(O) -> Result<M, E>) -> Result<Self, E> {
        options.map(plan).transpose().map(Self)
    }

    /// Applies `change` to the tables, if there are any.
    #[must_use]
    pub fn map(self, change: impl FnOnce(M) -> M) -> Self {
        Self(self.0.map(change))
    }

    /// Returns whether the tables are empty.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the tables, if there are any.
    pub fn found(&self) -> Option<&M> {
        self.0.as_ref()
    }

    /// Returns the tables.
    ///
    /// # Panics
    ///
    /// If the plan is for phantoms.
    pub fn get(&self) -> &M {
        self.0.as_ref().expect("a plan for phantoms takes only phantoms")
    }

    /// Makes a block of zero bytes, or a phantom if the plan is for phantoms.
    ///
    /// # Errors
    ///
    /// [`NoMemory`].
    ///
    /// # Panics
    ///
    /// If no block can have these sides.
    pub fn zeroed<T: Element>(&self, rows: usize, cols: usize) -> Result<Block<T>, NoMemory> {
        match self.0 {
            Some(_) => Block::try_zeroed(rows, cols, "a second matrix"),
            None => Ok(Block::phantom(rows, cols).unwrap_or_else(|error| panic!("{error}"))),
        }
    }

    /// Checks that `points` are a phantom if the plan is for phantoms.
    ///
    /// # Panics
    ///
    /// If the plan is for phantoms and `points` are not a phantom.
    #[track_caller]
    pub fn check<T: Element>(&self, points: &Block<T>) {
        assert!(self.0.is_some() || points.is_phantom(), "a plan for phantoms and a block with elements");
    }
}
