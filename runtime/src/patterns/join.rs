//! Two functions at once, and both results as one value.
//!
//! # Cost
//!
//! A frame, two tokens, two fibers, three puts. A stolen function costs two messages: the token and its
//! result.
//!
//! # When it loses
//!
//! A function that has a frame anyway can make the two tokens itself and have two inlets. That saves this
//! frame and a put.

use crate::collective::{Given, Member, MemberArgs, Output};
use crate::{Call, Eu, Reply, threaded};

/// Runs `F` and `G` as tokens, each a function whose last argument is the reply for its result, and puts both
/// results.
///
/// ```
/// use earth::patterns::Join;
/// use earth::{Eu, Machine, Reply, threaded};
///
/// struct Words;
///
/// #[threaded]
/// impl Words {
///     fn start(text: String, out: Reply<usize>, eu: &mut Eu<Self>) {
///         eu.put(out, text.split_whitespace().count());
///     }
/// }
///
/// struct Largest;
///
/// #[threaded]
/// impl Largest {
///     fn start(numbers: Vec<u64>, out: Reply<Option<u64>>, eu: &mut Eu<Self>) {
///         eu.put(out, numbers.into_iter().max());
///     }
/// }
///
/// let both = Machine::threads(2).run(|out| Join::<Words, Largest>::call("to be".into(), vec![3, 9, 4], out))?;
/// assert_eq!(both.value, (2, Some(9)));
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct Join<F: Member, G: Member> {
    to: Reply<(Output<F>, Output<G>)>,
}

#[threaded]
impl<F: Member, G: Member> Join<F, G> {
    /// Runs `F` with `left` and `G` with `right`; both results arrive as one value.
    pub fn start(
        left: Given<F>,
        right: Given<G>,
        to: Reply<(Output<F>, Output<G>)>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let both = Self::both();
        let right = G::Args::join(right, eu.reply(both.right));
        let left = F::Args::join(left, eu.reply(both.left));
        // A node runs its newest token first, and idle nodes steal the oldest.
        eu.token(Call::<G>::new(right));
        eu.token(Call::<F>::new(left));
        Join { to }
    }

    #[slot]
    fn both(self, left: Output<F>, right: Output<G>, eu: &mut Eu<Self>) {
        eu.put(self.to, (left, right));
    }
}
