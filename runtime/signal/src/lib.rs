//! Every atomic of the earth runtime: queues, token hand-off, sleep and wake, and the end of a run.
//!
//! A slot, an inlet or a frame is a plain value that one synchronization unit (SU) owns. All that passes
//! between threads passes through the few protocols here; this page says who owns what when, which races
//! there are and why each of them ends well. The crate knows no frame and no fiber. Its files are compiled a
//! second time against loom in `tests/model`, which explores the races named below, and a third time with
//! seeded weaknesses, which it must find. `tests/shuttle` compiles them once more, for whole programs in random schedules.
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
//! | a bit of [`Offers`] | its node | thieves | nothing is handed over: it says where to look |
//! | the word of an [`Attention`] | whoever asks, and the unit | the unit | nothing is handed over: it says that there is something to look at |
//! | an announcement in [`Sleepers`] | the worker makes it | wakers | the swap that takes it |
//! | a [`Tally`] | its holder | its reader | nothing is handed over: it is a count alone |
//! | a [`Ledger`] | its unit | everybody | its epoch |
//! | the [`Verdict`] | the first declarer | everybody | the word itself |
//! | the word of an [`Activity`] | its unit | a monitor | never: it says what runs, and hands nothing over |
//! | the round of a [`Gate`] | the caller | the workers | the round word, and back by the count of those at work |
//! | the count of [`Active`] threads | each of them | everybody | no data: it is a count alone |
//!
//! The handle's type says what its holder may do. A receiver is not `Clone` and needs `&mut`, so there is one
//! receiver; a stealer has no `publish`; a ledger can be written only by who holds it.
//!
//! # The races, by name
//!
//! **Two values, one sender.** The first finds the queue full, the receiver makes room, the second finds some. It
//! goes behind the first all the same: what a sender [holds back](held_back) is a list that all later values for
//! that queue join. So what one sender sends one receiver arrives in the order in which it was sent, and programs
//! may rely on that. Nothing orders values of different senders.
//!
//! **Two signals, one slot.** Two threads signal a slot at the same time. Neither touches the slot: each
//! sends an event, and the SU counts them one after the other. With one owner the count, the reset and the
//! firing are one step that nobody can come between. (An atomic count that is decremented and then reset
//! loses what comes in between; the models show it for both ways to reset.)
//!
//! **Two senders, one cell.** Each loads the tail, sees the cell free and tries to advance the tail from the
//! same number. The compare-and-swap lets one through. *Proof:* tickets are given out by successful swaps of
//! one word from `t` to `t + 2`, and the word takes each value once in a lap of 2⁶³ positions; so a ticket
//! has one holder, and only its holder fills its cell.
//!
//! **Claimed, not filled.** A sender is stopped after its swap; others fill the cells behind. The receiver
//! looks at one cell only, finds it unfilled and reports nothing. *Nothing is lost:* the stopped sender fills
//! the cell when it goes on, and wakes the receiver then. This is why a sender wakes after every send, not
//! only when the queue was empty.
//!
//! **The lap.** A cell is filled for position `p`, emptied, and filled for `p + capacity`. The sequence
//! word tells all four states apart, since it counts in steps of two (`2p` free for `p`, `2p + 1` holds
//! `p`); this holds for a capacity of one, and across the wrap of the counter, since only differences are
//! looked at and they are far smaller than half the range. Filling releases the value and taking releases
//! the cell, by the store of the word that the other side acquires; so the two accesses to a value, and two
//! successive laps, are ordered.
//!
//! **A value where a note was.** A note fills the first line of a cell only, and what lay behind it an earlier lap stays
//! there. The mark that tells the two apart is written with each of them before the cell is released, and read after it
//! was acquired; so the receiver reads, and whoever drops the queue drops, what was written last and nothing else.
//!
//! **The cell that is being filled.** The receiver of a [message ring](message_ring()) looks at the stamp of a cell while the
//! sender writes messages behind it. The stamp is that of an earlier lap until the sender publishes the cell, so the receiver
//! reads no other word; and the sender writes a cell anew only when the receiver's counter, which it acquired, has passed it.
//! *Nothing stays behind:* a sender publishes what it has begun before it rests or wakes anybody.
//!
//! **Two thieves, one token.** As two senders, with the head for the tail. A thief claims before it copies;
//! so a thief in the middle of its copy holds up no other thief and can lose nothing: the loser's next try is
//! for the next token. The owner who takes back is one more thief.
//!
//! **Stale head.** A thief loads an old head. Its cell then either still has the old ticket's word,
//! and the swap fails because the head has moved; or it is beyond it, and the look at it (an acquire)
//! has made visible the head that went before. So the retry makes progress, and `is_empty` never
//! takes "beyond" for "empty".
//!
//! **Early count.** A fiber raises a slot's count and publishes a token whose fiber will signal the slot; a
//! thief is so fast that its signal is sent at once. The raise still comes first: it advanced the tail
//! before the token's cell was released, the thief acquired that cell before it advanced the tail itself, so
//! in the one order of all values of the tail the raise has the earlier ticket. Publish first and raise
//! later, and the slot fires early.
//!
//! **Late signal.** A signal is under way to a frame that ends, and whose place a new frame takes. No
//! order helps: the address carries a generation, the owner compares it, and a late signal is
//! reported instead of counted.
//!
//! **The lost wake.** A worker finds nothing and goes to sleep while another makes something available. Both write
//! first (announce, publish), fence, and look at the other's word second. Of the two fences one comes first in the
//! single order of sequentially consistent fences; what was written before it is seen by what is read after the other.
//! So the worker sees the work, or the waker sees the announcement. Between announcement and sleep stands the worker's
//! lock: the worker looks at its announcement under it, and the waker, having taken the announcement, acquires it
//! before it rings.
//!
//! **The late wake.** A unit of a DUAL node that has more to do shows messages to the other one, which is about to sleep, and
//! nudges it without a fence: both may look before the other's write has arrived. The unit sees the announcement when it
//! nudges again, and at the latest when it rests, for then it wakes with the fence: the lost wake, with all that was shown
//! since for *publish*.
//!
//! **The lost ring.** A worker that holds something for lack of room goes to sleep while another makes room. It is the
//! lost wake once more: the holder announces, passes the fence and tries to go on; the other makes room, passes the
//! fence and looks whether holders sleep. It need not ring at once, but before it sleeps; so when all sleep, each holder
//! has tried after the last progress of anybody.
//!
//! **The unseen offer.** A thief looks at the bits of [`Offers`] before a publisher has raised its own, and goes to
//! sleep. The publisher raises its bit before it wakes: again the lost wake, with two things written on its side. A bit is
//! lowered by the publisher alone, so no thief that found nothing takes down the sign of what was published since.
//!
//! **Asked while answering.** Somebody asks a unit to look while it answers an earlier ask. Both change the word of the
//! [`Attention`] in one step: either the answer acquires what was published before the ask, and the unit finds it, or the
//! word is set afterwards and the unit answers again. A run that fails, a thief that makes room at a shared end, a sender
//! and the unit itself ask alike; the last ask stands for all of them.
//!
//! **The last poll.** A unit ceases to look at its queue between any two fibers while another sends to it, and the other
//! does not ask since the unit polls. It is the lost wake once more: the unit takes its mark away, passes the fence and
//! looks at the queue; the sender sends, passes the fence and looks at the mark. The sender's fence is that of
//! [`Sleepers`].
//!
//! **Two wakers, one sleeper.** Taking an announcement is a swap, and one of them gets it. The other goes on to the
//! next worker, or finds nobody: everybody is then awake, and looks at everything before sleeping again. The count of
//! announcements that `wake_any` looks at first is raised before an announcement is made and lowered after one was
//! taken, hence never below the number of those that the fence has made visible.
//!
//! **The wrong moment to stop.** Units run out of work at different times, and messages are under way between
//! them; a collection of their ledgers is not a moment in time. The [`quiet`](mod@quiet) module proves that
//! two collections are enough, why one is not, and why the last unit to become idle notices. In DUAL the EU
//! and the SU of a node are two units, or a fiber that runs would belong to nobody.
//!
//! **The last input.** Threads outside of the run send to it, and all workers are idle. These cannot end
//! the run, since the ledger of those outside is busy, and sleep. The last of the threads outside closes the ledger
//! when its last message has been sent, and looks itself whether all is quiet: either it finds so, or some unit is
//! busy still and will look. One of them that finds a queue full sleeps as a worker does that holds something, and is
//! rung for by the lost ring's rule.
//!
//! **Several ends.** One unit sees quiescence, another fails, the user cancels. A compare-and-swap from
//! *running* lets one declaration be the first. The others are told that they came too late.
//!
//! **The next round.** A caller starts a round while a worker is on its way to sleep, or ends the machine
//! while a worker has not seen the last round. The round changes under the lock under which a worker decides
//! to block; and a worker takes an open round before the end. The next round opens only when everybody has
//! said *done*, so none can be missed or run twice.
//!
//! # Orders of memory
//!
//! Values are handed over by release and acquire alone. Sequentially consistent fences stand in three places,
//! where a thread writes one word and then reads another that its partner writes: [`Sleepers`], which [`Offers`] and
//! [`Asker::ask_unless_polling`] rely on, [`Attention::cease_polling`], and [`Quiet::is_quiet`]. Claims (tail, head) are relaxed: that they are atomic is all that is asked of them.
//! No protocol relies on the order of two relaxed accesses to different words.

pub mod active;
pub mod activity;
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
pub use attention::{Asker, Attention, Look, attention};
pub use event_queue::{EventReceiver, EventSender, event_and_note_queue, event_queue};
pub use flag::Flag;
pub use full::Full;
pub use gate::{Gate, Round, Signal};
pub use held_back::{HeldBack, Sent};
pub use message_ring::{Message, MessageReceiver, MessageSender, Receives, Room, message_ring};
pub use offers::Offers;
pub use process::{Process, ProcessLock};
pub use quiet::{Ledger, Quiet, quiet};
pub use shared_end::{Publisher, Stealer, shared_end};
pub use sleepers::Sleepers;
pub use tally::{Tally, TallyReader, tally};
pub use verdict::{Declared, Ending, Verdict};
