//! Floor 2: the two units of a node, as state machines without I/O.
//!
//! An [`ExecutionUnit`](execution_unit::ExecutionUnit) runs an enabled fiber to its end; what the fiber asks for goes to a [`Su`](su::Su),
//! which applies it to the slots, inlets and cells of its node and enables fibers. [`merged`] puts both in
//! one thread and applies each operation in line (SPN); [`dual`] puts them in two, with a ring of messages in each
//! direction (DUAL). Neither knows of threads, clocks or networks: what leaves a node goes through a
//! [`Transport`](crate::transport::Transport) that the machine brings.
//!
//! A function names the unit that runs it, and units hold calls of functions: so the files of both units and of functions
//! name each other. What units hold calls in (queues, events, the transport) is generic over them, and names no unit;
//! [`function`] has each with its types filled in.

mod addressing;
pub(crate) mod balance;
pub(crate) mod bytes;
pub(crate) mod compute;
mod delivery;
pub(crate) mod dispatch;
pub(crate) mod dual;
pub(crate) mod ending;
pub(crate) mod eu;
pub(crate) mod event;
pub(crate) mod execution_unit;
pub mod expansion;
pub(crate) mod frame;
pub(crate) mod function;
pub(crate) mod functions;
pub(crate) mod handed_over;
pub(crate) mod held;
pub(crate) mod merged;
mod misuse;
mod operations;
mod own;
mod polling;
mod run_queue;
pub(crate) mod signature;
mod starts;
pub(crate) mod step;
pub(crate) mod su;
mod token_stack;
pub(crate) mod verdict;
pub(crate) mod victims;
mod watched;
