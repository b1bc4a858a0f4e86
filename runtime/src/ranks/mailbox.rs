//! The mailbox of a rank: its outgoing and incoming messages, those held back for lack of room, and the
//! participants.
//!
//! A message that the link refuses stays here, with all later messages for the same rank behind it; no thread
//! waits (rule 11 of ARCHITECTURE.md). So messages from one rank to another arrive in the order in which they
//! were sent. The greeting relies on this order. Each rank numbers its runs. It greets all other ranks with
//! the number of a run before it sends them any other message of it. So every message belongs to the run of
//! the last greeting before it from the same rank. Messages of earlier runs, which have failed here, are
//! dropped. Messages of a later run are kept until this rank begins that run: their sender has already ended
//! the current run.

use std::collections::VecDeque;
use std::task::Waker;
use std::time::{Duration, Instant};

use earth_memory::Pool;
use earth_signal::{Full, HeldBack, Sent};

use super::link::{Arrival, Link, Lost, Message};
use super::message::{Control, Hello, RankMessage, is_control};
use super::own_link::OwnLink;
use crate::vocabulary::error::Error;

/// Largest number of kept messages of later runs per rank: more than any sequence of early-ended runs leaves.
const MAX_AHEAD: usize = 1024;

/// Another rank.
#[derive(Default)]
struct Peer {
    held: HeldBack<Message>,
    /// The run of its last greeting, not counting greetings in `ahead`.
    run: u64,
    /// Its messages for later runs, a greeting first.
    ahead: VecDeque<Control>,
    /// Why no message will come from it any more.
    lost: Option<String>,
    /// Whether it has announced that it takes part in no further run.
    left: bool,
}

/// The messages of one rank.
pub(crate) struct Mailbox {
    link: OwnLink,
    rank: usize,
    peers: Vec<Peer>,
    held_back: usize,
    /// Whether the link may have unsent messages.
    unflushed: bool,
    /// The number of the current or last run, from 1 on, and this rank's greeting.
    run: u64,
    hello: Option<Hello>,
    /// Number of other ranks that have not greeted this one in the current run.
    awaited: usize,
    /// Messages that came before the run began, with their senders.
    early: VecDeque<(usize, Control)>,
    /// Memory for blocks that arrive.
    pool: Pool,
    /// The message that is being packed. Its vectors are used again.
    message: Message,
    /// Numbers of work messages sent and received since the run began.
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

/// An arrival.
pub(crate) enum Arrived {
    /// A message of the current run, from this rank. The bytes of an event are in the caller's arrival.
    RankMessage(usize, RankMessage),
    /// A rank was lost, has left, or skipped the current run and began a later one.
    Gone(usize),
}

impl Mailbox {
    pub(crate) fn new(link: Box<dyn Link>) -> Self {
        let (rank, ranks) = (link.rank(), link.ranks());
        Mailbox {
            link: OwnLink::new(link),
            rank,
            peers: (0..ranks).map(|_| Peer::default()).collect(),
            held_back: 0,
            unflushed: false,
            run: 0,
            hello: None,
            awaited: 0,
            early: VecDeque::new(),
            pool: Pool::new(),
            message: Message::default(),
            sent: 0,
            received: 0,
        }
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let rank = self.rank;
        (0..self.peers.len()).filter(move |&other| other != rank)
    }

    /// Begins a run: greets all other ranks.
    pub(crate) fn begin(&mut self, hello: Hello) {
        self.link.begin();
        self.run += 1;
        self.hello = Some(hello);
        (self.sent, self.received) = (0, 0);
        self.awaited = self.peers.len() - 1;
        let run = self.run;
        for rank in self.others() {
            self.control(rank, Control::Hello { run, hello });
            let ahead = std::mem::take(&mut self.peers[rank].ahead);
            self.early.extend(ahead.into_iter().map(|control| (rank, control)));
        }
    }

