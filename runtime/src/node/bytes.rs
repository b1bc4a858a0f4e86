//! Events as bytes: what travels between nodes that share no memory, and between any nodes of a machine that
//! passes events through bytes.
//!
//! An event is a tag, its addresses and its value. The value's type is not written: the receiver knows it
//! from the declaration of the inlet or cell it goes to, and a function's arguments from the function's
//! number in the table that both ends have. The fiber that sent it stands in it by that number, too.

use std::num::NonZero;

use earth_memory::frames::Refusal;

use crate::node::frame::FrameStore;
use crate::node::function::{ErasedCall, Event, Token, functions};
use crate::node::signature::unsign;
use crate::node::tokens::Within;
use crate::probe::recorder::FiberRef;
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::layout::{BETWEEN_FIBERS, short};
use crate::vocabulary::origin::Origin;
use crate::vocabulary::shared::SharedValues;
use crate::vocabulary::value::{Decoding, Value};
use crate::vocabulary::wire::{Packer, Undecodable, Unpacker, Wire};

const SIGNAL: u8 = 0;
const PUT: u8 = 1;
const GET: u8 = 2;
const WRITE: u8 = 3;
const INVOKE: u8 = 4;
const TOKEN: u8 = 5;
/// The tag of a signed event: its sender, then the event.
const SIGNED: u8 = 6;
/// The tag of an event whose value stays in its process: the name of the value's type, and no more.
const STAYS: u8 = 7;

/// Room for an event with a small value.
const USUAL: usize = 64;

const SIGNATURE: usize = 9;

/// The length of an origin, which stands after the tag of what has one.
const ORIGIN: usize = 12;

/// The event in bytes, which node `from` sends in a run that began with the values `shared`. Events that never leave their
/// node, and bytes, stay as they are.
pub(crate) fn pack(event: Event, from: u32, shared: &SharedValues) -> Event {
    let mut out = Packer::sharing(shared);
    out.reserve(USUAL);
    let (sender, event) = unsign(event);
    if let Some(FiberRef(sender)) = sender {
        (SIGNED, sender).pack(&mut out);
    }
    let origin_of = |Origin { layout, fiber, node }| (functions::number_of(layout), fiber, node);
    match event {
        Event::Signal { to, origin } => (SIGNAL, origin_of(origin), to).pack(&mut out),
        Event::Put { to, value, origin } => {
            (PUT, origin_of(origin), to).pack(&mut out);
            pack_value(value, &mut out);
        }
        Event::Get { from: at, to, origin } => (GET, origin_of(origin), at, to).pack(&mut out),
        Event::Write { at, value, origin } => {
            (WRITE, origin_of(origin), at).pack(&mut out);
            pack_value(value, &mut out);
        }
        Event::Invoke { node, call } => {
            (INVOKE, node).pack(&mut out);
            pack_call(call, &mut out);
        }
        Event::Token { node, token: Token { call, within } } => {
            let first = if seeded!(RangeNotPacked) { 0 } else { within.first };
            (TOKEN, node, first, within.end.get()).pack(&mut out);
            pack_call(call, &mut out);
        }
        local => return local,
    }
    if let Some(type_name) = out.stays_in_process() {
        out = Packer::default();
        (STAYS, short(type_name)).pack(&mut out);
    }
    let absent = out.absent_bytes();
    let bytes = out.into_bytes();
    Event::Bytes { from, counted: counted_len(&bytes) as u64 + absent, bytes }
}

/// The bytes of a token that node `node` is given, in a run that began with the values `shared`.
pub(crate) fn pack_token(token: Token, node: u32, shared: &SharedValues) -> Vec<u8> {
    match pack(Event::Token { node, token }, node, shared) {
        Event::Bytes { bytes, .. } => bytes,
        _ => unreachable!("a token has bytes"),
    }
}

/// The length of a packed event, in bytes. What a trace adds, the sender among it, does not count.
fn counted_len(bytes: &[u8]) -> usize {
    let signature = if bytes.first() == Some(&SIGNED) { SIGNATURE } else { 0 };
    let origin = if matches!(bytes.get(signature), Some(&(SIGNAL | PUT | GET | WRITE))) { ORIGIN } else { 0 };
    bytes.len() - signature - origin
}

