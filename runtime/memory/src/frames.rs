//! Frames. Each is one piece of memory with counts of slots, values of inlets in line, and the state.
//!
//! A frame is found by its identity, one word: its number and a generation, which is odd while the frame
//! lives. After the frame has ended, its number is used again at later generations. The [layout](FrameLayout)
//! of a frame, a constant of its function, describes its contents. Both units of a node with one thread use
//! one store. In a node with two threads each unit has its own store under the same numbers: one for the
//! states, one for the rest.
//!
//! # Invariants
//!
//! The `SAFETY` comments name these:
//!
//! * **Still.** A chunk never moves, never changes the class of its frames, and lives as long as the store.
//! * **Live.** A frame whose generation is odd has a `layout`, which describes its bytes. A frame whose
//!   generation is even holds no value and no state. The identity and the layout of a head are always
//!   present.
//! * **Full.** An inlet holds a value of its kind exactly if its bit in its mask is set.
//! * **Stated.** A frame holds a state of its layout's type exactly if its flag is set. While the state is
//!   borrowed, `lent` names the frame, and the store neither ends that frame nor moves its state. A store
//!   that is dropped during the borrow leaks all its memory.
//! * **Entered.** `entered` is null or a live frame of this store. `recent` is a frame, live or not, or the
//!   head that stands for missing frames.

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
pub use handed::{FastRound, FullRound, Handed};
pub use id::FrameId;
pub use layout::{ExtraContents, FrameLayout, Function, InletLayout, SlotLayout, lay_out};
pub use left::Left;
pub use signals::Counted;
pub use state::with_state;
pub use store::{Frames, Last};
pub use tables::{Extent, Extents};
pub use taken::{Arrived, Taken};
pub use values::Place;
