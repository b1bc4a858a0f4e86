//! Every atomic of the earth runtime (the protocol in prose follows).

pub mod event_queue;
pub mod flag;
mod full;
pub mod gate;
mod primitive;
pub mod quiet;
pub mod ready_queue;
mod ring;
pub mod shared_end;
pub mod sleepers;
pub mod verdict;

pub use event_queue::{EventReceiver, EventSender, event_queue};
pub use flag::Flag;
pub use full::Full;
pub use gate::{Gate, Round, Signal};
pub use quiet::{Ledger, Quiet, quiet};
pub use ready_queue::{ReadyReceiver, ReadySender, ready_queue};
pub use shared_end::{Publisher, Stealer, shared_end};
pub use sleepers::Sleepers;
pub use verdict::{Declared, Ending, Verdict};
