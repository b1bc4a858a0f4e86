//! Frames, each in one piece of memory: counts of slots, values of inlets as they are, and the state.
//!
//! A frame is found by its identity, one word: its number and a generation, which is odd while the frame lives. Its number
//! is used again after it has ended, at other generations. What a frame is made of stands in its
//! [layout](FrameLayout), a constant of its function. Both units of a node that has one thread use one store. Of a node
//! with two, each has a store of its own under the same numbers, one for states, one for the rest.
//!
//! # Invariants
//!
//! The `SAFETY` reasons name these:
//!
//! * **Still.** A chunk never moves, never changes the class of its frames, and lives as long as the store.
//! * **Live.** A frame whose generation is odd has a `layout`, and its bytes are as that says; one whose generation is even
//!   holds no value and no state. The identity and the layout of a head are there always.
//! * **Full.** An inlet holds a value of its kind exactly if its bit in its mask is set.
//! * **Stated.** A frame holds a state of its layout's type exactly if its flag says so. While the state is borrowed the
//!   store says of which frame (`lent`), and neither ends that frame nor moves its state, and a store that is dropped then
//!   leaks all its memory.
//! * **Entered.** `entered` is null or a live frame of this store. `recent` is a frame, live or not, or a head that stands for
//!   frames that are not there.

mod chunk;
mod count;
mod entered;
mod extra;
mod extras;
mod frame;
mod handed;
mod head;
mod id;
mod inlet;
mod layout;
mod left;
mod make;
mod past;
mod rounds;
mod signals;
mod state;
mod store;
mod tables;
mod taken;
mod values;

pub use count::Refusal;
pub use entered::Entered;
pub use handed::{Handed, Near, NearRound};
pub use id::FrameId;
pub use layout::{Beside, FrameLayout, Function, InletLayout, SlotLayout, lay_out};
pub use left::Left;
pub use signals::Counted;
pub use state::with_state;
pub use store::{Frames, Last};
pub use tables::{Extent, Extents};
pub use taken::{Arrived, Taken};
pub use values::Place;
