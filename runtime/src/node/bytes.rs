//! Events as bytes. Nodes that share no memory exchange events in this form, and so do all nodes of a machine
//! that passes events through bytes.
//!
//! An event is a tag, its addresses and its value. The value's type is not written: the receiver knows it
//! from the declaration of the target inlet or cell. For a call it is known from the number of the function
//! in a table that both ends have. The origin of an event names its function by that number, too.

use std::mem::take;
use std::num::NonZero;

use earth_memory::Landed;
use earth_memory::frames::Refusal;

use crate::node::domain::{DomainNote, Mark};
use crate::node::frame::FrameStore;
use crate::node::function::{ErasedCall, Event, Token, functions};
use crate::node::isolated_call;
use crate::node::signature::unsign;
use crate::node::tokens::Within;
use crate::probe::recorder::FiberRef;
use crate::ranks::Message;
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::answers;
use crate::vocabulary::decoding::Decoding;
use crate::vocabulary::layout::{BETWEEN_FIBERS, short};
use crate::vocabulary::origin::Origin;
use crate::vocabulary::shared::SharedValues;
use crate::vocabulary::value::Value;
use crate::vocabulary::wire::{Beside, Packer, Undecodable, Unpacker, Wire};

const SIGNAL: u8 = 0;
const PUT: u8 = 1;
const GET: u8 = 2;
const WRITE: u8 = 3;
const INVOKE: u8 = 4;
const TOKEN: u8 = 5;
/// The tag of a signed event: its sender, then the event.
const SIGNED: u8 = 6;
/// The tag of an event whose value stays in its process. The target node and the name of the value's type
/// follow.
const STAYS: u8 = 7;
/// The tag of the mark of a domain, which precedes an event: the mark, then the event, maybe signed.
const ISOLATED: u8 = 8;
const SETTLED: u8 = 9;
const FAILED: u8 = 10;
const DEAD: u8 = 11;
const FORGET: u8 = 12;

/// The length of a mark with its tag, in bytes.
const MARK: usize = 17;

/// The number of a function before an isolated call: its mark and its function follow.
const ISOLATED_CALL: u32 = u32::MAX - 1;

/// The tag of a timer: the slot, the time, and the call of its function.
const AFTER: u8 = 13;

/// Bytes for an event with a small value.
const USUAL: usize = 64;

const SIGNATURE: usize = 9;

/// The length of an origin, in bytes. It follows the tag of an event that has one.
const ORIGIN: usize = 12;

/// Packs an event that node `from` sends, in a run that began with the values `shared`. Events that never
/// leave their node, and events that are packed already, are returned unchanged.
pub(crate) fn pack(event: Event, from: u32, shared: &SharedValues) -> Event {
    let mut out = Packer::sharing(shared);
    out.reserve(USUAL);
    if let Some(event) = pack_into(event, &mut out) {
        return event;
    }
    let absent = out.absent_bytes();
    let bytes = out.into_bytes();
    Event::Bytes { from, counted: counted_len(&bytes) as u64 + absent, bytes }
}

/// Appends an event to a message for another process, in a run that began with the values `shared`. Blocks of
/// at least `least` bytes travel beside the message.
pub(crate) fn pack_message(event: Event, message: &mut Message, least: usize, shared: &SharedValues) {
    let mut out = Packer::sharing(shared);
    out.begin(take(&mut message.head), Some(Beside { bulk: take(&mut message.bulk), least }));
    if pack_into(event, &mut out).is_some() {
        unreachable!("an event that leaves its process is of a kind that has bytes")
    }
    message.bulk = out.take_beside().map(|beside| beside.bulk).unwrap_or_default();
    message.head = out.into_bytes();
}

