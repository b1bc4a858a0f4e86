//! Runs with input, and calls that a run begins with.

use std::sync::Arc;

use super::super::gate::{InputGate, ToNode};
use super::super::panics::drop_ignoring_panics;
use super::super::{Kind, Machine};
use super::calls::check_node;
use super::{Door, Input};
use crate::node::function::{Call, ErasedCall, Event, Threaded, kind};
use crate::node::su::Packing;
use crate::program::Run;
use crate::vocabulary::address::{NodeId, Reply};
use crate::vocabulary::error::Error;
use crate::vocabulary::shared::SharedValues;
use crate::vocabulary::wire::Wire;

impl Machine {
    /// Runs a function as [`start`](Machine::start) does. The run continues as long as its [`Input`] exists:
    /// see [`input`](crate::input).
    pub fn open<F: Threaded, R: Wire>(
        self,
        main: impl FnOnce(Reply<R>) -> Call<F> + Send + 'static,
    ) -> Input<R> {
        self.open_with(SharedValues::default(), main)
    }

    /// Runs a function as [`open`](Machine::open) does, with values that every process has: see
    /// [`run_with`](Machine::run_with).
    pub fn open_with<F: Threaded, R: Wire>(
        self,
        shared: SharedValues,
        main: impl FnOnce(Reply<R>) -> Call<F> + Send + 'static,
    ) -> Input<R> {
        self.open_as(shared, |machine, gate, shared| machine.run_through(gate, None, shared, main))
    }

    /// Takes part in a run as [`serve_with`](Machine::serve_with) does. The run continues as long as this
    /// rank's [`Input`] exists. It ends with [`Error::LostRank`] if rank 0 begins no further run.
    pub fn open_serving(self, shared: SharedValues) -> Input<()> {
        self.open_as(shared, |machine, gate, shared| {
            let served = machine.serve_through(gate, None, shared)?;
            served.ok_or_else(|| Error::LostRank { rank: 0, why: "its machine was dropped".to_owned() })
        })
    }

    /// Has `run` run this machine with a gate for input, in a run that begins with the values `shared`.
    fn open_as<R: Send + 'static, W>(self, shared: SharedValues, run: W) -> Input<R>
    where
        W: FnOnce(&mut Machine, Option<&InputGate>, SharedValues) -> Result<Run<R>, Error> + Send + 'static,
    {
        let home = match &self.kind {
            Kind::Ranks { .. } => Some(self.settings.first_node() as u32),
            _ => None,
        };
        let reads_bytes = self.settings.packing != Packing::Moved;
        let gate = Arc::new(InputGate::new(self.settings.all_nodes(), home, reads_bytes));
        let door = Door(Arc::clone(&gate));
        Input { door, running: self.start_as(Some(gate), |machine, gate| run(machine, gate, shared)) }
    }

    /// Starts a function on a node in the next run, with the main function and before any call of an
    /// [`Input`]. Every kind of machine supports this.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchNode`] if the machine has no such node. The call is then dropped.
    pub fn invoke<F: Threaded>(&mut self, node: NodeId, call: Call<F>) -> Result<(), Error> {
        check_node(node.index(), self.settings.all_nodes())?;
        let call = Event::Invoke { node: node.0, call: ErasedCall::new(call, kind::<F>()) };
        self.first.0.push((node.0, call));
        Ok(())
    }
}

/// Calls that the next run of a machine starts with its main function.
#[derive(Default)]
pub(in crate::machine) struct FirstCalls(Vec<ToNode>);

impl FirstCalls {
    /// Takes the calls out, for a run on `nodes` nodes.
    pub(in crate::machine) fn take(&mut self, nodes: usize) -> Result<Vec<ToNode>, Error> {
        let calls = std::mem::take(&mut self.0);
        if let Some(&(last, _)) = calls.iter().max_by_key(|(node, _)| *node)
            && let Err(error) = check_node(last as usize, nodes)
        {
            drop_ignoring_panics(calls);
            return Err(error);
        }
        Ok(calls)
    }
}

impl Drop for FirstCalls {
    fn drop(&mut self) {
        drop_ignoring_panics(std::mem::take(&mut self.0));
    }
}
