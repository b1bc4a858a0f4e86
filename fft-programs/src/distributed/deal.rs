//! Scattering a whole array of rank 0 to the parts of all ranks, and gathering it from them.
//!
//! Node 0 handles the ranks one after the other: it sends a part and waits until it has been placed, or it
//! requests a part and waits until it has come. So rank 0 needs memory for one part besides the whole array.
//! The cost is two messages for each rank, one of them with its part.

use earth::{Block, Element, Eu, Machine, NodeId, Reply, Run, Shared, SharedValues, SlotRef, Then, threaded};
use earth_memory::{lend, lend_for_reading, try_zeroed};
use earth_serial::{Array, CallError};
use parking_lot::Mutex;

use super::distribution::Part;
use super::pieces::{Piece, PieceMut, copy};
use super::rank_arrays::run_or_serve;
use crate::dataflow::cut::Cut;
use crate::dataflow::points::{elements, elements_mut, or_unwind};
use crate::plan::TransformError;

/// Parts of all ranks, and the lengths of their arrays. A part is at the beginning of its array.
pub(super) struct Parts {
    pub(super) whole: Part,
    pub(super) by_rank: Vec<Part>,
    pub(super) lens: Vec<usize>,
}

/// A call in one process: the parts of all ranks, the whole array if the process has it, and the arrays of
/// its own ranks.
#[derive(Debug)]
struct Dealt<E: Element> {
    whole_part: Part,
    parts: Vec<Part>,
    /// First rank of the process.
    first: usize,
    /// Whole array of rank 0. Empty in other processes.
    whole: Mutex<Block<E>>,
    /// Array of each rank of the process, or why there are none.
    arrays: Result<Vec<Mutex<Block<E>>>, String>,
}

impl<E: Element> Dealt<E> {
    fn array(&self, rank: usize) -> Result<&Mutex<Block<E>>, String> {
        let arrays = self.arrays.as_ref().map_err(|why| format!("rank {rank}: {why}"))?;
        let array = rank.checked_sub(self.first).and_then(|at| arrays.get(at));
        array.ok_or_else(|| format!("rank {rank} has no array in its process"))
    }

    /// Returns memory for the part of a rank.
    fn memory(&self, rank: usize) -> Block<E> {
        or_unwind(Block::try_zeroed(1, self.parts[rank].len(), "a part of an array"))
    }
}

/// Sends each rank its part of the whole array.
struct Scatter<E: Element> {
    call: Shared<Dealt<E>>,
    rank: usize,
    out: Reply<()>,
}

#[threaded]
impl<E: Element> Scatter<E> {
    fn start(call: Shared<Dealt<E>>, out: Reply<()>, eu: &mut Eu<Self>) -> Result<Self, String> {
        call.array(0)?;
        eu.sync(Self::next());
        Ok(Scatter { call, rank: 0, out })
    }

    #[slot(sync, again)]
    fn next(&mut self, eu: &mut Eu<Self>) -> Then {
        let Self { call, rank, .. } = self;
        let Some(part) = call.parts.get(*rank) else {
            eu.put(self.out, ());
            return Then::End;
        };
        let mut tile = call.memory(*rank);
        let whole = call.whole.lock();
        let from = Piece { part: call.whole_part.clone(), elements: elements(&whole) };
        copy(part, &[from], &mut [PieceMut { part: part.clone(), elements: elements_mut(&mut tile) }]);
        eu.invoke(NodeId::new(*rank), Place::call(call.clone(), tile, eu.slot_ref(Self::next())));
        *rank += 1;
        Then::Wait
    }
}

/// Places a part in the array of its rank.
struct Place<E>(std::marker::PhantomData<fn(E)>);

#[threaded]
impl<E: Element> Place<E> {
    fn start(call: Shared<Dealt<E>>, tile: Block<E>, done: SlotRef, eu: &mut Eu<Self>) -> Result<(), String> {
        let mut array = call.array(eu.node().index())?.lock();
        elements_mut(&mut array)[..tile.len()].copy_from_slice(elements(&tile));
        eu.rsync(done);
        Ok(())
    }
}

/// Requests the part of each rank and copies it to the whole array.
struct Gather<E: Element> {
    call: Shared<Dealt<E>>,
    rank: usize,
    out: Reply<()>,
}