fn pack_value(mut value: Value, out: &mut Packer) {
    if let Some(kind) = value.kind() {
        (kind.hooks().pack)(&mut value, out);
    }
}

fn pack_call(mut call: ErasedCall, out: &mut Packer) {
    if let Some(function) = call.kind() {
        functions::number(function).pack(out);
        (function.hooks().pack)(&mut call, out);
    }
}

/// Why an event could not be read back.
pub(crate) enum Unread {
    /// The bytes do not hold what they should.
    Undecodable,
    /// The event had a value of this type, which stays in its process.
    StaysInProcess(String),
    /// The event is a value for an inlet that is not there, so its type is not known.
    NoInlet(EntryRef, Origin, Refusal),
    /// The event is a value for a cell that is not there.
    NoCell(EntryRef, Origin, Refusal),
}

impl From<Undecodable> for Unread {
    fn from(_: Undecodable) -> Self {
        Unread::Undecodable
    }
}

/// Reads an event for node `own` back.
pub(crate) fn unpack(
    bytes: &[u8],
    own: u32,
    frames: &FrameStore,
    decoding: &Decoding,
) -> Result<Event, Unread> {
    let input = &mut Unpacker::sharing(bytes, &decoding.shared, decoding.nodes);
    let mut tag = u8::unpack(input)?;
    let mut sender = None;
    if tag == SIGNED {
        sender = Some(FiberRef(Wire::unpack(input)?));
        tag = u8::unpack(input)?;
    }
    let from = |input: &mut Unpacker<'_>| {
        let (number, fiber, node) = Wire::unpack(input)?;
        let layout = functions::get(number).map_or(&BETWEEN_FIBERS, |function| function.hooks().layout);
        Ok::<_, Undecodable>(Origin { layout, fiber, node })
    };
    // A value is read last, after all checks: its drop may take more stack than there is here.
    let is_own = |node: u32| if node == own { Ok(()) } else { Err(Undecodable) };
    let event = match tag {
        SIGNAL => Event::Signal { origin: from(input)?, to: Wire::unpack(input)? },
        PUT => {
            let origin = from(input)?;
            let to: EntryRef = Wire::unpack(input)?;
            is_own(to.node())?;
            let unpack = match frames.unpack_of(to) {
                _ if to.id() == FrameId::ROOT => decoding.result,
                Ok(unpack) => unpack,
                Err(refusal) => return Err(Unread::NoInlet(to, origin, refusal)),
            };
            Event::Put { to, value: unpack(input)?, origin }
        }
        GET => {
            let origin = from(input)?;
            let (from, to) = Wire::unpack(input)?;
            Event::Get { from, to, origin }
        }
        WRITE => {
            let origin = from(input)?;
            let at: EntryRef = Wire::unpack(input)?;
            is_own(at.node())?;
            let spec = frames.cell_spec(at).map_err(|refusal| Unread::NoCell(at, origin, refusal))?;
            Event::Write { at, value: (spec.unpack)(input)?, origin }
        }
        INVOKE => {
            let node = Wire::unpack(input)?;
            is_own(node)?;
            Event::Invoke { node, call: unpack_call(input)? }
        }
        TOKEN => {
            let (node, first, end) = Wire::unpack(input)?;
            let within = Within { first, end: NonZero::new(end).ok_or(Undecodable)? };
            if first >= end || end > decoding.nodes {
                return Err(Unread::Undecodable);
            }
            is_own(node)?;
            Event::Token { node, token: Token { call: unpack_call(input)?, within } }
        }
        STAYS => return Err(Unread::StaysInProcess(String::unpack(input)?)),
        _ => return Err(Unread::Undecodable),
    };
    if input.left() != 0 || event.node(own) != own {
        return Err(Unread::Undecodable);
    }
    Ok(match sender {
        Some(sender) => Event::Signed { sender, event: Box::new(event) },
        None => event,
    })
}

fn unpack_call(input: &mut Unpacker<'_>) -> Result<ErasedCall, Undecodable> {
    let function = functions::get(u32::unpack(input)?).ok_or(Undecodable)?;
    (function.hooks().unpack)(input)
}
