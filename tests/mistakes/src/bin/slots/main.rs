//! Slots, inlets and blocks that the macro refuses.

mod first_without_again;
mod no_signals;
mod on_struct;
mod on_trait;
mod pattern;
mod reference;
mod size_of_state;
mod spawned_inlet;
mod two_slots;
mod unknown_cell;
mod unknown_setting;

fn main() {}
