//! A token that is made when the values that it takes are there.
//!
//! A function that starts, requests values and waits for them stays on the node where it started, so no other
//! node takes its work over. [`Eu::token_when`] separates the waiting from the work:
//!
//! 1. A small function on the maker's node requests the values and waits for them.
//! 2. When the last one has arrived, it makes the call with them, and starts it as a token. An idle node may
//!    steal that token, as any other.
//!
//! # Cost
//!
//! An invoke on this node, a frame, two fibers and the requests, in addition to the token. A value on another
//! node costs two messages. A stolen token costs two messages more, and carries the values.
//!
//! # When it loses
//!
//! If the work takes less than a microsecond, a function that requests the values itself is cheaper, since
//! it has only one frame.

use std::marker::PhantomData;

use super::stream::Stays;
use crate::{Arrived, Call, CellRef, Eu, Reply, Start, Threaded, Wire, threaded};

/// A value that a fiber can request: the value of a cell, or the answer to an [`ask`].
pub trait Source: Send + 'static {
    /// The value.
    type Value: Wire;

    /// Requests the value. It must arrive at `to`, once.
    fn request(self, to: Reply<Self::Value>, eu: &mut Eu);
}

impl<T: Wire + Clone> Source for CellRef<T> {
    type Value = T;
    fn request(self, to: Reply<T>, eu: &mut Eu) {
        eu.get(self, to);
    }
}

/// The answer to a question that a closure asks. [`ask`] makes it.
#[derive(Debug)]
pub struct Ask<T, Q> {
    asks: Q,
    answer: PhantomData<fn(T)>,
}

/// Returns the answer to a question, for [`Eu::token_when`]. `asks` sends the question with the reply for its
/// answer: it starts a function, or puts the reply to one that is there.
pub fn ask<T: Wire, Q: FnOnce(Reply<T>, &mut Eu) + Send + 'static>(asks: Q) -> Ask<T, Q> {
    Ask { asks, answer: PhantomData }
}

impl<T: Wire, Q: FnOnce(Reply<T>, &mut Eu) + Send + 'static> Source for Ask<T, Q> {
    type Value = T;
    fn request(self, to: Reply<T>, eu: &mut Eu) {
        (self.asks)(to, eu);
    }
}

/// Values that a token waits for: a [`Source`], a tuple of two to four of them, or a `Vec`.
pub trait Awaited: sealed::Sealed + Send + 'static {
    /// The values, when they are there.
    type Values;

    /// Starts the function that waits for them.
    #[doc(hidden)]
    fn wait<G: Threaded>(
        self,
        call: impl FnOnce(Self::Values) -> Call<G> + Send + 'static,
        eu: &mut Eu<impl Sized>,
    );
}

impl<F> Eu<F> {
    /// Starts a function as a [token](Self::token) when values are there: values of cells, or answers to
    /// questions. `call` makes its call from the values.
    ///
    /// The values are requested by this node after the running fiber has ended. `call` runs on this node as
    /// well, so it may hold what does not travel. The token runs on any node.
    ///
    /// ```
    /// use earth::patterns::ask;
    /// use earth::{CellRef, Eu, Machine, NodeId, Reply, threaded};
    ///
    /// /// The area of a rectangle, one side of which is in a cell. A function on the last node knows the
    /// /// other.
    /// struct Area {
    ///     out: Reply<u64>,
    /// }
    ///
    /// #[threaded]
    /// impl Area {
    ///     fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
    ///         let (width, last) = (eu.cell_ref(Self::width()), NodeId::new(eu.nodes() - 1));
    ///         let height = ask(move |to, eu| eu.invoke(last, Height::call(to)));
    ///         let area = eu.reply(Self::done().area);
    ///         eu.token_when((width, height), move |(w, h)| Product::call(w, h, area));
    ///         eu.write(width, 6);
    ///         Area { out }
    ///     }
    ///
    ///     #[cell]
    ///     fn width() -> u64;
    ///
    ///     #[slot]
    ///     fn done(self, area: u64, eu: &mut Eu<Self>) {
    ///         eu.put(self.out, area);
    ///     }
    /// }
    ///
    /// struct Height;
    ///
    /// #[threaded]
    /// impl Height {
    ///     fn start(to: Reply<u64>, eu: &mut Eu<Self>) {
    ///         eu.put(to, 7);
    ///     }
    /// }
    ///
    /// struct Product;
    ///
    /// #[threaded]
    /// impl Product {
    ///     fn start(a: u64, b: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
    ///         eu.put(to, a * b);
    ///     }
    /// }
    ///
    /// assert_eq!(Machine::threads(2).run(Area::call)?.value, 42);
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors of the run
    ///
    /// The errors of [`get`](Self::get) and [`token`](Self::token). A value that never comes leaves the run
    /// [stuck](crate::Error::Stuck).
    pub fn token_when<W: Awaited, G: Threaded>(
        &mut self,
        values: W,
        call: impl FnOnce(W::Values) -> Call<G> + Send + 'static,
    ) {
        values.wait(call, self);
    }
}

