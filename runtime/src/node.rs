//! Floor 2: the two units of a node, as state machines without I/O.
//!
//! An [`ExecutionUnit`](eu::execution_unit::ExecutionUnit) runs an enabled fiber to its end. The fiber's
//! operations go to a [`Su`](su::Su), which applies them to the slots, inlets and cells of its node and
//! enables fibers. [`merged`] has both units in one thread and applies each operation in line (SPN). [`dual`]
//! has them in two threads, with a ring of messages in each direction (DUAL). The units use no thread, clock
//! or network: events leave a node through a [`Transport`](crate::transport::Transport) that the machine
//! provides.
//!
//! | folder | its contents |
//! |---|---|
//! | [`eu`] | the execution unit, and the operations of fibers |
//! | [`su`] | the synchronization unit: signals, values, calls, events |
//! | [`frame`] | frames as units see them, over the store of `earth-memory` |
//! | [`function`] | functions and calls, and how a call becomes a running fiber |
//! | [`tokens`] | the token queue, and the victims of an idle node |
//! | [`run_queue`] | enabled fibers and invoked functions, in the order of the policy |
//! | [`dual`] | the two units of a DUAL node and their messages |
//!
//! A function names the unit that runs it, and units hold calls of functions. The files of both units and of
//! functions therefore name each other. Queues, events and the transport are generic over the call type and
//! name no unit. [`function`] has aliases with their types filled in.

pub(crate) mod bytes;
pub(crate) mod domain;
pub(crate) mod dual;
pub(crate) mod eu;
pub(crate) mod event;
pub(crate) mod frame;
pub(crate) mod function;
mod isolated_call;
pub(crate) mod merged;
mod run_queue;
pub(crate) mod signature;
pub(crate) mod step;
pub(crate) mod su;
pub(crate) mod tokens;
pub(crate) mod verdict;
mod watched;
pub(crate) mod word_hasher;
