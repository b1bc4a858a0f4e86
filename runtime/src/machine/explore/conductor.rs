//! The choices of a run on an exploring machine: which step is next, of those that are possible.

use std::fmt;
use std::ops::DerefMut;
use std::str::FromStr;
use std::sync::Arc;

use super::execution::{Execution, Label};
use crate::primitive::Mutex;

/// The choices of one schedule: at each step, the index of the step that was taken among the steps that were
/// possible. Index 0 is the usual next step, and so are all choices after the last one.
///
/// The text form can be pasted. `0*4 2` takes the usual step four times, then the third one:
///
/// ```
/// use earth::explore::Choices;
///
/// let choices: Choices = "0*4 2".parse()?;
/// assert_eq!((choices.len(), choices.to_string()), (5, "0*4 2".to_owned()));
/// # Ok::<(), earth::explore::ChoicesError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choices(pub(super) Vec<u32>);

/// Text that names no choices.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{word}` is not a word of choices; choices look like `0*4 2`")]
pub struct ChoicesError {
    /// The first invalid word.
    pub word: String,
}

impl Choices {
    /// The most choices in a text.
    const MOST: usize = 1 << 20;

    /// Makes choices, without usual choices at their end.
    pub(super) fn of(choices: impl Iterator<Item = u32>) -> Self {
        let mut choices: Vec<_> = choices.collect();
        while choices.last() == Some(&0) {
            choices.pop();
        }
        Choices(choices)
    }

    /// Returns the number of choices up to the last one that is not usual.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether all choices are usual.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of choices that are not usual.
    pub fn deviations(&self) -> usize {
        self.0.iter().filter(|choice| **choice > 0).count()
    }
}

impl fmt::Display for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, equal) in self.0.chunk_by(|a, b| a == b).enumerate() {
            f.write_str(if at > 0 { " " } else { "" })?;
            match equal {
                [one] => write!(f, "{one}")?,
                more => write!(f, "{}*{}", more[0], more.len())?,
            }
        }
        Ok(())
    }
}

impl FromStr for Choices {
    type Err = ChoicesError;

    fn from_str(text: &str) -> Result<Self, ChoicesError> {
        let mut choices = Vec::new();
        for word in text.split_whitespace() {
            let error = || ChoicesError { word: word.to_owned() };
            let (choice, times) = word.split_once('*').unwrap_or((word, "1"));
            let (choice, times): (u32, usize) = match (choice.parse(), times.parse()) {
                (Ok(choice), Ok(times)) if (1..=Self::MOST).contains(&times) => (choice, times),
                _ => return Err(error()),
            };
            if choices.len() + times > Self::MOST {
                return Err(error());
            }
            choices.extend(std::iter::repeat_n(choice, times));
        }
        Ok(Choices::of(choices.into_iter()))
    }
}

/// How a run begins. Then it takes the usual steps.
#[derive(Debug)]
pub(super) enum Beginning {
    /// These steps.
    Labels(Vec<Label>),
    /// The steps of these choices.
    Choices(Choices),
}

/// Selects the steps of a run, and keeps what the run did.
#[derive(Debug)]
pub(super) struct Conductor {
    beginning: Beginning,
    /// Whether a step of the beginning was not possible when its turn came.
    pub(super) diverged: bool,
    /// Whether the run describes its steps.
    pub(super) describes: bool,
    pub(super) execution: Execution,
}

/// A conductor that a machine and its exploration share.
#[derive(Clone)]
pub(in crate::machine) struct SharedConductor(Arc<Mutex<Conductor>>);

impl SharedConductor {
    pub(super) fn new() -> Self {
        SharedConductor(Arc::new(Mutex::new(Conductor::new())))
    }

    pub(super) fn lock(&self) -> impl DerefMut<Target = Conductor> + '_ {
        self.0.lock()
    }
}

impl fmt::Debug for SharedConductor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedConductor").finish_non_exhaustive()
    }
}

impl Conductor {
    fn new() -> Self {
        let beginning = Beginning::Choices(Choices::default());
        Conductor { beginning, diverged: false, describes: false, execution: Execution::default() }
    }

    /// Prepares a run that begins so.
    pub(super) fn begin_with(&mut self, beginning: Beginning, describes: bool) {
        (self.beginning, self.describes, self.diverged) = (beginning, describes, false);
    }

    /// Returns the index of the next step among those that are possible.
    pub(super) fn choose(&mut self, possible: impl ExactSizeIterator<Item = Label>) -> usize {
        let (at, count) = (self.execution.steps.len(), possible.len());
        let chosen = match &self.beginning {
            Beginning::Labels(labels) => {
                labels.get(at).map(|next| possible.zip(0..).find(|(one, _)| one == next))
            }
            Beginning::Choices(choices) => {
                return choices.0.get(at).map_or(0, |choice| (*choice as usize).min(count - 1));
            }
        };
        self.diverged |= matches!(chosen, Some(None));
        chosen.flatten().map_or(0, |(_, index)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_are_written() {
        for text in ["", "3", "0*4 2", "1*2 0 7*3"] {
            assert_eq!(text.parse::<Choices>().map(|choices| choices.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("2 0 0*5".parse::<Choices>(), Ok(Choices(vec![2])));
        for word in ["x", "1*", "*2", "1*0", "-1", "1*2*3", "0*1048577"] {
            assert_eq!(word.parse::<Choices>(), Err(ChoicesError { word: word.to_owned() }));
        }
    }
}
