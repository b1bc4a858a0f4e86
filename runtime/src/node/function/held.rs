//! The arguments of a call, in line or in a box.
//!
//! Arguments of more than 48 bytes travel in a box. They are boxed when the call is made and unboxed when the
//! first fiber begins, so that they are not copied from stack frame to stack frame. A generic function's
//! arguments stay in line until the call is sent, since their size is not known where the function is
//! written.

/// Storage for arguments of type `T` on their way to the first fiber.
pub trait Holds<T>: Send + 'static {
    /// Stores the arguments.
    fn hold(args: T) -> Self;

    /// Returns the arguments.
    fn release(self) -> T;

    /// Borrows the arguments.
    fn peek(&self) -> &T;
}

/// Marker for arguments that are, or are not, stored in line, by their size.
#[derive(Debug)]
pub struct InLine<const IN_LINE: bool>;

/// The type that stores arguments of type `T`.
pub trait ArgStorage<T> {
    /// The storage: `T` or `Box<T>`.
    type Of;
}

impl<T> ArgStorage<T> for InLine<true> {
    type Of = T;
}

impl<T> ArgStorage<T> for InLine<false> {
    type Of = Box<T>;
}

impl<T: Send + 'static> Holds<T> for T {
    #[inline(always)]
    fn hold(args: T) -> T {
        args
    }

    #[inline(always)]
    fn release(self) -> T {
        self
    }

    #[inline(always)]
    fn peek(&self) -> &T {
        self
    }
}

impl<T: Send + 'static> Holds<T> for Box<T> {
    #[inline(always)]
    fn hold(args: T) -> Box<T> {
        Box::new(args)
    }

    #[inline(always)]
    fn release(self) -> T {
        *self
    }

    #[inline(always)]
    fn peek(&self) -> &T {
        self
    }
}
