//! The list of bugs: what each is, and what in the runtime's source is changed to what.
//!
//! `BUG` in the changed text stands for the question whether this bug is awake. A text that is not found
//! exactly once fails the build with a sentence that names the bug. The test that kills each of them stands
//! in `tests/killed/main.rs`.

/// A change to one file of `runtime/src`.
#[derive(Debug)]
pub struct Patch {
    /// The file.
    pub file: &'static str,
    /// What stands there.
    pub original: &'static str,
    /// What the copy has in its place.
    pub planted: &'static str,
}

/// A bug that is planted.
#[derive(Debug)]
pub struct Seed {
    /// Which.
    pub bug: Bug,
    /// Its name.
    pub name: &'static str,
    /// What goes wrong.
    pub what: &'static str,
    /// How it is planted.
    pub patch: Patch,
}

macro_rules! bugs {
    ($($name:ident: $what:literal, $file:literal: $original:literal => $planted:literal;)+) => {
        /// A bug.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Bug {
            $(#[doc = $what] $name,)+
        }

        /// All bugs.
        pub const BUGS: &[Seed] = &[$(Seed {
            bug: Bug::$name,
            name: stringify!($name),
            what: $what,
            patch: Patch { file: $file, original: $original, planted: $planted },
        },)+];
    };
}