    /// Whether the link belongs to an ancestor process from before a fork.
    pub(crate) fn is_forked_child(&self) -> bool {
        self.link.is_forked_child()
    }

    /// Whether all other ranks have greeted this rank.
    pub(crate) fn is_complete(&self) -> bool {
        self.awaited == 0
    }

    /// Returns the error of a run without a rank that is gone.
    pub(crate) fn gone(&self, rank: usize) -> Error {
        match &self.peers[rank].lost {
            Some(why) => Error::LostRank { rank, why: why.clone() },
            None => Error::OtherProgram { rank, why: "it has begun a later run".to_owned() },
        }
    }

    /// Counts the rank that an error names as lost, unless it is known to be gone.
    pub(crate) fn lose(&mut self, error: &Error) {
        let Error::LostRank { rank, why } = error else { return };
        let other = self.peers.get_mut(*rank).filter(|_| *rank != self.rank);
        if let Some(peer) = other.filter(|peer| peer.lost.is_none()) {
            peer.lost = Some(why.clone());
            self.link.lose(Lost { rank: *rank, why: why.clone() });
        }
    }

    /// Returns the ranks that were lost or have left.
    pub(crate) fn lost(&self) -> Vec<usize> {
        self.others().filter(|&rank| self.peers[rank].lost.is_some()).collect()
    }

    /// Whether a rank has announced that it takes part in no further run.
    pub(crate) fn has_left(&self, rank: usize) -> bool {
        self.peers[rank].left
    }

    /// Sends a work message, which `pack` packs.
    pub(crate) fn work(&mut self, to: usize, pack: impl FnOnce(&mut Message)) -> Sent {
        self.sent += 1;
        self.message.clear();
        pack(&mut self.message);
        self.send(to)
    }

    /// Sends a control message.
    pub(crate) fn control(&mut self, to: usize, control: Control) {
        self.message.clear();
        self.message.head = control.into_bytes();
        let _ = self.send(to);
    }

    /// Sends a control message to all other ranks.
    pub(crate) fn broadcast(&mut self, control: impl Fn() -> Control) {
        self.others().for_each(|rank| self.control(rank, control()));
    }

    /// Sends `message`. If it is refused, it stays here.
    fn send(&mut self, to: usize) -> Sent {
        let Mailbox { link, peers, message, .. } = self;
        let held = &mut peers[to].held;
        if held.is_empty() && link.send(to, message) {
            self.unflushed = true;
            return Sent::Queued;
        }
        self.held_back += 1;
        held.send(std::mem::take(message), |message| Err(Full(message)))
    }

    /// Returns the number of messages held back for lack of room.
    pub(crate) fn held_back(&self) -> usize {
        self.held_back
    }

    /// Sends held-back messages while there is room.
    pub(crate) fn send_held_back(&mut self) {
        if self.held_back == 0 {
            return;
        }
        let Mailbox { link, peers, .. } = self;
        let offer = |(rank, peer): (usize, &mut Peer)| {
            peer.held
                .flush(|mut message| if link.send(rank, &mut message) { Ok(()) } else { Err(Full(message)) })
        };
        let queued: usize = peers.iter_mut().enumerate().map(offer).sum();
        self.held_back -= queued;
        self.unflushed |= queued > 0;
    }

    /// Makes as much progress as possible on all messages. Returns whether all have left.
    pub(crate) fn flush(&mut self) -> bool {
        self.send_held_back();
        self.unflushed = self.unflushed && !self.link.flush();
        !self.unflushed && self.held_back == 0
    }

    /// Makes progress on messages inside a fiber.
    pub(crate) fn attend(&mut self) {
        self.send_held_back();
        self.link.attend();
    }

    /// Tells all ranks that this one takes part in no further run, and closes the link. Messages that are
    /// left after the time limit are lost.
    pub(crate) fn leave(&mut self, limit: Duration) {
        self.broadcast(|| Control::Bye);
        self.send_last(limit);
        // The rank leaves in any case. A link whose ranks must leave together ends the others by itself.
        let _ = self.link.close(limit);
    }

