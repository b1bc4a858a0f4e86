//! Choices of a run, and their text format.
//!
//! ```text
//! untimed 0p*2 0o !1p 1o*3
//! ```
//!
//! The first word says whether units acted by virtual time. Each other word names a node, one of its units,
//! and the number of consecutive steps. `p` is the processor (in DUAL the execution unit), `s` the
//! synchronization unit, and `o` the outgoing lane. On the stepper a worker of several units has the name of
//! its first unit. A `!` marks a preemption.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::LANES;
use super::orders::{ORDERED, Orders};

/// Choice of a schedule: which unit acts next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    /// Lane of the unit that acts.
    pub(super) lane: u32,
    /// Whether the unit that acted before could still act. A replay does not need this.
    pub(super) preempts: bool,
}

/// Order in which the units of a machine acted in a run.
/// [`Schedule::Replay`](crate::simulated::Schedule::Replay) repeats it on a
/// [stepper](crate::Machine::stepper) or a simulated machine.
///
/// It has a text form that can be pasted:
///
/// ```
/// use earth::simulated::{Recording, Schedule};
/// use earth::{Eu, Machine, Reply, threaded};
///
/// struct Answer;
/// #[threaded]
/// impl Answer {
///     fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
///         eu.put(out, 42);
///     }
/// }
///
/// let mut machine = Machine::stepper(7).record(true);
/// machine.run(Answer::call)?;
/// let text = machine.recording().map(Recording::to_string);
/// assert!(text.as_ref().is_some_and(|text| text.starts_with("untimed 0")));
///
/// let again: Recording = text.unwrap_or_default().parse().expect("a printed recording");
/// assert_eq!(Machine::stepper(7).schedule(Schedule::Replay(again)).run(Answer::call)?.value, 42);
/// # Ok::<(), earth::Error>(())
/// ```
///
/// The serialized form is this text, as one string.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording(Recorded);

/// Contents of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Recorded {
    Choices { timed: bool, choices: Vec<Choice> },
    Orders(Arc<Orders>),
}

impl Default for Recorded {
    fn default() -> Self {
        Recorded::Choices { timed: false, choices: Vec::new() }
    }
}

impl Recording {
    pub(super) fn new(timed: bool, choices: Vec<Choice>) -> Self {
        Recording(Recorded::Choices { timed, choices })
    }

    /// Makes the recording of a run on real cores.
    pub(in crate::machine) fn of_orders(orders: Orders) -> Self {
        Recording(Recorded::Orders(Arc::new(orders)))
    }

    /// Returns the orders of a run on real cores.
    pub(super) fn orders(&self) -> Option<&Arc<Orders>> {
        if let Recorded::Orders(orders) = &self.0 { Some(orders) } else { None }
    }

    /// Joins the recordings of all [ranks](crate::Machine::ranks) of a run. Returns `None` if they are not
    /// recordings of one run on real cores.
    ///
    /// A failed run may have stopped a rank before it had received all messages of the others.
    pub fn joined<'a>(ranks: impl IntoIterator<Item = &'a Recording>) -> Option<Recording> {
        let ranks: Option<Vec<_>> = ranks.into_iter().map(Recording::orders).collect();
        Orders::joined(ranks?.into_iter().map(|orders| &**orders)).map(Recording::of_orders)
    }

    /// Returns the number of recorded steps.
    pub fn len(&self) -> usize {
        self.orders().map_or(self.choices().len(), |orders| orders.len())
    }

    /// Returns whether no step was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how often another unit acted although the previous one could have continued. It is 0 for a run
    /// on real cores.
    pub fn preemptions(&self) -> usize {
        self.choices().iter().filter(|choice| choice.preempts).count()
    }

    /// Returns how often the acting unit changed. It is 0 for a run on real cores.
    pub fn switches(&self) -> usize {
        self.choices().windows(2).filter(|pair| pair[0].lane != pair[1].lane).count()
    }

    /// Returns whether units acted by virtual time.
    pub(in crate::machine) fn is_timed(&self) -> bool {
        matches!(self.0, Recorded::Choices { timed: true, .. })
    }

    pub(super) fn choices(&self) -> &[Choice] {
        if let Recorded::Choices { choices, .. } = &self.0 { choices } else { &[] }
    }
}

