//! Machines whose nodes are processes: what carries their bytes, which a crate outside brings.
//!
//! A machine of [ranks](crate::Machine::ranks) has one node in each of several processes, on one computer or on
//! several. All of them are of one program. A [`Link`] carries *messages*, which are bytes, between any two of them;
//! what the messages mean is the machine's. A run goes:
//!
//! 1. rank 0 calls [`run`](crate::Machine::run) or [`run_with`](crate::Machine::run_with), each other rank
//!    [`serve`](crate::Machine::serve) or [`serve_with`](crate::Machine::serve_with);
//! 2. each greets all others and compares what it was told with what it is itself: the version of the messages, the
//!    program's functions, how many ranks and [shared values](crate::SharedValues) there are;
//! 3. rank 0 starts the main function. Events travel as bytes, tokens to ranks that ask for some;
//! 4. rank 0 finds out that nothing is left to run anywhere, gathers counters and what waits, and tells everybody the end.
//!    It gets the value, the others a run without one.
//!
//! The first error of a rank ends the run of all, with that error. A rank that a link has lost ends it, too
//! ([`Error::LostRank`](crate::Error::LostRank)). If two ranks meet an error at once, each gives one of the two.
//!
//! *Cost.* A message is packed once and read once: a block is gathered row by row into the message that the link is
//! given, and copied from the one that came to the memory where it stays. An idle rank asks the others for a token
//! one after another, and then waits for whoever has one later; a run takes a greeting between any two ranks, and
//! seven messages or more between rank 0 and each other one at its end.
//! *When it loses:* everything passes through rank 0 at the end of a run. In DUAL the thread that calls has the
//! synchronization unit and the link, and a second one runs fibers: each small operation crosses to another core, as
//! on real cores.
//!
//! Messages are trusted to be of the same program and user: no message makes the runtime panic, read beyond itself or
//! allocate more than in proportion to its length, but a well-formed signal is counted whoever made it up.

mod link;
mod mailbox;
mod message;
mod own_link;

pub use link::{Link, Lost};

pub(crate) use mailbox::{Arrived, Mailbox};
pub(crate) use message::{Control, Hello, Message, VERSION, given};