#[threaded]
impl<E: Element> Gather<E> {
    fn start(call: Shared<Dealt<E>>, out: Reply<()>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(0), Bring::call(call.clone(), eu.reply(Self::arrive().tile)));
        Gather { call, rank: 0, out }
    }

    #[slot(again)]
    fn arrive(&mut self, tile: Block<E>, eu: &mut Eu<Self>) -> Then {
        let Self { call, rank, .. } = self;
        let part = &call.parts[*rank];
        let mut whole = call.whole.lock();
        let to = PieceMut { part: call.whole_part.clone(), elements: elements_mut(&mut whole) };
        copy(part, &[Piece { part: part.clone(), elements: elements(&tile) }], &mut [to]);
        drop(whole);
        *rank += 1;
        if *rank == call.parts.len() {
            eu.put(self.out, ());
            return Then::End;
        }
        eu.invoke(NodeId::new(*rank), Bring::call(call.clone(), eu.reply(Self::arrive().tile)));
        Then::Wait
    }
}

/// Sends the part of its rank.
struct Bring<E>(std::marker::PhantomData<fn(E)>);

#[threaded]
impl<E: Element> Bring<E> {
    fn start(call: Shared<Dealt<E>>, to: Reply<Block<E>>, eu: &mut Eu<Self>) -> Result<(), String> {
        let rank = eu.node().index();
        let (array, mut tile) = (call.array(rank)?.lock(), call.memory(rank));
        elements_mut(&mut tile).copy_from_slice(&elements(&array)[..call.parts[rank].len()]);
        eu.put_block(to, tile);
        Ok(())
    }
}

/// Scatters the whole array of rank 0. Returns the arrays of the ranks of this process, one after the other.
///
/// # Errors
///
/// No whole array on rank 0, or one of another length, too little memory, or an error of the machine.
pub(super) fn scatter<E: Element>(
    machine: &mut Machine,
    parts: Parts,
    whole: Option<&[E]>,
) -> Result<Vec<E>, TransformError> {
    let (own, needed) = (machine.own_nodes(), parts.whole.len());
    let whole = if own.start == 0 { whole.unwrap_or_default() } else { &[] };
    let is_right = own.start > 0 || whole.len() == needed;
    let mut all = try_zeroed(parts.lens[own.clone()].iter().sum(), "the parts of an array")?;
    let scattered = lend_for_reading(whole, 1, whole.len(), |whole| {
        let len = all.len();
        lend(&mut all, 1, len, |arrays| {
            let arrays =
                if is_right { Ok(arrays) } else { Err(wrong_length(whole.len(), needed).to_string()) };
            run(machine, parts, whole, arrays, |machine, shared, call| {
                machine.run_with(shared, |out| Scatter::call(call, out))
            })
        })
    })??;
    if is_right { scattered.map(|()| all) } else { Err(wrong_length(whole.len(), needed).into()) }
}

/// Gathers the arrays of all ranks. `arrays` has the arrays of the ranks of this process, one after the
/// other. Returns the whole array on rank 0.
///
/// # Errors
///
/// An array of another length, too little memory, or an error of the machine.
pub(super) fn gather<E: Element>(
    machine: &mut Machine,
    parts: Parts,
    arrays: &[E],
) -> Result<Option<Vec<E>>, TransformError> {
    let own = machine.own_nodes();
    let needed = parts.lens[own.clone()].iter().sum();
    let is_right = arrays.len() == needed;
    let mut all = try_zeroed(if own.start == 0 { parts.whole.len() } else { 0 }, "the whole array")?;
    let gathered = lend_for_reading(arrays, 1, arrays.len(), |arrays| {
        let len = all.len();
        lend(&mut all, 1, len, |whole| {
            let arrays =
                if is_right { Ok(arrays) } else { Err(wrong_length(arrays.len(), needed).to_string()) };
            run(machine, parts, whole, arrays, |machine, shared, call| {
                machine.run_with(shared, |out| Gather::call(call, out))
            })
        })
    })??;
    if !is_right {
        return Err(wrong_length(arrays.len(), needed).into());
    }
    gathered.map(|()| Some(all).filter(|_| own.start == 0))
}

fn wrong_length(given: usize, needed: usize) -> CallError {
    CallError::Length { array: Array::Input, given, needed }
}

/// Runs a program on rank 0 by `begin`, and takes part in its run on other ranks.
fn run<E: Element>(
    machine: &mut Machine,
    Parts { whole: whole_part, by_rank, lens }: Parts,
    whole: Block<E>,
    arrays: Result<Block<E>, String>,
    begin: impl FnOnce(&mut Machine, SharedValues, Shared<Dealt<E>>) -> Result<Run<()>, earth::Error>,
) -> Result<(), TransformError> {
    let own = machine.own_nodes();
    let cut = Cut::of(&lens[own.clone()]);
    let arrays = arrays.map(|arrays| cut.split_cols(arrays).map(Mutex::new).collect());
    let call =
        Shared::new(Dealt { whole_part, parts: by_rank, first: own.start, whole: Mutex::new(whole), arrays });
    run_or_serve(machine, call, begin).map(drop)
}
