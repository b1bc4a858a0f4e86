//! The wisdom of rank 0 for all ranks.
//!
//! 1. Rank 0 sends its wisdom as text to every node, along a tree.
//! 2. A node of another process reads the text. Its plans replace the wisdom of the process.
//!
//! *Cost.* One message with the text, and one back, for each node.

use earth::collective::{Group, everywhere};
use earth::{Eu, Machine, Reply, Shared, threaded};

use super::rank_arrays::run_or_serve;
use crate::measurements::wisdom::Wisdom;
use crate::plan::TransformError;

/// The call in one process.
#[derive(Debug)]
struct Sharing {
    wisdom: Wisdom,
    /// Whether rank 0 is in this process.
    is_first: bool,
}

/// Sends the wisdom to all nodes.
struct ShareWisdom {
    out: Reply<()>,
}

#[threaded]
impl ShareWisdom {
    fn start(call: Shared<Sharing>, out: Reply<()>, eu: &mut Eu<Self>) -> Self {
        let text = call.wisdom.to_string();
        let given = std::iter::repeat_n((call, text), eu.nodes());
        everywhere::<Learn>(eu, Group::all(eu), given, eu.reply(Self::end().learned));
        ShareWisdom { out }
    }

    #[slot]
    fn end(self, learned: Vec<()>, eu: &mut Eu<Self>) {
        drop(learned);
        eu.put(self.out, ());
    }
}

/// Replaces the wisdom of a process.
struct Learn;

#[threaded]
impl Learn {
    fn start(call: Shared<Sharing>, text: String, done: Reply<()>, eu: &mut Eu<Self>) -> Result<(), String> {
        if !call.is_first {
            let read = text.parse::<Wisdom>();
            let read = read.map_err(|why| format!("the wisdom of rank 0 on {}: {why}", eu.node()))?;
            call.wisdom.replace(&read);
        }
        eu.put(done, ());
        Ok(())
    }
}

impl Wisdom {
    /// Gives all processes of a machine the wisdom of rank 0. Every process makes this call. The wisdoms of
    /// the other processes lose their own plans, so that all ranks plan the same.
    ///
    /// # Errors
    ///
    /// A process on another kind of computer, or of another build, because [plans hold for one
    /// computer](crate::MeasurementsError), and an error of the machine. Some processes may have the wisdom
    /// then.
    pub fn share(&self, machine: &mut Machine) -> Result<(), TransformError> {
        let is_first = machine.own_nodes().start == 0;
        let call = Shared::new(Sharing { wisdom: self.clone(), is_first });
        let begin = |machine: &mut Machine, shared, call| {
            machine.run_with(shared, |out| ShareWisdom::call(call, out))
        };
        run_or_serve(machine, call, begin).map(drop)
    }
}
