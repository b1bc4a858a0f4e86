//! Every atomic of the earth runtime: queues, token hand-off, sleep and wake, and the end of a run.
//!
//! A slot, an inlet or a frame is a plain value that one synchronization unit (SU) owns. Threads exchange
//! data only through the protocols below. This page states who owns each object and when, which races exist,
//! and why each race is benign. The crate does not depend on frames or fibers. Its files are compiled three
//! more times:
//!
//! * `tests/model` compiles them against loom, which explores the races named below.
//! * `tests/model` compiles them again with seeded weaknesses, which loom must find.
//! * `tests/shuttle` compiles them for whole programs in random schedules.
//!
//! # Who owns what
//!
//! | thing | written by | read by | handed over by |
//! |---|---|---|---|
//! | a slot, an inlet, a frame | its SU | its SU | never: others send events |
//! | a value or note in an [event queue](event_queue()) | the sender that claimed its cell | the receiver | the cell's sequence word |
//! | the messages of a cell of a [message ring](message_ring()) | the sender | the receiver | the cell's stamp, and back by the receiver's counter |
//! | a value [held back](HeldBack) for lack of room | its sender | its sender | a later send to the queue |
//! | a token in a [shared end](shared_end()) | the publisher | the taker that claimed it | the cell's sequence word |
//! | a bit of [`Offers`] | its node | thieves | no data: it says where to look |
//! | the word of an [`Attention`] | the askers and the unit | the unit | no data: it says that there is something to look at |
//! | an announcement in [`Sleepers`] | the worker makes it | wakers | the swap that takes it |
//! | a [`Tally`] | its holder | its reader | no data: it is only a count |
//! | a [`Ledger`] | its unit | all units | its epoch |
//! | the [`Verdict`] | the first declarer | all units | the word itself |
//! | the word of an [`Activity`] | its unit | a monitor | no data: it says which fiber runs |
//! | the round of a [`Gate`] | the caller | the workers | the round word, and back by the count of active workers |
//! | a value in a place of [`Answers`] | the giver that won the place | its asker | the place's word |
//! | the count of [`Active`] threads | each active thread | all threads | no data: it is only a count |
//!
//! The handle's type says what its holder may do. A receiver is not `Clone` and needs `&mut`, so there is one
//! receiver. A stealer has no `publish`. Only the holder of a ledger can write it.
//!
//! # The races, by name
//!
//! **Two values, one sender.** The first value finds the queue full. The receiver makes room, and the second
//! value could then enter. It still goes behind the first: the values that a sender [holds back](held_back)
//! form a list that all later values for that queue join. So values of one sender reach one receiver in the
//! order in which they were sent, and programs may rely on that. Values of different senders are not ordered.
//!
//! **Two signals, one slot.** Two threads signal a slot at the same time. Neither touches the slot: each
//! sends an event, and the SU counts them one after the other. With one owner, the count, the reset and the
//! firing are one step that no other thread can interrupt. (An atomic count that is decremented and then
//! reset loses a signal that arrives in between; the models show it for both ways to reset.)
//!
//! **Two senders, one cell.** Each loads the tail, sees the cell free and tries to advance the tail from the
//! same number. The compare-and-swap succeeds for one of them. *Proof:* tickets are issued by successful
//! swaps of one word from `t` to `t + 2`, and the word takes each value once in a lap of 2⁶³ positions. So a
//! ticket has one holder, and only its holder fills its cell.
//!
//! **Claimed, not filled.** A sender is stopped after its swap; others fill the cells behind. The receiver
//! looks at one cell only, finds it unfilled and reports an empty queue. *No value is lost:* the stopped
//! sender fills the cell when it resumes, and wakes the receiver then. For this reason a sender wakes the
//! receiver after every send, not only when the queue was empty.
//!
//! **The lap.** A cell is filled for position `p`, emptied, and filled for `p + capacity`. The sequence word
//! distinguishes all four states, since it counts in steps of two (`2p` free for `p`, `2p + 1` holds `p`).
//! This also holds for a capacity of one and when the counter wraps: the code compares only differences,
//! which are far smaller than half the range. Filling releases the value and taking releases the cell, by the
//! store of the word that the other side acquires. So the two accesses to a value, and two successive laps,
//! are ordered.
//!
//! **A value where a note was.** A note fills only the first line of a cell; the rest of the cell keeps the
//! bytes of an earlier lap. The mark that distinguishes notes from values is written with each of them before
//! the cell is released, and read after the cell is acquired. So the receiver, or the thread that drops the
//! queue, reads exactly the bytes that were written last.
//!
//! **The cell that is being filled.** The receiver of a [message ring](message_ring()) looks at the stamp of
//! a cell while the sender writes messages behind it. Until the sender publishes the cell, the stamp belongs
//! to an earlier lap, so the receiver reads no other word. The sender rewrites a cell only after the
//! receiver's counter, which it acquired, has passed that cell. *No message stays behind:* a sender publishes
//! a partly filled cell before it rests or wakes a thread.
//!
//! **Two thieves, one token.** This is the race of two senders, with the head instead of the tail. A thief
//! claims before it copies, so a thief in the middle of its copy delays no other thief and loses no token:
//! the loser's next try is for the next token. An owner that takes a token back acts as one more thief.
//!
//! **Stale head.** A thief loads an old head. Either its cell still has the old ticket's word, and the swap
//! fails because the head has moved. Or the cell is beyond the ticket, and the acquiring load of its word has
//! made the newer head visible. So the retry makes progress, and `is_empty` never takes "beyond" for "empty".
//!
//! **Early count.** A fiber raises a slot's count and publishes a token whose fiber will signal the slot. A
//! thief may take the token and send its signal at once. The raise still comes first. It advanced the tail
//! before the token's cell was released, and the thief acquired that cell before it advanced the tail itself.
//! So in the modification order of the tail, the raise has the earlier ticket. A fiber that publishes first
//! and raises later makes the slot fire early.
//!
//! **Late signal.** A signal is under way to a frame that ends, and a new frame reuses the memory. Ordering
//! cannot help here. The address carries a generation, which the owner compares; it reports a late signal
//! instead of counting it.
//!
//! **The lost wake-up.** A worker finds no work and goes to sleep while another thread makes some available.
//! Both write first (announce, publish), then fence, then look at the other's word. One of the two fences
//! comes first in the single order of sequentially consistent fences; writes before it are visible to reads
//! after the other. So the worker sees the work, or the waker sees the announcement. The worker's lock covers
//! the gap between announcement and sleep: the worker looks at its announcement under the lock, and the waker
//! acquires the lock after it has taken the announcement and before it notifies.
//!
//! **The late wake-up.** One unit of a DUAL node still has work. It publishes messages to the other unit,
//! which is about to sleep, and nudges it without a fence. Both may look before the other's write has
//! arrived. The unit sees the announcement when it nudges again, and at the latest when it rests, because
//! then it wakes with the fence. That case is the lost wake-up, with all messages published since as
//! *publish*.
//!
//! **The lost notification of holders.** A worker that holds messages for lack of room goes to sleep while
//! another makes room. This is the lost wake-up again: the holder announces, passes the fence and retries;
//! the other makes room, passes the fence and looks whether holders sleep. It need not notify at once, only
//! before it sleeps itself. So when all workers sleep, each holder has retried after the last progress of any
//! worker.
//!
//! **The unseen offer.** A thief looks at the bits of [`Offers`] before a publisher has raised its bit, and
//! goes to sleep. The publisher raises its bit before it wakes: this is the lost wake-up with two writes on
//! the publisher's side. Only the publisher lowers its bit, so a thief that found no token cannot hide a
//! token that was published since.
//!
//! **Asked while answering.** A thread asks a unit to look while the unit answers an earlier request. Both
//! change the word of the [`Attention`] in one step. Either the answer acquires what was published before the
//! request, and the unit finds it; or the word is set afterwards and the unit answers again. A failing run, a
//! thief that makes room at a shared end, a sender and the unit itself all use the same request; the last
//! request stands for all of them.
//!
//! **The message to a worker that falls asleep.** A worker finds its queue empty and goes to sleep while a
//! thread sends to it. The worker announces, and then looks at the queue's counter of tickets by a
//! read-modify-write; the sender claims a ticket, and then looks for the announcement. Both change the
//! counter, so one comes first. The worker sees the claim and stays awake, or the claim acquires the
//! announcement and the sender wakes the worker. No fence waits for the message's line.
//!
//! **The last poll.** A unit stops polling its queue between fibers while a thread sends to it and does not
//! ask, because it still sees the unit poll. This is the message to a worker that falls asleep, with the
//! unit's mark for the announcement. A unit that sees a claim polls again.
//!
//! **Two wakers, one sleeper.** Taking an announcement is a swap, and one waker gets it. The other waker goes
//! on to the next worker. If it finds no announcement, all workers are awake and look at everything before
//! they sleep again. The count of announcements that `wake_any` reads first is raised before an announcement
//! is made and lowered after one was taken. Hence it is never below the number of announcements that the
//! fence has made visible.
//!
//! **The wrong moment to stop.** Units run out of work at different times, and messages are under way between
//! them; a collection of their ledgers is not a snapshot. The [`quiet`](mod@quiet) module proves that two
//! collections suffice, that one does not, and that the last unit to become idle notices the end. In DUAL
//! mode the EU and the SU of a node are two units; otherwise a running fiber would belong to no unit.
//!
//! **The last input.** Threads outside of the run send to it, and all workers are idle. The workers cannot
//! end the run, since the ledger of the outside threads is busy, so they sleep. The last outside thread
//! closes the ledger after its last message and checks for quiescence itself: either it finds quiescence, or
//! some unit is still busy and will check. An outside thread that finds a queue full sleeps like a worker
//! that holds messages, and is notified by the rule for holders.
//!
//! **Two answers, one asker.** Two threads give an answer to the same asker, or one gives it while the asker
//! leaves or goes to sleep. The place's word changes by compare-and-swap, so one giver wins, and the asker
//! sleeps only if no giver has. [`answers`] has the proof.
//!
//! **Several ends.** One unit detects quiescence, another fails, the user cancels. A compare-and-swap from
//! *running* lets one declaration be the first. The others learn from its result that they came too late.
//!
//! **The next round.** A caller starts a round while a worker is on its way to sleep, or ends the machine
//! while a worker has not seen the last round. The round changes under the same lock under which a worker
//! decides to block, and a worker takes an open round before the end. The next round opens only when all
//! workers have reported *done*, so no round can be missed or run twice.
//!
//! # Memory order
//!
//! Values are handed over by release and acquire alone. Sequentially consistent fences are needed in two
//! places, where a thread writes one word and then reads another that its partner writes:
//!
//! * [`Sleepers`], which [`Offers`] relies on;
//! * [`Quiet::is_quiet`].
//!
//! A claim of a shared end is relaxed, because it only needs to be atomic. A claim of an event queue also
//! orders its sender after the announcement of a receiver that rests. No protocol relies on the order of
//! two relaxed accesses to different words.

pub mod active;
pub mod activity;
pub mod answers;
pub mod attention;
pub mod event_queue;
pub mod flag;
pub mod gate;
pub mod held_back;
pub mod message_ring;
pub mod offers;
pub mod process;
pub mod quiet;
pub mod shared_end;
pub mod sleepers;
pub mod tally;
pub mod verdict;

mod drops;
mod full;
mod prefetch;
mod primitive;
mod ring;

pub use active::Active;
pub use activity::{Activity, ActivityView, Running};
pub use answers::{Answers, Asked, PlaceId};
pub use attention::{Asker, Attention, Look, attention};
pub use event_queue::{EventReceiver, EventSender, event_and_note_queue, event_queue};
pub use flag::Flag;
pub use full::Full;
pub use gate::{Gate, Round, Signal};
pub use held_back::{HeldBack, Sent};
pub use message_ring::{Message, MessageReceiver, MessageSender, Receiver, Room, message_ring};
pub use offers::Offers;
pub use process::{Process, ProcessLock};
pub use quiet::{Ledger, Quiet, quiet};
pub use shared_end::{Publisher, Stealer, shared_end};
pub use sleepers::Sleepers;
pub use tally::{Tally, TallyReader, tally};
pub use verdict::{Declared, Ending, Verdict};
