//! Models of the guarantees of `earth-signal`, a file for each protocol, and of the explorer itself.

mod activity;
mod answers;
mod attention;
mod event_queue;
mod exhibits;
mod explorer;
mod gate;
mod held_back;
mod message_ring;
mod offers;
mod quiet;
mod shared_end;
mod sleepers;
mod slots;
mod tally;
mod verdict;
