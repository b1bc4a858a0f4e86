//! The kernels of the process. Plans with rows, columns or real numbers of one length share their tables.
//!
//! 1. The process has a weak reference to each kernel, and shares the kernel as long as a plan has it.
//! 2. It keeps the last used kernels without a plan: at most [`RECENT`] kernels, of at most [`POINTS`] points
//!    together. A program that plans again at each call therefore makes the tables of its lengths once. A
//!    kept point needs one or two factors in tables, so at most some 4 MiB are kept.
//!
//! A library's kernels are shared, too, but never kept: the library has its own store.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Weak};

use earth_fftw::Effort;
use earth_signal::ProcessLock;

use super::Kernel;

/// The most kernels that are kept without a plan.
const RECENT: usize = 16;

/// The most points of the kernels that are kept without a plan.
const POINTS: usize = 1 << 17;

/// The kernels that plans of this process use or used last.
pub(super) static KERNELS: SharedKernels = SharedKernels::new();

/// Kernels, found by their request.
#[derive(Debug)]
pub(super) struct SharedKernels(ProcessLock<Known>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Wanted {
    pub(super) role: Role,
    pub(super) kernel: Kernel,
    pub(super) effort: Effort,
    pub(super) len: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Role {
    Rows,
    NestedRows,
    Columns,
    Real,
    /// Rows of a matrix with this number of rows.
    Turned(usize),
}

/// The request, and the type of the kernel, which includes the precision.
type Key = (Wanted, TypeId);

#[derive(Debug)]
struct Known {
    /// Weak references to all kernels.
    held: BTreeMap<Key, Box<dyn Held>>,
    /// Kept kernels, the last used one first.
    recent: VecDeque<(Key, Box<dyn Any + Send + Sync>)>,
}

/// A weak reference to a kernel of any kind and precision.
trait Held: Any + Send + Sync + std::fmt::Debug {
    fn is_there(&self) -> bool;
}

impl<K: ?Sized + Send + Sync + 'static> Held for Weak<K> {
    fn is_there(&self) -> bool {
        self.strong_count() > 0
    }
}

impl Wanted {
    /// Returns the number of points that have a factor in the kernel's tables.
    fn points(&self) -> usize {
        match self.role {
            Role::Turned(rows) => self.len.saturating_mul(rows),
            Role::Rows | Role::NestedRows | Role::Columns | Role::Real => self.len,
        }
    }
}

impl Known {
    /// Returns the kernel, if a plan has it or it is kept.
    fn find<K: ?Sized + Send + Sync + 'static>(&self, key: &Key) -> Option<Arc<K>> {
        (&**self.held.get(key)? as &dyn Any).downcast_ref::<Weak<K>>()?.upgrade()
    }

    /// Marks a kernel as the last used one.
    fn keep<K: ?Sized + Send + Sync + 'static>(&mut self, key: Key, kernel: &Arc<K>) {
        if !key.0.kernel.is_own() || key.0.points() > POINTS {
            return;
        }
        if self.recent.front().is_some_and(|(first, _)| *first == key) {
            return;
        }
        let found = self.recent.iter().position(|(kept, _)| *kept == key);
        let kept = found.and_then(|at| self.recent.remove(at));
        self.recent.push_front(kept.unwrap_or_else(|| (key, Box::new(Arc::clone(kernel)))));
        let mut points = 0;
        let fit = self.recent.iter().take(RECENT).take_while(|((wanted, _), _)| {
            points += wanted.points();
            points <= POINTS
        });
        self.recent.truncate(fit.count());
    }
}

impl SharedKernels {
    const fn new() -> Self {
        Self(ProcessLock::new(Known { held: BTreeMap::new(), recent: VecDeque::new() }))
    }

    /// Returns the kernel that another plan uses or used last, or the new one that `make` returns.
    pub(super) fn of<K: ?Sized + Send + Sync + 'static, E>(
        &self,
        wanted: Wanted,
        make: impl FnOnce() -> Result<Arc<K>, E>,
    ) -> Result<Arc<K>, E> {
        let key = (wanted, TypeId::of::<K>());
        {
            // A forked child may be unable to take the lock. It then shares no kernels.
            let Some(mut known) = self.0.lock() else { return make() };
            if let Some(found) = known.find(&key) {
                known.keep(key, &found);
                return Ok(found);
            }
        }
        // The lock is released, because a library may measure for seconds. If two threads make a kernel, one
        // of both is kept.
        let made = make()?;
        let Some(mut known) = self.0.lock() else { return Ok(made) };
        let kernel = known.find(&key).unwrap_or_else(|| {
            known.held.retain(|_, held| held.is_there());
            known.held.insert(key.clone(), Box::new(Arc::downgrade(&made)));
            made
        });
        known.keep(key, &kernel);
        Ok(kernel)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn wanted(len: usize) -> Wanted {
        Wanted { role: Role::Rows, kernel: Kernel::Earth, effort: Effort::Estimate, len }
    }

    /// Returns the value of the kernel of a length, made of `value` if it is missing.
    fn of(kernels: &SharedKernels, wanted: Wanted, value: u32) -> Arc<u32> {
        kernels.of(wanted, || Ok::<_, Infallible>(Arc::new(value))).unwrap()
    }

    #[test]
    fn a_kernel_that_is_not_kept_is_shared_as_long_as_somebody_has_it() {
        let long = wanted(POINTS + 1);
        let library = Wanted { kernel: Kernel::Fftw, ..wanted(8) };
        let turned = Wanted { role: Role::Turned(POINTS / 8 + 1), ..wanted(8) };
        for wanted in [long, library, turned] {
            let kernels = SharedKernels::new();
            let first = of(&kernels, wanted.clone(), 1);
            assert!(Arc::ptr_eq(&first, &of(&kernels, wanted.clone(), 2)));
            // Another type is another kernel.
            let other = kernels.of(wanted.clone(), || Ok::<_, Infallible>(Arc::new(5_u64))).unwrap();
            assert_eq!((*first, *other), (1, 5));
            drop(first);
            assert_eq!(*of(&kernels, wanted, 6), 6);
        }
    }

    #[test]
    fn kernels_that_were_used_last_are_kept() {
        let kernels = SharedKernels::new();
        for len in 1..=RECENT {
            assert_eq!(*of(&kernels, wanted(len), 1), 1);
        }
        // The first is used again, so the second is the one that is dropped.
        assert_eq!(*of(&kernels, wanted(1), 2), 1);
        assert_eq!(*of(&kernels, wanted(100), 2), 2);
        assert_eq!([1, 3, RECENT, 100].map(|len| *of(&kernels, wanted(len), 3)), [1, 1, 1, 2]);
        assert_eq!(*of(&kernels, wanted(2), 3), 3);
    }

    #[test]
    fn kernels_are_kept_up_to_a_number_of_points() {
        let kernels = SharedKernels::new();
        let [half, rest] = [POINTS / 2, POINTS / 2 + 1];
        for len in [rest, half, half - 1] {
            of(&kernels, wanted(len), 1);
        }
        assert_eq!([half - 1, half].map(|len| *of(&kernels, wanted(len), 2)), [1, 1]);
        assert_eq!(*of(&kernels, wanted(rest), 2), 2);
    }

    #[test]
    fn a_kernel_that_is_not_made_is_not_kept() {
        let kernels = SharedKernels::new();
        assert_eq!(kernels.of::<u32, _>(wanted(8), || Err("none")), Err("none"));
        assert_eq!(kernels.of(wanted(8), || Ok::<_, &str>(Arc::new(1))), Ok(Arc::new(1)));
    }
}