/// Packs an event. Returns it if it has no bytes, or has them already.
fn pack_into(event: Event, out: &mut Packer) -> Option<Event> {
    let (begin, node) = (out.len(), event.node(u32::MAX));
    let (mark, event) = match event {
        Event::Isolated { mark, event } => (Some(mark), *event),
        event => (None, event),
    };
    if let Some(mark) = mark {
        (ISOLATED, mark).pack(out);
    }
    let (sender, event) = unsign(event);
    if let Some(FiberRef(sender)) = sender {
        (SIGNED, sender).pack(out);
    }
    let origin_of = |Origin { layout, fiber, node }| (functions::number_of(layout), fiber, node);
    match event {
        Event::Signal { to, origin } => (SIGNAL, origin_of(origin), to).pack(out),
        Event::Put { to, value, origin } => {
            (PUT, origin_of(origin), to).pack(out);
            pack_value(value, out);
        }
        Event::Get { from: at, to, origin } => (GET, origin_of(origin), at, to).pack(out),
        Event::Write { at, value, origin } => {
            (WRITE, origin_of(origin), at).pack(out);
            pack_value(value, out);
        }
        Event::Invoke { node, call } => {
            (INVOKE, node).pack(out);
            pack_call(call, out);
        }
        Event::Token { node, token: Token { call, within } } => {
            let first = if seeded!(RangeNotPacked) { 0 } else { within.first };
            (TOKEN, node, first, within.end.get()).pack(out);
            pack_call(call, out);
        }
        Event::After { slot, nanos, call } => {
            (AFTER, slot, nanos).pack(out);
            pack_call(call, out);
        }
        Event::Domain { node, note: DomainNote::Settled(domain) } => (SETTLED, node, domain).pack(out),
        Event::Domain { node, note: DomainNote::Failed { mark, error } } => {
            (FAILED, node, mark, error).pack(out);
        }
        Event::Domain { node, note: DomainNote::Dead(domain) } => (DEAD, node, domain).pack(out),
        Event::Domain { node, note: DomainNote::Forget(domain) } => (FORGET, node, domain).pack(out),
        local => return Some(local),
    }
    if let Some(type_name) = out.stays_in_process() {
        out.truncate(begin);
        if let Some(mark) = mark {
            (ISOLATED, mark).pack(out);
        }
        (STAYS, node, short(type_name)).pack(out);
    }
    None
}

/// Packs a token for node `node`, in a run that began with the values `shared`.
pub(crate) fn pack_token(token: Token, node: u32, shared: &SharedValues) -> Vec<u8> {
    match pack(Event::Token { node, token }, node, shared) {
        Event::Bytes { bytes, .. } => bytes,
        _ => unreachable!("a token has bytes"),
    }
}

/// Returns the counted length of a packed event, in bytes. It excludes the signature and the origin.
fn counted_len(bytes: &[u8]) -> usize {
    let whole = bytes.len();
    let bytes = if bytes.first() == Some(&ISOLATED) { &bytes[MARK..] } else { bytes };
    let signature = if bytes.first() == Some(&SIGNED) { SIGNATURE } else { 0 };
    let origin = if matches!(bytes.get(signature), Some(&(SIGNAL | PUT | GET | WRITE))) { ORIGIN } else { 0 };
    whole - signature - origin
}

fn pack_value(mut value: Value, out: &mut Packer) {
    if let Some(kind) = value.kind() {
        (kind.hooks().pack)(&mut value, out);
    }
}

fn pack_call(call: ErasedCall, out: &mut Packer) {
    let (mark, mut call) = isolated_call::open(call);
    if let Some(mark) = mark {
        (ISOLATED_CALL, mark).pack(out);
    }
    if let Some(function) = call.kind() {
        functions::number(function).pack(out);
        (function.hooks().pack)(&mut call, out);
    }
}

/// The reason why an event could not be read.
pub(crate) enum DecodeFailure {
    /// The bytes do not encode an event.
    Undecodable,
    /// The value of the event has this type, which stays in its process.
    StaysInProcess(String),
    /// The event is a value for an inlet that does not exist, so its type is unknown.
    NoInlet(EntryRef, Origin, Refusal),
    /// The event is a value for a cell that does not exist.
    NoCell(EntryRef, Origin, Refusal),
}

impl From<Undecodable> for DecodeFailure {
    fn from(_: Undecodable) -> Self {
        DecodeFailure::Undecodable
    }
}

/// Reads the mark of a packed event, if it has one. Returns it with the bytes of the event.
pub(crate) fn mark(bytes: &[u8]) -> (Option<Mark>, &[u8]) {
    match bytes.split_at_checked(MARK) {
        Some(([ISOLATED, mark @ ..], event)) => {
            let mark = Mark::unpack(&mut Unpacker::sharing(mark, &SharedValues::default(), u32::MAX));
            (mark.ok(), event)
        }
        _ => (None, bytes),
    }
}

/// Returns the target node of a packed event, if the bytes name one.
pub(crate) fn target(bytes: &[u8]) -> Option<u32> {
    let (tag, origin, input) = &mut read_head(bytes)?;
    match *tag {
        _ if origin.is_some() => EntryRef::unpack(input).ok().map(EntryRef::node),
        AFTER => EntryRef::unpack(input).ok().map(EntryRef::node),
        INVOKE | TOKEN | SETTLED | FAILED | DEAD | FORGET | STAYS => u32::unpack(input).ok(),
        _ => None,
    }
}

