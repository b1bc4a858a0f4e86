// The list of bugs: the name and the effect of each.
//
// This file is included twice, each time with another macro `bugs`: the build script takes the names, and the
// switch makes variants of them. `tests/killed/main.rs` names the test that kills each bug.

bugs! {
    // Slots.
    LostReset: "A slot that reaches zero does not get its count back.";
    EarlyFiber: "A slot enables its fiber one signal early.";
    OverSignal: "A signal that no slot expects is ignored.";
    RaisedTooLate: "The count of a one-shot slot that has reached zero can be raised.";
    FiresEmpty: "A slot that has its signals enables its fiber although an inlet that it counts is empty.";

    // Frames.
    LateSignal: "A late signal to an ended frame reaches the frame that now has its number.";
    LatePut: "A late value to an ended frame reaches the frame that now has its number (inlined code).";
    SameGeneration: "A frame number is reused under the same generation.";
    StaleCounts: "A reused frame number keeps the final counts of its last slots.";
    StaleCells: "A reused frame number finds the values of the last frame's cells.";
    UnmadeFrame: "A function that gives out an address and ends in its first fiber gets no frame.";
    FrameNeverFreed: "The synchronization unit does not learn of the end of a frame.";
    EndedFull: "A frame may end with values in its inlets.";
    StaysFull: "An inlet whose value was taken out stays full (only for numbers: no other value may be copied).";
    EarlyEnd: "A run ends successfully although frames still wait.";

    // Parked values.
    ParkedLost: "A value that finds its inlet full is dropped.";
    ParkedSignalCounted: "The signal of a parked value counts at once, and again when the value enters the inlet.";
    ParkedReversed: "Values that are parked at an inlet enter it in reverse order.";
    ParkedForgottenSpn: "A parked value does not enter an inlet that a fiber has emptied (SPN).";
    ParkedForgottenDual: "A parked value does not enter an inlet whose value was passed to the execution unit (DUAL).";
    ParkedOneInlet: "Only one of the inlets that a fiber has emptied gets its parked value.";

    // Cells.
    ReaderLost: "A reader that reads a cell before it is written is forgotten.";
    OneReader: "A write to a cell answers only the first waiting reader.";
    WrittenTwice: "A cell may be written twice.";

    // Enabled fibers and their values.
    DoubleEnable: "An enabled fiber enters the ready queue twice.";
    FiberLost: "An enabled fiber is lost when another is enabled before it runs.";
    RoundsOvertake:
        "A fiber of a later round of a slot is the newest although one of an earlier round waits (DUAL).";
    FiberOvertakes: "A fiber that finds the ready queue full goes behind later ones (DUAL).";
    WorkOvertakes: "Work that finds the ring to an execution unit full goes behind later work (DUAL, threads).";
    AskerOfBefore: "The requests of a function on its node are attributed to the first function (DUAL, threads).";
    ValuesReversed: "A fiber gets the values that are passed with it in reverse order (DUAL).";
    FirstElement: "A signal to an element of a slot array enables the fiber of the first element.";
    OwnOfBefore: "A fiber that runs directly after another one of its function gives out addresses of that one's frame.";
    SecondValue: "A run may be given a second value.";
    EarlyTermination: "A node that only has fibers and functions in its run queue counts as idle.";

    // Turns.
    NewestForEver: "The newest fiber is always next, without the limit of consecutive turns.";
    FunctionsWait: "With fibers first, a function waits while there are fibers.";
    QueueJumped: "In the single queue a function waits for fibers that came after it.";
    TokenNeverDue: "A token has no turn while there are fibers (SPN).";
    TokenNeverFed: "A token has no turn while there are fibers (DUAL).";
    NeverDueInTime: "In virtual time a token has no turn while there are fibers (SPN).";
    NeverFedInTime: "In virtual time a token has no turn while fibers wait for the execution unit (DUAL).";
    BurstUncounted: "Fibers that run directly after another one of their function do not count as turns.";
    BurstDeaf: "While consecutive fibers of one function run, the unit does not look at arriving events.";
    AskUnheard: "A unit ignores an attention request while it runs consecutive fibers of one function.";
    MessagesFirst: "In virtual time all messages are received before any fiber runs, without a limit.";
    OldestForgotten: "The policy oldest first starts the newest token.";

    // Tokens.
    StolenTwice: "A stolen token runs twice.";
    StolenLost: "The token that answers a request is lost.";
    OfferForgotten: "A token that is made while the shared end has room is not put there before the next fiber.";
    GivenAway: "The token that is about to run goes to the shared end.";
    TokensOvertake: "An event of a token is applied before the earlier events of its maker (DUAL).";
    RangeIgnored: "A thief outside the range of a token runs it.";
    TokensFirst: "Tokens do not wait behind functions invoked on their node.";
    BarredForEver: "Tokens that waited for room still wait when there is some.";
    ChunkLost: "The oldest chunk of tokens still counts when its last token is gone.";

    // Overflow.
    SpillReordered: "An event that finds no room twice goes behind later events (DUAL).";
    OverflowLost: "A message that leaves a node while there is no room is dropped.";
    OvertakesHeldBack: "An event overtakes an event for the same node that is held back for lack of room.";
    MessagesOvertake: "A message arrives before an earlier one from the same sender to the same receiver.";
    LateOvertakes: "In virtual time the next message overtakes a late one.";
    OverflowKept: "A message that leaves a node while there is no room is kept forever.";

    // Bytes.
    GenerationNotPacked: "An address loses its generation on the way.";
    RangeNotPacked: "A token loses its range on the way.";
    StolenPastBytes: "A stolen token does not go through its bytes.";
    RowsNotPacked: "Every packed row of a block is the first one.";

    // Collectives.
    ReducedBackwards: "A reduction combines a part with the parts before it on the wrong side.";
    HalfNotTold: "A broadcast does not reach the nodes of a remote half.";
    LeaverAwaited: "A barrier waits for members that have left.";

    // Isolated calls.
    DeadCallRuns: "A call that an isolated call has made starts after that has failed.";
    DroppedIsMisuse: "A message for a frame that was dropped with an isolated call ends the run.";
    IdentityReused: "A frame gets the identity that a first fiber gave out before it failed.";

    // Input from outside.
    InputUnawaited: "A run ends although its input is open.";
    InputNeverCloses: "A run continues after its input is closed.";

    // The stepper and the simulated machine.
    WakeUpDropped: "Sleeping workers are not woken when a node shares tokens.";
    IdleNotLed: "In virtual time idle nodes are not notified that a node shares tokens.";
    AsksOnce: "A node that requested a token never requests another one.";
    MessageLost: "A message never arrives.";
    SpillAsleep: "An execution unit that found no room is not woken when there is some (DUAL).";
}