/// Letters of the units of a node.
const UNITS: [char; LANES] = ['p', 's', 'o'];

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(orders) = self.orders() {
            return orders.fmt(f);
        }
        f.write_str(if self.is_timed() { "timed" } else { "untimed" })?;
        for run in self.choices().chunk_by(|a, b| (a.lane, false) == (b.lane, b.preempts)) {
            let Choice { lane, preempts } = run[0];
            let unit = UNITS[lane as usize % LANES];
            write!(f, " {}{}{unit}", if preempts { "!" } else { "" }, lane as usize / LANES)?;
            if run.len() > 1 {
                write!(f, "*{}", run.len())?;
            }
        }
        Ok(())
    }
}

/// Text that is not a recording.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{word}` is not a word of a recording; a recording looks like `untimed 0p*2 0o !1p`")]
pub struct RecordingError {
    /// First invalid word.
    pub word: String,
}

/// Maximum number of steps in a text: more than any run that someone would paste.
const MOST: usize = 1 << 24;

impl FromStr for Recording {
    type Err = RecordingError;

    fn from_str(text: &str) -> Result<Self, RecordingError> {
        let mut words = text.split_whitespace();
        let error = |word: &str| RecordingError { word: word.to_owned() };
        let first = words.next().unwrap_or_default();
        let timed = match first {
            "timed" => true,
            "untimed" => false,
            ORDERED => {
                let orders = Orders::parse(words).map_err(error)?;
                return Ok(Recording::of_orders(orders));
            }
            _ => return Err(error(first)),
        };
        let mut choices = Vec::new();
        for word in words {
            let (choice, count) = steps(word).ok_or_else(|| error(word))?;
            if choices.len() + count > MOST {
                return Err(error(word));
            }
            choices.push(choice);
            choices.extend((1..count).map(|_| Choice { preempts: false, ..choice }));
        }
        Ok(Recording::new(timed, choices))
    }
}

impl Serialize for Recording {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Recording {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

/// Parses a word: the first step, and the number of steps.
fn steps(word: &str) -> Option<(Choice, usize)> {
    let (word, count) = match word.split_once('*') {
        Some((word, count)) => (word, count.parse().ok().filter(|&count| (1..=MOST).contains(&count))?),
        None => (word, 1),
    };
    let (preempts, word) = word.strip_prefix('!').map_or((false, word), |word| (true, word));
    let letter = word.chars().next_back()?;
    let unit = UNITS.iter().position(|unit| *unit == letter)?;
    let node: u32 = word[..word.len() - letter.len_utf8()].parse().ok()?;
    let lane = node.checked_mul(LANES as u32)?.checked_add(unit as u32)?;
    Some((Choice { lane, preempts }, count))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(
            timed: bool,
            choices in prop::collection::vec((0..12_u32, any::<bool>()), 0..60),
        ) {
            let choices = choices.into_iter().map(|(lane, preempts)| Choice { lane, preempts }).collect();
            let recording = Recording::new(timed, choices);
            prop_assert_eq!(recording.to_string().parse(), Ok(recording));
        }
    }

    #[test]
    fn rows_of_one_unit_are_one_word() {
        let text = "untimed 0p*2 0o !1p 341o*3";
        let recording: Recording = text.parse().unwrap();
        assert_eq!((recording.len(), recording.preemptions(), recording.switches()), (7, 1, 3));
        assert_eq!(recording.to_string(), text);
    }

    #[test]
    fn invalid_recordings_are_refused() {
        let overlong = "9".repeat(30) + "p";
        for word in ["", "0p", "soon"] {
            assert_eq!(word.parse::<Recording>(), Err(RecordingError { word: word.to_owned() }));
        }
        for word in [
            "p",
            "0",
            "0x",
            "0P",
            "0p*0",
            "0p*",
            "-1p",
            "0é",
            "4294967295o",
            "0p*99999999999",
            "!!0p",
            &overlong,
        ] {
            let text = format!("timed 1s {word}");
            assert_eq!(text.parse::<Recording>(), Err(RecordingError { word: word.to_owned() }));
        }
    }
}