/// Returns the node that sent a packed event, if the bytes name it.
pub(crate) fn sender(bytes: &[u8]) -> Option<u32> {
    let (_, origin, _) = read_head(bytes)?;
    origin
}

/// Reads the tag of a packed event, and the node of its origin, if it has one.
fn read_head(bytes: &[u8]) -> Option<(u8, Option<u32>, Unpacker<'_>)> {
    let (_, bytes) = mark(bytes);
    let mut input = Unpacker::new(bytes);
    let mut tag = u8::unpack(&mut input).ok()?;
    if tag == SIGNED {
        u64::unpack(&mut input).ok()?;
        tag = u8::unpack(&mut input).ok()?;
    }
    let has_origin = matches!(tag, SIGNAL | PUT | GET | WRITE);
    let origin = has_origin.then(|| <(u32, u32, u32)>::unpack(&mut input).ok()).flatten();
    (has_origin == origin.is_some()).then(|| (tag, origin.map(|(_, _, node)| node), input))
}

/// Reads an event for node `own`, without its mark, with the blocks that arrived beside it.
pub(crate) fn unpack(
    bytes: &[u8],
    landed: &mut [Landed],
    own: u32,
    frames: &FrameStore,
    decoding: &Decoding,
) -> Result<Event, DecodeFailure> {
    let input = &mut Unpacker::sharing(bytes, &decoding.shared, decoding.nodes).with(landed);
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
    // The value is read last, after all checks: dropping it may take more stack than this function has.
    let is_own = |node: u32| if node == own { Ok(()) } else { Err(Undecodable) };
    let event = match tag {
        SIGNAL => Event::Signal { origin: from(input)?, to: Wire::unpack(input)? },
        PUT => {
            let origin = from(input)?;
            let to: EntryRef = Wire::unpack(input)?;
            is_own(to.node())?;
            let unpack = match frames.unpack_of(to) {
                _ if to.id() == FrameId::ROOT => decoding.result,
                _ if answers::place(to).is_some() => match &decoding.answers {
                    Some(desk) => {
                        desk.reader(to).ok_or(DecodeFailure::NoInlet(to, origin, Refusal::Stale))?
                    }
                    None => return Err(DecodeFailure::NoInlet(to, origin, Refusal::Stale)),
                },
                Ok(unpack) => unpack,
                Err(refusal) => return Err(DecodeFailure::NoInlet(to, origin, refusal)),
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
            let spec = frames.cell_spec(at).map_err(|refusal| DecodeFailure::NoCell(at, origin, refusal))?;
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
                return Err(DecodeFailure::Undecodable);
            }
            is_own(node)?;
            Event::Token { node, token: Token { call: unpack_call(input)?, within } }
        }
        AFTER => {
            let (slot, nanos) = Wire::unpack(input)?;
            Event::After { slot, nanos, call: unpack_call(input)? }
        }
        SETTLED => {
            let (node, domain) = Wire::unpack(input)?;
            Event::Domain { node, note: DomainNote::Settled(domain) }
        }
        FAILED => {
            let (node, mark, error) = Wire::unpack(input)?;
            Event::Domain { node, note: DomainNote::Failed { mark, error } }
        }
        DEAD => {
            let (node, domain) = Wire::unpack(input)?;
            Event::Domain { node, note: DomainNote::Dead(domain) }
        }
        FORGET => {
            let (node, domain) = Wire::unpack(input)?;
            Event::Domain { node, note: DomainNote::Forget(domain) }
        }
        STAYS => {
            let (_node, type_name): (u32, _) = Wire::unpack(input)?;
            return Err(DecodeFailure::StaysInProcess(type_name));
        }
        _ => return Err(DecodeFailure::Undecodable),
    };
    if input.left() != 0 || event.node(own) != own {
        return Err(DecodeFailure::Undecodable);
    }
    Ok(match sender {
        Some(sender) => Event::Signed { sender, event: Box::new(event) },
        None => event,
    })
}

fn unpack_call(input: &mut Unpacker<'_>) -> Result<ErasedCall, Undecodable> {
    let number = u32::unpack(input)?;
    if number == ISOLATED_CALL {
        let mark = Wire::unpack(input)?;
        let function = functions::get(u32::unpack(input)?).ok_or(Undecodable)?;
        return Ok(isolated_call::isolate((function.hooks().unpack)(input)?, mark));
    }
    let function = functions::get(number).ok_or(Undecodable)?;
    (function.hooks().unpack)(input)
}
