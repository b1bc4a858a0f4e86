//! Explores a stencil whose borders overtake each other, and draws two schedules with different outcomes:
//!
//! ```sh
//! cargo run -p earth-trace --example schedules -- docs/guide/src/schedules.svg
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

use earth::explore::{Bound, Verdict};
use earth::{Eu, Machine, NodeId, Reply, Then, threaded};
use earth_trace::write_difference;

/// A strip of one value between two neighbors. It takes the borders of both at one inlet.
struct Strip {
    value: u64,
    borders: Vec<u64>,
    left: usize,
    out: Reply<u64>,
}

#[threaded]
impl Strip {
    fn start(rounds: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for (node, first) in [(0, 10), (1, 500)] {
            eu.invoke(NodeId::new(node), Neighbour::call(first, rounds, eu.reply(Self::hear().border)));
        }
        Strip { value: 1, borders: Vec::new(), left: rounds, out }
    }

    #[slot(again)]
    fn hear(&mut self, border: u64, eu: &mut Eu<Self>) -> Then {
        self.borders.push(border);
        if self.borders.len() < 2 {
            return Then::Wait;
        }
        self.value = 3 * self.value + self.borders.drain(..).sum::<u64>();
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.value);
        Then::End
    }
}

/// Sends its borders of all rounds at once.
struct Neighbour;

#[threaded]
impl Neighbour {
    fn start(first: u64, rounds: usize, to: Reply<u64>, eu: &mut Eu<Self>) {
        (first..).take(rounds).for_each(|border| eu.put(to, border));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: schedules FILE.svg")?;
    let explored = Machine::threads(2).explore(Bound::default()).run(|out| Strip::call(2, out))?;
    println!("{explored}");
    let Verdict::Differs(difference) = explored.verdict else {
        return Err("no two schedules differ".into());
    };
    let mut file = BufWriter::new(File::create(path)?);
    write_difference(&difference, &mut file)?;
    Ok(file.flush()?)
}
