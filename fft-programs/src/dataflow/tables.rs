//! The part of a plan that takes memory: there is none in a plan for phantoms.

use earth::{Block, Element};
use earth_memory::NoMemory;

/// The part of a plan that takes memory, which a plan for phantoms does without.
#[derive(Debug)]
pub struct Tables<M>(Option<M>);

impl<M> Tables<M> {
    /// These tables.
    pub fn of(tables: M) -> Self {
        Self(Some(tables))
    }

    /// No tables, as in a plan for phantoms.
    pub fn none() -> Self {
        Self(None)
    }

    /// The tables that `plan` makes by options. Without options there are none.
    ///
    /// # Errors
    ///
    /// The errors of `plan`.
    pub fn planned<O, E>(options: Option<O>, plan: impl FnOnce(O) -> Result<M, E>) -> Result<Self, E> {
        options.map(plan).transpose().map(Self)
    }

    /// Other tables in place of these, if there are any.
    #[must_use]
    pub fn map(self, change: impl FnOnce(M) -> M) -> Self {
        Self(self.0.map(change))
    }

    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The tables, if there are any.
    pub fn found(&self) -> Option<&M> {
        self.0.as_ref()
    }

    /// The tables.
    ///
    /// # Panics
    ///
    /// In a plan for phantoms.
    pub fn get(&self) -> &M {
        self.0.as_ref().expect("no job of elements is made with a plan for phantoms")
    }

    /// Makes a block of zero bytes, or a phantom if the plan is for phantoms.
    ///
    /// # Errors
    ///
    /// [`NoMemory`].
    ///
    /// # Panics
    ///
    /// If a block has no such sides.
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
    /// If they are not.
    #[track_caller]
    pub fn check<T: Element>(&self, points: &Block<T>) {
        assert!(self.0.is_some() || points.is_phantom(), "a plan for phantoms and a block with elements");
    }
}