/// Waits for the values of a list.
struct WhenAll<S: Source, G, C> {
    call: C,
    of: PhantomData<fn(S) -> G>,
}

#[threaded(count = sources.0.len())]
impl<S: Source, G: Threaded, C: FnOnce(Vec<S::Value>) -> Call<G> + Send + 'static> WhenAll<S, G, C> {
    fn start(sources: Stays<Vec<S>>, call: Stays<C>, eu: &mut Eu<Self>) -> Start<Self> {
        if count == 0 {
            eu.token((call.0)(Vec::new()));
            return Start::End;
        }
        let to = eu.replies(Self::all().values);
        sources.0.into_iter().enumerate().for_each(|(i, source)| source.request(to.at(i), eu));
        Start::Wait(WhenAll { call: call.0, of: PhantomData })
    }

    #[slot]
    fn all(self, #[inlets(count)] values: Arrived<'_, S::Value>, eu: &mut Eu<Self>) {
        let values = values.collect();
        eu.token((self.call)(values));
    }
}

impl<S: Source> Awaited for Vec<S> {
    type Values = Vec<S::Value>;
    fn wait<G: Threaded>(
        self,
        call: impl FnOnce(Self::Values) -> Call<G> + Send + 'static,
        eu: &mut Eu<impl Sized>,
    ) {
        eu.invoke(eu.node(), WhenAll::call(Stays(self), Stays(call)));
    }
}

/// Implements the trait for these sources, whose values are `$values`.
macro_rules! awaited {
    ($($when:ident: $($source:ident $value:ident)+ => $sources:ty, $values:ty, $pattern:tt;)+) => {$(
        /// Waits for the values.
        struct $when<$($source: Source,)+ G, C> {
            call: C,
            of: PhantomData<fn($($source,)+) -> G>,
        }

        #[threaded]
        impl<$($source: Source,)+ G: Threaded, C: FnOnce($values) -> Call<G> + Send + 'static>
            $when<$($source,)+ G, C>
        {
            fn start(sources: Stays<$sources>, call: Stays<C>, eu: &mut Eu<Self>) -> Self {
                let $pattern = sources.0;
                $($value.request(eu.reply(Self::all().$value), eu);)+
                $when { call: call.0, of: PhantomData }
            }

            #[slot]
            fn all(self, $($value: $source::Value,)+ eu: &mut Eu<Self>) {
                eu.token((self.call)($pattern));
            }
        }

        impl<$($source: Source),+> Awaited for $sources {
            type Values = $values;
            fn wait<T: Threaded>(
                self,
                call: impl FnOnce($values) -> Call<T> + Send + 'static,
                eu: &mut Eu<impl Sized>,
            ) {
                eu.invoke(eu.node(), $when::call(Stays(self), Stays(call)));
            }
        }

        impl<$($source: Source),+> sealed::Sealed for $sources {}
    )+};
}
awaited! {
    When: A a => A, A::Value, a;
    WhenBoth: A a B b => (A, B), (A::Value, B::Value), (a, b);
    WhenThree: A a B b D d => (A, B, D), (A::Value, B::Value, D::Value), (a, b, d);
    WhenFour: A a B b D d E e => (A, B, D, E), (A::Value, B::Value, D::Value, E::Value), (a, b, d, e);
}

mod sealed {
    /// Implemented in this crate alone.
    pub trait Sealed {}
    impl<S: super::Source> Sealed for Vec<S> {}
}
