//! The hooks of the runtime with bugs. They use the switch of `earth-memory`.

/// Whether the bug of this name is active in this thread.
macro_rules! seeded {
    ($bug:ident) => {
        earth_memory::is_awake(earth_memory::Bug::$bug)
    };
}

pub use earth_memory::{BUGS, Bug, Seed, awake, stay_awake, with};