    /// Sends the last messages of a run until all are sent or the time limit passes.
    pub(crate) fn send_last(&mut self, limit: Duration) {
        let since = Instant::now();
        while !self.flush() && since.elapsed() < limit {
            self.wait(limit / 100);
        }
    }

    /// Drops the held-back work messages of a failed run. Control messages stay, because they separate runs.
    pub(crate) fn drop_work(&mut self) {
        for peer in &mut self.peers {
            let mut kept = Vec::new();
            peer.held.flush(|message| {
                kept.extend(is_control(&message.head).then_some(message));
                Ok(())
            });
            for message in kept {
                let _ = peer.held.send(message, |message| Err(Full(message)));
            }
        }
        self.held_back = self.peers.iter().map(|peer| peer.held.len()).sum();
    }

    /// Returns a waker that ends a wait from any thread, if the link has one.
    pub(crate) fn waker(&self) -> Option<Waker> {
        self.link.waker()
    }

    /// Yields the processor until a message may have come.
    pub(crate) fn wait(&mut self, most: Duration) {
        self.link.wait(most);
    }

    /// Returns the next arrival, if any. The bytes of an event are stored in `arrival`.
    pub(crate) fn poll(&mut self, arrival: &mut Arrival) -> Result<Option<Arrived>, Error> {
        loop {
            arrival.clear();
            let (from, message) = match self.early.pop_front() {
                Some((from, control)) => (from, RankMessage::Control(control)),
                None => match self.link.poll(arrival, &self.pool) {
                    Ok(None) => return Ok(None),
                    Err(Lost { rank, why }) => {
                        let Some(peer) = self.peers.get_mut(rank) else { continue };
                        peer.lost.get_or_insert(why);
                        return Ok(Some(Arrived::Gone(rank)));
                    }
                    Ok(Some(from)) => {
                        let unreadable = || Error::Undecodable { node: self.rank, from };
                        if from >= self.peers.len() || from == self.rank {
                            return Err(unreadable());
                        }
                        (from, RankMessage::read(&arrival.head).map_err(|_| unreadable())?)
                    }
                },
            };
            if let Some(arrived) = self.sort(from, message)? {
                return Ok(Some(arrived));
            }
        }
    }

    /// Determines the run of a message. Returns it if it belongs to the current run.
    fn sort(&mut self, from: usize, message: RankMessage) -> Result<Option<Arrived>, Error> {
        let peer = &mut self.peers[from];
        let first = peer.ahead.is_empty();
        match message {
            RankMessage::Control(Control::Bye) => {
                peer.left = true;
                peer.lost = Some("its machine was dropped".to_owned());
                Ok(Some(Arrived::Gone(from)))
            }
            RankMessage::Control(control)
                if !first || matches!(control, Control::Hello { run, .. } if run > self.run) =>
            {
                if peer.ahead.len() == MAX_AHEAD {
                    return Err(Error::Undecodable { node: self.rank, from });
                }
                peer.ahead.push_back(control);
                // If the sender had begun this run, it has left it by an error. The failing rank sends that
                // error to all ranks.
                Ok((first && peer.run != self.run).then_some(Arrived::Gone(from)))
            }
            RankMessage::Control(Control::Hello { run, hello }) => {
                let is_new = run == self.run && peer.run != run;
                peer.run = run;
                if !is_new {
                    return Ok(None);
                }
                self.awaited -= 1;
                match self.hello.and_then(|own| hello.differs_from(own)) {
                    Some(why) => Err(Error::OtherProgram { rank: from, why }),
                    None => Ok(None),
                }
            }
            message if first => Ok((peer.run == self.run).then_some(Arrived::RankMessage(from, message))),
            _ => Err(Error::Undecodable { node: self.rank, from }),
        }
    }
}
