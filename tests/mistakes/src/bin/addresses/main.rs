//! Addresses of slots and inlets.

mod address_without_index;
mod foreign_inlet;
mod misspelt_fiber;
mod misspelt_inlet;
mod no_address;
mod not_threaded;
mod one_for_all;
mod spawn_of_slot;
mod sync_of_spawned;
mod wrong_reply;

fn main() {}
