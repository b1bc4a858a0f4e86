//! The arguments of a call, in line or in a box.
//!
//! Arguments of more than 48 bytes travel in a box. If they get into it when the call is made, and are taken out when the
//! first fiber begins, they are not copied from stack frame to stack frame in between. A generic function's arguments lie
//! in line until the call is sent, since their size is not known where the function is written.

/// Arguments of the type `T` on their way to the first fiber.
pub trait Holds<T>: Send + 'static {
    /// Takes the arguments.
    fn hold(args: T) -> Self;

    /// Gives the arguments.
    fn release(self) -> T;

    /// Looks at the arguments.
    fn peek(&self) -> &T;
}

/// Whether arguments are held in line, by their size.
#[derive(Debug)]
pub struct InLine<const IN_LINE: bool>;

/// The type that holds arguments of the type `T`.
pub trait Held<T> {
    /// That type.
    type Of;
}

impl<T> Held<T> for InLine<true> {
    type Of = T;
}

impl<T> Held<T> for InLine<false> {
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