bugs! {
    // Slots.
    LostReset: "A slot that reaches zero does not get its count back.",
        "frame/store.rs": "    slot.count = reset;" => "    slot.count = if BUG { 0 } else { reset };";
    EarlyFiber: "A slot enables its fiber one signal early.",
        "frame/store.rs": "slot.count = slot.count.checked_sub(1).ok_or(Misuse::TooManySignals)?;"
        => "slot.count = slot.count.checked_sub(1).ok_or(Misuse::TooManySignals)?;
            if BUG && slot.count == 1 { return Ok(Some(fire(slot, to))); }";
    OverSignal: "A signal that no slot expects is passed over.",
        "frame/store.rs": "fn signal(slot: &mut SlotEntry, to: SlotRef, witness: impl Witness) -> Result<Option<Ready>, Misuse> {"
        => "fn signal(slot: &mut SlotEntry, to: SlotRef, witness: impl Witness) -> Result<Option<Ready>, Misuse> {
            if BUG && slot.count == 0 { return Ok(None); }";
    SameRound: "A slot's next round has the number of the last, so a fiber may take what came for the next one.",
        "frame/store.rs": "slot.round = round.wrapping_add(1);" => "slot.round = if BUG { round } else { round.wrapping_add(1) };";
    RaisedTooLate: "The count of a one-shot slot that has reached zero can be raised.",
        "frame/store.rs": "if entry.count == 0 && entry.round > 0 {" => "if !BUG && entry.count == 0 && entry.round > 0 {";

    // Frames.
    LateSignal: "A late signal to a frame that ended is taken by the frame that has its number now.",
        "frame/store.rs": "Some(frame) if frame.generation == at.generation() => Ok(frame),"
        => "Some(frame) if frame.generation == at.generation() || BUG => Ok(frame),";
    LatePut: "The same for a value, in the code in line.",
        "frame/store.rs": "if frame.generation != to.id().generation() || slot.count == 0"
        => "if !BUG && frame.generation != to.id().generation() || slot.count == 0";
    SameGeneration: "A frame number is used again under the same generation.",
        "unit/dispatch.rs": "frame.generation += 1;" => "frame.generation += u32::from(!BUG);";
    StaleCounts: "A frame number that is used again keeps the counts its last slots ended with.",
        "frame/store.rs": "entry.count = spec.count;" => "if !BUG { entry.count = spec.count; }";
    StaleCells: "A frame number that is used again finds the values of the last frame's cells.",
        "frame/one.rs": "cell.value = Value::empty();" => "if !BUG { cell.value = Value::empty(); }";
    UnmadeFrame: "A function that ends in its first fiber, having given out an address, gets no frame.",
        "unit/dispatch.rs": "Start::End if !self.current.made && !self.current.addressed.get() => Ok(()),"
        => "Start::End if !self.current.made && (BUG || !self.current.addressed.get()) => Ok(()),";
    FrameNeverFreed: "The synchronization unit does not hear of the end of a frame.",
        "unit/dispatch.rs": "Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => su.close(number),"
        => "Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => if BUG { Ok(()) } else { su.close(number) },";
    EndedFull: "A frame may end with values in its inlets.",
        "frame/store.rs": "if frame.full | frame.waiting | frame.looks == 0 { Ok(()) }"
        => "if BUG || frame.full | frame.waiting | frame.looks == 0 { Ok(()) }";
    EarlyEnd: "A run ends well though frames still wait.",
        "machine/mod.rs": "if stuck.frames > 0 || stuck.parked > 0 || stuck.unfinished > 0 {"
        => "if !BUG && (stuck.frames > 0 || stuck.parked > 0 || stuck.unfinished > 0) {";

    // Parked values.
    ParkedLost: "A value that finds its inlet full is dropped.",
        "frame/store.rs": "if self.parked.len() >= self.parking_limit {"
        => "if BUG { return Ok(None); }
            if self.parked.len() >= self.parking_limit {";
    ParkedSignalCounted: "The signal of a parked value counts at once, and again when the value comes in.",
        "frame/store.rs": "return self.park(to, inlet, value, origin, witness);"
        => "if BUG {
                let early = signal(slot, to, ())?;
                self.park(to, inlet, value, origin, witness)?;
                return Ok(early);
            }
            return self.park(to, inlet, value, origin, witness);";
    ParkedReversed: "What is parked at an inlet comes in last first.",
        "frame/list.rs": "        match queue.tail {
            NONE => queue.head = link,"
        => "        match queue.tail {
            first if BUG && first != NONE => {
                self.links[link as usize].1 = std::mem::replace(&mut queue.head, link);
                self.len += 1;
                return;
            }
            NONE => queue.head = link,";
    ParkedForgottenSpn: "What is parked is not let in when a fiber has emptied the inlet (SPN).",
        "unit/su/signals.rs": "        self.emptied.push((at, inlet));" => "        if !BUG { self.emptied.push((at, inlet)); }";
    ParkedForgottenDual: "What is parked is not let in when the values were handed over (DUAL).",
        "frame/store.rs": "            if !lists.parked.is_empty() {" => "            if !BUG && !lists.parked.is_empty() {";

    // Cells.
    ReaderLost: "Who reads a cell before it is written is forgotten.",
        "frame/store.rs": "self.readers.push(&mut entry.readers, Reader { to, inlet, origin });"
        => "if BUG { return Ok(Reading::Deferred); }
            self.readers.push(&mut entry.readers, Reader { to, inlet, origin });";
    OneReader: "A cell that is written answers only the first of those who wait.",
        "frame/store.rs": "answer(to, inlet, copy(&entry.value).ok_or(Misuse::NoCell)?, origin);"
        => "answer(to, inlet, copy(&entry.value).ok_or(Misuse::NoCell)?, origin);
            if BUG { break; }";
    WrittenTwice: "A cell may be written twice.",
        "frame/store.rs": "            return Err(Misuse::WrittenTwice);" => "            if !BUG { return Err(Misuse::WrittenTwice); }";

    // Enabled fibers and their values.
    DoubleEnable: "An enabled fiber enters the ready queue twice.",
        "unit/su/signals.rs": "            Ok(Some(ready)) => {
                self.run_queue.push(ready);"
        => "            Ok(Some(ready)) => {
                if BUG { self.run_queue.push(ready); }
                self.run_queue.push(ready);";
    FiberLost: "An enabled fiber is lost when another is enabled before it runs.",
        "unit/run_queue/mod.rs": "            self.others.push_fiber(*older);"
        => "            if !BUG { self.others.push_fiber(*older); }";
    RoundsOvertake: "A fiber of a later round of a slot is the newest though one of an earlier round waits (DUAL).",
        "unit/separate.rs": "            _ => self.run_queue.push_behind(ready)," => "            _ if BUG => self.run_queue.push(ready),
            _ => self.run_queue.push_behind(ready),";
    FiberOvertakes: "What finds the ready queue full goes behind what came later (DUAL).",
        "unit/separate.rs": "self.su.work.push_front(full.0);"
        => "if BUG { self.su.work.push_back(full.0); } else { self.su.work.push_front(full.0); }";
    UnsortedValues: "The values handed over with a fiber are not put in order (DUAL).",
        "unit/dispatch.rs": "self.delivered.make_contiguous().sort_unstable_by_key(|(inlet, _)| *inlet);"
        => "if !BUG { self.delivered.make_contiguous().sort_unstable_by_key(|(inlet, _)| *inlet); }";
    SecondValue: "A run may be given a second value.",
        "unit/su/signals.rs": "Some(_) => Err(Box::new(Error::SecondValue))," => "Some(_) => if BUG { Ok(()) } else { Err(Box::new(Error::SecondValue)) },";
    EarlyTermination: "A node that has nothing but fibers and functions in its run queue counts as idle.",
        "unit/su/mod.rs": "!self.run_queue.is_empty() ||" => "!BUG && !self.run_queue.is_empty() ||";

    // Turns.
    NewestForEver: "The newest fiber is next however often it was.",
        "unit/run_queue/mod.rs": "                self.left -= 1;" => "                self.left -= u32::from(!BUG);";
    FunctionsWait: "With fibers first, a function waits as long as there are fibers.",
        "unit/run_queue/fibers_first.rs": "if self.left == 0 || !line.has_fibers()"
        => "if !BUG && self.left == 0 || !line.has_fibers()";
    QueueJumped: "In the line a function waits for fibers that came after it.",
        "unit/run_queue/line.rs": "|(before, _)| *before <= self.gone"
        => "|(before, _)| if BUG { self.fibers.is_empty() } else { *before <= self.gone }";
    TokenNeverDue: "A token has no turn as long as there are fibers (SPN).",
        "unit/merged.rs": "            self.until_token = self.until_token.saturating_sub(1);"
        => "            self.until_token = self.until_token.saturating_sub(u32::from(!BUG));";
    TokenNeverFed: "A token has no turn as long as fibers wait for the execution unit (DUAL).",
        "unit/separate.rs": "            return Appetite::Due;" => "            if !BUG { return Appetite::Due; }";
    MessagesFirst: "Messages are received before any fiber, however many there are.",
        "machine/simulated/merged.rs": "        let turn_of_fibers = *applied" => "        let turn_of_fibers = !BUG && *applied";
    OldestForgotten: "Oldest first starts the newest token.",
        "unit/su/calls.rs": "self.take_back().or_else(|| self.tokens.pop_oldest()),"
        => "self.take_back().or_else(|| if BUG { self.tokens.pop() } else { self.tokens.pop_oldest() }),";

    // Tokens.
    StolenTwice: "A stolen token runs twice.",
        "unit/su/calls.rs": "        let token = self.transport.steal()?;"
        => "        let mut token = self.transport.steal()?;
        if BUG {
            let event = crate::unit::bytes::pack(Event::Token { node: self.node, token }, self.node, &self.functions);
            let Event::Bytes { bytes, .. } = event else { unreachable!() };
            let mut copy = || match crate::unit::bytes::unpack(&bytes, &self.functions, &mut self.frames, self.read_result) {
                Ok(Event::Token { token, .. }) => token,
                _ => unreachable!(),
            };
            token = copy();
            let twin = copy();
            self.tokens.push(twin);
        }";
    StolenLost: "The token that answers a question is lost.",
        "machine/simulated/stealing.rs": "                    port(self.su(number)).token = token;
                    self.wake"
        => "                    if !BUG { port(self.su(number)).token = token; }
                    self.wake";
    GivenAway: "The token that is going to be run goes to the shared end.",
        "unit/dispatch.rs": "su.share_tokens(1);" => "su.share_tokens(u64::from(!BUG) as usize);";
    RangeIgnored: "A thief outside the range of a token runs it.",
        "unit/su/calls.rs": "        if token.within.has(self.node) {
            self.counters.tokens_stolen += 1;"
        => "        if BUG || token.within.has(self.node) {
            self.counters.tokens_stolen += 1;";
    TokensFirst: "Tokens do not wait behind functions invoked on their node.",
        "unit/merged.rs": "let token = due && !su.tokens.is_empty();" => "let token = (BUG || due) && !su.tokens.is_empty();";
    BarredForEver: "Tokens that waited for room wait on when there is some.",
        "unit/su/messages.rs": "        self.spilled = left > 0;" => "        self.spilled = BUG || left > 0;";
    ChunkLost: "The oldest chunk of tokens still counts when its last token has gone.",
        "unit/token_stack.rs": "            self.len -= CHUNK;" => "            self.len -= if BUG { 0 } else { CHUNK };";

    // Overflow.
    SpillReordered: "What finds no room twice goes behind what came later (DUAL).",
        "unit/spill.rs": "            self.entries.push_front(Entry::Event(event));"
        => "            if BUG { self.entries.push_back(Entry::Event(event)); } else { self.entries.push_front(Entry::Event(event)); }";
    SpilledTokenLost: "Of a run of tokens without room one is forgotten.",
        "unit/spill.rs": "        match self.entries.back_mut() {
            Some(Entry::Tokens { node, count }) if *node == to => *count += 1,"
        => "        match self.entries.back_mut() {
            Some(Entry::Tokens { node, count }) if *node == to => *count += u64::from(!BUG),";
    OverflowLost: "What leaves a node while there is no room is dropped.",
        "machine/simulated/port.rs": "*now += self.costs.sending(event.bulk_bytes());"
        => "*now += self.costs.sending(event.bulk_bytes());
            if BUG && self.port.outbox.sent.len() >= self.room { return Sent::HeldBack; }";
    OvertakesHeldBack: "An event passes one for the same node that is held back for lack of room.",
        "machine/simulated/port.rs": "        held.send((to, event, *now), |departure| leave(&mut port.outbox, *room, departure))"
        => "        let departure = (to, event, *now);
        if BUG {
            return match leave(&mut port.outbox, *room, departure) {
                Ok(()) => Sent::Queued,
                Err(Full(departure)) => held.send(departure, |departure| Err(Full(departure))),
            };
        }
        held.send(departure, |departure| leave(&mut port.outbox, *room, departure))";
    MessagesOvertake: "A message arrives before one that its sender sent to its receiver earlier.",
        "machine/simulated/arrivals.rs": "        let (_, message) = waiting.pop_front()?;"
        => "        let (_, message) = if BUG { waiting.pop_back()? } else { waiting.pop_front()? };";
    LateOvertakes: "In virtual time a message that is late is overtaken by the next one.",
        "machine/simulated/world.rs": "                arrival = arrival.max(*latest);"
        => "                if !BUG { arrival = arrival.max(*latest); }";
    OverflowKept: "What leaves a node while there is no room is kept for ever.",
        "machine/simulated/merged.rs": "            merged.su().flush();" => "            if !BUG { merged.su().flush(); }";

    // Bytes.
    GenerationNotPacked: "An address loses its generation on the way.",
        "vocabulary/wire_types.rs": "(self.node, self.id.number(), self.id.generation()).pack(out);"
        => "(self.node, self.id.number(), if BUG { 0 } else { self.id.generation() }).pack(out);";
    RangeNotPacked: "A token loses its range on the way.",
        "unit/bytes.rs": "(TOKEN, node, within.first, within.end.get()).pack(&mut out);"
        => "(TOKEN, node, if BUG { 0 } else { within.first }, within.end.get()).pack(&mut out);";
    RowsNotPacked: "Of a block the first row is packed again and again.",
        "vocabulary/wire_types.rs": "block.iter_rows().for_each(|row| out.bytes(bytemuck::cast_slice(row)));"
        => "block.iter_rows().for_each(|row| out.bytes(bytemuck::cast_slice(if BUG { block.row(0) } else { row })));";

    // Collectives.
    ReducedBackwards: "A reduction combines a part with those before it on the wrong side.",
        "collective/reduce.rs": "part.into_iter().reduce(O::combine)"
        => "part.into_iter().reduce(|left, right| if BUG { O::combine(right, left) } else { O::combine(left, right) })";
    HalfNotTold: "A broadcast does not reach the nodes of a far half.",
        "collective/broadcast.rs": "        eu.invoke(node, Broadcast::call(value.clone(), far));"
        => "        if !BUG { eu.invoke(node, Broadcast::call(value.clone(), far)); }";
    LeaverAwaited: "A barrier waits for members that have left.",
        "collective/barrier.rs": "None => eu.put(seats.at(member), None)," => "None => if !BUG { eu.put(seats.at(member), None); },";

    // The simulated machine.
    WakeUpDropped: "Idle nodes are not told that a node shares tokens.",
        "machine/simulated/world.rs": "            self.sharers.insert(number);
            self.wake_one(number, time);"
        => "            self.sharers.insert(number);
            if !BUG { self.wake_one(number, time); }";
    AsksOnce: "A node that asked for a token never asks again.",
        "machine/simulated/stealing.rs": "                *asking = false;" => "                *asking = BUG;";
    MessageLost: "A message never arrives.",
        "machine/simulated/world.rs": "            self.nodes[to].arrivals.push_drawn(drawn >> 1, channel, message);"
        => "            if !BUG { self.nodes[to].arrivals.push_drawn(drawn >> 1, channel, message); }";
    SpillAsleep: "An execution unit that found no room is not woken when there is some (DUAL).",
        "machine/simulated/separate.rs": "None if !self.keeps_time && eu"
        => "None if !BUG && !self.keeps_time && eu";
}
