//! The order in which the units of real cores took up work in a run, and its text form.
//!
//! ```text
//! ordered spn | i f0.0 t0.1*2 m1 | m0 i s0.0 t0.0
//! ordered dual | i r / a3 m1 | i / m0 a1
//! ```
//!
//! The first words give the kind of the text and the configuration. A bar precedes each node. In DUAL a slash
//! separates the order of the execution unit from the synchronization unit's.
//!
//! | word | the unit |
//! |---|---|
//! | `f3.1`, `f3.1.7` | ran the fiber of frame 3 that enabler 1 enabled, with index 7 |
//! | `i` | started the function that had waited longest |
//! | `t2.5` | started token 5 of node 2 |
//! | `m1` | received a message of node 1 |
//! | `a4` | applied 4 operations of its execution unit |
//! | `s2.5` | took token 5 of node 2 from another node |
//! | `g2.5.1`, `d2.5.1` | sent token 5 of node 2 to node 1, which had asked for it, or had not |
//! | `h` | handed the token that it took last to its execution unit |
//! | `r` | reported that it had no work |
//! | `w` | let a timer fire |

use std::fmt;

use crate::machine::settings::Config;
use crate::probe::order::{OrderLog, Taken};
use crate::vocabulary::error::Error;

/// The orders of all units of a machine.
#[derive(Debug)]
pub(in crate::machine) struct Orders {
    pub(in crate::machine) config: Config,
    /// The orders of each node's unit (SPN), or of its execution unit and its synchronization unit (DUAL).
    pub(in crate::machine) nodes: Vec<[OrderLog; 2]>,
}

/// First word of the text of orders.
pub(super) const ORDERED: &str = "ordered";

/// The most entries of a unit in a text.
const MOST: usize = 1 << 26;

impl PartialEq for Orders {
    fn eq(&self, other: &Self) -> bool {
        let entries = |orders: &Self| -> Vec<Vec<Taken>> {
            orders.nodes.iter().flatten().map(|order| order.entries().collect()).collect()
        };
        self.config == other.config && entries(self) == entries(other)
    }
}

impl Eq for Orders {}

impl Orders {
    /// Makes the orders of `nodes` nodes, without entries.
    pub(in crate::machine) fn new(config: Config, nodes: usize) -> Self {
        Orders { config, nodes: (0..nodes).map(|_| <[OrderLog; 2]>::default()).collect() }
    }

    /// Joins orders of the same machine, each with the order of some of its nodes. Returns `None` if they are
    /// not, or if two have an order of one node.
    pub(super) fn joined<'a>(parts: impl Iterator<Item = &'a Orders>) -> Option<Orders> {
        let mut joined: Option<Orders> = None;
        for part in parts {
            let orders = joined.get_or_insert_with(|| Orders::new(part.config, part.nodes.len()));
            if (orders.config, orders.nodes.len()) != (part.config, part.nodes.len()) {
                return None;
            }
            for (own, others) in orders.nodes.iter_mut().flatten().zip(part.nodes.iter().flatten()) {
                if own.len() > 0 && others.len() > 0 {
                    return None;
                }
                others.entries().for_each(|entry| own.add(entry));
            }
        }
        joined
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.nodes.iter().flatten().map(|order| order.entries().count()).sum()
    }

    /// Checks that a machine of `nodes` nodes in this configuration can repeat the run.
    pub(in crate::machine) fn check(&self, nodes: usize, config: Config) -> Result<(), Error> {
        if self.nodes.iter().flatten().any(OrderLog::is_cut) {
            return Err(Error::CannotBuild("the recorded run was too long".to_owned()));
        }
        if (self.nodes.len(), self.config) == (nodes, config) {
            return Ok(());
        }
        let (own_nodes, own_config) = (self.nodes.len(), self.config);
        Err(Error::CannotBuild(format!(
            "the recording is of {own_nodes} nodes in {own_config}, and the machine has {nodes} in {config}"
        )))
    }

    /// Parses the words after [`ORDERED`]. Returns the first invalid word as an error.
    pub(super) fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self, &'a str> {
        let config = words.next().unwrap_or_default();
        let mut orders = Orders::new(config.parse().map_err(|_| config)?, 0);
        let mut unit = 0;
        for word in words {
            match word {
                "|" => {
                    orders.nodes.push(<[OrderLog; 2]>::default());
                    unit = 0;
                }
                "/" if unit == 0 && orders.config == Config::Dual => unit = 1,
                _ => {
                    let order = orders.nodes.last_mut().map(|node| &mut node[unit]).ok_or(word)?;
                    let (entry, times) = word.split_once('*').unwrap_or((word, "1"));
                    let times = times.parse().ok().filter(|times| (1..=MOST).contains(times));
                    let (taken, times) = parsed(entry).zip(times).ok_or(word)?;
                    if order.len() + times > MOST {
                        return Err(word);
                    }
                    (0..times).for_each(|_| order.add(taken));
                }
            }
        }
        if orders.nodes.is_empty() { Err(config) } else { Ok(orders) }
    }
}

/// Parses a word without a number of repetitions.
fn parsed(word: &str) -> Option<Taken> {
    let letter = word.chars().next()?;
    let numbers = &word[letter.len_utf8()..];
    let numbers: Vec<u32> = match numbers {
        "" => Vec::new(),
        numbers => numbers.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?,
    };
    Some(match (letter, &numbers[..]) {
        ('f', &[frame, by]) => Taken::Fiber { frame, by, index: 0 },
        ('f', &[frame, by, index]) if index > 0 => Taken::Fiber { frame, by, index },
        ('i', []) => Taken::Function,
        ('t', &[node, number]) => Taken::Token { node, number },
        ('m', &[from]) => Taken::Message { from },
        ('a', &[count]) => Taken::Operations { count },
        ('s', &[node, number]) => Taken::Steal { node, number },
        ('g', &[node, number, to]) => Taken::Give { node, number, to, given: true },
        ('d', &[node, number, to]) => Taken::Give { node, number, to, given: false },
        ('h', []) => Taken::Hand,
        ('r', []) => Taken::Report,
        ('w', []) => Taken::Timer,
        _ => return None,
    })
}

/// A word of an entry.
struct Word(Taken);

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Taken::Fiber { frame, by, index: 0 } => write!(f, "f{frame}.{by}"),
            Taken::Fiber { frame, by, index } => write!(f, "f{frame}.{by}.{index}"),
            Taken::Function => f.write_str("i"),
            Taken::Token { node, number } => write!(f, "t{node}.{number}"),
            Taken::Message { from } => write!(f, "m{from}"),
            Taken::Operations { count } => write!(f, "a{count}"),
            Taken::Steal { node, number } => write!(f, "s{node}.{number}"),
            Taken::Give { node, number, to, given } => {
                write!(f, "{}{node}.{number}.{to}", if given { "g" } else { "d" })
            }
            Taken::Hand => f.write_str("h"),
            Taken::Report => f.write_str("r"),
            Taken::Timer => f.write_str("w"),
        }
    }
}

impl fmt::Display for Orders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ORDERED} {}", self.config.name())?;
        for units in &self.nodes {
            f.write_str(" |")?;
            for (unit, order) in units.iter().enumerate() {
                if unit == 1 && self.config == Config::Dual {
                    f.write_str(" /")?;
                }
                let mut entries = order.entries().peekable();
                while let Some(entry) = entries.next() {
                    let more = std::iter::from_fn(|| entries.next_if_eq(&entry)).count();
                    write!(f, " {}", Word(entry))?;
                    if more > 0 {
                        write!(f, "*{}", more + 1)?;
                    }
                }
            }
        }
        Ok(())
    }
}
