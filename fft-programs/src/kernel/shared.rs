//! The kernels of a planner's plans, so that plans with rows, columns or real numbers of one length share their tables.
//!
//! A planner keeps a kernel for as long as one of its plans has it: it knows kernels by weak references alone.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Weak};

use earth_fftw::Effort;
use parking_lot::Mutex;

use super::Kernel;

/// The kernels that plans have.
#[derive(Default)]
pub(crate) struct SharedKernels(Mutex<Vec<(Wanted, Box<dyn Held>)>>);

/// A kernel, as it is asked for.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) role: Role,
    pub(crate) kernel: Kernel,
    pub(crate) effort: Effort,
    pub(crate) len: usize,
}

/// For what a kernel is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Rows,
    NestedRows,
    Columns,
    Real,
    /// Rows of a matrix of so many rows.
    Turned(usize),
}

/// A weak reference to a kernel of any kind and precision.
trait Held: Any + Send + Sync {
    fn is_there(&self) -> bool;
}

impl<K: ?Sized + Send + Sync + 'static> Held for Weak<K> {
    fn is_there(&self) -> bool {
        self.strong_count() > 0
    }
}

impl SharedKernels {
    /// The kernel that a plan has, or the one that is made for another plan to have.
    ///
    /// # Errors
    ///
    /// Those of `make`.
    pub(crate) fn of<K: ?Sized + Send + Sync + 'static, E>(
        &self,
        wanted: Wanted,
        make: impl FnOnce() -> Result<Arc<K>, E>,
    ) -> Result<Arc<K>, E> {
        let of_kind = |held: &dyn Held| (held as &dyn Any).downcast_ref::<Weak<K>>()?.upgrade();
        let find = |kept: &[(Wanted, Box<dyn Held>)]| {
            kept.iter().find_map(|(of, held)| if *of == wanted { of_kind(&**held) } else { None })
        };
        if let Some(found) = find(&self.0.lock()) {
            return Ok(found);
        }
        // Without the lock, since a library may measure for seconds. Of two threads that make a kernel one's is kept.
        let made = make()?;
        let mut kept = self.0.lock();
        if let Some(found) = find(&kept) {
            return Ok(found);
        }
        kept.retain(|(_, held)| held.is_there());
        kept.push((wanted, Box::new(Arc::downgrade(&made))));
        Ok(made)
    }
}

impl fmt::Debug for SharedKernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedKernels").field("kernels", &self.0.lock().len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn wanted(len: usize) -> Wanted {
        Wanted { role: Role::Rows, kernel: Kernel::Earth, effort: Effort::Estimate, len }
    }

    #[test]
    fn a_kernel_is_kept_as_long_as_somebody_has_it() {
        let kept = SharedKernels::default();
        let of = |len, value| kept.of(wanted(len), || Ok::<Arc<u32>, Infallible>(Arc::new(value))).unwrap();
        let first = of(8, 1);
        assert!(Arc::ptr_eq(&first, &of(8, 2)));
        assert_eq!([3, 4].map(|value| *of(9, value)), [3, 4]);
        // Another type is another kernel.
        let other = kept.of(wanted(8), || Ok::<Arc<u64>, Infallible>(Arc::new(5))).unwrap();
        assert_eq!((*first, *other), (1, 5));
        drop(first);
        assert_eq!(*of(8, 6), 6);
    }

    #[test]
    fn a_kernel_that_is_not_made_is_not_kept() {
        let kept = SharedKernels::default();
        assert_eq!(kept.of::<u32, _>(wanted(8), || Err("none")), Err("none"));
        assert_eq!(kept.of(wanted(8), || Ok::<_, &str>(Arc::new(1))), Ok(Arc::new(1)));
    }
}
