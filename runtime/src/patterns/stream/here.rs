//! Sources and sinks that stay on their node: a file, a socket, a lock.
//!
//! [`Streams`](super::Streams) keeps such a source in its own frame, on the node of the sink. The address of
//! an inlet of that frame travels to the function that takes the source's items. That function puts the
//! address of its own inlet there. Then the source starts where it is.
//!
//! # Cost
//!
//! A put and a fiber more than for a source that travels. The put is a message instead of the invoke that
//! would start the source.
//!
//! # When it loses
//!
//! Source and sink share a node. If both are much work, a source that travels has a node of its own.

use std::fmt;

use super::source::Source;
use super::{Batch, Flow, Held, Line, Sink, Upstream};
use crate::{Eu, Packer, Reply, Undecodable, Unpacker, Wire};

/// A value that stays on its node, such as a [`Sink`] with a file. It may be an argument of a function that
/// starts on the same node, or in the same process.
///
/// It has no bytes. A run that sends one to another process, or
/// [through bytes](crate::Machine::through_bytes) to another node, ends with
/// [`Error::StaysInProcess`](crate::Error::StaysInProcess).
///
/// ```
/// use std::io::{BufWriter, Write};
///
/// use earth::Machine;
/// use earth::patterns::{Flow, Sink, Stays, Streams, items};
///
/// /// Writes each number in a line.
/// struct Lines<W: Write>(W);
///
/// impl<W: Write + Send + 'static> Sink<u64> for Lines<W> {
///     type Output = Result<(), String>;
///     fn take(&mut self, item: u64) {
///         // The writer reports an error again at the end.
///         _ = writeln!(self.0, "{item}");
///     }
///     fn finish(&mut self) -> Result<(), String> {
///         self.0.flush().map_err(|error| error.to_string())
///     }
/// }
///
/// let file = BufWriter::new(std::io::sink());
/// let run = Machine::threads(2)
///     .run(|out| Streams::call(items(0..100), Stays(Lines(file)), Flow::default(), out))?;
/// assert_eq!(run.value, Ok(()));
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stays<T>(pub T);

impl<T: Send + 'static> Wire for Stays<T> {
    fn pack(self, out: &mut Packer) {
        out.stays::<T>();
    }
    fn unpack(_: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Err(Undecodable)
    }
}

impl<I: Iterator> Iterator for Stays<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }
}

impl<T: Wire, K: Sink<T>> Sink<T> for Stays<K> {
    type Output = K::Output;
    fn take(&mut self, item: T) {
        self.0.take(item);
    }
    fn finish(&mut self) -> K::Output {
        self.0.finish()
    }
    fn has_enough(&self) -> bool {
        self.0.has_enough()
    }
}

impl<I: Iterator<Item: Wire> + Send + 'static> Held for Stays<I> {
    type Item = I::Item;
    fn begin(self, flow: Flow, to: Reply<Batch<I::Item>>, eu: &mut Eu) {
        eu.invoke(eu.node(), Source::call(self, flow, to));
    }
}

/// Returns the stream of the items of an iterator that stays on the node where [`Streams`](super::Streams)
/// starts. The iterator need not be [`Wire`]: it may read a file or a socket. Only its items travel.
///
/// While a fiber waits in `next`, its node runs no other fiber.
///
/// ```
/// use std::io::BufRead;
///
/// use earth::patterns::{Flow, Streams, Upstream, items_here};
/// use earth::{Machine, Shared};
///
/// let file = std::io::Cursor::new("to be\nor not\nto be");
/// let words = Shared::new(|line: String| line.split(' ').count() as u64);
/// let counts = items_here(file.lines().map_while(Result::ok)).farm(2, words);
/// let run = Machine::threads(2).run(|out| Streams::call(counts, Vec::new(), Flow::default(), out))?;
/// assert_eq!(run.value, [2, 2, 2]);
/// # Ok::<(), earth::Error>(())
/// ```
pub fn items_here<I: Iterator<Item: Wire> + Send + 'static>(items: I) -> ItemsHere<I> {
    ItemsHere(Place::Here(Stays(items)))
}

/// Items from an iterator that stays on its node: see [`items_here`].
#[derive(Wire)]
pub struct ItemsHere<I: Iterator<Item: Wire> + Send + 'static>(Place<I>);

impl<I: Iterator<Item: Wire> + Send + 'static> fmt::Debug for ItemsHere<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemsHere").finish_non_exhaustive()
    }
}

#[derive(Wire)]
enum Place<I: Iterator<Item: Wire> + Send + 'static> {
    Here(Stays<I>),
    /// The iterator stayed behind and waits for the address of its items.
    Left(Reply<Reply<Batch<I::Item>>>),
}

impl<I: Iterator<Item: Wire> + Send + 'static> Upstream for ItemsHere<I> {
    type Item = I::Item;
    type Held = Stays<I>;
    fn stages(&self) -> usize {
        0
    }
    fn leave(&mut self, at: Reply<Reply<Batch<I::Item>>>) -> Option<Stays<I>> {
        match std::mem::replace(&mut self.0, Place::Left(at)) {
            Place::Here(items) => Some(items),
            Place::Left(_) => None,
        }
    }
    fn begin(self, line: Line, to: Reply<Batch<I::Item>>, eu: &mut Eu) {
        match self.0 {
            Place::Here(items) => items.begin(line.flow, to, eu),
            Place::Left(at) => eu.put(at, to),
        }
    }
}
