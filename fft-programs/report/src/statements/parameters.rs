//! Parameters of a page's machine: which are published, and which verdicts the others decide.

use serde::Serialize;

/// Origin of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The paper, or a publication on its machine, has the value.
    Published,
    /// Nobody published it.
    Estimate,
    /// It was chosen so that a figure of the paper comes out.
    Fitted,
}

impl Status {
    /// Returns the status for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Estimate => "estimate",
            Self::Fitted => "fitted",
        }
    }
}

/// Parameter of a page's machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// Name, as in the profile.
    pub name: String,
    /// Origin.
    pub status: Status,
    /// Value with its unit.
    pub value: String,
    /// Whether it was halved and doubled. A published one is not.
    pub changed: [bool; 2],
}

/// Change of one parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Change {
    /// Name of the parameter.
    pub parameter: String,
    /// Whether it is doubled; otherwise it is halved.
    pub doubled: bool,
}

impl Change {
    /// Returns both changes of a parameter.
    pub fn both(parameter: &str) -> [Self; 2] {
        [false, true].map(|doubled| Self { parameter: parameter.to_owned(), doubled })
    }

    /// Returns the factor on the parameter.
    pub fn factor(&self) -> f64 {
        if self.doubled { 2.0 } else { 0.5 }
    }

    /// Returns the change for people.
    pub fn words(&self) -> String {
        format!("`{}` {}", self.parameter, if self.doubled { "doubled" } else { "halved" })
    }
}
