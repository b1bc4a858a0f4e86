// The list of bugs: the name of each, and what goes wrong.
//
// This file is included twice, each time after another macro `bugs`: the build script takes the names, and the switch
// makes variants of them. The test that kills each bug stands in `tests/killed/main.rs`.

bugs! {
    // Slots.
    LostReset: "A slot that reaches zero does not get its count back.";
    EarlyFiber: "A slot enables its fiber one signal early.";
    OverSignal: "A signal that no slot expects is passed over.";
    RaisedTooLate: "The count of a one-shot slot that has reached zero can be raised.";
    FiresEmpty: "A slot that has its signals enables its fiber though an inlet that it counts is empty.";

    // Frames.
    LateSignal: "A late signal to a frame that ended is taken by the frame that has its number now.";
    LatePut: "The same for a value, in the code in line.";
    SameGeneration: "A frame number is used again under the same generation.";
    StaleCounts: "A frame number that is used again keeps the counts its last slots ended with.";
    StaleCells: "A frame number that is used again finds the values of the last frame's cells.";
    UnmadeFrame: "A function that ends in its first fiber, having given out an address, gets no frame.";
    FrameNeverFreed: "The synchronization unit does not hear of the end of a frame.";
    EndedFull: "A frame may end with values in its inlets.";
    StaysFull: "An inlet whose value was taken out is full as before (numbers alone: no other value may be copied).";
    EarlyEnd: "A run ends well though frames still wait.";

    // Parked values.
    ParkedLost: "A value that finds its inlet full is dropped.";
    ParkedSignalCounted: "The signal of a parked value counts at once, and again when the value comes in.";
    ParkedReversed: "What is parked at an inlet comes in last first.";
    ParkedForgottenSpn: "What is parked is not let in when a fiber has emptied the inlet (SPN).";
    ParkedForgottenDual: "What is parked is not let in when the values were handed over (DUAL).";
    ParkedOneInlet: "Of the inlets that a fiber has emptied only one gets what is parked there.";

    // Cells.
    ReaderLost: "Who reads a cell before it is written is forgotten.";
    OneReader: "A cell that is written answers only the first of those who wait.";
    WrittenTwice: "A cell may be written twice.";

    // Enabled fibers and their values.
    DoubleEnable: "An enabled fiber enters the ready queue twice.";
    FiberLost: "An enabled fiber is lost when another is enabled before it runs.";
    RoundsOvertake:
        "A fiber of a later round of a slot is the newest though one of an earlier round waits (DUAL).";
    FiberOvertakes: "What finds the ready queue full goes behind what came later (DUAL).";
    WorkOvertakes: "What finds the ring to an execution unit full goes behind what came later (DUAL, threads).";
    AskerOfBefore: "What a function asks for on its node is taken for what the first one asks for (DUAL, threads).";
    ValuesReversed: "The values handed over with a fiber come to it last first (DUAL).";
    FirstElement: "What enables a fiber of an array is taken for the first element of the array.";
    OwnOfBefore: "A fiber that is run right behind another one of its function gives out addresses of the frame of that one.";
    SecondValue: "A run may be given a second value.";
    EarlyTermination: "A node that has nothing but fibers and functions in its run queue counts as idle.";

    // Turns.
    NewestForEver: "The newest fiber is next however often it was.";
    FunctionsWait: "With fibers first, a function waits as long as there are fibers.";
    QueueJumped: "In the line a function waits for fibers that came after it.";
    TokenNeverDue: "A token has no turn as long as there are fibers (SPN).";
    TokenNeverFed: "The same (DUAL).";
    NeverDueInTime: "In virtual time a token has no turn as long as there are fibers (SPN).";
    NeverFedInTime: "In virtual time a token has no turn as long as fibers wait for the execution unit (DUAL).";
    BurstUncounted: "Fibers that are run right behind one of their function do not count as turns.";
    BurstDeaf: "While fibers are run right behind one of their function nothing that arrives is looked at.";
    AskUnheard: "A unit that is asked to look up while it runs fibers of one function right behind each other does not.";
    MessagesFirst: "In virtual time messages are received before any fiber, however many there are.";
    OldestForgotten: "Oldest first starts the newest token.";

    // Tokens.
    StolenTwice: "A stolen token runs twice.";
    StolenLost: "The token that answers a question is lost.";
    OfferForgotten: "A token that is made while there is room at the shared end is not put there before the next fiber.";
    GivenAway: "The token that is going to be run goes to the shared end.";
    TokensOvertake: "What a token brings back is applied before what its maker asked for earlier (DUAL).";
    RangeIgnored: "A thief outside the range of a token runs it.";
    TokensFirst: "Tokens do not wait behind functions invoked on their node.";
    BarredForEver: "Tokens that waited for room wait on when there is some.";
    ChunkLost: "The oldest chunk of tokens still counts when its last token has gone.";

    // Overflow.
    SpillReordered: "What finds no room twice goes behind what came later (DUAL).";
    OverflowLost: "What leaves a node while there is no room is dropped.";
    OvertakesHeldBack: "An event passes one for the same node that is held back for lack of room.";
    MessagesOvertake: "A message arrives before one that its sender sent to its receiver earlier.";
    LateOvertakes: "In virtual time a message that is late is overtaken by the next one.";
    OverflowKept: "What leaves a node while there is no room is kept for ever.";

    // Bytes.
    GenerationNotPacked: "An address loses its generation on the way.";
    RangeNotPacked: "A token loses its range on the way.";
    StolenPastBytes: "A stolen token does not go through its bytes.";
    RowsNotPacked: "Of a block the first row is packed again and again.";

    // Collectives.
    ReducedBackwards: "A reduction combines a part with those before it on the wrong side.";
    HalfNotTold: "A broadcast does not reach the nodes of a far half.";
    LeaverAwaited: "A barrier waits for members that have left.";

    // Input from outside.
    InputUnawaited: "A run ends though its input is open.";
    InputNeverCloses: "A run goes on when its input has been closed.";

    // The stepper and the simulated machine.
    WakeUpDropped: "Sleeping workers are not woken when a node shares tokens.";
    IdleNotLed: "In virtual time idle nodes are not told that a node shares tokens.";
    AsksOnce: "A node that asked for a token never asks again.";
    MessageLost: "A message never arrives.";
    SpillAsleep: "An execution unit that found no room is not woken when there is some (DUAL).";
}
