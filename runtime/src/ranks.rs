//! Machines whose nodes are in several processes, and the interface to the transport that carries their
//! bytes. External crates implement the transport.
//!
//! A machine of [ranks](crate::Machine::ranks) has one node or several in each of several processes, on one
//! computer or on several. All processes run the same program. A [`Link`] carries *messages*, which are
//! bytes, between any two of them; the machine defines their meaning. A run has these steps:
//!
//! 1. Rank 0 calls [`run`](crate::Machine::run) or [`run_with`](crate::Machine::run_with). Each other rank
//!    calls [`serve`](crate::Machine::serve) or [`serve_with`](crate::Machine::serve_with).
//! 2. Each rank greets all others and compares their greetings with its own: the version of the messages, the
//!    program's functions, the number of ranks and of [shared values](crate::SharedValues).
//! 3. Rank 0 starts the main function. Events between ranks travel as bytes, tokens to ranks that request
//!    them. Nodes of one rank share memory, as on a machine of threads.
//! 4. Rank 0 detects quiescence, gathers counters and waiting frames, and sends the end to all ranks. It gets
//!    the value; the others get a run without one.
//!
//! The first error of a rank ends the run of all ranks, with that error. So does a rank that a link has lost
//! ([`Error::LostRank`](crate::Error::LostRank)). If two ranks fail at once, each reports one of the two
//! errors.
//!
//! *Cost.* A message is packed once and read once, in vectors that are used again. A large block travels
//! beside its message, if the link supports that: the link sends its rows from where they are stored, and the
//! memory that the link fills at the receiver becomes the block. A smaller block is gathered row by row into
//! the message, and copied from the received message to its final memory. An idle rank requests a token from
//! the other ranks one after another, and then waits for the first rank that has one. A run costs a greeting
//! between any two ranks, and at least seven messages between rank 0 and each other rank at its end.
//!
//! *Threads.* The calling thread runs the first node of its rank (in DUAL, that node's synchronization unit)
//! and the link. Other threads, one for each further core, run the other units. Events between ranks pass
//! through the first node of the sender's rank, and arrive in the inbox of the receiving node.
//!
//! *When it loses.* Everything passes through rank 0 at the end of a run. A long fiber of a rank's first node
//! (SPN) delays the messages of all its nodes; [`poll`](crate::Eu::poll) sends them.
//!
//! Messages are trusted to come from the same program and user. No message makes the runtime panic, read out
//! of bounds or allocate more than in proportion to its length. But a well-formed signal is counted even if
//! it is forged.

mod link;
mod mailbox;
mod message;
mod own_link;

pub use earth_memory::{Bulk, Landed, Pool};
pub use link::{Arrival, Link, Lost, Message};

pub(crate) use mailbox::{Arrived, Mailbox};
pub(crate) use message::{Control, GIVEN, Hello, RankMessage, VERSION};
