//! Sharing without an end, for models that are found wrong.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

/// Stands in for `Arc` and never drops what it holds.
///
/// When loom finds a model wrong, the model's threads are abandoned where they are. Dropping one of loom's
/// objects may then be an operation outside the model: a second panic, which aborts the test binary. A
/// failing model is run until it fails once, so what it leaks is little.
#[derive(Debug)]
pub struct Leaked<T>(Arc<ManuallyDrop<T>>);

impl<T> Leaked<T> {
    /// Shares `value`.
    pub fn new(value: T) -> Self {
        Self(Arc::new(ManuallyDrop::new(value)))
    }
}

impl<T> Clone for Leaked<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Leaked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
