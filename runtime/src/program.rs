//! The main function of a run: what it is given and what it gives back.

use std::time::Duration;

use crate::counters::Counters;
use crate::trace::Trace;
use crate::vocabulary::address::Reply;
use crate::vocabulary::wire::Wire;

/// The arguments of a function that can be the main one: any, and last the reply that takes the run's value.
///
/// `fn Fib(n: u64, out: Reply<u64>)` has the input `u64` and the output `u64`; with two arguments before the
/// reply the input is a pair, and so on up to six; with none it is `()`.
pub trait Main: Wire {
    /// The input that [`Machine::run`](crate::Machine::run) takes.
    type Input;
    /// The output that a run gives.
    type Output: Wire;

    /// The arguments, made of the input and the reply.
    fn join(input: Self::Input, out: Reply<Self::Output>) -> Self;
}

impl<Out: Wire> Main for (Reply<Out>,) {
    type Input = ();
    type Output = Out;
    fn join((): (), out: Reply<Out>) -> Self {
        (out,)
    }
}

impl<A: Wire, Out: Wire> Main for (A, Reply<Out>) {
    type Input = A;
    type Output = Out;
    fn join(input: A, out: Reply<Out>) -> Self {
        (input, out)
    }
}

macro_rules! mains {
    ($(($($name:ident)+))+) => {$(
        #[allow(non_snake_case, reason = "a tuple's parts are named by their types")]
        impl<$($name: Wire,)+ Out: Wire> Main for ($($name,)+ Reply<Out>) {
            type Input = ($($name,)+);
            type Output = Out;
            fn join(($($name,)+): Self::Input, out: Reply<Out>) -> Self {
                ($($name,)+ out)
            }
        }
    )+};
}
mains! { (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Run<T> {
    /// The value put to the main function's reply.
    pub value: T,
    /// The counters of all nodes together: the sum of [`by_node`](Run::by_node).
    pub counters: Counters,
    /// The counters of each node, node 0 first. Where they differ, the nodes were not equally loaded.
    pub by_node: Vec<Counters>,
    /// From the start of the main function until all was quiet: virtual time on a simulated machine.
    pub elapsed: Duration,
    /// The time of the run in cycles of the simulated machine's processors; none on real ones.
    pub cycles: Option<u64>,
    /// The trace of the run, if the machine was told to [trace](crate::Machine::trace).
    pub trace: Option<Trace>,
}
