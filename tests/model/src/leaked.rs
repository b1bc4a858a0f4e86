//! Sharing without a destructor, for models that must fail.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

/// Stands in for `Arc` and never drops its value.
///
/// When a model fails, loom abandons its threads in the middle of their work. Dropping one of loom's objects
/// may then be an operation outside the model, and its panic would abort the test binary. A failing model
/// runs only until its first failure, so it leaks little.
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
