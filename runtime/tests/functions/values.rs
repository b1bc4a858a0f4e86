//! Values and states of functions under `#[threaded]`. Large values travel in boxes, each is dropped once,
//! and an error that a fiber returns ends the run with the fiber's name.

use std::fmt;
use std::num::ParseIntError;

use crate::common::counted::{Counted, Tally};
use crate::common::{fails, gives, on_every};
use earth::{Error, Eu, NodeId, Reply, Start, Then, threaded};
use snapbox::{assert_data_eq, str};

/// Arguments, values and a result of more than 48 bytes.
struct Wide {
    out: Reply<[u64; 10]>,
}

#[threaded]
impl Wide {
    fn start(words: [u64; 10], more: [u64; 10], out: Reply<[u64; 10]>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Doubles::call(words, more, eu.reply(Self::end().doubled)));
        eu.put(eu.reply(Self::end().own), words);
        Wide { out }
    }

    #[slot]
    fn end(self, doubled: [u64; 10], own: [u64; 10], eu: &mut Eu<Self>) {
        eu.put(self.out, std::array::from_fn(|i| doubled[i] + own[i]));
    }
}

struct Doubles;

#[threaded]
impl Doubles {
    fn start(words: [u64; 10], more: [u64; 10], out: Reply<[u64; 10]>, eu: &mut Eu<Self>) {
        eu.put(out, std::array::from_fn(|i| 2 * words[i] + more[i]));
    }
}

#[test]
fn large_arguments_are_boxed_when_sent() {
    on_every(|case| {
        let words = std::array::from_fn(|i| i as u64);
        let run = gives(&mut case.machine(), |out| Wide::call(words, [1; 10], out));
        assert_eq!(run.value, std::array::from_fn(|i| 3 * i as u64 + 1));
    });
}

/// Values that must travel in line.
struct InLine {
    out: Reply<[u64; 3]>,
}

#[threaded(in_line)]
impl InLine {
    fn start(words: [u64; 3], out: Reply<[u64; 3]>, eu: &mut Eu<Self>) -> Self {
        eu.put(eu.reply(Self::end().words), words);
        InLine { out }
    }

    #[slot]
    fn end(self, words: [u64; 3], eu: &mut Eu<Self>) {
        eu.put(self.out, words);
    }
}

#[test]
fn small_values_travel_inline() {
    on_every(|case| {
        assert_eq!(gives(&mut case.machine(), |out| InLine::call([1, 2, 3], out)).value, [1, 2, 3]);
    });
}

/// Owns values in its state and in its inlets, and ends in one of three ways.
struct Owns {
    held: Counted,
    out: Reply<u64>,
}

#[threaded]
impl Owns {
    fn start(end: u64, held: Counted, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if end == 0 {
            eu.put(out, held.carries);
            return Start::End;
        }
        eu.put(eu.reply(Self::meet().came), held.again());
        if end == 1 {
            eu.spawn(Self::take());
        } else {
            eu.spawn(Self::leave());
        }
        Start::Wait(Owns { held, out })
    }

    #[slot(sync)]
    fn meet(&mut self, came: Counted, eu: &mut Eu<Self>) -> Then {
        eu.put(self.out, self.held.carries + came.carries);
        Then::End
    }

    #[spawned]
    fn take(&mut self, eu: &mut Eu<Self>) {
        eu.sync(Self::meet());
    }

    /// Ends the frame with a value in an inlet, which is an error.
    #[spawned]
    fn leave(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.held.carries);
    }
}

#[test]
fn states_and_values_are_dropped_once() {
    on_every(|case| {
        let tally = Tally::new();
        let mut machine = case.machine();
        assert_eq!(gives(&mut machine, |out| Owns::call(0, tally.value(5), out)).value, 5);
        assert_eq!(gives(&mut machine, |out| Owns::call(1, tally.value(5), out)).value, 10);
        assert_eq!(tally.left(), 0);
        let error = fails(&mut machine, |out| Owns::call(2, tally.value(5), out));
        assert!(matches!(error, Error::EndedTooEarly { .. } | Error::Stuck(_)), "{error}");
        assert_eq!(tally.left(), 0);
    });
}

/// An error of the program.
#[derive(Debug)]
struct Negative(i64);

impl fmt::Display for Negative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is negative", self.0)
    }
}

/// Each fiber may fail: the first with a text, another of `&mut self`, another of `self`.
struct Parses {
    sum: i64,
    out: Reply<i64>,
}

#[threaded]
impl Parses {
    fn start(texts: Vec<String>, out: Reply<i64>, eu: &mut Eu<Self>) -> Result<Self, String> {
        let [first, second] = &texts[..] else { return Err(format!("{} texts", texts.len())) };
        eu.put(eu.reply(Self::parse().text), first.clone());
        eu.put(eu.reply(Self::end().text), second.clone());
        Ok(Parses { sum: 0, out })
    }

    #[slot]
    fn parse(&mut self, text: String, eu: &mut Eu<Self>) -> Result<Then, ParseIntError> {
        self.sum = text.parse()?;
        eu.sync(Self::end());
        Ok(Then::Wait)
    }

    #[slot(sync)]
    fn end(self, text: String, eu: &mut Eu<Self>) -> Result<(), Box<dyn std::error::Error>> {
        let sum = self.sum + text.parse::<i64>()?;
        if sum < 0 {
            return Err(Negative(sum).to_string().into());
        }
        eu.put(self.out, sum);
        Ok(())
    }
}

#[test]
fn an_error_that_a_fiber_returns_ends_the_run() {
    let call = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    on_every(|case| {
        let mut machine = case.machine();
        assert_eq!(gives(&mut machine, |out| Parses::call(call(&["3", "4"]), out)).value, 7);
        for (texts, fiber, why) in [
            (&["3"][..], "start", "1 texts"),
            (&["x", "4"], "parse", "invalid digit found in string"),
            (&["3", "y"], "end", "invalid digit found in string"),
            (&["3", "-4"], "end", "-1 is negative"),
        ] {
            let error = fails(&mut machine, |out| Parses::call(call(texts), out));
            let Error::Failed { at, why: said } = &error else { panic!("{error}") };
            assert_eq!((at.function.as_str(), at.fiber.as_str(), said.as_str()), ("Parses", fiber, why));
            assert_eq!(error.to_string(), format!("fiber `{fiber}` of Parses on node 0 failed: {why}"));
        }
    });
}

/// A first fiber that returns a `Result<(), _>`.
struct Checks;

#[threaded]
impl Checks {
    fn start(n: i64, out: Reply<i64>, eu: &mut Eu<Self>) -> Result<(), Negative> {
        if n < 0 {
            return Err(Negative(n));
        }
        eu.put(out, n);
        Ok(())
    }
}

#[test]
fn a_first_fiber_that_ends_may_fail() {
    on_every(|case| {
        let mut machine = case.machine();
        assert_eq!(gives(&mut machine, |out| Checks::call(1, out)).value, 1);
        let error = fails(&mut machine, |out| Checks::call(-2, out));
        assert_data_eq!(error.to_string(), str!["fiber `start` of Checks on node 0 failed: -2 is negative"]);
    });
}
