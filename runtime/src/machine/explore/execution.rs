//! The steps of one run of an exploring machine, and the messages between them.
//!
//! A step has a [`Label`] that says what made it: for example the third message of a step, or a fiber of the
//! frame that a step made. Labels do not depend on the order of unrelated steps. So a step of one run can be
//! found again in another run.

use crate::probe::accesses::Access;
use crate::vocabulary::address::FrameId;

/// Identity of a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Label(u128);

/// Kind of a step, as a part of its label.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A function of the beginning of the run.
    First,
    /// A function that a step started.
    Start,
    Token,
    /// A fiber of a frame.
    Fiber,
    /// A message between nodes.
    Message,
    /// Operations of an execution unit, applied by its synchronization unit (DUAL).
    Operations,
    Timer,
}

/// Mixes a word (the finalizer of `SplitMix64`: Steele, Lea and Flood, 2014).
const fn scramble(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// Mixes a word into a hash of two independent words.
pub(super) const fn mixed(hash: u128, word: u64) -> u128 {
    let (low, high) = (hash as u64, (hash >> 64) as u64);
    let low = scramble(low.wrapping_add(0x9E37_79B9_7F4A_7C15) ^ word);
    let high = scramble(high.rotate_left(29).wrapping_add(word.wrapping_mul(0xD1B5_4A32_D192_ED03)) ^ low);
    low as u128 | (high as u128) << 64
}

impl Label {
    /// Returns the label of a step of this kind that no other step made.
    pub(super) fn first(kind: Kind, numbers: &[u64]) -> Self {
        Label(0).then(kind, numbers)
    }

    /// Returns the label of a step that `self` made; the numbers distinguish the steps that it made.
    pub(super) fn then(self, kind: Kind, numbers: &[u64]) -> Self {
        Label(numbers.iter().fold(mixed(self.0, kind as u64), |hash, number| mixed(hash, *number)))
    }

    pub(super) fn word(self) -> u128 {
        self.0
    }
}

/// Two units between which messages keep their order: nodes, or the two units of a DUAL node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Channel {
    pub(super) from: u32,
    /// The receiver. It equals `from` for the operations that an execution unit sends to its own
    /// synchronization unit.
    pub(super) to: u32,
}

/// A message, or operations that one step of a synchronization unit applies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) label: Label,
    pub(super) channel: Channel,
    pub(super) sender: u32,
    /// The step that received it.
    pub(super) step: Option<u32>,
}

/// A step of a unit.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) label: Label,
    pub(super) node: u32,
    /// Steps without which this one would not exist.
    pub(super) causes: Vec<u32>,
    /// The frames of its node that it used.
    pub(super) accesses: Vec<(FrameId, Access)>,
    /// The message that it received.
    pub(super) message: Option<u32>,
    /// The labels of the steps that start the same token on other nodes.
    pub(super) alternatives: Vec<Label>,
    /// Index among the steps that were possible, and the number of these.
    pub(super) choice: u32,
    pub(super) possible: u32,
    /// Its description, if the run describes its steps.
    pub(super) text: Option<Box<StepText>>,
}

impl Step {
    pub(super) fn new(label: Label) -> Self {
        Step {
            label,
            node: 0,
            causes: Vec::new(),
            accesses: Vec::new(),
            message: None,
            alternatives: Vec::new(),
            choice: 0,
            possible: 0,
            text: None,
        }
    }
}

/// The description of a step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct StepText {
    pub(super) unit: &'static str,
    pub(super) action: String,
    /// The slots, inlets and cells that it used.
    pub(super) used: Vec<String>,
}

/// The steps of a run in their order.
#[derive(Debug, Default)]
pub(super) struct Execution {
    pub(super) steps: Vec<Step>,
    /// All messages. Messages of one channel are in the order in which they were sent.
    pub(super) messages: Vec<Message>,
}

impl Execution {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.messages.clear();
    }

    /// Describes the last step.
    pub(super) fn describe(&mut self, unit: &'static str, action: String) {
        if let Some(step) = self.steps.last_mut() {
            step.text = Some(Box::new(StepText { unit, action, used: Vec::new() }));
        }
    }

    /// Adds a message that step `sender` has sent.
    pub(super) fn send(&mut self, channel: Channel, sender: u32, step: Option<u32>) -> u32 {
        let from = &self.steps[sender as usize].label;
        let earlier = self.messages.iter().rev();
        let own = |message: &&Message| message.sender == sender && message.channel == channel;
        let number = earlier.filter(own).count() as u64;
        let kind = if channel.from == channel.to { Kind::Operations } else { Kind::Message };
        let label = from.then(kind, &[u64::from(channel.to), number]);
        self.messages.push(Message { label, channel, sender, step });
        self.messages.len() as u32 - 1
    }
}
